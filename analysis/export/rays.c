#include "analysis/export/rays.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/export/data_set.h"
#include "analysis/export/fields.h"
#include "analysis/rays/ray_trees.h"
#include "warpscope/model/names.h"
#include "warpscope/report/sought.h"

/* An event with the three numbers of its place, which may be nan or infinite. */
#define FIRST_EVENT(name) "[0-9]*:[0-9]*:" name " [-0-9ni]* [-0-9ni]* [-0-9ni]*\n"

/* None of these formats has a place for what wrote the file, so its beginning must be no one else's. */
const struct ws_file_kind ws_rays_kind = {FIRST_EVENT("trace") FIRST_EVENT("trace_skip_closest_hit")
                                              FIRST_EVENT("query")
                                          /* CSV and JSON, by the first fields */
                                          "launch,thread_x,thread_y,thread_z,warp,lane,*\n"
                                          "{\"launch\":[0-9]*,\"thread_x\":[0-9]*,\"thread_y\":*",
                                          NULL};

/* FIELDS of CSV, JSON Lines and Parquet */

/* When a field has a value. */
enum known {
    ALWAYS,
    OF_PARENT,     /* the ray has a parent */
    OF_SOURCE,     /* the call site has a source line */
    OF_PIPELINE,   /* traceRay, no query */
    OF_TIME,       /* a ray with motion */
    OF_HIT,        /* the hit is known */
    OF_TRIANGLE,   /* and is of a triangle */
    OF_HIT_SHADER, /* a closest hit or miss shader ran */
    OF_STRUCTURE,  /* it is said through which structure it flew */
    OF_DISTANCE,   /* of a candidate: its t is known */
};

/* What the fields of a hit are read from. */
struct hit {
    struct ws_ray_hit hit;
    float barycentrics[2];
};

/* What the fields of a ray are read from. */
struct row {
    uint32_t known; /* set of enum known */
    uint64_t launch;
    uint32_t place[3]; /* of the thread */
    uint32_t number;
    uint64_t shader;
    const char *shader_name;
    const char *file;
    uint32_t line;
    struct ws_ray ray;
    const char *structure_by;
    const char *end;
    float position[3]; /* of the hit */
    struct hit hit;
    uint64_t hit_shader;
    const char *hit_shader_name;
    bool truncated;
    const struct ws_catalog *catalog;
    const struct ws_ray_candidate *candidates; /* of the ray: ray.candidate_count */
};

/* What the fields of a candidate are read from. Those before `kind` are of the table of candidates alone. */
struct candidate_row {
    uint32_t known; /* set of enum known */
    uint64_t launch;
    uint32_t place[3]; /* of the thread */
    uint32_t ray;
    uint32_t number;
    const char *kind;
    const char *result;
    uint64_t shader;
    const char *shader_name;
    struct hit hit;
};

#define HIT_FIELD_COUNT 9
#define HIT_FIELDS(type)                                                                                     \
    {"instance", WS_EXPORT_NUMBER, offsetof(type, hit.hit.instance), OF_HIT, NULL},                          \
        {"custom_index", WS_EXPORT_NUMBER, offsetof(type, hit.hit.custom_index), OF_HIT, NULL},              \
        {"geometry", WS_EXPORT_NUMBER, offsetof(type, hit.hit.geometry), OF_HIT, NULL},                      \
        {"primitive", WS_EXPORT_NUMBER, offsetof(type, hit.hit.primitive), OF_HIT, NULL},                    \
        {"hit_kind", WS_EXPORT_NUMBER, offsetof(type, hit.hit.kind), OF_HIT,                                 \
         "what was hit; the kind is 254 for the front of\na triangle, 255 for its back"},                    \
        {"barycentric_u", WS_EXPORT_FLOAT, offsetof(type, hit.barycentrics[0]), OF_TRIANGLE, NULL},          \
        {"barycentric_v", WS_EXPORT_FLOAT, offsetof(type, hit.barycentrics[1]), OF_TRIANGLE,                 \
         "where in the triangle"},                                                                           \
        {"attribute_0", WS_EXPORT_NUMBER, offsetof(type, hit.hit.attributes[0]), OF_HIT, NULL},              \
    {                                                                                                        \
        "attribute_1", WS_EXPORT_NUMBER, offsetof(type, hit.hit.attributes[1]), OF_HIT,                      \
            "the first two words of the hit attributes"                                                      \
    }

#define AT(member) offsetof(struct candidate_row, member)

/* The table of candidates begins with fields that members of a ray have no need of. */
#define CANDIDATE_PLACE 6

static const struct ws_export_field candidate_table[] = {
    {"launch", WS_EXPORT_LONG, AT(launch), ALWAYS, "index of the launch"},
    {"thread_x", WS_EXPORT_NUMBER, AT(place[0]), ALWAYS, NULL},
    {"thread_y", WS_EXPORT_NUMBER, AT(place[1]), ALWAYS, NULL},
    {"thread_z", WS_EXPORT_NUMBER, AT(place[2]), ALWAYS, "as rays have it"},
    {"ray", WS_EXPORT_NUMBER, AT(ray), ALWAYS, "number in the thread, as rays have it"},
    {"candidate", WS_EXPORT_NUMBER, AT(number), ALWAYS, "number of the ray's candidate, in their order"},
    {"kind", WS_EXPORT_TEXT, AT(kind), ALWAYS, "any_hit, report, intersection or query"},
    {"result", WS_EXPORT_TEXT, AT(result), ALWAYS, "ignored, accepted, terminated or open (not known)"},
    {"shader", WS_EXPORT_LONG, AT(shader), ALWAYS, NULL},
    {"shader_name", WS_EXPORT_TEXT, AT(shader_name), ALWAYS, "that ran; of queries, that holds the query"},
    {"t", WS_EXPORT_FLOAT, AT(hit.hit.t), OF_DISTANCE,
     "distance along the ray; intersection runs have none, nor have\nboxes in which a query generated none"},
    HIT_FIELDS(struct candidate_row),
};

#undef AT
#define CANDIDATE_TABLE  (sizeof(candidate_table) / sizeof(candidate_table[0]))
#define CANDIDATE_FIELDS (CANDIDATE_TABLE - CANDIDATE_PLACE)

static const struct ws_export_field *const candidate_fields = candidate_table + CANDIDATE_PLACE;

static struct hit hit_of(const struct ws_ray_hit *hit)
{
    struct hit of = {.hit = *hit};
    memcpy(of.barycentrics, hit->attributes, sizeof(of.barycentrics));
    return of;
}

static uint32_t known_of_hit(const struct ws_ray_hit *hit)
{
    return 1u << OF_HIT | (ws_ray_hit_is_triangle(hit) ? 1u << OF_TRIANGLE : 0);
}

static struct candidate_row candidate_row_of(const struct ws_catalog *catalog,
                                             const struct ws_ray_candidate *candidate)
{
    return (struct candidate_row){
        .known = 1u << ALWAYS | known_of_hit(&candidate->hit) |
                 (ws_ray_candidate_has_t(candidate) ? 1u << OF_DISTANCE : 0),
        .kind = ws_candidate_kind_name(candidate->kind),
        .result = ws_candidate_result_name(candidate->result),
        .shader = catalog->shaders[candidate->shader].id,
        .shader_name = ws_shader_name(catalog, candidate->shader),
        .hit = hit_of(&candidate->hit),
    };
}

static void put_candidates(const void *pointer, FILE *stream)
{
    const struct row *row = pointer;
    fputc('[', stream);
    for (uint32_t i = 0; i < row->ray.candidate_count; ++i) {
        const struct candidate_row of = candidate_row_of(row->catalog, &row->candidates[i]);
        fputs(i == 0 ? "{" : ",{", stream);
        ws_export_json(candidate_fields, CANDIDATE_FIELDS, &of, of.known, stream);
        fputc('}', stream);
    }
    fputc(']', stream);
}

#define AT(member) offsetof(struct row, member)

static const struct ws_export_field fields[] = {
    {"launch", WS_EXPORT_LONG, AT(launch), ALWAYS, "index of the launch"},
    {"thread_x", WS_EXPORT_NUMBER, AT(place[0]), ALWAYS, NULL},
    {"thread_y", WS_EXPORT_NUMBER, AT(place[1]), ALWAYS, NULL},
    {"thread_z", WS_EXPORT_NUMBER, AT(place[2]), ALWAYS,
     "launch id, or global invocation id; of\nfragments pixel and layer"},
    {"warp", WS_EXPORT_NUMBER, AT(ray.warp), ALWAYS, NULL},
    {"lane", WS_EXPORT_NUMBER, AT(ray.lane), ALWAYS, "that traced it"},
    {"ray", WS_EXPORT_NUMBER, AT(number), ALWAYS, "number in the thread, in the order of tracing"},
    {"parent", WS_EXPORT_NUMBER, AT(ray.parent), OF_PARENT, "the ray in whose shader it was traced"},
    {"depth", WS_EXPORT_NUMBER, AT(ray.depth), ALWAYS, "how many rays led to it: 0 without a parent"},
    {"shader", WS_EXPORT_LONG, AT(shader), ALWAYS, NULL},
    {"shader_name", WS_EXPORT_TEXT, AT(shader_name), ALWAYS, NULL},
    {"file", WS_EXPORT_TEXT, AT(file), OF_SOURCE, NULL},
    {"line", WS_EXPORT_NUMBER, AT(line), OF_SOURCE, "where it was traced"},
    {"query", WS_EXPORT_BOOL, AT(ray.query), ALWAYS, "whether it is a ray query"},
    {"structure", WS_EXPORT_NUMBER, AT(ray.structure.id), OF_STRUCTURE, NULL},
    {"structure_by", WS_EXPORT_TEXT, AT(structure_by), OF_STRUCTURE,
     "id of the top-level structure in the capture, and\nwhat says so: descriptor or address; else its\nhits "
     "may tell, "
     "as in the page and in --geometry"},
    {"origin", WS_EXPORT_VECTOR, AT(ray.origin), ALWAYS, NULL},
    {"direction", WS_EXPORT_VECTOR, AT(ray.direction), ALWAYS, NULL},
    {"tmin", WS_EXPORT_FLOAT, AT(ray.tmin), ALWAYS, NULL},
    {"tmax", WS_EXPORT_FLOAT, AT(ray.tmax), ALWAYS, NULL},
    {"time", WS_EXPORT_FLOAT, AT(ray.time), OF_TIME, NULL},
    {"flags", WS_EXPORT_NUMBER, AT(ray.flags), ALWAYS, NULL},
    {"cull_mask", WS_EXPORT_NUMBER, AT(ray.cull_mask), ALWAYS, NULL},
    {"sbt_offset", WS_EXPORT_NUMBER, AT(ray.sbt_offset), OF_PIPELINE, NULL},
    {"sbt_stride", WS_EXPORT_NUMBER, AT(ray.sbt_stride), OF_PIPELINE, NULL},
    {"miss_index", WS_EXPORT_NUMBER, AT(ray.miss_index), OF_PIPELINE,
     "arguments of the call; time is that of motion, and\nqueries have no binding table (sbt)"},
    {"end", WS_EXPORT_TEXT, AT(end), ALWAYS, "hit, miss, implicit_hit, no_shader or unknown"},
    {"t", WS_EXPORT_FLOAT, AT(ray.hit.t), OF_HIT, NULL},
    {"hit", WS_EXPORT_VECTOR, AT(position), OF_HIT, "distance along the ray, and place of the hit"},
    HIT_FIELDS(struct row),
    {"hit_shader", WS_EXPORT_LONG, AT(hit_shader), OF_HIT_SHADER, NULL},
    {"hit_shader_name", WS_EXPORT_TEXT, AT(hit_shader_name), OF_HIT_SHADER,
     "the closest hit or miss shader that ran"},
    {"any_hits", WS_EXPORT_NUMBER, AT(ray.any_hits), ALWAYS, "runs of any-hit shaders"},
    {"ignored", WS_EXPORT_NUMBER, AT(ray.ignored), ALWAYS, "of these, how many ignored the intersection"},
    {"intersections", WS_EXPORT_NUMBER, AT(ray.intersections), ALWAYS, "runs of intersection shaders"},
    {"reports", WS_EXPORT_NUMBER, AT(ray.reports), ALWAYS, "how often these reported an intersection"},
    {"candidates", WS_EXPORT_NUMBER, AT(ray.candidate_count), ALWAYS,
     "how many; jsonl: each any-hit run, report,\nintersection run and query candidate", put_candidates},
    {"truncated", WS_EXPORT_BOOL, AT(truncated), ALWAYS, "whether records of the launch are missing"},
};

#undef AT
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static uint32_t known_of(const struct ws_ray *ray, const struct ws_site_record *site)
{
    return 1u << ALWAYS | (ray->parent != WS_NONE ? 1u << OF_PARENT : 0) |
           (site->file != NULL ? 1u << OF_SOURCE : 0) | (!ray->query ? 1u << OF_PIPELINE : 0) |
           (ray->has_time ? 1u << OF_TIME : 0) | (ray->has_hit ? known_of_hit(&ray->hit) : 0) |
           (ray->structure.source != WS_STRUCTURE_UNSAID ? 1u << OF_STRUCTURE : 0) |
           (ray->first_hit_shader != WS_NONE ? 1u << OF_HIT_SHADER : 0);
}

static void fill_row(struct row *row, const struct ws_rays_export_place *place, uint32_t number)
{
    const struct ws_catalog *catalog = place->catalog;
    const struct ws_ray *ray = &place->thread->rays[number];
    const struct ws_site_record *site =
        &catalog->modules[catalog->shaders[ray->shader].module].sites[ray->site];
    double position[3];
    row->known = known_of(ray, site);
    row->launch = place->launch->index;
    row->number = ray->number;
    row->shader = catalog->shaders[ray->shader].id;
    row->file = site->file;
    row->line = site->line;
    row->ray = *ray;
    if (ray->parent != WS_NONE)
        row->ray.parent = place->thread->rays[ray->parent].number;
    row->structure_by = ws_structure_source_name(ray->structure.source);
    row->end = ws_ray_end_name(ray->end);
    row->hit = hit_of(&ray->hit);
    row->truncated = place->thread->truncated;
    row->catalog = catalog;
    row->candidates = ray->candidate_count > 0 ? &place->thread->candidates[ray->candidate_first] : NULL;
    ws_ray_thread_place(catalog, place->thread, row->place);
    row->shader_name = ws_shader_name(catalog, ray->shader);
    ws_ray_position(ray, ray->hit.t, position);
    for (uint32_t i = 0; i < 3; ++i)
        row->position[i] = (float)position[i];
    if (ray->first_hit_shader == WS_NONE)
        return;
    row->hit_shader = catalog->shaders[ray->first_hit_shader].id;
    row->hit_shader_name = ws_shader_name(catalog, ray->first_hit_shader);
}

void ws_rays_export_csv(const struct ws_rays_export_place *place, uint32_t number, FILE *stream)
{
    struct row row;
    fill_row(&row, place, number);
    ws_export_csv(fields, FIELDS, &row, row.known, stream);
    fputc('\n', stream);
}

void ws_rays_export_jsonl(const struct ws_rays_export_place *place, uint32_t number, FILE *stream)
{
    struct row row;
    fill_row(&row, place, number);
    fputc('{', stream);
    ws_export_json(fields, FIELDS, &row, row.known, stream);
    fputs("}\n", stream);
}

void ws_rays_export_help(FILE *stream)
{
    ws_export_help(fields, FIELDS, stream);
    fputs("Members of a candidate in jsonl, and columns of --candidates behind launch, thread, ray and "
          "candidate:\n",
          stream);
    ws_export_help(candidate_fields, CANDIDATE_FIELDS - HIT_FIELD_COUNT, stream);
    fputs("  instance to attribute_1        what the candidate is, as above\n", stream);
}

/* TEXT: the ray file of RayScope */
/* Where the next event of a thread is written. */
struct text {
    FILE *stream;
    bool first;
};

/* Six decimals, as in the figure; large numbers, such as tmax, with nine digits. */
static void put_number(FILE *stream, double value)
{
    if (isnan(value))
        fputs(" nan", stream);
    else
        fprintf(stream, fabs(value) < 1e9 ? " %.6f" : " %.9g", value);
}

static void put_event(struct text *text, const char *name, const struct ws_ray *ray, float t)
{
    double position[3];
    ws_ray_position(ray, t, position);
    fprintf(text->stream, "%s%s", text->first ? "" : ",\n", name);
    for (uint32_t i = 0; i < 3; ++i)
        put_number(text->stream, isnan(t) ? NAN : position[i]);
    text->first = false;
}

static void put_candidate_events(struct text *text, const struct ws_ray *ray,
                                 const struct ws_ray_candidate *candidate)
{
    const float t = candidate->hit.t;
    const bool accepted =
        candidate->result == WS_CANDIDATE_ACCEPTED || candidate->result == WS_CANDIDATE_TERMINATED;
    switch (candidate->kind) {
    case WS_CANDIDATE_ANY_HIT:
        put_event(text, "ahit", ray, t);
        if (candidate->result == WS_CANDIDATE_IGNORED)
            put_event(text, "ignore", ray, t);
        else if (candidate->result == WS_CANDIDATE_TERMINATED)
            put_event(text, "terminate", ray, t);
        break;
    case WS_CANDIDATE_REPORT: put_event(text, "intersection", ray, t); break;
    case WS_CANDIDATE_QUERY:
        put_event(text, "candidate", ray, ws_ray_candidate_has_t(candidate) ? t : NAN);
        if (accepted)
            put_event(text, "confirm", ray, t);
        break;
    default: break; /* an intersection run has no place before it reports */
    }
}

static void put_end(struct text *text, const struct ws_ray *ray)
{
    const float t = ray->has_hit ? ray->hit.t : NAN;
    switch (ray->end) {
    case WS_RAY_HIT: put_event(text, ray->query ? "query_hit" : "chit", ray, t); break;
    case WS_RAY_MISSED: put_event(text, ray->query ? "query_miss" : "miss", ray, ray->tmax); break;
    default: put_event(text, ws_ray_end_name(ray->end), ray, t); break;
    }
}

/* The flat id of a thread: its index in its launch, also where that begins at a base. Where the base is not known
 * (captures of before), threads may be outside. */
static void put_thread_ids(const struct ws_rays_export_place *place, FILE *stream)
{
    const struct ws_launch_record *launch = place->launch;
    uint32_t at[3];
    const uint32_t *local = place->catalog->shaders[place->thread->rays[0].shader].local_size;
    uint64_t width = launch->size[0];
    uint64_t height = launch->size[1];
    uint32_t in_launch[3];
    ws_ray_thread_place(place->catalog, place->thread, at);
    ws_launch_record_position(launch, local, at, in_launch);
    if (launch->kind == WS_LAUNCH_DISPATCH) {
        width *= local[0];
        height *= local[1];
    }
    if (launch->kind == WS_LAUNCH_RENDER_PASS || in_launch[0] >= width || in_launch[1] >= height)
        fprintf(stream, "%" PRIu32 ".%" PRIu32 ".%" PRIu32, at[0], at[1], at[2]);
    else
        fprintf(stream, "%" PRIu64, (in_launch[2] * height + in_launch[1]) * width + in_launch[0]);
    fprintf(stream, ":%" PRIu32 ":", place->thread->warp);
}

void ws_rays_export_text(const struct ws_rays_export_place *place, FILE *stream)
{
    const struct ws_ray_thread *thread = place->thread;
    struct text text = {stream, true};
    put_thread_ids(place, stream);
    for (uint32_t i = 0; i < thread->ray_count; ++i) {
        const struct ws_ray *ray = &thread->rays[i];
        const bool skips = (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0;
        put_event(&text, ray->query ? "query" : skips ? "trace_skip_closest_hit" : "trace", ray, 0);
        for (uint32_t j = 0; j < ray->candidate_count; ++j)
            put_candidate_events(&text, ray, &thread->candidates[ray->candidate_first + j]);
        put_end(&text, ray);
    }
    fputc('\n', stream);
}

/* ws_rays_replay_of wants `rays` first. */
struct results {
    struct ws_rays *rays;
    const struct ws_catalog *catalog;
    struct ws_analysis_options options;
    struct ws_rays_export *export;
    FILE *stream;
    struct ws_data_set *set;               /* in place of the stream, of Parquet */
    const struct ws_launch_record *launch; /* whose rays come */
    struct ws_sought sought;               /* the thread that the options choose */
    bool begun;                            /* some of its rays were written */
    uint64_t launches;                     /* of which some rays were written */
};

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct results *results = user;
    results->launch = threads->launch;
    results->begun = false;
    return true;
}

/* Keeps why a write failed: when the reading has stopped, errno may say something else. */
static bool check(struct results *results)
{
    if (results->export->failure == 0 && ferror(results->stream))
        results->export->failure = errno != 0 ? errno : EIO;
    return results->export->failure == 0;
}

/* The candidates of a ray, as rows. */
static bool add_candidates(struct results *results, const struct ws_rays_export_place *place, uint32_t number,
                           uint32_t pipeline)
{
    const struct ws_ray_thread *thread = place->thread;
    const struct ws_ray *ray = &thread->rays[number];
    bool added = true;
    for (uint32_t i = 0; added && i < ray->candidate_count; ++i) {
        struct candidate_row row =
            candidate_row_of(place->catalog, &thread->candidates[ray->candidate_first + i]);
        row.launch = place->launch->index;
        row.ray = ray->number;
        row.number = i;
        ws_ray_thread_place(place->catalog, thread, row.place);
        added = ws_data_set_add(results->set, place->launch->frame, pipeline, &row, row.known,
                                &results->export->error);
    }
    return added;
}

/* The rays of a thread, or their candidates, as rows of Parquet. */
static bool add_rows(struct results *results, const struct ws_rays_export_place *place)
{
    bool added = true;
    for (uint32_t i = 0; added && i < place->thread->ray_count; ++i) {
        struct row row;
        const uint32_t pipeline =
            ws_data_set_pipeline(place->catalog, place->launch->index, place->thread->rays[i].shader);
        if (results->export->candidates) {
            added = add_candidates(results, place, i, pipeline);
            continue;
        }
        fill_row(&row, place, i);
        added = ws_data_set_add(results->set, place->launch->frame, pipeline, &row, row.known,
                                &results->export->error);
    }
    return added;
}

static bool write_thread(void *user, const struct ws_ray_thread *thread)
{
    struct results *results = user;
    struct ws_rays_export *export = results->export;
    const struct ws_rays_export_place place = {results->catalog, results->launch, thread};
    if (!ws_ray_thread_is_chosen(results->catalog, &results->options, thread))
        return true;
    if (!results->begun && ++results->launches > 1 && export->format == WS_RAYS_TEXT)
        fprintf(results->stream, "# launch %" PRIu64 "\n", results->launch->index);
    results->begun = true;
    errno = 0;
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (export->format == WS_RAYS_CSV)
            ws_rays_export_csv(&place, i, results->stream);
        else if (export->format == WS_RAYS_JSONL)
            ws_rays_export_jsonl(&place, i, results->stream);
    if (export->format == WS_RAYS_TEXT)
        ws_rays_export_text(&place, results->stream);
    export->threads++;
    export->rays += thread->ray_count;
    return results->set != NULL ? add_rows(results, &place) : check(results);
}

static bool end_launch(void *user, const struct ws_replay_threads *threads)
{
    struct results *results = user;
    ws_sought_look(&results->sought, &results->options, threads);
    return true;
}

static const struct ws_ray_operations operations = {
    .begin = begin, .thread = write_thread, .end = end_launch};

static void destroy(void *pointer)
{
    struct results *results = pointer;
    if (results == NULL)
        return;
    ws_rays_destroy(results->rays);
    ws_data_set_destroy(results->set);
    if (results->stream != NULL && results->stream != stdout)
        fclose(results->stream);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->options = *options;
    results->export = options->user;
    const char *path = results->export->path;
    results->rays = ws_rays_create(catalog, &operations, results);
    if (results->rays == NULL)
        goto error;
    ws_rays_choose(results->rays, options->selection);
    if (results->export->format == WS_RAYS_PARQUET) {
        const bool candidates = results->export->candidates;
        results->set = ws_data_set_create(path, candidates ? "candidates" : "rays",
                                          candidates ? candidate_table : fields,
                                          candidates ? CANDIDATE_TABLE : FIELDS, error);
        if (results->set == NULL)
            goto error;
        return results;
    }
    results->stream = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (results->stream == NULL) {
        ws_error_set(error, "cannot write '%s': %s", path, strerror(errno));
        goto error;
    }
    if (results->export->format == WS_RAYS_CSV)
        ws_export_header(fields, FIELDS, results->stream);
    return results;
error:
    destroy(results);
    return NULL;
}

static void attach(void *pointer, uint32_t user)
{
    const struct results *results = pointer;
    ws_rays_attach(results->rays, user);
}

/* A file without rays is of no use to anybody. What is no file is left alone. */
static void drop_file(const char *path)
{
    struct stat status;
    if (strcmp(path, "-") != 0 && lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        unlink(path);
}

/* What the footers of Parquet say. */
static bool record(void *pointer, const struct ws_chunk *chunk, struct ws_error *error)
{
    (void)error;
    const struct results *results = pointer;
    return results->set == NULL || ws_data_set_take(results->set, chunk);
}

static bool end_set(struct results *results, struct ws_error *error)
{
    struct ws_rays_export *export = results->export;
    if (export->threads == 0 && !ws_sought_check(&results->sought, &results->options, NULL, error))
        return false;
    if (!ws_data_set_finish(results->set, &export->error))
        return ws_error_set(error, "%s", export->error.message);
    export->rows = ws_data_set_rows(results->set);
    export->files = ws_data_set_files(results->set);
    return true;
}

/* A write may fail as late as when the file is closed. */
static bool end(void *pointer, struct ws_error *error)
{
    struct results *results = pointer;
    if (results->set != NULL)
        return end_set(results, error);
    errno = 0;
    fflush(results->stream);
    check(results);
    if (results->stream != stdout && fclose(results->stream) != 0 && results->export->failure == 0)
        results->export->failure = errno;
    results->stream = NULL;
    if (results->export->threads == 0 && !ws_sought_check(&results->sought, &results->options, NULL, error)) {
        drop_file(results->export->path);
        return false;
    }
    return results->export->failure == 0 || ws_error_set(error, "the rays could not be written");
}

static void notes(const void *pointer, FILE *stream)
{
    const struct results *results = pointer;
    ws_rays_print_malformed(results->rays, stream);
}

static const char *const passes[] = {"ray_events", NULL};

const struct ws_analysis ws_analysis_rays_export = {
    .name = "--rays",
    .summary = "rays as files",
    .passes = passes,
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
    .record = record,
    .end = end,
    .notes = notes,
    .names_first = true,
};
