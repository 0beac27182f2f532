#include "analysis/reorder/tails.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/scratch.h"

#define ONE_THREAD 0xffffu /* of a tail's content: without further threads */
#define MORE_MAX   0xffffu

void ws_tails_finish(struct ws_tails *tails)
{
    if (tails->file > 0)
        close(tails->file - 1);
    free(tails->words);
    free(tails->runs);
    memset(tails, 0, sizeof(*tails));
}

static struct ws_tail tail_at(const uint32_t *words)
{
    struct ws_tail tail;
    memcpy(&tail, words, sizeof(tail));
    return tail;
}

/* Makes a run of each visit that the chunk has tails of, in the order of their numbers. `places` receives where the first tail
 * of each goes in the sorted chunk: in words. False when there is no memory. */
static bool make_runs(struct ws_tails *tails, uint32_t visits, uint32_t *places)
{
    const uint32_t *chunk = tails->words + tails->sorted;
    const uint32_t size = tails->word_count - tails->sorted;
    uint64_t at = tails->written + tails->sorted;
    uint32_t different = 0;
    for (uint32_t i = 0; i < size;) {
        const struct ws_tail tail = tail_at(chunk + i);
        different += places[tail.visit] == 0;
        places[tail.visit] += ws_tail_words(&tail);
        i += ws_tail_words(&tail);
    }
    struct ws_tail_run *runs =
        ws_array_grow(tails->runs, &tails->run_capacity, tails->run_count + different, sizeof(*runs));
    if (runs == NULL)
        return false;
    tails->runs = runs;
    for (uint32_t i = 0, place = 0; i < visits; ++i) {
        const uint32_t words = places[i];
        places[i] = place;
        place += words;
        if (words == 0)
            continue;
        runs[tails->run_count++] = (struct ws_tail_run){.visit = i, .first = at, .words = words};
        at += words;
    }
    return true;
}

/* Sorts what was added since the last chunk by visits: those of one visit stay in their order. False when there is no
 * memory. */
static bool sort_chunk(struct ws_tails *tails, uint32_t visits)
{
    const uint32_t size = tails->word_count - tails->sorted;
    const uint32_t before = tails->run_count;
    if (size == 0) /* there may be no words at all: an offset on a null pointer is undefined */
        return true;
    uint32_t *chunk = tails->words + tails->sorted;
    uint32_t *places = calloc((size_t)visits + 1, sizeof(*places));
    uint32_t *moved = malloc(size * sizeof(*moved));
    const bool made = places != NULL && moved != NULL && make_runs(tails, visits, places);
    for (uint32_t i = 0; i < size && made;) {
        const struct ws_tail tail = tail_at(chunk + i);
        const uint32_t words = ws_tail_words(&tail);
        memcpy(moved + places[tail.visit], chunk + i, words * sizeof(*moved));
        places[tail.visit] += words;
        i += words;
    }
    if (made)
        memcpy(chunk, moved, size * sizeof(*chunk));
    for (uint32_t i = before, at = 0; i < tails->run_count && made; ++i) {
        struct ws_tail_run *run = &tails->runs[i];
        for (uint64_t left = run->words; left > 0;) {
            const struct ws_tail tail = tail_at(chunk + at);
            const uint32_t words = ws_tail_words(&tail);
            run->count += ws_tail_more(&tail) + 1;
            run->whole += (ws_tail_more(&tail) + 1) * words;
            at += words;
            left -= words;
        }
    }
    free(places);
    free(moved);
    memset(tails->recent, 0, sizeof(tails->recent));
    tails->sorted = made ? tails->word_count : tails->sorted;
    return made;
}

/* Writes the sorted words behind those that are in the file. Where that cannot be done they stay in memory. */
static void write_sorted(struct ws_tails *tails)
{
    if (tails->file == 0 && !tails->unwritable)
        tails->file = ws_scratch_open() + 1;
    if (tails->file == 0 || tails->unwritable ||
        !ws_scratch_write(tails->file - 1, (const uint8_t *)tails->words, tails->sorted * sizeof(uint32_t),
                          tails->written * sizeof(uint32_t))) {
        tails->unwritable = true;
        return;
    }
    tails->written += tails->sorted;
    tails->word_count = 0;
    tails->sorted = 0;
}

/* Adds a thread to the last tail of its visit, if it is the next one and does the same. Tails of other visits may stand between
 * the two, but few of them. Threads of one visit stay in their order. False, and nothing is done, where it is not so. */
static bool add_to_recent(struct ws_tails *tails, const struct ws_tail *tail)
{
    for (uint32_t i = 1; i <= WS_TAILS_RECENT; ++i) {
        const uint32_t at = tails->recent[(tails->recent_next - i) % WS_TAILS_RECENT];
        if (at == 0)
            return false;
        struct ws_tail last = tail_at(tails->words + at - 1);
        if (last.visit != tail->visit)
            continue;
        const uint32_t more = ws_tail_more(&last);
        if (last.path != tail->path || last.key != tail->key || last.thread + more + 1 != tail->thread ||
            more == MORE_MAX)
            return false;
        last.content += 1u << 16;
        memcpy(tails->words + at - 1, &last, sizeof(last));
        return true;
    }
    return false;
}

bool ws_tails_add(struct ws_tails *tails, const struct ws_tail *tail, const uint32_t *ray,
                  const uint32_t *handed, uint32_t visits)
{
    const uint32_t rays = ws_tail_ray_words(tail);
    const uint32_t size = ws_tail_words(tail);
    const uint32_t most = visits > WS_TAILS_CHUNK ? visits : WS_TAILS_CHUNK;
    if (tail->content == 0 && add_to_recent(tails, tail))
        return true;
    if (tails->word_count - tails->sorted > most - size) {
        if (!sort_chunk(tails, visits))
            return false;
        write_sorted(tails);
    }
    if (tails->word_count > UINT32_MAX - size)
        return false;
    uint32_t *words =
        ws_array_grow(tails->words, &tails->word_capacity, tails->word_count + size, sizeof(*words));
    if (words == NULL)
        return false;
    tails->words = words;
    words += tails->word_count;
    memcpy(words, tail, sizeof(*tail));
    if (rays > 0)
        memcpy(words + WS_TAIL_WORDS, ray, rays * sizeof(*words));
    if (size > WS_TAIL_WORDS + rays)
        memcpy(words + WS_TAIL_WORDS + rays, handed, (size - WS_TAIL_WORDS - rays) * sizeof(*words));
    if (tail->content == 0)
        tails->recent[tails->recent_next++ % WS_TAILS_RECENT] = tails->word_count + 1;
    else /* which may be of the same visit */
        memset(tails->recent, 0, sizeof(tails->recent));
    tails->word_count += size;
    return true;
}

bool ws_tails_end(struct ws_tails *tails, uint32_t visits)
{
    return sort_chunk(tails, visits);
}

/* Reads the words of a run as they are kept. */
static bool read_words(const struct ws_tails *tails, const struct ws_tail_run *run, uint32_t *words)
{
    if (run->first >= tails->written) {
        memcpy(words, tails->words + (run->first - tails->written), run->words * sizeof(*words));
        return true;
    }
    uint8_t *bytes = (uint8_t *)words;
    size_t left = run->words * sizeof(*words);
    for (uint64_t at = run->first * sizeof(*words); left > 0;) {
        const ssize_t got = pread(tails->file - 1, bytes, left, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        at += (uint64_t)got;
        left -= (size_t)got;
    }
    return true;
}

bool ws_tails_read(const struct ws_tails *tails, const struct ws_tail_run *run, uint32_t *words)
{
    /* They are read to the end of the room, so that what is written before them never reaches them. */
    const uint32_t *from = words + (run->whole - run->words);
    if (!read_words(tails, run, words + (run->whole - run->words)))
        return false;
    for (const uint32_t *end = words + run->whole; from < end;) {
        struct ws_tail tail = tail_at(from);
        const uint32_t size = ws_tail_words(&tail);
        uint32_t more = ws_tail_more(&tail);
        tail.content &= ONE_THREAD;
        memmove(words + WS_TAIL_WORDS, from + WS_TAIL_WORDS, (size - WS_TAIL_WORDS) * sizeof(*words));
        memcpy(words, &tail, sizeof(tail));
        from += size;
        words += size;
        for (; more > 0; --more, words += size) {
            tail.thread++;
            memcpy(words, &tail, sizeof(tail));
        }
    }
    return true;
}
