/* The payloads of capture.h as C structs: what the writer takes and the reader gives, and what each member
 * means.
 *
 * Ownership: pointers are borrowed. The writer reads them only during a call; what the reader gives stays
 * valid until the reader's next call. Texts are NUL-terminated UTF-8. The reader never gives NULL as a text;
 * the writer takes NULL as "". */
#ifndef WARPSCOPE_CHUNKS_H
#define WARPSCOPE_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#include "warpscope/capture.h"
#include "warpscope/instrument.h"

struct ws_text_pair {
    const char *key;
    const char *value;
};

/* INFO */
struct ws_chunk_info {
    const char *version;          /* of Warpscope */
    const char *application;      /* as given to VkApplicationInfo; "" = none */
    const char *engine;           /* likewise */
    const char *const *arguments; /* the command line */
    uint32_t argument_count;
    uint32_t process_id;
    uint64_t start; /* ns since 1970, UTC */
    const char *const *passes;
    uint32_t pass_count;
    const struct ws_text_pair *settings; /* of the layer, all of them */
    uint32_t setting_count;
    uint64_t run; /* of `warpscope record`: the same for all captures of one; 0 = recorded without it */
};

/* DEVC: what VkPhysicalDeviceProperties and the structs behind it say. */
struct ws_chunk_device {
    uint32_t id;
    const char *name;
    const char *driver_name;
    const char *driver_info;
    uint32_t api_version;
    uint32_t vendor_id;
    uint32_t pci_device_id;
    uint32_t driver_version;
    uint32_t type; /* VkPhysicalDeviceType */
    uint32_t subgroup_size;
    uint32_t subgroup_size_min;
    uint32_t subgroup_size_max;
    uint32_t bins;            /* words of a counter row (root.h) */
    uint32_t subgroup_stages; /* stages that are counted by warps; the others are counted by threads */
};

/* MODL */
struct ws_chunk_module {
    uint32_t id;
    uint64_t hash;    /* XXH3-64 of its bytes */
    const char *name; /* from debug-utils; "" = none */
    const uint32_t *words;
    uint32_t word_count;
};

/* SITE. The structs of its lists are those of instrument.h. */
struct ws_chunk_sites {
    uint32_t module;
    uint32_t row_count;
    const char *const *passes; /* names; what a site's `pass` is an index of */
    uint32_t pass_count;
    const struct ws_entry_info *entries;
    uint32_t entry_count;
    const struct ws_block_info *blocks;
    uint32_t block_count;
    const struct ws_site_info *sites;
    uint32_t site_count;
    /* Yield words (yields.h). Of each entry: its yield_first, its yield_count; empty = none of any. */
    const uint32_t *yields;
    uint32_t yield_count; /* 0, or 2 * entry_count */
    /* Of each pass in `passes`: the first word of its area per shader, WS_NONE = none; empty = none of any. */
    const uint32_t *shared_yields;
    uint32_t shared_yield_count; /* 0, or pass_count */
    /* Rising by site and word. Of a site with any, `row` is 16 at most. */
    const struct ws_fixed_word *fixed;
    uint32_t fixed_count;
};

struct ws_specialization {
    uint32_t constant_id;
    uint32_t size;  /* bytes: 1, 2, 4 or 8 */
    uint64_t value; /* zero-extended */
};

/* SHDR */
struct ws_chunk_shader {
    uint32_t id;
    uint32_t module;
    uint32_t entry;   /* index in the entries of the module's SITE chunk; WS_NONE = not instrumented */
    uint32_t stage;   /* enum ws_stage */
    const char *name; /* of the entry point */
    const struct ws_specialization *specialization;
    uint32_t specialization_count;
    uint32_t flags; /* WS_SHADER_* */
};

/* PIPE */
struct ws_chunk_pipeline {
    uint32_t id;
    uint32_t device;
    uint32_t kind;           /* enum ws_pipeline_kind */
    const uint32_t *shaders; /* ids, those of its libraries included */
    uint32_t shader_count;
    uint32_t flags; /* bit 0 = a library */
};

/* NAME */
struct ws_chunk_name {
    uint32_t kind; /* enum ws_name_kind */
    uint32_t id;   /* of that kind; of a queue its family << 16 | its index in the family */
    const char *name;
};

/* Counter rows of one shader in one launch: words[(row - row_first) * bins + bin]. */
struct ws_shader_counters {
    uint32_t shader;
    uint32_t row_first;
    uint32_t row_count;
    uint32_t bins;
    const uint32_t *words; /* row_count * bins words, host byte order, 4-byte aligned */
    /* Sampled counters (root.h, SAMPLING): each execution of a row, but for the launch row, stands for `weight` executions, and
     * `group` is the number of the set, below WS_SAMPLE_GROUPS. 0 and 1 mean that every warp counted. In SUBM they stand in
     * `weights`. */
    uint32_t weight;
    uint32_t group;
};

/* How many executions one of the counters stands for. */
static inline uint32_t ws_counters_weight(const struct ws_shader_counters *counters)
{
    return counters->weight > 1 ? counters->weight : 1;
}

/* A launch: a command that was executed, or an instance of a render pass. */
struct ws_launch {
    uint64_t index; /* in the whole capture, in the order of submission */
    uint32_t kind;  /* enum ws_launch_kind */
    /* As the command gave it, in threads for rays and in workgroups for dispatches; of a render pass the
     * width, height and layers of its area. 0, 0, 0 = not known on the host. */
    uint32_t size[3];
    uint32_t flags;             /* WS_LAUNCH_* */
    uint32_t draws;             /* render pass: draw commands recorded in it; else 0 */
    const char *label;          /* debug-utils labels open at the command, outermost first, joined by " / " */
    const char *command_buffer; /* its name; "" = none */
    const uint32_t *pipelines;  /* ids of those it used */
    uint32_t pipeline_count;
    const struct ws_shader_counters *shaders;
    uint32_t shader_count;
};

/* Where the workgroups of a vkCmdDispatchBase begin. Vulkan (vkCmdDispatchBase; built-ins WorkgroupId, NumWorkgroups):
 * WorkgroupId counts from the base, and so does GlobalInvocationId; NumWorkgroups is the size of the launch, without it.
 * With a base of 4 and a size of 2, WorkgroupId is 4 and 5, and NumWorkgroups 2. On each device of a group it is the same. */
struct ws_launch_base {
    uint64_t launch; /* index */
    uint32_t base[3];
};

/* SUBM */
struct ws_chunk_submission {
    uint64_t index;  /* of the submission */
    uint64_t frame;  /* index */
    uint32_t device; /* id */
    uint32_t queue_family;
    uint32_t queue_index;
    uint32_t flags; /* WS_SUBMISSION_* */
    const struct ws_launch *launches;
    uint32_t launch_count;
    /* Of each struct ws_shader_counters of the launches, in their order, its weight and its group; empty where all weights are
     * 1. The reader has them in the structs too. The writer takes them from there. */
    const uint32_t *weights;
    uint32_t weight_count;
    /* Of each of its launches with WS_LAUNCH_BASE, by ascending index. Captures of before have none: then the base is not
     * known. */
    const struct ws_launch_base *bases;
    uint32_t base_count;
};

/* Which shader the slot number of an entry record means. */
struct ws_slot_shader {
    uint32_t slot;
    uint32_t shader;
};

/* RECS */
struct ws_chunk_records {
    uint64_t submission;
    uint64_t launch;
    uint32_t device;
    uint32_t flags;      /* WS_RECORDS_* */
    uint32_t bins;       /* root.h: how long masks are */
    uint32_t position;   /* of words[0] in the submission's stream */
    uint32_t first;      /* of the launch's first word there */
    uint64_t missing;    /* words of the launch that did not fit; the same in all pieces */
    uint64_t sufficient; /* capacity in words that would have held the whole submission */
    const struct ws_slot_shader *slots;
    uint32_t slot_count;
    const uint32_t *words; /* host byte order */
    uint32_t word_count;
};

/* BLOB: one piece */
struct ws_chunk_blob {
    uint32_t id;
    uint64_t hash[2]; /* XXH3-128 of the whole: low, high */
    uint64_t size;    /* of the whole, bytes */
    uint64_t offset;  /* of this piece */
    const uint8_t *bytes;
    uint32_t count;
};

/* ASTR */
struct ws_chunk_structure {
    uint32_t id;
    uint32_t device;
    uint32_t type;    /* VkAccelerationStructureTypeKHR */
    uint64_t size;    /* bytes */
    uint64_t address; /* of the device; 0 = not known */
    const char *name;
};

/* One geometry of a build.
 *
 * Blobs begin with what the first primitive uses: the offsets of the build range have been applied. So index
 * i means vertex i of the blob, counted in strides, and triangle p without indices has the vertices 3p, 3p +
 * 1 and 3p + 2. Instances are VkAccelerationStructureInstanceKHR of 64 bytes each, also those that were given
 * as an array of pointers. Where a blob is shorter than the primitives need, it was clipped, and the rest is
 * not known. */
struct ws_build_geometry {
    uint32_t type;            /* VkGeometryTypeKHR */
    uint32_t flags;           /* VkGeometryFlagsKHR */
    uint32_t capture_flags;   /* WS_GEOMETRY_* */
    uint32_t primitive_count; /* triangles, AABBs or instances */
    uint32_t vertex_format;   /* VkFormat */
    uint32_t index_type;      /* VkIndexType */
    uint32_t max_vertex;      /* as the application said */
    uint64_t stride;          /* of vertices or AABBs, bytes */
    uint32_t data;            /* blob ids, WS_NONE = none: vertices, AABBs or instances */
    uint32_t indices;         /* triangles */
    uint32_t transform;       /* triangles: VkTransformMatrixKHR */
    /* Instances: the structure that each one refers to at the time of the build; WS_NONE = none has that
     * address or handle. Else empty. */
    const uint32_t *references;
    uint32_t reference_count;
};

/* So many triangles of a geometry have an opacity micromap of that format and level (VkMicromapUsageEXT). */
struct ws_micromap_usage {
    uint32_t count;
    uint32_t level;  /* of subdivision: 4 to the power of it are its microtriangles */
    uint32_t format; /* VkOpacityMicromapFormatEXT */
};

/* The opacity micromaps of a geometry of triangles, as the build was told. Triangle i has the index that stands i strides
 * after the beginning of the blob; without indices (VK_INDEX_TYPE_NONE_KHR) its index is i. An index that is -1 to -4, cut
 * to the index type, says what the whole triangle is (VkOpacityMicromapSpecialIndexEXT). Any other one, plus `base`, is
 * the number of its micromap; what is in that is said by struct ws_micromap_content, where it is known. */
struct ws_build_micromap {
    uint32_t geometry;   /* which of the build */
    uint32_t index_type; /* VkIndexType */
    uint64_t stride;     /* of indices, bytes */
    uint32_t indices;    /* blob id; WS_NONE = none, or not known */
    uint32_t base;
    /* Of the triangles with a micromap; empty where the build is not told (VK_KHR_opacity_micromap). */
    const struct ws_micromap_usage *usages;
    uint32_t usage_count;
};

/* Where on the device a build read the vertices or AABBs of a geometry, and its indices: from the first byte of the blob on,
 * and only as many bytes as primitives use. Builds on the host have none; nor has what lies in no buffer that is followed. */
struct ws_build_source {
    uint32_t geometry; /* which of the build */
    uint32_t
        buffer; /* id of the buffer that they lie in (RSRC), which may come later, or never; WS_NONE = not known */
    uint64_t address;      /* on the device */
    uint64_t size;         /* bytes */
    uint32_t index_buffer; /* likewise */
    uint64_t index_address;
    uint64_t index_size; /* 0 = there are no indices */
};

/* What the micromap object of a geometry held when the structure was built. Micromap i is described by the
 * VkMicromapTriangleEXT that stands i strides after the beginning of `triangles`: where its opacities are in `data`, its level
 * and its format. The opacity of part j is 1 or 2 bits from bit j, or 2j, on: VkOpacityMicromapSpecialIndexEXT is the
 * complement of it. A blob may end before what is described. */
struct ws_micromap_content {
    uint32_t geometry;  /* which of the build */
    uint32_t data;      /* blob id; WS_NONE = it has no triangles */
    uint32_t triangles; /* likewise */
    uint32_t triangle_count;
    uint64_t stride; /* of triangles, bytes */
};

/* BILD */
struct ws_chunk_build {
    uint32_t structure;
    uint64_t moment;
    uint32_t flags;       /* WS_BUILD_* */
    uint32_t build_flags; /* VkBuildAccelerationStructureFlagsKHR */
    uint32_t source;      /* of an update; WS_NONE */
    const struct ws_build_geometry *geometries;
    uint32_t geometry_count;
    const struct ws_build_micromap
        *micromaps; /* of geometries with WS_GEOMETRY_MICROMAP; rising by geometry */
    uint32_t micromap_count;
    const struct ws_build_source *sources; /* rising by geometry */
    uint32_t source_count;
    const struct ws_micromap_content *contents; /* of micromap objects that are known; rising by geometry */
    uint32_t content_count;
};

/* COPY */
struct ws_chunk_copy {
    uint32_t source;      /* id; of a deserialization WS_NONE */
    uint32_t destination; /* id; of a serialization WS_NONE */
    uint64_t moment;
    uint32_t mode; /* VkCopyAccelerationStructureModeKHR */
    /* XXH3-128 of the serialized bytes: low, high. What is deserialized is what was serialized to equal
     * bytes. Modes other than these two have 0, 0; so has a deserialization whose bytes could not be read. */
    uint64_t hash[2];
};

/* GONE */
struct ws_chunk_gone {
    uint32_t structure;
    uint64_t moment;
};

/* One shader group; shader ids, WS_NONE = none. */
struct ws_shader_group {
    uint32_t type; /* VkRayTracingShaderGroupTypeKHR */
    uint32_t general;
    uint32_t closest_hit;
    uint32_t any_hit;
    uint32_t intersection;
    const uint8_t *handle;
    uint32_t handle_size; /* bytes; 0 = not known */
};

/* GRUP */
struct ws_chunk_groups {
    uint32_t pipeline;    /* id */
    uint32_t handle_size; /* of every group, bytes */
    const struct ws_shader_group *groups;
    uint32_t group_count;
};

/* VkStridedDeviceAddressRegionKHR, with what was there. */
struct ws_binding_table {
    uint64_t address;
    uint64_t stride;
    uint64_t size;
    uint32_t blob; /* WS_NONE = not captured; shorter than `size` = clipped */
};

/* TABL */
struct ws_chunk_tables {
    uint64_t launch;
    struct ws_binding_table tables[4]; /* ray generation, miss, hit, callable */
};

/* IMAG: texels row by row, the upper left one first. Each row has `pitch` bytes, of which the texels take the first. */
struct ws_chunk_image {
    uint32_t source; /* enum ws_image_source */
    uint64_t launch; /* index of the launch; 0 where it was presented */
    uint64_t frame;  /* index of the frame that was presented; else 0 */
    uint32_t format; /* VkFormat */
    uint32_t width;  /* texels */
    uint32_t height;
    uint64_t pitch;   /* bytes */
    uint32_t blob;    /* the texels */
    uint32_t set;     /* of its descriptor; 0 where it was presented */
    uint32_t binding; /* likewise */
    /* Further images of that size that the launch can write; further swapchains that were presented with it. */
    uint32_t others;
};

/* The timestamps of a launch, in ticks of its queue. Of both numbers only the lowest `valid_bits` count. `begin` was
 * written when all commands before the launch had ended, `end` when the launch and all before it had
 * (layer/commands/timer.h). */
struct ws_launch_time {
    uint64_t launch; /* index */
    uint32_t state;  /* enum ws_time_state; unless it is WS_TIME_TAKEN, both numbers are 0 */
    uint64_t begin;
    uint64_t end;
};

/* TIME */
struct ws_chunk_times {
    uint64_t submission;
    uint32_t device;
    uint32_t queue_family;
    uint32_t queue_index;
    uint32_t valid_bits; /* VkQueueFamilyProperties::timestampValidBits; 0 = the queue has no timestamps */
    uint64_t period;     /* femtoseconds of a tick: VkPhysicalDeviceLimits::timestampPeriod, which is in ns */
    const struct ws_launch_time *launches;
    uint32_t launch_count;
};

/* PROB */
struct ws_chunk_probe {
    const char *name;      /* of the probe, without "probe:"; unique in the capture */
    const uint32_t *words; /* its blob (probe.h) */
    uint32_t word_count;
};

/* Yield words of one shader in one launch: words[i] is word first + i of its module (yields.h). Words that are not in any
 * chunk are 0. */
struct ws_shader_yields {
    uint32_t shader;
    uint32_t first;
    const uint32_t *words; /* host byte order */
    uint32_t word_count;
};

/* YLDS */
struct ws_chunk_yields {
    uint64_t submission;
    uint64_t launch; /* index */
    const struct ws_shader_yields *shaders;
    uint32_t shader_count;
};

/* What the members of `extent` are, of a view. */
enum ws_view_extent { WS_VIEW_LEVEL, WS_VIEW_LAYER, WS_VIEW_ASPECTS };

/* An allocation, buffer, image or view of the application. Where its id came before, this is what is known now. */
struct ws_resource {
    uint32_t id;
    uint32_t kind; /* enum ws_resource_kind */
    /* What it lies in: of a buffer or an image its allocation, of a view the buffer or image. WS_NONE = nothing, or not known:
     * sparse resources are bound page by page, which is not followed. */
    uint32_t within;
    uint64_t offset; /* bytes in that; of a view of an image 0 */
    uint64_t size;   /* bytes; 0 = not known */
    /* VkBufferUsageFlags2 or VkImageUsageFlags as the application asked; of a view those of what it shows; else 0. */
    uint64_t usage;
    uint64_t address;     /* device address of a buffer, where the application asked for it; else 0 */
    uint32_t memory_type; /* of an allocation; else WS_NONE */
    uint32_t properties;  /* VkMemoryPropertyFlags of that; else 0 */
    uint32_t format;      /* VkFormat of an image or a view; else 0 */
    /* Texels of an image; of a view by enum ws_view_extent: its first level and layer, and VkImageAspectFlags; else 0. */
    uint32_t extent[3];
    const char *name; /* from debug-utils; "" = none */
};

/* RSRC */
struct ws_chunk_resources {
    uint32_t device;
    uint64_t moment; /* index of the first launch that may use them */
    const struct ws_resource *resources;
    uint32_t resource_count;
    const uint32_t *gone; /* ids of those that are no more from that moment on */
    uint32_t gone_count;
};

/* A descriptor that was written. */
struct ws_descriptor {
    uint32_t binding;
    uint32_t element;
    uint32_t type; /* VkDescriptorType as it was written, or else of the layout */
    uint32_t
        resource; /* id of the buffer or view, of an acceleration structure its id; WS_NONE = none, or it is gone */
    /* Bytes in the buffer, without the dynamic offset. Of a sampler, and of an image with one, these two are its words
     * (sampler.h); in older captures 0. */
    uint64_t offset;
    uint64_t
        range; /* bytes; WS_WHOLE_RANGE = to the end of the buffer; of an inline uniform block its bytes */
};

#define WS_WHOLE_RANGE UINT64_MAX /* VK_WHOLE_SIZE */

/* DSET: the descriptors that were written, rising by binding and element. Those of uniform and storage buffers with dynamic
 * offsets are all there, written or not: so the dynamic offsets of a bound set belong to them in their order. */
struct ws_chunk_set {
    uint32_t id; /* of this state of the set */
    uint32_t
        owner; /* number of the set: it is the same in all states of one; an inline uniform block is memory of it */
    uint32_t left_out; /* descriptors that are not in the list, since there are too many */
    const struct ws_descriptor *descriptors;
    uint32_t descriptor_count;
};

/* DSCH: the state of a set that followed on `base`. Descriptors that were written since, rising by binding and element. All
 * others are as they were; but what is gone since (RSRC, GONE) is in none any more. `base` is the last state of its set before,
 * so that a set's states are one line. */
struct ws_chunk_set_change {
    uint32_t id;   /* of this state, among those of DSET chunks */
    uint32_t base; /* id of a DSET or DSCH chunk */
    const struct ws_descriptor *descriptors;
    uint32_t descriptor_count;
};

/* What was bound as one descriptor set. */
struct ws_bound_set {
    uint32_t set;            /* its number in shaders; WS_NONE with a reason for all sets */
    uint32_t reason;         /* enum ws_bound_reason */
    uint32_t state;          /* id of a DSET or DSCH chunk; WS_NONE unless it is known */
    const uint32_t *offsets; /* dynamic offsets */
    uint32_t offset_count;
};

/* What a pipeline ran with. In a render pass a pipeline has one for each combination of sets that it draws with. */
struct ws_bound_use {
    uint32_t pipeline; /* id; WS_NONE = each that has none of its own, as those of indirect execution sets */
    const struct ws_bound_set *sets;
    uint32_t set_count;
};

struct ws_bound_launch {
    uint64_t launch; /* index */
    const struct ws_bound_use *uses;
    uint32_t use_count;
};

/* BIND */
struct ws_chunk_bound {
    const struct ws_bound_launch *launches;
    uint32_t launch_count;
};

/* SKIP */
struct ws_chunk_skip {
    uint32_t kind;   /* enum ws_skip_kind */
    uint32_t id;     /* of that kind; WS_NONE = none */
    uint32_t pass;   /* index in INFO's list; WS_NONE = all */
    uint32_t offset; /* word offset in the module; WS_NONE = none */
    uint64_t count;  /* sites, shaders or launches, as the kind says */
    const char *reason;
    /* Of sites: indices in the entries of the module's SITE chunk, of those that reach such a site. */
    const uint32_t *entries;
    uint32_t entry_count;
};

/* MESG */
struct ws_chunk_message {
    uint32_t severity; /* enum ws_severity */
    const char *text;
};

/* DONE */
struct ws_chunk_done {
    uint64_t submissions;
    uint64_t launches;
    uint64_t frames;
    uint64_t outside; /* launches outside the chosen range */
};

#endif
