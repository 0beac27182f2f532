#include "layer/shader/specialization.h"

#include <stdlib.h>
#include <string.h>

#include "layer/core/device.h"
#include "layer/shader/module_cache.h"
#include "layer/shader/shader.h"

static bool is_ours(const struct ws_instrumented *instrumented, uint32_t constant)
{
    for (int i = 0; i < WS_SPEC_COUNT; i++)
        if (instrumented->spec_ids[i] == constant)
            return true;
    return false;
}

bool ws_specialization_init(VkSpecializationInfo *info, struct ws_device *device,
                            const struct ws_shader *shader, const VkSpecializationInfo *original)
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

void ws_specialization_finish(VkSpecializationInfo *info)
{
    free((void *)info->pMapEntries);
    free((void *)info->pData);
    memset(info, 0, sizeof(*info));
}
