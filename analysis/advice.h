/* Recommendations: each is one adviser, a file advice_*.c and a line in advice.c. An adviser sees every ray
 * of every invocation and, at the end, gives items that its evidence bears; where it does not, none.
 *
 * The rule of certainty: CERTAIN: follows from the specification and the whole capture; LIKELY: follows if
 * other frames and inputs behave as those captured; POSSIBLE: a pattern that is usually a fault, to be looked
 * at. A truncated or sampled capture lowers CERTAIN to LIKELY by itself (advice.c), and says so. */
#ifndef WS_ANALYSIS_ADVICE_H
#define WS_ANALYSIS_ADVICE_H

#include "effects.h"
#include "rays.h"
#include "scene.h"
#include "scene_match.h"

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

struct ws_advice {
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

/* All that advisers read; complete before end. */
struct ws_advice_input {
    const struct ws_catalog *catalog;
    const struct ws_scene *scene;      /* maybe empty */
    const struct ws_effects *effects;  /* what each shader does that can be seen */
    const struct ws_scene_sbt *tables; /* groups and tables; NULL = not captured */
};

struct ws_advice_list; /* grows; owns the texts */

/* Adds an item, texts copied, made by printf where there are arguments. False = no memory. */
bool ws_advice_add(struct ws_advice_list *list, const struct ws_advice *advice);

/* One invocation while its rays are handed over twice: first for matching, then to the advisers. */
struct ws_advice_invocation {
    const struct ws_replay_threads *threads;
    struct ws_scene_matcher *matcher; /* complete */
};

struct ws_adviser {
    const char *name;    /* "opaque" */
    const char *title;   /* "Mark geometry opaque" */
    const char *summary; /* one line for --help: what evidence it takes */
    bool needs_geometry;
    void *(*create)(const struct ws_advice_input *input);
    void (*destroy)(void *adviser);
    bool (*thread)(void *adviser, const struct ws_advice_invocation *invocation,
                   const struct ws_ray_thread *thread);
    bool (*end_invocation)(void *adviser, const struct ws_advice_invocation *invocation); /* may be NULL */
    bool (*end)(void *adviser, struct ws_advice_list *list);
};

#endif
