#include "analysis/memory/cache/hierarchy.h"

#include <stdlib.h>

enum { LINES_OF_REQUEST = 256 };

struct ws_hierarchy {
    struct ws_cache_shape shape;
    uint32_t l1_line_shift, l1_sector_shift; /* log2 of bytes */
    uint32_t l2_sector_shift;
    struct ws_cache **l1s; /* one per multiprocessor */
    struct ws_cache *l2;
};

/* A line of a request, and what of it is touched. */
struct part {
    uint64_t line;
    uint32_t sectors;
};

struct parts {
    ws_hierarchy_cut_part *give;
    void *user;
    uint32_t count;
    struct part parts[LINES_OF_REQUEST];
};

static uint32_t shift_of(uint32_t power_of_two)
{
    return (uint32_t)__builtin_ctz(power_of_two);
}

struct ws_hierarchy *ws_hierarchy_create(const struct ws_cache_shape *shape, struct ws_error *error)
{
    struct ws_hierarchy *hierarchy = calloc(1, sizeof(*hierarchy));
    if (hierarchy == NULL)
        goto error;
    hierarchy->shape = *shape;
    hierarchy->l2 = ws_cache_create(&shape->l2, "l2", error);
    hierarchy->l1s = calloc(shape->multiprocessors, sizeof(*hierarchy->l1s));
    if (hierarchy->l2 == NULL || hierarchy->l1s == NULL)
        goto error;
    for (uint32_t i = 0; i < shape->multiprocessors; ++i) {
        hierarchy->l1s[i] = ws_cache_create(&shape->l1, "l1", error);
        if (hierarchy->l1s[i] == NULL)
            goto error;
    }
    hierarchy->l1_line_shift = shift_of(shape->l1.line_bytes);
    hierarchy->l1_sector_shift = shift_of(shape->l1.line_bytes / shape->l1.sectors);
    hierarchy->l2_sector_shift = shift_of(shape->l2.line_bytes / shape->l2.sectors);
    return hierarchy;
error:
    ws_error_set(error, "no memory for the caches of %u multiprocessors", shape->multiprocessors);
    ws_hierarchy_destroy(hierarchy);
    return NULL;
}

void ws_hierarchy_destroy(struct ws_hierarchy *hierarchy)
{
    if (hierarchy == NULL)
        return;
    for (uint32_t i = 0; hierarchy->l1s != NULL && i < hierarchy->shape.multiprocessors; ++i)
        ws_cache_destroy(hierarchy->l1s[i]);
    ws_cache_destroy(hierarchy->l2);
    free(hierarchy->l1s);
    free(hierarchy);
}

/* ---- L2 ---- */

/* Sectors of an L1's line as sectors of the L2's size: bit 0 is the one in which the line begins. */
static uint64_t to_l2_sectors(const struct ws_hierarchy *hierarchy, uint32_t sectors)
{
    const uint32_t l1 = hierarchy->l1_sector_shift;
    const uint32_t l2 = hierarchy->l2_sector_shift;
    uint64_t wide = 0;
    if (l1 == l2)
        return sectors;
    for (uint32_t i = 0; sectors >> i != 0; ++i) {
        if ((sectors >> i & 1) == 0)
            continue;
        if (l1 < l2)
            wide |= (uint64_t)1 << (i >> (l2 - l1));
        else
            wide |= (((uint64_t)1 << (1u << (l1 - l2))) - 1) << (i << (l1 - l2));
    }
    return wide;
}

static void ask_l2(struct ws_hierarchy *hierarchy, uint64_t line, uint32_t sectors, enum ws_cache_kind kind,
                   struct ws_hierarchy_outcome *outcome)
{
    const uint32_t of_line = hierarchy->shape.l2.sectors;
    uint64_t wide = to_l2_sectors(hierarchy, sectors);
    uint64_t sector = line << hierarchy->l1_line_shift >> hierarchy->l2_sector_shift;
    while (wide != 0) {
        const uint32_t first = (uint32_t)(sector & (of_line - 1));
        const uint32_t asked = (uint32_t)(wide << first) & ((1u << of_line) - 1);
        if (asked != 0) {
            const uint32_t hits = ws_cache_access(hierarchy->l2, sector / of_line, asked, kind);
            outcome->l2_hits += (uint8_t)ws_cache_count_sectors(hits);
            outcome->l2_misses += (uint8_t)ws_cache_count_sectors(asked ^ hits);
        }
        wide >>= of_line - first;
        sector += of_line - first;
    }
    if (kind != WS_CACHE_STORE)
        outcome->memory_bytes = (uint32_t)outcome->l2_misses << hierarchy->l2_sector_shift;
}

/* ---- requests ---- */

static inline struct ws_hierarchy_outcome run_part(struct ws_hierarchy *hierarchy, uint64_t line,
                                                   const struct ws_hierarchy_part *part)
{
    struct ws_hierarchy_outcome outcome = {0};
    const enum ws_cache_kind kind = part->kind;
    uint32_t asks = part->sectors;
    if (kind != WS_CACHE_ATOMIC) {
        struct ws_cache *l1 = hierarchy->l1s[part->multiprocessor];
        const uint32_t hits = ws_cache_access(l1, line, part->sectors, kind);
        if (kind == WS_CACHE_LOAD) {
            asks &= ~hits;
            outcome.l1_hits = (uint8_t)ws_cache_count_sectors(hits);
            outcome.l1_misses = (uint8_t)ws_cache_count_sectors(asks);
        }
    }
    if (asks != 0)
        ask_l2(hierarchy, line, asks, kind, &outcome);
    return outcome;
}

void ws_hierarchy_run_parts(struct ws_hierarchy *hierarchy, const uint64_t *lines,
                            const struct ws_hierarchy_part *parts, size_t count,
                            struct ws_hierarchy_outcome *outcomes)
{
    for (size_t i = 0; i < count; ++i)
        outcomes[i] = run_part(hierarchy, lines[i], &parts[i]);
}

static void give_parts(struct parts *parts)
{
    for (uint32_t i = 0; i < parts->count; ++i)
        parts->give(parts->user, parts->parts[i].line, parts->parts[i].sectors);
    parts->count = 0;
}

/* Lanes mostly touch the line that the lane before them touches: it is looked for from the end. */
static struct part *find_part(struct parts *parts, uint64_t line)
{
    for (uint32_t i = parts->count; i-- > 0;)
        if (parts->parts[i].line == line)
            return &parts->parts[i];
    return NULL;
}

/* Adds the bytes of a lane. */
static void add_lane(const struct ws_hierarchy *hierarchy, const struct ws_hierarchy_request *request,
                     uint64_t address, struct parts *parts)
{
    const uint64_t last =
        request->size - 1 > UINT64_MAX - address ? UINT64_MAX : address + (request->size - 1);
    const uint64_t last_line = last >> hierarchy->l1_line_shift;
    const uint32_t sector_mask = hierarchy->shape.l1.sectors - 1;
    for (uint64_t line = address >> hierarchy->l1_line_shift; line <= last_line; ++line) {
        const uint64_t start = line << hierarchy->l1_line_shift;
        const uint32_t from =
            start >= address ? 0 : (uint32_t)(address >> hierarchy->l1_sector_shift) & sector_mask;
        const uint32_t to =
            line < last_line ? sector_mask : (uint32_t)(last >> hierarchy->l1_sector_shift) & sector_mask;
        struct part *part = find_part(parts, line);
        if (part == NULL) {
            if (parts->count == LINES_OF_REQUEST)
                give_parts(parts);
            part = &parts->parts[parts->count++];
            *part = (struct part){line, 0};
        }
        part->sectors |= (2u << to) - (1u << from);
    }
}

void ws_hierarchy_cut(const struct ws_hierarchy *hierarchy, const struct ws_hierarchy_request *request,
                      ws_hierarchy_cut_part *give, void *user)
{
    struct parts parts;
    parts.give = give;
    parts.user = user;
    parts.count = 0;
    for (uint32_t i = 0; i < request->lanes && request->size > 0; ++i)
        add_lane(hierarchy, request, request->addresses[i], &parts);
    give_parts(&parts);
}

/* A request that is run at once. */
struct running {
    struct ws_hierarchy *hierarchy;
    const struct ws_hierarchy_request *request;
    struct ws_hierarchy_counts *sums;
};

static void add_outcome(struct ws_hierarchy_counts *sums, enum ws_cache_kind kind,
                        const struct ws_hierarchy_outcome *outcome)
{
    sums->lines++;
    sums->l1_hits += outcome->l1_hits;
    sums->l1_misses += outcome->l1_misses;
    sums->l2_hits[kind] += outcome->l2_hits;
    sums->l2_misses[kind] += outcome->l2_misses;
    sums->memory_bytes += outcome->memory_bytes;
}

static void run_cut(void *user, uint64_t line, uint32_t sectors)
{
    const struct running *running = user;
    const struct ws_hierarchy_request *request = running->request;
    const struct ws_hierarchy_part part = {request->multiprocessor %
                                               running->hierarchy->shape.multiprocessors,
                                           (uint16_t)sectors, (uint8_t)request->kind};
    const struct ws_hierarchy_outcome outcome = run_part(running->hierarchy, line, &part);
    struct ws_hierarchy_counts own = {0};
    add_outcome(running->sums, request->kind, &outcome);
    if (request->part == NULL)
        return;
    add_outcome(&own, request->kind, &outcome);
    request->part(request->user, line << running->hierarchy->l1_line_shift, &own);
}

void ws_hierarchy_run(struct ws_hierarchy *hierarchy, const struct ws_hierarchy_request *request,
                      struct ws_hierarchy_counts *sums)
{
    struct running running = {hierarchy, request, sums};
    sums->requests[request->kind]++;
    ws_hierarchy_cut(hierarchy, request, run_cut, &running);
}

bool ws_hierarchy_has_lines(const struct ws_hierarchy *hierarchy, uint32_t line_bytes, uint32_t sector_bytes)
{
    return 1u << hierarchy->l1_line_shift == line_bytes && 1u << hierarchy->l1_sector_shift == sector_bytes;
}

uint64_t ws_hierarchy_written_bytes(const struct ws_hierarchy *hierarchy)
{
    return ws_cache_written_sectors(hierarchy->l2) << hierarchy->l2_sector_shift;
}

void ws_hierarchy_flush(struct ws_hierarchy *hierarchy)
{
    for (uint32_t i = 0; i < hierarchy->shape.multiprocessors; ++i)
        ws_cache_flush(hierarchy->l1s[i]);
    ws_cache_flush(hierarchy->l2);
}
