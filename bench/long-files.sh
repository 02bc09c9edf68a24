#!/usr/bin/env bash
# Is a long file read in one go? A paycheck.toml of 200,000 lines costs about ten times one of 20,000, best of three; whatever counts
# again from the beginning for each value costs a hundred times as much. Fails from twenty times on.
#   bench/long-files.sh [paycheck]
set -euo pipefail
cd "$(dirname "$0")/.."
paycheck=${1:-${CARGO_TARGET_DIR:-target}/release/paycheck}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -n "${1:-}" ] || cargo build --quiet --release --locked --bin paycheck

# Writes a file with so many values, one a line.
long() {
  awk -v lines="$1" 'BEGIN { print "[verify]\nfilter = ["; for (i = 0; i < lines; i++) print "  \047name-" i "\047,"; print "]" }' >"$work/$1.toml"
}

# The least processor time of three readings, in milliseconds.
cost() {
  long "$1"
  local TIMEFORMAT='%U %S' best=
  for _ in 1 2 3; do
    spent=$({ time "$paycheck" --config "$work/$1.toml" config verify >"$work/shown"; } 2>&1 | awk '{ print int(($1 + $2) * 1000) }')
    grep -q "name-$(($1 - 1))\b" "$work/shown"
    if [ -z "$best" ] || [ "$spent" -lt "$best" ]; then best=$spent; fi
  done
  echo "$best"
}

short=$(cost 20000) long=$(cost 200000)
echo "20,000 values: $short ms; 200,000 values: $long ms"
[ "$long" -lt $((20 * (short > 0 ? short : 1))) ]
