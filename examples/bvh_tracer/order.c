/* The orders in which nodes and vertices lie in memory: permutations, and what names the places renamed. */
#include <stdlib.h>
#include <string.h>

#include "examples/bvh_tracer/shared.h"
#include "examples/bvh_tracer/tree.h"

/* Numbers that look random and are the same in every run: xorshift (Marsaglia, 2003). */
static uint32_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

/* Shuffles `count` elements from `first` on (Fisher and Yates). */
static void shuffle(uint32_t *elements, uint32_t first, uint32_t count)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

    for (uint32_t i = count; i > first + 1; i--) {
        const uint32_t other = first + next_random(&state) % (i - first);
        const uint32_t element = elements[i - 1];
        elements[i - 1] = elements[other];
        elements[other] = element;
    }
}

/* Lists nodes level by level from the root on. */
static void list_levels(const struct ws_tree *tree, uint32_t *old)
{
    uint32_t count = 1;

    old[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int side = 0; side < 2; side++)
            if (tree->nodes[old[i]].children[side].child < LEAF)
                old[count++] = tree->nodes[old[i]].children[side].child;
}

bool ws_tree_order(struct ws_tree *tree, enum ws_tree_order order, struct ws_error *error)
{
    const uint32_t count = tree->node_count;
    struct ws_tree_node *nodes = malloc(count * sizeof(*nodes));
    uint32_t *old = malloc(count * sizeof(*old));     /* which node comes to a place */
    uint32_t *place = malloc(count * sizeof(*place)); /* where a node comes */
    const bool has_memory = nodes != NULL && old != NULL && place != NULL;

    for (uint32_t i = 0; has_memory && i < count; i++)
        old[i] = i;
    if (has_memory && order == WS_TREE_BREADTH_FIRST)
        list_levels(tree, old);
    if (has_memory && order == WS_TREE_RANDOM)
        shuffle(old, 1, count);
    for (uint32_t i = 0; has_memory && i < count; i++)
        place[old[i]] = i;
    for (uint32_t i = 0; has_memory && i < count; i++) {
        nodes[i] = tree->nodes[old[i]];
        for (int side = 0; side < 2; side++)
            if (nodes[i].children[side].child < LEAF)
                nodes[i].children[side].child = place[nodes[i].children[side].child];
    }
    if (has_memory)
        memcpy(tree->nodes, nodes, count * sizeof(*nodes));
    free(nodes);
    free(old);
    free(place);
    return has_memory || ws_error_set(error, "out of memory");
}

/* The triangles of each vertex: those of v are triangles[begins[v]] to triangles[begins[v + 1] - 1]. */
struct fans {
    uint32_t *begins;
    uint32_t *triangles;
};

static bool find_fans(struct fans *fans, const struct ws_mesh *mesh)
{
    const size_t corners = 3 * (size_t)mesh->triangle_count;

    fans->begins = calloc((size_t)mesh->vertex_count + 2, sizeof(*fans->begins));
    fans->triangles = malloc((corners + 1) * sizeof(*fans->triangles));
    if (fans->begins == NULL || fans->triangles == NULL)
        return false;
    for (size_t i = 0; i < corners; i++)
        fans->begins[mesh->indices[i] + 2]++;
    for (uint32_t v = 1; v <= mesh->vertex_count; v++)
        fans->begins[v + 1] += fans->begins[v];
    for (size_t i = 0; i < corners; i++)
        fans->triangles[fans->begins[mesh->indices[i] + 1]++] = (uint32_t)(i / 3);
    return true;
}

/* Lists vertices along the edges of triangles, from the first on; then those that are not joined to it. */
static bool list_neighbours(const struct ws_mesh *mesh, uint32_t *old)
{
    struct fans fans = {0};
    bool *listed = calloc((size_t)mesh->vertex_count + 1, sizeof(*listed));
    const bool found = listed != NULL && find_fans(&fans, mesh);
    uint32_t count = 0;
    uint32_t done = 0;

    for (uint32_t start = 0; found && start < mesh->vertex_count; start++) {
        if (listed[start])
            continue;
        listed[start] = true;
        old[count++] = start;
        for (; done < count; done++) {
            for (uint32_t f = fans.begins[old[done]]; f < fans.begins[old[done] + 1]; f++) {
                for (int corner = 0; corner < 3; corner++) {
                    const uint32_t vertex = mesh->indices[3 * (size_t)fans.triangles[f] + corner];
                    if (!listed[vertex])
                        old[count++] = vertex;
                    listed[vertex] = true;
                }
            }
        }
    }
    free(listed);
    free(fans.begins);
    free(fans.triangles);
    return found;
}

/* Brings three numbers of each vertex to its new place. */
static bool move_vectors(float *vectors, const uint32_t *old, uint32_t count)
{
    float *moved = malloc((3 * (size_t)count + 1) * sizeof(*moved));

    if (moved == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        memcpy(&moved[3 * i], &vectors[3 * (size_t)old[i]], 3 * sizeof(*moved));
    memcpy(vectors, moved, 3 * (size_t)count * sizeof(*moved));
    free(moved);
    return true;
}

bool ws_vertices_order(struct ws_mesh *mesh, enum ws_vertex_order order, struct ws_error *error)
{
    const uint32_t count = mesh->vertex_count;
    uint32_t *old = malloc(((size_t)count + 1) * sizeof(*old));
    uint32_t *place = malloc(((size_t)count + 1) * sizeof(*place));
    bool ordered = old != NULL && place != NULL;

    for (uint32_t i = 0; ordered && i < count; i++)
        old[i] = i;
    if (ordered && order == WS_VERTEX_BREADTH_FIRST)
        ordered = list_neighbours(mesh, old);
    if (ordered && order == WS_VERTEX_RANDOM)
        shuffle(old, 0, count);
    for (uint32_t i = 0; ordered && i < count; i++)
        place[old[i]] = i;
    ordered = ordered && move_vectors(mesh->positions, old, count) && move_vectors(mesh->normals, old, count);
    for (size_t i = 0; ordered && i < 3 * (size_t)mesh->triangle_count; i++)
        mesh->indices[i] = place[mesh->indices[i]];
    free(old);
    free(place);
    return ordered || ws_error_set(error, "out of memory");
}
