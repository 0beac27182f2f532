/* The model BVH, by hand: settings, trees, what rays of a warp visit, and what caches make of it. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>

#include "analysis/scene/bvh/bvh_launch.h"

enum { MESH, BOXES, TOP };

/* Beside each other: x from 0 and from 10 on. Below the first: z = -1. */
static const float beside[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 10, 0, 0, 11, 0, 0, 10, 1, 0};
static const float below[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 1, 0, -1, 0, 1, -1};
static const float box[6] = {-1, -1, -1, 1, 1, 1};

static struct ws_bvh_settings settings_of(const char *text)
{
    struct ws_bvh_settings settings;
    struct ws_error error = {{0}};
    assert_true(ws_bvh_settings_parse(text, &settings, &error));
    return settings;
}

static void settings_are_read(void **state)
{
    (void)state;
    char text[WS_BVH_TEXT];
    struct ws_bvh_settings settings = settings_of(NULL);
    ws_bvh_settings_text(&settings, text);
    assert_string_equal(text, "leaf=4,bins=16,split=sah,node=64,triangle=64,box=32,instance=128");
    settings = settings_of("split=median,leaf=1,node=128");
    ws_bvh_settings_text(&settings, text);
    assert_string_equal(text, "leaf=1,bins=16,split=median,node=128,triangle=64,box=32,instance=128");
    static const char *const wrong[] = {"",           "leaf",          "leaf=",      "leaf=0",  "leaf=17",
                                        "leaf=4,",    "split=",        "split=sahs", "node=48", "node=544",
                                        "=4",         "leafs=4",       "leaf=00004", "bins=65", "leaf=-1",
                                        "split=sah=", "leaf=4,,bins=4"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        struct ws_error error = {{0}};
        assert_false(ws_bvh_settings_parse(wrong[i], &settings, &error));
        assert_non_null(strstr(error.message, "--bvh"));
    }
}

/* The example of bvh_tree.h: 0..1, 2..3 and 10..11 along x. */
static void trees_split_where_it_is_cheapest(void **state)
{
    (void)state;
    static const float boxes[3][6] = {{10, 0, 0, 11, 1, 1}, {0, 0, 0, 1, 1, 1}, {2, 0, 0, 3, 1, 1}};
    const struct ws_bvh_settings settings = settings_of(NULL);
    struct ws_bvh_tree tree;
    assert_true(ws_bvh_tree_init(&tree, boxes, 3, 1, &settings));
    assert_int_equal(tree.node_count, 2);
    assert_int_equal(tree.leaf_count, 3);
    assert_int_equal(tree.depth, 2);
    assert_int_equal(tree.depths[0], 0);
    assert_int_equal(tree.depths[1], 1);
    assert_int_equal(tree.root.count, 0);
    assert_int_equal(tree.root.first, 0);
    expect_floats(tree.root.bounds, (const float[6]){0, 0, 0, 11, 1, 1}, 6);
    const struct ws_bvh_child *children = tree.nodes[0].children;
    assert_int_equal(children[0].count, 0);
    assert_int_equal(children[0].first, 1);
    expect_floats(children[0].bounds, (const float[6]){0, 0, 0, 3, 1, 1}, 6);
    assert_int_equal(children[1].count, 1);
    assert_int_equal(tree.items[children[1].first], 0);
    assert_int_equal(tree.items[tree.nodes[1].children[0].first], 1);
    assert_int_equal(tree.items[tree.nodes[1].children[1].first], 2);
    ws_bvh_tree_finish(&tree);
    /* The halves at the middle one: {0..1} and {2..3, 10..11}. */
    const struct ws_bvh_settings median = settings_of("split=median");
    assert_true(ws_bvh_tree_init(&tree, boxes, 3, 1, &median));
    assert_int_equal(tree.nodes[0].children[0].count, 1);
    assert_int_equal(tree.items[tree.nodes[0].children[0].first], 1);
    ws_bvh_tree_finish(&tree);
    /* In one leaf two far apart cost 2 x 43, the half surface of 11 x 1 x 1 being 11 + 1 + 11 = 23; on two sides, with a node,
     * 23 + 3 + 3. */
    assert_true(ws_bvh_tree_init(&tree, boxes, 2, 4, &settings));
    assert_int_equal(tree.node_count, 1);
    ws_bvh_tree_finish(&tree);
}

static void equal_boxes_are_halved(void **state)
{
    (void)state;
    float boxes[100][6];
    const struct ws_bvh_settings settings = settings_of(NULL);
    struct ws_bvh_tree tree;
    for (int i = 0; i < 100; ++i)
        memcpy(boxes[i], box, sizeof(box));
    assert_true(ws_bvh_tree_init(&tree, (const float(*)[6])boxes, 100, 4, &settings));
    assert_int_equal(tree.depth, 5); /* 100, 50, 25, 13, 7: then 4 */
    assert_int_equal(tree.leaf_count, tree.node_count + 1);
    ws_bvh_tree_finish(&tree);
    assert_true(ws_bvh_tree_init(&tree, (const float(*)[6])boxes, 4, 4, &settings));
    assert_int_equal(tree.node_count, 0);
    assert_int_equal(tree.root.count, 4);
    ws_bvh_tree_finish(&tree);
    assert_true(ws_bvh_tree_init(&tree, NULL, 0, 4, &settings));
    assert_int_equal(tree.root.count, 0);
    ws_bvh_tree_finish(&tree);
}

/* ---- scenes ---- */

struct rig {
    struct ws_scene *scene;
    struct ws_bvh_scene *bvh;
    uint32_t build;
    struct ws_bvh_walk *walk;
    char log[1024];
};

static bool log_request(void *user, const struct ws_bvh_request *request)
{
    struct rig *rig = user;
    const size_t used = strlen(rig->log);
    snprintf(rig->log + used, sizeof(rig->log) - used, "%s %u of %u; ", ws_bvh_part_name(request->part),
             request->element_count, request->lanes);
    return true;
}

/* Instance 0 is the mesh, 1 (with `boxes`) the box at x = 20. */
static struct rig begin(const float mesh_vertices[18], bool boxes, uint32_t instance_flags)
{
    struct rig rig = {.scene = NULL};
    struct scene_file file;
    uint32_t references[2];
    const struct hand_instance instances[] = {{HAND_AT(0, 0, 0), 0, 0x0f, 0, instance_flags, 0x1000, MESH},
                                              {HAND_AT(20, 0, 0), 0, 0xff, 0, 0, 0x2000, BOXES}};
    scene_begin(&file);
    hand_structure(&file, BOTTOM_LEVEL, "mesh");
    hand_structure(&file, BOTTOM_LEVEL, "boxes");
    hand_structure(&file, TOP_LEVEL, "top");
    const struct ws_build_geometry mesh = hand_triangles(&file, mesh_vertices, 6);
    const struct ws_build_geometry aabbs = hand_aabbs(&file, box, 1);
    const struct ws_build_geometry top = hand_instances(&file, instances, boxes ? 2 : 1, references);
    hand_build(&file, MESH, 0, &mesh, 1);
    hand_build(&file, BOXES, 0, &aabbs, 1);
    hand_build(&file, TOP, 0, &top, 1);
    rig.scene = scene_end(&file);
    const struct ws_bvh_settings settings = settings_of("leaf=1");
    rig.bvh = ws_bvh_scene_create(rig.scene, &settings);
    rig.build = ws_scene_build_at(rig.scene, TOP, 0);
    return rig;
}

static void end(struct rig *rig)
{
    ws_bvh_walk_destroy(rig->walk);
    ws_bvh_scene_destroy(rig->bvh);
    ws_scene_destroy(rig->scene);
}

/* From (x, 0.25, 10) down. */
static struct ws_ray down(float x)
{
    return (struct ws_ray){.origin = {x, 0.25f, 10},
                           .direction = {0, 0, -1},
                           .tmax = 100,
                           .cull_mask = 0xff,
                           .end = WS_RAY_MISSED};
}

static void walk(struct rig *rig, struct ws_bvh_lane *lanes, const struct ws_ray *rays, uint32_t count,
                 const struct ws_ray_candidate *candidates)
{
    if (rig->walk == NULL)
        rig->walk = ws_bvh_walk_create(rig->bvh, log_request, rig);
    rig->log[0] = '\0';
    for (uint32_t i = 0; i < count; ++i)
        lanes[i] = (struct ws_bvh_lane){
            .ray = &rays[i], .candidates = candidates, .top = ws_bvh_scene_top(rig->bvh, rig->build)};
    assert_true(ws_bvh_walk_run(rig->walk, lanes, count));
}

/* The example of bvh_walk.h, and a third ray that meets the node and no box. */
static void warps_walk_in_step(void **state)
{
    (void)state;
    struct rig rig = begin(beside, false, 0);
    struct ws_bvh_lane lanes[3];
    const struct ws_ray rays[] = {down(0.25f), down(10.25f), down(5)};
    walk(&rig, lanes, rays, 3, NULL);
    assert_string_equal(rig.log, "instances 1 of 3; bottom nodes 1 of 3; triangles 2 of 2; ");
    assert_true(lanes[0].found && lanes[1].found && !lanes[2].found);
    assert_int_equal(lanes[0].hit.primitive, 0);
    assert_int_equal(lanes[1].hit.primitive, 1);
    assert_true(lanes[0].hit.t == 10 && lanes[1].hit.t == 10);
    assert_true(lanes[0].hit.barycentrics[0] == 0.25f && lanes[0].hit.barycentrics[1] == 0.25f);
    assert_int_equal(lanes[0].visits[WS_BVH_TRIANGLE], 1);
    assert_int_equal(lanes[2].visits[WS_BVH_TRIANGLE], 0);
    assert_int_equal(lanes[2].visits[WS_BVH_BOTTOM_NODE], 1);
    end(&rig);
}

/* The nearer triangle comes first, and what lies behind it is not visited. */
static void what_is_behind_is_not_visited(void **state)
{
    (void)state;
    struct rig rig = begin(below, false, 0);
    struct ws_bvh_lane lane;
    struct ws_ray ray = down(0.25f);
    walk(&rig, &lane, &ray, 1, NULL);
    assert_string_equal(rig.log, "instances 1 of 1; bottom nodes 1 of 1; triangles 1 of 1; ");
    assert_int_equal(lane.hit.primitive, 0);
    /* Up from below the other one is nearer. */
    ray.origin[2] = -10;
    ray.direction[2] = 2;
    walk(&rig, &lane, &ray, 1, NULL);
    assert_int_equal(lane.hit.primitive, 1);
    assert_true(lane.hit.t == 4.5f);
    assert_int_equal(lane.visits[WS_BVH_TRIANGLE], 1);
    /* Between them, and within tmin and tmax. */
    ray = down(0.25f);
    ray.tmin = 10.5f;
    walk(&rig, &lane, &ray, 1, NULL);
    assert_int_equal(lane.hit.primitive, 1);
    ray.tmax = 10.75f;
    walk(&rig, &lane, &ray, 1, NULL);
    assert_false(lane.found);
    assert_string_equal(rig.log, "instances 1 of 1; bottom nodes 1 of 1; ");
    end(&rig);
}

static void masks_and_flags_are_heeded(void **state)
{
    (void)state;
    struct rig rig = begin(below, false, 0);
    struct ws_bvh_lane lane;
    struct ws_ray ray = down(0.25f);
    ray.cull_mask = 0xf0;
    walk(&rig, &lane, &ray, 1, NULL);
    assert_string_equal(rig.log, "instances 1 of 1; ");
    ray.cull_mask = 0xff;
    ray.flags = WS_RAY_FLAG_SKIP_TRIANGLES;
    walk(&rig, &lane, &ray, 1, NULL);
    assert_string_equal(rig.log, "instances 1 of 1; ");
    /* Counterclockwise from above is the front. */
    ray.flags = WS_RAY_FLAG_CULL_FRONT;
    walk(&rig, &lane, &ray, 1, NULL);
    assert_false(lane.found);
    assert_int_equal(lane.visits[WS_BVH_TRIANGLE], 2);
    ray.flags = WS_RAY_FLAG_CULL_BACK;
    walk(&rig, &lane, &ray, 1, NULL);
    assert_true(lane.found);
    /* The first that is met ends the ray: with tmin behind it, the second. */
    ray.flags = WS_RAY_FLAG_TERMINATE_FIRST;
    walk(&rig, &lane, &ray, 1, NULL);
    assert_int_equal(lane.visits[WS_BVH_TRIANGLE], 1);
    end(&rig);
    rig = begin(below, false, 2); /* facing is flipped */
    ray.flags = WS_RAY_FLAG_CULL_BACK;
    walk(&rig, &lane, &ray, 1, NULL);
    assert_false(lane.found);
    end(&rig);
}

static void candidates_end_as_captured(void **state)
{
    (void)state;
    struct rig rig = begin(below, true, 0);
    struct ws_bvh_lane lane;
    const struct ws_ray_candidate candidates[] = {
        {.kind = WS_CANDIDATE_ANY_HIT, .result = WS_CANDIDATE_IGNORED, .hit = {.t = 10, .primitive = 0}},
        {.kind = WS_CANDIDATE_INTERSECTION, .result = WS_CANDIDATE_OPEN, .hit = {.instance = 1}},
        {.kind = WS_CANDIDATE_REPORT, .result = WS_CANDIDATE_ACCEPTED, .hit = {.t = 9.5f, .instance = 1}},
        {.kind = WS_CANDIDATE_REPORT, .result = WS_CANDIDATE_ACCEPTED, .hit = {.t = 9.25f, .instance = 1}},
        {.kind = WS_CANDIDATE_REPORT, .result = WS_CANDIDATE_IGNORED, .hit = {.t = 9.125f, .instance = 1}}};
    /* The first triangle lets it through. Two instances: the top level has a node. */
    struct ws_ray ray = down(0.25f);
    ray.candidate_count = 1;
    walk(&rig, &lane, &ray, 1, candidates);
    assert_string_equal(rig.log, "top nodes 1 of 1; instances 1 of 1; bottom nodes 1 of 1; triangles 1 of 1; "
                                 "triangles 1 of 1; ");
    assert_int_equal(lane.hit.primitive, 1);
    assert_true(lane.hit.t == 11);
    /* An opaque one cannot. */
    ray.flags = WS_RAY_FLAG_OPAQUE;
    walk(&rig, &lane, &ray, 1, candidates);
    assert_int_equal(lane.hit.primitive, 0);
    /* In the box: the nearest that was accepted. Without a report it is passed. */
    ray = down(20);
    walk(&rig, &lane, &ray, 1, candidates);
    assert_string_equal(rig.log, "top nodes 1 of 1; instances 1 of 1; boxes 1 of 1; ");
    assert_false(lane.found);
    ray.candidate_first = 1;
    ray.candidate_count = 4;
    walk(&rig, &lane, &ray, 1, candidates);
    assert_true(lane.found && lane.hit.box && lane.hit.instance == 1);
    assert_true(lane.hit.t == 9.25f);
    end(&rig);
}

/* ---- a launch ---- */

/* A ray of lane `lane` in that call, at site 7 of shader 3. */
static void add(struct ws_bvh_launch *launch, const struct rig *rig, struct ws_ray ray, uint32_t call,
                uint32_t lane, uint64_t group)
{
    ray.call = call;
    ray.lane = lane;
    ray.shader = 3;
    ray.site = 7;
    assert_true(ws_bvh_launch_add(launch, &ray, NULL, rig->build, group));
}

static struct ws_ray hit(float x, uint32_t primitive, float t)
{
    struct ws_ray ray = down(x);
    ray.end = WS_RAY_HIT;
    ray.has_hit = true;
    ray.hit = (struct ws_ray_hit){.t = t, .primitive = primitive, .kind = WS_HIT_FRONT};
    return ray;
}

static void expect_sums(const struct ws_bvh_sums *sums, uint64_t visits, uint64_t requests, uint64_t elements,
                        uint64_t l1_sectors, uint64_t l1_hits, uint64_t l2_hits, uint64_t memory_bytes)
{
    assert_int_equal(sums->visits, visits);
    assert_int_equal(sums->requests, requests);
    assert_int_equal(sums->slots, 8 * requests);
    assert_int_equal(sums->elements, elements);
    assert_int_equal(sums->l1_sectors, l1_sectors);
    assert_int_equal(sums->l1_hits, l1_hits);
    assert_int_equal(sums->l2_sectors, l1_sectors - l1_hits);
    assert_int_equal(sums->l2_hits, l2_hits);
    assert_int_equal(sums->memory_bytes, memory_bytes);
}

/* The first triangle is read by all three calls, the second by the first two. */
static void expect_rows(const struct ws_bvh_launch *launch)
{
    assert_int_equal(launch->row_count, 4); /* as they come: the instance, the node, two triangles */
    assert_int_equal(launch->rows[0].part, WS_BVH_INSTANCE);
    assert_int_equal(launch->rows[0].number, 0);
    expect_sums(&launch->rows[0].sums, 5, 3, 3, 12, 4, 4, 128);
    assert_int_equal(launch->rows[1].part, WS_BVH_BOTTOM_NODE);
    expect_floats(launch->rows[1].bounds, (const float[6]){0, 0, 0, 11, 1, 0}, 6);
    expect_sums(&launch->rows[1].sums, 5, 3, 3, 6, 2, 2, 64);
    assert_int_equal(launch->rows[2].part, WS_BVH_TRIANGLE);
    assert_int_equal(launch->rows[2].number, 0);
    expect_floats(launch->rows[2].bounds, (const float[6]){0, 0, 0, 1, 1, 0}, 6);
    expect_sums(&launch->rows[2].sums, 3, 3, 3, 6, 2, 2, 64);
    assert_int_equal(launch->rows[3].number, 1);
    expect_sums(&launch->rows[3].sums, 2, 2, 2, 4, 0, 2, 64);
}

/* Call 0 of warp 1 reads an instance (4 sectors of 32 bytes), a node (2) and two triangles (2 each), all from memory. Call 1
 * is of warp 2, which is on another multiprocessor: its L1 has nothing, the L2 has all. Call 2, of warp 1 again, has one ray:
 * it finds all in the L1. They are added in another order. */
static void caches_are_asked_in_order(void **state)
{
    (void)state;
    struct rig rig = begin(beside, false, 0);
    struct ws_cache_shape shape;
    struct ws_error error = {{0}};
    struct ws_bvh_launch launch;
    assert_true(ws_cache_shape_load("rtx2080ti", &shape, &error));
    ws_bvh_launch_init(&launch, rig.bvh, &shape);
    launch.has_rows = true;
    add(&launch, &rig, hit(0.25f, 0, 10), 2, 0, 1);
    add(&launch, &rig, hit(10.25f, 1, 10), 0, 1, 1);
    add(&launch, &rig, hit(0.25f, 0, 10), 1, 0, 2);
    add(&launch, &rig, hit(10.25f, 1, 10), 1, 1, 2);
    add(&launch, &rig, hit(0.25f, 0, 10), 0, 0, 1);
    assert_true(ws_bvh_launch_run(&launch, 8));
    assert_int_equal(launch.site_count, 1);
    const struct ws_bvh_site *site = launch.sites[0];
    assert_int_equal(site->shader, 3);
    assert_int_equal(site->site, 7);
    assert_int_equal(site->rays.rays, 5);
    assert_int_equal(site->rays.calls, 3);
    assert_int_equal(site->rays.checks[WS_BVH_AGREES], 5);
    expect_sums(&site->parts[WS_BVH_INSTANCE], 5, 3, 3, 12, 4, 4, 128);
    expect_sums(&site->parts[WS_BVH_BOTTOM_NODE], 5, 3, 3, 6, 2, 2, 64);
    expect_sums(&site->parts[WS_BVH_TRIANGLE], 5, 3, 5, 10, 2, 4, 128);
    expect_sums(&site->depths[1][0], 5, 3, 3, 6, 2, 2, 64);
    assert_int_equal(site->parts[WS_BVH_TOP_NODE].requests, 0);
    assert_int_equal(site->parts[WS_BVH_BOTTOM_NODE].nodes, 5);
    expect_rows(&launch);
    ws_bvh_launch_finish(&launch);
    end(&rig);
}

static void hits_are_checked(void **state)
{
    (void)state;
    struct rig rig = begin(below, false, 0);
    struct ws_cache_shape shape;
    struct ws_error error = {{0}};
    struct ws_bvh_launch launch;
    struct ws_ray ray;
    assert_true(ws_cache_shape_load("rtx2080ti", &shape, &error));
    ws_bvh_launch_init(&launch, rig.bvh, &shape);
    add(&launch, &rig, hit(0.25f, 0, 10.00005f), 0, 0, 1); /* agrees: the tolerance is 1e-5 of 10 */
    add(&launch, &rig, hit(0.25f, 0, 10.0005f), 0, 1, 1);  /* differs */
    add(&launch, &rig, hit(0.25f, 1, 10), 0, 2, 1);        /* same place */
    add(&launch, &rig, down(0.25f), 0, 3, 1);              /* differs: it missed */
    add(&launch, &rig, down(5), 0, 4, 1);                  /* agrees */
    ray = down(0.25f);
    ray.tmin = 10.00005f;
    ray.tmax = 10.5f;
    ray.end = WS_RAY_HIT;
    ray.has_hit = true;
    ray.hit = (struct ws_ray_hit){.t = 10.00005f};
    add(&launch, &rig, ray, 0, 5, 1); /* borderline: the model does not meet it */
    ray = down(0.25f);
    ray.end = WS_RAY_UNKNOWN;
    add(&launch, &rig, ray, 0, 6, 1);
    ray = hit(0.25f, 1, 11);
    ray.flags = WS_RAY_FLAG_TERMINATE_FIRST;
    add(&launch, &rig, ray, 0, 7, 1); /* agrees: any will do */
    ray.end = WS_RAY_IMPLICIT;
    ray.has_hit = false;
    add(&launch, &rig, ray, 1, 0, 1); /* agrees */
    ray.origin[0] = 5;
    add(&launch, &rig, ray, 1, 1, 1); /* differs: there is nothing */
    assert_true(ws_bvh_launch_run(&launch, 8));
    const uint64_t *checks = launch.sites[0]->rays.checks;
    assert_int_equal(checks[WS_BVH_AGREES], 4);
    assert_int_equal(checks[WS_BVH_SAME_PLACE], 1);
    assert_int_equal(checks[WS_BVH_BORDERLINE], 1);
    assert_int_equal(checks[WS_BVH_DIFFERS], 3);
    assert_int_equal(checks[WS_BVH_UNKNOWN], 1);
    ws_bvh_launch_finish(&launch);
    end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_read),
        cmocka_unit_test(trees_split_where_it_is_cheapest),
        cmocka_unit_test(equal_boxes_are_halved),
        cmocka_unit_test(warps_walk_in_step),
        cmocka_unit_test(what_is_behind_is_not_visited),
        cmocka_unit_test(masks_and_flags_are_heeded),
        cmocka_unit_test(candidates_end_as_captured),
        cmocka_unit_test(caches_are_asked_in_order),
        cmocka_unit_test(hits_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
