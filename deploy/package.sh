#!/usr/bin/env bash
# Packs a built `paycheck` with its completions, manual pages and documents: deploy/package.sh BINARY OUT_DIR
# The archive unpacks into any prefix (tar -xzf … -C /usr/local); beside it is its SHA-256.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
root=$(realpath "$(dirname "$0")/..")
version=$("$binary" --version | cut -d' ' -f2)
platform=${PLATFORM:-$(uname -m)-$(uname -s | tr '[:upper:]' '[:lower:]')}
name=paycheck-$version-$platform

files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
share=$files/share
mkdir -p "$files/bin" "$share/bash-completion/completions" "$share/zsh/site-functions" "$share/fish/vendor_completions.d" "$share/doc/paycheck"
install -m 755 "$binary" "$files/bin/paycheck"
"$binary" completions bash >"$share/bash-completion/completions/paycheck"
"$binary" completions zsh >"$share/zsh/site-functions/_paycheck"
"$binary" completions fish >"$share/fish/vendor_completions.d/paycheck.fish"
"$binary" man --out "$share/man/man1"
cp -R "$root/docs" "$root/README.md" "$root/CHANGELOG.md" "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$share/doc/paycheck/"

(cd "$files" && find bin share -type f | LC_ALL=C sort | tar -czf "$out/$name.tar.gz" -T -)
if command -v sha256sum >/dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
(cd "$out" && "${sum[@]}" "$name.tar.gz" >"$name.tar.gz.sha256")
echo "$out/$name.tar.gz"
