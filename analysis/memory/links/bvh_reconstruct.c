#include "analysis/memory/links/bvh_reconstruct.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/buffer_elements.h"
#include "analysis/memory/caches_results.h"
#include "analysis/memory/links/link_rates.h"
#include "analysis/memory/links/link_tree.h"
#include "analysis/memory/traced_sites.h"
#include "analysis/memory/warps/wide_warps.h"
#include "warpscope/base/array.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"
#include "warpscope/passes.h"

#define NO_CACHES    "none" /* in place of a device: no hit rates */
#define BUFFERS_MORE 64     /* elements of arrays of descriptors that are followed beside the buffers */

struct results {
    const struct ws_catalog *catalog;
    const struct ws_selection *selection;
    const char *path; /* of the known tree; NULL = none */
    struct ws_links links;
    struct ws_link_tree tree;
    struct ws_link_rate rate;
    void *caches; /* of the analysis caches */
    struct ws_link_rates rates;
    struct ws_groups *groups; /* sums are struct ws_bvh_sums */
    uint64_t launches;        /* that were merged */
    uint64_t left_out;        /* accesses of lanes, to more descriptors than are followed */
};

/* A buffer, as all accesses of the launch's modules tell. */
struct buffer {
    const char *name;
    struct ws_buffer_element element;
    bool is_written;
    uint32_t link; /* of descriptor 0: its index in the links + 1; 0 = not there yet */
};

/* One launch. There is one part of it: caches need records in order (struct ws_replay_operations, in_order). */
struct part {
    const struct results *results;
    void *caches; /* the part of the analysis caches; NULL = nobody asks for hit rates */
    struct ws_link_rates rates;
    uint64_t launch; /* index */
    struct ws_traced_sites sites;
    struct buffer *buffers;
    uint32_t buffer_count;
    uint32_t buffer_capacity;
    struct ws_id_map names;    /* address of a buffer's name + 1 -> index in `buffers` */
    uint32_t **access_buffers; /* per module and access: index in `buffers`; NULL = it was not taken */
    uint32_t module_count;
    struct ws_links links;
    struct ws_link_walk walk;
    uint32_t more; /* buffers among the links that are of no descriptor 0: BUFFERS_MORE at most */
    uint64_t left_out;
};

/* ---- buffers ---- */

static void part_destroy(void *pointer)
{
    struct part *part = pointer;
    if (part == NULL)
        return;
    for (uint32_t i = 0; part->access_buffers != NULL && i < part->module_count; ++i)
        free(part->access_buffers[i]);
    free(part->access_buffers);
    free(part->buffers);
    ws_id_map_finish(&part->names);
    ws_traced_sites_finish(&part->sites);
    ws_link_walk_finish(&part->walk);
    ws_links_finish(&part->links);
    ws_link_rates_finish(&part->rates);
    if (part->caches != NULL)
        ws_caches_replay.destroy(part->caches);
    free(part);
}

static bool find_buffer(struct part *part, const char *name, uint32_t *index)
{
    const uint64_t key = (uint64_t)(uintptr_t)name + 1;
    if (ws_id_map_get(&part->names, key, index))
        return true;
    struct buffer *buffers =
        ws_array_grow(part->buffers, &part->buffer_capacity, part->buffer_count + 1, sizeof(*buffers));
    if (buffers == NULL)
        return false;
    part->buffers = buffers;
    *index = part->buffer_count++;
    buffers[*index] = (struct buffer){.name = name};
    return ws_id_map_put(&part->names, key, *index);
}

/* What an access tells of its buffer. */
static void take_access(struct buffer *buffer, const struct ws_stretch_access *access)
{
    buffer->is_written = buffer->is_written || access->kind != WS_ACCESS_LOAD;
    ws_buffer_element_take(&buffer->element, access);
}

static bool take_module(struct part *part, uint32_t module)
{
    const struct ws_module_traces *traces = part->results->catalog->modules[module].traces;
    if (traces == NULL || part->access_buffers[module] != NULL)
        return true;
    ws_budget_spend(traces->access_count);
    uint32_t *buffers = calloc((size_t)traces->access_count + 1, sizeof(*buffers));
    part->access_buffers[module] = buffers;
    for (uint32_t i = 0; buffers != NULL && i < traces->access_count; ++i) {
        if (!find_buffer(part, traces->accesses[i].memory, &buffers[i]))
            return false;
        take_access(&part->buffers[buffers[i]], &traces->accesses[i].access);
    }
    return buffers != NULL;
}

/* Takes the modules that run in a launch; where it is not known which, all that there are. */
static bool take_modules(struct part *part, const struct ws_launch_record *launch)
{
    const struct ws_catalog *catalog = part->results->catalog;
    const uint32_t pipelines = launch->pipelines != NULL ? launch->pipeline_count : 0;
    bool taken = true;
    for (uint32_t i = 0; pipelines == 0 && i < part->module_count && taken; ++i)
        taken = take_module(part, i);
    for (uint32_t i = 0; i < pipelines; ++i) {
        const struct ws_pipeline_record *pipeline = &catalog->pipelines[launch->pipelines[i]];
        for (uint32_t j = 0; j < pipeline->shader_count && taken; ++j)
            taken = take_module(part, catalog->shaders[pipeline->shaders[j]].module);
    }
    return taken;
}

static ws_caches_hear hear_request;

static void *part_create(const void *pointer, const struct ws_launch_record *launch)
{
    const struct results *results = pointer;
    const struct ws_catalog *catalog = results->catalog;
    struct part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->launch = launch->index;
    part->results = results;
    part->module_count = catalog->module_count;
    part->access_buffers = calloc((size_t)part->module_count + 1, sizeof(*part->access_buffers));
    if (results->caches != NULL)
        part->caches = ws_caches_replay.create(results->caches, launch);
    if (part->caches != NULL)
        ws_caches_part_hear(part->caches, hear_request, part);
    const bool made = (part->caches != NULL) == (results->caches != NULL) && part->access_buffers != NULL &&
                      ws_traced_sites_init(&part->sites, catalog) && take_modules(part, launch);
    if (made && ws_link_walk_init(&part->walk, &part->links, part->buffer_count + BUFFERS_MORE))
        return part;
    part_destroy(part);
    return NULL;
}

/* The buffer of an access among the links. `*index` is WS_NONE for one more element of arrays of descriptors than are
 * followed. False on no memory. */
static bool find_link_buffer(struct part *part, struct buffer *buffer, uint32_t descriptor, uint32_t *index)
{
    const struct ws_link_buffer wanted = {.name = buffer->name,
                                          .descriptor = descriptor,
                                          .begin = buffer->element.begin,
                                          .stride = buffer->element.stride};
    const uint32_t known = part->links.buffer_count;
    *index = buffer->link - 1;
    if (descriptor == 0 && buffer->link > 0)
        return true;
    *index = WS_NONE;
    for (uint32_t i = 0; i < known && part->more == BUFFERS_MORE; ++i)
        if (part->links.buffers[i].name == wanted.name && part->links.buffers[i].descriptor == descriptor)
            *index = i;
    if (descriptor != 0 && part->more == BUFFERS_MORE)
        return true;
    if (!ws_links_buffer(&part->links, &wanted, index))
        return false;
    if (descriptor == 0)
        buffer->link = *index + 1;
    else
        part->more += part->links.buffer_count - known;
    return true;
}

/* ---- accesses ---- */

/* The element that a lane loads from: its buffer among the links, and where it begins. `*link` is WS_NONE where it is of a
 * descriptor that is not followed, `*begin` UINT64_MAX where it lies in front of the array. False on no memory. */
static bool find_element(struct part *part, struct buffer *buffer, const struct ws_stretch_access *access,
                         const uint32_t *words, uint32_t *link, uint64_t *begin)
{
    const uint64_t address = ws_stretch_address(access, words);
    const uint64_t base = ws_buffer_element_base(access, words);
    const uint64_t stride = buffer->element.stride;
    *begin = base;
    if (stride > 0)
        *begin = address < base + buffer->element.begin
                     ? UINT64_MAX
                     : address - (address - base - buffer->element.begin) % stride;
    return find_link_buffer(part, buffer, ws_stretch_descriptor(access, words), link);
}

/* Takes a lane's part of an access. */
static bool take_lane(struct part *part, uint32_t thread, struct buffer *buffer,
                      const struct ws_stretch_access *access, const uint32_t *words)
{
    uint32_t link = 0;
    uint64_t begin = 0;
    if (buffer->is_written) {
        const uint64_t place = (uint64_t)(buffer - part->buffers) << 48 ^
                               (uint64_t)ws_stretch_descriptor(access, words) << 32 ^
                               ws_stretch_address(access, words);
        if (access->kind == WS_ACCESS_ATOMIC)
            return true;
        return access->kind == WS_ACCESS_STORE ? ws_link_walk_store(&part->walk, thread, place)
                                               : ws_link_walk_read(&part->walk, thread, place);
    }
    if (!find_element(part, buffer, access, words, &link, &begin))
        return false;
    part->left_out += link == WS_NONE;
    return link == WS_NONE || begin == UINT64_MAX || ws_link_walk_load(&part->walk, thread, link, begin);
}

/* Caches tell of a request: it counts for the elements that its lanes load from. */
static bool hear_request(void *pointer, const struct ws_execution *execution, uint32_t place,
                         const struct ws_caches_sums *request)
{
    struct part *part = pointer;
    const struct ws_catalog *catalog = part->results->catalog;
    const uint32_t module = catalog->shaders[execution->shader].module;
    uint32_t elements[WS_WIDE_LANES_MAX];
    uint32_t last_link = WS_NONE;
    uint64_t last_begin = 0;
    if (module >= part->module_count || part->access_buffers[module] == NULL)
        return true;
    const struct ws_stretch_access *access = &catalog->modules[module].traces->accesses[place].access;
    struct buffer *buffer = &part->buffers[part->access_buffers[module][place]];
    if (buffer->is_written)
        return true;
    for (uint32_t i = 0; i < execution->lane_count; ++i) {
        /* Where addresses need no word there may be none: an offset on a null pointer is undefined. */
        const uint32_t *words = execution->words_per_lane > 0
                                    ? execution->words + (size_t)i * execution->words_per_lane
                                    : execution->words;
        uint32_t link = 0;
        uint64_t begin = 0;
        if (!find_element(part, buffer, access, words, &link, &begin))
            return false;
        if (i > 0 && link == last_link && begin == last_begin) /* neighbours mostly visit the same */
            elements[i] = elements[i - 1];
        else if (link == WS_NONE || begin == UINT64_MAX ||
                 !ws_links_find(&part->links, link, begin, &elements[i]))
            elements[i] = WS_NONE;
        last_link = link;
        last_begin = begin;
    }
    return ws_link_rates_take(&part->rates, elements, execution->lane_count, request);
}

/* Takes the accesses of a stretch, in their order. */
static bool take_site(struct part *part, const struct ws_context *context, uint32_t site,
                      struct ws_lanes lanes, const uint32_t *words, uint32_t words_per_lane)
{
    const struct ws_catalog *catalog = part->results->catalog;
    const uint32_t module = catalog->shaders[context->shader].module;
    const struct ws_module_traces *traces = catalog->modules[module].traces;
    if (traces == NULL || module >= part->module_count || part->access_buffers[module] == NULL ||
        !ws_selection_runs(part->results->selection, part->launch, context->shader))
        return true;
    const struct ws_traced_site traced = traces->sites[site];
    if (!ws_budget_spend((uint64_t)WS_STEPS_WORD * traced.count * ws_lanes_count(lanes)))
        return false;
    for (const uint32_t *own = words; ws_lanes_any(lanes);
         own = words_per_lane > 0 ? own + words_per_lane : own) {
        const uint32_t lane = ws_lanes_take(&lanes);
        if (context->threads[lane] == WS_NONE)
            continue;
        for (uint32_t i = traced.first; i < traced.first + traced.count; ++i)
            if (!take_lane(part, context->threads[lane], &part->buffers[part->access_buffers[module][i]],
                           &traces->accesses[i].access, own))
                return false;
    }
    return true;
}

static bool enter(void *pointer, struct ws_context *context, const struct ws_thread *threads)
{
    const struct part *part = pointer;
    return part->caches == NULL || ws_caches_replay.enter(part->caches, context, threads);
}

/* Elements are met before their requests are heard of. */
static bool data(void *pointer, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane)
{
    struct part *part = pointer;
    return take_site(part, context, site, lanes, words, words_per_lane) &&
           (part->caches == NULL ||
            ws_caches_replay.data(part->caches, context, site, lanes, words, words_per_lane));
}

static bool place(void *pointer, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes)
{
    struct part *part = pointer;
    const struct ws_catalog *catalog = part->results->catalog;
    uint32_t site = 0;
    if (!ws_traced_sites_find(&part->sites, catalog, catalog->shaders[context->shader].module, place, &site))
        return false;
    return (site == WS_NONE || take_site(part, context, site, lanes, NULL, 0)) &&
           (part->caches == NULL || ws_caches_replay.place(part->caches, context, place, lanes));
}

static bool leave(void *pointer, struct ws_context *context, struct ws_lanes lanes)
{
    struct part *part = pointer;
    while (context->depth == 0 && ws_lanes_any(lanes)) {
        const uint32_t thread = context->threads[ws_lanes_take(&lanes)];
        if (thread != WS_NONE)
            ws_link_walk_end(&part->walk, thread);
    }
    return true;
}

static bool close_context(void *pointer, struct ws_context *context)
{
    const struct part *part = pointer;
    return part->caches == NULL || ws_caches_replay.close(part->caches, context);
}

static bool merge(void *pointer, void *from, const struct ws_replay_threads *threads)
{
    struct results *results = pointer;
    const struct part *part = from;
    results->left_out += part->left_out;
    return (part->caches == NULL || ws_caches_replay.merge(results->caches, part->caches, threads)) &&
           ws_links_merge(&results->links, &part->links) &&
           ws_link_rates_merge(&results->rates, &results->links, &part->rates, &part->links);
}

static bool finish(void *pointer, const struct ws_replay_threads *threads)
{
    struct results *results = pointer;
    (void)threads;
    results->launches++;
    return true;
}

static const struct ws_replay_operations operations = {
    .pass = WS_PASS_MEMORY_TRACE,
    .create = part_create,
    .destroy = part_destroy,
    .enter = enter,
    .place = place,
    .data = data,
    .leave = leave,
    .close = close_context,
    .merge = merge,
    .finish = finish,
    .in_order = true,
};

/* ---- results ---- */

static bool add_node(struct results *results, uint32_t index)
{
    const struct ws_link_node *node = &results->tree.nodes[index];
    const uint64_t keys[WS_BVH_DIMENSIONS] = {[WS_BVH_BY_DEPTH] = node->depth, [WS_BVH_BY_NODE] = index};
    struct ws_caches_sums rates = {0};
    ws_link_rates_sum(&results->rates, &results->links, node->element, node->count > 0 ? node->count : 1,
                      &rates);
    const struct ws_bvh_sums sums = {.nodes = node->count == 0,
                                     .leaves = node->count > 0,
                                     .faces = node->count,
                                     .weight = node->weight,
                                     .visits = results->links.elements[node->element].visits,
                                     .requests = rates.requests,
                                     .lanes = rates.lanes,
                                     .l1_sectors = rates.l1_sectors,
                                     .l1_hits = rates.l1_hits,
                                     .l2_sectors = rates.l2_sectors,
                                     .l2_hits = rates.l2_hits,
                                     .memory_bytes = rates.memory_bytes};
    return ws_groups_add(results->groups, keys, &sums);
}

static bool end(void *pointer, struct ws_error *error)
{
    struct results *results = pointer;
    if (!ws_link_tree_init(&results->tree, &results->links))
        return false;
    for (uint32_t i = 0; i < results->tree.count; ++i)
        if (!add_node(results, i))
            return false;
    return results->path == NULL ||
           ws_link_tree_compare(&results->tree, &results->links, results->path, &results->rate, error);
}

static const struct ws_link_node *node_of(const struct ws_row *row)
{
    const struct results *results = row->user;
    return &results->tree.nodes[row->key];
}

static uint64_t index_of(const struct ws_row *row, uint32_t node)
{
    const struct results *results = row->user;
    return ws_link_element_index(&results->links, results->tree.nodes[node].element);
}

static void show_depth(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static void show_node(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static void show_kind(const struct ws_row *row, struct ws_value *value)
{
    ws_value_text(value, "%s", node_of(row)->count > 0 ? "leaf" : "node");
}

static void show_element(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, index_of(row, (uint32_t)row->key));
}

static void show_buffer(const struct ws_row *row, struct ws_value *value)
{
    const struct results *results = row->user;
    const char *name = results->links.buffers[results->links.elements[node_of(row)->element].buffer].name;
    if (name != NULL)
        ws_value_text(value, "%s", name);
}

static void show_parent(const struct ws_row *row, struct ws_value *value)
{
    if (node_of(row)->parent != WS_NONE)
        ws_value_count(value, index_of(row, node_of(row)->parent));
}

static const struct ws_field depth_fields[] = {
    {"depth", "nodes above it in the tree", WS_COUNT, .value = show_depth}, {NULL}};

static const struct ws_field node_fields[] = {
    {"node", "its place in the tree, level by level", WS_COUNT, .value = show_node},
    {"kind", "node or leaf", WS_TEXT, .value = show_kind},
    {"element", "index in its buffer; of a leaf its first one", WS_COUNT, .value = show_element},
    {"buffer", "where it lies", WS_TEXT, .value = show_buffer},
    {"parent", "index of the node above it; nothing for the root", WS_COUNT, .value = show_parent},
    {NULL}};

static const struct ws_dimension dimensions[] = {
    [WS_BVH_BY_DEPTH] = {"depth", "nodes above it in the tree", depth_fields},
    [WS_BVH_BY_NODE] = {"node", "node or leaf of the tree", node_fields,
                        .shown = "node kind element buffer parent", .same = "kind element buffer",
                        .implies = 1u << WS_BVH_BY_DEPTH},
    [WS_BVH_DIMENSIONS] = {NULL},
};

#define AT(member) .at = offsetof(struct ws_bvh_sums, member)
#define OF(member) .of = offsetof(struct ws_bvh_sums, member)

static const struct ws_field measures[] = {
    {"nodes", "inner nodes", WS_COUNT, AT(nodes)},
    {"leaves", "leaves", WS_COUNT, AT(leaves)},
    {"faces", "elements of leaves", WS_COUNT, AT(faces), .flags = WS_BLANK_ZERO},
    {"weight", "how often threads went there from the parent", WS_COUNT, AT(weight)},
    {"visits", "how often threads went there, from wherever", WS_COUNT, AT(visits)},
    {"requests", "loads of warps that touch it, or an element of the leaf", WS_COUNT, AT(requests)},
    {"lanes", "their lanes that do", WS_COUNT, AT(lanes)},
    {"l1_sectors", "sectors of 32 bytes that these requests ask an L1 for", WS_COUNT, AT(l1_sectors)},
    {"l1_hits", "those of them that the L1 has", WS_COUNT, AT(l1_hits)},
    {"l1_hit_rate", "l1_hits / l1_sectors", WS_SHARE, AT(l1_hits), OF(l1_sectors), .flags = WS_DASH,
     .better = WS_BETTER_MORE},
    {"l2_sectors", "sectors that they ask the L2 for", WS_COUNT, AT(l2_sectors), .better = WS_BETTER_LESS},
    {"l2_hits", "those of them that the L2 has", WS_COUNT, AT(l2_hits)},
    {"l2_hit_rate", "l2_hits / l2_sectors", WS_SHARE, AT(l2_hits), OF(l2_sectors), .flags = WS_DASH,
     .better = WS_BETTER_MORE},
    {"memory_bytes", "bytes that the L2 reads from memory for them", WS_COUNT, AT(memory_bytes),
     .better = WS_BETTER_LESS},
    {NULL}};

#define RATES " requests lanes l1_sectors l1_hits l1_hit_rate l2_sectors l2_hits l2_hit_rate memory_bytes"

static const struct ws_level levels[] = {
    [WS_BVH_TOTAL] = {"total"},
    [WS_BVH_DEPTHS] = {"depths", "Levels of the tree", .by = 1u << WS_BVH_BY_DEPTH, .rows = UINT32_MAX,
                       .text =
                           "depth nodes leaves faces visits requests l1_hit_rate l2_hit_rate memory_bytes",
                       .data = "depth nodes leaves faces weight visits" RATES},
    [WS_BVH_NODES] = {"tree", "Tree", .by = 1u << WS_BVH_BY_NODE,
                      .text =
                          "depth kind element buffer parent faces visits requests l1_hit_rate l2_hit_rate",
                      .data = "node depth kind element buffer parent faces weight visits" RATES},
    {NULL}};

const struct ws_columns ws_bvh_reconstruct_columns = {
    dimensions,
    measures,
    levels,
    sizeof(struct ws_bvh_sums),
    .shown = "nodes leaves visits requests l1_hit_rate l2_hit_rate",
    .main = "nodes leaves"};

static void destroy(void *pointer)
{
    struct results *results = pointer;
    ws_links_finish(&results->links);
    ws_link_tree_finish(&results->tree);
    ws_link_rates_finish(&results->rates);
    ws_groups_destroy(results->groups);
    if (results->caches != NULL)
        ws_analysis_caches.destroy(results->caches);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_analysis_options own = *options;
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->selection = options->selection;
    results->path = options->tree;
    own.view = (struct ws_view){0};
    own.plots = false;
    const bool has_rates = options->caches == NULL || strcmp(options->caches, NO_CACHES) != 0;
    if (has_rates)
        results->caches = ws_analysis_caches.create(catalog, &own, error);
    if (has_rates && results->caches == NULL)
        goto error;
    if (has_rates)
        ws_caches_leave_out_curve(results->caches);
    results->groups = ws_groups_create(&ws_bvh_reconstruct_columns, catalog, results, &options->view, error);
    if (results->groups == NULL)
        goto error;
    return results;
error:
    destroy(results);
    return NULL;
}

static void attach(void *pointer, uint32_t user)
{
    const struct results *results = pointer;
    if (results->caches != NULL)
        ws_analysis_caches.attach(results->caches, user);
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct results *results = pointer;
    return results->groups;
}

/* ---- how it is shown ---- */

static const char *const kind_names[WS_LINK_KINDS] = {
    [WS_LINK_CONSECUTIVE] = "consecutive",
    [WS_LINK_ACROSS] = "across",
    [WS_LINK_LINEAR] = "linear",
    [WS_LINK_STACK] = "stack",
};

/* Distinct links that an analysis found, and their weights. */
static void sum_links(const struct ws_links *links, enum ws_link_kind kind, uint64_t *count, uint64_t *weight)
{
    *count = *weight = 0;
    for (uint32_t i = 0; i < links->link_count; ++i) {
        *count += links->links[i].weights[kind] > 0;
        *weight += links->links[i].weights[kind];
    }
}

static double share(uint64_t part, uint64_t of)
{
    return of > 0 ? (double)part / (double)of : 0;
}

static double rate_of(const struct ws_link_rate *rate)
{
    return share(rate->right_nodes + rate->right_leaves, rate->nodes + rate->leaves);
}

static void print_rate(const struct ws_link_rate *rate, FILE *stream)
{
    fprintf(stream,
            "  %.1f %% of the known tree are right: %.1f %% of its %" PRIu64 " nodes, %.1f %% of its %" PRIu64
            " leaves; %" PRIu64 " are wrong\n",
            100 * rate_of(rate), 100 * share(rate->right_nodes, rate->nodes), rate->nodes,
            100 * share(rate->right_leaves, rate->leaves), rate->leaves, rate->wrong);
}

static const char *nothing(const void *pointer)
{
    const struct results *results = pointer;
    if (results->links.element_count == 0)
        return "no load was recorded";
    return results->tree.count > 0
               ? NULL
               : "none is walked: in no buffer do threads begin at one element, and go on from there";
}

static bool text(const void *pointer, FILE *stream)
{
    const struct results *results = pointer;
    const struct ws_link_tree *tree = &results->tree;
    uint64_t count = 0;
    uint64_t weight = 0;
    if (tree->count == 0) {
        fprintf(stream, "\nTree: %s\n", nothing(results));
        return true;
    }
    const struct ws_link_buffer *buffer = &results->links.buffers[tree->buffer];
    fprintf(stream,
            "\nTree, reconstructed from the order of loads in %" PRIu64 " %s\n"
            "  nodes are elements of %s, of %" PRIu64 " bytes; the root is element %" PRIu64 "\n"
            "  %" PRIu32 " node%s, %" PRIu32 " %s of %" PRIu64 " element%s, %" PRIu32 " level%s\n",
            results->launches, results->launches == 1 ? "launch" : "launches",
            buffer->name != NULL ? buffer->name : "a buffer", buffer->stride,
            ws_link_element_index(&results->links, tree->nodes[0].element), tree->count - tree->leaf_count,
            ws_plural(tree->count - tree->leaf_count, "s"), tree->leaf_count,
            tree->leaf_count == 1 ? "leaf" : "leaves", tree->face_count, ws_plural(tree->face_count, "s"),
            tree->depth, ws_plural(tree->depth, "s"));
    if (results->path != NULL)
        print_rate(&results->rate, stream);
    fputs("  links:", stream);
    for (uint32_t kind = 0; kind < WS_LINK_KINDS; ++kind) {
        sum_links(&results->links, (enum ws_link_kind)kind, &count, &weight);
        fprintf(stream, " %" PRIu64 " %s (%" PRIu64 " time%s)%s", count, kind_names[kind], weight,
                ws_plural(weight, "s"), kind + 1 < WS_LINK_KINDS ? "," : "\n");
    }
    if (results->caches != NULL)
        fprintf(stream, "  hit rates are of a model of the caches of %s\n",
                ws_caches_device(results->caches));
    else
        fputs("  there are no hit rates, since --caches is none\n", stream);
    return ws_groups_text_all(results->groups, stream);
}

static const struct ws_member link_members[] = {
    {"analysis", "string", "which of the four found them: consecutive, across, linear or stack"},
    {"links", "integer", "how many distinct ones"},
    {"weight", "integer", "how often threads went along them"},
    {NULL}};

static const struct ws_member known_members[] = {
    {"nodes", "integer", "inner nodes of the known tree (--tree)"},
    {"leaves", "integer", "its leaves"},
    {"right_nodes", "integer", "those of its nodes that were reconstructed, with their parents"},
    {"right_leaves", "integer", "likewise its leaves, with their elements"},
    {"wrong", "integer",
     "nodes and leaves that were reconstructed, and that the known tree has not, or elsewhere"},
    {"rate", "share", "right_nodes + right_leaves of nodes + leaves"},
    {NULL}};

static const struct ws_member members[] = {
    {"launches", "integer", "whose links were merged"},
    {"nodes_buffer", "string?", "what has the nodes"},
    {"stride", "integer?", "bytes of a node; null where there is no tree"},
    {"root", "integer?", "index of the root; null where there is no tree"},
    {"device", "string?", "whose caches the hit rates are of; null where there are none"},
    {"links", "object[]", "links that each analysis found", link_members},
    {"known", "object?", "how it compares with the tree of --tree; null without", known_members},
    {NULL}};

static cJSON *known_tree(const struct ws_link_rate *rate)
{
    cJSON *known = cJSON_CreateObject();
    ws_json_integer(known, "nodes", rate->nodes);
    ws_json_integer(known, "leaves", rate->leaves);
    ws_json_integer(known, "right_nodes", rate->right_nodes);
    ws_json_integer(known, "right_leaves", rate->right_leaves);
    ws_json_integer(known, "wrong", rate->wrong);
    ws_json_number(known, "rate", rate_of(rate));
    return known;
}

static bool json(const void *pointer, struct ws_json *json)
{
    const struct results *results = pointer;
    const struct ws_link_tree *tree = &results->tree;
    const struct ws_link_buffer *buffer = tree->count > 0 ? &results->links.buffers[tree->buffer] : NULL;
    ws_json_member(json, "launches", cJSON_CreateNumber((double)results->launches));
    ws_json_member(json, "nodes_buffer",
                   buffer != NULL && buffer->name != NULL ? cJSON_CreateString(buffer->name)
                                                          : cJSON_CreateNull());
    ws_json_member(json, "stride",
                   buffer != NULL ? cJSON_CreateNumber((double)buffer->stride) : cJSON_CreateNull());
    ws_json_member(json, "root",
                   buffer != NULL ? cJSON_CreateNumber((double)ws_link_element_index(&results->links,
                                                                                     tree->nodes[0].element))
                                  : cJSON_CreateNull());
    ws_json_member(json, "device",
                   results->caches != NULL ? cJSON_CreateString(ws_caches_device(results->caches))
                                           : cJSON_CreateNull());
    ws_json_open_list(json, "links");
    for (uint32_t kind = 0; kind < WS_LINK_KINDS; ++kind) {
        cJSON *entry = cJSON_CreateObject();
        uint64_t count = 0;
        uint64_t weight = 0;
        sum_links(&results->links, (enum ws_link_kind)kind, &count, &weight);
        cJSON_AddStringToObject(entry, "analysis", kind_names[kind]);
        ws_json_integer(entry, "links", count);
        ws_json_integer(entry, "weight", weight);
        ws_json_element(json, entry);
    }
    ws_json_close_list(json);
    ws_json_member(json, "known", results->path != NULL ? known_tree(&results->rate) : cJSON_CreateNull());
    return !json->failed;
}

static void notes(const void *pointer, FILE *stream)
{
    const struct results *results = pointer;
    if (results->left_out > 0)
        fprintf(stream,
                "  bvh_reconstruct leaves %" PRIu64
                " loads out: more than %d elements of arrays of descriptors\n",
                results->left_out, BUFFERS_MORE);
    if (results->caches != NULL)
        ws_analysis_caches.notes(results->caches, stream);
}

static const char *const passes[] = {WS_PASS_MEMORY_TRACE, NULL};

const struct ws_analysis ws_analysis_bvh_reconstruct = {
    .name = "bvh_reconstruct",
    .summary = "the tree that a shader walks, from the addresses of its loads",
    .answers = "which tree shaders walk",
    .passes = passes,
    .columns = &ws_bvh_reconstruct_columns,
    .words =
        "A ray tracer that walks a hierarchy of its own loads a node, then one of its children, and comes "
        "back for\n"
        "the other one later. So the order of loads tells the tree. Nodes are the elements of the buffer in "
        "which\n"
        "threads begin at one and the same element. Each node gets the two elements to which threads went "
        "from it\n"
        "most: at once, or by a word that they had stored there and read again (a stack in a buffer; one in\n"
        "variables of the shader is not recorded). Leaves are runs of elements of another buffer. What no "
        "ray\n"
        "visits is not there: record launches from several sides. --tree FILE tells how much of a tree that "
        "you\n"
        "know is right: a line for each node, root first: its index, and its two children, each the index "
        "of\n"
        "a node, or FIRST+COUNT for the elements of a leaf.\n"
        "Hit rates of each node and level are of a model of a device's caches, as report caches has them: of "
        "all\n"
        "requests that touch it, so a request counts for each node that its lanes load from. --caches, "
        "--compiled\n"
        "and --lanes are heeded as there; --caches none leaves them out, and takes half the time. Of nodes "
        "the capture has addresses, and no boxes.\n",
    .by_name = true,
    .create = create,
    .destroy = destroy,
    .attach = attach,
    .replay = &operations,
    .end = end,
    .groups = groups,
    .nothing = nothing,
    .text = text,
    .notes = notes,
    .json = json,
    .members = members,
};
