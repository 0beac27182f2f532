#!/usr/bin/env python3
"""Holds reports against the schema of their JSON, and against each other.

    check_reports.py WARPSCOPE SCHEMA CAPTURE...

1. SCHEMA is what `warpscope list --schema` prints, is a JSON Schema, and refuses a report with a member too many, a
   member too few, or a value of another type.
2. JSON of every analysis of every capture, alone and with the others, with --by, --fields, --filter, --sort, --rows,
   --thread and --warp, also of captures that are cut or damaged, is what SCHEMA says, and has no NaN.
3. The three forms of a report say the same. Every cell of CSV is the value of that name in JSON, row by row. Every
   row of a table in the text report is a row of a table in JSON, as far as the table's headings are names of columns.
4. The summary names each pass that was not recorded once.

Exit status 77: there is no jsonschema module."""

import copy
import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
    VALIDATOR = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    print("there is no python3-jsonschema 4")
    sys.exit(77)

problems = []
counts = {"reports": 0, "cells of CSV": 0, "rows of text": 0, "cells of text": 0, "changed reports": 0}


def problem(text):
    problems.append(text)
    if len(problems) <= 30:
        print(text)


def no_constant(name):
    raise ValueError(f"JSON has no {name}")


class Command:
    def __init__(self, path):
        self.path = path

    def report(self, capture, *arguments):
        """Returns stdout, or None where the capture cannot serve that."""
        run = subprocess.run([self.path, "report", capture, *arguments], capture_output=True, text=True)
        if run.returncode == 2 and "--by" in arguments:
            return None  # it has no such dimension
        if run.returncode not in (0, 1, 4):
            problem(f"report {os.path.basename(capture)} {' '.join(arguments)}: exit status {run.returncode}: {run.stderr}")
        counts["reports"] += 1
        return run.stdout if run.stdout else None


def reasons(validator, report):
    """What is wrong with a report, the innermost reason of each fault."""
    for error in validator.iter_errors(report):
        while error.context:
            error = max(error.context, key=lambda inner: len(inner.absolute_path))
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message[:160]}"


def check_json(command, validator, capture, *arguments):
    text = command.report(capture, *arguments, "--json")
    if text is None:
        return None
    name = f"{os.path.basename(capture)} {' '.join(arguments)} --json"
    try:
        report = json.loads(text, parse_constant=no_constant)
    except ValueError as error:
        problem(f"{name}: {error}")
        return None
    for reason in reasons(validator, report):
        problem(f"{name}: {reason}")
    return report


# The schema refuses what it should.

def objects(value, path=()):
    if isinstance(value, dict):
        yield path, value
        for key in value:
            yield from objects(value[key], path + (key,))
    elif isinstance(value, list):
        for index in range(min(len(value), 1)):
            yield from objects(value[index], path + (index,))


def free(path):
    """Whether an object's members are as free as its writer: settings by key, histograms by lanes."""
    return path[-1:] in (("settings",), ("histogram",)) or path == ("analyses",)


def shortened(value):
    """A report with one row in each list."""
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    return [shortened(inner) for inner in value[:1]] if isinstance(value, list) else value


def check_refused(validator, report):
    number = 0
    report = shortened(report)
    for path, found in objects(report):
        if free(path):
            continue
        changed = copy.deepcopy(report)
        at = changed
        for key in path:
            at = at[key]
        changes = [("one too many", lambda: at.__setitem__("surplus", 1))]
        for key in found:
            changes.append((f"no {key}", lambda key=key: at.pop(key)))
            changes.append((f"{key} of another type", lambda key=key: at.__setitem__(key, [{"surplus": []}])))
        for what, change in changes:
            number += 1
            if number % 11 != 0 and len(path) > 1:
                continue  # enough of each kind, in seconds
            before = copy.deepcopy(at)
            change()
            counts["changed reports"] += 1
            if validator.is_valid(changed):
                problem(f"the schema lets {'/'.join(map(str, path)) or 'a report'} pass with {what}")
            at.clear()
            at.update(before)


# CSV and JSON.

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def flat_numbers(value):
    if isinstance(value, dict):
        return [number for key in value for number in [float(key)] + flat_numbers(value[key])]
    return [number for item in value for number in flat_numbers(item)] if isinstance(value, list) else [float(value)]


def is_same_cell(cell, value):
    if value is None:
        return cell == ""
    if isinstance(value, bool):
        return cell == ("true" if value else "false")
    if isinstance(value, (list, dict)):  # a list in JSON is a text in CSV: 64x48x1, 8:62 4:95
        numbers = flat_numbers(value)
        found = [float(number) for number in NUMBER.findall(cell)]
        return len(numbers) == len(found) and all(math.isclose(a, b, rel_tol=1e-4) for a, b in zip(numbers, found))
    if isinstance(value, (int, float)):
        return cell != "" and (int(cell) == value if isinstance(value, int) and "." not in cell and "e" not in cell
                               else float(cell) == value)
    return cell == "".join(character if character >= " " and not "\x7f" <= character <= "\x9f"
                           else f"\\x{ord(character):02x}" for character in value)


def tables(analysis):
    """Every table of an analysis in JSON, as lists of rows."""
    for name, value in analysis.items():
        if isinstance(value, list) and all(isinstance(row, dict) for row in value):
            yield name, value
        elif name == "total" and value is not None:
            yield name, [value]


def check_csv(capture, name, text, analysis):
    rows = list(csv.DictReader(io.StringIO(text)))
    found = dict(tables(analysis))
    if any(None in row or None in row.values() for row in rows):
        problem(f"{capture} {name} --csv: lines of different length")
        return
    for level in dict.fromkeys(row.get("level", "rows") for row in rows):
        of_level = [row for row in rows if row.get("level", "rows") == level]
        if level not in found or len(found[level]) != len(of_level):
            problem(f"{capture} {name}: {len(of_level)} rows of '{level}' in CSV, not those of JSON")
            continue
        for row, values in zip(of_level, found[level]):
            for column, cell in row.items():
                if column == "level":
                    continue
                counts["cells of CSV"] += 1
                if not is_same_cell(cell, values.get(column)):
                    problem(f"{capture} {name} {level} {column}: '{cell}' in CSV, {values.get(column)} in JSON")


# Text and JSON. Columns of a table are apart by two blanks in every line.

def cut_columns(lines):
    width = max(map(len, lines))
    lines = [line.ljust(width) for line in lines]
    blank = [all(line[i] == " " for line in lines) for i in range(width)]
    starts = [i for i in range(width) if not blank[i] and (i == 0 or (blank[i - 1] and (i < 2 or blank[i - 2])))]
    return [[line[start:end].strip() for start, end in zip(starts, starts[1:] + [width])] for line in lines]


def text_tables(text):
    """The tables of a text report: a heading, lines of headings, rows. Yields lists of lines of cells."""
    for section in text.split("\n\n"):
        lines = [line for line in section.split("\n")[1:] if not line.startswith("  ... and ")]
        if len(lines) >= 2 and all(line.startswith("  ") for line in lines):
            yield section.split("\n")[0], cut_columns(lines)


def headings_of(cells, names):
    """The names of columns in the first one or two lines, and how many lines that were."""
    for count in (2, 1):
        found = [" ".join(filter(None, parts)).replace(" ", "_") for parts in zip(*cells[:count])]
        known = [name if name in names else None for name in found]
        if len(cells) > count and sum(name is not None for name in known) >= 3:
            return known, count
    return None, 0


def is_same_text(cell, value, row):
    if isinstance(value, str):
        return cell == value.strip() or (cell == "-" and value == "")
    if cell in ("", "-"):
        return value in (None, 0, "") or value is False
    if cell.endswith(" %"):
        digits = len(cell[:-2].partition(".")[2])
        shares = [value] if isinstance(value, float) or value in (0, 1) else []
        if isinstance(value, int):  # a part of another column of the row
            shares += [value / other for other in row.values() if isinstance(other, int) and other > 0]
        return any(abs(100 * share - float(cell[:-2])) <= 0.5001 * 10 ** -digits for share in shares)
    if isinstance(value, bool):
        return cell == ("yes" if value else "no")
    if isinstance(value, (list, dict)):
        return is_same_cell(cell, value)
    if isinstance(value, (int, float)):
        digits = len(cell.partition(".")[2])
        try:
            return abs(float(cell.lstrip("%")) - value) <= 0.5001 * 10 ** -digits
        except ValueError:
            return False
    return False


def check_text(capture, name, text, analysis):
    of_json = [rows for table, rows in tables(analysis) if rows]
    for heading, cells in text_tables(text):
        names = {column for rows in of_json for column in rows[0]}
        columns, lines = headings_of(cells, names)
        if columns is None:
            continue
        known = {column for column in columns if column is not None}
        fitting = [rows for rows in of_json if known <= rows[0].keys()]
        for row in cells[lines:]:
            if row[0] == "all":
                row = [""] + row[1:]  # the total, of which only measures are there
            counts["rows of text"] += 1
            shown = [(column, cell) for column, cell in zip(columns, row) if column is not None]
            best = 0
            for values in (values for rows in fitting for values in rows):
                same = sum(is_same_text(cell, values[column], values) for column, cell in shown)
                best = max(best, same)
                if best == len(shown):
                    break
            counts["cells of text"] += best
            if best < len(shown) and not (row[0] == "" and best > 0):
                problem(f"{capture} {name}, {heading}: no row of JSON has {dict(shown)}")


def damaged(capture, folder):
    with open(capture, "rb") as file:
        content = file.read()
    for name, changed in (("cut", content[:len(content) // 2]), ("head", content[:400]),
                          ("torn", content[:len(content) // 3] + b"\x55" * 64 + content[len(content) // 3 + 64:])):
        path = os.path.join(folder, f"{name}.wscope")
        with open(path, "wb") as file:
            file.write(changed)
        yield path


def check_capture(command, validator, capture):
    base = os.path.basename(capture)
    everything = check_json(command, validator, capture, "all", "--rows", "1")
    if everything is None:
        problem(f"{base}: no report")
        return None
    for name, analysis in everything["analyses"].items():
        alone = check_json(command, validator, capture, name)
        if alone is None or alone["analyses"] != {name: analysis}:
            problem(f"{base} {name}: JSON of it alone is not JSON of it in all")
        check_csv(base, name, command.report(capture, name, "--csv") or "", analysis)
        check_text(base, name, command.report(capture, name, "--wide", "--rows", "0") or "", analysis)
    return everything


def check_views(command, validator, capture, everything):
    for name, analysis in everything["analyses"].items():
        columns = validator.schema["$defs"][f"{name}_columns"]["properties"]
        for dimension in ("launch", "shader", "kind"):
            by = check_json(command, validator, capture, name, "--by", dimension)
            if by is not None:
                check_csv(os.path.basename(capture), f"{name} --by {dimension}",
                          command.report(capture, name, "--by", dimension, "--csv") or "", by["analyses"][name])
        for column in list(columns)[::9]:
            check_json(command, validator, capture, name, "--fields", column, "--sort", f"-{column}")
        check_json(command, validator, capture, name, "--filter", f"{list(columns)[0]} != 3")
    check_json(command, validator, capture)
    for name in ("execution_trace", "ray_events"):
        for choice in (("--thread", "3,3"), ("--thread", "0"), ("--warp", "1"), ("--warp", "1", "--launch", "0")):
            check_json(command, validator, capture, name, *choice)


def check_missing(command, capture):
    """Each pass that the summary says was not recorded is there once, in what is to be typed too; times stand apart."""
    run = subprocess.run([command.path, "summary", capture], capture_output=True, text=True)
    as_json = subprocess.run([command.path, "summary", capture, "--json"], capture_output=True, text=True)
    lacks = {row["pass"] for row in json.loads(as_json.stdout)["analyses"]["summary"]["not_recorded"]}
    text = " ".join(run.stdout.split())
    alone = r"warpscope record (?:-p (time)\b)?(?:, or )?(?:-p (warp_time),time\b)?"
    typed = re.search(rf"not recorded (.*?): (?:warpscope record -p (?!time|warp_time)([\w,]+)(?:; times alone: {alone})?|{alone})", text)
    passes = [name for group in typed.groups()[1:] if group for name in group.split(",")] if typed else []
    if sorted(passes) != sorted(lacks) or any(typed.group(1).split(", ").count(name) != 1 for name in passes):
        problem(f"summary {os.path.basename(capture)}: {sorted(lacks)} were not recorded, and it says {text[text.find('not recorded'):]}")


def main():
    command, schema_path, captures = Command(sys.argv[1]), sys.argv[2], sys.argv[3:]
    with open(schema_path, encoding="utf-8") as file:
        text = file.read()
    made = subprocess.run([command.path, "list", "--schema"], capture_output=True, text=True, check=True).stdout
    if made != text:
        problem(f"{schema_path} is not up to date: build/analysis/warpscope list --schema > schemas/report.schema.json")
    schema = json.loads(made)
    VALIDATOR.check_schema(schema)
    validator = VALIDATOR(schema)
    with tempfile.TemporaryDirectory() as folder:
        for number, capture in enumerate(captures):
            everything = check_capture(command, validator, capture)
            if everything is None:
                continue
            check_missing(command, capture)
            if number % 4 == 0:
                check_views(command, validator, capture, everything)
            if number % 2 == 0:
                for path in damaged(capture, folder):
                    check_json(command, validator, path, "all")
            if number == 0:
                check_refused(validator, everything)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    if min(counts.values()) == 0:
        problem("nothing was compared")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
