/* The names that reports show. Whatever a table, JSON, CSV, picture or advice calls a shader, a pipeline or a
 * call site, it takes from here, so that each has the same name everywhere.
 *
 * A SHADER is "module:entry point". The module's part is its debug name; without one, the name of its main source
 * file; without debug information, its stage: "mesh.rchit:main", "raygen:main". Two shaders never have the same
 * name. Where that would be so, the first of these that differ are added, one after the other, until they do not:
 *
 *   stage            "uber.hlsl:main (miss)"
 *   folders          "primary/hit.rchit:main"
 *   specialization   "mesh.rchit:main<K=2>": each constant whose value is not the same in all specializations of
 *                    the module that the capture has. A constant has its OpName, else its SpecId: "<SpecId 3=2>"
 *   pipeline         "raygen:main in 'path tracer'": if one pipeline has the shader, and it has a debug name
 *   module           "raygen fc685785:main": the first half of its hash
 *   id               "mesh.rchit:main #7": its id in the capture
 *
 * A PIPELINE has its debug name; without one, that of its shaders: "compute blur.comp:main",
 * "graphics quad.vert:main + quad.frag:main", "ray tracing raygen.rgen:main + 2 miss, closest_hit". Where two would
 * have the same, they have their ids too: "ray tracing raygen.rgen:main #3".
 *
 * A CALL SITE has its line: "traceRay at room.rgen:21". Where the shader has several such calls in that line, it
 * says which: "2nd traceRay at room.rgen:21". Where no line is known, it is counted in the shader, in the order of
 * the module: "2nd traceRay". Only calls that the shader can reach count.
 *
 * Control characters are still in the names: whoever prints one uses ws_text_print. Not thread-safe. */
#ifndef WARPSCOPE_MODEL_NAMES_H
#define WARPSCOPE_MODEL_NAMES_H

#include "warpscope/model/catalog.h"

/* Makes the names. To be called once, when all of the capture has been read: what is defined later can decide whether a
 * name is taken. Before it, a shader is called after its entry point alone, and a pipeline only has its debug name.
 * False and `error` when there is no memory. */
bool ws_names_make(struct ws_catalog *catalog, struct ws_error *error);

/* The name of a shader or pipeline, by its index in the catalog. Lives as long as the catalog. */
const char *ws_shader_name(const struct ws_catalog *catalog, uint32_t shader);
const char *ws_pipeline_name(const struct ws_catalog *catalog, uint32_t pipeline);

/* What to call the shaders of one entry point, whatever their specialization, or with `entry` WS_NONE a whole module:
 * "mesh.rchit:main", "mesh.rchit". `module` is an index in the catalog, `entry` in the module's entries. */
void ws_entry_name(const struct ws_catalog *catalog, uint32_t module, uint32_t entry, char *text,
                   size_t size);

/* A call site, by the shader's index in the catalog and the word offset of the instruction in its module:
 *
 *   ws_call_name    "traceRay at room.rgen:21", "2nd traceRay"
 *   ws_call_place   "room.rgen:21", "2nd traceRay"
 *   ws_rays_name    "rays traced at room.rgen:21 (room.rgen:main)"; without a line "rays of the 2nd traceRay of
 *                   raygen:main, pipeline path tracer"
 *
 * Each is cut at `size`. */
void ws_call_name(const struct ws_catalog *catalog, uint32_t shader, uint32_t offset, char *text,
                  size_t size);
void ws_call_place(const struct ws_catalog *catalog, uint32_t shader, uint32_t offset, char *text,
                   size_t size);
void ws_rays_name(const struct ws_catalog *catalog, uint32_t shader, uint32_t offset, char *text,
                  size_t size);

/* The offset of a site, by its index in the sites of the shader's module; WS_NONE where there is none. */
uint32_t ws_site_offset(const struct ws_catalog *catalog, uint32_t shader, uint32_t site);

/* The name of a source file without its folders. */
const char *ws_file_name(const char *path);

/* Writes where a block is in the source into `place`, a buffer of `size` bytes: "file:line", or
 * "file:line-line" if it has several lines. The file is written without its folders. If the file is not
 * known, `place` is "". */
void ws_block_place(const struct ws_block_record *block, char *place, size_t size);

#endif
