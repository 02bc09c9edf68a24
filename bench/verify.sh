#!/usr/bin/env bash
# How long does a full `paycheck verify` on the embedded emulator take, and how much memory; how long until a
# separate emulator is ready; what does the HTML page of a run cost; does an emulator keep memory after 1,000 worlds at once?
# Whole processes, timed from outside; the median of the runs is printed. Red if the time of `verify` by case is more than 1.03 times
# that of a commit before, measured in turns in the same minutes.
#   bench/verify.sh [runs] [commit to compare with | none]
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-9} base=${2:-171e6775}
target=${CARGO_TARGET_DIR:-target}
paycheck=$target/release/paycheck
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

cargo build --quiet --release --locked --bin paycheck

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# One run; exit code 2 (a clause untouched) is no failure of the measurement.
verify() {
  /usr/bin/time -f '%e %M' -o "$work/time" "$1" verify >"$2.screen" || [ $? -le 2 ]
  tail -1 "$work/time" >>"$2"
}

before=
if [ "$base" != none ]; then
  git clone --quiet . "$work/base"
  (cd "$work/base" && git checkout --quiet "$base" && CARGO_TARGET_DIR=$work/base-target cargo build --quiet --release --locked --bin paycheck)
  before=$work/base-target/release/paycheck
fi
for _ in $(seq "$runs"); do
  verify "$paycheck" "$work/times"
  [ -z "$before" ] || verify "$before" "$work/times.base"
done
wall=$(cut -d' ' -f1 "$work/times" | median) memory=$(cut -d' ' -f2 "$work/times" | median)
echo "verify, everything     $wall s wall, $memory KB at most (wanted: under 1 s, under 60000 KB)"
red=0
cases() { grep -o '[0-9]* cases' "$1.screen" | head -1 | cut -d' ' -f1; }
if [ -n "$before" ]; then
  awk -v base="$base" -v w="$wall" -v m="$memory" -v n="$(cases "$work/times")" \
    -v bw="$(cut -d' ' -f1 "$work/times.base" | median)" -v bm="$(cut -d' ' -f2 "$work/times.base" | median)" -v bn="$(cases "$work/times.base")" \
    'BEGIN { by_case = (w / n) / (bw / bn)
             printf "beside %s        %.2f of its time by case (%d cases in place of %d, %s s; wanted: at most 1.03), %.2f of its %s KB\n", base, by_case, n, bn, bw, m / bm, bm
             exit (by_case > 1.03) }' || red=1
fi

# What the HTML page of a run costs: a green run, and one with a finding against each of 1,000 clauses. Processor time, which other
# processes disturb least.
mkdir -p "$work/gateway"
awk -v folder="$work/gateway" '
  function close_clause() { if (id != "" && !skip && count < 1000) { count++; file = sprintf("%s/wrong-%04d.yaml", folder, count)
    printf "title: %s is broken\nclauses: [%s]\nsteps:\n  - call: gateway.v2.create\n    expect: { code: \"{{ 4711 }}\" }\n    clause: %s\n", id, id, id >file; close(file) } }
  /^  [a-z][a-zA-Z0-9.-]*:/ { close_clause(); id = $1; sub(/:$/, "", id); skip = 0 }
  /unchecked|checked-by/ { skip = 1 }
  END { close_clause() }' contracts/clauses/*.yaml
for _ in $(seq "$runs"); do
  for html in '' "--html $work/page.html"; do
    name=without; [ -z "$html" ] || name=with
    for run in green red; do
      scripts=; [ "$run" = green ] || scripts=$work/gateway
      # shellcheck disable=SC2086
      /usr/bin/time -f '%U %S' -o "$work/time" "$paycheck" verify $scripts $html >"$work/screen" || [ $? -le 2 ]
      tail -1 "$work/time" | awk '{ print $1 + $2 }' >>"$work/$run-$name"
    done
  done
done
cost() { awk -v without="$(median <"$work/$1-without")" -v with="$(median <"$work/$1-with")" 'BEGIN { printf "%s s without, %s s with it (%+.0f %%)", without, with, (with / without - 1) * 100 }'; }
echo "the page, nothing found   $(cost green) (wanted: under +10 %)"
echo "the page, 1,000 findings  $(cost red), $(wc -c <"$work/page.html") bytes (wanted: under +10 %, under 5 MB); $(tail -1 "$work/screen")"

# Ready = its address is printed and its control API answers.
for _ in $(seq "$runs"); do
  rm -f "$work/out"
  start=$(date +%s%N)
  "$paycheck" emulate --listen 127.0.0.1:0 >"$work/out" & pid=$!
  until grep -q 'http' "$work/out" 2>/dev/null; do :; done
  url=$(grep -o 'http://[0-9.:]*' "$work/out" | head -1)
  curl -sf "$url/__emulator/health" >/dev/null
  echo $((($(date +%s%N) - start) / 1000000)) >>"$work/ready"
  kill "$pid"; wait "$pid" 2>/dev/null || true
done
echo "emulator ready         $(median <"$work/ready") ms, process start and one request included (wanted: under 50 ms)"

rm -f "$work/out"
"$paycheck" emulate --listen 127.0.0.1:0 >"$work/out" & pids+=($!)
until grep -q 'http' "$work/out" 2>/dev/null; do :; done
url=$(grep -o 'http://[0-9.:]*' "$work/out" | head -1)
memory() { awk '/VmRSS/ { print $2 }' "/proc/${pids[0]}/status"; }
cat >"$work/target.yaml" <<YAML
title: emulator in its own process
base: $url
credentials:
  main: { merchant: "100001", secret: bench-secret-main }
  other: { merchant: "200002", secret: bench-secret-other }
notifications: { listen: "127.0.0.1:0", within: 20s }
world: { emulator: "$url" }
YAML
story() { "$paycheck" verify --target "$work/target.yaml" --filter 'notified-and-reads-as-paid / v2.0' --repeat 1000 --jobs 1000 "$@" | tail -1; }
# The first round warms up: pools, connections, the allocator's pages.
story >/dev/null
before=$(memory)
said=$(story --seed 2)
sleep 2
after=$(memory)
echo "1,000 worlds at once   $said; memory $before KB before, $after KB after (wanted: within 20%)"
[ "$red" -eq 0 ]
