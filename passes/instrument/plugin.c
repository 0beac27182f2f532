#define WS_PLUGIN_HOST
#include "passes/instrument/plugin.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

#include "passes/instrument/registry.h"
#include "warpscope/plugin.h"

/* A plug-in that was built against other headers must be refused: then the number of the interface must rise. */
_Static_assert(sizeof(struct ws_pass) == 64 && sizeof(struct ws_visit_functions) == 34 * sizeof(void *),
               "what pass.h says has changed: raise WS_PASS_INTERFACE, unless functions were added alone");

static const struct ws_visit_functions functions = {
#define WS_VISIT_FUNCTION(name) .name = ws_visit_##name,
    WS_VISIT_FUNCTIONS(WS_VISIT_FUNCTION)
#undef WS_VISIT_FUNCTION
};

#define PLACES_ALL                                                                                           \
    (WS_PLACE_ENTRY | WS_PLACE_BLOCK | WS_PLACE_BEFORE | WS_PLACE_END | WS_PLACE_AFTER | WS_PLACE_SYNC |     \
     WS_PLACE_RETURNED | WS_PLACE_FUNCTION | WS_PLACE_LEAVE | WS_PLACE_LOOP_BEGIN | WS_PLACE_LOOP_ITERATE |  \
     WS_PLACE_LOOP_END)
#define NAME_MAX_LENGTH 64

static bool fits(const struct ws_pass_plugin *plugin, const char *path, struct ws_error *error)
{
    if (plugin->interface != WS_PASS_INTERFACE)
        return ws_error_set(
            error,
            "'%s' was built for version %u of the interface of passes, this Warpscope has version %u: "
            "build it with the headers of this one",
            path, plugin->interface, WS_PASS_INTERFACE);
    if (plugin->pass_size != sizeof(struct ws_pass) || plugin->function_size > sizeof(functions))
        return ws_error_set(
            error, "'%s' was built with other headers than those of this Warpscope: build it with these",
            path);
    if (plugin->pass_count == 0 || plugin->passes == NULL || plugin->functions == NULL)
        return ws_error_set(error, "'%s' has no passes (WS_PASS_PLUGIN)", path);
    return true;
}

/* Settings and options write names, with commas between them. */
static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const size_t length = name != NULL ? strlen(name) : 0;
    return length > 0 && length <= NAME_MAX_LENGTH && strspn(name, letters) == length;
}

/* What opens a block has no place before or behind it, nor has what must stand last but one. */
static bool is_possible(uint16_t opcode)
{
    return opcode != SpvOpLabel && opcode != SpvOpPhi && opcode != SpvOpVariable &&
           opcode != SpvOpLoopMerge && opcode != SpvOpSelectionMerge;
}

static bool check(const struct ws_pass *pass, const char *path, struct ws_error *error)
{
    if (pass == NULL || !is_name(pass->name))
        return ws_error_set(error, "'%s' has a pass whose name is not of small letters, digits and '_'",
                            path);
    if (strcmp(pass->name, "all") == 0 || ws_pass_find(pass->name) != NULL)
        return ws_error_set(error, "'%s' has a pass '%s', and there is one of that name already", path,
                            pass->name);
    const char *wrong = NULL;
    if (pass->summary == NULL || pass->visit == NULL)
        wrong = "it lacks its summary or its callback";
    else if (pass->places == 0 || (pass->places & ~(uint32_t)PLACES_ALL) != 0)
        wrong = "it names places that there are not";
    else if ((pass->stages & WS_STAGES_ALL) == 0 || (pass->stages & ~WS_STAGES_ALL) != 0)
        wrong = "it names stages that there are not";
    else if (pass->opcode_count > 0 && pass->opcodes == NULL)
        wrong = "it has no list of opcodes";
    for (size_t i = 0; wrong == NULL && i < pass->opcode_count; i++)
        if (!is_possible(pass->opcodes[i]))
            wrong = "one of its opcodes opens a block or merges";
    return wrong == NULL ||
           ws_error_set(error, "'%s' has a pass '%s' that cannot be: %s", path, pass->name, wrong);
}

bool ws_pass_plugin_take(const struct ws_pass_plugin *plugin, const char *path, struct ws_error *error)
{
    if (!fits(plugin, path, error))
        return false;
    for (uint32_t i = 0; i < plugin->pass_count; i++) {
        if (!check(plugin->passes[i], path, error))
            return false;
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(plugin->passes[i]->name, plugin->passes[j]->name) == 0)
                return ws_error_set(error, "'%s' has two passes '%s'", path, plugin->passes[i]->name);
    }
    *plugin->functions = &functions;
    return ws_pass_add(plugin->passes, plugin->pass_count) ||
           ws_error_set(error, "'%s' has more passes than there is room for (%d of all plug-ins)", path,
                        WS_PASS_PLUGINS_MAX);
}
