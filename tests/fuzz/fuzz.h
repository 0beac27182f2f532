/* What fuzz targets, mutators and drivers share.
 *
 * A target is a program with the functions of libFuzzer: LLVMFuzzerTestOneInput and LLVMFuzzerCustomMutator.
 * With -Dfuzz=true (clang) libFuzzer drives it, as scripts/fuzz does. Otherwise driver.c does: each input of
 * the corpus, and a fixed number of changed ones, always the same.
 *
 * A target that finds something wrong aborts: nothing that is read may crash, loop, print control characters,
 * or write files that are not well-formed. */
#ifndef WS_TESTS_FUZZ_FUZZ_H
#define WS_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Changes `size` bytes at `data`, which has room for `capacity`. Returns the new size. The same seed makes the
 * same change. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

/* Bytes changed as libFuzzer does it, or driver.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

/* Ends the run: what was found is said on the process's real stderr. */
__attribute__((format(printf, 1, 2), noreturn)) void fuzz_fail(const char *format, ...);

static inline void fuzz_check(bool holds, const char *what)
{
    if (!holds)
        fuzz_fail("%s", what);
}

/* xorshift64 (Marsaglia); the state must not be 0. */
static inline uint64_t fuzz_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline uint64_t fuzz_below(uint64_t *state, uint64_t bound)
{
    return bound > 0 ? (fuzz_random(state) >> 11) % bound : 0;
}

/* A state from the seed of a mutator. */
static inline uint64_t fuzz_state(unsigned seed)
{
    return (seed + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

/* Numbers that are likely to matter. */
static inline uint64_t fuzz_number(uint64_t *state)
{
    static const uint64_t numbers[] = {
        0,        1,         2,          3,          4,          7,          8,           9,
        31,       32,        33,         64,         127,        128,        129,         255,
        256,      0xffff,    0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000, UINT64_MAX,
        1u << 20, 64u << 20, 106,        1000165000, 1000265000};
    return numbers[fuzz_below(state, sizeof(numbers) / sizeof(numbers[0]))];
}

#endif
