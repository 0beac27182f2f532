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
#include "passes/spirv/written_images.h"

/* A specialization as the capture has it, sorted by constant id. */
struct constants {
    struct ws_specialization *items;
    uint32_t count;
};

struct node {
    struct ws_shader shader;
    uint64_t hash; /* of module, stage, entry point and specialization: where its slot is looked for */
    uint64_t key;  /* `hash`, or the next that was free where another shader has the same hash */
    char *entry;
    struct constants constants;
    pthread_mutex_t lock; /* held while the shader is made or prepared */
    bool written;         /* is in the capture; guarded by `lock` */
    /* The table's lock guards these. */
    bool ready;        /* it has a slot, or cannot have one, as long as it has references */
    bool uses;         /* it is a user of its module: as long as it has references */
    UT_hash_handle hh; /* by key */
};

struct ws_shader_table {
    pthread_mutex_t lock;      /* guards the rest */
    struct node *nodes;        /* by key */
    bool slots[WS_SLOT_COUNT]; /* true = taken */
};

/* Accepts a zeroed struct. */
static void specialization_finish(VkSpecializationInfo *info)
{
    free((void *)info->pMapEntries);
    free((void *)info->pData);
    memset(info, 0, sizeof(*info));
}

static void destroy(struct node *node)
{
    pthread_mutex_destroy(&node->lock);
    specialization_finish(&node->shader.specialization);
    free(node->constants.items);
    free(node->shader.images);
    free(node->entry);
    free(node);
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
        destroy(node);
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
static uint64_t hash_shader(const struct ws_spirv *spirv, uint32_t stage, const char *entry, bool early,
                            const struct constants *constants)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &spirv->hash, sizeof(spirv->hash));
    XXH3_64bits_update(&state, &stage, sizeof(stage));
    XXH3_64bits_update(&state, entry, strlen(entry) + 1);
    if (early)
        XXH3_64bits_update(&state, "early", 5);
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

#define DESCRIBED 4

char *ws_shaders_describe(struct ws_shader *const *shaders, uint32_t count, uint32_t *sites)
{
    char text[DESCRIBED * 96];
    size_t length = 0;
    uint32_t found = 0;
    *sites = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ws_shader *shader = shaders[i];
        if (shader == NULL || shader->row_count == 0)
            continue;
        if (shader->module->instrumented->site_count > *sites)
            *sites = shader->module->instrumented->site_count;
        if (found++ >= DESCRIBED)
            continue;
        length +=
            (size_t)snprintf(text + length, sizeof(text) - length, "%s%s %016" PRIx64 " (%" PRIu32 " sites)",
                             length > 0 ? ", " : "", ws_stage_name(shader->stage), shader->module->hash,
                             shader->module->instrumented->site_count);
    }
    if (found > DESCRIBED)
        snprintf(text + length, sizeof(text) - length, " and %" PRIu32 " more", found - DESCRIBED);
    return found > 0 ? strdup(text) : NULL;
}

/* Whether the setting `shaders` chooses a shader: some pattern does, or there are only patterns with ! before them; and
 * none of the latter does. */
static bool is_chosen(const struct ws_settings *settings, const struct ws_spirv *spirv, const char *entry)
{
    char hash[17];
    char pattern[256];
    const char *rest = settings->shaders;
    snprintf(hash, sizeof(hash), "%016" PRIx64, spirv->hash);
    bool any = false;
    bool chosen = false;
    while (*(rest += strspn(rest, ", \t")) != '\0') {
        const size_t length = strcspn(rest, ", \t");
        snprintf(pattern, sizeof(pattern), "%.*s", (int)length, rest);
        const bool excludes = pattern[0] == '!';
        const char *names = pattern + (excludes ? 1 : 0);
        const bool matches = fnmatch(names, spirv->name, 0) == 0 || fnmatch(names, hash, 0) == 0 ||
                             fnmatch(names, entry, 0) == 0;
        if (excludes && matches)
            return false;
        any = any || !excludes;
        chosen = chosen || (matches && !excludes);
        rest += length;
    }
    return chosen || !any;
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
        [WS_SPEC_CONTROL] = ws_root_control_buffer(device) != VK_NULL_HANDLE ? WS_ROOT_CONTROL : 0,
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
               : "every place there that the passes want is left out";
}

/* Whether a shader can be instrumented as far as its module and the settings go. False and `error`, which
 * says why not. */
static bool is_able(struct ws_device *device, const struct ws_spirv *spirv, const char *name,
                    const struct ws_cached_module *module, uint32_t entry, struct ws_error *error)
{
    if (!is_chosen(device->settings, spirv, name))
        return ws_error_set(error, "not chosen by the setting shaders");
    if (module->reason[0] != '\0')
        return ws_error_set(error, "%s", module->reason);
    if (entry == WS_NONE)
        return ws_error_set(error, "its module has no such entry point");
    const struct ws_entry_info *info = &module->instrumented->entries[entry];
    return info->row_count > 0 || ws_error_set(error, "%s", explain(device->settings, info));
}

/* The joint rows of a module: what parts are behind its own rows (instrument.h, struct ws_row_part). */
static uint32_t count_joint_rows(const struct ws_instrumented *instrumented)
{
    uint32_t end = instrumented->row_count;
    for (uint32_t i = 0; i < instrumented->part_count; i++)
        end = instrumented->parts[i].part < end ? end : instrumented->parts[i].part + 1;
    return end - instrumented->row_count;
}

/* Gives a shader that can be instrumented its slot, counters and specialization. False and `error`, which
 * says what there is too little of; what it got goes back with its last reference. */
static bool prepare(struct ws_device *device, struct ws_shader *shader, uint64_t hash, uint32_t entry,
                    const VkSpecializationInfo *specialization, struct ws_error *error)
{
    const struct ws_instrumented *instrumented = shader->module->instrumented;
    const struct ws_entry_info *info = &instrumented->entries[entry];
    shader->records = has_records(instrumented, info);
    if (shader->records && !ws_control_block_require(device, error))
        return false;
    const uint32_t slot = take_slot(device->shaders, hash);
    if (slot == WS_NONE)
        return ws_error_set(error,
                            "the program has more than the %u shaders that can be counted at a time; choose "
                            "some (--shaders, --stages)",
                            WS_SLOT_COUNT);
    shader->slot = slot;
    struct ws_entry_info rows = *info;
    rows.row_count += count_joint_rows(instrumented);
    if (!ws_counters_allocate(device, slot, &rows, &shader->counters, error))
        return false;
    if (!specialize(&shader->specialization, device, shader, specialization))
        return ws_error_set(error, "out of memory");
    shader->row_first = info->row_first;
    shader->row_count = info->row_count;
    shader->joint_count = rows.row_count - info->row_count;
    shader->parts = instrumented->parts;
    shader->part_count = instrumented->part_count;
    shader->sample = info->sampled ? device->settings->sample : 1;
    shader->launch_row = info->launch_row;
    shader->yield_first = info->yield_first;
    shader->yield_count = info->yield_count;
    return true;
}

/* What counting did to the depth and stencil tests of an instrumented shader: WS_SHADER_*. */
static uint32_t tests_of(const struct ws_shader *shader, uint32_t entry)
{
    if (shader->early)
        return WS_SHADER_EARLY_TESTS;
    return shader->module->instrumented->entries[entry].tests == WS_TESTS_UNCHANGED ? 0
                                                                                    : WS_SHADER_LATE_TESTS;
}

static void write_shader(struct ws_device *device, const struct node *node, uint32_t entry)
{
    const struct ws_shader *shader = &node->shader;
    const struct ws_chunk_shader chunk = {
        .id = shader->capture_id,
        .module = shader->module->capture_id,
        .entry = entry,
        .stage = shader->stage,
        .name = node->entry,
        .specialization = node->constants.items,
        .specialization_count = node->constants.count,
        .flags = entry == WS_NONE ? 0 : tests_of(shader, entry),
    };
    struct ws_error error = {0};
    ws_capture_check(device->instance, ws_capture_write_shader(device->capture->writer, &chunk, &error),
                     &error);
}

/* Makes the shader ready: writes it to the capture, the first time, and gives it what it needs. One for which
 * there was no slot or memory is written anew when the application makes it again: it may have more luck
 * then. */
static void make(struct ws_device *device, struct node *node, const struct ws_spirv *spirv,
                 const VkSpecializationInfo *specialization)
{
    struct ws_shader *shader = &node->shader;
    const struct ws_cached_module *module = shader->module;
    struct ws_error error = {0};
    uint32_t entry = WS_NONE;
    if (device->settings->image && !shader->images_known)
        shader->images_known = ws_written_images_find(spirv->words, spirv->word_count, node->entry,
                                                      &shader->images, &shader->image_count);
    if (module->instrumented != NULL)
        entry = find_entry(module->instrumented, shader->stage, node->entry);
    const bool able = is_able(device, spirv, node->entry, module, entry, &error);
    const bool ready = able && prepare(device, shader, node->hash, entry, specialization, &error);
    const bool written = node->written;
    if (!written) {
        shader->capture_id = ws_capture_next(&device->capture->next_shader);
        write_shader(device, node, ready ? entry : WS_NONE);
    }
    node->written = written || ready || !able;
    const bool no_place = entry != WS_NONE && module->instrumented->entries[entry].no_place;
    if (device->settings->instruments && !ready && (able || !written))
        ws_capture_skip(device->capture, no_place ? WS_SKIP_NO_PLACE : WS_SKIP_SHADER, shader->capture_id,
                        WS_NONE, WS_NONE, 1, error.message);
}

/* Takes a user from a module. Frees the shaders of modules that are freed: they have no references. */
static void release_module(struct ws_device *device, struct ws_cached_module *module)
{
    struct ws_shader_table *table = device->shaders;
    struct ws_cached_module *freed = ws_module_cache_release(device->modules, module);
    if (freed == NULL)
        return;
    ws_lock(&table->lock);
    for (struct ws_cached_module *one = freed; one != NULL; one = one->following)
        while (one->shaders != NULL) {
            struct node *node = (struct node *)one->shaders; /* its first member */
            one->shaders = node->shader.sibling;
            HASH_DEL(table->nodes, node);
            destroy(node);
        }
    ws_unlock(&table->lock);
    ws_cached_modules_destroy(device, freed);
}

/* Takes back what a shader without references has. With the table's lock held. */
static void give_back(struct ws_shader_table *table, struct node *node)
{
    struct ws_shader *shader = &node->shader;
    if (shader->slot != WS_NONE) {
        ws_counters_free(shader->device, shader->slot, &shader->counters);
        table->slots[shader->slot] = false;
    }
    specialization_finish(&shader->specialization);
    shader->slot = WS_NONE;
    shader->row_first = shader->row_count = shader->joint_count = 0;
    shader->yield_first = shader->yield_count = 0;
    shader->zeroing = 0;
    node->ready = false;
    node->uses = false;
}

static bool is_same(const struct node *node, const struct ws_cached_module *module, uint32_t stage,
                    const char *entry, bool early, const struct constants *constants)
{
    if (node->shader.module != module || node->shader.early != early || node->shader.stage != stage ||
        strcmp(node->entry, entry) != 0 || node->constants.count != constants->count)
        return false;
    for (uint32_t i = 0; i < constants->count; i++) {
        const struct ws_specialization *a = &node->constants.items[i];
        const struct ws_specialization *b = &constants->items[i];
        if (a->constant_id != b->constant_id || a->size != b->size || a->value != b->value)
            return false;
    }
    return true;
}

/* A new node, which takes over the constants; NULL when there is no memory. */
static struct node *create(struct ws_device *device, struct ws_cached_module *module, uint32_t stage,
                           const char *entry, struct constants *constants)
{
    struct node *node = calloc(1, sizeof(*node));
    if (node == NULL)
        return NULL;
    node->entry = strdup(entry);
    if (node->entry == NULL) {
        free(node);
        return NULL;
    }
    node->constants = *constants;
    *constants = (struct constants){0};
    node->shader.device = device;
    node->shader.module = module;
    node->shader.stage = stage;
    node->shader.slot = WS_NONE;
    ws_lock_init(&node->lock);
    return node;
}

/* The node of a shader, with a reference for the caller, made when it is new; NULL when there is no memory. It
 * becomes the user of the module that the caller is, unless it has been one before (`*used`).
 * Two shaders may have the same hash: then the second stands at the next key that is free. */
static struct node *find_or_add(struct ws_device *device, uint64_t hash, struct ws_cached_module *module,
                                uint32_t stage, const char *entry, bool early, struct constants *constants,
                                bool *used)
{
    struct ws_shader_table *table = device->shaders;
    struct node *node;
    uint64_t key = hash;
    ws_lock(&table->lock);
    for (;; key++) {
        HASH_FIND(hh, table->nodes, &key, sizeof(key), node);
        if (node == NULL || is_same(node, module, stage, entry, early, constants))
            break;
    }
    if (node == NULL && (node = create(device, module, stage, entry, constants)) != NULL) {
        node->shader.early = early;
        node->hash = hash;
        node->key = key;
        HASH_ADD(hh, table->nodes, key, sizeof(key), node);
        if (node->hh.tbl == NULL) {
            destroy(node);
            node = NULL;
        } else {
            node->shader.sibling = module->shaders;
            module->shaders = &node->shader;
        }
    }
    *used = node == NULL || node->uses;
    if (node != NULL) {
        node->shader.references++;
        node->uses = true;
    }
    ws_unlock(&table->lock);
    return node;
}

/* Whether the module has early tests for the entry point. */
static bool can_be_early(const struct ws_cached_module *module, uint32_t stage, const char *entry)
{
    if (module == NULL || module->early_words == NULL)
        return false;
    const uint32_t index = find_entry(module->instrumented, stage, entry);
    return index != WS_NONE && module->instrumented->entries[index].tests == WS_TESTS_CAN_BE_EARLY;
}

struct ws_shader *ws_shader_get(struct ws_device *device, const struct ws_spirv *spirv, uint32_t stage,
                                const char *entry, const VkSpecializationInfo *specialization, bool early)
{
    struct constants constants;
    if (!read_constants(&constants, specialization))
        return NULL;
    struct ws_cached_module *module = ws_module_cache_get(device, spirv);
    early = early && can_be_early(module, stage, entry);
    const uint64_t hash = hash_shader(spirv, stage, entry, early, &constants);
    bool used = false;
    struct node *node =
        module != NULL ? find_or_add(device, hash, module, stage, entry, early, &constants, &used) : NULL;
    free(constants.items);
    if (module != NULL && used)
        release_module(device, module);
    if (node == NULL)
        return NULL;
    ws_lock(&node->lock);
    ws_lock(&device->shaders->lock);
    const bool ready = node->ready;
    ws_unlock(&device->shaders->lock);
    if (!ready) {
        make(device, node, spirv, specialization);
        ws_lock(&device->shaders->lock);
        node->ready = true;
        ws_unlock(&device->shaders->lock);
    }
    ws_unlock(&node->lock);
    return &node->shader;
}

struct ws_shader *ws_shader_reference(struct ws_shader *shader)
{
    shader->references++;
    return shader;
}

/* The last reference is taken away with the lock held: else another thread might get the shader, release it and
 * have it freed before this one has the lock. */
void ws_shader_release(struct ws_shader *shader)
{
    if (shader == NULL)
        return;
    uint32_t references = shader->references;
    while (references > 1)
        if (atomic_compare_exchange_weak(&shader->references, &references, references - 1))
            return;
    struct ws_device *device = shader->device;
    struct ws_cached_module *module = shader->module;
    ws_lock(&device->shaders->lock);
    const bool unused = --shader->references == 0;
    if (unused)
        give_back(device->shaders, (struct node *)shader); /* its first member */
    ws_unlock(&device->shaders->lock);
    if (unused)
        release_module(device, module);
}

const char *ws_shader_entry(const struct ws_shader *shader)
{
    return ((const struct node *)shader)->entry; /* its first member */
}

const struct ws_specialization *ws_shader_constants(const struct ws_shader *shader, uint32_t *count)
{
    const struct constants *constants = &((const struct node *)shader)->constants;
    *count = constants->count;
    return constants->items;
}
