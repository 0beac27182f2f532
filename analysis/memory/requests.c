#include "analysis/memory/requests.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/texels/texel_place.h"
#include "warpscope/base/array.h"
#include "warpscope/passes.h"

#define LINES_OF_PAGE (WS_REQUEST_PAGE / WS_MEMORY_LINE)
#define SPACE         (UINT64_C(1) << 25) /* lines of a space: 4 GiB */
#define IMAGES        (UINT64_C(1) << 60) /* keys of spaces: no home has one of these */
#define SLOTS         4096                /* of the hash table of a request's lines: more than lines */
#define FEW_LINES     8                   /* so many are looked through, and no table is made */

void ws_request_memory_finish(struct ws_request_memory *memory)
{
    ws_homes_finish(&memory->homes);
    ws_id_map_finish(&memory->spaces);
    ws_id_map_finish(&memory->pages);
    free(memory->space_list);
    free(memory->page_keys);
    *memory = (struct ws_request_memory){0};
}

/* The value of a key; a new one gets the next number. */
static bool find_number(struct ws_id_map *map, uint64_t key, uint32_t *count, uint32_t *number)
{
    if (ws_id_map_get(map, key, number))
        return true;
    *number = (*count)++;
    return ws_id_map_put(map, key, *number);
}

/* The page here of a page of the application. */
static bool find_page(struct ws_request_memory *memory, uint64_t key, uint32_t *page)
{
    if (memory->has_last && memory->last_key == key) {
        *page = memory->last_page;
        return true;
    }
    uint64_t *keys =
        ws_array_grow(memory->page_keys, &memory->page_capacity, memory->page_count + 1, sizeof(*keys));
    if (keys == NULL)
        return false;
    memory->page_keys = keys;
    if (!find_number(&memory->pages, key, &memory->page_count, page))
        return false;
    keys[*page] = key;
    memory->has_last = true;
    memory->last_key = key;
    memory->last_page = *page;
    return true;
}

/* The number of a space, by its key. */
static bool add_space(struct ws_request_memory *memory, uint32_t bound_memory, uint64_t byte, uint64_t key,
                      uint32_t *number)
{
    if (memory->space_count > 0 && memory->last_space_key == key) {
        *number = memory->last_space;
        return true;
    }
    struct ws_request_space *list =
        ws_array_grow(memory->space_list, &memory->space_capacity, memory->space_count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    memory->space_list = list;
    if (!find_number(&memory->spaces, key, &memory->space_count, number))
        return false;
    list[*number] = (struct ws_request_space){key, bound_memory, byte >> 32 << 32};
    memory->last_space_key = key;
    memory->last_space = *number;
    return true;
}

/* The number of the space that a byte of a home lies in. Layers and levels of an image are in many of these: so that no key is
 * one of another home, they are told apart by the number of the image's first space. */
static bool find_space(struct ws_request_memory *memory, const struct ws_home *home, uint64_t byte,
                       bool is_image, uint32_t *number)
{
    const uint64_t high = byte >> 32;
    if (!is_image || high == 0)
        return add_space(memory, home->bound.memory, byte, home->key + high, number);
    return add_space(memory, home->bound.memory, 0, home->key, number) &&
           add_space(memory, home->bound.memory, byte, IMAGES | (uint64_t)*number << 32 | high, number);
}

uint32_t ws_request_space_of(const struct ws_request_memory *memory, uint64_t line, uint64_t *byte)
{
    const uint64_t key = memory->page_keys[line / LINES_OF_PAGE];
    const uint32_t number = (uint32_t)(key * LINES_OF_PAGE / SPACE - 1);
    *byte = (key * LINES_OF_PAGE % SPACE + line % LINES_OF_PAGE) * WS_MEMORY_LINE;
    /* The end of an access may lie behind the last space. */
    return number < memory->space_count ? number : memory->space_count - 1;
}

/* The lines of a request, while it is put together. */
struct table {
    uint64_t keys[WS_REQUEST_LINES_MAX]; /* parallel to them: lines of the application */
    uint32_t last;                       /* the line that was touched last */
    uint16_t slots[SLOTS];               /* from FEW_LINES lines on: index + 1 of a line; 0 = free */
};

/* The slot of a line, or the free one that it would have. */
static uint32_t find_slot(const struct table *table, uint64_t key)
{
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & (SLOTS - 1);
    while (table->slots[i] != 0 && table->keys[table->slots[i] - 1] != key)
        i = (i + 1) & (SLOTS - 1);
    return i;
}

/* The index of a line of the application; `count` where the request has it not. */
static inline uint32_t find_line(const struct table *table, uint32_t count, uint64_t key)
{
    if (count > 0 && table->keys[table->last] == key)
        return table->last;
    if (count > FEW_LINES) {
        const uint16_t slot = table->slots[find_slot(table, key)];
        return slot != 0 ? slot - 1u : count;
    }
    uint32_t i = 0;
    while (i < count && table->keys[i] != key)
        ++i;
    return i;
}

/* Notes the key of the next line. */
static void add_key(struct table *table, uint32_t count, uint64_t key)
{
    table->keys[count] = key;
    if (count < FEW_LINES)
        return;
    if (count == FEW_LINES)
        memset(table->slots, 0, sizeof(table->slots));
    for (uint32_t i = count == FEW_LINES ? 0 : count; i <= count; ++i)
        table->slots[find_slot(table, table->keys[i])] = (uint16_t)(i + 1);
}

/* Adds bytes of a lane from `begin` on, of what `space` tells apart. `bound`: what they are of; `is_first`: they are the first
 * of the lane. */
static inline bool add_bytes(struct ws_request *request, struct ws_request_memory *memory,
                             struct table *table, uint64_t space, uint64_t begin, uint32_t size,
                             uint32_t bound, bool is_first)
{
    const uint64_t first = begin / WS_MEMORY_SECTOR;
    const uint64_t last = (begin + size - 1) / WS_MEMORY_SECTOR;
    for (uint64_t sector = first; sector <= last; ++sector) {
        const uint64_t line = sector / (WS_MEMORY_LINE / WS_MEMORY_SECTOR);
        const uint32_t found = find_line(table, request->line_count, space + line);
        if (found == request->line_count) {
            uint32_t page = 0;
            if (!find_page(memory, (space + line) / LINES_OF_PAGE, &page))
                return false;
            add_key(table, found, space + line);
            request->lines[request->line_count++] = (struct ws_request_line){
                .line = (uint64_t)page * LINES_OF_PAGE + line % LINES_OF_PAGE, .bound = bound};
        }
        table->last = found;
        request->lines[found].sectors |= 1u << sector % (WS_MEMORY_LINE / WS_MEMORY_SECTOR);
        if (sector != first)
            continue;
        request->lines[found].lanes += is_first;
        request->lines[found].bytes += size;
    }
    return true;
}

/* The space that was touched last. */
struct space {
    uint64_t key; /* of its home */
    uint64_t byte;
    uint32_t number;
    bool is_there;
};

/* Where the element of a descriptor lies that an access touches. */
static bool find_base(struct ws_request_memory *memory, const struct ws_traced_access *access,
                      uint32_t module, const struct ws_placed_buffers *placed, uint32_t descriptor,
                      struct ws_home *base)
{
    uint32_t element = 0;
    const struct ws_placed_buffer buffer = ws_homes_buffer(access, placed, descriptor, &element);
    return ws_homes_element(&memory->homes, memory->shader, module, &buffer, element, base);
}

bool ws_request_home(struct ws_request_memory *memory, const struct ws_traced_access *access, uint32_t module,
                     const struct ws_placed_buffers *placed, const uint32_t *words, struct ws_home *home,
                     uint32_t *size)
{
    struct ws_texel_spot spot = {ws_stretch_address(&access->access, words), access->access.size, false};
    *size = spot.size;
    if (access->access.memory == WS_MEMORY_ADDRESS)
        return ws_homes_address(&memory->homes, spot.byte, home);
    if (!find_base(memory, access, module, placed, ws_stretch_descriptor(&access->access, words), home))
        return false;
    if (access->access.sample.is_sample != 0) /* several texels, which lie in no buffer */
        return true;
    spot = ws_texel_spot_find(&access->access, access->access.size, words, &home->view);
    home->byte += spot.byte;
    *size = spot.size;
    return true;
}

/* The sampler of a lane: NULL where it is not known. */
static bool find_sampler(struct ws_request *request, struct ws_request_memory *memory,
                         const struct ws_traced_access *access, uint32_t module, const uint32_t *words,
                         struct ws_bound_sampler *found, const struct ws_sampler **sampler)
{
    if (!ws_homes_sampler(&memory->homes, memory->shader, module, access, words, found))
        return false;
    *sampler = found->missing == 0 ? &found->sampler : NULL;
    request->is_pointed = request->is_pointed || found->missing != 0;
    request->is_unmodelled =
        request->is_unmodelled || (found->missing == 0 && !ws_footprint_is_modelled(&found->sampler));
    return true;
}

/* Adds the texels or bytes that a lane touches. */
static bool add_spots(struct ws_request *request, struct ws_request_memory *memory, struct table *table,
                      const struct ws_home *home, bool is_image, const struct ws_texel_spot *spots,
                      uint32_t count, struct space *last)
{
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t byte = home->byte + spots[i].byte;
        request->bytes += spots[i].size;
        request->is_assumed = request->is_assumed || spots[i].is_assumed;
        if ((!last->is_there || home->key != last->key || byte >> 32 != last->byte >> 32) &&
            !find_space(memory, home, byte, is_image, &last->number))
            return false;
        *last = (struct space){home->key, byte, last->number, true};
        if (!add_bytes(request, memory, table, (last->number + UINT64_C(1)) * SPACE, byte & UINT32_MAX,
                       spots[i].size, home->bound.resource, i == 0))
            return false;
    }
    return true;
}

bool ws_request_make(struct ws_request *request, struct ws_request_memory *memory,
                     const struct ws_traced_access *access, uint32_t module,
                     const struct ws_placed_buffers *placed, const uint32_t *words, uint32_t words_per_lane,
                     uint32_t lane_count)
{
    struct table table;
    const bool is_address = access->access.memory == WS_MEMORY_ADDRESS;
    const bool is_image = access->access.memory == WS_MEMORY_IMAGE;
    struct ws_home home = {0}; /* of addresses the lane's, else that of the descriptor */
    uint32_t descriptor = 0;
    struct space last = {0};
    struct ws_bound_sampler bound_sampler;
    const struct ws_sampler *sampler = NULL;
    request->line_count = 0;
    request->sector_count = 0;
    request->lane_count = lane_count;
    request->bound = WS_BOUND_UNKNOWN;
    request->bytes = 0;
    request->texels = 0;
    request->is_assumed = false;
    request->is_pointed = false;
    request->is_unmodelled = false;
    for (uint32_t i = 0; i < lane_count; ++i) {
        /* Accesses whose addresses need no word may have none: an offset on a null pointer is undefined. */
        const uint32_t *lane = words_per_lane > 0 ? words + (size_t)i * words_per_lane : words;
        struct ws_texel_spot spots[WS_FOOTPRINT_MAX];
        uint32_t count = 1;
        spots[0] =
            (struct ws_texel_spot){ws_stretch_address(&access->access, lane), access->access.size, false};
        const uint32_t own = is_address ? 0 : ws_stretch_descriptor(&access->access, lane);
        if (is_address
                ? !ws_homes_address(&memory->homes, spots[0].byte, &home)
                : (i == 0 || own != descriptor) && !find_base(memory, access, module, placed, own, &home))
            return false;
        if (access->access.sample.is_sample != 0 &&
            !find_sampler(request, memory, access, module, lane, &bound_sampler, &sampler))
            return false;
        if (access->access.is_assumed || is_image)
            count =
                ws_texel_spots_find(&access->access, access->access.size, lane, &home.view, sampler, spots);
        if (is_address)
            spots[0].byte = 0; /* its home says it */
        descriptor = own;
        request->texels += access->access.sample.is_sample != 0 ? count : 0;
        const uint32_t resource = home.bound.resource;
        request->bound = i == 0 || request->bound == resource ? resource : WS_BOUND_SEVERAL;
        if (!add_spots(request, memory, &table, &home, is_image, spots, count, &last))
            return false;
    }
    for (uint32_t i = 0; i < request->line_count; ++i)
        request->sector_count += (uint32_t)(0x4332322132212110u >> 4 * request->lines[i].sectors) & 15;
    return true;
}
