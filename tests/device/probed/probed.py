#!/usr/bin/env python3
"""usage: probed.py COMMAND PROBED FOLDER. Probes in shaders that they meet seldom (probed.c). Every answer follows from the ids of
the threads and from the shaders' sources, and the program writes with probes what it writes without."""

import json
import os
import subprocess
import sys
import tempfile

COMMAND, PROBED, FOLDER = [os.path.abspath(path) for path in sys.argv[1:4]]
BUDGET = "left out by the budget of sites of a shader (WARPSCOPE_SITES_BUDGET=0 takes all)"
WIDTH, HEIGHT = 40, 24  # of drawings
failed = False

DEMOTE = """\
//! output before: sum uint
//! output between: sum uint
//! output after: sum uint
//! output halves: sum float
//! output least: min uint
//! output most: max float
//! output rows: histogram linear 0 24 4 uint
//! output columns: table { bool odd; }
//! output top: values 2 uint
//! output some: sample 3 { uint x; uint y; }
//! output alive: record { uint x; uint y; }
//! output early: lanes
//! output late: lanes
//! output ends: count
//! after OpFMul in fragment
void one() { add(before, pixel().x); }
//! after OpFDiv in fragment
void two() { add(between, pixel().x); count_warp(early); }
//! after OpFNegate in fragment
void three()
{
    const uvec2 at = pixel();
    add(after, at.x);
    add(halves, float(at.x) * 0.5);
    value(least, at.x);
    value(most, float(at.x));
    value(rows, at.y);
    add(columns, (at.x & 1) == 1);
    value(top, at.y / 8);
    sample(some, at.x, at.y);
    record(alive, at.x, at.y);
    count_warp(late);
}
//! entry end in fragment
void ended() { count(ends); }
"""

STAGES = """\
//! output all: count
//! output vertices: count
//! output columns: sum uint
//! output least: min float
//! after OpFNegate
void turned(float result) { count(all); value(least, result); }
//! after OpFNegate in vertex
void of_vertex() { count(vertices); }
//! after OpFNegate in fragment
void of_fragment() { add(columns, pixel().x); }
"""

ENTRIES = """\
//! output all: sum uint
//! output begun: count
//! output own: sum uint
//! output turned: count
//! output works: sum uint
//! output began: sum uint
//! output ended: sum uint
uint id = 1000;
//! after OpIMul
void multiplied(uint result) { add(all, result); add(works, work()); }
//! entry begin
void each() { id = work(); add(began, id); }
//! entry end
void last() { add(ended, id); }
//! entry begin shader first
void begin() { count(begun); }
//! after OpIMul shader second
void of_second(uint result) { add(own, result); }
//! after OpBitwiseXor shader second
void turn() { count(turned); }
"""

LEFT_OUT = """\
//! output sums: sum uint
//! output less: count
//! after OpIAdd
void added(uint result) { add(sums, result); }
//! after OpISub
void lessened() { count(less); }
"""

MODEL = """\
//! output total: sum uint
//! output halves: sum float
//! output least: min float
//! output most: max uint
//! output groups: table { uint group; }
//! output parts: values 2 uint
//! output size: histogram log2 uint
//! output some: sample 2 { uint work; uint value; }
//! output all: record { uint work; uint value; }
//! output warps: lanes
//! output atomics: count
uint seen = 0;
//! after OpIMul
void multiplied(uint result)
{
    seen = result;
    add(total, result);
    add(halves, float(result) * 0.5);
    value(least, -float(result));
    value(most, result);
    add(groups, work() / 64);
    value(parts, work() / 96);
    value(size, work());
    sample(some, work(), result);
    record(all, work(), result);
    count_warp(warps);
}
//! before atomic
void reached() { if (seen == work() * 3) count(atomics); }
"""

BASE = """\
//! output all: record { uint x; uint y; }
//! output least: min uint
//! output most: max uint
//! entry begin in compute
void begin()
{
    const uvec2 at = pixel();
    record(all, at.x, at.y);
    value(least, at.y * 1000 + at.x);
    value(most, at.y * 1000 + at.x);
}
"""


def expect(what, found, expected):
    global failed
    if found != expected:
        print(f"{what}: {found!r} instead of {expected!r}")
        failed = True


def record(case, probe, passes="simt_efficiency", **settings):
    """The report of a recording, of all analyses. Without `passes` the probe is alone."""
    environment = dict(os.environ, **settings)
    environment.pop("WARPSCOPE_PASSES", None)
    path = os.path.join(temporary, case)
    with open(path + ".glsl", "w", encoding="utf-8") as file:
        file.write(probe)
    plain = subprocess.run([PROBED, case, FOLDER], capture_output=True, check=True, env=dict(os.environ, VK_INSTANCE_LAYERS=""))
    options = ["--probe", path + ".glsl", "-o", path + ".wscope", *(["-p", passes] if passes else [])]
    made = subprocess.run([COMMAND, "record", *options, "--", PROBED, case, FOLDER], capture_output=True, env=environment, check=False)
    if made.returncode != 0:
        sys.exit(f"{case}: {made.returncode}: {made.stderr.decode()}")
    expect(f"what {case} wrote", made.stdout == plain.stdout, True)
    shown = subprocess.run([COMMAND, "report", path + ".wscope", "all", "--json"], capture_output=True, text=True, check=True)
    report = json.loads(shown.stdout)
    expect(f"messages of {case}", report["losses"]["messages"], [])
    return report


def row(table, output, **keys):
    found = [one for one in table if one["output"] == output and all(one[key] == value for key, value in keys.items())]
    expect(f"rows of {output} {keys}", len(found), 1)
    return found[0] if found else {}


def values(found, expected):
    """The value of each output, in all."""
    for output, value in expected.items():
        expect(output, row(found["outputs"], output).get("value"), value)


def left_out(report, kind):
    return [(one["reason"], one["count"], one["shaders"]) for one in report["losses"]["left_out"] if one["kind"] == kind]


def lanes(found, output):
    """How many threads its warps had, and the most of one warp."""
    bins = [(one["bin_from"], one["count"]) for one in found["bins"] if one["output"] == output]
    return sum(size * count for size, count in bins), max(size for size, _ in bins)


def check_demote():
    """Columns 1, 3, ... 39 go on behind the first demotion; of these rows 0 to 11 behind the second."""
    found = record("demote", DEMOTE)["analyses"]["probe"]
    odd = range(1, WIDTH, 2)
    values(found, {"before": sum(range(WIDTH)) * HEIGHT, "between": sum(odd) * HEIGHT, "after": sum(odd) * 12,
                   "halves": sum(odd) * 6, "least": 1, "most": 39, "ends": WIDTH * HEIGHT})
    for output in ("least", "most", "rows", "columns", "top", "some", "alive"):
        expect(f"count of {output}", row(found["outputs"], output).get("count"), len(odd) * 12)
    thread = row(found["outputs"], "least").get("thread")
    expect("thread of least", thread in (None, "1,0"), True)  # known where the device has 64-bit atomics
    bins = {one["bin"]: one["count"] for one in found["bins"] if one["output"] == "rows"}
    expect("rows", {name: count for name, count in bins.items() if count != 0}, {"0 up to 6": 120, "6 up to 12": 120})
    entries = {(one["output"], *one["keys"].values()): one["count"] for one in found["entries"]}
    expect("tables", entries, {("columns", True): 240, ("top", 0): 160, ("top", 1): 80})
    samples = [one["fields"] for one in found["records"] if one["output"] == "some"]
    expect("samples", [one["x"] % 2 == 1 and one["y"] < 12 for one in samples], [True] * 3)
    alive = sorted((one["fields"]["y"], one["fields"]["x"], one["recorded_by"]) for one in found["records"] if one["output"] == "alive")
    expect("who is alive", alive, [(y, x, f"{x},{y}") for y in range(12) for x in odd])
    # One lane of each two next to each other is a helper.
    size = found["launches"][0]["subgroup_size"]
    for output, threads in (("early", 480), ("late", 240)):
        whole, most = lanes(found, output)
        expect(f"lanes of {output}", (whole, most <= size // 2), (threads, True))


def check_stages():
    """Below zero are x of the vertices 0 and 2, and x + 0.5 - 20 of the pixels in columns 0 to 19."""
    found = record("stages", STAGES)["analyses"]["probe"]
    values(found, {"all": 2 + 20 * HEIGHT, "vertices": 2, "columns": sum(range(20)) * HEIGHT, "least": 0.5})
    for stage, count, least in (("vertex", 2, 1), ("fragment", 20 * HEIGHT, 0.5)):
        expect(f"all in {stage}", row(found["shaders"], "all", stage=stage).get("value"), count)
        expect(f"least in {stage}", row(found["shaders"], "least", stage=stage).get("value"), least)
    expect("stages of filtered rules", [(one["output"], one["stage"]) for one in found["shaders"] if one["output"] in ("vertices", "columns")],
           [("vertices", "vertex"), ("columns", "fragment")])


def check_stage():
    """The setting stages leaves the other stage of the module out, which shares a function with the one that it names."""
    for chosen, every, least in (("vertex", 2, 1), ("fragment", 20 * HEIGHT, 0.5)):
        report = record("stages", STAGES, WARPSCOPE_STAGES=chosen)
        found = report["analyses"]["probe"]
        fragment = chosen == "fragment"
        values(found, {"all": every, "least": least, "vertices": 0 if fragment else 2,
                       "columns": sum(range(20)) * HEIGHT if fragment else 0})
        expect(f"stages with {chosen}", {one["stage"] for one in found["shaders"]}, {chosen})


FIRST = 3 * sum(range(128))
SECOND = 3 * sum(range(96))


def check_entries():
    """128 threads of the first, 96 of the second; both triple their id in one function."""
    report = record("entries", ENTRIES)
    found = report["analyses"]["probe"]
    works = (FIRST + SECOND) // 3
    values(found, {"all": FIRST + SECOND, "begun": 128, "turned": 96, "own": 0, "works": works, "began": works, "ended": works})
    for shader, value in (("first", FIRST), ("second", SECOND)):
        expect(f"all in {shader}", row(found["shaders"], "all", shader="entries.spv:" + shader).get("value"), value)
    expect("shaders of filtered rules", sorted((one["output"], one["shader"]) for one in found["shaders"] if one["output"] in ("begun", "own", "turned")),
           [("begun", "entries.spv:first"), ("turned", "entries.spv:second")])
    # What one of them wants cannot stand in the function of both.
    shared = "other shaders, which the probe does not want, share the function"
    expect("left out", left_out(report, "site"), [(shared, 1, ["entries.spv:first", "entries.spv:second"])])


def check_chosen():
    """The setting shaders leaves one out: it runs as it was, and the other's figures are as before."""
    for chosen, value, others in (("first", FIRST, {"begun": 128, "turned": 0}), ("second", SECOND, {"begun": 0, "turned": 96})):
        report = record("entries", ENTRIES, WARPSCOPE_SHADERS=chosen)
        found = report["analyses"]["probe"]
        values(found, {"all": value, "works": value // 3, "began": value // 3, "ended": value // 3, **others})
        expect("shaders", {one["shader"] for one in found["shaders"]}, {"entries.spv:" + chosen})
        other = "second" if chosen == "first" else "first"
        expect("the other one", left_out(report, "shader"), [("not chosen by the setting shaders", 1, ["entries.spv:" + other])])


def check_budget():
    """One site in "first", and one that "second" has 40 times: it comes as a whole, or not at all."""
    sums = FIRST + 128
    for budget, less, out in (("0", 40 * 96, []), ("1000", 40 * 96, []), ("39", 0, [(BUDGET, 1, ["entries.spv:second"])])):
        report = record("entries", LEFT_OUT, passes=None, WARPSCOPE_SITES_BUDGET=budget)
        found = report["analyses"]["probe"]
        values(found, {"sums": sums, "less": less})
        expect(f"left out with {budget}", left_out(report, "site"), out)
        expect(f"left out by the probe with {budget}", [(one["count"], one["reason"]) for one in found["skipped"]],
               [(1, BUDGET)] if out else [])
        expect(f"shaders left out with {budget}", left_out(report, "shader"),
               [("every place there that the passes want is left out", 1, ["entries.spv:second"])] if out else [])


def check_model(case):
    """192 threads triple their id, and run two atomics."""
    found = record(case, MODEL)["analyses"]["probe"]
    total = 3 * sum(range(192))
    values(found, {"total": total, "halves": total / 2, "least": -573, "most": 573, "atomics": 384})
    entries = {(one["output"], *one["keys"].values()): one["count"] for one in found["entries"]}
    expect("tables", entries, {("groups", 0): 64, ("groups", 1): 64, ("groups", 2): 64, ("parts", 0): 96, ("parts", 1): 96})
    bins = {one["bin_from"]: one["count"] for one in found["bins"] if one["output"] == "size"}
    expect("size", {start: count for start, count in bins.items() if count != 0},
           {0: 1, 1: 1, 2: 2, 4: 4, 8: 8, 16: 16, 32: 32, 64: 64, 128: 64})
    samples = [one["fields"] for one in found["records"] if one["output"] == "some"]
    expect("samples", [one["value"] == 3 * one["work"] for one in samples], [True, True])
    every = sorted((one["fields"]["work"], one["fields"]["value"], one["recorded_by"]) for one in found["records"] if one["output"] == "all")
    expect("records", every, [(i, 3 * i, f"{i},0") for i in range(192)])
    expect("lanes", lanes(found, "warps"), (192, found["launches"][0]["subgroup_size"]))


def check_base():
    """24 x 8 threads in each launch, from the thread on where the base is: 8 x 4 threads are a group."""
    report = record("base", BASE, passes="execution_trace")
    found = report["analyses"]["probe"]
    for launch, (x, y, z) in enumerate(((0, 0, 0), (16, 4, 0), (32, 20, 1))):
        behind = f",{z}" if z else ""
        ids = [(column, line) for line in range(y, y + 8) for column in range(x, x + 24)]
        records = [(one["recorded_by"], one["fields"]["x"], one["fields"]["y"]) for one in found["records"] if one["launch"] == launch]
        expect(f"records of launch {launch}", sorted(records), sorted((f"{i},{j}{behind}", i, j) for i, j in ids))
        for output, (i, j) in (("least", ids[0]), ("most", ids[-1])):
            extreme = row(found["launches"], output, launch=launch)
            expect(f"{output} of launch {launch}", extreme.get("value"), j * 1000 + i)
            if extreme.get("thread") is not None:  # known where the device has 64-bit atomics
                expect(f"thread of {output} of launch {launch}", extreme["thread"], f"{i},{j}{behind}")


with tempfile.TemporaryDirectory() as temporary:
    if subprocess.run([PROBED, "nothing", FOLDER], capture_output=True, check=False, env=dict(os.environ, VK_INSTANCE_LAYERS="")).returncode:
        print("there is no device for it")
        sys.exit(77)
    check_demote()
    check_stages()
    check_stage()
    check_entries()
    check_chosen()
    check_budget()
    check_model("model")
    check_model("model_device")
    check_base()
sys.exit(1 if failed else 0)
