/* SPIR-V as text, for tests: SPIRV-Tools assemble, show and judge. Aborts on failure: tests only. */
#ifndef WS_TESTS_UNIT_PASSES_SPIRV_ASSEMBLY_H
#define WS_TESTS_UNIT_PASSES_SPIRV_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words to be freed, from text; `version` as in the header: 0x00010300 is 1.3. Numeric ids are kept. */
uint32_t *assembly_read(const char *text, uint32_t version, size_t *word_count);

/* Text to be freed, without the header, with names for the ids that have them. */
char *assembly_write(const uint32_t *words, size_t word_count);

/* Whether the tools that are linked know what a text is made of: of one that they do not know modules cannot be validated. */
bool assembly_knows(const char *text);

/* Whether the module is valid, for Vulkan 1.3 and for what its own version belongs to; when not, the message
 * goes to stderr. */
bool assembly_is_valid(const uint32_t *words, size_t word_count);

/* A whole file of words, to be freed. */
uint32_t *assembly_load(const char *path, size_t *word_count);

#endif
