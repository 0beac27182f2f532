#include "analysis/reorder/places/stands.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

void ws_stands_finish(struct ws_stands *stands)
{
    ws_id_map_finish(&stands->at);
    ws_id_map_finish(&stands->led_to);
    free(stands->stands);
    free(stands->grown);
    memset(stands, 0, sizeof(*stands));
}

/* Room for one more stand. False when there is no memory. */
static bool make_room(struct ws_stands *stands)
{
    struct ws_stand *more =
        ws_array_grow(stands->stands, &stands->capacity, stands->count + 1, sizeof(*more));
    stands->stands = more != NULL ? more : stands->stands;
    struct ws_stand_grown *grown =
        ws_array_grow(stands->grown, &stands->grown_capacity, stands->count + 1, sizeof(*grown));
    stands->grown = grown != NULL ? grown : stands->grown;
    return more != NULL && grown != NULL;
}

bool ws_stands_begin(struct ws_stands *stands)
{
    if (stands->count > 0)
        return true;
    if (!make_room(stands))
        return false;
    stands->grown[stands->count] = (struct ws_stand_grown){.span = WS_NONE};
    stands->stands[stands->count++] = (struct ws_stand){.walk = 0};
    return ws_id_map_put(&stands->at, 0, 0);
}

uint32_t ws_stand_led_before(struct ws_stands *stands, uint32_t from, uint64_t step)
{
    uint32_t to = 0;
    if (!ws_id_map_get(&stands->led_to, ws_walk_mix(step, from), &to))
        return 0;
    stands->stands[from].last_step = step;
    stands->stands[from].last_to = to;
    return to;
}

bool ws_stand_find(struct ws_stands *stands, uint32_t walk, const struct ws_growth *growth, uint32_t *found)
{
    const bool bare = ws_growth_is_bare(growth);
    if (bare && ws_id_map_get(&stands->at, walk, found))
        return true;
    if (!make_room(stands))
        return false;
    *found = stands->count;
    stands->grown[stands->count] = (struct ws_stand_grown){*growth, WS_NONE};
    stands->stands[stands->count++] = (struct ws_stand){.walk = walk};
    return !bare || ws_id_map_put(&stands->at, walk, *found);
}

bool ws_stand_lead(struct ws_stands *stands, uint32_t from, uint64_t step, uint32_t walk,
                   const struct ws_growth *growth, uint32_t *to)
{
    if (!ws_stand_find(stands, walk, growth, to))
        return false;
    struct ws_stand *stand = &stands->stands[from];
    if (stand->first_to == 0) {
        stand->first_step = step;
        stand->first_to = *to;
        return true;
    }
    /* Most steps lead to one or two stands: only what gives way to others is put into the map. */
    if (stand->last_to != 0 &&
        (!ws_id_map_put(&stands->led_to, ws_walk_mix(stand->last_step, from), stand->last_to) ||
         !ws_id_map_put(&stands->led_to, ws_walk_mix(step, from), *to)))
        return false;
    stand->last_step = step;
    stand->last_to = *to;
    return true;
}

void ws_stands_forget(struct ws_stands *stands, uint32_t *numbers)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < stands->count; ++i) {
        if (numbers[i] == 0 && i > 0)
            continue;
        stands->stands[kept] = (struct ws_stand){.walk = stands->stands[i].walk};
        stands->grown[kept] = stands->grown[i];
        numbers[i] = kept++;
    }
    stands->count = kept;
    stands->most = 2 * kept > WS_STANDS_MAX ? 2 * kept : WS_STANDS_MAX;
    ws_id_map_finish(&stands->led_to);
}

bool ws_stands_renumbered(struct ws_stands *stands)
{
    ws_id_map_finish(&stands->at);
    for (uint32_t i = 0; i < stands->count; ++i)
        if (ws_growth_is_bare(&stands->grown[i].growth) &&
            !ws_id_map_put(&stands->at, stands->stands[i].walk, i))
            return false;
    return true;
}
