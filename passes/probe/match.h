/* Which function of a rule fits a place, and with which values (probe.h, CALLS). Private to passes/probe. */
#ifndef WS_PASSES_PROBE_MATCH_H
#define WS_PASSES_PROBE_MATCH_H

#include "warpscope/probe.h"
#include "warpscope/spirv/module.h"

/* How a value becomes an argument. */
enum ws_probe_passing {
    WS_PROBE_PASS_CONTEXT, /* it is none of the place's values: AT, SHARED, SITE, LINE, FIRST */
    WS_PROBE_PASS_WHOLE,   /* as it is, or converted */
    WS_PROBE_PASS_PARTS,   /* one component, or one column, in each call */
    WS_PROBE_PASS_ADDRESS, /* the address of a pointer */
};

/* One argument. */
struct ws_probe_argument {
    enum ws_probe_passing passing;
    uint32_t value;            /* id; of a literal 0 */
    uint32_t literal;          /* where value is 0 */
    struct ws_probe_type type; /* of the value */
};

/* The calls at a place. */
struct ws_probe_match {
    uint32_t function; /* index in the probe's functions */
    uint32_t parts;    /* how many calls */
    struct ws_probe_argument arguments[WS_PROBE_PARAMETERS_MAX];
};

/* A place: an instruction, or NULL for a place that is about none. */
struct ws_probe_place_at {
    const struct ws_module *module;
    const struct ws_instruction *instruction;
    bool is_after;
};

/* Whether an instruction has one of the rule's opcodes. */
bool ws_probe_wants(const struct ws_module *module, const struct ws_probe_rule *rule,
                    const struct ws_instruction *instruction);

/* Finds the first function of the rule that fits best. False where none does. */
bool ws_probe_match(const struct ws_probe *probe, const struct ws_probe_rule *rule,
                    const struct ws_probe_place_at *place, struct ws_probe_match *match);

/* Writes why none does: the values that the functions ask for, and what the place has. For example
 * "no function takes OpIMul (result: int, lod: none)". */
void ws_probe_explain(const struct ws_probe *probe, const struct ws_probe_rule *rule,
                      const struct ws_probe_place_at *place, char *text, size_t size);

/* The type of a value of the module, as probes know types. False for another one, such as a struct. */
bool ws_probe_type_of(const struct ws_module *module, uint32_t type, struct ws_probe_type *known);

/* The result id of an instruction and the id of its type. False where it has none, or it is void. */
bool ws_probe_result_of(const struct ws_module *module, const struct ws_instruction *instruction,
                        uint32_t *id, uint32_t *type);

#endif
