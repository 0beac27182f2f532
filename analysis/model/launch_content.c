#include "warpscope/model/launch_content.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "warpscope/model/catalog.h"
#include "warpscope/model/launch.h"

static int compare_numbers(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

uint64_t ws_shader_content(const struct ws_catalog *catalog, uint32_t index)
{
    const struct ws_shader_record *shader = &catalog->shaders[index];
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &catalog->modules[shader->module].hash, sizeof(uint64_t));
    XXH3_64bits_update(&state, &shader->stage, sizeof(shader->stage));
    XXH3_64bits_update(&state, shader->name, strlen(shader->name) + 1);
    for (uint32_t i = 0; i < shader->specialization_count; ++i) {
        const struct ws_specialization *constant = &shader->specialization[i];
        const uint64_t words[3] = {constant->constant_id, constant->size, constant->value};
        XXH3_64bits_update(&state, words, sizeof(words));
    }
    return XXH3_64bits_digest(&state);
}

/* The hash of a set of hashes, which are sorted here; equal ones count once. */
static uint64_t hash_set(uint64_t *hashes, uint32_t count, uint32_t kind)
{
    uint32_t kept = 0;
    if (count > 0)
        qsort(hashes, count, sizeof(*hashes), compare_numbers);
    for (uint32_t i = 0; i < count; ++i)
        if (kept == 0 || hashes[i] != hashes[kept - 1])
            hashes[kept++] = hashes[i];
    return XXH3_64bits_withSeed(hashes, kept * sizeof(*hashes), kind);
}

/* Arrays of hashes: one per shader, one per pipeline, and room for the set of a pipeline's shaders or of a launch's
 * pipelines. */
struct hashes {
    uint64_t *shaders;
    uint64_t *pipelines;
    uint64_t *set;
    char *label; /* room for the longest one */
};

static void hashes_finish(struct hashes *hashes)
{
    free(hashes->shaders);
    free(hashes->pipelines);
    free(hashes->set);
    free(hashes->label);
}

static bool hashes_init(struct hashes *hashes, const struct ws_catalog *catalog,
                        const struct ws_launch_table *launches)
{
    uint32_t most = 0;
    size_t longest = 0;
    for (uint32_t i = 0; i < catalog->pipeline_count; ++i)
        if (catalog->pipelines[i].shader_count > most)
            most = catalog->pipelines[i].shader_count;
    for (uint32_t i = 0; i < launches->count; ++i)
        if (launches->launches[i].pipeline_count > most)
            most = launches->launches[i].pipeline_count;
    for (uint32_t i = 0; i < launches->count; ++i)
        if (strlen(launches->launches[i].label) > longest)
            longest = strlen(launches->launches[i].label);
    hashes->shaders = malloc(catalog->shader_count * sizeof(uint64_t) + 1);
    hashes->pipelines = malloc(catalog->pipeline_count * sizeof(uint64_t) + 1);
    hashes->set = malloc(most * sizeof(uint64_t) + 1);
    hashes->label = malloc(longest + 1);
    if (hashes->shaders == NULL || hashes->pipelines == NULL || hashes->set == NULL || hashes->label == NULL)
        return false;
    for (uint32_t i = 0; i < catalog->shader_count; ++i)
        hashes->shaders[i] = ws_shader_content(catalog, i);
    for (uint32_t i = 0; i < catalog->pipeline_count; ++i) {
        const struct ws_pipeline_record *pipeline = &catalog->pipelines[i];
        for (uint32_t j = 0; j < pipeline->shader_count; ++j)
            hashes->set[j] = hashes->shaders[pipeline->shaders[j]];
        hashes->pipelines[i] = hash_set(hashes->set, pipeline->shader_count, pipeline->kind);
    }
    return true;
}

/* How many bytes of the label the word "frame" and the signs behind it take, and in `digits` how many the number behind
 * them; 0 where there is no such word with a number. */
static size_t match_frame(const char *label, size_t *digits)
{
    static const char word[] = "frame";
    if (strncasecmp(label, word, sizeof(word) - 1) != 0)
        return 0;
    const size_t length = sizeof(word) - 1 + strspn(label + sizeof(word) - 1, " #:=_-");
    *digits = strspn(label + length, "0123456789");
    return *digits > 0 && !isalnum((unsigned char)label[length + *digits]) ? length : 0;
}

void ws_label_without_frame(const char *label, char *text)
{
    bool inside = false; /* a word */
    while (*label != '\0') {
        size_t digits = 0;
        const size_t length = inside ? 0 : match_frame(label, &digits);
        if (length > 0) {
            memcpy(text, label, length);
            text += length;
            label += length + digits;
            if (text[-1] != '#')
                *text++ = '#';
        } else {
            inside = isalnum((unsigned char)*label) != 0;
            *text++ = *label++;
        }
    }
    *text = '\0';
}

static struct ws_launch_content hash_launch(const struct ws_launch_record *launch,
                                            const struct hashes *hashes)
{
    const bool indirect = (launch->flags & WS_LAUNCH_INDIRECT) != 0;
    const uint32_t words[6] = {launch->kind,
                               launch->flags,
                               launch->draws,
                               indirect ? 0 : launch->size[0],
                               indirect ? 0 : launch->size[1],
                               indirect ? 0 : launch->size[2]};
    struct ws_launch_content content = {.order = 0};
    for (uint32_t i = 0; i < launch->pipeline_count; ++i)
        hashes->set[i] = hashes->pipelines[launch->pipelines[i]];
    content.pipelines = hash_set(hashes->set, launch->pipeline_count, 0);
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &content.pipelines, sizeof(content.pipelines));
    XXH3_64bits_update(&state, words, sizeof(words));
    ws_label_without_frame(launch->label, hashes->label);
    XXH3_64bits_update(&state, hashes->label, strlen(hashes->label));
    content.content = XXH3_64bits_digest(&state);
    return content;
}

/* A launch while those of one content and frame are counted. */
struct counted {
    uint64_t content;
    uint64_t frame;
    uint64_t index;
    uint32_t place; /* among the catalog's launches */
};

static int compare_counted(const void *left, const void *right)
{
    const struct counted *a = left;
    const struct counted *b = right;
    if (a->content != b->content)
        return a->content < b->content ? -1 : 1;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static bool set_orders(struct ws_launch_content *contents, const struct ws_launch_table *launches)
{
    const uint32_t count = launches->count;
    struct counted *all = malloc(count * sizeof(*all) + 1);
    if (all == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_launch_record *launch = &launches->launches[i];
        all[i] = (struct counted){contents[i].content, launch->frame, launch->index, i};
    }
    qsort(all, count, sizeof(*all), compare_counted);
    for (uint32_t i = 1; i < count; ++i)
        if (all[i].content == all[i - 1].content && all[i].frame == all[i - 1].frame)
            contents[all[i].place].order = contents[all[i - 1].place].order + 1;
    free(all);
    return true;
}

struct ws_launch_content *ws_launch_contents(const struct ws_catalog *catalog,
                                             const struct ws_launch_table *launches)
{
    struct hashes hashes = {NULL, NULL, NULL, NULL};
    struct ws_launch_content *contents = malloc(launches->count * sizeof(*contents) + 1);
    bool made = contents != NULL && hashes_init(&hashes, catalog, launches);
    for (uint32_t i = 0; made && i < launches->count; ++i)
        contents[i] = hash_launch(&launches->launches[i], &hashes);
    made = made && set_orders(contents, launches);
    hashes_finish(&hashes);
    if (made)
        return contents;
    free(contents);
    return NULL;
}

uint64_t ws_launch_place(const struct ws_launch_content *content)
{
    const uint64_t words[2] = {content->content, content->order};
    return XXH3_64bits(words, sizeof(words));
}
