/* A shader of a random program as Warpscope instruments it: which of its sites stand for which places of the
 * model. The places are found from the words, apart from passes/: by labels, and by counting calls in a
 * block. */
#ifndef WS_TESTS_MODEL_MODULE_H
#define WS_TESTS_MODEL_MODULE_H

#include "tests/model/run/interpret.h"
#include "warpscope/instrument.h"

/* A part of a block. MODEL_NONE: there is no such part, or no such site. */
struct model_part {
    uint32_t index;        /* in the blocks of the instrumented module; MODEL_NONE: never reached */
    uint32_t instructions; /* that a device executes */
    uint32_t offset;       /* word offset of its beginning */
    uint32_t site;         /* of its records */
    uint32_t row;          /* of its counter */
};

/* Places in a block: at its beginning, at each action, at its end. MODEL_NONE: there is no such site. */
struct model_places {
    struct model_part parts[MODEL_PARTS];
    uint32_t sync;                  /* sites of records, as those below */
    uint32_t before[MODEL_ACTIONS]; /* of an OpFunctionCall: its WS_SITE_PLACE_CALL */
    uint32_t after[MODEL_ACTIONS];
    uint32_t data[MODEL_ACTIONS];   /* data records of ray_events before it */
    uint32_t told[MODEL_ACTIONS];   /* and after it */
    uint32_t resume[MODEL_ACTIONS]; /* sites of continuations */
    uint32_t end;
    uint32_t demoted[MODEL_ACTIONS];
    uint32_t end_clock; /* data records of warp_time before these two */
    uint32_t demoted_clock[MODEL_ACTIONS];
    uint32_t end_row; /* counter rows of the pass warp_entry_exit */
    uint32_t demoted_row[MODEL_ACTIONS];
    uint32_t before_row[MODEL_ACTIONS]; /* of a report */
    uint32_t after_row[MODEL_ACTIONS];
    uint32_t action_offset[MODEL_ACTIONS]; /* word offsets */
    uint32_t end_offset;
};

struct model_module {
    uint32_t *words; /* of the original module */
    size_t word_count;
    struct ws_instrumented *instrumented;
    const char *const *passes; /* not owned */
    uint32_t pass_count;
    struct model_places places[MODEL_BLOCKS];
    uint32_t launch_row;
    uint32_t entry_row;    /* of the pass warp_entry_exit */
    uint32_t returned_row; /* of the same */
    uint32_t entry;        /* site of the entry record */
    uint32_t hit;          /* data record of ray_events where a hit shader begins */
    uint32_t clock;        /* that of warp_time where a shader begins */
};

/* Whether a site's records show what the clock does. */
bool model_is_clock(const struct model_module *module, uint32_t site);

/* Emits, assembles and instruments a shader, and finds its places. One warp in `sample` counts; 0: all. False with a message
 * on stdout when the sites are not those that the passes promise. */
bool model_module_init(struct model_module *module, const struct model_program *program, uint32_t shader,
                       const char *const *passes, uint32_t pass_count, uint32_t sample);
void model_module_finish(struct model_module *module);

#endif
