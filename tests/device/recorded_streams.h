/* The records of a capture held against its counters: in a capture of both simt_efficiency and
 * execution_trace each must have seen every block as often, and with as many lanes, as the other. */
#ifndef WS_TESTS_DEVICE_RECORDED_STREAMS_H
#define WS_TESTS_DEVICE_RECORDED_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

/* What the capture holds. */
struct recorded_streams {
    bool recording;    /* a pass records */
    bool sampled;      /* a setting chooses threads: counters have more, and are not compared */
    uint32_t launches; /* with records, an empty stream included */
    uint32_t entries;  /* entry records */
    uint64_t launched; /* threads of ray generation shaders that entered */
    uint64_t strays;   /* entries of shaders that rays call, none of whose threads was launched */
    uint64_t places;   /* place records */
    uint64_t lanes;    /* of these */
    uint32_t compared; /* blocks of shaders in launches that counters and records agree on */
    uint64_t words;
    uint64_t missing;    /* words */
    uint64_t sufficient; /* words; the most of any launch */
    uint64_t lost;       /* launches whose records are, by SKIP chunks */
    uint32_t warnings;   /* messages */
};

/* False, with what is wrong on stderr, when the capture cannot be read, a record is wrong, records and
 * counters do not agree, or records are missing that nothing accounts for. */
bool recorded_check_streams(struct recorded_streams *streams, const char *path);

#endif
