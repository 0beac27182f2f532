/* Thread paths and visits of call sites (analysis/compaction/thread_compaction.h), by following each thread through the
 * program. */
#ifndef WS_TESTS_MODEL_VISITS_H
#define WS_TESTS_MODEL_VISITS_H

#include "tests/model/run/warps.h"

#define MODEL_WAY   MODEL_FUNCTIONS /* function calls on the way to a call site, at most */
#define MODEL_SLOTS 512
#define MODEL_KEY   (1 + MODEL_WAY * MODEL_LOOPS)

/* A place in a function: an action of a block. */
struct model_place_of {
    uint32_t block;
    uint32_t action;
};

/* A call site by way. */
struct model_slot {
    uint32_t shader;
    struct model_place_of way[MODEL_WAY]; /* function calls, then the call site */
    uint32_t way_count;                   /* the call site included */
    uint32_t
        loops[MODEL_KEY]; /* headers of the loops around it, outermost first, those of callers included */
    uint32_t frames[MODEL_KEY]; /* in which function of the way each is: 0 = the entry point's */
    uint32_t depth;
};

/* A symbol of a path. key[0]: how often the thread had entered the shader; then iterations, of which the
 * symbol has `length` (with the first). */
struct model_symbol {
    uint32_t slot;
    uint32_t thread;
    uint32_t key[16];
    uint32_t length;
    uint32_t sequence; /* number of the event at which it came */
    bool taken;
};

struct model_visits {
    struct model_slot slots[MODEL_SLOTS];
    uint32_t slot_count;
    bool too_many;                /* slots, or loops around one: of no use */
    struct model_symbol *symbols; /* by slot, then thread, then as they came */
    struct model_symbol *taken;   /* the taken ones by slot, then key */
    uint32_t taken_count;
    uint32_t last[MODEL_SLOTS][MODEL_THREADS]; /* symbols while they come: the last one + 1 */
    uint32_t symbol_count;
    uint32_t symbol_capacity;
    struct model_set entered[MODEL_SHADERS]; /* threads that entered each shader */
};

/* Fills `visits`, which starts zeroed or as the last call left it. */
void model_visits_make(struct model_visits *visits, const struct model_program *program,
                       const struct model_run *run);
void model_visits_finish(struct model_visits *visits);

/* The path of a thread at a slot, as ws_path_text writes it; freed by the caller. */
char *model_visits_path(const struct model_visits *visits, uint32_t slot, uint32_t thread);

/* Warps required for windows of `window` warps. */
uint64_t model_visits_required(const struct model_visits *visits, const struct model_warps *warps,
                               uint32_t slot, uint64_t window);

#endif
