#include "layer/core/captured_image.h"

#include "layer/core/blob.h"
#include "layer/core/capture.h"
#include "layer/core/message.h"
#include "warpscope/instrument.h"

bool ws_captured_images_full(struct ws_capture *capture, uint64_t size)
{
    const uint64_t limit = capture->image_limit;
    return size > limit || atomic_load(&capture->image_bytes) > limit - size;
}

void ws_captured_images_skip(struct ws_capture *capture, uint64_t count, const char *reason)
{
    if (count > 0)
        ws_capture_skip(capture, WS_SKIP_IMAGE, WS_NONE, WS_NONE, WS_NONE, count, reason);
}

void ws_captured_image_write(struct ws_capture *capture, struct ws_chunk_image *chunk, const uint8_t *bytes)
{
    const uint64_t size = chunk->pitch * chunk->height;
    /* Other devices may write at the same time. */
    if (atomic_fetch_add(&capture->image_bytes, size) + size > capture->image_limit) {
        atomic_fetch_sub(&capture->image_bytes, size);
        if (!atomic_exchange(&capture->images_full, true))
            ws_message(NULL, WS_WARNING, "further images are not captured: " WS_IMAGES_FULL);
        ws_captured_images_skip(capture, 1, WS_IMAGES_FULL);
        return;
    }
    chunk->blob = ws_blob_put(capture, bytes, size);
    if (chunk->blob == WS_NONE) {
        atomic_fetch_sub(&capture->image_bytes, size);
        ws_captured_images_skip(capture, 1, "out of memory for an image");
        return;
    }
    struct ws_error error = {0};
    ws_capture_check(NULL, ws_capture_write_image(capture->writer, chunk, &error), &error);
}
