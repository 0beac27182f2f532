#!/usr/bin/env python3
"""Makes compute kernels of a given number of basic blocks, for measuring what compiling them costs.

    kernels.py BLOCKS [--barriers]

prints GLSL. Branches on data, two-sided branches and loops with an early end follow each other, as in kernels of
machine learning that were unrolled; what each computes is used by the next. With --barriers the threads of a
workgroup hand on what they have through shared memory, after every sixth of these. The same numbers give the same text."""

import argparse

THREADS = 64

# Each with the blocks that it adds (of glslang, whose modules are not optimized).
PARTS = [
    (2, """    if ((x & {bit}u) != 0u) {{
        x = x * {odd}u + data[(x + {index}u) & 4095u];
    }}
"""),
    (3, """    if (x > data[{index}u & 4095u]) {{
        x = x ^ (x >> {shift});
    }} else {{
        x = x + {odd}u;
    }}
"""),
    (7, """    for (uint i = 0u; i < 4u; i++) {{
        x += data[(x + i * {odd}u) & 4095u];
        if (x < {odd}u) {{
            break;
        }}
    }}
"""),
]

BARRIER = """    part[gl_LocalInvocationIndex] = x;
    barrier();
    x += part[(gl_LocalInvocationIndex + {shift}u) & 63u];
    barrier();
"""


def kernel(blocks, barriers):
    lines = ["#version 450\n", f"layout(local_size_x = {THREADS}) in;\n",
             "layout(std430, binding = 0) buffer Data { uint data[]; };\n"]
    if barriers:
        lines.append(f"shared uint part[{THREADS}];\n")
    lines.append("void main()\n{\n    uint x = data[gl_GlobalInvocationID.x & 4095u];\n")
    left, index = blocks - 1, 0
    while left > 0:
        size, text = PARTS[index % len(PARTS)]
        if size > left:
            size, text = PARTS[0]
        values = {"bit": 1 << index % 13, "odd": 2 * index + 3, "index": index, "shift": index % 15 + 1}
        lines.append(text.format(**values))
        if barriers and index % 6 == 5:
            lines.append(BARRIER.format(**values))
        left -= size
        index += 1
    lines.append("    data[gl_GlobalInvocationID.x & 4095u] = x;\n}\n")
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("blocks", type=int, help="basic blocks of the kernel, about")
    parser.add_argument("--barriers", action="store_true", help="with barriers of the workgroup")
    arguments = parser.parse_args()
    print(kernel(arguments.blocks, arguments.barriers), end="")


if __name__ == "__main__":
    main()
