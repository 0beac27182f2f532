/* See chunk_payload.h. The table of chunk_members.h says what stands in a payload, and in which order.
 *
 * Members are reached by their offset in the struct. They are read with memcpy, so that no member is accessed
 * as another type than its own; every pointer has the representation of `void *` on the systems that Vulkan
 * runs on. */
#include "layer/capture/chunk_payload.h"

#include <stdlib.h>
#include <string.h>

#include "layer/capture/kept_blocks.h"
#include "layer/capture/word_packer.h"
#include "warpscope/chunk_members.h"

/* Most chunks are those of one submission of a few launches. A small piece comes from what the thread freed last, without
 * a lock. */
#define FIRST_CAPACITY 512

void ws_chunk_payload_init(struct ws_chunk_payload *payload, size_t reserved)
{
    memset(payload, 0, sizeof(*payload));
    payload->capacity = reserved + FIRST_CAPACITY;
    payload->data = malloc(payload->capacity);
    payload->size = reserved;
    if (payload->data == NULL)
        payload->failure = "no memory";
    else
        memset(payload->data, 0, reserved);
}

void ws_chunk_payload_finish(struct ws_chunk_payload *payload)
{
    if (payload->blocks != NULL)
        ws_blocks_give(payload->blocks, payload->data, payload->capacity);
    else
        free(payload->data);
    memset(payload, 0, sizeof(*payload));
}

/* Other memory, with the same bytes; false without it. */
static bool move(struct ws_chunk_payload *payload, size_t capacity)
{
    uint8_t *data = ws_blocks_take(payload->blocks, capacity, &capacity);
    if (data == NULL)
        return false;
    memcpy(data, payload->data, payload->size);
    ws_blocks_give(payload->blocks, payload->data, payload->capacity);
    payload->data = data;
    payload->capacity = capacity;
    return true;
}

static bool resize(struct ws_chunk_payload *payload, size_t capacity)
{
    if (payload->blocks != NULL)
        return move(payload, capacity);
    uint8_t *data = realloc(payload->data, capacity);
    if (data == NULL)
        return false;
    payload->data = data;
    payload->capacity = capacity;
    return true;
}

/* The capacity for `size` more bytes, at most WS_CHUNK_MAX. False, and the failure is noted, where that is not to be had. */
static bool grow(struct ws_chunk_payload *payload, size_t size)
{
    if (size > WS_CHUNK_MAX || payload->size + size > WS_CHUNK_MAX) {
        payload->failure = "it is larger than a chunk may be";
        return false;
    }
    size_t capacity = payload->capacity * 2;
    if (capacity > WS_CHUNK_MAX)
        capacity = WS_CHUNK_MAX;
    if (capacity < payload->size + size)
        capacity = payload->size + size;
    if (resize(payload, capacity))
        return true;
    payload->failure = "no memory";
    return false;
}

/* Room for `size` more bytes, which the caller fills; NULL after a failure. Done for each member of each submission. */
static inline uint8_t *extend(struct ws_chunk_payload *payload, size_t size)
{
    if (payload->failure != NULL || (size > payload->capacity - payload->size && !grow(payload, size)))
        return NULL;
    uint8_t *at = payload->data + payload->size;
    payload->size += size;
    return at;
}

/* Byte by byte, so that the file is little-endian on every host; compilers make one store of it. */
static void store_u32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
}

static void put_u32(struct ws_chunk_payload *payload, uint32_t value)
{
    uint8_t *at = extend(payload, 4);
    if (at != NULL)
        store_u32(at, value);
}

static void put_u64(struct ws_chunk_payload *payload, uint64_t value)
{
    uint8_t *at = extend(payload, 8);
    if (at == NULL)
        return;
    store_u32(at, (uint32_t)value);
    store_u32(at + 4, (uint32_t)(value >> 32));
}

static void put_bytes(struct ws_chunk_payload *payload, const void *bytes, size_t count)
{
    uint8_t *at = extend(payload, count);
    if (at != NULL && count > 0)
        memcpy(at, bytes, count);
}

static void put_text(struct ws_chunk_payload *payload, const char *text)
{
    const size_t length = text != NULL ? strlen(text) : 0;
    put_u32(payload, (uint32_t)length);
    put_bytes(payload, text, length);
}

static void put_texts(struct ws_chunk_payload *payload, const char *const *texts, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        put_text(payload, texts[i]);
}

static void put_words(struct ws_chunk_payload *payload, const uint32_t *words, size_t count)
{
    uint8_t *at = extend(payload, count <= WS_CHUNK_MAX / 4 ? 4 * count : SIZE_MAX);
    if (at == NULL)
        return;
    for (size_t i = 0; i < count; ++i)
        store_u32(at + 4 * i, words[i]);
}

/* Room to pack so many words in. Most are of one size at most, and are kept. */
static uint8_t *take_room(struct ws_blocks *blocks, size_t size)
{
    return blocks != NULL && size <= WS_BLOCKS_ROOM ? ws_blocks_take_room(blocks) : malloc(size);
}

static void give_room(struct ws_blocks *blocks, uint8_t *room, size_t size)
{
    if (blocks != NULL && size <= WS_BLOCKS_ROOM)
        ws_blocks_give_room(blocks, room);
    else
        free(room);
}

/* False where the words take more bytes than planes, or where it failed: packing needs a room besides the payload, and there
 * may be memory for planes. */
static bool put_packed(struct ws_chunk_payload *payload, const uint32_t *words, uint32_t count)
{
    const size_t room_size = ws_words_pack_room(count);
    uint8_t *room = payload->failure == NULL ? take_room(payload->blocks, room_size) : NULL;
    if (room == NULL)
        return false;
    const struct ws_packing packing = ws_words_pack_apart(words, count, room);
    const size_t size = ws_packing_size(&packing);
    uint8_t *at = size < 4 * (size_t)count ? extend(payload, size) : NULL;
    if (at != NULL) {
        ws_packing_put(&packing, at);
        payload->packed = ws_packing_parts(&packing);
        payload->saved = 4 * (size_t)count - size;
    }
    give_room(payload->blocks, room, room_size);
    return at != NULL;
}

/* By significance, as RECS has them; or packed. */
static void put_planes(struct ws_chunk_payload *payload, const uint32_t *words, uint32_t count)
{
    if (payload->packs && put_packed(payload, words, count))
        return;
    uint8_t *at = extend(payload, count <= WS_CHUNK_MAX / 4 ? 4 * (size_t)count : SIZE_MAX);
    if (at != NULL)
        ws_words_part(at, count, words, count);
}

static uint32_t u32_at(const char *member)
{
    uint32_t value;
    memcpy(&value, member, sizeof(value));
    return value;
}

static uint64_t u64_at(const char *member)
{
    uint64_t value;
    memcpy(&value, member, sizeof(value));
    return value;
}

static void put_u32s(struct ws_chunk_payload *payload, const char *members, uint32_t count)
{
    uint8_t *at = extend(payload, 4 * (size_t)count);
    for (uint32_t i = 0; at != NULL && i < count; ++i)
        store_u32(at + 4 * (size_t)i, u32_at(members + 4 * (size_t)i));
}

static void put_u64s(struct ws_chunk_payload *payload, const char *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        put_u64(payload, u64_at(members + 8 * (size_t)i));
}

static const void *pointer_at(const char *member)
{
    const void *pointer;
    memcpy(&pointer, member, sizeof(pointer));
    return pointer;
}

static void put_members(struct ws_chunk_payload *payload, const struct ws_members *members, uint32_t count,
                        const void *object);

/* So many structs, one after the other. */
static void put_structs(struct ws_chunk_payload *payload, const struct ws_members *element,
                        const char *structs, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        put_members(payload, element, element->count, structs + (size_t)i * element->size);
}

/* An array that a pointer and a count stand for. */
static void put_array(struct ws_chunk_payload *payload, const struct ws_chunk_member *member,
                      const char *object)
{
    const uint32_t count = u32_at(object + member->count_offset);
    const void *array = pointer_at(object + member->offset);
    put_u32(payload, count);
    switch (member->kind) {
    case WS_MEMBER_TEXTS: put_texts(payload, array, count); break;
    case WS_MEMBER_BYTES: put_bytes(payload, array, count); break;
    case WS_MEMBER_WORDS: put_words(payload, array, count); break;
    case WS_MEMBER_PLANES: put_planes(payload, array, count); break;
    default: put_structs(payload, member->element, array, count); break;
    }
}

static void put_member(struct ws_chunk_payload *payload, const struct ws_chunk_member *member,
                       const char *object)
{
    const char *at = object + member->offset;
    switch (member->kind) {
    case WS_MEMBER_U32: put_u32s(payload, at, member->repeat); break;
    case WS_MEMBER_U64: put_u64s(payload, at, member->repeat); break;
    case WS_MEMBER_BOOL: put_u32(payload, *(const bool *)at ? 1 : 0); break;
    case WS_MEMBER_TEXT: put_text(payload, pointer_at(at)); break;
    case WS_MEMBER_STRUCT: put_structs(payload, member->element, at, member->repeat); break;
    case WS_MEMBER_ROWS:
        put_words(payload, pointer_at(at),
                  (size_t)u32_at(object + member->count_offset) * u32_at(object + member->bins_offset));
        break;
    default: put_array(payload, member, object); break;
    }
}

/* The first `count` of the members. Nearly all of what is put for each submission is single numbers. */
static void put_members(struct ws_chunk_payload *payload, const struct ws_members *members, uint32_t count,
                        const void *object)
{
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_chunk_member *member = &members->list[i];
        const char *at = (const char *)object + member->offset;
        if (member->kind == WS_MEMBER_U32 && member->repeat == 1)
            put_u32(payload, u32_at(at));
        else if (member->kind == WS_MEMBER_U64 && member->repeat == 1)
            put_u64(payload, u64_at(at));
        else
            put_member(payload, member, object);
    }
}

void ws_chunk_payload_put(struct ws_chunk_payload *payload, uint32_t type, const void *chunk)
{
    const struct ws_members *members = ws_chunk_members(type);
    put_members(payload, members, members->count, chunk);
}

/* The members before the list, of which there are so many; then the count of the list, to be set later. */
static size_t open_list(struct ws_chunk_payload *payload, const struct ws_members *members, uint32_t before,
                        const void *object)
{
    put_members(payload, members, before, object);
    const size_t count_at = payload->size;
    put_u32(payload, 0);
    return count_at;
}

size_t ws_chunk_payload_open_submission(struct ws_chunk_payload *payload,
                                        const struct ws_chunk_submission *submission)
{
    /* Behind the launches stand the weights and the bases. */
    return open_list(payload, &ws_chunk_submission_members, ws_chunk_submission_members.count - 3,
                     submission);
}

size_t ws_chunk_payload_open_launch(struct ws_chunk_payload *payload, const struct ws_launch *launch)
{
    return open_list(payload, &ws_launch_members, ws_launch_members.count - 1, launch);
}

void ws_chunk_payload_put_counters(struct ws_chunk_payload *payload,
                                   const struct ws_shader_counters *counters)
{
    put_members(payload, &ws_shader_counters_members, ws_shader_counters_members.count, counters);
}

void ws_chunk_payload_put_bases(struct ws_chunk_payload *payload,
                                const struct ws_chunk_submission *submission)
{
    put_member(payload, &ws_chunk_submission_members.list[ws_chunk_submission_members.count - 1],
               (const char *)submission);
}

void ws_chunk_payload_close_list(struct ws_chunk_payload *payload, size_t count_at, uint32_t count)
{
    if (payload->failure == NULL)
        store_u32(payload->data + count_at, count);
}

void ws_chunk_payload_put_weights(struct ws_chunk_payload *payload, const uint32_t *weights, uint32_t count)
{
    put_u32(payload, count);
    put_words(payload, weights, count);
}
