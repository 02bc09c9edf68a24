#!/usr/bin/env bash
# Are many processes that play a load together one process that plays it alone? So many shards at a tiny rate each, all on this
# machine, and beside them one process with the same profile and seed, against one emulator. The counts of the merge must be
# those of that process, and its percentiles those of all times that the shards measured, put into one heap by a reader of
# histograms of its own (python3). Prints both, the percentiles of the one process beside them (another run, so other times), and
# how long the merge takes. Ends with 1 where something differs, or where the merge takes longer than a second.
#   bench/shards.sh [shards] [iterations a second of all together]          PAYCHECK=path/to/paycheck names another binary
set -euo pipefail
cd "$(dirname "$0")/.."
shards=${1:-100} rate=${2:-20}
paycheck=${PAYCHECK:-${CARGO_TARGET_DIR:-target}/release/paycheck}
[ -n "${PAYCHECK:-}" ] || cargo build --quiet --release --locked --bin paycheck
work=$(mktemp -d)
emulator=''
trap 'kill $emulator 2>/dev/null || true; rm -rf "$work"' EXIT

"$paycheck" emulate --listen 127.0.0.1:0 --target-file "$work/target.yaml" >"$work/emulator" 2>&1 & emulator=$!
until grep -q '^emulator on' "$work/emulator"; do sleep 0.05; done
# Nothing is due at the end, so that a machine that can't keep up with all processes still starts all iterations.
cat >"$work/split.yaml" <<P
title: split
kind: ramping-arrival-rate
start: $rate
users: $((shards * 2))
stages: [{ rate: $rate, for: 20s }, { rate: 0, for: 1s }, { rate: 0, for: ${DRAIN:-20s} }]
mix:
  - { scenario: gateway/a-creation-is-answered-with-a-payment, case: v2.0, weight: 2 }
  - { scenario: gateway/a-paid-payment-is-notified-and-reads-as-paid, case: v2.0 }
P

# All of them get ready on this machine: that takes a while.
at=$(date -u -d "+${LEAD:-$((10 + shards * 2))} seconds" +%Y-%m-%dT%H:%M:%SZ)
play() {
  local json=$1; shift
  "$paycheck" load "$work/split.yaml" --target "$work/target.yaml" --seed 7 --start-at "$at" --json "$json" "$@" >"$json.said" 2>&1
}
players=()
for part in $(seq "$shards"); do play "$work/part-$part.json" --shard "$part/$shards" & players+=($!); done
play "$work/alone.json" & players+=($!)
for player in "${players[@]}"; do wait "$player" || true; done
for part in $(seq "$shards"); do [ -e "$work/part-$part.json" ] || { cat "$work/part-$part.json.said"; exit 1; }; done

began=$(date +%s%N)
"$paycheck" load merge "$work"/part-*.json --json "$work/whole.json" >"$work/whole.said" || true
merged=$((($(date +%s%N) - began) / 1000000))
echo "merge of $shards shards    $merged ms (wanted: below 1000)"

python3 - "$work" <<'PY'
import base64, collections, glob, json, struct, sys, zlib

def read(path):
    with open(path) as file:
        return json.load(file)

def counts(text):
    """The counters of an HdrHistogram, V2, deflated, base64: each by its lowest value."""
    plain = zlib.decompress(base64.b64decode(text)[8:])
    (length,) = struct.unpack(">i", plain[4:8])
    payload, at, counter = plain[40:40 + length], 0, 0
    while at < len(payload):
        number = shift = 0
        while True:
            byte = payload[at]
            at += 1
            last = shift == 56
            number |= (byte if last else byte & 127) << shift
            shift += 7
            if last or byte < 128:
                break
        number = (number >> 1) ^ -(number & 1)
        if number < 0:
            counter -= number
            continue
        if number:
            yield (counter if counter < 2048 else (counter % 1024 + 1024) << (counter // 1024 - 1)), number
        counter += 1

def quantile(heap, share):
    rank, seen = max(1, -(-share * sum(heap.values()) // 1)), 0
    for value in sorted(heap):
        seen += heap[value]
        if seen >= rank:
            return value

folder = sys.argv[1]
whole, alone = read(folder + "/whole.json"), read(folder + "/alone.json")
parts = [read(path) for path in glob.glob(folder + "/part-*.json")]
heaps = collections.defaultdict(collections.Counter)
for part in parts:
    for operation in part["operations"]:
        for value, times in counts(operation["response"]["histogram"]):
            heaps[operation["operation"]][value] += times
differs = []

def same(what, one, other):
    if one != other:
        differs.append(f"{what}: {one} and {other}")

for name in ["intended", "started", "dropped"]:
    same(name, whole["arrivals"][name], alone["arrivals"][name])
same("dropped", whole["arrivals"]["dropped"], 0)
for name in ["expected", "lost", "duplicated", "contradicting"]:
    same(name, whole["notifications"][name], alone["notifications"][name])
by_name = lambda result, key: {each[key]: each for each in result}
same("scenarios", *({name: s["passed"] + s["failed"] for name, s in by_name(r["scenarios"], "scenario").items()} for r in (whole, alone)))
ours, theirs = by_name(whole["operations"], "operation"), by_name(alone["operations"], "operation")
same("operations", sorted(ours), sorted(theirs))
print(f"{'operation':20} {'requests':>9} {'alone':>7}   p50 and p99: merged, one heap, alone (µs)")
for name, operation in ours.items():
    other = theirs.get(name, {"requests": 0, "responses": [], "response": {"p50": 0, "p99": 0}})
    same(f"requests of {name}", operation["requests"], other["requests"])
    same(f"responses of {name}", operation["responses"], other["responses"])
    line = [f"{name:20} {operation['requests']:9} {other['requests']:7}"]
    for which, share in [("p50", 0.5), ("p99", 0.99)]:
        # A percentile of too few calls is not in the result.
        merged, single = operation["response"].get(which), other["response"].get(which)
        if merged is None or single is None:
            continue
        heap = quantile(heaps[name], share)
        line.append(f"  {merged:7} {heap:7} {single:7}")
        if not heap <= merged <= heap * 1.001:
            differs.append(f"{which} of {name}: {merged} and {heap}")
    print("".join(line))
print("\n".join(differs) or f"{len(parts)} shards together are one process: {whole['arrivals']['started']} iterations, none dropped by either")
sys.exit(bool(differs))
PY
[ "$merged" -lt 1000 ]
