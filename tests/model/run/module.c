#include "tests/model/run/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/opcodes.h"
#include "warpscope/passes.h"
#include "warpscope/ray_events.h"

/* Whether the action is a call site, or leads to one. */
static bool is_on_way(const struct model_shader *shader, const struct model_action *action)
{
    return model_is_site(action) || (action->kind == MODEL_CALL && model_leads(shader, action->target));
}

/* The sync points, by the rule: all loops around a call or the way to it; where there are none, the outermost
 * selection. */
static void find_sync(const struct model_shader *shader, const bool reached[MODEL_BLOCKS],
                      bool sync[MODEL_BLOCKS])
{
    for (uint32_t i = 0; i < shader->block_count; i++) {
        const struct model_block *block = &shader->blocks[i];
        for (uint32_t j = 0; reached[i] && j < block->action_count; j++) {
            if (!is_on_way(shader, &block->actions[j]))
                continue;
            const struct model_function *function = &shader->functions[block->function];
            for (uint32_t loop = block->around; loop != MODEL_NONE; loop = function->parent[loop]) {
                sync[shader->blocks[loop].merge] = true;
                sync[shader->blocks[loop].continue_target] = true;
            }
            if (block->around == MODEL_NONE && block->selection != MODEL_NONE)
                sync[block->selection] = true;
        }
    }
}

/* Whether an instruction reorders, or does something with a hit object but ask. */
static bool is_of_object(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpReorderThreadWithHintNV:
    case SpvOpReorderThreadWithHitObjectNV:
    case SpvOpHitObjectTraceRayNV:
    case SpvOpHitObjectExecuteShaderNV:
    case SpvOpHitObjectRecordEmptyNV:
    case SpvOpHitObjectRecordMissNV:
    case SpvOpHitObjectRecordHitNV:
    case WS_OP_REORDER_THREAD_WITH_HINT_EXT:
    case WS_OP_REORDER_THREAD_WITH_HIT_OBJECT_EXT:
    case WS_OP_HIT_OBJECT_TRACE_RAY_EXT:
    case WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT:
    case WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT:
    case WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT:
    case WS_OP_HIT_OBJECT_RECORD_EMPTY_EXT:
    case WS_OP_HIT_OBJECT_RECORD_MISS_EXT: return true;
    default: return false;
    }
}

static bool is_call(uint32_t opcode)
{
    return opcode == SpvOpFunctionCall || opcode == SpvOpTraceRayKHR || opcode == SpvOpExecuteCallableKHR ||
           opcode == SpvOpReportIntersectionKHR || is_of_object(opcode) ||
           opcode == SpvOpDemoteToHelperInvocation || opcode == SpvOpRayQueryInitializeKHR ||
           opcode == SpvOpRayQueryProceedKHR || opcode == SpvOpRayQueryConfirmIntersectionKHR ||
           opcode == SpvOpRayQueryGenerateIntersectionKHR;
}

/* Word offsets of labels, calls and terminators. */
static void find_offsets(struct model_module *module, const struct model_shader *shader)
{
    struct model_places *places = NULL;
    const struct model_block *block = NULL;
    uint32_t action = 0;
    for (uint32_t at = 5; at < module->word_count; at += module->words[at] >> 16) {
        const uint32_t opcode = module->words[at] & 0xffff;
        if (opcode == SpvOpLabel) {
            const uint32_t index = module->words[at + 1] - MODEL_BLOCK_LABEL;
            places = &module->places[index];
            block = &shader->blocks[index];
            places->parts[0].offset = at;
            action = 0;
        } else if (is_call(opcode)) {
            while (block->actions[action].kind == MODEL_LOOP_ZERO ||
                   block->actions[action].kind == MODEL_LOOP_NEXT)
                action++;
            if (model_cuts(shader, &block->actions[action]))
                places->parts[action + 1].offset = at + (module->words[at] >> 16);
            places->action_offset[action++] = at;
        } else if (places != NULL && opcode != SpvOpFunctionEnd && opcode != SpvOpFunction) {
            places->end_offset = at; /* the last one stays */
        }
    }
}

static bool wrong(uint32_t block, const char *what)
{
    printf("block %u: %s\n", block, what);
    return false;
}

/* Puts a site of a record where it belongs; several passes may have the same. */
static bool put(uint32_t *place, uint32_t site, const struct ws_site_info *sites, uint32_t block)
{
    if (*place != MODEL_NONE && sites[*place].row != sites[site].row)
        return wrong(block, "two passes have records of their own at one place");
    *place = *place == MODEL_NONE || sites[site].row == site ? site : *place;
    return true;
}

static bool put_at_action(struct model_places *places, uint32_t *list, uint32_t site,
                          const struct ws_site_info *sites, uint32_t block)
{
    for (uint32_t i = 0; i < MODEL_ACTIONS; i++)
        if (places->action_offset[i] == sites[site].offset)
            return put(&list[i], site, sites, block);
    return wrong(block, "a site is at no call");
}

/* Puts a row of the pass warp_entry_exit where it belongs. */
static bool take_row(struct model_module *module, const struct ws_site_info *site,
                     struct model_places *places, uint32_t block)
{
    uint32_t action = 0;
    switch (site->tag) {
    case WS_TAG_WARP_ENTRY_EXIT_ENTRY: module->entry_row = site->row; return true;
    case WS_TAG_WARP_ENTRY_EXIT_RETURNED: module->returned_row = site->row; return true;
    case WS_TAG_WARP_ENTRY_EXIT_REPORT:
    case WS_TAG_WARP_ENTRY_EXIT_REPORTED:
        while (action < MODEL_ACTIONS && places->action_offset[action] != site->offset)
            action++;
        if (action == MODEL_ACTIONS)
            return wrong(block, "a count is at no report");
        *(site->tag == WS_TAG_WARP_ENTRY_EXIT_REPORT ? &places->before_row[action]
                                                     : &places->after_row[action]) = site->row;
        return true;
    case WS_TAG_WARP_ENTRY_EXIT_DEMOTE:
        while (action < MODEL_ACTIONS && places->action_offset[action] != site->offset)
            action++;
        if (action == MODEL_ACTIONS)
            return wrong(block, "an end is at no demote");
        places->demoted_row[action] = site->row;
        return true;
    default:
        places->end_row = site->row;
        return site->offset == places->end_offset || wrong(block, "an end is not at the block's end");
    }
}

/* Whether an event of rays stands after its instruction. */
static bool is_told_after(uint32_t event)
{
    return event == WS_RAY_REPORT || event == WS_RAY_PROCEED || event == WS_RAY_OBJECT_TRACED;
}

bool model_is_clock(const struct model_module *module, uint32_t site)
{
    const struct ws_site_info *info = &module->instrumented->sites[site];
    return info->kind == WS_SITE_DATA && info->pass < module->pass_count &&
           strcmp(module->passes[info->pass], WS_PASS_WARP_TIME) == 0;
}

/* Puts a clock record where it belongs: at the entry, at a demote or at the end of the block. */
static bool take_clock(struct model_module *module, uint32_t site, struct model_places *places,
                       uint32_t block)
{
    const struct ws_site_info *sites = module->instrumented->sites;
    if (sites[site].tag == WS_TAG_WARP_TIME_BEGIN)
        module->clock = site;
    else if (sites[site].offset == places->end_offset)
        places->end_clock = site;
    else
        return put_at_action(places, places->demoted_clock, site, sites, block);
    return true;
}

static bool take_site(struct model_module *module, uint32_t site, struct model_places *places,
                      struct model_part *part, uint32_t block)
{
    const struct ws_site_info *sites = module->instrumented->sites;
    const struct ws_site_info *self = &sites[site];
    switch (self->kind) {
    case WS_SITE_BLOCK: part->row = self->row; return true;
    case WS_SITE_LAUNCH: module->launch_row = self->row; return true;
    case WS_SITE_ENTRY: module->entry = site; return true;
    case WS_SITE_COUNT: return take_row(module, self, places, block);
    case WS_SITE_PLACE_BLOCK: return put(&part->site, site, sites, block);
    case WS_SITE_PLACE_SYNC: return put(&places->sync, site, sites, block);
    case WS_SITE_PLACE_BEFORE:
    case WS_SITE_PLACE_CALL: return put_at_action(places, places->before, site, sites, block);
    case WS_SITE_CONTINUE: return put_at_action(places, places->resume, site, sites, block);
    case WS_SITE_PLACE_AFTER: return put_at_action(places, places->after, site, sites, block);
    case WS_SITE_PLACE_END:
        return self->offset == places->end_offset
                   ? put(&places->end, site, sites, block)
                   : put_at_action(places, places->demoted, site, sites, block);
    case WS_SITE_DATA:
        if (model_is_clock(module, site))
            return take_clock(module, site, places, block);
        if (self->tag != WS_RAY_ANY_HIT && self->tag != WS_RAY_CLOSEST_HIT &&
            self->tag != WS_RAY_INTERSECTION)
            return put_at_action(places, is_told_after(self->tag) ? places->told : places->data, site, sites,
                                 block);
        module->hit = site;
        return true;
    case WS_SITE_PLACE_ENTRY: return true; /* its record is that of the entry */
    case WS_SITE_PATH:
    case WS_SITE_PATH_TURNS:
    case WS_SITE_PATH_STEP: return true; /* the records that they are about are those of places */
    default: return wrong(block, "a site of no known kind");
    }
}

/* The part of a block that a block of the instrumented module is; NULL. */
static struct model_part *find_part(struct model_module *module, const struct ws_block_info *info)
{
    struct model_part *parts = module->places[info->label - MODEL_BLOCK_LABEL].parts;
    for (uint32_t i = 0; i < MODEL_PARTS; i++)
        if (parts[i].offset == info->offset)
            return &parts[i];
    return NULL;
}

static bool find_places(struct model_module *module, const struct model_shader *shader)
{
    const struct ws_instrumented *instrumented = module->instrumented;
    for (uint32_t i = 0; i < instrumented->block_count; i++) {
        const uint32_t block = instrumented->blocks[i].label - MODEL_BLOCK_LABEL;
        struct model_part *part =
            block < shader->block_count ? find_part(module, &instrumented->blocks[i]) : NULL;
        if (part == NULL)
            return wrong(block, "its offset is another");
        if (instrumented->blocks[i].instruction_count != part->instructions)
            return wrong(block, "its instruction count is another");
        part->index = i;
    }
    for (uint32_t i = 0; i < instrumented->site_count; i++) {
        const struct ws_block_info *info = &instrumented->blocks[instrumented->sites[i].block];
        const uint32_t block = info->label - MODEL_BLOCK_LABEL;
        if (!take_site(module, i, &module->places[block], find_part(module, info), block))
            return false;
    }
    return true;
}

static bool has(const char *const *passes, uint32_t pass_count, const char *name)
{
    for (uint32_t i = 0; i < pass_count; i++)
        if (strcmp(passes[i], name) == 0)
            return true;
    return false;
}

/* Whether ray_events tells that lanes end at the block. */
static bool tells_end(const struct model_shader *shader, const struct model_block *block)
{
    switch (shader->stage) {
    case WS_STAGE_ANY_HIT:
        return block->end == MODEL_RETURN || block->end == MODEL_IGNORE || block->end == MODEL_TERMINATE;
    case WS_STAGE_INTERSECTION: return block->end == MODEL_RETURN;
    default: return (shader->stage & WS_STAGES_CALLED) == 0;
    }
}

/* Whether there are sites just where the passes promise them. */
static bool check_places(const struct model_module *module, const struct model_shader *shader,
                         const char *const *passes, uint32_t pass_count)
{
    bool reached[MODEL_BLOCKS], sync[MODEL_BLOCKS] = {false};
    const bool trace = has(passes, pass_count, "execution_trace");
    const bool divergence = has(passes, pass_count, "divergence");
    const bool compaction = has(passes, pass_count, "thread_compaction") && model_leads(shader, 0);
    const bool rays = has(passes, pass_count, "ray_events") &&
                      ((shader->stage & WS_STAGES_CALLED) != 0 || model_leads_to_rays(shader));
    const bool hits = rays && (shader->stage == WS_STAGE_ANY_HIT || shader->stage == WS_STAGE_CLOSEST_HIT ||
                               shader->stage == WS_STAGE_INTERSECTION);
    const bool counts = has(passes, pass_count, "simt_efficiency");
    const bool ends = has(passes, pass_count, "warp_entry_exit");
    const bool times = has(passes, pass_count, "warp_time");
    model_reached(shader, reached);
    find_sync(shader, reached, sync);
    if ((module->returned_row != MODEL_NONE) != ends)
        return wrong(0, "not the count behind main that was promised");
    if ((module->clock != MODEL_NONE) != times)
        return wrong(0, "not the clock that was promised");
    if ((module->hit != MODEL_NONE) != hits)
        return wrong(0, "not the record of a hit that was promised");
    for (uint32_t i = 0; i < shader->block_count; i++) {
        const struct model_block *block = &shader->blocks[i];
        const struct model_places *places = &module->places[i];
        const bool leaves = block->target_count == 0 && (block->end != MODEL_RETURN || block->function == 0);
        for (uint32_t j = 0; j < MODEL_PARTS; j++) {
            const struct model_part *part = &places->parts[j];
            const bool there = reached[i] && part->offset != MODEL_NONE;
            if ((part->index != MODEL_NONE) != there)
                return wrong(i, there ? "it is not there" : "nothing leads to it, and it is there");
            if ((part->site != MODEL_NONE) != (there && (trace || divergence)) ||
                (part->row != MODEL_NONE) != (there && counts))
                return wrong(i, "not the sites that were promised");
        }
        if ((places->sync != MODEL_NONE) != (reached[i] && compaction && sync[i]) ||
            (places->end_row != MODEL_NONE) != (reached[i] && ends && leaves) ||
            (places->end != MODEL_NONE) !=
                (reached[i] && leaves &&
                 (trace || divergence || compaction || times || (rays && tells_end(shader, block)))))
            return wrong(i, "not the sites that were promised");
        if ((places->end_clock != MODEL_NONE) != (reached[i] && leaves && times))
            return wrong(i, "not the clocks that were promised");
        for (uint32_t j = 0; j < block->action_count; j++) {
            const struct model_action *action = &block->actions[j];
            const bool counted = reached[i] && ends && action->kind == MODEL_REPORT;
            if ((places->before_row[j] != MODEL_NONE) != counted ||
                (places->after_row[j] != MODEL_NONE) != counted)
                return wrong(i, "not the counts at reports that were promised");
            const bool demotes = reached[i] && action->kind == MODEL_DEMOTE;
            if ((places->demoted_row[j] != MODEL_NONE) != (demotes && ends) ||
                (places->demoted[j] != MODEL_NONE) !=
                    (demotes && (trace || divergence || compaction || rays || times)) ||
                (places->demoted_clock[j] != MODEL_NONE) != (demotes && times))
                return wrong(i, "not the sites at demotes that were promised");
            const bool calls = action->kind < MODEL_LOOP_ZERO && action->kind != MODEL_CALL;
            const bool before = (calls && divergence) || (compaction && is_on_way(shader, action)) ||
                                (rays && action->kind == MODEL_EXECUTE);
            const bool told = action->kind == MODEL_REPORT || action->kind == MODEL_PROCEED ||
                              action->kind == MODEL_OBJECT_TRACE;
            const bool returns = model_runs_shaders(action->kind) && action->kind != MODEL_EXECUTE &&
                                 action->kind != MODEL_OBJECT_TRACE;
            const bool after = (calls && divergence) || (rays && returns);
            const bool data = model_is_of_rays(action) && action->kind != MODEL_EXECUTE &&
                              action->kind != MODEL_REPORT && action->kind != MODEL_PROCEED;
            if ((places->data[j] != MODEL_NONE) != (reached[i] && rays && data) ||
                (places->told[j] != MODEL_NONE) != (reached[i] && rays && told))
                return wrong(i, "not the records of rays that were promised");
            if ((places->resume[j] != MODEL_NONE) !=
                (reached[i] && calls && (trace || divergence || compaction || rays || times)))
                return wrong(i, "not the continuations at calls that were promised");
            if ((places->before[j] != MODEL_NONE) != (reached[i] && before) ||
                (places->after[j] != MODEL_NONE) != (reached[i] && after))
                return wrong(i, "not the sites at calls that were promised");
        }
    }
    return true;
}

bool model_module_init(struct model_module *module, const struct model_program *program, uint32_t shader,
                       const char *const *passes, uint32_t pass_count, uint32_t sample)
{
    const struct ws_instrument_options options = {
        .passes = passes, .pass_count = pass_count, .sample = sample, .clock = WS_CLOCK_DEVICE};
    struct ws_error error = {0};
    uint32_t instructions[MODEL_BLOCKS][MODEL_PARTS];
    char *text = model_emit(program, shader, false, instructions);
    memset(module, 0xff, sizeof(*module)); /* MODEL_NONE everywhere */
    module->passes = passes;
    module->pass_count = pass_count;
    module->words = assembly_read(text, 0x00010500, &module->word_count);
    free(text);
    for (uint32_t i = 0; i < program->shaders[shader].block_count; i++)
        for (uint32_t j = 0; j < MODEL_PARTS; j++)
            module->places[i].parts[j].instructions = instructions[i][j];
    find_offsets(module, &program->shaders[shader]);
    module->instrumented = ws_instrument(module->words, module->word_count, &options, &error);
    if (module->instrumented == NULL) {
        printf("%s\n", error.message);
        return false;
    }
    for (uint32_t i = 0; i < module->instrumented->skip_count; i++) {
        printf("%s\n", module->instrumented->skips[i].reason);
        return false;
    }
    /* SPIRV-Tools of Debian 12 do not know hit objects of EXT, newer ones do. Without what a pass wants there are no words. */
    const bool known =
        program->objects != MODEL_OBJECTS_EXT || assembly_knows("OpCapability ShaderInvocationReorderEXT\n");
    if (program->validates && known && module->instrumented->words != NULL &&
        !assembly_is_valid(module->instrumented->words, module->instrumented->word_count)) {
        printf("what it is instrumented to is not valid\n");
        return false;
    }
    return find_places(module, &program->shaders[shader]) &&
           check_places(module, &program->shaders[shader], passes, pass_count);
}

void model_module_finish(struct model_module *module)
{
    free(module->words);
    ws_instrumented_destroy(module->instrumented);
}
