/* Random programs, as control flow graphs that are structured by the way they were made.
 *
 * Every shader invocation has three 32-bit numbers: its state, which every block multiplies and adds its salt
 * to; its depth of calls; and the number of its thread. A choice is a hash of the state or of the thread. */
#ifndef WS_TESTS_MODEL_PROGRAM_H
#define WS_TESTS_MODEL_PROGRAM_H

#include <stddef.h>

#include "tests/model/program/model.h"
#include "warpscope/stage.h"

#define MODEL_SHADERS   16
#define MODEL_FUNCTIONS 4 /* of a shader; the first is the entry point's */
#define MODEL_BLOCKS    96
#define MODEL_LOOPS     12
#define MODEL_ACTIONS   4 /* of a block */
#define MODEL_PARTS                                                                                          \
    (MODEL_ACTIONS + 1) /* of a block: part n + 1 is what stands behind action n, if that cuts it */
#define MODEL_TARGETS   5
#define MODEL_INSTANCES 8 /* one per bit of the cull mask; none for the first */
#define MODEL_GROUPS    3 /* miss shaders, callable shaders: of each at most */
#define MODEL_DEPTH     3 /* of calls by traceRay, executeCallable and the execution of hit objects */
#define MODEL_OBJECTS                                                                                        \
    3 /* hit objects of a shader, at most: the first is a variable, the others are an array */

#define MODEL_BLOCK_LABEL 1000

#define MODEL_STATE_FACTOR 1664525u
#define MODEL_HASH_FACTOR  2654435761u

enum model_action_kind {
    MODEL_CALL,    /* OpFunctionCall of `target` */
    MODEL_TRACE,   /* OpTraceRayKHR */
    MODEL_EXECUTE, /* OpExecuteCallableKHR of one of the callable shaders, by the hash */
    MODEL_REPORT,  /* OpReportIntersectionKHR nearer than any before, or out of range where `target` is 1 */
    MODEL_REORDER, /* OpReorderThread...; `target`: enum model_reorder_by */
    MODEL_OBJECT_TRACE,   /* OpHitObjectTraceRay... into `object`: no closest hit or miss shader runs */
    MODEL_OBJECT_EXECUTE, /* OpHitObjectExecuteShader...: runs that of `object`; nothing of an empty one */
    MODEL_OBJECT_REORDER_EXECUTE, /* OpHitObjectReorderExecuteShaderEXT, which reorders before it */
    MODEL_OBJECT_RUN,             /* OpHitObjectTraceReorderExecuteEXT: traces, reorders and executes */
    MODEL_LOOP_ZERO,              /* loop counter `target` = 0 */
    MODEL_LOOP_NEXT,              /* loop counter `target` + 1 */
    MODEL_DEMOTE,       /* OpDemoteToHelperInvocation: what stands behind it only helper lanes run */
    MODEL_INITIALIZE,   /* OpRayQueryInitializeKHR; what it meets is chosen as by a trace */
    MODEL_PROCEED,      /* OpRayQueryProceedKHR */
    MODEL_CONFIRM,      /* OpRayQueryConfirmIntersectionKHR */
    MODEL_GENERATE,     /* OpRayQueryGenerateIntersectionKHR */
    MODEL_OBJECT_EMPTY, /* OpHitObjectRecordEmpty... */
    MODEL_OBJECT_MISS,  /* OpHitObjectRecordMiss... of miss shader `miss` */
    MODEL_OBJECT_HIT,   /* OpHitObjectRecordHitNV of instance `target` */
};

enum model_reorder_by { MODEL_BY_HINT, MODEL_BY_OBJECT, MODEL_BY_BOTH };

/* What a hit object holds. */
enum model_held { MODEL_HELD_EMPTY, MODEL_HELD_HIT, MODEL_HELD_MISS };

/* Bits of OpTraceRayKHR's flags. */
enum model_ray_flags {
    MODEL_RAY_OPAQUE = 1,
    MODEL_RAY_NO_OPAQUE = 2,
    MODEL_RAY_TERMINATE_ON_FIRST_HIT = 4,
    MODEL_RAY_SKIP_CLOSEST_HIT = 8,
};

struct model_action {
    enum model_action_kind kind;
    uint32_t target;
    uint32_t object; /* of those with a hit object */
    uint32_t salt;   /* of the hash that chooses */
    uint32_t flags;  /* traces, INITIALIZE */
    uint32_t miss;   /* traces: which miss shader */
    uint32_t reach;  /* traces, INITIALIZE: bits of the hash that choose the cull mask's bit */
};

enum model_end {
    MODEL_BRANCH,
    MODEL_IF_STATE,     /* the hash of the state is less than `threshold` */
    MODEL_IF_THREAD,    /* that of the thread's number is */
    MODEL_IF_DEPTH,     /* the depth is less than MODEL_DEPTH, and that of the state is less */
    MODEL_IF_LOOP,      /* loop counter `loop` is less than hash & `turns` */
    MODEL_IF_PROCEEDED, /* the proceed in this block returned true */
    MODEL_IF_TRIANGLE,  /* the candidate of the query is a triangle */
    MODEL_IF_OBJECT,    /* hit object `object` is what is asked: a hit, a miss or empty */
    MODEL_SWITCH,       /* targets[hash % target_count]; the last is the default */
    MODEL_RETURN,
    MODEL_IGNORE,
    MODEL_TERMINATE,
    MODEL_KILL,
    MODEL_TERMINATE_INVOCATION,
    MODEL_MESH_TASKS,
    MODEL_UNREACHABLE, /* a merge block that nothing leads to */
};

struct model_block {
    uint32_t function;
    uint32_t salt;
    uint32_t merge;           /* block; MODEL_NONE */
    uint32_t continue_target; /* of a loop's header; MODEL_NONE */
    struct model_action actions[MODEL_ACTIONS];
    uint32_t action_count;
    enum model_end end;
    uint32_t loop;      /* MODEL_IF_LOOP */
    uint32_t turns;     /* likewise: 3 or 15 */
    uint32_t threshold; /* of 65536 */
    uint32_t object;    /* MODEL_IF_OBJECT */
    uint32_t asked;     /* likewise: enum model_held */
    uint32_t targets[MODEL_TARGETS];
    uint32_t target_count;
    uint32_t around; /* innermost loop around it: block of its header, itself included; MODEL_NONE */
    uint32_t
        selection; /* where `around` is none: merge block of the outermost selection around it; MODEL_NONE */
    bool in_continue; /* it is in the continue construct of `around` */
};

struct model_function {
    uint32_t first; /* its first block */
    uint32_t loop_count;
    uint32_t order[MODEL_BLOCKS]; /* its blocks in the order in which they are written */
    uint32_t count;
    uint32_t
        parent[MODEL_BLOCKS]; /* by block of a loop's header: that of the next loop around it; MODEL_NONE */
};

struct model_shader {
    enum ws_stage stage;
    uint32_t salt;
    struct model_function functions[MODEL_FUNCTIONS];
    uint32_t function_count;
    uint32_t object_count;
    struct model_block blocks[MODEL_BLOCKS];
    uint32_t block_count;
};

/* What a ray with one bit of the cull mask meets. Shaders are indices; MODEL_NONE. */
struct model_instance {
    bool box; /* else a triangle */
    bool opaque;
    uint32_t closest_hit;
    uint32_t any_hit;
    uint32_t intersection;
};

/* Which hit objects a program has: those of SPV_NV_ or SPV_EXT_shader_invocation_reorder. */
enum model_objects { MODEL_OBJECTS_NONE, MODEL_OBJECTS_NV, MODEL_OBJECTS_EXT };

struct model_program {
    uint64_t seed;
    bool validates;             /* its instrumented modules must be valid */
    enum model_objects objects; /* of ray generation, closest hit and miss shaders */
    bool queries;               /* shaders have ray queries */
    bool rays;                  /* shader 0 is a ray generation shader; else there is no other shader */
    uint32_t salt;
    uint32_t size[3];  /* of the launch in threads: fragments of an image, vertices and instances, ... */
    uint32_t group[3]; /* stages with workgroups: threads of one; divides size */
    struct model_shader shaders[MODEL_SHADERS];
    uint32_t shader_count;
    struct model_instance instances[MODEL_INSTANCES];
    uint32_t misses[MODEL_GROUPS];
    uint32_t miss_count;
    uint32_t callables[MODEL_GROUPS];
    uint32_t callable_count;
};

/* Makes a program of the seed; the same seed gives the same program. `stage` is that of the launched shader: ray generation,
 * compute, task, mesh, vertex or fragment. `threads` is how many a launch has at most; `queries`: any
 * shader may have ray queries; `objects`: of programs with rays. */
void model_program_make(struct model_program *program, uint64_t seed, enum ws_stage stage, uint32_t threads,
                        bool queries, enum model_objects objects);

/* Whether threads of the stage are in workgroups. */
static inline bool model_has_groups(enum ws_stage stage)
{
    return stage == WS_STAGE_COMPUTE || stage == WS_STAGE_TASK || stage == WS_STAGE_MESH;
}

/* Puts reorder instructions into the ray generation shader, here and there. */
void model_program_reorder(struct model_program *program, struct model_random *random);

uint32_t model_program_threads(const struct model_program *program);

/* The hash that chooses: 16 bits. */
static inline uint32_t model_hash(uint32_t value, uint32_t salt)
{
    return ((value ^ salt) * MODEL_HASH_FACTOR) >> 16;
}

/* Which blocks control flow can reach from the entry point. */
void model_reached(const struct model_shader *shader, bool reached[MODEL_BLOCKS]);

/* Whether an action runs other shaders with a payload or data. */
static inline bool model_runs_shaders(enum model_action_kind kind)
{
    return kind == MODEL_TRACE || kind == MODEL_EXECUTE ||
           (kind >= MODEL_OBJECT_TRACE && kind <= MODEL_OBJECT_RUN);
}

/* Whether an action puts threads into other warps by itself. */
static inline bool model_reorders(enum model_action_kind kind)
{
    return kind == MODEL_REORDER || kind == MODEL_OBJECT_REORDER_EXECUTE || kind == MODEL_OBJECT_RUN;
}

/* Whether an action sends a ray, or a ray query, to an instance that it chooses. */
static inline bool model_chooses(enum model_action_kind kind)
{
    return kind == MODEL_TRACE || kind == MODEL_OBJECT_TRACE || kind == MODEL_OBJECT_RUN ||
           kind == MODEL_INITIALIZE;
}

/* Whether an action is a call site of thread_compaction. */
static inline bool model_is_site(const struct model_action *action)
{
    return model_runs_shaders(action->kind) || action->kind == MODEL_PROCEED;
}

/* Whether an action is one of those that rays are told of: of all rays, ray queries and hit objects. */
static inline bool model_is_of_rays(const struct model_action *action)
{
    return model_is_site(action) || action->kind == MODEL_REPORT || action->kind >= MODEL_INITIALIZE;
}

/* Whether a function leads to a call site. */
bool model_leads(const struct model_shader *shader, uint32_t function);

/* Whether a shader leads to what rays are told of. */
bool model_leads_to_rays(const struct model_shader *shader);

/* Whether an action may end threads, so that what stands behind it is a block of its own: a report or a demote, or a call
 * of a function that ignores, terminates, kills, demotes or reports, or leads to one that does. */
bool model_cuts(const struct model_shader *shader, const struct model_action *action);

/* The module of a shader, as text of SPIR-V assembly, to be freed; `instructions` receives per part of each block how
 * many it has that a device executes. `log`: each block writes down who is in it (check_log.c). */
char *model_emit(const struct model_program *program, uint32_t shader, bool log,
                 uint32_t instructions[MODEL_BLOCKS][MODEL_PARTS]);

/* The program for people to read. */
void model_program_print(const struct model_program *program);

#endif
