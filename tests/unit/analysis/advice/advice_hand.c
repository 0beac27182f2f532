#include "tests/unit/analysis/advice/advice_hand.h"

#include <spirv/unified1/spirv.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/model/catalog.h"

enum { THREADS = 2048, RAYS = 8192, CANDIDATES = 8192, LANES = 8 };

struct thread {
    uint32_t ray_first;
    uint32_t ray_count;
    uint32_t candidate_first;
};

struct hand {
    struct ws_catalog catalog;
    struct ws_shader_record shaders[HAND_SHADERS];
    struct ws_module_record modules[HAND_SHADERS];
    struct ws_site_record sites[HAND_SITES];
    struct ws_device_record device;
    struct ws_effects *effects;
    struct ws_scene none;
    struct ws_scene *scene;
    struct ws_scene_sbt *tables;
    struct ws_advice_input input;
    struct ws_advice_run *run;
    struct ws_advice_list *list;
    struct thread threads[THREADS];
    struct ws_thread works[THREADS];
    uint32_t warp_index[THREADS / LANES];
    uint32_t warp_lanes[THREADS / LANES];
    uint32_t thread_count;
    struct ws_ray rays[RAYS];
    uint32_t ray_count;
    struct ws_ray_candidate candidates[CANDIDATES];
    uint32_t candidate_count;
    uint64_t launch;
    const char *partial;
    bool ended;
};

#define HEAD(model)                                                                                          \
    "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\nOpMemoryModel Logical GLSL450\n"       \
    "OpEntryPoint " model " %main \"main\"\n%v = OpTypeVoid\n%fn = OpTypeFunction %v\n"                      \
    "%u = OpTypeInt 32 0\n%f = OpTypeFloat 32\n%b = OpTypeBool\n%v3 = OpTypeVector %f 3\n"                   \
    "%true = OpConstantTrue %b\n%u0 = OpConstant %u 0\n%f0 = OpConstant %f 0\n"                              \
    "%c3 = OpConstantComposite %v3 %f0 %f0 %f0\n"                                                            \
    "%acc = OpTypeAccelerationStructureKHR\n%pacc = OpTypePointer UniformConstant %acc\n"                    \
    "%scene = OpVariable %pacc UniformConstant\n"                                                            \
    "%pin = OpTypePointer IncomingRayPayloadKHR %f\n%pout = OpTypePointer RayPayloadKHR %f\n"                \
    "%pbuf = OpTypePointer StorageBuffer %f\n%buffer = OpVariable %pbuf StorageBuffer\n"

#define MAIN(body)     "%main = OpFunction %v None %fn\n%first = OpLabel\n" body "OpFunctionEnd\n"
#define INCOMING       "%payload = OpVariable %pin IncomingRayPayloadKHR\n"
#define TRACE(payload) "OpTraceRayKHR %s %u0 %u0 %u0 %u0 %u0 %c3 %f0 %c3 %f0 " payload "\n"

static const struct {
    uint32_t stage;
    const char *text; /* NULL: cannot be parsed */
} shaders[HAND_SHADERS] = {
    [HAND_RAYGEN] =
        {WS_STAGE_RAYGEN,
         HEAD("RayGenerationKHR") "%kept = OpVariable %pout RayPayloadKHR\n"
                                  "%asked = OpVariable %pout RayPayloadKHR\n" MAIN(
                                      "%s = OpLoad %acc %scene\nOpStore %asked %f0\n" TRACE("%kept")
                                          TRACE("%asked")
                                              TRACE("%kept") "%k = OpLoad %f %kept\nOpStore %buffer %k\n"
                                                             "%a = OpLoad %f %asked\n"
                                                             "%c = OpFOrdLessThan %b %a %f0\nOpReturn\n")},
    [HAND_CLEAN_ANY_HIT] = {WS_STAGE_ANY_HIT, HEAD("AnyHitKHR") MAIN("OpReturn\n")},
    [HAND_CUTOUT_ANY_HIT] = {WS_STAGE_ANY_HIT,
                             HEAD("AnyHitKHR") MAIN(
                                 "OpSelectionMerge %end None\nOpBranchConditional %true %then %end\n"
                                 "%then = OpLabel\nOpIgnoreIntersectionKHR\n%end = OpLabel\nOpReturn\n")},
    [HAND_TALLY_ANY_HIT] = {WS_STAGE_ANY_HIT, HEAD("AnyHitKHR") MAIN("OpStore %buffer %f0\nOpReturn\n")},
    [HAND_EMPTY_HIT] = {WS_STAGE_CLOSEST_HIT, HEAD("ClosestHitKHR") MAIN("OpReturn\n")},
    [HAND_CONSTANT_HIT] = {WS_STAGE_CLOSEST_HIT,
                           HEAD("ClosestHitKHR") INCOMING MAIN("OpStore %payload %f0\nOpReturn\n")},
    [HAND_SHADED_HIT] = {WS_STAGE_CLOSEST_HIT,
                         HEAD("ClosestHitKHR")
                             INCOMING MAIN("%l = OpLoad %f %buffer\nOpStore %payload %l\nOpReturn\n")},
    [HAND_EMPTY_MISS] = {WS_STAGE_MISS, HEAD("MissKHR") MAIN("OpReturn\n")},
    [HAND_MISS] = {WS_STAGE_MISS, HEAD("MissKHR") INCOMING MAIN("OpStore %payload %f0\nOpReturn\n")},
    [HAND_INTERSECTION] = {WS_STAGE_INTERSECTION, HEAD("IntersectionKHR") MAIN(
                                                      "%r = OpReportIntersectionKHR %b %f0 %u0\nOpReturn\n")},
    [HAND_HIDING_ANY_HIT] = {WS_STAGE_ANY_HIT, HEAD("AnyHitKHR") MAIN("OpIgnoreIntersectionKHR\n")},
    [HAND_UNREADABLE] = {WS_STAGE_ANY_HIT, NULL},
};

/* The offsets of its calls of traceRay. */
static void set_sites(struct hand *hand, const uint32_t *words, size_t word_count)
{
    uint32_t site = 0;
    for (size_t i = 5; i < word_count && site < HAND_SITES; i += words[i] >> 16)
        if ((words[i] & 0xffff) == SpvOpTraceRayKHR)
            hand->sites[site++].info = (struct ws_site_info){.kind = WS_SITE_DATA, .offset = (uint32_t)i};
    assert_int_equal(site, HAND_SITES);
}

static void add_shader(struct hand *hand, uint32_t index)
{
    static const uint32_t garbage[5] = {1, 2, 3, 4, 5};
    static const char *const names[] = {"0:main", "1:main", "2:main", "3:main", "4:main",  "5:main",
                                        "6:main", "7:main", "8:main", "9:main", "10:main", "11:main"};
    struct ws_error error = {{0}};
    size_t word_count = sizeof(garbage) / sizeof(garbage[0]);
    uint32_t *words =
        shaders[index].text != NULL ? assembly_read(shaders[index].text, 0x00010600, &word_count) : NULL;
    struct ws_chunk module = {.type = WS_CHUNK_MODULE};
    struct ws_chunk shader = {.type = WS_CHUNK_SHADER};
    module.module = (struct ws_chunk_module){.id = index,
                                             .name = "",
                                             .words = words != NULL ? words : garbage,
                                             .word_count = (uint32_t)word_count};
    shader.shader = (struct ws_chunk_shader){
        .id = index, .module = index, .entry = WS_NONE, .stage = shaders[index].stage, .name = "main"};
    assert_true(ws_effects_record(hand->effects, &module, &error));
    assert_true(ws_effects_record(hand->effects, &shader, &error));
    hand->shaders[index] = (struct ws_shader_record){
        .id = index, .module = index, .entry = WS_NONE, .stage = shaders[index].stage, .name = "main"};
    hand->shaders[index].shown = names[index];
    hand->modules[index] =
        (struct ws_module_record){.id = index, .hash = 1000 + index, .name = "", .source = ""};
    if (index == HAND_RAYGEN) {
        set_sites(hand, words, word_count);
        hand->modules[index].sites = hand->sites;
        hand->modules[index].site_count = HAND_SITES;
    }
    free(words);
}

struct hand *hand_create(const char *rule, struct ws_scene *scene)
{
    struct hand *hand = calloc(1, sizeof(*hand));
    assert_non_null(hand);
    hand->effects = ws_effects_create();
    assert_non_null(hand->effects);
    for (uint32_t i = 0; i < HAND_SHADERS; ++i)
        add_shader(hand, i);
    hand->catalog = (struct ws_catalog){.shaders = hand->shaders,
                                        .shader_count = HAND_SHADERS,
                                        .modules = hand->modules,
                                        .module_count = HAND_SHADERS,
                                        .devices = &hand->device,
                                        .device_count = 1};
    hand->scene = scene;
    hand->input = (struct ws_advice_input){
        .catalog = &hand->catalog, .scene = scene != NULL ? scene : &hand->none, .effects = hand->effects};
    hand->input.trace = ws_scene_trace_create(hand->input.scene);
    assert_non_null(hand->input.trace);
    hand->input.marks = ws_ray_marks_create();
    assert_non_null(hand->input.marks);
    hand->run = ws_advice_run_create(&hand->input, rule);
    hand->list = ws_advice_list_create();
    assert_non_null(hand->run);
    assert_non_null(hand->list);
    return hand;
}

void hand_destroy(struct hand *hand)
{
    ws_advice_list_destroy(hand->list);
    ws_advice_run_destroy(hand->run);
    ws_ray_marks_destroy(hand->input.marks);
    ws_effects_destroy(hand->effects);
    ws_scene_trace_destroy(hand->input.trace);
    ws_scene_destroy(hand->scene);
    ws_scene_sbt_destroy(hand->tables);
    free(hand);
}

void hand_chosen(struct hand *hand, const char *rule)
{
    static const struct ws_selection selection;
    ws_advice_run_destroy(hand->run);
    hand->input.selection = &selection;
    hand->run = ws_advice_run_create(&hand->input, rule);
    assert_non_null(hand->run);
}

void hand_tables(struct hand *hand, struct ws_scene_sbt *tables)
{
    hand->tables = tables;
    hand->input.tables = tables;
}

struct ws_ray *hand_ray(struct hand *hand, enum hand_shader shader)
{
    assert_true(hand->ray_count < RAYS && hand->thread_count < THREADS);
    struct ws_ray *ray = &hand->rays[hand->ray_count++];
    *ray = (struct ws_ray){.parent = WS_NONE,
                           .shader = shader,
                           .first_hit_shader = HAND_MISS,
                           .end = WS_RAY_MISSED,
                           .direction = {0, 0, 1},
                           .tmax = 100,
                           .cull_mask = 0xff};
    struct thread *thread = &hand->threads[hand->thread_count];
    if (thread->ray_count++ == 0) {
        thread->ray_first = hand->ray_count - 1;
        thread->candidate_first = hand->candidate_count;
    }
    ray->candidate_first = hand->candidate_count - thread->candidate_first;
    return ray;
}

static struct ws_ray_hit make_hit(uint32_t instance, uint32_t geometry, float t)
{
    return (struct ws_ray_hit){
        .t = t, .instance = instance, .custom_index = 100 + instance, .geometry = geometry};
}

struct ws_ray_candidate *hand_candidate(struct hand *hand, enum ws_candidate_kind kind,
                                        enum ws_candidate_result result, enum hand_shader shader,
                                        uint32_t instance, uint32_t geometry, float t)
{
    assert_true(hand->candidate_count < CANDIDATES);
    struct ws_ray *ray = &hand->rays[hand->ray_count - 1];
    struct ws_ray_candidate *candidate = &hand->candidates[hand->candidate_count++];
    *candidate = (struct ws_ray_candidate){
        .kind = kind, .result = result, .shader = shader, .hit = make_hit(instance, geometry, t)};
    ray->candidate_count++;
    ray->any_hits += kind == WS_CANDIDATE_ANY_HIT;
    ray->ignored += kind == WS_CANDIDATE_ANY_HIT && result == WS_CANDIDATE_IGNORED;
    ray->intersections += kind == WS_CANDIDATE_INTERSECTION;
    ray->reports += kind == WS_CANDIDATE_REPORT;
    return candidate;
}

void hand_hit(struct hand *hand, uint32_t shader, uint32_t instance, uint32_t geometry, float t)
{
    struct ws_ray *ray = &hand->rays[hand->ray_count - 1];
    ray->first_hit_shader = shader;
    ray->end = shader != WS_NONE                                  ? WS_RAY_HIT
               : (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0 ? WS_RAY_IMPLICIT
                                                                  : WS_RAY_NO_SHADER;
    ray->has_hit = ray->end == WS_RAY_HIT;
    ray->hit = make_hit(instance, geometry, t);
}

void hand_thread(struct hand *hand)
{
    const uint32_t index = hand->thread_count++;
    hand->works[index] = (struct ws_thread){{index, 0, 0}, index / LANES, index % LANES};
    hand->warp_index[index / LANES] = index / LANES;
    hand->warp_lanes[index / LANES] = LANES;
}

static void run_thread(struct hand *hand, const struct ws_advice_launch *launch, uint32_t index)
{
    const struct thread *thread = &hand->threads[index];
    const struct ws_ray_thread rays = {
        .launch = hand->launch,
        .index = index,
        .thread = &hand->works[index],
        .warp = index / LANES,
        .lane = index % LANES,
        .rays = hand->rays + thread->ray_first,
        .ray_count = thread->ray_count,
        .candidates = hand->candidates + thread->candidate_first,
    };
    if (rays.ray_count > 0)
        assert_true(ws_advice_run_thread(hand->run, launch, &rays));
}

void hand_launch(struct hand *hand)
{
    const struct ws_launch_record launch = {.index = hand->launch};
    const struct ws_replay_threads threads = {.launch = &launch,
                                              .threads = hand->works,
                                              .thread_count = hand->thread_count,
                                              .warp_index = hand->warp_index,
                                              .warp_lanes = hand->warp_lanes,
                                              .warp_count = THREADS / LANES};
    const struct ws_advice_launch advised = {
        .threads = &threads, .matcher = ws_scene_matcher_create(hand->input.scene, 0, hand->launch)};
    assert_non_null(advised.matcher);
    for (uint32_t i = 0; i < hand->ray_count; ++i)
        assert_true(ws_scene_matcher_add(advised.matcher, &hand->rays[i]));
    for (uint32_t i = 0; i < hand->thread_count; ++i)
        run_thread(hand, &advised, i);
    assert_true(ws_advice_run_end_launch(hand->run, &advised));
    ws_scene_matcher_destroy(advised.matcher);
    memset(hand->threads, 0, sizeof(hand->threads));
    hand->thread_count = 0;
    hand->ray_count = 0;
    hand->candidate_count = 0;
    hand->launch++;
}

void hand_partial(struct hand *hand, const char *why)
{
    hand->partial = why;
}

/* Rays are evidence for a rule where it gives advice, and only there; and where advice counts rays that are wrong, these are
 * as many. Of one launch a ray is wrong once, whatever number of pieces count it. */
static void check_marks(struct hand *hand)
{
    uint32_t rules[RAYS];
    uint64_t wrong[WS_MARK_RULES] = {0};
    uint64_t marked[WS_MARK_RULES] = {0};
    bool advised[WS_MARK_RULES] = {false};
    size_t count = 0;
    const struct ws_advice *advice = ws_advice_list_all(hand->list, &count);
    assert_true(ws_ray_marks_settle(hand->input.marks));
    for (uint64_t launch = 0; launch < hand->launch; ++launch) {
        memset(rules, 0, sizeof(rules));
        ws_ray_marks_read(hand->input.marks, launch, rules, RAYS);
        for (uint32_t i = 0; i < RAYS; ++i)
            for (uint32_t rule = 0; rule < WS_MARK_RULES; ++rule)
                marked[rule] += rules[i] >> rule & 1;
    }
    for (uint32_t rule = 0; ws_advice_rules()[rule] != NULL; ++rule) {
        const struct ws_advice_rule *of = ws_advice_rules()[rule];
        for (size_t i = 0; i < count; ++i) {
            advised[rule] = advised[rule] || advice[i].rule == of;
            wrong[rule] += advice[i].rule == of ? advice[i].wrong_rays : 0;
        }
        assert_true((marked[rule] > 0) == (advised[rule] && of->evidence == WS_EVIDENCE_RAYS));
        if (wrong[rule] > 0)
            assert_int_equal(marked[rule], wrong[rule]);
    }
}

const struct ws_advice *hand_advice(struct hand *hand, size_t *count)
{
    if (!hand->ended) {
        hand_launch(hand);
        assert_true(ws_advice_run_end(hand->run, hand->partial, hand->list));
        check_marks(hand);
    }
    hand->ended = true;
    return ws_advice_list_all(hand->list, count);
}

const struct ws_advice *hand_only(struct hand *hand)
{
    size_t count = 0;
    const struct ws_advice *advice = hand_advice(hand, &count);
    assert_int_equal(count, 1);
    return &advice[0];
}

void hand_nothing(struct hand *hand)
{
    size_t count = 0;
    hand_advice(hand, &count);
    assert_int_equal(count, 0);
    hand_destroy(hand);
}
