#include "layer/shader/shader.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/settings.h"
#include "layer/memory/control_block.h"
#include "layer/memory/root_block.h"
#include "layer/process/lock.h"
#include "layer/shader/module_cache.h"

struct node {
    struct ws_shader shader;
    uint64_t hash;        /* of module, stage, entry point and specialization */
    pthread_mutex_t lock; /* held while the shader is made; guards `done` */
    bool done;
    UT_hash_handle hh;
};

struct ws_shader_table {
    pthread_mutex_t lock;      /* guards the rest */
    struct node *nodes;        /* by hash */
    bool slots[WS_SLOT_COUNT]; /* true = taken */
};

/* A specialization as the capture has it, sorted by constant id. */
struct constants {
    struct ws_specialization *items;
    uint32_t count;
};

/* Accepts a zeroed struct. */
static void specialization_finish(VkSpecializationInfo *info)
{
    free((void *)info->pMapEntries);
    free((void *)info->pData);
    memset(info, 0, sizeof(*info));
}

struct ws_shader_table *ws_shader_table_create(void)
{
    struct ws_shader_table *table = calloc(1, sizeof(*table));
    if (table != NULL)
        ws_lock_init(&table->lock);
    return table;
}

void ws_shader_table_destroy(struct ws_shader_table *table)
{
    if (table == NULL)
        return;
    struct node *node, *next;
    HASH_ITER(hh, table->nodes, node, next)
    {
        HASH_DEL(table->nodes, node);
        pthread_mutex_destroy(&node->lock);
        specialization_finish(&node->shader.specialization);
        free(node);
    }
    pthread_mutex_destroy(&table->lock);
    free(table);
}

static int compare_constants(const void *a, const void *b)
{
    const uint32_t left = ((const struct ws_specialization *)a)->constant_id;
    const uint32_t right = ((const struct ws_specialization *)b)->constant_id;
    return (left > right) - (left < right);
}

/* Reads the application's specialization, leaving out entries that are not valid. */
static bool read_constants(struct constants *constants, const VkSpecializationInfo *info)
{
    constants->items = NULL;
    constants->count = 0;
    if (info == NULL || info->mapEntryCount == 0)
        return true;
    constants->items = calloc(info->mapEntryCount, sizeof(*constants->items));
    if (constants->items == NULL)
        return false;
    for (uint32_t i = 0; i < info->mapEntryCount; i++) {
        const VkSpecializationMapEntry *entry = &info->pMapEntries[i];
        struct ws_specialization *item = &constants->items[constants->count];
        if (entry->size > sizeof(item->value) || entry->size > info->dataSize ||
            entry->offset > info->dataSize - entry->size)
            continue;
        item->constant_id = entry->constantID;
        item->size = (uint32_t)entry->size;
        /* Little-endian: the bytes of a smaller constant are the low ones. */
        memcpy(&item->value, (const char *)info->pData + entry->offset, entry->size);
        constants->count++;
    }
    qsort(constants->items, constants->count, sizeof(*constants->items), compare_constants);
    return true;
}

/* Content only, so that it is the same in every run. */
static uint64_t hash_shader(const struct ws_spirv *spirv, uint32_t stage, const char *entry,
                            const struct constants *constants)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &spirv->hash, sizeof(spirv->hash));
    XXH3_64bits_update(&state, &stage, sizeof(stage));
    XXH3_64bits_update(&state, entry, strlen(entry) + 1);
    for (uint32_t i = 0; i < constants->count; i++) {
        const struct ws_specialization *item = &constants->items[i];
        XXH3_64bits_update(&state, &item->constant_id, sizeof(item->constant_id));
        XXH3_64bits_update(&state, &item->size, sizeof(item->size));
        XXH3_64bits_update(&state, &item->value, sizeof(item->value));
    }
    return XXH3_64bits_digest(&state);
}

/* A slot by content hash: the same in every run unless two shaders collide and come in another order.
 * WS_NONE when all are taken. */
static uint32_t take_slot(struct ws_shader_table *table, uint64_t hash)
{
    uint32_t found = WS_NONE;
    ws_lock(&table->lock);
    for (uint32_t i = 0; i < WS_SLOT_COUNT && found == WS_NONE; i++) {
        const uint32_t slot = (uint32_t)((hash + i) % WS_SLOT_COUNT);
        if (!table->slots[slot]) {
            table->slots[slot] = true;
            found = slot;
        }
    }
    ws_unlock(&table->lock);
    return found;
}

/* Whether the setting `shaders` chooses a shader. */
static bool is_chosen(const struct ws_settings *settings, const struct ws_spirv *spirv, const char *entry)
{
    char hash[17];
    char pattern[256];
    const char *rest = settings->shaders;
    snprintf(hash, sizeof(hash), "%016" PRIx64, spirv->hash);
    bool any = false;
    while (*(rest += strspn(rest, ", \t")) != '\0') {
        const size_t length = strcspn(rest, ", \t");
        snprintf(pattern, sizeof(pattern), "%.*s", (int)length, rest);
        if (fnmatch(pattern, spirv->name, 0) == 0 || fnmatch(pattern, hash, 0) == 0 ||
            fnmatch(pattern, entry, 0) == 0)
            return true;
        any = true;
        rest += length;
    }
    return !any;
}

/* The index of the entry point in the instrumented module, WS_NONE when it has none of the kind. */
static uint32_t find_entry(const struct ws_instrumented *instrumented, uint32_t stage, const char *name)
{
    for (uint32_t i = 0; i < instrumented->entry_count; i++)
        if (instrumented->entries[i].stage == stage && strcmp(instrumented->entries[i].name, name) == 0)
            return i;
    return WS_NONE;
}

/* Whether an entry point appends records: then it begins with an entry record. */
static bool has_records(const struct ws_instrumented *instrumented, const struct ws_entry_info *entry)
{
    for (uint32_t i = 0; i < instrumented->site_count; i++) {
        const struct ws_site_info *site = &instrumented->sites[i];
        if (site->kind == WS_SITE_ENTRY && instrumented->blocks[site->block].function == entry->function)
            return true;
    }
    return false;
}

static bool is_ours(const struct ws_instrumented *instrumented, uint32_t constant)
{
    for (int i = 0; i < WS_SPEC_COUNT; i++)
        if (instrumented->spec_ids[i] == constant)
            return true;
    return false;
}

/* The application's specialization (NULL = none), copied, and the constants of root.h behind it. False when
 * there is no memory. */
static bool specialize(VkSpecializationInfo *info, struct ws_device *device, const struct ws_shader *shader,
                       const VkSpecializationInfo *original)
{
    const struct ws_instrumented *instrumented = shader->module->instrumented;
    const uint64_t root = ws_root_address(device);
    const uint32_t values[WS_SPEC_COUNT] = {
        [WS_SPEC_ROOT_LO] = (uint32_t)root,
        [WS_SPEC_ROOT_HI] = (uint32_t)(root >> 32),
        [WS_SPEC_SLOT] = shader->slot,
        [WS_SPEC_BINS] = device->bins,
    };
    static const VkSpecializationInfo none = {0};
    if (original == NULL)
        original = &none;
    memset(info, 0, sizeof(*info));

    /* Ours stand first in the data, so that they are aligned. */
    VkSpecializationMapEntry *entries = calloc(original->mapEntryCount + WS_SPEC_COUNT, sizeof(*entries));
    char *data = malloc(sizeof(values) + original->dataSize);
    if (entries == NULL || data == NULL) {
        free(entries);
        free(data);
        return false;
    }
    memcpy(data, values, sizeof(values));
    if (original->dataSize > 0)
        memcpy(data + sizeof(values), original->pData, original->dataSize);

    uint32_t count = 0;
    for (uint32_t i = 0; i < WS_SPEC_COUNT; i++) {
        if (instrumented->spec_ids[i] != WS_NONE)
            entries[count++] = (VkSpecializationMapEntry){instrumented->spec_ids[i],
                                                          i * (uint32_t)sizeof(values[0]), sizeof(values[0])};
    }
    /* Our ids are free in the module, so an entry of the application for one of them means nothing; but
     * ids may not come twice (VUID-VkSpecializationInfo-constantID-04911). */
    for (uint32_t i = 0; i < original->mapEntryCount; i++) {
        if (is_ours(instrumented, original->pMapEntries[i].constantID))
            continue;
        entries[count] = original->pMapEntries[i];
        entries[count++].offset += (uint32_t)sizeof(values);
    }
    info->mapEntryCount = count;
    info->pMapEntries = entries;
    info->dataSize = sizeof(values) + original->dataSize;
    info->pData = data;
    return true;
}

/* Why an entry point without counter rows has none. */
static const char *explain(const struct ws_settings *settings, const struct ws_entry_info *info)
{
    if (info->no_place)
        return "it holds no place that the passes want";
    return settings->stages != 0 && (settings->stages & info->stage) == 0
               ? "its stage is not chosen by the setting stages"
               : "none of its sites can be instrumented";
}

/* Prepares an instrumented shader: slot, counters, specialization. False and `error`, which says why not. */
static bool prepare(struct ws_device *device, struct ws_shader *shader, uint64_t hash, uint32_t entry,
                    const VkSpecializationInfo *specialization, struct ws_error *error)
{
    const struct ws_cached_module *module = shader->module;
    if (module->reason[0] != '\0')
        return ws_error_set(error, "%s", module->reason);
    if (entry == WS_NONE)
        return ws_error_set(error, "its module has no such entry point");
    const struct ws_entry_info *info = &module->instrumented->entries[entry];
    if (info->row_count == 0)
        return ws_error_set(error, "%s", explain(device->settings, info));
    shader->records = has_records(module->instrumented, info);
    if (shader->records && !ws_control_block_require(device, error))
        return false;
    const uint32_t slot = take_slot(device->shaders, hash);
    if (slot == WS_NONE)
        return ws_error_set(error, "all %u slots are taken", WS_SLOT_COUNT);
    if (!ws_counters_allocate(device, slot, info->row_first, info->row_count, &shader->counters, error))
        return false;
    shader->slot = slot;
    if (!specialize(&shader->specialization, device, shader, specialization)) {
        shader->slot = WS_NONE;
        return ws_error_set(error, "out of memory");
    }
    shader->row_first = info->row_first;
    shader->row_count = info->row_count;
    return true;
}

static void make(struct ws_device *device, struct node *node, const struct ws_spirv *spirv, uint32_t stage,
                 const char *name, const VkSpecializationInfo *specialization,
                 const struct constants *constants)
{
    struct ws_shader *shader = &node->shader;
    struct ws_capture *capture = device->capture;
    struct ws_error error = {0};
    shader->capture_id = ws_capture_next(&capture->next_shader);
    shader->stage = stage;
    shader->slot = WS_NONE;

    uint32_t entry = WS_NONE;
    if (shader->module->instrumented != NULL)
        entry = find_entry(shader->module->instrumented, stage, name);
    bool ready =
        is_chosen(device->settings, spirv, name) || ws_error_set(&error, "not chosen by the setting shaders");
    ready = ready && prepare(device, shader, node->hash, entry, specialization, &error);

    const struct ws_chunk_shader chunk = {
        .id = shader->capture_id,
        .module = shader->module->capture_id,
        .entry = ready ? entry : WS_NONE,
        .stage = stage,
        .name = name,
        .specialization = constants->items,
        .specialization_count = constants->count,
    };
    struct ws_error failure = {0};
    ws_capture_check(device->instance, ws_capture_write_shader(capture->writer, &chunk, &failure), &failure);
    const bool no_place = entry != WS_NONE && shader->module->instrumented->entries[entry].no_place;
    if (!ready)
        ws_capture_skip(capture, no_place ? WS_SKIP_NO_PLACE : WS_SKIP_SHADER, shader->capture_id, WS_NONE,
                        WS_NONE, 1, error.message);
}

static struct node *find_or_add(struct ws_shader_table *table, uint64_t hash)
{
    struct node *node;
    ws_lock(&table->lock);
    HASH_FIND(hh, table->nodes, &hash, sizeof(hash), node);
    if (node == NULL && (node = calloc(1, sizeof(*node))) != NULL) {
        node->hash = hash;
        HASH_ADD(hh, table->nodes, hash, sizeof(hash), node);
        if (node->hh.tbl != NULL) {
            ws_lock_init(&node->lock);
        } else {
            free(node);
            node = NULL;
        }
    }
    ws_unlock(&table->lock);
    return node;
}

struct ws_shader *ws_shader_get(struct ws_device *device, const struct ws_spirv *spirv, uint32_t stage,
                                const char *entry, const VkSpecializationInfo *specialization)
{
    struct constants constants;
    struct ws_shader *shader = NULL;
    if (!read_constants(&constants, specialization))
        return NULL;
    struct ws_cached_module *module = ws_module_cache_get(device, spirv);
    struct node *node =
        module != NULL ? find_or_add(device->shaders, hash_shader(spirv, stage, entry, &constants)) : NULL;
    if (node != NULL) {
        ws_lock(&node->lock);
        if (!node->done) {
            node->shader.module = module;
            make(device, node, spirv, stage, entry, specialization, &constants);
        }
        node->done = true;
        ws_unlock(&node->lock);
        shader = &node->shader;
    }
    free(constants.items);
    return shader;
}

/* The first node, or the one after `node`. Nodes are added at the end and stay as long as the table. */
static struct node *following(struct ws_shader_table *table, const struct node *node)
{
    ws_lock(&table->lock);
    struct node *next = node == NULL ? table->nodes : node->hh.next;
    ws_unlock(&table->lock);
    return next;
}

struct ws_shader *ws_shader_find(struct ws_device *device, uint32_t capture_id)
{
    /* Who makes a shader holds the node's lock when it takes the table's. So this function never holds
     * both. */
    struct node *node = NULL;
    while ((node = following(device->shaders, node)) != NULL) {
        ws_lock(&node->lock);
        const bool found = node->done && node->shader.row_count > 0 && node->shader.capture_id == capture_id;
        ws_unlock(&node->lock);
        if (found)
            return &node->shader;
    }
    return NULL;
}
