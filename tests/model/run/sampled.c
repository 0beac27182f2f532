#include "tests/model/run/sampled.h"

#include <stdlib.h>
#include <string.h>

#define GROUPS WS_SAMPLE_GROUPS
#define LEAST  16 /* workgroups that are drawn of each launch that has as many */

/* ---- which warps count ---- */

/* The finalizer of MurmurHash3. */
static uint32_t finalize(uint32_t hash)
{
    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

/* What is drawn with: the place of a thread in the launch; in workgroups that of the workgroup. */
static uint32_t place_of(const struct model_program *program, uint32_t thread)
{
    const uint32_t x = thread % program->size[0], y = thread / program->size[0];
    uint32_t group;
    switch (program->shaders[0].stage) {
    case WS_STAGE_COMPUTE: model_local_index(program, thread, &group); return group;
    case WS_STAGE_VERTEX: return x + 0x9e3779b9u * y;
    case WS_STAGE_FRAGMENT: return x | y << 16;
    default: return thread;
    }
}

/* Whether a function, or one that it calls, has a reorder instruction, be it that control flow never comes there. */
static bool reorders(const struct model_shader *shader, uint32_t function)
{
    bool found = false;
    for (uint32_t b = 0; b < shader->block_count; b++) {
        const struct model_block *block = &shader->blocks[b];
        for (uint32_t a = 0; a < block->action_count && block->function == function; a++)
            found = found || model_reorders(block->actions[a].kind) ||
                    (block->actions[a].kind == MODEL_CALL && reorders(shader, block->actions[a].target));
    }
    return found;
}

/* One warp of the shader in how many counts; 0: it is not sampled. */
static uint32_t weigh(const struct model_program *program, uint32_t shader, uint32_t one_in)
{
    const enum ws_stage stage = program->shaders[shader].stage;
    if (stage == WS_STAGE_TASK || stage == WS_STAGE_MESH || reorders(&program->shaders[shader], 0))
        return 0;
    if (stage != WS_STAGE_COMPUTE)
        return one_in;
    uint32_t groups = 1;
    for (uint32_t i = 0; i < 3; i++)
        groups *= program->size[i] / program->group[i];
    return groups / LEAST == 0 ? 1 : groups / LEAST < one_in ? groups / LEAST : one_in;
}

/* In which set the warp of a context counts; MODEL_NONE: in none. Its lowest thread draws. */
static uint32_t draw(const struct model_sampled *sampled, uint32_t number)
{
    const struct model_context *context = &sampled->warps->contexts[number];
    const uint32_t thread = context->threads[ws_lanes_lowest(context->entered)];
    const uint64_t drawn = finalize(place_of(sampled->warps->program, thread) + 0xbf49a64fu);
    const uint64_t scaled = drawn * sampled->weights[context->shader];
    return scaled >> 32 == 0 ? (uint32_t)(scaled * GROUPS >> 32) : MODEL_NONE;
}

void model_sampled_make(struct model_sampled *sampled, const struct model_warps *warps, uint32_t one_in)
{
    model_sampled_finish(sampled);
    *sampled = (struct model_sampled){.warps = warps};
    for (uint32_t s = 0; s < warps->program->shader_count; s++) {
        sampled->weights[s] = weigh(warps->program, s, one_in);
        for (uint32_t g = 0; g < GROUPS && sampled->weights[s] > 0; g++) {
            sampled->sets[s][g] = calloc(1, sizeof(struct model_counts));
            if (sampled->sets[s][g] == NULL)
                abort();
        }
    }
    for (uint32_t i = 0; i < warps->tally_count; i++) {
        const struct model_tally *tally = &warps->tallies[i];
        const uint32_t set = sampled->weights[tally->shader] > 0 ? draw(sampled, tally->context) : MODEL_NONE;
        if (set == MODEL_NONE)
            continue;
        struct model_histogram *histograms = &sampled->sets[tally->shader][set]->entries;
        histograms[tally->histogram].counts[tally->active - 1]++;
        sampled->drawn[tally->shader] = true;
    }
}

void model_sampled_finish(struct model_sampled *sampled)
{
    for (uint32_t s = 0; s < MODEL_SHADERS; s++)
        for (uint32_t g = 0; g < GROUPS; g++)
            free(sampled->sets[s][g]);
    memset(sampled, 0, sizeof(*sampled));
}

void model_sampled_estimate(const struct model_sampled *sampled, struct model_warps *estimates)
{
    const uint32_t histograms = sizeof(struct model_counts) / sizeof(struct model_histogram);
    *estimates = *sampled->warps;
    for (uint32_t s = 0; s < sampled->warps->program->shader_count; s++) {
        struct model_histogram *of = &estimates->counts[s].entries;
        for (uint32_t h = 0; h < histograms && sampled->weights[s] > 0; h++) {
            memset(&of[h], 0, sizeof(of[h]));
            for (uint32_t g = 0; g < GROUPS; g++)
                for (uint32_t n = 0; n < estimates->lanes; n++)
                    of[h].counts[n] += sampled->weights[s] * (&sampled->sets[s][g]->entries)[h].counts[n];
        }
    }
}
