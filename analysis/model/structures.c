#include "warpscope/model/structures.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/launch.h"
#include "warpscope/passes.h"
#include "warpscope/ray_events.h"
#include "warpscope/spirv/access.h"
#include "warpscope/spirv/code.h"

#define DEPTH_MAX 8 /* of functions that hand a structure on, and of copies of it */

/* ---- structures by their address ---- */

struct structure {
    uint32_t id;
    uint32_t device; /* id */
    uint64_t address;
    const char *name;
    uint32_t next;     /* index of the next one at this address; WS_NONE */
    uint64_t gone;     /* the first launch that it is no more for; UINT64_MAX */
    uint64_t *moments; /* rising: the first launches that see each build of it, or copy to it */
    uint32_t moment_count;
    uint32_t moment_capacity;
};

struct ws_structure_table {
    struct ws_id_map ids; /* id -> index */
    struct structure *list;
    uint32_t count;
    uint32_t capacity;
    struct ws_id_map addresses; /* address -> index of the one that came last */
};

void ws_structure_table_destroy(struct ws_structure_table *table)
{
    if (table == NULL)
        return;
    for (uint32_t i = 0; i < table->count; ++i)
        free(table->list[i].moments);
    free(table->list);
    ws_id_map_finish(&table->ids);
    ws_id_map_finish(&table->addresses);
    free(table);
}

static struct structure *find_structure(struct ws_structure_table *table, uint32_t id)
{
    uint32_t index = 0;
    return table != NULL && ws_id_map_get(&table->ids, id, &index) ? &table->list[index] : NULL;
}

static bool add_structure(struct ws_catalog *catalog, const struct ws_chunk_structure *chunk)
{
    if (catalog->structures == NULL)
        catalog->structures = calloc(1, sizeof(*catalog->structures));
    struct ws_structure_table *table = catalog->structures;
    if (table == NULL)
        return false;
    struct structure *list = ws_array_grow(table->list, &table->capacity, table->count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    table->list = list;
    struct structure *added = &list[table->count];
    *added = (struct structure){.id = chunk->id,
                                .device = chunk->device,
                                .address = chunk->address,
                                .name = ws_text_pool_add(&catalog->texts, chunk->name),
                                .gone = UINT64_MAX};
    if (added->name == NULL)
        return false;
    if (!ws_id_map_get(&table->addresses, chunk->address, &added->next))
        added->next = WS_NONE;
    table->count++;
    return ws_id_map_put(&table->ids, chunk->id, table->count - 1) &&
           (chunk->address == 0 || ws_id_map_put(&table->addresses, chunk->address, table->count - 1));
}

static bool add_moment(struct ws_structure_table *table, uint32_t id, uint64_t moment)
{
    struct structure *structure = find_structure(table, id);
    if (structure == NULL || structure->address == 0)
        return true;
    const uint32_t count = structure->moment_count;
    if (count > 0 && structure->moments[count - 1] >= moment)
        return true;
    uint64_t *moments =
        ws_array_grow(structure->moments, &structure->moment_capacity, count + 1, sizeof(*moments));
    if (moments == NULL)
        return false;
    structure->moments = moments;
    moments[structure->moment_count++] = moment;
    return true;
}

bool ws_structures_record(struct ws_catalog *catalog, const struct ws_chunk *chunk)
{
    struct structure *structure = NULL;
    switch (chunk->type) {
    case WS_CHUNK_STRUCTURE: return add_structure(catalog, &chunk->structure);
    case WS_CHUNK_BUILD: return add_moment(catalog->structures, chunk->build.structure, chunk->build.moment);
    case WS_CHUNK_COPY: return add_moment(catalog->structures, chunk->copy.destination, chunk->copy.moment);
    case WS_CHUNK_GONE:
        structure = find_structure(catalog->structures, chunk->gone.structure);
        if (structure != NULL)
            structure->gone = chunk->gone.moment;
        return true;
    default: return true;
    }
}

void ws_structure_set_name(struct ws_catalog *catalog, uint32_t id, const char *name)
{
    struct structure *structure = find_structure(catalog->structures, id);
    if (structure != NULL)
        structure->name = name;
}

const char *ws_structure_name(const struct ws_catalog *catalog, uint32_t id)
{
    const struct structure *structure = find_structure(catalog->structures, id);
    return structure != NULL ? structure->name : "";
}

/* The last moment of a structure that a launch sees, plus 1; 0 = there is none. */
static uint64_t find_moment(const struct structure *structure, uint64_t launch)
{
    uint32_t low = 0;
    uint32_t high = structure->moment_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (structure->moments[middle] <= launch)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? structure->moments[low - 1] + 1 : 0;
}

uint32_t ws_structure_at(const struct ws_catalog *catalog, uint64_t launch, uint64_t address)
{
    const struct ws_structure_table *table = catalog->structures;
    const struct ws_launch_record *record = ws_catalog_launch(catalog, launch);
    uint32_t found = WS_NONE;
    uint64_t latest = 0;
    uint32_t index = 0;
    if (table == NULL || record == NULL || address == 0 || !ws_id_map_get(&table->addresses, address, &index))
        return WS_NONE;
    for (; index != WS_NONE && ws_budget_spend(1); index = table->list[index].next) {
        const struct structure *structure = &table->list[index];
        const uint64_t moment = find_moment(structure, launch);
        if (moment > latest && launch < structure->gone &&
            structure->device == catalog->devices[record->device].id) {
            latest = moment;
            found = structure->id;
        }
    }
    return found;
}

/* ---- structures by their descriptor ---- */

struct following {
    const struct ws_module *module;
    struct ws_layouts *layouts;
};

static bool follow(const struct following *following, uint32_t id, uint32_t depth,
                   struct ws_bound_place *place);

/* The constant that an index is; WS_NONE where it is none. */
static uint32_t constant_of(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *constant = ws_module_definition(module, id);
    if (constant == NULL)
        return WS_NONE;
    return constant->opcode == SpvOpConstant ? ws_operand(module, constant, 2)
                                             : (constant->opcode == SpvOpConstantNull ? 0 : WS_NONE);
}

/* What all calls of its function give a parameter, if it is the same. */
static bool follow_parameter(const struct following *following, const struct ws_instruction *parameter,
                             uint32_t depth, struct ws_bound_place *place)
{
    const struct ws_module *module = following->module;
    const struct ws_instruction *function = parameter;
    bool any = false;
    while (function > module->instructions && function->opcode == SpvOpFunctionParameter)
        --function;
    if (function->opcode != SpvOpFunction || !ws_budget_spend(module->instruction_count))
        return false;
    const uint32_t number = (uint32_t)(parameter - function) - 1;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *call = &module->instructions[i];
        struct ws_bound_place given = {.set = WS_NONE};
        if (call->opcode != SpvOpFunctionCall ||
            ws_operand(module, call, 2) != ws_operand(module, function, 1))
            continue;
        if (!follow(following, ws_operand(module, call, 3 + number), depth + 1, &given) ||
            (any &&
             (given.set != place->set || given.binding != place->binding || given.element != place->element)))
            return false;
        *place = given;
        any = true;
    }
    return any;
}

/* Whether a pointer is to one structure, and not to an array of them. */
static bool points_to_structure(const struct ws_module *module, const struct ws_instruction *pointer)
{
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, pointer, 0));
    const struct ws_instruction *pointee =
        type != NULL ? ws_module_definition(module, ws_operand(module, type, 2)) : NULL;
    return pointee != NULL && pointee->opcode == SpvOpTypeAccelerationStructureKHR;
}

/* The descriptor that a structure, or a pointer to one, is. */
static bool follow(const struct following *following, uint32_t id, uint32_t depth,
                   struct ws_bound_place *place)
{
    const struct ws_module *module = following->module;
    const struct ws_instruction *definition = ws_module_definition(module, id);
    if (definition == NULL || depth == DEPTH_MAX)
        return false;
    switch ((SpvOp)definition->opcode) {
    case SpvOpVariable:
        place->element = 0;
        return ws_access_binding(following->layouts, id, &place->set, &place->binding);
    case SpvOpLoad:
    case SpvOpCopyObject: return follow(following, ws_operand(module, definition, 2), depth + 1, place);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        if (definition->length != 5 || !points_to_structure(module, definition) ||
            !follow(following, ws_operand(module, definition, 2), depth + 1, place))
            return false;
        place->element = constant_of(module, ws_operand(module, definition, 3));
        return true;
    case SpvOpFunctionParameter: return follow_parameter(following, definition, depth, place);
    default: return false;
    }
}

/* The operand that is the structure; WS_NONE = the site traces no ray. */
static uint32_t structure_operand(const struct ws_site_record *site, uint32_t pass)
{
    if (site->info.pass != pass || site->info.kind != WS_SITE_DATA)
        return WS_NONE;
    switch (site->info.tag) {
    case WS_RAY_TRACE: return 0;
    case WS_RAY_INITIALIZE:
    case WS_RAY_OBJECT_TRACE: return 1;
    default: return WS_NONE;
    }
}

bool ws_catalog_structures_add(struct ws_module_record *module, const struct ws_code *code)
{
    const uint32_t pass = ws_catalog_pass(module, WS_PASS_RAY_EVENTS);
    struct following following = {&code->module, NULL};
    for (uint32_t i = 0; pass != WS_NONE && i < module->site_count; ++i) {
        const struct ws_site_record *site = &module->sites[i];
        const uint32_t operand = structure_operand(site, pass);
        uint32_t first = 0;
        uint32_t end = 0;
        if (operand == WS_NONE)
            continue;
        if (module->structures == NULL) {
            module->structures = malloc(((size_t)module->site_count + 1) * sizeof(*module->structures));
            following.layouts = ws_layouts_create(&code->module);
            if (module->structures == NULL || following.layouts == NULL)
                return false;
            for (uint32_t j = 0; j < module->site_count; ++j)
                module->structures[j] = (struct ws_bound_place){.set = WS_NONE};
        }
        ws_code_range(code, site->info.offset, 1, &first, &end);
        if (first >= end || code->module.instructions[first].offset != site->info.offset ||
            !follow(&following, ws_operand(&code->module, &code->module.instructions[first], operand), 0,
                    &module->structures[i]))
            module->structures[i].set = WS_NONE;
    }
    return true;
}

uint32_t ws_structure_chosen(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                             uint32_t site, uint32_t element)
{
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[shader].module];
    if (module->structures == NULL || site >= module->site_count)
        return WS_NONE;
    struct ws_bound_place place = module->structures[site];
    if (place.element == WS_NONE)
        place.element = element;
    const uint32_t found = ws_bound_find_structure(catalog, launch, shader, &place);
    const struct structure *structure = find_structure(catalog->structures, found);
    const bool is_gone = structure != NULL && structure->gone <= launch;
    return found < WS_BOUND_LAST && !is_gone ? found : WS_NONE;
}

uint32_t ws_structure_bound(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader, uint32_t site)
{
    return ws_structure_chosen(catalog, launch, shader, site, WS_NONE);
}
