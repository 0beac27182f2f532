#!/usr/bin/env python3
"""Checks that a pass which disturbs changes no figure of any other pass.

Usage: check_noise.py BUILD_ROOT NOISE_LAYER PROGRAM [ARGUMENTS]

Records an example with all passes, then again with the pass `noise` before, among and behind them, and compares all
reports: text, JSON and CSV. Apart from the list of passes and the size of the capture they must be equal.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PASSES = ["simt_efficiency", "execution_trace", "divergence", "thread_compaction", "warp_entry_exit", "ray_events"]
# What may differ: it tells of the capture, not of what ran.
CAPTURE_MEMBERS = ["passes", "settings", "process_id", "start_ns", "chunks", "bytes"]
REPLAY_MEMBERS = ["records", "bytes"]
# Columns of an analysis that can be equal. What caches hold depends on the order in which the device runs warps, which differs
# from run to run.
COLUMNS = {"bvh_model": "rays,calls,visits,requests,active,elements,bytes,agree,same_place,borderline,differ,not_checked"}


def record(folder, layer_folder, passes, root, program):
    capture = os.path.join(folder, "noise.wscope")
    environment = dict(os.environ, VK_LAYER_PATH=layer_folder, VK_INSTANCE_LAYERS="VK_LAYER_WARPSCOPE_capture",
                       WARPSCOPE_PASSES=",".join(passes), WARPSCOPE_OUTPUT=capture, WARPSCOPE_BUFFER="1G")
    command = [os.path.join(root, "examples", program[0])] + program[1:] + ["-o", os.path.join(folder, "image.png")]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    if run.returncode == 77:
        print(run.stdout + run.stderr)
        sys.exit(77)
    if run.returncode != 0 or not os.path.exists(capture):
        sys.exit(f"{' '.join(command)} failed:\n{run.stdout}{run.stderr}")
    with open(os.path.join(folder, "image.png"), "rb") as image:
        return image.read()


def without_capture(text):
    report = json.loads(text)
    for member in CAPTURE_MEMBERS:
        report.get("capture", {}).pop(member, None)
    for member in REPLAY_MEMBERS:
        (report["losses"]["replay"] or {}).pop(member, None)
    report["losses"]["left_out"] = [left for left in report["losses"]["left_out"] if left["pass"] != "noise"]
    report["losses"]["messages"] = []
    return json.dumps(report, indent=1)


def without_head(text):
    return re.sub(r"(?s)\A.*?\n\n", "", text)


def reports(folder, root):
    """Every report that the capture has, by analysis and form."""
    command = os.path.join(root, "analysis", "warpscope")
    listing = subprocess.run([command, "list"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  (\w+)  ", listing[listing.index("Analyses"):].split("\n\n")[0], re.M)
    found = {}
    for name in names:
        columns = ["--fields", COLUMNS[name]] if name in COLUMNS else []
        for form in ([], ["--json"], ["--csv"]):
            run = subprocess.run([command, "report", "noise.wscope", name] + form + columns, cwd=folder, capture_output=True,
                                 text=True)
            text = run.stdout
            if run.returncode == 0 and form == ["--json"]:
                text = without_capture(text)
            elif run.returncode == 0 and not form:
                text = without_head(text)
            # Where the driver put things in memory.
            found[name, " ".join(form)] = (run.returncode, re.sub(r"0x7[0-9a-f]{11}", "ADDRESS", text))
    return found


def differences(quiet, noisy):
    found = []
    for key, (code, text) in quiet.items():
        other_code, other = noisy[key]
        if code != other_code:
            found.append(f"{key}: status {other_code} instead of {code}")
        lines, others = text.splitlines(), other.splitlines()
        for line, changed in zip(lines, others):
            if line != changed:
                found.append(f"{key}:\n  quiet {line[:300]}\n  noisy {changed[:300]}")
                break
        else:
            if len(lines) != len(others):
                found.append(f"{key}: {len(others)} lines instead of {len(lines)}")
    return found


def main():
    root, noise_layer, program = sys.argv[1], sys.argv[2], sys.argv[3:]
    manifest = os.path.join(root, "manifests", "explicit", "VkLayer_warpscope_capture.json")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        with open(manifest, encoding="utf-8") as file:
            described = json.load(file)
        described["layer"]["library_path"] = noise_layer
        with open(os.path.join(folder, os.path.basename(manifest)), "w", encoding="utf-8") as file:
            json.dump(described, file)
        image = record(folder, os.path.dirname(manifest), PASSES, root, program)
        quiet = reports(folder, root)
        for at in (0, 3, len(PASSES)):
            os.remove(os.path.join(folder, "noise.wscope"))
            noisy_image = record(folder, folder, PASSES[:at] + ["noise"] + PASSES[at:], root, program)
            found = differences(quiet, reports(folder, root))
            if noisy_image != image:
                found.append("the image is another")
            for difference in found:
                print(f"noise as pass {at}: {difference}")
            failed = failed or bool(found)
    print(f"{sum(1 for code, _ in quiet.values() if code == 0)} reports, each with noise at 3 places")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
