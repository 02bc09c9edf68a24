#!/usr/bin/env bash
# How fast is the emulator on one core, beside nginx serving a static page on the same core?
# Needs nginx and wrk. Server on core 0, load from core 1; the rounds alternate, the best of each counts.
#   bench/emulator.sh [seconds per measurement] [rounds]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-2} rounds=${2:-6}
work=$(mktemp -d)
target=${CARGO_TARGET_DIR:-target}
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

cargo build --quiet --release -p emulator --example serve

mkdir "$work/www"
head -c 400 /dev/zero | tr '\0' 'x' >"$work/www/index.html"
cat >"$work/nginx.conf" <<CONF
worker_processes 1; daemon off; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nodelay on; open_file_cache max=16; keepalive_requests 100000000;
  client_body_temp_path $work/a; proxy_temp_path $work/b; fastcgi_temp_path $work/c; uwsgi_temp_path $work/d; scgi_temp_path $work/e;
  server { listen 127.0.0.1:18081; root $work/www; }
}
CONF
chmod -R a+rX "$work"
taskset -c 0 nginx -c "$work/nginx.conf" -p "$work" & pids+=($!)
taskset -c 0 "$target/release/examples/serve" 127.0.0.1:18082 >/dev/null & pids+=($!)
sleep 1

credentials=$(printf '100001:secret-100001' | base64)
order='{"price":10000,"curr":"CZK","label":"Shoes","refId":"2026001","method":"ALL","email":"jan@example.com","fullName":"Jan Novak"}'
cat >"$work/create.lua" <<LUA
wrk.method = "POST"
wrk.body = '$order'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Basic $credentials"
LUA
payment=$(curl -sf -H "Authorization: Basic $credentials" -H 'Content-Type: application/json' -d "$order" \
  http://127.0.0.1:18082/v2.0/payment.json | sed 's/.*"transId":"\([^"]*\)".*/\1/')

measure() { taskset -c 1 wrk -t1 -c32 -d"${seconds}s" "$@" | awk '/Requests\/sec/ { print int($2) } /Non-2xx/ { exit 1 }'; }
best() { if [ "$2" -gt "$1" ]; then echo "$2"; else echo "$1"; fi; }

nginx=0 status=0 create=0
for _ in $(seq "$rounds"); do
  nginx=$(best "$nginx" "$(measure http://127.0.0.1:18081/index.html)")
  status=$(best "$status" "$(measure -H "Authorization: Basic $credentials" "http://127.0.0.1:18082/v2.0/payment/transId/$payment.json")")
  create=$(best "$create" "$(measure -s "$work/create.lua" http://127.0.0.1:18082/v2.0/payment.json)")
  # Each round starts without the payments of the last one.
  curl -sf -X POST http://127.0.0.1:18082/__emulator/worlds/default/actions/world.resets >/dev/null
  payment=$(curl -sf -H "Authorization: Basic $credentials" -H 'Content-Type: application/json' -d "$order" \
    http://127.0.0.1:18082/v2.0/payment.json | sed 's/.*"transId":"\([^"]*\)".*/\1/')
done

ratio() { awk "BEGIN { printf \"%.2f\", $1 / $2 }"; }
echo "nginx static page  $nginx requests/s"
echo "v2.0 status        $status requests/s  $(ratio "$status" "$nginx") of nginx (wanted: 0.75)"
echo "v2.0 create        $create requests/s  $(ratio "$create" "$nginx") of nginx (wanted: 0.60)"
