/* What lanes come by on a path, as one record (records.h, PATH RECORD), encoded from that page alone.
 *
 * Units of places that may be steps of a path wait. Where lanes come to the end of a path, and all that they came by
 * since their last record is that path, it becomes one record, with the turns of its loops before it. A path stands for
 * what its lanes do together: where they have not, as threads that fall into a switch case apart from those that are sent
 * there, and where they came by anything else, each place is a record of its own. */
#ifndef WS_TESTS_MODEL_PATHS_H
#define WS_TESTS_MODEL_PATHS_H

#include "tests/model/run/warps.h"

/* A record that is appended. */
struct model_appended {
    uint32_t unit; /* it is this one; MODEL_NONE: a record with words, of a path or of turns */
    uint32_t context;
    uint32_t site;
    struct ws_lanes lanes;
    uint32_t first; /* of its words: of each lane, the lowest first */
    uint32_t count; /* of all lanes */
};

struct model_paths {
    struct model_appended *list;
    uint32_t count;
    uint32_t capacity;
    uint32_t *words;
    uint32_t word_count;
    uint32_t word_capacity;
    uint32_t paths; /* how many records are of paths with words */
    uint32_t turns; /* of turns */
    uint32_t steps; /* units that they stand for */
};

/* Fills `paths`, which starts zeroed or as the last call left it. `joins` false: each unit is a record. The units of `warps`
 * are put into the order in which the records tell them: that of each thread stays. */
void model_paths_make(struct model_paths *paths, struct model_warps *warps,
                      const struct model_module *modules, bool joins, uint64_t seed);
void model_paths_finish(struct model_paths *paths);

#endif
