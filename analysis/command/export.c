/* warpscope export */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/command/command.h"
#include "analysis/export/accesses.h"
#include "analysis/export/bvh.h"
#include "analysis/export/image.h"
#include "analysis/export/rays.h"
#include "analysis/export/records.h"
#include "analysis/export/scene.h"
#include "analysis/export/timeline.h"
#include "analysis/image/texels.h"
#include "analysis/output/gltf.h"
#include "analysis/output/image_file.h"
#include "analysis/output/parquet.h"
#include "analysis/output/staging.h"
#include "analysis/output/write_failure.h"
#include "analysis/report/report.h"
#include "analysis/scene/bvh/hit_rates.h"
#include "warpscope/base/text.h"
#include "warpscope/output/wrap.h"

#define RAYS_USUAL 500 /* in glTF: more hide one another */

enum {
    OPTION_RAYS,
    OPTION_RAYS_FORMAT,
    OPTION_CANDIDATES,
    OPTION_ACCESSES,
    OPTION_RECORDS,
    OPTION_GEOMETRY,
    OPTION_GLTF,
    OPTION_HIT_RATES,
    OPTION_RATES_OF,
    OPTION_CACHES,
    OPTION_BVH,
    OPTION_IMAGE,
    OPTION_PERFETTO,
    OPTION_SLICES_MAX,
    OPTION_RAYS_MAX,
    OPTION_THREAD
};

static const char *const rays_formats[] = {"text", "csv", "jsonl", "parquet", NULL};

static const char *rays_format(const struct ws_option *option, size_t index)
{
    (void)option;
    return rays_formats[index];
}

static const char *const rates_sources[] = {"model", "accesses", NULL};

static const char *rates_of(const struct ws_option *option, size_t index)
{
    (void)option;
    return rates_sources[index];
}

static const struct ws_option export_options[] = {
    {.name = "rays",
     .argument = "OUT",
     .id = OPTION_RAYS,
     .help = "all rays that pass ray_events recorded; - is stdout",
     .kind = WS_ARGUMENT_FILE},
    {.name = "rays-format",
     .argument = "NAME",
     .id = OPTION_RAYS_FORMAT,
     .help = "text, csv, jsonl, parquet; else by how OUT ends",
     .kind = WS_ARGUMENT_CHOICE,
     .choice = rays_format},
    {.name = "candidates",
     .argument = "OUT",
     .id = OPTION_CANDIDATES,
     .help = "what these rays met: OUT.parquet, or a folder",
     .kind = WS_ARGUMENT_FILE},
    {.name = "accesses",
     .argument = "OUT",
     .id = OPTION_ACCESSES,
     .help = "accesses to memory, by lane: OUT.parquet, or a folder",
     .more = "Those that pass memory_trace recorded.",
     .kind = WS_ARGUMENT_FILE},
    {.name = "records",
     .argument = "OUT",
     .id = OPTION_RECORDS,
     .help = "records as they came: OUT.parquet, or a folder",
     .kind = WS_ARGUMENT_FILE},
    {.name = "geometry",
     .argument = "FOLDER",
     .id = OPTION_GEOMETRY,
     .help = "the input of acceleration structures, as OBJ files",
     .more = "An OBJ file for each different content of bottom-level structures, and a text file for each "
             "top-level one of the last launch.",
     .kind = WS_ARGUMENT_FOLDER},
    {.name = "gltf",
     .argument = "OUT",
     .id = OPTION_GLTF,
     .help = "the scene of one launch with its rays: OUT.glb",
     .more = "As glTF 2.0, with rays as lines: of the first launch with rays, else of the last. OUT.glb is "
             "binary, OUT.gltf is text and larger.",
     .kind = WS_ARGUMENT_FILE},
    {.name = "hit-rates",
     .argument = "OUT",
     .id = OPTION_HIT_RATES,
     .help = "geometry and trees, by hit rate in caches: OUT.glb",
     .more = "As glTF 2.0: triangles, AABBs and boxes of nodes, coloured by how often they are in the L1. "
             "OUT.gltf is text and larger.",
     .kind = WS_ARGUMENT_FILE},
    {.name = "rates-of",
     .argument = "NAME",
     .id = OPTION_RATES_OF,
     .help = "model: report bvh_model; accesses: by shaders",
     .more = "Of the model BVH, or of what the program's own shaders read of captured geometry, as report "
             "caches --by face and --by vertex tell it.",
     .kind = WS_ARGUMENT_CHOICE,
     .choice = rates_of},
    {.name = "caches",
     .argument = "DEVICE",
     .id = OPTION_CACHES,
     .help = "whose caches they are, or a file: as report has it",
     .kind = WS_ARGUMENT_CHOICE,
     .choice = ws_device_choice},
    {.name = "bvh",
     .argument = "KEY=VALUE",
     .id = OPTION_BVH,
     .help = "what the trees are like: as report has it"},
    {.name = "image",
     .argument = "OUT.png",
     .id = OPTION_IMAGE,
     .help = "the image that a launch made, as PNG; - is stdout",
     .more =
         "What the launch wrote, else what was presented at the end of its frame. Of the last launch that "
         "has one; --launch chooses another. Images are recorded with record --image.",
     .kind = WS_ARGUMENT_FILE},
    {.name = "perfetto",
     .argument = "OUT.json",
     .id = OPTION_PERFETTO,
     .help = "when launches and warps ran; - is stdout",
     .more =
         "For Perfetto, Speedscope and chrome://tracing: launches that pass time recorded, and warps of pass "
         "warp_time. --launch chooses launches.",
     .kind = WS_ARGUMENT_FILE},
    {.name = "slices-max",
     .argument = "N",
     .id = OPTION_SLICES_MAX,
     .help = "at most N shader runs in a timeline (200000)"},
    {.name = "rays-max",
     .argument = "N",
     .id = OPTION_RAYS_MAX,
     .help = "draw at most N rays in glTF (500)",
     .more = "These are all rays of some threads."},
    {.name = "thread",
     .argument = "X[,Y[,Z]]",
     .id = OPTION_THREAD,
     .help = "only the rays of this thread: its launch id or pixel",
     .more = "It can be a GlobalInvocationId, too. In glTF they are those of the first launch in which it "
             "traced."},
    {NULL},
};

static const char help_rays[] =
    "Files of export --rays\n\n"
    "As text: for each thread its events, joined by \",\" and a line end. Threads come\n"
    "by work id, events in the order of the thread's rays. Before the first event stand\n"
    "the thread's flat launch id (of a dispatch, global invocation id) and its warp. A\n"
    "fragment has its pixel and layer as x.y.z instead, and other stages their work id.\n"
    "From the second launch with rays on, each begins with a line \"# launch N\".\n"
    "\n"
    "  0:410:trace -0.199989 -0.500232 5.499992,\n"
    "  chit -6.022733 3.282307 -1.041899\n"
    "\n"
    "  trace                  a ray begins, at its origin\n"
    "  trace_skip_closest_hit the same of a ray with SkipClosestHitShader\n"
    "  query                  a ray query begins, at its origin\n"
    "  ahit                   an any-hit shader ran, at the hit\n"
    "  ignore, terminate      how it ended, where it did not accept; at the same place\n"
    "  intersection           reportIntersection, at the t that was reported\n"
    "  candidate, confirm     a ray query met something; the shader took it\n"
    "  chit, query_hit        the ray ended at a hit\n"
    "  miss, query_miss       the ray ended without a hit, at tmax\n"
    "  implicit_hit           the ray hit, but SkipClosestHitShader left out the shader; at\n"
    "                         the last accepted hit\n"
    "  no_shader              the ray ended where the binding table has no shader; at the\n"
    "                         last accepted hit\n"
    "  unknown                the end of the ray was not recorded\n"
    "\n"
    "A place is origin + t * direction; nan nan nan where t is not known.\n"
    "\n"
    "As csv, jsonl or parquet: one row or object for each ray. Floats read back as the same\n"
    "bits; JSON has null for those that are not finite. A value that does not exist is\n"
    "empty, or null. Parquet has frame and pipeline first (`warpscope help columns`).\n";

static const char help_columns[] =
    "Columns of export --accesses, --records, --candidates and --rays\n\n"
    "Parquet files, which DuckDB, Spark, pandas and others read; examples/queries has\n"
    "queries in SQL. OUT.parquet is one file, whose first columns are frame and pipeline\n"
    "(its id in the capture; null where it is not known which of several ran a shader).\n"
    "\n"
    "A folder (OUT/, or one that is there and empty) has a file for each frame and pipeline,\n"
    "as Hive has partitions: who asks for some frames or pipelines reads no others.\n"
    "\n"
    "  OUT/frame=3/pipeline=2/part-0.parquet\n"
    "\n"
    "  read_parquet('OUT/**/*.parquet', hive_partitioning = true)    DuckDB\n"
    "  spark.read.parquet('OUT')                                     Spark\n"
    "\n"
    "Texts are dictionaries, pages are packed by zstd, row groups have 65536 rows, with the\n"
    "smallest and largest value of each column. The footer says of each column what it\n"
    "means, and which program was recorded: parquet_kv_metadata('OUT.parquet').\n"
    "Lengths are in bytes, positions in words of the stream.\n";

static const char help_accesses[] =
    "Columns of export --accesses\n\n"
    "A row for each lane of each request of buffers and device addresses. A request is one\n"
    "execution of one load, store or atomic by a warp, as `report caches` counts them. Its\n"
    "sectors are the distinct pieces of 32 bytes that its lanes touch, its lines those of 128.\n"
    "Behind frame and pipeline:\n"
    "\n";

static const char help_records[] =
    "Columns of export --records\n\n"
    "A row for each site that a record is of, in the order of the stream: one record may be\n"
    "of several passes, and of several places that the same lanes come through. Count distinct\n"
    "positions to count records. A block of a pass is executed once for each of its rows. Behind\n"
    "frame and pipeline:\n"
    "\n";

static const char help_geometry[] =
    "Files of export --geometry\n\n"
    "blas_CONTENT.obj has one group for each geometry, with its transform\n"
    "applied; AABBs are boxes. tlas_ID.txt has one instance in each line:\n"
    "\n"
    "  instance 0 custom_index 5 mask 0xff sbt_offset 0 flags 0x1 structure 3 obj blas_1.obj\n"
    "  transform 1 0 0 10 0 1 0 0 0 0 1 0\n"
    "\n"
    "The transform is object to world, three rows of four. Structure and obj are - where\n"
    "the instance refers to nothing known. What is not finite is left out; a comment in\n"
    "the file says so.\n";

static const char help_gltf[] =
    "Files of export --gltf\n\n"
    "Of several top-level structures, those are drawn that the rays flew through: by\n"
    "their descriptors, their addresses, or else their hits; all of them where nothing\n"
    "tells. Instances of one structure share its meshes, but an instance\n"
    "whose transform is more than translation, rotation and scale has a mesh of its own.\n"
    "\n"
    "Rays are rays_hit, rays_miss, rays_shadow (with SkipClosestHitShader) and\n"
    "rays_unknown, each with a colour for each depth. A ray without a hit ends a little\n"
    "behind the scene. Where there are more than N rays, all rays of some threads are\n"
    "drawn, and these threads are spread over the whole launch. Up to 256 rays are a node\n"
    "each, with all that is known of them as extras, thick, and with a mark at their hit.\n"
    "More are lines; their vertices have the attributes _THREAD (x, y, z) and _RAY (its\n"
    "number in the thread, its depth, t at its end, or -1).\n"
    "\n"
    "Viewers open with the first camera. \"primary rays\" sees what the launch shows, if\n"
    "its rays are those of a perspective or orthographic camera; \"all\" sees the whole\n"
    "scene. With few rays, \"rays\" sees them from the side. Geometry that rays hit from one\n"
    "side is not seen from the other: so walls do not hide what is inside. Geometry that no\n"
    "ray hit lets what is behind it shine through, as AABBs do.\n";

static const char help_hit_rates[] =
    "Files of export --hit-rates\n\n"
    "They are of the model that `report bvh_model` has, in the world: for each instance its\n"
    "triangles, AABBs and the boxes of the nodes that rays visited, and the top levels. With\n"
    "--rates-of accesses they have the triangles and AABBs alone, by what the program's own\n"
    "shaders read of them: indices and vertices.\n"
    "\n"
    "Colours go from L1 hit rate 0 (dark blue) through 50 % (magenta) to 100 % (yellow);\n"
    "what no ray visited is grey. The attribute _RATES of each vertex has L1 hit rate, L2 hit rate and "
    "visits, as `report bvh_model --by element` tells them, or\n"
    "requests.\n";

static const char help_perfetto[] =
    "Files of export --perfetto\n\n"
    "JSON of the Trace Event Format: open it at ui.perfetto.dev, with chrome://tracing or\n"
    "with Speedscope. Each queue has a track of its launches, named by their debug labels or\n"
    "pipelines, and tracks of submissions and frames. Each launch with warps has a counter of\n"
    "warps in flight and a track for each slot: warps, and within them the shaders that they\n"
    "call, as pass warp_time recorded them; a slice's categories say which warp and how many\n"
    "lanes.\n"
    "\n"
    "No device says where a warp runs: each is in the first slot that is free when it begins.\n"
    "A launch that has a time has its warps spread over that, from the first begin to the\n"
    "last end. Without pass time a tick of the shader clock is drawn as a nanosecond. Where\n"
    "there are more than N warps and shaders, the first N in time are drawn.\n";

struct request {
    const char *path;
    struct ws_timeline_export timeline;
    bool has_slices_max;
    struct ws_rays_export rays; /* path NULL = not wanted */
    struct ws_rays_export candidates;
    struct ws_data_set_export accesses;
    struct ws_data_set_export records;
    const char *rates_of; /* NULL = the model */
    bool has_rays_format;
    bool has_rays_max;
    struct ws_scene_export scene;
    struct ws_bvh_export bvh;
    struct ws_image_export image;
    struct ws_analysis_options options;
    struct ws_limits limits;
    struct ws_selection selection;
    const char *named;         /* what is being written, as the user named it */
    struct ws_staging staging; /* where it is written first */
    int read;                  /* ws_reading_status of all readings so far */
};

/* Says what went wrong, with the name that the user gave in place of where the file was written. */
static void say_failure(const struct request *request, const struct ws_error *error)
{
    struct ws_error named = *error;
    ws_staging_name(&request->staging, request->named, &named);
    ws_say_unread(&named);
}

/* Puts what was written where it belongs. */
static bool settle(struct request *request, const struct ws_report *report)
{
    struct ws_error error = {{0}};
    const int read = ws_reading_status(report);
    if (request->read == WS_EXIT_GOOD || read == WS_EXIT_FAILED)
        request->read = read;
    const bool kept = ws_staging_keep(&request->staging, read == WS_EXIT_GOOD, &error);
    if (!kept)
        ws_say("%s", error.message);
    return kept;
}

static bool take_rays_format(struct request *request, const char *name)
{
    for (size_t i = 0; rays_formats[i] != NULL; ++i)
        if (strcmp(name, rays_formats[i]) == 0) {
            request->rays.format = (enum ws_rays_format)i;
            request->has_rays_format = true;
            return true;
        }
    return false;
}

/* What was written of rays. */
static void say_rays(const struct request *request, const struct ws_rays_export *rays)
{
    if (rays->rays == 0)
        ws_say("'%s' has no rays of what was chosen: nothing was exported", request->path);
    else if (rays->candidates)
        ws_say("%" PRIu64 " candidate%s of %" PRIu64 " ray%s are in '%s'", rays->rows,
               ws_plural(rays->rows, "s"), rays->rays, ws_plural(rays->rays, "s"), request->named);
    else if (strcmp(request->named, "-") != 0)
        ws_say("%" PRIu64 " ray%s of %" PRIu64 " thread%s are in '%s'", rays->rays,
               rays->rays == 1 ? "" : "s", rays->threads, rays->threads == 1 ? "" : "s", request->named);
}

static int export_ray_table(struct request *request, struct ws_rays_export *rays)
{
    struct ws_report report;
    struct ws_error error = {{0}};
    struct ws_report_request needed = {.analysis = &ws_analysis_rays_export, .options = request->options};
    needed.options.user = rays;
    const bool read = ws_read_capture(&report, request->path, &needed, &request->limits, &error);
    if (rays->failure != 0)
        ws_say("cannot write '%s': %s", request->named, ws_write_failure(rays->failure));
    else if (rays->error.message[0] != '\0')
        say_failure(request, &rays->error);
    else if (!read)
        say_failure(request, &error);
    if (!read)
        return WS_EXIT_FAILED;
    const bool noted = ws_report_notes(&report, stderr);
    const bool kept = settle(request, &report);
    ws_report_finish(&report);
    if (kept)
        say_rays(request, rays);
    return noted && kept ? WS_EXIT_GOOD : WS_EXIT_FAILED;
}

static int export_rays(struct request *request)
{
    struct ws_rays_export *rays = &request->rays;
    if (!request->has_rays_format)
        rays->format = ws_text_ends_with(rays->path, ".csv")     ? WS_RAYS_CSV
                       : ws_text_ends_with(rays->path, ".jsonl") ? WS_RAYS_JSONL
                       : ws_data_set_is_path(rays->path)         ? WS_RAYS_PARQUET
                                                                 : WS_RAYS_TEXT;
    return export_ray_table(request, rays);
}

static int export_candidates(struct request *request)
{
    request->candidates.format = WS_RAYS_PARQUET;
    request->candidates.candidates = true;
    return export_ray_table(request, &request->candidates);
}

/* Writes a table, `names` of which are its rows: "accesses". */
static int export_table(struct request *request, const struct ws_analysis *kind,
                        struct ws_data_set_export *table, const char *names)
{
    struct ws_report report;
    struct ws_error error = {{0}};
    struct ws_report_request needed = {.analysis = kind, .options = request->options};
    needed.options.user = table;
    const bool read = ws_read_capture(&report, request->path, &needed, &request->limits, &error);
    if (table->failure.message[0] != '\0')
        say_failure(request, &table->failure);
    else if (!read)
        say_failure(request, &error);
    if (!read)
        return WS_EXIT_FAILED;
    const bool noted = ws_report_notes(&report, stderr);
    const bool kept = settle(request, &report);
    ws_report_finish(&report);
    if (!kept)
        return WS_EXIT_FAILED;
    if (table->rows == 0)
        ws_say("'%s' has no %s of what was chosen", request->path, names);
    else
        ws_say("%" PRIu64 " rows of %s are in '%s', in %" PRIu64 " file%s", table->rows, names,
               request->named, table->files, ws_plural(table->files, "s"));
    return noted ? WS_EXIT_GOOD : WS_EXIT_FAILED;
}

static int export_accesses(struct request *request)
{
    return export_table(request, &ws_analysis_accesses_export, &request->accesses, "accesses");
}

static int export_records(struct request *request)
{
    return export_table(request, &ws_analysis_records_export, &request->records, "records");
}

/* Reads the capture for a kind; `user` is its own. `make` writes the file; NULL = it is written when the reading ends. */
static bool export_by(struct request *request, const struct ws_analysis *kind, void *user,
                      bool (*make)(struct request *request, struct ws_error *error))
{
    struct ws_report report;
    struct ws_error error = {{0}};
    struct ws_report_request needed = {.analysis = kind, .options = request->options};
    needed.options.user = user;
    if (!ws_read_capture(&report, request->path, &needed, &request->limits, &error)) {
        say_failure(request, &error);
        return false;
    }
    const bool noted = ws_report_notes(&report, stderr);
    const bool made = make == NULL || make(request, &error);
    if (!made)
        say_failure(request, &error);
    const bool kept = made && settle(request, &report);
    ws_report_finish(&report);
    return noted && kept;
}

static int export_geometry(struct request *request)
{
    const struct ws_geometry_export *geometry = &request->scene.geometry;
    if (!export_by(request, &ws_analysis_geometry_export, &request->scene, NULL))
        return WS_EXIT_FAILED;
    ws_say("%" PRIu32 " OBJ file%s of bottom-level contents and %" PRIu32
           " text file%s of top-level structures are in '%s'",
           geometry->objs, geometry->objs == 1 ? "" : "s", geometry->tops, geometry->tops == 1 ? "" : "s",
           geometry->folder);
    if (geometry->left_out > 0)
        ws_say("left out: %" PRIu64 " primitive%s or instance%s; comments in the files say where",
               geometry->left_out, ws_plural(geometry->left_out, "s"), ws_plural(geometry->left_out, "s"));
    return WS_EXIT_GOOD;
}

/* Which of several top-level structures are drawn, and why. */
static void say_tops(const struct ws_gltf_export *gltf)
{
    if (gltf->tops < gltf->live)
        ws_say("of %" PRIu32 " top-level structures only %" PRIu32 " %s drawn, where rays flew", gltf->live,
               gltf->tops, gltf->tops == 1 ? "is" : "are");
    if (gltf->live > 1 && gltf->unplaced > 0)
        ws_say("through which top-level structure %" PRIu64 " of the rays flew is not known%s",
               gltf->unplaced, gltf->tops < gltf->live ? "" : ": all are drawn");
}

/* What was written of a scene. */
static void say_gltf(const struct request *request)
{
    const struct ws_gltf_export *gltf = &request->scene.gltf;
    const struct ws_gltf_rays *rays = &request->scene.rays;
    const uint64_t left_out = gltf->left_out + rays->left_out;
    ws_say("%" PRIu64 " instance%s and %" PRIu32 " ray%s of launch %" PRIu64 " are in '%s'", gltf->instances,
           gltf->instances == 1 ? "" : "s", rays->count, rays->count == 1 ? "" : "s", gltf->launch,
           request->named);
    if (rays->beyond > 0 && rays->most > 0)
        ws_say("ONLY %" PRIu32 " OF %" PRIu64
               " RAYS are in it, spread over all threads: --rays-max N takes more",
               rays->count, rays->count + rays->beyond + rays->left_out);
    if (gltf->instances == 0 && rays->count == 0)
        ws_say("the scene is empty: '%s' has neither geometry nor rays of what was chosen", request->path);
    else
        ws_say("it opens with %s", gltf->near       ? "the rays in view"
                                   : gltf->has_view ? "the view of the primary rays"
                                                    : "all in view: no camera fits the primary rays");
    say_tops(gltf);
    if (left_out > 0)
        ws_say("left out as not finite or not known: %" PRIu64 " primitives, instances or rays", left_out);
}

static int export_gltf(struct request *request)
{
    const bool written = export_by(request, &ws_analysis_gltf_export, &request->scene, NULL);
    if (written)
        say_gltf(request);
    ws_gltf_rays_finish(&request->scene.rays);
    return written ? WS_EXIT_GOOD : WS_EXIT_FAILED;
}

/* The last launch of those that were chosen. */
static uint64_t last_launch(const struct request *request, const struct ws_report *report, uint64_t last)
{
    while (last > 0 && (ws_catalog_launch(&report->catalog, last) == NULL ||
                        !ws_selection_has_launch(&request->selection, last)))
        last--;
    return last;
}

static bool export_access_rates(struct request *request)
{
    struct ws_report report;
    struct ws_error error = {{0}};
    struct ws_report_request needed = {.analysis = &ws_analysis_face_accesses, .options = request->options};
    if (!ws_read_capture(&report, request->path, &needed, &request->limits, &error)) {
        ws_say_unread(&error);
        return false;
    }
    const void *results = ws_report_results(&report, &ws_analysis_face_accesses);
    struct ws_scene *scene = results != NULL ? ws_scene_create(request->path, &error) : NULL;
    const bool written =
        scene != NULL && ws_access_rates_write(&request->bvh, &report.catalog, scene, results,
                                               last_launch(request, &report, scene->last), &error);
    if (!written && error.message[0] != '\0')
        say_failure(request, &error);
    else if (!written)
        ws_say("the capture has no accesses to memory: record them with -p memory_trace");
    const bool noted = ws_report_notes(&report, stderr);
    const bool kept = written && settle(request, &report);
    ws_scene_destroy(scene);
    ws_report_finish(&report);
    return kept && noted;
}

static int export_bvh(struct request *request)
{
    const struct ws_bvh_export *bvh = &request->bvh;
    if (request->rates_of != NULL && strcmp(request->rates_of, "accesses") == 0) {
        if (!export_access_rates(request))
            return WS_EXIT_FAILED;
        ws_say("%" PRIu64 " instance%s with %" PRIu64 " triangle%s and %" PRIu64
               " AABBs are in '%s'; shaders read of %" PRIu64 " of them",
               bvh->instances, ws_plural(bvh->instances, "s"), bvh->triangles, ws_plural(bvh->triangles, "s"),
               bvh->boxes, request->named, bvh->visited);
        return WS_EXIT_GOOD;
    }
    if (!export_by(request, &ws_analysis_bvh_export, &request->bvh, NULL))
        return WS_EXIT_FAILED;
    ws_say("%" PRIu64 " instance%s with %" PRIu64 " triangle%s, %" PRIu64 " AABB%s and %" PRIu64
           " boxes of nodes are in '%s'; rays visited %" PRIu64 " element%s",
           bvh->instances, ws_plural(bvh->instances, "s"), bvh->triangles, ws_plural(bvh->triangles, "s"),
           bvh->boxes, ws_plural(bvh->boxes, "s"), bvh->nodes, request->named, bvh->visited,
           ws_plural(bvh->visited, "s"));
    if (bvh->others > 0)
        ws_say("%" PRIu32 " earlier top-level build%s not drawn: --launch chooses a launch", bvh->others,
               bvh->others == 1 ? " is" : "s are");
    return WS_EXIT_GOOD;
}

static bool make_image(struct request *request, struct ws_error *error)
{
    return ws_image_export_write(&request->image, request->path, error);
}

static int export_image(struct request *request)
{
    const struct ws_chunk_image *image = &request->image.image;
    if (!export_by(request, &ws_analysis_image_export, &request->image, make_image))
        return WS_EXIT_FAILED;
    const char *place = request->named;
    if (strcmp(place, "-") == 0)
        return WS_EXIT_GOOD;
    if (image->source == WS_IMAGE_PRESENTED)
        ws_say("the image that was presented after launch %" PRIu64 " (%" PRIu32 " x %" PRIu32
               ", %s) is in '%s'",
               request->image.launch, image->width, image->height, ws_texels_format_name(image->format),
               place);
    else
        ws_say("the image of launch %" PRIu64 " (%" PRIu32 " x %" PRIu32 ", %s, set %" PRIu32
               ", binding %" PRIu32 ") is in '%s'",
               request->image.launch, image->width, image->height, ws_texels_format_name(image->format),
               image->set, image->binding, place);
    if (image->others > 0 && image->source == WS_IMAGE_PRESENTED)
        ws_say("%" PRIu32 " further swapchain%s presented with it", image->others,
               image->others == 1 ? " was" : "s were");
    else if (image->others > 0)
        ws_say("the launch can write %" PRIu32 " further image%s of this size", image->others,
               image->others == 1 ? "" : "s");
    return WS_EXIT_GOOD;
}

static int export_timeline(struct request *request)
{
    struct ws_timeline_export *timeline = &request->timeline;
    if (!export_by(request, &ws_analysis_timeline_export, timeline, NULL))
        return WS_EXIT_FAILED;
    if (strcmp(request->named, "-") != 0)
        ws_say("%" PRIu64 " launch%s and %" PRIu64 " execution%s of shaders by warps are in '%s'",
               timeline->launches, ws_plural(timeline->launches, "es"), timeline->warps,
               ws_plural(timeline->warps, "s"), request->named);
    if (timeline->left_out > 0)
        ws_say("ONLY %" PRIu64 " OF %" PRIu64 " EXECUTIONS are in it, the first in time: --slices-max N "
               "takes more, --launch N chooses a launch",
               timeline->warps, timeline->warps + timeline->left_out);
    if (timeline->untimed > 0)
        ws_say("%" PRIu64 " launch%s no time: record -p time,warp_time takes it", timeline->untimed,
               timeline->untimed == 1 ? " has" : "es have");
    if (timeline->ticks)
        ws_say("ticks of the shader clock are drawn as nanoseconds");
    if (timeline->of_subgroup)
        ws_say("warps are not drawn: the device has a clock for each subgroup only");
    return WS_EXIT_GOOD;
}

/* What can be exported: the option that names its file or folder is given, and then it is done. */
struct target {
    const char *option;
    const char **(*path)(struct request *request); /* where its path is; NULL there = it was not asked for */
    int (*run)(struct request *request);
    const struct ws_file_kind
        *kinds[WS_OUTPUT_KINDS]; /* of its files, which it may replace; none: it writes into a folder */
};

static const char **rays_path(struct request *request)
{
    return &request->rays.path;
}

static const char **candidates_path(struct request *request)
{
    return &request->candidates.path;
}

static const char **accesses_path(struct request *request)
{
    return &request->accesses.path;
}

static const char **records_path(struct request *request)
{
    return &request->records.path;
}

static const char **geometry_path(struct request *request)
{
    return &request->scene.geometry.folder;
}

static const char **gltf_path(struct request *request)
{
    return &request->scene.gltf.path;
}

static const char **bvh_path(struct request *request)
{
    return &request->bvh.path;
}

static const char **image_path(struct request *request)
{
    return &request->image.path;
}

static const char **timeline_path(struct request *request)
{
    return &request->timeline.path;
}

/* Programs know glTF by how its files end. */
static bool check_gltf_path(const char *option, const char *path, struct ws_error *error)
{
    return path == NULL || ws_text_ends_with(path, ".glb") || ws_text_ends_with(path, ".gltf") ||
           ws_error_set(error, "%s takes a name that ends in .gltf or .glb, not '%s'", option, path);
}

static bool check_gltf(const struct request *request, struct ws_error *error)
{
    if (request->scene.gltf.path == NULL && request->has_rays_max)
        return ws_error_set(error, "--rays-max needs --gltf OUT");
    if (request->bvh.path == NULL &&
        (request->rates_of != NULL || request->options.caches != NULL || request->options.bvh != NULL))
        return ws_error_set(error, "--rates-of, --caches and --bvh need --hit-rates OUT");
    if (request->bvh.path != NULL && request->options.has_thread)
        return ws_error_set(error,
                            "--hit-rates takes no --thread: that is for --rays, --accesses and --gltf");
    return check_gltf_path("--gltf", request->scene.gltf.path, error) &&
           check_gltf_path("--hit-rates", request->bvh.path, error);
}

/* Parquet has its footer last, and a program that reads one looks for that first: it cannot go through a pipe. */
static bool check_tables(const struct request *request, struct ws_error *error)
{
    const struct {
        const char *option;
        const char *path;
    } tables[] = {{"--candidates", request->candidates.path},
                  {"--accesses", request->accesses.path},
                  {"--records", request->records.path},
                  {"--rays-format parquet with --rays",
                   request->rays.format == WS_RAYS_PARQUET ? request->rays.path : NULL}};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); ++i)
        if (tables[i].path != NULL && !ws_data_set_is_path(tables[i].path))
            return ws_error_set(error, "%s takes a name that ends in .parquet, or a folder: '%s/'",
                                tables[i].option,
                                strcmp(tables[i].path, "-") == 0 ? "FOLDER" : tables[i].path);
    return true;
}

static const struct target targets[] = {
    {"--rays", rays_path, export_rays, {&ws_rays_kind, &ws_parquet_kind}},
    {"--candidates", candidates_path, export_candidates, {&ws_parquet_kind}},
    {"--accesses", accesses_path, export_accesses, {&ws_parquet_kind}},
    {"--records", records_path, export_records, {&ws_parquet_kind}},
    {"--geometry", geometry_path, export_geometry, {NULL}},
    {"--gltf", gltf_path, export_gltf, {&ws_gltf_kind}},
    {"--hit-rates", bvh_path, export_bvh, {&ws_gltf_kind}},
    {"--image", image_path, export_image, {&ws_image_file_kind}},
    {"--perfetto", timeline_path, export_timeline, {&ws_timeline_kind}}};

/* Whether files are written into a folder: then none of another export is replaced, or their names are only ours. */
static bool is_folder(const struct target *target, const char *path)
{
    struct stat status;
    return target->kinds[0] == NULL || ws_text_ends_with(path, "/") ||
           (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

/* Writes what one option asked for. */
static int export_target(struct request *request, const struct target *target)
{
    struct ws_error error = {{0}};
    const char **path = target->path(request);
    request->named = *path;
    request->staging.folder[0] = '\0';
    if (!is_folder(target, *path)) {
        if (!ws_staging_begin(&request->staging, *path, &error)) {
            ws_say("%s", error.message);
            return WS_EXIT_FAILED;
        }
        *path = request->staging.path;
    }
    const int status = target->run(request);
    ws_staging_drop(&request->staging);
    *path = request->named;
    return status;
}

static uint32_t count_to_stdout(struct request *request)
{
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); ++i) {
        const char *path = *targets[i].path(request);
        count += path != NULL && strcmp(path, "-") == 0;
    }
    return count;
}

/* No file is written twice: the second would replace the first. What several write into a folder has names of its own. */
static bool check_twice(struct request *request, struct ws_error *error)
{
    const size_t count = sizeof(targets) / sizeof(targets[0]);
    for (size_t i = 0; i < count; ++i)
        for (size_t j = i + 1; j < count; ++j) {
            const char *first = *targets[i].path(request);
            const char *second = *targets[j].path(request);
            if (first != NULL && second != NULL && ws_output_is(first, second) &&
                !is_folder(&targets[i], first))
                return ws_error_set(error, "%s and %s would both write '%s': name two files",
                                    targets[i].option, targets[j].option, first);
        }
    return true;
}

static int export_targets(struct request *request)
{
    struct ws_error error = {{0}};
    int status = WS_EXIT_GOOD;
    bool any = false;
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); ++i) {
        const char *path = *targets[i].path(request);
        any = any || path != NULL;
        if (path != NULL && strcmp(path, "-") != 0 &&
            !ws_output_check(path, targets[i].option, targets[i].kinds, &error))
            return ws_usage_error("export", "%s", error.message);
    }
    if (!any)
        return ws_usage_error("export", "what to export is missing: --rays OUT, --candidates OUT, --accesses "
                                        "OUT, --records OUT, --geometry FOLDER, "
                                        "--gltf OUT, --hit-rates OUT, --image OUT or --perfetto OUT");
    if (request->records.path != NULL && request->options.has_thread)
        return ws_usage_error("export",
                              "--records takes no --thread: that is for --rays, --accesses and --gltf");
    if (request->timeline.path == NULL && request->has_slices_max)
        return ws_usage_error("export", "--slices-max needs --perfetto OUT");
    if (request->timeline.path != NULL && request->options.has_thread)
        return ws_usage_error("export",
                              "--perfetto takes no --thread: that is for --rays, --accesses and --gltf");
    if (request->image.path != NULL && request->options.has_thread)
        return ws_usage_error("export", "--image takes no --thread: that is for --rays and --gltf");
    if (request->scene.geometry.folder != NULL && strcmp(request->scene.geometry.folder, "-") == 0)
        return ws_usage_error("export", "--geometry takes a folder: its files cannot go to standard output");
    if (count_to_stdout(request) > 1)
        return ws_usage_error("export", "only one file can go to standard output");
    if (request->scene.geometry.folder != NULL && request->options.has_thread)
        return ws_usage_error("export", "--geometry takes no --thread: that is for --rays and --gltf");
    if (request->scene.geometry.folder != NULL &&
        !ws_analysis_heeds(&ws_analysis_geometry_export, &request->selection, &error))
        return ws_usage_error("export", "%s", error.message);
    if (!check_twice(request, &error) || !check_gltf(request, &error) || !check_tables(request, &error))
        return ws_usage_error("export", "%s", error.message);
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]) && status == WS_EXIT_GOOD; ++i)
        if (*targets[i].path(request) != NULL)
            status = export_target(request, &targets[i]);
    return status == WS_EXIT_GOOD ? request->read : status;
}

static bool take_option(void *export_request, const struct ws_option *option, const char *value,
                        struct ws_error *error)
{
    struct request *request = export_request;
    switch (option->id) {
    case OPTION_RAYS: request->rays.path = value; return true;
    case OPTION_CANDIDATES: request->candidates.path = value; return true;
    case OPTION_ACCESSES: request->accesses.path = value; return true;
    case OPTION_RECORDS: request->records.path = value; return true;
    case OPTION_GEOMETRY: request->scene.geometry.folder = value; return true;
    case OPTION_GLTF: request->scene.gltf.path = value; return true;
    case OPTION_HIT_RATES: request->bvh.path = value; return true;
    case OPTION_CACHES: return ws_take_caches(&request->options, value, error);
    case OPTION_BVH: return ws_take_bvh(&request->options, value, error);
    case OPTION_RATES_OF:
        request->rates_of = value;
        return strcmp(value, "model") == 0 || strcmp(value, "accesses") == 0 ||
               ws_error_set(error, "--rates-of takes model or accesses, not '%s'", value);
    case OPTION_IMAGE: request->image.path = value; return true;
    case OPTION_PERFETTO: request->timeline.path = value; return true;
    case OPTION_SLICES_MAX:
        request->has_slices_max = true;
        return ws_parse_number("--slices-max", value, &request->timeline.most, error);
    case OPTION_RAYS_MAX:
        request->has_rays_max = true;
        return ws_parse_number("--rays-max", value, &request->scene.rays.most, error);
    case OPTION_RAYS_FORMAT:
        return take_rays_format(request, value) ||
               ws_error_set(error, "--rays-format takes text, csv, jsonl or parquet, not '%s'", value);
    default: /* OPTION_THREAD */ return ws_take_thread(&request->options, value, error);
    }
}

/* A text, and behind it the table of what each field means. */
static void print_fields(const char *text, void (*print)(FILE *stream), size_t width, FILE *stream)
{
    char *fields = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&fields, &size);
    ws_wrap_text(text, width, stream);
    if (memory == NULL)
        return;
    print(memory);
    if (fclose(memory) == 0)
        ws_wrap_text(fields, width, stream);
    free(fields);
}

static void print_rays(size_t width, FILE *stream)
{
    print_fields(help_rays, ws_rays_export_help, width, stream);
}

static void print_columns(size_t width, FILE *stream)
{
    ws_wrap_text(help_columns, width, stream);
}

static void print_accesses(size_t width, FILE *stream)
{
    print_fields(help_accesses, ws_accesses_export_help, width, stream);
}

static void print_records(size_t width, FILE *stream)
{
    print_fields(help_records, ws_records_export_help, width, stream);
}

static void print_geometry(size_t width, FILE *stream)
{
    ws_wrap_text(help_geometry, width, stream);
}

static void print_gltf(size_t width, FILE *stream)
{
    ws_wrap_text(help_gltf, width, stream);
}

static void print_hit_rates(size_t width, FILE *stream)
{
    ws_wrap_text(help_hit_rates, width, stream);
}

static void print_perfetto(size_t width, FILE *stream)
{
    ws_wrap_text(help_perfetto, width, stream);
}

static const struct ws_chapter topics[] = {
    {"rays", print_rays},           {"columns", print_columns},   {"accesses", print_accesses},
    {"records", print_records},     {"geometry", print_geometry}, {"gltf", print_gltf},
    {"hit-rates", print_hit_rates}, {"perfetto", print_perfetto}, {NULL}};

static void print_topics(size_t width, FILE *stream)
{
    ws_wrap_text("What is in these files: `warpscope help WORD` of rays, columns, accesses, records, "
                 "geometry, gltf, hit-rates and perfetto.",
                 width, stream);
}

static int run(int argument_count, char **arguments)
{
    struct request request = {.scene.rays.most = RAYS_USUAL, .timeline.most = WS_TIMELINE_USUAL};
    int status = WS_EXIT_USAGE;
    char **operands = ws_options_take(&ws_command_export, argument_count, arguments, &request, &status);
    if (operands == NULL)
        return status;
    request.path = operands[0];
    request.options.selection = &request.selection;
    return export_targets(&request);
}

const struct ws_command ws_command_export = {
    .name = "export",
    .summary = "write rays, accesses, geometry, images and timelines into files for other programs: CSV, "
               "Parquet, OBJ, glTF, PNG, Perfetto",
    .usage = "FILE [--rays OUT] [--accesses OUT] [--records OUT] [--geometry FOLDER] [--gltf OUT] "
             "[--hit-rates OUT] [--image "
             "OUT.png] [--perfetto OUT.json] [OPTIONS]",
    .about = "Writes files for other programs. " WS_OUTPUTS_HELP,
    .tables = {{.rows = export_options, .take = take_option},
               {.rows = ws_limit_options, .take = ws_take_limit, .offset = offsetof(struct request, limits)},
               {.rows = ws_selection_options,
                .take = ws_take_selection,
                .offset = offsetof(struct request, selection)}},
    .operands = {{.name = "FILE", .missing = "the capture to export", .kind = WS_ARGUMENT_CAPTURE}},
    .topics = topics,
    .print_more = print_topics,
    .examples = "  warpscope record -p ray_events -o run.wscope -- ./path_tracer\n"
                "  warpscope export run.wscope --rays - --rays-format jsonl | jq .depth\n"
                "  warpscope export run.wscope --rays rays.parquet --candidates met.parquet\n"
                "  warpscope export trace.wscope --accesses accesses/   # of pass memory_trace\n"
                "  warpscope export run.wscope --gltf run.glb   # Blender, three.js, f3d\n"
                "  warpscope export run.wscope --gltf pixel.glb --launch 3 --thread 64,64\n"
                "  warpscope export run.wscope --image picture.png   # of record --image\n"
                "  warpscope export run.wscope --perfetto run.json   # -p time,warp_time\n",
    .status = WS_EXIT_READING_HELP,
    .run = run,
};
