#!/usr/bin/env python3
"""Checks that counters of classes of blocks are those of each block by itself, in random compute kernels.

Usage: random_kernels.py COMMAND RUN GLSLANG [SEED]

A kernel has loops in each other with breaks and continues, branches of data and of constants, switches, functions that return
early and are called in loops and twice, and in every third kernel barriers. One more has a loop of many branches in a loop with
barriers, one hands on between branches that are counted together, one counts a function's rows out of order, and in another one
no block is counted with the first. Some have blocks that lanes pass by in many turns, or functions that lanes return from out
of a loop; these are run with warps of each width that Mesa's software device has. Each is recorded as it is, and with
per_block, where each block has an atomic of its own: the tables of blocks must be equal word for word.
"""
import csv
import io
import os
import random
import subprocess
import sys
import tempfile

COMMAND, RUN, GLSLANG = sys.argv[1:4]
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 7  # of these, 11 finds marks of lanes that return
KERNELS, GROUPS = 6, 5
WIDTHS = ("128", "256", "512")  # bits of vectors

HEAD = """#version 450
layout(local_size_x = 60) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
shared uint part[64];
"""
BEGIN = "    uint x = gl_GlobalInvocationID.x * 747796405u + 1u;\n    x ^= x >> 15;\n"
END = "    data[8192u + gl_GlobalInvocationID.x] = x;\n"
HAND_ON = "part[gl_LocalInvocationIndex] = x; barrier(); x += part[(gl_LocalInvocationIndex + 9u) % 60u]; barrier();"


def many_branches():
    """More of them at one place than one call adds up, and lanes come to the loop again."""
    branches = " ".join(f"if ((x & {1 << i % 13}u) != 0u) {{ x = x * {2 * i + 3}u + {i}u; x ^= x >> 7; }}" for i in range(24))
    loop = f"for (uint i = 0u; i < 20u + (x & 7u); i++) {{ {branches} }}"
    return f"{HEAD}void main()\n{{\n{BEGIN}    for (uint r = 0u; r < 3u; r++) {{ {loop} {HAND_ON} }}\n{END}}}\n"


def over_barriers():
    """Marks, turns and what a function leaves are kept over barriers, in a loop too, until one place counts them."""
    branches = lambda first: " ".join(f"if ((x & {1 << i % 13}u) != 0u) {{ x = x * {2 * i + 3}u + {i}u; x ^= x >> 7; }}"
                                      for i in range(first, first + 6))
    loop = "for (uint i = 0u; i < (x & 7u); i++) { x = x * 5u + i; if (x % 11u == 3u) break; }"
    function = f"uint f(uint x)\n{{\n    {branches(0)} {HAND_ON} {branches(2)}\n    return x;\n}}\n"
    part = lambda first: f"{branches(first)} {loop} {HAND_ON} x ^= f(x);"
    body = f"{part(0)} {part(3)} for (uint r = 0u; r < 3u; r++) {{ {part(6)} }}"
    return f"{HEAD}{function}void main()\n{{\n{BEGIN}    {body}\n{END}}}\n"


def passed_by():
    """Blocks that lanes pass by in some turns, more often than a byte counts, in loops in each other and behind barriers, in a
    function that is called in a loop, and in loops that lanes return from."""
    turn = "x = x * 2891336453u + i; x ^= x >> 13; if ((x & 0x30u) == 0u) continue; s = s * 5u + x;"
    leave = "if ((x & 0x7ff00u) == 0u) break; s ^= x >> 3;"
    back = "if ((x & 0x1fe00u) == 0u) { data[8192u + gl_GlobalInvocationID.x] = s; return; }"
    inner = "for (uint j = 0u; j < (x & 3u); j++) { if ((s >> j & 1u) != 0u) continue; s += j; }"
    loop = lambda count, text: f"for (uint i = 0u; i < {count}; i++) {{ {turn} {text} }}"
    nested = loop("200u", f"{inner} if (s % 5u == 0u) continue; s += 7u; {leave}")
    called = f"uint f(uint x)\n{{\n    uint s = 0u; {loop('40u + (x & 7u)', inner)}\n    return s;\n}}\n"
    bodies = {
        "in a function": (called, f"{loop('300u', leave)} {nested} for (uint r = 0u; r < 9u; r++) x ^= f(s + r);"),
        "between barriers": ("", f"for (uint r = 0u; r < 3u; r++) {{ {nested} {HAND_ON} }}"),
        "and left": ("", f"{loop('300u', back)} {loop('150u', back + ' if ((x & 3u) == 1u) continue; s ^= 9u;')}"),
    }
    return {f"passed by {name}": f"{HEAD}{function}void main()\n{{\n{BEGIN}    uint s = 0u; {body}\n    x ^= s;\n{END}}}\n"
            for name, (function, body) in bodies.items()}


def returned_from():
    """Loops of functions that all lanes return from, in few turns and in more than one sum counts; called by some of the lanes
    and twice, in a loop with barriers, and in one without."""
    turn = "x = x * 2891336453u + i; x ^= x >> 13;"
    loop = lambda bits: f"for (uint i = 0u;; i++) {{ {turn} if ((x & {bits}u) == 0u) return x ^ i; }}"
    function = lambda name, bits: f"uint {name}(uint x)\n{{\n    {loop(bits)}\n}}\n"
    functions = function("f", 0x30) + function("g", 0x7c00)
    calls = "x ^= f(x); if (x % 3u == 1u) x ^= f(x + 5u); else if (x % 3u == 2u) x ^= g(x);"
    bodies = {"": calls, " between barriers": f"for (uint r = 0u; r < 3u; r++) {{ {calls} {HAND_ON} }} x ^= g(x);",
              " in a loop": f"{calls} for (uint r = 0u; r < (x & 7u); r++) x ^= g(x + r);"}
    return {f"returned from{name}": f"{HEAD}{functions}void main()\n{{\n{BEGIN}    {body}\n{END}}}\n"
            for name, body in bodies.items()}


def left_twice():
    """What a function leaves with its returns out of order, twice to one that leaves it in turn, where one block counts all."""
    leave = "if (x % 5u == 1u) return x + 1u; else if (x % 7u == 2u) return x - 2u; return x * 3u;"
    functions = f"uint f(uint x)\n{{\n    {leave}\n}}\n"
    functions += "uint g(uint x)\n{\n    x += f(x); x ^= x >> 5; x += f(x >> 1);\n    return x;\n}\n"
    calls = " ".join(f"x ^= {name}(x + {i}u);" for i, name in enumerate("fgfg"))
    return f"{HEAD}{functions}void main()\n{{\n{BEGIN}    if ((x & 3u) == 0u) return;\n    {calls}\n{END}}}\n"


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.left = 22  # statements with control flow
        self.names = 0
        self.barriers = seed % 3 == 0

    def condition(self):
        bit = 1 << self.random.randrange(13)
        return self.random.choice([f"(x & {bit}u) != 0u", f"x % {self.random.randrange(2, 9)}u == 1u", "gl_WorkGroupID.x > 1u",
                                   f"data[{bit}] == 0u", f"gl_LocalInvocationIndex < {self.random.randrange(1, 64)}u"])

    def change(self):
        return f"x = x * {2 * self.random.randrange(1, 999) + 1}u + {self.random.randrange(999)}u; x ^= x >> 7;"

    def count(self):
        return self.random.choice([f"{self.random.randrange(1, 6)}u", "1u + x % 5u", "40u", "140u + x % 3u", "2u + data[0]"])

    def statement(self, depth, loops, callees):
        self.left -= 1
        kind = self.random.choice(["if", "if", "else", "loop", "loop", "switch", "call", "leave", "return"])
        inner = lambda more=0: self.block(depth + 1, loops + more, callees)
        if depth > 3 or self.left < 0:
            return self.change()
        if kind == "if":
            return f"if ({self.condition()}) {{ {inner()} }}"
        if kind == "else":
            return f"if ({self.condition()}) {{ {inner()} }} else {{ {inner()} }}"
        if kind == "loop" and loops < 2:
            self.names += 1
            i = f"i{self.names}"
            if self.random.randrange(4) == 0:
                return f"uint {i} = {self.count()}; do {{ {inner(1)} {self.change()} }} while ({i}-- > 1u && x % 7u != 0u);"
            return f"for (uint {i} = 0u, n{i} = {self.count()}; {i} < n{i}; {i}++) {{ {inner(1)} {self.change()} }}"
        if kind == "switch":
            fall = self.random.choice(["break;", ""])
            return f"switch (x % 4u) {{ case 0u: {inner()} {fall} case 1u: {inner()} break; default: {self.change()} }}"
        if kind == "call" and callees:
            return f"x += {self.random.choice(callees)}(x);"
        if kind == "leave" and loops > 0:
            return f"if ({self.condition()}) {{ {self.change()} {self.random.choice(['break', 'continue'])}; }}"
        if kind == "return" and depth > 0:
            return f"if (x % {self.random.randrange(5, 40)}u == 3u) {{ {self.leave} }}"
        return self.change()

    def block(self, depth, loops, callees):
        return " ".join(self.statement(depth, loops, callees) for _ in range(self.random.randrange(1, 4)))

    def text(self):
        callees, functions = [], ""
        self.leave = "return x ^ 5u;"
        for name in ("f", "g"):
            self.left = 7
            functions += f"uint {name}(uint x)\n{{\n    {self.block(0, 0, callees)}\n    return x;\n}}\n"
            callees.append(name)
        self.leave = "data[8192u + gl_GlobalInvocationID.x] = x; return;"
        self.left = 12
        parts = []
        for _ in range(2):
            if self.barriers:
                self.leave = self.change()  # all come to a barrier
                parts.append(f"for (uint r = 0u; r < 3u; r++) {{ {self.block(1, 0, callees)} {HAND_ON} }}")
            parts.append(self.block(0, 0, callees))
        body = "\n    ".join(parts)
        return f"{HEAD}{functions}void main()\n{{\n{BEGIN}    {body}\n{END}}}\n"


def run(arguments, **more):
    result = subprocess.run(arguments, capture_output=True, text=True, **more)
    if result.returncode == 77 or "no Vulkan device" in result.stderr:
        print(result.stdout + result.stderr)
        sys.exit(77)
    if result.returncode != 0:
        sys.exit(f"{' '.join(arguments)} failed with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


def blocks(folder, shader, per_block, width):
    """Per block its executions, those of lanes, and what else the table has."""
    capture = os.path.join(folder, "capture.wscope")
    environment = dict(os.environ, WARPSCOPE_PER_BLOCK=per_block)
    if width is not None:  # the device's cache does not tell widths apart
        environment.update(LP_NATIVE_VECTOR_WIDTH=width, MESA_SHADER_CACHE_DISABLE="true")
    run([COMMAND, "record", "-q", "-p", "simt_efficiency", "-o", capture, "--", RUN, shader, str(GROUPS)], env=environment)
    text = run([COMMAND, "report", capture, "simt_efficiency", "--csv", "--rows", "0"])
    return [row for row in csv.DictReader(io.StringIO(text)) if row["level"] == "blocks"]


def main():
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        texts = {f"kernel {seed}": Kernel(seed).text() for seed in range(SEED, SEED + KERNELS)}
        texts["many branches"] = many_branches()
        texts["over barriers"] = over_barriers()
        texts["left twice"] = left_twice()
        texts["a first block by itself"] = Kernel(38).text()
        runs = [(name, text, None) for name, text in texts.items()]
        wide = {**passed_by(), **returned_from()}
        runs += [(name, text, width) for name, text in wide.items() for width in WIDTHS]
        for name, text, width in runs:
            source, shader = os.path.join(folder, "kernel.comp"), os.path.join(folder, "kernel.spv")
            with open(source, "w") as file:
                file.write(text)
            run([GLSLANG, "-V", "--quiet", "--target-env", "vulkan1.1", "-o", shader, source])
            shared, each = blocks(folder, shader, "false", width), blocks(folder, shader, "true", width)
            wrong = [(one, other) for one, other in zip(shared, each) if one != other]
            if len(shared) != len(each) or wrong or not each:
                failed = True
                print(f"{name}, {width or 'its own'} bits: {len(wrong)} of {len(each)} blocks differ ({len(shared)} with shared counters):")
                for one, other in wrong[:3]:
                    print("  shared", one, "\n  each  ", other)
    sys.exit(failed)


main()
