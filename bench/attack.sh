#!/usr/bin/env bash
# Do the guarantees of docs/guarantees.md hold for real processes? Kills, signals, full disks, devices, silent and dying
# targets, idle connections and foreign pages, each as often as asked for; one table.
#   bench/attack.sh [rounds [attack]]          PAYCHECK=path/to/paycheck names another binary
set -uo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-200} only=${2:-}
paycheck=${PAYCHECK:-${CARGO_TARGET_DIR:-target}/debug/paycheck}
[ -n "${PAYCHECK:-}" ] || cargo build --quiet --locked --bin paycheck || exit 70
paycheck=$(realpath "$paycheck")
work=$(mktemp -d)
child='' emulator='' notified=''
trap 'kill -9 $child $emulator $notified 2>/dev/null; rm -rf "$work"' EXIT
export NO_COLOR=1
peak=0

# Starts a command in the background; its memory is watched until it ends.
start() { "$paycheck" "$@" >"$work/out" 2>"$work/err" </dev/null & child=$!; }
watch() {
  local now
  while kill -0 "$child" 2>/dev/null; do
    now=$(awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$child/status" 2>/dev/null) || true
    [ "${now:-0}" -gt "$peak" ] && peak=$now
    sleep 0.02
  done
  wait "$child"
}
some_time() { sleep "$((RANDOM % 3)).$((RANDOM % 10))$((RANDOM % 10))$((RANDOM % 10))"; }
before() { local name; for name in junit.xml events.ndjson run.tape result.json page.html; do echo 'the report of yesterday' >"$work/$name"; done; rm -f "$work"/*.partial; }

# All commands that write, with all that they write. What is notified has no endpoint for it: it responds, and that is enough.
commands=(
  "verify -f gateway --junit junit.xml --events events.ndjson --tape run.tape"
  "mutate -f refund --junit junit.xml --json result.json"
  "compare emulator emulator -f refund --junit junit.xml --json result.json"
  "load $PWD/bench/attack-load.yaml --json result.json --html page.html"
  "coverage --run --target notified.yaml --junit junit.xml --html page.html"
  "explore --sequences 50 --junit junit.xml --html page.html"
  "fuzz --requests 50 --junit junit.xml --html page.html"
  "notify NOTIFIED --junit junit.xml --html page.html --events events.ndjson"
  "load notification NOTIFIED --rate 50 --for 2s --json result.json --html page.html"
)
"$paycheck" emulate --listen 127.0.0.1:0 >"$work/notified" 2>&1 & notified=$!
until grep -qs '^emulator on' "$work/notified"; do sleep 0.02; done
base=$(awk 'NR == 1 { print $3 }' "$work/notified")
commands=("${commands[@]//NOTIFIED/$base}")
describe() { printf 'title: attacked\nbase: %s\ntimeout: 300ms\ncredentials: { main: { merchant: "100001", secret: secret-100001 } }\n' "${base%/}"; }
describe >"$work/notified.yaml"
start_one() {
  local words
  read -ra words <<<"${commands[$1 % ${#commands[@]}]}"
  cd "$work" && start "${words[@]}"
  cd - >/dev/null
}

# Every report is the one of yesterday, or whole; every line of a stream but the last is whole, and so is the result so far of a load.
intact() {
  local name
  for name in junit.xml events.ndjson run.tape result.json page.html; do
    grep -qx 'the report of yesterday' "$work/$name" && continue
    case $name in
      junit.xml) tail -c 20 "$work/$name" | grep -q '</testsuites>' || return 1 ;;
      page.html) tail -c 20 "$work/$name" | grep -q '</html>' || return 1 ;;
      *) tail -c 3 "$work/$name" | grep -q '}' || return 1 ;;
    esac
  done
  for name in "$work"/*.partial; do
    [ -s "$name" ] || continue
    case $name in
      *result.json.*) tail -c 3 "$name" | grep -q '}' && continue; return 1 ;;
    esac
    sed '$d' "$name" | grep -vq '^{.*}$' && return 1
  done
  return 0
}

killed() { before; start_one "$1"; some_time; kill -9 "$child" 2>/dev/null; watch 2>/dev/null; intact; }

# Interrupted, or over before the signal; 129 to 143 is a process that had not begun yet, and so had said nothing.
is_documented() {
  case $1 in 130|0|1|2) true ;; 129|143) [ ! -s "$work/out" ] && [ ! -s "$work/err" ] ;; *) false ;; esac
}

signalled() {
  local signals=(INT TERM HUP) sent code
  before; start_one "$1"; some_time
  kill "-${signals[$1 % 3]}" "$child" 2>/dev/null
  sent=$SECONDS; watch; code=$?
  [ $((SECONDS - sent)) -le 6 ] && intact && is_documented "$code"
}

signalled_twice() {
  local code
  before; start_one "$1"; some_time
  kill -TERM "$child" 2>/dev/null; kill -TERM "$child" 2>/dev/null
  watch; code=$?
  intact && is_documented "$code"
}

disk_full() {
  before
  (cd "$work" && trap '' XFSZ && ulimit -f 64 && exec "$paycheck" verify -f refund --jobs 4 --all-exchanges --junit junit.xml --events events.ndjson --tape run.tape) \
    >"$work/out" 2>"$work/err" </dev/null & child=$!
  watch; [ $? -eq 70 ] && grep -q 'cannot be written' "$work/err" && intact
}

device() {
  rm -f "$work/null"; mknod "$work/null" c 1 3 2>/dev/null || mkfifo "$work/null"
  cat "$work/null" >/dev/null 2>&1 & local reader=$!
  before; cd "$work" && start verify -f a-creation --junit null; cd - >/dev/null
  watch; kill "$reader" 2>/dev/null
  [ -c "$work/null" ] || [ -p "$work/null" ]
}

# An emulator on its own, and a target file that leads to it.
emulate() {
  rm -f "$work/emulator"
  "$paycheck" emulate --listen 127.0.0.1:0 >"$work/emulator" 2>&1 & emulator=$!
  until grep -qs '^emulator on' "$work/emulator"; do sleep 0.02; done
  base=$(awk 'NR == 1 { print $3 }' "$work/emulator"); base=${base%/}
  describe >"$work/target.yaml"
}
demolish() { kill -9 "$emulator" 2>/dev/null; wait "$emulator" 2>/dev/null; emulator=''; }

silent() {
  emulate; kill -STOP "$emulator"
  start verify --target "$work/target.yaml" -f gateway; watch; local code=$?
  demolish; [ "$code" -eq 4 ]
}

dying() {
  emulate
  start verify --target "$work/target.yaml" --jobs 2 --no-preflight -f gateway; some_time
  # On a fast machine it may be over before its target dies.
  kill -0 "$child" 2>/dev/null || { demolish; return 0; }
  demolish
  watch; [ $? -eq 4 ]
}

# Sends a request as given, and prints the status of the response.
asked() {
  local address=${base#http://} line=''
  exec 9<>"/dev/tcp/${address%:*}/${address#*:}" || return 1
  printf '%b' "$1" >&9; read -r -t 5 line <&9; exec 9>&-
  echo "${line:9:3}"
}

foreign() {
  emulate
  local path=/__emulator/worlds statuses
  statuses=$(
    asked "GET $path/default HTTP/1.1\r\nHost: rebound.example\r\n\r\n"
    asked "POST $path HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nContent-Length: 0\r\n\r\n"
    asked "POST $path HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"
    asked "GET $path/default HTTP/1.1\r\nHost: localhost\r\n\r\n"
  )
  demolish; [ "$(echo $statuses)" = '403 403 415 200' ]
}

idle() {
  emulate
  local address=${base#http://} fd fds=()
  for _ in $(seq 200); do exec {fd}<>"/dev/tcp/${address%:*}/${address#*:}" && fds+=("$fd") && printf 'GET / HTTP' >&"$fd"; done
  local status; status=$(asked 'GET /__emulator/health HTTP/1.1\r\nHost: localhost\r\n\r\n')
  for fd in "${fds[@]}"; do exec {fd}>&-; done
  demolish; [ "$status" = 200 ]
}

red=0
printf '%-28s %8s %10s %10s %10s\n' attack tried survived 'peak MB' seconds
play() {
  local name=$1 times=$2 survived=0 began=$SECONDS round
  [ -z "$only" ] || [ "$name" = "$only" ] || return 0
  peak=0
  for round in $(seq "$times"); do
    if "$3" "$round"; then survived=$((survived + 1)); fi
  done
  [ "$survived" -eq "$times" ] || red=1
  printf '%-28s %8s %10s %10s %10s\n' "$name" "$times" "$survived" "$peak" $((SECONDS - began))
}
few=$(((rounds + 19) / 20))
play 'kill -9' "$rounds" killed
play 'a signal' "$rounds" signalled
play 'two signals' "$rounds" signalled_twice
play 'a full disk' "$few" disk_full
play 'a device as an output' "$few" device
play 'a silent target' "$few" silent
play 'a dying target' "$few" dying
play 'pages of other servers' "$few" foreign
play '200 idle connections' "$few" idle
exit "$red"
