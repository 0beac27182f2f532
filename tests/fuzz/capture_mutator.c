#include "tests/fuzz/capture_mutator.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "analysis/capture/word_unpacker.h"
#include "layer/capture/word_packer.h"
#include "warpscope/chunk_members.h"

#define CHUNKS_MAX 2048
#define RAW_MAX    ((size_t)1 << 20)

struct chunk {
    uint32_t type;
    uint32_t flags; /* without WS_CHUNK_ZSTD */
    uint8_t *payload;
    size_t size;
    uint64_t saved; /* bytes that its raw size has more: words that are packed */
};

struct capture {
    struct chunk chunks[CHUNKS_MAX];
    size_t count;
};

static uint64_t load(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    return value;
}

static void store(uint8_t *bytes, uint64_t value, size_t size)
{
    memcpy(bytes, &value, size);
}

void capture_seal(uint8_t *data, size_t size)
{
    if (size < WS_CAPTURE_HEADER_SIZE)
        return;
    memcpy(data, WS_CAPTURE_MAGIC, WS_CAPTURE_MAGIC_SIZE);
    store(data + WS_CAPTURE_MAGIC_SIZE, WS_CAPTURE_VERSION, 4);
    for (size_t at = WS_CAPTURE_HEADER_SIZE; size - at >= WS_CHUNK_HEADER_SIZE;) {
        const uint64_t stored = load(data + at + 8, 8);
        if (stored > size - at - WS_CHUNK_HEADER_SIZE)
            return;
        const uint64_t checksum =
            XXH3_64bits_withSeed(data + at + WS_CHUNK_HEADER_SIZE, stored, XXH3_64bits(data + at, 24));
        store(data + at + 24, checksum, 8);
        at += WS_CHUNK_HEADER_SIZE + stored;
    }
}

const char *capture_words(const uint8_t *data, size_t size, size_t *word_size)
{
    for (size_t at = WS_CAPTURE_HEADER_SIZE; at <= size && size - at >= WS_CHUNK_HEADER_SIZE;) {
        const uint64_t stored = load(data + at + 8, 8);
        if (stored > size - at - WS_CHUNK_HEADER_SIZE)
            break;
        *word_size = stored;
        if (load(data + at, 4) == FUZZ_CHUNK_WORDS)
            return (const char *)data + at + WS_CHUNK_HEADER_SIZE;
        at += WS_CHUNK_HEADER_SIZE + stored;
    }
    return NULL;
}

static void drop(struct capture *capture, size_t index)
{
    free(capture->chunks[index].payload);
    memmove(&capture->chunks[index], &capture->chunks[index + 1],
            (capture->count - index - 1) * sizeof(capture->chunks[0]));
    capture->count--;
}

/* Puts a copy of the payload before the chunk at `index`. */
static void insert(struct capture *capture, size_t index, struct chunk chunk)
{
    uint8_t *payload = malloc(chunk.size + 1);
    if (capture->count == CHUNKS_MAX || payload == NULL) {
        free(payload);
        return;
    }
    if (chunk.size > 0)
        memcpy(payload, chunk.payload, chunk.size);
    chunk.payload = payload;
    memmove(&capture->chunks[index + 1], &capture->chunks[index],
            (capture->count - index) * sizeof(capture->chunks[0]));
    capture->chunks[index] = chunk;
    capture->count++;
}

static void take_chunk(struct capture *capture, const uint8_t *header, uint64_t stored, uint64_t raw)
{
    const uint8_t *payload = header + WS_CHUNK_HEADER_SIZE;
    struct chunk chunk = {.type = (uint32_t)load(header, 4), .flags = (uint32_t)load(header + 4, 4)};
    if ((chunk.flags & WS_CHUNK_ZSTD) == 0) {
        chunk.payload = (uint8_t *)payload;
        chunk.size = stored;
        chunk.saved = raw - stored;
        insert(capture, capture->count, chunk);
        return;
    }
    chunk.flags &= ~WS_CHUNK_ZSTD;
    chunk.payload = raw <= RAW_MAX ? malloc(raw + 1) : NULL;
    chunk.size = chunk.payload != NULL ? ZSTD_decompress(chunk.payload, raw, payload, stored) : 0;
    chunk.saved = raw - chunk.size;
    if (chunk.payload != NULL && !ZSTD_isError(chunk.size))
        insert(capture, capture->count, chunk);
    free(chunk.payload);
}

static void parse(struct capture *capture, const uint8_t *data, size_t size)
{
    capture->count = 0;
    for (size_t at = WS_CAPTURE_HEADER_SIZE; at <= size && size - at >= WS_CHUNK_HEADER_SIZE;) {
        const uint64_t stored = load(data + at + 8, 8);
        if (stored > size - at - WS_CHUNK_HEADER_SIZE)
            break;
        take_chunk(capture, data + at, stored, load(data + at + 16, 8));
        at += WS_CHUNK_HEADER_SIZE + stored;
    }
}

/* Chunks that do not fit are left out. */
static size_t write_out(const struct capture *capture, uint8_t *data, size_t capacity)
{
    size_t size = WS_CAPTURE_HEADER_SIZE;
    if (capacity < size)
        return 0;
    memset(data, 0, size);
    for (size_t i = 0; i < capture->count; ++i) {
        const struct chunk *chunk = &capture->chunks[i];
        if (chunk->size + WS_CHUNK_HEADER_SIZE > capacity - size)
            continue;
        store(data + size, chunk->type, 4);
        store(data + size + 4, chunk->flags, 4);
        store(data + size + 8, chunk->size, 8);
        store(data + size + 16, chunk->size + ((chunk->flags & WS_CHUNK_PACKED) != 0 ? chunk->saved : 0), 8);
        memcpy(data + size + WS_CHUNK_HEADER_SIZE, chunk->payload, chunk->size);
        size += WS_CHUNK_HEADER_SIZE + chunk->size;
    }
    capture_seal(data, size);
    return size;
}

/* A place in a payload that can be changed. */
struct place {
    enum { PLACE_NONE, PLACE_NUMBER, PLACE_TEXT, PLACE_ARRAY, PLACE_ELEMENT } kind;
    size_t at;    /* of the number, the length, the count or the element */
    size_t size;  /* bytes of the number, of one element of the array, or of the element */
    size_t count; /* ELEMENT: where the count of its list stands */
};

/* Walks over a payload and keeps one of its places, each with the same chance (reservoir sampling, Knuth, The
 * Art of Computer Programming 2, 3.4.2, algorithm R). */
struct walk {
    const uint8_t *data;
    size_t size;
    size_t at;
    bool ended;    /* the payload has no more */
    size_t planes; /* where the count of words stands that are planes, or packed; 0 = there are none */
    uint64_t seen;
    uint64_t *state;
    struct place kept;
};

static void offer(struct walk *walk, struct place place)
{
    if (!walk->ended && fuzz_below(walk->state, ++walk->seen) == 0)
        walk->kept = place;
}

static uint64_t step(struct walk *walk, size_t size)
{
    if (walk->ended || size > walk->size - walk->at) {
        walk->ended = true;
        return 0;
    }
    walk->at += size;
    return size <= 8 ? load(walk->data + walk->at - size, size) : 0;
}

static void walk_members(struct walk *walk, const struct ws_members *members, uint8_t *object);

static void walk_number(struct walk *walk, size_t size, uint8_t *to)
{
    const struct place place = {PLACE_NUMBER, walk->at, size, 0};
    const uint64_t value = step(walk, size);
    if (to != NULL)
        memcpy(to, &value, size);
    offer(walk, place);
}

static void walk_text(struct walk *walk)
{
    const struct place place = {PLACE_TEXT, walk->at, 1, 0};
    step(walk, (size_t)step(walk, 4));
    offer(walk, place);
}

static void walk_array(struct walk *walk, size_t element)
{
    const struct place place = {PLACE_ARRAY, walk->at, element, 0};
    step(walk, (size_t)step(walk, 4) * element);
    offer(walk, place);
}

static void walk_list(struct walk *walk, const struct ws_members *element)
{
    const size_t count_at = walk->at;
    const uint64_t count = step(walk, 4);
    for (uint64_t i = 0; i < count && !walk->ended; ++i) {
        uint8_t object[1024];
        const size_t begin = walk->at;
        if (element != NULL)
            walk_members(walk, element, object);
        else
            walk_text(walk);
        offer(walk, (struct place){PLACE_ELEMENT, begin, walk->at - begin, count_at});
    }
}

static void walk_member(struct walk *walk, const struct ws_chunk_member *member, uint8_t *object)
{
    uint32_t rows = 0, bins = 0;
    switch (member->kind) {
    case WS_MEMBER_U32:
    case WS_MEMBER_U64:
        for (uint32_t i = 0; i < member->repeat; ++i) {
            const size_t size = member->kind == WS_MEMBER_U32 ? 4 : 8;
            walk_number(walk, size, object + member->offset + i * size);
        }
        break;
    case WS_MEMBER_BOOL: walk_number(walk, 4, NULL); break;
    case WS_MEMBER_TEXT: walk_text(walk); break;
    case WS_MEMBER_TEXTS: walk_list(walk, NULL); break;
    case WS_MEMBER_BYTES: walk_array(walk, 1); break;
    case WS_MEMBER_PLANES:
        walk->planes = walk->ended ? 0 : walk->at;
        walk_array(walk, 4);
        break;
    case WS_MEMBER_WORDS: walk_array(walk, 4); break;
    case WS_MEMBER_ROWS:
        memcpy(&rows, object + member->count_offset, 4);
        memcpy(&bins, object + member->bins_offset, 4);
        if (rows < RAW_MAX && bins < RAW_MAX)
            for (uint64_t i = 0; i < (uint64_t)rows * bins && !walk->ended; ++i)
                walk_number(walk, 4, NULL);
        break;
    case WS_MEMBER_STRUCT:
        for (uint32_t i = 0; i < member->repeat; ++i)
            walk_members(walk, member->element, object + member->offset + i * member->element->size);
        break;
    case WS_MEMBER_LIST: walk_list(walk, member->element); break;
    }
}

static void walk_members(struct walk *walk, const struct ws_members *members, uint8_t *object)
{
    for (uint32_t i = 0; i < members->count && !walk->ended; ++i)
        walk_member(walk, &members->list[i], object);
}

/* Replaces `old` bytes at `at` by `new` ones. */
static void splice(struct chunk *chunk, size_t at, size_t old, const uint8_t *bytes, size_t new)
{
    uint8_t *payload = malloc(chunk->size - old + new + 1);
    if (payload == NULL || chunk->size - old + new > RAW_MAX) {
        free(payload);
        return;
    }
    memcpy(payload, chunk->payload, at);
    if (new > 0)
        memcpy(payload + at, bytes, new);
    memcpy(payload + at + new, chunk->payload + at + old, chunk->size - at - old);
    free(chunk->payload);
    chunk->payload = payload;
    chunk->size += new - old;
}

/* Where the count of a chunk's planes stands, or of words that are packed; 0 = it has none. */
static size_t find_planes(const struct chunk *chunk)
{
    uint8_t object[1024] = {0};
    uint64_t state = fuzz_state(0);
    const struct ws_members *members = ws_chunk_members(chunk->type);
    struct walk walk = {.data = chunk->payload, .size = chunk->size, .state = &state};
    if (members != NULL)
        walk_members(&walk, members, object);
    return walk.planes + 4 <= chunk->size ? walk.planes : 0;
}

/* Packs the words of a chunk whose planes end it, as the layer does with more of them, where that makes it smaller. */
static void pack_planes(struct chunk *chunk)
{
    const size_t at = find_planes(chunk);
    const uint32_t count = at > 0 ? (uint32_t)load(chunk->payload + at, 4) : 0;
    if (count == 0 || (chunk->flags & WS_CHUNK_PACKED) != 0 || chunk->size - at - 4 != 4 * (size_t)count)
        return;
    uint32_t *words = malloc(count * sizeof(*words));
    uint8_t *packed = malloc(ws_words_pack_room(count));
    if (words != NULL && packed != NULL) {
        struct ws_packed_size parts;
        ws_words_join(words, count, chunk->payload + at + 4, count);
        const size_t size = ws_words_pack(words, count, packed, &parts);
        if (size < 4 * (size_t)count) {
            chunk->saved = 4 * (size_t)count - size;
            chunk->flags |= WS_CHUNK_PACKED;
            splice(chunk, at + 4, 4 * (size_t)count, packed, size);
        }
    }
    free(words);
    free(packed);
}

/* Other bytes in words that are packed. */
static void change_packed(struct chunk *chunk)
{
    const size_t at = find_planes(chunk);
    if (at == 0)
        return;
    const size_t size = chunk->size - at;
    chunk->size = at + LLVMFuzzerMutate(chunk->payload + at, size, size);
}

/* Texts that harm terminals, files, formats and tables; "" stands for a long one. */
static const char *const texts[] = {"\x1b]0;title\x07",
                                    "\xe2\x80\xae\xe2\x81\xa6 reversed",
                                    "\xc2\x9b[31m",
                                    "a,\"b\"\n,c\r\nd",
                                    "</text><script>&amp;]]>",
                                    "../../../../tmp/escape",
                                    "%s%n%99999d",
                                    "\xff\xfe\xc3\x28\xed\xa0\x80",
                                    "\t\v\f\b\x7f",
                                    "'; $(x) `y` *?[",
                                    "usemtl x\nv 1 2 3\nf 1 1 1",
                                    "all",
                                    "ray_events",
                                    "simt_efficiency",
                                    "main",
                                    ""};

static void change_text(struct chunk *chunk, const struct place *place, uint64_t *state)
{
    const size_t length = (size_t)load(chunk->payload + place->at, 4);
    const char *text = texts[fuzz_below(state, sizeof(texts) / sizeof(texts[0]))];
    uint8_t bytes[8192];
    size_t size = strlen(text);
    if (fuzz_below(state, 4) == 0 && length < 4096) {
        memcpy(bytes + 4, chunk->payload + place->at + 4, length);
        size = LLVMFuzzerMutate(bytes + 4, length, 4096);
    } else if (size == 0) {
        size = (size_t)fuzz_below(state, sizeof(bytes) - 4);
        memset(bytes + 4, 'x', size);
    } else {
        memcpy(bytes + 4, text, size);
    }
    store(bytes, size, 4);
    splice(chunk, place->at, 4 + length, bytes, 4 + size);
}

/* Elements more or fewer, with the count that goes with them; or other bytes in them. */
static void change_array(struct chunk *chunk, const struct place *place, uint64_t *state)
{
    const size_t count = (size_t)load(chunk->payload + place->at, 4);
    uint8_t *elements = chunk->payload + place->at + 4;
    if (count > 0 && fuzz_below(state, 4) > 0) {
        const uint64_t number = fuzz_number(state);
        const size_t at = (size_t)fuzz_below(state, count) * place->size;
        if (fuzz_below(state, 2) == 0)
            memcpy(elements + at, &number, place->size);
        else if (place->size == 4 && fuzz_below(state, 2) == 0)
            memcpy(elements + at, elements + 4 * fuzz_below(state, count), 4);
        else
            elements[at + fuzz_below(state, place->size)] ^= (uint8_t)(1u << fuzz_below(state, 8));
        return;
    }
    const size_t most = count < 64 ? count : 64;
    const size_t few = (size_t)fuzz_below(state, most + 1);
    const size_t at = (size_t)fuzz_below(state, count - few + 1) * place->size;
    uint8_t bytes[256];
    store(elements - 4, fuzz_below(state, 2) == 0 ? count - few : count + few, 4);
    if (load(elements - 4, 4) < count || few == 0) {
        splice(chunk, place->at + 4 + at, few * place->size, NULL, 0);
    } else {
        memcpy(bytes, elements + at, few * place->size);
        splice(chunk, place->at + 4 + at, 0, bytes, few * place->size);
    }
}

/* An element of a list is left out or repeated. */
static void change_element(struct chunk *chunk, const struct place *place, uint64_t *state)
{
    uint8_t *copy = malloc(place->size + 1);
    const uint64_t count = load(chunk->payload + place->count, 4);
    const bool more = fuzz_below(state, 2) == 0;
    if (copy == NULL)
        return;
    memcpy(copy, chunk->payload + place->at, place->size);
    store(chunk->payload + place->count, more ? count + 1 : count - 1, 4);
    splice(chunk, place->at, more ? 0 : place->size, copy, more ? place->size : 0);
    free(copy);
}

static void change_number(struct chunk *chunk, const struct place *place, uint64_t *state)
{
    uint64_t value = load(chunk->payload + place->at, place->size);
    switch (fuzz_below(state, 4)) {
    case 0: value = fuzz_number(state); break;
    case 1: value += fuzz_below(state, 5) - 2; break;
    case 2: value ^= UINT64_C(1) << fuzz_below(state, 8 * place->size); break;
    default: value = fuzz_below(state, 12); break;
    }
    store(chunk->payload + place->at, value, place->size);
}

static void change_member(struct chunk *chunk, uint64_t *state)
{
    uint8_t object[1024] = {0};
    const struct ws_members *members = ws_chunk_members(chunk->type);
    struct walk walk = {.data = chunk->payload, .size = chunk->size, .state = state};
    if (members != NULL)
        walk_members(&walk, members, object);
    switch (walk.kept.kind) {
    case PLACE_NUMBER: change_number(chunk, &walk.kept, state); break;
    case PLACE_TEXT: change_text(chunk, &walk.kept, state); break;
    case PLACE_ARRAY: change_array(chunk, &walk.kept, state); break;
    case PLACE_ELEMENT: change_element(chunk, &walk.kept, state); break;
    default:
        if (chunk->size > 0)
            chunk->size = LLVMFuzzerMutate(chunk->payload, chunk->size, chunk->size);
        break;
    }
}

static void change_chunks(struct capture *capture, uint64_t *state)
{
    const size_t from = (size_t)fuzz_below(state, capture->count);
    const size_t to = (size_t)fuzz_below(state, capture->count);
    const struct chunk other = capture->chunks[to];
    switch (fuzz_below(state, 5)) {
    case 0: drop(capture, from); break;
    case 1: insert(capture, to, capture->chunks[from]); break;
    case 2:
        capture->chunks[to] = capture->chunks[from];
        capture->chunks[from] = other;
        break;
    case 3: capture->chunks[from].type = other.type; break;
    default: capture->chunks[from].size = (size_t)fuzz_below(state, capture->chunks[from].size + 1); break;
    }
}

static size_t find_words(struct capture *capture)
{
    for (size_t i = 0; i < capture->count; ++i)
        if (capture->chunks[i].type == FUZZ_CHUNK_WORDS)
            return i;
    insert(capture, 0, (struct chunk){.type = FUZZ_CHUNK_WORDS});
    return 0;
}

/* A word more, one less, another one, or words that are bytes. */
static void change_words(struct capture *capture, uint64_t *state, capture_word_function *word)
{
    char text[512];
    const size_t index = find_words(capture);
    struct chunk *chunk = &capture->chunks[index];
    if (index >= capture->count || chunk->type != FUZZ_CHUNK_WORDS)
        return;
    size_t starts[64] = {0};
    size_t count = 0;
    for (size_t i = 0; i < chunk->size && count < 63; ++i)
        if (chunk->payload[i] == '\n')
            starts[++count] = i + 1;
    const size_t at = (size_t)fuzz_below(state, count + 1);
    const size_t old = at < count && fuzz_below(state, 2) == 0 ? starts[at + 1] - starts[at] : 0;
    const bool none = count > 6 || (old > 0 && fuzz_below(state, 3) == 0);
    const int length = none ? 0 : snprintf(text, sizeof(text), "%s\n", word(state, chunk->size == 0));
    splice(chunk, starts[at], old, (const uint8_t *)text,
           length < (int)sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

size_t capture_mutate(uint8_t *data, size_t size, size_t capacity, unsigned seed, capture_word_function *word)
{
    static struct capture capture;
    uint64_t state = fuzz_state(seed);
    size_t words = 0;
    if (fuzz_below(&state, 64) == 0) /* the file itself, as it is */
        return LLVMFuzzerMutate(data, size, capacity);
    parse(&capture, data, size);
    const bool packs = fuzz_below(&state, 4) == 0;
    for (size_t i = 0; packs && i < capture.count; ++i) {
        pack_planes(&capture.chunks[i]);
        if ((capture.chunks[i].flags & WS_CHUNK_PACKED) != 0 && fuzz_below(&state, 4) == 0)
            change_packed(&capture.chunks[i]);
    }
    if (word != NULL && capture_words(data, size, &words) == NULL)
        change_words(&capture, &state, word);
    for (uint64_t i = fuzz_below(&state, 3); i < 3 && capture.count > 0; ++i) {
        const uint64_t what = fuzz_below(&state, 16);
        if (what < 4 && word != NULL)
            change_words(&capture, &state, word);
        else if (what < 6)
            change_chunks(&capture, &state);
        else
            change_member(&capture.chunks[fuzz_below(&state, capture.count)], &state);
    }
    const size_t changed = write_out(&capture, data, capacity);
    while (capture.count > 0)
        drop(&capture, capture.count - 1);
    return changed;
}
