#include "analysis/output/gltf.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/output/base64.h"
#include "analysis/output/write_failure.h"
#include "warpscope/base/text.h"
#include "warpscope/instrument.h"
#include "warpscope/output/json.h"

/* How the file says what wrote it, with the version behind it. */
#define GENERATOR "Warpscope "

#define COMPONENT_UINT32 5125
#define COMPONENT_FLOAT  5126
#define TARGET_VERTICES  34962
#define TARGET_INDICES   34963

#define GLB_MAGIC 0x46546c67u
#define GLB_JSON  0x4e4f534au
#define GLB_BIN   0x004e4942u

const struct ws_file_kind ws_gltf_kind = {"glTF*\n{*\"asset\"*", "\"" GENERATOR};

void ws_gltf_begin(struct ws_gltf *gltf)
{
    memset(gltf, 0, sizeof(*gltf));
    gltf->binary = tmpfile();
    gltf->accessors = cJSON_CreateArray();
    gltf->views = cJSON_CreateArray();
    gltf->meshes = cJSON_CreateArray();
    gltf->materials = cJSON_CreateArray();
    gltf->cameras = cJSON_CreateArray();
    gltf->lights = cJSON_CreateArray();
    gltf->nodes = cJSON_CreateArray();
    gltf->roots = cJSON_CreateArray();
    gltf->failed = gltf->binary == NULL || gltf->accessors == NULL || gltf->views == NULL ||
                   gltf->meshes == NULL || gltf->materials == NULL || gltf->cameras == NULL ||
                   gltf->lights == NULL || gltf->nodes == NULL || gltf->roots == NULL;
}

void ws_gltf_finish(struct ws_gltf *gltf)
{
    if (gltf->binary != NULL)
        fclose(gltf->binary);
    cJSON_Delete(gltf->accessors);
    cJSON_Delete(gltf->views);
    cJSON_Delete(gltf->meshes);
    cJSON_Delete(gltf->materials);
    cJSON_Delete(gltf->cameras);
    cJSON_Delete(gltf->lights);
    cJSON_Delete(gltf->nodes);
    cJSON_Delete(gltf->roots);
    memset(gltf, 0, sizeof(*gltf));
}

/* An object that is the list's next element; NULL after a failure. */
static cJSON *add_object(struct ws_gltf *gltf, cJSON *list)
{
    cJSON *object = gltf->failed ? NULL : ws_json_append(list, cJSON_CreateObject());
    gltf->failed = gltf->failed || object == NULL;
    return object;
}

static void add_colour(cJSON *object, const char *name, const float *colour, int count, double factor)
{
    cJSON *list = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < count; ++i)
        ws_json_append(list, cJSON_CreateNumber((double)colour[i] * factor));
}

uint32_t ws_gltf_material(struct ws_gltf *gltf, const struct ws_gltf_material *material)
{
    cJSON *object = add_object(gltf, gltf->materials);
    cJSON_AddStringToObject(object, "name", material->name);
    cJSON *surface = cJSON_AddObjectToObject(object, "pbrMetallicRoughness");
    add_colour(surface, "baseColorFactor", material->colour, 4, 1);
    cJSON_AddNumberToObject(surface, "metallicFactor", 0);
    if (material->unlit)
        cJSON_AddObjectToObject(cJSON_AddObjectToObject(object, "extensions"), "KHR_materials_unlit");
    /* Viewers that do not know the extension, or have no light, shall show something, too. */
    add_colour(object, "emissiveFactor", material->colour, 3, material->unlit ? 0.5 : 0.12);
    if (material->colour[3] < 1)
        cJSON_AddStringToObject(object, "alphaMode", "BLEND");
    if (!material->one_sided)
        cJSON_AddBoolToObject(object, "doubleSided", true);
    gltf->unlit = gltf->unlit || material->unlit;
    return gltf->material_count++;
}

uint32_t ws_gltf_camera(struct ws_gltf *gltf, const struct ws_gltf_camera *camera)
{
    cJSON *object = add_object(gltf, gltf->cameras);
    cJSON_AddStringToObject(object, "name", camera->name);
    cJSON_AddStringToObject(object, "type", camera->orthographic ? "orthographic" : "perspective");
    cJSON *lens = cJSON_AddObjectToObject(object, camera->orthographic ? "orthographic" : "perspective");
    if (camera->orthographic) {
        cJSON_AddNumberToObject(lens, "xmag", camera->magnify_x);
        cJSON_AddNumberToObject(lens, "ymag", camera->magnify_y);
    } else {
        cJSON_AddNumberToObject(lens, "yfov", camera->yfov);
        cJSON_AddNumberToObject(lens, "aspectRatio", camera->aspect);
    }
    cJSON_AddNumberToObject(lens, "znear", camera->near);
    cJSON_AddNumberToObject(lens, "zfar", camera->far);
    return gltf->camera_count++;
}

uint32_t ws_gltf_light(struct ws_gltf *gltf, const char *name, double lux)
{
    cJSON *object = add_object(gltf, gltf->lights);
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "type", "directional");
    cJSON_AddNumberToObject(object, "intensity", lux);
    return gltf->light_count++;
}

/* `count` words, little-endian, in a view of their own. */
static void put_words(struct ws_gltf *gltf, const uint32_t *words, size_t count, int target)
{
    cJSON *view = add_object(gltf, gltf->views);
    ws_json_integer(view, "buffer", 0);
    ws_json_integer(view, "byteOffset", gltf->binary_size);
    ws_json_integer(view, "byteLength", 4 * (uint64_t)count);
    ws_json_integer(view, "target", (uint64_t)target);
    for (size_t i = 0; i < count && !gltf->failed; ++i) {
        const uint8_t bytes[4] = {(uint8_t)words[i], (uint8_t)(words[i] >> 8), (uint8_t)(words[i] >> 16),
                                  (uint8_t)(words[i] >> 24)};
        gltf->failed = fwrite(bytes, 1, 4, gltf->binary) != 4;
    }
    gltf->binary_size += 4 * (uint64_t)count;
}

static cJSON *add_accessor(struct ws_gltf *gltf, int component, const char *type, uint32_t count)
{
    cJSON *accessor = add_object(gltf, gltf->accessors);
    ws_json_integer(accessor, "bufferView", gltf->accessor_count++);
    ws_json_integer(accessor, "componentType", (uint64_t)component);
    ws_json_integer(accessor, "count", count);
    cJSON_AddStringToObject(accessor, "type", type);
    return accessor;
}

static void put_floats(struct ws_gltf *gltf, const float *floats, size_t count)
{
    uint32_t *words = malloc(count * sizeof(*words) + 1);
    gltf->failed = gltf->failed || words == NULL;
    if (words != NULL) {
        memcpy(words, floats, count * sizeof(*words));
        put_words(gltf, words, count, TARGET_VERTICES);
    }
    free(words);
}

uint32_t ws_gltf_positions(struct ws_gltf *gltf, const float *positions, uint32_t count)
{
    const uint32_t index = gltf->accessor_count;
    cJSON *accessor = add_accessor(gltf, COMPONENT_FLOAT, "VEC3", count);
    cJSON *least = cJSON_AddArrayToObject(accessor, "min");
    cJSON *most = cJSON_AddArrayToObject(accessor, "max");
    for (int axis = 0; axis < 3; ++axis) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < count; ++i) {
            low = fminf(low, positions[3 * (size_t)i + axis]);
            high = fmaxf(high, positions[3 * (size_t)i + axis]);
        }
        ws_json_append(least, cJSON_CreateNumber((double)low));
        ws_json_append(most, cJSON_CreateNumber((double)high));
    }
    put_floats(gltf, positions, 3 * (size_t)count);
    return index;
}

uint32_t ws_gltf_numbers(struct ws_gltf *gltf, const float *numbers, uint32_t count)
{
    const uint32_t index = gltf->accessor_count;
    add_accessor(gltf, COMPONENT_FLOAT, "VEC3", count);
    put_floats(gltf, numbers, 3 * (size_t)count);
    return index;
}

uint32_t ws_gltf_indices(struct ws_gltf *gltf, const uint32_t *indices, uint32_t count)
{
    const uint32_t index = gltf->accessor_count;
    add_accessor(gltf, COMPONENT_UINT32, "SCALAR", count);
    put_words(gltf, indices, count, TARGET_INDICES);
    return index;
}

cJSON *ws_gltf_primitives(struct ws_gltf *gltf)
{
    cJSON *primitives = gltf->failed ? NULL : cJSON_CreateArray();
    gltf->failed = gltf->failed || primitives == NULL;
    return primitives;
}

cJSON *ws_gltf_add_primitive(struct ws_gltf *gltf, cJSON *primitives, uint32_t mode, uint32_t positions,
                             uint32_t indices, uint32_t material)
{
    cJSON *primitive = add_object(gltf, primitives);
    cJSON *attributes = cJSON_AddObjectToObject(primitive, "attributes");
    ws_json_integer(attributes, "POSITION", positions);
    if (indices != WS_NONE)
        ws_json_integer(primitive, "indices", indices);
    ws_json_integer(primitive, "mode", mode);
    ws_json_integer(primitive, "material", material);
    return attributes;
}

void ws_gltf_attribute(cJSON *attributes, const char *name, uint32_t numbers)
{
    ws_json_integer(attributes, name, numbers);
}

uint32_t ws_gltf_mesh(struct ws_gltf *gltf, const char *name, cJSON *primitives)
{
    cJSON *mesh = add_object(gltf, gltf->meshes);
    cJSON_AddStringToObject(mesh, "name", name);
    ws_json_add(mesh, "primitives", primitives);
    return gltf->mesh_count++;
}

static void add_content(cJSON *object, const struct ws_gltf_node *node)
{
    cJSON *light;
    switch (node->content) {
    case WS_GLTF_MESH: ws_json_integer(object, "mesh", node->index); break;
    case WS_GLTF_CAMERA: ws_json_integer(object, "camera", node->index); break;
    case WS_GLTF_LIGHT:
        light = cJSON_AddObjectToObject(cJSON_AddObjectToObject(object, "extensions"), "KHR_lights_punctual");
        ws_json_integer(light, "light", node->index);
        break;
    case WS_GLTF_NOTHING: break;
    }
}

uint32_t ws_gltf_add_node(struct ws_gltf *gltf, const struct ws_gltf_node *node)
{
    const float *transform = node->transform;
    cJSON *object = add_object(gltf, gltf->nodes);
    cJSON_AddStringToObject(object, "name", node->name);
    add_content(object, node);
    cJSON *matrix = transform != NULL ? cJSON_AddArrayToObject(object, "matrix") : NULL;
    for (int i = 0; i < 16 && transform != NULL; ++i) /* column by column */
        ws_json_append(matrix, cJSON_CreateNumber(i % 4 < 3 ? (double)transform[4 * (i % 4) + i / 4]
                                                  : i == 15 ? 1
                                                            : 0));
    if (node->children != NULL)
        ws_json_add(object, "children", node->children);
    if (node->extras != NULL)
        ws_json_add(object, "extras", node->extras);
    return gltf->node_count++;
}

void ws_gltf_add_root(struct ws_gltf *gltf, uint32_t node)
{
    ws_json_append(gltf->roots, ws_json_integer_item(node));
}

/* Writes a list's elements, one in a line; an empty list is left out, as glTF wants it. */
static void write_list(struct ws_json *json, const char *name, cJSON *list)
{
    if (list->child == NULL)
        return;
    ws_json_open_list(json, name);
    for (cJSON *element; (element = cJSON_DetachItemFromArray(list, 0)) != NULL;)
        ws_json_element(json, element);
    ws_json_close_list(json);
}

/* Which extensions are used, and the lights, which are one's own. */
static void write_extensions(struct ws_gltf *gltf, struct ws_json *json)
{
    if (!gltf->unlit && gltf->light_count == 0)
        return;
    ws_json_open_list(json, "extensionsUsed");
    if (gltf->unlit)
        ws_json_element(json, cJSON_CreateString("KHR_materials_unlit"));
    if (gltf->light_count > 0)
        ws_json_element(json, cJSON_CreateString("KHR_lights_punctual"));
    ws_json_close_list(json);
    if (gltf->light_count == 0)
        return;
    cJSON *extensions = cJSON_CreateObject();
    cJSON *lights = cJSON_AddObjectToObject(extensions, "KHR_lights_punctual");
    ws_json_add(lights, "lights", gltf->lights);
    gltf->lights = NULL;
    ws_json_member(json, "extensions", extensions);
}

/* The binary data as a text in the JSON, so that they are never those of another file. */
static bool put_data(struct ws_gltf *gltf, FILE *stream)
{
    uint8_t bytes[3 * 4096];
    char text[4 * 4096];
    rewind(gltf->binary);
    for (size_t size; (size = fread(bytes, 1, sizeof(bytes), gltf->binary)) > 0;) {
        size_t used = 0;
        for (size_t i = 0; i < size; i += 3, used += 4)
            ws_base64_put(bytes + i, size - i, text + used);
        if (fwrite(text, 1, used, stream) != used)
            return false;
    }
    return ferror(gltf->binary) == 0;
}

/* The buffer, if there is something in it; with `embedded` its data, which else are in the same file. */
static bool put_buffer(struct ws_gltf *gltf, bool embedded, struct ws_json *json)
{
    bool put = true;
    if (gltf->binary_size == 0)
        return true;
    ws_json_open_list(json, "buffers");
    fprintf(json->stream, "{\"byteLength\": %" PRIu64, gltf->binary_size);
    if (embedded) {
        fputs(", \"uri\": \"data:application/octet-stream;base64,", json->stream);
        put = put_data(gltf, json->stream);
        fputc('"', json->stream);
    }
    fputc('}', json->stream);
    json->first_element = false;
    ws_json_close_list(json);
    return put;
}

static bool write_json(struct ws_gltf *gltf, bool embedded, FILE *stream)
{
    struct ws_json json;
    cJSON *asset = cJSON_CreateObject();
    cJSON *scene = cJSON_CreateObject();
    ws_json_begin(&json, stream);
    cJSON_AddStringToObject(asset, "version", "2.0");
    cJSON_AddStringToObject(asset, "generator", GENERATOR WS_VERSION);
    ws_json_member(&json, "asset", asset);
    ws_json_member(&json, "scene", cJSON_CreateNumber(0));
    if (gltf->roots->child != NULL) {
        ws_json_add(scene, "nodes", gltf->roots);
        gltf->roots = NULL;
    }
    ws_json_open_list(&json, "scenes");
    ws_json_element(&json, scene);
    ws_json_close_list(&json);
    write_extensions(gltf, &json);
    write_list(&json, "cameras", gltf->cameras);
    write_list(&json, "nodes", gltf->nodes);
    write_list(&json, "meshes", gltf->meshes);
    write_list(&json, "materials", gltf->materials);
    write_list(&json, "accessors", gltf->accessors);
    write_list(&json, "bufferViews", gltf->views);
    const bool put = put_buffer(gltf, embedded, &json);
    return ws_json_end(&json) && put;
}

/* The binary data as they are. */
static bool copy_binary(struct ws_gltf *gltf, FILE *stream)
{
    char buffer[65536];
    rewind(gltf->binary);
    for (size_t size; (size = fread(buffer, 1, sizeof(buffer), gltf->binary)) > 0;)
        if (fwrite(buffer, 1, size, stream) != size)
            return false;
    return ferror(gltf->binary) == 0;
}

static void put_u32(FILE *stream, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        fputc((int)(value >> (8 * i) & 0xff), stream);
}

static bool write_glb(struct ws_gltf *gltf, FILE *stream)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    bool written = memory != NULL && write_json(gltf, false, memory);
    written = memory != NULL && fclose(memory) == 0 && written;
    const uint64_t padded = ((uint64_t)size + 3) / 4 * 4;
    const uint64_t whole = 12 + 8 + padded + (gltf->binary_size > 0 ? 8 + gltf->binary_size : 0);
    if (whole > UINT32_MAX)
        errno = EFBIG;
    if (written && whole <= UINT32_MAX) {
        put_u32(stream, GLB_MAGIC);
        put_u32(stream, 2);
        put_u32(stream, (uint32_t)whole);
        put_u32(stream, (uint32_t)padded);
        put_u32(stream, GLB_JSON);
        fwrite(text, 1, size, stream);
        for (uint64_t i = size; i < padded; ++i)
            fputc(' ', stream);
        if (gltf->binary_size > 0) {
            put_u32(stream, (uint32_t)gltf->binary_size);
            put_u32(stream, GLB_BIN);
            written = copy_binary(gltf, stream);
        }
    }
    free(text);
    return written && whole <= UINT32_MAX;
}

bool ws_gltf_write(struct ws_gltf *gltf, const char *path, struct ws_error *error)
{
    if (gltf->failed)
        return ws_error_set(error, "no memory, or no room for temporary files, to write '%s'", path);
    errno = 0;
    FILE *stream = fopen(path, "we");
    if (stream == NULL)
        return ws_error_set(error, "cannot write '%s': %s", path, strerror(errno));
    bool written = ws_text_ends_with(path, ".glb") ? write_glb(gltf, stream) : write_json(gltf, true, stream);
    written = ferror(stream) == 0 && written;
    written = fclose(stream) == 0 && written;
    return written ||
           ws_error_set(error, "cannot write '%s': %s", path, ws_write_failure(errno != 0 ? errno : ENOMEM));
}
