#!/usr/bin/env python3
"""Holds layer/core/struct_sizes.h against the installed Vulkan: the size of every struct that the headers declare, by
the compiler, and the numbers and sizes that an installed registry gives.

Usage: struct_sizes.py SOURCE_ROOT INCLUDE_FOLDER COMPILER [ARGUMENT...]; INCLUDE_FOLDER may be empty.
"""
import os
import re
import subprocess
import sys

# Structs that have grown since the headers of 1.3.239: the newer size is the one to copy. None of them stands in a
# chain that the layer edits.
GROWN = {"VkPhysicalDeviceClusterCullingShaderPropertiesHUAWEI"}
REGISTRIES = ["/usr/share/vulkan/registry/vk.xml", "/usr/local/share/vulkan/registry/vk.xml"]
FETCHED = "build-setup/registry/vk.xml"  # by scripts/registry


def read_table(root):
    """{name: (sType, size)} of the committed table."""
    with open(os.path.join(root, "layer/core/struct_sizes.h"), encoding="utf-8") as file:
        rows = re.findall(r"\{(\d+), (\d+)\}, /\* (\w+) \*/", file.read())
    numbers = [int(number) for number, _, _ in rows]
    assert numbers == sorted(set(numbers)), "the table is not sorted by sType"
    return {name: (int(number), int(size)) for number, size, name in rows}


def check_headers(table, compiler):
    """How many structs of the installed headers were found, each with its size in the table."""
    include = "#include <vulkan/vulkan.h>\n"
    headers = subprocess.run(compiler + ["-E", "-P", "-xc", "-"], input=include, capture_output=True, text=True,
                             check=True).stdout
    declared = set(re.findall(r"typedef\s+struct\s+(Vk\w+)\s*\{\s*VkStructureType\s+sType;", headers))
    known = sorted(declared & set(table) - GROWN)
    asserts = "".join(f'_Static_assert(sizeof({name}) == {table[name][1]}, "{name}");\n' for name in known)
    subprocess.run(compiler + ["-fsyntax-only", "-xc", "-"], input=include + asserts, text=True, check=True)
    return len(known)


def check_registry(table, registry):
    """How many structs of an installed registry have the number and size that the table gives them."""
    by_number = {number: size for number, size in table.values()}
    unstable = registry.provisional() | GROWN
    stable = {number: size for number, (size, name) in registry.sizes().items() if name not in unstable}
    wrong = {number: size for number, size in stable.items() if by_number.get(number) != size}
    assert not wrong, f"the registry has other sizes, or structs that the table lacks: {wrong}"
    return len(stable)


def main():
    root, folder, *compiler = sys.argv[1:]
    sys.path.insert(0, os.path.join(root, "scripts"))
    import struct_sizes  # pylint: disable=import-outside-toplevel
    table = read_table(root)
    found = check_headers(table, compiler + ([f"-I{folder}"] if folder else []))
    assert found > 500, f"only {found} structs of the table were found in the headers"
    print(f"{len(table)} structs, {found} of them in the headers")
    for path in filter(os.path.exists, REGISTRIES + [os.path.join(root, FETCHED)]):
        print(f"{check_registry(table, struct_sizes.Registry(path))} of them in {path}")


if __name__ == "__main__":
    main()
