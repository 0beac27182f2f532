/* The payloads of capture.h as C structs: what the writer takes and the reader gives.
 *
 * Ownership: pointers are borrowed. The writer reads them only during a call; what the reader gives
 * stays valid until the reader's next call. Texts are NUL-terminated UTF-8 and never NULL in what the
 * reader gives; the writer takes NULL as "". Field meanings and units are those of capture.h. */
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
    const char *version;
    const char *application;
    const char *engine;
    const char *const *arguments;
    uint32_t argument_count;
    uint32_t process_id;
    uint64_t start; /* ns since 1970, UTC */
    const char *const *passes;
    uint32_t pass_count;
    const struct ws_text_pair *settings;
    uint32_t setting_count;
};

/* DEVC */
struct ws_chunk_device {
    uint32_t id;
    const char *name;
    const char *driver_name;
    const char *driver_info;
    uint32_t api_version;
    uint32_t vendor_id;
    uint32_t pci_device_id;
    uint32_t driver_version;
    uint32_t type;
    uint32_t subgroup_size;
    uint32_t subgroup_size_min;
    uint32_t subgroup_size_max;
    uint32_t bins;
    uint32_t subgroup_stages;
};

/* MODL */
struct ws_chunk_module {
    uint32_t id;
    uint64_t hash;
    const char *name;
    const uint32_t *words;
    uint32_t word_count;
};

/* SITE: entries' `functions` included */
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
    uint32_t entry;
    uint32_t stage;
    const char *name;
    const struct ws_specialization *specialization;
    uint32_t specialization_count;
};

/* PIPE */
struct ws_chunk_pipeline {
    uint32_t id;
    uint32_t device;
    uint32_t kind; /* enum ws_pipeline_kind */
    const uint32_t *shaders;
    uint32_t shader_count;
    uint32_t flags;
};

/* NAME */
struct ws_chunk_name {
    uint32_t kind; /* enum ws_name_kind */
    uint32_t id;
    const char *name;
};

/* Counter rows of one shader in one launch: words[(row - row_first) * bins + bin]. */
struct ws_shader_counters {
    uint32_t shader;
    uint32_t row_first;
    uint32_t row_count;
    uint32_t bins;
    const uint32_t *words; /* row_count * bins words, host byte order, 4-byte aligned */
};

struct ws_launch {
    uint64_t index;
    uint32_t kind; /* enum ws_launch_kind */
    uint32_t size[3];
    uint32_t flags; /* WS_LAUNCH_* */
    uint32_t draws;
    const char *label;
    const char *command_buffer;
    const uint32_t *pipelines;
    uint32_t pipeline_count;
    const struct ws_shader_counters *shaders;
    uint32_t shader_count;
};

/* SUBM */
struct ws_chunk_submission {
    uint64_t index;
    uint64_t frame;
    uint32_t device;
    uint32_t queue_family;
    uint32_t queue_index;
    uint32_t flags; /* WS_SUBMISSION_* */
    const struct ws_launch *launches;
    uint32_t launch_count;
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
    uint32_t flags; /* WS_RECORDS_* */
    uint32_t bins;
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
    uint32_t type; /* VkAccelerationStructureTypeKHR */
    uint64_t size;
    uint64_t address;
    const char *name;
};

/* One geometry of a build. */
struct ws_build_geometry {
    uint32_t type;            /* VkGeometryTypeKHR */
    uint32_t flags;           /* VkGeometryFlagsKHR */
    uint32_t capture_flags;   /* WS_GEOMETRY_* */
    uint32_t primitive_count; /* triangles, AABBs or instances */
    uint32_t vertex_format;   /* VkFormat */
    uint32_t index_type;      /* VkIndexType */
    uint32_t max_vertex;
    uint64_t stride;
    uint32_t data;              /* blob ids, WS_NONE = none: vertices, AABBs or instances */
    uint32_t indices;           /* triangles */
    uint32_t transform;         /* triangles: VkTransformMatrixKHR */
    const uint32_t *references; /* instances: structure ids */
    uint32_t reference_count;
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
};

/* COPY */
struct ws_chunk_copy {
    uint32_t source;
    uint32_t destination;
    uint64_t moment;
    uint32_t mode;    /* VkCopyAccelerationStructureModeKHR */
    uint64_t hash[2]; /* serialized bytes: low, high */
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
    uint32_t pipeline;
    uint32_t handle_size;
    const struct ws_shader_group *groups;
    uint32_t group_count;
};

/* VkStridedDeviceAddressRegionKHR, with what was there. */
struct ws_binding_table {
    uint64_t address;
    uint64_t stride;
    uint64_t size;
    uint32_t blob; /* WS_NONE = not captured */
};

/* TABL */
struct ws_chunk_tables {
    uint64_t launch;
    struct ws_binding_table tables[4]; /* ray generation, miss, hit, callable */
};

/* SKIP */
struct ws_chunk_skip {
    uint32_t kind; /* enum ws_skip_kind */
    uint32_t id;
    uint32_t pass;
    uint32_t offset;
    uint64_t count;
    const char *reason;
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
