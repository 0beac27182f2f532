#include "layer/shader/module_cache.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/probes.h"
#include "layer/core/settings.h"
#include "layer/process/lock.h"
#include "layer/process/write.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>
#include <utlist.h>

struct node {
    struct ws_cached_module module;
    uint64_t key;    /* module.hash, or the next that was free where another module has the same hash */
    uint32_t *words; /* the application's */
    size_t word_count;
    pthread_mutex_t lock; /* held while the module is instrumented; guards `done` */
    bool done;
    /* The cache's lock guards these. */
    bool written; /* is in the capture */
    uint32_t users;
    struct node *prev, *next; /* among those without users */
    UT_hash_handle hh;        /* by key */
};

struct ws_module_cache {
    pthread_mutex_t lock; /* guards the rest */
    struct node *nodes;
    struct node *unused; /* without users, the one that lost them first at the head */
    size_t unused_size;  /* their bytes */
};

struct ws_module_cache *ws_module_cache_create(void)
{
    struct ws_module_cache *cache = calloc(1, sizeof(*cache));
    if (cache != NULL)
        ws_lock_init(&cache->lock);
    return cache;
}

static void destroy(struct node *node)
{
    ws_instrumented_destroy(node->module.instrumented);
    free(node->module.early_words);
    pthread_mutex_destroy(&node->lock);
    free(node->words);
    free(node);
}

void ws_cached_modules_destroy(struct ws_device *device, struct ws_cached_module *list)
{
    while (list != NULL) {
        struct ws_cached_module *module = list;
        list = module->following;
        const VkShaderModule made = atomic_load(&module->module);
        const VkShaderModule early = atomic_load(&module->early_module);
        if (made != VK_NULL_HANDLE)
            device->next.DestroyShaderModule(device->handle, made, NULL);
        if (early != VK_NULL_HANDLE)
            device->next.DestroyShaderModule(device->handle, early, NULL);
        destroy((struct node *)module); /* its first member */
    }
}

void ws_module_cache_destroy(struct ws_device *device, struct ws_module_cache *cache)
{
    if (cache == NULL)
        return;
    struct node *node, *next;
    HASH_ITER(hh, cache->nodes, node, next)
    {
        HASH_DEL(cache->nodes, node);
        node->module.following = NULL;
        ws_cached_modules_destroy(device, &node->module);
    }
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static size_t size_of(const struct node *node)
{
    const struct ws_instrumented *instrumented = node->module.instrumented;
    return (node->word_count + (instrumented != NULL ? instrumented->word_count : 0) +
            node->module.early_word_count) *
           sizeof(uint32_t);
}

struct ws_cached_module *ws_module_cache_release(struct ws_module_cache *cache,
                                                 struct ws_cached_module *module)
{
    struct node *node = (struct node *)module; /* its first member */
    struct ws_cached_module *freed = NULL;
    ws_lock(&cache->lock);
    if (--node->users == 0) {
        DL_APPEND(cache->unused, node);
        cache->unused_size += size_of(node);
    }
    while (cache->unused_size > WS_MODULES_KEPT) {
        struct node *oldest = cache->unused;
        DL_DELETE(cache->unused, oldest);
        HASH_DEL(cache->nodes, oldest);
        cache->unused_size -= size_of(oldest);
        oldest->module.following = freed;
        freed = &oldest->module;
    }
    ws_unlock(&cache->lock);
    return freed;
}

static struct node *create(const struct ws_spirv *spirv)
{
    struct node *node = calloc(1, sizeof(*node));
    if (node == NULL)
        return NULL;
    node->words = malloc(spirv->word_count * sizeof(*node->words) + 1);
    if (node->words == NULL) {
        free(node);
        return NULL;
    }
    if (spirv->word_count > 0)
        memcpy(node->words, spirv->words, spirv->word_count * sizeof(*node->words));
    node->word_count = spirv->word_count;
    node->module.hash = spirv->hash;
    ws_lock_init(&node->lock);
    return node;
}

/* The node of these words, NULL when there is none. Two modules may have the same hash: then the second stands
 * at the next key that is free, `*key`. With the cache's lock held. */
static struct node *find(struct ws_module_cache *cache, const struct ws_spirv *spirv, uint64_t *key)
{
    struct node *node;
    for (*key = spirv->hash;; ++*key) {
        HASH_FIND(hh, cache->nodes, key, sizeof(*key), node);
        if (node == NULL ||
            (node->word_count == spirv->word_count &&
             memcmp(node->words, spirv->words, spirv->word_count * sizeof(*node->words)) == 0))
            return node;
    }
}

/* The same, with one more user, made when it is new; NULL when there is no memory. */
static struct node *find_or_add(struct ws_module_cache *cache, const struct ws_spirv *spirv)
{
    uint64_t key;
    ws_lock(&cache->lock);
    struct node *node = find(cache, spirv, &key);
    if (node != NULL && node->users == 0) {
        DL_DELETE(cache->unused, node);
        cache->unused_size -= size_of(node);
    } else if (node == NULL && (node = create(spirv)) != NULL) {
        node->key = key;
        HASH_ADD(hh, cache->nodes, key, sizeof(key), node);
        if (node->hh.tbl == NULL) {
            destroy(node);
            node = NULL;
        }
    }
    if (node != NULL)
        node->users++;
    ws_unlock(&cache->lock);
    return node;
}

/* Writes words to <dump_shaders>/<hash><suffix>. */
static void dump(struct ws_device *device, uint64_t hash, const char *suffix, const uint32_t *words,
                 size_t word_count)
{
    const char *folder = device->settings->dump_shaders;
    char path[4096];
    if (folder[0] == '\0')
        return;
    mkdir(folder, 0777); /* where it fails, opening the file says why */
    snprintf(path, sizeof(path), "%s/%016" PRIx64 "%s", folder, hash, suffix);
    const char *why;
    if (!ws_write_file(path, words, word_count * sizeof(*words), &why))
        ws_message(device->instance, WS_WARNING, "cannot write %s: %s", path, why);
}

/* Of each entry point its yield_first and yield_count, to be freed; NULL where the module yields nothing, or there is no
 * memory (`*whole` is false). */
static uint32_t *list_yields(const struct ws_instrumented *instrumented, bool *whole)
{
    *whole = true;
    if (instrumented->yield_count == 0)
        return NULL;
    uint32_t *yields = calloc(instrumented->entry_count, 2 * sizeof(*yields));
    *whole = yields != NULL;
    for (uint32_t i = 0; yields != NULL && i < instrumented->entry_count; i++) {
        yields[2 * i] = instrumented->entries[i].yield_first;
        yields[2 * i + 1] = instrumented->entries[i].yield_count;
    }
    return yields;
}

/* Of each pass the first word of its area per shader, to be freed; NULL without memory. */
static uint32_t *list_shared(const struct ws_probe_list *probes, const struct ws_instrumented *instrumented,
                             bool *whole)
{
    uint32_t *shared = calloc(probes->pass_count, sizeof(*shared));
    *whole = shared != NULL;
    for (uint32_t i = 0; shared != NULL && i < probes->pass_count; i++) {
        const uint32_t passes = probes->pass_count - probes->count;
        shared[i] = i >= passes ? instrumented->shared_yields[i - passes] : WS_NONE;
    }
    return shared;
}

static void write_sites(struct ws_device *device, const struct ws_cached_module *module)
{
    const struct ws_instrumented *instrumented = module->instrumented;
    bool whole;
    uint32_t *yields = list_yields(instrumented, &whole);
    uint32_t *shared = yields != NULL ? list_shared(device->probes, instrumented, &whole) : NULL;
    if (!whole)
        ws_message(device->instance, WS_ERROR,
                   "what probes yield in module %016" PRIx64 " is lost: out of memory", module->hash);
    const struct ws_chunk_sites sites = {
        .module = module->capture_id,
        .row_count = instrumented->row_count,
        .passes = device->probes->passes,
        .pass_count = device->probes->pass_count,
        .entries = instrumented->entries,
        .entry_count = instrumented->entry_count,
        .blocks = instrumented->blocks,
        .block_count = instrumented->block_count,
        .sites = instrumented->sites,
        .site_count = instrumented->site_count,
        .yields = yields,
        .yield_count = yields != NULL ? 2 * instrumented->entry_count : 0,
        .shared_yields = shared,
        .shared_yield_count = shared != NULL ? device->probes->pass_count : 0,
        .fixed = instrumented->fixed,
        .fixed_count = instrumented->fixed_count,
    };
    struct ws_error error = {0};
    ws_capture_check(device->instance, ws_capture_write_sites(device->capture->writer, &sites, &error),
                     &error);
    free(yields);
    free(shared);
    for (uint32_t i = 0; i < instrumented->skip_count; i++) {
        const struct ws_skip_info *skip = &instrumented->skips[i];
        if (skip->no_records && skip->pass != WS_NONE)
            ws_message(device->instance, WS_WARNING, "the pass %s records nothing: %s",
                       device->probes->passes[skip->pass], skip->reason);
        ws_capture_skip_sites(device->capture, module->capture_id, skip);
    }
}

static void write_module(struct ws_device *device, const struct ws_cached_module *module,
                         const struct ws_spirv *spirv)
{
    const struct ws_chunk_module chunk = {
        .id = module->capture_id,
        .hash = module->hash,
        .name = spirv->name,
        .words = spirv->words,
        .word_count = (uint32_t)spirv->word_count,
    };
    struct ws_error error = {0};
    ws_capture_check(device->instance, ws_capture_write_module(device->capture->writer, &chunk, &error),
                     &error);
}

/* How many sites its driver compiles in tolerable time is only known of software devices. */
static uint32_t sites_budget(const struct ws_device *device)
{
    const bool known = device->properties.core.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const uint32_t chosen = device->settings->sites_budget;
    return chosen == WS_SITES_BUDGET_AUTO && !known ? 0 : chosen;
}

static void instrument(struct ws_device *device, struct ws_cached_module *module,
                       const struct ws_spirv *spirv)
{
    const struct ws_settings *settings = device->settings;
    const struct ws_instrument_options options = {
        .passes = settings->passes,
        .pass_count = settings->pass_count,
        .probes = device->probes->probes,
        .probe_count = device->probes->count,
        .capabilities = device->capabilities,
        .capability_count = device->capability_count,
        .clock = device->clock,
        .stages = settings->stages,
        .subgroup_stages = device->subgroup_stages,
        .max_sites = settings->max_sites,
        .sites_budget = sites_budget(device),
        .sample = settings->sample,
        .per_block = settings->per_block,
        .without_records = device->without_records,
        .without_sums = device->without_sums,
        .without_report_results = device->properties.driver.driverID == VK_DRIVER_ID_MESA_RADV,
    };
    struct ws_error error = {0};
    module->capture_id = ws_capture_next(&device->capture->next_module);
    module->instrumented = ws_instrument(spirv->words, spirv->word_count, &options, &error);
    write_module(device, module, spirv);
    dump(device, module->hash, ".before.spv", spirv->words, spirv->word_count);
    if (module->instrumented == NULL) {
        snprintf(module->reason, sizeof(module->reason), "%s", error.message);
        if (settings->instruments)
            ws_message(device->instance, WS_WARNING, "shader module %016" PRIx64 "%s%s is left alone: %s",
                       module->hash, spirv->name[0] != '\0' ? " " : "", spirv->name, error.message);
        return;
    }
    write_sites(device, module);
    if (ws_instrumented_can_be_early(module->instrumented))
        module->early_words = ws_instrumented_early(module->instrumented, &module->early_word_count);
    if (module->instrumented->words != NULL)
        dump(device, module->hash, ".after.spv", module->instrumented->words,
             module->instrumented->word_count);
}

struct ws_cached_module *ws_module_cache_get(struct ws_device *device, const struct ws_spirv *spirv)
{
    struct node *node = find_or_add(device->modules, spirv);
    if (node == NULL)
        return NULL;
    ws_lock(&node->lock);
    if (!node->done) {
        instrument(device, &node->module, spirv);
        ws_lock(&device->modules->lock);
        node->written = true;
        ws_unlock(&device->modules->lock);
    }
    node->done = true;
    ws_unlock(&node->lock);
    return &node->module;
}

uint32_t ws_module_cache_find(struct ws_module_cache *cache, const struct ws_spirv *spirv)
{
    uint64_t key;
    ws_lock(&cache->lock);
    const struct node *node = find(cache, spirv, &key);
    const uint32_t id = node != NULL && node->written ? node->module.capture_id : WS_NONE;
    ws_unlock(&cache->lock);
    return id;
}

const uint32_t *ws_cached_module_original(const struct ws_cached_module *module, size_t *word_count)
{
    const struct node *node = (const struct node *)module; /* its first member */
    *word_count = node->word_count;
    return node->words;
}

const uint32_t *ws_cached_module_words(const struct ws_cached_module *module, bool early, size_t *word_count)
{
    *word_count = early ? module->early_word_count : module->instrumented->word_count;
    return early ? module->early_words : module->instrumented->words;
}

VkShaderModule ws_cached_module_handle(struct ws_device *device, struct ws_cached_module *module, bool early)
{
    VkShaderModule _Atomic *handle = early ? &module->early_module : &module->module;
    VkShaderModule present = atomic_load(handle);
    size_t word_count;
    if (present != VK_NULL_HANDLE)
        return present;
    const uint32_t *words = ws_cached_module_words(module, early, &word_count);
    const VkShaderModuleCreateInfo create_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = word_count * sizeof(uint32_t),
        .pCode = words,
    };
    VkShaderModule made;
    if (device->next.CreateShaderModule(device->handle, &create_info, NULL, &made) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    /* Another thread may have made one at the same time: then that one is used. */
    if (atomic_compare_exchange_strong(handle, &present, made))
        return made;
    device->next.DestroyShaderModule(device->handle, made, NULL);
    return present;
}
