#!/usr/bin/env bash
# Do the freedoms of the documents blunt the checks? Mutation scores of runs against emulators that use them by chance, and of a run
# against a shop without a control API that the harness could reach, whose payer, card holder, bank and operator are requests.
# What the contracts assume does not count at such targets, and `mutate` takes it for forbidden all the same: the scores are below
# that of the embedded emulator, and are to be held against those of an earlier commit. Red only if a target is flagged.
#   bench/mutate.sh [combinations] [first seed] [part of the names of the cases]
set -euo pipefail
cd "$(dirname "$0")/.."
count=${1:-3} first=${2:-1} filter=${3:-}
paycheck=${PAYCHECK:-${CARGO_TARGET_DIR:-target}/release/paycheck}
inbox=127.0.0.1:${INBOX_PORT:-19085}
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT

[ -n "${PAYCHECK:-}" ] || cargo build --quiet --release --locked --bin paycheck

some=()
if [ -n "$filter" ]; then some=(--filter "$filter"); fi

# An emulator with a target file; what is not asserted against a live target is not asserted here.
emulates() {
  rm -f "$work/out" "$work/target.yaml"
  "$paycheck" emulate --listen 127.0.0.1:0 --target-file "$work/target.yaml" "$@" >"$work/out" & pid=$!
  until [ -s "$work/target.yaml" ] && grep -q 'http' "$work/out" 2>/dev/null; do sleep 0.05; done
  url=$(grep -o 'http://[0-9.:]*' "$work/out" | head -1)
}

# Everything outside of the APIs but faults and the clock, by the back door of the shop, each action for itself.
drivers() {
  sed -e '/^# Everything outside/,/^  emulator:/d' -e "s|^  listen: .*|  listen: $inbox|" "$work/target.yaml"
  printf 'world:\n  http:\n'
  "$paycheck" contracts --actions | grep -v -e '(a fault)' -e '^clock\.' -e '^ ' | cut -d' ' -f1 | while read -r action; do
    printf '    %s: { url: "%s/__emulator/worlds/default/actions/%s", json: "{{ parameters }}" }\n' "$action" "$url" "$action"
  done
}

red=0
score() {
  local name=$1 code=0
  # Exit code 2 says that something was left out; a finding is 1, and then the recording is of no use.
  "$paycheck" verify --target "$work/target.yaml" --allow-skipped --tape "$work/run.tape" "${some[@]}" >"$work/verdict" 2>&1 || code=$?
  if [ "$code" -ne 0 ] && [ "$code" -ne 2 ]; then
    red=$((red + 1))
    printf '%-22s flagged\n' "$name"; cat "$work/verdict"
  else
    "$paycheck" mutate --tape "$work/run.tape" >"$work/mutants" 2>&1 || true
    printf '%-22s %s\n' "$name" "$(grep 'would have turned' "$work/mutants" | tail -1)"
    # Per operation: a check that has grown blind shows where.
    { grep 'not noticed' "$work/mutants" || true; } | awk '{ print $2 }' | sort | uniq -c | sort -rn | head -12
  fi
  kill "$pid"; wait "$pid" 2>/dev/null || true
  pid=
}

for seed in $(seq "$first" $((first + count - 1))); do
  emulates --freedoms "random:$seed"
  sed -i 's/^assert-assumed:.*//' "$work/target.yaml"
  score "random:$seed"
done

emulates --notify "http://$inbox/push"
drivers >"$work/live.yaml"
mv "$work/live.yaml" "$work/target.yaml"
score 'no control API'
[ "$red" -eq 0 ]
