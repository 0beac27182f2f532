/* Shader groups and binding tables of a capture: which shaders each record of each table calls.
 *
 * The file is untrusted. Only records that lie whole in the captured bytes count, and a table whose stride is
 * shorter than a handle has none. Where the stride is 0, every index means the first record.
 *
 * MEMORY: groups, and some words for each table and launch. The bytes of blobs, of which it is not known at
 * first whether they are tables, are in a temporary file without a name. Blobs of more than WS_SBT_BLOB_MAX
 * bytes are taken for geometry. Not thread-safe. */
#ifndef WS_ANALYSIS_SCENE_SCENE_SBT_H
#define WS_ANALYSIS_SCENE_SCENE_SBT_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/reader.h"

#define WS_SBT_BLOB_MAX (64u << 20)

enum ws_sbt_table { WS_SBT_RAYGEN = 0, WS_SBT_MISS, WS_SBT_HIT, WS_SBT_CALLABLE };

struct ws_sbt_record {
    bool known;                  /* its handle is one of the launch's pipelines' */
    bool null;                   /* all bytes of the handle are 0: no shader */
    uint32_t pipeline;           /* chunk id */
    uint32_t group;              /* index in the pipeline's groups */
    struct ws_shader_group info; /* shader ids */
    uint64_t data_hash;          /* XXH3-64 of the bytes behind the handle, in the stride */
};

struct ws_scene_sbt;
struct ws_scene_sbt *ws_scene_sbt_create(void);
void ws_scene_sbt_destroy(struct ws_scene_sbt *tables);
/* Feed it every chunk, in order; it uses GRUP, TABL, BLOB, and SUBM for the launches' pipelines. */
bool ws_scene_sbt_record(struct ws_scene_sbt *tables, const struct ws_chunk *chunk, struct ws_error *error);
/* The ray tracing pipeline of a launch: the first of its pipelines that has groups (chunk id); WS_NONE =
 * not known. */
uint32_t ws_scene_sbt_pipeline(const struct ws_scene_sbt *tables, uint64_t launch);
/* How many records a table of a launch has: size / stride; 0 = not captured. */
uint32_t ws_scene_sbt_count(const struct ws_scene_sbt *tables, uint64_t launch, enum ws_sbt_table table);
bool ws_scene_sbt_get(const struct ws_scene_sbt *tables, uint64_t launch, enum ws_sbt_table table,
                      uint32_t index, struct ws_sbt_record *record);

/* How many groups a pipeline (chunk id) has; 0 = not known. And one of its groups; NULL where there is
 * none. */
uint32_t ws_scene_sbt_group_count(const struct ws_scene_sbt *tables, uint32_t pipeline);
const struct ws_shader_group *ws_scene_sbt_group(const struct ws_scene_sbt *tables, uint32_t pipeline,
                                                 uint32_t group);

#endif
