/* What advice is about: evidence is summed over all launches by subjects that mean the same in each, and
 * named so that it can be found in the application. For the rules (advice.h). */
#ifndef WS_ANALYSIS_ADVICE_SUBJECT_H
#define WS_ANALYSIS_ADVICE_SUBJECT_H

#include "analysis/advice/advice.h"

#define WS_SUBJECT_WORDS 7

/* A subject: words that are equal where it is the same. Those not needed are 0. */
struct ws_subject {
    uint32_t words[WS_SUBJECT_WORDS];
};

/* Numbers subjects from 0 in the order of appearing. Zero-initialised is empty. */
struct ws_subjects {
    struct ws_id_map first; /* hash of a subject -> the last added one with that hash */
    struct ws_subject *subjects;
    uint32_t *next; /* the one added before, with the same hash; WS_NONE */
    uint32_t count;
    uint32_t capacity;
    uint32_t next_capacity;
};

void ws_subjects_finish(struct ws_subjects *subjects);

/* Its number; WS_NONE where it was not added. */
uint32_t ws_subjects_find(const struct ws_subjects *subjects, const struct ws_subject *subject);

/* Its number, added where it is new; WS_NONE when there is no memory. */
uint32_t ws_subjects_add(struct ws_subjects *subjects, const struct ws_subject *subject);

/* `*values` with an element of `size` bytes for each subject, new ones zeroed; `*capacity` is how many it has
 * room for. False when there is no memory. */
bool ws_subjects_follow(const struct ws_subjects *subjects, void **values, uint32_t *capacity, size_t size);

/* A shader: the entry point of a module, in whichever pipeline, specialized however. Words 0 to 3. */
void ws_subject_shader(const struct ws_catalog *catalog, uint32_t shader, struct ws_subject *subject);

/* A call site: module and offset. Words 0 to 3. */
void ws_subject_site(const struct ws_catalog *catalog, const struct ws_ray *ray, struct ws_subject *subject);

/* The instance that was hit, as the captured geometry has it. */
struct ws_target {
    uint32_t top;     /* build that the ray flew through */
    uint32_t content; /* of the instance's structure; WS_NONE = not known, nor is anything here */
    struct ws_scene_instance instance;
};

/* False where it is not known: no geometry, no structure that fits the rays of this call, or several. */
bool ws_target_find(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                    const struct ws_ray *ray, const struct ws_ray_hit *hit, struct ws_target *target);

/* The description of the geometry that was hit; NULL = not known. */
const struct ws_scene_geometry *ws_target_geometry(const struct ws_advice_input *input,
                                                   const struct ws_target *target, uint32_t geometry);

/* Length of the diagonal of the world box of what a ray may meet; 0 = not known. */
double ws_ray_scene_size(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                         const struct ws_ray *ray);

/* What the hit groups of a launch's pipeline do (effects.h), all of them together; OTHER where it is not
 * known of one. False where the groups are not known. */
struct ws_group_effects {
    uint32_t any_hit;
    uint32_t closest_hit;
    uint32_t intersection;
};
bool ws_group_effects_find(const struct ws_advice_input *input, uint64_t launch,
                           struct ws_group_effects *effects);

/* "'leaves'" or "bottom-level structure 4", by the structure that was built so first; "" where not known. */
void ws_subject_name_content(const struct ws_scene *scene, uint32_t content, char *text, size_t size);

/* origin + t direction. */
void ws_ray_point(const struct ws_ray *ray, float t, float point[3]);

/* Whether all are finite. */
bool ws_are_finite(const float *values, uint32_t count);

/* Gives the advice an example: this thread. */
void ws_advice_set_thread(struct ws_advice *advice, const uint32_t work[3]);
void ws_advice_set_place(struct ws_advice *advice, const float place[3]);

/* "time" or "times". */
const char *ws_times(uint64_t count);

/* 100 part / whole; 0 where the whole is. */
double ws_percent(uint64_t part, uint64_t whole);

#endif
