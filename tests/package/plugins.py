#!/usr/bin/env python3
"""usage: plugins.py SOURCE_ROOT COMMAND MODULE.spv... Plug-ins with passes, built against the installed headers alone by $CC. Those
that do not fit are refused with a message that names the file and the remedy, and nothing else happens. And every built-in pass,
built as a plug-in, makes the same module of a module, word for word: so what plug-ins are offered suffices."""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

SOURCE, COMMAND = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
MODULES = sys.argv[3:]
CC = shlex.split(os.environ.get("CC", "cc"))
BUILT_IN = ["simt_efficiency", "execution_trace", "divergence", "thread_compaction", "warp_entry_exit", "ray_events"]

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
    "larger_pass": (plugin(**{"pass": "sizeof(mine) + 8"}), "newer Warpscope"),
    "more_functions": (plugin(functions="sizeof(struct ws_visit_functions) + sizeof(void *)"), "newer Warpscope"),
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

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def build(folder, name, code):
    source, target = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text("#include <warpscope/pass.h>\n#include <warpscope/plugin.h>\n" + code)
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


with tempfile.TemporaryDirectory() as temporary:
    work = pathlib.Path(temporary)
    for what, (text, said) in WRONG.items():
        refused(build(work, what, text), said)
    check_files(work)
    check_folder(work)
    check_built_in(work)
print("\n".join(failures) or f"{len(WRONG)} plug-ins that do not fit are refused")
sys.exit(1 if failures else 0)
