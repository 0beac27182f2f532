#include "analysis/scene/scene_blobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/capture/scratch.h"
#include "warpscope/model/catalog.h"

#define COPY_STEP ((size_t)1 << 20)

void ws_scene_blobs_init(struct ws_scene_blobs *blobs)
{
    memset(blobs, 0, sizeof(*blobs));
    blobs->file = -1;
}

void ws_scene_blobs_finish(struct ws_scene_blobs *blobs)
{
    if (blobs->mapping_size > 0)
        munmap((void *)(uintptr_t)blobs->mapping, blobs->mapping_size);
    if (blobs->file >= 0)
        close(blobs->file);
    ws_id_map_finish(&blobs->ids);
    free(blobs->entries);
    free(blobs->pieces);
    ws_scene_blobs_init(blobs);
}

static bool refuse(struct ws_error *error)
{
    return ws_scratch_refuse("the geometry of the capture", error);
}

static bool add_entry(struct ws_scene_blobs *blobs, const struct ws_chunk_blob *piece)
{
    struct ws_scene_blob_entry *entries =
        ws_array_grow(blobs->entries, &blobs->capacity, blobs->count + 1, sizeof(*entries));
    if (entries == NULL || !ws_id_map_put(&blobs->ids, piece->id, blobs->count)) {
        blobs->entries = entries != NULL ? entries : blobs->entries;
        return false;
    }
    blobs->entries = entries;
    entries[blobs->count++] = (struct ws_scene_blob_entry){.size = piece->size, .id = piece->id};
    return true;
}

static bool add_piece(struct ws_scene_blobs *blobs, uint32_t index, uint64_t size)
{
    if (blobs->piece_count > 0 && blobs->pieces[blobs->piece_count - 1].blob == index) {
        blobs->pieces[blobs->piece_count - 1].size += size;
        return true;
    }
    struct ws_scene_blob_piece *pieces =
        ws_array_grow(blobs->pieces, &blobs->piece_capacity, blobs->piece_count + 1, sizeof(*pieces));
    if (pieces == NULL)
        return false;
    blobs->pieces = pieces;
    pieces[blobs->piece_count++] = (struct ws_scene_blob_piece){index, size};
    return true;
}

bool ws_scene_blobs_add(struct ws_scene_blobs *blobs, const struct ws_chunk_blob *piece,
                        struct ws_error *error)
{
    uint32_t index = 0;
    if (!ws_id_map_get(&blobs->ids, piece->id, &index)) {
        index = blobs->count;
        if (!add_entry(blobs, piece))
            return ws_error_set(error, "no memory for the geometry of the capture");
    }
    if (!ws_budget_spend(WS_STEPS_KEPT * (uint64_t)piece->count))
        return true; /* what is not kept is missing like what was not captured; the reader ends here */
    if (!add_piece(blobs, index, piece->count))
        return ws_error_set(error, "no memory for the geometry of the capture");
    if (piece->count == 0)
        return true;
    if (blobs->file < 0)
        blobs->file = ws_scratch_open();
    if (blobs->file < 0 || !ws_scratch_write(blobs->file, piece->bytes, piece->count, blobs->file_size))
        return refuse(error);
    blobs->file_size += piece->count;
    blobs->entries[index].have += piece->count;
    return true;
}

/* Copies bytes within the file. */
static bool copy_within(int file, uint64_t from, uint64_t to, uint64_t size)
{
    uint8_t *buffer = malloc(COPY_STEP);
    bool copied = buffer != NULL;
    while (size > 0 && copied) {
        const size_t step = size < COPY_STEP ? (size_t)size : COPY_STEP;
        const ssize_t got = pread(file, buffer, step, (off_t)from);
        if (got < 0 && errno == EINTR)
            continue;
        copied = got > 0 && ws_scratch_write(file, buffer, (size_t)got, to);
        if (copied) {
            from += (uint64_t)got;
            to += (uint64_t)got;
            size -= (uint64_t)got;
        }
    }
    free(buffer);
    return copied;
}

/* Blobs that came in several pieces, with others between them, get a place of their own at the end. */
static bool place(struct ws_scene_blobs *blobs)
{
    uint64_t *placed =
        calloc((size_t)blobs->count + 1, sizeof(*placed)); /* bytes that are where they belong */
    bool good = placed != NULL;
    uint64_t at = 0;
    for (uint32_t i = 0; i < blobs->piece_count && good; ++i) {
        const struct ws_scene_blob_piece *piece = &blobs->pieces[i];
        struct ws_scene_blob_entry *entry = &blobs->entries[piece->blob];
        const bool whole = piece->size == entry->have;
        if (placed[piece->blob] == 0) {
            entry->place = whole ? at : blobs->file_size;
            blobs->file_size += whole ? 0 : entry->have;
        }
        good = whole || copy_within(blobs->file, at, entry->place + placed[piece->blob], piece->size);
        placed[piece->blob] += piece->size;
        at += piece->size;
    }
    free(placed);
    return good;
}

bool ws_scene_blobs_map(struct ws_scene_blobs *blobs, struct ws_error *error)
{
    if (blobs->file < 0)
        return true;
    if (!place(blobs))
        return refuse(error);
    void *mapping = mmap(NULL, blobs->file_size, PROT_READ, MAP_SHARED, blobs->file, 0);
    if (mapping == MAP_FAILED)
        return refuse(error);
    blobs->mapping = mapping;
    blobs->mapping_size = blobs->file_size;
    return true;
}

static const struct ws_scene_blob_entry *find(const struct ws_scene_blobs *blobs, uint32_t id)
{
    uint32_t index = 0;
    return id != WS_NONE && ws_id_map_get(&blobs->ids, id, &index) ? &blobs->entries[index] : NULL;
}

const uint8_t *ws_scene_blobs_get(const struct ws_scene_blobs *blobs, uint32_t id, size_t *size)
{
    static const uint8_t nothing[1];
    const struct ws_scene_blob_entry *entry = find(blobs, id);
    *size = entry != NULL ? (size_t)entry->have : 0;
    if (entry == NULL)
        return NULL;
    return entry->have > 0 ? blobs->mapping + entry->place : nothing;
}

void ws_scene_blobs_use(struct ws_scene_blobs *blobs, uint32_t id)
{
    uint32_t index = 0;
    if (id != WS_NONE && ws_id_map_get(&blobs->ids, id, &index) && blobs->entries[index].uses < UINT32_MAX)
        blobs->entries[index].uses++;
}
