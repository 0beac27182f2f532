/* Changing a module: the original words are never touched; an editor keeps what is inserted, replaced and
 * appended, and the writer merges it in one walk over the instructions. Without edits the result equals the
 * original word for word.
 *
 * Errors are sticky: after the first failure every edit does nothing and every id returned is 0, so that a
 * pass can go through to its end and ask once. Not thread-safe; editors of different modules are independent.
 */
#ifndef WS_PASSES_SPIRV_EDIT_H
#define WS_PASSES_SPIRV_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"
#include "warpscope/spirv/module.h"
#include "warpscope/spirv/opcode.h"

/* A growing array of words in the editor's arena. Zero-initialised it is empty. */
struct ws_words {
    uint32_t *data;
    uint32_t count;
    uint32_t capacity;
};

struct ws_edit_table; /* what stands before, instead of and after each instruction */
struct ws_type_table; /* undecorated types and constants by content: types.h */
struct ws_linker;     /* what came in from the library: link.h */

struct ws_editor {
    const struct ws_module *module;
    struct ws_arena *arena; /* the module's */
    struct ws_error error;  /* the first failure; empty while all is well */
    bool failed;
    uint32_t version;                           /* of the result */
    uint32_t bound;                             /* the next new id */
    struct ws_words sections[WS_SECTION_COUNT]; /* appended to each section */
    struct ws_edit_table *table;
    struct ws_type_table *types; /* NULL until first needed */
    struct ws_linker *linker;    /* NULL until first needed */
};

/* Begins editing `module`, which must outlive the editor; everything is allocated from the module's arena.
 * NULL when there is no memory. There is nothing to destroy but the arena. */
struct ws_editor *ws_editor_create(const struct ws_module *module);

/* Makes the editor fail with a message, unless it has failed before. Always returns false. */
bool ws_editor_fail(struct ws_editor *editor, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An id that nothing has yet; 0 after a failure. */
uint32_t ws_editor_id(struct ws_editor *editor);

/* The first of `count` such ids in a row; 0 after a failure. */
uint32_t ws_editor_ids(struct ws_editor *editor, uint32_t count);

/* Raises the version of the result to at least `version` (as in the header: 0x00010300 is 1.3). */
void ws_editor_raise_version(struct ws_editor *editor, uint32_t version);

/* Appends one instruction to a section: the opcode word is made from `opcode` and `count` operand words. */
void ws_editor_append(struct ws_editor *editor, enum ws_section section, uint16_t opcode,
                      const uint32_t *operands, uint32_t count);

/* Puts one instruction instead of instruction `index` of the module; a second call replaces the first's. */
void ws_editor_replace(struct ws_editor *editor, uint32_t index, uint16_t opcode, const uint32_t *operands,
                       uint32_t count);

/* Inserts one instruction before or after instruction `index` of the module. What is inserted at one place
 * keeps the order of the calls. Places where SPIR-V allows no code are the caller's to avoid: builder.h does.
 */
void ws_editor_insert(struct ws_editor *editor, uint32_t index, bool after, uint16_t opcode,
                      const uint32_t *operands, uint32_t count);

/* Inserts one instruction after instruction `index`, before all that has been inserted there so far: what must come first,
 * such as variables of functions. */
void ws_editor_insert_first(struct ws_editor *editor, uint32_t index, uint16_t opcode,
                            const uint32_t *operands, uint32_t count);

/* Adds `count` words to the array, whose values the caller sets: where they are. NULL, and the editor has failed, when there is
 * no memory. */
uint32_t *ws_words_extend(struct ws_editor *editor, struct ws_words *words, uint32_t count);

/* Adds one word to the array; makes the editor fail when there is no memory. */
void ws_words_add(struct ws_editor *editor, struct ws_words *words, uint32_t word);

/* Operand words of a literal string, NUL-terminated and padded, added to the array. */
void ws_words_add_string(struct ws_editor *editor, struct ws_words *words, const char *text);

/* Writes the edited module: `*words` (in the arena) and `*word_count`. False and `error` after any failure.
 */
bool ws_editor_finish(struct ws_editor *editor, uint32_t **words, size_t *word_count, struct ws_error *error);

#endif
