#!/usr/bin/env bash
# Do tools of others read our reports? The HAR file of a run with forms, JSON, notifications and archives, by haralyzer (PyPI), and by
# har-validator and @har-sdk/validator (npm), which are installed into a folder of their own. No measurement, a proof.
#   bench/readers.sh
set -euo pipefail
cd "$(dirname "$0")/.."
paycheck=${CARGO_TARGET_DIR:-target}/release/paycheck
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cargo build --quiet --release --locked --bin paycheck
"$paycheck" verify --filter status --filter 'transfers /' --filter refunded-in-parts --har "$work/run.har" >/dev/null

python3 -m venv "$work/python"
"$work/python/bin/pip" --quiet install haralyzer
"$work/python/bin/python" - "$work/run.har" <<'PYTHON'
import base64, io, json, sys, zipfile
from haralyzer import HarParser
from haralyzer.assets import HarEntry
entries = [HarEntry(entry) for entry in HarParser(json.load(open(sys.argv[1]))).har_data["entries"]]
archives = 0
for entry in entries:
    request, response = entry.request, entry.response
    assert request.method and request.url and request.httpVersion and request.headers is not None and entry.startTime
    assert response.status >= 100 and response.mimeType and response.bodySize >= 0, entry.url
    content = response.raw_entry["content"]
    if content.get("encoding") == "base64":
        file = base64.b64decode(content["text"], validate=True)
        assert len(file) == content["size"] and zipfile.ZipFile(io.BytesIO(file)).testzip() is None
        archives += 1
assert archives, "no archive"
print(f"haralyzer: {len(entries)} exchanges; archives that open: {archives}")
PYTHON

(cd "$work" && npm install --silent --no-fund --no-audit har-validator @har-sdk/validator >/dev/null)
(cd "$work" && node - run.har <<'NODE')
const har = JSON.parse(require('fs').readFileSync(process.argv[2]));
const { HarValidator } = require('@har-sdk/validator');
(async () => {
  await require('har-validator').har(har);
  const errors = await new HarValidator().verify(har);
  if (errors.length) throw new Error(JSON.stringify(errors));
  console.log(`har-validator, @har-sdk/validator: ${har.log.entries.length} exchanges are valid`);
})().catch(error => { console.error(error); process.exit(1); });
NODE
