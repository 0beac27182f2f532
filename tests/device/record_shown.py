#!/usr/bin/env python3
"""record_shown.py COMMAND PROGRAM: what `warpscope record` shows and says, from outside.

COMMAND is warpscope, PROGRAM the compute example.
"""
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COMMAND, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])


def run(*arguments, environment=None, **options):
    """Without a terminal."""
    return subprocess.run(arguments, capture_output=True, text=True,
                          env=dict(os.environ, **(environment or {})), **options)


LINE = re.compile(r"\x1b\[J\x1bD\x1b\[A\x1b7\x1b\[B\r(warpscope: [^\x1b]*)\x1b8")


def run_on_terminal(*arguments, shown=None):
    """What came out of a terminal, and the exit status. Makes the file `shown` once the line is there."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm"
        os.environ["NO_COLOR"] = "1"  # what is looked at are the codes of the line
        os.execvp(arguments[0], arguments)
    output = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # EIO: the other side is closed
            break
        output += more
        if not more:
            break
        if shown is not None and LINE.search(output.decode(errors="replace")):
            open(shown, "w", encoding="ascii").close()
    return output.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def report_of(path):
    report = run(COMMAND, "report", path, "simt_efficiency", "--json")
    assert report.returncode in (0, 4), report.stderr  # 4: it is recorded still
    return json.loads(report.stdout)


def capture_of(path):
    return report_of(path)["capture"]


def device_is_missing(plain):
    if plain.returncode not in (0, 3, 77):
        sys.exit(f"{PROGRAM} failed: {plain.stderr}")
    return plain.returncode != 0


def the_line_tells_what_is_captured(folder):
    path = os.path.join(folder, "shown.wscope")
    shown = os.path.join(folder, "shown")
    # In the first half second nothing is shown: the shell keeps the run until something is.
    output, status = run_on_terminal(COMMAND, "record", "-p", "simt_efficiency,execution_trace", "-o", path, "--", "sh", "-c",
                                     f"'{PROGRAM}' --size 256x256 -o /dev/null && until [ -e '{shown}' ]; do sleep 0.1; done",
                                     shown=shown)
    assert status == 0, output
    lines = LINE.findall(output)
    assert lines, output
    capture = capture_of(path)
    size = os.path.getsize(path)
    last = lines[-1]
    assert f"{capture['launches']} launch" in last, (last, capture)
    assert re.search(r"\d+ submits?, ", last), last
    assert " of records, file " in last, last
    shown = float(re.search(r"file ([\d.]+) (kB|MB)", last).group(1))
    unit = {"kB": 1e3, "MB": 1e6}[re.search(r"file ([\d.]+) (kB|MB)", last).group(2)]
    assert abs(shown - size / unit) <= 0.051, (last, size)
    # Nothing but the line, its end, what the program said and the result.
    rest = LINE.sub("", output).replace("\x1b[J", "")
    assert "\x1b" not in rest, rest
    assert f"captured to '{path}': {capture['launches']} launch" in rest, rest
    assert f"'{path}'\r\n" in rest.splitlines(True)[-1], rest


def without_a_terminal_nothing_is_shown(folder):
    path = os.path.join(folder, "quiet.wscope")
    script = f"echo out; echo err >&2; '{PROGRAM}' --size 64x48 -o /dev/null; sleep 1"
    plain = run("sh", "-c", script)
    quiet = run(COMMAND, "record", "-q", "-o", path, "--", "sh", "-c", script)
    assert (quiet.stdout, quiet.stderr) == (plain.stdout, plain.stderr), (quiet, plain)
    said = run(COMMAND, "record", "-o", path, "--", "sh", "-c", script)
    assert said.stdout == plain.stdout
    assert said.stderr.startswith(plain.stderr)
    assert all(line.startswith("warpscope: ") for line in said.stderr[len(plain.stderr):].splitlines()), said.stderr
    assert "\x1b" not in said.stderr and "\r" not in said.stderr


def a_quiet_run_shows_nothing_on_a_terminal(folder):
    path = os.path.join(folder, "quiet.wscope")
    output, status = run_on_terminal(COMMAND, "record", "-q", "-o", path, "--", "sh", "-c",
                                     f"'{PROGRAM}' --size 64x48 -o /dev/null >/dev/null; sleep 1; echo done")
    assert (output, status) == ("done\r\n", 0), output


def a_program_with_a_screen_of_its_own_is_left_alone(folder):
    """Until its end the terminal is as it wants it: once it were not, the line might rightly be shown."""
    path = os.path.join(folder, "raw.wscope")
    # It is so before the first half second is over, however busy the machine is: the shell makes it so.
    output, status = run_on_terminal("sh", "-c", "stty raw -echo; exec \"$@\"", "sh", COMMAND, "record", "-o", path, "--", "sh",
                                     "-c", f"'{PROGRAM}' --size 64x48 -o /dev/null >/dev/null; sleep 1; printf screen")
    assert status == 0
    assert output.startswith("screen") and "\x1b" not in output, output


def programs_that_close_all_descriptors(folder):
    """The layer finds the memory that it shares all the same, and the program has no descriptor of it."""
    path = os.path.join(folder, "closed.wscope")
    shown = os.path.join(folder, "shown")
    script = ("import os, subprocess, sys, time\n"
              "os.closerange(3, 4096)\n"
              f"subprocess.run([{PROGRAM!r}, '--size', '64x48', '-o', '/dev/null'], check=True)\n"
              f"while not os.path.exists({shown!r}):\n"
              "    time.sleep(0.1)\n"
              "assert not any('progress' in os.readlink('/proc/self/fd/' + n) for n in os.listdir('/proc/self/fd')"
              " if os.path.exists('/proc/self/fd/' + n))\n")
    output, status = run_on_terminal(COMMAND, "record", "-o", path, "--", sys.executable, "-c", script, shown=shown)
    assert status == 0, output
    assert LINE.findall(output)[-1].startswith("warpscope: "), output
    assert "1 launch" in LINE.findall(output)[-1], output


def two_recordings_of_one_name(folder):
    """Each says its own capture only, and neither destroys the other's."""
    path = os.path.join(folder, "same.wscope")
    # Its frames would take many minutes, so that it runs for longer than the second one, whichever gets the processors.
    first = subprocess.Popen([COMMAND, "record", "-o", path, "--", PROGRAM, "--size", "640x480", "--frames", "100000",
                              "-o", "/dev/null"], stderr=subprocess.PIPE, text=True)
    while not os.path.exists(path) or os.path.getsize(path) < 1000:
        assert first.poll() is None, first.stderr.read()
        time.sleep(0.05)
    second = run(COMMAND, "record", "-o", path, "--", PROGRAM, "--size", "32x32", "-o", "/dev/null")
    own = re.findall("captured to '(.*?)'", second.stderr)
    assert second.returncode == 0 and len(own) == 1 and re.fullmatch(re.escape(path[:-7]) + r"\.\d+\.wscope", own[0]), second
    assert f"'{path}' is the capture of another recording, which ran at the same time" in second.stderr, second.stderr
    assert capture_of(own[0])["command_line"].find("32x32") > 0
    first.send_signal(signal.SIGTERM)
    said = first.communicate()[1]
    assert re.findall("captured to '(.*?)'", said) == [path], said
    assert capture_of(path)["command_line"].find("640x480") > 0


def both_manifests_at_once(folder):
    """The layer is in the chain twice then, and counts once."""
    implicit = os.path.join(folder, "data", "vulkan", "implicit_layer.d")
    build = os.path.join(os.path.dirname(COMMAND), "..", "manifests")
    os.makedirs(implicit)
    shutil.copy(os.path.join(build, "implicit", "VkLayer_warpscope_capture.json"), implicit)
    counts = []
    for name, more in [("explicit", {"VK_INSTANCE_LAYERS": "VK_LAYER_WARPSCOPE_capture"}),
                       ("implicit", {"WARPSCOPE_ENABLE": "1"}),
                       ("both", {"VK_INSTANCE_LAYERS": "VK_LAYER_WARPSCOPE_capture", "WARPSCOPE_ENABLE": "1"})]:
        path = os.path.join(folder, name + ".wscope")
        environment = dict({"VK_LAYER_PATH": os.path.join(build, "explicit"), "XDG_DATA_HOME": os.path.join(folder, "data"),
                            "WARPSCOPE_PASSES": "simt_efficiency", "WARPSCOPE_OUTPUT": path, "WARPSCOPE_SLOW_AFTER": "0"}, **more)
        found = run(PROGRAM, "--size", "64x48", "-o", "/dev/null", environment=environment)
        assert found.returncode == 0, found
        # One line says where the capture goes, once, and nothing else is said.
        assert found.stderr == f"warpscope: this program is recorded: the capture goes to {path}\n", found.stderr
        counts.append(report_of(path)["analyses"]["simt_efficiency"]["total"])
        assert capture_of(path)["launches"] == 1
    assert counts[0] == counts[1] == counts[2], counts


def the_layer_alone(folder):
    """Mistakes in its environment are said by it, and by record before the program runs."""
    build = os.path.join(os.path.dirname(COMMAND), "..", "manifests")
    alone = {"VK_LAYER_PATH": os.path.join(build, "explicit"), "VK_INSTANCE_LAYERS": "VK_LAYER_WARPSCOPE_capture"}

    def says(text, **variables):
        found = run(PROGRAM, "--size", "8x8", "-o", "/dev/null", environment=dict(alone, **variables), cwd=folder)
        assert found.returncode == 0 and text in found.stderr, (variables, found.stderr)

    unknown = "there is no setting WARPSCOPE_PASS; did you mean WARPSCOPE_PASSES?"
    says(unknown, WARPSCOPE_PASS="all")
    says("no pass is chosen, so that nothing is captured: set WARPSCOPE_PASSES=simt_efficiency")
    off = run(PROGRAM, "--size", "8x8", "-o", "/dev/null", environment=dict(alone, WARPSCOPE_PASSES=""))
    assert (off.returncode, off.stderr) == (0, ""), off
    said = run(COMMAND, "record", "-o", f"{folder}/x.wscope", "--", PROGRAM, "--size", "8x8", "-o", "/dev/null",
               environment={"WARPSCOPE_PASS": "all"})
    assert said.returncode == 0 and said.stderr.count(unknown) == 1, said.stderr
    with open(os.path.join(folder, "mine.txt"), "w", encoding="ascii") as file:
        file.write("mine")
    says("that file is no capture, and is left alone; name another", WARPSCOPE_PASSES="all", WARPSCOPE_OUTPUT="mine.txt")
    with open(os.path.join(folder, "mine.txt"), encoding="ascii") as file:
        assert file.read() == "mine"
    says("No such file or directory", WARPSCOPE_PASSES="all", WARPSCOPE_OUTPUT="no/folder/x.wscope")
    with open(os.path.join(folder, "vk_layer_settings.txt"), "w", encoding="ascii") as file:
        file.write("warpscope_capture.passs = all\n")
    says("there is no setting 'passs' (in ./vk_layer_settings.txt, line 1); did you mean passes?")
    with open(os.path.join(folder, "vk_layer_settings.txt"), "w", encoding="ascii") as file:
        file.write("warpscope_capture_implicit.passes = warp_entry_exit\n")
    says("this program is recorded: the capture goes to divergence-")
    says("the capture goes to divergence-", HOME="", XDG_DATA_HOME="")


def times_are_something(folder):
    path = os.path.join(folder, "time.wscope")
    for passes in "time", "time,simt_efficiency":
        found = run(COMMAND, "record", "-p", passes, "-o", path, "--", PROGRAM, "--size", "64x48", "-o", "/dev/null")
        assert found.returncode == 0 and f"captured to '{path}': 1 launch, in a file of " in found.stderr, found
        assert "holds nothing" not in found.stderr, found.stderr


def ranges_that_never_come(folder):
    path = os.path.join(folder, "range.wscope")

    def says(status, text, *arguments):
        found = run(COMMAND, "record", "-o", path, *arguments, "--", PROGRAM, "--size", "64x48", "-o", "/dev/null")
        assert found.returncode == status and text in found.stderr, (arguments, found.returncode, found.stderr)

    says(1, "frames 10-19 were chosen, but the program presented none, so that its 1 launch belongs to frame 0: "
         "choose with --launches", "--frames", "10-19")
    says(1, "launches 5-9 were chosen, but the program submitted 1, counted from 0", "--launches", "5-9")
    says(1, f"the trigger file '{folder}/none' was not there when the program submitted its 1 launch: create it while "
         "the program runs", "--trigger", f"{folder}/none")
    for choice in ["--pixels", "9999,9999"], ["--threads", "99999999"]:
        says(1, f"holds nothing of execution_trace: no thread that ran is among those of {' '.join(choice)}; choose others",
             "-p", "execution_trace", *choice)
        says(0, f"holds nothing of execution_trace: no thread that ran is among those of {' '.join(choice)}; choose others",
             "-p", "simt_efficiency,execution_trace", *choice)
    says(1, "--stages miss chose no shader of the program, which has the stages compute", "--stages", "miss")
    says(1, "--shaders 'nothing*' chose no shader of the program, which has loop:main",
         "--shaders", "nothing*")


def a_budget_is_of_records(folder):
    """Not of the file, in which shaders are besides. A tile is recorded at least, however small the budget is."""
    path = os.path.join(folder, "budget.wscope")

    def captured(budget):
        found = run(COMMAND, "record", "-p", "memory_trace", "--budget", budget, "-o", path, "--", PROGRAM, "--size", "64x48",
                    "-o", "/dev/null")
        records, file = re.search(r"1 launch, ([\d.]+) kB of records, in a file of ([\d.]+) kB", found.stderr).groups()
        assert found.returncode == 0 and "next: " in found.stderr.splitlines()[-1], found
        return float(records), float(file), found.stderr

    records, file, said = captured("1K")
    assert records > 1.1, said
    assert f"{records} kB of records are more than the budget of 1.0 kB: " in said, said
    records, file, said = captured("3K")
    assert records <= 3.072 < file, said
    assert "more than the budget" not in said, said


def programs_that_cannot_be_recorded(folder):
    path = os.path.join(folder, "none.wscope")
    found = run(COMMAND, "record", "-o", path, "--", "true")
    assert found.returncode == 1 and "no capture was made: the program did not load the layer: it uses no Vulkan" \
        in found.stderr, found.stderr
    script = os.path.join(folder, "script")
    with open(script, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\ntrue\n")
    os.chmod(script, 0o755)
    found = run(COMMAND, "record", "-o", path, "--", script)
    assert f"no capture was made: '{script}' is a script, and no program that it started used Vulkan" \
        in found.stderr, found.stderr
    found = run(COMMAND, "record", "-o", "/proc/none", "--", PROGRAM, "--size", "8x8", "-o", "/dev/null")
    assert found.returncode == 1 and "cannot write the capture '/proc/none'" in found.stderr, found.stderr
    assert "no Vulkan" not in found.stderr, found.stderr
    found = run(COMMAND, "record", "-o", path, "--", PROGRAM, "--device", "no such")
    assert "no capture was made: the program loaded Vulkan, but created no device" in found.stderr, found.stderr
    none = {"VK_DRIVER_FILES": "/none", "VK_ICD_FILENAMES": "/none"}
    found = run(COMMAND, "record", "-o", path, "--", "sh", "-c", f"'{PROGRAM}' --size 8x8 -o /dev/null || true",
                environment=none)
    assert "no capture was made: there is no Vulkan driver here" in found.stderr, found.stderr


def main():
    for variable in [name for name in os.environ if "WARPSCOPE" in name or name.startswith("VK_LAYER")
                     or name == "VK_INSTANCE_LAYERS"]:
        del os.environ[variable]
    plain = run(PROGRAM, "--size", "8x8", "-o", "/dev/null")
    if device_is_missing(plain):
        print("there is no Vulkan device")
        return 77
    for check in [the_line_tells_what_is_captured, without_a_terminal_nothing_is_shown,
                  a_quiet_run_shows_nothing_on_a_terminal, a_program_with_a_screen_of_its_own_is_left_alone,
                  programs_that_close_all_descriptors, two_recordings_of_one_name, both_manifests_at_once, the_layer_alone, times_are_something,
                  ranges_that_never_come, a_budget_is_of_records,
                  programs_that_cannot_be_recorded]:
        with tempfile.TemporaryDirectory() as folder:
            check(folder)
        print("ok  ", check.__name__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
