// The functions of a probe that is made by hand (made.c): what the front end would make of a probe file. Offsets of outputs
// are those of ws_probe_layout for the outputs of made.c.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require
#extension GL_KHR_memory_scope_semantics : require
#include "lanes.glsl"
#include "yields.glsl"

#define BINS     10
#define CAPACITY 16
#define SAMPLES  3

// Outputs of every type of value: float, int, uint.
#define COUNT      0
#define SUM        (COUNT + WS_COUNT_WORDS)
#define SUM_INT    (SUM + WS_SUM_FLOAT_WORDS)
#define SUM_UINT   (SUM_INT + WS_SUM_WORDS)
#define LEAST      (SUM_UINT + WS_SUM_WORDS)
#define MOST       (LEAST + WS_EXTREME_WORDS)
#define LEAST_INT  (MOST + WS_EXTREME_WORDS)
#define MOST_UINT  (LEAST_INT + WS_EXTREME_WORDS)
#define LINEAR     (MOST_UINT + WS_EXTREME_WORDS)
#define LINEAR_INT (LINEAR + WS_LINEAR_WORDS(BINS))
#define LOG        (LINEAR_INT + WS_LINEAR_WORDS(BINS))
#define LOG_INT    (LOG + WS_LOG2_WORDS)
#define LOG_UINT   (LOG_INT + WS_LOG2_WORDS)
#define TABLE      (LOG_UINT + WS_LOG2_UINT_WORDS)
#define SAMPLE     (TABLE + WS_TABLE_WORDS(CAPACITY, 2))
#define LANES      (SAMPLE + WS_SAMPLE_WORDS(SAMPLES, 3) + 1)

// Of the shader: trips of loops.
#define TRIPS 0

void ws_probe_float(const uint at, const float result)
{
    ws_yield_count(at + COUNT);
    ws_yield_sum(at + SUM, result);
    ws_yield_min(at + LEAST, result);
    ws_yield_max(at + MOST, result);
    ws_yield_linear(at + LINEAR, BINS, -4.0, 4.0, BINS / 8.0, result);
    ws_yield_log2(at + LOG, result);
}

void ws_probe_int(const uint at, const int result)
{
    ws_yield_count(at + COUNT);
    ws_yield_sum(at + SUM_INT, result);
    ws_yield_min(at + LEAST_INT, result);
    ws_yield_linear(at + LINEAR_INT, BINS, -2000000000, 1999999999, result);
    ws_yield_log2(at + LOG_INT, result);
}

void ws_probe_uint(const uint at, const uint site, const uint line, const uint result)
{
    ws_yield_count(at + COUNT);
    ws_yield_lanes(at + LANES);
    ws_yield_sum(at + SUM_UINT, result);
    ws_yield_max(at + MOST_UINT, result);
    ws_yield_log2(at + LOG_UINT, result);
    ws_yield_table(at + TABLE, CAPACITY, 2, uvec4(ws_work_id % 20 - 1, ws_work_id % 2, 0, 0), 1 + ws_work_id % 3);
    const uint place = ws_yield_sample(at + SAMPLE, SAMPLES, 3);
    ws_yield_field(place, 0, ws_work_id);
    ws_yield_field(place, 1, site);
    ws_yield_field(place, 2, line);
}

void ws_probe_double(const uint at, const double result)
{
    ws_yield_count(at + COUNT);
}

// Trip counts: state of a thread in each loop.
uint trips = 7;

void ws_probe_begin(const bool first)
{
    if (first) {
        trips = 0;
    }
}

void ws_probe_iterate()
{
    trips++;
}

void ws_probe_end(const uint at, const uint shared_at)
{
    ws_yield_count(at + COUNT);
    ws_yield_log2(shared_at + TRIPS, trips);
}

// State of a thread: how many functions it has begun.
uint begun;

void ws_probe_function()
{
    begun++;
}

void ws_probe_left(const uint at)
{
    ws_yield_sum(at + SUM_UINT, begun);
}

void ws_probe_two(const uint at, const float operand_1, const float operand_2)
{
    ws_yield_sum(at + SUM, operand_1 - operand_2);
}

void ws_probe_address(const uint at, const uvec2 pointer)
{
    ws_yield_sum(at + SUM_UINT, pointer.x);
}

// A store of 64 bits, which has no result.
void ws_probe_store(const uint at)
{
    atomicStore(WsWide(ws_yield_words).word[0], uint64_t(at), gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

void main()
{
}
