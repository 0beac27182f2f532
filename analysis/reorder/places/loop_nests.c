#include "analysis/reorder/places/loop_nests.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

void ws_loop_nest_finish(struct ws_loop_nest *nest)
{
    free(nest->blocks);
    free(nest->loops);
    free(nest->successors);
    free(nest->calls);
    memset(nest, 0, sizeof(*nest));
}

uint32_t ws_loop_nest_block_at(const struct ws_module *module, uint32_t offset)
{
    uint32_t low = 0;
    for (uint32_t high = module->block_count; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (module->instructions[module->blocks[middle].first].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < module->block_count && module->instructions[module->blocks[low].first].offset == offset
               ? low
               : WS_NONE;
}

/* The loop around a block, before the block begins one itself: without those that it merges. */
static uint32_t loop_before(const struct ws_loop_nest *nest, const struct ws_constructs *constructs,
                            const uint32_t *loop_of, const uint32_t *headers, uint32_t begin, uint32_t block)
{
    const uint32_t dominator = constructs->dominators.parent[block];
    const uint32_t before = dominator != WS_NONE ? loop_of[begin + dominator] : WS_NONE;
    uint32_t found = before;
    for (uint32_t loop = before; loop != WS_NONE; loop = nest->loops[loop].parent)
        if (constructs->merge[headers[loop] - begin] == block)
            found = nest->loops[loop].parent;
    return found;
}

/* Numbers the loops of a function whose blocks begin at `begin`, outer before inner. `loop_of` has the innermost loop of
 * each block of the module, `headers` the header of each loop. */
static void add_loops(struct ws_loop_nest *nest, const struct ws_constructs *constructs, uint32_t begin,
                      uint32_t *loop_of, uint32_t *headers)
{
    for (uint32_t i = 0; i < constructs->order_count; ++i) {
        const uint32_t block = constructs->order[i];
        const uint32_t around = loop_before(nest, constructs, loop_of, headers, begin, block);
        loop_of[begin + block] = around;
        if (!constructs->loop_header[block])
            continue;
        const uint32_t depth = around != WS_NONE ? nest->loops[around].depth + 1 : 0;
        if (depth >= WS_NEST_DEPTH_MAX)
            continue;
        headers[nest->loop_count] = begin + block;
        nest->loops[nest->loop_count] = (struct ws_nest_loop){around, depth};
        loop_of[begin + block] = nest->loop_count++;
    }
}

/* Where a block of the code leads, as blocks of the catalog (`records`, per block of the code), if that is more than one. The
 * way back to the header of a loop is no other side: it is counted, and left out. */
static void add_successors(struct ws_loop_nest *nest, struct ws_nest_block *known, const struct ws_cfg *cfg,
                           uint32_t begin, uint32_t block, const uint32_t *records)
{
    uint32_t places[WS_NEST_SUCCESSORS_MAX];
    uint32_t count = 0;
    bool back = false;
    for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; ++i) {
        const uint32_t place = cfg->position[cfg->successors[i]];
        uint32_t at = 0;
        if (place <= cfg->position[block]) {
            back = true;
            continue;
        }
        for (uint32_t high = count; at < high;) {
            const uint32_t middle = at + (high - at) / 2;
            if (places[middle] < place)
                at = middle + 1;
            else
                high = middle;
        }
        if (count == WS_NEST_SUCCESSORS_MAX || (at < count && places[at] == place))
            continue;
        memmove(places + at + 1, places + at, (count - at) * sizeof(*places));
        places[at] = place;
        count++;
    }
    if (count + back < 2)
        return;
    known->successor_first = nest->successor_count;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t record = records[begin + cfg->order[places[i]]];
        if (record != WS_NONE)
            nest->successors[nest->successor_count++] = record;
    }
    known->successor_count = nest->successor_count - known->successor_first;
}

/* Finds where the blocks of the module lead. False when there is no memory. */
static bool find_successors(struct ws_loop_nest *nest, const struct ws_module_record *module,
                            const struct ws_shader_code *code, const uint32_t *block_of)
{
    const struct ws_module *parsed = &code->code->module;
    uint32_t *records = malloc(((size_t)parsed->block_count + 1) * sizeof(*records));
    size_t most = 0;
    for (uint32_t i = 0; i < parsed->function_count; ++i)
        if (!code->cfgs[i].opaque && code->cfgs[i].block_count > 0)
            most += code->cfgs[i].successor_first[code->cfgs[i].block_count];
    nest->successors = malloc((most + 1) * sizeof(*nest->successors));
    if (records == NULL || nest->successors == NULL) {
        free(records);
        return false;
    }
    memset(records, 0xff, parsed->block_count * sizeof(*records));
    for (uint32_t i = 0; i < module->block_count; ++i)
        if (block_of[i] != WS_NONE)
            records[block_of[i]] = i;
    for (uint32_t i = 0; i < module->block_count; ++i) {
        if (block_of[i] == WS_NONE)
            continue;
        const uint32_t function = parsed->blocks[block_of[i]].function;
        const uint32_t begin = parsed->functions[function].block_first;
        const struct ws_cfg *cfg = &code->cfgs[function];
        if (!cfg->opaque && cfg->position[block_of[i] - begin] != WS_NONE)
            add_successors(nest, &nest->blocks[i], cfg, begin, block_of[i] - begin, records);
    }
    free(records);
    return true;
}

/* Finds what the blocks of the module call. Those of the catalog stand in their order, and may be parts of the code's. False
 * when there is no memory. */
static bool find_calls(struct ws_loop_nest *nest, const struct ws_module_record *module,
                       const struct ws_module *parsed)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < parsed->instruction_count; ++i)
        count += parsed->instructions[i].opcode == SpvOpFunctionCall;
    nest->calls = malloc(((size_t)count + 1) * sizeof(*nest->calls));
    if (nest->calls == NULL)
        return false;
    uint32_t block = 0;
    for (uint32_t i = 0; i < parsed->instruction_count; ++i) {
        const struct ws_instruction *instruction = &parsed->instructions[i];
        if (instruction->opcode != SpvOpFunctionCall)
            continue;
        while (block < module->block_count &&
               instruction->offset >= module->blocks[block].info.offset + module->blocks[block].info.length)
            block++;
        if (block == module->block_count || instruction->offset < module->blocks[block].info.offset)
            continue;
        struct ws_nest_block *known = &nest->blocks[block];
        known->call_first = known->call_count > 0 ? known->call_first : nest->call_count;
        known->call_count++;
        nest->calls[nest->call_count++] = ws_operand(parsed, instruction, 2);
    }
    return true;
}

bool ws_loop_nest_init(struct ws_loop_nest *nest, const struct ws_module_record *module,
                       const struct ws_shader_code *code)
{
    const uint32_t count = code != NULL ? code->code->module.block_count : 0;
    memset(nest, 0, sizeof(*nest));
    nest->block_count = module->block_count;
    nest->blocks = calloc((size_t)module->block_count + 1, sizeof(*nest->blocks));
    nest->loops = calloc((size_t)count + 1, sizeof(*nest->loops));
    uint32_t *loop_of = malloc(((size_t)count + 1) * sizeof(*loop_of));
    uint32_t *headers = malloc(((size_t)count + 1) * sizeof(*headers));
    uint32_t *block_of = malloc(((size_t)module->block_count + 1) * sizeof(*block_of));
    bool made =
        nest->blocks != NULL && nest->loops != NULL && loop_of != NULL && headers != NULL && block_of != NULL;
    for (uint32_t i = 0; made && i < count; ++i)
        loop_of[i] = WS_NONE;
    for (uint32_t i = 0; made && code != NULL && i < code->code->module.function_count; ++i)
        if (code->constructs[i].block_count > 0)
            add_loops(nest, &code->constructs[i], code->code->module.functions[i].block_first, loop_of,
                      headers);
    for (uint32_t i = 0; made && i < module->block_count; ++i) {
        const struct ws_block_info *info = &module->blocks[i].info;
        const uint32_t block =
            code != NULL ? ws_loop_nest_block_at(&code->code->module, info->offset) : WS_NONE;
        struct ws_nest_block *known = &nest->blocks[i];
        block_of[i] = block;
        *known = (struct ws_nest_block){.function = info->function, .loop = WS_NONE};
        if (block == WS_NONE)
            continue;
        const struct ws_function *function =
            &code->code->module.functions[code->code->module.blocks[block].function];
        known->first = block == function->block_first;
        known->known = code->constructs[code->code->module.blocks[block].function].block_count > 0;
        known->loop = loop_of[block];
        known->header = known->loop != WS_NONE && headers[known->loop] == block;
    }
    made = made && (code == NULL || (find_successors(nest, module, code, block_of) &&
                                     find_calls(nest, module, &code->code->module)));
    free(loop_of);
    free(headers);
    free(block_of);
    if (!made)
        ws_loop_nest_finish(nest);
    return made;
}
