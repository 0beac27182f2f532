#include "tests/model/figures/partings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/reorder/reorder.h"

#define LOOPS_WEIGHED 6 /* around a block, at most */

/* What is known of the shader. `below[a][b]`: block a dominates block b, of one function. */
struct shape {
    const struct model_shader *shader;
    const struct model_module *module;
    bool reached[MODEL_BLOCKS];
    bool below[MODEL_BLOCKS][MODEL_BLOCKS];
};

/* Which blocks of a function are reached from one of them, without coming by `without`. */
static void go_from(const struct model_shader *shader, uint32_t block, uint32_t without,
                    bool came[MODEL_BLOCKS])
{
    if (came[block] || block == without)
        return;
    came[block] = true;
    for (uint32_t i = 0; i < shader->blocks[block].target_count; i++)
        go_from(shader, shader->blocks[block].targets[i], without, came);
}

static void find_shape(struct shape *shape)
{
    const struct model_shader *shader = shape->shader;
    model_reached(shader, shape->reached);
    memset(shape->below, 0, sizeof(shape->below));
    for (uint32_t a = 0; a < shader->block_count; a++) {
        bool came[MODEL_BLOCKS] = {false};
        go_from(shader, shader->functions[shader->blocks[a].function].first, a, came);
        for (uint32_t b = 0; b < shader->block_count && shape->reached[a]; b++)
            shape->below[a][b] =
                shape->reached[b] && shader->blocks[b].function == shader->blocks[a].function && !came[b];
    }
}

static bool is_loop(const struct model_shader *shader, uint32_t block)
{
    return shader->blocks[block].continue_target != MODEL_NONE;
}

/* Whether a block is in the region of a header: what that dominates, without what the merge block dominates of a construct
 * that the header stands in, its own among them. */
static bool is_inside(const struct shape *shape, uint32_t header, uint32_t block)
{
    const struct model_shader *shader = shape->shader;
    if (!shape->below[header][block] || (block == header && !is_loop(shader, header)))
        return false;
    for (uint32_t around = 0; around < shader->block_count; around++) {
        const uint32_t merge = shader->blocks[around].merge;
        if (merge != MODEL_NONE && shape->below[around][header] && shape->reached[merge] &&
            !shape->below[merge][header] && shape->below[merge][block])
            return false;
    }
    return true;
}

static uint64_t instructions_of(const struct shape *shape, uint32_t block)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < MODEL_PARTS; i++)
        if (shape->module->places[block].parts[i].index != MODEL_NONE)
            sum += shape->module->places[block].parts[i].instructions;
    return sum;
}

/* Adds the functions that a block calls, and what they call. */
static void add_called(const struct shape *shape, uint32_t block, bool called[MODEL_FUNCTIONS])
{
    const struct model_shader *shader = shape->shader;
    for (uint32_t i = 0; i < shader->blocks[block].action_count; i++) {
        const struct model_action *action = &shader->blocks[block].actions[i];
        if (action->kind != MODEL_CALL || called[action->target])
            continue;
        called[action->target] = true;
        for (uint32_t b = 0; b < shader->block_count; b++)
            if (shape->reached[b] && shader->blocks[b].function == action->target)
                add_called(shape, b, called);
    }
}

static void find_region(const struct shape *shape, struct model_parting *parting)
{
    const struct model_shader *shader = shape->shader;
    bool called[MODEL_FUNCTIONS] = {false}, calls = false, loops = false;
    uint64_t instructions = 0;
    for (uint32_t b = 0; b < shader->block_count; b++) {
        parting->in[b] = is_inside(shape, parting->block, b);
        if (!parting->in[b])
            continue;
        const uint32_t *parent = shader->functions[shader->blocks[b].function].parent;
        uint64_t weight = 1, depth = 0;
        for (uint32_t loop = shader->blocks[b].around; loop != MODEL_NONE && depth < LOOPS_WEIGHED;
             loop = parent[loop], depth++)
            weight *= 8;
        instructions += instructions_of(shape, b);
        parting->weighted += weight * instructions_of(shape, b);
        loops = loops || is_loop(shader, b);
        add_called(shape, b, called);
    }
    for (uint32_t b = 0; b < shader->block_count; b++)
        if (shape->reached[b] && called[shader->blocks[b].function])
            parting->weighted += instructions_of(shape, b);
    for (uint32_t f = 0; f < shader->function_count; f++)
        calls = calls || called[f];
    parting->small = instructions < WS_PARTING_LEAST && !loops && !calls;
}

/* Whether a block leads to another without going round a loop. */
static bool leads_to(const struct shape *shape, uint32_t from, uint32_t to)
{
    const struct model_block *block = &shape->shader->blocks[from];
    for (uint32_t i = 0; i < block->target_count; i++)
        if (!shape->below[block->targets[i]][from] &&
            (block->targets[i] == to || leads_to(shape, block->targets[i], to)))
            return true;
    return false;
}

static void find_sides(const struct shape *shape, struct model_parting *parting)
{
    const struct model_block *header = &shape->shader->blocks[parting->block];
    for (uint32_t i = 0; i < header->target_count; i++) {
        uint32_t s = 0;
        while (s < parting->side_count && parting->sides[s] != header->targets[i])
            s++;
        if (s == parting->side_count)
            parting->sides[parting->side_count++] = header->targets[i];
    }
    for (uint32_t a = 0; a < parting->side_count; a++)
        for (uint32_t b = 0; b < parting->side_count; b++)
            parting->leads[a][b] = leads_to(shape, parting->sides[a], parting->sides[b]);
}

void model_partings_find(struct model_partings *partings, const struct model_shader *shader,
                         const struct model_module *module)
{
    static struct shape shape;
    shape.shader = shader;
    shape.module = module;
    memset(partings, 0, sizeof(*partings));
    find_shape(&shape);
    for (uint32_t b = 0; b < shader->block_count; b++) {
        if (!shape.reached[b] || shader->blocks[b].merge == MODEL_NONE)
            continue;
        struct model_parting *parting = &partings->list[partings->count++];
        parting->block = b;
        parting->loop = is_loop(shader, b);
        find_region(&shape, parting);
        find_sides(&shape, parting);
    }
    for (uint32_t i = 0; i < partings->count; i++) {
        struct model_parting *a = &partings->list[i];
        uint32_t as_much = 0;
        for (uint32_t j = 0; j < partings->count; j++) {
            const struct model_parting *b = &partings->list[j];
            if (b->small || b->loop != a->loop)
                continue;
            a->rank += b->weighted > a->weighted;
            as_much += b->weighted == a->weighted;
        }
        partings->unclear =
            partings->unclear || (a->rank < WS_PARTINGS_MAX && a->rank + as_much > WS_PARTINGS_MAX);
    }
}

uint32_t model_parting_at(const struct model_partings *partings, uint32_t block)
{
    for (uint32_t i = 0; i < partings->count; i++)
        if (partings->list[i].block == block && !partings->list[i].small &&
            partings->list[i].rank < WS_PARTINGS_MAX)
            return i;
    return MODEL_NONE;
}

static bool same(const char *what, uint32_t block, uint64_t found, uint64_t expected)
{
    if (found != expected)
        printf("%s of block %u: %" PRIu64 ", expected %" PRIu64 "\n", what, block, found, expected);
    return found == expected;
}

bool model_partings_compare(const struct model_partings *partings, const struct model_module *module,
                            uint32_t shader, const struct ws_reorder_results *results)
{
    uint64_t skipped[2][2] = {{0}}, wanted = 0;
    bool agrees = true;
    const uint32_t of = results->catalog->shaders[shader].module;
    if (of >= results->nest_count)
        return same("modules that partings are known of", 0, results->nest_count, of + 1);
    const struct ws_partings *found = &results->partings[of];
    for (uint32_t i = 0; i < partings->count; i++) {
        const struct model_parting *parting = &partings->list[i];
        const struct model_places *places = &module->places[parting->block];
        skipped[parting->loop][0] += parting->small;
        skipped[parting->loop][1] += !parting->small && parting->rank >= WS_PARTINGS_MAX;
        if (parting->small || parting->rank >= WS_PARTINGS_MAX)
            continue;
        wanted++;
        const struct ws_parting *other = ws_parting_at(found, places->end_offset);
        agrees = same("a parting", parting->block, other != NULL, true) && agrees;
        if (other == NULL)
            continue;
        agrees = same("header", parting->block, other->block, places->parts[0].index) && agrees;
        agrees = same("loop", parting->block, other->loop, parting->loop) && agrees;
        agrees =
            same("weighted instructions", parting->block, other->instructions, parting->weighted) && agrees;
    }
    agrees = same("partings", 0, found->count, wanted) && agrees;
    agrees = same("small selections", 0, found->skipped[WS_PARTING_SMALL], skipped[0][0]) && agrees;
    agrees = same("small loops", 0, found->skipped_loops[WS_PARTING_SMALL], skipped[1][0]) && agrees;
    agrees = same("lighter selections", 0, found->skipped[WS_PARTING_MANY], skipped[0][1]) && agrees;
    return same("lighter loops", 0, found->skipped_loops[WS_PARTING_MANY], skipped[1][1]) && agrees;
}
