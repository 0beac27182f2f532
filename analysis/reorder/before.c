#include "analysis/reorder/before.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/places/thread_walk.h"
#include "warpscope/base/array.h"

struct ws_before_list {
    uint32_t first; /* of its tails, which are in the order of their call sites */
    uint32_t count;
};

#define KIND_SIZE                                                                                            \
    64 /* a line of a cache: there are tens of thousands, and most executions are of another than the last */
#define FIRST_KINDS 256

/* Executions of blocks of one shader by lanes with the same lists. */
struct ws_before_kind {
    uint64_t hash;
    uint64_t executions;
    uint64_t instructions;
    uint64_t threads; /* instructions x threads of the warp */
    uint64_t inside;  /* likewise those that entered */
    uint32_t shader;
    uint32_t size;
    uint32_t active;
    uint32_t first; /* of its lanes */
    uint32_t count; /* 0 = nothing is at this place */
};
_Static_assert(sizeof(struct ws_before_kind) == KIND_SIZE, "a kind is in one line of a cache");

/* So many lanes have that list. */
struct ws_before_lanes {
    uint32_t list;
    uint32_t lanes;
};

/* A call site and bounce in which lanes of an execution are. */
struct share {
    uint64_t site;
    uint32_t bounce;
    uint32_t lanes; /* that go on in new warps */
};

void ws_befores_finish(struct ws_befores *befores)
{
    ws_id_map_finish(&befores->at);
    ws_id_map_finish(&befores->lists_at);
    ws_id_map_finish(&befores->next_at);
    free(befores->befores);
    free(befores->lists);
    free(befores->tails);
    free(befores->kinds);
    free(befores->lanes);
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

bool ws_before_visit(struct ws_befores *befores, uint32_t list, const struct ws_before_tail *tail,
                     uint32_t *next)
{
    const uint64_t key = ws_walk_mix(ws_walk_mix(tail->site, list), (uint64_t)tail->bounce << 1 | tail->cut);
    if (ws_id_map_get(&befores->next_at, key, next))
        return true;
    const uint32_t length = list < befores->list_count ? befores->lists[list].count : 0;
    *next = list;
    if (befores->tail_count + length + 1 > WS_BEFORE_TAILS_MAX) {
        befores->lost++;
        return true;
    }
    if (!more_lists(befores, length + 1))
        return false;
    const struct ws_before_list *from = &befores->lists[list];
    struct ws_before_tail *tails = &befores->tails[befores->tail_count];
    uint32_t count = 0;
    uint32_t i = 0;
    for (; i < from->count && befores->tails[from->first + i].site < tail->site; ++i)
        tails[count++] = befores->tails[from->first + i];
    tails[count++] = *tail;
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
    if (ws_id_map_get(&befores->next_at, key, next))
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

/* The place of the kind of a hash: where it is, or nothing. */
static struct ws_before_kind *kind_place(struct ws_before_kind *kinds, uint32_t capacity, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (capacity - 1);
    while (kinds[at].count > 0 && kinds[at].hash != hash)
        at = (at + 1) & (capacity - 1);
    return &kinds[at];
}

/* Room for one more kind. False when there is no memory. */
static bool make_kind_room(struct ws_befores *befores)
{
    const uint32_t capacity = befores->kind_capacity > 0 ? 2 * befores->kind_capacity : FIRST_KINDS;
    if (befores->kind_count < befores->kind_capacity / 4 * 3)
        return true;
    struct ws_before_kind *kinds = aligned_alloc(KIND_SIZE, capacity * sizeof(*kinds));
    if (kinds == NULL)
        return false;
    memset(kinds, 0, capacity * sizeof(*kinds));
    for (uint32_t i = 0; i < befores->kind_capacity; ++i)
        if (befores->kinds[i].count > 0)
            *kind_place(kinds, capacity, befores->kinds[i].hash) = befores->kinds[i];
    free(befores->kinds);
    befores->kinds = kinds;
    befores->kind_capacity = capacity;
    befores->moved++;
    return true;
}

/* A kind of executions that was not there yet. NULL when there is no memory. */
static struct ws_before_kind *add_kind(struct ws_befores *befores, uint64_t hash,
                                       const struct ws_before_execution *execution)
{
    if ((befores->kind_count >= WS_BEFORE_KINDS_MAX && !ws_before_settle(befores)) ||
        !make_kind_room(befores))
        return NULL;
    struct ws_before_lanes *lanes = ws_array_grow(befores->lanes, &befores->lane_capacity,
                                                  befores->lane_count + execution->active, sizeof(*lanes));
    if (lanes == NULL)
        return NULL;
    befores->lanes = lanes;
    struct ws_before_kind *kind = kind_place(befores->kinds, befores->kind_capacity, hash);
    *kind = (struct ws_before_kind){.hash = hash,
                                    .shader = execution->shader,
                                    .size = execution->size,
                                    .active = execution->active,
                                    .first = befores->lane_count};
    lanes += kind->first;
    for (uint32_t i = 0; i < execution->active; ++i) {
        uint32_t j = 0;
        while (j < kind->count && lanes[j].list != execution->lists[i])
            j++;
        if (j == kind->count)
            lanes[kind->count++] = (struct ws_before_lanes){execution->lists[i], 0};
        lanes[j].lanes++;
    }
    befores->lane_count += kind->count;
    befores->kind_count++;
    return kind;
}

static void count_execution(struct ws_before_kind *kind, const struct ws_before_execution *execution)
{
    kind->executions++;
    kind->instructions += execution->instructions;
    kind->threads += (uint64_t)execution->instructions * execution->threads;
    kind->inside += (uint64_t)execution->instructions * execution->inside;
}

bool ws_before_again(struct ws_befores *befores, const struct ws_before_execution *execution)
{
    const struct ws_before_last *last = execution->last;
    if (last->kind == 0 || last->moved != befores->moved)
        return false;
    count_execution(&befores->kinds[last->kind - 1], execution);
    return true;
}

bool ws_before_add(struct ws_befores *befores, const struct ws_before_execution *execution)
{
    /* A sum, so that the order of lanes makes no difference. */
    uint64_t hash = 0;
    uint32_t any = WS_BEFORE_NONE;
    struct ws_before_last *last = execution->last;
    if (last != NULL && last->kind > 0 && last->moved == befores->moved &&
        last->active == execution->active &&
        memcmp(last->lists, execution->lists, execution->active * sizeof(*last->lists)) == 0) {
        count_execution(&befores->kinds[last->kind - 1], execution);
        return true;
    }
    for (uint32_t i = 0, end = 0; i < execution->active; i = end) {
        const uint32_t list = execution->lists[i];
        while (end < execution->active && execution->lists[end] == list)
            end++;
        hash += (end - i) * ws_walk_mix(1, list);
        any |= list;
    }
    if (any == WS_BEFORE_NONE)
        return true;
    hash = ws_walk_mix(ws_walk_mix(hash, execution->shader),
                       (uint64_t)execution->size << 32 | execution->active);
    struct ws_before_kind *kind =
        befores->kind_capacity > 0 ? kind_place(befores->kinds, befores->kind_capacity, hash) : NULL;
    if (kind == NULL || kind->count == 0)
        kind = add_kind(befores, hash, execution);
    if (kind == NULL)
        return false;
    if (last != NULL) {
        last->moved = befores->moved;
        last->kind = (uint32_t)(kind - befores->kinds) + 1;
        last->active = execution->active;
        memcpy(last->lists, execution->lists, execution->active * sizeof(*last->lists));
    }
    count_execution(kind, execution);
    return true;
}

static struct ws_reorder_before *find_before(struct ws_befores *befores, uint64_t site, uint32_t bounce,
                                             uint32_t ran)
{
    const uint64_t key = ws_walk_mix(ws_walk_mix(site, bounce), ran);
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
    more[befores->count] = (struct ws_reorder_before){.site = site, .bounce = bounce, .ran = ran};
    return &more[befores->count++];
}

/* The call sites and bounces that lanes of a kind are in. */
static uint32_t find_shares(struct ws_befores *befores, const struct ws_before_kind *kind,
                            struct share shares[WS_BEFORE_SHARES_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < kind->count; ++i) {
        const struct ws_before_lanes *lanes = &befores->lanes[kind->first + i];
        const struct ws_before_list none = {0};
        const struct ws_before_list *list =
            lanes->list != WS_BEFORE_NONE ? &befores->lists[lanes->list] : &none;
        for (uint32_t j = 0; j < list->count; ++j) {
            const struct ws_before_tail *tail = &befores->tails[list->first + j];
            uint32_t at = 0;
            while (at < count && (shares[at].site != tail->site || shares[at].bounce != tail->bounce))
                at++;
            if (at == WS_BEFORE_SHARES_MAX) {
                befores->lost += lanes->lanes;
                continue;
            }
            if (at == count)
                shares[count++] = (struct share){tail->site, tail->bounce, 0};
            shares[at].lanes += tail->cut ? 0 : lanes->lanes;
        }
    }
    return count;
}

/* Adds the executions of a kind to what they are in. The highest bounce of each call site has them. */
static bool settle_kind(struct ws_befores *befores, const struct ws_before_kind *kind)
{
    struct share shares[WS_BEFORE_SHARES_MAX];
    const uint32_t count = find_shares(befores, kind, shares);
    const uint64_t slots = kind->instructions * kind->size;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_reorder_before *before =
            find_before(befores, shares[i].site, shares[i].bounce, kind->shader);
        bool highest = true;
        uint64_t visited = 0; /* lanes in new warps, of any bounce */
        if (before == NULL)
            return false;
        for (uint32_t j = 0; j < count; ++j)
            if (shares[j].site == shares[i].site) {
                visited += shares[j].lanes;
                highest = highest && shares[j].bounce <= shares[i].bounce;
            }
        before->active_after += kind->instructions * shares[i].lanes;
        if (!highest)
            continue;
        before->executions += kind->executions;
        before->slots += slots;
        before->active += kind->instructions * kind->active;
        before->partial_warp += slots - kind->threads;
        before->indirect_call += kind->threads - kind->inside;
        if (visited < kind->active) {
            before->active_after += kind->instructions * (kind->active - visited);
            before->stay += kind->executions;
            before->stay_slots += slots;
            before->stay_partial_warp += slots - kind->threads;
            before->stay_indirect_call += kind->threads - kind->inside + kind->instructions * visited;
        }
    }
    return true;
}

bool ws_before_settle(struct ws_befores *befores)
{
    for (uint32_t i = 0; i < befores->kind_capacity; ++i)
        if (befores->kinds[i].count > 0 && !settle_kind(befores, &befores->kinds[i]))
            return false;
    free(befores->kinds);
    befores->kinds = NULL;
    befores->kind_capacity = 0;
    befores->kind_count = 0;
    befores->lane_count = 0;
    befores->moved++;
    return true;
}
