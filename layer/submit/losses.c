#include "layer/submit/losses.h"

#include <stdarg.h>
#include <stdio.h>

#include "layer/core/capture.h"
#include "layer/core/captured_image.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/submit/submission.h"
#include "warpscope/instrument.h"

void ws_lose_launches(struct ws_device *device, uint64_t count, const char *reason)
{
    if (count == 0)
        return;
    ws_capture_skip(device->capture, WS_SKIP_LAUNCH, WS_NONE, WS_NONE, WS_NONE, count, reason);
    device->submissions->losses.launches = reason;
    device->submissions->losses.any = true;
}

void ws_lose_records(struct ws_device *device, uint64_t count, const char *reason)
{
    if (count == 0)
        return;
    ws_capture_skip(device->capture, WS_SKIP_RECORDS, WS_NONE, WS_NONE, WS_NONE, count, reason);
    device->submissions->losses.records = reason;
    device->submissions->losses.any = true;
}

void ws_lose_geometry(struct ws_device *device, uint32_t structure, uint64_t count, const char *reason)
{
    if (count == 0)
        return;
    ws_capture_skip(device->capture, WS_SKIP_GEOMETRY, structure, WS_NONE, WS_NONE, count, reason);
    struct ws_losses *losses = &device->submissions->losses;
    for (uint32_t i = 0; i < losses->said_geometry_count; i++)
        if (losses->said_geometry[i] == reason)
            return;
    if (losses->said_geometry_count == WS_GEOMETRY_SAID)
        return;
    losses->said_geometry[losses->said_geometry_count++] = reason;
    losses->geometry = reason;
    losses->any = true;
}

void ws_lose_images(struct ws_device *device, uint64_t count, const char *reason)
{
    if (count == 0)
        return;
    ws_captured_images_skip(device->capture, count, reason);
    device->submissions->losses.images = reason;
    device->submissions->losses.any = true;
}

void ws_say_ordered(struct ws_device *device)
{
    struct ws_losses *losses = &device->submissions->losses;
    if (losses->said_ordered)
        return;
    losses->ordered = losses->said_ordered = true;
    losses->any = true;
}

void ws_warn_of_buffers(struct ws_device *device, const char *format, ...)
{
    struct ws_losses *losses = &device->submissions->losses;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(losses->buffers, sizeof(losses->buffers), format, arguments);
    va_end(arguments);
    losses->any = true;
}

bool ws_losses_take(struct ws_losses *losses, struct ws_losses *taken)
{
    if (!losses->any)
        return false;
    *taken = *losses;
    losses->any = false;
    losses->launches = NULL;
    losses->records = NULL;
    losses->geometry = NULL;
    losses->images = NULL;
    losses->ordered = false;
    losses->buffers[0] = '\0';
    return true;
}

void ws_losses_say(struct ws_instance *instance, const struct ws_losses *losses)
{
    if (losses->launches != NULL)
        ws_message(instance, WS_WARNING, "counts of some launches are lost: %s", losses->launches);
    if (losses->records != NULL)
        ws_message(instance, WS_WARNING, "records of some launches are lost: %s", losses->records);
    if (losses->geometry != NULL)
        ws_message(instance, WS_WARNING, "some geometry is not captured: %s", losses->geometry);
    if (losses->images != NULL)
        ws_message(instance, WS_WARNING, "some images are not captured: %s", losses->images);
    if (losses->ordered)
        ws_message(
            instance, WS_INFORMATION,
            "submissions to several queues that record, or that run the same shaders, run one after the "
            "other on the device: their times are not those without Warpscope");
    if (losses->buffers[0] != '\0')
        ws_message(instance, WS_WARNING, "%s", losses->buffers);
}
