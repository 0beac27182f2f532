#include "analysis/diff/match.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analysis/report/report.h"
#include "warpscope/model/launch.h"
#include "warpscope/model/launch_content.h"
#include "warpscope/model/names.h"

/* What joins are made of: the two captures, and a list of keys for each. */
struct sides {
    const struct ws_report *const *reports;
    struct ws_diff_match *match;
    uint64_t *keys[WS_DIFF_SIDES];
};

typedef uint64_t key_function(const struct sides *sides, uint32_t side, uint32_t index);

static uint64_t hash_words(const uint64_t *words, size_t count)
{
    const uint64_t hash = XXH3_64bits(words, count * sizeof(*words));
    return hash != 0 ? hash : 1;
}

static uint64_t hash_text(const char *text)
{
    return XXH3_64bits(text, strlen(text));
}

static const struct ws_catalog *catalog_of(const struct sides *sides, uint32_t side)
{
    return &sides->reports[side]->catalog;
}

/* One step of a join. */
static bool join_step(struct sides *sides, struct ws_diff_join *join, key_function *key)
{
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        for (uint32_t i = 0; i < join->count[side]; ++i)
            sides->keys[side][i] = join->other[side][i] == WS_NONE ? key(sides, side, i) : 0;
    return ws_diff_join_by(join, sides->keys[0], sides->keys[1]);
}

static int compare_keys(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Leaves those out whose key is there more than once: which of them is meant cannot be told. */
static bool drop_repeated(uint64_t *keys, uint32_t count)
{
    uint64_t *sorted = malloc(count * sizeof(*sorted) + 1);
    if (sorted == NULL)
        return false;
    if (count > 0) {
        memcpy(sorted, keys, count * sizeof(*sorted));
        qsort(sorted, count, sizeof(*sorted), compare_keys);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t *found = bsearch(&keys[i], sorted, count, sizeof(*sorted), compare_keys);
        if ((found > sorted && found[-1] == keys[i]) || (found + 1 < sorted + count && found[1] == keys[i]))
            keys[i] = 0;
    }
    free(sorted);
    return true;
}

/* A step that joins only where one of a key is left on each side. */
static bool join_only(struct sides *sides, struct ws_diff_join *join, key_function *key)
{
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
        for (uint32_t i = 0; i < join->count[side]; ++i)
            sides->keys[side][i] = join->other[side][i] == WS_NONE ? key(sides, side, i) : 0;
        if (!drop_repeated(sides->keys[side], join->count[side]))
            return false;
    }
    return ws_diff_join_by(join, sides->keys[0], sides->keys[1]);
}

static uint64_t shader_content(const struct sides *sides, uint32_t side, uint32_t index)
{
    const uint64_t content = ws_shader_content(catalog_of(sides, side), index);
    return hash_words(&content, 1);
}

static uint64_t shader_name(const struct sides *sides, uint32_t side, uint32_t index)
{
    const struct ws_catalog *catalog = catalog_of(sides, side);
    const uint64_t words[2] = {catalog->shaders[index].stage, hash_text(ws_shader_name(catalog, index))};
    return hash_words(words, 2);
}

static uint64_t shader_entry(const struct sides *sides, uint32_t side, uint32_t index)
{
    const struct ws_shader_record *shader = &catalog_of(sides, side)->shaders[index];
    const uint64_t words[2] = {shader->stage, hash_text(shader->name)};
    return hash_words(words, 2);
}

/* The sum of the hashes of the joint numbers: a set has no order. */
static uint64_t hash_shaders(const struct sides *sides, uint32_t side,
                             const struct ws_pipeline_record *pipeline)
{
    uint64_t sum = pipeline->kind;
    for (uint32_t i = 0; i < pipeline->shader_count; ++i) {
        const uint64_t joint = ws_diff_joint(&sides->match->shaders, side, pipeline->shaders[i]);
        sum += hash_words(&joint, 1);
    }
    return sum;
}

static uint64_t pipeline_content(const struct sides *sides, uint32_t side, uint32_t index)
{
    const struct ws_pipeline_record *pipeline = &catalog_of(sides, side)->pipelines[index];
    const uint64_t words[2] = {hash_shaders(sides, side, pipeline), hash_text(pipeline->name)};
    return hash_words(words, 2);
}

static uint64_t pipeline_shaders(const struct sides *sides, uint32_t side, uint32_t index)
{
    const uint64_t shaders = hash_shaders(sides, side, &catalog_of(sides, side)->pipelines[index]);
    return hash_words(&shaders, 1);
}

static uint64_t pipeline_name(const struct sides *sides, uint32_t side, uint32_t index)
{
    const struct ws_pipeline_record *pipeline = &catalog_of(sides, side)->pipelines[index];
    const uint64_t words[2] = {pipeline->kind, hash_text(pipeline->name)};
    return pipeline->name[0] != '\0' ? hash_words(words, 2) : 0;
}

static uint64_t pipeline_kind(const struct sides *sides, uint32_t side, uint32_t index)
{
    const uint64_t kind = catalog_of(sides, side)->pipelines[index].kind;
    return hash_words(&kind, 1);
}

static uint64_t hash_label(const char *label)
{
    char *text = malloc(strlen(label) + 1);
    uint64_t hash = hash_text(label);
    if (text == NULL)
        return hash;
    ws_label_without_frame(label, text);
    hash = hash_text(text);
    free(text);
    return hash;
}

static uint64_t launch_label(const struct sides *sides, uint32_t side, uint32_t index)
{
    const struct ws_launch_record *launch = &catalog_of(sides, side)->launches.launches[index];
    const uint64_t words[2] = {launch->kind, hash_label(launch->label)};
    return hash_words(words, 2);
}

static uint64_t launch_pipelines(const struct sides *sides, uint32_t side, uint32_t index)
{
    const struct ws_launch_record *launch = &catalog_of(sides, side)->launches.launches[index];
    uint64_t words[3] = {launch->kind, hash_label(launch->label), 0};
    for (uint32_t i = 0; launch->pipelines != NULL && i < launch->pipeline_count; ++i) {
        const uint64_t joint = ws_diff_joint(&sides->match->pipelines, side, launch->pipelines[i]);
        words[2] += hash_words(&joint, 1);
    }
    return hash_words(words, 3);
}

/* Step 1 of launches: their contents are known by their table alone. */
static bool join_contents(struct sides *sides)
{
    struct ws_diff_join *join = &sides->match->launches;
    bool made = true;
    for (uint32_t side = 0; made && side < WS_DIFF_SIDES; ++side) {
        const struct ws_catalog *catalog = catalog_of(sides, side);
        struct ws_launch_content *contents = ws_launch_contents(catalog, &catalog->launches);
        made = contents != NULL;
        for (uint32_t i = 0; made && i < join->count[side]; ++i) {
            const struct ws_launch_record *launches = catalog->launches.launches;
            const uint64_t words[2] = {ws_launch_place(&contents[i]), launches[i].frame - launches[0].frame};
            sides->keys[side][i] = hash_words(words, 2);
        }
        free(contents);
    }
    return made && ws_diff_join_by(join, sides->keys[0], sides->keys[1]);
}

static bool match_all(struct sides *sides)
{
    struct ws_diff_match *match = sides->match;
    return join_step(sides, &match->shaders, shader_content) &&
           join_step(sides, &match->shaders, shader_name) &&
           join_only(sides, &match->shaders, shader_entry) &&
           join_step(sides, &match->pipelines, pipeline_content) &&
           join_step(sides, &match->pipelines, pipeline_shaders) &&
           join_step(sides, &match->pipelines, pipeline_name) &&
           join_only(sides, &match->pipelines, pipeline_kind) && join_contents(sides) &&
           join_step(sides, &match->launches, launch_pipelines) &&
           join_step(sides, &match->launches, launch_label);
}

bool ws_diff_match_init(struct ws_diff_match *match, const struct ws_report *const reports[WS_DIFF_SIDES])
{
    const struct ws_catalog *a = &reports[0]->catalog;
    const struct ws_catalog *b = &reports[1]->catalog;
    struct sides sides = {.reports = reports, .match = match};
    bool made = true;
    *match = (struct ws_diff_match){.shaders = {.count = {0, 0}}};
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side) {
        const struct ws_catalog *catalog = &reports[side]->catalog;
        const size_t most = (size_t)catalog->shader_count + catalog->pipeline_count + catalog->launches.count;
        sides.keys[side] = calloc(most + 1, sizeof(uint64_t));
        made = made && sides.keys[side] != NULL;
    }
    made = made && ws_diff_join_init(&match->shaders, a->shader_count, b->shader_count) &&
           ws_diff_join_init(&match->pipelines, a->pipeline_count, b->pipeline_count) &&
           ws_diff_join_init(&match->launches, a->launches.count, b->launches.count) && match_all(&sides);
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        free(sides.keys[side]);
    return made;
}

void ws_diff_match_finish(struct ws_diff_match *match)
{
    ws_diff_join_finish(&match->shaders);
    ws_diff_join_finish(&match->pipelines);
    ws_diff_join_finish(&match->launches);
}

uint64_t ws_diff_launch_kind(const struct ws_diff_match *match,
                             const struct ws_report *const reports[WS_DIFF_SIDES], uint32_t side,
                             uint32_t launch)
{
    const struct sides sides = {.reports = reports, .match = (struct ws_diff_match *)match};
    return launch_pipelines(&sides, side, launch);
}

static const struct ws_shader_record *counterpart(const struct ws_diff_match *match,
                                                  const struct ws_report *const reports[WS_DIFF_SIDES],
                                                  uint32_t side, uint32_t shader)
{
    const uint32_t other = match->shaders.other[side][shader];
    return other != WS_NONE ? &reports[1 - side]->catalog.shaders[other] : NULL;
}

bool ws_diff_same_code(const struct ws_diff_match *match,
                       const struct ws_report *const reports[WS_DIFF_SIDES], uint32_t side, uint32_t shader)
{
    const struct ws_shader_record *own = &reports[side]->catalog.shaders[shader];
    const struct ws_shader_record *other = counterpart(match, reports, side, shader);
    return other != NULL && strcmp(own->name, other->name) == 0 &&
           reports[side]->catalog.modules[own->module].hash ==
               reports[1 - side]->catalog.modules[other->module].hash;
}

enum ws_diff_state ws_diff_shader_state(const struct ws_diff_match *match,
                                        const struct ws_report *const reports[WS_DIFF_SIDES], uint32_t side,
                                        uint32_t shader)
{
    const uint32_t other = match->shaders.other[side][shader];
    const struct ws_catalog *own = &reports[side]->catalog;
    const struct ws_catalog *others = &reports[1 - side]->catalog;
    if (other == WS_NONE)
        return side == 0 ? WS_DIFF_REMOVED : WS_DIFF_ADDED;
    if (ws_shader_content(own, shader) != ws_shader_content(others, other))
        return WS_DIFF_CHANGED;
    return strcmp(ws_shader_name(own, shader), ws_shader_name(others, other)) == 0 ? WS_DIFF_SAME
                                                                                   : WS_DIFF_RENAMED;
}

const char *ws_diff_state_name(enum ws_diff_state state)
{
    static const char *const names[] = {"same", "changed", "renamed", "removed", "added"};
    return names[state];
}
