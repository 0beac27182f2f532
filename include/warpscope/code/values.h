/* What the values of a module depend on: which are the same for all threads of a command, and which instructions a
 * value needs.
 *
 * INVARIANT is a value that is the same in every thread of one dispatch, draw or trace, whenever it is computed: it
 * is made of nothing but constants, push constants, uniform buffers and the size of the command. What is not known to
 * be invariant is not: loads of storage buffers and images, values that loops change, parameters and results of
 * functions. A Function or Private variable is invariant where it is stored to once, as a whole, with an invariant
 * value, in a block that all its loads come after.
 *
 * CONSTANT is what is invariant and known when the pipeline is made: it is made of nothing but constants, and
 * specialization constants among them. No device computes it in its threads.
 *
 * A SLICE is the instructions that some chosen ones need: those that compute their operands, those that store what
 * they load from variables of the thread (Function, Private, Output), and the branches that decide whether they run
 * at all or how often. A slice stays in the function of each chosen instruction; a call that is needed stands for all
 * that it calls. Where it is not certain that something is not needed, it is in the slice. */
#ifndef WARPSCOPE_CODE_VALUES_H
#define WARPSCOPE_CODE_VALUES_H

#include "warpscope/code/constructs.h"

/* A place that writes to a variable, or may: one of a list. */
struct ws_variable_write {
    uint32_t instruction; /* index in module->instructions */
    uint32_t next;        /* index in writes; WS_NONE = last */
};

/* Everything is in the arena. */
struct ws_values {
    const struct ws_module *module;
    const struct ws_constructs *constructs; /* per function */
    struct ws_arena *arena;
    bool *invariant;       /* per id: its value is; of a pointer: its address */
    bool *constant;        /* per id: its value is; of a pointer: its address */
    uint32_t *block;       /* per instruction: index in module->blocks; WS_NONE = in none */
    uint32_t *base;        /* per id: the variable or parameter that a pointer points into; 0 = it is none */
    uint32_t *first_write; /* per id of a variable or parameter, in writes; WS_NONE = none */
    struct ws_variable_write *writes;
    uint32_t *location; /* per id: its decoration Location; WS_NONE = none */
    uint32_t *built_in; /* per id: its decoration BuiltIn, or that of a member of a struct; WS_NONE = none */
    bool *writes_globals; /* per function: it stores to Private or Output variables, or calls one that does */
    uint32_t *uses;       /* per id: how many operands of instructions of functions it is */
};

/* Fills `values`. `constructs` is an array with those of each function and must live as long. Linear in the module.
 * False on no memory. */
bool ws_values_find(struct ws_values *values, struct ws_arena *arena, const struct ws_module *module,
                    const struct ws_constructs *constructs);

/* The operands of an instruction that are ids of values or variables: [*first, *end), as ws_operand counts, without
 * `*skipped` (WS_NONE = none). Labels of branches and called functions are not among them. */
void ws_value_operands(const struct ws_module *module, const struct ws_instruction *instruction,
                       uint32_t *first, uint32_t *end, uint32_t *skipped);

/* The result id of an instruction; 0 = it has none. */
uint32_t ws_value_result(const struct ws_module *module, const struct ws_instruction *instruction);

/* Whether an instruction only computes its result from the values of its operands: no memory, no other lane, no
 * control flow. */
bool ws_value_is_computed(const struct ws_module *module, const struct ws_instruction *instruction);

/* What a load of a variable of a function gives: the value that is stored to it once. NULL = not known. */
const struct ws_instruction *ws_value_stored(const struct ws_values *values,
                                             const struct ws_instruction *load);

/* Whether a condition picks one lane: subgroupElect(), or a comparison (==, !=) of gl_SubgroupInvocationID,
 * gl_LocalInvocationIndex or a component of gl_LocalInvocationID with something. How many lanes it really picks, the
 * other side of the comparison decides. */
bool ws_value_elects(const struct ws_values *values, uint32_t condition);

/* The storage class of a variable; UINT32_MAX = it is none. */
uint32_t ws_variable_class(const struct ws_module *module, uint32_t variable);

struct ws_slice {
    const struct ws_values *values;
    bool *needed;         /* per instruction */
    bool *block_needed;   /* per module->blocks: whether and how often it runs matters */
    uint32_t *written_in; /* per variable: the last function whose stores to it were added, + 1 */
    uint32_t *list;       /* needed, and their own needs not looked at yet */
    uint32_t count;
};

/* An empty slice, in an arena. False on no memory. */
bool ws_slice_init(struct ws_slice *slice, const struct ws_values *values, struct ws_arena *arena);

/* Makes it empty again. */
void ws_slice_reset(struct ws_slice *slice);

/* Adds an instruction and all that it needs. */
void ws_slice_add(struct ws_slice *slice, uint32_t instruction);

/* What would go if some instructions went: loads and computations whose result nobody else uses, and stores to
 * variables of a function that nobody else loads. */
struct ws_removal {
    const struct ws_values *values;
    bool *removed;  /* per instruction */
    uint32_t *uses; /* per id: how many are left */
    uint32_t *list; /* removed instructions, in the order in which they went */
    uint32_t count;
    uint32_t settled; /* of `list`: what these used has been let go */
};

/* Nothing is removed yet; in an arena. False on no memory. */
bool ws_removal_init(struct ws_removal *removal, const struct ws_values *values, struct ws_arena *arena);

/* Takes everything back. */

void ws_removal_reset(struct ws_removal *removal);

/* Removes an instruction, though its result may be used, and what only it needs. */
void ws_removal_remove(struct ws_removal *removal, uint32_t instruction);

/* Takes one use of a value away, and what only that needs. */
void ws_removal_drop(struct ws_removal *removal, uint32_t id);

#endif
