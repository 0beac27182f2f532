/* What an application's module says about where its instructions come from in the source. */
#ifndef WARPSCOPE_SPIRV_CODE_H
#define WARPSCOPE_SPIRV_CODE_H

#include "warpscope/base/id_map.h"
#include "warpscope/spirv/module.h"

struct ws_source_file {
    uint32_t id;      /* of its OpString, or of its DebugSource */
    const char *name; /* never NULL */
    char *text;       /* NULL when the module does not hold it */
};

/* Where an instruction comes from. */
struct ws_source_place {
    uint32_t file; /* index in files; WS_NONE = not known */
    uint32_t line; /* as the compiler counted, from 1 */
    uint32_t
        inlined_at; /* id of the DebugInlinedAt of its scope; 0 = it was not inlined, or that is not known */
};

/* A module with its debug information (OpLine, OpSource; NonSemantic.Shader.DebugInfo.100 DebugLine,
 * DebugSource, DebugScope; scopes of OpenCL.DebugInfo.100 too). */
struct ws_code {
    struct ws_arena *arena; /* owns all but the module's words */
    struct ws_module module;
    struct ws_source_file *files;
    uint32_t file_count;
    uint32_t file_capacity;
    uint64_t text_bytes;            /* in all files' texts */
    struct ws_source_place *places; /* per instruction */
    uint32_t debug_set;             /* id of the OpExtInstImport of the debug information; 0 = none */
    uint32_t scope_set;       /* the same, or that of OpenCL.DebugInfo.100, which has scopes but no lines */
    struct ws_id_map file_of; /* id of OpString or DebugSource -> index in files */
};

/* Reads a module. `words` are untrusted and must outlive the result. NULL and `error` when it cannot be
 * read. */
struct ws_code *ws_code_create(const uint32_t *words, uint32_t word_count, struct ws_error *error);
void ws_code_destroy(struct ws_code *code);

/* The instructions of the words offset .. offset + length - 1: [first, end). Logarithmic. */
void ws_code_range(const struct ws_code *code, uint32_t offset, uint32_t length, uint32_t *first,
                   uint32_t *end);

/* A DebugInlinedAt: the line of the call that was replaced by the function's code, and in `*outer` the DebugInlinedAt
 * that the call itself is in, 0 = none. False where `id` is none. */
bool ws_code_inlined_at(const struct ws_code *code, uint32_t id, uint32_t *line, uint32_t *outer);

/* The name of an opcode, such as "OpLoad"; NULL for one that the headers of the build do not know. */
const char *ws_opcode_name(uint32_t opcode);

#endif
