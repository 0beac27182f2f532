#!/usr/bin/env python3
"""usage: plugins.py SOURCE_ROOT COMMAND CAPTURE MODULE.spv... Plug-ins with passes and analyses, built against the installed headers
alone by $CC. Those that do not fit are refused with a message that names the file and the remedy, and nothing else happens. Every
built-in pass, built as a plug-in, makes the same module of a module, word for word: so what plug-ins are offered suffices. And an
analysis of counters in a plug-in sums what simt_efficiency sums of the capture."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SOURCE, COMMAND = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
CAPTURE, MODULES = sys.argv[3], sys.argv[4:]
CC = shlex.split(os.environ.get("CC", "cc"))
BUILT_IN = ["simt_efficiency", "execution_trace", "divergence", "thread_compaction", "warp_entry_exit", "ray_events", "payloads"]

# What is wrong, the code, and what the message says. In the code, PASS is a pass, and PLUGIN makes it a plug-in.
GOOD = "static void visit(struct ws_visit *visit) { ws_visit_count(visit, 0); }\n"
PASS = ('static const struct ws_pass mine = {.name = "mine", .summary = "executions", .stages = WS_STAGES_ALL, '
        ".places = WS_PLACE_BLOCK, .visit = visit};\n")
PLUGIN = "WS_PASS_PLUGIN(&mine)\n"
OWN = ("const struct ws_visit_functions *ws_plugin_functions; static const struct ws_pass *const passes[] = {&mine};\n"
       "extern const struct ws_pass_plugin ws_pass_plugin; const struct ws_pass_plugin ws_pass_plugin = {.interface = %s, "
       ".pass_size = %s, .function_size = %s, .pass_count = %s, .passes = passes, .functions = &ws_plugin_functions};\n")
FIT = {"interface": "WS_PASS_INTERFACE", "pass": "sizeof(mine)", "functions": "sizeof(struct ws_visit_functions)", "count": "1"}


def plugin(**changed):
    values = {**FIT, **changed}
    return GOOD + PASS + OWN % (values["interface"], values["pass"], values["functions"], values["count"])


WRONG = {
    "older": (plugin(interface="0"), "version 0 of the interface"),
    "newer": (plugin(interface="WS_PASS_INTERFACE + 1"), "build it with the headers of this one"),
    "larger_pass": (plugin(**{"pass": "sizeof(mine) + 8"}), "other headers"),
    "more_functions": (plugin(functions="sizeof(struct ws_visit_functions) + sizeof(void *)"), "other headers"),
    "empty": (plugin(count="0"), "has no passes"),
    "no_symbol": ("int other; " + GOOD.replace("static void visit", "void visit") + "const struct ws_visit_functions *ws_plugin_functions;",
                  "does not export ws_pass_plugin"),
    "undefined": (GOOD + PASS + PLUGIN + "extern void nowhere_to_be_found(void); void *use(void); "
                  "void *use(void) { return (void *)nowhere_to_be_found; }", "nowhere_to_be_found"),
    "taken": (GOOD + PASS.replace('"mine"', '"simt_efficiency"') + PLUGIN, "one of that name already"),
    "all": (GOOD + PASS.replace('"mine"', '"all"') + PLUGIN, "one of that name already"),
    "bad_name": (GOOD + PASS.replace('"mine"', '"my pass"') + PLUGIN, "small letters"),
    "no_name": (GOOD + PASS.replace('"mine"', "NULL") + PLUGIN, "small letters"),
    "twice": (GOOD + PASS + PLUGIN.replace("&mine", "&mine, &mine"), "two passes 'mine'"),
    "no_visit": (GOOD + PASS.replace(".visit = visit", ".visit = NULL") + "void *use(void); void *use(void) { return (void *)visit; }\n"
                 + PLUGIN, "lacks its summary or its callback"),
    "no_place": (GOOD + PASS.replace("WS_PLACE_BLOCK", "1u << 20") + PLUGIN, "places that there are not"),
    "no_stage": (GOOD + PASS.replace("WS_STAGES_ALL", "0") + PLUGIN, "stages that there are not"),
    "label": (GOOD + "static const uint16_t opcodes[] = {248};\n" + PASS.replace(".visit", ".opcodes = opcodes, .opcode_count = 1, .visit")
              + PLUGIN, "opens a block"),
    "seventeen": (GOOD + "".join(PASS.replace("mine", f"p{i}") for i in range(17))
                  + f"WS_PASS_PLUGIN({', '.join(f'&p{i}' for i in range(17))})", "more passes than there is room for"),
}

ANALYSIS = """
static bool count(const struct ws_counted *counted, uint64_t *sums, uint64_t *own)
{
    *own = counted->lane_count;
    sums[0] = counted->executions;
    sums[1] = counted->active;
    sums[2] = counted->active * counted->instruction_count;
    sums[3] = counted->executions * counted->lane_count;
    return true;
}
static const char *text(uint64_t key) { return key == 8 ? "eight" : NULL; }
static const struct ws_figure figures[] = {
    {"executions", "by warps", WS_FIGURE_COUNT, 0, 0}, {"active_lanes", "of them", WS_FIGURE_COUNT, 1, 0},
    {"instructions", "by threads", WS_FIGURE_COUNT, 2, 0}, {"efficiency", "of lanes", WS_FIGURE_SHARE, 1, 3}};
static const struct ws_figure_table tables[] = {
    {"total", "All", 0, "executions efficiency", NULL, 0},
    {"stages", "By stage", WS_BY_STAGE, "stage executions efficiency", NULL, 0},
    {"shaders", "By shader", WS_BY_SHADER, "shader stage instructions", "-instructions", 0},
    {"places", "By line", WS_BY_SHADER | WS_BY_LINE | WS_BY_LAUNCH, "launch shader source executions", NULL, 0},
    {"widths", "By width", WS_BY_OWN, "width executions", NULL, 0}};
static const struct ws_counter_analysis sums_up = {
    .name = "sums_up", .summary = "sums", .pass = "simt_efficiency", .own = "width", .own_help = "lanes of a warp", .own_text = text,
    .figures = figures, .figure_count = 4, .tables = tables, .table_count = 5, .sum_count = 4, .count = count};
"""
ANALYSES = "WS_COUNTER_ANALYSIS_PLUGIN(&sums_up)\n"
OWN_ANALYSIS = ("static const struct ws_counter_analysis *const all[] = {&sums_up}; extern const struct ws_counter_analysis_plugin ws_counter_analysis_plugin;\n"
                "const struct ws_counter_analysis_plugin ws_counter_analysis_plugin = {.interface = %s, .analysis_size = sizeof(sums_up) + %s, "
                ".counted_size = sizeof(struct ws_counted) + %s, .analysis_count = %s, .analyses = all};\n")
WRONG.update({
    "analysis_older": (ANALYSIS + OWN_ANALYSIS % ("0", "0", "0", "1"), "version 0 of the interface of analyses of counters"),
    "analysis_larger": (ANALYSIS + OWN_ANALYSIS % ("WS_COUNTER_ANALYSIS_INTERFACE", "8", "0", "1"), "other headers"),
    "analysis_counted": (ANALYSIS + OWN_ANALYSIS % ("WS_COUNTER_ANALYSIS_INTERFACE", "0", "8", "1"), "other headers"),
    "analysis_none": (ANALYSIS + OWN_ANALYSIS % ("WS_COUNTER_ANALYSIS_INTERFACE", "0", "0", "0"), "has no analyses"),
    "analysis_many": (ANALYSIS + OWN_ANALYSIS % ("WS_COUNTER_ANALYSIS_INTERFACE", "0", "0", "9"), "more analyses than there is room for"),
    "analysis_twice": (ANALYSIS + ANALYSES.replace("&sums_up", "&sums_up, &sums_up"), "two analyses 'sums_up'"),
})
for what, old, new, said in (
        ("taken", '"sums_up"', '"divergence"', "one of that name already"), ("name", '"sums_up"', '"Sums up"', "small letters"),
        ("summary", '.summary = "sums",', "", "lacks its summary"), ("callback", ".count = count", ".count = NULL", "or its callback"),
        ("sums", ".sum_count = 4", ".sum_count = 17", "more than WS_SUMS_MAX"), ("of", "WS_FIGURE_SHARE, 1, 3", "WS_FIGURE_SHARE, 1, 4",
                                                                              "a sum that there is not"),
        ("format", "WS_FIGURE_SHARE, 1, 3", "(enum ws_figure_format)9, 1, 3", "or its format"),
        ("by", "WS_BY_STAGE,", "1u << 9,", "groups by what there is not"), ("own", '.own = "width"', ".own = NULL", "groups by what there is not"),
        ("field", "stage executions efficiency", "stage speed", "speed"), ("sort", '"-instructions"', '"-speed"', "speed"),
        ("same", '"active_lanes"', '"executions"', "executions")):
    WRONG[f"analysis_{what}"] = (ANALYSIS.replace(old, new, 1) + "const void *use(void); const void *use(void) { return (const void *)count; }\n"
                                 + ANALYSES, said)

FULL = """#include <warpscope/analysis.h>
static const char *const passes[] = {"simt_efficiency", NULL};
static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options, struct ws_error *error)
{ (void)catalog; (void)options; (void)error; return malloc(1); }
static void destroy(void *results) { free(results); }
static bool end(void *results, struct ws_error *error) { (void)results; (void)error; return true; }
static bool show(const void *results, FILE *stream) { (void)results; fputs("\\nMine\\n", stream); return true; }
static bool json(const void *results, struct ws_json *json) { (void)results; ws_json_member(json, "mine", ws_json_number_item(1)); return true; }
static const struct ws_member members[] = {{.name = NULL}};
static const struct ws_analysis whole = {.name = "whole", .summary = "all of it", .answers = "all", .passes = passes, .csv_help = "none",
    .create = create, .destroy = destroy, .end = end, .text = show, .json = json, .members = members, .csv = show};
"""
FULL_OWN = ("static const struct ws_analysis *const all[] = {&whole}; static uint32_t sizes[] = {WS_ANALYSIS_STRUCTS(WS_ANALYSIS_SIZE)};\n"
            "extern struct ws_analysis_plugin ws_analysis_plugin; struct ws_analysis_plugin ws_analysis_plugin = {.interface = %s, "
            ".struct_count = sizeof(sizes) / 4 + %s, .sizes = sizes, .analysis_count = %s, .analyses = all};\n"
            "__attribute__((constructor)) static void change(void) { sizes[0] += %s; }\n")
FULL_FIT = ("WS_ANALYSIS_INTERFACE", "0", "1", "0")
for what, index, value, said in (("older", 0, "1", "version 1 of the interface of analyses"), ("structs", 1, "1", "other headers"),
                                 ("none", 2, "0", "has no analyses"), ("size", 3, "8", "other headers")):
    values = list(FULL_FIT)
    values[index] = value
    WRONG[f"full_{what}"] = (FULL + FULL_OWN % tuple(values), said)
for what, old, new, said in (("taken", '"whole"', '"divergence"', "one of that name already"), ("name", '"whole"', '"Whole"', "small letters"),
                             ("create", ".create = create,", "", "created and destroyed"), ("csv", ".csv = show", ".csv = NULL", "neither columns nor"),
                             ("members", ".members = members,", "", "not declared (members)"), ("deaf", ".end = end,", "", "hears nothing")):
    WRONG[f"full_{what}"] = (FULL.replace(old, new, 1) + "WS_ANALYSIS_PLUGIN(&whole)\nconst void *use(void); "
                             "const void *use(void) { return create == NULL ? (const void *)end : members; }\n", said)
WRONG["full_twice"] = (FULL + "WS_ANALYSIS_PLUGIN(&whole, &whole)\n", "two analyses 'whole'")
WRONG["full_and_pass"] = (FULL + GOOD + PASS + PLUGIN + "WS_ANALYSIS_PLUGIN(&whole)\n", "make two plug-ins of it")

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def build(folder, name, code):
    source, target = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text("#include <warpscope/counter_analysis.h>\n#include <warpscope/pass.h>\n#include <warpscope/plugin.h>\n" + code)
    run = subprocess.run([*CC, "-std=c17", "-O1", "-w", "-shared", "-fPIC", f"-I{SOURCE}/include", f"-I{SOURCE}", source, "-o", target],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        print(f"{name} cannot be built: {run.stderr}")
        sys.exit(1)
    return target


def command(*arguments, **environment):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment}, timeout=60)


def refused(path, words):
    """The command says so and stops; where the environment names it, the command goes on without it."""
    run = command("--plugin", path, "list", "passes")
    check(run.returncode == 2 and words in run.stderr and run.stdout == "",
          f"{path}: status {run.returncode}, wanted 2 and '{words}', said: {run.stderr}")
    run = command("list", "passes", WARPSCOPE_PLUGINS=str(path))
    check(run.returncode == 0 and words in run.stderr and "time " in run.stdout and "  mine" not in run.stdout,
          f"{path} in the variable: status {run.returncode}, said: {run.stderr} {run.stdout}")


def check_files(folder):
    """What is no plug-in at all."""
    good = build(folder, "good", GOOD + PASS + PLUGIN)
    data = good.read_bytes()
    changed = {"machine": (18, b"\xb7\x00" if data[18:20] != b"\xb7\x00" else b"\x3e\x00", "another processor"),
               "class": (4, bytes([3 - data[4]]), "another processor"), "type": (16, b"\x01\x00", "no shared object"),
               "magic": (0, b"\x7fELG", "no shared object")}
    for name, (at, by, words) in changed.items():
        path = folder / f"{name}.so"
        path.write_bytes(data[:at] + by + data[at + len(by):])
        refused(path, words)
    # The end of a file has no more than sections, which are not mapped.
    for size in (0, 20, 63, 200, len(data) // 4, len(data) // 2):
        path = folder / f"cut_{size}.so"
        path.write_bytes(data[:size])
        refused(path, "no shared object" if size < 64 else "is not whole")
    (folder / "text.so").write_text("pass: mine\n")
    refused(folder / "text.so", "no shared object")
    os.mkfifo(folder / "pipe.so")
    refused(folder / "pipe.so", "is no file")
    refused(folder / "not_there.so", "there is no plug-in")
    (folder / "open.so").write_bytes(data)
    (folder / "open.so").chmod(0o666)
    refused(folder / "open.so", "chmod go-w")
    everyone = folder / "everyone"
    everyone.mkdir()
    (everyone / "good.so").write_bytes(data)
    everyone.chmod(0o777)
    refused(everyone / "good.so", "others can replace")
    run = command("list", "passes", WARPSCOPE_PLUGINS="good.so")
    check("no absolute path" in run.stderr and "mine" not in run.stdout, f"a relative path: {run.stderr}")


def check_folder(folder):
    """Of a folder every NAME.so is taken, and one that does not fit does not keep the others."""
    several = folder / "several"
    several.mkdir()
    build(several, "a", GOOD + PASS.replace('"mine"', '"pass_a"') + PLUGIN)
    build(several, "b", GOOD + PASS.replace('"mine"', '"pass_b"') + PLUGIN)
    run = command("--plugin", several, "list", "passes")
    check(run.returncode == 0 and "pass_a" in run.stdout and "pass_b" in run.stdout, f"a folder: {run.stderr}")
    (several / "broken.so").write_text("no code")
    run = command("list", "passes", WARPSCOPE_PLUGINS=str(several))
    check("pass_a" in run.stdout and "pass_b" in run.stdout and "broken.so" in run.stderr, f"a folder with a broken one: {run.stderr}")
    run = command("--plugin", several / "a.so", f"--plugin={several}/b.so", "list", "passes")
    check("pass_a" in run.stdout and "pass_b" in run.stdout, f"two plug-ins: {run.stderr}")


def instrument(folder, passes, module, *before):
    out = folder / "out.spv"
    out.unlink(missing_ok=True)
    run = command(*before, "instrument", "-p", passes, module, "-o", out)
    check(run.returncode == 0, f"{passes} {module}: {run.stderr}")
    return out.read_bytes() if out.exists() else None


def check_built_in(folder):
    """Each built-in pass as a plug-in: it is included, and given another name when it is loaded."""
    changed = 0
    for name in BUILT_IN:
        code = (f'#include "passes/{name}.c"\nstatic struct ws_pass renamed;\n'
                f"__attribute__((constructor)) static void rename_it(void) {{ renamed = ws_pass_{name}; renamed.name = \"p_{name}\"; }}\n"
                "WS_PASS_PLUGIN(&renamed)\n")
        path = build(folder, f"p_{name}", code)
        for module in MODULES:
            wanted = instrument(folder, name, module)
            given = instrument(folder, f"p_{name}", module, "--plugin", path)
            check(wanted == given, f"{name} as a plug-in makes another module of {module}")
            changed += wanted is not None and wanted != pathlib.Path(module).read_bytes()
    check(changed >= len(BUILT_IN), f"only {changed} modules were instrumented")


def check_functions():
    """Each function of pass.h has its place in the table, and its name stands for that."""
    declared = re.findall(r"^[a-z].*?\bws_visit_(\w+)\(", (SOURCE / "include/warpscope/pass.h").read_text(), re.MULTILINE)
    header = (SOURCE / "include/warpscope/plugin.h").read_text()
    check(len(declared) >= 18, f"only {declared} are found in pass.h")
    for name in declared:
        check(f"X({name})" in header and re.search(rf"#define ws_visit_{name} +ws_plugin_functions->{name}\n", header),
              f"plugin.h lacks ws_visit_{name} of pass.h")


def check_analysis(folder):
    """Its sums are those of the analysis that is built in, and a file can hold a pass and an analysis."""
    path = build(folder, "both", GOOD + PASS + PLUGIN + ANALYSIS + ANALYSES)
    given = command("--plugin", path, "report", CAPTURE, "sums_up", "--json")
    wanted = command("report", CAPTURE, "simt_efficiency", "--json")
    check(given.returncode == 0, f"an analysis of a plug-in: {given.stderr}")
    given, wanted = json.loads(given.stdout)["analyses"]["sums_up"], json.loads(wanted.stdout)["analyses"]["simt_efficiency"]
    figures = ("executions", "active_lanes", "instructions", "efficiency")
    for level, key in (("total", None), ("stages", "stage"), ("shaders", "shader_id")):
        rows = [[given[level]], [wanted[level]]] if key is None else [
            sorted((row for row in table if row["executions"] > 0), key=lambda row: row[key]) for table in (given[level], wanted[level])]
        for one, other in zip(*rows, strict=True):
            check(all(one[name] == other[name] for name in figures) and (key is None or one[key] == other[key]), f"{one}, wanted {other}")
    check([row["width"] for row in given["widths"]] == ["eight"], f"its own dimension: {given['widths']}")
    placed = sum(row["executions"] for row in given["places"])  # of blocks whose source line is known
    check(wanted["total"]["executions"] // 2 < placed <= wanted["total"]["executions"], f"{placed} executions are of lines")
    run = command("--plugin", path, "report", CAPTURE, "sums_up", "--by", "stage", "--filter", "executions > 0", "--csv")
    check(run.returncode == 0 and run.stdout.startswith("stage,"), f"--by: {run.stdout} {run.stderr}")
    run = command("--plugin", path, "report", CAPTURE, "all")
    check(run.returncode == 0 and "By width" in run.stdout, f"report all: {run.stderr}")
    run = command("--plugin", path, "report", "--help")
    check("sums_up" in run.stdout, "the help of report does not name it")


with tempfile.TemporaryDirectory() as temporary:
    work = pathlib.Path(temporary)
    for what, (text, said) in WRONG.items():
        refused(build(work, what, text), said)
    check_files(work)
    check_folder(work)
    check_functions()
    check_built_in(work)
    check_analysis(work)
print("\n".join(failures) or f"{len(WRONG)} plug-ins that do not fit are refused")
sys.exit(1 if failures else 0)
