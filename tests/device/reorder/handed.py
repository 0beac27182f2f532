#!/usr/bin/env python3
"""usage: handed.py WARPSCOPE HANDED. What `report reorder` predicts of threads sorted by bits of what they hand over, against a run
that sorts them so. Which bits these are is taken from the report, as a developer would."""

import csv
import re
import subprocess
import sys
import tempfile

FIELDS = ["active_slots", "executions_before", "slots_before", "executions_after", "slots_after"]
# What the hit shader and the miss shader branch on (handed.rchit, handed.rmiss).
KIND = 4 | 32 | 1


def record(folder, warpscope, program, mask):
    """Records a run: the path of its capture, and what it worked out."""
    capture = f"{folder}/{mask}.wscope"
    done = subprocess.run([warpscope, "record", "-q", "-p", "divergence,ray_events,payloads", "-o", capture, "--", program, str(mask)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode in (3, 77):
        print(f"no device that traces rays: {done.stdout.strip()}")
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{program} {mask} ended with {done.returncode}: {done.stdout}")
    return capture, done.stdout.strip()


def figures(warpscope, capture, key):
    """What the shaders behind the ray execute, by shader."""
    command = [warpscope, "report", capture, "reorder", "--csv", "--rows", "0", "--by", "key,window,ran", "--fields",
               "ran," + ",".join(FIELDS), "--filter", f"key = {key}", "--filter", "window = all"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {row["ran"]: {name: int(row[name]) for name in FIELDS} for row in csv.DictReader(text.splitlines())
            if not row["ran"].startswith("handed.rgen")}


def main():
    warpscope, program = sys.argv[1:]
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        capture, answer = record(folder, warpscope, program, 0)
        said = subprocess.run([warpscope, "report", capture, "reorder"], check=True, stdout=subprocess.PIPE, text=True).stdout
        bits = set(re.findall(r"handed\.(\w+) & (0x[0-9a-f]+)", said))
        if bits != {("kind", hex(KIND))}:
            sys.exit(f"threads are to be sorted by {bits}, and not by the bits {KIND:#x} of kind:\n{said}")
        predicted = figures(warpscope, capture, "payload")
        by_shader = figures(warpscope, capture, "shader")
        sorted_capture, its_answer = record(folder, warpscope, program, KIND)
        measured = figures(warpscope, sorted_capture, "shader")
    if answer != its_answer:
        faults.append(f"in another order the threads work out {its_answer}, and not {answer}")
    if not predicted or predicted.keys() != measured.keys():
        faults.append(f"predicted are {list(predicted)}, measured {list(measured)}")
    for ran, row in predicted.items():
        got = [measured[ran][name] for name in ("active_slots", "executions_before", "slots_before")]
        expected = [row[name] for name in ("active_slots", "executions_after", "slots_after")]
        print(f"{ran}: executions {row['executions_before']} -> {got[1]}, by shader alone {by_shader[ran]['executions_after']}")
        if got != expected:
            faults.append(f"{ran}: active slots, executions and slots are predicted to be {expected}, and are {got}")
        if not row["executions_after"] < by_shader[ran]["executions_after"]:
            faults.append(f"{ran}: its payload says no more than its shader: {row}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
