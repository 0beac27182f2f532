/* What the numbers in records mean: the sites of a module, by number. One record can stand for many sites: of
 * places that always have the same lanes, and of several passes at one place (instrument.h, struct
 * ws_site_info). */
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/capture/fixed_words.h"
#include "analysis/model/replay_parts.h"
#include "warpscope/base/text.h"

/* The number that records of the site carry; WS_NONE where it has none. */
static uint32_t number_of(const struct ws_module_record *module, uint32_t site)
{
    const struct ws_site_info *info = &module->sites[site].info;
    uint32_t number = WS_NONE;
    if (info->kind == WS_SITE_DATA || info->kind == WS_SITE_PATH || info->kind == WS_SITE_PATH_TURNS)
        number = site;
    else if (info->kind == WS_SITE_ENTRY || info->kind == WS_SITE_CONTINUE || ws_site_is_place(info->kind))
        number = info->row;
    return number <= WS_RECORD_SITE_MAX ? number : WS_NONE;
}

/* Whether a consumer hears a pass: by its name, or by what its name begins with, up to a colon. */
static bool is_pass(const char *pass, const char *heard)
{
    return strncmp(pass, heard, ws_text_ends_with(heard, ":") ? strlen(heard) : SIZE_MAX) == 0;
}

/* The consumers of the pass of a site, a bit for each. */
static uint32_t consumers_of(const struct ws_replay *replay, const struct ws_module_record *module,
                             uint32_t site)
{
    const uint32_t pass = module->sites[site].info.pass;
    uint32_t consumers = 0;
    for (uint32_t i = 0; i < replay->consumer_count && pass != WS_NONE; ++i)
        if (is_pass(module->passes[pass], replay->consumers[i].operations->pass))
            consumers |= 1u << i;
    return consumers;
}

/* Those of some consumers that want to be told of places. */
static uint16_t told_of_places(const struct ws_replay *replay, uint16_t consumers)
{
    uint16_t told = 0;
    for (uint32_t i = 0; i < replay->consumer_count; ++i)
        if ((consumers >> i & 1) != 0 && replay->consumers[i].operations->place != NULL)
            told |= (uint16_t)(1u << i);
    return told;
}

static void set_flags(struct ws_replay_number *number, const struct ws_site_record *site)
{
    number->flags |= WS_REPLAY_NUMBER_KNOWN;
    if (site->info.kind == WS_SITE_ENTRY)
        number->flags |= WS_REPLAY_NUMBER_ENTRY;
    if (site->info.kind == WS_SITE_CONTINUE)
        number->flags |= WS_REPLAY_NUMBER_CONTINUE;
    if (site->info.kind == WS_SITE_DATA) {
        number->flags |= WS_REPLAY_NUMBER_DATA;
        number->words = (uint8_t)site->info.row;
    }
    if (site->info.kind == WS_SITE_PATH) {
        number->flags |= WS_REPLAY_NUMBER_PATH;
        number->words = (uint8_t)site->info.row;
    }
    if (site->info.kind == WS_SITE_PATH_TURNS) {
        number->flags |= WS_REPLAY_NUMBER_TURNS;
        number->words = (uint8_t)ws_turns_words(site->info.tag);
    }
    if (site->info.kind == WS_SITE_PLACE_END) {
        number->flags |= WS_REPLAY_NUMBER_END;
        if (site->opcode == SpvOpTerminateRayKHR || site->opcode == SpvOpTerminateRayNV)
            number->flags |= WS_REPLAY_NUMBER_END_RAY;
    }
}

/* Sets the flags of each number; `counts` receives how many of its places a consumer is told of. */
static void fill_numbers(struct ws_replay_module *places, const struct ws_module_record *module,
                         const uint16_t *consumers, uint32_t *counts)
{
    for (uint32_t i = 0; i < module->site_count; ++i) {
        const uint32_t index = number_of(module, i);
        if (index == WS_NONE)
            continue;
        struct ws_replay_number *number = &places->numbers[index];
        set_flags(number, &module->sites[i]);
        if (module->sites[i].info.kind == WS_SITE_DATA) {
            number->consumers = consumers[i];
            number->fixed =
                (uint8_t)ws_fixed_words_find(module->fixed, module->fixed_count, i, &number->fixed_first);
            number->words = (uint8_t)(number->words - number->fixed);
        }
        counts[index] += ws_site_is_place(module->sites[i].info.kind) && consumers[i] != 0;
    }
}

/* Sorts the places by number. Those of one number stay in their order, which is the one in which lanes come
 * through them. */
static void fill_places(struct ws_replay_module *places, const struct ws_replay *replay,
                        const struct ws_module_record *module, const uint16_t *consumers,
                        const uint32_t *counts)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < places->number_count; ++i) {
        places->numbers[i].first = first;
        first += counts[i];
    }
    for (uint32_t i = 0; i < module->site_count; ++i) {
        const struct ws_site_info *info = &module->sites[i].info;
        const uint32_t index = number_of(module, i);
        if (index == WS_NONE || !ws_site_is_place(info->kind))
            continue;
        const uint16_t told = told_of_places(replay, consumers[i]);
        if (told == 0 || places->numbers[index].count == UINT16_MAX)
            continue;
        struct ws_replay_number *number = &places->numbers[index];
        places->places[number->first + number->count++] =
            (struct ws_replay_place){info->tag, info->block, info->offset, told};
    }
}

/* Whether a step of a path is a place where no lane ends. */
static bool is_plain_step(const struct ws_replay_module *places, const struct ws_path_step *step)
{
    const uint32_t no_place = WS_REPLAY_NUMBER_ENTRY | WS_REPLAY_NUMBER_CONTINUE | WS_REPLAY_NUMBER_DATA |
                              WS_REPLAY_NUMBER_PATH | WS_REPLAY_NUMBER_TURNS | WS_REPLAY_NUMBER_END;
    return step->number < places->number_count &&
           (places->numbers[step->number].flags & (no_place | WS_REPLAY_NUMBER_KNOWN)) ==
               WS_REPLAY_NUMBER_KNOWN;
}

/* Whether all steps of a path are such, none of them in a loop. */
static bool is_plain(const struct ws_replay_module *places, const struct ws_path *path)
{
    for (uint32_t i = 0; i < path->count; ++i)
        if (!is_plain_step(places, &places->paths.steps[path->first + i]))
            return false;
    return path->sound && path->loop_count == 0;
}

/* The consumers that are told of places with the number. */
static uint16_t told_of(const struct ws_replay_module *places, const struct ws_replay_number *number)
{
    uint16_t told = 0;
    for (uint32_t i = 0; i < number->count; ++i)
        told |= (uint16_t)places->places[number->first + i].consumers;
    return told;
}

/* Finds out who is told of the loops of a path, and whether their turns can be added up. */
static void look_at_loops(const struct ws_replay_module *places, const struct ws_path *path,
                          struct ws_replay_number *number)
{
    bool adds = path->adds && path->count <= WS_REPLAY_SUM_STEPS;
    for (uint32_t i = 0; i < path->count && adds; ++i) {
        const struct ws_path_step *step = &places->paths.steps[path->first + i];
        if (!ws_path_in_loop(path, step))
            continue;
        adds = is_plain_step(places, step);
        if (adds)
            number->consumers |= told_of(places, &places->numbers[step->number]);
    }
    if (adds)
        number->flags |= WS_REPLAY_NUMBER_ADDS;
}

static void fill_paths(struct ws_replay_module *places)
{
    for (uint32_t i = 0; i < places->paths.path_count; ++i) {
        const struct ws_path *path = &places->paths.paths[i];
        if (path->site >= places->number_count)
            continue;
        struct ws_replay_number *number = &places->numbers[path->site];
        number->path = (uint16_t)i;
        if ((number->flags & WS_REPLAY_NUMBER_PATH) == 0)
            continue;
        if (is_plain(places, path))
            number->flags |= WS_REPLAY_NUMBER_PLAIN;
        look_at_loops(places, path, number);
    }
}

/* Which consumers are told of the executions of each entry point: those whose pass records something in a
 * block that the entry point reaches. `blocks`: per block. */
static void fill_entries(struct ws_replay_module *places, const struct ws_module_record *module,
                         const uint16_t *consumers, uint16_t *blocks)
{
    for (uint32_t i = 0; i < module->site_count; ++i)
        if (number_of(module, i) != WS_NONE)
            blocks[module->sites[i].info.block] |= consumers[i];
    for (uint32_t i = 0; i < module->entry_count; ++i)
        for (uint32_t j = 0; j < module->entries[i].block_count; ++j)
            places->entries[i] |= blocks[module->entries[i].blocks[j]];
}

/* Which entry points reach a site where lanes end. False: no memory. */
static bool fill_ends(struct ws_replay_module *places, const struct ws_module_record *module)
{
    bool *blocks = calloc((size_t)module->block_count + 1, sizeof(*blocks));
    places->ends = calloc((size_t)module->entry_count + 1, sizeof(*places->ends));
    const bool filled = blocks != NULL && places->ends != NULL;
    for (uint32_t i = 0; i < module->site_count && filled; ++i)
        if (module->sites[i].info.kind == WS_SITE_PLACE_END && number_of(module, i) != WS_NONE)
            blocks[module->sites[i].info.block] = true;
    for (uint32_t i = 0; i < module->entry_count && filled; ++i)
        for (uint32_t j = 0; j < module->entries[i].block_count; ++j)
            places->ends[i] = places->ends[i] || blocks[module->entries[i].blocks[j]];
    free(blocks);
    return filled;
}

static bool fill(struct ws_replay_module *places, const struct ws_replay *replay,
                 const struct ws_module_record *module)
{
    for (uint32_t i = 0; i < module->site_count; ++i) {
        const uint32_t number = number_of(module, i);
        if (number != WS_NONE && number >= places->number_count)
            places->number_count = number + 1;
    }
    places->numbers = calloc((size_t)places->number_count + 1, sizeof(*places->numbers));
    places->places = calloc((size_t)module->site_count + 1, sizeof(*places->places));
    places->entries = calloc((size_t)module->entry_count + 1, sizeof(*places->entries));
    uint32_t *counts = calloc((size_t)places->number_count + 1, sizeof(*counts));
    uint16_t *consumers = calloc((size_t)module->site_count + 1, sizeof(*consumers));
    uint16_t *blocks = calloc((size_t)module->block_count + 1, sizeof(*blocks));
    places->fixed = module->fixed;
    const bool filled = places->numbers != NULL && places->places != NULL && places->entries != NULL &&
                        counts != NULL && consumers != NULL && blocks != NULL;
    for (uint32_t i = 0; i < module->site_count && filled; ++i)
        consumers[i] = (uint16_t)consumers_of(replay, module, i);
    if (filled) {
        fill_numbers(places, module, consumers, counts);
        fill_places(places, replay, module, consumers, counts);
        fill_entries(places, module, consumers, blocks);
    }
    free(counts);
    free(consumers);
    free(blocks);
    if (!filled || !ws_path_table_make(&places->paths, module->site_count > 0 ? &module->sites[0].info : NULL,
                                       sizeof(module->sites[0]), module->site_count))
        return false;
    fill_paths(places);
    return fill_ends(places, module);
}

static void destroy(struct ws_replay_module *places)
{
    if (places == NULL)
        return;
    free(places->numbers);
    free(places->places);
    free(places->entries);
    free(places->ends);
    ws_path_table_finish(&places->paths);
    free(places);
}

const struct ws_replay_module *ws_replay_module(struct ws_replay *replay, uint32_t module)
{
    if (module >= replay->module_count) {
        const uint32_t count = replay->catalog->module_count;
        struct ws_replay_module **modules = realloc(replay->modules, count * sizeof(*modules));
        if (modules == NULL)
            return NULL;
        memset(modules + replay->module_count, 0, (count - replay->module_count) * sizeof(*modules));
        replay->modules = modules;
        replay->module_count = count;
    }
    if (replay->modules[module] == NULL) {
        struct ws_replay_module *places = calloc(1, sizeof(*places));
        if (places == NULL || !fill(places, replay, &replay->catalog->modules[module])) {
            destroy(places);
            return NULL;
        }
        replay->modules[module] = places;
    }
    return replay->modules[module];
}

void ws_replay_modules_finish(struct ws_replay *replay)
{
    for (uint32_t i = 0; i < replay->module_count; ++i)
        destroy(replay->modules[i]);
    free(replay->modules);
}

bool ws_replay_consumers(struct ws_replay *replay, uint32_t shader, uint32_t *consumers)
{
    const struct ws_shader_record *record = &replay->catalog->shaders[shader];
    *consumers = 0;
    if (record->entry == WS_NONE)
        return true;
    const struct ws_replay_module *module = ws_replay_module(replay, record->module);
    if (module != NULL)
        *consumers = module->entries[record->entry];
    return module != NULL;
}
