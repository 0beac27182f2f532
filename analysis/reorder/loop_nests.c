#include "analysis/reorder/loop_nests.h"

#include <stdlib.h>
#include <string.h>

void ws_loop_nest_finish(struct ws_loop_nest *nest)
{
    free(nest->blocks);
    free(nest->loops);
    memset(nest, 0, sizeof(*nest));
}

/* The block of the module that begins at a word offset; WS_NONE = none. */
static uint32_t block_at(const struct ws_module *module, uint32_t offset)
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
    const bool made = nest->blocks != NULL && nest->loops != NULL && loop_of != NULL && headers != NULL;
    for (uint32_t i = 0; made && i < count; ++i)
        loop_of[i] = WS_NONE;
    for (uint32_t i = 0; made && code != NULL && i < code->code->module.function_count; ++i)
        if (code->constructs[i].block_count > 0)
            add_loops(nest, &code->constructs[i], code->code->module.functions[i].block_first, loop_of,
                      headers);
    for (uint32_t i = 0; made && i < module->block_count; ++i) {
        const struct ws_block_info *info = &module->blocks[i].info;
        const uint32_t block = code != NULL ? block_at(&code->code->module, info->offset) : WS_NONE;
        struct ws_nest_block *known = &nest->blocks[i];
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
    free(loop_of);
    free(headers);
    if (!made)
        ws_loop_nest_finish(nest);
    return made;
}
