#include "warpscope/model/overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/names.h"

void ws_overview_begin(struct ws_overview *overview)
{
    memset(overview, 0, sizeof(*overview));
    overview->version = "";
    overview->application = "";
    overview->engine = "";
    overview->command_line = "";
}

void ws_overview_finish(struct ws_overview *overview)
{
    free(overview->passes);
    free(overview->settings);
    for (uint32_t i = 0; i < overview->skip_count; ++i)
        free(overview->skips[i].shaders);
    free(overview->skips);
    free(overview->no_place.shaders);
    free(overview->messages);
    ws_id_map_finish(&overview->seen);
    ws_text_pool_finish(&overview->texts);
    memset(overview, 0, sizeof(*overview));
}

static const char *join_arguments(struct ws_overview *overview, const struct ws_chunk_info *info)
{
    size_t size = 1;
    for (uint32_t i = 0; i < info->argument_count; ++i)
        size += 4 * strlen(info->arguments[i]) + 3;
    char *line = malloc(size);
    if (line == NULL)
        return NULL;
    size_t used = 0;
    for (uint32_t i = 0; i < info->argument_count; ++i) {
        if (i > 0)
            line[used++] = ' ';
        used += ws_text_quote(line + used, info->arguments[i]);
    }
    line[used] = '\0';
    const char *joined = ws_text_pool_add(&overview->texts, line);
    free(line);
    return joined;
}

static bool set_info(struct ws_overview *overview, const struct ws_chunk_info *info)
{
    overview->has_info = true;
    overview->version = ws_text_pool_add(&overview->texts, info->version);
    overview->application = ws_text_pool_add(&overview->texts, info->application);
    overview->engine = ws_text_pool_add(&overview->texts, info->engine);
    overview->command_line = join_arguments(overview, info);
    overview->process_id = info->process_id;
    overview->start = info->start;
    overview->passes = calloc((size_t)info->pass_count + 1, sizeof(*overview->passes));
    overview->settings = calloc((size_t)info->setting_count + 1, sizeof(*overview->settings));
    if (overview->version == NULL || overview->application == NULL || overview->engine == NULL ||
        overview->command_line == NULL || overview->passes == NULL || overview->settings == NULL)
        return false;
    for (; overview->pass_count < info->pass_count; ++overview->pass_count) {
        const char *pass = ws_text_pool_add(&overview->texts, info->passes[overview->pass_count]);
        if (pass == NULL)
            return false;
        overview->passes[overview->pass_count] = pass;
    }
    for (; overview->setting_count < info->setting_count; ++overview->setting_count) {
        const struct ws_text_pair *setting = &info->settings[overview->setting_count];
        struct ws_text_pair kept = {ws_text_pool_add(&overview->texts, setting->key),
                                    ws_text_pool_add(&overview->texts, setting->value)};
        if (kept.key == NULL || kept.value == NULL)
            return false;
        overview->settings[overview->setting_count] = kept;
    }
    return true;
}

/* The index of an equal skip or message that came before; where there is none, `count`, which is then noted
 * for the next one. They are compared by a hash of 64 bits only, so two different ones would be counted
 * together if their hashes were equal, which does not happen by chance. */
static bool find_or_note(struct ws_overview *overview, uint64_t hash, uint32_t count, uint32_t *index)
{
    if (ws_id_map_get(&overview->seen, hash, index))
        return true;
    *index = count;
    return ws_id_map_put(&overview->seen, hash, count);
}

static bool add_skipped_shader(struct ws_overview_skip *skip, const struct ws_overview_shader *shader)
{
    for (uint32_t i = 0; i < skip->shader_count; ++i)
        if (memcmp(&skip->shaders[i], shader, sizeof(*shader)) == 0)
            return true;
    if (skip->shader_count == WS_OVERVIEW_SHADERS_MAX) {
        skip->shaders_more++;
        return true;
    }
    struct ws_overview_shader *shaders =
        ws_array_grow(skip->shaders, &skip->shader_capacity, skip->shader_count + 1, sizeof(*shaders));
    if (shaders == NULL)
        return false;
    skip->shaders = shaders;
    shaders[skip->shader_count++] = *shader;
    return true;
}

/* Adds a chunk to what is known of its kind, pass and reason. */
static bool count_skip(struct ws_overview_skip *skip, const struct ws_chunk_skip *chunk)
{
    skip->count += chunk->count;
    if (chunk->kind == WS_SKIP_SHADER || chunk->kind == WS_SKIP_NO_PLACE)
        return chunk->id == WS_NONE ||
               add_skipped_shader(skip, &(struct ws_overview_shader){WS_NONE, WS_NONE, chunk->id});
    if (chunk->kind != WS_SKIP_SITE)
        return true;
    bool added = chunk->entry_count != 0 ||
                 add_skipped_shader(skip, &(struct ws_overview_shader){chunk->id, WS_NONE, WS_NONE});
    for (uint32_t i = 0; i < chunk->entry_count && added; ++i)
        added = add_skipped_shader(skip, &(struct ws_overview_shader){chunk->id, chunk->entries[i], WS_NONE});
    return added;
}

static bool add_skip(struct ws_overview *overview, const struct ws_chunk_skip *skip)
{
    if (skip->kind == WS_SKIP_NO_PLACE)
        return count_skip(&overview->no_place, skip);
    const char *pass = skip->pass < overview->pass_count ? overview->passes[skip->pass] : NULL;
    uint64_t seed = (uint64_t)skip->kind << 32 | skip->pass;
    uint32_t index = 0;
    if (!find_or_note(overview, XXH3_64bits_withSeed(skip->reason, strlen(skip->reason), seed + 1),
                      overview->skip_count, &index))
        return false;
    if (index < overview->skip_count)
        return count_skip(&overview->skips[index], skip);
    struct ws_overview_skip *skips =
        ws_array_grow(overview->skips, &overview->skip_capacity, overview->skip_count + 1, sizeof(*skips));
    if (skips == NULL)
        return false;
    overview->skips = skips;
    const char *reason = ws_text_pool_add(&overview->texts, skip->reason);
    if (reason == NULL)
        return false;
    skips[overview->skip_count++] =
        (struct ws_overview_skip){.kind = skip->kind, .pass = pass, .reason = reason};
    return count_skip(&skips[index], skip);
}

static bool add_message(struct ws_overview *overview, const struct ws_chunk_message *message)
{
    uint32_t index = 0;
    uint64_t hash = XXH3_64bits_withSeed(message->text, strlen(message->text), ~(uint64_t)message->severity);
    if (!find_or_note(overview, hash, overview->message_count, &index))
        return false;
    if (index < overview->message_count) {
        overview->messages[index].count++;
        return true;
    }
    struct ws_overview_message *messages = ws_array_grow(overview->messages, &overview->message_capacity,
                                                         overview->message_count + 1, sizeof(*messages));
    if (messages == NULL)
        return false;
    overview->messages = messages;
    const char *text = ws_text_pool_add(&overview->texts, message->text);
    if (text == NULL)
        return false;
    messages[overview->message_count++] =
        (struct ws_overview_message){.severity = message->severity, .text = text, .count = 1};
    return true;
}

/* Of frames 1 to 3 there are three: those before the chosen ones are no frames of the capture. */
static bool add_frame(struct ws_overview *overview, uint64_t frame)
{
    static const char seed[] = "frame";
    const uint64_t hash = XXH3_64bits_withSeed(&frame, sizeof(frame), XXH3_64bits(seed, sizeof(seed)));
    uint32_t seen = 0;
    if (ws_id_map_get(&overview->seen, hash, &seen))
        return true;
    overview->frames++;
    return ws_id_map_put(&overview->seen, hash, WS_NONE);
}

static bool add_submission(struct ws_overview *overview, const struct ws_chunk_submission *submission)
{
    bool continued = (submission->flags & WS_SUBMISSION_CONTINUED) != 0;
    overview->submissions += continued ? 0 : 1;
    for (uint32_t i = 0; i < submission->launch_count; ++i) {
        uint64_t number = submission->launches[i].index + 1;
        if (continued && i == 0 && overview->launches > 0 && number == overview->last_launch)
            continue;
        overview->last_launch = number;
        overview->launches++;
        overview->overlapped += (submission->flags & WS_SUBMISSION_OVERLAPPED) != 0;
    }
    return add_frame(overview, submission->frame);
}

bool ws_overview_record(struct ws_overview *overview, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool recorded = true;
    switch (chunk->type) {
    case WS_CHUNK_INFO: recorded = set_info(overview, &chunk->info); break;
    case WS_CHUNK_DEVICE: overview->devices++; break;
    case WS_CHUNK_SKIP: recorded = add_skip(overview, &chunk->skip); break;
    case WS_CHUNK_MESSAGE: recorded = add_message(overview, &chunk->message); break;
    case WS_CHUNK_SUBMISSION: recorded = add_submission(overview, &chunk->submission); break;
    case WS_CHUNK_DONE: overview->outside = chunk->done.outside; break;
    default: break;
    }
    return recorded || ws_error_set(error, "no memory for what the capture says");
}

void ws_overview_end(struct ws_overview *overview, const struct ws_reader *reader)
{
    overview->reading = *ws_reader_summary(reader);
}

void ws_overview_shader_name(const struct ws_catalog *catalog, const struct ws_overview_shader *shader,
                             char *name, size_t size)
{
    const uint32_t index = shader->module == WS_NONE ? ws_catalog_shader(catalog, shader->shader) : WS_NONE;
    const uint32_t module = shader->module == WS_NONE ? WS_NONE : ws_catalog_module(catalog, shader->module);
    if (index != WS_NONE)
        snprintf(name, size, "%s", ws_shader_name(catalog, index));
    else if (module != WS_NONE)
        ws_entry_name(catalog, module, shader->entry, name, size);
    else
        snprintf(name, size, "a shader that is not known");
}

const char *ws_skip_kind_name(uint32_t kind)
{
    static const char *const names[] = {"site",      "shader",        "pipeline", "launch", "device",
                                        "recording", "geometry part", "shader",   "image"};
    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "thing";
}
