/* Advice: what to change in the application, with evidence, saving and certainty.
 *
 * What looks for one kind of it is a rule (rule.h). The run shows the rules every ray of every launch; at the
 * end they add what they found to a list.
 *
 * A piece of advice has one of three certainties. CERTAIN: it follows from the specification and the whole
 * capture. LIKELY: it follows if other frames and inputs are as those captured. POSSIBLE: the pattern is
 * usually a fault. Where the capture is only a part of what ran, the run lowers CERTAIN to LIKELY and says
 * why.
 *
 * Nothing here is thread-safe. */
#ifndef WS_ANALYSIS_ADVICE_ADVICE_H
#define WS_ANALYSIS_ADVICE_ADVICE_H

#include "analysis/model/effects.h"
#include "analysis/rays/rays.h"
#include "analysis/scene/scene.h"
#include "analysis/scene/scene_match.h"
#include "analysis/scene/scene_sbt.h"
#include "analysis/scene/scene_trace.h"

enum ws_certainty { WS_CERTAIN, WS_LIKELY, WS_POSSIBLE };

/* What the application would have less of. */
enum ws_saving {
    WS_SAVES_NOTHING, /* correctness or quality, not work */
    WS_SAVES_ANY_HIT,
    WS_SAVES_INTERSECTION,
    WS_SAVES_CLOSEST_HIT,
    WS_SAVES_MISS,
    WS_SAVES_RAYS,
    WS_SAVES_BYTES, /* of geometry */
};

struct ws_advice_rule;

/* One piece of advice. Its texts belong to the list, or are static. */
struct ws_advice {
    const struct ws_advice_rule *rule; /* that gives it; set by ws_advice_add */
    const char *subject;               /* "geometry 0 of instance 3 (leaves)", "screen.rahit:main" */
    const char *evidence;              /* one or two sentences with the numbers */
    const char *change;                /* the exact flag, call or argument to change, and to what */
    uint32_t saves;                    /* enum ws_saving */
    uint64_t saving;                   /* how many, over the capture */
    uint64_t of;                       /* of how many in the whole capture */
    uint32_t certainty;                /* enum ws_certainty */
    const char *doubt;                 /* why not more certain; NULL or "" = nothing */
    float place[3];                    /* in the world */
    bool has_place;
    uint32_t thread[3]; /* an example: the thread whose ray shows it */
    bool has_thread;
};

/* What rules know of the capture. It is complete before the end of the run; until then only what is said to
 * be. */
struct ws_advice_input {
    const struct ws_catalog *catalog;
    const struct ws_scene *scene;      /* complete; maybe empty */
    const struct ws_effects *effects;  /* what each shader does that can be seen */
    const struct ws_scene_sbt *tables; /* shader groups and binding tables; NULL = not captured */
    struct ws_scene_trace *trace;      /* traces rays on the CPU, for every rule in turn; NULL = no geometry,
                                        or a build that cannot */
};

/* One launch. All rays of the capture have been read once before, so the matcher is complete: it knows
 * through which structures the rays of each call site flew. */
struct ws_advice_launch {
    const struct ws_replay_threads *threads;
    struct ws_scene_matcher *matcher;
};

/* A list of advice. It grows, and owns the texts. NULL = no memory. */
struct ws_advice_list;
struct ws_advice_list *ws_advice_list_create(void);
void ws_advice_list_destroy(struct ws_advice_list *list);

/* Text for a piece of advice, as printf writes it. It lives as long as the list. When there is no memory it
 * is empty, and the next ws_advice_add fails. */
__attribute__((format(printf, 2, 3))) const char *ws_advice_text(struct ws_advice_list *list,
                                                                 const char *format, ...);

/* Adds a piece of advice of the rule that is at work. False = no memory. */
bool ws_advice_add(struct ws_advice_list *list, const struct ws_advice *advice);

/* Sorts: first what saves runs of shaders, then what saves bytes, then the rest; in each the larger saving
 * first, then the more certain, then by rule, subject and evidence. */
void ws_advice_list_sort(struct ws_advice_list *list);

/* All of it; valid until the next addition. */
const struct ws_advice *ws_advice_list_all(const struct ws_advice_list *list, size_t *count);

/* The rules at work on one capture. A rule that needs geometry stays silent where the scene has no
 * structures. `only`: the name of a single rule; NULL = all. NULL when there is no memory. `input` must
 * outlive the run. */
struct ws_advice_run;
struct ws_advice_run *ws_advice_run_create(const struct ws_advice_input *input, const char *only);
void ws_advice_run_destroy(struct ws_advice_run *run);

/* Shows the rules the rays of a thread, then that the launch has ended. False = no memory. */
bool ws_advice_run_thread(struct ws_advice_run *run, const struct ws_advice_launch *launch,
                          const struct ws_ray_thread *thread);
bool ws_advice_run_end_launch(struct ws_advice_run *run, const struct ws_advice_launch *launch);

/* Has the rules add their advice, and sorts the list. `partial`: why the capture is only a part of what ran
 * ("records are missing"), which the doubt of each piece then begins with; NULL = the capture is whole. False
 * = no memory. */
bool ws_advice_run_end(struct ws_advice_run *run, const char *partial, struct ws_advice_list *list);

/* Whether a rule is silent for want of geometry, or because it traces rays and this build cannot. */
bool ws_advice_run_is_silent(const struct ws_advice_run *run, const struct ws_advice_rule *rule);

#endif
