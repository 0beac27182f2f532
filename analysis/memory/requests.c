#include "analysis/memory/requests.h"

#include <stdlib.h>

#include "analysis/memory/texel_place.h"
#include "warpscope/base/array.h"
#include "warpscope/passes.h"

#define LINES_OF_PAGE (WS_REQUEST_PAGE / WS_MEMORY_LINE)
#define SPACE         (UINT64_C(1) << 25) /* lines of a space: 4 GiB */
#define IMAGES        (UINT64_C(1) << 60) /* keys of spaces: no home has one of these */
#define SLOTS         1024                /* of the hash table of a request's lines: more than lines */

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
static bool add_space(struct ws_request_memory *memory, const struct ws_home *home, uint64_t key,
                      uint32_t *number)
{
    struct ws_request_space *list =
        ws_array_grow(memory->space_list, &memory->space_capacity, memory->space_count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    memory->space_list = list;
    if (!find_number(&memory->spaces, key, &memory->space_count, number))
        return false;
    list[*number] = (struct ws_request_space){key, home->bound.memory, home->byte >> 32 << 32};
    return true;
}

/* The number of the space that a home's byte lies in. Layers and levels of an image are in many of these: so that no key is one
 * of another home, they are told apart by the number of the image's first space. */
static bool find_space(struct ws_request_memory *memory, const struct ws_home *home, bool is_image,
                       uint32_t *number)
{
    const uint64_t high = home->byte >> 32;
    if (!is_image || high == 0)
        return add_space(memory, home, home->key + high, number);
    const struct ws_home first = {home->key, 0, home->bound};
    return add_space(memory, &first, home->key, number) &&
           add_space(memory, home, IMAGES | (uint64_t)*number << 32 | high, number);
}

uint32_t ws_request_space_of(const struct ws_request_memory *memory, uint64_t line, uint64_t *byte)
{
    const uint64_t key = memory->page_keys[line / LINES_OF_PAGE];
    const uint32_t number = (uint32_t)(key * LINES_OF_PAGE / SPACE - 1);
    *byte = (key * LINES_OF_PAGE % SPACE + line % LINES_OF_PAGE) * WS_MEMORY_LINE;
    /* The end of an access may lie behind the last space. */
    return number < memory->space_count ? number : memory->space_count - 1;
}

/* The lines of a request by number, while it is put together. */
struct table {
    uint64_t keys[SLOTS];
    uint16_t lines[SLOTS]; /* index in the request's lines + 1; 0 = free */
};

/* Notes that sectors are touched of a line of the application. False where the line is new: then `slot` gets it. */
static bool touch_known(struct ws_request *request, const struct table *table, uint64_t line,
                        uint32_t sectors, uint32_t *slot)
{
    uint32_t i = (uint32_t)(line * 0x9e3779b97f4a7c15u >> 40) & (SLOTS - 1);
    while (table->lines[i] != 0 && table->keys[i] != line)
        i = (i + 1) & (SLOTS - 1);
    *slot = i;
    if (table->lines[i] == 0)
        return false;
    request->lines[table->lines[i] - 1].sectors |= sectors;
    return true;
}

/* Adds the bytes of a lane from `begin` on, of what `space` tells apart. `bound`: what they are of. */
static bool add_bytes(struct ws_request *request, struct ws_request_memory *memory, struct table *table,
                      uint64_t space, uint64_t begin, uint32_t size, uint32_t bound)
{
    const uint64_t first = begin / WS_MEMORY_SECTOR;
    const uint64_t last = (begin + size - 1) / WS_MEMORY_SECTOR;
    for (uint64_t sector = first; sector <= last; ++sector) {
        const uint32_t bit = 1u << sector % (WS_MEMORY_LINE / WS_MEMORY_SECTOR);
        const uint64_t line = sector / (WS_MEMORY_LINE / WS_MEMORY_SECTOR);
        uint32_t slot = 0;
        uint32_t page = 0;
        if (!touch_known(request, table, space + line, bit, &slot)) {
            if (!find_page(memory, (space + line) / LINES_OF_PAGE, &page))
                return false;
            request->lines[request->line_count++] =
                (struct ws_request_line){.line = (uint64_t)page * LINES_OF_PAGE + line % LINES_OF_PAGE,
                                         .sectors = bit,
                                         .bound = bound};
            table->keys[slot] = space + line;
            table->lines[slot] = (uint16_t)request->line_count;
        }
        if (sector != first)
            continue;
        request->lines[table->lines[slot] - 1].lanes++;
        request->lines[table->lines[slot] - 1].bytes += size;
    }
    return true;
}

/* Where a lane's part of the access lies, and how many bytes it has. */
static bool find_home(struct ws_request_memory *memory, const struct ws_traced_access *access,
                      uint32_t module, const struct ws_placed_buffers *placed, const uint32_t *words,
                      struct ws_home *home, struct ws_texel_spot *spot)
{
    uint32_t element = 0;
    *spot = ws_texel_spot_find(&access->access, access->access.size, words, 0);
    if (access->access.memory == WS_MEMORY_ADDRESS)
        return ws_homes_address(&memory->homes, spot->byte, home);
    const struct ws_placed_buffer buffer =
        ws_homes_buffer(access, placed, ws_stretch_descriptor(&access->access, words), &element);
    if (!ws_homes_element(&memory->homes, memory->shader, module, &buffer, element, home))
        return false;
    if (spot->is_assumed)
        *spot = ws_texel_spot_find(&access->access, access->access.size, words, home->format);
    home->byte += spot->byte;
    return true;
}

bool ws_request_home(struct ws_request_memory *memory, const struct ws_traced_access *access, uint32_t module,
                     const struct ws_placed_buffers *placed, const uint32_t *words, struct ws_home *home)
{
    struct ws_texel_spot spot;
    return find_home(memory, access, module, placed, words, home, &spot);
}

bool ws_request_make(struct ws_request *request, struct ws_request_memory *memory,
                     const struct ws_traced_access *access, uint32_t module,
                     const struct ws_placed_buffers *placed, const uint32_t *words, uint32_t words_per_lane,
                     uint32_t lane_count)
{
    struct table table;
    struct ws_home home = {0};
    uint32_t space_number = 0;
    struct ws_home last = {0};
    struct ws_texel_spot spot = {0};
    for (uint32_t i = 0; i < SLOTS; ++i)
        table.lines[i] = 0;
    request->line_count = 0;
    request->sector_count = 0;
    request->lane_count = lane_count;
    request->bound = WS_BOUND_UNKNOWN;
    request->bytes = 0;
    request->is_assumed = false;
    for (uint32_t i = 0; i < lane_count; ++i) {
        /* Accesses whose addresses need no word may have none: an offset on a null pointer is undefined. */
        const uint32_t *lane = words_per_lane > 0 ? words + (size_t)i * words_per_lane : words;
        if (!find_home(memory, access, module, placed, lane, &home, &spot))
            return false;
        request->bytes += spot.size;
        request->is_assumed = request->is_assumed || spot.is_assumed;
        request->bound =
            i == 0 || request->bound == home.bound.resource ? home.bound.resource : WS_BOUND_SEVERAL;
        if ((i == 0 || home.key != last.key || home.byte >> 32 != last.byte >> 32) &&
            !find_space(memory, &home, access->access.memory == WS_MEMORY_IMAGE, &space_number))
            return false;
        last = home;
        if (!add_bytes(request, memory, &table, (space_number + UINT64_C(1)) * SPACE, home.byte & UINT32_MAX,
                       spot.size, home.bound.resource))
            return false;
    }
    for (uint32_t i = 0; i < request->line_count; ++i)
        request->sector_count += (uint32_t)__builtin_popcount(request->lines[i].sectors);
    return true;
}
