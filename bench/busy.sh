#!/usr/bin/env bash
# Do the tests hold on a machine that is busy with other things? The whole test command of the README, several times,
# beside two busy loops and a build that is repeated endlessly.
#   bench/busy.sh [times]
set -euo pipefail
cd "$(dirname "$0")/.."
times=${1:-10}
work=$(mktemp -d)
pids=()
# Each in a process group of its own, so that a compiler ends with the loop that started it.
trap 'for pid in "${pids[@]}"; do kill -- "-$pid" 2>/dev/null || true; done; wait 2>/dev/null || true; rm -rf "$work"' EXIT

test_command=$(sed -n '/<!-- ci: test -->/,/^```$/p' README.md | grep -v -e '^<!--' -e '^```')
bash -c "$test_command --no-run --quiet"

set -m
while :; do :; done & pids+=($!)
while :; do :; done & pids+=($!)
while :; do rm -rf "$work/target"; cargo build --quiet --locked -p emulator --target-dir "$work/target" || sleep 1; done 2>/dev/null & pids+=($!)
set +m

red=0
for round in $(seq "$times"); do
  SECONDS=0
  if bash -c "$test_command --no-fail-fast" >"$work/$round" 2>&1; then
    echo "round $round of $times: green, $SECONDS s"
  else
    red=$((red + 1))
    echo "round $round of $times: RED, $SECONDS s"
    # A test, or a whole program that ended otherwise.
    grep -E '^test .* FAILED$|^error: test failed|panicked at' "$work/$round" | sort | uniq -c || tail -20 "$work/$round"
  fi
done
echo "busy               $((times - red)) of $times rounds green (wanted: all)"
[ "$red" -eq 0 ]
