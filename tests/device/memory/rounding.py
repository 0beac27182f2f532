#!/usr/bin/env python3
"""usage: rounding.py COMMAND ROUNDING. That what is recorded of samples changes no bit of what they yield: where a compiler folds
the factors of a product that is used once, a record must not be a second use (passes/instrument/handed.c)."""

import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM = [os.path.abspath(path) for path in sys.argv[1:3]]


def sampled(*command):
    environment = dict(os.environ, VK_INSTANCE_LAYERS="", WARPSCOPE_PASSES="")
    done = subprocess.run([*command, PROGRAM], env=environment, capture_output=True, text=True, check=False)
    if done.returncode in (3, 77):
        print(done.stdout or done.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return [line.split() for line in done.stdout.splitlines()]


plain = sampled()
failed = len(plain) != 12
with tempfile.TemporaryDirectory() as folder:
    for passes in ("memory_access", "memory_trace", "memory_access,memory_trace"):
        capture = os.path.join(folder, passes + ".wscope")
        recorded = sampled(COMMAND, "record", "-q", "-p", passes, "-o", capture, "--")
        differ = [sum(a != b for a, b in zip(*lines)) for lines in zip(plain, recorded)]
        print(f"{passes}: {differ} of {len(plain[0])} differ")
        failed |= len(recorded) != len(plain) or any(differ) or os.path.getsize(capture) == 0
sys.exit(failed)
