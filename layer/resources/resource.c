#include "layer/resources/resource.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer/core/capture.h"
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/objects.h"
#include "layer/core/vulkan_newer.h"
#include "layer/process/lock.h"
#include "warpscope/base/array.h"

/* Someone else's process must not exit because a map cannot grow: uthash then leaves the element out. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define PIECE 65536u /* resources of one chunk, at most */

struct entry {
    struct ws_resource about; /* its name is owned; NULL = none */
    uint64_t handle;
    bool written;                       /* the capture has its id */
    bool changed;                       /* is in the list of those to be written */
    struct entry *previous, *following; /* in that list */
    UT_hash_handle by_handle, by_id;
};

struct ws_resources {
    pthread_mutex_t lock;
    struct entry *handles[WS_RESOURCE_KINDS];
    struct entry *ids;
    struct entry *first, *last; /* to be written, in the order in which they were made or changed */
    uint32_t changed;           /* how many these are */
    uint32_t *gone;             /* ids that were written, and are no more */
    uint32_t gone_count;
    uint32_t gone_capacity;
};

struct ws_resources *ws_resources_create(void)
{
    struct ws_resources *resources = calloc(1, sizeof(*resources));
    if (resources != NULL)
        ws_lock_init(&resources->lock);
    return resources;
}

static void free_entry(struct entry *entry)
{
    free((char *)entry->about.name);
    free(entry);
}

void ws_resources_destroy(struct ws_resources *resources)
{
    struct entry *entry, *next;
    if (resources == NULL)
        return;
    HASH_ITER(by_id, resources->ids, entry, next)
    {
        HASH_DELETE(by_handle, resources->handles[entry->about.kind], entry);
        HASH_DELETE(by_id, resources->ids, entry);
        free_entry(entry);
    }
    pthread_mutex_destroy(&resources->lock);
    free(resources->gone);
    free(resources);
}

static struct entry *find(const struct ws_resources *resources, enum ws_resource_kind kind, uint64_t handle)
{
    struct entry *entry;
    HASH_FIND(by_handle, resources->handles[kind], &handle, sizeof(handle), entry);
    return entry;
}

static uint32_t find_id(const struct ws_resources *resources, enum ws_resource_kind kind, uint64_t handle)
{
    const struct entry *entry = handle != 0 ? find(resources, kind, handle) : NULL;
    return entry != NULL ? entry->about.id : WS_NONE;
}

static void note_changed(struct ws_resources *resources, struct entry *entry)
{
    if (entry->changed)
        return;
    entry->changed = true;
    entry->following = NULL;
    entry->previous = resources->last;
    if (resources->last != NULL)
        resources->last->following = entry;
    else
        resources->first = entry;
    resources->last = entry;
    resources->changed++;
}

static void note_unchanged(struct ws_resources *resources, struct entry *entry)
{
    if (!entry->changed)
        return;
    entry->changed = false;
    if (entry->previous != NULL)
        entry->previous->following = entry->following;
    else
        resources->first = entry->following;
    if (entry->following != NULL)
        entry->following->previous = entry->previous;
    else
        resources->last = entry->previous;
    resources->changed--;
}

/* Without memory the capture does not say that it is gone. */
static void note_gone(struct ws_resources *resources, uint32_t id)
{
    uint32_t *gone =
        ws_array_grow(resources->gone, &resources->gone_capacity, resources->gone_count + 1, sizeof(*gone));
    if (gone == NULL)
        return;
    resources->gone = gone;
    gone[resources->gone_count++] = id;
}

static void forget(struct ws_resources *resources, struct entry *entry)
{
    note_unchanged(resources, entry);
    HASH_DELETE(by_handle, resources->handles[entry->about.kind], entry);
    HASH_DELETE(by_id, resources->ids, entry);
    if (entry->written)
        note_gone(resources, entry->about.id);
    free_entry(entry);
}

static bool insert(struct ws_resources *resources, struct entry *entry)
{
    HASH_ADD(by_handle, resources->handles[entry->about.kind], handle, sizeof(entry->handle), entry);
    if (entry->by_handle.tbl == NULL)
        return false;
    HASH_ADD(by_id, resources->ids, about.id, sizeof(entry->about.id), entry);
    if (entry->by_id.tbl != NULL)
        return true;
    HASH_DELETE(by_handle, resources->handles[entry->about.kind], entry);
    return false;
}

void ws_resource_add(struct ws_device *device, uint64_t handle, const struct ws_resource *about)
{
    struct ws_resources *resources = device->resources;
    struct entry *entry = resources != NULL ? calloc(1, sizeof(*entry)) : NULL;
    if (entry == NULL)
        return;
    entry->about = *about;
    entry->about.name = NULL;
    entry->handle = handle;
    ws_lock(&resources->lock);
    /* One that was destroyed behind our back, as images of swapchains are. */
    struct entry *present = find(resources, about->kind, handle);
    if (present != NULL)
        forget(resources, present);
    entry->about.id = ws_capture_next(&device->capture->next_resource);
    if (entry->about.id != WS_NONE && insert(resources, entry)) {
        note_changed(resources, entry);
        entry = NULL;
    }
    ws_unlock(&resources->lock);
    free(entry);
}

void ws_resource_remove(struct ws_device *device, enum ws_resource_kind kind, uint64_t handle)
{
    struct ws_resources *resources = device->resources;
    if (resources == NULL || handle == 0)
        return;
    ws_lock(&resources->lock);
    struct entry *entry = find(resources, kind, handle);
    if (entry != NULL)
        forget(resources, entry);
    ws_unlock(&resources->lock);
}

void ws_resource_place(struct ws_device *device, enum ws_resource_kind kind, uint64_t handle,
                       VkDeviceMemory memory, VkDeviceSize offset)
{
    struct ws_resources *resources = device->resources;
    if (resources == NULL)
        return;
    ws_lock(&resources->lock);
    struct entry *entry = find(resources, kind, handle);
    if (entry != NULL) {
        entry->about.within = find_id(resources, WS_RESOURCE_ALLOCATION, WS_HANDLE(memory));
        entry->about.offset = offset;
        note_changed(resources, entry);
    }
    ws_unlock(&resources->lock);
}

bool ws_resource_was_bound(VkResult result, const void *next)
{
    const VkBindMemoryStatusKHR *status = ws_chain_find(next, VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR);
    return result == VK_SUCCESS ||
           (status != NULL && status->pResult != NULL && *status->pResult == VK_SUCCESS);
}

void ws_resource_set_address(struct ws_device *device, VkBuffer buffer, VkDeviceAddress address)
{
    struct ws_resources *resources = device->resources;
    if (resources == NULL)
        return;
    ws_lock(&resources->lock);
    struct entry *entry = find(resources, WS_RESOURCE_BUFFER, WS_HANDLE(buffer));
    if (entry != NULL && entry->about.address != address) {
        entry->about.address = address;
        note_changed(resources, entry);
    }
    ws_unlock(&resources->lock);
}

void ws_resource_set_name(struct ws_device *device, enum ws_resource_kind kind, uint64_t handle,
                          const char *name)
{
    struct ws_resources *resources = device->resources;
    char *kept = resources != NULL ? strdup(name) : NULL;
    if (kept == NULL)
        return;
    ws_lock(&resources->lock);
    struct entry *entry = find(resources, kind, handle);
    if (entry != NULL && strcmp(entry->about.name != NULL ? entry->about.name : "", name) != 0) {
        free((char *)entry->about.name);
        entry->about.name = kept;
        kept = NULL;
        note_changed(resources, entry);
    }
    ws_unlock(&resources->lock);
    free(kept);
}

uint32_t ws_resource_find(struct ws_device *device, enum ws_resource_kind kind, uint64_t handle)
{
    struct ws_resources *resources = device->resources;
    if (resources == NULL || handle == 0)
        return WS_NONE;
    ws_lock(&resources->lock);
    const uint32_t id = find_id(resources, kind, handle);
    ws_unlock(&resources->lock);
    return id;
}

bool ws_resource_is_written(struct ws_device *device, uint32_t id)
{
    struct ws_resources *resources = device->resources;
    struct entry *entry = NULL;
    if (resources == NULL)
        return false;
    ws_lock(&resources->lock);
    HASH_FIND(by_id, resources->ids, &id, sizeof(id), entry);
    const bool written = entry != NULL && entry->written;
    ws_unlock(&resources->lock);
    return written;
}

/* By kind: what something lies in comes before it. */
static int compare(const void *left, const void *right)
{
    const struct ws_resource *a = left;
    const struct ws_resource *b = right;
    if (a->kind != b->kind)
        return a->kind > b->kind ? 1 : -1;
    return (a->id > b->id) - (a->id < b->id);
}

/* All that is to be written. An allocation may be freed before what lies in it is destroyed. */
static struct ws_resource *take_changed(struct ws_resources *resources, uint32_t *count)
{
    struct ws_resource *list = calloc((size_t)resources->changed + 1, sizeof(*list));
    *count = 0;
    while (list != NULL && resources->first != NULL) {
        struct entry *entry = resources->first;
        list[(*count)++] = entry->about;
        entry->written = true;
        note_unchanged(resources, entry);
    }
    if (*count > 1)
        qsort(list, *count, sizeof(*list), compare);
    for (uint32_t i = 0; i < *count; i++) {
        struct entry *within = NULL;
        HASH_FIND(by_id, resources->ids, &list[i].within, sizeof(list[i].within), within);
        if (within == NULL || !within->written)
            list[i].within = WS_NONE;
    }
    return list;
}

/* The names are the entries', so the chunk is written with the lock held: without an instance no code of the application
 * runs. */
void ws_resources_write(struct ws_device *device, uint64_t moment)
{
    struct ws_resources *resources = device->resources;
    struct ws_error error = {0};
    if (resources == NULL)
        return;
    ws_lock(&resources->lock);
    uint32_t count = 0;
    struct ws_resource *list =
        resources->changed > 0 || resources->gone_count > 0 ? take_changed(resources, &count) : NULL;
    for (uint32_t i = 0; list != NULL && (i < count || resources->gone_count > 0); i += PIECE) {
        const struct ws_chunk_resources chunk = {
            .device = device->capture_id,
            .moment = moment,
            .resources = &list[i],
            .resource_count = count - i < PIECE ? count - i : PIECE,
            .gone = resources->gone,
            .gone_count = resources->gone_count,
        };
        ws_capture_check(NULL, ws_capture_write_resources(device->capture->writer, &chunk, &error), &error);
        resources->gone_count = 0;
    }
    ws_unlock(&resources->lock);
    free(list);
}
