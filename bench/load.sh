#!/usr/bin/env bash
# What does the load generator cost, beside oha and wrk asking for the same static page, over TLS too, posting the same
# form, and with a token? Does it scale, stay small, and begin in time? How many whole journeys does it play against
# the emulator?
# Needs nginx, wrk, openssl, GNU time, and oha (cargo install --locked oha). Every answer is parsed, held against its
# contract and the scenario, and measured; oha and wrk only count. Ends with 1 where a figure is not the wanted one.
#   bench/load.sh [seconds per measurement] [rounds] [requests of the long run]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-5} rounds=${2:-5} long=${3:-10000000}
root=$PWD
work=$(mktemp -d)
target=${CARGO_TARGET_DIR:-target}
paycheck=$root/$target/release/paycheck
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

[ -n "${NO_BUILD:-}" ] || cargo build --quiet --release -p harness

page=v2.0/payment/transId/AB12-CD34-EF56.json
mkdir -p "$work/www/v2.0/payment/transId"
cp bench/load/status.json "$work/www/$page"
# A static page: name of the server, port, workers.
static() {
  mkdir -p "$work/$1"
  cat >"$work/$1.conf" <<CONF
worker_processes $3; daemon off; pid $work/$1.pid; error_log $work/error.log;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nodelay on; open_file_cache max=16; keepalive_requests 100000000;
  types { application/json json; }
  client_body_temp_path $work/$1/a; proxy_temp_path $work/$1/b; fastcgi_temp_path $work/$1/c; uwsgi_temp_path $work/$1/d; scgi_temp_path $work/$1/e;
  ssl_certificate $work/certificate.pem; ssl_certificate_key $work/key.pem; ssl_session_cache shared:$1:1m;
  server {
    listen 127.0.0.1:$2 reuseport; root $work/www;
    # Of the page over TLS, of a creation, and of what needs a token, only where the generator is compared.
    ${4:+listen 127.0.0.1:$4 ssl;}
    location = /v1.0/create { default_type application/x-www-form-urlencoded; return 200 "code=0&message=OK&transId=AB12-CD34-EF56&redirect=https%3A%2F%2Fpay.example%2Fa"; }
    location = /pos/auth-api/authenticate { default_type application/json; return 200 '{"token":"e30.e30.e30","expiry":"2099-01-01T00:00:00Z"}'; }
    location = /pos/qr-api/payment/AB12-CD34-EF56 { default_type application/json; return 200 '{"transId":"AB12-CD34-EF56","status":"PENDING","refunds":[]}'; }
  }
}
CONF
  target "$1" "http://127.0.0.1:$2"
  [ -z "${4:-}" ] || { target "$1-tls" "https://127.0.0.1:$4"; printf "certificate: $work/certificate.pem\nhttp: 1\n" >>"$work/$1-tls.yaml"; }
}
target() { # name, base
  cat >"$work/$1.yaml" <<YAML
title: a static page
base: $2
credentials:
  main: { merchant: "100001", secret: bench-no-secret-1, qr-user: qr-100001, qr-password: bench-no-secret-2, mid: M100001, qr-terminal: Q100001 }
YAML
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1 \
  -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=IP:127.0.0.1 -keyout "$work/key.pem" -out "$work/certificate.pem" 2>"$work/openssl"
static page 18081 2 18085; static left 18083 1; static right 18084 1
chmod -R a+rX "$work"
for server in page left right; do nginx -c "$work/$server.conf" -p "$work" & pids+=($!); done
"$paycheck" emulate --listen 127.0.0.1:18082 >/dev/null & pids+=($!)
sleep 1
url=http://127.0.0.1:18081/$page

cat >"$work/emulator.yaml" <<YAML
title: emulator in another process
base: http://127.0.0.1:18082
credentials:
  main: { merchant: "100001", secret: bench-no-secret-1 }
  other: { merchant: "200002", secret: bench-no-secret-2 }
notifications: { listen: 127.0.0.1:0, within: 5s }
world: { emulator: http://127.0.0.1:18082 }
YAML
profile() { # name, kind and what belongs to it
  printf 'title: %s\n%s\nwarm-up: 1s\nconservation: off\nmix: [{ scenario: "%s" }]\n' "$1" "$2" "${3:-$root/bench/load/asked.yaml}" >"$work/$1.yaml"
}
profile closed "kind: constant-users
users: 16
for: $((seconds + 1))s"

# CPU microseconds per request of a command that is followed by its number of requests.
cpu() { awk -v n="$1" 'END { printf "%.2f", ($1 + $2) * 1e6 / n }' "$work/time"; }
timed() { /usr/bin/time -o "$work/time" -f '%U %S' "$@"; }
field() { grep -o "\"$1\": [0-9.]*" "$work/${2:-result}.json" | head -1 | awk '{ print $2 }'; }
best() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == 0 || b < a) ? b : a }'; }
# A figure that is not the wanted one is named at the end: name, number, bound.
missed=()
is_so() { awk -v a="$1" -v b="$3" "BEGIN { exit !(a $2 b) }"; }
at_most() { is_so "$2" "<=" "$3" || missed+=("$1: $2, wanted at most $3"); }
at_least() { is_so "$2" ">=" "$3" || missed+=("$1: $2, wanted at least $3"); }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
load() { "$paycheck" load "$work/$1.yaml" --target "$work/$2.yaml" --json "$work/result.json" >"$work/out" || [ $? = 2 ]; }

ours=0 oha=0 wrk=0
on() { for worker in $(pgrep -P "$1"); do taskset -pac "$2" "$worker" >/dev/null; done; }
on "${pids[0]}" 0
for _ in $(seq "$rounds"); do
  taskset -c 1 "$paycheck" load "$work/closed.yaml" --target "$work/page.yaml" --json "$work/result.json" >/dev/null || [ $? = 2 ]
  ours=$(best "$ours" "$(awk -v c="$(field cpu-seconds)" -v n="$(field requests)" 'BEGIN { printf "%.2f", c * 1e6 / n }')")
  n=$(timed taskset -c 1 oha -z "${seconds}s" -c 16 --no-tui --output-format json "$url" | grep -o '"200": [0-9]*' | awk '{ print $2 }')
  oha=$(best "$oha" "$(cpu "$n")")
  n=$(timed taskset -c 1 wrk -t1 -c16 -d"${seconds}s" "$url" | awk '/requests in/ { print $1 }')
  wrk=$(best "$wrk" "$(cpu "$n")")
done
to_oha=$(ratio "$ours" "$oha") to_wrk=$(ratio "$ours" "$wrk")
echo "CPU per request     paycheck $ours µs, oha $oha µs, wrk $wrk µs: $to_oha of oha (wanted: 0.90), $to_wrk of wrk (wanted: 1.10)"
at_most "plain to oha" "$to_oha" 0.90
at_most "plain to wrk" "$to_wrk" 1.10

# The same over TLS, with a form that is posted, and with a token: what a judged request costs there, beside oha that sends
# the same bytes and counts.
beside() { # what, profile, target, wanted, arguments of oha
  local ours=0 oha=0 n
  for _ in $(seq "$rounds"); do
    taskset -c 1 "$paycheck" load "$work/$2.yaml" --target "$work/$3.yaml" --json "$work/result.json" >/dev/null || [ $? = 2 ]
    # Iterations, of one request each: tokens were asked for during the warm-up.
    n=$(field passed)
    [ "$n" -gt 0 ] && [ "$(field failed)" = 0 ]
    ours=$(best "$ours" "$(awk -v c="$(field cpu-seconds)" -v n="$n" 'BEGIN { printf "%.2f", c * 1e6 / n }')")
    n=$(timed taskset -c 1 oha -z "${seconds}s" -c 16 --no-tui --insecure --output-format json "${@:5}" | grep -o '"200": [0-9]*' | awk '{ print $2 }')
    oha=$(best "$oha" "$(cpu "$n")")
  done
  printf '%-20s%s\n' "$1" "paycheck $ours µs, oha $oha µs: $(ratio "$ours" "$oha") of oha (wanted: $4)"
  at_most "$1" "$(ratio "$ours" "$oha")" "$4"
}
profile created "kind: constant-users
users: 16
for: $((seconds + 1))s" "$root/bench/load/created.yaml"
profile token "kind: constant-users
users: 16
for: $((seconds + 1))s" "$root/bench/load/token.yaml"
beside "TLS" closed page-tls 1.10 "https://127.0.0.1:18085/$page"
form='prepareOnly=true&test=true&country=CZ&price=10000&curr=CZK&label=Beach%20ball&refId=order-1001&method=ALL&email=payer%40example.com&phone=%2B420777123456&fullName=Jan%20Nov%C3%A1k&merchant=100001&secret=bench-no-secret-1'
beside "a form posted" created page 1.15 -m POST -T application/x-www-form-urlencoded -d "$form" http://127.0.0.1:18081/v1.0/create
beside "a token" token page 1.15 -H 'authorization: Bearer e30.e30.e30' http://127.0.0.1:18081/pos/qr-api/payment/AB12-CD34-EF56

# The whole of it, server too, on one core and then on two. What the place gives: two of each, a generator and a
# server of its own on either core, that have nothing to do with each other but for the machine. wrk does the same.
one=0 two=0 wrk_one=0 wrk_two=0 spread=0 apart=0 wrk_apart=0
fastest() { awk -v a="$1" -v b="$2" 'BEGIN { print (b > a) ? b : a }'; }
plus() { awk -v a="$1" -v b="$2" 'BEGIN { print a + b }'; }
played() { # cores, target, more
  taskset -c "$1" "$paycheck" load "$work/closed.yaml" --target "$work/$2.yaml" --json "$work/$2.json" "${@:3}" >/dev/null || [ $? = 2 ]
}
asked() { taskset -c "$1" wrk -t"$2" -c"$3" -d"${seconds}s" "http://127.0.0.1:$4/$page" | awk '/Requests\/sec/ { print $2 }'; }
on "${pids[1]}" 0; on "${pids[2]}" 1
for _ in $(seq "$rounds"); do
  on "${pids[0]}" 0
  played 0 page; one=$(fastest "$one" "$(field rate page)")
  wrk_one=$(fastest "$wrk_one" "$(asked 0 1 16 18081)")
  on "${pids[0]}" 0,1
  played 0,1 page; two=$(fastest "$two" "$(field rate page)")
  spread=$(best "$spread" "$(awk -v c="$(field cpu-seconds page)" -v n="$(field requests page)" 'BEGIN { printf "%.2f", c * 1e6 / n }')")
  wrk_two=$(fastest "$wrk_two" "$(asked 0,1 2 16 18081)")
  played 0 left --shard 1/2 & other=$!
  played 1 right --shard 2/2; wait "$other"
  apart=$(fastest "$apart" "$(plus "$(field rate left)" "$(field rate right)")")
  asked 0 1 8 18083 >"$work/wrk" & other=$!
  wrk_right=$(asked 1 1 8 18084); wait "$other"
  wrk_apart=$(fastest "$wrk_apart" "$(plus "$(cat "$work/wrk")" "$wrk_right")")
done
printf 'two cores for one   %.0f/s for %.0f/s, generator and server together: %s; wrk in the same place %s (wanted: 1.90)\n' \
  "$two" "$one" "$(ratio "$two" "$one")" "$(ratio "$wrk_two" "$wrk_one")"
at_least "two cores for one" "$(ratio "$two" "$one")" 1.90
printf 'the place gives     %s (two generators and two servers, each pair on a core of its own): of that we have %s; wrk %s of %s\n' \
  "$(ratio "$apart" "$one")" "$(ratio "$two" "$apart")" "$(ratio "$wrk_two" "$wrk_apart")" "$(ratio "$wrk_apart" "$wrk_one")"
echo "CPU on two cores    $spread µs per request, $ours µs on one: $(awk -v a="$ours" -v b="$spread" 'BEGIN { printf "%.2f", 2 * a / b }') times the work of one core"

half=$(awk -v r="$two" 'BEGIN { printf "%d", r / 2 }')
profile half "kind: constant-arrival-rate
rate: $half
users: 64
for: $((seconds + 1))s"
load half page
scheduling=$(grep -A8 '"scheduling"' "$work/result.json" | grep '"p99":' | tr -dc '0-9:' | cut -d: -f2)
echo "scheduling error    $scheduling µs at p99 at $half/s, half of the capacity (wanted: below 300)"
at_most "scheduling error in µs" "$scheduling" 299

profile journeys "kind: constant-users
users: 32
for: $((seconds + 1))s" gateway/a-paid-payment-is-notified-and-reads-as-paid
load journeys emulator
lost=$(field lost); passed=$(field passed); measured=$(field seconds)
journeys=$(awk -v n="$passed" -v s="$measured" 'BEGIN { printf "%d", n / s }')
echo "journeys            $journeys/s on two cores, emulator in another process, $lost notifications lost (wanted: 9000/s, 0)"
at_least "journeys a second" "$journeys" 9000
at_most "notifications lost" "$lost" 0

duration=$(awk -v n="$long" -v r="$two" 'BEGIN { printf "%d", n / r + 10 }')
profile long "kind: constant-users
users: 32
for: ${duration}s"
load long page & run=$!
sleep 3; process=$(pgrep -P "$run" -f "load $work/long.yaml" || pgrep -f "load $work/long.yaml" | head -1)
resident() { awk '/VmRSS/ { print $2 }' "/proc/$process/status" 2>/dev/null || true; }
sleep $((duration / 3)); third=$(resident)
sleep $((duration / 2)); later=$(resident)
wait "$run"
peak=$(awk -v b="$(field peak-memory)" 'BEGIN { printf "%d", b / 1048576 }')
echo "long run            $(field requests) requests, $((third / 1024)) MB after a third, $((later / 1024)) MB near the end, at most $peak MB (wanted: below 80, no growth)"
at_most "memory in MB" "$peak" 79
[ ${#missed[@]} = 0 ] || { printf 'not as wanted       %s\n' "${missed[@]}"; exit 1; }
