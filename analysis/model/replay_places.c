/* What the numbers in records mean: the sites of a module, by number. */
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/model/replay_parts.h"

#define LOOK_BACK 16u /* places, which is more than there are passes */

static bool is_place(uint32_t kind)
{
    return kind >= WS_SITE_PLACE_BLOCK && kind <= WS_SITE_PLACE_CALL;
}

/* The number that records of the site carry; WS_NONE where it has none. */
static uint32_t number_of(const struct ws_module_record *module, uint32_t site)
{
    const struct ws_site_info *info = &module->sites[site].info;
    uint32_t number = WS_NONE;
    if (info->kind == WS_SITE_DATA)
        number = site;
    else if (info->kind == WS_SITE_ENTRY || info->kind == WS_SITE_CONTINUE || is_place(info->kind))
        number = info->row;
    return number <= WS_RECORD_SITE_MAX ? number : WS_NONE;
}

/* Passes that ask for the same place have a site each, one after the other: one thing befell, and is told
 * once. */
static bool is_told(const struct ws_replay_module *places, const struct ws_replay_number *number,
                    const struct ws_site_info *info)
{
    for (uint32_t i = 1; i <= number->count && i <= LOOK_BACK; ++i) {
        const struct ws_replay_place *place = &places->places[number->first + number->count - i];
        if (place->kind == info->kind && place->block == info->block && place->offset == info->offset)
            return true;
    }
    return false;
}

static void set_flags(struct ws_replay_number *number, const struct ws_site_record *site)
{
    number->flags |= WS_NUMBER_KNOWN;
    if (site->info.kind == WS_SITE_ENTRY)
        number->flags |= WS_NUMBER_ENTRY;
    if (site->info.kind == WS_SITE_CONTINUE)
        number->flags |= WS_NUMBER_CONTINUE;
    if (site->info.kind == WS_SITE_DATA) {
        number->flags |= WS_NUMBER_DATA;
        number->words = (uint8_t)site->info.row;
    }
    if (site->info.kind == WS_SITE_PLACE_END) {
        number->flags |= WS_NUMBER_END;
        if (site->opcode == SpvOpTerminateRayKHR || site->opcode == SpvOpTerminateRayNV)
            number->flags |= WS_NUMBER_END_RAY;
    }
}

/* Sorts the sites by number, stably: each number's stand together, in their order. */
static bool fill(struct ws_replay_module *places, const struct ws_module_record *module)
{
    for (uint32_t i = 0; i < module->site_count; ++i) {
        const uint32_t number = number_of(module, i);
        if (number != WS_NONE && number >= places->number_count)
            places->number_count = number + 1;
    }
    places->numbers = calloc((size_t)places->number_count + 1, sizeof(*places->numbers));
    places->places = calloc((size_t)module->site_count + 1, sizeof(*places->places));
    uint32_t *counts = calloc((size_t)places->number_count + 1, sizeof(*counts));
    bool filled = places->numbers != NULL && places->places != NULL && counts != NULL;
    for (uint32_t i = 0; i < module->site_count && filled; ++i) {
        const uint32_t number = number_of(module, i);
        if (number != WS_NONE && is_place(module->sites[i].info.kind))
            counts[number]++;
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < places->number_count && filled; ++i) {
        places->numbers[i].first = first;
        first += counts[i];
    }
    for (uint32_t i = 0; i < module->site_count && filled; ++i) {
        const struct ws_site_record *site = &module->sites[i];
        const uint32_t index = number_of(module, i);
        if (index == WS_NONE)
            continue;
        struct ws_replay_number *number = &places->numbers[index];
        set_flags(number, site);
        if (is_place(site->info.kind) && number->count < UINT16_MAX && !is_told(places, number, &site->info))
            places->places[number->first + number->count++] =
                (struct ws_replay_place){site->info.kind, site->info.block, site->info.offset};
    }
    free(counts);
    return filled;
}

static void destroy(struct ws_replay_module *places)
{
    if (places == NULL)
        return;
    free(places->numbers);
    free(places->places);
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
        if (places == NULL || !fill(places, &replay->catalog->modules[module])) {
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
