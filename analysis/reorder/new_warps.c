#include "analysis/reorder/new_warps.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

/* Appends the items of a span that are in no pieces. */
static void add_span(struct ws_new_warps *warps, uint32_t number, uint32_t *count)
{
    const struct ws_spans *spans = warps->spans;
    const struct ws_span *span = &spans->spans[number];
    warps->spans_items[number].first = *count;
    for (uint32_t i = 0; i < span->count; ++i) {
        const struct ws_span_item *item = &spans->items[span->first + i];
        const struct ws_span_set *set = &spans->sets[item->set];
        if (!warps->pieces.is_long[item->scope])
            continue;
        warps->items[(*count)++] =
            (struct ws_new_item){.rounds = {item->round, item->round + item->rounds, item->set, WS_NONE},
                                 .scope = item->scope,
                                 .shader = spans->scopes[item->scope].shader,
                                 .executions = (uint64_t)set->count * item->rounds,
                                 .instructions = set->instructions * item->rounds};
    }
    warps->spans_items[number].count = *count - warps->spans_items[number].first;
}

/* How many items are in no pieces. */
static uint32_t count_long(const struct ws_new_warps *warps)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < warps->spans->item_count; ++i)
        count += warps->pieces.is_long[warps->spans->items[i].scope];
    return count;
}

bool ws_new_warps_init(struct ws_new_warps *warps, struct ws_spans *spans)
{
    *warps = (struct ws_new_warps){
        .spans = spans, .set_count = spans->set_count, .block_count = spans->block_count};
    uint32_t count = 0;
    if (!ws_pieces_init(&warps->pieces, spans))
        return false;
    warps->path_warps = calloc((size_t)spans->path_count + 1, sizeof(*warps->path_warps));
    warps->span_warps = calloc((size_t)spans->span_count + 1, sizeof(*warps->span_warps));
    warps->scopes = calloc((size_t)spans->scope_count + 1, sizeof(*warps->scopes));
    warps->items = calloc((size_t)count_long(warps) + 1, sizeof(*warps->items));
    warps->spans_items = calloc((size_t)spans->span_count + 1, sizeof(*warps->spans_items));
    if (warps->path_warps == NULL || warps->span_warps == NULL || warps->scopes == NULL ||
        warps->items == NULL || warps->spans_items == NULL)
        return false;
    for (uint32_t i = 0; i < spans->span_count; ++i)
        add_span(warps, i, &count);
    return true;
}

void ws_new_warps_finish(struct ws_new_warps *warps)
{
    ws_id_map_finish(&warps->united);
    ws_pieces_finish(&warps->pieces);
    free(warps->path_warps);
    free(warps->span_warps);
    free(warps->items);
    free(warps->spans_items);
    free(warps->scopes);
    free(warps->rounds);
    memset(warps, 0, sizeof(*warps));
}

/* Forgets sets that came together. Numbers of sets are of one warp, so this is done between two. */
static void forget_united(struct ws_new_warps *warps)
{
    struct ws_spans *spans = warps->spans;
    ws_id_map_finish(&warps->united);
    ws_id_map_finish(&spans->sets_at);
    spans->set_count = warps->set_count;
    spans->block_count = warps->block_count;
    /* Where there is no memory, equal sets have several numbers: slower, but not wrong. */
    for (uint32_t i = 0; i < spans->set_count; ++i)
        if (!ws_id_map_put(&spans->sets_at, spans->sets[i].hash, i))
            return;
}

void ws_new_warp_begin(struct ws_new_warps *warps, uint32_t size, struct ws_reorder_after *after)
{
    if (warps->spans->set_count - warps->set_count > WS_NEW_WARP_SETS_MAX)
        forget_united(warps);
    warps->warp++;
    if (warps->warp == 0) { /* the numbers have been through */
        memset(warps->path_warps, 0, warps->spans->path_count * sizeof(*warps->path_warps));
        memset(warps->span_warps, 0, warps->spans->span_count * sizeof(*warps->span_warps));
        memset(warps->scopes, 0, warps->spans->scope_count * sizeof(*warps->scopes));
        for (uint32_t i = 0; i < warps->pieces.count; ++i)
            warps->pieces.pieces[i].mark = 0;
        warps->warp = 1;
    }
    warps->round_count = 0;
    warps->size = size;
    warps->steps = 0;
    warps->after = after;
}

/* The union of two sets. Most come together again and again. */
static bool unite(struct ws_new_warps *warps, uint32_t a, uint32_t b, uint32_t *set)
{
    const uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    if (ws_id_map_get(&warps->united, key, set))
        return true;
    warps->steps += warps->spans->sets[a].count + warps->spans->sets[b].count;
    return ws_spans_unite(warps->spans, a, b, set) && ws_id_map_put(&warps->united, key, *set);
}

static void count(struct ws_new_warps *warps, uint32_t shader, uint64_t executions, uint64_t instructions)
{
    warps->after[shader].executions += executions;
    warps->after[shader].slots += instructions * warps->size;
}

/* Puts rounds into the list. The number of their place; WS_NONE when there is no memory. */
static uint32_t keep_rounds(struct ws_new_warps *warps, const struct ws_new_rounds *kept)
{
    struct ws_new_rounds *rounds =
        ws_array_grow(warps->rounds, &warps->round_capacity, warps->round_count + 1, sizeof(*rounds));
    if (rounds == NULL)
        return WS_NONE;
    warps->rounds = rounds;
    rounds[warps->round_count] = *kept;
    return warps->round_count++;
}

/* Cuts rounds in two at `at`, which is inside. False when there is no memory. */
static bool split(struct ws_new_warps *warps, struct ws_new_rounds *rounds, uint32_t at, bool in_list)
{
    const uint32_t number = in_list ? (uint32_t)(rounds - warps->rounds) : 0;
    const struct ws_new_rounds behind = {at, rounds->end, rounds->set, rounds->next};
    const uint32_t kept = keep_rounds(warps, &behind);
    if (kept == WS_NONE)
        return false;
    rounds = in_list ? &warps->rounds[number] : rounds;
    rounds->end = at;
    rounds->next = kept;
    return true;
}

/* A set comes to rounds that have another one, all of them. */
static bool meet(struct ws_new_warps *warps, uint32_t shader, struct ws_new_rounds *rounds, uint32_t set)
{
    uint32_t both = set;
    if (!unite(warps, rounds->set, set, &both))
        return false;
    const struct ws_span_set *had = &warps->spans->sets[rounds->set];
    const struct ws_span_set *has = &warps->spans->sets[both];
    const uint64_t length = rounds->end - rounds->first;
    count(warps, shader, (has->count - had->count) * length,
          (has->instructions - had->instructions) * length);
    rounds->set = both;
    return true;
}

/* The rounds of a number; those that the scope has itself are WS_NONE's. */
static struct ws_new_rounds *rounds_at(struct ws_new_warps *warps, struct ws_new_scope *scope,
                                       uint32_t number)
{
    return number == WS_NONE ? &scope->first : &warps->rounds[number];
}

/* Adds rounds in a gap: in front of `at`, or behind it where `behind`. False when there is no memory. */
static bool fill(struct ws_new_warps *warps, struct ws_new_scope *scope, uint32_t at, bool behind,
                 const struct ws_new_rounds *filled)
{
    struct ws_new_rounds other = *filled;
    const struct ws_new_rounds here = *rounds_at(warps, scope, at);
    other.next = here.next;
    /* In front: the two change places, so that none needs to know what is before it. */
    const struct ws_new_rounds *second = behind ? &other : &here;
    const uint32_t kept = keep_rounds(warps, second);
    if (kept == WS_NONE)
        return false;
    struct ws_new_rounds *first = rounds_at(warps, scope, at);
    if (!behind)
        *first = other;
    first->next = kept;
    return true;
}

/* A thread executes a set in rounds of a scope that other threads of the warp were in, in other rounds or with other sets. */
static bool add_rounds(struct ws_new_warps *warps, struct ws_new_scope *scope, const struct ws_new_item *item)
{
    const uint32_t end = item->rounds.end;
    const uint64_t length = end - item->rounds.first;
    uint32_t at = WS_NONE;
    for (uint32_t first = item->rounds.first; first < end;) {
        struct ws_new_rounds *here = rounds_at(warps, scope, at);
        warps->steps++;
        if (here->end <= first && here->next != WS_NONE) {
            at = here->next;
        } else if (here->end <= first || first < here->first) {
            const bool behind = here->end <= first;
            const uint32_t to = behind || end < here->first ? end : here->first;
            const struct ws_new_rounds filled = {first, to, item->rounds.set, WS_NONE};
            count(warps, item->shader, item->executions / length * (to - first),
                  item->instructions / length * (to - first));
            if (!fill(warps, scope, at, behind, &filled))
                return false;
            first = to;
        } else if (here->set == item->rounds.set) { /* as mostly */
            first = here->end;
        } else if (here->first < first) {
            if (!split(warps, here, first, at != WS_NONE))
                return false;
        } else {
            if (end < here->end && !split(warps, here, end, at != WS_NONE))
                return false;
            here = rounds_at(warps, scope, at);
            if (!meet(warps, item->shader, here, item->rounds.set))
                return false;
            first = here->end;
        }
    }
    return true;
}

static bool add_item(struct ws_new_warps *warps, const struct ws_new_item *item)
{
    struct ws_new_scope *scope = &warps->scopes[item->scope];
    if (scope->warp != warps->warp) {
        *scope = (struct ws_new_scope){item->rounds, warps->warp};
        count(warps, item->shader, item->executions, item->instructions);
        return true;
    }
    return (scope->first.first == item->rounds.first && scope->first.end == item->rounds.end &&
            scope->first.set == item->rounds.set) ||
           add_rounds(warps, scope, item);
}

/* Counts the pieces of a span that the warp does not have yet. */
static void add_pieces(struct ws_new_warps *warps, uint32_t span)
{
    const uint32_t end = warps->pieces.firsts[span + 1];
    for (uint32_t i = warps->pieces.firsts[span]; i < end; ++i) {
        struct ws_piece *piece = &warps->pieces.pieces[warps->pieces.numbers[i]];
        if (piece->mark == warps->warp)
            continue;
        piece->mark = warps->warp;
        count(warps, piece->shader, piece->executions, piece->instructions);
    }
    warps->steps += end - warps->pieces.firsts[span];
}

bool ws_new_warp_add(struct ws_new_warps *warps, uint32_t path)
{
    const struct ws_span_path *executed = &warps->spans->paths[path];
    if (warps->path_warps[path] == warps->warp)
        return true;
    warps->path_warps[path] = warps->warp;
    warps->steps += executed->count;
    for (uint32_t i = 0; i < executed->count; ++i) {
        const uint32_t number = warps->spans->path_spans[executed->first + i];
        const struct ws_span *span = &warps->spans_items[number];
        if (warps->span_warps[number] == warps->warp)
            continue;
        warps->span_warps[number] = warps->warp;
        add_pieces(warps, number);
        for (uint32_t j = 0; j < span->count; ++j)
            if (!add_item(warps, &warps->items[span->first + j]))
                return false;
    }
    return true;
}
