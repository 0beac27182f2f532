/* A table of a capture as Parquet (analysis/output/parquet.h), partitioned by frame and pipeline.
 *
 * ONE FILE, where the path ends in ".parquet": the first two columns are `frame` and `pipeline`.
 *
 * A FOLDER, where it ends in "/" or is one: the rows of each frame and pipeline are in a folder of their own, so that readers
 * that ask for some of them open no other (Hive's layout of partitions, which DuckDB, Spark and others read as columns):
 *
 *   accesses/frame=3/pipeline=2/part-0.parquet
 *   accesses/frame=3/pipeline=__HIVE_DEFAULT_PARTITION__/part-0.parquet     which pipeline it was is not known
 *
 * The folder is empty or is made: files of another export in it would be read as one with these. Nothing stands in it before
 * all is whole (analysis/output/staging.h): one data set at a time. At most
 * WS_DATA_SET_OPEN files are open, and a frame that has ended has none; rows that come later are in part-1, and so on.
 *
 * `pipeline` is an id of the capture. Columns are fields (fields.h); those that are not known of every row may have no value.
 * Each file says in its footer what the table is, of which program, and what each column means.
 *
 * MEMORY: WS_DATA_SET_OPEN row groups at most. Not thread-safe. */
#ifndef WS_ANALYSIS_EXPORT_DATA_SET_H
#define WS_ANALYSIS_EXPORT_DATA_SET_H

#include "analysis/export/fields.h"
#include "warpscope/error.h"
#include "warpscope/model/launch.h"

#define WS_DATA_SET_OPEN 24

/* What a user asked for, and behind the export what was written. */
struct ws_data_set_export {
    const char *path; /* NULL = not wanted */
    uint64_t rows;
    uint64_t files;
    struct ws_error failure; /* why nothing could be written; "" = it could */
};

/* Whether a path names a data set: one file or a folder. */
bool ws_data_set_is_path(const char *path);

struct ws_data_set;

/* `name` says what rows are, in the plural: "accesses". The fields must stay. Makes the folder. NULL and `error`. */
struct ws_data_set *ws_data_set_create(const char *path, const char *name,
                                       const struct ws_export_field *fields, size_t field_count,
                                       struct ws_error *error);

/* Without ws_data_set_finish nothing is left of it, nor of a folder that it made. NULL is fine. */
void ws_data_set_destroy(struct ws_data_set *set);

/* Takes what the chunk says of the program. Every chunk may be given. False = no memory. */
bool ws_data_set_take(struct ws_data_set *set, const struct ws_chunk *chunk);

/* Adds a row of a frame and a pipeline: its id, WS_NONE = not known. Texts of the row stay what and where they are. False and
 * `error`: it cannot be written, or there is no memory. */
bool ws_data_set_add(struct ws_data_set *set, uint64_t frame, uint32_t pipeline, const void *row,
                     uint32_t known, struct ws_error *error);

/* Finishes all files, and puts them where they belong. False and `error`. */
bool ws_data_set_finish(struct ws_data_set *set, struct ws_error *error);

/* The id of the pipeline that ran a shader in a launch, by their index and the shader's in the catalog; WS_NONE where it cannot
 * be told (ws_catalog_launch_pipeline). */
uint32_t ws_data_set_pipeline(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader);

/* So far. */
uint64_t ws_data_set_rows(const struct ws_data_set *set);
uint64_t ws_data_set_files(const struct ws_data_set *set);

#endif
