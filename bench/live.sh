#!/usr/bin/env bash
# Is a conforming test shop without a control API, behind a reverse proxy and in real time, ever flagged? Judges it several times
# with many cases at once, each round with other freedoms by chance, and once with one case after the other.
#   bench/live.sh [times]
set -euo pipefail
cd "$(dirname "$0")/.."
times=${1:-10} red=0
cargo test --quiet --locked -p harness --test judging --no-run
judge() { cargo test --quiet --locked -p harness --test judging -- "$@"; }
for round in $(seq "$times"); do
  if ! output=$(LIVE_ROUND=$((round - 1)) judge live_shop:: 2>&1); then
    red=$((red + 1))
    echo "round $round of $times: RED (LIVE_ROUND=$((round - 1)))"
    grep -E 'panicked at|^    |^[a-z]+ / ' <<<"$output" | head -20
  fi
done
echo "64 at once         $((times - red)) of $times rounds green (wanted: all)"
judge --ignored live_shop::one_after_the_other >/dev/null && echo 'one by one         green' || red=$((red + 1))
[ "$red" -eq 0 ]
