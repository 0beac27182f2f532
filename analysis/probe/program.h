/* A probe as its text says it: outputs, rules, functions. Nothing is compiled here; what is wrong is complained of, with
 * place and remedy. Offsets are bytes of the source's text, which must outlive the program. Not thread-safe. */
#ifndef WS_ANALYSIS_PROBE_PROGRAM_H
#define WS_ANALYSIS_PROBE_PROGRAM_H

#include "analysis/probe/complaints.h"
#include "warpscope/base/arena.h"
#include "warpscope/probe.h"

/* A part of the text. */
struct ws_part {
    size_t offset;
    size_t length;
};

/* A parameter of a function, as the user declared it. `parameter.binding` is RESULT, OPERAND or ADDRESS. */
struct ws_probe_argument {
    struct ws_probe_parameter parameter;
    const char *type; /* as GLSL writes it: "vec3" */
    struct ws_part part;
};

/* A function with a body: one overload. */
struct ws_probe_overload {
    const char *name;  /* in GLSL */
    const char *label; /* "check(float result)" */
    const struct ws_probe_argument *arguments;
    uint32_t argument_count;
    uint32_t rule_first; /* indices in `rules`: the place lines above it */
    uint32_t rule_count;
    struct ws_part part; /* its head */
    struct ws_part body; /* of one line: { … }; the types of the operands in it are found by trying */
    bool is_open;        /* of one line, without parameters */
};

struct ws_probe_program {
    struct ws_arena *arena; /* owns all that follows */
    const struct ws_probe_source *source;
    const char *name; /* `//! name NAME`, else the source's */
    struct ws_probe_output *outputs;
    struct ws_part *output_parts;
    uint32_t output_count;
    struct ws_probe_rule *rules; /* function_first and _count index `overloads` until the wrappers are made */
    struct ws_part *rule_parts;
    uint32_t rule_count;
    struct ws_probe_overload *overloads; /* those of one name below one place line stand together */
    uint32_t overload_count;
    struct ws_part *declarations; /* one line: state, with its ; */
    uint32_t declaration_count;
    uint32_t declaration_capacity;
    struct ws_part *hoisted; /* lines #extension, which GLSL wants first */
    uint32_t hoisted_count;
    uint32_t hoisted_capacity;
    bool has_implicit_output; /* no output was declared: count() has one of its own */
};

/* Texts, places and functions of more than this are refused. */
#define WS_PROBE_TEXT_MAX      0x100000u
#define WS_PROBE_RULES_MAX     256u
#define WS_PROBE_OVERLOADS_MAX 256u

/* Reads the text. NULL where there are errors, which `complaints` has, or no memory. */
struct ws_probe_program *ws_probe_program_create(const struct ws_probe_source *source,
                                                 struct ws_complaints *complaints);
void ws_probe_program_destroy(struct ws_probe_program *program);

/* A type as GLSL writes it: "float", "uvec2", "mat3x4", "uint64_t". False where a parameter cannot have it. */
bool ws_probe_type_find(const char *name, struct ws_probe_type *type);

/* Its name in GLSL. Static. */
const char *ws_probe_type_name(const struct ws_probe_type *type);

/* What probes call: names of functions that the user's cannot have. The last is NULL. */
extern const char *const ws_probe_words[];

#endif
