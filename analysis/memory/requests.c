#include "analysis/memory/requests.h"

#include <stdlib.h>

#include "warpscope/base/array.h"
#include "warpscope/model/bound.h"
#include "warpscope/passes.h"
#include "warpscope/spirv/pointers.h"

#define LINES_OF_PAGE (WS_REQUEST_PAGE / WS_MEMORY_LINE)
#define ADDRESSES     (UINT64_C(1) << 63) /* a key of device addresses, and not of a buffer */
#define SLOTS         1024                /* of the hash table of a request's lines: more than lines */

void ws_request_memory_finish(struct ws_request_memory *memory)
{
    ws_id_map_finish(&memory->buffers);
    ws_id_map_finish(&memory->of_shaders);
    ws_id_map_finish(&memory->elements);
    ws_id_map_finish(&memory->spaces);
    free(memory->places);
    ws_id_map_finish(&memory->pages);
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

/* Which buffer this is: a binding, or a variable of its module. Keys begin with 1: 0 is none. */
static uint64_t buffer_key(const struct ws_placed_buffer *buffer, uint32_t module)
{
    if (buffer->is_bound)
        return UINT64_C(1) << 62 | (uint64_t)(buffer->set & 0x3fffffff) << 32 | buffer->binding;
    return UINT64_C(1) << 61 | (uint64_t)(module & 0x1fffffff) << 32 | buffer->variable;
}

/* Which buffer a lane touches, and which element of it. */
static struct ws_placed_buffer buffer_of(const struct ws_traced_access *access,
                                         const struct ws_placed_buffers *placed, uint32_t descriptor,
                                         uint32_t *element)
{
    const struct ws_placed_buffer own = {.variable = access->access.variable,
                                         .is_bound = access->is_bound,
                                         .set = access->set,
                                         .binding = access->binding};
    const struct ws_placed_buffer *buffer =
        access->access.varies && own.variable == 0 ? ws_placed_buffer(placed, descriptor) : NULL;
    *element = access->access.varies ? descriptor & WS_PLACE_ELEMENT_MASK : descriptor;
    return buffer != NULL ? *buffer : own;
}

#define RESOURCE (UINT64_C(1) << 63) /* a key of the application's, and not of a variable */

/* Where an element of a buffer lies: in what was bound, or by itself. */
static struct ws_request_element place_element(const struct ws_request_memory *memory,
                                               const struct ws_placed_buffer *buffer, uint32_t number,
                                               uint32_t element)
{
    const struct ws_bound_place place = {buffer->is_bound ? buffer->set : WS_NONE, buffer->binding, element};
    uint64_t offset = 0;
    const uint32_t index = memory->catalog != NULL ? ws_bound_find(memory->catalog, memory->launch,
                                                                   memory->shader, &place, &offset)
                                                   : WS_BOUND_UNKNOWN;
    const struct ws_resource *resource =
        memory->catalog != NULL ? ws_bound_resource(memory->catalog, index) : NULL;
    if (resource == NULL)
        return (struct ws_request_element){(uint64_t)number << 32 | element, 0};
    const uint32_t allocation = ws_bound_resource_of(memory->catalog, resource->within);
    return (struct ws_request_element){
        RESOURCE | (uint64_t)(allocation != WS_BOUND_UNKNOWN ? allocation : index) << 24, offset};
}

/* The element of a buffer that a lane touches. False on no memory. */
static bool find_element(struct ws_request_memory *memory, const struct ws_placed_buffer *buffer,
                         uint32_t module, uint32_t element, struct ws_request_element *found)
{
    const uint32_t count = memory->element_count;
    uint32_t number = 0;
    uint32_t of_shader = 0;
    uint32_t index = 0;
    struct ws_request_element *places =
        ws_array_grow(memory->places, &memory->place_capacity, count + 1, sizeof(*places));
    if (places == NULL)
        return false;
    memory->places = places;
    if (!find_number(&memory->buffers, buffer_key(buffer, module), &memory->buffer_count, &number) ||
        !find_number(&memory->of_shaders, (uint64_t)number << 32 | memory->shader, &memory->of_shader_count,
                     &of_shader) ||
        !find_number(&memory->elements, (uint64_t)of_shader << 32 | element, &memory->element_count, &index))
        return false;
    if (memory->element_count > count)
        places[index] = place_element(memory, buffer, number, element);
    *found = places[index];
    return true;
}

/* The page here of a page of the application. */
static bool find_page(struct ws_request_memory *memory, uint64_t key, uint32_t *page)
{
    if (memory->has_last && memory->last_key == key) {
        *page = memory->last_page;
        return true;
    }
    if (!find_number(&memory->pages, key, &memory->page_count, page))
        return false;
    memory->has_last = true;
    memory->last_key = key;
    memory->last_page = *page;
    return true;
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

/* Adds the bytes from `begin` on, of what `space` tells apart. */
static bool add_bytes(struct ws_request *request, struct ws_request_memory *memory, struct table *table,
                      uint64_t space, uint64_t begin, uint32_t size)
{
    const uint64_t last = (begin + size - 1) / WS_MEMORY_SECTOR;
    for (uint64_t sector = begin / WS_MEMORY_SECTOR; sector <= last; ++sector) {
        const uint32_t bit = 1u << sector % (WS_MEMORY_LINE / WS_MEMORY_SECTOR);
        const uint64_t line = sector / (WS_MEMORY_LINE / WS_MEMORY_SECTOR);
        uint32_t slot = 0;
        uint32_t page = 0;
        if (touch_known(request, table, space + line, bit, &slot))
            continue;
        if (!find_page(memory, (space + line) / LINES_OF_PAGE, &page))
            return false;
        request->lines[request->line_count++] =
            (struct ws_request_line){(uint64_t)page * LINES_OF_PAGE + line % LINES_OF_PAGE, bit};
        table->keys[slot] = space + line;
        table->lines[slot] = (uint16_t)request->line_count;
    }
    return true;
}

bool ws_request_make(struct ws_request *request, struct ws_request_memory *memory,
                     const struct ws_traced_access *access, uint32_t module,
                     const struct ws_placed_buffers *placed, const uint32_t *words, uint32_t words_per_lane,
                     uint32_t lane_count)
{
    struct table table;
    struct ws_request_element element = {0};
    uint32_t space_number = 0;
    uint32_t last = 0;
    uint64_t last_key = 0;
    const bool is_address = access->access.memory == WS_MEMORY_ADDRESS;
    for (uint32_t i = 0; i < SLOTS; ++i)
        table.lines[i] = 0;
    request->line_count = 0;
    request->sector_count = 0;
    request->lane_count = lane_count;
    for (uint32_t i = 0; i < lane_count; ++i) {
        /* Accesses whose addresses need no word may have none: an offset on a null pointer is undefined. */
        const uint32_t *lane = words_per_lane > 0 ? words + (size_t)i * words_per_lane : words;
        const uint32_t descriptor = ws_stretch_descriptor(&access->access, lane);
        if (!is_address && (i == 0 || descriptor != last)) {
            uint32_t number = 0;
            const struct ws_placed_buffer buffer = buffer_of(access, placed, descriptor, &number);
            if (!find_element(memory, &buffer, module, number, &element))
                return false;
        }
        const uint64_t begin = ws_stretch_address(&access->access, lane) + element.offset;
        const uint64_t key = element.key + (begin >> 32);
        if (!is_address && (i == 0 || key != last_key) &&
            !find_number(&memory->spaces, key, &memory->space_count, &space_number))
            return false;
        last = descriptor;
        last_key = key;
        /* 2^25 lines, which are 2^32 bytes, of each space. */
        if (!add_bytes(request, memory, &table, is_address ? ADDRESSES : (uint64_t)(space_number + 1) << 25,
                       is_address ? begin : begin & UINT32_MAX, access->access.size))
            return false;
    }
    for (uint32_t i = 0; i < request->line_count; ++i)
        request->sector_count += (uint32_t)__builtin_popcount(request->lines[i].sectors);
    return true;
}
