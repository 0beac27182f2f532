#include "examples/base/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A triangle on its way to another place. */
struct entry {
    float centre[3]; /* times three */
    uint32_t triangle;
};

static int compare_x(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;

    return (left->centre[0] > right->centre[0]) - (left->centre[0] < right->centre[0]);
}

static int compare_y(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;

    return (left->centre[1] > right->centre[1]) - (left->centre[1] < right->centre[1]);
}

static int compare_z(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;

    return (left->centre[2] > right->centre[2]) - (left->centre[2] < right->centre[2]);
}

/* Splits in the middle of the longest side, and goes on with the halves. Depth: log2 of the count. */
static void split(struct entry *entries, size_t count)
{
    static int (*const compare[3])(const void *, const void *) = {compare_x, compare_y, compare_z};
    int longest = 0;
    float length = -1;

    if (count < 3)
        return;
    for (int axis = 0; axis < 3; axis++) {
        float low = INFINITY;
        float high = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            low = fminf(low, entries[i].centre[axis]);
            high = fmaxf(high, entries[i].centre[axis]);
        }
        if (high - low > length) {
            length = high - low;
            longest = axis;
        }
    }
    qsort(entries, count, sizeof(*entries), compare[longest]);
    split(entries, count / 2);
    split(entries + count / 2, count - count / 2);
}

bool ws_mesh_order(struct ws_mesh *mesh, struct ws_error *error)
{
    const size_t count = mesh->triangle_count;
    struct entry *entries = calloc(count, sizeof(*entries));
    uint32_t *indices = malloc(count * 3 * sizeof(*indices));

    if (entries == NULL || indices == NULL) {
        free(entries);
        free(indices);
        return ws_error_set(error, "out of memory");
    }
    for (size_t t = 0; t < count; t++) {
        entries[t].triangle = (uint32_t)t;
        for (size_t i = 0; i < 9; i++) {
            const size_t vertex = mesh->indices[3 * t + i / 3];
            entries[t].centre[i % 3] += mesh->positions[3 * vertex + i % 3];
        }
    }
    split(entries, count);
    for (size_t t = 0; t < count; t++)
        memcpy(indices + 3 * t, mesh->indices + 3 * (size_t)entries[t].triangle, 3 * sizeof(*indices));
    memcpy(mesh->indices, indices, count * 3 * sizeof(*indices));
    free(entries);
    free(indices);
    return true;
}
