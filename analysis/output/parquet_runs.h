/* Numbers of few bits as Parquet has them in pages: runs of one value, and groups of eight packed values ("RLE/Bit-Packing
 * Hybrid", encodings of the Apache Parquet format). Definition levels and indices of dictionaries are such numbers. */
#ifndef WS_ANALYSIS_OUTPUT_PARQUET_RUNS_H
#define WS_ANALYSIS_OUTPUT_PARQUET_RUNS_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes that `count` values of `bits` bits take. */
size_t ws_parquet_runs_bound(uint32_t count, uint32_t bits);

/* Writes them, each below 2^bits, to `out`. Returns how many bytes that took. `bits` is 1 to 32. */
size_t ws_parquet_runs(uint8_t *out, const uint32_t *values, uint32_t count, uint32_t bits);

#endif
