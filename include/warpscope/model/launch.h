/* A launch as a capture tells it. Analyses that have figures of each launch keep one of these with them.
 *
 * A record owns its texts and its list of pipelines, except where ws_launch_record_keep made it. Not
 * thread-safe. */
#ifndef WARPSCOPE_MODEL_LAUNCH_H
#define WARPSCOPE_MODEL_LAUNCH_H

#include "warpscope/model/catalog.h"

struct ws_launch_record {
    uint64_t index; /* in the capture, in the order of submission */
    uint64_t submission;
    uint64_t frame;
    uint32_t device;        /* index in the catalog's devices */
    uint32_t subgroup_size; /* of the device; a shader may have another */
    uint32_t kind;          /* enum ws_launch_kind */
    /* Trace rays: threads. Dispatch: workgroups. Render pass: width, height and layers of its area. As the
     * host knew it, else as the shaders saw it; 0, 0, 0 = not known. */
    uint32_t size[3];
    uint32_t flags; /* WS_LAUNCH_* */
    uint32_t draws;
    const char *label;          /* "" = none */
    const char *command_buffer; /* its name, "" = none */
    uint32_t pipeline;          /* index in the catalog's pipelines; WS_NONE = none or several */
    uint32_t pipeline_count;    /* how many different ones it used */
    const uint32_t *pipelines;  /* their indices in the catalog, ascending; NULL = they are only counted */
    bool overlapped;            /* ran beside another queue's submission: counts may belong to either */
    bool truncated;             /* some of its records are missing: figures of records are those of a part */
    /* The WorkgroupId where its workgroups begin (struct ws_launch_base); 0, 0, 0 but for vkCmdDispatchBase. */
    uint32_t base[3];
    bool base_unknown; /* vkCmdDispatchBase in a capture of before bases were recorded: `base` says nothing */
};

/* Where a thread stands in its launch, counted from 0: its work id (replay.h) less that of the launch's first thread, modulo
 * 2^32. Work ids are GlobalInvocationIds as the shader sees them, so those of vkCmdDispatchBase begin at its base. With a
 * base of 4, 0, 0 and workgroups of 64 x 1 x 1, the thread 260,0,0 stands at 4,0,0. `local_size` is the shader's
 * (struct ws_shader_record); 0, 0, 0 = not known, where work ids are WorkgroupIds. */
void ws_launch_record_position(const struct ws_launch_record *launch, const uint32_t local_size[3],
                               const uint32_t work[3], uint32_t position[3]);

/* The work id of the launch's first thread. Likewise. */
void ws_launch_record_first(const struct ws_launch_record *launch, const uint32_t local_size[3],
                            uint32_t first[3]);

/* A record of what the submission says of the launch. False when there is no memory; then nothing needs to be
 * finished. */
bool ws_launch_record_init(struct ws_launch_record *launch, const struct ws_catalog *catalog,
                           const struct ws_chunk_submission *submission, const struct ws_launch *from);

/* A copy of a record. False as above. */
bool ws_launch_record_copy(struct ws_launch_record *launch, const struct ws_launch_record *from);

void ws_launch_record_finish(struct ws_launch_record *launch);

/* Where the size is not known, sets it from the launch rows of the shaders (root.h), which hold it. A launch
 * whose counters need several chunks is in each of them, so this is called for each. */
void ws_launch_record_measure(struct ws_launch_record *launch, const struct ws_catalog *catalog,
                              const struct ws_launch *from);

/* A copy for the results of an analysis: its texts are those of the pool, and pipelines are only counted. It
 * lives as long as the pool and is not finished. False when there is no memory. */
bool ws_launch_record_keep(struct ws_launch_record *launch, const struct ws_launch_record *from,
                           struct ws_text_pool *texts);

/* The same, of what a submission says of a launch. */
bool ws_launch_record_keep_chunk(struct ws_launch_record *launch, const struct ws_catalog *catalog,
                                 const struct ws_chunk_submission *submission, const struct ws_launch *from,
                                 struct ws_text_pool *texts);

/* Takes the launches of a submission into the catalog. False when there is no memory. */
bool ws_launch_table_record(struct ws_catalog *catalog, const struct ws_chunk_submission *submission);
void ws_launch_table_finish(struct ws_launch_table *table);

/* The launch of that index; NULL where its submission is damaged or has not been read. */
const struct ws_launch_record *ws_catalog_launch(const struct ws_catalog *catalog, uint64_t index);

#define WS_PIPELINE_SEVERAL (UINT32_MAX - 1)

/* The pipeline that ran a shader in a launch, as an index in the catalog. WS_PIPELINE_SEVERAL where several
 * pipelines of the launch have the shader: which of them ran it cannot be told. WS_NONE where none has. */
uint32_t ws_catalog_launch_pipeline(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader);

/* A kind of launch in words: "trace rays", ... */
const char *ws_launch_kind_name(uint32_t kind);

#endif
