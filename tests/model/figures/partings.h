/* Where threads of a compute shader part (analysis/reorder/places/partings.h), by brute force: a block dominates those that are
 * reached no more where it is taken away. */
#ifndef WS_TESTS_MODEL_PARTINGS_H
#define WS_TESTS_MODEL_PARTINGS_H

#include "tests/model/run/module.h"

struct ws_reorder_results;

/* A selection, or a loop. */
struct model_parting {
    uint32_t block; /* its header */
    bool loop;
    bool small;        /* it is none, for it is too small */
    uint64_t weighted; /* instructions of the region */
    uint32_t rank;     /* of its kind, by these */
    bool came;         /* a thread has come to its header */
    bool in[MODEL_BLOCKS];
    uint32_t side_count;
    uint32_t sides[MODEL_TARGETS];            /* blocks that its header leads to, each once */
    bool leads[MODEL_TARGETS][MODEL_TARGETS]; /* from one side to another */
};

struct model_partings {
    struct model_parting list[MODEL_BLOCKS];
    uint32_t count;
    bool unclear; /* which of them are looked at: the last ones weigh as much as others */
};

void model_partings_find(struct model_partings *partings, const struct model_shader *shader,
                         const struct model_module *module);

/* The parting of a header that is looked at; MODEL_NONE. */
uint32_t model_parting_at(const struct model_partings *partings, uint32_t block);

/* True when the analysis looks at the same; else what differs is on stdout. `shader`: in the catalog. */
bool model_partings_compare(const struct model_partings *partings, const struct model_module *module,
                            uint32_t shader, const struct ws_reorder_results *results);

#endif
