#include "layer/ray_tracing/structure.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer/commands/readback.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/process/lock.h"
#include "layer/ray_tracing/micromap.h"
#include "layer/submit/submission.h"
#include "warpscope/instrument.h"

/* Someone else's process must not exit because a map cannot grow: uthash then leaves the element out. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct structure {
    uint32_t id;
    VkAccelerationStructureKHR handle; /* VK_NULL_HANDLE: it was destroyed */
    VkAccelerationStructureTypeKHR type;
    VkDeviceSize size;
    bool addressed;              /* its buffer may have an address, and so may it */
    char *name;                  /* NULL = none */
    bool written;                /* its ASTR chunk is */
    VkDeviceAddress address;     /* 0 = not known */
    struct structure *same;      /* the next one at this address */
    uint64_t built;              /* rises with each build; 0 = it was never built */
    uint64_t destroyed;          /* number of the latest queue operation when it was destroyed */
    uint64_t moment;             /* index of the next launch when it was destroyed */
    struct structure *following; /* the next destroyed one */
    UT_hash_handle by_handle, by_id, by_address;
};

struct ws_structures {
    /* Guards all. After the submission lock, where both are held. Never held across a call of the driver: a
     * callback in it may end the process, which then flushes the capture in the same thread. */
    pthread_mutex_t lock;
    struct structure *handles;
    struct structure *ids;
    struct structure *addresses; /* the first at each address */
    struct structure *destroyed; /* in order, while submissions are pending from before */
    struct structure *last_destroyed;
    uint64_t built;
};

static struct structure *find_handle(const struct ws_structures *structures,
                                     VkAccelerationStructureKHR handle)
{
    struct structure *structure;
    HASH_FIND(by_handle, structures->handles, &handle, sizeof(handle), structure);
    return structure;
}

static struct structure *find_address(const struct ws_structures *structures, VkDeviceAddress address)
{
    struct structure *structure;
    HASH_FIND(by_address, structures->addresses, &address, sizeof(address), structure);
    return structure;
}

/* Without memory for the map no instance is found to refer to the structure. */
static void add_address(struct ws_structures *structures, struct structure *structure,
                        VkDeviceAddress address)
{
    if (address == 0 || structure->address != 0)
        return;
    structure->address = address;
    struct structure *first = find_address(structures, address);
    if (first != NULL) {
        structure->same = first->same;
        first->same = structure;
        return;
    }
    HASH_ADD(by_address, structures->addresses, address, sizeof(structure->address), structure);
}

static void remove_address(struct ws_structures *structures, struct structure *structure)
{
    struct structure *first = structure->address != 0 ? find_address(structures, structure->address) : NULL;
    if (first == NULL)
        return;
    if (first != structure) {
        while (first != NULL && first->same != structure)
            first = first->same;
        if (first != NULL)
            first->same = structure->same;
        return;
    }
    struct structure *next = structure->same;
    HASH_DELETE(by_address, structures->addresses, structure);
    if (next != NULL)
        HASH_ADD(by_address, structures->addresses, address, sizeof(next->address), next);
}

/* Frees a structure, which is no longer in the map of handles. */
static void forget(struct ws_structures *structures, struct structure *structure)
{
    remove_address(structures, structure);
    HASH_DELETE(by_id, structures->ids, structure);
    free(structure->name);
    free(structure);
}

/* Writes the ASTR chunk, if it is not written yet. After the last wanted launch the callers do so only for a
 * structure that a chunk from before refers to: programs may go on making structures for every frame. */
static void write_once(struct ws_device *device, struct structure *structure)
{
    if (structure->written)
        return;
    structure->written = true;
    const struct ws_chunk_structure chunk = {
        .id = structure->id,
        .device = device->capture_id,
        .type = structure->type,
        .size = structure->size,
        .address = structure->address,
        .name = structure->name,
    };
    struct ws_error error = {0};
    /* Without an instance no code of the application runs, so the lock may be held. */
    ws_capture_check(NULL, ws_capture_write_structure(device->capture->writer, &chunk, &error), &error);
}

/* Whether its address has to be asked for before it is written. */
static bool wants_address(const struct structure *structure)
{
    return structure != NULL && !structure->written && structure->addressed && structure->address == 0;
}

uint32_t ws_structure_find(struct ws_device *device, VkAccelerationStructureKHR handle)
{
    struct ws_structures *structures = device->structures;
    if (handle == VK_NULL_HANDLE || structures == NULL)
        return WS_NONE;
    VkDeviceAddress address = 0;
    ws_lock(&structures->lock);
    const bool asks = wants_address(find_handle(structures, handle));
    ws_unlock(&structures->lock);
    if (asks)
        address = device->next.GetAccelerationStructureDeviceAddressKHR(
            device->handle, &(VkAccelerationStructureDeviceAddressInfoKHR){
                                .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
                                .accelerationStructure = handle,
                            });
    ws_lock(&structures->lock);
    struct structure *structure = find_handle(structures, handle);
    if (structure != NULL) {
        add_address(structures, structure, address);
        write_once(device, structure);
    }
    const uint32_t id = structure != NULL ? structure->id : WS_NONE;
    ws_unlock(&structures->lock);
    return id;
}

/* Those that a trace may use were built by a command or the host, and so their chunk is written. */
static uint32_t find_written(struct ws_device *device, VkAccelerationStructureKHR handle)
{
    struct ws_structures *structures = device->structures;
    if (handle == VK_NULL_HANDLE)
        return WS_NONE;
    ws_lock(&structures->lock);
    const struct structure *structure = find_handle(structures, handle);
    const uint32_t id = structure != NULL && structure->written ? structure->id : WS_NONE;
    ws_unlock(&structures->lock);
    return id;
}

VkDeviceSize ws_structure_size(struct ws_device *device, VkAccelerationStructureKHR handle)
{
    struct ws_structures *structures = device->structures;
    ws_lock(&structures->lock);
    const struct structure *structure = find_handle(structures, handle);
    const VkDeviceSize size = structure != NULL ? structure->size : 0;
    ws_unlock(&structures->lock);
    return size;
}

uint32_t ws_structure_at_address(struct ws_device *device, VkDeviceAddress address)
{
    struct ws_structures *structures = device->structures;
    if (address == 0 || structures == NULL)
        return WS_NONE;
    ws_lock(&structures->lock);
    struct structure *found = NULL;
    for (struct structure *at = find_address(structures, address); at != NULL; at = at->same) {
        /* Of those that were never built, the one that was created last. */
        if (found == NULL || at->built > found->built || (at->built == found->built && at->id > found->id))
            found = at;
    }
    if (found != NULL)
        write_once(device, found);
    const uint32_t id = found != NULL ? found->id : WS_NONE;
    ws_unlock(&structures->lock);
    return id;
}

void ws_structure_note_built(struct ws_device *device, uint32_t id)
{
    struct ws_structures *structures = device->structures;
    if (structures == NULL)
        return;
    ws_lock(&structures->lock);
    struct structure *structure;
    HASH_FIND(by_id, structures->ids, &id, sizeof(id), structure);
    if (structure != NULL)
        structure->built = ++structures->built;
    ws_unlock(&structures->lock);
}

void ws_structure_set_name(struct ws_device *device, VkAccelerationStructureKHR handle, const char *name)
{
    struct ws_structures *structures = device->structures;
    if (structures == NULL)
        return;
    ws_lock(&structures->lock);
    struct structure *structure = find_handle(structures, handle);
    if (structure != NULL) {
        free(structure->name);
        structure->name = strdup(name);
        if (structure->written)
            ws_capture_name(device->capture, WS_NAME_STRUCTURE, structure->id, name);
    }
    ws_unlock(&structures->lock);
}

/* `addressed`: its memory has an address. */
static void add(struct ws_device *device, VkAccelerationStructureTypeKHR type, VkDeviceSize size,
                bool addressed, VkAccelerationStructureKHR handle)
{
    if (type == VK_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR) {
        ws_micromap_add(device, WS_MICROMAP_STRUCTURE, WS_HANDLE(handle));
        return;
    }
    struct ws_structures *structures = device->structures;
    struct structure *structure = calloc(1, sizeof(*structure));
    bool kept = false;
    if (structure != NULL) {
        structure->id = ws_capture_next(&device->capture->next_structure);
        structure->handle = handle;
        structure->type = type;
        structure->size = size;
        structure->addressed = addressed;
        ws_lock(&structures->lock);
        HASH_ADD(by_id, structures->ids, id, sizeof(structure->id), structure);
        if (structure->by_id.tbl != NULL) {
            HASH_ADD(by_handle, structures->handles, handle, sizeof(structure->handle), structure);
            kept = structure->by_handle.tbl != NULL;
            if (!kept)
                HASH_DELETE(by_id, structures->ids, structure);
        }
        ws_unlock(&structures->lock);
    }
    if (!kept) {
        free(structure);
        ws_capture_skip(device->capture, WS_SKIP_GEOMETRY, WS_NONE, WS_NONE, WS_NONE, 1,
                        "out of memory when an acceleration structure was created");
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL create_structure(VkDevice handle,
                                                       const VkAccelerationStructureCreateInfoKHR *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkAccelerationStructureKHR *structure)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateAccelerationStructureKHR(handle, info, allocator, structure);
    if (result == VK_SUCCESS)
        add(device, info->type, info->size,
            ws_objects_find(device, WS_OBJECT_BUFFER, WS_HANDLE(info->buffer)) != NULL, *structure);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_structure2(VkDevice handle,
                                                        const VkAccelerationStructureCreateInfo2KHR *info,
                                                        const VkAllocationCallbacks *allocator,
                                                        VkAccelerationStructureKHR *structure)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateAccelerationStructure2KHR(handle, info, allocator, structure);
    if (result == VK_SUCCESS)
        add(device, info->type, info->addressRange.size, true, *structure);
    return result;
}

/* Writes the GONE chunks of structures that were destroyed before the queue operation `oldest`, and frees
 * them. */
static void end_destroyed(struct ws_device *device, uint64_t oldest)
{
    struct ws_structures *structures = device->structures;
    while (structures->destroyed != NULL && structures->destroyed->destroyed < oldest) {
        struct structure *structure = structures->destroyed;
        const struct ws_chunk_gone chunk = {.structure = structure->id, .moment = structure->moment};
        struct ws_error error = {0};
        if (structure->written)
            ws_capture_check(NULL, ws_capture_write_gone(device->capture->writer, &chunk, &error), &error);
        structures->destroyed = structure->following;
        forget(structures, structure);
    }
}

static void remove_handle(struct ws_device *device, VkAccelerationStructureKHR handle)
{
    struct ws_structures *structures = device->structures;
    struct ws_submissions *submissions = device->submissions;
    ws_submissions_enter(device);
    ws_submissions_drain(device);
    ws_lock(&structures->lock);
    struct structure *structure = find_handle(structures, handle);
    if (structure != NULL) {
        HASH_DELETE(by_handle, structures->handles, structure);
        structure->handle = VK_NULL_HANDLE;
        structure->destroyed = submissions->sequence;
        structure->moment = atomic_load(&device->capture->launches);
        if (structures->destroyed != NULL)
            structures->last_destroyed->following = structure;
        else
            structures->destroyed = structure;
        structures->last_destroyed = structure;
        if (ws_readbacks_wanted(device))
            write_once(device, structure);
    }
    const struct ws_submission *oldest = ws_submissions_oldest(submissions);
    end_destroyed(device, oldest != NULL ? oldest->sequence : UINT64_MAX);
    ws_unlock(&structures->lock);
    ws_submissions_leave(device);
}

static VKAPI_ATTR void VKAPI_CALL destroy_structure(VkDevice handle, VkAccelerationStructureKHR structure,
                                                    const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    if (structure != VK_NULL_HANDLE) {
        ws_micromap_remove(device, WS_MICROMAP_STRUCTURE, WS_HANDLE(structure));
        remove_handle(device, structure);
    }
    device->next.DestroyAccelerationStructureKHR(handle, structure, allocator);
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL
get_structure_address(VkDevice handle, const VkAccelerationStructureDeviceAddressInfoKHR *info)
{
    struct ws_device *device = ws_device_of(handle);
    struct ws_structures *structures = device->structures;
    const VkDeviceAddress address = device->next.GetAccelerationStructureDeviceAddressKHR(handle, info);
    ws_lock(&structures->lock);
    struct structure *structure = find_handle(structures, info->accelerationStructure);
    if (structure != NULL) {
        add_address(structures, structure, address);
        if (ws_readbacks_wanted(device))
            write_once(device, structure);
    }
    ws_unlock(&structures->lock);
    return address;
}

static void finish(struct ws_device *device)
{
    struct ws_structures *structures = device->structures;
    if (structures == NULL)
        return;
    struct structure *structure, *next;
    end_destroyed(device, UINT64_MAX);
    HASH_ITER(by_id, structures->ids, structure, next)
    {
        if (ws_readbacks_wanted(device))
            write_once(device, structure);
        HASH_DELETE(by_handle, structures->handles, structure);
        forget(structures, structure);
    }
    pthread_mutex_destroy(&structures->lock);
    free(structures);
    device->structures = NULL;
    device->find_structure = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    device->structures = calloc(1, sizeof(*device->structures));
    if (device->structures == NULL)
        return ws_error_set(error, "out of memory");
    ws_lock_init(&device->structures->lock);
    device->find_structure = find_written;
    return true;
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateAccelerationStructureKHR, create_structure),
    WS_HOOK(CreateAccelerationStructure2KHR, create_structure2),
    WS_HOOK(DestroyAccelerationStructureKHR, destroy_structure),
    WS_HOOK(GetAccelerationStructureDeviceAddressKHR, get_structure_address),
    WS_HOOK_END,
};

const struct ws_interception ws_structure_interception = {
    .hooks = hooks,
    .geometry = true,
    .device_init = init,
    .device_finish = finish,
};
