#!/usr/bin/env python3
"""usage: random_rounding.py COMMAND RUN GLSLANG [SEED [KERNELS [PASSES ...]]]. That recording changes no bit of what random kernels compute.

A kernel has twelve results: samples, gathers, fetches, texels and numbers that are written and read again, workgroup memory, indices and
conditions that are computed, and ray queries, of random expressions of floats, which they share. It is run as glslang makes it and
as spirv-opt makes it of that, plain and under each of PASSES: what a compiler folds only where nothing else uses it must be folded
under these as well (passes/instrument/handed.c). What is not promised (docs/usage.md, Rounding) is not in these kernels: loops of
a known number of turns, which a compiler may write out, and vectors of one number several times that are computed further."""

import os
import random
import subprocess
import sys
import tempfile

COMMAND, RUN, GLSLANG = [os.path.abspath(path) for path in sys.argv[1:4]]
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 10
KERNELS = int(sys.argv[5]) if len(sys.argv) > 5 else 2
PASSES = sys.argv[6:] or ["all", "memory_access,memory_trace,ray_events"]
RESULTS = 12
HEAD = """#version 460
#extension GL_EXT_ray_query : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform sampler2D picture;
layout(set = 0, binding = 1) buffer Factors { float factors[]; };
layout(set = 0, binding = 2) buffer Results { float results[][12]; };
layout(set = 0, binding = 3, r32f) uniform image2D drawn;
layout(set = 0, binding = 4) uniform accelerationStructureEXT top;
struct Place { vec2 at; float level; };
shared float kept[64];
"""
BEGIN = """void main() {
const uint t = gl_GlobalInvocationID.x;
const ivec2 place = ivec2(t >> 6, t & 63u);
const float x = factors[t & 127u], y = factors[t >> 5 & 127u], z = factors[t * 7u & 127u];
float res = 0.0;
"""
SIDES = "if ((t & {bit}u) != 0u) res = textureLod(picture, {at}, 0.0).x; else res = textureLod(picture, {at}, {level}).x;"
# What a result may be. {v}: an expression of two numbers, {f} and {g}: of one, deep and shallow; {k}: a constant; {n}: a new name.
SINKS = {
    "sample": "res = textureLod(picture, {v}, {f}).x;",
    "gradients": "res = textureGrad(picture, {v}, {v}, vec2(0.0)).x;",
    "gather": "res = textureGather(picture, {v}).y;",
    "projected": "res = textureProjLod(picture, vec3({v}, 1.0 + abs({g})), {f}).x;",
    "fetch": "res = texelFetch(picture, abs(ivec2({v} * 3.0)) & 1, int(abs({g})) & 1).x + {g};",
    "number": "res = {f};",
    "texel": "imageStore(drawn, place, vec4({f})); memoryBarrierImage(); res = imageLoad(drawn, place).x;",
    "index": "res = factors[uint(abs({f}) * 17.0) & 127u];",
    "workgroup": "kept[gl_LocalInvocationIndex] = {f}; barrier(); res = kept[uint(abs({f}) * 5.0) & 63u]; barrier();",
    "condition": "if ({f} < {g}) res = {f}; else res = {g};",
    "sides": "vec2 {n} = {v}; " + SIDES,
    "member": "Place {n}; {n}.at = {v}; {n}.level = {g}; " + SIDES.replace("{at}", "{n}.at").replace("{level}", "{n}.level"),
    "parts": "vec2 {n}; {n}.x = {f}; {n}.y = {f}; " + SIDES,
    "twice": "vec2 {n} = {v}; res = textureLod(picture, {n}, 0.0).x + textureLod(picture, {n}, 1.0).x + {n}.y * {k};",
    "level": "float {n} = {f}; res = textureLod(picture, vec2(0.5), {n}).x + textureLod(picture, vec2(0.25, {n}), 0.5).x;",
    "joined": "vec2 {n} = {v}; if ((t & 2u) != 0u) {n} = {v}; res = textureLod(picture, {n}, 0.0).x;",
    "loop": "for (uint i = 0u; i < (t & 3u); i++) res += textureLod(picture, {v} * (0.3 + float(i)), 0.0).x;",
    "product": "float {n} = {g}; for (uint i = 0u; i < (t & 7u); i++) {n} = {n} * {g} * {k}; res = {n};",
    "call": "res = sampled_{n}({v}, t);",
    "ray": "rayQueryEXT {n}; rayQueryInitializeEXT({n}, top, 0u, 255u, vec3({v}, 0.0), abs({g}) * 0.01, vec3({v} * 0.1, 1.0), 9.0); "
           "while (rayQueryProceedEXT({n})) {} "
           "if (rayQueryGetIntersectionTypeEXT({n}, true) != 0u) res = rayQueryGetIntersectionTEXT({n}, true);",
}
FUNCTION = "float sampled_{n}(vec2 at, uint t) { float res; " + SIDES.replace("{at}", "at") + " return res; }"


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0
        self.numbers = ["x", "y", "z"] + [f"factors[{i}]" for i in range(3)]
        self.functions = []
        self.sinks = self.random.sample(list(SINKS), RESULTS)
        body = []
        for i, sink in enumerate(self.sinks):
            if self.random.random() < 0.4:
                name = self.name()
                body.append(f"const float {name} = {self.number(2)};")
                self.numbers.append(name)
            body.append(f"res = 0.0; {{ {self.fill(SINKS[sink])} results[t][{i}] = res; }}")
        self.text = HEAD + "\n".join(self.functions) + BEGIN + "\n".join(body) + "\n}\n"

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def constant(self):
        return f"{self.random.uniform(0.1, 1.9):.3f}"

    def number(self, depth):
        if depth == 0:
            return self.random.choice(self.numbers)
        inner = self.number(depth - 1)
        other = self.random.choice([self.constant(), self.random.choice(self.numbers)])
        return self.random.choice([f"({inner} * {other})"] * 9 + [f"({inner} + {other})"] * 3 + [
            f"({inner} - {self.number(depth - 1)})", f"mix({inner}, {other}, {self.constant()})", f"abs({inner})", f"sqrt(abs({inner}))",
            f"({inner} / {self.constant()})", f"max({inner}, {other})", f"(x > {other} ? {inner} : {self.number(depth - 1)})",
            f"dot(vec2({inner}, y), vec2({self.constant()}))"])

    def vector(self):
        pair = "vec2({}, {})".format(*self.random.sample(self.numbers, 2))
        number = self.number(2)
        return self.random.choice([f"({pair} * {self.number(0)} * {self.constant()})"] * 3 + [
            f"({pair} * {self.constant()} + {self.number(1)})", f"vec2({number}, {self.number(2)})", f"vec2({number})"])

    def fill(self, text):
        name = self.name()
        if "sampled_" in text:
            self.functions.append(self.put(FUNCTION, name))
        return self.put(text, name)

    def put(self, text, name):
        fills = {"{n}": lambda: name, "{at}": lambda: name, "{v}": self.vector, "{f}": lambda: self.number(3), "{g}": lambda: self.number(1),
                 "{k}": self.constant, "{level}": lambda: "1.0", "{bit}": lambda: str(self.random.choice([1, 2, 4, 16]))}
        for part, fill in fills.items():
            while part in text:
                text = text.replace(part, fill(), 1)
        return text


def lines(*command):
    environment = dict(os.environ, VK_INSTANCE_LAYERS="", WARPSCOPE_PASSES="")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode in (3, 77):
        print(done.stdout or done.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout[-1000:]}{done.stderr}")
    return done.stdout.splitlines()


def main(folder):
    modules, titles = [], []
    for seed in range(SEED, SEED + KERNELS):
        kernel = Kernel(seed)
        source = os.path.join(folder, f"{seed}.comp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(kernel.text)
        for name in ("glslang", "optimised"):
            module = os.path.join(folder, f"{seed}.{name}.spv")
            if name == "glslang":
                subprocess.run([GLSLANG, "-V", "--quiet", "--target-env", "vulkan1.2", "-o", module, source], check=True)
            else:
                subprocess.run(["spirv-opt", "-O", modules[-1], "-o", module], check=True)
            modules.append(module)
            titles += [f"seed {seed}, {name}, result {i}: {sink}" for i, sink in enumerate(kernel.sinks)]
    plain = lines(RUN, *modules)
    assert len(plain) == len(titles)
    failed = False
    for passes in PASSES:
        capture = os.path.join(folder, "run.wscope")
        recorded = lines(COMMAND, "record", "-q", "-p", passes, "-o", capture, "--", RUN, *modules)
        differ = [title for title, a, b in zip(titles, plain, recorded) if a != b]
        print(f"{passes}: {len(differ)} of {len(plain)} results differ {differ}")
        failed |= len(recorded) != len(plain) or len(differ) > 0
    sys.exit(failed)


with tempfile.TemporaryDirectory() as temporary:
    main(temporary)
