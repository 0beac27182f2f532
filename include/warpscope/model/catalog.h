/* What a capture defines, kept for the analyses: devices, modules with their blocks, shaders, pipelines and
 * launches. The words of a module are freed once its sites are known. What remains of a block is its place in
 * the source and how many instructions of each opcode it holds.
 *
 * It takes in every chunk of one reader, in order, before any analysis gets the chunk. Not thread-safe. */
#ifndef WARPSCOPE_MODEL_CATALOG_H
#define WARPSCOPE_MODEL_CATALOG_H

#include "warpscope/base/id_map.h"
#include "warpscope/base/text.h"
#include "warpscope/model/bound.h"
#include "warpscope/model/built.h"
#include "warpscope/model/structures.h"
#include "warpscope/model/times.h"
#include "warpscope/reader.h"
#include "warpscope/spirv/local_size.h"
#include "warpscope/spirv/stretches.h"

struct ws_compaction_plan_module;
struct ws_launch_record;

struct ws_device_record {
    uint32_t id;
    const char *name;
    const char *driver_name;
    const char *driver_info;
    uint32_t api_version;
    uint32_t subgroup_size;
    uint32_t subgroup_size_min;
    uint32_t subgroup_size_max;
    uint32_t bins;
    uint32_t subgroup_stages;
};

/* How many executed instructions of one opcode a block holds. */
struct ws_tally {
    uint32_t opcode;
    uint32_t count;
};

struct ws_block_record {
    struct ws_block_info info;
    uint32_t
        part; /* of a block of SPIR-V that was cut (warpscope/spirv/cuts.h): 0 = the first, 1 = the next, ... */
    uint32_t row;     /* its counter row of the pass simt_efficiency in the module; WS_NONE = not counted */
    const char *file; /* source file; NULL = not known */
    uint32_t line;    /* first and last source line of its instructions in that file */
    uint32_t line_last;
    uint32_t tally_first; /* in the module's tallies */
    uint32_t tally_count;
};

struct ws_site_record {
    struct ws_site_info info;
    uint32_t opcode;  /* of the instruction at info.offset; 0 = not known */
    const char *file; /* data, count, yield and access sites: source file of that; NULL = not known */
    uint32_t line;
};

/* An instruction that starts other shaders or a ray: OpTraceRayKHR, OpExecuteCallableKHR, ... */
struct ws_call_site_record {
    uint32_t offset; /* in the module, in words */
    uint32_t opcode;
    uint32_t function; /* result id of the one that it stands in */
    const char *file;  /* source file; NULL = not known */
    uint32_t line;
};

/* Which of an entry point's call sites one is. Counted from 1, in the order of the module. */
struct ws_call_site_number {
    uint32_t call_site;   /* index in the module's call sites */
    uint32_t number;      /* of those with the same word (ws_call_word) */
    uint32_t count;       /* how many those are */
    uint32_t line_number; /* of those in the same source line */
    uint32_t line_count;
};

/* An access whose addresses the pass memory_trace records. */
struct ws_traced_access {
    struct ws_stretch_access access;
    struct ws_stretch_left left; /* of it, by a compiler */
    const char *memory;          /* what it touches, such as "words (set 0, binding 1)" */
    const char *file;            /* source file; NULL = not known */
    uint32_t line;
    bool is_bound;    /* it has the two below: a buffer that the pipeline's other shaders see too */
    uint32_t set;     /* DescriptorSet */
    uint32_t binding; /* Binding */
    bool has_sampler; /* of a sample: where its sampler is bound, likewise */
    uint32_t sampler_set;
    uint32_t sampler_binding;
};

/* The accesses of which a site's records tell the addresses: accesses[first .. first + count - 1]. */
struct ws_traced_site {
    uint32_t first;
    uint32_t count; /* 0 = the site is no such, or its code means something else to this reader */
};

/* A buffer that a place names (warpscope/spirv/pointers.h): place >> 24 is its index + 1. */
struct ws_placed_buffer {
    uint32_t variable;
    const char *memory; /* as that of an access */
    bool is_bound;
    uint32_t set;
    uint32_t binding;
};

struct ws_placed_buffers {
    struct ws_placed_buffer list[255];
    uint32_t count;
};

/* The buffer that a place names; NULL = none. `buffers` may be NULL. */
static inline const struct ws_placed_buffer *ws_placed_buffer(const struct ws_placed_buffers *buffers,
                                                              uint32_t place)
{
    const uint32_t number = place >> 24;
    return buffers != NULL && number >= 1 && number <= buffers->count ? &buffers->list[number - 1] : NULL;
}

/* What an access touches that is one of several buffers. */
#define WS_MEMORY_SEVERAL "one of several buffers"

/* Whether an access samples, and by which sampler. */
struct ws_sampled_place {
    bool is_sampled;
    bool is_gather;
    struct ws_bound_place sampler;
};

#define WS_TRACED_HEIGHT_MAX 64u

/* Where an access comes in the code of its module. A function that one place calls stands at that place, as when it is inlined;
 * those that several places call, or none, stand by themselves, each before the functions that call it. */
struct ws_traced_position {
    uint32_t order; /* a later place has a larger one */
    uint32_t
        loop; /* the innermost loop around it, calls included: an index of the module's; WS_NONE = none */
    uint32_t function; /* which function it stands in that stands by itself, from 1 on; 0 = not known */
    uint32_t
        height; /* of that: 0 = it calls none, else one more than the highest that it calls, at most the above */
};

/* What the records of memory_trace in a module mean. */
struct ws_module_traces {
    struct ws_traced_access *accesses;
    uint32_t access_count;
    struct ws_traced_site *sites;         /* per site of the module */
    uint32_t unread;                      /* sites whose code means something else to this reader */
    struct ws_traced_position *positions; /* per site */
    uint32_t *
        loops; /* per loop, which reaches from its header to its merge block: the one around it; WS_NONE = none */
    uint32_t loop_count;
};

enum ws_constant_kind { WS_CONSTANT_BOOL, WS_CONSTANT_INT, WS_CONSTANT_UINT, WS_CONSTANT_FLOAT };

/* A specialization constant of a module. */
struct ws_constant_record {
    uint32_t spec_id;
    uint32_t kind;    /* enum ws_constant_kind */
    uint32_t width;   /* bits */
    uint64_t value;   /* where no specialization gives another; zero-extended */
    const char *name; /* "" = none */
};

struct ws_entry_record {
    const char *name;
    struct ws_local_size local_size;
    uint32_t stage;
    uint32_t row_first;
    uint32_t row_count;
    bool per_thread;
    uint32_t launch_row;  /* WS_NONE = none */
    uint32_t entry_block; /* the block that every execution begins with; WS_NONE = not known */
    uint32_t *blocks;     /* indices of the blocks it can reach, in the order of the module */
    uint32_t block_count;
    struct ws_call_site_number *call_sites; /* those it can reach, in the order of the module */
    uint32_t call_site_count;
};

struct ws_function_record {
    uint32_t id;
    const char *name;    /* without parameters; "" = none */
    uint32_t call_first; /* in the module's calls */
    uint32_t call_count;
};

struct ws_module_record {
    uint32_t id;
    uint64_t hash;
    const char *name;   /* "" = none */
    const char *source; /* its main source file, with folders; "" = not known */
    uint32_t word_count;
    bool unreadable; /* has sites, but its words could not be parsed: no lines, no opcodes */
    uint32_t *words; /* until its sites are known; then NULL */
    struct ws_block_record *blocks;
    uint32_t block_count;
    struct ws_entry_record *entries;
    uint32_t entry_count;
    const char **passes; /* what a site's info.pass is an index of */
    uint32_t pass_count;
    struct ws_site_record *sites;
    uint32_t site_count;
    struct ws_fixed_word *fixed; /* what data records leave out; rising by site and word */
    uint32_t fixed_count;
    /* Per site: of an access, what it touches, such as "words (set 0, binding 1)". NULL where the module has no sites of
     * accesses, or is unreadable. */
    const char **memories;
    struct ws_module_traces
        *traces; /* NULL where the module has no sites of memory_trace, or is unreadable */
    struct ws_tally *tallies;
    uint32_t tally_count;
    struct ws_function_record *functions; /* by id; none where the module is unreadable */
    uint32_t function_count;
    uint32_t *calls; /* result ids of called functions, function by function */
    uint32_t call_count;
    struct ws_call_site_record *call_sites; /* by offset */
    uint32_t call_site_count;
    struct ws_constant_record *constants; /* by SpecId */
    uint32_t constant_count;
    struct ws_compaction_plan_module
        *compaction;                  /* of its call sites (compaction_plan.h); NULL = not known */
    struct ws_placed_buffers *placed; /* NULL where no access is one of several buffers */
    /* Of each site that traces a ray: where its structure is bound (structures.h). NULL = no site does. */
    struct ws_bound_place *structures;
    struct ws_bound_place *bound_places;     /* of each site with a memory: where that is bound (bound.h) */
    struct ws_sampled_place *sampled_places; /* parallel to them */
};

struct ws_shader_record {
    uint32_t id;
    uint32_t module; /* index in modules */
    uint32_t entry;  /* index in the module's entries; WS_NONE = not instrumented */
    uint32_t stage;
    const char *name;  /* of the entry point */
    const char *shown; /* its name in reports (names.h); NULL until ws_names_make */
    /* The one pipeline that has it, as an index in pipelines; WS_PIPELINE_SEVERAL (launch.h) or WS_NONE where
     * there is no such. Set by ws_names_make. */
    uint32_t pipeline;
    uint32_t local_size[3];                   /* workgroup size; 0 = it has none, or it is not known */
    struct ws_specialization *specialization; /* by constant_id */
    uint32_t specialization_count;
    uint32_t flags; /* WS_SHADER_* of capture.h */
};

struct ws_pipeline_record {
    uint32_t id;
    uint32_t kind;
    const char *name;  /* "" = none */
    const char *shown; /* its name in reports (names.h); NULL until ws_names_make */
    uint32_t *shaders; /* indices in shaders */
    uint32_t shader_count;
};

/* The launches of a capture, for all analyses (launch.h). Zero-initialised is empty. */
struct ws_launch_table {
    struct ws_id_map by_index; /* a launch's index -> its place in `launches` */
    struct ws_launch_record *launches;
    uint32_t count;
    uint32_t capacity;
};

struct ws_catalog {
    struct ws_text_pool texts; /* owns every text below */
    struct ws_id_map ids;      /* kind << 32 | id -> index below */
    struct ws_device_record *devices;
    uint32_t device_count;
    uint32_t device_capacity;
    struct ws_module_record *modules;
    uint32_t module_count;
    uint32_t module_capacity;
    struct ws_shader_record *shaders;
    uint32_t shader_count;
    uint32_t shader_capacity;
    struct ws_pipeline_record *pipelines;
    uint32_t pipeline_count;
    uint32_t pipeline_capacity;
    struct ws_launch_table launches; /* as far as the capture has been read */
    struct ws_times times;           /* likewise: of launches that have device timestamps */
    struct ws_chunk_image *images;   /* likewise */
    uint32_t image_count;
    uint32_t image_capacity;
    struct ws_bound_table *bound;          /* likewise: what launches had bound (bound.h) */
    struct ws_structure_table *structures; /* likewise (structures.h) */
    struct ws_built_table *built;          /* likewise: what structures were built of (built.h) */
};

void ws_catalog_init(struct ws_catalog *catalog);
void ws_catalog_finish(struct ws_catalog *catalog);

/* Takes in what the chunk defines. False and `error` when there is no memory. */
bool ws_catalog_record(struct ws_catalog *catalog, const struct ws_chunk *chunk, struct ws_error *error);

/* The index of what has that id in the capture; WS_NONE where it is not defined. */
uint32_t ws_catalog_module(const struct ws_catalog *catalog, uint32_t id);
uint32_t ws_catalog_shader(const struct ws_catalog *catalog, uint32_t id);
uint32_t ws_catalog_pipeline(const struct ws_catalog *catalog, uint32_t id);
uint32_t ws_catalog_device(const struct ws_catalog *catalog, uint32_t id);

/* The pass of this name, as sites of the module have it: what `info.pass` is to be equal to. WS_NONE where
 * the module was not instrumented for it, and then no site is. Ask for the sites of one pass with
 *
 *   const uint32_t pass = ws_catalog_pass(module, WS_PASS_WARP_ENTRY_EXIT);
 *   ... ws_catalog_is_site(&module->sites[i], pass, WS_TAG_WARP_ENTRY_EXIT_ENTRY) ... */
uint32_t ws_catalog_pass(const struct ws_module_record *module, const char *name);

/* Whether a site is of the pass, and has the tag. */
static inline bool ws_catalog_is_site(const struct ws_site_record *site, uint32_t pass, uint32_t tag)
{
    return pass != WS_NONE && site->info.pass == pass && site->info.tag == tag;
}

/* The shader's entry point; NULL when it is not instrumented. */
const struct ws_entry_record *ws_catalog_entry(const struct ws_catalog *catalog, uint32_t shader);

/* The counter row in which the shader says its launch size (root.h); WS_NONE where its stage says none, or it
 * is not instrumented. */
uint32_t ws_catalog_launch_row(const struct ws_catalog *catalog, uint32_t shader);

struct ws_code;
struct ws_module;

/* Fills the functions and calls of a module from its code. The catalog does so for every module with sites.
 * False when there is no memory. */
bool ws_catalog_functions_add(struct ws_catalog *catalog, struct ws_module_record *module,
                              const struct ws_module *code);

/* Fills the positions and loops of the traces of a module, which are there. False when there is no memory. */
bool ws_traced_positions_add(struct ws_module_record *module, const struct ws_code *code);

/* The function of that result id; NULL where it is not known. */
const struct ws_function_record *ws_catalog_function(const struct ws_module_record *module, uint32_t id);

/* Whether one function calls another, by result ids. False where it is not known. */
bool ws_catalog_calls(const struct ws_module_record *module, uint32_t caller, uint32_t callee);

/* The word for a call site: "traceRay", "executeCallable", "ray query", ...; NULL for an opcode that is none.
 * Static string. */
const char *ws_call_word(uint32_t opcode);

/* Fills the memories and traces of a module from its code. False when there is no memory. */
bool ws_catalog_memories_add(struct ws_catalog *catalog, struct ws_module_record *module,
                             const struct ws_code *code);
void ws_catalog_memories_finish(struct ws_module_record *module);

/* Fills the call sites of a module from its code. ws_catalog_call_sites_number says which of them an entry point
 * can reach. False when there is no memory. */
bool ws_catalog_call_sites_add(struct ws_catalog *catalog, struct ws_module_record *module,
                               const struct ws_code *code);
bool ws_catalog_call_sites_number(const struct ws_module_record *module, const struct ws_entry_info *info,
                                  struct ws_entry_record *entry);

/* Whether a shader may trace rays or run callables. False only where all of them are known to do neither. */
bool ws_catalog_may_trace(const struct ws_catalog *catalog);

/* Fills the specialization constants of a module from its code. False when there is no memory. */
bool ws_catalog_constants_add(struct ws_catalog *catalog, struct ws_module_record *module,
                              const struct ws_module *code);

/* For an array that has an element for each one of a list of the catalog, which has `wanted` elements and
 * room for `capacity`: the array, of `count` elements of `size` bytes, with as much room; elements from
 * `count` to `wanted` are zeroed. NULL when there is no memory, and then the old array stays. */
void *ws_catalog_follow(void *array, uint32_t count, uint32_t wanted, uint32_t capacity, size_t size);

#endif
