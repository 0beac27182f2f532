/* What the requests of warps to elements (links.h) come to in the caches of a device (caches.h).
 *
 * A REQUEST counts for each element that its lanes load from: with the lanes that do, with all its sectors, and with what the
 * caches make of them, as in `report caches --by element`. By hand: of four lanes one loads from node 0 and three from node 2,
 * in one request of 2 sectors: node 0 has 1 request, 1 lane and 2 sectors, node 2 has 1 request, 3 lanes and 2 sectors.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_LINKS_LINK_RATES_H
#define WS_ANALYSIS_MEMORY_LINKS_LINK_RATES_H

#include "analysis/memory/caches.h"
#include "analysis/memory/links/links.h"

/* Zero-initialised is none. */
struct ws_link_rates {
    struct ws_caches_sums *list; /* by element: index in the links */
    uint32_t count;
    uint32_t capacity;
};

void ws_link_rates_finish(struct ws_link_rates *rates);

/* Adds a request. `elements`: of each of `lane_count` lanes, WS_NONE = it loads from none; they are overwritten. False when
 * there is no memory. */
bool ws_link_rates_take(struct ws_link_rates *rates, uint32_t *elements, uint32_t lane_count,
                        const struct ws_caches_sums *request);

/* Adds those of other links, which were merged with `links` before. False when there is no memory. */
bool ws_link_rates_merge(struct ws_link_rates *rates, struct ws_links *links,
                         const struct ws_link_rates *other, const struct ws_links *other_links);

/* Adds what `count` elements come to that lie one behind the other. */
void ws_link_rates_sum(const struct ws_link_rates *rates, const struct ws_links *links, uint32_t element,
                       uint32_t count, struct ws_caches_sums *sums);

#endif
