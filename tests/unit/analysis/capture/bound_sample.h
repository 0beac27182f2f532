/* A capture of one device and pipeline, and chunks of what a launch had bound: an allocation, in it a buffer that is given
 * twice, a view; a set with a dynamic offset, a change of it, and one that is not
 * followed. */
#ifndef WS_TESTS_UNIT_ANALYSIS_CAPTURE_BOUND_SAMPLE_H
#define WS_TESTS_UNIT_ANALYSIS_CAPTURE_BOUND_SAMPLE_H

#include "layer/capture/capture_writer.h"
#include "warpscope/instrument.h"

#define SAMPLE_STORAGE_DYNAMIC 9          /* VkDescriptorType */
#define SAMPLE_STRUCTURE       1000150000 /* likewise */

#define BOUND_SAMPLE_CHUNKS 5

struct bound_sample {
    struct ws_resource resources[3];
    struct ws_chunk_resources given;
    struct ws_resource named;
    uint32_t gone;
    struct ws_chunk_resources again;
    struct ws_descriptor descriptors[3];
    struct ws_chunk_set set;
    struct ws_descriptor changed[2];
    struct ws_chunk_set_change change;
    uint32_t offsets[1];
    struct ws_bound_set sets[2];
    struct ws_bound_use use;
    struct ws_bound_launch launch;
    struct ws_chunk_bound bound;
};

/* Pipeline 0 and structure 1 must be there, or `structure` be another id. */
static inline void bound_sample_init(struct bound_sample *sample, uint32_t structure)
{
    *sample = (struct bound_sample){
        .resources = {{.id = 0,
                       .kind = WS_RESOURCE_ALLOCATION,
                       .within = WS_NONE,
                       .size = 65536,
                       .memory_type = 2,
                       .properties = 6,
                       .name = "heap"},
                      {.id = 1,
                       .kind = WS_RESOURCE_BUFFER,
                       .within = 0,
                       .offset = 256,
                       .size = 1024,
                       .usage = (uint64_t)1 << 33 | 32,
                       .address = 0x123456789a,
                       .memory_type = WS_NONE},
                      {.id = 2,
                       .kind = WS_RESOURCE_BUFFER_VIEW,
                       .within = 1,
                       .offset = 16,
                       .memory_type = WS_NONE,
                       .format = 98}},
        .named = {.id = 1, .kind = WS_RESOURCE_BUFFER, .within = 0, .size = 1024, .name = "vertices"},
        .gone = 2,
        .descriptors = {{0, 0, SAMPLE_STORAGE_DYNAMIC, 1, 64, 128},
                        {0, 1, SAMPLE_STORAGE_DYNAMIC, WS_NONE, 0, 0},
                        {4, 0, SAMPLE_STRUCTURE, structure, 0, 0}},
        .set = {.id = 0, .owner = 7, .left_out = 3, .descriptor_count = 3},
        .changed = {{0, 1, SAMPLE_STORAGE_DYNAMIC, 1, 0, 64}, {3, 2, SAMPLE_STORAGE_DYNAMIC, 1, 4, 8}},
        .change = {.id = 1, .base = 0, .descriptor_count = 2},
        .offsets = {512},
        .sets = {{.set = 1, .state = 0, .offset_count = 1}, {WS_NONE, WS_BOUND_HEAP, WS_NONE, NULL, 0}},
        .use = {.pipeline = 0, .set_count = 2},
        .launch = {.launch = 0, .use_count = 1},
        .bound = {.launch_count = 1},
    };
    sample->given = (struct ws_chunk_resources){0, 5, sample->resources, 3, NULL, 0};
    sample->again = (struct ws_chunk_resources){0, 6, &sample->named, 1, &sample->gone, 1};
    sample->set.descriptors = sample->descriptors;
    sample->change.descriptors = sample->changed;
    sample->sets[0].offsets = sample->offsets;
    sample->use.sets = sample->sets;
    sample->launch.uses = &sample->use;
    sample->bound.launches = &sample->launch;
}

static inline bool bound_sample_write(struct ws_capture_writer *writer, const struct bound_sample *sample,
                                      struct ws_error *error)
{
    return ws_capture_write_resources(writer, &sample->given, error) &&
           ws_capture_write_resources(writer, &sample->again, error) &&
           ws_capture_write_set(writer, &sample->set, error) &&
           ws_capture_write_set_change(writer, &sample->change, error) &&
           ws_capture_write_bound(writer, &sample->bound, error);
}

#endif
