#!/usr/bin/env bash
# How long does it take to verify one day with 100,000 transferred payments, and how much memory? One process, emulator
# included: the payments are made and paid out; list, detail, CSV and ABO (in an envelope and as a file) and both ZIP
# files are read, and every row is judged. The scenario is that of the ordinary run, with more payments.
# Whole processes, timed from outside; the median of the runs is printed.
#   bench/statements.sh [payments] [runs]
set -euo pipefail
cd "$(dirname "$0")/.."
payments=${1:-100000} runs=${2:-9}
target=${CARGO_TARGET_DIR:-target}
paycheck=$target/release/paycheck
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cargo build --quiet --release --locked --bin paycheck

# A CSV file and an ABO file of type v2 have a row of sums more; one of type v1 has a fee for each payment.
mkdir "$work/transfers"
sed -e "s/\b2000\b/$payments/" -e "s/\b2001\b/$((payments + 1))/" -e "s/\b4000\b/$((payments * 2))/" \
  scenarios/transfers/a-day-of-many-payments.yaml >"$work/transfers/a-day-of-many-payments.yaml"

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for _ in $(seq "$runs"); do
  /usr/bin/time -f '%e %M %U %S' -o "$work/time" "$paycheck" verify "$work/transfers" >"$work/out" || { cat "$work/out"; exit 1; }
  tail -1 "$work/time" >>"$work/times"
done
echo "a day of $payments payments  $(cut -d' ' -f1 "$work/times" | median) s wall, $(cut -d' ' -f2 "$work/times" | median) KB at most," \
  "$(cut -d' ' -f3 "$work/times" | median) s of one core (wanted for 100,000 on two cores: 3 s, 300000 KB)"
