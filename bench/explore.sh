#!/usr/bin/env bash
# How many model-checked steps a second does `paycheck explore` make against the emulator in the same process?
#   bench/explore.sh [seconds per model]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-10}
target=${CARGO_TARGET_DIR:-target}

cargo build --quiet --release --locked -p harness --bin paycheck
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

for model in contracts/models/*.yaml; do
  api=$(sed -n 's/^api: //p' "$model")
  begun=$(date +%s.%N)
  "$target/release/paycheck" explore --api "$api" --for "${seconds}s" --out "$out" >"$out/told"
  took=$(echo "$(date +%s.%N) - $begun" | bc)
  steps=$(sed -n 's/.* \([0-9]*\) steps .*/\1/p' "$out/told")
  echo "$api: $(echo "$steps / $took" | bc) steps a second ($steps in $took s; wanted: 5000)"
done
