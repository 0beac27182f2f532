#include "analysis/rays/kept_rays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/scratch.h"

/* Words that are read at once: packs of threads that ended one after the other are often asked for likewise. */
#define WINDOW 4096u

#define RAY_WORDS       ((uint32_t)(sizeof(struct ws_ray) / sizeof(uint32_t)))
#define CANDIDATE_WORDS ((uint32_t)(sizeof(struct ws_ray_candidate) / sizeof(uint32_t)))
/* Before the words of one there is a bit for each that is not 0. */
#define RAY_BITS   2u
#define RAY_MOST   (RAY_BITS + RAY_WORDS + 2)  /* with its structure words */
#define RUN_MOST   (1u + 1u + CANDIDATE_WORDS) /* with the number of its ray */
#define PACK_WORDS ((uint32_t)(sizeof(struct pack) / sizeof(uint32_t)))

_Static_assert(sizeof(struct ws_ray) % sizeof(uint32_t) == 0 && RAY_WORDS + 2 <= 32 * RAY_BITS,
               "each word of a ray has a bit");
_Static_assert(sizeof(struct ws_ray_candidate) % sizeof(uint32_t) == 0 && CANDIDATE_WORDS <= 32,
               "each word of a candidate has a bit");

struct pack {
    uint32_t words; /* with these */
    uint32_t first_ray;
    uint32_t first_run;
    uint32_t rays;
    uint32_t runs;
    uint32_t previous[2]; /* of the thread: its place, low word first */
};

void ws_kept_rays_finish(struct ws_kept_rays *kept)
{
    if (kept->file > 0)
        close(kept->file - 1);
    free(kept->words);
    free(kept->window);
    memset(kept, 0, sizeof(*kept));
}

/* Appends those that are not 0, and returns the bits that say which. */
static uint64_t squeeze(const uint32_t *words, uint32_t count, uint32_t **to)
{
    uint64_t bits = 0;
    uint32_t *next = *to;
    for (uint32_t i = 0; i < count; ++i) {
        *next = words[i];
        next += words[i] != 0;
        bits |= (uint64_t)(words[i] != 0) << i;
    }
    *to = next;
    return bits;
}

/* The inverse; `words` are 0. Returns where the next ones begin. */
static const uint32_t *spread(uint64_t bits, const uint32_t *from, uint32_t *words)
{
    for (; bits != 0; bits &= bits - 1)
        words[__builtin_ctzll(bits)] = *from++;
    return from;
}

static void pack_ray(const struct ws_ray_node *node, uint32_t **to)
{
    uint32_t words[RAY_WORDS + 2];
    uint32_t *bits = *to;
    memcpy(words, &node->ray, sizeof(node->ray));
    words[RAY_WORDS] = (uint32_t)node->address;
    words[RAY_WORDS + 1] = (uint32_t)(node->address >> 32);
    *to += RAY_BITS;
    const uint64_t known = squeeze(words, RAY_WORDS + 2, to);
    bits[0] = (uint32_t)known;
    bits[1] = (uint32_t)(known >> 32);
}

static const uint32_t *unpack_ray(const uint32_t *from, struct ws_ray *ray, uint64_t *address)
{
    uint32_t words[RAY_WORDS + 2] = {0};
    from = spread(from[0] | (uint64_t)from[1] << 32, from + RAY_BITS, words);
    memcpy(ray, words, sizeof(*ray));
    *address = words[RAY_WORDS] | (uint64_t)words[RAY_WORDS + 1] << 32;
    return from;
}

static void pack_run(const struct ws_ray_run *run, uint32_t **to)
{
    uint32_t words[CANDIDATE_WORDS];
    uint32_t *first = *to;
    memcpy(words, &run->candidate, sizeof(run->candidate));
    first[0] = run->ray;
    *to += 2;
    first[1] = (uint32_t)squeeze(words, CANDIDATE_WORDS, to);
}

static const uint32_t *unpack_run(const uint32_t *from, struct ws_ray_run *run)
{
    uint32_t words[CANDIDATE_WORDS] = {0};
    run->ray = from[0];
    from = spread(from[1], from + 2, words);
    memcpy(&run->candidate, words, sizeof(run->candidate));
    return from;
}

/* Writes the packs behind those that are in the file. Where that cannot be done they stay in memory. */
static void write_packs(struct ws_kept_rays *kept)
{
    if (kept->file == 0 && !kept->unwritable)
        kept->file = ws_scratch_open() + 1;
    if (kept->file == 0 || kept->unwritable ||
        !ws_scratch_write(kept->file - 1, (const uint8_t *)kept->words, kept->word_count * sizeof(uint32_t),
                          kept->written * sizeof(uint32_t))) {
        kept->unwritable = true;
        return;
    }
    kept->written += kept->word_count;
    kept->word_count = 0;
}

/* Room for so many more words. NULL when there is no memory. */
static uint32_t *make_room(struct ws_kept_rays *kept, uint64_t count)
{
    if (kept->word_count > 0 && kept->word_count + count > WS_KEPT_RAYS_WORDS)
        write_packs(kept);
    if (kept->word_count + count > UINT32_MAX)
        return NULL;
    uint32_t *words =
        ws_array_grow(kept->words, &kept->word_capacity, kept->word_count + (uint32_t)count, sizeof(*words));
    kept->words = words != NULL ? words : kept->words;
    return words != NULL ? words + kept->word_count : NULL;
}

/* Gives the memory of rays and candidates back. */
static void recycle(struct ws_ray_part *part, struct ws_ray_state *state)
{
    state->last->next = part->spare_nodes;
    part->spare_nodes = state->first;
    if (state->last_run != NULL) {
        state->last_run->next = part->spare_runs;
        part->spare_runs = state->first_run;
    }
    state->first = state->last = NULL;
    state->first_run = state->last_run = NULL;
}

bool ws_kept_rays_add(struct ws_ray_part *part, struct ws_ray_state *state)
{
    struct ws_kept_rays *kept = &part->kept;
    struct pack pack = {.previous = {(uint32_t)state->kept, (uint32_t)(state->kept >> 32)}};
    if (state->first == NULL)
        return true;
    for (const struct ws_ray_node *node = state->first; node != NULL; node = node->next)
        pack.rays++;
    for (const struct ws_ray_run *run = state->first_run; run != NULL; run = run->next)
        pack.runs++;
    pack.first_ray = state->ray_count - pack.rays;
    pack.first_run = state->run_count - pack.runs;
    uint32_t *words =
        make_room(kept, PACK_WORDS + (uint64_t)RAY_MOST * pack.rays + (uint64_t)RUN_MOST * pack.runs);
    if (words == NULL)
        return false;
    uint32_t *next = words + PACK_WORDS;
    for (const struct ws_ray_node *node = state->first; node != NULL; node = node->next)
        pack_ray(node, &next);
    for (const struct ws_ray_run *run = state->first_run; run != NULL; run = run->next)
        pack_run(run, &next);
    pack.words = (uint32_t)(next - words);
    memcpy(words, &pack, sizeof(pack));
    state->kept = kept->written + kept->word_count + 1;
    kept->word_count += pack.words;
    recycle(part, state);
    return true;
}

/* Reads words of the file into the window. False when there is no memory, or they cannot be read. */
static bool read_window(struct ws_kept_rays *kept, uint64_t first, uint32_t count)
{
    const uint64_t left = kept->written - first;
    const uint32_t wanted = count > WINDOW ? count : WINDOW;
    const uint32_t size = left < wanted ? (uint32_t)left : wanted;
    uint32_t *window = ws_array_grow(kept->window, &kept->window_capacity, size, sizeof(*window));
    if (window == NULL)
        return false;
    kept->window = window;
    kept->window_count = 0;
    kept->window_first = first;
    for (size_t at = 0; at < size * sizeof(*window);) {
        const ssize_t got = pread(kept->file - 1, (uint8_t *)window + at, size * sizeof(*window) - at,
                                  (off_t)(first * sizeof(*window) + at));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    kept->window_count = size;
    return true;
}

/* So many words at a place, of one pack. NULL when there is no memory, or they cannot be read. */
static const uint32_t *words_at(struct ws_kept_rays *kept, uint64_t place, uint32_t count)
{
    if (place >= kept->written)
        return kept->words + (place - kept->written);
    if ((place < kept->window_first || place + count > kept->window_first + kept->window_count) &&
        !read_window(kept, place, count))
        return NULL;
    return kept->window + (place - kept->window_first);
}

bool ws_kept_rays_read(struct ws_kept_rays *kept, const struct ws_ray_state *state, struct ws_ray *rays,
                       uint64_t *addresses, struct ws_ray_run *runs)
{
    for (uint64_t place = state->kept; place > 0;) {
        struct pack pack;
        const uint32_t *words = words_at(kept, place - 1, PACK_WORDS);
        if (words == NULL)
            return false;
        memcpy(&pack, words, sizeof(pack));
        words = words_at(kept, place - 1, pack.words);
        if (words == NULL)
            return false;
        words += PACK_WORDS;
        for (uint32_t i = pack.first_ray; i < pack.first_ray + pack.rays; ++i)
            words = unpack_ray(words, &rays[i], &addresses[i]);
        for (uint32_t i = pack.first_run; i < pack.first_run + pack.runs; ++i)
            words = unpack_run(words, &runs[i]);
        place = pack.previous[0] | (uint64_t)pack.previous[1] << 32;
    }
    return true;
}
