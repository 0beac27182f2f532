#!/usr/bin/env python3
"""Holds comparisons against the schema of their JSON, and the exit status against what --fail-if says.

    check_diff.py WARPSCOPE SCHEMA CAPTURE...

1. SCHEMA is what `warpscope list --diff-schema` prints, is a JSON Schema, and refuses a comparison with a member too many, a
   member too few, or a value of another type.
2. JSON of every pair of captures, and of each with itself, is what SCHEMA says. Of a capture with itself no figure changed.
3. CSV has the figures of JSON, and the text is at most 80 columns wide.
4. The exit status is 0, 1, 2 or 3 as the manual says.

Exit status 77: there is no jsonschema module."""

import csv
import io
import itertools
import json
import os
import subprocess
import sys

from check_reports import VALIDATOR, check_refused, no_constant, problem, problems, reasons


def run(*arguments):
    # In their folder: a path of any length would be a line of any length.
    return subprocess.run([command, *arguments], capture_output=True, text=True, cwd=folder)


def check_status(wanted, says, *arguments):
    found = run("diff", *arguments)
    if found.returncode != wanted:
        problem(f"{' '.join(arguments)}: exit status {found.returncode}, not {wanted}: {found.stderr}")
    if says not in found.stderr:
        problem(f"{' '.join(arguments)}: '{says}' is not in: {found.stderr}")


def check_pair(validator, a, b):
    found = run("diff", a, b, "--json")
    if found.returncode != 0:
        problem(f"{a} {b}: exit status {found.returncode}: {found.stderr}")
    diff = json.loads(found.stdout, parse_constant=no_constant)
    for reason in reasons(validator, diff):
        problem(f"{a} {b}: {reason}")
    rows = list(csv.DictReader(io.StringIO(run("diff", a, b, "--csv").stdout)))
    names = [f"{row['analysis']}.{row['table']}.{row['figure']}" for row in rows]
    if names != [figure["figure"] for figure in diff["figures"]]:
        problem(f"{a} {b}: CSV has other figures than JSON")
    changed = sum(table["changed"] for table in diff["tables"])
    if changed != len(rows):
        problem(f"{a} {b}: {changed} figures changed, {len(rows)} are listed")
    text = run("diff", a, b).stdout
    for line in text.splitlines():
        if len(line) > 80:
            problem(f"{a} {b}: a line of {len(line)} columns: {line}")
    if a == b and (rows or diff["settings"] or diff["lines"] or "Nothing changed" not in text):
        problem(f"{a}: it is not what it is: {diff['figures'][:1]} {diff['settings']}")
    return diff


def check_schema(path, validator):
    if run("list", "--diff-schema").stdout != open(path).read():
        problem(f"{path} is not what `warpscope list --diff-schema` prints: write it anew")
    VALIDATOR.check_schema(validator.schema)


command, schema_path, *captures = map(os.path.abspath, sys.argv[1:])
folder = os.path.dirname(captures[0])
captures = [os.path.basename(capture) for capture in captures]
schema_validator = VALIDATOR(json.load(open(schema_path)))
check_schema(schema_path, schema_validator)
largest = max((check_pair(schema_validator, a, b) for a, b in itertools.combinations_with_replacement(captures, 2)),
              key=lambda diff: len(diff["figures"]))
check_refused(schema_validator, largest)

first, other = captures[:2]
check_status(0, "", first, first, "--fail-if", "efficiency<-2%")
check_status(3, "'efficiency=0' holds", first, first, "--fail-if", "efficiency=0", "--fail-if", "efficiency<0")
check_status(1, "no row of both captures has a name like 'nowhere'", first, first, "--fail-if", "efficiency@nowhere<0")
check_status(1, "nothere", first, "nothere.wscope")
check_status(2, "did you mean 'efficiency'?", first, first, "--fail-if", "efficency<0")
check_status(2, "a condition is", first, first, "--fail-if", "efficiency<nan%")
check_status(2, "the capture after the change", first)
print(f"{len(captures)} captures, each with each")
sys.exit(1 if problems else 0)
