#include "analysis/memory/traced_sites.h"

#include <stdlib.h>

#include "warpscope/passes.h"

bool ws_traced_sites_init(struct ws_traced_sites *sites, const struct ws_catalog *catalog)
{
    sites->count = catalog->module_count;
    sites->modules = calloc((size_t)sites->count + 1, sizeof(*sites->modules));
    sites->made = calloc((size_t)sites->count + 1, sizeof(*sites->made));
    return sites->modules != NULL && sites->made != NULL;
}

void ws_traced_sites_finish(struct ws_traced_sites *sites)
{
    for (uint32_t i = 0; sites->modules != NULL && i < sites->count; ++i)
        ws_id_map_finish(&sites->modules[i]);
    free(sites->modules);
    free(sites->made);
    *sites = (struct ws_traced_sites){0};
}

static uint64_t place_key(uint32_t offset, uint32_t tag)
{
    return (uint64_t)offset << 32 | tag;
}

static bool make_sites(struct ws_id_map *sites, const struct ws_module_record *module)
{
    const uint32_t pass = ws_catalog_pass(module, WS_PASS_MEMORY_TRACE);
    for (uint32_t i = 0; i < module->site_count; ++i) {
        const struct ws_site_info *info = &module->sites[i].info;
        if (info->pass == pass && info->kind == WS_SITE_PLACE_BEFORE &&
            !ws_id_map_put(sites, place_key(info->offset, info->tag), i))
            return false;
    }
    return true;
}

bool ws_traced_sites_find(struct ws_traced_sites *sites, const struct ws_catalog *catalog, uint32_t module,
                          const struct ws_replay_place *place, uint32_t *site)
{
    *site = WS_NONE;
    if (place->tag == WS_TAG_MEMORY_TRACE_END || module >= sites->count)
        return true;
    if (!sites->made[module] && !make_sites(&sites->modules[module], &catalog->modules[module]))
        return false;
    sites->made[module] = true;
    if (!ws_id_map_get(&sites->modules[module], place_key(place->offset, place->tag), site))
        *site = WS_NONE;
    return true;
}
