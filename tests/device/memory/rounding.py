#!/usr/bin/env python3
"""usage: rounding.py COMMAND PASSES PROGRAM [ARGUMENT]. That what is recorded of samples and rays changes no bit of what the program
prints: where a compiler folds the factors of a product that is used once, a record must not be a second use
(passes/instrument/handed.c). PASSES are lists for runs of their own, parted by colons."""

import os
import subprocess
import sys
import tempfile

COMMAND = os.path.abspath(sys.argv[1])
PASSES = sys.argv[2].split(":")
PROGRAM = [os.path.abspath(sys.argv[3]), *sys.argv[4:]]


def sampled(*command):
    environment = dict(os.environ, VK_INSTANCE_LAYERS="", WARPSCOPE_PASSES="")
    done = subprocess.run([*command, *PROGRAM], env=environment, capture_output=True, text=True, check=False)
    if done.returncode in (3, 77):
        print(done.stdout or done.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return [line.split() for line in done.stdout.splitlines()]


plain = sampled()
failed = len(plain) == 0
with tempfile.TemporaryDirectory() as folder:
    for passes in PASSES:
        capture = os.path.join(folder, passes + ".wscope")
        recorded = sampled(COMMAND, "record", "-q", "-p", passes, "-o", capture, "--")
        differ = [sum(a != b for a, b in zip(*lines)) for lines in zip(plain, recorded)]
        print(f"{passes}: {differ} of {len(plain[0])} differ")
        failed |= len(recorded) != len(plain) or any(differ) or os.path.getsize(capture) == 0
sys.exit(failed)
