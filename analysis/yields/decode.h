/* What the yield words of one output mean (yields.h). Not thread-safe where it changes what it is given. */
#ifndef WS_ANALYSIS_YIELDS_DECODE_H
#define WS_ANALYSIS_YIELDS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/probe.h"

/* What an output yielded, so that it adds up over sites, shaders and launches. All zero: nothing. The members are words
 * for columns (report/columns.h). */
struct ws_yield_sums {
    /* How often it yielded; of tables and values all amounts, those without room too; of samples how many were asked
     * for; of a bin, an entry or a record its own. */
    uint64_t count;
    uint64_t integer; /* sum of int and uint: modulo 2^64, two's complement */
    uint64_t
        limbs[WS_SUM_LIMBS]; /* sum of float: all but the last are from 0 to 2^32 - 1, the last is signed */
    uint64_t nans;
    uint64_t infinities;
    uint64_t minus;  /* -infinities */
    uint64_t lost;   /* tables and values: amounts that found no room */
    uint64_t active; /* lanes: lanes that were active, in all executions ... */
    uint64_t slots;  /* ... and lanes that the warps have: SIMT efficiency is active / slots */
    /* min, max: of the largest key. 0 = no value. */
    uint64_t has_extreme;
    uint64_t image;  /* the high word of the key */
    uint64_t work;   /* its low word: ~work id, 0 = not known */
    uint64_t launch; /* the first in which it was yielded ... */
    uint64_t shader; /* ... and the shader, an index in the catalog */
};

/* Adds up, as `add` of struct ws_columns. Of keys the largest stays; of equal ones that of the first launch, there that of
 * the first shader. Never fails. */
bool ws_yield_sums_add(void *to, const void *from);

/* The sums of an output of any kind, from its words, of which there are ws_yield_width. */
void ws_yield_decode(const struct ws_yield_shape *shape, const uint32_t *words, struct ws_yield_sums *sums);

/* The sum of float, rounded once, to the nearest double, ties to even. Infinities and NaNs among the values decide: a NaN,
 * or infinities of both signs, make it NaN. */
double ws_yield_float_sum(const struct ws_yield_sums *sums);

/* The value of the largest key, as bits of the output's type. */
uint32_t ws_yield_extreme(const struct ws_yield_shape *shape, const struct ws_yield_sums *sums);

/* A value of 32 bits as a number; of bool 0 or 1. */
double ws_yield_number(uint32_t type, uint32_t bits);

/* The same as text: integers as they are, floats with as few digits as tell them apart from all others, "inf", "-inf",
 * "nan", bools "true" and "false". Returns `text`. */
#define WS_YIELD_TEXT_SIZE 32
const char *ws_yield_text(uint32_t type, uint32_t bits, char text[WS_YIELD_TEXT_SIZE]);

/* BINS of a histogram, in the order of their values: those at the ends that are no bins are named ("below", "NaN"). Of lanes
 * bin i has the executions by warps, of any size, with i + 1 active lanes. */
uint32_t ws_yield_bin_count(const struct ws_yield_shape *shape);

/* How often bin `bin` was yielded to. */
uint64_t ws_yield_bin(const struct ws_yield_shape *shape, const uint32_t *words, uint32_t bin);

/* What bin `bin` has: values from `from` up to, and without, `to`. */
struct ws_yield_bin_range {
    const char *name; /* "zero", "negative", "below", "above", "NaN"; NULL = the two numbers say it */
    double from;      /* -inf and inf at the ends; of "NaN" both are NaN */
    double to;
};
struct ws_yield_bin_range ws_yield_bin_range(const struct ws_probe_output *output, uint32_t bin);

/* SLOTS of `values` and tables, ws_yield_slots() of them: the keys and the amount of one. The keys behind the shape's are
 * 0. An empty slot has the amount 0. */
uint64_t ws_yield_slot(const struct ws_yield_shape *shape, const uint32_t *words, uint32_t slot,
                       uint32_t keys[WS_YIELD_KEYS_MAX]);

/* SAMPLES: how many there are, and the fields of one. */
uint32_t ws_yield_sample_count(const struct ws_yield_shape *shape, const uint32_t *words);
const uint32_t *ws_yield_sample(const struct ws_yield_shape *shape, const uint32_t *words, uint32_t sample);

#endif
