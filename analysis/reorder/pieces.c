#include "analysis/reorder/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/places/thread_walk.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

/* A block in the rounds between two edges of a scope. */
struct name {
    uint64_t spans; /* in which: a hash of them, in their order */
    uint32_t invocation;
    uint32_t rounds;
    uint32_t instructions; /* in each */
    uint32_t piece;
};

/* The work of making pieces. */
struct making {
    const struct ws_spans *spans;
    struct ws_pieces *pieces;
    uint32_t *edges;  /* of all scopes: rounds where an item begins or ends, ascending */
    uint32_t *firsts; /* per scope, and one more: its first edge */
    uint32_t *ends;   /* likewise, behind its last edge */
    struct ws_id_map names_at;
    struct name *names;
    uint32_t name_count;
    uint32_t name_capacity;
};

void ws_pieces_finish(struct ws_pieces *pieces)
{
    free(pieces->pieces);
    free(pieces->numbers);
    free(pieces->firsts);
    free(pieces->is_long);
    memset(pieces, 0, sizeof(*pieces));
}

static int compare_rounds(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Finds the edges of all scopes. False when there is no memory. */
static bool find_edges(struct making *making)
{
    const struct ws_spans *spans = making->spans;
    making->edges = malloc((2 * (size_t)spans->item_count + 1) * sizeof(*making->edges));
    making->firsts = calloc((size_t)spans->scope_count + 2, sizeof(*making->firsts));
    making->ends = calloc((size_t)spans->scope_count + 2, sizeof(*making->ends));
    if (making->edges == NULL || making->firsts == NULL || making->ends == NULL)
        return false;
    for (uint32_t i = 0; i < spans->item_count; ++i)
        making->firsts[spans->items[i].scope + 1] += 2;
    for (uint32_t i = 0; i < spans->scope_count; ++i) {
        making->firsts[i + 1] += making->firsts[i];
        making->ends[i] = making->firsts[i];
    }
    for (uint32_t i = 0; i < spans->item_count; ++i) {
        const struct ws_span_item *item = &spans->items[i];
        making->edges[making->ends[item->scope]++] = item->round;
        making->edges[making->ends[item->scope]++] = item->round + item->rounds;
    }
    for (uint32_t i = 0; i < spans->scope_count; ++i) {
        uint32_t *edges = making->edges + making->firsts[i];
        const uint32_t count = making->ends[i] - making->firsts[i];
        uint32_t kept = 0;
        qsort(edges, count, sizeof(*edges), compare_rounds);
        for (uint32_t j = 0; j < count; ++j)
            if (kept == 0 || edges[kept - 1] != edges[j])
                edges[kept++] = edges[j];
        making->ends[i] = making->firsts[i] + kept;
    }
    return true;
}

/* The edge of a scope at a round that is one. */
static uint32_t edge_at(const struct making *making, uint32_t scope, uint32_t round)
{
    uint32_t low = making->firsts[scope];
    for (uint32_t high = making->ends[scope]; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (making->edges[middle] < round)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many rounds of its scope, as they are cut, an item is in. */
static uint32_t count_rounds(const struct making *making, const struct ws_span_item *item)
{
    return edge_at(making, item->scope, item->round + item->rounds) -
           edge_at(making, item->scope, item->round);
}

/* Finds out which scopes are long. False when there is no memory. */
static bool find_long(struct making *making)
{
    const struct ws_spans *spans = making->spans;
    struct counts {
        uint64_t items;
        uint64_t pieces;
    } *counts = calloc((size_t)spans->scope_count + 1, sizeof(*counts));
    uint32_t *rounds = malloc(((size_t)spans->item_count + 1) * sizeof(*rounds));
    making->pieces->is_long = calloc((size_t)spans->scope_count + 1, sizeof(*making->pieces->is_long));
    const bool found = counts != NULL && rounds != NULL && making->pieces->is_long != NULL;
    for (uint32_t i = 0; i < spans->item_count && found; ++i)
        rounds[i] = count_rounds(making, &spans->items[i]);
    for (uint32_t i = 0; i < spans->span_item_count && found; ++i) {
        struct counts *scope = &counts[spans->items[spans->span_items[i]].scope];
        scope->items++;
        scope->pieces += rounds[spans->span_items[i]];
    }
    for (uint32_t i = 0; i < spans->scope_count && found; ++i)
        making->pieces->is_long[i] = counts[i].pieces > WS_PIECES_OF_ITEM * counts[i].items;
    free(counts);
    free(rounds);
    return found;
}

/* The name of a block behind an edge, which an item has. False when there is no memory. */
static bool find_name(struct making *making, const struct ws_span_item *item, uint32_t edge, uint32_t block,
                      uint32_t *number)
{
    const uint64_t key = (uint64_t)edge << 32 | block;
    if (ws_id_map_get(&making->names_at, key, number))
        return true;
    const struct ws_spans *spans = making->spans;
    const struct ws_module_record *module = &spans->catalog->modules[spans->sets[item->set].module];
    struct name *names =
        ws_array_grow(making->names, &making->name_capacity, making->name_count + 1, sizeof(*names));
    if (names == NULL)
        return false;
    making->names = names;
    names[making->name_count] = (struct name){.invocation = spans->scopes[item->scope].invocation,
                                              .rounds = making->edges[edge + 1] - making->edges[edge],
                                              .instructions = module->blocks[block].info.instruction_count,
                                              .piece = WS_NONE};
    *number = making->name_count;
    return ws_id_map_put(&making->names_at, key, making->name_count++);
}

/* Appends the names of an item. False when there is no memory. */
static bool add_item(struct making *making, const struct ws_span_item *item)
{
    const struct ws_spans *spans = making->spans;
    struct ws_pieces *pieces = making->pieces;
    const struct ws_span_set *set = &spans->sets[item->set];
    const uint32_t first = edge_at(making, item->scope, item->round);
    const uint32_t end = edge_at(making, item->scope, item->round + item->rounds);
    if (pieces->is_long[item->scope])
        return true;
    const uint64_t more = (uint64_t)(end - first) * set->count;
    if (more > UINT32_MAX - pieces->number_count)
        return false;
    uint32_t *numbers = ws_array_grow(pieces->numbers, &pieces->number_capacity,
                                      pieces->number_count + (uint32_t)more, sizeof(*numbers));
    if (numbers == NULL)
        return false;
    pieces->numbers = numbers;
    if (!ws_budget_spend(more))
        return false;
    for (uint32_t edge = first; edge < end; ++edge)
        for (uint32_t i = 0; i < set->count; ++i) {
            uint32_t number = 0;
            if (!find_name(making, item, edge, spans->blocks[set->first + i], &number))
                return false;
            numbers[pieces->number_count++] = number;
        }
    return true;
}

/* Finds in which spans each name is. False when the budget is spent. */
static bool find_spans(struct making *making)
{
    const struct ws_spans *spans = making->spans;
    const struct ws_pieces *pieces = making->pieces;
    for (uint32_t span = 0; span < spans->span_count; ++span)
        for (uint32_t i = 0; i < spans->spans[span].count; ++i) {
            const uint32_t item = spans->span_items[spans->spans[span].first + i];
            if (!ws_budget_spend(pieces->firsts[item + 1] - pieces->firsts[item]))
                return false;
            for (uint32_t j = pieces->firsts[item]; j < pieces->firsts[item + 1]; ++j) {
                struct name *name = &making->names[pieces->numbers[j]];
                name->spans = ws_walk_mix(name->spans, (uint64_t)span + 1);
            }
        }
    return true;
}

/* Puts names that stand together into one piece. False when there is no memory. */
static bool join_names(struct making *making)
{
    struct ws_pieces *pieces = making->pieces;
    struct ws_id_map at = {0};
    bool joined = true;
    for (uint32_t i = 0; i < making->name_count && joined; ++i) {
        struct name *name = &making->names[i];
        const uint64_t key = ws_walk_mix(name->spans, name->invocation);
        if (!ws_id_map_get(&at, key, &name->piece)) {
            struct ws_piece *more =
                ws_array_grow(pieces->pieces, &pieces->capacity, pieces->count + 1, sizeof(*more));
            joined = more != NULL && ws_id_map_put(&at, key, pieces->count);
            if (!joined)
                break;
            pieces->pieces = more;
            more[pieces->count] = (struct ws_piece){.invocation = name->invocation};
            name->piece = pieces->count++;
        }
        struct ws_piece *piece = &pieces->pieces[name->piece];
        piece->executions += name->rounds;
        piece->instructions += (uint64_t)name->rounds * name->instructions;
    }
    ws_id_map_finish(&at);
    return joined;
}

/* The piece that a number of an item is in: of a name, or with `joined` of a piece. */
static uint32_t piece_of(const struct making *making, uint32_t number, const uint32_t *joined)
{
    return joined != NULL ? joined[number] : making->names[number].piece;
}

/* Puts the pieces of each item in place of its names, or of the pieces that were joined, each once. */
static void replace(struct making *making, const uint32_t *joined)
{
    struct ws_pieces *pieces = making->pieces;
    uint32_t kept = 0;
    for (uint32_t item = 0, i = 0; item < making->spans->item_count; ++item) {
        const uint32_t end = pieces->firsts[item + 1];
        pieces->firsts[item] = kept;
        for (; i < end; ++i) {
            const uint32_t piece = piece_of(making, pieces->numbers[i], joined);
            if (pieces->pieces[piece].mark == item + 1)
                continue;
            pieces->pieces[piece].mark = item + 1;
            pieces->numbers[kept++] = piece;
        }
    }
    pieces->firsts[making->spans->item_count] = kept;
    pieces->number_count = kept;
    for (uint32_t i = 0; i < pieces->count; ++i)
        pieces->pieces[i].mark = 0;
}

/* A path has the pieces of an item: those that it had before are marked. False when the budget is spent. */
static bool add_to_path(struct ws_pieces *pieces, uint32_t item, uint32_t path, uint64_t *paths)
{
    if (!ws_budget_spend(pieces->firsts[item + 1] - pieces->firsts[item]))
        return false;
    for (uint32_t i = pieces->firsts[item]; i < pieces->firsts[item + 1]; ++i) {
        struct ws_piece *piece = &pieces->pieces[pieces->numbers[i]];
        if (piece->mark == path + 1)
            continue;
        piece->mark = path + 1;
        paths[pieces->numbers[i]] = ws_walk_mix(paths[pieces->numbers[i]], (uint64_t)path + 1);
    }
    return true;
}

/* Finds in which paths each piece is: `paths` receives a hash of them, in their order. False when the budget is spent. */
static bool find_paths(struct making *making, uint64_t *paths)
{
    const struct ws_spans *spans = making->spans;
    struct ws_pieces *pieces = making->pieces;
    for (uint32_t path = 0; path < spans->path_count; ++path)
        for (uint32_t i = 0; i < spans->paths[path].count; ++i) {
            const struct ws_span *span = &spans->spans[spans->path_spans[spans->paths[path].first + i]];
            for (uint32_t j = 0; j < span->count; ++j)
                if (!add_to_path(pieces, spans->span_items[span->first + j], path, paths))
                    return false;
        }
    for (uint32_t i = 0; i < pieces->count; ++i)
        pieces->pieces[i].mark = 0;
    return true;
}

/* Puts pieces that are in the same paths into one. False when there is no memory, or the budget is spent. */
static bool join_pieces(struct making *making)
{
    struct ws_pieces *pieces = making->pieces;
    struct ws_id_map at = {0};
    uint64_t *paths = calloc((size_t)pieces->count + 1, sizeof(*paths));
    uint32_t *joined = calloc((size_t)pieces->count + 1, sizeof(*joined));
    bool made = paths != NULL && joined != NULL && find_paths(making, paths);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pieces->count && made; ++i) {
        const struct ws_piece piece = pieces->pieces[i];
        const uint64_t key = ws_walk_mix(paths[i], piece.invocation);
        if (ws_id_map_get(&at, key, &joined[i])) {
            pieces->pieces[joined[i]].executions += piece.executions;
            pieces->pieces[joined[i]].instructions += piece.instructions;
            continue;
        }
        made = ws_id_map_put(&at, key, kept);
        joined[i] = kept;
        pieces->pieces[kept++] = piece;
    }
    if (made) {
        pieces->count = kept;
        replace(making, joined);
    }
    ws_id_map_finish(&at);
    free(paths);
    free(joined);
    return made;
}

bool ws_pieces_init(struct ws_pieces *pieces, const struct ws_spans *spans)
{
    struct making making = {.spans = spans, .pieces = pieces};
    pieces->firsts = calloc((size_t)spans->item_count + 1, sizeof(*pieces->firsts));
    bool made = pieces->firsts != NULL && find_edges(&making) && find_long(&making);
    for (uint32_t i = 0; i < spans->item_count && made; ++i) {
        made = add_item(&making, &spans->items[i]);
        pieces->firsts[i + 1] = pieces->number_count;
    }
    made = made && find_spans(&making) && join_names(&making);
    if (made) {
        replace(&making, NULL);
        made = join_pieces(&making);
    }
    free(making.edges);
    free(making.firsts);
    free(making.ends);
    free(making.names);
    ws_id_map_finish(&making.names_at);
    return made;
}
