/* Which site of the pass memory_trace a place of the replay is (warpscope/model/replay.h): its accesses need no words, so their
 * records are place records. Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_TRACED_SITES_H
#define WS_ANALYSIS_MEMORY_TRACED_SITES_H

#include "warpscope/model/replay.h"

/* Per module of the catalog, made when its first record comes. Zero-initialised is empty. */
struct ws_traced_sites {
    struct ws_id_map *modules; /* offset and tag of a site -> its index */
    bool *made;
    uint32_t count;
};

/* Makes room for the modules of the catalog. False when there is no memory. */
bool ws_traced_sites_init(struct ws_traced_sites *sites, const struct ws_catalog *catalog);
void ws_traced_sites_finish(struct ws_traced_sites *sites);

/* The site of a place in a module, an index in the catalog; WS_NONE where it has no accesses. False when there is no memory. */
bool ws_traced_sites_find(struct ws_traced_sites *sites, const struct ws_catalog *catalog, uint32_t module,
                          const struct ws_replay_place *place, uint32_t *site);

#endif
