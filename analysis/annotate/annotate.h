/* Prints a shader with its figures beside the lines. The lines are the shader's own source if the module
 * holds it, else GLSL made by SPIRV-Cross, else the disassembly. */
#ifndef WS_ANALYSIS_ANNOTATE_ANNOTATE_H
#define WS_ANALYSIS_ANNOTATE_ANNOTATE_H

#include "analysis/simt/simt_efficiency.h"
#include "passes/spirv/code.h"

enum ws_annotate_form {
    WS_ANNOTATE_BEST, /* the first form below that works */
    WS_ANNOTATE_SOURCE,
    WS_ANNOTATE_GLSL,
    WS_ANNOTATE_SPIRV,
};

/* A shader under annotation. */
struct ws_annotation {
    const struct ws_simt_results *results;
    uint32_t shader;            /* index in the catalog */
    const struct ws_code *code; /* of its module; NULL when it cannot be parsed */
    const uint32_t *words;      /* of its module */
    uint32_t word_count;
    uint32_t *block_of; /* per instruction of the code: index of its block in the catalog's module;
                           WS_NONE = in no block that the shader reaches */
};

/* Prints a shader. `module_words`: those of its module, as the capture has them. False and `error` if it
 * cannot be printed in `form`, or in any form for WS_ANNOTATE_BEST. */
bool ws_annotate(const struct ws_simt_results *results, uint32_t shader, const uint32_t *module_words,
                 uint32_t word_count, enum ws_annotate_form form, FILE *stream, struct ws_error *error);

/* glsl.c: the form made by SPIRV-Cross. Prints nothing and returns false, with the reason in `error`, when it
 * does not work for this shader. */
bool ws_annotate_glsl(const struct ws_annotation *annotation, FILE *stream, struct ws_error *error);

/* The figures of a line. */
struct ws_annotate_figures {
    bool code;    /* the line has code; if not, it has no figures */
    bool counted; /* the code has counters */
    struct ws_simt_counts counts;
};

/* The figures of a block; `block` WS_NONE = no code. */
struct ws_annotate_figures ws_annotate_block(const struct ws_annotation *annotation, uint32_t block);

/* Prints one line: executions and efficiency, the line's number (0 = none) and text, and behind it, for each of the
 * `begin_count` blocks that begin in it, a comment with executions, efficiency and active lanes. `begins` holds no two
 * blocks of the same numbers. */
void ws_annotate_line(const struct ws_annotation *annotation, const struct ws_annotate_figures *figures,
                      uint32_t number, const char *text, size_t length, const uint32_t *begins,
                      uint32_t begin_count, FILE *stream);

/* Whether two blocks have the same numbers. */
bool ws_annotate_same(const struct ws_annotation *annotation, uint32_t left, uint32_t right);

#endif
