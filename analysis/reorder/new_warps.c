#include "analysis/reorder/new_warps.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

/* A span has items of an invocation. Until the first warp begins `warp` says of which span an invocation was noted last. False
 * when there is no memory. */
static bool add_invocation(struct ws_new_warps *warps, uint32_t span, uint32_t invocation)
{
    if (warps->invocations[invocation].warp == span + 1)
        return true;
    uint32_t *more = ws_array_grow(warps->span_invocations, &warps->span_invocation_capacity,
                                   warps->span_invocation_count + 1, sizeof(*more));
    if (more == NULL)
        return false;
    warps->invocations[invocation].warp = span + 1;
    warps->span_invocations = more;
    more[warps->span_invocation_count++] = invocation;
    warps->spans_items[span].invocation_count++;
    return true;
}

/* Finds out how much a span has: items that are in no pieces, pieces, and invocations. False when there is no memory. */
static bool add_span(struct ws_new_warps *warps, uint32_t number)
{
    const struct ws_spans *spans = warps->spans;
    const struct ws_span *span = &spans->spans[number];
    struct ws_new_span *known = &warps->spans_items[number];
    known->invocation_first = warps->span_invocation_count;
    for (uint32_t i = 0; i < span->count; ++i) {
        const uint32_t at = spans->span_items[span->first + i];
        const struct ws_span_scope *scope = &spans->scopes[spans->items[at].scope];
        warps->invocations[scope->invocation].shader = scope->shader;
        if (!add_invocation(warps, number, scope->invocation))
            return false;
        known->count += warps->pieces.is_long[spans->items[at].scope];
        known->pieces += warps->pieces.firsts[at + 1] - warps->pieces.firsts[at];
    }
    return true;
}

/* What the items count that are in no pieces. */
static void add_items(struct ws_new_warps *warps)
{
    const struct ws_spans *spans = warps->spans;
    uint32_t count = 0;
    for (uint32_t i = 0; i < spans->item_count; ++i) {
        const struct ws_span_item *item = &spans->items[i];
        const struct ws_span_set *set = &spans->sets[item->set];
        if (!warps->pieces.is_long[item->scope])
            continue;
        warps->long_items[i] = count;
        warps->items[count++] =
            (struct ws_new_item){.rounds = {item->round, item->round + item->rounds, item->set, WS_NONE},
                                 .scope = item->scope,
                                 .invocation = spans->scopes[item->scope].invocation,
                                 .executions = (uint64_t)set->count * item->rounds,
                                 .instructions = set->instructions * item->rounds};
    }
}

/* Gives pieces their numbers and words. False when there is no memory. */
static bool number_pieces(struct ws_new_warps *warps)
{
    const struct ws_pieces *pieces = &warps->pieces;
    const uint32_t invocations = warps->spans->invocation_count;
    uint32_t *firsts = calloc((size_t)invocations + 2, sizeof(*firsts));
    uint32_t *words = calloc((size_t)invocations + 2, sizeof(*words));
    const size_t most = pieces->count / 64 + (size_t)invocations + 1;
    warps->weights = calloc((size_t)pieces->count + 1, sizeof(*warps->weights));
    warps->numbers = calloc((size_t)pieces->count + 1, sizeof(*warps->numbers));
    warps->piece_words = calloc((size_t)pieces->count + 1, sizeof(*warps->piece_words));
    warps->bits = calloc(most, sizeof(*warps->bits));
    warps->touched_words = malloc(most * sizeof(*warps->touched_words));
    const bool numbered = firsts != NULL && words != NULL && warps->weights != NULL &&
                          warps->numbers != NULL && warps->piece_words != NULL && warps->bits != NULL &&
                          warps->touched_words != NULL;
    for (uint32_t i = 0; i < pieces->count && numbered; ++i)
        firsts[pieces->pieces[i].invocation + 1]++;
    for (uint32_t i = 0; i < invocations && numbered; ++i) {
        words[i + 1] = words[i] + (firsts[i + 1] + 63) / 64;
        warps->invocations[i].word_first = words[i];
        warps->invocations[i].word_end = words[i + 1];
        firsts[i + 1] += firsts[i];
        for (uint32_t j = words[i]; j < words[i + 1]; ++j)
            warps->bits[j] = (struct ws_new_bits){.first = firsts[i] + 64 * (j - words[i]), .invocation = i};
    }
    for (uint32_t i = 0; i < pieces->count && numbered; ++i) {
        const struct ws_piece *piece = &pieces->pieces[i];
        const uint32_t number = firsts[piece->invocation]++;
        uint32_t word = words[piece->invocation];
        word += (number - warps->bits[word].first) / 64;
        warps->numbers[i] = number;
        warps->piece_words[i] = word;
        warps->weights[number] = (struct ws_new_weight){piece->executions, piece->instructions};
    }
    warps->word_count = numbered ? words[invocations] : 0;
    free(firsts);
    free(words);
    return numbered;
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
    if (!ws_pieces_init(&warps->pieces, spans))
        return false;
    warps->invocations = calloc((size_t)spans->invocation_count + 1, sizeof(*warps->invocations));
    warps->touched = calloc((size_t)spans->invocation_count + 1, sizeof(*warps->touched));
    warps->flats = calloc((size_t)spans->path_count + 1, sizeof(*warps->flats));
    warps->scopes = calloc((size_t)spans->scope_count + 1, sizeof(*warps->scopes));
    warps->items = calloc((size_t)count_long(warps) + 1, sizeof(*warps->items));
    warps->long_items = calloc((size_t)spans->item_count + 1, sizeof(*warps->long_items));
    warps->spans_items = calloc((size_t)spans->span_count + 1, sizeof(*warps->spans_items));
    warps->likes = calloc(WS_NEW_WARP_LIKES, sizeof(*warps->likes));
    warps->weighed = calloc(WS_NEW_WARP_WEIGHED, sizeof(*warps->weighed));
    const struct ws_shader_range shaders = ws_spans_shaders(spans);
    warps->shader_first = shaders.first;
    warps->shader_count = shaders.end - shaders.first;
    warps->shaders = calloc((size_t)warps->shader_count + 1, sizeof(*warps->shaders));
    warps->touched_shaders = malloc(((size_t)warps->shader_count + 1) * sizeof(*warps->touched_shaders));
    if (warps->flats == NULL || warps->scopes == NULL || warps->items == NULL || warps->long_items == NULL ||
        warps->spans_items == NULL || warps->invocations == NULL || warps->touched == NULL ||
        warps->likes == NULL || warps->weighed == NULL || warps->shaders == NULL ||
        warps->touched_shaders == NULL || !number_pieces(warps))
        return false;
    add_items(warps);
    for (uint32_t i = 0; i < spans->span_count; ++i)
        if (!add_span(warps, i))
            return false;
    for (uint32_t i = 0; i < spans->invocation_count; ++i)
        warps->invocations[i].warp = 0;
    return true;
}

void ws_new_warps_finish(struct ws_new_warps *warps)
{
    ws_id_map_finish(&warps->united);
    ws_pieces_finish(&warps->pieces);
    free(warps->paths);
    free(warps->span_invocations);
    free(warps->invocations);
    free(warps->touched);
    free(warps->weights);
    free(warps->numbers);
    free(warps->piece_words);
    free(warps->bits);
    free(warps->touched_words);
    free(warps->weighed);
    free(warps->flats);
    free(warps->words);
    free(warps->flat_items);
    free(warps->items);
    free(warps->long_items);
    free(warps->spans_items);
    free(warps->scopes);
    free(warps->rounds);
    free(warps->likes);
    free(warps->parts);
    free(warps->shaders);
    free(warps->touched_shaders);
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

void ws_new_warps_visit(struct ws_new_warps *warps, uint64_t invocation)
{
    const struct ws_spans *spans = warps->spans;
    uint32_t at = 0;
    warps->visit++;
    while (invocation != 0 && ws_id_map_get(&spans->invocations_at, invocation, &at) &&
           warps->invocations[at].visit != warps->visit) {
        warps->invocations[at].visit = warps->visit;
        invocation = spans->invocations[at].caller;
    }
}

/* What is marked with the number of the warp from now on was not. */
static void begin_number(struct ws_new_warps *warps)
{
    warps->warp++;
    if (warps->warp > 0)
        return;
    /* The numbers have been through. */
    for (uint32_t i = 0; i < warps->spans->path_count; ++i)
        warps->flats[i].warp = 0;
    memset(warps->scopes, 0, warps->spans->scope_count * sizeof(*warps->scopes));
    for (uint32_t i = 0; i < warps->word_count; ++i)
        warps->bits[i].warp = 0;
    for (uint32_t i = 0; i < warps->spans->invocation_count; ++i)
        warps->invocations[i].warp = 0;
    for (uint32_t i = 0; i < warps->shader_count; ++i)
        warps->shaders[i].warp = 0;
    warps->warp = 1;
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

static void count(struct ws_new_warps *warps, uint32_t invocation, uint64_t executions, uint64_t instructions)
{
    warps->invocations[invocation].executions += executions;
    warps->invocations[invocation].instructions += instructions;
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
static bool meet(struct ws_new_warps *warps, uint32_t invocation, struct ws_new_rounds *rounds, uint32_t set)
{
    uint32_t both = set;
    if (!unite(warps, rounds->set, set, &both))
        return false;
    const struct ws_span_set *had = &warps->spans->sets[rounds->set];
    const struct ws_span_set *has = &warps->spans->sets[both];
    const uint64_t length = rounds->end - rounds->first;
    count(warps, invocation, (has->count - had->count) * length,
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
            count(warps, item->invocation, item->executions / length * (to - first),
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
            if (!meet(warps, item->invocation, here, item->rounds.set))
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
        count(warps, item->invocation, item->executions, item->instructions);
        return true;
    }
    return (scope->first.first == item->rounds.first && scope->first.end == item->rounds.end &&
            scope->first.set == item->rounds.set) ||
           add_rounds(warps, scope, item);
}

/* Marks the pieces of an item in the bits of the warp. */
static void mark_item(struct ws_new_warps *warps, uint32_t item)
{
    const struct ws_pieces *pieces = &warps->pieces;
    for (uint32_t i = pieces->firsts[item]; i < pieces->firsts[item + 1]; ++i) {
        const uint32_t piece = pieces->numbers[i];
        struct ws_new_bits *bits = &warps->bits[warps->piece_words[piece]];
        if (bits->warp != warps->warp)
            bits->bits = 0;
        bits->warp = warps->warp;
        bits->bits |= UINT64_C(1) << (warps->numbers[piece] - bits->first);
    }
}

/* The same of a path. */
static void mark_pieces(struct ws_new_warps *warps, const struct ws_span_path *path)
{
    const struct ws_spans *spans = warps->spans;
    for (uint32_t i = 0; i < path->count; ++i) {
        const struct ws_span *span = &spans->spans[spans->path_spans[path->first + i]];
        for (uint32_t j = 0; j < span->count; ++j)
            mark_item(warps, spans->span_items[span->first + j]);
    }
}

/* Appends the words of a path, of each invocation that it has items of: one at least. */
static void flatten_words(struct ws_new_warps *warps, const struct ws_span_path *path)
{
    mark_pieces(warps, path);
    for (uint32_t i = 0; i < path->count; ++i) {
        const struct ws_new_span *span = &warps->spans_items[warps->spans->path_spans[path->first + i]];
        const uint32_t *numbers = warps->span_invocations + span->invocation_first;
        for (uint32_t j = 0; j < span->invocation_count; ++j) {
            struct ws_new_invocation *invocation = &warps->invocations[numbers[j]];
            const uint32_t first = warps->flat_count;
            if (invocation->warp == warps->warp)
                continue;
            invocation->warp = warps->warp;
            for (uint32_t word = invocation->word_first; word < invocation->word_end; ++word)
                if (warps->bits[word].warp == warps->warp)
                    warps->words[warps->flat_count++] =
                        (struct ws_new_word){warps->bits[word].bits, word, numbers[j]};
            if (warps->flat_count == first)
                warps->words[warps->flat_count++] =
                    (struct ws_new_word){.word = WS_NONE, .invocation = numbers[j]};
        }
    }
}

/* Likewise its items of long scopes; to count one again adds nothing. */
static void flatten_items(struct ws_new_warps *warps, const struct ws_span_path *path)
{
    const struct ws_spans *spans = warps->spans;
    for (uint32_t i = 0; i < path->count; ++i) {
        const uint32_t number = spans->path_spans[path->first + i];
        const struct ws_span *span = &spans->spans[number];
        for (uint32_t j = 0; j < span->count && warps->spans_items[number].count > 0; ++j) {
            const uint32_t item = spans->span_items[span->first + j];
            if (warps->pieces.is_long[spans->items[item].scope])
                warps->flat_items[warps->flat_item_count++] = warps->long_items[item];
        }
    }
}

/* Room for the words and items of a path. `*steps`: how much is looked at to find them. False when there is no memory. */
static bool make_flat_room(struct ws_new_warps *warps, const struct ws_span_path *path, uint64_t *steps)
{
    uint64_t words = warps->flat_count;
    uint64_t items = warps->flat_item_count;
    *steps = 0;
    for (uint32_t i = 0; i < path->count; ++i) {
        const uint32_t span = warps->spans->path_spans[path->first + i];
        const uint64_t pieces = warps->spans_items[span].pieces;
        /* A word has a piece, or is the only one of its invocation. */
        words += pieces + warps->spans_items[span].invocation_count;
        items += warps->spans_items[span].count;
        *steps += pieces + warps->spans_items[span].invocation_count + warps->spans_items[span].count;
    }
    if (words > UINT32_MAX || items > UINT32_MAX)
        return false;
    const uint64_t all = warps->flat_count + (uint64_t)warps->word_count + warps->spans->invocation_count;
    struct ws_new_word *more = ws_array_grow(warps->words, &warps->flat_capacity,
                                             (uint32_t)(words < all ? words : all) + 1, sizeof(*more));
    warps->words = more != NULL ? more : warps->words;
    uint32_t *numbers =
        ws_array_grow(warps->flat_items, &warps->flat_item_capacity, (uint32_t)items + 1, sizeof(*numbers));
    warps->flat_items = numbers != NULL ? numbers : warps->flat_items;
    return more != NULL && numbers != NULL;
}

/* Finds out what a path is made of. False when there is no memory. */
static bool find_flat(struct ws_new_warps *warps, uint32_t number)
{
    const struct ws_span_path *path = &warps->spans->paths[number];
    struct ws_new_flat *flat = &warps->flats[number];
    uint64_t steps = 0;
    if (!make_flat_room(warps, path, &steps))
        return false;
    warps->steps += steps;
    begin_number(warps);
    flat->first = warps->flat_count;
    flatten_words(warps, path);
    flat->words = warps->flat_count - flat->first;
    flat->item_first = warps->flat_item_count;
    flatten_items(warps, path);
    flat->items = warps->flat_item_count - flat->item_first;
    flat->is = true;
    return true;
}

/* Puts the paths of the warp's threads together, and finds out what they are made of. False when there is no memory. */
static bool gather_paths(struct ws_new_warps *warps, const uint32_t *given)
{
    struct ws_new_path *paths =
        ws_array_grow(warps->paths, &warps->path_capacity, warps->threads, sizeof(*paths));
    if (paths == NULL)
        return false;
    warps->paths = paths;
    if (warps->flat_count > WS_NEW_WARP_FLAT || warps->flat_item_count > WS_NEW_WARP_ITEMS) {
        memset(warps->flats, 0, warps->spans->path_count * sizeof(*warps->flats));
        warps->flat_count = 0;
        warps->flat_item_count = 0;
    }
    for (uint32_t i = 0; i < warps->threads; ++i)
        if (!warps->flats[given[i]].is && !find_flat(warps, given[i]))
            return false;
    begin_number(warps);
    for (uint32_t i = 0; i < warps->threads; ++i) {
        struct ws_new_flat *flat = &warps->flats[given[i]];
        if (flat->warp == warps->warp) {
            paths[flat->place].threads++;
            continue;
        }
        flat->warp = warps->warp;
        flat->place = warps->path_count;
        paths[warps->path_count++] = (struct ws_new_path){given[i], 1};
    }
    return true;
}

/* Threads of the warp are in an invocation. */
static void enter(struct ws_new_warps *warps, uint32_t number, uint32_t threads)
{
    struct ws_new_invocation *invocation = &warps->invocations[number];
    if (invocation->warp == warps->warp) {
        invocation->threads += threads;
        return;
    }
    invocation->executions = 0;
    invocation->instructions = 0;
    invocation->warp = warps->warp;
    invocation->threads = threads;
    warps->touched[warps->touched_count++] = number;
}

/* The warp has the pieces of a word. */
static void add_word(struct ws_new_warps *warps, const struct ws_new_word *word)
{
    struct ws_new_bits *had = &warps->bits[word->word];
    if (had->warp == warps->warp) {
        had->bits |= word->bits;
        return;
    }
    had->warp = warps->warp;
    had->bits = word->bits;
    warps->touched_words[warps->touched_word_count++] = word->word;
}

/* Counts the pieces that the warp has of a word. */
static void count_word(struct ws_new_warps *warps, uint32_t word)
{
    const struct ws_new_bits *had = &warps->bits[word];
    struct ws_new_weighed *weighed =
        &warps->weighed[ws_walk_mix(word, had->bits) & (WS_NEW_WARP_WEIGHED - 1)];
    if (weighed->bits != had->bits || weighed->word != word) { /* there are no words without bits here */
        *weighed = (struct ws_new_weighed){.bits = had->bits, .word = word};
        for (uint64_t left = had->bits; left != 0; left &= left - 1) {
            const struct ws_new_weight *weight =
                &warps->weights[had->first + (uint32_t)__builtin_ctzll(left)];
            weighed->executions += weight->executions;
            weighed->instructions += weight->instructions;
        }
    }
    count(warps, had->invocation, weighed->executions, weighed->instructions);
}

/* The threads of a path execute it. False when there is no memory. */
static bool add_path(struct ws_new_warps *warps, const struct ws_new_path *added)
{
    const struct ws_new_flat *flat = &warps->flats[added->path];
    const struct ws_new_word *words = warps->words + flat->first;
    const uint32_t *items = warps->flat_items + flat->item_first;
    warps->steps += flat->words;
    for (uint32_t i = 0; i < flat->words; ++i) {
        if (i == 0 || words[i].invocation != words[i - 1].invocation)
            enter(warps, words[i].invocation, added->threads);
        if (words[i].bits != 0)
            add_word(warps, &words[i]);
    }
    for (uint32_t i = 0; i < flat->items; ++i)
        if (!add_item(warps, &warps->items[items[i]]))
            return false;
    return true;
}

void ws_new_ran_add(struct ws_new_ran *ran, uint32_t shader)
{
    if (!ran->has[shader])
        ran->shaders[ran->count++] = shader;
    ran->has[shader] = true;
}

static void add_part(struct ws_new_warps *warps, struct ws_reorder_after *after,
                     const struct ws_new_part *part)
{
    warps->slots += part->executed.slots;
    if (after == NULL)
        return;
    const uint32_t shader = part->shader - warps->after_first;
    if (warps->ran != NULL)
        ws_new_ran_add(warps->ran, shader);
    after[shader].executions += part->executed.executions;
    after[shader].slots += part->executed.slots;
    after[shader].partial_warp += part->executed.partial_warp;
    after[shader].indirect_call += part->executed.indirect_call;
}

/* Adds what the warp executes of an invocation to its shader. */
static void add_invocation_to_shader(struct ws_new_warps *warps, uint32_t number)
{
    const struct ws_new_invocation *invocation = &warps->invocations[number];
    struct ws_new_shader *shader = &warps->shaders[invocation->shader - warps->shader_first];
    const uint64_t absent = invocation->visit != warps->visit ? warps->threads - invocation->threads : 0;
    if (shader->warp != warps->warp) {
        *shader = (struct ws_new_shader){.warp = warps->warp};
        warps->touched_shaders[warps->touched_shader_count++] = invocation->shader;
    }
    shader->executions += invocation->executions;
    shader->instructions += invocation->instructions;
    shader->absent += invocation->instructions * absent;
}

/* What the warp executes of a shader. */
static struct ws_new_part part_of(const struct ws_new_warps *warps, uint32_t number)
{
    const struct ws_new_shader *shader = &warps->shaders[number - warps->shader_first];
    return (struct ws_new_part){number,
                                {shader->executions, shader->instructions * warps->size,
                                 shader->instructions * (warps->size - warps->threads), shader->absent}};
}

/* Room for one more part of each shader: until the ring is whole it grows. False when there is no memory. */
static bool make_part_room(struct ws_new_warps *warps)
{
    const uint64_t count = warps->part_count + warps->touched_shader_count;
    struct ws_new_part *parts =
        ws_array_grow(warps->parts, &warps->part_capacity,
                      count < WS_NEW_WARP_PARTS ? (uint32_t)count : WS_NEW_WARP_PARTS, sizeof(*parts));
    warps->parts = parts != NULL ? parts : warps->parts;
    return parts != NULL;
}

/* Counts what the warp executes, and keeps it for those that are alike. False when there is no memory. */
static bool count_parts(struct ws_new_warps *warps, const uint32_t *paths, struct ws_new_like *like,
                        struct ws_reorder_after *after)
{
    if (!gather_paths(warps, paths))
        return false;
    for (uint32_t i = 0; i < warps->path_count; ++i)
        if (!add_path(warps, &warps->paths[i]))
            return false;
    for (uint32_t i = 0; i < warps->touched_word_count; ++i)
        count_word(warps, warps->touched_words[i]);
    for (uint32_t i = 0; i < warps->touched_count; ++i)
        add_invocation_to_shader(warps, warps->touched[i]);
    if (!make_part_room(warps))
        return false;
    like->first = warps->part_count;
    like->count = warps->touched_shader_count;
    for (uint32_t i = 0; i < warps->touched_shader_count; ++i) {
        struct ws_new_part *part = &warps->parts[warps->part_count++ % WS_NEW_WARP_PARTS];
        *part = part_of(warps, warps->touched_shaders[i]);
        add_part(warps, after, part);
    }
    return true;
}

uint64_t ws_new_warp_hash(const struct ws_new_warps *warps, uint32_t size, const uint32_t *paths,
                          uint32_t threads)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < threads; ++i)
        sum += ws_new_path_hash(paths[i]);
    return ws_new_warp_hash_of(warps, size, sum, threads);
}

bool ws_new_warp_count(struct ws_new_warps *warps, uint64_t hash, uint32_t size, const uint32_t *paths,
                       uint32_t threads, struct ws_reorder_after *after)
{
    struct ws_new_like *like = &warps->likes[hash >> 1 & (WS_NEW_WARP_LIKES - 1)];
    warps->steps = 0;
    warps->slots = 0;
    if (like->hash == hash && warps->part_count - like->first <= WS_NEW_WARP_PARTS) {
        for (uint32_t i = 0; i < like->count; ++i)
            add_part(warps, after, &warps->parts[(like->first + i) % WS_NEW_WARP_PARTS]);
        return true;
    }
    if (warps->spans->set_count - warps->set_count > WS_NEW_WARP_SETS_MAX)
        forget_united(warps);
    warps->round_count = 0;
    warps->touched_count = 0;
    warps->touched_word_count = 0;
    warps->touched_shader_count = 0;
    warps->path_count = 0;
    warps->threads = threads;
    warps->size = size;
    like->hash = hash;
    if (count_parts(warps, paths, like, after))
        return true;
    like->hash = 0;
    return false;
}
