#!/usr/bin/env bash
# Do the guarantees of docs/guarantees.md hold for real processes? Kills, signals, full disks, devices, unreachable, silent and
# dying targets, escapes, floods, idle connections and foreign pages; one table.
#   bench/attack.sh [rounds [attack]]          rounds: kills and signals of each command (200)
#   bench/attack.sh short                      one kill of a few commands, and the cheap attacks, in half a minute
# PAYCHECK=path/to/paycheck names another binary.
set -uo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-200} only=${2:-} short=''
[ "$rounds" != short ] || { rounds=1 short=yes; }
paycheck=${PAYCHECK:-${CARGO_TARGET_DIR:-target}/debug/paycheck}
[ -n "${PAYCHECK:-}" ] || cargo build --quiet --locked --bin paycheck || exit 70
paycheck=$(realpath "$paycheck")
work=$(mktemp -d)
child='' emulator='' notified='' peer=''
trap 'kill -9 $child $emulator $notified $peer 2>/dev/null; rm -rf "$work"' EXIT
export NO_COLOR=1
peak=0 emulator_peak=0
# The most memory that a process has had, in MB; nothing once it is gone.
high() { awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$1/status" 2>/dev/null; }

# Starts a command in the background; its memory is watched until it ends.
start() { "$paycheck" "$@" >"$work/out" 2>"$work/err" </dev/null & child=$!; }
watch() {
  local now
  while kill -0 "$child" 2>/dev/null; do
    now=$(high "$child") || true
    [ "${now:-0}" -gt "$peak" ] && peak=$now
    sleep 0.02
  done
  wait "$child"
}
# How long each command takes by itself, measured once: an attack comes at a moment within that.
lengths=()
length() {
  local began
  # An emulator does not end by itself.
  case ${commands[$1]} in emulate*) lengths[$1]=500 ;; esac
  if [ -z "${lengths[$1]:-}" ]; then
    before; began=$(date +%s%N); start_one "$1"; watch
    lengths[$1]=$((($(date +%s%N) - began) / 1000000))
  fi
}
# Starts a command and waits until a random moment of it; again and earlier, if it was over by then: a machine that was busy when
# the command was timed may not be so now.
strike_at() {
  local index=$(($1 % ${#commands[@]})) try moment
  length "$index"
  for try in 1 2 3 4 5 6 7 8; do
    before; start_one "$index"
    moment=$(((RANDOM * 32768 + RANDOM) % (lengths[index] / try + 1)))
    sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
    lives && return 0
    watch 2>/dev/null
  done
  missed=$((missed + 1))
  return 1
}
lives() { local state; state=$(awk '/^State/ { print $2 }' "/proc/$child/status" 2>/dev/null); [ -n "$state" ] && [ "$state" != Z ]; }
missed=0
some_time() { sleep "$((RANDOM % 3)).$((RANDOM % 10))$((RANDOM % 10))$((RANDOM % 10))"; }
outputs=(junit.xml events.ndjson run.tape result.json page.html k6.json ctrf.json run.sarif run.har run.hlog cert.pem code.svg)
before() { local name; for name in "${outputs[@]}"; do echo 'the report of yesterday' >"$work/$name"; done; rm -f "$work"/*.partial; }

# All commands that write, with all that they write. What is notified has no endpoint for it: it responds, and that is enough.
commands=(
  "verify -f gateway --junit junit.xml --events events.ndjson --tape run.tape --ctrf ctrf.json --sarif run.sarif --har run.har"
  "mutate -f refund --junit junit.xml --json result.json"
  "compare emulator emulator -f refund --junit junit.xml --json result.json"
  "load $PWD/bench/attack-load.yaml --json result.json --html page.html --hlog run.hlog --k6-summary k6.json"
  "coverage --run --target notified.yaml --junit junit.xml --html page.html"
  "explore --sequences 50 --junit junit.xml --html page.html"
  "fuzz --requests 50 --junit junit.xml --html page.html"
  "notify NOTIFIED --junit junit.xml --html page.html --events events.ndjson"
  "load notification NOTIFIED --rate 50 --for 2s --json result.json --html page.html"
  "load merge earlier.json --json result.json --html page.html --k6-summary k6.json"
  "emulate --listen 127.0.0.1:0 --tls cert.pem"
  "qr SPD*1.0*ACC:CZ5508000000001234567899*AM:1.00*CC:CZK --svg code.svg"
)
"$paycheck" emulate --listen 127.0.0.1:0 >"$work/notified" 2>&1 & notified=$!
until grep -qs '^emulator on' "$work/notified"; do sleep 0.02; done
base=$(awk 'NR == 1 { print $3 }' "$work/notified")
commands=("${commands[@]//NOTIFIED/$base}")
describe() { printf 'title: attacked\nbase: %s\ntimeout: 300ms\ncredentials: { main: { merchant: "100001", secret: secret-100001 } }\n' "${base%/}"; }
describe >"$work/notified.yaml"
"$paycheck" load bench/attack-load.yaml --for 200ms --json "$work/earlier.json" >/dev/null 2>&1
# Each command is attacked equally often: a round takes the next one.
[ -z "$short" ] || commands=("${commands[0]/gateway/a-creation}" "${commands[3]}" "${commands[7]}")
start_one() {
  local words
  read -ra words <<<"${commands[$1 % ${#commands[@]}]}"
  cd "$work" && start "${words[@]}"
  cd - >/dev/null
}

# Whether a report is whole.
whole() {
  case $1 in
    junit.xml) tail -c 20 "$work/$1" | grep -q '</testsuites>' ;;
    page.html) tail -c 20 "$work/$1" | grep -q '</html>' ;;
    cert.pem) tail -n 1 "$work/$1" | grep -q 'END CERTIFICATE' ;;
    code.svg) tail -c 20 "$work/$1" | grep -q '</svg>' ;;
    run.hlog) head -n 1 "$work/$1" | grep -q '^#' ;;
    *) tail -c 3 "$work/$1" | grep -q '}' ;;
  esac
}
# Whether what a run had written of a stream, or its result so far, can be read up to its last line.
readable() {
  case $1 in
    *result.json.*) tail -c 3 "$1" | grep -q '}' ;;
    # An interval log has lines of its own kind; a HAR file is one value, whole when it is renamed and not before.
    *run.hlog.*|*run.har.*) true ;;
    *) ! sed '$d' "$1" | grep -avq '^{.*}$' ;;
  esac
}
# Every report is the one of yesterday, or whole; every line of a stream but the last is whole, and so is the result so far of a load.
spoiled=''
intact() {
  local name
  for name in "${outputs[@]}"; do
    grep -qx 'the report of yesterday' "$work/$name" || whole "$name" || { spoiled="$name: $(tail -c 80 "$work/$name" | tr -c '[:print:]' ' ')"; return 1; }
  done
  for name in "$work"/*.partial; do
    [ ! -s "$name" ] || readable "$name" || { spoiled="$name: $(sed '$d' "$name" | grep -av '^{.*}$' | head -c 80 | tr -c '[:print:]' ' ')"; return 1; }
  done
}

killed() { strike_at "$1" || return 1; kill -9 "$child" 2>/dev/null; watch 2>/dev/null; intact; }

# Interrupted, or over just before the signal; 129 to 143 is a process that had not begun yet, and so had said nothing.
is_documented() {
  case $1 in 130|0|1|2) true ;; 129|143) [ ! -s "$work/out" ] && [ ! -s "$work/err" ] ;; *) false ;; esac
}

signalled() {
  local signals=(INT TERM HUP) sent code
  strike_at "$1" || return 1
  kill "-${signals[$1 / ${#commands[@]} % 3]}" "$child" 2>/dev/null
  sent=$SECONDS; watch; code=$?
  [ $((SECONDS - sent)) -le 6 ] && intact && is_documented "$code"
}

signalled_twice() {
  local code
  strike_at "$1" || return 1
  kill -TERM "$child" 2>/dev/null; kill -INT "$child" 2>/dev/null
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
demolish() {
  local now; now=$(high "$emulator") || true
  [ "${now:-0}" -le "$emulator_peak" ] || emulator_peak=$now
  kill -9 "$emulator" 2>/dev/null; wait "$emulator" 2>/dev/null; emulator=''
}

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

# Unreachable targets: refused, a name that no server has, a port that never speaks TLS, a queue that is full.
python=$(command -v python3 || true)
# The file of an earlier server must not be taken for this one's.
server() { rm -f "$work/server"; "$python" bench/attack_server.py "$@" >"$work/server" 2>&1 & peer=$!; until grep -qs '^at ' "$work/server"; do sleep 0.02; done; base=$(awk '{ print $2; exit }' "$work/server"); describe >"$work/target.yaml"; }
gone() { kill -9 "$peer" 2>/dev/null; wait "$peer" 2>/dev/null; peer=''; }
verifies() { start verify --target "$work/target.yaml" --no-preflight -f "${1:-a-creation}"; watch; }
loads() { start load "$PWD/bench/attack-load.yaml" --target "$work/target.yaml"; watch; }
unreachable() {
  local code
  base=http://127.0.0.1:1; describe >"$work/target.yaml"
  verifies; [ $? -eq 4 ] || return 1
  loads; [ $? -eq 4 ] || return 1
  base=http://no-such-host.invalid; describe >"$work/target.yaml"
  verifies; [ $? -eq 4 ] || return 1
  server mute; base=${base/http:/https:}; describe >"$work/target.yaml"
  verifies; code=$?; loads; code=$code$?; gone; [ "$code" = 44 ] || return 1
  server full; verifies; code=$?; loads; code=$code$?; gone; [ "$code" = 44 ]
}

# No control character but the end of a line comes out of a target that sends them.
escapes() {
  server escapes; verifies; local code=$?; gone
  [ "$code" -le 2 ] && ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$work/out" "$work/err"
}

# A live target gets no payment that is not a test, whatever a script says.
guard() {
  server conforming; local proxy=$base
  base=http://shop.invalid; describe >"$work/target.yaml"
  mkdir -p "$work/gateway"
  printf 'title: T\nclauses: [gateway.versions]\nsteps:\n  - call: gateway.v2.create\n    body: %s\n' "'{\"price\": 1}'" >"$work/gateway/live.yaml"
  # Whatever were sent would be heard by the proxy.
  HTTP_PROXY=$proxy http_proxy=$proxy NO_PROXY='' no_proxy='' start verify "$work/gateway/live.yaml" --no-preflight --target "$work/target.yaml"
  watch; local code=$?
  gone; [ "$code" -ge 1 ] && ! grep -q '^heard' "$work/server"
}

# What goes to another machine takes the proxy that the environment names, and nothing else.
proxied() {
  server conforming; local proxy=$base
  base=http://shop.invalid
  # The proxy is to be used, not hurried: it shares the machine.
  describe | sed 's/300ms/10s/' >"$work/target.yaml"
  HTTP_PROXY=$proxy http_proxy=$proxy NO_PROXY='' no_proxy='' verifies; local code=$?
  gone; [ "$code" -le 2 ] && grep -q '^heard' "$work/server" && grep -q 'go through the proxy' "$work/err"
}

# A response that breaks a rule in each of very many items.
violations() { server violations; verifies; local code=$?; gone; [ "$code" -le 2 ] && [ "$peak" -lt 512 ]; }

# Notifications that no case knows, as large as they may be and larger, while a run waits.
inbox_flood() {
  server mute
  printf 'notifications: { listen: "127.0.0.1:0", within: 5s }\n' >>"$work/target.yaml"
  local port; port=$("$python" bench/attack_server.py port)
  sed -i "s/127.0.0.1:0/127.0.0.1:$port/; s/timeout: .*/timeout: 8s/" "$work/target.yaml"
  start verify --target "$work/target.yaml" --no-preflight -f a-creation
  "$python" bench/attack_server.py push "$port" 400; local pushed=$?
  watch; local code=$?; gone; [ "$pushed" -eq 0 ] && [ "$code" -le 4 ] && [ "$peak" -lt 512 ]
}

# Ten thousand connections that begin a request and stall: the health call responds.
ten_thousand() {
  [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 10500 ] || { echo 'too few descriptors for 10,000 connections' >&2; return 1; }
  ulimit -n 10500 2>/dev/null
  emulate; "$python" bench/attack_server.py idle "$base" 10000; local code=$?
  demolish; [ "$code" -eq 0 ] && [ "$emulator_peak" -lt 512 ]
}

# More connections than descriptors: it serves again when they are closed.
descriptors() {
  rm -f "$work/emulator"
  (ulimit -n 64; exec "$paycheck" emulate --listen 127.0.0.1:0) >"$work/emulator" 2>&1 & emulator=$!
  until grep -qs '^emulator on' "$work/emulator"; do sleep 0.02; done
  base=$(awk '/^emulator on/ { print $3 }' "$work/emulator"); base=${base%/}
  "$python" bench/attack_server.py exhaust "$base" 200; local code=$?
  demolish; return "$code"
}

# Worlds without end, and very many payments of one world: both have a limit, or a size that docs/guarantees.md states.
worlds() { emulate; "$python" bench/attack_server.py worlds "$base" 100000; local code=$?; demolish; [ "$code" -eq 0 ] && [ "$emulator_peak" -lt 1024 ]; }
payments() { emulate; "$python" bench/attack_server.py payments "$base" 1000000; local code=$?; demolish; [ "$code" -eq 0 ] && [ "$emulator_peak" -lt 1024 ]; }

red=0
printf '%-28s %8s %10s %10s %12s %10s\n' attack tried survived 'peak MB' 'emulator MB' seconds
stop=''
# An attack of an hour may be ended: what was tried until then counts.
trap 'stop=yes' INT TERM
play() {
  local name=$1 times=$2 tried=0 survived=0 began=$SECONDS
  [ -z "$only" ] || [ "$name" = "$only" ] || return 0
  peak=0 emulator_peak=0
  while [ "$tried" -lt "$times" ] && [ -z "$stop" ]; do
    spoiled=''
    if "$3" "$tried"; then survived=$((survived + 1)); else echo "$name, attempt $tried${spoiled:+: $spoiled}" >&2; fi
    tried=$((tried + 1))
    [ ! -t 2 ] || printf '\r%s: %s of %s ' "$name" "$tried" "$times" >&2
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
  [ "$survived" -eq "$tried" ] || red=1
  printf '%-28s %8s %10s %10s %12s %10s\n' "$name" "$tried" "$survived" "$peak" "$emulator_peak" $((SECONDS - began))
}
each=$((rounds * ${#commands[@]}))
few=$(((rounds + 19) / 20))
play 'kill -9' "$each" killed
play 'a signal' "$each" signalled
play 'pages of other servers' "$few" foreign
play '200 idle connections' "$few" idle
play 'descriptors exhausted' "$few" descriptors
play 'escapes' "$few" escapes
play 'production guard' "$few" guard
play 'a proxy' "$few" proxied
if [ -z "$short" ]; then
  play 'two signals' "$each" signalled_twice
  play 'a full disk' "$few" disk_full
  play 'a device as an output' "$few" device
  play 'unreachable targets' "$few" unreachable
  play 'a silent target' "$few" silent
  play 'a dying target' "$few" dying
  play 'a million violations' 1 violations
  play 'a flood of notifications' 1 inbox_flood
  play '10,000 idle connections' 1 ten_thousand
  play '100,000 worlds' 1 worlds
  play 'a million payments' 1 payments
fi
[ "$missed" -eq 0 ] || echo "$missed times a command was over before the attack, eight times in a row"
[ -z "$stop" ] || { echo 'ended early'; exit 130; }
exit "$red"
