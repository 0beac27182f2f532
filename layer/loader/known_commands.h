/* The commands of Vulkan 1.4.363 and its extensions that the layer need not hook, and why; and what becomes of a
 * command that is newer.
 *
 * The loader hands a command that the layer does not hook on to the driver. Where it runs shaders, its launch is missing
 * from the capture. So every command of the registry (vk.xml) is either hooked or in the table of known_commands.c:
 * tests/unit/layer/commands/actions.py holds both to each registry that it finds. A command that is in neither is said
 * once, when the program asks for it and its device has it. */
#ifndef WS_LAYER_LOADER_KNOWN_COMMANDS_H
#define WS_LAYER_LOADER_KNOWN_COMMANDS_H

#include <stdbool.h>

struct ws_instance;

/* Whether the layer hooks the device command `name` (with `vk`, also an alias), with some settings at least, or knows
 * that it need not. */
bool ws_command_is_known(const char *name);

/* The program was given a command that the layer does not hook: says that its launches are missed, where its name is
 * that of a vkCmd command that may run shaders and that is not known. Thread-safe. */
void ws_command_say_unknown(struct ws_instance *instance, const char *name);

#endif
