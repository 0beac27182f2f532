#include "analysis/advice/ray_marks.h"

#include <stdlib.h>

#include "warpscope/base/array.h"

#define WHAT "which rays advice is about"

struct ws_ray_marks *ws_ray_marks_create(void)
{
    struct ws_ray_marks *marks = calloc(1, sizeof(*marks));
    if (marks != NULL)
        ws_scratch_init(&marks->file);
    return marks;
}

void ws_ray_marks_destroy(struct ws_ray_marks *marks)
{
    if (marks == NULL)
        return;
    ws_scratch_finish(&marks->file);
    ws_id_map_finish(&marks->told);
    free(marks->launches);
    free(marks);
}

/* The launch under way: its marks come one after the other. NULL = no memory. */
static struct ws_ray_marks_launch *launch_of(struct ws_ray_marks *marks, uint64_t launch)
{
    if (marks->launch_count > 0 && marks->launches[marks->launch_count - 1].launch == launch)
        return &marks->launches[marks->launch_count - 1];
    struct ws_ray_marks_launch *launches =
        ws_array_grow(marks->launches, &marks->launch_capacity, marks->launch_count + 1, sizeof(*launches));
    if (launches == NULL)
        return NULL;
    marks->launches = launches;
    launches[marks->launch_count] = (struct ws_ray_marks_launch){.launch = launch, .first = marks->count};
    return &launches[marks->launch_count++];
}

void ws_ray_marks_add(struct ws_ray_marks *marks, uint64_t launch, const struct ws_ray_mark *mark)
{
    if (marks->error.message[0] != '\0')
        return;
    struct ws_ray_marks_launch *of = launch_of(marks, launch);
    if (of == NULL) {
        ws_error_set(&marks->error, "no memory for " WHAT);
        return;
    }
    if (!ws_scratch_add(&marks->file, mark, sizeof(*mark), WHAT, &marks->error))
        return;
    of->count++;
    marks->count++;
}

void ws_ray_marks_tell(struct ws_ray_marks *marks, uint32_t rule, uint32_t number)
{
    if (!ws_id_map_put(&marks->told, (uint64_t)rule << 32 | number, 1))
        ws_error_set(&marks->error, "no memory for " WHAT);
}

bool ws_ray_marks_settle(struct ws_ray_marks *marks)
{
    if (ws_scratch_map(&marks->file, WHAT, &marks->error))
        return marks->error.message[0] == '\0';
    marks->launch_count = 0; /* none can be read */
    return false;
}

uint32_t ws_ray_marks_read(const struct ws_ray_marks *marks, uint64_t launch, uint32_t *rules, uint32_t count)
{
    const struct ws_ray_mark *all = (const struct ws_ray_mark *)(const void *)marks->file.mapping;
    uint32_t some = 0;
    for (uint32_t i = 0; i < marks->launch_count; ++i) {
        const struct ws_ray_marks_launch *of = &marks->launches[i];
        for (uint64_t m = of->first; of->launch == launch && m < of->first + of->count; ++m) {
            uint32_t ignored;
            const struct ws_ray_mark *mark = &all[m];
            if (mark->ray >= count || mark->rule >= WS_MARK_RULES ||
                !ws_id_map_get(&marks->told, (uint64_t)mark->rule << 32 | mark->number, &ignored))
                continue;
            some += rules[mark->ray] == 0;
            rules[mark->ray] |= 1u << mark->rule;
        }
    }
    return some;
}
