#include "analysis/memory/homes.h"

#include <stdlib.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/spirv/pointers.h"

#define RESOURCE  (UINT64_C(1) << 63) /* a key of the application's memory, and not of a variable */
#define ADDRESSES (UINT64_C(1) << 62) /* the key of device addresses that are in no buffer */

static const struct ws_bound_spot unknown = {WS_BOUND_UNKNOWN, WS_BOUND_UNKNOWN, 0};

void ws_homes_finish(struct ws_homes *homes)
{
    ws_id_map_finish(&homes->buffers);
    ws_id_map_finish(&homes->of_shaders);
    ws_id_map_finish(&homes->elements);
    free(homes->places);
    ws_bound_addresses_finish(&homes->addresses);
    *homes = (struct ws_homes){0};
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

struct ws_placed_buffer ws_homes_buffer(const struct ws_traced_access *access,
                                        const struct ws_placed_buffers *placed, uint32_t descriptor,
                                        uint32_t *element)
{
    const struct ws_placed_buffer own = {.variable = access->access.variable,
                                         .memory = access->memory,
                                         .is_bound = access->is_bound,
                                         .set = access->set,
                                         .binding = access->binding};
    const struct ws_placed_buffer *buffer =
        access->access.varies && own.variable == 0 ? ws_placed_buffer(placed, descriptor) : NULL;
    *element = access->access.varies ? descriptor & WS_PLACE_ELEMENT_MASK : descriptor;
    return buffer != NULL ? *buffer : own;
}

/* The home of a spot; of one in no memory that is known that of `key`. */
static struct ws_home home_of(const struct ws_bound_spot *spot, uint64_t key, uint64_t byte)
{
    if (spot->memory == WS_BOUND_UNKNOWN)
        return (struct ws_home){.key = key, .byte = byte, .bound = *spot};
    return (struct ws_home){
        .key = RESOURCE | (uint64_t)spot->memory << 24, .byte = spot->offset, .bound = *spot};
}

/* The same, of an element that is not the last one. */
static bool find_element(struct ws_homes *homes, uint32_t shader, const struct ws_placed_buffer *buffer,
                         uint32_t element, uint64_t key, struct ws_home *home)
{
    const uint32_t count = homes->element_count;
    uint32_t number = 0;
    uint32_t of_shader = 0;
    uint32_t index = 0;
    struct ws_home *places = ws_array_grow(homes->places, &homes->place_capacity, count + 1, sizeof(*places));
    if (places == NULL)
        return false;
    homes->places = places;
    if (!find_number(&homes->buffers, key, &homes->buffer_count, &number) ||
        !find_number(&homes->of_shaders, (uint64_t)number << 32 | shader, &homes->of_shader_count,
                     &of_shader) ||
        !find_number(&homes->elements, (uint64_t)of_shader << 32 | element, &homes->element_count, &index))
        return false;
    if (homes->element_count > count) {
        const struct ws_bound_place place = {buffer->is_bound ? buffer->set : WS_NONE, buffer->binding,
                                             element};
        const struct ws_bound_spot spot =
            homes->catalog != NULL ? ws_bound_spot(homes->catalog, homes->launch, shader, &place) : unknown;
        places[index] = home_of(&spot, (uint64_t)number << 32 | element, 0);
        if (homes->catalog != NULL)
            places[index].view = ws_bound_view(homes->catalog, homes->launch, shader, &place);
        places[index].sampler.missing = WS_BOUND_UNKNOWN;
        if (homes->catalog != NULL)
            places[index].sampler = ws_bound_sampler(homes->catalog, homes->launch, shader, &place);
    }
    *home = places[index];
    return homes->element_count == count || ws_budget_spend(WS_STEPS_KEPT * sizeof(*places));
}

bool ws_homes_element(struct ws_homes *homes, uint32_t shader, uint32_t module,
                      const struct ws_placed_buffer *buffer, uint32_t element, struct ws_home *home)
{
    const uint64_t key = buffer_key(buffer, module);
    if (!homes->has_last || homes->last_buffer != key || homes->last_shader != shader ||
        homes->last_element != element) {
        homes->has_last = find_element(homes, shader, buffer, element, key, &homes->last);
        homes->last_buffer = key;
        homes->last_shader = shader;
        homes->last_element = element;
    }
    *home = homes->last;
    return homes->has_last;
}

bool ws_homes_sampler(struct ws_homes *homes, uint32_t shader, uint32_t module,
                      const struct ws_traced_access *access, const uint32_t *words,
                      struct ws_bound_sampler *sampler)
{
    const struct ws_stretch_sample *sample = &access->access.sample;
    const struct ws_placed_buffer buffer = {.variable = sample->sampler,
                                            .is_bound = true,
                                            .set = access->sampler_set,
                                            .binding = access->sampler_binding};
    const uint32_t element = sample->sampler_element_word != WS_NONE ? words[sample->sampler_element_word]
                                                                     : sample->sampler_element;
    struct ws_home home;
    sampler->missing = WS_BOUND_UNKNOWN;
    if (!access->has_sampler)
        return true;
    if (!ws_homes_element(homes, shader, module, &buffer, element, &home))
        return false;
    *sampler = home.sampler;
    return true;
}

bool ws_homes_address(struct ws_homes *homes, uint64_t address, struct ws_home *home)
{
    struct ws_bound_spot spot = unknown;
    if (homes->catalog != NULL && !homes->has_addresses &&
        !ws_bound_addresses_init(&homes->addresses, homes->catalog, homes->launch))
        return false;
    homes->has_addresses = true;
    if (homes->addresses.count > 0)
        spot = ws_bound_addresses_find(&homes->addresses, address);
    *home = home_of(&spot, ADDRESSES, address);
    return true;
}

uint64_t ws_homes_byte_of_buffer(const struct ws_homes *homes, const struct ws_home *home, uint64_t address)
{
    const struct ws_resource *buffer =
        homes->catalog != NULL ? ws_bound_resource(homes->catalog, home->bound.resource) : NULL;
    if (buffer == NULL)
        return address;
    return buffer->within != WS_NONE ? home->byte - buffer->offset : home->byte;
}
