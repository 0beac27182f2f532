#!/usr/bin/env python3
"""usage: plugins.py SOURCE_ROOT COMMAND PROGRAM. Plug-ins in the layer: the example's pass counts what it says, the program draws the
same picture, and a plug-in that does not fit leaves the program as it is, whatever is wrong with it."""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

SOURCE, COMMAND, PROGRAM = (pathlib.Path(name).absolute() for name in sys.argv[1:4])
CC = shlex.split(os.environ.get("CC", "cc"))
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def build(folder, name, *sources, flags=()):
    target = folder / name
    subprocess.run([*CC, "-std=c17", "-w", "-shared", "-fPIC", f"-I{SOURCE}/include", *flags, *sources, "-o", target], check=True)
    return target


def run(folder, *before, **environment):
    """Runs the program; its exit status, messages and picture."""
    picture = folder / "picture.png"
    picture.unlink(missing_ok=True)
    done = subprocess.run([*before, PROGRAM, "--size", "64x64", "-o", picture], capture_output=True, text=True, check=False, timeout=100,
                          env={**os.environ, **environment})
    return done.returncode, done.stderr, picture.read_bytes() if picture.exists() else None


def counted(path, tag):
    """The report has no analysis for the pass: its rows are read from the capture."""
    sys.path.insert(0, str(SOURCE / "library/python"))
    try:
        import warpscope
    except ImportError as error:
        print(f"without the Python module: {error}")
        return None
    return sum(int(counters.executions.sum()) for counters in warpscope.Capture(path).counters("loads", tag))


with tempfile.TemporaryDirectory() as temporary:
    work = pathlib.Path(temporary)
    os.chdir(work)
    status, said, plain = run(work)
    if status != 0 or plain is None:
        print(f"the program does not run: {said}")
        sys.exit(77)
    good = build(work, "loads.so", SOURCE / "examples/plugin/loads.c")
    status, said, picture = run(work, COMMAND, "--plugin", good, "record", "-q", "-p", "loads,simt_efficiency", "-o", work / "c.wscope", "--")
    check(status == 0 and picture == plain, f"with a plug-in: status {status}, {said}")
    report = json.loads(subprocess.run([COMMAND, "report", work / "c.wscope", "opcodes", "--json"], capture_output=True, text=True,
                                       check=True).stdout)
    check("loads" in report["capture"]["passes"], f"passes: {report['capture']['passes']}")
    reads, writes = counted(work / "c.wscope", 0), counted(work / "c.wscope", 1)
    check(reads is None or (reads > 0 and writes > 0), f"{reads} reads, {writes} writes were counted")
    # The layer alone, by its variables, as in a program that `record` has not started.
    layer = {"WARPSCOPE_PASSES": "loads", "WARPSCOPE_OUTPUT": str(work / "d.wscope"), "VK_INSTANCE_LAYERS": "VK_LAYER_WARPSCOPE_capture",
             "VK_ADD_LAYER_PATH": str(COMMAND.parent.parent / "manifests/explicit")}
    status, said, picture = run(work, WARPSCOPE_PLUGINS=str(good), **layer)
    check(status == 0 and picture == plain and (work / "d.wscope").exists(), f"by variables: status {status}, {said}")
    (work / "d.wscope").unlink(missing_ok=True)

    code = good.read_bytes()
    wrong = {"nothing.so": b"", "text.so": b"no code", "half.so": code[: len(code) // 2], "machine.so": code[:18] + b"\x09\x00" + code[20:]}
    for name, data in wrong.items():
        (work / name).write_bytes(data)
    old = work / "old.c"
    old.write_text((SOURCE / "examples/plugin/loads.c").read_text().replace(
        "WS_PASS_PLUGIN(&loads)", "#undef WS_PASS_INTERFACE\n#define WS_PASS_INTERFACE 99u\nWS_PASS_PLUGIN(&loads)"))
    build(work, "old.so", old)
    absent = work / "absent.c"
    absent.write_text("extern void absent(void); void use(void); void use(void) { absent(); }\n")
    build(work, "absent.so", absent)
    for name in [*wrong, "old.so", "absent.so", "not_there.so", "loads.so:text.so"]:
        path = ":".join(str(work / part) for part in name.split(":"))
        status, said, picture = run(work, WARPSCOPE_PLUGINS=path, **layer)
        check(status == 0 and picture == plain, f"{name} harms the program: status {status}, {said}")
        check(name.split(":")[-1] in said, f"{name}: nothing was said of it: {said}")
        check((work / "d.wscope").exists() == name.startswith("loads.so"), f"{name}: a capture is there, or is not")
    # The passes that are there are captured without those of a plug-in that was refused.
    status, said, picture = run(work, WARPSCOPE_PLUGINS=str(work / "old.so"), **{**layer, "WARPSCOPE_PASSES": "loads,simt_efficiency"})
    check(status == 0 and picture == plain and "without its plug-in: loads; the others are captured" in said, f"one pass less: {said}")
    report = json.loads(subprocess.run([COMMAND, "report", work / "d.wscope", "opcodes", "--json"], capture_output=True, text=True,
                                       check=True).stdout)
    check(report["capture"]["passes"] == ["simt_efficiency"], f"passes: {report['capture']['passes']}")
    (work / "d.wscope").unlink()
    # An analysis calls functions of the command, which the layer has not: the layer passes by the file, and says nothing.
    own = work / "own.c"
    own.write_text('#include "analysis/simt/warp_entry_exit.c"\n#include <warpscope/analysis.h>\nstatic struct ws_analysis renamed;\n'
                   "__attribute__((constructor)) static void rename_it(void) { renamed = ws_analysis_warp_entry_exit; renamed.name = \"own\"; }\n"
                   "WS_ANALYSIS_PLUGIN(&renamed)\n")
    analysis = build(work, "own.so", own, flags=(f"-I{SOURCE}", "-D_GNU_SOURCE", "-fvisibility=hidden"))
    status, said, picture = run(work, COMMAND, "--plugin", analysis, "record", "-q", "-p", "warp_entry_exit", "-o", work / "own.wscope", "--")
    check(status == 0 and picture == plain and "plug-in" not in said and "own.so" not in said, f"an analysis in the layer: {status}, {said}")
    reports = [subprocess.run([COMMAND, "--plugin", analysis, "report", work / "own.wscope", name, "--csv"], capture_output=True, text=True,
                              check=False).stdout for name in ("own", "warp_entry_exit")]
    check(reports[0] == reports[1] and reports[0].count("\n") > 1, f"an analysis of a plug-in: {reports}")

    # What lies in the working directory is not loaded, and a settings file cannot name a plug-in.
    status, said, picture = run(work, WARPSCOPE_PLUGINS="loads.so", **layer)
    check(status == 0 and picture == plain and "no absolute path" in said, f"a relative path: {said}")
    (work / "vk_layer_settings.txt").write_text(f"warpscope_capture.plugins = {good}\n")
    status, said, picture = run(work, **layer)
    check(status == 0 and picture == plain and "there is no setting 'plugins'" in said, f"a settings file: {said}")
print("\n".join(failures) or "the program is unharmed")
sys.exit(1 if failures else 0)
