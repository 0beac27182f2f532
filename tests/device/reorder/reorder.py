#!/usr/bin/env python3
"""What `report reorder` predicts of threads sorted by the shaders that they call, against a run that sorts them.

usage: reorder.py WARPSCOPE PATH_TRACER FAULTS [SCENE]

With SCENE only that one is compared.

The path tracer draws each scene as threads meet materials (`--order launch`), and in waves: hits sorted by the shaders that
they run (sorted), or only closed up (wavefront). All draw the same picture. Of the first the report predicts what warps
execute in the others: for every shader that rays and callables run, exactly as many blocks and slots, and the same causes of idle ones. How far the shader
that traces is the same in both is no question: its code is another one.

Where two hit groups have one shader, the device runs it for each, and the model once: the report says of how many executions
this is so, and the efficiency that it predicts is within two points.
"""
import csv
import os
import subprocess
import sys
import tempfile

SCENES = {
    "primary rays": ["--scene", "open", "--materials", "1", "--bounces", "0"],
    "few materials": ["--materials", "3", "--bounces", "1"],
    "many materials": ["--materials", "12", "--bounces", "1"],
    "128 materials": ["--materials", "128", "--bounces", "1"],
    "uneven loops": ["--materials", "4", "--uneven", "--bounces", "1"],
    "open sky": ["--scene", "open", "--materials", "6", "--bounces", "2"],
    "glass": ["--glass", "--bounces", "6"],
}
LONG = ["128 materials"]  # to compile: by name only
# The room and the screen have one hit shader with --order launch, and two in waves, which also choose between patches.
ONE_SHADER = ["--bounces", "2"]
KEYS = {"sorted": "called", "wavefront": "packed"}
CAUSES = ["partial_warp", "indirect_call", "control_flow"]
FIELDS = [f"{cause}_{when}" for when in ("before", "after") for cause in CAUSES] + ["executions_before", "slots_before", "active_slots", "executions_after", "slots_after"]


def record(folder, warpscope, path_tracer, order, scene):
    """Records one run: the path of its capture, and the picture."""
    capture, picture = f"{folder}/{order}.wscope", f"{folder}/{order}.png"
    command = [warpscope, "record", "-q", "-p", "divergence", "--shaders", "!sort.comp", "-o", capture, "--",
               path_tracer, "--size", "48x32", "--samples", "1", "--order", order, "-o", picture, *scene]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "path_tracer:" in done.stdout and not os.path.exists(picture):
        print(f"no device that traces rays: {done.stdout.strip()}")
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stdout}")
    with open(picture, "rb") as file:
        return capture, file.read()


def figures(warpscope, capture, site, key, window):
    """What runs behind the rays of a shader, by the shader that runs: the sums of its figures."""
    command = [warpscope, "report", capture, "reorder", "--csv", "--rows", "0", "--by", "call_site,key,window,ran",
               "--fields", "ran," + ",".join(FIELDS), "--filter", f"call_site = traceRay at {site}*",
               "--filter", f"key = {key}", "--filter", f"window = {window}"]
    found = {}
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    for row in csv.DictReader(text.splitlines()):
        if not row["ran"].startswith(("raygen.rgen", "shade.rgen")):
            found[row["ran"]] = {name: int(row[name]) for name in FIELDS}
    return found


def total(found, name):
    return sum(row[name] for row in found.values())


def idle(row, when):
    """Idle slots of a row by cause: of lanes whose thread is not in the shader, and of the others. A wave begins with as many
    threads as pixels, of which those without a hit end at once: its last warp has threads where the model has none."""
    return [row.get(f"partial_warp_{when}", 0) + row.get(f"indirect_call_{when}", 0), row.get(f"control_flow_{when}", 0)]


def check_causes(name, order, predicted, measured):
    """Idle slots have the causes that are predicted, and each has one."""
    faults = []
    for ran in sorted(predicted.keys() | measured.keys()):
        expected, got = idle(predicted.get(ran, {}), "after"), idle(measured.get(ran, {}), "before")
        if expected != got:
            faults.append(f"{name}, {order}: {ran}: idle slots elsewhere and by control flow are predicted to be {expected}, "
                          f"and are {got}")
    for found, when in ((predicted, "before"), (predicted, "after"), (measured, "before")):
        slots, caused = total(found, f"slots_{when}"), sum(sum(idle(row, when)) for row in found.values())
        if slots - total(found, "active_slots") != caused:
            faults.append(f"{name}, {order}: of {slots} slots {caused} have a cause, {when}")
    parts = [[sum(idle(row, when)[i] for row in found.values()) for i in range(2)]
             for found, when in ((predicted, "before"), (predicted, "after"), (measured, "before"))]
    print(f"{name}, {order}: idle slots in other shaders and by control flow: {parts[0]} -> {parts[2]}")
    return faults


def check(warpscope, path_tracer, name, scene, orders):
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        capture, picture = record(folder, warpscope, path_tracer, "launch", scene)
        # As it was, by the model that predicts: nothing is sorted in windows of one warp.
        for ran, row in figures(warpscope, capture, "raygen.rgen", "called", "1").items():
            if row["executions_before"] != row["executions_after"]:
                faults.append(f"{name}: of {ran} the model has {row['executions_after']} executions, the device "
                              f"{row['executions_before']}")
        for order in orders:
            predicted = figures(warpscope, capture, "raygen.rgen", KEYS[order], "all")
            other, its_picture = record(folder, warpscope, path_tracer, order, scene)
            measured = figures(warpscope, other, "shade.rgen", KEYS[order], "all")
            if picture != its_picture:
                faults.append(f"{name}: --order {order} draws another picture")
            for ran in sorted(predicted.keys() | measured.keys()):
                expected = [predicted.get(ran, {}).get(field, 0) for field in ("active_slots", "executions_after", "slots_after")]
                got = [measured.get(ran, {}).get(field, 0) for field in ("active_slots", "executions_before", "slots_before")]
                if expected != got:
                    faults.append(f"{name}, {order}: {ran}: active slots, executions and slots are predicted to be "
                                  f"{expected}, and are {got}")
            faults += check_causes(name, order, predicted, measured)
            if total(measured, "slots_before") == 0:
                faults.append(f"{name}, {order}: nothing ran")
                continue
            before = total(predicted, "active_slots") / total(predicted, "slots_before")
            after = total(measured, "active_slots") / total(measured, "slots_before")
            print(f"{name}, {order}: executions {total(predicted, 'executions_before')} -> "
                  f"{total(measured, 'executions_before')}, efficiency {100 * before:.1f} % -> {100 * after:.1f} %")
            if order == "sorted" and after <= before:
                faults.append(f"{name}: sorting does not help")
    return faults


def check_one_shader(warpscope, path_tracer):
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        capture, _ = record(folder, warpscope, path_tracer, "launch", ONE_SHADER)
        alone = figures(warpscope, capture, "raygen.rgen", "called", "1")
        predicted = figures(warpscope, capture, "raygen.rgen", "called", "all")
        other, _ = record(folder, warpscope, path_tracer, "sorted", ONE_SHADER)
        measured = figures(warpscope, other, "shade.rgen", "called", "all")
        apart = {ran: row["executions_before"] - row["executions_after"] for ran, row in alone.items()}
        if apart.pop("mesh.rchit:main") <= 0 or any(apart.values()):
            faults.append(f"one shader: not only its executions are apart: {alone}")
        said = subprocess.run([warpscope, "report", capture, "reorder"], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True).stdout
        if "apart that a warp could make" not in said:
            faults.append(f"one shader: it is not said that the device runs its groups apart: {said}")
        after = total(predicted, "active_slots") / total(predicted, "slots_after")
        got = total(measured, "active_slots") / total(measured, "slots_before")
        print(f"one shader: efficiency is predicted to be {100 * after:.1f} %, and is {100 * got:.1f} %")
        if abs(after - got) > 0.02:
            faults.append(f"one shader: {predicted} and {measured} are too far apart")
    return faults


def check_lines(warpscope, path_tracer, program):
    """What to write is said where sorting is worth it, and where all threads do one thing it is not. The state over the path
    tracer's ray is its payload, 68 bytes (radiance, done, origin, sharp, direction, weight, random), and what the shader
    keeps: radiance, weight, sum, 12 each, pixel 8, bounce and i. Threads write and read it in a wavefront, which has a launch for the first ray
    and one for the second."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        capture, _ = record(folder, warpscope, path_tracer, "launch", SCENES["few materials"])
        said = subprocess.run([warpscope, "report", capture, "reorder"], check=True, stdout=subprocess.PIPE, text=True).stdout
        if "reorderThreadEXT(hit, <material>," not in said:
            faults.append(f"it is not said what to write: {said}")
        # Hit shaders run callables: GLSL, HLSL and Slang let no shader but ray generation sort threads.
        written = said[said.index("What to write"):].split("\n  At ")[1:]
        of_hits = [one for one in written if ".rchit:main" in one.splitlines()[0]]
        if not of_hits or any("But only ray generation shaders may" not in one or "GLSL" in one for one in of_hits):
            faults.append(f"threads of hit shaders are to be sorted where no language lets them: {said}")
        found = subprocess.run([warpscope, "summary", capture], check=True, stdout=subprocess.PIPE, text=True).stdout
        if "Sort threads where they call: traceRay at raygen.rgen" not in found:
            faults.append(f"the summary does not say that threads are to be sorted: {found}")
        states = subprocess.run([warpscope, "report", capture, "reorder", "--csv", "--by", "call_site",
                                 "--fields", "state,thread_calls,moved_bytes,later_launches",
                                 "--filter", "call_site = traceRay at raygen*"], check=True, stdout=subprocess.PIPE, text=True)
        state, calls, moved, launches = [int(value) for value in states.stdout.split()[1].split(",")]
        if state != 120 or calls < 48 * 32 or moved != calls * 2 * 120 or launches != 2:
            faults.append(f"the state over the ray is {states.stdout}")
        coherent = f"{folder}/coherent.wscope"
        subprocess.run([warpscope, "record", "-q", "-p", "divergence", "-o", coherent, "--", program, "opaque", "-o",
                        f"{folder}/coherent.png"], check=True)
        said = subprocess.run([warpscope, "report", coherent, "reorder"], check=True, stdout=subprocess.PIPE, text=True).stdout
        if "Reordering: efficiency" not in said or "Worth sorting" in said or "What to write" in said:
            faults.append(f"a coherent program is to be sorted: {said}")
        found = subprocess.run([warpscope, "summary", coherent, "--rows", "0"], check=True, stdout=subprocess.PIPE, text=True)
        if "Sort threads where they call" in found.stdout:
            faults.append(f"the summary sorts threads of a coherent program: {found.stdout}")
    return faults


def main():
    warpscope, path_tracer, program, *names = sys.argv[1:]
    faults = []
    if not names:
        faults += check_lines(warpscope, path_tracer, program)
        faults += check_one_shader(warpscope, path_tracer)
    for name in names or [name for name in SCENES if name not in LONG]:
        faults += check(warpscope, path_tracer, name, SCENES[name], KEYS if name == "many materials" else ["sorted"])
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
