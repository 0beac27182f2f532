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

#include "analysis/advice/cost.h"
#include "analysis/rays/rays.h"
#include "analysis/reorder/reorder.h"
#include "analysis/scene/scene.h"
#include "analysis/scene/scene_match.h"
#include "analysis/scene/scene_sbt.h"
#include "analysis/scene/scene_trace.h"
#include "analysis/simt/idle_losses.h"
#include "analysis/simt/shader_run.h"
#include "warpscope/model/effects.h"

enum ws_certainty { WS_CERTAIN, WS_LIKELY, WS_POSSIBLE };

struct ws_advice_rule;
struct ws_ray_marks;

/* What a rule counts evidence for, and what advice would change, is identified by a few words, which are the
 * same in every launch. Unused words are 0. */
#define WS_SUBJECT_WORDS 7

struct ws_subject {
    uint32_t words[WS_SUBJECT_WORDS];
};

/* The most lines of code: one in each language. */
#define WS_ADVICE_CODE 3

/* Which way a piece of advice pulls what it would change. */
enum ws_pull { WS_PULL_NEITHER, WS_PULL_UP, WS_PULL_DOWN };

/* One piece of advice. Its texts belong to the list, or are static. */
struct ws_advice {
    const struct ws_advice_rule *rule; /* that gives it; set by ws_advice_add */
    uint32_t shader;                   /* index in the catalog of the shader at work; set by ws_advice_add */
    const char *subject;               /* "geometry 0 of instance 3 (leaves)", "screen.rahit:main" */
    const char *evidence;              /* one or two sentences with the numbers */
    const char *change;                /* the exact flag, call or argument to change, and to what */
    /* The same apart, where `change` ends with code: what stands before it, and lines such as "GLSL   ...". NULL = no code. */
    const char *before_code;
    const char *code[WS_ADVICE_CODE];
    uint32_t saves;      /* enum ws_saving */
    uint64_t saving;     /* how many, over the capture */
    uint64_t of;         /* of how many in the whole capture */
    double cost;         /* of one of these, in slots; 0 = what one of the kind costs */
    bool at_most;        /* what the change needs may cost as much again */
    uint64_t wrong_rays; /* rays that find what they should not, until it is changed */
    uint32_t certainty;  /* enum ws_certainty */
    const char *doubt;   /* why not more certain; NULL or "" = nothing */
    float place[3];      /* in the world */
    bool has_place;
    uint64_t launch;    /* an example: of its thread */
    uint32_t thread[3]; /* the thread whose ray shows it */
    bool has_thread;
    uint32_t instance; /* index in the top-level structure; of several, one in which it was met */
    bool has_instance;
    uint32_t geometry; /* index in the instance's structure; of several, one of them */
    bool has_geometry;

    /* What the change is about, such as tmin of a call site (WS_TOPIC_TMIN). All zeros = nothing that other
     * advice is about. */
    struct ws_subject topic;
    enum ws_pull pull;

    /* Set by ws_advice_list_rank. */
    double share;     /* of the capture's work, or bytes, that is at stake; 0 = that is not counted */
    uint32_t number;  /* from 1; pieces that are joined have one number */
    bool joined;      /* it has its cause in common with the piece before it */
    uint32_t against; /* index of a piece that pulls the other way; WS_NONE = none */
    bool small;       /* it is not worth a look: shown only where it is asked for */
};

/* What rules know of the capture. It is complete before the end of the run; until then only what is said to
 * be. */
struct ws_advice_input {
    const struct ws_catalog *catalog;
    const struct ws_selection *selection; /* rays of which shaders advice is on; NULL = all */
    bool
        unseen; /* what some shaders do was not recorded, so maybe not all rays; known at the end of the run */
    const struct ws_scene *scene;       /* complete; maybe empty */
    const struct ws_effects *effects;   /* what each shader does that can be seen */
    const struct ws_scene_sbt *tables;  /* shader groups and binding tables; NULL = not captured */
    const struct ws_simt_results *simt; /* counters of blocks, complete at the end of the run; NULL = none */
    const struct ws_reorder_results *reorder; /* complete at the end of the run; NULL = no pass divergence */
    struct ws_shader_modules *modules;        /* code of the shaders; NULL = not kept */
    struct ws_ray_marks *marks;   /* gets the rays that are evidence (ray_marks.h); NULL = nobody asks */
    struct ws_scene_trace *trace; /* traces rays on the CPU, for every rule in turn; NULL = no geometry,
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

/* The rule that is at work: it gives what is added next. `shader`: index in the catalog of the shader that it is shown;
 * WS_NONE = none. */
void ws_advice_list_begin(struct ws_advice_list *list, const struct ws_advice_rule *rule, uint32_t shader);

/* Adds a piece of advice of the rule that is at work. False = no memory. */
bool ws_advice_add(struct ws_advice_list *list, const struct ws_advice *advice);

/* Puts `partial` in front of every doubt, and lowers CERTAIN to LIKELY: what is certain of a part is only
 * likely of the whole. False = no memory. */
bool ws_advice_list_lower(struct ws_advice_list *list, const char *partial);

/* Puts the list in its order, once, when it is complete.
 *
 * AT STAKE is what a piece saves, or the rays that find what they should not, whichever costs more (cost.h). Its SHARE
 * is that cost as a share of the capture's work; of bytes, of the bytes in question. First come pieces about work, then
 * those that save at most so much, which may be nothing, then those about bytes, each by share; then those of which
 * nothing can be counted; last all that is SMALL: pieces that save less than a thousandth, and make less than one ray
 * in 10,000 wrong. (So few wrong rays are one pixel in a hundred times a hundred, which can be seen; so little work
 * cannot.) Pieces of one place in that order come by certainty, then by rule, subject and evidence.
 *
 * Pieces of the same topic that do not pull in opposite directions have one cause: they are JOINED. They stand
 * behind the one with the largest share, and share its number. Pieces of one topic that do pull in opposite
 * directions refer to each other (`against`).
 *
 * Example: 5 % of the rays of a call hit the surface that they start on, and 1 % pass through another that is
 * nearer than tmin. The first piece is ranked by 5 % and wants a larger tmin, the second by 1 % and wants a
 * smaller one. Each names the other.
 *
 * False when there is no memory. */
bool ws_advice_list_rank(struct ws_advice_list *list, const struct ws_advice_costs *costs);

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

/* Has the rules add their advice, and ranks the list. `partial`: why the capture is only a part of what ran
 * ("records are missing"), which the doubt of each piece then begins with; NULL = the capture is whole. False
 * = no memory. */
bool ws_advice_run_end(struct ws_advice_run *run, const char *partial, struct ws_advice_list *list);

/* What work of different kinds costs in this capture; valid after the end of the run. */
const struct ws_advice_costs *ws_advice_run_costs(const struct ws_advice_run *run);

/* What idle lanes take, by shader; complete after the end of the run. Empty without counters. */
const struct ws_idle_losses *ws_advice_run_losses(const struct ws_advice_run *run);

/* Whether a rule is silent for want of geometry, because it traces rays and this build cannot, or, once the run has
 * ended, for want of counters, or because it is of all rays and only those of some shaders are seen. */
bool ws_advice_run_is_silent(const struct ws_advice_run *run, const struct ws_advice_rule *rule);

#endif
