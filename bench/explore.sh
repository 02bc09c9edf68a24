#!/usr/bin/env bash
# How many model-checked steps a second does `paycheck explore` make against the emulator in the same process, and how
# soon does it find each planted defect (wanted: each within 60 s)?
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
  "$target/release/paycheck" explore --api "$api" --for "${seconds}s" --out "$out" >"$out/output"
  ended=$(date +%s.%N)
  steps=$(sed -n 's/.* \([0-9]*\) steps .*/\1/p' "$out/output")
  awk -v api="$api" -v steps="$steps" -v begun="$begun" -v ended="$ended" \
    'BEGIN { took = ended - begun; printf "%s: %d steps a second (%d in %.1f s; wanted: 5000)\n", api, steps / took, steps, took }'
done

echo "| planted | api | clause | found in sequence | shortest | time with shrinking |"
cargo test --quiet --release --locked -p harness --test judging -- --ignored --nocapture how_soon | grep '^|'
