/* Advice: what to change in the application, with evidence, saving and certainty. What looks for one kind of
 * it is a rule: a file of its name here, and a line in advice.c. A rule is shown every ray of every launch, and
 * at the end adds the advice that its evidence supports.
 *
 * The rule of certainty: CERTAIN: follows from the specification and the whole capture; LIKELY: follows if
 * other frames and inputs behave as those captured; POSSIBLE: a pattern that is usually a fault, to be looked
 * at. A truncated or sampled capture lowers CERTAIN to LIKELY by itself (advice.c), and says so. */
#ifndef WS_ANALYSIS_ADVICE_ADVICE_H
#define WS_ANALYSIS_ADVICE_ADVICE_H

#include "analysis/model/effects.h"
#include "analysis/rays/ray_paths.h"
#include "analysis/rays/rays.h"
#include "analysis/scene/scene.h"
#include "analysis/scene/scene_match.h"
#include "analysis/scene/scene_trace.h"

enum ws_certainty { WS_CERTAIN, WS_LIKELY, WS_POSSIBLE };

/* What would run less often. */
enum ws_saving {
    WS_SAVES_NOTHING, /* correctness or quality, not work */
    WS_SAVES_ANY_HIT,
    WS_SAVES_INTERSECTION,
    WS_SAVES_CLOSEST_HIT,
    WS_SAVES_MISS,
    WS_SAVES_RAYS,
    WS_SAVES_BYTES, /* of geometry */
};

/* One piece of advice. */
struct ws_advice {
    const struct ws_advice_rule *rule; /* that gives it; set by ws_advice_add */
    const char *subject;  /* what it is about: "geometry 0 of instance 3 (leaves)", "screen.rahit:main" */
    const char *evidence; /* one or two sentences with the numbers */
    const char *change;   /* the exact flag, call or argument to change, and to what */
    uint32_t saves;       /* enum ws_saving */
    uint64_t saving;      /* how many, over the capture */
    uint64_t of;          /* of how many that there were in the whole capture */
    uint32_t certainty;   /* enum ws_certainty */
    const char *doubt;    /* why not more certain; "" = nothing */
    float place[3];       /* where in the world */
    bool has_place;
    uint32_t thread[3]; /* an example: the thread whose ray shows it best */
    bool has_thread;
};

/* All that rules read; complete before end. */
struct ws_advice_input {
    const struct ws_catalog *catalog;
    const struct ws_scene *scene;      /* maybe empty */
    const struct ws_effects *effects;  /* what each shader does that can be seen */
    const struct ws_scene_sbt *tables; /* groups and tables; NULL = not captured */
    struct ws_scene_trace *trace;      /* rays on the CPU, for all in turn; NULL = no geometry */
};

struct ws_advice_list; /* grows; owns the texts */

/* Adds advice of the rule whose end is being called. Copies the texts. False = no memory. */
bool ws_advice_add(struct ws_advice_list *list, const struct ws_advice *advice);

/* One launch. Before the first ray is shown to the rules, all rays of the capture have been read once, so
 * it is known already which structures they flew through. */
struct ws_advice_launch {
    const struct ws_replay_threads *threads;
    struct ws_scene_matcher *matcher; /* complete */
    const struct ws_ray_step *steps;  /* of the rays of the thread under way; set by ws_advice_run_thread */
};

/* Certainties are for what a whole capture would bear: advice.c lowers them where it is a part. */
struct ws_advice_rule {
    const char *name;    /* "opaque" */
    const char *title;   /* "Mark geometry opaque" */
    const char *summary; /* one line for --help: what evidence it takes */
    bool needs_geometry;
    void *(*create)(const struct ws_advice_input *input);
    void (*destroy)(void *rule);
    /* Either all rays of a thread, or each of them in turn, the other NULL. */
    bool (*thread)(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread);
    bool (*ray)(void *rule, const struct ws_advice_launch *launch, const struct ws_ray_thread *thread,
                uint32_t number);
    bool (*end_launch)(void *rule, const struct ws_advice_launch *launch); /* may be NULL */
    bool (*end)(void *rule, struct ws_advice_list *list);
};

/* All rules, in the order of their names in advice.c; NULL after the last. */
const struct ws_advice_rule *const *ws_advice_rules(void);

/* Most saving first: advice that saves runs of shaders, then what saves bytes, then the others, each by how
 * many; of equal ones the more certain first, then by rule and subject. */
struct ws_advice_list *ws_advice_list_create(void);
void ws_advice_list_destroy(struct ws_advice_list *list);
void ws_advice_list_sort(struct ws_advice_list *list);
const struct ws_advice *ws_advice_list_all(const struct ws_advice_list *list, size_t *count);

/* All rules at work. Those that need geometry stay silent where the scene has no structures. `only`: the
 * name of a single one, NULL = all. NULL when there is no memory. `input` must outlive it. */
struct ws_advice_run;
struct ws_advice_run *ws_advice_run_create(const struct ws_advice_input *input, const char *only);
void ws_advice_run_destroy(struct ws_advice_run *run);
bool ws_advice_run_thread(struct ws_advice_run *run, const struct ws_advice_launch *launch,
                          const struct ws_ray_thread *thread);
bool ws_advice_run_end_launch(struct ws_advice_run *run, const struct ws_advice_launch *launch);
/* `partial`: why the capture is only a part of what ran ("records are missing"): then what would be certain
 * is likely, and its doubt begins with that. NULL = it is whole. Sorts the list. */
bool ws_advice_run_end(struct ws_advice_run *run, const char *partial, struct ws_advice_list *list);
/* Whether a rule is silent for want of geometry. */
bool ws_advice_run_is_silent(const struct ws_advice_run *run, const struct ws_advice_rule *rule);

#endif
