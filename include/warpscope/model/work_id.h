/* How reports write the work id of a thread. records.h, WORK IDS, says which words the threads of a stage
 * have. */
#ifndef WARPSCOPE_MODEL_WORK_ID_H
#define WARPSCOPE_MODEL_WORK_ID_H

#include <stddef.h>
#include <stdint.h>

/* What the work id of a stage is, after its built-in variables: "launch id" (LaunchId), "invocation id"
 * (GlobalInvocationId), "primitive,invocation" (PrimitiveId, InvocationId), "vertex,instance", "pixel". */
const char *ws_work_name(uint32_t stage);

/* A work id as text, such as "12,7" or "12,7 sample 1"; cut at `size`. */
void ws_work_text(uint32_t stage, const uint32_t work[3], char *text, size_t size);

#endif
