#!/usr/bin/env bash
# Are there false alarms? Emulators that use the freedoms of the documents by chance (emulator/freedoms.yaml), each judged by
# everything. Prints the seed and the findings of each that is flagged, and why others could not be judged in full.
# Most of a run is waiting, for late notifications and for services that limit their rate, so several are judged at a time.
#   bench/strangers.sh [combinations] [first seed] [at a time]
set -euo pipefail
cd "$(dirname "$0")/.."
count=${1:-200} first=${2:-1} at_a_time=${3:-$(($(nproc) * 6))}
paycheck=${PAYCHECK:-${CARGO_TARGET_DIR:-target}/release/paycheck}
work=$(mktemp -d)
trap 'trap - EXIT; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

[ -n "${PAYCHECK:-}" ] || cargo build --quiet --release --locked --bin paycheck

credentials() {
  printf '{ merchant: "%s", secret: bench-%s, terminal: T%s, terminal-secret: bench-t%s, qr-user: qr-%s, qr-password: bench-q%s, ' "$1" "$1" "$1" "$1" "$1" "$1"
  printf 'mid: M%s, qr-terminal: Q%s, device-user: device-%s, device-password: bench-d%s, serial: SN%s, activation-code: AC%s }' "$1" "$1" "$1" "$1" "$1" "$1"
}

# Judges the combination of one seed in a folder of its own, and leaves the exit code there.
judge() {
  local seed=$1 here=$work/$1 pid url code=0
  mkdir "$here"
  "$paycheck" emulate --listen 127.0.0.1:0 --freedoms "random:$seed" >"$here/emulator" 2>&1 & pid=$!
  trap 'kill "$pid" 2>/dev/null || true' EXIT
  until grep -q 'http' "$here/emulator" 2>/dev/null; do sleep 0.01; done
  url=$(grep -o 'http://[0-9.:]*' "$here/emulator" | head -1)
  cat >"$here/target.yaml" <<YAML
title: a stranger
base: $url
credentials:
  main: $(credentials 100001)
  other: $(credentials 200002)
notifications: { listen: "127.0.0.1:0", within: 20s }
world: { emulator: "$url" }
YAML
  "$paycheck" verify --target "$here/target.yaml" --allow-skipped >"$here/verdict" 2>&1 || code=$?
  echo "$code" >"$here/code"
}

red=0 open=0 judged=0
# Counts what has ended. Exit code 2 says that something could not be judged, which a freedom may explain, but nothing else; a false
# alarm is 1.
collect() {
  local ended seed
  for ended in "$work"/*/code; do
    [ -e "$ended" ] || continue
    seed=$(basename "$(dirname "$ended")")
    case $(cat "$ended") in
      0) ;;
      2) open=$((open + 1)); printf '== random:%s could not be judged in full\n' "$seed"; tail -n 12 "$work/$seed/verdict" ;;
      *) red=$((red + 1)); printf '== random:%s\n' "$seed"; cat "$work/$seed/verdict" ;;
    esac
    judged=$((judged + 1))
    rm -rf "${work:?}/$seed"
  done
}

for seed in $(seq "$first" $((first + count - 1))); do
  judge "$seed" &
  while [ "$(jobs -rp | wc -l)" -ge "$at_a_time" ]; do wait -n || true; done
  collect
done
wait
collect
echo "strangers              $red of $judged flagged (wanted: 0), $open not judged in full"
[ "$red" -eq 0 ] && [ "$judged" -eq "$count" ]
