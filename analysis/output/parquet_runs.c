#include "analysis/output/parquet_runs.h"

#define GROUP 8 /* packed values come in groups of so many */

size_t ws_parquet_runs_bound(uint32_t count, uint32_t bits)
{
    /* Between two runs there is at least a group, and a run stands for at least one: so a header for each group does. */
    const size_t groups = (size_t)count / GROUP + 1;
    return groups * (5 + bits) + 5 + 4;
}

static size_t put_varint(uint8_t *out, uint32_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        out[size++] = (uint8_t)(value | 0x80);
    out[size++] = (uint8_t)value;
    return size;
}

/* How many values from the first on are equal. */
static uint32_t run_length(const uint32_t *values, uint32_t count)
{
    uint32_t length = 1;
    while (length < count && values[length] == values[0])
        ++length;
    return length;
}

/* Whether a run begins here that is worth one: of a whole group, or of all that is left. */
static uint32_t worthy_run(const uint32_t *values, uint32_t count)
{
    const uint32_t length = run_length(values, count < GROUP ? count : GROUP);
    return length >= GROUP || length == count;
}

static size_t put_run(uint8_t *out, uint32_t value, uint32_t length, uint32_t bits)
{
    size_t size = put_varint(out, length << 1);
    for (uint32_t i = 0; i < (bits + 7) / 8; ++i)
        out[size++] = (uint8_t)(value >> 8 * i);
    return size;
}

/* The lowest bit of the first value is the lowest of the first byte. The last group is filled with zeros. */
static size_t put_packed(uint8_t *out, const uint32_t *values, uint32_t count, uint32_t bits)
{
    const uint32_t groups = (count + GROUP - 1) / GROUP;
    size_t size = put_varint(out, groups << 1 | 1);
    uint64_t left = 0;
    uint32_t left_bits = 0;
    for (uint32_t i = 0; i < groups * GROUP; ++i) {
        left |= (uint64_t)(i < count ? values[i] : 0) << left_bits;
        for (left_bits += bits; left_bits >= 8; left_bits -= 8) {
            out[size++] = (uint8_t)left;
            left >>= 8;
        }
    }
    return size;
}

size_t ws_parquet_runs(uint8_t *out, const uint32_t *values, uint32_t count, uint32_t bits)
{
    size_t size = 0;
    for (uint32_t at = 0; at < count;) {
        const uint32_t first = at;
        if (worthy_run(values + at, count - at)) {
            at += run_length(values + at, count - at);
            size += put_run(out + size, values[first], at - first, bits);
            continue;
        }
        do
            at = count - at < GROUP ? count : at + GROUP;
        while (at < count && !worthy_run(values + at, count - at));
        size += put_packed(out + size, values + first, at - first, bits);
    }
    return size;
}
