/* Cuts the words of RECS chunks into records (records.h), launch by launch.
 *
 * A struct ws_stream takes every chunk of one reader (reader.h), in order. It keeps the sites of modules, and the words of
 * the launch whose pieces come; when the last piece is there, it gives the launch. For example, all place records of call
 * sites:
 *
 *     while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK) {
 *         const struct ws_stream_launch *launch = NULL;
 *         if (!ws_stream_take(stream, &chunk, &launch, &error))
 *             break;
 *         for (uint32_t i = 0; launch != NULL && i < launch->record_count; ++i)
 *             if (launch->records[i].kind == WS_SITE_PLACE_BEFORE)
 *                 ...
 *     }
 *
 * What a record's site means is in the SITE chunk of its shader's module: it stands for all places whose `row` is the
 * record's `site`, and for one data site, whose index that is (instrument.h, struct ws_site_info).
 *
 * PATHS. A record of a path (records.h) is given as the place records that it stands for: `position` and `word` are those of
 * the record of the path. Of a loop that runs long these are far more than the words of the launch: of a launch with W words at
 * most WS_STREAM_RECORDS_LEAST + WS_STREAM_RECORDS_PER_WORD * W records are given, and it is `truncated` where it has more.
 *
 * FIXED WORDS. Records of data leave out what the module says as constants (instrument.h, struct ws_fixed_word). Such a record
 * has all its words here: `word` then names a copy, which stands behind the words of the launch's stream.
 *
 * MEMORY. The words of a launch, those of data records with fixed words once more, with these, and 56 bytes for each of its
 * records; of the last two launches. A record of two words, of which all are fixed, may stand for 16 of each of 128 lanes, and
 * a path for a thousand records. So a launch has a limit of bytes: where it would take more it is `truncated` and `limited`.
 * Usually that is WS_STREAM_BYTES_LEAST, and WS_STREAM_BYTES_PER_BYTE more for each byte of the file up to where it ends.
 * Those of a path tracer took 11 bytes for each of the file, which were 2.6 GB. ws_stream_limit sets another. A launch has
 * at most 2^31 words.
 *
 * CHECKS. The words are untrusted. A record that contradicts its shader ends the records of its launch, and the launch is
 * `truncated`: where the next record would begin is not known.
 *
 * One stream belongs to one thread at a time. */
#ifndef WARPSCOPE_STREAM_H
#define WARPSCOPE_STREAM_H

#include "warpscope/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WS_STREAM_RECORDS_LEAST    (UINT64_C(1) << 22)
#define WS_STREAM_RECORDS_PER_WORD UINT64_C(1024)

#define WS_STREAM_BYTES_LEAST    (UINT64_C(512) << 20)
#define WS_STREAM_BYTES_PER_BYTE UINT64_C(1024)

/* One record. `words` are those of its launch. */
struct ws_record {
    uint64_t lanes[2];   /* bit l of the first is lane l, of the second lane 64 + l */
    uint32_t position;   /* in the stream of the submission */
    uint32_t context;    /* number of its context: the position of the entry record */
    uint32_t entry;      /* index of that entry record in the launch's records */
    uint32_t shader;     /* id */
    uint32_t site;       /* the number that it carries */
    uint32_t kind;       /* enum ws_site_kind of the first site with that number */
    uint32_t lane_count; /* gl_SubgroupSize */
    uint32_t word; /* index in `words`: its words per warp, then those of each lane, lowest lane first */
    uint32_t words_per_warp;
    uint32_t words_per_lane;
};

/* The records of one launch. The stream owns all of it, until its next call. */
struct ws_stream_launch {
    uint64_t launch; /* index */
    uint64_t submission;
    uint32_t device; /* id */
    uint32_t bins;
    const uint32_t *words;
    uint32_t word_count;
    const struct ws_record *records;
    uint32_t record_count;
    uint64_t missing; /* words that did not fit on the device */
    bool truncated;   /* records are missing: they did not fit, are damaged, or contradict their shader */
    uint32_t stream_word_count; /* of `words`: those of the stream. Behind them stand copies (FIXED WORDS) */
    bool limited;               /* truncated because it would take more memory than it may (MEMORY) */
};

struct ws_stream;

/* NULL when there is no memory. The caller frees it with ws_stream_destroy, which accepts NULL. */
struct ws_stream *ws_stream_create(void);
void ws_stream_destroy(struct ws_stream *stream);

/* From now on a launch takes at most so many bytes (MEMORY), in place of the usual limit; UINT64_MAX = any number. */
void ws_stream_limit(struct ws_stream *stream, uint64_t bytes);

/* Takes a chunk in. `*launch` receives the launch whose records this chunk completes, or that ended before it without its
 * last piece; NULL = none. False and `error`: no memory. */
bool ws_stream_take(struct ws_stream *stream, const struct ws_chunk *chunk,
                    const struct ws_stream_launch **launch, struct ws_error *error);

/* After the last chunk: `*launch` receives a launch whose last piece is missing; NULL = none. */
bool ws_stream_end(struct ws_stream *stream, const struct ws_stream_launch **launch, struct ws_error *error);

#ifdef __cplusplus
}
#endif

#endif
