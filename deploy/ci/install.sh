#!/usr/bin/env sh
# Installs a released `paycheck`: deploy/ci/install.sh VERSION PREFIX
# PAYCHECK_RELEASES is where the releases are: https://github.com/OWNER/paycheck/releases/download, or a mirror of it.
set -eu
: "${PAYCHECK_RELEASES:?says where the releases are}"
version=$1
prefix=$2
platform=$(uname -m)-$(uname -s | tr '[:upper:]' '[:lower:]')
name=paycheck-$version-$platform.tar.gz
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for file in "$name" "$name.sha256"; do
  curl --fail --silent --show-error --location --retry 3 --output "$file" "$PAYCHECK_RELEASES/v$version/$file"
done
if command -v sha256sum >/dev/null; then sha256sum --check --quiet "$name.sha256"; else shasum -a 256 --check --quiet "$name.sha256"; fi
cd - >/dev/null
mkdir -p "$prefix"
tar -xzf "$folder/$name" -C "$prefix"
"$prefix/bin/paycheck" --version
