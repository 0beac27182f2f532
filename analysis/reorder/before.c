#include "analysis/reorder/before.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/places/thread_walk.h"
#include "warpscope/base/array.h"

struct ws_before_list {
    uint32_t first; /* of its tails, which are in the order of their call sites */
    uint32_t count;
};

#define RECENT 1024u /* a power of two */

/* What executions of a shader are counted as in a place. */
struct ws_before_recent {
    uint32_t place; /* + 1; 0 = none */
    uint32_t ran;
    uint32_t before; /* its index */
};

void ws_befores_finish(struct ws_befores *befores)
{
    ws_id_map_finish(&befores->at);
    ws_id_map_finish(&befores->lists_at);
    ws_id_map_finish(&befores->next_at);
    free(befores->befores);
    free(befores->lists);
    free(befores->tails);
    free(befores->recent);
    free(befores->places);
    free(befores->sites);
    ws_id_map_finish(&befores->places_at);
    ws_id_map_finish(&befores->sites_at);
    memset(befores, 0, sizeof(*befores));
}

/* Room for one more list, of so many tails. WS_BEFORE_NONE is made with the first. */
static bool more_lists(struct ws_befores *befores, uint32_t tails)
{
    struct ws_before_list *lists =
        ws_array_grow(befores->lists, &befores->list_capacity, befores->list_count + 2, sizeof(*lists));
    struct ws_before_tail *more =
        ws_array_grow(befores->tails, &befores->tail_capacity, befores->tail_count + tails, sizeof(*more));
    befores->lists = lists != NULL ? lists : befores->lists;
    befores->tails = more != NULL ? more : befores->tails;
    if (lists == NULL || more == NULL)
        return false;
    if (befores->list_count == 0)
        lists[befores->list_count++] = (struct ws_before_list){0};
    return true;
}

/* The index of a call site; it is made if need be. False when there is no memory. */
static bool find_site(struct ws_befores *befores, uint64_t site, uint32_t *found)
{
    if (ws_id_map_get(&befores->sites_at, site, found))
        return true;
    struct ws_before_site *sites =
        ws_array_grow(befores->sites, &befores->site_capacity, befores->site_count + 1, sizeof(*sites));
    if (sites == NULL)
        return false;
    befores->sites = sites;
    sites[befores->site_count] = (struct ws_before_site){.site = site};
    *found = befores->site_count;
    return ws_id_map_put(&befores->sites_at, site, befores->site_count++);
}

/* Likewise that of a call site and bounce. */
static bool find_place(struct ws_befores *befores, const struct ws_before_tail *tail, uint32_t *found)
{
    const uint64_t key = ws_walk_mix(tail->site, tail->bounce);
    uint32_t site = 0;
    if (ws_id_map_get(&befores->places_at, key, found))
        return true;
    struct ws_before_place *places =
        ws_array_grow(befores->places, &befores->place_capacity, befores->place_count + 1, sizeof(*places));
    befores->places = places != NULL ? places : befores->places;
    if (places == NULL || !find_site(befores, tail->site, &site))
        return false;
    places[befores->place_count] = (struct ws_before_place){.site = site, .bounce = tail->bounce};
    *found = befores->place_count;
    return ws_id_map_put(&befores->places_at, key, befores->place_count++);
}

/* The list of the last `count` tails: an equal one that is there already, or else a new one. */
static bool keep_list(struct ws_befores *befores, uint32_t count, uint32_t *list)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_before_tail *tail = &befores->tails[befores->tail_count + i];
        hash = ws_walk_mix(ws_walk_mix(hash, tail->site), (uint64_t)tail->bounce << 1 | tail->cut);
    }
    if (ws_id_map_get(&befores->lists_at, hash, list))
        return true;
    befores->lists[befores->list_count] = (struct ws_before_list){befores->tail_count, count};
    befores->tail_count += count;
    *list = befores->list_count;
    return ws_id_map_put(&befores->lists_at, hash, befores->list_count++);
}

/* Which list follows, if that is remembered: lanes of a warp often do the same, one after the other. */
static bool find_next(struct ws_befores *befores, uint64_t key, uint32_t *next)
{
    const size_t at = key % WS_BEFORE_RECENT;
    if (befores->recent_next[at].next != 0 && befores->recent_next[at].key == key) {
        *next = befores->recent_next[at].next - 1;
        return true;
    }
    if (!ws_id_map_get(&befores->next_at, key, next))
        return false;
    befores->recent_next[at].key = key;
    befores->recent_next[at].next = *next + 1;
    return true;
}

bool ws_before_visit(struct ws_befores *befores, uint32_t list, const struct ws_before_tail *tail,
                     uint32_t *next)
{
    const uint64_t key = ws_walk_mix(ws_walk_mix(tail->site, list), (uint64_t)tail->bounce << 1 | tail->cut);
    if (find_next(befores, key, next))
        return true;
    const uint32_t length = list < befores->list_count ? befores->lists[list].count : 0;
    *next = list;
    if (befores->tail_count + length + 1 > WS_BEFORE_TAILS_MAX) {
        befores->lost++;
        return true;
    }
    uint32_t place = 0;
    if (!more_lists(befores, length + 1) || !find_place(befores, tail, &place))
        return false;
    const struct ws_before_list *from = &befores->lists[list];
    struct ws_before_tail *tails = &befores->tails[befores->tail_count];
    uint32_t count = 0;
    uint32_t i = 0;
    for (; i < from->count && befores->tails[from->first + i].site < tail->site; ++i)
        tails[count++] = befores->tails[from->first + i];
    tails[count] = *tail;
    tails[count++].place = place;
    if (i < from->count && befores->tails[from->first + i].site == tail->site)
        i++;
    for (; i < from->count; ++i)
        tails[count++] = befores->tails[from->first + i];
    return keep_list(befores, count, next) &&
           (befores->next_at.count >= WS_BEFORE_NEXT_MAX || ws_id_map_put(&befores->next_at, key, *next));
}

bool ws_before_cut(struct ws_befores *befores, uint32_t list, uint32_t *next)
{
    const uint32_t length = list < befores->list_count ? befores->lists[list].count : 0;
    *next = list;
    if (befores->tail_count + length > WS_BEFORE_TAILS_MAX) {
        befores->lost += length;
        return true;
    }
    if (!more_lists(befores, length))
        return false;
    const struct ws_before_list *from = &befores->lists[list];
    for (uint32_t i = 0; i < from->count; ++i) {
        befores->tails[befores->tail_count + i] = befores->tails[from->first + i];
        befores->tails[befores->tail_count + i].cut = true;
    }
    return from->count == 0 || keep_list(befores, from->count, next);
}

bool ws_before_leave(struct ws_befores *befores, uint32_t list, uint64_t site, uint32_t *next)
{
    const uint64_t key = ws_walk_mix(ws_walk_mix(site, list), UINT64_MAX); /* no bounce is so large */
    const uint32_t length = list < befores->list_count ? befores->lists[list].count : 0;
    if (find_next(befores, key, next))
        return true;
    *next = list;
    if (befores->tail_count + length > WS_BEFORE_TAILS_MAX) {
        befores->lost++;
        return true;
    }
    if (!more_lists(befores, length))
        return false;
    const struct ws_before_list *from = &befores->lists[list];
    uint32_t count = 0;
    for (uint32_t i = 0; i < from->count; ++i)
        if (befores->tails[from->first + i].site != site)
            befores->tails[befores->tail_count + count++] = befores->tails[from->first + i];
    *next = WS_BEFORE_NONE;
    return (count == 0 || keep_list(befores, count, next)) &&
           (befores->next_at.count >= WS_BEFORE_NEXT_MAX || ws_id_map_put(&befores->next_at, key, *next));
}

/* What executions of a shader are counted as in a place. NULL when there is no memory. */
static struct ws_reorder_before *find_before(struct ws_befores *befores, uint32_t place, uint32_t ran)
{
    const uint64_t key = (uint64_t)place << 32 | ran;
    uint32_t at = 0;
    if (ws_id_map_get(&befores->at, key, &at))
        return &befores->befores[at];
    struct ws_reorder_before *more =
        ws_array_grow(befores->befores, &befores->capacity, befores->count + 1, sizeof(*more));
    if (more == NULL)
        return NULL;
    befores->befores = more;
    if (!ws_id_map_put(&befores->at, key, befores->count))
        return NULL;
    more[befores->count] =
        (struct ws_reorder_before){.site = befores->sites[befores->places[place].site].site,
                                   .bounce = befores->places[place].bounce,
                                   .ran = ran};
    return &more[befores->count++];
}

/* The same: most were counted just now. */
static struct ws_reorder_before *before_at(struct ws_befores *befores, uint32_t place, uint32_t ran)
{
    struct ws_before_recent *recent = &befores->recent[(place * 31 + ran) & (RECENT - 1)];
    if (recent->place == place + 1 && recent->ran == ran)
        return &befores->befores[recent->before];
    struct ws_reorder_before *before = find_before(befores, place, ran);
    if (before != NULL)
        *recent = (struct ws_before_recent){place + 1, ran, (uint32_t)(before - befores->befores)};
    return before;
}

/* Lanes are in a place. */
static void enter_place(struct ws_befores *befores, struct ws_before_place *place)
{
    struct ws_before_site *site = &befores->sites[place->site];
    place->counted = befores->counted;
    place->lanes = 0;
    if (site->counted != befores->counted || site->highest < place->bounce)
        site->highest = place->bounce;
    if (site->counted != befores->counted)
        site->visited = 0;
    site->counted = befores->counted;
}

/* The call sites and bounces that lanes with these lists are in: their places. Returns how many. */
static uint32_t find_shares(struct ws_befores *befores, const struct ws_before_last *last,
                            uint32_t shares[WS_BEFORE_SHARES_MAX])
{
    uint32_t count = 0;
    befores->counted++;
    for (uint32_t i = 0, end = 0; i < last->active; i = end) {
        const uint32_t number = last->lists[i];
        while (end < last->active && last->lists[end] == number)
            end++;
        if (number == WS_BEFORE_NONE)
            continue;
        const struct ws_before_list *list = &befores->lists[number];
        for (uint32_t j = list->first; j < list->first + list->count; ++j) {
            struct ws_before_place *place = &befores->places[befores->tails[j].place];
            if (place->counted != befores->counted) {
                if (count == WS_BEFORE_SHARES_MAX) {
                    befores->lost += end - i;
                    continue;
                }
                enter_place(befores, place);
                shares[count++] = befores->tails[j].place;
            }
            place->lanes += befores->tails[j].cut ? 0 : end - i;
            befores->sites[place->site].visited += befores->tails[j].cut ? 0 : end - i;
        }
    }
    return count;
}

/* Adds executions to what they are in. The highest bounce of each call site has them. */
bool ws_before_end(struct ws_befores *befores, struct ws_before_last *last)
{
    uint32_t shares[WS_BEFORE_SHARES_MAX];
    const uint32_t count = find_shares(befores, last, shares);
    last->executions += befores->more * last->executions;
    last->instructions += befores->more * last->instructions;
    const uint64_t slots = last->instructions * last->size;
    const uint64_t partial = last->instructions * (last->size - last->threads);
    const uint64_t absent = last->instructions * (last->threads - last->inside);
    if (count > 0 && befores->recent == NULL)
        befores->recent = calloc(RECENT, sizeof(*befores->recent));
    if (count > 0 && befores->recent == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_before_place *place = &befores->places[shares[i]];
        const struct ws_before_site *site = &befores->sites[place->site];
        struct ws_reorder_before *before = before_at(befores, shares[i], last->shader);
        if (before == NULL)
            return false;
        before->active_after += last->instructions * place->lanes;
        if (place->bounce < site->highest)
            continue;
        before->executions += last->executions;
        before->slots += slots;
        before->active += last->instructions * last->active;
        before->partial_warp += partial;
        before->indirect_call += absent;
        if (site->visited < last->active) {
            before->active_after += last->instructions * (last->active - site->visited);
            before->stay += last->executions;
            before->stay_slots += slots;
            before->stay_partial_warp += partial;
            before->stay_indirect_call += absent + last->instructions * site->visited;
        }
    }
    last->active = 0;
    return true;
}

bool ws_before_add(struct ws_befores *befores, struct ws_before_last *last,
                   const struct ws_before_execution *execution)
{
    uint32_t any = WS_BEFORE_NONE;
    if (last->active == execution->active &&
        memcmp(last->lists, execution->lists, execution->active * sizeof(*last->lists)) == 0) {
        ws_before_again(last, execution->instructions);
        return true;
    }
    for (uint32_t i = 0; i < execution->active; ++i)
        any |= execution->lists[i];
    if (any == WS_BEFORE_NONE)
        return true;
    if (last->active > 0 && !ws_before_end(befores, last))
        return false;
    last->executions = 1;
    last->instructions = execution->instructions;
    last->shader = execution->shader;
    last->size = execution->size;
    last->threads = execution->threads;
    last->inside = execution->inside;
    last->active = execution->active;
    memcpy(last->lists, execution->lists, execution->active * sizeof(*last->lists));
    return true;
}
