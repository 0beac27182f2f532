#include "examples/base/mesh.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDICES_MAX (UINT32_MAX / 4) /* so that no count of words overflows */
#define FAR_MAX     1e9f             /* so that products of distances are numbers */
#define KNOT_LENGTH 240
#define KNOT_AROUND 24
#define BALL_RINGS  11 /* between the poles */
#define BALL_AROUND 24

static bool grow(struct ws_mesh *mesh, size_t vertices, size_t triangles, struct ws_error *error)
{
    const size_t vertex_need = mesh->vertex_count + vertices;
    const size_t triangle_need = mesh->triangle_count + triangles;

    if (vertex_need > INDICES_MAX / 3 || triangle_need > INDICES_MAX / 3)
        return ws_error_set(error, "the mesh is too large");
    if (vertex_need > mesh->vertex_room) {
        size_t room = vertex_need + mesh->vertex_room;
        float *positions = realloc(mesh->positions, room * 3 * sizeof(float));
        if (positions == NULL)
            return ws_error_set(error, "out of memory");
        mesh->positions = positions;
        float *normals = realloc(mesh->normals, room * 3 * sizeof(float));
        if (normals == NULL)
            return ws_error_set(error, "out of memory");
        mesh->normals = normals;
        mesh->vertex_room = room;
    }
    if (triangle_need > mesh->triangle_room) {
        size_t room = triangle_need + mesh->triangle_room;
        uint32_t *indices = realloc(mesh->indices, room * 3 * sizeof(uint32_t));
        if (indices == NULL)
            return ws_error_set(error, "out of memory");
        mesh->indices = indices;
        mesh->triangle_room = room;
    }
    return true;
}

static bool add_vertex(struct ws_mesh *mesh, float x, float y, float z, struct ws_error *error)
{
    if (!grow(mesh, 1, 0, error))
        return false;
    float *position = &mesh->positions[3 * (size_t)mesh->vertex_count++];
    position[0] = x;
    position[1] = y;
    position[2] = z;
    return true;
}

static bool add_triangle(struct ws_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, struct ws_error *error)
{
    if (!grow(mesh, 0, 1, error))
        return false;
    uint32_t *indices = &mesh->indices[3 * (size_t)mesh->triangle_count++];
    indices[0] = a;
    indices[1] = b;
    indices[2] = c;
    return true;
}

/* Cross product of two sides of a triangle: its normal, as long as twice its area. */
static void face_normal(const struct ws_mesh *mesh, const uint32_t *indices, float normal[3])
{
    const float *a = &mesh->positions[3 * (size_t)indices[0]];
    const float *b = &mesh->positions[3 * (size_t)indices[1]];
    const float *c = &mesh->positions[3 * (size_t)indices[2]];

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        normal[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
    }
}

/* Each vertex's normal: the mean of its triangles' normals, weighted by their areas. */
static void make_normals(struct ws_mesh *mesh)
{
    memset(mesh->normals, 0, mesh->vertex_count * 3 * sizeof(float));
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *indices = &mesh->indices[3 * t];
        float normal[3];
        face_normal(mesh, indices, normal);
        for (int corner = 0; corner < 3; corner++)
            for (int i = 0; i < 3; i++)
                mesh->normals[3 * (size_t)indices[corner] + i] += normal[i];
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float *normal = &mesh->normals[3 * v];
        const float length = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        if (!(length > 0)) { /* a vertex without a face: any direction will do */
            normal[0] = normal[2] = 0;
            normal[1] = 1;
            continue;
        }
        for (int i = 0; i < 3; i++)
            normal[i] /= length;
    }
}

/* Reads "v x y z". */
static bool read_vertex(struct ws_mesh *mesh, const char *text, struct ws_error *error)
{
    float position[3];
    char *end;

    for (int i = 0; i < 3; i++) {
        position[i] = strtof(text, &end);
        if (end == text || !(fabsf(position[i]) <= FAR_MAX))
            return ws_error_set(error, "a vertex needs three numbers, none beyond %g", (double)FAR_MAX);
        text = end;
    }
    return add_vertex(mesh, position[0], position[1], position[2], error);
}

/* Reads "f a b c …", each corner "v", "v/t", "v//n" or "v/t/n", counted from 1 or, negative, from the end. */
static bool read_face(struct ws_mesh *mesh, const char *text, struct ws_error *error)
{
    uint32_t first = 0;
    uint32_t last = 0;
    uint32_t corners = 0;

    for (;;) {
        char *end;
        long long index = strtoll(text, &end, 10);
        if (end == text)
            break;
        index = index < 0 ? index + mesh->vertex_count : index - 1;
        if (index < 0 || index >= mesh->vertex_count)
            return ws_error_set(error, "a face names a vertex that is not there");
        if (corners >= 2 && !add_triangle(mesh, first, last, (uint32_t)index, error))
            return false;
        first = corners == 0 ? (uint32_t)index : first;
        last = (uint32_t)index;
        corners++;
        text = end + strcspn(end, " \t\r\n");
    }
    return corners >= 3 || ws_error_set(error, "a face needs three corners");
}

bool ws_mesh_load(struct ws_mesh *mesh, const char *path, struct ws_error *error)
{
    struct ws_error cause = {0};
    unsigned long line_number = 0;
    char *line = NULL;
    size_t room = 0;
    bool good = true;
    FILE *file = fopen(path, "r");

    memset(mesh, 0, sizeof(*mesh));
    if (file == NULL)
        return ws_error_set(error, "cannot read \"%s\": %s", path, strerror(errno));
    while (good && getline(&line, &room, file) != -1) {
        line_number++;
        if (strncmp(line, "v ", 2) == 0)
            good = read_vertex(mesh, line + 2, &cause);
        else if (strncmp(line, "f ", 2) == 0)
            good = read_face(mesh, line + 2, &cause);
    }
    if (good && ferror(file))
        good = ws_error_set(&cause, "it cannot be read");
    else if (good && mesh->triangle_count == 0)
        good = ws_error_set(&cause, "there is no face in it; is it a Wavefront OBJ file?");
    free(line);
    fclose(file);
    if (!good) {
        ws_mesh_finish(mesh);
        return ws_error_set(error, "\"%s\", line %lu: %s", path, line_number, cause.message);
    }
    make_normals(mesh);
    return true;
}

/* The point of a (2, 3) torus knot at `t` in 0 … 2π. */
static void knot_point(float t, float point[3])
{
    const float radius = 1.0f + 0.42f * cosf(3 * t);

    point[0] = radius * cosf(2 * t);
    point[1] = radius * sinf(2 * t);
    point[2] = 0.55f * sinf(3 * t);
}

static bool add_ring(struct ws_mesh *mesh, float t, struct ws_error *error)
{
    float here[3], next[3], along[3], side[3], up[3];
    float length = 0;

    knot_point(t, here);
    knot_point(t + 0.01f, next);
    for (int i = 0; i < 3; i++) {
        along[i] = next[i] - here[i];
        length += along[i] * along[i];
    }
    for (int i = 0; i < 3; i++)
        along[i] /= sqrtf(length);
    /* Across: the direction from the axis, made square to the knot. */
    const float inward = along[0] * here[0] + along[1] * here[1] + along[2] * here[2];
    length = 0;
    for (int i = 0; i < 3; i++) {
        side[i] = here[i] - inward * along[i];
        length += side[i] * side[i];
    }
    for (int i = 0; i < 3; i++)
        side[i] /= sqrtf(length);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        up[i] = along[j] * side[k] - along[k] * side[j];
    }
    for (int a = 0; a < KNOT_AROUND; a++) {
        const float angle = 2 * (float)M_PI * (float)a / KNOT_AROUND;
        const float c = 0.26f * cosf(angle);
        const float s = 0.26f * sinf(angle);
        if (!add_vertex(mesh, here[0] + c * side[0] + s * up[0], here[1] + c * side[1] + s * up[1],
                        here[2] + c * side[2] + s * up[2], error))
            return false;
    }
    return true;
}

bool ws_mesh_knot(struct ws_mesh *mesh, struct ws_error *error)
{
    memset(mesh, 0, sizeof(*mesh));
    for (uint32_t l = 0; l < KNOT_LENGTH; l++)
        if (!add_ring(mesh, 2 * (float)M_PI * (float)l / KNOT_LENGTH, error))
            goto error;
    for (uint32_t l = 0; l < KNOT_LENGTH; l++) {
        const uint32_t here = l * KNOT_AROUND;
        const uint32_t next = (l + 1) % KNOT_LENGTH * KNOT_AROUND;
        for (uint32_t a = 0; a < KNOT_AROUND; a++) {
            const uint32_t b = (a + 1) % KNOT_AROUND;
            if (!add_triangle(mesh, here + a, here + b, next + b, error) ||
                !add_triangle(mesh, here + a, next + b, next + a, error))
                goto error;
        }
    }
    make_normals(mesh);
    return true;
error:
    ws_mesh_finish(mesh);
    return false;
}

bool ws_mesh_box(struct ws_mesh *mesh, const float low[3], const float high[3], bool inside,
                 struct ws_error *error)
{
    /* Corners by number: bit 0 = high in x, bit 1 = high in y, bit 2 = high in z. */
    static const uint32_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

    memset(mesh, 0, sizeof(*mesh));
    for (uint32_t i = 0; i < 8; i++)
        if (!add_vertex(mesh, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2],
                        error))
            goto error;
    for (int i = 0; i < 6; i++) {
        const uint32_t b = sides[i][inside ? 3 : 1];
        const uint32_t d = sides[i][inside ? 1 : 3];
        if (!add_triangle(mesh, sides[i][0], b, sides[i][2], error) ||
            !add_triangle(mesh, sides[i][0], sides[i][2], d, error))
            goto error;
    }
    make_normals(mesh);
    return true;
error:
    ws_mesh_finish(mesh);
    return false;
}

/* The vertices of a ball: ring by ring from below, then the two poles. */
static bool add_ball_vertices(struct ws_mesh *mesh, struct ws_error *error)
{
    for (uint32_t r = 0; r < BALL_RINGS; r++) {
        const float height = (float)M_PI * ((float)(r + 1) / (BALL_RINGS + 1) - 0.5f);
        for (uint32_t a = 0; a < BALL_AROUND; a++) {
            const float angle = 2 * (float)M_PI * (float)a / BALL_AROUND;
            if (!add_vertex(mesh, cosf(height) * cosf(angle), sinf(height), cosf(height) * sinf(angle),
                            error))
                return false;
        }
    }
    return add_vertex(mesh, 0, -1, 0, error) && add_vertex(mesh, 0, 1, 0, error);
}

bool ws_mesh_ball(struct ws_mesh *mesh, struct ws_error *error)
{
    const uint32_t bottom = BALL_RINGS * BALL_AROUND;
    const uint32_t last = bottom - BALL_AROUND;
    bool good;

    memset(mesh, 0, sizeof(*mesh));
    good = add_ball_vertices(mesh, error);
    for (uint32_t a = 0; good && a < BALL_AROUND; a++) {
        const uint32_t b = (a + 1) % BALL_AROUND;
        good = add_triangle(mesh, a, b, bottom, error) &&
               add_triangle(mesh, last + b, last + a, bottom + 1, error);
        for (uint32_t ring = 0; good && ring < last; ring += BALL_AROUND) {
            const uint32_t above = ring + BALL_AROUND;
            good = add_triangle(mesh, ring + a, above + a, above + b, error) &&
                   add_triangle(mesh, ring + a, above + b, ring + b, error);
        }
    }
    if (!good) {
        ws_mesh_finish(mesh);
        return false;
    }
    make_normals(mesh);
    return true;
}

void ws_mesh_fit(struct ws_mesh *mesh)
{
    float low[3] = {INFINITY, INFINITY, INFINITY};
    float high[3] = {-INFINITY, -INFINITY, -INFINITY};
    float size = 0;

    for (size_t v = 0; v < 3 * (size_t)mesh->vertex_count; v++) {
        low[v % 3] = fminf(low[v % 3], mesh->positions[v]);
        high[v % 3] = fmaxf(high[v % 3], mesh->positions[v]);
    }
    for (int i = 0; i < 3; i++)
        size = fmaxf(size, high[i] - low[i]);
    if (!(size > 0))
        return; /* a single point */
    for (size_t v = 0; v < 3 * (size_t)mesh->vertex_count; v++) {
        const size_t i = v % 3;
        const float origin = i == 1 ? low[i] : 0.5f * (low[i] + high[i]);
        mesh->positions[v] = (mesh->positions[v] - origin) / size;
    }
}

bool ws_mesh_append_quad(struct ws_mesh *mesh, const float corner[3], const float u[3], const float v[3],
                         struct ws_error *error)
{
    struct ws_mesh quad = {0};
    bool appended = false;

    for (int i = 0; i < 4; i++) {
        const float along_u = i == 1 || i == 2;
        const float along_v = i >= 2;
        if (!add_vertex(&quad, corner[0] + along_u * u[0] + along_v * v[0],
                        corner[1] + along_u * u[1] + along_v * v[1],
                        corner[2] + along_u * u[2] + along_v * v[2], error))
            goto error;
    }
    if (!add_triangle(&quad, 0, 1, 2, error) || !add_triangle(&quad, 0, 2, 3, error))
        goto error;
    make_normals(&quad);
    appended = ws_mesh_append(mesh, &quad, error);
error:
    ws_mesh_finish(&quad);
    return appended;
}

bool ws_mesh_append(struct ws_mesh *mesh, const struct ws_mesh *other, struct ws_error *error)
{
    const size_t vertex = 3 * (size_t)mesh->vertex_count;
    const size_t index = 3 * (size_t)mesh->triangle_count;
    const size_t vertex_size = 3 * (size_t)other->vertex_count * sizeof(float);

    if (!grow(mesh, other->vertex_count, other->triangle_count, error))
        return false;
    memcpy(mesh->positions + vertex, other->positions, vertex_size);
    memcpy(mesh->normals + vertex, other->normals, vertex_size);
    memcpy(mesh->indices + index, other->indices, 3 * (size_t)other->triangle_count * sizeof(uint32_t));
    mesh->vertex_count += other->vertex_count;
    mesh->triangle_count += other->triangle_count;
    return true;
}

void ws_mesh_finish(struct ws_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->indices);
    memset(mesh, 0, sizeof(*mesh));
}
