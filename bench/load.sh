#!/usr/bin/env bash
# What does the load generator cost, beside oha and wrk asking for the same static page? Does it scale, stay
# small, and begin in time? How many whole journeys does it play against the emulator?
# Needs nginx, wrk, GNU time, and oha (cargo install --locked oha). Every answer is parsed, held against its
# contract and the scenario, and measured; oha and wrk only count.
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
cat >"$work/nginx.conf" <<CONF
worker_processes 2; daemon off; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nodelay on; open_file_cache max=16; keepalive_requests 100000000;
  types { application/json json; }
  client_body_temp_path $work/a; proxy_temp_path $work/b; fastcgi_temp_path $work/c; uwsgi_temp_path $work/d; scgi_temp_path $work/e;
  server { listen 127.0.0.1:18081 reuseport; root $work/www; }
}
CONF
chmod -R a+rX "$work"
nginx -c "$work/nginx.conf" -p "$work" & pids+=($!)
"$paycheck" emulate --listen 127.0.0.1:18082 >/dev/null & pids+=($!)
sleep 1
url=http://127.0.0.1:18081/$page

cat >"$work/page.yaml" <<YAML
title: a static page
base: http://127.0.0.1:18081
credentials: { main: { merchant: "100001", secret: bench-no-secret-1 } }
YAML
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
field() { grep -o "\"$1\": [0-9.]*" "$work/result.json" | head -1 | awk '{ print $2 }'; }
best() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == 0 || b < a) ? b : a }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
load() { "$paycheck" load "$work/$1.yaml" --target "$work/$2.yaml" --json "$work/result.json" >"$work/out" || [ $? = 2 ]; }

ours=0 oha=0 wrk=0
taskset -pac 0 "${pids[0]}" >/dev/null; for worker in $(pgrep -P "${pids[0]}"); do taskset -pac 0 "$worker" >/dev/null; done
for _ in $(seq "$rounds"); do
  taskset -c 1 "$paycheck" load "$work/closed.yaml" --target "$work/page.yaml" --json "$work/result.json" >/dev/null || [ $? = 2 ]
  ours=$(best "$ours" "$(awk -v c="$(field cpu-seconds)" -v n="$(field requests)" 'BEGIN { printf "%.2f", c * 1e6 / n }')")
  n=$(timed taskset -c 1 oha -z "${seconds}s" -c 16 --no-tui --output-format json "$url" | grep -o '"200": [0-9]*' | awk '{ print $2 }')
  oha=$(best "$oha" "$(cpu "$n")")
  n=$(timed taskset -c 1 wrk -t1 -c16 -d"${seconds}s" "$url" | awk '/requests in/ { print $1 }')
  wrk=$(best "$wrk" "$(cpu "$n")")
done
echo "CPU per request     paycheck $ours µs, oha $oha µs, wrk $wrk µs: $(ratio "$ours" "$oha") of oha (wanted: 1.15, aim: 1.00)"

# The whole of it, server too, on one core and then on two; wrk in the same place shows what the place gives.
one=0 two=0 wrk_one=0 wrk_two=0 spread=0
fastest() { awk -v a="$1" -v b="$2" 'BEGIN { print (b > a) ? b : a }'; }
server_on() { for worker in $(pgrep -P "${pids[0]}"); do taskset -pac "$1" "$worker" >/dev/null; done; }
asked() { taskset -c "$1" wrk -t"$2" -c16 -d"${seconds}s" "$url" | awk '/Requests\/sec/ { print $2 }'; }
for _ in $(seq "$rounds"); do
  server_on 0
  taskset -c 0 "$paycheck" load "$work/closed.yaml" --target "$work/page.yaml" --json "$work/result.json" >/dev/null || [ $? = 2 ]
  one=$(fastest "$one" "$(field rate)")
  wrk_one=$(fastest "$wrk_one" "$(asked 0 1)")
  server_on 0,1
  taskset -c 0,1 "$paycheck" load "$work/closed.yaml" --target "$work/page.yaml" --json "$work/result.json" >/dev/null || [ $? = 2 ]
  two=$(fastest "$two" "$(field rate)")
  spread=$(best "$spread" "$(awk -v c="$(field cpu-seconds)" -v n="$(field requests)" 'BEGIN { printf "%.2f", c * 1e6 / n }')")
  wrk_two=$(fastest "$wrk_two" "$(asked 0,1 2)")
done
printf 'two cores for one   %.0f/s for %.0f/s, generator and server together: %s; wrk in the same place %s (wanted: 1.8)\n' \
  "$two" "$one" "$(ratio "$two" "$one")" "$(ratio "$wrk_two" "$wrk_one")"
echo "CPU on two cores    $spread µs per request, $ours µs on one: $(awk -v a="$ours" -v b="$spread" 'BEGIN { printf "%.2f", 2 * a / b }') times the work of one core"

half=$(awk -v r="$two" 'BEGIN { printf "%d", r / 2 }')
profile half "kind: constant-arrival-rate
rate: $half
users: 64
for: $((seconds + 1))s"
load half page
scheduling=$(grep -A8 '"scheduling"' "$work/result.json" | grep '"p99":' | tr -dc '0-9:' | cut -d: -f2)
echo "scheduling error    $scheduling µs at p99 at $half/s, half of the capacity (wanted: below 1000)"

profile journeys "kind: constant-users
users: 32
for: $((seconds + 1))s" gateway/a-paid-payment-is-notified-and-reads-as-paid
load journeys emulator
lost=$(field lost); passed=$(field passed); measured=$(field seconds)
echo "journeys            $(awk -v n="$passed" -v s="$measured" 'BEGIN { printf "%d", n / s }')/s on two cores, emulator in another process, $lost notifications lost (wanted: 4000/s, 0)"

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
echo "long run            $(field requests) requests, $((third / 1024)) MB after a third, $((later / 1024)) MB near the end, at most $(awk -v b="$(field peak-memory)" 'BEGIN { printf "%d", b / 1048576 }') MB (wanted: below 150, no growth)"
