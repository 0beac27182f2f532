/* The keys that all questions on rays have in common: a launch, and a filter (ray_filter.h) on its rays. */
#ifndef WS_ANALYSIS_VIEWER_RAYS_RAY_QUERY_H
#define WS_ANALYSIS_VIEWER_RAYS_RAY_QUERY_H

#include "analysis/viewer/rays/ray_filter.h"
#include "analysis/viewer/viewer.h"

/* The keys of filters, for ws_viewer_resource.keys. */
#define WS_RAY_FILTER_KEYS                                                                                   \
    "end kind depth instance geometry primitive shader site any_hits intersections t warp pixels thread "    \
    "ids rule parents"

/* Rays that one answer of ray.json tells of at most. */
#define WS_RAYS_TOLD 256

/* The rays of the launch, and which of them fit. Both belong to the capture, and are valid until the next call. */
struct ws_ray_question {
    const struct ws_launch_record *launch;
    const struct ws_ray_store *store;
    const struct ws_ray_set *set; /* NULL = all */
    uint64_t matches;
};

/* False and `error` where the query is wrong, or the rays cannot be read. */
bool ws_ray_question_read(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                          const struct ws_viewer_query *query, struct ws_ray_question *question,
                          struct ws_error *error);

static inline bool ws_ray_question_has(const struct ws_ray_question *question, uint32_t ray)
{
    return question->set == NULL || ws_ray_set_has(question->set, ray);
}

/* Takes the keys `first` and `count`: which of the rays that fit are wanted. */
bool ws_ray_question_page(const struct ws_viewer_query *query, uint64_t usual, uint64_t most, uint64_t *first,
                          uint64_t *count, struct ws_error *error);

#endif
