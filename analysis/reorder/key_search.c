#include "analysis/reorder/key_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

#define LEAST_PERCENT 1

void ws_reorder_choices_finish(struct ws_reorder_choices *choices)
{
    ws_id_map_finish(&choices->at);
    free(choices->choices);
    memset(choices, 0, sizeof(*choices));
}

struct ws_reorder_choice *ws_reorder_choice_at(struct ws_reorder_choices *choices, uint64_t site, bool make)
{
    uint32_t at = 0;
    if (ws_id_map_get(&choices->at, site, &at))
        return &choices->choices[at];
    struct ws_reorder_choice *more =
        make ? ws_array_grow(choices->choices, &choices->capacity, choices->count + 1, sizeof(*more)) : NULL;
    if (more == NULL)
        return NULL;
    choices->choices = more;
    if (!ws_id_map_put(&choices->at, site, choices->count))
        return NULL;
    more[choices->count] = (struct ws_reorder_choice){.site = site};
    return &more[choices->count++];
}

uint32_t ws_reorder_bits_of(const struct ws_reorder_bits *bits, const uint32_t fields[WS_SEARCH_FIELDS])
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < bits->count; ++i)
        for (uint32_t left = bits->masks[i]; left != 0;) {
            const uint32_t bit = 31 - (uint32_t)__builtin_clz(left);
            left &= ~(1u << bit);
            taken = taken << 1 | (fields[bits->fields[i]] >> bit & 1);
        }
    return taken;
}

uint32_t ws_reorder_bits_count(const struct ws_reorder_bits *bits)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < bits->count; ++i)
        count += (uint32_t)__builtin_popcount(bits->masks[i]);
    return count;
}

void ws_reorder_bits_text(const struct ws_reorder_bits *bits, const struct ws_payload_names *words,
                          char *text, size_t size)
{
    static const char *const names[WS_REORDER_FIELDS] = {"instance", "custom index", "geometry",
                                                         "hit kind", "octant",       "primitive"};
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < bits->count && used < size; ++i) {
        char number[32];
        const uint32_t word = bits->fields[i] - WS_REORDER_FIELDS; /* large of a field of rays */
        const char *name = bits->fields[i] < WS_REORDER_FIELDS ? names[bits->fields[i]] : number;
        if (bits->masks[i] == 0)
            continue;
        snprintf(number, sizeof(number), "payload word %" PRIu32, word);
        if (words != NULL && word < words->count)
            name = words->names[word];
        used += (size_t)snprintf(text + used, size - used, "%s%s & 0x%" PRIx32, used > 0 ? ", " : "", name,
                                 bits->masks[i]);
    }
}

uint32_t ws_search_sample(uint32_t count, uint32_t size, bool other, uint32_t *sample)
{
    const uint32_t pieces = (count + size - 1) / size;
    const uint32_t kept = pieces < WS_SEARCH_WARPS ? pieces : WS_SEARCH_WARPS;
    uint32_t taken = 0;
    if (other && pieces < 2 * WS_SEARCH_WARPS) /* else two pieces or more lie from one to the next */
        return 0;
    for (uint32_t i = 0; i < kept; ++i) {
        const uint32_t first = ((uint32_t)((uint64_t)i * pieces / kept) + other) * size;
        for (uint32_t j = first; j < first + size && j < count; ++j)
            sample[taken++] = j;
    }
    return taken;
}

/* Goes back to the order of warps and lanes. */
static void unsort(struct ws_search *search)
{
    for (uint32_t i = 0; i < search->count; ++i)
        search->order[i] = i;
}

static void sort_by_shader(struct ws_search *search)
{
    for (uint32_t i = 0; i < search->count; ++i)
        search->values[i] = search->comers[i].shader;
    ws_comers_sort(search->order, search->spare, search->count, search->values);
}

static void spend(struct ws_search *search, uint64_t steps)
{
    search->stopped = !ws_budget_spend(steps) || search->stopped;
}

/* The slots that new warps take, filled in this order. */
static bool measure(struct ws_search *search, uint64_t *slots)
{
    uint64_t steps = 0;
    *slots = 0;
    for (uint32_t i = 0; i < search->count; i += search->size) {
        uint32_t paths[WS_SEARCH_LANES_MAX];
        uint32_t threads = 0;
        while (threads < search->size && i + threads < search->count) {
            paths[threads] = search->comers[search->order[i + threads]].path;
            threads++;
        }
        const uint64_t hash = ws_new_warp_hash(search->warps, search->size, paths, threads);
        if (!ws_new_warp_count(search->warps, hash, search->size, paths, threads, NULL))
            return false;
        *slots += search->warps->slots;
        steps += search->size + search->warps->steps;
    }
    spend(search, steps);
    return true;
}

static uint32_t field_of(const struct ws_search *search, uint32_t comer, uint32_t field)
{
    return search->fields[(size_t)comer * WS_SEARCH_FIELDS + field];
}

/* The same, sorted by shader and then by these bits of fields. */
static bool measure_fields(struct ws_search *search, const struct ws_reorder_bits *choice, uint64_t *slots)
{
    unsort(search);
    for (uint32_t f = choice->count; f-- > 0;) {
        for (uint32_t i = 0; i < search->count; ++i)
            search->values[i] = field_of(search, i, choice->fields[f]) & choice->masks[f];
        ws_comers_sort(search->order, search->spare, search->count, search->values);
    }
    sort_by_shader(search);
    return measure(search, slots);
}

bool ws_search_bounds(struct ws_search *search, uint64_t *by_shader, uint64_t *by_path)
{
    unsort(search);
    for (uint32_t i = 0; i < search->count; ++i)
        search->values[i] = search->comers[i].rank;
    ws_comers_sort(search->order, search->spare, search->count, search->values);
    for (uint32_t i = 0; i < search->count; ++i)
        search->values[i] = search->comers[i].called;
    ws_comers_sort(search->order, search->spare, search->count, search->values);
    if (!measure(search, by_path))
        return false;
    unsort(search);
    sort_by_shader(search);
    return measure(search, by_shader);
}

/* The bits of a field in which rays of the sample differ. */
static uint32_t differing(const struct ws_search *search, uint32_t field)
{
    uint32_t bits = 0;
    for (uint32_t i = 1; i < search->count; ++i)
        bits |= field_of(search, i, field) ^ field_of(search, 0, field);
    return bits;
}

/* Tries these bits of a field more, behind what is there. `*best` is what the best one so far takes. */
static bool try_bits(struct ws_search *search, const struct ws_reorder_bits *choice, uint32_t field,
                     uint32_t bits, struct ws_reorder_bits *best_choice, uint64_t *best)
{
    struct ws_reorder_bits tried = *choice;
    uint64_t taken = 0;
    uint32_t at = 0;
    while (at < tried.count && tried.fields[at] != field)
        at++;
    if (at == tried.count) {
        tried.fields[tried.count++] = field;
        tried.masks[at] = 0;
    }
    if ((bits & ~tried.masks[at]) == 0 || search->stopped)
        return true;
    tried.masks[at] |= bits;
    if (!measure_fields(search, &tried, &taken))
        return false;
    if (taken < *best) {
        *best = taken;
        *best_choice = tried;
    }
    return true;
}

/* Adds what saves most, as long as that is enough: a field, or else a bit of one, for sorting by all of a field does not help
 * where each of its values has few threads. `*slots`: what the sample takes. `fields`: the first so many are looked at. */
static bool add_fields(struct ws_search *search, struct ws_reorder_bits *choice, uint32_t fields,
                       uint64_t least, uint64_t *slots)
{
    uint32_t differ[WS_SEARCH_FIELDS];
    for (uint32_t field = 0; field < fields; ++field)
        differ[field] = differing(search, field);
    for (bool more = true; more;) {
        struct ws_reorder_bits best_choice = *choice;
        uint64_t best = *slots;
        for (uint32_t field = 0; field < fields; ++field)
            if (!try_bits(search, choice, field, differ[field], &best_choice, &best))
                return false;
        const bool enough = *slots - best >= least;
        for (uint32_t bit = 0; bit < 32 * fields && !enough; ++bit)
            if ((differ[bit / 32] >> bit % 32 & 1) != 0 &&
                !try_bits(search, choice, bit / 32, 1u << bit % 32, &best_choice, &best))
                return false;
        more = *slots - best >= least && !search->stopped;
        if (more) {
            *choice = best_choice;
            *slots = best;
        }
    }
    return true;
}

/* Leaves out bits that nothing is lost without: what the best choice so far saves may become less by one part in a hundred.
 * `*slots`: what the sample takes, then and now. */
static bool drop_bits(struct ws_search *search, struct ws_reorder_bits *choice, uint64_t by_shader,
                      uint64_t *slots)
{
    uint64_t best = *slots;
    for (uint32_t f = choice->count; f-- > 0;)
        for (uint32_t bit = 0; bit < 32; ++bit) {
            uint64_t taken = 0;
            const uint32_t mask = choice->masks[f];
            if ((mask >> bit & 1) == 0 || search->stopped)
                continue;
            choice->masks[f] = mask & ~(1u << bit);
            if (!measure_fields(search, choice, &taken))
                return false;
            if (taken > best + (by_shader - best) / 100) {
                choice->masks[f] = mask;
                continue;
            }
            *slots = taken;
            best = taken < best ? taken : best;
        }
    return true;
}

/* Adds and leaves out by turns: what is left out may have hidden what another bit saves. Each turn but the last saves more
 * by adding than it may lose by leaving out, so there is an end. */
static bool search_fields(struct ws_search *search, struct ws_reorder_bits *choice, uint32_t fields,
                          uint64_t by_shader)
{
    const uint64_t least = by_shader / 100 * LEAST_PERCENT + 1;
    uint64_t slots = by_shader;
    uint64_t before = 0;
    do {
        before = slots;
        if (!add_fields(search, choice, fields, least, &slots))
            return false;
        if (slots < before && !drop_bits(search, choice, by_shader, &slots))
            return false;
    } while (slots < before && !search->stopped);
    for (uint32_t f = choice->count; f-- > 0;)
        while (choice->masks[f] != 0 && ws_reorder_bits_count(choice) > WS_SEARCH_BITS_MAX)
            choice->masks[f] &= choice->masks[f] - 1;
    return true;
}

/* Nothing is found by the words that are handed over where no bit is of one. */
static void need_words(struct ws_reorder_bits *choice)
{
    uint32_t words = 0;
    for (uint32_t f = 0; f < choice->count; ++f)
        words += choice->fields[f] >= WS_REORDER_FIELDS && choice->masks[f] != 0;
    if (words == 0)
        choice->count = 0;
}

static bool confirm(struct ws_search *search, struct ws_reorder_bits *choice)
{
    uint64_t by_shader = 0;
    uint64_t slots = 0;
    const uint32_t count = choice->count;
    choice->count = 0;
    if (!measure_fields(search, choice, &by_shader))
        return false;
    choice->count = count;
    if (count > 0 && !measure_fields(search, choice, &slots))
        return false;
    while (choice->count > 0 && !search->stopped) {
        uint64_t without = 0;
        choice->count--;
        if (!measure_fields(search, choice, &without))
            return false;
        if (without >= slots + by_shader / 100 * LEAST_PERCENT + 1) {
            choice->count++;
            break;
        }
        slots = without;
    }
    return true;
}

bool ws_search_confirm(struct ws_search *search, struct ws_reorder_choice *choice)
{
    const bool confirmed = confirm(search, &choice->hit) && confirm(search, &choice->payload);
    need_words(&choice->payload);
    return confirmed;
}

/* A branch that may be tried. */
struct candidate {
    struct ws_branch branch;
    uint32_t apart; /* threads of the sample that do not go as most do */
};

/* The branches and loops that the sample's tails come to. */
struct candidates {
    struct ws_id_map at;
    struct candidate *all;
    uint32_t count;
    uint32_t capacity;
    struct ws_id_map sets_at; /* the sets of these tails */
    uint32_t *sets;
    uint32_t set_count;
    uint32_t set_capacity;
    uint32_t *firsts; /* per thread of the sample: the first that has its path */
};

static bool add_candidate(struct candidates *candidates, const struct ws_branch *branch)
{
    const uint64_t key = ws_walk_mix((uint64_t)branch->shader << 32 | branch->block, branch->turns ? 1 : 0);
    uint32_t at = 0;
    if (ws_id_map_get(&candidates->at, key, &at))
        return true;
    struct candidate *all =
        ws_array_grow(candidates->all, &candidates->capacity, candidates->count + 1, sizeof(*all));
    if (all == NULL)
        return false;
    candidates->all = all;
    all[candidates->count] = (struct candidate){*branch, 0};
    return ws_id_map_put(&candidates->at, key, candidates->count++);
}

/* Adds the set of an item, and the branches and loops in it. */
static bool add_item(struct ws_search *search, struct candidates *candidates, const struct ws_span_item *item)
{
    const struct ws_branch_table *table = search->table;
    const uint32_t shader = table->spans->scopes[item->scope].shader;
    const struct ws_span_set *set = &table->spans->sets[item->set];
    const uint64_t key = (uint64_t)shader << 32 | item->set;
    uint32_t at = 0;
    if (ws_id_map_get(&candidates->sets_at, key, &at))
        return true;
    uint32_t *sets =
        ws_array_grow(candidates->sets, &candidates->set_capacity, candidates->set_count + 1, sizeof(*sets));
    if (sets == NULL)
        return false;
    candidates->sets = sets;
    sets[candidates->set_count++] = item->set;
    bool added = ws_id_map_put(&candidates->sets_at, key, item->set);
    const struct ws_loop_nest *nest = set->module < table->nest_count ? &table->nests[set->module] : NULL;
    for (uint32_t i = 0; i < set->count && added && nest != NULL; ++i) {
        const uint32_t block = table->spans->blocks[set->first + i];
        const struct ws_nest_block *known = block < nest->block_count ? &nest->blocks[block] : NULL;
        if (known != NULL && known->successor_count > 0)
            added = add_candidate(candidates, &(struct ws_branch){shader, block, false});
        if (known != NULL && known->header)
            added = added && add_candidate(candidates, &(struct ws_branch){shader, block, true});
    }
    return added;
}

static bool find_candidates(struct ws_search *search, struct candidates *candidates)
{
    const struct ws_branch_table *table = search->table;
    const struct ws_spans *spans = table->spans;
    const uint32_t module = table->catalog->shaders[search->call.shader].module;
    struct ws_id_map paths = {0};
    bool found = true;
    if (module < table->nest_count && search->call.block < table->nests[module].block_count &&
        table->nests[module].blocks[search->call.block].successor_count > 0)
        found =
            add_candidate(candidates, &(struct ws_branch){search->call.shader, search->call.block, false});
    for (uint32_t c = 0; c < search->count && found && !search->stopped; ++c) {
        const struct ws_span_path *path = &spans->paths[search->comers[c].path];
        candidates->firsts[c] = c;
        if (ws_id_map_get(&paths, search->comers[c].path, &candidates->firsts[c]))
            continue;
        found = ws_id_map_put(&paths, search->comers[c].path, c);
        for (uint32_t i = 0; i < path->count && found; ++i) {
            const struct ws_span *span = &spans->spans[spans->path_spans[path->first + i]];
            for (uint32_t j = 0; j < span->count && found; ++j)
                found = add_item(search, candidates, ws_span_item(spans, span, j));
            spend(search, span->count);
        }
    }
    ws_id_map_finish(&paths);
    return found;
}

/* Sorts the sample by a branch, and by shader before that. False when there is no memory. */
static bool sort_by_branch(struct ws_search *search, const struct candidates *candidates,
                           const struct ws_branch *branch)
{
    if (!ws_branch_table_set(search->table, branch, candidates->sets, candidates->set_count))
        return false;
    unsort(search);
    for (uint32_t i = 0; i < search->count; ++i) {
        const uint32_t first = candidates->firsts[i];
        search->values[i] = first < i ? search->values[first]
                                      : ws_branch_value(search->table, search->comers[i].path, &search->call);
    }
    spend(search, candidates->set_count + search->count);
    ws_comers_sort(search->order, search->spare, search->count, search->values);
    return true;
}

/* How many threads of the sorted sample do not have the value that most have. */
static uint32_t count_apart(const struct ws_search *search)
{
    uint32_t most = 0;
    for (uint32_t i = 0, end = 0; i < search->count; i = end) {
        while (end < search->count && search->values[search->order[end]] == search->values[search->order[i]])
            end++;
        most = end - i > most ? end - i : most;
    }
    return search->count - most;
}

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    if (a->apart != b->apart)
        return a->apart > b->apart ? -1 : 1;
    if (a->branch.shader != b->branch.shader)
        return a->branch.shader < b->branch.shader ? -1 : 1;
    if (a->branch.block != b->branch.block)
        return a->branch.block < b->branch.block ? -1 : 1;
    return a->branch.turns - b->branch.turns;
}

static bool search_branches(struct ws_search *search, struct ws_reorder_choice *choice, uint64_t by_shader)
{
    struct candidates candidates = {.firsts = calloc((size_t)search->count + 1, sizeof(uint32_t))};
    uint64_t best = by_shader - by_shader / 100 * LEAST_PERCENT;
    bool searched = candidates.firsts != NULL && find_candidates(search, &candidates);
    for (uint32_t i = 0; i < candidates.count && searched && !search->stopped; ++i) {
        searched = sort_by_branch(search, &candidates, &candidates.all[i].branch);
        candidates.all[i].apart = searched ? count_apart(search) : 0;
    }
    if (searched && candidates.count > 0)
        qsort(candidates.all, candidates.count, sizeof(*candidates.all), compare_candidates);
    for (uint32_t i = 0; i < candidates.count && i < WS_SEARCH_BRANCHES && searched; ++i) {
        uint64_t slots = 0;
        if (candidates.all[i].apart == 0 || search->stopped)
            break;
        searched = sort_by_branch(search, &candidates, &candidates.all[i].branch);
        if (!searched)
            break;
        sort_by_shader(search);
        searched = measure(search, &slots);
        if (searched && slots < best) {
            best = slots;
            choice->branch = candidates.all[i].branch;
            choice->parts = true;
        }
    }
    ws_id_map_finish(&candidates.at);
    ws_id_map_finish(&candidates.sets_at);
    free(candidates.all);
    free(candidates.sets);
    free(candidates.firsts);
    return searched;
}

bool ws_search_run(struct ws_search *search, struct ws_reorder_choice *choice)
{
    uint64_t by_shader = 0;
    uint64_t by_path = 0;
    if (!ws_search_bounds(search, &by_shader, &by_path))
        return false;
    choice->searches++;
    if (by_path >= by_shader || by_shader - by_path < by_shader / 100 * LEAST_PERCENT)
        return true;
    if ((search->has_rays && !search_fields(search, &choice->hit, WS_REORDER_FIELDS, by_shader)) ||
        (search->has_payloads && !search_fields(search, &choice->payload, WS_SEARCH_FIELDS, by_shader)))
        return false;
    need_words(&choice->payload);
    return search_branches(search, choice, by_shader);
}
