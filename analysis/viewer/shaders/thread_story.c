#include "analysis/viewer/shaders/thread_story.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report.h"
#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"
#include "warpscope/model/work_id.h"
#include "warpscope/output/json.h"

#define PARTINGS_TOLD 4
#define SHADERS_TOLD  12
#define DEPTH_MOST    64
#define TEXT          512

struct ws_thread_parting *ws_thread_partings(const struct ws_trace_path *path, uint32_t *count)
{
    struct ws_thread_parting *partings = malloc(((size_t)path->step_count + 1) * sizeof(*partings));
    struct {
        uint32_t context;
        struct ws_lanes lanes;
        bool known;
    } before[DEPTH_MOST] = {{0}};
    *count = 0;
    for (uint32_t i = 0; partings != NULL && i < path->step_count; ++i) {
        const struct ws_trace_step *step = &path->steps[i];
        if (step->kind == WS_TRACE_REPEAT || step->depth >= DEPTH_MOST)
            continue;
        if (step->kind == WS_TRACE_ENTER || step->kind == WS_TRACE_CONTINUE)
            before[step->depth].known = false;
        if (step->kind != WS_TRACE_BLOCK)
            continue;
        const uint32_t lanes = ws_lanes_count(step->lanes);
        const uint32_t last = ws_lanes_count(before[step->depth].lanes);
        if (before[step->depth].known && before[step->depth].context == step->context && lanes < last)
            partings[(*count)++] = (struct ws_thread_parting){i, last, lanes};
        before[step->depth].known = true;
        before[step->depth].context = step->context;
        before[step->depth].lanes = step->lanes;
    }
    return partings;
}

/* Adds the steps first .. end - 1, which ran `times` times. False when there is no memory. */
static bool add_shaders(const struct ws_trace_path *path, uint32_t first, uint32_t end, uint64_t times,
                        struct ws_thread_shader **list, uint32_t *count, uint32_t *capacity)
{
    for (uint32_t i = first; i < end && i < path->step_count; ++i) {
        const struct ws_trace_step *step = &path->steps[i];
        uint32_t at = 0;
        if (step->kind == WS_TRACE_REPEAT) {
            if (!add_shaders(path, i + 1, i + 1 + step->length, times * step->count, list, count, capacity))
                return false;
            i += step->length;
        }
        if (step->kind != WS_TRACE_ENTER)
            continue;
        while (at < *count && (*list)[at].shader != step->shader)
            at++;
        if (at == *count) {
            struct ws_thread_shader *grown = ws_array_grow(*list, capacity, *count + 1, sizeof(*grown));
            if (grown == NULL)
                return false;
            *list = grown;
            grown[(*count)++] = (struct ws_thread_shader){step->shader, 0};
        }
        (*list)[at].executions += times;
    }
    return true;
}

struct ws_thread_shader *ws_thread_shaders(const struct ws_trace_path *path, uint32_t *count)
{
    uint32_t capacity = 0;
    *count = 0;
    struct ws_thread_shader *list = ws_array_grow(NULL, &capacity, 1, sizeof(*list));
    if (list != NULL && add_shaders(path, 0, path->step_count, 1, &list, count, &capacity))
        return list;
    free(list);
    return NULL;
}

struct story {
    const struct ws_trace_results *results;
    const struct ws_trace_path *path;
    cJSON *list;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void tell(struct story *story, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const bool made = vasprintf(&text, format, arguments) >= 0;
    va_end(arguments);
    story->failed = story->failed || !made || ws_json_append(story->list, cJSON_CreateString(text)) == NULL;
    if (made)
        free(text);
}

static void tell_start(struct story *story)
{
    const struct ws_trace_path *path = story->path;
    char work[64];
    const char *name = ws_work_name(path->stage);
    ws_work_text(path->stage, path->work, work, sizeof(work));
    tell(story, "%c%s %s is lane %" PRIu32 " of warp %" PRIu32 ", launched with %s in launch %" PRIu64 ".",
         name[0] >= 'a' && name[0] <= 'z' ? name[0] - 'a' + 'A' : name[0], name + 1, work, path->lane,
         path->warp, ws_shader_name(story->results->catalog, path->shader), path->launch);
}

/* Its lifetime, beside those of the other threads of its launch. */
static void tell_lifetime(struct story *story)
{
    const struct ws_trace_path *path = story->path;
    const struct ws_trace_summary *threads = NULL;
    for (uint32_t i = 0; i < story->results->launch_count; ++i) {
        const struct ws_trace_launch *launch = &story->results->launches[i];
        for (uint32_t j = 0; j < launch->shader_count && launch->launch.index == path->launch; ++j)
            if (launch->shaders[j].shader == path->shader)
                threads = &launch->shaders[j].threads;
    }
    if (threads == NULL || threads->total < 2)
        tell(story, "It executes %" PRIu64 " block%s.", path->blocks, ws_plural(path->blocks, "s"));
    else
        tell(story,
             "It executes %" PRIu64 " block%s. Half of the launch's threads execute at most %" PRIu64
             ", the longest %" PRIu64 ".",
             path->blocks, ws_plural(path->blocks, "s"), threads->median, threads->maximum);
}

static void tell_shaders(struct story *story)
{
    uint32_t count = 0;
    struct ws_thread_shader *shaders = ws_thread_shaders(story->path, &count);
    char text[SHADERS_TOLD * TEXT];
    size_t used = 0;
    text[0] = '\0';
    story->failed = story->failed || shaders == NULL;
    for (uint32_t i = 0; shaders != NULL && i < count && i < SHADERS_TOLD && used < sizeof(text) - TEXT;
         ++i) {
        const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        const char *name = ws_shader_name(story->results->catalog, shaders[i].shader);
        used += (size_t)snprintf(text + used, TEXT, "%s%.300s ", between, name);
        if (shaders[i].executions == 1)
            used += (size_t)snprintf(text + used, TEXT / 4, "once");
        else
            used += (size_t)snprintf(text + used, TEXT / 4, "%" PRIu64 " times", shaders[i].executions);
    }
    if (count > SHADERS_TOLD)
        tell(story, "It runs %s, and %" PRIu32 " more shader%s.", text, count - SHADERS_TOLD,
             ws_plural(count - SHADERS_TOLD, "s"));
    else if (count > 0)
        tell(story, "It runs %s.", text);
    free(shaders);
}

static void place_of(const struct story *story, const struct ws_trace_step *step, char *text, size_t size)
{
    const struct ws_catalog *catalog = story->results->catalog;
    const struct ws_block_record *block =
        &catalog->modules[catalog->shaders[step->shader].module].blocks[step->block];
    ws_block_place(block, text, size);
    if (text[0] == '\0')
        snprintf(text, size, "block %%%" PRIu32 " of %.300s", block->info.label,
                 ws_shader_name(catalog, step->shader));
}

static void tell_partings(struct story *story)
{
    uint32_t count = 0;
    struct ws_thread_parting *partings = ws_thread_partings(story->path, &count);
    story->failed = story->failed || partings == NULL;
    for (uint32_t i = 0; partings != NULL && i < count && i < PARTINGS_TOLD; ++i) {
        char place[TEXT];
        place_of(story, &story->path->steps[partings[i].step], place, sizeof(place));
        if (partings[i].lanes == 1)
            tell(story, "At %s it goes on alone; %" PRIu32 " lane%s ran the block before.", place,
                 partings[i].before, ws_plural(partings[i].before, "s"));
        else
            tell(story,
                 "At %s it goes on with %" PRIu32 " of the %" PRIu32 " lanes that ran the block before.",
                 place, partings[i].lanes, partings[i].before);
    }
    if (count > PARTINGS_TOLD)
        tell(story, "It parts from lanes at %" PRIu32 " more place%s of its trace.", count - PARTINGS_TOLD,
             ws_plural(count - PARTINGS_TOLD, "s"));
    else if (partings != NULL && count == 0)
        tell(story, "All lanes that begin a shader with it stay with it.");
    free(partings);
}

cJSON *ws_thread_story(const struct ws_trace_results *results, const struct ws_trace_path *path)
{
    struct story story = {results, path, cJSON_CreateArray(), false};
    if (story.list == NULL)
        return NULL;
    tell_start(&story);
    tell_lifetime(&story);
    tell_shaders(&story);
    tell_partings(&story);
    if (path->regrouped > 0)
        tell(&story, "%" PRIu64 " of these executions ran in warps that the device put together anew.",
             path->regrouped);
    if (path->truncated)
        tell(&story, "Records of the launch are missing, so this may be a part.");
    if (!story.failed)
        return story.list;
    cJSON_Delete(story.list);
    return NULL;
}
