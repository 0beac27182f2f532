"""usage: actions.py SOURCE [REGISTRY...]
Every Vulkan command that may run shaders is hooked by the layer: each command of the registry with the task
"action" is either hooked, or among those that are known to run none. A command that is new in the registry
fails this test until somebody has looked at it. 77 where no registry is installed."""
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

REGISTRIES = ["/usr/share/vulkan/registry/vk.xml", "/usr/local/share/vulkan/registry/vk.xml"]

# Copies, fills, queries, markers, state, builds on the device, fixed functions.
RUNS_NONE = re.compile(
    r"vkCmd("
    r"(Copy|Blit|Resolve|Clear|Fill|Update|Write|Decompress|Convert)\w*|"
    r"(Begin|End)(Query|QueryIndexed|ConditionalRendering|ConditionalRendering2|VideoCoding|GpaSession|GpaSample|"
    r"ShaderInstrumentation|CustomResolve|DebugUtilsLabel|PerTileExecution)(EXT|KHR|AMD|ARM|QCOM)?|"
    r"ResetQueryPool|NextSubpass2?|DebugMarkerInsertEXT|InsertDebugUtilsLabelEXT|ControlVideoCodingKHR|"
    r"(Decode|Encode)VideoKHR|SetCheckpointNV|SetPerformance(Stream)?MarkerINTEL|OpticalFlowExecuteNV|"
    r"PreprocessGeneratedCommands(NV|EXT)|BuildMicromapsEXT|InitializeGraphScratchMemoryAMDX|RefreshObjectsKHR"
    r")$")


def action_commands(registry):
    for command in ET.parse(registry).getroot().findall("commands/command"):
        if command.find("proto/name") is not None and "action" in command.get("tasks", ""):
            yield command.find("proto/name").text


def main():
    source = pathlib.Path(sys.argv[1])
    registries = [r for r in sys.argv[2:] or REGISTRIES if pathlib.Path(r).exists()]
    if not registries:
        print("no Vulkan registry (vk.xml) is installed")
        return 77
    hooked = set()
    for file in (source / "layer").rglob("*.c"):
        hooked |= {"vk" + name for name in re.findall(r"WS_HOOK\((\w+),", file.read_text())}
    lists = (source / "layer/core/dispatch.h").read_text()
    for canonical, alias in re.findall(r"X\((\w+), (\w+)\)", lists):
        if "vk" + canonical in hooked:
            hooked.add("vk" + alias)
    missing = [name for name in action_commands(registries[0]) if name not in hooked and not RUNS_NONE.match(name)]
    for name in missing:
        print(f"{name} is not hooked: does it run shaders? (layer/commands, or RUNS_NONE in this test)")
    return 1 if missing else 0


sys.exit(main())
