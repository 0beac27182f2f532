/* The replay against streams written by hand, for which every event is known. */
#include "capture_test.h"
#include "replay_log.h"
#include "stream.h"
#include "warpscope/records.h"

static const uint32_t counts[] = {4, 6, 2};

/* Lanes by their mask. */
static struct ws_lanes lanes(uint64_t mask)
{
    return (struct ws_lanes){mask, 0};
}

static void block(struct stream *stream, uint32_t context, uint32_t number, uint64_t mask)
{
    stream_place(stream, context, WS_SITE_PLACE_BLOCK, number, lanes(mask));
}

static void place(struct stream *stream, uint32_t context, uint32_t kind, uint32_t number, uint64_t mask)
{
    stream_place(stream, context, kind, number, lanes(mask));
}

/* Ends the capture; what one worker tells must be `expected`, line by line. */
static void expect(struct stream *stream, const char *expected, struct ws_replay_losses *losses)
{
    char *text = NULL;
    size_t size = 0;
    struct ws_replay_losses ignored;
    struct replay_log log = {open_memstream(&text, &size), 0};
    assert_non_null(log.out);
    stream_finish(stream);
    stream_replay(stream, &replay_log_operations, &log, 1, losses != NULL ? losses : &ignored);
    fclose(log.out);
    if (strcmp(text, expected) != 0)
        fail_msg("told:\n%s\nexpected:\n%s", text, expected);
    free(text);
    stream_destroy(stream);
}

static struct stream *begin(uint32_t bins, uint32_t piece_words)
{
    struct stream *stream = stream_create(&(struct stream_options){.bins = bins, .piece_words = piece_words});
    return stream;
}

/* Ray generation of two warps, the second partial; a closest-hit shader by some lanes of the first; a record
 * of a place after the call. Pieces of one word. */
static void calls(void **state)
{
    (void)state;
    struct stream *stream = begin(8, 1);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, counts, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, counts, 1);
    stream_begin(stream, WS_INVOCATION_TRACE_RAYS, 5, 2, 1);
    const uint32_t late = stream_enter_rays(stream, 0, raygen, lanes(0x03), 8);
    const uint32_t first = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
    block(stream, first, 0, 0xff);
    place(stream, first, WS_SITE_PLACE_BEFORE, 0, 0x3c);
    const uint32_t inner = stream_enter_rays(stream, 0, hit, lanes(0x0c), 0);
    block(stream, inner, 0, 0x0c);
    stream_data(stream, inner, stream_number(WS_SITE_DATA, 0), lanes(0x04), (const uint32_t[]){70, 71}, 2);
    block(stream, late, 0, 0x03);
    place(stream, inner, WS_SITE_PLACE_END, 0, 0x04);
    place(stream, inner, WS_SITE_PLACE_END, 0, 0x08);
    place(stream, first, WS_SITE_PLACE_AFTER, 0, 0x3c);
    place(stream, first, WS_SITE_PLACE_END, 2, 0x0f);
    place(stream, first, WS_SITE_PLACE_END, 2, 0xf0);
    stream_end(stream);
    struct ws_replay_losses losses;
    expect(stream,
           "invocation 0 5x2x1 'work'\n"
           "enter c0 shader 0 depth 0 warp 0 3 thread 3,1,0\n"
           "enter c1 shader 0 depth 0 warp 1 ff thread 0,0,0\n"
           "block c1 0 ff\n"
           "before c1 0 3c\n"
           "enter c2 shader 1 depth 1 from c1 warp 1 c thread 2,0,0\n"
           "block c2 0 c\n"
           "data c2 4 70 71\n"
           "block c0 0 3\n"
           "end c2 0 4\n"
           "leave c2 4\n"
           "end c2 0 8\n"
           "leave c2 8\n"
           "close c2\n"
           "after c1 0 3c\n"
           "end c1 2 f\n"
           "leave c1 f\n"
           "end c1 2 f0\n"
           "leave c1 f0\n"
           "close c1\n"
           "close c0 3\n"
           "threads 10\n"
           "warp 0 index 1 lanes 2\n"
           "warp 1 index 0 lanes 8\n",
           &losses);
    assert_true(losses.invocations == 1 && losses.records == 13);
    assert_true(losses.truncated == 0 && losses.malformed == 0 && losses.missing == 0);
    assert_true(losses.regrouped == 0 && losses.unrooted == 0 && losses.sufficient == 0);
    /* Entries of 2, 8 and 2 lanes, the data of one, nine places. */
    assert_true(losses.bytes == 4 * (6 + 12 + 6 + 4 + 9 * 2));
}

/* Ray generation, closest hit, closest hit, callable, callable: each called by the one before. */
static void recursion(void **state)
{
    (void)state;
    struct stream *stream = begin(64, 7);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, counts, 1);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, counts, 1);
    const uint32_t callable = stream_shader(stream, WS_STAGE_CALLABLE, counts, 1);
    const uint64_t all = UINT64_C(0xffffffffffffffff);
    uint32_t contexts[5];
    const uint32_t shaders[] = {raygen, hit, hit, callable, callable};
    stream_begin(stream, WS_INVOCATION_TRACE_RAYS, 64, 1, 1);
    for (int i = 0; i < 5; ++i)
        contexts[i] = stream_enter_rays(stream, 0, shaders[i], lanes(all << (8 * i)), 0);
    for (int i = 4; i >= 0; --i) {
        block(stream, contexts[i], 0, all << (8 * i));
        place(stream, contexts[i], WS_SITE_PLACE_END, 0, all << (8 * i));
    }
    stream_end(stream);
    expect(stream,
           "invocation 0 64x1x1 'work'\n"
           "enter c0 shader 0 depth 0 warp 0 ffffffffffffffff thread 0,0,0\n"
           "enter c1 shader 1 depth 1 from c0 warp 0 ffffffffffffff00 thread 8,0,0\n"
           "enter c2 shader 1 depth 2 from c1 warp 0 ffffffffffff0000 thread 16,0,0\n"
           "enter c3 shader 2 depth 3 from c2 warp 0 ffffffffff000000 thread 24,0,0\n"
           "enter c4 shader 2 depth 4 from c3 warp 0 ffffffff00000000 thread 32,0,0\n"
           "block c4 0 ffffffff00000000\n"
           "end c4 0 ffffffff00000000\n"
           "leave c4 ffffffff00000000\n"
           "close c4\n"
           "block c3 0 ffffffffff000000\n"
           "end c3 0 ffffffffff000000\n"
           "leave c3 ffffffffff000000\n"
           "close c3\n"
           "block c2 0 ffffffffffff0000\n"
           "end c2 0 ffffffffffff0000\n"
           "leave c2 ffffffffffff0000\n"
           "close c2\n"
           "block c1 0 ffffffffffffff00\n"
           "end c1 0 ffffffffffffff00\n"
           "leave c1 ffffffffffffff00\n"
           "close c1\n"
           "block c0 0 ffffffffffffffff\n"
           "end c0 0 ffffffffffffffff\n"
           "leave c0 ffffffffffffffff\n"
           "close c0\n"
           "threads 64\n"
           "warp 0 index 0 lanes 64\n",
           NULL);
}

/* An intersection shader reports in all lanes; of its any-hit shader lanes 0 and 1 end the ray, which ends
 * their intersection shader without a record: lane 0 enters the closest-hit shader next, lane 1 is seen in
 * ray generation. Lanes 2 and 3 go on in the intersection shader. */
static void any_hit_in_a_trace(void **state)
{
    (void)state;
    struct stream *stream = begin(32, 0);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, counts, 1);
    const uint32_t intersection = stream_shader(stream, WS_STAGE_INTERSECTION, counts, 1);
    const uint32_t any_hit = stream_shader(stream, WS_STAGE_ANY_HIT, counts, 1);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, counts, 1);
    stream_begin(stream, WS_INVOCATION_TRACE_RAYS, 4, 1, 1);
    const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0xf), 0);
    const uint32_t reporter = stream_enter_rays(stream, 0, intersection, lanes(0xf), 0);
    place(stream, reporter, WS_SITE_PLACE_BEFORE, 0, 0xf);
    const uint32_t inner = stream_enter_rays(stream, 0, any_hit, lanes(0xf), 0);
    place(stream, inner, WS_SITE_PLACE_END, 0, 0xf);
    place(stream, reporter, WS_SITE_PLACE_AFTER, 0, 0xc);
    place(stream, reporter, WS_SITE_PLACE_END, 0, 0xc);
    const uint32_t shaded = stream_enter_rays(stream, 0, hit, lanes(0x1), 0);
    place(stream, shaded, WS_SITE_PLACE_END, 0, 0x1);
    block(stream, outer, 0, 0xf);
    place(stream, outer, WS_SITE_PLACE_END, 0, 0xf);
    stream_end(stream);
    expect(stream,
           "invocation 0 4x1x1 'work'\n"
           "enter c0 shader 0 depth 0 warp 0 f thread 0,0,0\n"
           "enter c1 shader 1 depth 1 from c0 warp 0 f thread 0,0,0\n"
           "before c1 0 f\n"
           "enter c2 shader 2 depth 2 from c1 warp 0 f thread 0,0,0\n"
           "end c2 0 f\n"
           "leave c2 f\n"
           "close c2\n"
           "after c1 0 c\n"
           "end c1 0 c\n"
           "leave c1 c\n"
           "leave c1 1\n"
           "enter c3 shader 3 depth 1 from c0 warp 0 1 thread 0,0,0\n"
           "end c3 0 1\n"
           "leave c3 1\n"
           "close c3\n"
           "leave c1 2\n"
           "close c1\n"
           "block c0 0 f\n"
           "end c0 0 f\n"
           "leave c0 f\n"
           "close c0\n"
           "threads 4\n"
           "warp 0 index 0 lanes 4\n",
           NULL);
}

/* The closest-hit shaders of two warps run together: two lanes of each, in lanes 0 to 3. And one whose lanes
 * are of one warp, but others than there. */
static void regrouped(void **state)
{
    (void)state;
    struct stream *stream = begin(4, 5);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, counts, 1);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, counts, 1);
    stream_begin(stream, WS_INVOCATION_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = stream_enter_rays(stream, 0, raygen, lanes(0xf), 0);
    const uint32_t b = stream_enter_rays(stream, 0, raygen, lanes(0xf), 4);
    const uint32_t both = stream_enter(stream, 0, hit, lanes(0xf), NULL, (const uint32_t[]){6, 7, 0, 1});
    place(stream, a, WS_SITE_PLACE_END, 0, 0xc);
    place(stream, both, WS_SITE_PLACE_END, 0, 0xf);
    place(stream, a, WS_SITE_PLACE_END, 0, 0x3);
    const uint32_t moved = stream_enter(stream, 0, hit, lanes(0x3), NULL, (const uint32_t[]){5, 4});
    place(stream, b, WS_SITE_PLACE_END, 0, 0xf);
    (void)moved;
    stream_end(stream);
    struct ws_replay_losses losses;
    expect(stream,
           "invocation 0 8x1x1 'work'\n"
           "enter c0 shader 0 depth 0 warp 0 f thread 0,0,0\n"
           "enter c1 shader 0 depth 0 warp 1 f thread 4,0,0\n"
           "enter c2 shader 1 depth 1 from c1 regrouped warp 1 f thread 6,0,0\n"
           "end c0 0 c\n"
           "leave c0 c\n"
           "end c2 0 f\n"
           "leave c2 f\n"
           "close c2\n"
           "end c0 0 3\n"
           "leave c0 3\n"
           "close c0\n"
           "enter c3 shader 1 depth 1 from c1 regrouped warp 1 3 thread 5,0,0\n"
           "leave c3 2\n"
           "leave c3 1\n"
           "close c3\n"
           "end c1 0 f\n"
           "leave c1 f\n"
           "close c1\n"
           "threads 8\n"
           "warp 0 index 0 lanes 4\n"
           "warp 1 index 1 lanes 4\n",
           &losses);
    assert_true(losses.regrouped == 2 && losses.unrooted == 0);
}

/* A miss shader of threads that were never launched, one of a mix. */
static void unrooted(void **state)
{
    (void)state;
    struct stream *stream = begin(8, 0);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, counts, 1);
    const uint32_t miss = stream_shader(stream, WS_STAGE_MISS, counts, 1);
    stream_begin(stream, WS_INVOCATION_TRACE_RAYS, 0, 0, 0);
    stream_enter_rays(stream, 0, raygen, lanes(0x3), 1000000000);
    const uint32_t lost = stream_enter_rays(stream, 0, miss, lanes(0x3), 7);
    place(stream, lost, WS_SITE_PLACE_END, 0, 0x3);
    stream_enter_rays(stream, 0, miss, lanes(0x7), 1000000000);
    stream_end(stream);
    struct ws_replay_losses losses;
    expect(stream,
           "invocation 0 0x0x0 'work'\n"
           "enter c0 shader 0 depth 0 warp 0 3 thread 1000000000,0,0\n"
           "enter c1 shader 1 depth 1 3\n"
           "end c1 0 3\n"
           "leave c1 3\n"
           "close c1\n"
           "enter c2 shader 1 depth 1 from c0 regrouped warp 0 7 thread 1000000000,0,0\n"
           "close c2 7\n"
           "close c0 3\n"
           "threads 2\n"
           "warp 0 index 0 lanes 2\n",
           &losses);
    assert_true(losses.unrooted == 2 && losses.regrouped == 1);
}

/* Workgroups of 4 x 2 x 2 threads in warps of 8: the second warp of a group is its second layer. Vertex and
 * fragment shaders of one render pass: warps are ranked by stage. */
static void work_ids(void **state)
{
    (void)state;
    struct stream *stream = begin(8, 0);
    const uint32_t compute =
        stream_shader_sized(stream, WS_STAGE_COMPUTE, (const uint32_t[]){4, 2, 2}, counts, 1);
    const uint32_t vertex = stream_shader(stream, WS_STAGE_VERTEX, counts, 1);
    const uint32_t fragment = stream_shader(stream, WS_STAGE_FRAGMENT, counts, 1);
    stream_begin(stream, WS_INVOCATION_DISPATCH, 3, 2, 1);
    stream_enter(stream, 0, compute, lanes(0xff), (const uint32_t[]){2, 1, 0},
                 (const uint32_t[]){8, 9, 10, 11, 12, 13, 14, 15});
    stream_enter(stream, 0, compute, lanes(0x02), (const uint32_t[]){2, 1, 0}, (const uint32_t[]){5});
    stream_end(stream);
    stream_begin(stream, WS_INVOCATION_RENDER_PASS, 64, 64, 1);
    stream_enter(stream, 0, fragment, lanes(0x01), NULL, (const uint32_t[]){3 | 9 << 16, 1 | 2 << 16});
    stream_enter(stream, 0, vertex, lanes(0x03), NULL, (const uint32_t[]){8, 1, 9, 1});
    stream_enter(stream, 0, vertex, lanes(0x03), NULL, (const uint32_t[]){100, 0, 101, 0});
    stream_enter(stream, 0, fragment, lanes(0x01), NULL, (const uint32_t[]){9 | 3 << 16, 0 | 2 << 16});
    stream_end(stream);
    expect(stream,
           "invocation 0 3x2x1 'work'\n"
           "enter c0 shader 0 depth 0 warp 0 ff thread 8,2,1\n"
           "enter c1 shader 0 depth 0 warp 1 2 thread 9,3,0\n"
           "close c1 2\n"
           "close c0 ff\n"
           "threads 9\n"
           "warp 0 index 1 lanes 8\n"
           "warp 1 index 0 lanes 1\n"
           "invocation 1 64x64x1 'work'\n"
           "enter c2 shader 2 depth 0 warp 0 1 thread 589827,131073,0\n"
           "enter c3 shader 1 depth 0 warp 1 3 thread 8,1,0\n"
           "enter c4 shader 1 depth 0 warp 2 3 thread 100,0,0\n"
           "enter c5 shader 2 depth 0 warp 3 1 thread 196617,131072,0\n"
           "close c5 1\n"
           "close c4 3\n"
           "close c3 3\n"
           "close c2 1\n"
           "threads 6\n"
           "warp 0 index 1 lanes 1\n"
           "warp 1 index 1 lanes 2\n"
           "warp 2 index 0 lanes 2\n"
           "warp 3 index 0 lanes 1\n",
           NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls),     cmocka_unit_test(recursion), cmocka_unit_test(any_hit_in_a_trace),
        cmocka_unit_test(regrouped), cmocka_unit_test(unrooted),  cmocka_unit_test(work_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
