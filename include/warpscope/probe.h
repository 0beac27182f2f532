/* A compiled probe: what `warpscope record --probe FILE` makes of a probe file, and hands to the layer. A probe is a pass
 * at run time: rules say at which places of a module which function of the probe is called, with which values of the
 * place. The functions are SPIR-V: no compiler runs where modules are instrumented.
 *
 * A blob is a compiled probe as 32-bit words (ws_probe_write, ws_probe_read): a file of little-endian words, or the words
 * of a capture's PROB chunk.
 *
 * FUNCTIONS. A unit of a probe is a SPIR-V module with the functions, for one kind of lanes
 * (passes/primitives/lanes.glsl). Function k of the probe is the one whose OpName is its `export_name`, in each unit.
 * It returns void, and takes its parameters by value. What is behind a parameter is its `binding`.
 *
 * CALLS. Where a rule's place is met, its functions are tried in their order. The first that fits is called. It fits with
 * each parameter that the place has a value for, of a type that the parameter takes:
 *
 *   the same type; else int and uint of the same width for each other (the same bits); else a 16-bit float for a 32-bit
 *   one, an integer of 8 or 16 bits for one of 32 bits (by the sign of the value's own type).
 *
 * Those that fit without a change are tried first. Where none fits as it is, a function is called once for each component
 * of a vector, or for each column of a matrix, or each of its components: all its parameters from operands and the result
 * that are too large are taken apart together, and must have the same number of parts.
 *
 * Where no function fits, the place is listed as skipped, with the types that it has.
 *
 * SHARED CALLS. Blocks that always run with the same lanes share one call, where each would yield the same: the sites of
 * all of them have the same row (passes/probe/pass.c has the rule).
 *
 * SITES. A place with a call is one site (WS_SITE_YIELD), whose tag is WS_PROBE_SITE_TAG(rule, function), and whose row is
 * `at`: where its area of yields begins (yields.h). If the function has outputs of kind record, data sites
 * follow it: one for each output of that kind that the probe has, in their order. So the record of the r-th of them (from
 * 0) has the number site + 1 + r. The tag of a data site is WS_PROBE_DATA_TAG(output, function).
 *
 * Errors: functions return NULL or false and set `error`. Threads: a struct ws_probe is never changed once made, so that
 * several threads may read it; the functions use no state of their own. */
#ifndef WARPSCOPE_PROBE_H
#define WARPSCOPE_PROBE_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "warpscope/error.h"
#include "warpscope/yields.h"

/* Of blobs. It rises when the blob, or the memory that its units write (yields.h), is laid out otherwise. A reader refuses
 * later ones. It takes 2, in which values and tables lay otherwise in memory, and 1, which is 2 without the rules' storage,
 * where the probe has no such outputs. */
#define WS_PROBE_VERSION 3

/* What a list of passes calls the probe NAME: in captures, reports and skips. */
#define WS_PROBE_PASS_PREFIX "probe:"

/* Where a function is called. Numbers stay: blobs hold them. */
enum ws_probe_place {
    WS_PROBE_BEFORE = 0, /* before each instruction with one of the rule's opcodes */
    WS_PROBE_AFTER = 1,  /* after it */
    WS_PROBE_BLOCK = 2,  /* where a basic block begins */
    /* Where control comes to a loop from outside. */
    WS_PROBE_LOOP_BEGIN = 3,
    /* Where an iteration begins: as often as a statement at the top of the loop's body would run. From the loop header
     * along unconditional branches to the first conditional one: where one of its targets leaves the loop, an iteration
     * begins at the other target. Else, as in do-while, it begins at the header. */
    WS_PROBE_LOOP_ITERATE = 4,
    /* Where the merge block of a loop begins; and before an instruction within the loop that ends the shader or leaves
     * the function, once for each loop around it, the inner one first. */
    WS_PROBE_LOOP_END = 5,
    WS_PROBE_FUNCTION_BEGIN = 6, /* of each function, entry points included */
    WS_PROBE_FUNCTION_END = 7,   /* before each instruction that leaves it or ends the shader */
    WS_PROBE_ENTRY_BEGIN = 8,    /* of an entry point */
    WS_PROBE_ENTRY_END = 9,      /* before each instruction that ends the shader (pass.h, end) */
    WS_PROBE_PLACE_COUNT,
};

/* What a parameter of a function receives. */
enum ws_probe_binding {
    WS_PROBE_AT = 0,     /* uint: first word of the site's own area (yields.h) */
    WS_PROBE_SHARED = 1, /* uint: first word of the shader's area */
    WS_PROBE_SITE = 2,   /* uint: number of the site; data records of its first record output have this + 1 */
    WS_PROBE_LINE = 3,   /* uint: source line of the place, 0 = not known */
    /* bool: whether the function is to be called at all. At WS_PROBE_LOOP_BEGIN false where control comes to the header
     * from an iteration; elsewhere always true. A rule with that place must have this parameter. */
    WS_PROBE_FIRST = 4,
    WS_PROBE_RESULT = 5,  /* the result of the instruction; only at WS_PROBE_AFTER */
    WS_PROBE_OPERAND = 6, /* the operand `name`, by value */
    /* uvec2, low half first, or uint64_t: the address that the pointer operand `name` has. Only pointers with the storage
     * class PhysicalStorageBuffer have one. */
    WS_PROBE_ADDRESS = 7,
    WS_PROBE_BINDING_COUNT,
};

enum ws_probe_base { WS_PROBE_BOOL = 0, WS_PROBE_INT = 1, WS_PROBE_UINT = 2, WS_PROBE_FLOAT = 3 };

/* The type of a parameter, as its unit declares it. */
struct ws_probe_type {
    uint32_t base;    /* enum ws_probe_base */
    uint32_t width;   /* bits: 8, 16, 32 or 64; of bool 0 */
    uint32_t rows;    /* components of a vector or of a matrix's column, 1 to 4; 1 = a scalar */
    uint32_t columns; /* 2 to 4 = a matrix; else 1 */
};

struct ws_probe_parameter {
    uint32_t binding; /* enum ws_probe_binding */
    struct ws_probe_type type;
    const char *name; /* OPERAND, ADDRESS: as operand names are written, "operand_1"; else "" */
};

#define WS_PROBE_PARAMETERS_MAX 24
#define WS_PROBE_OUTPUTS_MAX    32

/* One function that can be called: an overload. */
struct ws_probe_function {
    const char *export_name; /* its OpName in each unit */
    const char *label;       /* its signature as the user wrote it, for people: "check(float result)" */
    uint32_t line;           /* where it stands in the source; 0 = not known */
    uint32_t outputs;        /* mask by index: the outputs that it may yield to */
    const struct ws_probe_parameter *parameters;
    uint32_t parameter_count;
};

/* What a rule wants of opcodes: an SpvOp; of OpExtInst, the GLSL.std.450 instruction too. */
#define WS_PROBE_OPCODE(opcode)      ((uint32_t)(opcode))
#define WS_PROBE_EXTENDED(number)    (12u | ((uint32_t)(number) + 1) << 16)
#define WS_PROBE_OPCODE_OF(wanted)   ((wanted)&0xffffu)
#define WS_PROBE_EXTENDED_OF(wanted) ((wanted) >> 16) /* number + 1; 0 = any of the opcode */

/* Kinds of memory, of the pointer of loads, stores, atomic operations and access chains. Numbers stay. */
enum ws_probe_storage {
    WS_PROBE_STORAGE_BUFFER = 0,    /* storage buffers, BufferBlock ones too; shader records */
    WS_PROBE_STORAGE_UNIFORM = 1,   /* uniform buffers, push constants, handles */
    WS_PROBE_STORAGE_REFERENCE = 2, /* buffer references */
    WS_PROBE_STORAGE_SHARED = 3,    /* of a workgroup */
    WS_PROBE_STORAGE_PAYLOAD = 4,   /* of rays and of mesh tasks, on both sides */
    WS_PROBE_STORAGE_CALLABLE_DATA = 5,
    WS_PROBE_STORAGE_HIT_ATTRIBUTE = 6,
    WS_PROBE_STORAGE_INPUT = 7,
    WS_PROBE_STORAGE_OUTPUT = 8,
    WS_PROBE_STORAGE_LOCAL = 9, /* of functions, or global in one thread */
    WS_PROBE_STORAGE_COUNT,
};

/* Its word in filters, "buffer"; NULL for a number that is none. */
const char *ws_probe_storage_name(uint32_t storage);

/* Names of parameters (OPERAND) that an instruction has beside its operands, where it has a pointer: the first index behind the
 * variable, so of a struct the member, where it is constant; and the variable's Location. Each is -1 where there is none. */
#define WS_PROBE_MEMBER   "member"
#define WS_PROBE_LOCATION "location"

static inline bool ws_probe_is_of_variable(const char *name)
{
    return strcmp(name, WS_PROBE_MEMBER) == 0 || strcmp(name, WS_PROBE_LOCATION) == 0;
}

/* Where functions are called. All filters must let a place pass. */
struct ws_probe_rule {
    uint32_t place;          /* enum ws_probe_place */
    const uint32_t *opcodes; /* BEFORE, AFTER: WS_PROBE_OPCODE or WS_PROBE_EXTENDED; else none */
    uint32_t opcode_count;
    uint32_t stages; /* mask of ws_stage; 0 = all */
    /* Patterns with * and ? (passes/base/glob.h); "" = all. `shader`: the name of an entry point that reaches the place;
     * `function`: the OpName of the function, "(" and what follows it left out, or the name of the entry point whose
     * function it is; `file`: of the place's source, its path or the last part of that. */
    const char *shader;
    const char *function;
    const char *file;
    uint32_t line_first; /* of the source, line_first <= line <= line_last; 0, 0 = all */
    uint32_t line_last;
    uint32_t function_first; /* index in functions, of the first overload */
    uint32_t function_count; /* at least 1 */
    uint32_t source_line;    /* where the rule stands in the probe's source; 0 = not known */
    uint32_t storage; /* BEFORE, AFTER: mask, 1 << enum ws_probe_storage; 0 = all, and what has no pointer */
};

/* One output. */
struct ws_probe_output {
    const char *name;
    struct ws_yield_shape shape;
    bool per_shader;    /* else per site */
    uint32_t shown;     /* values: how many a report shows first; 0 = as it likes */
    uint32_t limits[2]; /* linear: lo and hi, as bits of shape.type */
    /* table: the keys; record, sample: the fields; shape.field_count of them. NULL of other kinds. */
    const struct ws_probe_field *fields;
};

struct ws_probe_field {
    const char *name;
    uint32_t type; /* WS_YIELD_UINT .. */
};

/* Of a linear histogram of floats: what a distance from the lower limit is multiplied by to give its bin (yields.h). */
static inline float ws_probe_linear_scale(uint32_t bins, uint32_t low_bits, uint32_t high_bits)
{
    float low;
    float high;
    memcpy(&low, &low_bits, sizeof(low));
    memcpy(&high, &high_bits, sizeof(high));
    return (float)bins / (high - low);
}

/* Whether the limits of a linear histogram are those of its bins: the lower one comes first. Of several bins of floats the
 * scale is a normal number: else 32-bit floats cannot tell the bins apart, as the limits are too near, or too far apart. */
static inline bool ws_probe_limits_are_valid(const struct ws_yield_shape *shape, const uint32_t limits[2])
{
    float low;
    float high;
    if (shape->type == WS_YIELD_UINT)
        return limits[0] < limits[1];
    if (shape->type == WS_YIELD_INT)
        return (limits[0] ^ 0x80000000u) < (limits[1] ^ 0x80000000u);
    memcpy(&low, &limits[0], sizeof(low));
    memcpy(&high, &limits[1], sizeof(high));
    const float scale = ws_probe_linear_scale(shape->size, limits[0], limits[1]);
    return low < high && low >= -FLT_MAX && high <= FLT_MAX &&
           (shape->size == 1 || (scale >= FLT_MIN && scale <= FLT_MAX));
}

/* The units: one for each kind of lanes, in the order of enum ws_link_lanes. */
enum ws_probe_unit_kind {
    WS_PROBE_UNIT_ALL = 0,      /* every stage but fragment */
    WS_PROBE_UNIT_FRAGMENT = 1, /* WS_LANES_FRAGMENT */
    WS_PROBE_UNIT_DEMOTE = 2,   /* WS_LANES_DEMOTE */
    WS_PROBE_UNIT_COUNT,
};

struct ws_probe_unit {
    const uint32_t *words; /* a SPIR-V module, host byte order */
    uint32_t word_count;
};

/* What units are. SPIR-V 1.3 at most, valid for Vulkan 1.1, with one entry point, whose function is not called: it may store
 * constants to Private variables, which these then begin with. Global variables are Private ones with an OpName, and the
 * built-ins SubgroupSize, SubgroupLocalInvocationId and, in fragment units, HelperInvocation and FragCoord. The Private
 * variables ws_context, ws_lane, ws_entered, ws_work_id, ws_work_pixel and ws_yield_words are those of the library
 * (passes/primitives). Others whose names begin with "ws_" hold parameters: a function sets those that it reads, at each
 * call. Each other one is state of a thread; but one that only functions of loop places use is state of a thread in one
 * loop: each loop of a module has its own, unless its name begins with "ws_". Specialization constants are those of root.h.
 * A function that is named NAME_int64 is replaced by NAME_int32 of the same type where there are no 64-bit atomics. Nothing
 * in a unit ends a thread, waits at a barrier, or writes an output.
 *
 * Each capability that not all devices have is needed only by the functions that use it: 64-, 16- and 8-bit types, 64-bit
 * atomics, the shader clock, subgroup operations other than ballots. */

/* Bytes that the variables outside functions and those of one function take at most, in each thread. A driver may need as much
 * for every thread that can run, and some end the program where they find no room. */
#define WS_PROBE_THREAD_BYTES 16384u

#define WS_PROBE_WORK 1u /* reads ws_work_id or ws_work_pixel: they are to be set where entry points begin */

struct ws_probe {
    const char *name;   /* as reports show it: a file's name without its ending. Letters, digits, _ - and . */
    const char *source; /* the text that was compiled, for people; "" = not kept */
    const struct ws_probe_output *outputs;
    uint32_t output_count;
    const struct ws_probe_rule *rules;
    uint32_t rule_count;
    const struct ws_probe_function *functions;
    uint32_t function_count;
    struct ws_probe_unit units[WS_PROBE_UNIT_COUNT];
    uint32_t flags; /* WS_PROBE_* */
    /* What ws_probe_read has made of the units. NULL in a probe that was filled by hand: such a one can be written, but
     * nothing can be instrumented with it. */
    struct ws_probe_parts *parts;
};

/* Indices in `rules` and `functions`. Captures of before had the function alone: their rule is not known. */
#define WS_PROBE_SITE_TAG(rule, function) (0x10000u * ((rule) + 1u) + (function))
#define WS_PROBE_SITE_RULE(tag)           ((tag) / 0x10000u - 1u) /* UINT32_MAX = not known */
#define WS_PROBE_SITE_FUNCTION(tag)       ((tag) % 0x10000u)

#define WS_PROBE_DATA_TAG(output, function) (0x10000u * ((output) + 1u) + (function))
#define WS_PROBE_DATA_OUTPUT(tag)           ((tag) / 0x10000u - 1u)
#define WS_PROBE_DATA_FUNCTION(tag)         ((tag) % 0x10000u)

/* Where the outputs stand. */
struct ws_probe_layout {
    uint32_t offsets[WS_PROBE_OUTPUTS_MAX]; /* of each output in its area; records have no words */
    uint32_t site_words;                    /* of an area per site, with all its outputs */
    uint32_t shared_words;                  /* of an area per shader */
};

/* Computes the layout of a probe's outputs. The front end compiles these offsets into the units. */
static inline struct ws_probe_layout ws_probe_layout(const struct ws_probe_output *outputs, uint32_t count)
{
    struct ws_probe_layout layout = {{0}, 0, 0};
    for (uint32_t i = 0; i < count && i < WS_PROBE_OUTPUTS_MAX; i++) {
        uint32_t *words = outputs[i].per_shader ? &layout.shared_words : &layout.site_words;
        layout.offsets[i] = *words;
        *words += ws_yield_width(&outputs[i].shape);
    }
    return layout;
}

/* Reads a blob of words in host byte order. The words are untrusted: any content gives a probe or an error, and a probe
 * that was read is safe to instrument with. The probe keeps nothing of the words. Free it with ws_probe_destroy. NULL and
 * `error` where it is none, of another version, or damaged. */
struct ws_probe *ws_probe_read(const uint32_t *words, size_t word_count, struct ws_error *error);

/* Writes a probe as a blob: `*word_count` words in host byte order, to be freed with free(). What it writes,
 * ws_probe_read reads; a probe that ws_probe_read would refuse is refused here, with the same error. */
uint32_t *ws_probe_write(const struct ws_probe *probe, size_t *word_count, struct ws_error *error);

/* Frees what ws_probe_read made. Accepts NULL. */
void ws_probe_destroy(struct ws_probe *probe);

#endif
