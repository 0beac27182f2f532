/* Which memory an instruction touches: from the pointer's definition, the types and their layout decorations.
 *
 * An address is a constant and a sum of terms, each an index of the shader times the bytes that it steps over. For
 * example, in
 *
 *   layout(std430) buffer B { vec4 head; mat4 bones[]; } b;      b.bones[i][2].y
 *
 * the variable is b, the offset 16 + 2 * 16 + 4 = 52, and the one term i x 64. A pointer to PhysicalStorageBuffer is taken
 * apart as far as access chains made it: from the pointer that they begin with, which is an address itself.
 *
 * An untyped pointer (SPV_KHR_untyped_pointers) is followed by the types that access chains and accesses name. A raw access
 * chain (SPV_NV_raw_access_chains) says its bytes itself.
 *
 * Layout: Offset, ArrayStride and MatrixStride (SPIR-V specification, "Shader Validation", explicit layout); a buffer's type
 * without them is not followed. Variables of Workgroup have none as a rule: there each number is aligned to its size, vectors
 * to their components, arrays and structs to the largest alignment in them, and all of them begin where bank 0 does. Drivers
 * may pack them otherwise: the specification leaves it to them.
 *
 * Texels: texels.h. Of an image `offset` and `terms` say nothing; of a texel buffer they count from its begin. An image that
 * the function has as a parameter has that variable which all calls of the function give.
 *
 * What is found is a pure function of the module: a reader of a capture finds the same again. */
#ifndef WARPSCOPE_SPIRV_ACCESS_H
#define WARPSCOPE_SPIRV_ACCESS_H

#include "warpscope/spirv/module.h"

enum ws_access_kind {
    WS_ACCESS_LOAD,
    WS_ACCESS_STORE,
    WS_ACCESS_ATOMIC,
    WS_ACCESS_KINDS,
};

/* Memory that invocations share with each other or with the application, by its storage class. */
enum ws_access_memory {
    WS_MEMORY_STORAGE,       /* StorageBuffer, and Uniform of a BufferBlock */
    WS_MEMORY_UNIFORM,       /* Uniform */
    WS_MEMORY_ADDRESS,       /* PhysicalStorageBuffer: by device address */
    WS_MEMORY_SHADER_RECORD, /* ShaderRecordBufferKHR */
    WS_MEMORY_WORKGROUP,     /* Workgroup */
    WS_MEMORY_IMAGE,         /* texels of images, in the model of texels.h */
    WS_MEMORY_TEXELS,        /* of a texel buffer */
    WS_MEMORY_KINDS,
};

#define WS_ACCESS_TERMS_MAX 8
#define WS_ACCESS_SIZE_MAX  512 /* bytes that one lane touches at once */

/* `scale` bytes times the value of an integer. */
struct ws_access_term {
    uint32_t id;
    uint32_t scale;
};

/* One access of one instruction. */
struct ws_access {
    enum ws_access_kind kind;
    enum ws_access_memory memory;
    uint32_t pointer;  /* id */
    uint32_t variable; /* id of the variable; 0 for WS_MEMORY_ADDRESS, and where it is one of several */
    /* Id of the pointer that `offset` and `terms` count from: of WS_MEMORY_ADDRESS; else of a pointer that is chosen while the
     * shader runs (pointers.h), and 0 where they count from the variable. */
    uint32_t base;
    bool
        varies; /* which variable, or which element of its array, only the place of `base` tells (pointers.h) */
    uint32_t
        type; /* id of what the variable holds, or what lies at the address that the pointer was made from; of an array
                          of descriptors that of an element */
    uint32_t size; /* bytes from the first that is touched to the last, at most WS_ACCESS_SIZE_MAX */
    uint32_t unit; /* bytes of the smallest number in it: 1, 2, 4 or 8. Its address is a multiple of that */
    /* Bytes from the begin of the variable; with the terms, modulo 2^32. From a device address: modulo 2^64, and the terms'
     * values are signed. */
    uint64_t offset;
    struct ws_access_term terms[WS_ACCESS_TERMS_MAX];
    uint32_t term_count;
    /* The element of an array of descriptors: a constant, or the value of `descriptor_id`, which is 0 for a constant. */
    uint32_t descriptor;
    uint32_t descriptor_id;
    /* Of a sample: its sampler's variable, 0 = not known, and the element of its array, as above. */
    uint32_t sampler;
    uint32_t sampler_element;
    uint32_t sampler_element_id;
    bool is_assumed; /* of texels: the type of the image does not say their size (texels.h) */
};

/* The decorations that tell where data lies, and sizes found by them. For one thread at a time. */
struct ws_layouts;
struct ws_pointers;

/* Reads them, in the module's arena. NULL when there is no memory. There is nothing to destroy. */
struct ws_layouts *ws_layouts_create(const struct ws_module *module);

/* How many accesses an instruction has: 0, 1, or for a copy 2, the store first. Those to memory of one invocation, such as
 * Function, count too. */
uint32_t ws_access_count(uint16_t opcode);

enum ws_access_result {
    WS_ACCESS_FOUND,
    WS_ACCESS_NONE,    /* memory that one invocation has alone, or that nobody writes while shaders run */
    WS_ACCESS_UNKNOWN, /* `reason` says why, a static string of one clause */
};

/* Finds access `index` of an instruction of the module. `access` is set for WS_ACCESS_FOUND; its kind and memory also for
 * WS_ACCESS_UNKNOWN where the memory is known. */
enum ws_access_result ws_access_find(struct ws_layouts *layouts, uint32_t instruction, uint32_t index,
                                     struct ws_access *access, const char **reason);

/* Finds where a pointer points, without the size of what lies there; `access->type` is that of the variable, or of what lies
 * at `base`. False, and a reason, where it is not known. */
bool ws_access_follow(struct ws_layouts *layouts, uint32_t pointer, struct ws_access *access,
                      const char **reason);

/* The module's pointers that are chosen while the shader runs, found by the first call. NULL when there is no memory. */
struct ws_pointers *ws_access_pointers(struct ws_layouts *layouts);

/* The most pieces of `bytes` bytes, a power of two, that one lane's part of an access can touch. */
static inline uint32_t ws_access_pieces(uint32_t size, uint32_t unit, uint32_t bytes)
{
    return size <= unit ? 1 : 1 + (size - unit + bytes - 1) / bytes;
}

/* The decorations DescriptorSet and Binding of a variable. False where it lacks one. */
bool ws_access_binding(const struct ws_layouts *layouts, uint32_t variable, uint32_t *set, uint32_t *binding);

/* Whether a value is decorated NonUniform. */
bool ws_access_is_non_uniform(const struct ws_layouts *layouts, uint32_t id);

/* "load", "storage buffer", ... */
const char *ws_access_kind_name(enum ws_access_kind kind);
const char *ws_access_memory_name(enum ws_access_memory memory);

#endif
