/* Hit objects: which ray each holds. A trace into an object has the ray's closest hit or miss shader run later, when the
 * object is executed, or never. What it hit is told at once. */
#include "analysis/rays/rays_part.h"
#include "warpscope/opcodes.h"

static struct ws_rays_object *find_object(const struct ws_ray_frame *frame, uint32_t key)
{
    struct ws_rays_object *object = frame->objects;
    while (object != NULL && object->key != key)
        object = object->next;
    return object;
}

/* Sets the ray that an object holds; NULL = none. An object that comes first is added. False without memory. */
static bool hold(const struct ws_ray_occasion *at, uint32_t key, struct ws_ray_node *ray)
{
    struct ws_rays_object *object = find_object(at->frame, key);
    if (object == NULL && at->frame->object_count == WS_RAY_QUERIES) {
        at->part->malformed++;
        return true;
    }
    if (object == NULL) {
        object = ws_rays_object_make(at->part);
        if (object == NULL)
            return false;
        object->key = key;
        object->next = at->frame->objects;
        at->frame->objects = object;
        at->frame->object_count++;
    }
    object->ray = ray;
    return true;
}

/* The ray that an object holds. In a function that objects are passed to, which of them it is cannot be told from the code:
 * then it is the only one that there is. NULL where it holds none, or that is not known. */
static struct ws_ray_node *held(const struct ws_ray_frame *frame, uint32_t key)
{
    const struct ws_rays_object *object = find_object(frame, key);
    if (object == NULL && key == WS_QUERY_UNKNOWN && frame->object_count == 1)
        object = frame->objects;
    return object != NULL ? object->ray : NULL;
}

/* Whether the instruction of the trace also executes the object: then what it hit, no record tells. */
static bool is_executed(const struct ws_ray_occasion *at)
{
    const struct ws_catalog *catalog = at->part->catalog;
    const uint32_t opcode =
        catalog->modules[catalog->shaders[at->frame->shader].module].sites[at->site].opcode;
    return opcode == WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT ||
           opcode == WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT;
}

static bool trace(const struct ws_ray_occasion *at)
{
    struct ws_ray_node *node = ws_ray_trace(at, WS_RAY_OBJECT_TRACE_WORDS);
    if (node == NULL)
        return false;
    node->ray.object = true;
    node->is_told = !is_executed(at);
    at->frame->pending = node;
    return hold(at, at->words[10], node);
}

/* The trace is over, and what it hit is known. */
static void traced(const struct ws_ray_occasion *at)
{
    struct ws_ray_node *node = at->frame->pending;
    const uint32_t *words = at->words;
    if (node == NULL || node->ray.end != WS_RAY_UNKNOWN || at->frame->executes) {
        at->part->malformed++;
        return;
    }
    at->frame->pending = NULL;
    node->ray.end = words[1] != 0 ? WS_RAY_HIT : WS_RAY_MISSED;
    node->ray.has_hit = words[1] != 0;
    if (!node->ray.has_hit)
        return;
    node->ray.hit = (struct ws_ray_hit){.t = ws_ray_float(words[2]),
                                        .instance = words[3],
                                        .custom_index = words[4] & 0xffffff,
                                        .geometry = words[5],
                                        .primitive = words[6],
                                        .kind = words[7] & 0xff};
    if (node->accepted != NULL && node->accepted->candidate.hit.t == node->ray.hit.t)
        for (int i = 0; i < 2; ++i)
            node->ray.hit.attributes[i] = node->accepted->candidate.hit.attributes[i];
}

bool ws_ray_object_event(const struct ws_ray_occasion *at, enum ws_ray_event event)
{
    switch (event) {
    case WS_RAY_OBJECT_TRACE: return trace(at);
    case WS_RAY_OBJECT_TRACED: traced(at); return true;
    case WS_RAY_OBJECT_RECORD: return hold(at, at->words[0], NULL);
    default: /* WS_RAY_EXECUTE */
        at->frame->pending = held(at->frame, at->words[0]);
        at->frame->executes = true;
        return true;
    }
}

void ws_ray_object_run(struct ws_ray_part *part, struct ws_ray_frame *frame)
{
    const struct ws_ray_frame *outer = frame->outer;
    struct ws_ray_node *node = outer->pending;
    const uint32_t end = frame->stage == WS_STAGE_MISS ? WS_RAY_MISSED : WS_RAY_HIT;
    if (node == NULL) {
        frame->ray = outer->ray;
        frame->made = true;
        return;
    }
    frame->ray = node;
    frame->made =
        node->ray.end != WS_RAY_UNKNOWN && node->ray.end != WS_RAY_NO_SHADER && node->ray.end != end;
    if (frame->made) {
        part->malformed++;
        return;
    }
    node->ray.end = end;
    if (node->ray.first_hit_shader == WS_NONE)
        node->ray.first_hit_shader = frame->shader;
}
