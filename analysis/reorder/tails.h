/* What is known of each visit of a call site by a thread, until its launch is told: the TAILS of threads that have ended. Each
 * worker adds its own, thread by thread; the launch is told visit by visit. So tails are kept in CHUNKS, each sorted by visits,
 * and a visit is read from all chunks. A chunk that is full goes to a temporary file (scratch.h); where no file can be written
 * chunks stay in memory.
 *
 * Lanes of a warp that do the same end one after the other: they have one tail, of the first of them and so many further ones.
 *
 * MEMORY: a chunk of WS_TAILS_CHUNK words for each worker, and another one while it is sorted. Sorting takes a step for each
 * visit, so where there are more visits than that a chunk has as many words as there are visits. 32 bytes for each visit that a
 * chunk has tails of; and the tails of the visit that is read. In the file, or in memory where there is none, 20 bytes for each
 * tail, 16 more where its ray is known, and 4 for each word that is handed over. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_TAILS_H
#define WS_ANALYSIS_REORDER_TAILS_H

#include <stdbool.h>
#include <stdint.h>

#define WS_TAILS_CHUNK  (1u << 19)
#define WS_TAILS_RECENT 4

/* A tail, as words: these, those of its ray (hits.h), if that is known, and what the thread hands over (payload_rows.h). */
struct ws_tail {
    uint32_t visit;  /* its number, which the worker gave it */
    uint32_t thread; /* its index in the launch */
    uint32_t path;   /* what it executes, in the worker's spans */
    uint32_t
        key; /* the shader that the call runs and the callables of that, in the worker's tree of shaders */
    uint32_t content; /* words of its ray, | those that it hands over << 8 | further threads << 16 */
};
#define WS_TAIL_WORDS ((uint32_t)(sizeof(struct ws_tail) / sizeof(uint32_t)))

static inline uint32_t ws_tail_ray_words(const struct ws_tail *tail)
{
    return tail->content & 0xff;
}

static inline uint32_t ws_tail_handed_words(const struct ws_tail *tail)
{
    return tail->content >> 8 & 0xff;
}

/* How many threads behind this one, by index, do the same. */
static inline uint32_t ws_tail_more(const struct ws_tail *tail)
{
    return tail->content >> 16;
}

/* Of one thread. */
static inline uint32_t ws_tail_words(const struct ws_tail *tail)
{
    return WS_TAIL_WORDS + ws_tail_ray_words(tail) + ws_tail_handed_words(tail);
}

/* The tails of a visit in one chunk. */
struct ws_tail_run {
    uint32_t visit;
    uint32_t count; /* of threads */
    uint64_t first; /* where they begin: words from the first tail on */
    uint64_t words;
    uint64_t whole; /* words of as many tails as there are threads */
};

/* Zero-initialised is empty. */
struct ws_tails {
    uint32_t *words; /* those that are not in the file */
    uint32_t word_count;
    uint32_t word_capacity;
    uint32_t sorted;                  /* the first so many of them are in runs */
    uint64_t written;                 /* words in the file */
    int file;                         /* + 1; 0 = none */
    bool unwritable;                  /* it was tried */
    uint32_t recent[WS_TAILS_RECENT]; /* where the last tails without more words stand, + 1; 0 = none */
    uint32_t recent_next;             /* which of these is the oldest */
    struct ws_tail_run *runs;         /* of one chunk after the other */
    uint32_t run_count;
    uint32_t run_capacity;
};

void ws_tails_finish(struct ws_tails *tails);

/* Adds a tail, with its ray and what it hands over. `visits`: numbers of visits are lower. False when there is no memory. */
bool ws_tails_add(struct ws_tails *tails, const struct ws_tail *tail, const uint32_t *ray,
                  const uint32_t *handed, uint32_t visits);

/* All have been added: what has not been sorted yet is. False when there is no memory. */
bool ws_tails_end(struct ws_tails *tails, uint32_t visits);

/* Reads a run: one tail for each thread, run->whole words. False when the file cannot be read. */
bool ws_tails_read(const struct ws_tails *tails, const struct ws_tail_run *run, uint32_t *words);

#endif
