/* What the analyses of accesses to memory name in rows: kinds of access and of memory, buffers, and places in the source.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_ROWS_H
#define WS_ANALYSIS_MEMORY_ROWS_H

#include "warpscope/base/id_map.h"
#include "warpscope/report/columns.h"

/* What is said of an access. */
struct ws_memory_place_info {
    const char *file; /* NULL = not known */
    uint32_t line;
    uint32_t size;      /* bytes that each lane touches */
    uint32_t kind;      /* enum ws_access_kind */
    const char *buffer; /* what it touches; NULL = not known */
};

/* The first member of the results of such an analysis, which is the `user` of its groups. */
struct ws_memory_rows {
    const struct ws_catalog *catalog;
    /* What accesses touch, by name and binding (struct ws_module_record, memories). Shaders that call it the same share one:
     * which memory that was in a launch is another dimension (ws_bound_find). */
    const char **buffers;
    uint32_t buffer_count;
    uint32_t buffer_capacity;
    struct ws_id_map buffer_ids; /* address of the text -> index */
    /* Says what access `place` of a module is. */
    struct ws_memory_place_info (*describe)(const struct ws_memory_rows *rows, uint32_t module,
                                            uint32_t place);
    /* How many accesses a module has; NULL = `place` does not count them. */
    uint32_t (*count)(const struct ws_memory_rows *rows, uint32_t module);
};

void ws_memory_rows_finish(struct ws_memory_rows *rows);

/* The index of what an access touches; `text` is of the catalog, NULL = not known. False when there is no memory. */
bool ws_memory_rows_buffer(struct ws_memory_rows *rows, const char *text, uint32_t *index);

/* Writes how reports call what ws_bound_find gave, or the allocation of that index. False where they say nothing. */
bool ws_memory_bound_text(const struct ws_catalog *catalog, uint32_t bound, char *text, size_t size);

/* Fields of dimensions. Keys: enum ws_access_kind; enum ws_access_memory; index in `buffers`; what ws_bound_find gives;
 * ws_key_in_shader of the place. */
extern const struct ws_field ws_memory_kind_fields[];
extern const struct ws_field ws_memory_memory_fields[];
extern const struct ws_field ws_memory_buffer_fields[];
extern const struct ws_field ws_memory_bound_fields[];
extern const struct ws_field ws_memory_place_fields[];

#endif
