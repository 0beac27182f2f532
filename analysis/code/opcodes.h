/* The words for instructions in place lines of probes: opcodes, families of opcodes and instructions of GLSL.std.450, by
 * name. All static; safe from any thread. */
#ifndef WS_ANALYSIS_CODE_OPCODES_H
#define WS_ANALYSIS_CODE_OPCODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "passes/base/near.h"

/* A family: opcodes that belong together. */
struct ws_opcode_family {
    const char *name;
    const char *patterns; /* of names of opcodes, separated by blanks (passes/base/glob.h) */
    const char *what;     /* one line, for people */
};

/* All families; the last has no name. */
extern const struct ws_opcode_family ws_opcode_families[];

/* Calls `take` for each instruction that a word means, as struct ws_probe_rule has them: an opcode ("OpFDiv"), a pattern of
 * opcodes ("OpImage*"), a family ("float"), or an instruction of GLSL.std.450 ("Sqrt"). Returns how many there were: 0
 * where the word means nothing. Opcodes that no function can have, and those where nothing can be put, are left out of
 * families and patterns. */
uint32_t ws_opcodes_find(const char *word, void (*take)(void *user, uint32_t wanted), void *user);

/* The word for one instruction, as above: "OpFDiv", "Sqrt". */
const char *ws_opcode_word(uint32_t wanted);

/* Why no code can be put before (or after) an opcode, as a clause with the remedy; NULL where it can. */
const char *ws_opcode_refusal(uint32_t wanted, bool after);

/* Tries all names of opcodes, families and instructions of GLSL.std.450. */
void ws_opcodes_near(struct ws_near *near);

/* Base types that an opcode's operand or result can have, as a mask of 1 << enum ws_probe_base: what its name says.
 * OpFDiv has floats, OpULessThan has unsigned operands and a boolean result; OpLoad can have all. */
uint32_t ws_opcode_bases(uint32_t wanted, bool is_result);

#endif
