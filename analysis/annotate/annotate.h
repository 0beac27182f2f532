/* A shader with its figures beside the lines. The lines are the shader's own source if the module
 * holds it, else GLSL made by SPIRV-Cross, else the disassembly.
 *
 * Each form finds the lines, and which blocks they belong to (annotate.c, glsl.c), and hands them one by one to a sink:
 * annotate_text.c prints them, annotate_json.c writes them as JSON. Not thread-safe. */
#ifndef WS_ANALYSIS_ANNOTATE_ANNOTATE_H
#define WS_ANALYSIS_ANNOTATE_ANNOTATE_H

#include "analysis/simt/simt_efficiency.h"
#include "warpscope/spirv/code.h"

struct ws_divergence_results;
struct ws_hotspots;
struct ws_groups;
struct ws_json;
struct ws_probes;

enum ws_annotate_form {
    WS_ANNOTATE_BEST, /* the first form below that works */
    WS_ANNOTATE_SOURCE,
    WS_ANNOTATE_GLSL,
    WS_ANNOTATE_SPIRV,
};

/* A form's name, "source"; NULL = there is no such form. Static. */
const char *ws_annotate_form_name(enum ws_annotate_form form);

/* A shader under annotation. */
struct ws_annotation {
    const struct ws_catalog *catalog;
    const struct ws_simt_results *results; /* NULL = its blocks were not counted */
    uint32_t shader;                       /* index in the catalog */
    const struct ws_code *code;            /* of its module; NULL when it cannot be parsed */
    const uint32_t *words;                 /* of its module */
    uint32_t word_count;
    enum ws_annotate_form form; /* of the lines that are handed on */
    uint32_t *block_of;         /* per instruction of the code: index of its block in the catalog's module;
                           WS_NONE = in no block that the shader reaches */
};

/* The figures of a line. */
struct ws_annotate_figures {
    bool code;    /* the line has code; if not, it has no figures */
    bool counted; /* the code has counters */
    struct ws_simt_counts counts;
};

struct ws_annotate_line {
    uint32_t number;  /* in its file; 0 = it has none */
    const char *text; /* `length` bytes; there is no NUL behind them */
    size_t length;
    struct ws_annotate_figures figures;
    const uint32_t *blocks; /* with code in it, as indices in the module's blocks */
    uint32_t block_count;
    const uint32_t *counted; /* those of them whose counts add up to the figures (ws_lines_count) */
    uint32_t counted_count;
    const uint32_t *begins; /* those that begin in it; no two have the same figures */
    uint32_t begin_count;
    bool has_cost;
    uint64_t cost;        /* thread executions of all its instructions (hotspots.h) */
    uint32_t instruction; /* of the disassembly: the instruction of the code; WS_NONE = none */
    /* Of GLSL that was made, which has no lines of its own: whether the line is the first one with code of its block, and so
     * stands for the places of all of the block. */
    bool first_of_block;
};

/* Takes what is found, in order: the head; a file, whose lines follow; its lines. */
struct ws_annotate_sink {
    void (*head)(void *user, const struct ws_annotation *annotation);
    /* `file`: index in the code's files; WS_NONE = the lines are of no file. */
    void (*file)(void *user, const struct ws_annotation *annotation, uint32_t file);
    void (*line)(void *user, const struct ws_annotation *annotation, const struct ws_annotate_line *line);
    void (*end)(void *user, const struct ws_annotation *annotation, enum ws_annotate_form form);
};

/* Hands a shader to a sink. `results` may be NULL. `module_words`: those of its module, as the capture has them. False and
 * `error` if it has no lines in `form`, or in any form for WS_ANNOTATE_BEST; then the sink has got nothing. */
bool ws_annotate_into(const struct ws_catalog *catalog, const struct ws_simt_results *results,
                      uint32_t shader, const uint32_t *module_words, uint32_t word_count,
                      enum ws_annotate_form form, const struct ws_annotate_sink *sink, void *user,
                      struct ws_error *error);

/* What figures come from. */
struct ws_annotate_figures_of {
    const struct ws_catalog *catalog;
    const struct ws_simt_results *simt;             /* NULL = not known; so the next two */
    const struct ws_divergence_results *divergence; /* why lanes were idle */
    const struct ws_hotspots *hotspots;             /* of how many thread executions costs are a share */
    const struct ws_probes *probes;                 /* what probes yielded; NULL = not known */
    const struct ws_groups
        *caches; /* what caches made of accesses: rows of that analysis; NULL = not known */
};

/* Prints a shader. False and `error` as above, and when there is no memory. */
bool ws_annotate_text(const struct ws_annotate_figures_of *figures, uint32_t shader,
                      const uint32_t *module_words, uint32_t word_count, enum ws_annotate_form form,
                      FILE *stream, struct ws_error *error);

/* The same with the counts of blocks alone. */
bool ws_annotate(const struct ws_simt_results *results, uint32_t shader, const uint32_t *module_words,
                 uint32_t word_count, enum ws_annotate_form form, FILE *stream, struct ws_error *error);

/* Writes the members of a shader (annotate_json.c has them) into the open object of `json`, or, with `element`, as an object
 * of its own into the open list. False and `error` as above, and when there is no memory. */
bool ws_annotate_json(const struct ws_annotate_figures_of *figures, uint32_t shader,
                      const uint32_t *module_words, uint32_t word_count, enum ws_annotate_form form,
                      bool element, struct ws_json *json, struct ws_error *error);

/* glsl.c: the form made by SPIRV-Cross. Hands nothing on and returns false, with the reason in `error`, when it
 * does not work for this shader. */
bool ws_annotate_glsl(const struct ws_annotation *annotation, const struct ws_annotate_sink *sink, void *user,
                      struct ws_error *error);

/* The figures of a block; `block` WS_NONE = no code. */
struct ws_annotate_figures ws_annotate_block(const struct ws_annotation *annotation, uint32_t block);

/* Whether two blocks have the same figures. */
bool ws_annotate_same(const struct ws_annotation *annotation, uint32_t left, uint32_t right);

/* Whether the module holds a source of the shader: whether WS_ANNOTATE_SOURCE works, memory apart. */
bool ws_annotate_has_source(const struct ws_catalog *catalog, uint32_t shader, const struct ws_code *code);

#endif
