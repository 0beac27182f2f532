/* Counts for the rules of advice (rule.h), by subject, and the names of subjects.
 *
 * A SUBJECT is what a rule counts evidence for, such as a call site or a geometry. It is identified by a
 * few words, which are the same in every launch. Example: the words of a call site are the hash of its
 * module and the offset of the instruction. So if the application makes a pipeline again, its call sites
 * remain the same subjects. */
#ifndef WS_ANALYSIS_ADVICE_EVIDENCE_H
#define WS_ANALYSIS_ADVICE_EVIDENCE_H

#include "analysis/advice/advice.h"
#include "warpscope/base/id_map.h"

#define WS_EVIDENCE_RECENT 16
#define WS_EVIDENCE_SITES  8 /* a power of two */

/* One entry for each subject. Entries are numbered from 0 in the order in which they are added. An entry is
 * a struct that the rule defines, of `entry_size` bytes. To begin, set `entry_size` and zero the rest. Not
 * thread-safe. */
struct ws_evidence {
    size_t entry_size;
    uint32_t count;
    /* By a hash of their words: numbers of subjects that were asked for, for most evidence is of one of the last few. */
    uint32_t recent[WS_EVIDENCE_RECENT];
    /* Call sites that were asked for alone, by the lowest bits of their number: most rays are of one of the last few. */
    struct ws_evidence_site {
        uint32_t shader;
        uint32_t site;
        bool query;
        uint32_t number; /* + 1; 0 = none */
    } sites[WS_EVIDENCE_SITES];
    struct ws_subject *subjects; /* by number */
    unsigned char *entries;      /* by number */
    uint32_t *next;              /* by number: the entry added before with the same hash; WS_NONE = none */
    struct ws_id_map first;      /* hash of a subject -> number of the last entry with that hash */
    uint32_t subject_capacity;
    uint32_t entry_capacity;
    uint32_t next_capacity;
};

/* Frees all entries. */
void ws_evidence_finish(struct ws_evidence *evidence);

/* Returns the entry of a subject. If it has none, adds one that is all zero. `*added` receives whether one
 * was added; `added` may be NULL. The pointer is valid until the next addition. NULL if there is no
 * memory. */
void *ws_evidence_add(struct ws_evidence *evidence, const struct ws_subject *subject, bool *added);

/* Returns the entry of a subject; NULL if it has none. Valid until the next addition. */
void *ws_evidence_find(const struct ws_evidence *evidence, const struct ws_subject *subject);

/* Convert between an entry and its number. */
void *ws_evidence_at(const struct ws_evidence *evidence, uint32_t number);
uint32_t ws_evidence_number(const struct ws_evidence *evidence, const void *entry);

/* A call site. Entries that are added by call site begin with it. */
struct ws_call_site {
    uint32_t shader; /* index in the catalog */
    uint32_t site;   /* index in its module's sites */
};

/* Does the same as ws_evidence_add, for the call site that traced a ray and three more words (`more` NULL =
 * zeros). The subject is: hash of the module (2 words), offset, whether it is a ray query, the three words.
 * The entry must begin with a struct ws_call_site, which is set when the entry is added. */
void *ws_evidence_add_site(struct ws_evidence *evidence, const struct ws_catalog *catalog,
                           const struct ws_ray *ray, const uint32_t more[3], bool *added);

/* Sets words 0 to 3 of `subject` to those of a shader. They are the same for an entry point of a module in
 * every pipeline, whatever its specialization. */
void ws_subject_shader(const struct ws_catalog *catalog, uint32_t shader, struct ws_subject *subject);

/* What several rules may want to change: the last words of a topic (advice.h). */
enum ws_topic {
    WS_TOPIC_TMIN = 1,  /* of a call site */
    WS_TOPIC_RAY_FLAGS, /* of a call site */
    WS_TOPIC_SHADER,    /* what a shader does */
};

/* Set the topic of a piece of advice: something of a call site, or of a shader. */
void ws_advice_set_topic_site(struct ws_advice *advice, const struct ws_catalog *catalog,
                              struct ws_call_site site, enum ws_topic topic);
void ws_advice_set_topic_shader(struct ws_advice *advice, const struct ws_catalog *catalog, uint32_t shader);

/* A place in the scene and a thread that show an example of the evidence: the worst, which is the thread with
 * most of it (of equal ones the first), at the first place of its own. Zero-initialised, it holds none. */
struct ws_advice_example {
    bool given;         /* it holds an example */
    float place[3];     /* in the world */
    uint64_t launch;    /* of the thread */
    uint32_t thread[3]; /* work id */
    uint64_t most;      /* evidence of that thread */
    uint64_t under_way; /* evidence of the thread that was given last */
    uint64_t owner[2];  /* its launch and index */
    float first[3];     /* its first place */
};

/* Counts a piece of evidence of a thread. Pieces of one thread come one after the other. */
void ws_advice_example_give(struct ws_advice_example *example, const float place[3],
                            const struct ws_advice_launch *launch, const struct ws_ray_thread *thread);

/* Copy place and thread into the advice. A place that is not finite is left out. */
void ws_advice_set_example(struct ws_advice *advice, const struct ws_advice_example *example);
void ws_advice_set_place(struct ws_advice *advice, const float place[3]);
void ws_advice_set_thread(struct ws_advice *advice, uint64_t launch, const uint32_t work[3]);

/* Name the instance, and the geometry of it, that the advice is about. */
void ws_advice_set_instance(struct ws_advice *advice, uint32_t instance);
void ws_advice_set_geometry(struct ws_advice *advice, uint32_t instance, uint32_t geometry);

/* The instance that a ray hit, as the captured geometry has it. */
struct ws_target {
    uint32_t top;     /* the top-level build that the ray was traced through */
    uint32_t content; /* content of the instance's structure; WS_NONE = nothing of the target is known */
    struct ws_scene_instance instance;
};

/* Finds the instance that a ray hit. False if it is not known: the capture has no geometry, or it is not
 * certain which top-level structure the ray was traced through, or that structure has no such instance. */
bool ws_target_find(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                    const struct ws_ray *ray, const struct ws_ray_hit *hit, struct ws_target *target);

/* Returns the geometry that was hit; NULL if it is not known. The scene owns it. */
const struct ws_scene_geometry *ws_target_geometry(const struct ws_advice_input *input,
                                                   const struct ws_target *target, uint32_t geometry);

/* Whether an opacity micromap has its say when a ray meets the geometry: the geometry has one, and the instance does not
 * disable it. */
bool ws_target_has_micromap(const struct ws_advice_input *input, const struct ws_target *target,
                            uint32_t geometry);

/* Whether that micromap may let rays pass, so that more would be met if the geometry was opaque: it has triangles with parts
 * other than opaque ones, and unknown ones that are opaque with two states; or what it holds is not captured. */
bool ws_target_has_holes(const struct ws_advice_input *input, const struct ws_target *target,
                         uint32_t geometry);

/* Whether by that micromap rays may hit triangles of the geometry without asking the any-hit shader. */
bool ws_target_has_opaque_parts(const struct ws_advice_input *input, const struct ws_target *target,
                                uint32_t geometry);

/* Whether of some triangles of the geometry it is not captured what that micromap says. */
bool ws_target_lacks_opacities(const struct ws_advice_input *input, const struct ws_target *target,
                               uint32_t geometry);

/* Returns the length of the diagonal of the box around everything that a ray can meet, in the world; 0 if
 * it is not known. */
double ws_advice_scene_size(const struct ws_advice_launch *launch, const struct ws_ray *ray);

/* Returns the effects (effects.h) of a shader, by its index in the catalog; NULL if they are not known. */
const struct ws_shader_effects *ws_advice_effects(const struct ws_advice_input *input, uint32_t shader);

/* What one run of a shader costs, in slots, by its index in the catalog; 0 = what one of its stage does (cost.h,
 * ws_advice_run_cost). For `advise`: the counters are complete at the end. */
double ws_advice_shader_cost(const struct ws_advice_input *input, uint32_t shader);

/* The effects (effects.h) of all hit groups of a launch's pipeline together, by stage. The effect OTHER
 * stands for a shader whose effects are not known. */
struct ws_group_effects {
    uint32_t any_hit;
    uint32_t closest_hit;
    uint32_t intersection;
};

/* Sets `effects` for a launch. False if the hit groups of its pipeline are not known. */
bool ws_group_effects_find(const struct ws_advice_input *input, uint64_t launch,
                           struct ws_group_effects *effects);

/* Return names for texts of advice. The list owns them.
 *   call site  "rays traced at room.rgen:21 (room.rgen:main)"
 *   shader     "leaf.rahit:main"
 *   content    the name of the first structure that was built with it, "'leaves'"; if that has no name,
 *              "bottom-level structure 4"; if the content is not known, "" */
const char *ws_advice_site_name(struct ws_advice_list *list, const struct ws_catalog *catalog,
                                struct ws_call_site site);
const char *ws_advice_shader_name(struct ws_advice_list *list, const struct ws_catalog *catalog,
                                  uint32_t shader);
const char *ws_advice_content_name(struct ws_advice_list *list, const struct ws_scene *scene,
                                   uint32_t content);

/* Sets `point` to origin + t * direction. */
void ws_ray_point(const struct ws_ray *ray, float t, float point[3]);

/* Returns "time" for 1, else "times". */
const char *ws_times(uint64_t count);

/* Returns 100 * part / whole; 0 if `whole` is 0. */
double ws_percent(uint64_t part, uint64_t whole);

#endif
