#!/usr/bin/env bash
# How long do the README's main command, its test command after it, and .ci/run take in a fresh clone, beside the same
# three at commit f1315b7 on the same machine in the same hour? How long is a rebuild after one reporter was touched?
# Wall time and CPU time: on a machine that does other things too, only the latter says something.
#   bench/build.sh [--without-base] [--without-ci]
set -euo pipefail
cd "$(dirname "$0")/.."
base=f1315b7 ci=yes
for argument in "$@"; do
  case $argument in
    --without-base) base= ;;
    --without-ci) ci= ;;
    *) echo "bench/build.sh [--without-base] [--without-ci]"; exit 3 ;;
  esac
done
# A folder that a developer has set would be no fresh one.
unset CARGO_TARGET_DIR CARGO_INCREMENTAL "${!CARGO_PROFILE_@}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

readme_command() { sed -n "/<!-- ci: $1 -->/,/^\`\`\`$/p" README.md | grep -v -e '^<!--' -e '^```'; }

# Runs a command and writes its wall and CPU seconds to a file; a command that fails is reported and counts.
TIMEFORMAT='%R %U %S'
measure() {
  local into=$1; shift
  { time bash -c "$*" >"$into.out" 2>&1 || echo "failed ($?): $*, the end of its output:" "$(tail -3 "$into.out")" >"$into.failed"; } 2>"$into.time"
  tail -1 "$into.time" | awk '{ printf "%d %d\n", $1, $2 + $3 }' >"$into"
  if [ -e "$into.failed" ]; then cat "$into.failed"; fi
}

# The builds of one commit, in a clone of its own.
builds() {
  local commit=$1 out=$work/$2
  git clone --quiet . "$out"
  (
    cd "$out"
    git checkout --quiet "$commit"
    # What is downloaded depends on the network.
    cargo fetch --quiet --locked
    measure "$out.main" "$(readme_command main)"
    measure "$out.test" "$(readme_command test)"
    if [ -n "$ci" ]; then measure "$out.ci" .ci/run; fi
    if [ "$2" = now ]; then
      cargo build --quiet --locked --bin paycheck
      echo '// touched' >>harness/src/report/junit.rs
      measure "$out.touch" cargo build --locked --bin paycheck
    fi
  )
  rm -rf "$out"
}

builds "$(git rev-parse HEAD)" now
if [ -n "$base" ]; then builds "$base" base; fi

show() {
  local name=$1 wanted=$2
  [ -e "$work/now.$name" ] || return 0
  if [ -e "$work/base.$name" ]; then
    paste "$work/now.$name" "$work/base.$name" | awk -v name="$name" -v wanted="$wanted" -v base="$base" \
      '{ printf "%-6s %5d s wall, %5d s CPU; %.2f and %.2f of %s (%d s, %d s)  (wanted: %s)\n", name, $1, $2, $1 / $3, $2 / $4, base, $3, $4, wanted }'
  else
    awk -v name="$name" -v wanted="$wanted" '{ printf "%-6s %5d s wall, %5d s CPU  (wanted: %s)\n", name, $1, $2, wanted }' "$work/now.$name"
  fi
}
show main 'at most half'
show test 'at most 360 s'
show ci 'at most 780 s'
show touch 'under 10 s'
