#include "analysis/export/rays.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/rays/ray_trees.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"
#include "warpscope/output/table.h"
#include "warpscope/report/sought.h"

#define HELP_WIDTH 31 /* of names in the help */
#define HELP_AT    33 /* where what they mean begins */

/* FIELDS of CSV and JSON Lines */

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
    OF_DISTANCE,   /* of a candidate: its t is known */
};

/* What is at the offset of a field. */
enum format {
    NUMBER,     /* uint32_t */
    LONG,       /* uint64_t */
    BOOL,       /* bool: 1 or 0, true or false */
    FLOAT,      /* float */
    VECTOR,     /* float[3]: three columns _x, _y and _z, or an array */
    TEXT,       /* const char * */
    CANDIDATES, /* candidates of the ray: their number, or an array of objects */
};

struct field {
    const char *name;
    enum format format;
    size_t at; /* offset in struct row, or in struct candidate_row */
    enum known known;
    const char *help; /* NULL: this field shares the help of the next one */
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
    const char *end;
    float position[3]; /* of the hit */
    struct hit hit;
    uint64_t hit_shader;
    const char *hit_shader_name;
    bool truncated;
    const struct ws_catalog *catalog;
    const struct ws_ray_candidate *candidates; /* of the ray: ray.candidate_count */
};

/* What the fields of a candidate are read from. */
struct candidate_row {
    const char *kind;
    const char *result;
    uint64_t shader;
    const char *shader_name;
    struct hit hit;
};

#define HIT_FIELD_COUNT 9
#define HIT_FIELDS(type)                                                                                     \
    {"instance", NUMBER, offsetof(type, hit.hit.instance), OF_HIT, NULL},                                    \
        {"custom_index", NUMBER, offsetof(type, hit.hit.custom_index), OF_HIT, NULL},                        \
        {"geometry", NUMBER, offsetof(type, hit.hit.geometry), OF_HIT, NULL},                                \
        {"primitive", NUMBER, offsetof(type, hit.hit.primitive), OF_HIT, NULL},                              \
        {"hit_kind", NUMBER, offsetof(type, hit.hit.kind), OF_HIT,                                           \
         "what was hit; the kind is 254 for the front of\na triangle, 255 for its back"},                    \
        {"barycentric_u", FLOAT, offsetof(type, hit.barycentrics[0]), OF_TRIANGLE, NULL},                    \
        {"barycentric_v", FLOAT, offsetof(type, hit.barycentrics[1]), OF_TRIANGLE, "where in the triangle"}, \
        {"attribute_0", NUMBER, offsetof(type, hit.hit.attributes[0]), OF_HIT, NULL},                        \
    {                                                                                                        \
        "attribute_1", NUMBER, offsetof(type, hit.hit.attributes[1]), OF_HIT,                                \
            "the first two words of the hit attributes"                                                      \
    }

#define AT(member) offsetof(struct row, member)

static const struct field fields[] = {
    {"launch", LONG, AT(launch), ALWAYS, "index of the launch"},
    {"thread_x", NUMBER, AT(place[0]), ALWAYS, NULL},
    {"thread_y", NUMBER, AT(place[1]), ALWAYS, NULL},
    {"thread_z", NUMBER, AT(place[2]), ALWAYS,
     "launch id, or global invocation id; of\nfragments pixel and layer"},
    {"warp", NUMBER, AT(ray.warp), ALWAYS, NULL},
    {"lane", NUMBER, AT(ray.lane), ALWAYS, "that traced it"},
    {"ray", NUMBER, AT(number), ALWAYS, "number in the thread, in the order of tracing"},
    {"parent", NUMBER, AT(ray.parent), OF_PARENT, "the ray in whose shader it was traced"},
    {"depth", NUMBER, AT(ray.depth), ALWAYS, "how many rays led to it: 0 without a parent"},
    {"shader", LONG, AT(shader), ALWAYS, NULL},
    {"shader_name", TEXT, AT(shader_name), ALWAYS, NULL},
    {"file", TEXT, AT(file), OF_SOURCE, NULL},
    {"line", NUMBER, AT(line), OF_SOURCE, "where it was traced"},
    {"query", BOOL, AT(ray.query), ALWAYS, "whether it is a ray query"},
    {"origin", VECTOR, AT(ray.origin), ALWAYS, NULL},
    {"direction", VECTOR, AT(ray.direction), ALWAYS, NULL},
    {"tmin", FLOAT, AT(ray.tmin), ALWAYS, NULL},
    {"tmax", FLOAT, AT(ray.tmax), ALWAYS, NULL},
    {"time", FLOAT, AT(ray.time), OF_TIME, NULL},
    {"flags", NUMBER, AT(ray.flags), ALWAYS, NULL},
    {"cull_mask", NUMBER, AT(ray.cull_mask), ALWAYS, NULL},
    {"sbt_offset", NUMBER, AT(ray.sbt_offset), OF_PIPELINE, NULL},
    {"sbt_stride", NUMBER, AT(ray.sbt_stride), OF_PIPELINE, NULL},
    {"miss_index", NUMBER, AT(ray.miss_index), OF_PIPELINE,
     "arguments of the call; time is that of motion, and\nqueries have no binding table (sbt)"},
    {"end", TEXT, AT(end), ALWAYS, "hit, miss, implicit_hit, no_shader or unknown"},
    {"t", FLOAT, AT(ray.hit.t), OF_HIT, NULL},
    {"hit", VECTOR, AT(position), OF_HIT, "distance along the ray, and place of the hit"},
    HIT_FIELDS(struct row),
    {"hit_shader", LONG, AT(hit_shader), OF_HIT_SHADER, NULL},
    {"hit_shader_name", TEXT, AT(hit_shader_name), OF_HIT_SHADER, "the closest hit or miss shader that ran"},
    {"any_hits", NUMBER, AT(ray.any_hits), ALWAYS, "runs of any-hit shaders"},
    {"ignored", NUMBER, AT(ray.ignored), ALWAYS, "of these, how many ignored the intersection"},
    {"intersections", NUMBER, AT(ray.intersections), ALWAYS, "runs of intersection shaders"},
    {"reports", NUMBER, AT(ray.reports), ALWAYS, "how often these reported an intersection"},
    {"candidates", CANDIDATES, 0, ALWAYS,
     "csv: how many; jsonl: each any-hit run, report,\nintersection run and query candidate"},
    {"truncated", BOOL, AT(truncated), ALWAYS, "whether records of the launch are missing"},
};

#undef AT
#define AT(member) offsetof(struct candidate_row, member)

static const struct field candidate_fields[] = {
    {"kind", TEXT, AT(kind), ALWAYS, "any_hit, report, intersection or query"},
    {"result", TEXT, AT(result), ALWAYS, "ignored, accepted, terminated or open (not known)"},
    {"shader", LONG, AT(shader), ALWAYS, NULL},
    {"shader_name", TEXT, AT(shader_name), ALWAYS, "that ran; of queries, that holds the query"},
    {"t", FLOAT, AT(hit.hit.t), OF_DISTANCE, "distance along the ray; intersection runs have none"},
    HIT_FIELDS(struct candidate_row),
};

#undef AT
#define FIELDS           (sizeof(fields) / sizeof(fields[0]))
#define CANDIDATE_FIELDS (sizeof(candidate_fields) / sizeof(candidate_fields[0]))

static void put_float(FILE *stream, bool json, float value)
{
    if (json && !isfinite(value))
        fputs("null", stream);
    else if (isnan(value))
        fputs("nan", stream);
    else if (json && value == 0 && signbit(value))
        fputs("-0.0", stream); /* some readers take "-0" for an integer, which has no sign */
    else
        fprintf(stream, "%.9g", (double)value);
}

static void put_text(FILE *stream, bool json, const char *text)
{
    if (json)
        ws_json_text(stream, text);
    else
        ws_csv_text(stream, text);
}

static void put_vector(FILE *stream, bool json, const float vector[3])
{
    for (uint32_t i = 0; i < 3; ++i) {
        if (json || i > 0)
            fputc(json && i == 0 ? '[' : ',', stream);
        put_float(stream, json, vector[i]);
    }
    if (json)
        fputc(']', stream);
}

/* A value that is not known: null, or an empty cell; a vector has three. */
static void put_nothing(FILE *stream, bool json, enum format format)
{
    if (json)
        fputs("null", stream);
    else if (format == VECTOR)
        fputs(",,", stream);
}

static void put_candidates(FILE *stream, bool json, const struct row *row);

/* The value of a field, which is known; `from` is the struct of its offset. */
static void put_value(FILE *stream, bool json, const struct field *field, const void *from)
{
    const char *at = (const char *)from + field->at;
    uint32_t number;
    uint64_t large;
    float value;
    const char *text;
    switch (field->format) {
    case NUMBER:
        memcpy(&number, at, sizeof(number));
        fprintf(stream, "%" PRIu32, number);
        break;
    case LONG:
        memcpy(&large, at, sizeof(large));
        fprintf(stream, "%" PRIu64, large);
        break;
    case BOOL: fputs(json ? (*at != 0 ? "true" : "false") : *at != 0 ? "1" : "0", stream); break;
    case FLOAT:
        memcpy(&value, at, sizeof(value));
        put_float(stream, json, value);
        break;
    case VECTOR: put_vector(stream, json, (const float *)(const void *)at); break;
    case TEXT:
        memcpy(&text, at, sizeof(text));
        put_text(stream, json, text);
        break;
    case CANDIDATES: put_candidates(stream, json, from); break;
    }
}

/* The members of an object, or the cells of a row. */
static void put_fields(FILE *stream, bool json, const struct field *list, size_t count, const void *from,
                       uint32_t known)
{
    for (size_t i = 0; i < count; ++i) {
        const struct field *field = &list[i];
        if (i > 0)
            fputc(',', stream);
        if (json)
            fprintf(stream, "\"%s\":", field->name);
        if ((known >> field->known & 1) != 0)
            put_value(stream, json, field, from);
        else
            put_nothing(stream, json, field->format);
    }
}

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

static void put_candidates(FILE *stream, bool json, const struct row *row)
{
    if (!json) {
        fprintf(stream, "%" PRIu32, row->ray.candidate_count);
        return;
    }
    fputc('[', stream);
    for (uint32_t i = 0; i < row->ray.candidate_count; ++i) {
        const struct ws_ray_candidate *candidate = &row->candidates[i];
        struct candidate_row of = {
            .kind = ws_candidate_kind_name(candidate->kind),
            .result = ws_candidate_result_name(candidate->result),
            .shader = row->catalog->shaders[candidate->shader].id,
            .shader_name = ws_shader_name(row->catalog, candidate->shader),
            .hit = hit_of(&candidate->hit),
        };
        uint32_t known = 1u << ALWAYS | known_of_hit(&candidate->hit);
        if (candidate->kind != WS_CANDIDATE_INTERSECTION)
            known |= 1u << OF_DISTANCE;
        fputs(i == 0 ? "{" : ",{", stream);
        put_fields(stream, json, candidate_fields, CANDIDATE_FIELDS, &of, known);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static uint32_t known_of(const struct ws_ray *ray, const struct ws_site_record *site)
{
    return 1u << ALWAYS | (ray->parent != WS_NONE ? 1u << OF_PARENT : 0) |
           (site->file != NULL ? 1u << OF_SOURCE : 0) | (!ray->query ? 1u << OF_PIPELINE : 0) |
           (ray->has_time ? 1u << OF_TIME : 0) | (ray->has_hit ? known_of_hit(&ray->hit) : 0) |
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

static void write_header(FILE *stream)
{
    for (size_t i = 0; i < FIELDS; ++i) {
        const char *name = fields[i].name;
        fputs(i > 0 ? "," : "", stream);
        if (fields[i].format == VECTOR)
            fprintf(stream, "%s_x,%s_y,%s_z", name, name, name);
        else
            fputs(name, stream);
    }
    fputc('\n', stream);
}

void ws_rays_export_csv(const struct ws_rays_export_place *place, uint32_t number, FILE *stream)
{
    struct row row;
    fill_row(&row, place, number);
    put_fields(stream, false, fields, FIELDS, &row, row.known);
    fputc('\n', stream);
}

void ws_rays_export_jsonl(const struct ws_rays_export_place *place, uint32_t number, FILE *stream)
{
    struct row row;
    fill_row(&row, place, number);
    fputc('{', stream);
    put_fields(stream, true, fields, FIELDS, &row, row.known);
    fputs("}\n", stream);
}

/* Fields that share a help stand before it together. */
static void print_help(const struct field *list, size_t count, FILE *stream)
{
    for (size_t i = 0; i < count; ++i) {
        int width = fprintf(stream, "  %s", list[i].name);
        while (list[i].help == NULL) {
            const char *name = list[++i].name;
            const bool fits = (size_t)width + strlen(name) + 2 <= HELP_WIDTH;
            width = fprintf(stream, fits ? ", %s" : ",\n  %s", name) + (fits ? width : -2);
        }
        for (const char *line = list[i].help; line != NULL; width = 0) {
            const char *end = strchr(line, '\n');
            const int length = end != NULL ? (int)(end - line) : (int)strlen(line);
            fprintf(stream, "%*s%.*s\n", HELP_AT - width, "", length, line);
            line = end != NULL ? end + 1 : NULL;
        }
    }
}

void ws_rays_export_help(FILE *stream)
{
    print_help(fields, FIELDS, stream);
    fputs("Members of a candidate in jsonl:\n", stream);
    print_help(candidate_fields, CANDIDATE_FIELDS - HIT_FIELD_COUNT, stream);
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
        put_event(text, "candidate", ray, t > 0 || t < 0 ? t : NAN);
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
    return check(results);
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
    results->stream = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (results->stream == NULL) {
        ws_error_set(error, "cannot write '%s': %s", path, strerror(errno));
        goto error;
    }
    if (results->export->format == WS_RAYS_CSV)
        write_header(results->stream);
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

/* A write may fail as late as when the file is closed. */
static bool end(void *pointer, struct ws_error *error)
{
    struct results *results = pointer;
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
    .end = end,
    .notes = notes,
    .names_first = true,
};
