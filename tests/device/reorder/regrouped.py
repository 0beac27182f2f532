#!/usr/bin/env python3
"""What `report reorder` predicts of a branch of a compute shader, against a run whose threads are regrouped.

usage: regrouped.py WARPSCOPE SHADER_FAULTS

Of shader_faults divergent_branch, neighbouring threads take different sides of a branch, of divergent_switch one of four; with
--repaired the same threads work on pixels that are sorted by the side. Both draw the same picture. Of the first the report predicts what warps execute behind the
branch in the second: exactly as many blocks and slots, and the same causes of idle ones. Advice is given for the first, and
none for the second, of which nothing is told.
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


def figures(warpscope, capture):
    """The figures of branches by key and window."""
    text = run(warpscope, "report", capture, "reorder", "--csv", "--rows", "0", "--by", "call_site,key,window",
               "--fields", "call_site,key,window,state,bits," + ",".join(FIELDS), "--filter", "call_site = branch at *")
    return {(row["key"], row["window"]): row for row in csv.DictReader(text.splitlines())}


def check(warpscope, program, fault, bits):
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
        predicted = figures(warpscope, captures[0])
        # The second leaves no slot idle behind the branch: nothing is told of it. What it executes there is what it executes less.
        if figures(warpscope, captures[1]):
            faults.append("a coherent branch is told")
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
        # z and the pixel: 8 bytes and 4.
        if predicted["branch", "all"]["state"] != "12":
            faults.append(f"the state is {predicted['branch', 'all']['state']}")
        for capture, expected in zip(captures, (True, False)):
            said = run(warpscope, "report", capture, "reorder") + run(warpscope, "report", capture, "advice", "--filter", "rule = reorder")
            if ("What to write in compute shaders" in said) != expected or ("Sort threads where they call or part (" in said) != expected:
                faults.append(f"what is said of {capture}: {said}")
    return [f"{fault}: {text}" for text in faults]


def main():
    warpscope, program = sys.argv[1:]
    faults = check(warpscope, program, "divergent_branch", 1) + check(warpscope, program, "divergent_switch", 2)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
