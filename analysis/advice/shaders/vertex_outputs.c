/* Advice `vertex_outputs`: vertex work that is thrown away.
 *
 * Evidence, by vertex or tessellation evaluation shader, one of these:
 *   - UNREAD: it writes outputs at locations that the next stage of no pipeline reads. The instructions that only these
 *     outputs need are those that are not in a slice (warpscope/code/values.h) of everything else;
 *   - UNSEEN: the fragment shaders of all its pipelines were recorded, and none of them ever ran. So all its primitives
 *     were culled, clipped, or hidden. A shader that stores to memory has another purpose.
 * Shaders whose outputs are captured (transform feedback) are left out: the capture reads them.
 *
 * Saving: the slots of these instructions; of all of them, where nothing was seen. UNREAD is LIKELY: drivers remove
 * such work where they link the stages of a pipeline, and leave it with shader objects and pipeline libraries. UNSEEN
 * is POSSIBLE: what is not seen in these frames may be in others. Said from a hundredth of the capture's slots.
 *
 * Example: a vertex shader computes tangents for all materials, and the pipelines of this capture do not map normals. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/advice/shaders/acts.h"
#include "analysis/advice/shaders/shader_rule.h"
#include "warpscope/base/text.h"
#include "warpscope/spirv/sites.h"

#define LOCATIONS   128 /* more than maxVertexOutputComponents of any device allows */
#define NAMES_SHOWN 4
#define DEPTH_MOST  8 /* of types in types: more are not looked into */

/* Locations: a set, and whether it may hold others that are not known. */
struct locations {
    bool has[LOCATIONS];
    bool unknown;
};

/* How many locations a value of the type takes (Vulkan specification, Location Assignment); at most LOCATIONS. */
static uint32_t locations_of(const struct ws_module *module, uint32_t type, uint32_t depth)
{
    const struct ws_instruction *at = ws_module_definition(module, type);
    uint64_t count = 1;
    if (at == NULL || depth > DEPTH_MOST)
        return LOCATIONS;
    if (at->opcode == SpvOpTypeArray) {
        const struct ws_instruction *length = ws_module_definition(module, ws_operand(module, at, 2));
        count =
            (uint64_t)locations_of(module, ws_operand(module, at, 1), depth + 1) *
            (length != NULL && length->opcode == SpvOpConstant ? ws_operand(module, length, 2) : LOCATIONS);
    } else if (at->opcode == SpvOpTypeMatrix) {
        count =
            (uint64_t)locations_of(module, ws_operand(module, at, 1), depth + 1) * ws_operand(module, at, 2);
    } else if (at->opcode == SpvOpTypeStruct) {
        count = 0;
        for (uint32_t i = 1; i + 1 < at->length && count < LOCATIONS; ++i)
            count += locations_of(module, ws_operand(module, at, i), depth + 1);
    } else if (at->opcode == SpvOpTypeVector) {
        const struct ws_instruction *component = ws_module_definition(module, ws_operand(module, at, 1));
        count = component != NULL && ws_operand(module, component, 1) == 64 && ws_operand(module, at, 2) > 2
                    ? 2
                    : 1;
    }
    /* One at least, also for what has no members: so the work is no more than the locations. */
    return count == 0 ? 1 : count < LOCATIONS ? (uint32_t)count : LOCATIONS;
}

/* The type that the variable holds; behind the arrays of it. */
static uint32_t type_of(const struct ws_module *module, uint32_t id, bool behind_arrays)
{
    const struct ws_instruction *pointer =
        ws_module_definition(module, ws_operand(module, ws_module_definition(module, id), 0));
    uint32_t type = pointer != NULL ? ws_operand(module, pointer, 2) : 0;
    const struct ws_instruction *of = ws_module_definition(module, type);
    for (uint32_t depth = 0;
         behind_arrays && depth < DEPTH_MOST && of != NULL && of->opcode == SpvOpTypeArray; ++depth) {
        type = ws_operand(module, of, 1);
        of = ws_module_definition(module, type);
    }
    return type;
}

static bool is_built_in(const struct ws_values *values, uint32_t id)
{
    const uint32_t type = type_of(values->module, id, true);
    return values->built_in[id] != WS_NONE ||
           (type < values->module->bound && values->built_in[type] != WS_NONE);
}

/* Adds the locations that a shader of the next stage reads. */
static void add_read(struct locations *read, const struct ws_shader_code *code)
{
    const struct ws_module *module = &code->code->module;
    for (uint32_t id = 1; id < module->bound; ++id) {
        if (ws_variable_class(module, id) != SpvStorageClassInput || code->values.uses[id] == 0 ||
            is_built_in(&code->values, id))
            continue;
        const uint32_t location = code->values.location[id];
        const uint32_t count = locations_of(module, type_of(module, id, false), 0);
        read->unknown = read->unknown || location == WS_NONE;
        for (uint32_t i = 0; location != WS_NONE && i < count; ++i)
            if (location + i < LOCATIONS)
                read->has[location + i] = true;
    }
}

/* The stage behind `stage` in a pipeline of these stages; 0 = none is known. */
static uint32_t next_stage(uint32_t stage, uint32_t stages)
{
    static const uint32_t order[] = {WS_STAGE_VERTEX, WS_STAGE_TESSELLATION_CONTROL,
                                     WS_STAGE_TESSELLATION_EVALUATION, WS_STAGE_GEOMETRY, WS_STAGE_FRAGMENT};
    bool behind = false;
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); ++i) {
        if (behind && (stages & order[i]) != 0)
            return order[i];
        behind = behind || order[i] == stage;
    }
    return 0;
}

/* What the pipelines of a shader do with what it gives. */
struct readers {
    struct locations read;
    bool known;  /* of every pipeline the next stage is known, with its code */
    bool unseen; /* every pipeline has a fragment shader that was counted and did not run */
    uint32_t pipelines;
};

static bool add_pipeline(struct readers *readers, const struct ws_advice_state *state,
                         const struct ws_shader_run *run, const struct ws_pipeline_record *pipeline)
{
    const struct ws_catalog *catalog = run->catalog;
    const struct ws_shader_code *code = NULL;
    uint32_t stages = 0;
    bool has = false;
    for (uint32_t i = 0; i < pipeline->shader_count; ++i) {
        stages |= catalog->shaders[pipeline->shaders[i]].stage;
        has = has || pipeline->shaders[i] == run->shader;
    }
    if (!has)
        return true;
    const uint32_t next = next_stage(catalog->shaders[run->shader].stage, stages);
    readers->pipelines++;
    readers->known = readers->known && next != 0;
    readers->unseen = readers->unseen && (stages & WS_STAGE_FRAGMENT) != 0;
    for (uint32_t i = 0; i < pipeline->shader_count; ++i) {
        const uint32_t shader = pipeline->shaders[i];
        const struct ws_simt_shader *sums = &run->simt->shaders[shader];
        /* Of a sampled shader the few warps that ran it may not have been drawn. */
        if (catalog->shaders[shader].stage == WS_STAGE_FRAGMENT &&
            (ws_catalog_entry(catalog, shader) == NULL || sums->row_sets != NULL ||
             sums->counts.warps + sums->counts.threads > 0))
            readers->unseen = false;
        if (catalog->shaders[shader].stage != next)
            continue;
        if (!ws_shader_modules_find(state->input->modules, catalog->shaders[shader].module, &code))
            return false;
        readers->known = readers->known && code != NULL;
        if (code != NULL)
            add_read(&readers->read, code);
    }
    return true;
}

/* Outputs that nobody reads: by id of the variable. */
struct unread {
    bool *variables;
    uint32_t count;
    char names[256]; /* "location 2, location 5" */
};

static bool find_unread(struct unread *unread, const struct ws_shader_run *run, const struct readers *readers)
{
    const struct ws_module *module = &run->code->code->module;
    size_t used = 0;
    unread->variables = calloc(module->bound, sizeof(bool));
    if (unread->variables == NULL)
        return false;
    for (uint32_t id = 1; id < module->bound; ++id) {
        if (ws_variable_class(module, id) != SpvStorageClassOutput ||
            run->code->values.first_write[id] == WS_NONE || is_built_in(&run->code->values, id))
            continue;
        const uint32_t location = run->code->values.location[id];
        const uint32_t count = locations_of(module, type_of(module, id, false), 0);
        bool read = location == WS_NONE || readers->read.unknown;
        for (uint32_t i = 0; i < count && !read; ++i)
            read = location + i >= LOCATIONS || readers->read.has[location + i];
        if (read)
            continue;
        unread->variables[id] = true;
        if (unread->count++ < NAMES_SHOWN && used < sizeof(unread->names))
            used += (size_t)snprintf(unread->names + used, sizeof(unread->names) - used,
                                     "%slocation %" PRIu32, unread->count > 1 ? ", " : "", location);
    }
    return true;
}

/* Adds what acts, and what stores to outputs, but not to those in `without`. */
static void add_seen(struct ws_slice *slice, const struct ws_acts *acts, const bool *without)
{
    const struct ws_values *values = slice->values;
    const struct ws_module *module = values->module;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *at = &module->instructions[i];
        const uint32_t pointer = at->opcode == SpvOpStore ? ws_operand(module, at, 0) : 0;
        const uint32_t base = pointer < module->bound ? values->base[pointer] : 0;
        if (values->block[i] == WS_NONE)
            continue;
        if (base != 0 && ws_variable_class(module, base) == SpvStorageClassOutput) {
            if (without == NULL || !without[base])
                ws_slice_add(slice, i);
        } else if (ws_instruction_acts(acts, i)) {
            ws_slice_add(slice, i);
        }
    }
}

/* The slots of the instructions of the entry point's function that only unread outputs need. */
static bool cost_unread(const struct ws_shader_run *run, struct ws_arena *scratch,
                        const struct unread *unread, double *slots, uint32_t *instructions)
{
    const struct ws_module *module = &run->code->code->module;
    const struct ws_function *function = &module->functions[run->entry_function];
    struct ws_acts acts;
    struct ws_slice with;
    struct ws_slice without;
    if (!ws_acts_init(&acts, run))
        return false;
    const bool made = ws_slice_init(&with, &run->code->values, scratch) &&
                      ws_slice_init(&without, &run->code->values, scratch);
    if (made) {
        add_seen(&with, &acts, NULL);
        add_seen(&without, &acts, unread->variables);
    }
    for (uint32_t i = function->first; made && i < function->end; ++i) {
        if (!with.needed[i] || without.needed[i] ||
            !ws_instruction_is_executed(module, &module->instructions[i]))
            continue;
        *slots += ws_instruction_run_slots(run, i);
        ++*instructions;
    }
    ws_acts_finish(&acts);
    return made;
}

static bool advise_unread(const struct ws_advice_shader *shader, const struct readers *readers,
                          struct ws_advice_list *list)
{
    struct unread unread = {.count = 0};
    double slots = 0;
    uint32_t instructions = 0;
    const bool found =
        find_unread(&unread, shader->run, readers) &&
        (unread.count == 0 || cost_unread(shader->run, shader->scratch, &unread, &slots, &instructions));
    free(unread.variables);
    if (!found || !ws_advice_shader_is_worth(shader, slots, WS_SHARE_OF_LINE))
        return found;
    const struct ws_advice advice = {
        .subject = shader->name,
        .evidence = ws_advice_text(
            list,
            "It writes %" PRIu32 " output%s (%s%s) that no next stage reads in its %" PRIu32
            " pipeline%s. %" PRIu32 " instruction%s nothing else.",
            unread.count, ws_plural(unread.count, "s"), unread.names,
            unread.count > NAMES_SHOWN ? ", ..." : "", readers->pipelines, ws_plural(readers->pipelines, "s"),
            instructions, instructions == 1 ? " does" : "s do"),
        .change =
            "leave these outputs and what computes them out of this shader, by a variant (#define) or a "
            "specialization constant, where the next stage does not want them",
        .saves = WS_SAVES_SLOTS,
        .saving = ws_advice_slots(slots),
        .of = shader->all,
        .certainty = WS_LIKELY,
        .doubt = "the driver may have removed them where it links the stages",
    };
    return ws_advice_add(list, &advice);
}

/* Whether transform feedback captures outputs of the module. */
static bool is_captured(const struct ws_module *module)
{
    for (uint32_t i = 0; i < module->instruction_count; ++i)
        if (module->instructions[i].opcode == SpvOpExecutionMode &&
            ws_operand(module, &module->instructions[i], 1) == SpvExecutionModeXfb)
            return true;
    return false;
}

/* Whether the shader has another purpose than what is drawn: it stores to memory, by itself or by what it calls. Of calls
 * only what is called counts: outputs may be written there. */
static bool find_purpose(const struct ws_shader_run *run, bool *has)
{
    const struct ws_module *module = &run->code->code->module;
    struct ws_acts acts;
    if (!ws_acts_init(&acts, run))
        return false;
    *has = false;
    for (uint32_t i = 0; i < module->instruction_count && !*has; ++i) {
        const struct ws_instruction *at = &module->instructions[i];
        const uint32_t block = run->code->values.block[i];
        *has = block != WS_NONE && run->blocks[block].record != WS_NONE && at->opcode != SpvOpFunctionCall &&
               ws_instruction_acts(&acts, i);
    }
    ws_acts_finish(&acts);
    return true;
}

static bool advise_unseen(const struct ws_advice_shader *shader, const struct readers *readers,
                          struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const struct ws_simt_counts *counts = &run->simt->shaders[run->shader].counts;
    const uint32_t first = run->code->code->module.functions[run->entry_function].block_first;
    const uint64_t slots = ws_simt_slots(counts);
    bool has_purpose = true;
    if (!find_purpose(run, &has_purpose))
        return false;
    if (has_purpose || !ws_advice_shader_is_worth(shader, (double)slots, WS_SHARE_OF_LINE))
        return true;
    const struct ws_advice advice = {
        .subject = shader->name,
        .evidence = ws_advice_text(list,
                                   "It ran for %" PRIu64 " vertices, and no fragment shader of its %s ever "
                                   "ran: all that it drew was culled, clipped or hidden.",
                                   run->blocks[first].active,
                                   readers->pipelines == 1
                                       ? "pipeline"
                                       : ws_advice_text(list, "%" PRIu32 " pipeline%s", readers->pipelines,
                                                        ws_plural(readers->pipelines, "s"))),
        .change = "do not draw what cannot be seen: test the bounds of objects against the view on the CPU "
                  "or in a compute "
                  "shader (vkCmdDrawIndexedIndirectCount), and look at winding, cull mode and viewport, if "
                  "it should be seen",
        .saves = WS_SAVES_SLOTS,
        .saving = slots,
        .of = shader->all,
        .certainty = WS_POSSIBLE,
        .doubt = "in other frames it may be seen",
    };
    return ws_advice_add(list, &advice);
}

static bool advise(void *user, const struct ws_advice_shader *shader, struct ws_advice_list *list)
{
    const struct ws_catalog *catalog = shader->run->catalog;
    struct readers readers = {.known = true, .unseen = true};
    if ((shader->stage != WS_STAGE_VERTEX && shader->stage != WS_STAGE_TESSELLATION_EVALUATION) ||
        is_captured(&shader->run->code->code->module))
        return true;
    for (uint32_t i = 0; i < catalog->pipeline_count; ++i)
        if (!add_pipeline(&readers, user, shader->run, &catalog->pipelines[i]))
            return false;
    if (readers.pipelines == 0)
        return true;
    if (readers.unseen)
        return advise_unseen(shader, &readers, list);
    return !readers.known || advise_unread(shader, &readers, list);
}

extern const struct ws_advice_rule ws_advice_rule_vertex_outputs;

const struct ws_advice_rule ws_advice_rule_vertex_outputs = {
    .name = "vertex_outputs",
    .title = "Vertex work that is thrown away",
    .summary = "vertex outputs that the next stage does not read, and vertices of which nothing is seen",
    .state_size = sizeof(struct ws_advice_state),
    .shader = advise,
};
