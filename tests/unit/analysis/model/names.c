/* The names of shaders, pipelines and call sites, of catalogs that are made up here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/model/names.h"
#include "warpscope/opcodes.h"

struct scene {
    struct ws_catalog catalog;
    uint32_t modules;
    uint32_t shaders;
    uint32_t pipelines;
};

static void record(struct scene *scene, const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    if (!ws_catalog_record(&scene->catalog, chunk, &error))
        fail_msg("%s", error.message);
}

/* A module of this code, whose first and only entry point can reach functions 1 and 2. */
static uint32_t add_module(struct scene *scene, const char *name, const char *code, uint32_t stage,
                           uint64_t hash)
{
    size_t count = 0;
    uint32_t *words = assembly_read(code, 0x10500, &count);
    const uint32_t functions[] = {1, 2};
    const struct ws_entry_info entry = {
        .name = "main", .function = 1, .stage = stage, .functions = functions, .function_count = 2};
    const uint32_t id = scene->modules++;
    struct ws_chunk chunk = {
        .type = WS_CHUNK_MODULE,
        .module = {.id = id, .hash = hash, .name = name, .words = words, .word_count = (uint32_t)count}};
    record(scene, &chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_SITES,
                              .sites = {.module = id, .entries = &entry, .entry_count = 1}};
    record(scene, &chunk);
    free(words);
    return id;
}

static uint32_t add_shader(struct scene *scene, uint32_t module, uint32_t stage, const char *name,
                           const struct ws_specialization *constants, uint32_t constant_count)
{
    const uint32_t id = scene->shaders++;
    record(scene, &(struct ws_chunk){.type = WS_CHUNK_SHADER,
                                     .shader = {.id = id,
                                                .module = module,
                                                .stage = stage,
                                                .name = name,
                                                .specialization = constants,
                                                .specialization_count = constant_count}});
    return id;
}

static uint32_t add_pipeline(struct scene *scene, uint32_t kind, const char *name, const uint32_t *shaders,
                             uint32_t count)
{
    const uint32_t id = scene->pipelines++;
    record(scene, &(struct ws_chunk){
                      .type = WS_CHUNK_PIPELINE,
                      .pipeline = {.id = id, .kind = kind, .shaders = shaders, .shader_count = count}});
    if (name != NULL)
        record(scene, &(struct ws_chunk){.type = WS_CHUNK_NAME,
                                         .name = {.kind = WS_NAME_PIPELINE, .id = id, .name = name}});
    return id;
}

static void end(struct scene *scene)
{
    struct ws_error error = {{0}};
    if (!ws_names_make(&scene->catalog, &error))
        fail_msg("%s", error.message);
}

static const char *shader_name(const struct scene *scene, uint32_t id)
{
    return ws_shader_name(&scene->catalog, ws_catalog_shader(&scene->catalog, id));
}

static const char *pipeline_name(const struct scene *scene, uint32_t id)
{
    return ws_pipeline_name(&scene->catalog, ws_catalog_pipeline(&scene->catalog, id));
}

/* Nothing in it but a source file, where `path` is not NULL. */
static uint32_t add_source(struct scene *scene, const char *path, uint32_t stage, uint64_t hash)
{
    char code[512];
    char source[256] = "";
    if (path != NULL)
        snprintf(source, sizeof(source), "%%9 = OpString \"%s\"\nOpSource GLSL 460 %%9\n", path);
    snprintf(code, sizeof(code), "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%s", source);
    return add_module(scene, "", code, stage, hash);
}

static void plain(void **state)
{
    struct scene scene = {.modules = 0};
    (void)state;
    const uint32_t named =
        add_module(&scene, "sky", "OpCapability Shader\nOpMemoryModel Logical GLSL450\n", WS_STAGE_MISS, 1);
    const uint32_t source = add_source(&scene, "shaders/mesh.rchit", WS_STAGE_CLOSEST_HIT, 2);
    const uint32_t stripped = add_source(&scene, NULL, WS_STAGE_RAYGEN, 3);
    const uint32_t a = add_shader(&scene, named, WS_STAGE_MISS, "main", NULL, 0);
    const uint32_t b = add_shader(&scene, source, WS_STAGE_CLOSEST_HIT, "main", NULL, 0);
    const uint32_t c = add_shader(&scene, stripped, WS_STAGE_RAYGEN, "main", NULL, 0);
    end(&scene);
    assert_string_equal(shader_name(&scene, a), "sky:main");
    assert_string_equal(shader_name(&scene, b), "mesh.rchit:main");
    assert_string_equal(shader_name(&scene, c), "raygen:main");
    ws_catalog_finish(&scene.catalog);
}

/* Two entry points of one name; two files of one name, in folders that differ in the second. */
static void stages_and_folders(void **state)
{
    struct scene scene = {.modules = 0};
    (void)state;
    const uint32_t uber = add_source(&scene, "uber.hlsl", WS_STAGE_MISS, 1);
    const uint32_t first = add_source(&scene, "src/primary/rays/hit.rchit", WS_STAGE_CLOSEST_HIT, 2);
    const uint32_t second = add_source(&scene, "src/shadow/rays/hit.rchit", WS_STAGE_CLOSEST_HIT, 3);
    const uint32_t a = add_shader(&scene, uber, WS_STAGE_MISS, "main", NULL, 0);
    const uint32_t b = add_shader(&scene, uber, WS_STAGE_RAYGEN, "main", NULL, 0);
    const uint32_t c = add_shader(&scene, first, WS_STAGE_CLOSEST_HIT, "main", NULL, 0);
    const uint32_t d = add_shader(&scene, second, WS_STAGE_CLOSEST_HIT, "main", NULL, 0);
    end(&scene);
    assert_string_equal(shader_name(&scene, a), "uber.hlsl:main (miss)");
    assert_string_equal(shader_name(&scene, b), "uber.hlsl:main (raygen)");
    assert_string_equal(shader_name(&scene, c), "primary/rays/hit.rchit:main");
    assert_string_equal(shader_name(&scene, d), "shadow/rays/hit.rchit:main");
    ws_catalog_finish(&scene.catalog);
}

/* K is 3 unless specialized; SCALE has no name, DEEP is always the same, and -2 is given in 4 bytes. */
static const char specialized[] = "OpCapability Shader\n"
                                  "OpMemoryModel Logical GLSL450\n"
                                  "%20 = OpString \"blur.comp\"\n"
                                  "OpSource GLSL 460 %20\n"
                                  "OpName %3 \"K\"\n"
                                  "OpName %5 \"FLIP\"\n"
                                  "OpName %6 \"DEEP\"\n"
                                  "OpDecorate %3 SpecId 0\n"
                                  "OpDecorate %4 SpecId 7\n"
                                  "OpDecorate %5 SpecId 2\n"
                                  "OpDecorate %6 SpecId 1\n"
                                  "%10 = OpTypeInt 32 1\n"
                                  "%11 = OpTypeFloat 32\n"
                                  "%12 = OpTypeBool\n"
                                  "%3 = OpSpecConstant %10 3\n"
                                  "%4 = OpSpecConstant %11 0.5\n"
                                  "%5 = OpSpecConstantTrue %12\n"
                                  "%6 = OpSpecConstant %10 9\n";

static void specializations(void **state)
{
    struct scene scene = {.modules = 0};
    (void)state;
    const uint32_t tenth = 0x3dcccccd; /* 0.1 */
    const struct ws_specialization minus[] = {{0, 4, 0xfffffffe}, {1, 4, 12}};
    const struct ws_specialization scaled[] = {{7, 4, tenth}, {2, 4, 0}, {1, 4, 12}};
    const struct ws_specialization usual[] = {{1, 4, 12}};
    const uint32_t module = add_module(&scene, "", specialized, WS_STAGE_COMPUTE, 1);
    const uint32_t a = add_shader(&scene, module, WS_STAGE_COMPUTE, "main", minus, 2);
    const uint32_t b = add_shader(&scene, module, WS_STAGE_COMPUTE, "main", scaled, 3);
    const uint32_t c = add_shader(&scene, module, WS_STAGE_COMPUTE, "main", usual, 1);
    end(&scene);
    assert_string_equal(shader_name(&scene, a), "blur.comp:main<K=-2,FLIP=true,SpecId 7=0.5>");
    assert_string_equal(shader_name(&scene, b), "blur.comp:main<K=3,FLIP=false,SpecId 7=0.1>");
    assert_string_equal(shader_name(&scene, c), "blur.comp:main<K=3,FLIP=true,SpecId 7=0.5>");
    ws_catalog_finish(&scene.catalog);
}

/* Without debug information: told apart by pipelines that have names, else by hashes. */
static void stripped(void **state)
{
    struct scene scene = {.modules = 0};
    (void)state;
    uint32_t shaders[4];
    for (uint32_t i = 0; i < 4; ++i)
        shaders[i] = add_shader(
            &scene, add_source(&scene, NULL, WS_STAGE_RAYGEN, UINT64_C(0xfc68578500000000) + i % 3),
            WS_STAGE_RAYGEN, i < 2 ? "main" : "other", NULL, 0);
    for (uint32_t i = 0; i < 2; ++i)
        add_pipeline(&scene, WS_PIPELINE_RAY_TRACING, i == 0 ? "path tracer" : "ambient", &shaders[i], 1);
    end(&scene);
    assert_string_equal(shader_name(&scene, shaders[0]), "raygen:main in 'path tracer'");
    assert_string_equal(shader_name(&scene, shaders[1]), "raygen:main in 'ambient'");
    /* Their hashes have the same first half. */
    assert_string_equal(shader_name(&scene, shaders[2]), "raygen fc685785:other #2");
    assert_string_equal(shader_name(&scene, shaders[3]), "raygen fc685785:other #3");
    ws_catalog_finish(&scene.catalog);
}

/* Names that applications gave to look like others, and very long ones: each is still the only one. */
static void all_differ(void **state)
{
    struct scene scene = {.modules = 0};
    (void)state;
    char longer[2][2000];
    for (int i = 0; i < 2; ++i) {
        memset(longer[i], 'a', sizeof(longer[i]) - 1);
        longer[i][sizeof(longer[i]) - 1] = '\0';
        longer[i][1000] = (char)('x' + i);
    }
    const char *const entries[] = {"main", "main", "main #1", "main #1 #2", longer[0], longer[1]};
    for (uint32_t i = 0; i < 6; ++i)
        add_shader(&scene, add_source(&scene, "a.comp", WS_STAGE_COMPUTE, 5), WS_STAGE_COMPUTE, entries[i],
                   NULL, 0);
    end(&scene);
    for (uint32_t i = 0; i < 6; ++i)
        for (uint32_t j = 0; j < i; ++j)
            assert_string_not_equal(shader_name(&scene, i), shader_name(&scene, j));
    ws_catalog_finish(&scene.catalog);
}

static void pipelines(void **state)
{
    struct scene scene = {.modules = 0};
    (void)state;
    static const uint32_t stages[] = {WS_STAGE_RAYGEN,      WS_STAGE_MISS,    WS_STAGE_MISS,
                                      WS_STAGE_CLOSEST_HIT, WS_STAGE_COMPUTE, WS_STAGE_VERTEX,
                                      WS_STAGE_FRAGMENT};
    static const char *const files[] = {"r.rgen", "a.rmiss", "b.rmiss", "c.rchit",
                                        "d.comp", "e.vert",  "f.frag"};
    uint32_t ids[7];
    for (uint32_t i = 0; i < 7; ++i)
        ids[i] = add_shader(&scene, add_source(&scene, files[i], stages[i], i), stages[i], "main", NULL, 0);
    /* A shader that several groups have is one shader. */
    const uint32_t groups[] = {ids[3], ids[2], ids[1], ids[0], ids[3]};
    const uint32_t a = add_pipeline(&scene, WS_PIPELINE_RAY_TRACING, NULL, groups, 5);
    const uint32_t b = add_pipeline(&scene, WS_PIPELINE_COMPUTE, NULL, &ids[4], 1);
    const uint32_t c = add_pipeline(&scene, WS_PIPELINE_GRAPHICS, NULL, &ids[5], 2);
    const uint32_t d = add_pipeline(&scene, WS_PIPELINE_GRAPHICS, NULL, &ids[5], 2);
    const uint32_t e = add_pipeline(&scene, WS_PIPELINE_COMPUTE, "blur", &ids[4], 1);
    end(&scene);
    assert_string_equal(pipeline_name(&scene, a), "ray tracing r.rgen:main + closest_hit, 2 miss");
    assert_string_equal(pipeline_name(&scene, b), "compute d.comp:main");
    assert_string_equal(pipeline_name(&scene, c), "graphics e.vert:main + f.frag:main #2");
    assert_string_equal(pipeline_name(&scene, d), "graphics e.vert:main + f.frag:main #3");
    assert_string_equal(pipeline_name(&scene, e), "blur");
    ws_catalog_finish(&scene.catalog);
}

/* main calls executeCallable and traceRay, function %2 traceRay twice in one line; %2 stands behind it. Function 8 is
 * not reached: its traceRay counts for nobody. */
static const char calling[] = "OpCapability RayTracingKHR\n"
                              "OpExtension \"SPV_KHR_ray_tracing\"\n"
                              "OpMemoryModel Logical GLSL450\n"
                              "OpEntryPoint RayGenerationKHR %1 \"main\" %32 %33\n"
                              "%lines"
                              "%40 = OpTypeVoid\n"
                              "%41 = OpTypeFunction %40\n"
                              "%42 = OpTypeInt 32 0\n"
                              "%43 = OpTypeFloat 32\n"
                              "%44 = OpTypeVector %43 3\n"
                              "%45 = OpTypeAccelerationStructureKHR\n"
                              "%46 = OpTypePointer UniformConstant %45\n"
                              "%47 = OpTypePointer RayPayloadKHR %43\n"
                              "%48 = OpTypePointer CallableDataKHR %43\n"
                              "%50 = OpConstant %42 0\n"
                              "%51 = OpConstant %43 1\n"
                              "%52 = OpConstantComposite %44 %51 %51 %51\n"
                              "%31 = OpVariable %46 UniformConstant\n"
                              "%32 = OpVariable %47 RayPayloadKHR\n"
                              "%33 = OpVariable %48 CallableDataKHR\n"
                              "%8 = OpFunction %40 None %41\n"
                              "%80 = OpLabel\n"
                              "%81 = OpLoad %45 %31\n"
                              "OpTraceRayKHR %81 %50 %50 %50 %50 %50 %52 %51 %52 %51 %32\n"
                              "OpReturn\n"
                              "OpFunctionEnd\n"
                              "%1 = OpFunction %40 None %41\n"
                              "%10 = OpLabel\n"
                              "%line 12 0\n"
                              "%11 = OpLoad %45 %31\n"
                              "OpExecuteCallableKHR %50 %33\n"
                              "%line 13 0\n"
                              "OpTraceRayKHR %11 %50 %50 %50 %50 %50 %52 %51 %52 %51 %32\n"
                              "%12 = OpFunctionCall %40 %2\n"
                              "OpReturn\n"
                              "OpFunctionEnd\n"
                              "%2 = OpFunction %40 None %41\n"
                              "%20 = OpLabel\n"
                              "%21 = OpLoad %45 %31\n"
                              "%line 21 0\n"
                              "OpTraceRayKHR %21 %50 %50 %50 %50 %50 %52 %51 %52 %51 %32\n"
                              "OpTraceRayKHR %21 %50 %50 %50 %50 %50 %52 %51 %52 %51 %32\n"
                              "OpReturn\n"
                              "OpFunctionEnd\n";

/* The code with or without lines. */
static char *calling_code(bool lines)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    for (const char *at = calling; *at != '\0'; ++at) {
        if (strncmp(at, "%lines", 6) == 0) {
            fputs(lines ? "%9 = OpString \"shaders/room.rgen\"\nOpSource GLSL 460 %9\n" : "", stream);
            at += 5;
        } else if (strncmp(at, "%line ", 6) == 0 && !lines) {
            at = strchr(at, '\n');
        } else if (strncmp(at, "%line ", 6) == 0) {
            fputs("OpLine %9", stream);
            at += 4;
        } else {
            fputc(*at, stream);
        }
    }
    fclose(stream);
    return text;
}

static void check_calls(bool lines, const char *const names[4], const char *const places[4], const char *rays)
{
    struct scene scene = {.modules = 0};
    char *code = calling_code(lines);
    char text[256];
    uint32_t found = 0;
    const uint32_t module = add_module(&scene, "", code, WS_STAGE_RAYGEN, 1);
    const uint32_t shader = add_shader(&scene, module, WS_STAGE_RAYGEN, "main", NULL, 0);
    add_pipeline(&scene, WS_PIPELINE_RAY_TRACING, "path tracer", &shader, 1);
    end(&scene);
    const struct ws_module_record *record = &scene.catalog.modules[0];
    assert_int_equal(record->call_site_count, 5);
    for (uint32_t i = 1; i < 5; ++i) {
        ws_call_name(&scene.catalog, 0, record->call_sites[i].offset, text, sizeof(text));
        assert_string_equal(text, names[found]);
        ws_call_place(&scene.catalog, 0, record->call_sites[i].offset, text, sizeof(text));
        assert_string_equal(text, places[found++]);
    }
    ws_rays_name(&scene.catalog, 0, record->call_sites[2].offset, text, sizeof(text));
    assert_string_equal(text, rays);
    ws_catalog_finish(&scene.catalog);
    free(code);
}

static void calls_with_lines(void **state)
{
    static const char *const names[] = {"executeCallable at room.rgen:12", "traceRay at room.rgen:13",
                                        "1st traceRay at room.rgen:21", "2nd traceRay at room.rgen:21"};
    static const char *const places[] = {"room.rgen:12", "room.rgen:13", "1st traceRay at room.rgen:21",
                                         "2nd traceRay at room.rgen:21"};
    (void)state;
    check_calls(true, names, places, "rays traced at room.rgen:13 (room.rgen:main)");
}

static void calls_without_lines(void **state)
{
    static const char *const names[] = {"executeCallable", "1st traceRay", "2nd traceRay", "3rd traceRay"};
    (void)state;
    check_calls(false, names, names, "rays of the 1st traceRay of raygen:main, pipeline path tracer");
}

/* Of SPV_NV_shader_invocation_reorder and of the EXT of it the same instructions have the same word. */
static void words_of_hit_objects(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        uint32_t opcodes[4];
    } words[] = {
        {"hitObjectTraceRay", {SpvOpHitObjectTraceRayNV, WS_OP_HIT_OBJECT_TRACE_RAY_EXT}},
        {"hitObjectTraceRayMotion", {SpvOpHitObjectTraceRayMotionNV, WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT}},
        {"hitObjectExecuteShader", {SpvOpHitObjectExecuteShaderNV, WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT}},
        {"hitObjectReorderExecuteShader", {WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT}},
        {"hitObjectTraceReorderExecute", {WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT}},
        {"reorderThread",
         {SpvOpReorderThreadWithHitObjectNV, SpvOpReorderThreadWithHintNV,
          WS_OP_REORDER_THREAD_WITH_HIT_OBJECT_EXT, WS_OP_REORDER_THREAD_WITH_HINT_EXT}}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        for (size_t j = 0; j < 4 && words[i].opcodes[j] != 0; j++)
            assert_string_equal(ws_call_word(words[i].opcodes[j]), words[i].word);
    assert_null(ws_call_word(SpvOpHitObjectIsHitNV));
    assert_null(ws_call_word(WS_OP_HIT_OBJECT_RECORD_EMPTY_EXT));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(plain),
                                              cmocka_unit_test(stages_and_folders),
                                              cmocka_unit_test(specializations),
                                              cmocka_unit_test(stripped),
                                              cmocka_unit_test(all_differ),
                                              cmocka_unit_test(pipelines),
                                              cmocka_unit_test(calls_with_lines),
                                              cmocka_unit_test(calls_without_lines),
                                              cmocka_unit_test(words_of_hit_objects)};
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
