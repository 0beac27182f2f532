/* What rules of advice (rule.h) count, by subject, and how subjects are named.
 *
 * A SUBJECT is what evidence is summed over, such as a call site or a geometry. It is a few words that are
 * equal in every launch in which it is the same thing: a call site is the hash of its module and the offset
 * of the instruction, so that a pipeline that is made again does not count apart. */
#ifndef WS_ANALYSIS_ADVICE_EVIDENCE_H
#define WS_ANALYSIS_ADVICE_EVIDENCE_H

#include "analysis/advice/advice.h"
#include "passes/base/id_map.h"

#define WS_SUBJECT_WORDS 7

/* Words that are not needed are 0. */
struct ws_subject {
    uint32_t words[WS_SUBJECT_WORDS];
};

/* An entry for each subject, numbered from 0 in the order in which they are added. An entry is a struct of
 * the rule's own, of `entry_size` bytes. Zero-initialised but for that size, it is empty. */
struct ws_evidence {
    size_t entry_size;
    uint32_t count;
    struct ws_subject *subjects;
    unsigned char *entries;
    uint32_t *next;         /* the one added before, with the same hash; WS_NONE */
    struct ws_id_map first; /* hash of a subject -> the last added one with that hash */
    uint32_t subject_capacity;
    uint32_t entry_capacity;
    uint32_t next_capacity;
};

void ws_evidence_finish(struct ws_evidence *evidence);

/* The entry of a subject, which is added, zeroed, where there is none. `added` tells which; it may be NULL.
 * The entry stays where it is until the next addition. NULL when there is no memory. */
void *ws_evidence_add(struct ws_evidence *evidence, const struct ws_subject *subject, bool *added);

/* The entry of a subject; NULL = none. */
void *ws_evidence_find(const struct ws_evidence *evidence, const struct ws_subject *subject);

/* An entry by its number, and the number of an entry. */
void *ws_evidence_at(const struct ws_evidence *evidence, uint32_t number);
uint32_t ws_evidence_number(const struct ws_evidence *evidence, const void *entry);

/* A call site: what an entry that is added by call site begins with. */
struct ws_call_site {
    uint32_t shader; /* index in the catalog */
    uint32_t site;   /* index in its module's sites */
};

/* The entry of the call site that traced a ray and of three words more (NULL = 0). It begins with a struct
 * ws_call_site, which is set where it is added. As ws_evidence_add. Subject: module hash (2 words), offset,
 * whether it is a ray query, the three words. */
void *ws_evidence_add_site(struct ws_evidence *evidence, const struct ws_catalog *catalog,
                           const struct ws_ray *ray, const uint32_t more[3], bool *added);

/* The subject of a shader: the entry point of a module, in whichever pipeline, specialized however. Words 0
 * to 3. */
void ws_subject_shader(const struct ws_catalog *catalog, uint32_t shader, struct ws_subject *subject);

/* A place and a thread that show what the evidence is about: the first that were given. Zero-initialised has
 * none. */
struct ws_advice_example {
    bool given;
    float place[3];
    uint32_t thread[3];
};

void ws_advice_example_give(struct ws_advice_example *example, const float place[3],
                            const struct ws_ray_thread *thread);

/* Gives the advice the place, where it is finite, and the thread. */
void ws_advice_set_example(struct ws_advice *advice, const struct ws_advice_example *example);
void ws_advice_set_place(struct ws_advice *advice, const float place[3]);
void ws_advice_set_thread(struct ws_advice *advice, const uint32_t work[3]);

/* The instance that a ray hit, as the captured geometry has it. */
struct ws_target {
    uint32_t top;     /* build that the ray flew through */
    uint32_t content; /* of the instance's structure; WS_NONE = not known, nor is anything here */
    struct ws_scene_instance instance;
};

/* False where it is not known: there is no geometry, or no structure, or more than one, fits the rays of this
 * call. */
bool ws_target_find(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                    const struct ws_ray *ray, const struct ws_ray_hit *hit, struct ws_target *target);

/* The description of the geometry that was hit; NULL = not known. */
const struct ws_scene_geometry *ws_target_geometry(const struct ws_advice_input *input,
                                                   const struct ws_target *target, uint32_t geometry);

/* Length of the diagonal of the box, in the world, around all that a ray may meet; 0 = not known. */
double ws_advice_scene_size(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                            const struct ws_ray *ray);

/* What a shader (index in the catalog) does that can be seen; NULL = not known. */
const struct ws_shader_effects *ws_advice_effects(const struct ws_advice_input *input, uint32_t shader);

/* What the hit groups of a launch's pipeline do (effects.h), all of them together; OTHER where that of one is
 * not known. False where the groups are not known. */
struct ws_group_effects {
    uint32_t any_hit;
    uint32_t closest_hit;
    uint32_t intersection;
};
bool ws_group_effects_find(const struct ws_advice_input *input, uint64_t launch,
                           struct ws_group_effects *effects);

/* Names, as texts of the list. A call site: "rays traced at room.rgen:21 (room.rgen:main)". A shader:
 * "leaf.rahit:main". A content, by the structure that was built so first: "'leaves'" or "bottom-level
 * structure 4"; "" where it is not known. */
const char *ws_advice_site_name(struct ws_advice_list *list, const struct ws_catalog *catalog,
                                struct ws_call_site site);
const char *ws_advice_shader_name(struct ws_advice_list *list, const struct ws_catalog *catalog,
                                  uint32_t shader);
const char *ws_advice_content_name(struct ws_advice_list *list, const struct ws_scene *scene,
                                   uint32_t content);

/* origin + t direction. */
void ws_ray_point(const struct ws_ray *ray, float t, float point[3]);

/* "time" or "times". */
const char *ws_times(uint64_t count);

/* 100 part / whole; 0 where the whole is. */
double ws_percent(uint64_t part, uint64_t whole);

#endif
