/* What the words of a unit of the library say, or of a probe's: what it has, and what its functions use. It is the same for
 * every module. The units that are built in are read once per process, by whichever thread needs them first, and are read-only
 * then; those of probes are read for each module. */
#ifndef WS_PASSES_LINK_UNIT_H
#define WS_PASSES_LINK_UNIT_H

#include "passes/link/library.h"
#include "passes/link/recipe.h"
#include "warpscope/error.h"
#include "warpscope/spirv/module.h"

#define WS_UNIT_VARIABLES_MAX 8  /* built-ins that one unit uses */
#define WS_UNIT_PRIVATES_MAX  64 /* private variables that one unit uses: bits of ws_unit_uses.privates */
#define WS_UNITS_SHARED       64 /* units of the library that are read once; those behind them would be each time */
#define WS_UNIT_ALIASES       2 /* kinds of functions that stand for others */
#define WS_UNIT_NEED_COUNT    12

/* A capability that only some functions of a unit need. What they need is declared where they are linked. */
struct ws_unit_need {
    uint32_t capability;
    const char *extension; /* which goes with it; NULL = none */
    const char *reason;    /* why a function cannot be linked without it */
};

extern const struct ws_unit_need ws_unit_needs[WS_UNIT_NEED_COUNT];

/* A built-in input variable of a unit. All ids are the unit's. */
struct ws_unit_variable {
    uint32_t id;
    uint32_t built_in;
    uint32_t pointer;  /* its type */
    uint32_t pointee;  /* and what that points to */
    uint32_t integers; /* how many integers it is; 0 = of another type */
};

/* A private variable of a unit. */
struct ws_unit_private {
    uint32_t id;          /* in the unit */
    const uint32_t *name; /* literal string, NUL-terminated and padded */
    uint32_t name_length; /* words */
    uint32_t initializer; /* id of a constant of the unit; 0 = begins undefined */
    bool is_own;          /* of a probe; else the one of this name, which is one in a module for all units */
    bool is_instanced;    /* each instance has its own (struct ws_link_unit) */
};

/* What a function or a global of a unit uses, what it calls included. */
struct ws_unit_uses {
    uint64_t variables; /* mask by index in ws_unit_code.variables */
    uint64_t privates;  /* and in ws_unit_code.privates */
    uint64_t reads;     /* those of them that are not only stored to */
    uint32_t needs;     /* mask of capabilities that only some functions of a unit need (ws_unit_needs) */
};

struct ws_unit_code {
    const struct ws_library_unit *source;
    struct ws_module module;
    uint8_t *is_id;                      /* per word */
    uint8_t *decorated;                  /* per id: by OpDecorate */
    const struct ws_instruction **names; /* per id: its OpName; NULL = it has none */
    uint32_t *
        annotation_ends; /* per id and 1: where those of the id before end in `annotations`, its own begin there */
    uint32_t *annotations;           /* names and decorations, as indices of instructions */
    uint32_t *aliases;               /* per id: the function to call instead of this one; 0 = itself */
    struct ws_unit_uses *uses;       /* per id: of globals; of functions as far as they are found */
    uint8_t *found;                  /* per function: its uses are */
    uint32_t *listed;                /* functions whose uses are being found */
    uint8_t *is_listed;              /* per function */
    uint32_t *weights;               /* per id, of functions, in parts; 0 = not known yet */
    struct ws_unit_recipe **recipes; /* per function, NULL = not known yet */
    uint32_t *marks;                 /* per id: used to find these */
    struct ws_unit_variable variables[WS_UNIT_VARIABLES_MAX];
    uint32_t variable_count;
    struct ws_unit_private privates[WS_UNIT_PRIVATES_MAX];
    uint32_t private_count;
};

/* Which functions stand for others where this is granted, a mask of ws_unit_needs: what to give ws_unit_get. */
uint32_t ws_unit_lacks(uint32_t granted);

/* What is known of a unit. One whose `index` in the library is given is shared and lives as long as the process; any other
 * (WS_NONE) is made from `arena` and belongs to one thread. NULL and a message after a failure. Thread-safe. */
struct ws_unit_code *ws_unit_get(const struct ws_library_unit *source, uint32_t index, uint32_t lacks,
                                 struct ws_arena *arena, struct ws_error *error);

/* Finds what a function uses, and all that it calls. Of shared units all is found already. */
void ws_unit_find_uses(struct ws_unit_code *code, uint32_t function);

/* What a call of a function costs in compiling, in counters (ws_link_weight). At least 1. */
uint32_t ws_unit_weight(struct ws_unit_code *code, uint32_t function);

/* Bit of a capability in masks of ws_unit_needs; 0 if it is none of them. */
uint32_t ws_unit_need(uint32_t capability);

#endif
