#include "tests/device/events/found.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/pass.h"
#include "warpscope/ray_events.h"
#include "warpscope/records.h"
#include "warpscope/root.h"
#include "warpscope/stage.h"

struct context {
    const struct found_shader *shader; /* NULL = none begins there */
    uint32_t mask[WS_MASK_WORDS(WS_BINS_MAX)];
    uint32_t threads[WS_BINS_MAX]; /* per lane */
};

struct reading {
    struct found *found;
    const uint32_t *words;
    uint32_t count;
    uint32_t bins;
    const struct found_shader *shaders;
    uint32_t shader_count;
    uint32_t group_size;
    struct context *contexts; /* per word of the stream */
};

static bool has_lane(const uint32_t *mask, uint32_t lane)
{
    return (mask[lane / 32] >> lane % 32 & 1) != 0;
}

static uint32_t count_lanes(const uint32_t *mask, uint32_t bins)
{
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < bins; lane++)
        lanes += has_lane(mask, lane);
    return lanes;
}

static void append(struct found *found, uint32_t thread, uint32_t word)
{
    uint32_t *words = found->words[thread % FOUND_THREADS];
    if (words[0] + 1 < FOUND_WORDS)
        words[++words[0]] = word;
}

/* What the site says to each lane of `mask`. `payload` is words_per_lane of each. */
static void add_event(struct reading *reading, const struct context *context, const struct ws_site_info *site,
                      const uint32_t *mask, const uint32_t *payload, uint32_t words_per_lane)
{
    const uint32_t event = site->tag;
    uint32_t rank = 0;
    for (uint32_t lane = 0;
         lane < reading->bins && event != WS_RAY_INTERSECTION_END && event != WS_RAY_THREAD_END; lane++) {
        if (!has_lane(mask, lane))
            continue;
        append(reading->found, context->threads[lane], event);
        for (uint32_t i = 0; i < words_per_lane; i++)
            append(reading->found, context->threads[lane], payload[rank * words_per_lane + i]);
        rank++;
    }
}

/* What the pass's sites with this number say. */
static void add_places(struct reading *reading, const struct context *context, uint32_t number,
                       const uint32_t *mask)
{
    const struct ws_instrumented *instrumented = context->shader->instrumented;
    for (uint32_t i = number; i < instrumented->site_count; i++) {
        const struct ws_site_info *site = &instrumented->sites[i];
        if (ws_site_is_place(site->kind) && site->row == number && site->pass == context->shader->pass)
            add_event(reading, context, site, mask, NULL, 0);
    }
}

/* The entry record at `at`; its size, 0 where it is wrong. */
static uint32_t read_entry(struct reading *reading, uint32_t at)
{
    const uint32_t *words = reading->words + at;
    const uint32_t mask_words = WS_MASK_WORDS(reading->bins);
    const uint32_t slot = words[WS_RECORD_PLACE] >> 16;
    const uint32_t site = words[WS_RECORD_PLACE] & 0xffff;
    const uint32_t warp_words = words[WS_RECORD_SHAPE] >> 8 & 0xff;
    const uint32_t lane_words = words[WS_RECORD_SHAPE] >> 16 & 0xff;
    struct context *context = &reading->contexts[at];
    if (slot >= reading->shader_count || site >= reading->shaders[slot].instrumented->site_count)
        return 0;
    context->shader = &reading->shaders[slot];
    memcpy(context->mask, words + 3, mask_words * 4);
    const uint32_t *per_warp = words + 3 + mask_words;
    uint32_t rank = 0;
    for (uint32_t lane = 0; lane < reading->bins; lane++) {
        if (has_lane(context->mask, lane)) {
            const uint32_t group = warp_words == 3 ? per_warp[0] * reading->group_size : 0;
            context->threads[lane] = group + per_warp[warp_words + lane_words * rank++];
        }
    }
    add_places(reading, context, site, context->mask);
    return 3 + mask_words + warp_words + lane_words * rank;
}

/* Puts back the words that no record has, and adds the event, and what places behind it say. Returns how many words its record
 * has. */
static uint32_t read_data(struct reading *reading, const struct context *context, uint32_t number,
                          const uint32_t *mask, const uint32_t *words)
{
    const struct ws_instrumented *instrumented = context->shader->instrumented;
    const struct ws_site_info *site = &instrumented->sites[number];
    const uint32_t lanes = count_lanes(mask, reading->bins);
    uint32_t whole[WS_DATA_WORDS_MAX * WS_BINS_MAX];
    const struct ws_fixed_word *fixed = instrumented->fixed; /* NULL = there are none */
    const uint32_t end = instrumented->fixed_count;
    uint32_t used = 0;
    uint32_t first = 0;
    while (first < end && fixed[first].site < number)
        first++;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t next = first;
        for (uint32_t i = 0; i < site->row; i++)
            whole[lane * site->row + i] = next < end && fixed[next].site == number && fixed[next].word == i
                                              ? fixed[next++].value
                                              : words[used++];
    }
    if (site->pass == context->shader->pass)
        add_event(reading, context, site, mask, whole, site->row);
    add_places(reading, context, number, mask);
    return used;
}

/* The place or data record at `at`; its size, 0 where it is wrong. */
static uint32_t read_record(struct reading *reading, uint32_t at)
{
    const uint32_t *words = reading->words + at;
    const uint32_t number = words[WS_RECORD_PLACE] >> 16;
    const uint32_t low = words[WS_RECORD_PLACE] & 0xffff;
    if (words[0] >= at || reading->contexts[words[0]].shader == NULL)
        return 0;
    const struct context *context = &reading->contexts[words[0]];
    const struct ws_instrumented *instrumented = context->shader->instrumented;
    const uint32_t *mask = WS_MASK_PACKED(reading->bins) ? &low
                           : low == WS_RECORD_FULL       ? context->mask
                                                         : words + 2;
    uint32_t size = mask == words + 2 ? 2 + WS_MASK_WORDS(reading->bins) : 2;
    if (number < instrumented->site_count && instrumented->sites[number].kind == WS_SITE_DATA)
        return size + read_data(reading, context, number, mask, words + size);
    /* The places of a path are those of passes that find nothing here. */
    if (number < instrumented->site_count && instrumented->sites[number].kind == WS_SITE_PATH)
        return size + instrumented->sites[number].row * count_lanes(mask, reading->bins);
    if (number < instrumented->site_count && instrumented->sites[number].kind == WS_SITE_PATH_TURNS)
        return size + ws_turns_words(instrumented->sites[number].tag) * count_lanes(mask, reading->bins);
    add_places(reading, context, number, mask);
    return size;
}

bool found_read(struct found *found, const uint32_t *words, uint32_t count, uint32_t bins,
                const struct found_shader *shaders, uint32_t shader_count, uint32_t group_size)
{
    struct reading reading = {.found = found,
                              .words = words,
                              .count = count,
                              .bins = bins,
                              .shaders = shaders,
                              .shader_count = shader_count,
                              .group_size = group_size};
    bool good = true;
    memset(found, 0, sizeof(*found));
    reading.contexts = calloc(count + 1, sizeof(*reading.contexts));
    for (uint32_t at = 0; at < count && good && reading.contexts != NULL;) {
        const uint32_t size =
            words[at] == WS_CONTEXT_NONE ? read_entry(&reading, at) : read_record(&reading, at);
        good = size != 0 && size <= count - at;
        if (!good)
            printf("a wrong record at word %u\n", at);
        at += size;
    }
    good = good && reading.contexts != NULL;
    free(reading.contexts);
    return good;
}
