#!/usr/bin/env python3
"""Checks what probes yield in a real program, from the probe file to the report.

Usage: probes.py COMMAND PATH_TRACER

The path tracer draws the same picture in several frames, each a submission of its own. It counts itself how often each
of its shaders ran (--count); a probe at the beginning of entry points must say the same, by shader and in all. Probes
of every kind get the work id of each thread, 0 to N - 1 in each frame, so that each answer follows from N. All other
figures must be those of a recording without probes.
"""
import json
import os
import subprocess
import sys
import tempfile

COMMAND, PATH_TRACER = [os.path.abspath(path) for path in sys.argv[1:3]]
WIDTH, HEIGHT, FRAMES = 16, 8, 3
THREADS = WIDTH * HEIGHT

RUNS = """\
//! output runs: count
//! entry begin
void begin() { count(runs); }
//! after OpBitReverse
void never(uint result) { count(runs); }
"""

WORK = """\
//! output calls: count per shader
//! output total: sum uint per shader
//! output below: sum int
//! output halves: sum float
//! output least: min float
//! output most: max uint
//! output even: histogram linear 16 112 3 uint
//! output size: histogram log2 uint
//! output parts: values 4 uint
//! output pairs: table 4 { uint row; bool odd; } per shader
//! output first: sample 2 { uint work; float value; }
//! output all: record { uint work; int negative; }
//! output warps: lanes
//! output odd: lanes per shader
//! entry begin in raygen
void begin()
{
    uint id = work();
    if (subgroupAll(id < 128) && pixel() == uvec2(id % 16, id / 16))
        count(calls);
    add(total, id);
    add(below, -int(id));
    add(halves, float(id) * 0.5);
    value(least, -float(id));
    value(most, id);
    value(even, id);
    value(size, min(id, subgroupMax(id)));
    value(parts, id / 32);
    add(pairs, id / 64, (id & 1) == 1);
    sample(first, id, float(id) + 0.25);
    record(all, id, -int(id));
    count_warp(warps);
    if (id % 2 == 1)
        count_warp(odd);
}
"""

STEPS = """\
//! output steps: record { uint number; }
uint number = 0;
//! after OpFMul in raygen
void multiplied()
{
    if (work() == 0)
        record(steps, number++);
}
"""

FULL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/probes/simt_efficiency.glsl")

failed = False
said = ""  # by the last recording


def expect(what, found, expected):
    global failed
    if found != expected:
        print(f"{what}: {found!r} instead of {expected!r}")
        failed = True


def run(arguments, **more):
    result = subprocess.run(arguments, capture_output=True, text=True, **more)
    if result.returncode == 77:
        print(result.stdout + result.stderr)
        sys.exit(77)
    if result.returncode != 0:
        sys.exit(f"{' '.join(arguments)} failed with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def odd_folder(folder):
    """A folder for temporary files whose name cannot stand in a list of paths."""
    path = os.path.join(folder, "odd:folder")
    os.makedirs(path, exist_ok=True)
    return path


def record(folder, name, probes, passes, blobs=()):
    """Records the path tracer with probe files, and with compiled probes; the report on everything, and what it counted
    itself."""
    capture = os.path.join(folder, name + ".wscope")
    program = [PATH_TRACER, "--size", f"{WIDTH}x{HEIGHT}", "-n", "1", "-b", "2", "-f", str(FRAMES), "--count",
               "-o", os.path.join(folder, "picture.png")]
    options = [option for probe in probes for option in ("--probe", probe)]
    environment = dict(os.environ, TMPDIR=odd_folder(folder))
    if blobs:
        environment["WARPSCOPE_PROBES"] = ":".join(blobs)
    global said
    made = run([COMMAND, "record", "-p", passes, "-o", capture] + options + ["--"] + program, env=environment)
    counts = dict(line.split() for line in made.stdout.splitlines() if len(line.split()) == 2 and line.split()[1].isdigit())
    said = made.stderr
    report = json.loads(run([COMMAND, "report", capture, "all", "--json"]).stdout)
    with open(os.path.join(folder, "picture.png"), "rb") as picture:
        return report, {shader: int(count) for shader, count in counts.items()}, picture.read()


def rows(table, probe, output):
    return [row for row in table if row["probe"] == probe and row["output"] == output]


def row(table, probe, output):
    found = rows(table, probe, output)
    expect(f"rows of {probe}.{output}", len(found), 1)
    return found[0] if found else {}


def check_runs(found, counts):
    expect("runs in all", row(found["outputs"], "runs", "runs").get("count"), sum(
        count for shader, count in counts.items() if shader != "screen_ignored"))
    by_shader = {shader["shader"].split(".")[0] + "." + shader["stage"]: shader["count"]
                 for shader in rows(found["shaders"], "runs", "runs")}
    for own, shader in (("raygen", "raygen.raygen"), ("mesh", "mesh.closest_hit"), ("shadow", "shadow.miss"),
                        ("sphere_hit", "sphere.closest_hit"), ("sphere_intersection", "sphere.intersection"),
                        ("screen", "screen.any_hit"), ("diffuse", "diffuse.callable")):
        expect(f"runs of {own}", by_shader.get(shader), counts[own])
    launches = [launch["count"] for launch in rows(found["launches"], "runs", "runs")]
    expect("launches", len(launches), FRAMES)
    expect("frames are equal", len(set(launches)), 1)
    expect("rules that fit nothing", [rule["probe"] for rule in found["unmatched"]], ["runs"])


def check_numbers(found):
    outputs = found["outputs"]
    total = FRAMES * THREADS * (THREADS - 1) // 2
    for output, value in (("calls", FRAMES * THREADS), ("total", total), ("below", -total), ("halves", total / 2),
                          ("least", 1 - THREADS), ("most", THREADS - 1)):
        found_row = row(outputs, "work", output)
        expect(output, found_row.get("value"), value)
        expect(f"count of {output}", found_row.get("count"), FRAMES * THREADS)
    expect("mean", row(outputs, "work", "halves").get("mean"), (THREADS - 1) / 4)
    for output in ("least", "most"):
        # Threads are known where the device has 64-bit atomics.
        if row(outputs, "work", output).get("thread") is not None:
            expect(f"thread of {output}", row(outputs, "work", output)["thread"], f"{WIDTH - 1},{HEIGHT - 1}")
        expect(f"launch of {output}", row(outputs, "work", output).get("thread_launch"), 0)
    for launch in rows(found["launches"], "work", "total"):
        expect(f"launch {launch['launch']}", launch["value"], total // FRAMES)
    expect("lines have what has a place", row(found["lines"], "work", "below").get("value"), -total)
    expect("what is of a shader has no line", rows(found["lines"], "work", "total"), [])


def check_lists(found):
    bins = {bin["bin"]: bin["count"] for bin in rows(found["bins"], "work", "even")}
    expect("even", bins, {"below 16": 16 * FRAMES, "16 up to 48": 32 * FRAMES, "48 up to 80": 32 * FRAMES,
                          "80 up to 112": 32 * FRAMES, "112 and above": 16 * FRAMES})
    bins = {bin["bin_from"]: bin["count"] for bin in rows(found["bins"], "work", "size")}
    expect("size", bins, {0: FRAMES, **{2**i: 2**i * FRAMES for i in range(7)}})
    entries = {entry["keys"]["value"]: entry["count"] for entry in rows(found["entries"], "work", "parts")}
    expect("parts", entries, {i: 32 * FRAMES for i in range(4)})
    entries = {(entry["keys"]["row"], entry["keys"]["odd"]): entry["count"]
               for entry in rows(found["entries"], "work", "pairs")}
    expect("pairs", entries, {(i, odd): 32 * FRAMES for i in range(2) for odd in (False, True)})
    samples = [sample["fields"] for sample in rows(found["records"], "work", "first")]
    expect("samples", len(samples), 2 * FRAMES)
    expect("fields of samples", [sample["value"] - sample["work"] for sample in samples], [0.25] * len(samples))
    records = rows(found["records"], "work", "all")
    expect("records", sorted((one["launch"], one["recorded_by"], one["fields"]["work"], one["fields"]["negative"])
                             for one in records),
           sorted((launch, f"{i % WIDTH},{i // WIDTH}", i, -i) for launch in range(FRAMES) for i in range(THREADS)))


def check_order(found):
    """What one thread recorded at several lines stands in the order in which it did."""
    steps = rows(found["records"], "steps", "steps")
    expect("lines of steps", len({step["line"] for step in steps}) > 1, True)
    for launch in range(FRAMES):
        numbers = [step["fields"]["number"] for step in steps if step["launch"] == launch]
        expect("order of steps", numbers, list(range(len(numbers))))


def check_lanes(found):
    """simt_efficiency.glsl says at every block what the pass of that name does."""
    probe, own = found["probe"], found["simt_efficiency"]
    full = row(probe["outputs"], "simt_efficiency", "full")
    expect("executions", full.get("count"), own["total"]["executions"])
    expect("SIMT efficiency", full.get("efficiency"), own["total"]["efficiency"])
    bins = {str(int(bin["bin_from"])): bin["count"] for bin in rows(probe["bins"], "simt_efficiency", "full")}
    expect("lanes", bins, {lanes: count for lanes, count in own["total"]["histogram"].items() if count > 0})
    starts = {}
    for block in own["blocks"]:
        starts.setdefault(block["shader_id"], []).append(block["offset"])
    places = {}
    for place in rows(probe["sites"], "simt_efficiency", "full"):
        block = max(offset for offset in starts[place["shader_id"]] if offset <= place["offset"])
        places[place["shader_id"], block] = place["count"], place["efficiency"]
    expect("blocks", places, {(block["shader_id"], block["offset"]): (block["executions"], block["efficiency"])
                              for block in own["blocks"] if block["executions"] > 0})
    size = own["launches"][0]["subgroup_size"]
    for output, lanes in (("warps", size), ("odd", size // 2)):
        expect(output, [(bin["bin_from"], bin["count"]) for bin in rows(probe["bins"], "work", output)],
               [(lanes, FRAMES * THREADS // size)])
        expect(f"efficiency of {output}", row(probe["outputs"], "work", output).get("efficiency"), lanes / size)
        expect(f"mean of {output}", row(probe["outputs"], "work", output).get("mean"), lanes)


def check_lines(capture, found):
    """The lines of the shaders have what the report says of them, in JSON and in text."""
    shaders = json.loads(run([COMMAND, "annotate", capture, "--as", "source", "--json"]).stdout)["shaders"]
    yields = {}
    for shader in shaders:
        for line in shader["lines"]:
            for one in line.get("yields", []):
                if one["value"] is not None:
                    key = one["output"], shader["files"][line["file"]]["name"], line["number"]
                    yields[key] = yields.get(key, 0) + one["value"]
    expect("sums by line", {key: value for key, value in yields.items() if key[0] == "below"},
           {(line["output"], line["file"], line["line"]): line["value"] for line in rows(found["lines"], "work", "below")})
    expect("counts by line", {key: value for key, value in yields.items() if key[0] == "runs"},
           {(line["output"], line["file"], line["line"]): line["value"] for line in rows(found["lines"], "runs", "runs")})
    text = run([COMMAND, "annotate", capture, "--as", "source", "--shader", "raygen*"]).stdout
    total = row(found["outputs"], "work", "below")["value"]
    expect("the line in text", f"work.below {total} of {FRAMES * THREADS}" in text, True)


def check_forms(capture, probe):
    """Each form has all that was yielded: beside its lines, above them (outputs per shader), or below them."""
    wanted = {}
    for row in probe["shaders"]:
        if row["count"] > 0:
            wanted[(row["shader_id"], row["probe"], row["output"])] = row["count"]
    for form in ("source", "glsl", "spirv"):
        said = run([COMMAND, "annotate", capture, "--as", form, "--json"]).stdout
        found = {}
        for shader in json.loads(said)["shaders"]:
            lines = [one for line in shader["lines"] for one in line.get("yields", [])]
            for one in lines + shader.get("yields", []) + shader.get("yields_elsewhere", []):
                key = (shader["shader_id"], one["probe"], one["output"])
                found[key] = found.get(key, 0) + one["count"]
            if form == "glsl" and shader["stage"] == "raygen":
                expect("GLSL has yields beside its lines", len(lines) > 0, True)
        expect(f"yields in the form {form}", found, wanted)
    expect("outputs per shader are said", "yields of the whole shader: " in run([COMMAND, "annotate", capture, "--as", "glsl"]).stdout, True)


def check_nowhere(folder):
    """A probe that fits nowhere: its shaders ran, and nothing was counted in them."""
    capture = os.path.join(folder, "nowhere.wscope")
    environment = {key: value for key, value in os.environ.items() if key != "WARPSCOPE_PASSES"}
    subprocess.run([COMMAND, "record", "-q", "-e", "after OpBitReverse { count(); }", "-o", capture, "--", PATH_TRACER,
                    "--size", "8x8", "-n", "1", "-o", os.path.join(folder, "nowhere.png")],
                   env=environment, capture_output=True)
    told = subprocess.run([COMMAND, "annotate", capture], capture_output=True, text=True)
    expect("what is said of nothing", (told.returncode, told.stdout, told.stderr),
           (1, "", f"warpscope: '{capture}': nothing was counted in any shader; --shader '*' shows all without figures\n"))


def without_capture(report):
    """What must not change."""
    report["analyses"].pop("probe", None)
    for structure in report["analyses"].get("geometry", {}).get("structures", []):
        structure.pop("address", None)
    return json.dumps(report["analyses"], indent=1, sort_keys=True)


with tempfile.TemporaryDirectory() as folder:
    probes = [write(folder, "runs.glsl", RUNS), write(folder, "work.glsl", WORK),
              write(folder, "steps.glsl", STEPS), FULL]
    alone, counts, _ = record(folder, "alone", probes, "simt_efficiency")
    check_runs(alone["analyses"]["probe"], counts)
    expect("record says what came nearest", "probe runs, line 4: no place of any shader fits 'after OpBitReverse': the shaders have " in said, True)
    expect("the same in the report", alone["analyses"]["probe"]["unmatched"][0]["nearest"] in said, True)
    check_numbers(alone["analyses"]["probe"])
    check_lists(alone["analyses"]["probe"])
    check_order(alone["analyses"]["probe"])
    check_lanes(alone["analyses"])
    check_lines(os.path.join(folder, "alone.wscope"), alone["analyses"]["probe"])
    check_forms(os.path.join(folder, "alone.wscope"), alone["analyses"]["probe"])
    beside, _, picture = record(folder, "beside", probes, "all")
    plain, _, expected = record(folder, "plain", [], "all")
    expect("yields beside all passes", beside["analyses"]["probe"]["outputs"], alone["analyses"]["probe"]["outputs"])
    expect("all other figures", without_capture(beside), without_capture(plain))
    expect("the picture", picture == expected, True)
    check_nowhere(folder)
    broken = write(folder, "broken.wsprobe", "nothing of the kind")
    blob = os.path.join(folder, "runs.wsprobe")
    run([COMMAND, "probe", probes[0], "--compile", blob])
    pipe = os.path.join(folder, "pipe.wsprobe")
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)  # a reader would wait for what it writes
    refused, _, _ = record(folder, "refused", [], "simt_efficiency", [broken, pipe, blob])
    os.close(writer)
    expect("a pipe is said", any("no regular file" in message["text"] for message in refused["losses"]["messages"]), True)
    expect("a broken probe is said", any("broken.wsprobe" in message["text"] for message in refused["losses"]["messages"]), True)
    check_runs(refused["analyses"]["probe"], counts)
sys.exit(1 if failed else 0)
