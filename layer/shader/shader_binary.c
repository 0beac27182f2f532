#include "layer/shader/shader_binary.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/core/device.h"
#include "layer/core/objects.h"
#include "layer/shader/shader.h"

/* What stands before the binary of an instrumented shader. Its size keeps the binary at a multiple of 16
 * bytes, which vkCreateShadersEXT demands (VUID-VkShaderCreateInfoEXT-pCode-08492). */
struct tag {
    char magic[16];
    XXH128_hash_t run;
    uint32_t device; /* ids in the capture */
    uint32_t shader;
    uint32_t unused[2];
};
_Static_assert(sizeof(struct tag) % 16 == 0, "a binary behind its tag must be aligned");

static const char magic[16] = "WarpscopeShader";

/* The process and when it was here first: no two runs share both. */
static XXH128_hash_t run_id(void)
{
    static _Atomic int64_t start;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t unset = 0;
    atomic_compare_exchange_strong(&start, &unset, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    const int64_t run[2] = {start, (int64_t)getpid()};
    return XXH3_128bits(run, sizeof(run));
}

static struct tag make_tag(const struct ws_device *device, const struct ws_shader *shader)
{
    struct tag tag = {.run = run_id(), .device = device->capture_id, .shader = shader->capture_id};
    memcpy(tag.magic, magic, sizeof(tag.magic));
    return tag;
}

VKAPI_ATTR VkResult VKAPI_CALL ws_get_shader_binary_data(VkDevice handle, VkShaderEXT shader, size_t *size,
                                                         void *data)
{
    struct ws_device *device = ws_device_of(handle);
    const struct ws_pipeline *object = ws_objects_find(device, WS_OBJECT_SHADER, WS_HANDLE(shader));
    if (object == NULL || object->shader_count == 0 || object->shaders[0]->row_count == 0)
        return device->next.GetShaderBinaryDataEXT(handle, shader, size, data);
    const struct tag tag = make_tag(device, object->shaders[0]);
    if (data != NULL && *size < sizeof(tag)) {
        *size = 0;
        return VK_INCOMPLETE;
    }
    size_t rest = data != NULL ? *size - sizeof(tag) : 0;
    char *behind = data != NULL ? (char *)data + sizeof(tag) : NULL;
    const VkResult result = device->next.GetShaderBinaryDataEXT(handle, shader, &rest, behind);
    *size = result == VK_SUCCESS ? rest + sizeof(tag) : 0;
    if (result == VK_SUCCESS && data != NULL)
        memcpy(data, &tag, sizeof(tag));
    return result;
}

struct ws_shader *ws_shader_binary_open(struct ws_device *device, VkShaderCreateInfoEXT *info)
{
    struct tag tag;
    if (info->codeSize < sizeof(tag))
        return NULL;
    memcpy(&tag, info->pCode, sizeof(tag));
    struct ws_shader *shader = ws_shader_find(device, tag.shader);
    if (shader == NULL || shader->stage != (uint32_t)info->stage)
        return NULL;
    const struct tag expected = make_tag(device, shader);
    if (memcmp(&tag, &expected, sizeof(tag)) != 0)
        return NULL;
    info->pCode = (const char *)info->pCode + sizeof(tag);
    info->codeSize -= sizeof(tag);
    return shader;
}

VKAPI_ATTR void VKAPI_CALL ws_get_physical_device_properties2(VkPhysicalDevice physical,
                                                              VkPhysicalDeviceProperties2 *properties)
{
    const struct ws_instance *instance = ws_instance_of(physical);
    instance->next.GetPhysicalDeviceProperties2(physical, properties);
    VkBaseOutStructure *item = properties->pNext;
    while (item != NULL && item->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT)
        item = item->pNext;
    if (item == NULL)
        return;
    const XXH128_hash_t run = run_id();
    VkPhysicalDeviceShaderObjectPropertiesEXT *objects = (VkPhysicalDeviceShaderObjectPropertiesEXT *)item;
    for (size_t i = 0; i < VK_UUID_SIZE; i++)
        objects->shaderBinaryUUID[i] ^= ((const uint8_t *)&run)[i];
}
