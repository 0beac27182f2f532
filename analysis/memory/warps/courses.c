#include "analysis/memory/warps/courses.h"

#include "warpscope/instrument.h"
#include "warpscope/stage.h"

void ws_course_enter(struct ws_course *course, struct ws_course *caller, struct ws_lanes lanes,
                     uint32_t stage)
{
    const bool ends = stage != WS_STAGE_ANY_HIT && stage != WS_STAGE_INTERSECTION;
    if (ws_lanes_any(ws_lanes_and(caller->served, lanes))) {
        caller->call++;
        caller->served = (struct ws_lanes){0};
    }
    while (course->path_count < caller->path_count) {
        course->path[course->path_count] = caller->path[course->path_count];
        course->path_count++;
    }
    if (course->path_count < WS_WIDE_CALLS_MAX)
        course->path[course->path_count++] = 2 * caller->call + ends;
    if (ends)
        caller->served = ws_lanes_or(caller->served, lanes);
}

/* The loops around an access, outermost first: as many as there is room for. */
static void find_loops(const uint32_t *loops, uint32_t loop, struct ws_wide_order *order)
{
    uint32_t depth = 0;
    for (uint32_t i = loop; i != WS_NONE; i = loops[i])
        depth++;
    order->loop_count = depth < WS_WIDE_LOOPS_MAX ? depth : WS_WIDE_LOOPS_MAX;
    for (uint32_t i = loop; i != WS_NONE; i = loops[i])
        if (--depth < WS_WIDE_LOOPS_MAX)
            order->loops[depth] = (struct ws_wide_turn){i, 0};
}

/* What is known of the function, which becomes the first one. Those that it calls begin anew. */
static struct ws_wide_order *find_last(struct ws_course *course, uint32_t function, uint32_t height)
{
    struct ws_course_function *functions = course->functions;
    struct ws_course_function found = {.function = function, .height = height};
    uint32_t count = 0;
    for (uint32_t i = 0; i < WS_COURSE_FUNCTIONS; ++i)
        if (functions[i].function == function)
            found = functions[i];
        else if (functions[i].function != 0 && functions[i].height >= height)
            functions[count++] = functions[i];
    count = count < WS_COURSE_FUNCTIONS - 1 ? count : WS_COURSE_FUNCTIONS - 1;
    for (uint32_t i = count; i > 0; --i)
        functions[i] = functions[i - 1];
    for (uint32_t i = count + 1; i < WS_COURSE_FUNCTIONS; ++i)
        functions[i] = (struct ws_course_function){0};
    functions[0] = found;
    return &functions[0].last;
}

void ws_course_go_on(struct ws_course *course, const struct ws_module_traces *traces, uint32_t site,
                     struct ws_wide_order *order)
{
    const struct ws_traced_position *position = &traces->positions[site];
    struct ws_wide_order *last = find_last(course, position->function, position->height);
    uint32_t shared = 0;
    order->place = position->order;
    find_loops(traces->loops, position->loop, order);
    while (shared < order->loop_count && shared < last->loop_count &&
           order->loops[shared].loop == last->loops[shared].loop) {
        order->loops[shared].turn = last->loops[shared].turn;
        shared++;
    }
    if (shared > 0 && order->place <= last->place)
        order->loops[shared - 1].turn++;
    for (uint32_t i = 0; i < course->path_count; ++i)
        order->calls[i] = course->path[i];
    order->call_count = course->path_count;
    *last = *order;
    course->call = 0;
    course->served = (struct ws_lanes){0};
}
