/* What the accesses to memory of a shader came to in caches (memory/caches.h), by line, by block and by instruction: for each
 * line, kind of access and buffer the sums of all accesses there. Not thread-safe. */
#ifndef WS_ANALYSIS_ANNOTATE_ANNOTATE_MEMORY_H
#define WS_ANALYSIS_ANNOTATE_ANNOTATE_MEMORY_H

#include "analysis/annotate/annotate.h"
#include "analysis/memory/caches.h"

/* Accesses of one kind to one buffer, at one instruction. */
struct ws_annotate_access {
    uint32_t file;        /* index in the code's files; WS_NONE = not known */
    uint32_t line;        /* in it */
    uint32_t instruction; /* of the code */
    uint32_t block;       /* of the module; WS_NONE = none */
    enum ws_access_kind kind;
    const char *buffer; /* by name and binding: text of the catalog; NULL = not known */
    struct ws_caches_sums sums;
};

/* What accesses are looked up by. */
enum ws_annotate_key {
    WS_ANNOTATE_BY_LINE, /* file << 32 | line */
    WS_ANNOTATE_BY_BLOCK,
    WS_ANNOTATE_BY_INSTRUCTION,
    WS_ANNOTATE_KEYS,
};

/* So what a line costs grows with its own accesses, not with those of the shader. */
struct ws_annotate_memory {
    struct ws_annotate_access *list;    /* by buffer and kind, then by instruction */
    uint32_t *orders[WS_ANNOTATE_KEYS]; /* indices in the list: by the key, then in its order */
    uint32_t count;
};

/* Finds those of a shader. `caches`: the rows of the analysis caches; NULL = not known. False without memory. The caller
 * finishes. */
bool ws_annotate_memory_find(struct ws_annotate_memory *memory, const struct ws_groups *caches,
                             const struct ws_annotation *annotation);
/* Sorts the list, and makes what lines are looked up by. False without memory. */
bool ws_annotate_memory_sort(struct ws_annotate_memory *memory);
void ws_annotate_memory_finish(struct ws_annotate_memory *memory);

/* The sums of the next kind and buffer that a line has: of `file`, with the line's number; of disassembly at its instruction;
 * of GLSL that was made in its block, on the first line of that. `*at` counts accesses of the line, and is then where to go
 * on: 0 at first. False: there is no more. */
bool ws_annotate_memory_next(const struct ws_annotate_memory *memory, uint32_t file,
                             const struct ws_annotate_line *line, uint32_t *at,
                             struct ws_annotate_access *found);

#endif
