/* Which launches are the same: in several frames of one run, and in two runs of one program.
 *
 * The CONTENT of a launch is its kind, flags, size, draws and debug label, and its pipelines. The content of a pipeline
 * is its kind, and of each of its shaders the hash of its module, its stage, entry point and specialization. The size of
 * an indirect launch is left out: without instrumentation it is not known.
 *
 * The number of a frame in a label is left out: "frame 12/blur" is "frame #/blur". Else no launch of a program that labels
 * its frames would be the same as one of another frame. It is a number behind the word "frame", and behind a blank,
 * '#', ':', '=', '_' or '-' or several of them, or none. Other numbers count: "mip 3" is not "mip 4".
 *
 * The ORDER of a launch tells those of one content apart: it is the first (0), second (1), ... of its content in its
 * frame. Content and order together are its PLACE. For example, a program that blurs its picture twice in each frame by
 * the same dispatch has two places for it, each with one launch per frame. */
#ifndef WARPSCOPE_MODEL_LAUNCH_CONTENT_H
#define WARPSCOPE_MODEL_LAUNCH_CONTENT_H

#include <stdint.h>

struct ws_catalog;
struct ws_launch_table;

struct ws_launch_content {
    uint64_t content;   /* a hash */
    uint64_t pipelines; /* the hash of that part of it that is its pipelines */
    uint32_t order;
};

/* The content of a shader, an index in the catalog: the hash of its module, its stage, entry point and
 * specialization. */
uint64_t ws_shader_content(const struct ws_catalog *catalog, uint32_t shader);

/* The contents of the launches of a table, in its order. Of a capture of which only some were chosen, the catalog's
 * own table has those; the order counts all, so it is told by the table of all (selection.h). The caller frees
 * them. NULL without memory. */
struct ws_launch_content *ws_launch_contents(const struct ws_catalog *catalog,
                                             const struct ws_launch_table *launches);

/* Writes the label without numbers of frames, as above. `text` has room for as many bytes as the label. */
void ws_label_without_frame(const char *label, char *text);

/* One number for content and order. */
uint64_t ws_launch_place(const struct ws_launch_content *content);

#endif
