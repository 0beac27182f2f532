#include "analysis/export/rays.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/csv.h"
#include "analysis/output/json.h"

/* Rows of CSV and JSON objects: one list of fields for both. */
#define NAME_SIZE 384

enum form { FORM_HEADER, FORM_CSV, FORM_JSON };

/* An object or row that is being written. */
struct row {
    FILE *stream;
    enum form form;
    bool first;
    const struct ws_catalog *catalog; /* NULL in the header */
};

/* Whether a value is to follow; the header has just names. */
static bool put_name(struct row *row, const char *name)
{
    if (!row->first)
        fputc(',', row->stream);
    row->first = false;
    if (row->form == FORM_HEADER)
        fputs(name, row->stream);
    else if (row->form == FORM_JSON)
        fprintf(row->stream, "\"%s\":", name);
    return row->form != FORM_HEADER;
}

static void put_nothing(struct row *row)
{
    if (row->form == FORM_JSON)
        fputs("null", row->stream);
}

static void put_integer(struct row *row, const char *name, bool known, uint64_t value)
{
    if (!put_name(row, name))
        return;
    if (known)
        fprintf(row->stream, "%" PRIu64, value);
    else
        put_nothing(row);
}

static void put_bool(struct row *row, const char *name, bool value)
{
    if (!put_name(row, name))
        return;
    fputs(row->form == FORM_JSON ? (value ? "true" : "false") : value ? "1" : "0", row->stream);
}

static void put_value(struct row *row, bool known, float value)
{
    if (!known || (row->form == FORM_JSON && !isfinite(value)))
        put_nothing(row);
    else if (isnan(value))
        fputs("nan", row->stream);
    else if (row->form == FORM_JSON && value == 0 && signbit(value))
        fputs("-0.0", row->stream); /* "-0" is an integer for some readers, and has no sign then */
    else
        fprintf(row->stream, "%.9g", (double)value);
}

static void put_float(struct row *row, const char *name, bool known, float value)
{
    if (put_name(row, name))
        put_value(row, known, value);
}

static void put_text(struct row *row, const char *name, const char *value)
{
    if (!put_name(row, name))
        return;
    if (value == NULL)
        put_nothing(row);
    else if (row->form == FORM_JSON)
        ws_json_text(row->stream, value);
    else
        ws_csv_text(row->stream, value);
}

/* Three columns, or an array. */
static void put_vector(struct row *row, const char *name, bool known, const float value[3])
{
    if (row->form == FORM_JSON) {
        put_name(row, name);
        for (uint32_t i = 0; i < 3 && known; ++i) {
            fputc(i == 0 ? '[' : ',', row->stream);
            put_value(row, true, value[i]);
        }
        fputs(known ? "]" : "null", row->stream);
        return;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        char column[32];
        snprintf(column, sizeof(column), "%s_%c", name, "xyz"[i]);
        put_float(row, column, known, value[i]);
    }
}

/* A shader's id and name. */
static void put_shader(struct row *row, const char *name, const char *name_name, uint32_t shader)
{
    char text[NAME_SIZE] = "";
    const bool known = row->catalog != NULL && shader != WS_NONE;
    if (known)
        ws_catalog_shader_name(row->catalog, shader, text, sizeof(text));
    put_integer(row, name, known, known ? row->catalog->shaders[shader].id : 0);
    put_text(row, name_name, known ? text : NULL);
}

static void put_hit(struct row *row, bool known, const struct ws_ray_hit *hit)
{
    const bool triangle = known && ws_ray_hit_is_triangle(hit);
    union {
        uint32_t words[2];
        float floats[2];
    } attributes = {{hit->attributes[0], hit->attributes[1]}};
    put_integer(row, "instance", known, hit->instance);
    put_integer(row, "custom_index", known, hit->custom_index);
    put_integer(row, "geometry", known, hit->geometry);
    put_integer(row, "primitive", known, hit->primitive);
    put_integer(row, "hit_kind", known, hit->kind);
    put_float(row, "barycentric_u", triangle, attributes.floats[0]);
    put_float(row, "barycentric_v", triangle, attributes.floats[1]);
    put_integer(row, "attribute_0", known, hit->attributes[0]);
    put_integer(row, "attribute_1", known, hit->attributes[1]);
}

static void put_thread(struct row *row, const struct ws_rays_export_place *place, uint32_t number)
{
    uint32_t at[3] = {0};
    const struct ws_ray_thread *thread = place->thread;
    const struct ws_ray *ray = &thread->rays[number];
    if (row->catalog != NULL)
        ws_ray_thread_place(row->catalog, thread, at);
    put_integer(row, "launch", true, place->launch->index);
    put_integer(row, "thread_x", true, at[0]);
    put_integer(row, "thread_y", true, at[1]);
    put_integer(row, "thread_z", true, at[2]);
    put_integer(row, "warp", true, ray->warp);
    put_integer(row, "lane", true, ray->lane);
    put_integer(row, "ray", true, number);
    put_integer(row, "parent", ray->parent != WS_NONE, ray->parent);
    put_integer(row, "depth", true, ray->depth);
    put_shader(row, "shader", "shader_name", ray->shader);
    const struct ws_site_record *site =
        row->catalog != NULL
            ? &row->catalog->modules[row->catalog->shaders[ray->shader].module].sites[ray->site]
            : NULL;
    const bool placed = site != NULL && site->file != NULL;
    put_text(row, "file", placed ? site->file : NULL);
    put_integer(row, "line", placed, placed ? site->line : 0);
}

static void put_ray(struct row *row, const struct ws_ray *ray)
{
    double position[3];
    float at[3];
    put_bool(row, "query", ray->query);
    put_vector(row, "origin", true, ray->origin);
    put_vector(row, "direction", true, ray->direction);
    put_float(row, "tmin", true, ray->tmin);
    put_float(row, "tmax", true, ray->tmax);
    put_float(row, "time", ray->has_time, ray->time);
    put_integer(row, "flags", true, ray->flags);
    put_integer(row, "cull_mask", true, ray->cull_mask);
    put_integer(row, "sbt_offset", !ray->query, ray->sbt_offset);
    put_integer(row, "sbt_stride", !ray->query, ray->sbt_stride);
    put_integer(row, "miss_index", !ray->query, ray->miss_index);
    put_text(row, "end", ws_ray_end_name(ray->end));
    put_float(row, "t", ray->has_hit, ray->hit.t);
    ws_ray_position(ray, ray->hit.t, position);
    for (uint32_t i = 0; i < 3; ++i)
        at[i] = (float)position[i];
    put_vector(row, "hit", ray->has_hit, at);
    put_hit(row, ray->has_hit, &ray->hit);
    put_shader(row, "hit_shader", "hit_shader_name", ray->first_hit_shader);
    put_integer(row, "any_hits", true, ray->any_hits);
    put_integer(row, "ignored", true, ray->ignored);
    put_integer(row, "intersections", true, ray->intersections);
    put_integer(row, "reports", true, ray->reports);
}

static void write_header(FILE *stream)
{
    static const struct ws_ray ray;
    static const struct ws_thread work;
    static const struct ws_launch_record launch;
    const struct ws_ray_thread thread = {.thread = &work, .rays = &ray, .ray_count = 1};
    const struct ws_rays_export_place place = {NULL, &launch, &thread};
    struct row row = {stream, FORM_HEADER, true, NULL};
    put_thread(&row, &place, 0);
    put_ray(&row, &ray);
    put_integer(&row, "candidates", true, 0);
    put_bool(&row, "truncated", false);
    fputc('\n', stream);
}

void ws_rays_export_csv(const struct ws_rays_export_place *place, uint32_t number, FILE *stream)
{
    const struct ws_ray *ray = &place->thread->rays[number];
    struct row row = {stream, FORM_CSV, true, place->catalog};
    put_thread(&row, place, number);
    put_ray(&row, ray);
    put_integer(&row, "candidates", true, ray->candidate_count);
    put_bool(&row, "truncated", place->thread->truncated);
    fputc('\n', stream);
}

static void put_candidate(struct row *row, const struct ws_ray_candidate *candidate)
{
    const bool placed = candidate->kind != WS_CANDIDATE_INTERSECTION;
    fputs(row->first ? "{" : ",{", row->stream);
    row->first = true;
    put_text(row, "kind", ws_candidate_kind_name(candidate->kind));
    put_text(row, "result", ws_candidate_result_name(candidate->result));
    put_shader(row, "shader", "shader_name", candidate->shader);
    put_float(row, "t", placed, candidate->hit.t);
    put_hit(row, true, &candidate->hit);
    fputc('}', row->stream);
    row->first = false;
}

void ws_rays_export_jsonl(const struct ws_rays_export_place *place, uint32_t number, FILE *stream)
{
    const struct ws_ray_thread *thread = place->thread;
    const struct ws_ray *ray = &thread->rays[number];
    struct row row = {stream, FORM_JSON, true, place->catalog};
    fputc('{', stream);
    put_thread(&row, place, number);
    put_ray(&row, ray);
    put_name(&row, "candidates");
    fputc('[', stream);
    row.first = true;
    for (uint32_t i = 0; i < ray->candidate_count; ++i)
        put_candidate(&row, &thread->candidates[ray->candidate_first + i]);
    row.first = false;
    fputc(']', stream);
    put_bool(&row, "truncated", thread->truncated);
    fputs("}\n", stream);
}

/* The ray file of RayScope. */
/* A file that is being written: the thread's next event. */
struct text {
    FILE *stream;
    bool first;
};

/* Six decimals, as in the figure; numbers that are far beyond them (tmax) with nine digits. */
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
    default: break; /* an intersection run is nowhere until it reports */
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

/* Its flat id, where the size of its launch is known and it is within: vkCmdDispatchBase begins elsewhere. */
static void put_thread_ids(const struct ws_rays_export_place *place, FILE *stream)
{
    const struct ws_launch_record *launch = place->launch;
    uint32_t at[3];
    const uint32_t *local = place->catalog->shaders[place->thread->rays[0].shader].local_size;
    uint64_t width = launch->size[0];
    uint64_t height = launch->size[1];
    ws_ray_thread_place(place->catalog, place->thread, at);
    if (launch->kind == WS_LAUNCH_DISPATCH) {
        width *= local[0];
        height *= local[1];
    }
    if (launch->kind == WS_LAUNCH_RENDER_PASS || at[0] >= width || at[1] >= height)
        fprintf(stream, "%" PRIu32 ".%" PRIu32 ".%" PRIu32, at[0], at[1], at[2]);
    else
        fprintf(stream, "%" PRIu64, (at[2] * height + at[1]) * width + at[0]);
    fprintf(stream, ":%" PRIu32 ":", place->thread->warp);
}

void ws_rays_export_text(const struct ws_rays_export_place *place, FILE *stream)
{
    const struct ws_ray_thread *thread = place->thread;
    struct text text = {stream, true};
    put_thread_ids(place, stream);
    for (uint32_t i = 0; i < thread->ray_count; ++i) {
        const struct ws_ray *ray = &thread->rays[i];
        const bool miss_only = (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0;
        put_event(&text, ray->query ? "query" : miss_only ? "trace_miss_only" : "trace", ray, 0);
        for (uint32_t j = 0; j < ray->candidate_count; ++j)
            put_candidate_events(&text, ray, &thread->candidates[ray->candidate_first + j]);
        put_end(&text, ray);
    }
    fputc('\n', stream);
}

/* The rays' member comes first: ws_rays_replay_of. */
struct results {
    struct ws_rays *rays;
    const struct ws_catalog *catalog;
    struct ws_analysis_options options;
    struct ws_rays_export *export;
    FILE *stream;
    const struct ws_launch_record *launch; /* whose rays come */
    bool begun;                            /* some of its have been written */
    uint64_t launches;                     /* of which some were written */
};

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct results *results = user;
    results->launch = threads->launch;
    results->begun = false;
    return true;
}

/* Keeps why a write failed: errno says it no longer once the reading has been given up. */
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
    if (results->options.has_launch && results->options.launch != results->launch->index)
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

static const struct ws_ray_operations operations = {.begin = begin, .thread = write_thread};

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

/* Everything has been written once it has reached the file. */
static bool end(void *pointer, struct ws_error *error)
{
    struct results *results = pointer;
    errno = 0;
    fflush(results->stream);
    check(results);
    if (results->stream != stdout && fclose(results->stream) != 0 && results->export->failure == 0)
        results->export->failure = errno;
    results->stream = NULL;
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
};
