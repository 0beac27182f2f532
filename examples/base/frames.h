/* Drawing the same picture several times, and telling how long each took. */
#ifndef WS_EXAMPLES_BASE_FRAMES_H
#define WS_EXAMPLES_BASE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/error.h"

/* Draws frame `frame` and waits for it. */
typedef bool ws_frame_function(void *user, uint32_t frame, struct ws_error *error);

/* Draws `frames` frames, at least one. With `time`: prints "first <ms>" and, of the others, "warm <median
 * ms>" on stderr. False and `error` when one failed, or there is no memory. */
bool ws_frames_draw(uint32_t frames, bool time, ws_frame_function *draw, void *user, struct ws_error *error);

#endif
