#!/usr/bin/env python3
"""What `report reorder` predicts of a branch or loop of a compute shader, against a run whose threads are regrouped.

usage: regrouped.py WARPSCOPE SHADER_FAULTS

Of shader_faults divergent_branch, neighbouring threads take different sides of a branch, of divergent_switch one of four, of
divergent_loop they turn a loop 2 to 23 times; with --repaired the same threads work on pixels that are sorted by that. Both draw
the same picture. Of the first the report predicts what warps execute behind the branch, or in the loop, in the second: exactly
as many blocks and slots, and the same causes of idle ones. Advice is given for the first, and none for the second, of which
nothing is told.
"""
import csv
import os
import subprocess
import sys
import tempfile

FIELDS = ["thread_calls", "active_slots"] + [f"{name}_{when}" for when in ("before", "after") for name in (
    "executions", "slots", "partial_warp", "indirect_call", "control_flow")]
MEASURED = ["executions", "slots", "partial_warp", "indirect_call", "control_flow"]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print(f"no device that can do it: {done.stderr.strip()}")
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def figures(warpscope, capture, kind):
    """The figures of branches, or loops, by key and window."""
    text = run(warpscope, "report", capture, "reorder", "--csv", "--rows", "0", "--by", "call_site,key,window",
               "--fields", "call_site,key,window,state,bits," + ",".join(FIELDS), "--filter", f"call_site = {kind} at *")
    return {(row["key"], row["window"]): row for row in csv.DictReader(text.splitlines())}


def check(warpscope, program, fault, kind, bits, state):
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        captures, pictures = [], []
        for name, more in (("launch", []), ("sorted", ["--repaired"])):
            captures.append(f"{folder}/{name}.wscope")
            run(warpscope, "record", "-q", "-p", "divergence,simt_efficiency", "-o", captures[-1], "--", program, fault, "-o",
                f"{folder}/{name}.png", *more)
            with open(f"{folder}/{name}.png", "rb") as file:
                pictures.append(file.read())
        if pictures[0] != pictures[1]:
            faults.append("the regrouped run draws another picture")
        predicted = figures(warpscope, captures[0], kind)
        # The second leaves no slot idle there: nothing is told of it. What it executes there is what it executes less.
        if figures(warpscope, captures[1], kind):
            faults.append(f"a coherent {kind} is told")
        total = []
        for capture in captures:
            text = run(warpscope, "report", capture, "divergence", "--csv", "--by", "stage", "--fields", "slots,active")
            total.append([int(value) for value in text.splitlines()[1].split(",")])
        saved = total[0][0] - total[1][0]
        for key, window in (("branch", "all"), ("branch", "split"), ("branch", "workgroup"), ("path", "all")):
            row = predicted[key, window]
            if int(row["slots_before"]) - int(row["slots_after"]) != saved or saved <= 0:
                faults.append(f"by {key} in windows of {window} {row['slots_before']} slots are predicted to become "
                              f"{row['slots_after']}; {saved} were saved")
            if total[0][1] != total[1][1] or row["active_slots"] != row["slots_after"]:
                faults.append(f"active slots are {total}, and {row}")
        if predicted["branch", "all"]["bits"] != str(bits):
            faults.append(f"{predicted['branch', 'all']['bits']} bits are taken to tell the sides")
        if predicted["branch", "all"]["state"] != str(state):
            faults.append(f"the state is {predicted['branch', 'all']['state']}")
        for capture, expected in zip(captures, (True, False)):
            said = run(warpscope, "report", capture, "reorder") + run(warpscope, "report", capture, "advice", "--filter", "rule = reorder")
            if ("What to write in compute shaders" in said) != expected or ("Sort threads where they call or part (" in said) != expected:
                faults.append(f"what is said of {capture}: {said}")
    return [f"{fault}: {text}" for text in faults]


def main():
    warpscope, program = sys.argv[1:]
    # z and the pixel are live there: 8 bytes and 4; in the loop the turns and i, too.
    faults = (check(warpscope, program, "divergent_branch", "branch", 1, 12) +
              check(warpscope, program, "divergent_switch", "branch", 2, 12) +
              check(warpscope, program, "divergent_loop", "loop", 3, 20))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
