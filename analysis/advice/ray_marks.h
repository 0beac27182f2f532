/* Which rays are evidence for which rule of advice.
 *
 * While a rule is shown the rays it MARKS those that it counts as evidence, each for what it would tell of, which is a number:
 * that of an entry (evidence.h), unless the rule says otherwise. At the end it TELLS of some of these numbers. A ray is
 * evidence for the rule where it was marked for a number that is told of. Example: the rule leaks marks each ray that leaves
 * the scene for the gap that it comes out of; those of an open window are marked, too, but nothing is told of it.
 *
 * A ray is identified by its launch and its number there: chosen rays (ws_advice_is_chosen) are numbered in the order in
 * which they are handed on (rays.h).
 *
 * MEMORY: what is told of; the marks, 12 bytes each, are in a temporary file. Not thread-safe until they are settled. */
#ifndef WS_ANALYSIS_ADVICE_RAY_MARKS_H
#define WS_ANALYSIS_ADVICE_RAY_MARKS_H

#include "warpscope/base/id_map.h"
#include "warpscope/capture/scratch.h"

#define WS_MARK_RULES 32 /* rules that can be told apart: bits of a mask */

struct ws_ray_mark {
    uint32_t ray;    /* number in its launch */
    uint32_t number; /* what it is evidence for */
    uint32_t rule;   /* index in ws_advice_rules */
};

/* The marks of a launch lie side by side. */
struct ws_ray_marks_launch {
    uint64_t launch;
    uint64_t first;
    uint64_t count;
};

struct ws_ray_marks {
    struct ws_scratch file;
    uint64_t count;
    struct ws_ray_marks_launch *launches;
    uint32_t launch_count;
    uint32_t launch_capacity;
    struct ws_id_map told; /* rule << 32 | number -> 1 */
    struct ws_error error; /* why marks are missing; "" = none are */
};

/* NULL = no memory. */
struct ws_ray_marks *ws_ray_marks_create(void);
void ws_ray_marks_destroy(struct ws_ray_marks *marks);

/* Where there is no room for a mark, `error` says so, and no further marks are kept: advice goes on without. */
void ws_ray_marks_add(struct ws_ray_marks *marks, uint64_t launch, const struct ws_ray_mark *mark);
void ws_ray_marks_tell(struct ws_ray_marks *marks, uint32_t rule, uint32_t number);

/* After the last mark. False = marks are missing (`error`). */
bool ws_ray_marks_settle(struct ws_ray_marks *marks);

/* The rules that each ray of a launch is evidence for: sets bit i of `rules`[ray] for rule i, of `count` rays. Returns how many
 * rays are evidence. */
uint32_t ws_ray_marks_read(const struct ws_ray_marks *marks, uint64_t launch, uint32_t *rules,
                           uint32_t count);

#endif
