/* See reader_payload.h. A cursor moves over the payload; the table of chunk_members.h says what it takes.
 *
 * Members are reached by their offset in the struct. They are written with memcpy, so that no member is
 * accessed as another type than its own; every pointer has the representation of `void *` on the systems that
 * Vulkan runs on. */
#include "analysis/capture/reader_payload.h"

#include <string.h>

#include "analysis/capture/word_unpacker.h"
#include "warpscope/base/arena.h"
#include "warpscope/base/text.h"
#include "warpscope/chunk_members.h"

/* Sticky: after a failure everything is 0, "" or empty. */
struct cursor {
    uint8_t *data;
    size_t size; /* with planes in place of what is packed or left out */
    size_t have; /* bytes of `data` */
    size_t at;
    bool packed;
    bool left_out;
    struct ws_arena *arena;
    struct ws_error *error;
    bool failed;
};

static void fail(struct cursor *cursor, const char *what)
{
    if (!cursor->failed)
        ws_error_set(cursor->error, "%s at byte %zu of its %zu bytes", what, cursor->at, cursor->size);
    cursor->failed = true;
}

/* No fault of the capture, so the place in it says nothing. */
static void fail_for_memory(struct cursor *cursor)
{
    if (!cursor->failed)
        ws_error_set(cursor->error, "no memory for its %zu bytes", cursor->size);
    cursor->failed = true;
}

static size_t remaining(const struct cursor *cursor)
{
    return cursor->at < cursor->have ? cursor->have - cursor->at : 0;
}

/* The next `size` bytes; NULL when there are not so many. */
static uint8_t *take(struct cursor *cursor, size_t size)
{
    if (cursor->failed || cursor->at > cursor->have || size > cursor->have - cursor->at) {
        fail(cursor, "the payload ends too early,");
        return NULL;
    }
    uint8_t *bytes = cursor->data + cursor->at;
    cursor->at += size;
    return bytes;
}

static uint32_t load_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t take_u32(struct cursor *cursor)
{
    const uint8_t *bytes = take(cursor, 4);
    return bytes != NULL ? load_u32(bytes) : 0;
}

static uint64_t take_u64(struct cursor *cursor)
{
    const uint8_t *bytes = take(cursor, 8);
    return bytes != NULL ? (uint64_t)load_u32(bytes) | (uint64_t)load_u32(bytes + 4) << 32 : 0;
}

/* A count of elements that take at least `least` bytes each, in a payload of so many bytes. So a count in a payload of n
 * bytes never makes more than n / least elements, whatever it says. */
static uint32_t take_count(struct cursor *cursor, size_t least, size_t size)
{
    const uint32_t count = take_u32(cursor);
    if (!cursor->failed && (cursor->at > size || count > (size - cursor->at) / least)) {
        fail(cursor, "a count is larger than what follows it,");
        return 0;
    }
    return count;
}

/* A text, moved over its length word, which makes room for the NUL. Names come from applications: what is no
 * UTF-8 becomes "?". */
static const char *take_text(struct cursor *cursor)
{
    const uint32_t length = take_u32(cursor);
    uint8_t *bytes = take(cursor, length);
    if (bytes == NULL)
        return "";
    uint8_t *text = bytes - 4;
    memmove(text, bytes, length);
    text[length] = '\0';
    ws_text_repair((char *)text, length);
    return (const char *)text;
}

/* `count` words in host byte order. Where they are not aligned they move back over the bytes before them,
 * which have been read: there is always a count before them. */
static const uint32_t *take_words(struct cursor *cursor, size_t count)
{
    uint8_t *bytes = take(cursor, 4 * count);
    if (bytes == NULL)
        return NULL;
    uint32_t *words = (uint32_t *)(void *)(bytes - (size_t)(bytes - cursor->data) % 4);
    for (size_t i = 0; i < count; ++i)
        words[i] = load_u32(bytes + 4 * i);
    return words;
}

/* An array of the arena; NULL for no elements, and after a failure. */
static void *allocate(struct cursor *cursor, uint32_t count, size_t size)
{
    if (count == 0 || cursor->failed)
        return NULL;
    void *array = ws_arena_allocate(cursor->arena, count, size);
    if (array == NULL)
        fail_for_memory(cursor);
    return array;
}

/* `count` words whose bytes stand by significance: the lowest of every word, then the next; or that are packed, in all that
 * follows. NULL where they are left out. */
static const uint32_t *take_planes(struct cursor *cursor, uint32_t count)
{
    if (cursor->left_out && !cursor->failed) {
        cursor->at += 4 * (size_t)count; /* its bytes follow, by take_count */
        return NULL;
    }
    const size_t size = cursor->packed ? remaining(cursor) : 4 * (size_t)count;
    const uint8_t *bytes = take(cursor, size);
    uint32_t *words = allocate(cursor, count, sizeof(*words));
    if (bytes == NULL || words == NULL)
        return NULL;
    if (!cursor->packed)
        ws_words_join(words, count, bytes, count);
    else if (!ws_words_unpack(words, count, bytes, size))
        fail(cursor, "its words are not packed as words are,");
    return words;
}

static const char *const *take_texts(struct cursor *cursor, uint32_t count)
{
    const char **texts = allocate(cursor, count, sizeof(*texts));
    for (uint32_t i = 0; i < count && !cursor->failed; ++i)
        texts[i] = take_text(cursor);
    return texts;
}

/* Counter rows: the two numbers before them say how many words they are. */
static const uint32_t *take_rows(struct cursor *cursor, uint32_t rows, uint32_t bins)
{
    if (cursor->failed)
        return NULL;
    if (bins < WS_BINS_MIN || bins > WS_BINS_MAX)
        fail(cursor, "a counter row has a number of bins that no device has,");
    else if (rows > remaining(cursor) / (4 * bins))
        fail(cursor, "there are fewer counter rows than said,");
    else
        return take_words(cursor, (size_t)rows * bins);
    return NULL;
}

/* Bytes that one of the structs takes in a payload, at least. */
static size_t least_size(const struct ws_members *members)
{
    size_t least = 0;
    for (uint32_t i = 0; i < members->count; ++i) {
        const struct ws_chunk_member *member = &members->list[i];
        switch (member->kind) {
        case WS_MEMBER_U32: least += 4 * (size_t)member->repeat; break;
        case WS_MEMBER_U64: least += 8 * (size_t)member->repeat; break;
        case WS_MEMBER_STRUCT: least += member->repeat * least_size(member->element); break;
        case WS_MEMBER_ROWS: break;
        default: least += 4; break; /* a bool, a length or a count */
        }
    }
    return least;
}

static void take_members(struct cursor *cursor, const struct ws_members *members, void *object);

static const void *take_list(struct cursor *cursor, const struct ws_members *element, uint32_t count)
{
    char *array = allocate(cursor, count, element->size);
    for (uint32_t i = 0; i < count && !cursor->failed; ++i)
        take_members(cursor, element, array + (size_t)i * element->size);
    return array;
}

static uint32_t number_at(const void *object, uint32_t offset)
{
    uint32_t number;
    memcpy(&number, (const char *)object + offset, sizeof(number));
    return number;
}

/* Bytes that one element of the array takes in a payload, at least. */
static size_t least_of(const struct ws_chunk_member *member)
{
    switch (member->kind) {
    case WS_MEMBER_BYTES: return 1;
    case WS_MEMBER_LIST: return least_size(member->element);
    default: return 4; /* a word, or the length of a text */
    }
}

/* An array that a pointer and a count stand for. */
static void take_array(struct cursor *cursor, const struct ws_chunk_member *member, void *object)
{
    const bool planes = member->kind == WS_MEMBER_PLANES;
    const uint32_t count = take_count(cursor, least_of(member), planes ? cursor->size : cursor->have);
    const void *array = NULL;
    switch (member->kind) {
    case WS_MEMBER_TEXTS: array = take_texts(cursor, count); break;
    case WS_MEMBER_BYTES: array = take(cursor, count); break;
    case WS_MEMBER_WORDS: array = take_words(cursor, count); break;
    case WS_MEMBER_PLANES: array = take_planes(cursor, count); break;
    default: array = take_list(cursor, member->element, count); break;
    }
    memcpy((char *)object + member->count_offset, &count, sizeof(count));
    memcpy((char *)object + member->offset, &array, sizeof(array));
}

static void take_member(struct cursor *cursor, const struct ws_chunk_member *member, void *object)
{
    char *at = (char *)object + member->offset;
    const void *pointer = NULL;
    switch (member->kind) {
    case WS_MEMBER_U32:
        for (uint32_t i = 0; i < member->repeat; ++i)
            memcpy(at + 4 * (size_t)i, &(uint32_t){take_u32(cursor)}, 4);
        break;
    case WS_MEMBER_U64:
        for (uint32_t i = 0; i < member->repeat; ++i)
            memcpy(at + 8 * (size_t)i, &(uint64_t){take_u64(cursor)}, 8);
        break;
    case WS_MEMBER_BOOL: memcpy(at, &(bool){take_u32(cursor) != 0}, sizeof(bool)); break;
    case WS_MEMBER_STRUCT:
        for (uint32_t i = 0; i < member->repeat; ++i)
            take_members(cursor, member->element, at + (size_t)i * member->element->size);
        break;
    case WS_MEMBER_TEXT:
        pointer = take_text(cursor);
        memcpy(at, &pointer, sizeof(pointer));
        break;
    case WS_MEMBER_ROWS:
        pointer = take_rows(cursor, number_at(object, member->count_offset),
                            number_at(object, member->bins_offset));
        memcpy(at, &pointer, sizeof(pointer));
        break;
    default: take_array(cursor, member, object); break;
    }
}

static void take_members(struct cursor *cursor, const struct ws_members *members, void *object)
{
    for (uint32_t i = 0; i < members->count; ++i) {
        if (members->list[i].later && remaining(cursor) == 0)
            return; /* the object is zeroed */
        take_member(cursor, &members->list[i], object);
    }
}

/* Gives the weights of a submission to the counters that they are of. */
static void spread_weights(struct cursor *cursor, const struct ws_chunk_submission *submission)
{
    uint32_t at = 0;
    if (submission->weight_count == 0)
        return;
    for (uint32_t i = 0; i < submission->launch_count; ++i) {
        const struct ws_launch *launch = &submission->launches[i];
        /* It lies in the arena. */
        struct ws_shader_counters *counters = (struct ws_shader_counters *)(uintptr_t)launch->shaders;
        for (uint32_t j = 0; j < launch->shader_count; ++j, at += 2) {
            if (submission->weight_count - at < 2 || submission->weights[at] == 0 ||
                submission->weights[at] > WS_SAMPLE_MAX || submission->weights[at + 1] >= WS_SAMPLE_GROUPS) {
                fail(cursor, "the counters have a weight that cannot be, or none,");
                return;
            }
            counters[j].weight = submission->weights[at];
            counters[j].group = submission->weights[at + 1];
        }
    }
    if (at != submission->weight_count)
        fail(cursor, "there are more weights than counters,");
}

bool ws_payload_decode(struct ws_chunk *chunk, const struct ws_payload *payload, struct ws_arena *arena,
                       bool *known, struct ws_error *error)
{
    struct cursor cursor = {.data = payload->data,
                            .size = payload->size,
                            .have = payload->have,
                            .packed = payload->packed,
                            .left_out = payload->left_out,
                            .arena = arena,
                            .error = error};
    const struct ws_members *members = ws_chunk_members(chunk->type);
    *known = members != NULL;
    if (*known)
        take_members(&cursor, members, &chunk->info); /* where every member of the union is */
    if (chunk->type == WS_CHUNK_SUBMISSION && !cursor.failed)
        spread_weights(&cursor, &chunk->submission);
    return !cursor.failed;
}
