#!/usr/bin/env python3
"""Holds `warpscope annotate --json` against its text, and against the report.

    check_annotate.py WARPSCOPE CAPTURE...

1. In each form, line by line: executions, efficiency and text of the text report are those of JSON.
2. What a line of source costs (thread_executions, share), how often it ran, and its efficiency are those of the table
   `lines` of hotspots.
3. The sum of a line's histogram is its executions by warps; lanes: active + idle = all, and active / all is the
   efficiency."""

import json
import re
import subprocess
import sys

problems = []
counts = {"lines": 0, "lines of hotspots": 0, "lines with lanes": 0}


def problem(text):
    problems.append(text)
    if len(problems) <= 30:
        print(text)


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, errors="surrogateescape")
    return done.stdout if done.returncode in (0, 1) else ""


def lines_of_text(text):
    """Lists of lines, one for each shader."""
    shaders = []
    for line in text.split("\n"):
        found = re.match(r"^shader (\d+): ", line)
        if found:
            shaders.append((int(found[1]), []))
            continue
        found = re.match(r"^([ \d]{12}|not counted.{1})  (.{7}) \|(.*)$", line)
        if found and shaders:
            shaders[-1][1].append((found[1].strip(), found[2].strip(), found[3]))
    return shaders


def check_text(name, shader, text, is_counted):
    """Where nothing was counted at all the text leaves its columns empty; JSON says it of each line."""
    written = shader["lines"]
    if len(text) != len(written):
        problem(f"{name}: {len(text)} lines of text, {len(written)} of JSON")
        return
    for (executions, efficiency, shown), line in zip(text, written):
        counts["lines"] += 1
        without = "not counted" if is_counted and line.get("counted") is False else ""
        known = str(line["executions"]) if "executions" in line else without
        if known != executions:
            problem(f"{name}: executions '{executions}' and '{known}': {shown}")
        share = "" if "executions" not in line else "-" if line["efficiency"] is None else f"{100 * line['efficiency']:.1f} %"
        if share != efficiency:
            problem(f"{name}: efficiency '{efficiency}' and '{share}': {shown}")
        if line["text"].isascii() and line["text"].isprintable() and line["text"] not in shown:
            problem(f"{name}: text '{shown}' and '{line['text']}'")


def check_lines(name, shader, hotspots):
    rows = {(row["file"], row["line"]): row for row in hotspots
            if row["shader_id"] == shader["shader_id"] and row["line"] is not None}
    for line in shader["lines"]:
        if not line.get("executions") or "number" not in line:
            continue
        row = rows.pop((shader["files"][line["file"]]["name"], line["number"]), None)
        if row is None:
            continue  # a #line directive repeats the number
        counts["lines of hotspots"] += 1
        for member in ("executions", "thread_executions", "efficiency", "share"):
            one, other = line.get(member), row[member]
            if one != other and not (one is not None and other is not None and abs(one - other) < 1e-12):
                problem(f"{name} line {line['number']}: {member} {one}, of hotspots {other}")
    for key, row in rows.items():
        if row["executions"]:
            problem(f"{name}: {key} is a line of hotspots, and not annotated")


def check_sums(name, shader):
    for line in shader["lines"]:
        if line.get("efficiency") is not None and sum(line["histogram"]) != line["executions"]:
            problem(f"{name}: histogram of {line}")
        lanes = line.get("lanes")
        if lanes is None:
            continue
        counts["lines with lanes"] += 1
        if sum(count for cause, count in lanes.items() if cause != "all") != lanes["all"]:
            problem(f"{name}: lanes of {line}")
        if line.get("efficiency") is not None and abs(lanes.get("active", 0) / lanes["all"] - line["efficiency"]) > 1e-9:
            problem(f"{name}: efficiency by lanes of {line}")


def main(warpscope, *captures):
    for capture in captures:
        report = json.loads(run(warpscope, "report", capture, "hotspots", "--json") or "{}")
        is_counted = "hotspots" in report.get("analyses", {})
        hotspots = report["analyses"]["hotspots"]["lines"] if is_counted else []
        for form in ("source", "glsl", "spirv"):
            text = lines_of_text(run(warpscope, "annotate", capture, "--as", form))
            output = run(warpscope, "annotate", capture, "--as", form, "--json")
            shaders = json.loads(output)["shaders"] if output else []
            if [one for one, _ in text] != [shader["shader_id"] for shader in shaders]:
                problem(f"{capture} as {form}: other shaders")
            for shader, (_, lines) in zip(shaders, text):
                name = f"{capture} as {form}, {shader['shader']}"
                if shader["form"] != form:
                    problem(f"{name}: form {shader['form']}")
                check_text(name, shader, lines, is_counted)
                check_sums(name, shader)
                if form == "source":
                    check_lines(name, shader, hotspots)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    for what, count in counts.items():
        if count == 0:
            problem(f"no {what}: nothing was checked")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
