#include "layer/shader/shader_binary.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/shader/module_cache.h"
#include "layer/shader/shader.h"
#include "warpscope/chunks.h"

/* Behind it: the constants, the words, and the name of the entry point with its 0. */
struct header {
    char magic[16];
    uint64_t hash; /* of all that follows it: a damaged binary is nobody's */
    uint32_t stage;
    uint32_t constant_count;
    uint64_t word_count;
    uint64_t entry_size;
};
_Static_assert(sizeof(struct header) % 16 == 0, "the constants behind it must be aligned");

/* Its last character is the version of what follows. */
static const char magic[16] = "WarpscopeShader1";

#define HASHED_FROM (offsetof(struct header, hash) + sizeof(uint64_t))

size_t ws_shader_binary_size(const struct ws_shader *shader)
{
    size_t word_count;
    uint32_t constant_count;
    ws_cached_module_original(shader->module, &word_count);
    ws_shader_constants(shader, &constant_count);
    return sizeof(struct header) + constant_count * sizeof(struct ws_specialization) +
           word_count * sizeof(uint32_t) + strlen(ws_shader_entry(shader)) + 1;
}

void ws_shader_binary_write(const struct ws_shader *shader, void *data)
{
    size_t word_count;
    uint32_t constant_count;
    const uint32_t *words = ws_cached_module_original(shader->module, &word_count);
    const struct ws_specialization *constants = ws_shader_constants(shader, &constant_count);
    struct header header = {.stage = shader->stage,
                            .constant_count = constant_count,
                            .word_count = word_count,
                            .entry_size = strlen(ws_shader_entry(shader)) + 1};
    memcpy(header.magic, magic, sizeof(header.magic));
    char *behind = (char *)data + sizeof(header);
    if (constant_count > 0)
        memcpy(behind, constants, constant_count * sizeof(*constants));
    behind += constant_count * sizeof(*constants);
    memcpy(behind, words, word_count * sizeof(*words));
    behind += word_count * sizeof(*words);
    memcpy(behind, ws_shader_entry(shader), header.entry_size);
    memcpy(data, &header, sizeof(header));
    header.hash = XXH3_64bits((char *)data + HASHED_FROM, ws_shader_binary_size(shader) - HASHED_FROM);
    memcpy(data, &header, sizeof(header));
}

/* Whether the code is a whole binary of ours for this stage. */
static bool read_header(struct header *header, const VkShaderCreateInfoEXT *info)
{
    if (info->codeType != VK_SHADER_CODE_TYPE_BINARY_EXT || info->codeSize < sizeof(*header))
        return false;
    memcpy(header, info->pCode, sizeof(*header));
    if (memcmp(header->magic, magic, sizeof(magic)) != 0 || header->stage != (uint32_t)info->stage)
        return false;
    size_t left = info->codeSize - sizeof(*header);
    if (header->constant_count > left / sizeof(struct ws_specialization))
        return false;
    left -= header->constant_count * sizeof(struct ws_specialization);
    if (header->word_count > left / sizeof(uint32_t))
        return false;
    left -= header->word_count * sizeof(uint32_t);
    const char *last = (const char *)info->pCode + info->codeSize - 1;
    return left > 0 && header->entry_size == left && *last == '\0' &&
           header->hash == XXH3_64bits((const char *)info->pCode + HASHED_FROM, info->codeSize - HASHED_FROM);
}

bool ws_shader_binary_open(VkShaderCreateInfoEXT *info, VkSpecializationInfo *specialization)
{
    struct header header;
    if (!read_header(&header, info))
        return false;
    VkSpecializationMapEntry *entries = calloc(header.constant_count + 1, sizeof(*entries));
    if (entries == NULL)
        return false;
    /* vkCreateShadersEXT wants binaries aligned to 16 bytes (VUID-VkShaderCreateInfoEXT-pCode-08492). */
    const struct ws_specialization *constants =
        (const void *)((const char *)info->pCode + sizeof(struct header));
    for (uint32_t i = 0; i < header.constant_count; i++) {
        const size_t offset = i * sizeof(*constants) + offsetof(struct ws_specialization, value);
        entries[i] =
            (VkSpecializationMapEntry){constants[i].constant_id, (uint32_t)offset, constants[i].size};
    }
    *specialization = (VkSpecializationInfo){header.constant_count, entries,
                                             header.constant_count * sizeof(*constants), constants};
    info->codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info->pCode = constants + header.constant_count;
    info->codeSize = header.word_count * sizeof(uint32_t);
    info->pName = (const char *)info->pCode + info->codeSize;
    info->pSpecializationInfo = specialization;
    return true;
}

void ws_shader_binary_change_uuid(uint8_t uuid[VK_UUID_SIZE])
{
    for (size_t i = 0; i < VK_UUID_SIZE; i++)
        uuid[i] ^= (uint8_t)magic[i];
}
