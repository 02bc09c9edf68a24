#!/bin/sh
# One load from several hosts, over ssh: each plays one part, all begin together, and what they measured is merged here. The hosts
# have paycheck, the secrets that the target file names, and clocks that agree.
#   deploy/ssh/load.sh PROFILE TARGET HOST HOST…
#   LEAD=60            seconds until all begin: each host gets ready meanwhile
#   RESULTS=folder     where results go; default results-TIME
#   PAYCHECK=paycheck  the program, here and there
#   SSH=ssh            what is called with a host and a command
# The exit code is that of the merge, or of a part where there is nothing to merge.
set -eu
[ $# -ge 3 ] || { echo "usage: $0 PROFILE TARGET HOST..." >&2; exit 3; }
profile=$1 target=$2
shift 2
for file in "$profile" "$target"; do [ -r "$file" ] || { echo "$file can't be read" >&2; exit 3; }; done
paycheck=${PAYCHECK:-paycheck}
at=$(date -u -d "+${LEAD:-60} seconds" +%Y%m%dT%H%M%SZ)
results=${RESULTS:-results-$at}
mkdir -p "$results"
if ls "$results"/part-*.json >/dev/null 2>&1; then echo "$results holds results already" >&2; exit 3; fi

# Both files travel by standard input, so that no two parts meet on one host, and the result comes back by standard output. A part
# that was stopped before its end has left what it measured until then.
there='set -u; folder=$(mktemp -d) && cd "$folder" && tar -xf - || exit 70
"$1" load profile.yaml --target target.yaml --shard "$2" --start-at "$3" --json result.json >&2
code=$?
[ -e result.json ] || for left in result.json*.partial; do [ ! -e "$left" ] || mv "$left" result.json; done
[ ! -e result.json ] || cat result.json
cd / && rm -rf "$folder"; exit $code'

sent=$(mktemp -d)
trap 'rm -rf "$sent"' EXIT
cp "$profile" "$sent/profile.yaml" && cp "$target" "$sent/target.yaml"
# A word as a shell reads it.
quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }
number=0 players=''
for host; do
  number=$((number + 1))
  command="sh -c $(quoted "$there") sh $(quoted "$paycheck") $number/$# $at"
  tar -cf - -C "$sent" profile.yaml target.yaml |
    ${SSH:-ssh} "$host" "$command" >"$results/part-$number.json" 2>"$results/part-$number.log" &
  players="$players $!"
done

number=0 ended=0
for player in $players; do
  number=$((number + 1)) code=0
  wait "$player" || code=$?
  [ -s "$results/part-$number.json" ] && continue
  rm -f "$results/part-$number.json"
  [ "$ended" -ne 0 ] || ended=$code
  echo "part $number has no result (exit code $code):" >&2
  tail -n 3 "$results/part-$number.log" >&2
done
if ! ls "$results"/part-*.json >/dev/null 2>&1; then exit "$ended"; fi
"$paycheck" load merge "$results"/part-*.json --json "$results/result.json" --html "$results/report.html"
