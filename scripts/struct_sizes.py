#!/usr/bin/env python3
"""Writes layer/core/struct_sizes.h: the size of every Vulkan struct that has an sType, from the Vulkan registry.

Usage: scripts/struct_sizes.py VK_XML > layer/core/struct_sizes.h

The layer copies structs of the application's pNext chains, and for that it must know their sizes, also of structs
that are newer than the headers it is built with. So the table is made from the newest registry at hand, and the
sizes are computed here from the members, as C lays them out where long and pointers have 64 bits (LP64). Take a newer
vk.xml and run this again; the test "struct sizes" holds the table against the installed headers and registry.

Left out are structs whose members have types of a platform that the registry does not define (HANDLE, zx_handle_t),
and those of extensions that are disabled.
"""
import re
import sys
import xml.etree.ElementTree

# Size and alignment of C's own types.
C_TYPES = {"char": 1, "int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int": 4, "int32_t": 4, "uint32_t": 4,
           "float": 4, "int64_t": 8, "uint64_t": 8, "size_t": 8, "double": 8}
POINTER = (8, 8)


class Unknown(Exception):
    """A type that the registry does not define."""


def of_vulkan(element, attribute="api"):
    """Whether an element is Vulkan's, not only that of another API of the same registry (Vulkan SC)."""
    return "vulkan" in element.get(attribute, "vulkan").split(",")


def text_of(element):
    """The C text of an element, without its comment."""
    return (element.text or "") + "".join(("" if child.tag == "comment" else text_of(child)) + (child.tail or "")
                                          for child in element)


class Registry:
    def __init__(self, path):
        self.root = xml.etree.ElementTree.parse(path).getroot()
        self.types = {}
        for element in self.root.findall("types/type"):
            name = element.get("name") or element.findtext("name") or element.findtext("proto/name")
            if of_vulkan(element) and name not in self.types:
                self.types[name] = element
        self.constants = {element.get("name"): element.get("value")
                          for element in self.root.findall("enums/enum") if element.get("value")}
        self.structure_types = self.read_structure_types()
        self.layouts = {}

    def read_structure_types(self):
        """The numbers of the enumerants of VkStructureType by their names."""
        numbers = {element.get("name"): int(element.get("value"), 0)
                   for element in self.root.findall("enums[@name='VkStructureType']/enum") if element.get("value")}
        parts = self.root.findall("feature") + self.root.findall("extensions/extension")
        aliases = {}
        for part in parts:
            if not of_vulkan(part, "supported" if part.tag == "extension" else "api"):
                continue
            for element in part.findall("require/enum[@extends='VkStructureType']"):
                name = element.get("name")
                if element.get("alias"):
                    aliases[name] = element.get("alias")
                elif element.get("value"):
                    numbers[name] = int(element.get("value"), 0)
                else:
                    # "Assigning Extension Token Values" of the Vulkan style guide.
                    number = int(element.get("extnumber") or part.get("number"))
                    numbers[name] = 1000000000 + (number - 1) * 1000 + int(element.get("offset"))
        for name, alias in aliases.items():
            if alias in numbers:
                numbers[name] = numbers[alias]
        return numbers

    def provisional(self):
        """The names of structs whose extension may still change them."""
        return {element.get("name") for extension in self.root.findall("extensions/extension[@provisional='true']")
                for element in extension.findall("require/type")}

    def version(self):
        """As text: 1.4.359."""
        for element in self.root.findall("types/type[@category='define']"):
            if element.findtext("name") == "VK_HEADER_VERSION" and of_vulkan(element):
                patch = "".join(element.itertext()).split()[-1]
            if element.findtext("name") == "VK_HEADER_VERSION_COMPLETE" and of_vulkan(element):
                complete = re.findall(r"\d+", "".join(element.itertext()))
        return f"{complete[-2]}.{complete[-1]}.{patch}"

    def length(self, text):
        """The number of elements that "[4]", "[VK_UUID_SIZE]" or "[3][4]" in a member's text stand for."""
        count = 1
        for part in re.findall(r"\[\s*(\w+)\s*\]", text):
            count *= int(part if part.isdigit() else self.constants[part].rstrip("U"), 0)
        return count

    def member(self, element):
        """Size and alignment of a member, and its bits where it is a bit-field, else 0."""
        text = text_of(element)
        bits = re.search(r":\s*(\d+)\s*$", text)
        size, alignment = POINTER if "*" in text else self.layout(element.findtext("type"))
        return size * self.length(text), alignment, int(bits.group(1)) if bits else 0

    def members(self, element):
        """Size and alignment of a struct or union."""
        end, alignment = 0, 1
        is_union = element.get("category") == "union"
        unit, bits_left = 0, 0
        for child in element.findall("member"):
            if not of_vulkan(child):
                continue
            size, needed, bits = self.member(child)
            alignment = max(alignment, needed)
            if bits > 0 and unit == size and bits <= bits_left:
                bits_left -= bits
                continue
            unit, bits_left = (size, 8 * size - bits) if bits > 0 else (0, 0)
            end = max(end, size) if is_union else (end + needed - 1) // needed * needed + size
        return (end + alignment - 1) // alignment * alignment, alignment

    def typedef(self, element):
        """Of "typedef uint32_t VkFlags;" and of "typedef void* VkRemoteAddressNV;"."""
        text = "".join(element.itertext())
        if "*" in text:
            return POINTER
        if element.find("type") is None:
            raise Unknown(text)
        return self.layout(element.findtext("type"))

    def find_layout(self, name):
        if name in C_TYPES:
            return C_TYPES[name], C_TYPES[name]
        if name.startswith("StdVideo"):
            return 4, 4  # of another registry; those that stand in structs by value are enums
        element = self.types.get(name)
        if element is None:
            raise Unknown(name)
        if element.get("alias"):
            return self.layout(element.get("alias"))
        category = element.get("category")
        if category in ("struct", "union"):
            return self.members(element)
        if category in ("basetype", "bitmask"):
            return self.typedef(element)
        if category == "enum":
            return 4, 4
        if category in ("handle", "funcpointer"):
            return POINTER
        raise Unknown(name)

    def layout(self, name):
        """Size and alignment of a type."""
        if name not in self.layouts:
            self.layouts[name] = self.find_layout(name)
        return self.layouts[name]

    def sizes(self):
        """{sType: (size, name of the struct)} of all structs that have one."""
        result = {}
        for name, element in self.types.items():
            if element.get("category") != "struct" or element.get("alias"):
                continue
            values = next((member.get("values") for member in element.findall("member")
                           if member.findtext("name") == "sType" and of_vulkan(member)), None)
            number = self.structure_types.get(values)
            if number is None:
                continue
            try:
                result[number] = (self.layout(name)[0], name)
            except Unknown:
                continue
        return result


def main():
    registry = Registry(sys.argv[1])
    print(f"""/* The size in bytes of every Vulkan struct that has an sType, by that number, of Vulkan {registry.version()}.
 * Written by scripts/struct_sizes.py from the Vulkan registry: do not edit, run it again. */
#ifndef WS_LAYER_CORE_STRUCT_SIZES_H
#define WS_LAYER_CORE_STRUCT_SIZES_H

#include <stdint.h>

/* clang-format off */
static const struct ws_struct_size {{
    uint32_t type; /* VkStructureType; the table is sorted by it */
    uint32_t size;
}} ws_struct_sizes[] = {{""")
    for number, (size, name) in sorted(registry.sizes().items()):
        print(f"    {{{number}, {size}}}, /* {name} */")
    print("""};
/* clang-format on */

#endif""")


if __name__ == "__main__":
    main()
