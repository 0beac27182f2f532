/* A rule of advice: it looks for one pattern in the rays of a capture, or in its shaders and their counters.
 *
 * Someone adding a rule writes one file of its name, which defines a struct ws_advice_rule, and adds one line
 * to advice.c. The file opens with the pattern, the evidence, what the saving counts, and an example. What is
 * left to write is what the rule counts (`ray`) and how it words what it found (`advise`): the run makes the
 * state, chooses the rays, finds the surface that each starts on, and goes through the entries at the end.
 * opaque.c is a long example, tmin_high.c a short one. Rules on shaders (`shader`) keep no entries: they are
 * in the folder shaders, where workgroup_size.c is a short one. */
#ifndef WS_ANALYSIS_ADVICE_RULE_H
#define WS_ANALYSIS_ADVICE_RULE_H

#include "analysis/advice/advice.h"
#include "analysis/advice/evidence.h"
#include "analysis/advice/ray_marks.h"
#include "analysis/advice/ray_source.h"
#include "analysis/rays/ray_paths.h"
#include "analysis/simt/idle_slots.h"
#include "warpscope/report/findings.h"

/* Where the rays of the thread under way are marked (ray_marks.h). */
struct ws_advice_marking {
    struct ws_ray_marks *marks; /* NULL = nobody asks */
    uint64_t launch;
    uint32_t *numbers; /* of the thread's rays, in the launch */
    uint32_t capacity;
    uint32_t next; /* number of the next chosen ray */
};

/* What a rule's evidence is: rays, which it marks; or else. */
enum ws_advice_evidence {
    WS_EVIDENCE_SHADER, /* what shaders are, and their counters */
    WS_EVIDENCE_RAYS,
    WS_EVIDENCE_THREADS,
    WS_EVIDENCE_GEOMETRY
};

/* "shader", "rays", "threads", "geometry". */
const char *ws_advice_evidence_name(enum ws_advice_evidence evidence);

/* What the state of every rule begins with. */
struct ws_advice_state {
    const struct ws_advice_input *input;
    struct ws_advice_marking *marking; /* the run's */
    uint32_t rule;                     /* index in ws_advice_rules */
    struct ws_evidence evidence;       /* entries of ws_advice_rule.entry_size bytes */
    uint64_t all; /* of what the rule saves, how many the capture has; counted by the rule */
};

/* A ray as a rule is shown it. */
struct ws_advice_ray {
    const struct ws_advice_launch *launch;
    const struct ws_ray_thread *thread;
    const struct ws_ray *ray;
    uint32_t number; /* of the ray in its thread */
    const struct ws_ray_source
        *source;   /* the surface that it starts on (ray_source.h); NULL = none is known */
    bool self_hit; /* it hits that surface where it starts (ray_source.h) */
};

/* A shader as a rule is shown it: its code, and how often each block of it ran, over the whole capture. */
struct ws_advice_shader {
    const struct ws_shader_run *run;
    const struct ws_idle_slots *idle; /* NULL: it was counted by threads */
    uint64_t all;                     /* instruction slots of all shaders of the capture */
    const char *name;                 /* "blur.comp:main" */
    uint32_t stage;                   /* enum ws_stage */
    struct ws_arena *scratch;         /* for what is needed only as long as it is shown */
};

/* Functions that return bool return false when there is no memory. Those marked so may be NULL. */
struct ws_advice_rule {
    const char *name;    /* "opaque" */
    const char *title;   /* "Mark geometry opaque" */
    const char *summary; /* one line for --help: what evidence it takes */
    enum ws_advice_evidence evidence;
    bool needs_geometry;
    bool traces_rays;   /* it needs scene_trace.h, which some builds lack; with needs_geometry */
    bool skips_queries; /* it is not shown the rays of ray queries */
    bool of_all_rays;   /* it says what no ray ever did: silent where only rays of some shaders are seen */
    bool told;          /* another analysis tells the summary of it: advice does not */
    bool undefined;     /* what it finds is undefined behaviour: nothing is more worth knowing */
    enum ws_finding_cause
        cause;         /* of what it finds, which figures of a shader tell too (findings.h); 0 = its own */
    size_t state_size; /* of its state, whose first member is a struct ws_advice_state */
    size_t entry_size; /* of what it counts for one subject */

    /* The state is zeroed but for its first member. `finish` frees what the rule has added to it, the
     * entries' own memory included; after a failed `init` too. Both may be NULL. */
    bool (*init)(void *state);
    void (*finish)(void *state);

    bool (*ray)(void *state, const struct ws_advice_ray *shown); /* every chosen ray; may be NULL */
    /* Every thread that traced, after its rays, with those that were not chosen (ws_advice_is_chosen); may be NULL. */
    bool (*thread)(void *state, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread);
    bool (*end_launch)(void *state, const struct ws_advice_launch *launch); /* may be NULL */

    /* Every shader that ran, after the last launch, where the capture has counters of simt_efficiency and the
     * module can be read: adds advice. May be NULL. */
    bool (*shader)(void *state, const struct ws_advice_shader *shader, struct ws_advice_list *list);

    /* Once, after the last launch: adds advice that is not about a single entry, and works out what `advise`
     * needs. May be NULL. */
    bool (*end)(void *state, struct ws_advice_list *list);
    /* Every entry, by its number, after that: adds advice if its evidence is enough. May be NULL. Certainties
     * are for a whole capture: the run lowers them where it is a part. */
    bool (*advise)(void *state, uint32_t number, struct ws_advice_list *list);
};

/* Marks a ray of the thread under way, by its number in the thread, as evidence for what has that number; and tells of what
 * has that number (ray_marks.h). Rules whose evidence is rays call the first as they count, the second as they give advice. */
void ws_advice_mark(const struct ws_advice_state *state, uint32_t ray, uint32_t number);
void ws_advice_tell(const struct ws_advice_state *state, uint32_t number);

/* Whether advice is on the ray: a chosen shader traced it. */
bool ws_advice_is_chosen(const struct ws_advice_input *input, const struct ws_advice_launch *launch,
                         const struct ws_ray *ray);

/* All rules, in the order of their names in advice.c; NULL after the last. */
const struct ws_advice_rule *const *ws_advice_rules(void);

#endif
