#include "analysis/reorder/regroup.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/branches.h"
#include "analysis/reorder/visit_threads.h"
#include "warpscope/capture/budget.h"

const struct ws_reorder_sort ws_reorder_sorts[WS_REORDER_SORTS] = {
    {WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_BY_INSTANCE, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_BY_GEOMETRY, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_BY_OCTANT, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_HIT, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_PAYLOAD, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_PATH, WS_REORDER_WINDOW_ALL},
    {WS_REORDER_CALLED, 0},
    {WS_REORDER_CALLED, 1},
    {WS_REORDER_CALLED, 2},
    {WS_REORDER_CALLED, 3},
    {WS_REORDER_CALLED, 4},
    {WS_REORDER_CALLED, WS_REORDER_WINDOW_SPLIT},
    {WS_REORDER_BRANCH, WS_REORDER_WINDOW_SPLIT},
};

/* What is tried at partings: the same, but for the last. */
static const struct ws_reorder_sort in_groups = {WS_REORDER_CALLED, WS_REORDER_WINDOW_GROUP};

const struct ws_reorder_sort *ws_reorder_sort_at(uint32_t sort, bool parts)
{
    return parts && sort == WS_REORDER_SORTS - 1 ? &in_groups : &ws_reorder_sorts[sort];
}

/* A new warp, of the threads up to a place in the order. */
struct counting_warp {
    uint64_t sum; /* of the hashes of their paths */
    uint32_t end;
};

/* The work of counting. */
struct counting {
    struct ws_regrouping *regrouping;
    uint32_t shader_first; /* ws_regrouped */
    uint32_t shader_count;
    struct ws_visit_threads visit; /* under way */
    struct counting_warp *new_warps;
    uint32_t new_count;
    uint32_t new_capacity;
    struct ws_new_warps warps;
    struct ws_branch_table table; /* of the branch that the call site's threads are sorted by */
    uint32_t *path_values;        /* values of it, for paths that are of the visit under way */
    uint32_t *path_visits;        /* that visit + 1 */
    struct ws_comer *sample;      /* of a visit that is searched */
    uint32_t *sample_fields;      /* WS_SEARCH_FIELDS of each */
    uint32_t sample_capacity;
    struct ws_reorder_choice choice; /* of the call site */
    bool parts;                      /* the call site is a parting */
    uint8_t *
        turned; /* per place where a loop's visits begin: 1 = its warps turn it evenly, 2 = some do not; 0 = not known */
    bool *told;                           /* per place where a parting's visits begin: it is told */
    struct ws_reorder_after *visit_after; /* as `after`, of the visit under way */
    struct ws_reorder_after *after;
    struct ws_reorder_before *before;
    struct ws_new_ran ran; /* what of the three is not 0 */
    bool stopped;
};

static int compare_befores(const void *left, const void *right)
{
    const struct ws_reorder_before *a = left;
    const struct ws_reorder_before *b = right;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return (a->bounce > b->bounce) - (a->bounce < b->bounce);
}

static bool prepare(struct counting *counting)
{
    struct ws_regrouping *regrouping = counting->regrouping;
    const uint32_t visits = regrouping->visit_count;
    counting->after = calloc((size_t)WS_REORDER_SORTS * counting->shader_count + 1, sizeof(*counting->after));
    counting->visit_after =
        calloc((size_t)WS_REORDER_SORTS * counting->shader_count + 1, sizeof(*counting->visit_after));
    counting->path_values = calloc((size_t)regrouping->spans.path_count + 1, sizeof(*counting->path_values));
    counting->path_visits = calloc((size_t)regrouping->spans.path_count + 1, sizeof(*counting->path_visits));
    counting->before = calloc((size_t)counting->shader_count + 1, sizeof(*counting->before));
    counting->ran.shaders = calloc((size_t)counting->shader_count + 1, sizeof(*counting->ran.shaders));
    counting->ran.has = calloc((size_t)counting->shader_count + 1, sizeof(*counting->ran.has));
    counting->turned = calloc((size_t)visits + 1, sizeof(*counting->turned));
    counting->told = calloc((size_t)visits + 1, sizeof(*counting->told));
    if (counting->turned == NULL || counting->told == NULL || counting->after == NULL ||
        counting->visit_after == NULL || counting->path_values == NULL || counting->path_visits == NULL ||
        counting->before == NULL || counting->ran.shaders == NULL || counting->ran.has == NULL ||
        !ws_visit_threads_init(&counting->visit) || !ws_new_warps_init(&counting->warps, &regrouping->spans))
        return false;
    counting->warps.ran = &counting->ran;
    counting->warps.after_first = counting->shader_first;
    if (regrouping->before_count > 0)
        qsort(regrouping->befores, regrouping->before_count, sizeof(*regrouping->befores), compare_befores);
    counting->table = (struct ws_branch_table){.catalog = regrouping->catalog,
                                               .spans = &regrouping->spans,
                                               .nests = regrouping->nests,
                                               .nest_count = regrouping->nest_count};
    return true;
}

static struct ws_branch_call call_of(const struct ws_reorder_visit *visit)
{
    return (struct ws_branch_call){(uint32_t)(visit->site >> 32), visit->block, visit->place};
}

/* Whether a key can be tried for the threads of this visit. */
static bool is_known(const struct counting *counting, uint32_t key)
{
    if (counting->parts)
        return key <= WS_REORDER_CALLED || key == WS_REORDER_PATH;
    switch (key) {
    case WS_REORDER_BY_INSTANCE:
    case WS_REORDER_BY_GEOMETRY:
    case WS_REORDER_BY_OCTANT: return counting->visit.has_rays;
    case WS_REORDER_HIT: return counting->visit.has_rays && counting->choice.hit.count > 0;
    case WS_REORDER_PAYLOAD: return counting->visit.has_payloads && counting->choice.payload.count > 0;
    case WS_REORDER_BRANCH: return counting->choice.parts;
    default: return true;
    }
}

/* Takes the threads of the visit at a place. False when there is no memory, or they cannot be read. */
static bool take(struct counting *counting, uint32_t place)
{
    struct ws_visit_threads *visit = &counting->visit;
    if (!ws_visit_threads_read(visit, place))
        return false;
    ws_visit_threads_describe(visit);
    if (visit->count <= counting->new_capacity)
        return true;
    struct counting_warp *formed = realloc(counting->new_warps, visit->count * sizeof(*formed));
    if (formed == NULL)
        return false;
    counting->new_warps = formed;
    counting->new_capacity = visit->count;
    return true;
}

/* Sets what the threads of a visit do at the branch. `number`: of the visit. At a parting the sorts by `called` are by the side
 * that they take. */
static void set_branches(struct counting *counting, uint32_t number)
{
    struct ws_visit_threads *visit = &counting->visit;
    const struct ws_branch_call call = call_of(&counting->regrouping->visits[number]);
    uint32_t *branches = visit->keys[WS_REORDER_BRANCH];
    for (uint32_t i = 0; i < visit->count; ++i) {
        const uint32_t path = visit->paths[i];
        if (counting->path_visits[path] != number + 1) {
            counting->path_visits[path] = number + 1;
            counting->path_values[path] = ws_branch_value(&counting->table, path, &call);
        }
        branches[i] = counting->path_values[path];
    }
    if (!counting->parts || visit->count == 0)
        return;
    memcpy(visit->keys[WS_REORDER_SHADER], branches, visit->count * sizeof(*branches));
    memcpy(visit->keys[WS_REORDER_CALLED], branches, visit->count * sizeof(*branches));
    ws_visit_threads_set_groups(visit, call.shader);
}

/* The same, and the bits of what they hit and hand over. */
static void set_values(struct counting *counting, uint32_t number)
{
    struct ws_visit_threads *visit = &counting->visit;
    const struct ws_reorder_choice *choice = &counting->choice;
    const bool fields_known = is_known(counting, WS_REORDER_HIT) || is_known(counting, WS_REORDER_PAYLOAD);
    for (uint32_t i = 0; i < visit->count && fields_known; ++i) {
        uint32_t fields[WS_SEARCH_FIELDS];
        ws_visit_thread_fields(visit, i, fields);
        visit->keys[WS_REORDER_HIT][i] = ws_reorder_bits_of(&choice->hit, fields);
        visit->keys[WS_REORDER_PAYLOAD][i] = ws_reorder_bits_of(&choice->payload, fields);
    }
    if (choice->parts)
        set_branches(counting, number);
}

/* Forms the new warps that a sort makes: `values` of the visit receives the paths of their threads. Returns a hash: equal ones
 * are counted once. Mixing once would not do: of doubled numbers it is the double now and then, and two warps of one thread
 * each would be taken for one warp of both. */
static uint64_t form_warps(struct counting *counting, uint32_t size)
{
    struct ws_visit_threads *visit = &counting->visit;
    const uint32_t *windows = visit->windowed ? visit->windows : NULL;
    const uint32_t count = visit->count;
    uint64_t hash = 0;
    counting->new_count = 0;
    for (uint32_t j = 0, end = 0; j < count; j = end) {
        uint64_t sum = 0; /* which lanes they are in makes no difference */
        for (; end < count && end - j < size && (windows == NULL || windows[end] == windows[j]); ++end) {
            const uint32_t thread = visit->order[end];
            visit->values[end] = visit->paths[thread];
            sum += visit->path_hashes[thread];
        }
        counting->new_warps[counting->new_count++] = (struct counting_warp){sum, end};
        hash += ws_walk_mix(ws_walk_mix(sum, end - j), 1); /* likewise the order of warps */
    }
    return hash;
}

/* Counts the new warps that have been formed. False when there is no memory. */
static bool count_warps(struct counting *counting, uint32_t size, struct ws_reorder_after *after,
                        uint64_t *steps)
{
    struct ws_new_warps *warps = &counting->warps;
    const struct counting_warp *formed = counting->new_warps;
    uint64_t hash = 0;
    for (uint32_t i = 0, first = 0; i < counting->new_count; ++i) {
        const uint32_t threads = formed[i].end - first;
        if (i == 0)
            hash = ws_new_warp_hash_of(warps, size, formed[i].sum, threads);
        /* What the next one is known by is asked for before this one is counted. */
        const uint64_t next =
            i + 1 < counting->new_count
                ? ws_new_warp_hash_of(warps, size, formed[i + 1].sum, formed[i + 1].end - formed[i].end)
                : 0;
        if (!ws_new_warp_count(warps, hash, size, counting->visit.values + first, threads, after))
            return false;
        *steps += threads + warps->steps;
        first = formed[i].end;
        hash = next;
    }
    return true;
}

/* Adds what the warps of a visit executed, or sets it to 0. Only of shaders that ran: a launch may have as many call sites as
 * shaders. */
static void add_visit(struct counting *counting)
{
    for (uint32_t i = 0; i < WS_REORDER_SORTS; ++i)
        for (uint32_t j = 0; j < counting->ran.count; ++j) {
            const size_t at = (size_t)i * counting->shader_count + counting->ran.shaders[j];
            const struct ws_reorder_after *more = &counting->visit_after[at];
            struct ws_reorder_after *after = &counting->after[at];
            after->executions += more->executions;
            after->slots += more->slots;
            after->partial_warp += more->partial_warp;
            after->indirect_call += more->indirect_call;
        }
}

static void forget_visit(struct counting *counting)
{
    for (uint32_t i = 0; i < WS_REORDER_SORTS; ++i)
        for (uint32_t j = 0; j < counting->ran.count; ++j)
            counting->visit_after[(size_t)i * counting->shader_count + counting->ran.shaders[j]] =
                (struct ws_reorder_after){0};
}

/* Forgets all that was counted. */
static void forget(struct counting *counting)
{
    forget_visit(counting);
    for (uint32_t j = 0; j < counting->ran.count; ++j) {
        const uint32_t shader = counting->ran.shaders[j];
        counting->before[shader] = (struct ws_reorder_before){0};
        counting->ran.has[shader] = false;
        for (uint32_t i = 0; i < WS_REORDER_SORTS; ++i)
            counting->after[(size_t)i * counting->shader_count + shader] = (struct ws_reorder_after){0};
    }
    counting->ran.count = 0;
}

/* Counts the new warps of one visit, for each sort. */
static bool count_visit(struct counting *counting, uint32_t size, struct ws_regrouped *regrouped)
{
    const size_t shaders = counting->shader_count;
    uint64_t hashes[WS_REORDER_SORTS];
    forget_visit(counting);
    for (uint32_t i = 0; i < WS_REORDER_SORTS && !counting->stopped; ++i) {
        const struct ws_reorder_sort *sort = ws_reorder_sort_at(i, counting->parts);
        struct ws_reorder_after *after = counting->visit_after + i * shaders;
        uint32_t same = WS_REORDER_SHADER;
        if (is_known(counting, sort->key)) {
            const uint32_t different = ws_visit_threads_sort(&counting->visit, sort);
            if (i < WS_REORDER_KEYS && regrouped->values[i] < different)
                regrouped->values[i] = different;
            if (sort->window == WS_REORDER_WINDOW_ALL || sort->window == WS_REORDER_WINDOW_SPLIT)
                regrouped->launches[i] +=
                    sort->window == WS_REORDER_WINDOW_SPLIT ? different : counting->visit.count > 0;
            hashes[i] = form_warps(counting, size);
            same = 0;
        } else {
            hashes[i] = hashes[same]; /* such keys have no smaller windows */
        }
        while (hashes[same] != hashes[i])
            same++;
        if (same < i) {
            for (uint32_t j = 0; j < counting->ran.count; ++j)
                after[counting->ran.shaders[j]] =
                    counting->visit_after[same * shaders + counting->ran.shaders[j]];
            continue;
        }
        uint64_t steps = 0;
        if (!count_warps(counting, size, after, &steps))
            return false;
        counting->stopped = !ws_budget_spend(steps) || counting->stopped;
    }
    add_visit(counting);
    return true;
}

/* One of the visits of a call site that is looked at before it is sorted. */
struct looked {
    uint32_t place; /* in the order */
    uint32_t count; /* threads */
};

/* Room for a sample of so many threads. False when there is no memory. */
static bool make_sample_room(struct counting *counting, uint32_t count)
{
    if (count <= counting->sample_capacity)
        return true;
    struct ws_comer *sample = realloc(counting->sample, count * sizeof(*sample));
    counting->sample = sample != NULL ? sample : counting->sample;
    uint32_t *fields = realloc(counting->sample_fields, (size_t)count * WS_SEARCH_FIELDS * sizeof(*fields));
    counting->sample_fields = fields != NULL ? fields : counting->sample_fields;
    if (sample == NULL || fields == NULL)
        return false;
    counting->sample_capacity = count;
    return true;
}

/* Prepares a search in a visit, or with `other` in its second sample. False when there is no memory. */
static bool begin_search(struct counting *counting, const struct looked *looked, bool other,
                         struct ws_search *search)
{
    const struct ws_reorder_visit *visit =
        &counting->regrouping->visits[counting->visit.visits[looked->place]];
    const uint32_t size = visit->size < WS_SEARCH_LANES_MAX ? visit->size : WS_SEARCH_LANES_MAX;
    struct ws_visit_threads *threads = &counting->visit;
    if (!ws_visit_threads_read(threads, looked->place))
        return false;
    const uint32_t count = ws_search_sample(looked->count, size, other, threads->order);
    if (!make_sample_room(counting, count))
        return false;
    *search = (struct ws_search){.warps = &counting->warps,
                                 .table = &counting->table,
                                 .call = call_of(visit),
                                 .comers = counting->sample,
                                 .count = count,
                                 .size = size,
                                 .fields = counting->sample_fields,
                                 .has_rays = threads->has_rays,
                                 .has_payloads = threads->has_payloads,
                                 .order = threads->order,
                                 .spare = threads->spare,
                                 .values = threads->values};
    for (uint32_t i = 0; i < count; ++i) {
        counting->sample[i] = ws_visit_thread(threads, threads->order[i]);
        ws_visit_thread_fields(threads, threads->order[i],
                               counting->sample_fields + (size_t)i * WS_SEARCH_FIELDS);
    }
    return true;
}

/* Those of the call site's visits with most threads, from a place of the order on. Returns how many. */
static uint32_t find_largest(const struct counting *counting, uint32_t place,
                             struct looked found[WS_SEARCH_VISITS])
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    const uint64_t site = regrouping->visits[counting->visit.visits[place]].site;
    uint32_t count = 0;
    for (; place < regrouping->visit_count; ++place) {
        const struct ws_reorder_visit *visit = &regrouping->visits[counting->visit.visits[place]];
        uint32_t at = count;
        if (visit->site != site)
            break;
        while (at > 0 && found[at - 1].count < visit->threads)
            at--;
        if (at < WS_SEARCH_VISITS) {
            count += count < WS_SEARCH_VISITS;
            memmove(found + at + 1, found + at, (count - 1 - at) * sizeof(*found));
            found[at] = (struct looked){place, (uint32_t)visit->threads};
        }
    }
    return count;
}

/* The branch of a parting, of which nothing is sought: threads part there. False when there is no memory. */
static bool choose_parting(struct counting *counting, const struct ws_reorder_visit *visit)
{
    const uint32_t shader = (uint32_t)(visit->site >> 32);
    counting->choice = (struct ws_reorder_choice){
        .site = visit->site,
        .parts = true,
        .branch = {.shader = shader, .block = visit->block, .turns = visit->turns}};
    ws_visit_threads_count_groups(&counting->visit, shader);
    return ws_branch_table_set(&counting->table, &counting->choice.branch, NULL, 0);
}

/* A call site begins, at a place of the order of visits: finds what its threads are to be sorted by. False when
 * there is no memory. */
static bool choose(struct counting *counting, uint32_t place)
{
    const struct ws_reorder_visit *visit = &counting->regrouping->visits[counting->visit.visits[place]];
    counting->parts = visit->parts;
    if (visit->parts)
        return choose_parting(counting, visit);
    const struct ws_regrouping *regrouping = counting->regrouping;
    const uint64_t site = regrouping->visits[counting->visit.visits[place]].site;
    struct ws_reorder_choice *choice = ws_reorder_choice_at(regrouping->choices, site, true);
    struct looked looked[WS_SEARCH_VISITS];
    struct ws_search search = {.stopped = false};
    uint64_t most = 0;
    uint32_t best = 0;
    if (choice == NULL)
        return false;
    const bool found = choice->hit.count > 0 || choice->payload.count > 0 || choice->parts;
    const uint32_t count =
        choice->searches < WS_SEARCHES_MAX && !found ? find_largest(counting, place, looked) : 0;
    for (uint32_t i = 0; i < count && !search.stopped; ++i) {
        uint64_t by_shader = 0;
        uint64_t by_path = 0;
        if (!begin_search(counting, &looked[i], false, &search) ||
            !ws_search_bounds(&search, &by_shader, &by_path))
            return false;
        if (by_shader > by_path && by_shader - by_path > most) {
            most = by_shader - by_path;
            best = i;
        }
    }
    if (most > 0 &&
        (!begin_search(counting, &looked[best], false, &search) || !ws_search_run(&search, choice) ||
         !begin_search(counting, &looked[best], true, &search) ||
         (search.count > 0 && !ws_search_confirm(&search, choice))))
        return false;
    counting->stopped = counting->stopped || search.stopped;
    counting->choice = *choice;
    return !choice->parts || ws_branch_table_set(&counting->table, &choice->branch, NULL, 0);
}

/* Sums up what the warps were before; new warps and those that stay execute after. */
static void add_before(struct counting *counting, uint64_t site, uint32_t bounce, uint32_t *next)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    for (; *next < regrouping->before_count; ++*next) {
        const struct ws_reorder_before *more = &regrouping->befores[*next];
        if (more->site > site || (more->site == site && more->bounce > bounce))
            return;
        if (more->site != site || more->bounce != bounce)
            continue;
        const uint32_t ran = more->ran - counting->shader_first;
        struct ws_reorder_before *before = &counting->before[ran];
        ws_new_ran_add(&counting->ran, ran);
        before->executions += more->executions;
        before->slots += more->slots;
        before->active += more->active;
        before->active_after += more->active_after;
        before->stay += more->stay;
        before->stay_slots += more->stay_slots;
        before->partial_warp += more->partial_warp;
        before->indirect_call += more->indirect_call;
        before->stay_partial_warp += more->stay_partial_warp;
        before->stay_indirect_call += more->stay_indirect_call;
        for (uint32_t i = 0; i < WS_REORDER_SORTS; ++i) {
            struct ws_reorder_after *after = &counting->after[(size_t)i * counting->shader_count + ran];
            after->executions += more->stay;
            after->slots += more->stay_slots;
            after->partial_warp += more->stay_partial_warp;
            after->indirect_call += more->stay_indirect_call;
        }
    }
}

/* Whether threads of one warp turn a loop differently often in a visit. False in `*read` when the visit cannot be read. */
static bool turns_differ(struct counting *counting, uint32_t place, bool *read)
{
    const uint32_t number = counting->visit.visits[place];
    const uint32_t count = (uint32_t)counting->regrouping->visits[number].threads;
    bool differ = false;
    *read = take(counting, place);
    if (!*read)
        return false;
    set_values(counting, number);
    const uint32_t *turns = counting->visit.keys[WS_REORDER_BRANCH];
    for (uint32_t i = 1; i < count && !differ; ++i)
        differ = counting->visit.warps[i] == counting->visit.warps[i - 1] && turns[i] != turns[i - 1];
    counting->stopped = !ws_budget_spend(count) || counting->stopped;
    return differ;
}

/* Finds out whether a loop, whose visits begin at a place, parts threads. False when there is no memory. */
static bool look_at_turns(struct counting *counting, uint32_t place)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    const struct ws_reorder_visit *first = &regrouping->visits[counting->visit.visits[place]];
    bool differ = false;
    counting->parts = true;
    if (!choose_parting(counting, first))
        return false;
    for (uint32_t i = place; i < regrouping->visit_count && !differ && !counting->stopped; ++i) {
        bool read = true;
        if (regrouping->visits[counting->visit.visits[i]].site != first->site)
            break;
        differ = turns_differ(counting, i, &read);
        if (!read)
            return false;
    }
    counting->turned[place] = differ ? 2 : 1;
    return true;
}

/* Whether visits of a call site begin at a place of the order. */
static bool begins_site(const struct counting *counting, uint32_t place)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    return place == 0 || regrouping->visits[counting->visit.visits[place - 1]].site !=
                             regrouping->visits[counting->visit.visits[place]].site;
}

/* Looks at all loops. False when there is no memory. */
static bool look_at_loops(struct counting *counting)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    bool looked = true;
    for (uint32_t i = 0; i < regrouping->visit_count && looked && !counting->stopped; ++i) {
        const struct ws_reorder_visit *visit = &regrouping->visits[counting->visit.visits[i]];
        if (visit->turns && begins_site(counting, i))
            looked = look_at_turns(counting, i);
    }
    return looked;
}

/* A parting of threads whose warps are not all alike. */
struct parting {
    uint64_t site;
    uint64_t idle;  /* slots that it leaves */
    uint32_t place; /* where its visits begin */
    bool turns;
};

/* Partings of one kind and shader stand together, those first that leave most slots idle. */
static int compare_partings(const void *left, const void *right)
{
    const struct parting *a = left;
    const struct parting *b = right;
    if (a->site >> 32 != b->site >> 32)
        return a->site >> 32 < b->site >> 32 ? -1 : 1;
    if (a->turns != b->turns)
        return a->turns ? 1 : -1;
    if (a->idle != b->idle)
        return a->idle > b->idle ? -1 : 1;
    return (a->site > b->site) - (a->site < b->site);
}

/* The slots that a call site leaves idle. Call sites are asked for in their order. */
static uint64_t next_idle(const struct ws_regrouping *regrouping, uint64_t site, uint32_t *next)
{
    uint64_t idle = 0;
    for (; *next < regrouping->before_count && regrouping->befores[*next].site <= site; ++*next)
        if (regrouping->befores[*next].site == site)
            idle += regrouping->befores[*next].slots - regrouping->befores[*next].active;
    return idle;
}

/* Finds the partings to tell of: of each kind and shader those that leave most slots idle; loops only where they part threads.
 * Those that are not told are counted. `partings` has room for a parting at each visit. */
static void choose_partings(struct counting *counting, struct parting *partings)
{
    struct ws_regrouping *regrouping = counting->regrouping;
    uint32_t count = 0;
    uint32_t next = 0;
    uint32_t before = 0;
    for (uint32_t i = 0; i < regrouping->visit_count; ++i) {
        const struct ws_reorder_visit *visit = &regrouping->visits[counting->visit.visits[i]];
        if (!visit->parts || !begins_site(counting, i))
            continue;
        const uint64_t idle = next_idle(regrouping, visit->site, &next);
        const bool even = visit->turns ? counting->turned[i] != 2 : idle == 0;
        regrouping->coherent += even && !visit->turns;
        regrouping->even += even && visit->turns;
        if (!even)
            partings[count++] = (struct parting){visit->site, idle, i, visit->turns};
    }
    qsort(partings, count, sizeof(*partings), compare_partings);
    for (uint32_t i = 0; i < count; ++i) {
        const bool same = i > 0 && partings[i].site >> 32 == partings[i - 1].site >> 32 &&
                          partings[i].turns == partings[i - 1].turns;
        before = same ? before + 1 : 0;
        counting->told[partings[i].place] = before < WS_REORDER_PARTINGS_TOLD;
        regrouping->fewer_idle += before >= WS_REORDER_PARTINGS_TOLD;
    }
}

/* The same, after a look at all loops. False when there is no memory. */
static bool look_at_partings(struct counting *counting)
{
    if (!look_at_loops(counting))
        return false;
    struct parting *partings = malloc(((size_t)counting->regrouping->visit_count + 1) * sizeof(*partings));
    if (partings == NULL)
        return false;
    choose_partings(counting, partings);
    free(partings);
    return true;
}

static int compare_shaders(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static bool tell_all(struct counting *counting,
                     bool (*tell)(void *user, const struct ws_regrouped *regrouped), void *user)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    uint32_t next_before = 0;
    bool skipped = false;
    if (!look_at_partings(counting))
        return false;
    for (uint32_t i = 0; i < regrouping->visit_count && !counting->stopped;) {
        const struct ws_reorder_visit *first = &regrouping->visits[counting->visit.visits[i]];
        struct ws_regrouped regrouped = {.site = first->site,
                                         .bounce = first->bounce,
                                         .parts = first->parts,
                                         .shader_first = counting->shader_first,
                                         .shader_count = counting->shader_count,
                                         .after = counting->after,
                                         .before = counting->before};
        const bool begins = begins_site(counting, i);
        skipped = begins ? first->parts && !counting->told[i] : skipped;
        if (skipped) {
            i++;
            continue;
        }
        forget(counting);
        if (begins && !choose(counting, i))
            return false;
        for (; i < regrouping->visit_count; ++i) {
            const uint32_t number = counting->visit.visits[i];
            const struct ws_reorder_visit *visit = &regrouping->visits[number];
            const uint32_t comers = (uint32_t)visit->threads;
            if (visit->site != first->site || visit->bounce != first->bounce)
                break;
            regrouped.visits += comers;
            regrouped.calls += visit->calls;
            regrouped.joined += visit->joined;
            if (!take(counting, i))
                return false;
            set_values(counting, number);
            ws_new_warps_visit(&counting->warps, visit->invocation);
            if (!count_visit(counting, visit->size, &regrouped))
                return false;
        }
        add_before(counting, first->site, first->bounce, &next_before);
        qsort(counting->ran.shaders, counting->ran.count, sizeof(*counting->ran.shaders), compare_shaders);
        regrouped.ran = counting->ran.shaders;
        regrouped.ran_count = counting->ran.count;
        if (!counting->stopped && !tell(user, &regrouped))
            return false;
    }
    return true;
}

/* Which shaders may be counted. */
static void find_shaders(struct counting *counting)
{
    const struct ws_regrouping *regrouping = counting->regrouping;
    struct ws_shader_range shaders = ws_spans_shaders(&regrouping->spans);
    for (uint32_t i = 0; i < regrouping->before_count; ++i)
        ws_shader_range_add(&shaders, regrouping->befores[i].ran);
    counting->shader_first = shaders.first;
    counting->shader_count = shaders.end - shaders.first;
}

bool ws_regrouping_tell(struct ws_regrouping *regrouping, const struct ws_replay_threads *threads,
                        bool (*tell)(void *user, const struct ws_regrouped *regrouped), void *user,
                        bool *stopped)
{
    struct counting counting = {.regrouping = regrouping,
                                .visit = {.regrouping = regrouping, .threads = threads}};
    find_shaders(&counting);
    const bool prepared = prepare(&counting);
    counting.stopped = !prepared && !ws_budget_spend(0);
    const bool told = counting.stopped || (prepared && tell_all(&counting, tell, user));
    *stopped = counting.stopped;
    ws_new_warps_finish(&counting.warps);
    ws_visit_threads_finish(&counting.visit);
    free(counting.turned);
    free(counting.told);
    free(counting.new_warps);
    ws_branch_table_finish(&counting.table);
    free(counting.path_values);
    free(counting.path_visits);
    free(counting.sample);
    free(counting.sample_fields);
    free(counting.visit_after);
    free(counting.after);
    free(counting.before);
    free(counting.ran.shaders);
    free(counting.ran.has);
    return told;
}
