#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The generated JSON Schema against files that the C validator also reads.

usage: schema-check.py SCHEMA [TOP]

Every scenario in TOP/scenarios and TOP/tests/corpus/good must be accepted, with all scalars as text; scenarios also as an editor
reads them, with YAML's own types. Every file that TOP/tests/corpus/bad/schema-visible.txt names must be refused. Exits 1 on
any difference, and when there was nothing to check.
"""

import glob
import json
import os
import sys

import jsonschema
import yaml


def load(path, loader):
    with open(path, encoding="utf-8-sig") as f:
        return yaml.load(f, Loader=loader)


def problems(schema, document):
    """Messages about a document, the most telling one of each first."""
    included = isinstance(document, dict) and "sweeps" not in document and "name" not in document
    if included:
        schema = {"$schema": schema["$schema"], "$ref": "#/$defs/include", "$defs": schema["$defs"]}
    errors = jsonschema.Draft202012Validator(schema).iter_errors(document)
    for error in errors:
        deepest = jsonschema.exceptions.best_match([error])
        where = "/".join(str(p) for p in deepest.absolute_path)
        yield f"{where}: {deepest.message[:300]}"


def check_good(schema, paths, loader):
    failed = 0
    for path in paths:
        for message in problems(schema, load(path, loader)):
            print(f"{path}: refused ({loader.__name__}): {message}", file=sys.stderr)
            failed += 1
    return failed


def check_bad(schema, directory):
    listing = os.path.join(directory, "schema-visible.txt")
    if not os.path.exists(listing):
        return 0, 0
    with open(listing, encoding="utf-8") as f:
        names = [line.split("#")[0].strip() for line in f]
    names = [name for name in names if name]
    failed = 0
    for name in names:
        path = os.path.join(directory, name)
        try:
            document = load(path, yaml.BaseLoader)
        except (yaml.YAMLError, OSError, ValueError) as error:
            print(f"{path}: cannot be read: {error}", file=sys.stderr)
            failed += 1
            continue
        if not any(True for _ in problems(schema, document)):
            print(f"{path}: accepted, and must be refused", file=sys.stderr)
            failed += 1
    return len(names), failed


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    top = sys.argv[2] if len(sys.argv) == 3 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(sys.argv[1], encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft202012Validator.check_schema(schema)

    scenarios = sorted(glob.glob(os.path.join(top, "scenarios", "**", "*.yaml"), recursive=True))
    corpus = sorted(glob.glob(os.path.join(top, "tests", "corpus", "good", "**", "*.yaml"), recursive=True))
    failed = check_good(schema, scenarios + corpus, yaml.BaseLoader)
    failed += check_good(schema, scenarios, yaml.SafeLoader)
    n_bad, failed_bad = check_bad(schema, os.path.join(top, "tests", "corpus", "bad"))
    failed += failed_bad

    total = len(scenarios) + len(corpus) + n_bad
    print(f"schema: {len(scenarios) + len(corpus)} good and {n_bad} bad files, {failed} differences")
    print(f"{max(total - failed, 0)} passed, {failed} failed, 0 skipped")
    return 1 if failed or not scenarios + corpus else 0


if __name__ == "__main__":
    sys.exit(main())
