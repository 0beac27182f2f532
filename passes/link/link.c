/* Which functions of the library go into the module, and what the module as a whole needs for them. How a
 * function and what it refers to is copied: link_copy.c. */
#include "passes/link/link.h"

#include <inttypes.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/link/link_copy.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"

#define CALL_OPERANDS_MAX 64 /* of an OpFunctionCall; primitives have fewer parameters */

const char *const ws_link_no_variable =
    "its entry points have different variables for a built-in that is needed";
const char *const ws_link_too_many = "the probes have too many variables";
const char *const ws_link_failed = "the module failed";

static void read_capability(struct ws_linker *linker, uint32_t capability)
{
    switch ((SpvCapability)capability) {
    case SpvCapabilityVulkanMemoryModel: linker->vulkan_memory_model = true; break;
    case SpvCapabilityVulkanMemoryModelDeviceScope: linker->device_scope = true; break;
    default: break;
    }
}

/* The first of WS_SPEC_COUNT SpecIds that the module does not use: those behind its highest. */
static uint32_t free_spec_ids(const struct ws_module *module)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpDecorate &&
            ws_operand(module, instruction, 1) == SpvDecorationSpecId) {
            const uint32_t id = ws_operand(module, instruction, 2);
            if (id >= next && id < UINT32_MAX - WS_SPEC_COUNT)
                next = id + 1;
        }
    }
    return next;
}

static bool add_member(struct ws_linker *linker, struct ws_arena *arena, uint32_t type, uint32_t member,
                       uint32_t built_in)
{
    struct ws_built_in_member *members = ws_arena_grow(arena, linker->members, linker->member_count,
                                                       &linker->member_capacity, sizeof(*members));
    if (members == NULL)
        return false;
    linker->members = members;
    members[linker->member_count++] = (struct ws_built_in_member){type, member, built_in};
    return true;
}

/* Finds what is decorated as a built-in: ids, and members of structs. A decoration group cannot be one (SPIR-V
 * specification, BuiltIn). False if there is no memory. */
static bool read_built_ins(struct ws_linker *linker, const struct ws_module *module)
{
    for (uint32_t i = 0; i < module->bound; i++)
        linker->built_ins[i] = WS_NONE;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t target = ws_operand(module, instruction, 0);
        bool read = true;
        if (instruction->opcode == SpvOpDecorate && target < module->bound &&
            ws_operand(module, instruction, 1) == SpvDecorationBuiltIn)
            linker->built_ins[target] = ws_operand(module, instruction, 2);
        else if (instruction->opcode == SpvOpMemberDecorate &&
                 ws_operand(module, instruction, 2) == SpvDecorationBuiltIn)
            read = add_member(linker, module->arena, target, ws_operand(module, instruction, 1),
                              ws_operand(module, instruction, 3));
        if (!read)
            return false;
    }
    return true;
}

/* The units of the library. False if there is no memory. */
static bool add_library(struct ws_linker *linker, struct ws_arena *arena)
{
    const uint32_t count = ws_library_unit_count;
    linker->units = ws_arena_allocate(arena, count, sizeof(struct ws_unit *));
    struct ws_unit *units = ws_arena_allocate(arena, count, sizeof(*units));
    if (linker->units == NULL || units == NULL)
        return false;
    linker->unit_count = linker->unit_capacity = count;
    for (uint32_t i = 0; i < count; i++) {
        units[i].source = &ws_library_units[i];
        units[i].index = i;
        linker->units[i] = &units[i];
    }
    return true;
}

/* A unit that is none of the library. */
static bool add_unit(struct ws_linker *linker, struct ws_arena *arena, const struct ws_library_unit *source)
{
    struct ws_unit **units = ws_arena_grow(arena, linker->units, linker->unit_count, &linker->unit_capacity,
                                           sizeof(*linker->units));
    struct ws_unit *unit = ws_arena_allocate(arena, 1, sizeof(*unit));
    if (units == NULL || unit == NULL)
        return false;
    unit->source = source;
    unit->index = WS_NONE;
    linker->units = units;
    units[linker->unit_count++] = unit;
    return true;
}

static struct ws_linker *create_linker(struct ws_editor *editor)
{
    const struct ws_module *module = editor->module;
    struct ws_arena *arena = editor->arena;
    struct ws_linker *linker = ws_arena_allocate(arena, 1, sizeof(*linker));
    if (linker == NULL)
        return NULL;
    linker->built_ins = ws_arena_allocate(arena, module->bound, sizeof(*linker->built_ins));
    linker->interfaces = ws_arena_allocate(arena, module->entry_point_count, sizeof(*linker->interfaces));
    if (linker->built_ins == NULL || linker->interfaces == NULL)
        return NULL;
    if (!add_library(linker, arena))
        return NULL;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_CAPABILITY]; i++)
        if (module->instructions[i].opcode == SpvOpCapability)
            read_capability(linker, ws_operand(module, &module->instructions[i], 0));
    linker->spec_id = free_spec_ids(module);
    return read_built_ins(linker, module) ? linker : NULL;
}

/* What the module declares, all units may use. */
static void grant_own(struct ws_editor *editor)
{
    const struct ws_module *module = editor->module;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_CAPABILITY]; i++)
        if (module->instructions[i].opcode == SpvOpCapability)
            ws_link_grant(editor, ws_operand(module, &module->instructions[i], 0));
}

struct ws_linker *ws_linker_get(struct ws_editor *editor)
{
    if (editor->linker == NULL && !editor->failed) {
        editor->linker = create_linker(editor);
        if (editor->linker == NULL)
            ws_editor_fail(editor, "no memory to link the library of primitives");
        else
            grant_own(editor);
    }
    return editor->failed ? NULL : editor->linker;
}

/* Whether a built-in must be read as volatile in a stage whose threads may be put into other warps while they
 * run (VUID-StandaloneSpirv-VulkanMemoryModel-04678 and -04679). */
static bool is_volatile_in(uint32_t built_in, uint32_t model)
{
    switch ((SpvExecutionModel)model) {
    case SpvExecutionModelRayGenerationKHR:
    case SpvExecutionModelIntersectionKHR:
    case SpvExecutionModelClosestHitKHR:
    case SpvExecutionModelMissKHR:
    case SpvExecutionModelCallableKHR: break;
    default: return false;
    }
    switch ((SpvBuiltIn)built_in) {
    case SpvBuiltInRayTmaxKHR: return model == SpvExecutionModelIntersectionKHR;
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask: return true;
    default: return false;
    }
}

uint32_t ws_link_interface_first(const struct ws_module *module, const struct ws_instruction *entry_point)
{
    return 2 + ws_module_string(module, entry_point, 2) / 4 + 1;
}

/* The member of a variable's struct that is this built-in; WS_NONE if it has none. */
static uint32_t find_member(const struct ws_editor *editor, uint32_t variable, uint32_t built_in)
{
    const struct ws_linker *linker = editor->linker;
    const uint32_t type = linker->member_count == 0 ? 0 : ws_link_pointee(editor->module, variable);
    for (uint32_t i = 0; i < linker->member_count; i++)
        if (linker->members[i].type == type && linker->members[i].built_in == built_in)
            return linker->members[i].member;
    return WS_NONE;
}

/* The variable of this built-in in the entry point's own interface; 0 if none. It may be a block with a member that is
 * the built-in: an interface must not have it twice (VUID-StandaloneSpirv-OpEntryPoint-09658). */
static uint32_t scan_interface(const struct ws_editor *editor, uint32_t entry_point, uint32_t built_in,
                               uint32_t *member)
{
    const struct ws_module *module = editor->module;
    const struct ws_instruction *instruction =
        &module->instructions[module->entry_points[entry_point].instruction];
    for (uint32_t i = ws_link_interface_first(module, instruction); i + 1 < instruction->length; i++) {
        const uint32_t id = ws_operand(module, instruction, i);
        const struct ws_instruction *variable = ws_module_definition(module, id);
        if (variable == NULL || variable->opcode != SpvOpVariable ||
            ws_operand(module, variable, 2) != SpvStorageClassInput)
            continue;
        *member = find_member(editor, id, built_in);
        if (editor->linker->built_ins[id] == built_in || *member != WS_NONE)
            return id;
    }
    *member = WS_NONE;
    return 0;
}

/* What is known of this built-in in the entry point's interface. NULL after a failure. */
static struct ws_interface_variable *find_in_interface(struct ws_editor *editor, uint32_t entry_point,
                                                       uint32_t built_in)
{
    struct ws_interface *interface = &editor->linker->interfaces[entry_point];
    for (uint32_t i = 0; i < interface->count; i++)
        if (interface->variables[i].built_in == built_in)
            return &interface->variables[i];
    if (interface->count == WS_BUILT_INS_MAX) {
        ws_editor_fail(editor, "the library uses more than %d built-ins", WS_BUILT_INS_MAX);
        return NULL;
    }
    struct ws_interface_variable *variable = &interface->variables[interface->count++];
    variable->built_in = built_in;
    variable->id = scan_interface(editor, entry_point, built_in, &variable->member);
    return variable;
}

/* One that was chosen before and fits: for the same built-in and with the same decorations. */
static uint32_t find_own(const struct ws_linker *linker, const struct ws_choice *choice)
{
    for (uint32_t i = 0; i < linker->variable_count; i++) {
        const struct ws_choice *own = &linker->variables[i];
        if (own->built_in == choice->built_in && own->is_flat == choice->is_flat &&
            own->is_volatile == choice->is_volatile)
            return own->id;
    }
    return 0;
}

uint32_t ws_link_pointee(const struct ws_module *module, uint32_t variable)
{
    const struct ws_instruction *definition = ws_module_definition(module, variable);
    const struct ws_instruction *pointer =
        definition == NULL ? NULL : ws_module_definition(module, ws_operand(module, definition, 0));
    return pointer != NULL && pointer->opcode == SpvOpTypePointer ? ws_operand(module, pointer, 2) : 0;
}

/* How many integers of 32 bits the type has; 0 if it is another. */
static uint32_t integers_in(const struct ws_module *module, uint32_t type)
{
    const struct ws_instruction *definition = ws_module_definition(module, type);
    uint32_t components = 1;
    if (definition != NULL && definition->opcode == SpvOpTypeVector) {
        components = ws_operand(module, definition, 2);
        definition = ws_module_definition(module, ws_operand(module, definition, 1));
    }
    return definition != NULL && definition->opcode == SpvOpTypeInt && ws_operand(module, definition, 1) == 32
               ? components
               : 0;
}

/* Whether the module's variable can be read as the library reads its own, though it be by a cast: compilers
 * differ in the signedness of built-ins, and Vulkan allows both. */
static bool can_read(const struct ws_module *module, const struct ws_variable *wanted,
                     struct ws_choice *choice)
{
    uint32_t pointee = ws_link_pointee(module, choice->id);
    const bool is_ours = ws_module_definition(module, choice->id) == NULL;
    if (choice->member != WS_NONE) {
        const struct ws_instruction *block = ws_module_definition(module, pointee);
        pointee = block != NULL ? ws_operand(module, block, 1 + choice->member) : 0;
        choice->load_type = pointee;
    }
    if (is_ours || pointee == wanted->pointee)
        return true;
    choice->load_type = pointee;
    return wanted->integers != 0 && integers_in(module, pointee) == wanted->integers;
}

/* A variable that the module has for this built-in, though none of these entry points lists it: so that entry
 * points that do and do not can share a function. 0 if there is none, or it would need decorations. */
static uint32_t find_in_module(const struct ws_editor *editor, const struct ws_variable *wanted,
                               const struct ws_choice *choice)
{
    const struct ws_module *module = editor->module;
    for (uint32_t id = 1; id < module->bound && !choice->is_flat && !choice->is_volatile; id++) {
        const struct ws_instruction *variable = ws_module_definition(module, id);
        if (editor->linker->built_ins[id] == wanted->built_in && variable != NULL &&
            variable->opcode == SpvOpVariable && ws_operand(module, variable, 2) == SpvStorageClassInput &&
            ws_link_pointee(module, id) == wanted->pointee)
            return id;
    }
    return 0;
}

/* Decides which variable of the module stands for one of the library. False when none can, or after a
 * failure. */
static bool choose_variable(struct ws_editor *editor, const struct ws_variable *wanted,
                            const uint32_t *entry_points, uint32_t count, struct ws_choice *choice)
{
    *choice = (struct ws_choice){.built_in = wanted->built_in, .member = WS_NONE};
    uint32_t listing = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t model = editor->module->entry_points[entry_points[i]].model;
        const struct ws_interface_variable *listed =
            find_in_interface(editor, entry_points[i], wanted->built_in);
        if (listed == NULL)
            return false;
        const uint32_t id = listed->id;
        if (id != 0 && choice->id != 0 && (id != choice->id || listed->member != choice->member))
            return false;
        if (id != 0) {
            choice->id = id;
            choice->member = listed->member;
            listing++;
        }
        /* VUID-StandaloneSpirv-Flat-04744: integer inputs of a fragment shader are Flat. */
        choice->is_flat |= model == SpvExecutionModelFragment && wanted->integers != 0;
        choice->is_volatile |= is_volatile_in(wanted->built_in, model);
    }
    /* A block has other built-ins too, which another entry point need not have: its interface cannot get it. */
    if (choice->member != WS_NONE && listing != count)
        return false;
    if (choice->id != 0)
        return can_read(editor->module, wanted, choice);
    choice->id = find_own(editor->linker, choice);
    if (choice->id == 0) {
        if (editor->linker->variable_count == WS_VARIABLES_MAX)
            return ws_editor_fail(editor, "more than %d built-in variables to add", WS_VARIABLES_MAX);
        choice->id = find_in_module(editor, wanted, choice);
        if (choice->id == 0)
            choice->id = ws_link_add_variable(editor, wanted, choice);
        editor->linker->variables[editor->linker->variable_count++] = *choice;
    }
    return !editor->failed;
}

/* Adds the variable to an interface that has none of its built-in. */
static void extend_interface(struct ws_editor *editor, const struct ws_choice *choice, uint32_t entry_point)
{
    struct ws_interface_variable *listed = find_in_interface(editor, entry_point, choice->built_in);
    if (listed != NULL && listed->id == 0) {
        listed->id = choice->id;
        listed->is_added = true;
    }
}

static bool equal_choices(const struct ws_choice *a, const struct ws_choice *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].id != b[i].id || a[i].member != b[i].member || a[i].is_volatile != b[i].is_volatile)
            return false;
    return true;
}

/* The list of ws_linker.instances for a function of a unit, for an instance, with these variables. */
static struct ws_link_instance **find_list(struct ws_linker *linker, uint32_t function, uint32_t instance,
                                           const struct ws_choice *choices, uint32_t count)
{
    uint32_t hash = function * 31 + instance;
    for (uint32_t i = 0; i < count; i++)
        hash = hash * 31 + choices[i].id;
    return &linker->instances[hash % WS_INSTANCE_LISTS];
}

/* The function of a unit that reads these variables, for an instance, linked if it is not there yet. */
static uint32_t get_instance(struct ws_editor *editor, struct ws_unit *unit, uint32_t function,
                             uint32_t number, const struct ws_choice *choices)
{
    struct ws_linker *linker = editor->linker;
    struct ws_link_instance **list = find_list(linker, function, number, choices, unit->code->variable_count);
    for (struct ws_link_instance *instance = *list; instance != NULL; instance = instance->next)
        if (instance->unit == unit && instance->source == function && instance->instance == number &&
            equal_choices(instance->choices, choices, unit->code->variable_count))
            return instance->function;
    struct ws_link_instance *instance = ws_arena_allocate(editor->arena, 1, sizeof(*instance));
    if (instance == NULL) {
        ws_editor_fail(editor, "no memory to link a primitive");
        return 0;
    }
    instance->unit = unit;
    instance->source = function;
    instance->instance = number;
    memcpy(instance->choices, choices, sizeof(instance->choices));
    const struct ws_module *module = &unit->code->module;
    const uint32_t type = ws_operand(module, ws_module_definition(module, function), 3);
    instance->parameter_count = ws_module_definition(module, type)->length - 3u;
    ws_link_declare_needs(editor, unit->code->uses[function].needs);
    instance->function =
        ws_link_copy_function(editor, unit, function, number, choices, &instance->return_type);
    struct ws_link_instance **functions = &linker->functions[instance->function % WS_INSTANCE_LISTS];
    instance->next = *list;
    *list = instance;
    instance->next_by_function = *functions;
    *functions = instance;
    linker->has_instances = true;
    return editor->failed ? 0 : instance->function;
}

static bool list_private(struct ws_editor *editor, uint32_t entry_point, uint32_t index)
{
    struct ws_interface *interface = &editor->linker->interfaces[entry_point];
    if (interface->privates == NULL)
        interface->privates = ws_arena_allocate(editor->arena, WS_PRIVATES_MAX / 32, sizeof(uint32_t));
    if (interface->privates == NULL)
        return ws_editor_fail(editor, "no memory for the interface of an entry point");
    interface->privates[index / 32] |= 1u << index % 32;
    return true;
}

/* Lists in the interfaces of the entry points the private variables that a function uses. False where there are too many
 * in the module, or after a failure. */
static bool list_privates(struct ws_editor *editor, const struct ws_unit *unit, uint32_t function,
                          uint32_t instance, const uint32_t *entry_points, uint32_t count)
{
    for (uint32_t i = 0; i < unit->code->private_count; i++) {
        if ((unit->code->uses[function].privates >> i & 1) == 0)
            continue;
        const uint32_t index = ws_link_private_of(editor, unit, &unit->code->privates[i], instance);
        if (index == WS_NONE)
            return false;
        for (uint32_t j = 0; j < count; j++)
            if (!list_private(editor, entry_points[j], index))
                return false;
    }
    return true;
}

uint32_t ws_link_private(struct ws_editor *editor, uint32_t pointer_type, uint32_t initializer)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL)
        return 0;
    const uint32_t operands[] = {SpvStorageClassPrivate, initializer};
    const uint32_t id =
        ws_global_add(editor, SpvOpVariable, pointer_type, operands, initializer != 0 ? 2 : 1);
    /* No variable of the library is called by a number: each of these is its own. */
    const struct ws_private wanted = {.owner = WS_NONE, .instance = linker->private_count, .id = id};
    const uint32_t index = ws_link_get_private(editor, &wanted);
    if (index == WS_NONE) {
        ws_editor_fail(editor, "a module has more than %d private variables of ours", WS_PRIVATES_MAX);
        return 0;
    }
    for (uint32_t i = 0; i < editor->module->entry_point_count; i++)
        if (!list_private(editor, i, index))
            return 0;
    return id;
}

const char *ws_link_function(struct ws_editor *editor, uint32_t unit_index, uint32_t function,
                             uint32_t instance, const uint32_t *entry_points, uint32_t entry_point_count,
                             uint32_t *id)
{
    struct ws_choice choices[WS_UNIT_VARIABLES_MAX] = {0};
    struct ws_linker *linker = ws_linker_get(editor);
    *id = 0;
    if (linker == NULL)
        return ws_link_failed;
    struct ws_unit *unit = linker->units[unit_index];
    if (!ws_link_prepare_unit(editor, unit))
        return ws_link_failed;
    ws_unit_find_uses(unit->code, function);
    const char *reason = unit->source->owner != 0 ? ws_link_refuse(editor, unit, function) : NULL;
    if (reason != NULL)
        return reason;
    for (uint32_t i = 0; i < unit->code->variable_count; i++)
        if ((unit->code->uses[function].variables >> i & 1) != 0 &&
            !choose_variable(editor, &unit->variables[i], entry_points, entry_point_count, &choices[i]))
            return ws_link_no_variable;
    for (uint32_t i = 0; i < unit->code->variable_count; i++)
        for (uint32_t j = 0; j < entry_point_count && choices[i].id != 0; j++)
            extend_interface(editor, &choices[i], entry_points[j]);
    uint64_t instanced = 0;
    for (uint32_t i = 0; i < unit->code->private_count; i++)
        instanced |= (uint64_t)unit->code->privates[i].is_instanced << i;
    if ((unit->code->uses[function].privates & instanced) == 0)
        instance = 0;
    if (!list_privates(editor, unit, function, instance, entry_points, entry_point_count))
        return ws_link_too_many;
    *id = get_instance(editor, unit, function, instance, choices);
    return *id == 0 ? ws_link_failed : NULL;
}

uint32_t ws_link_primitive(struct ws_editor *editor, enum ws_primitive primitive,
                           const uint32_t *entry_points, uint32_t entry_point_count)
{
    const struct ws_library_primitive *entry = &ws_library_primitives[primitive];
    uint32_t id = 0;
    ws_link_function(editor, entry->unit, entry->function, 0, entry_points, entry_point_count, &id);
    return id;
}

uint32_t ws_link_add_unit(struct ws_editor *editor, const struct ws_library_unit *unit)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL)
        return WS_NONE;
    if (!add_unit(linker, editor->arena, unit)) {
        ws_editor_fail(editor, "no memory for the units of a probe");
        return WS_NONE;
    }
    return linker->unit_count - 1;
}

bool ws_link_has_built_in(struct ws_editor *editor, uint32_t entry_point, uint32_t built_in)
{
    uint32_t member = WS_NONE;
    return ws_linker_get(editor) != NULL && scan_interface(editor, entry_point, built_in, &member) != 0;
}

uint32_t ws_link_spec_id(const struct ws_editor *editor, uint32_t spec)
{
    const struct ws_linker *linker = editor->linker;
    return linker == NULL || spec >= WS_SPEC_COUNT || linker->spec_constants[spec] == 0
               ? WS_NONE
               : linker->spec_id + spec;
}

uint32_t ws_link_return_type(const struct ws_editor *editor, uint32_t function, uint32_t *parameter_count)
{
    const struct ws_link_instance *instance =
        editor->linker == NULL ? NULL : editor->linker->functions[function % WS_INSTANCE_LISTS];
    for (; instance != NULL; instance = instance->next_by_function) {
        if (instance->function == function && function != 0) {
            *parameter_count = instance->parameter_count;
            return instance->return_type;
        }
    }
    return 0;
}

enum ws_link_lanes ws_link_lanes(const struct ws_module *module, uint32_t entry_point)
{
    if (module->entry_points[entry_point].model != SpvExecutionModelFragment)
        return WS_LANES_ALL;
    return module->has_demote ? WS_LANES_DEMOTE : WS_LANES_FRAGMENT;
}

enum ws_primitive ws_primitive_variant(enum ws_primitive primitive, enum ws_link_lanes lanes)
{
    return (enum ws_primitive)ws_library_primitives[primitive].variants[lanes];
}

static void finish_memory_model(struct ws_editor *editor)
{
    const struct ws_module *module = editor->module;
    const uint32_t index = module->section_ends[WS_SECTION_MEMORY_MODEL] - 1;
    const struct ws_instruction *instruction = &module->instructions[index];
    const uint32_t addressing = ws_operand(module, instruction, 0);
    if (addressing == SpvAddressingModelLogical) {
        const uint32_t operands[] = {SpvAddressingModelPhysicalStorageBuffer64,
                                     ws_operand(module, instruction, 1)};
        ws_editor_replace(editor, index, SpvOpMemoryModel, operands, 2);
    } else if (addressing != SpvAddressingModelPhysicalStorageBuffer64) {
        ws_editor_fail(editor,
                       "addressing model %" PRIu32 " at word %" PRIu32 " is no Vulkan shader's: device "
                       "addresses cannot be used in it",
                       addressing, instruction->offset);
    }
}

/* SPIR-V 1.4 wants every global variable in the interface; before that Input and Output only may be there, of
 * what a primitive brings the built-in inputs. */
static void finish_interface(struct ws_editor *editor, uint32_t entry_point)
{
    const struct ws_module *module = editor->module;
    const struct ws_interface *interface = &editor->linker->interfaces[entry_point];
    const uint32_t index = module->entry_points[entry_point].instruction;
    const struct ws_instruction *instruction = &module->instructions[index];
    struct ws_words operands = {0};
    const bool lists_all = editor->version >= 0x00010400;
    const uint32_t *privates = lists_all ? interface->privates : NULL;
    const bool has_attributes = lists_all && interface->has_attributes;
    bool is_changed = privates != NULL || has_attributes;
    for (uint32_t i = 0; i < interface->count; i++)
        is_changed |= interface->variables[i].is_added;
    if (!is_changed)
        return;
    for (uint32_t i = 0; i + 1u < instruction->length; i++)
        ws_words_add(editor, &operands, ws_operand(module, instruction, i));
    for (uint32_t i = 0; i < interface->count; i++)
        if (interface->variables[i].is_added)
            ws_words_add(editor, &operands, interface->variables[i].id);
    for (uint32_t i = 0; i < editor->linker->private_count && privates != NULL; i++)
        if ((privates[i / 32] >> i % 32 & 1) != 0)
            ws_words_add(editor, &operands, editor->linker->privates[i].id);
    if (has_attributes)
        ws_words_add(editor, &operands, editor->linker->hit_attributes);
    ws_editor_replace(editor, index, SpvOpEntryPoint, operands.data, operands.count);
}

void ws_linker_finish(struct ws_editor *editor)
{
    if (editor->linker == NULL || !editor->linker->has_instances || editor->failed)
        return;
    finish_memory_model(editor);
    for (uint32_t i = 0; i < editor->module->entry_point_count; i++)
        finish_interface(editor, i);
}

uint32_t ws_link_call(struct ws_editor *editor, struct ws_cursor cursor, uint32_t function,
                      const uint32_t *arguments, uint32_t count)
{
    uint32_t operands[CALL_OPERANDS_MAX];
    uint32_t parameter_count = 0;
    const uint32_t type = ws_link_return_type(editor, function, &parameter_count);
    if (type == 0 || parameter_count != count || count >= CALL_OPERANDS_MAX) {
        ws_editor_fail(editor, "a call of function %" PRIu32 " with %" PRIu32 " arguments: %s", function,
                       count, type == 0 ? "it is no linked primitive" : "it takes another number");
        return 0;
    }
    operands[0] = function;
    for (uint32_t i = 0; i < count; i++)
        operands[1 + i] = arguments[i];
    return ws_emit(editor, cursor, SpvOpFunctionCall, type, operands, 1 + count);
}

/* ---- which primitive begins the records of an entry point ---- */

/* The entry record's primitive by stage; WS_PRIMITIVE_COUNT where there is none: SPV_NV_mesh_shader has no
 * NumWorkgroups. */
static enum ws_primitive primitive_of(uint32_t model)
{
    switch ((SpvExecutionModel)model) {
    case SpvExecutionModelVertex: return WS_PRIMITIVE_ENTER_VERTEX;
    case SpvExecutionModelTessellationControl: return WS_PRIMITIVE_ENTER_TESS_CONTROL;
    case SpvExecutionModelTessellationEvaluation: return WS_PRIMITIVE_ENTER_TESS_EVALUATION;
    case SpvExecutionModelGeometry: return WS_PRIMITIVE_ENTER_GEOMETRY;
    case SpvExecutionModelFragment: return WS_PRIMITIVE_ENTER_FRAGMENT;
    case SpvExecutionModelGLCompute:
    case SpvExecutionModelTaskEXT:
    case SpvExecutionModelMeshEXT: return WS_PRIMITIVE_ENTER_COMPUTE;
    case SpvExecutionModelRayGenerationKHR: return WS_PRIMITIVE_ENTER_RAY_LAUNCHED;
    case SpvExecutionModelIntersectionKHR:
    case SpvExecutionModelAnyHitKHR:
    case SpvExecutionModelClosestHitKHR:
    case SpvExecutionModelMissKHR:
    case SpvExecutionModelCallableKHR: return WS_PRIMITIVE_ENTER_RAY_CALLED;
    default: return WS_PRIMITIVE_COUNT;
    }
}

/* The variant for fragment stages, by what all the entry points have in their interfaces. */
static enum ws_primitive fragment_variant(struct ws_editor *editor, const uint32_t *entry_points,
                                          uint32_t count)
{
    bool has_sample = true;
    bool has_layer = true;
    for (uint32_t i = 0; i < count; i++) {
        has_sample = has_sample && ws_link_has_built_in(editor, entry_points[i], SpvBuiltInSampleId);
        has_layer = has_layer && ws_link_has_built_in(editor, entry_points[i], SpvBuiltInLayer);
    }
    if (ws_link_lanes(editor->module, entry_points[0]) == WS_LANES_DEMOTE) {
        return has_sample
                   ? has_layer ? WS_PRIMITIVE_ENTER_SAMPLE_LAYER_DEMOTE : WS_PRIMITIVE_ENTER_SAMPLE_DEMOTE
               : has_layer ? WS_PRIMITIVE_ENTER_LAYER_DEMOTE
                           : WS_PRIMITIVE_ENTER_DEMOTE;
    }
    return has_sample
               ? has_layer ? WS_PRIMITIVE_ENTER_SAMPLE_LAYER_FRAGMENT : WS_PRIMITIVE_ENTER_SAMPLE_FRAGMENT
           : has_layer ? WS_PRIMITIVE_ENTER_LAYER_FRAGMENT
                       : WS_PRIMITIVE_ENTER_FRAGMENT;
}

/* The constant as an unsigned integer. 0 if it is no integer of 32 bits. */
static uint32_t as_u32(struct ws_editor *editor, uint32_t constant)
{
    const struct ws_module *module = editor->module;
    const struct ws_instruction *definition = ws_module_definition(module, constant);
    const struct ws_instruction *type =
        definition == NULL ? NULL : ws_module_definition(module, ws_operand(module, definition, 0));
    if (type == NULL || type->opcode != SpvOpTypeInt || ws_operand(module, type, 1) != 32 ||
        ws_opcode_section(definition->opcode) != WS_SECTION_GLOBAL)
        return 0;
    const uint32_t u32 = ws_type_u32(editor);
    if (ws_operand(module, definition, 0) == u32)
        return constant;
    /* Adding 0, of which the sign does not matter: OpBitcast of constants is for kernels only. */
    const uint32_t operands[] = {SpvOpIAdd, constant, ws_constant_u32(editor, 0)};
    return ws_global_add(editor, SpvOpSpecConstantOp, u32, operands, 3);
}

/* The constant that is decorated as the workgroup size, which has precedence over execution modes; NULL if
 * none. */
static const struct ws_instruction *find_workgroup_size(const struct ws_module *module)
{
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpDecorate &&
            ws_operand(module, instruction, 1) == SpvDecorationBuiltIn &&
            ws_operand(module, instruction, 2) == SpvBuiltInWorkgroupSize)
            return ws_module_definition(module, ws_operand(module, instruction, 0));
    }
    return NULL;
}

/* The execution mode of an entry point that tells the size of its workgroups; NULL if none. */
static const struct ws_instruction *find_local_size(const struct ws_module *module, uint32_t function)
{
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_EXECUTION_MODE]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t mode = ws_operand(module, instruction, 1);
        if (ws_operand(module, instruction, 0) == function &&
            ((instruction->opcode == SpvOpExecutionMode && mode == SpvExecutionModeLocalSize) ||
             (instruction->opcode == SpvOpExecutionModeId && mode == SpvExecutionModeLocalSizeId)))
            return instruction;
    }
    return NULL;
}

/* Id of the workgroup's size in x (0) or y (1), 1 where the module does not tell. */
static uint32_t workgroup_size(struct ws_editor *editor, uint32_t function, uint32_t dimension)
{
    const struct ws_module *module = editor->module;
    const struct ws_instruction *size = find_workgroup_size(module);
    const struct ws_instruction *mode = find_local_size(module, function);
    uint32_t id = 0;
    if (size != NULL &&
        (size->opcode == SpvOpConstantComposite || size->opcode == SpvOpSpecConstantComposite))
        id = as_u32(editor, ws_operand(module, size, 2 + dimension));
    else if (mode != NULL && mode->opcode == SpvOpExecutionModeId)
        id = as_u32(editor, ws_operand(module, mode, 2 + dimension));
    else if (mode != NULL)
        id = ws_constant_u32(editor, ws_operand(module, mode, 2 + dimension));
    return id != 0 ? id : ws_constant_u32(editor, 1);
}

bool ws_link_enter(struct ws_editor *editor, const uint32_t *entry_points, uint32_t count, uint32_t site,
                   struct ws_enter *enter)
{
    const struct ws_module *module = editor->module;
    enter->primitive = primitive_of(module->entry_points[entry_points[0]].model);
    for (uint32_t i = 1; i < count; i++)
        if (primitive_of(module->entry_points[entry_points[i]].model) != enter->primitive)
            return false;
    if (enter->primitive == WS_PRIMITIVE_COUNT)
        return false;
    enter->arguments[0] = ws_constant_u32(editor, site);
    enter->argument_count = 1;
    if (enter->primitive == WS_PRIMITIVE_ENTER_FRAGMENT) {
        enter->primitive = fragment_variant(editor, entry_points, count);
    } else if (enter->primitive == WS_PRIMITIVE_ENTER_COMPUTE) {
        const uint32_t function = module->functions[module->entry_points[entry_points[0]].function].id;
        enter->arguments[1] = workgroup_size(editor, function, 0);
        enter->arguments[2] = workgroup_size(editor, function, 1);
        enter->argument_count = 3;
    }
    return !editor->failed;
}

/* The primitive that tells the work id where another one begins its records. */
static enum ws_primitive work_primitive(enum ws_primitive enter)
{
    switch (enter) {
    case WS_PRIMITIVE_ENTER_VERTEX: return WS_PRIMITIVE_WORK_VERTEX;
    case WS_PRIMITIVE_ENTER_TESS_CONTROL: return WS_PRIMITIVE_WORK_TESS_CONTROL;
    case WS_PRIMITIVE_ENTER_TESS_EVALUATION: return WS_PRIMITIVE_WORK_TESS_EVALUATION;
    case WS_PRIMITIVE_ENTER_GEOMETRY: return WS_PRIMITIVE_WORK_GEOMETRY;
    case WS_PRIMITIVE_ENTER_FRAGMENT: return WS_PRIMITIVE_WORK_FRAGMENT;
    case WS_PRIMITIVE_ENTER_COMPUTE: return WS_PRIMITIVE_WORK_COMPUTE;
    case WS_PRIMITIVE_ENTER_RAY_LAUNCHED:
    case WS_PRIMITIVE_ENTER_RAY_CALLED: return WS_PRIMITIVE_WORK_RAY;
    default: return WS_PRIMITIVE_COUNT;
    }
}

bool ws_link_work(struct ws_editor *editor, const uint32_t *entry_points, uint32_t count,
                  struct ws_enter *work)
{
    const struct ws_module *module = editor->module;
    work->primitive = work_primitive(primitive_of(module->entry_points[entry_points[0]].model));
    work->argument_count = 0;
    for (uint32_t i = 1; i < count; i++)
        if (work_primitive(primitive_of(module->entry_points[entry_points[i]].model)) != work->primitive)
            return false;
    if (work->primitive == WS_PRIMITIVE_COUNT)
        return false;
    if (work->primitive == WS_PRIMITIVE_WORK_COMPUTE) {
        const uint32_t function = module->functions[module->entry_points[entry_points[0]].function].id;
        work->arguments[0] = workgroup_size(editor, function, 0);
        work->arguments[1] = workgroup_size(editor, function, 1);
        work->argument_count = 2;
    }
    return !editor->failed;
}

/* ---- the variable of the hit attributes ---- */

/* It is no built-in: an entry point has at most one, of a type of its own (Vulkan specification, standalone SPIR-V
 * validation, HitAttributeKHR). */
static bool is_attributes(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *variable = ws_module_definition(module, id);
    return variable != NULL && variable->opcode == SpvOpVariable &&
           ws_operand(module, variable, 2) == SpvStorageClassHitAttributeKHR;
}

/* The first of the operands in [first, end) that is such a variable; 0 if none. */
static uint32_t find_operand(const struct ws_module *module, const struct ws_instruction *instruction,
                             uint32_t first, uint32_t end)
{
    uint32_t found = 0;
    for (uint32_t i = first; i < end && found == 0; i++) {
        const uint32_t id = ws_operand(module, instruction, i);
        found = is_attributes(module, id) ? id : 0;
    }
    return found;
}

/* The variable that an instruction reads or points into; 0 if none. */
static uint32_t find_used(const struct ws_module *module, const struct ws_instruction *instruction)
{
    switch ((SpvOp)instruction->opcode) {
    case SpvOpLoad:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpCopyObject: return find_operand(module, instruction, 2, 3);
    case SpvOpCopyMemory: return find_operand(module, instruction, 1, 2);
    case SpvOpFunctionCall: return find_operand(module, instruction, 3, instruction->length - 1u);
    default: return 0;
    }
}

uint32_t ws_link_own_attributes(const struct ws_module *module, uint32_t entry_point,
                                const uint32_t *functions, uint32_t function_count)
{
    const struct ws_instruction *instruction =
        &module->instructions[module->entry_points[entry_point].instruction];
    if (module->version >= 0x00010400) {
        return find_operand(module, instruction, ws_link_interface_first(module, instruction),
                            instruction->length - 1u);
    }
    uint32_t found = 0;
    for (uint32_t f = 0; f < function_count; f++) {
        const struct ws_function *function = &module->functions[functions[f]];
        for (uint32_t i = function->first; i < function->end && found == 0; i++)
            found = find_used(module, &module->instructions[i]);
    }
    return found;
}

uint32_t ws_link_add_attributes(struct ws_editor *editor, const uint32_t *entry_points,
                                uint32_t entry_point_count, uint32_t *type)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL)
        return 0;
    const uint32_t component = ws_global_find(editor, SpvOpTypeFloat, 0, (const uint32_t[]){32}, 1);
    *type = ws_global_find(editor, SpvOpTypeVector, 0, (const uint32_t[]){component, 2}, 2);
    if (linker->hit_attributes == 0) {
        const uint32_t storage = SpvStorageClassHitAttributeKHR;
        const uint32_t pointer =
            ws_global_find(editor, SpvOpTypePointer, 0, (const uint32_t[]){storage, *type}, 2);
        linker->hit_attributes = ws_global_add(editor, SpvOpVariable, pointer, &storage, 1);
    }
    for (uint32_t i = 0; i < entry_point_count; i++)
        linker->interfaces[entry_points[i]].has_attributes = true;
    return linker->hit_attributes;
}
