"""usage: actions.py SOURCE [REGISTRY...]
The layer knows every command of Vulkan. Each vkCmd and vkQueue command of a registry (vk.xml) is either hooked, by a
WS_HOOK somewhere in the layer, or in the table of layer/loader/known_commands.c, which says why it need not be. A command
that is in neither fails this test until somebody has looked at it. The registries are those that are installed, and the
newest, if scripts/registry has fetched it. 77 where there is none."""
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

REGISTRIES = ["/usr/share/vulkan/registry/vk.xml", "/usr/local/share/vulkan/registry/vk.xml",
              "build-setup/registry/vk.xml"]
LOOKED_AT = re.compile(r"vk(Cmd|Queue)[A-Z]")
TABLE = "layer/loader/known_commands.c"


def is_of_vulkan(element):
    return "api" not in element.attrib or "vulkan" in element.attrib["api"].split(",")


def read_registry(path):
    """The version, and the names of all commands, aliases included."""
    root = ET.parse(path).getroot()
    names = set()
    for command in filter(is_of_vulkan, root.findall("commands/command")):
        name = command.get("name") or command.find("proto/name").text
        if LOOKED_AT.match(name):
            names.add(name)
    version = "?"
    for define in filter(is_of_vulkan, root.findall("types/type[@category='define']")):
        text = "".join(define.itertext())
        if "#define VK_HEADER_VERSION " in text:
            version = text.split()[-1]
    return version, names


def read_hooks(source):
    """Names that some file of the layer hooks, with their aliases."""
    hooked = set()
    for file in (source / "layer").rglob("*.c"):
        hooked |= {"vk" + name for name in re.findall(r"WS_HOOK\((\w+),", file.read_text())}
    lists = (source / "layer/core/dispatch.h").read_text()
    for canonical, alias in re.findall(r"X\((\w+), (\w+)\)", lists):
        if "vk" + canonical in hooked:
            hooked.add("vk" + alias)
    return hooked


def check(path, hooked, table):
    """Prints what is wrong with a registry's commands; how many are."""
    version, names = read_registry(path)
    missing = sorted(names - hooked - table)
    print(f"{path}, version {version}: {len(names)} commands, {len(names & hooked)} hooked, {len(names & table)} in the table")
    for name in missing:
        print(f"{name} is new. Does it run shaders, or change what geometry capture depends on? Then hook it "
              f"(CONTRIBUTING.md); or say what it does and that nothing is missed (layer/commands/uncovered.c). Else put it into "
              f"the table of {TABLE}, where the reason stands.")
    return len(missing)


def main():
    source = pathlib.Path(sys.argv[1])
    registries = [source / name for name in sys.argv[2:] or REGISTRIES if (source / name).exists()]
    hooked = {name for name in read_hooks(source) if LOOKED_AT.match(name)}
    listed = re.findall(r'"(vk[A-Z]\w+)"', (source / TABLE).read_text())
    table = set(listed)
    wrong = [f"{name} is hooked and in the table of {TABLE}" for name in sorted(hooked & table)]
    wrong += [f"{name} is twice in the table of {TABLE}" for name in sorted(table) if listed.count(name) > 1]
    for line in wrong:
        print(line)
    if not registries:
        print("no Vulkan registry (vk.xml) is installed; scripts/registry fetches the newest")
        return 1 if wrong else 77
    return 1 if sum(check(path, hooked, table) for path in registries) + len(wrong) > 0 else 0


sys.exit(main())
