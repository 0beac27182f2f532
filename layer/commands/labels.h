/* The debug labels that are open on a command buffer or a queue, as one text: the outermost first, as in
 * "frame / shadows / blur". Not thread-safe: the application synchronizes command buffer and queue. */
#ifndef WS_LAYER_COMMANDS_LABELS_H
#define WS_LAYER_COMMANDS_LABELS_H

#include <stdint.h>

/* Zero-initialise. */
struct ws_labels {
    char *text; /* NULL or NUL-terminated */
    uint32_t capacity;
    uint32_t *lengths; /* of the text before each open label */
    uint32_t count;
    uint32_t count_capacity;
    uint32_t unkept; /* how many open labels, the innermost ones, are not in the text for want of memory */
};

/* Frees all. The second forgets what is open, and keeps the memory for a new recording. */
void ws_labels_finish(struct ws_labels *labels);
void ws_labels_clear(struct ws_labels *labels);

/* Opens a label `name` (NULL is taken as ""), and closes the innermost. Closing more than were opened is
 * allowed: a label may be opened in one command buffer and closed in another. */
void ws_labels_begin(struct ws_labels *labels, const char *name);
void ws_labels_end(struct ws_labels *labels);

/* The text; "" when no label is open. Valid until the next change. */
const char *ws_labels_text(const struct ws_labels *labels);

#define WS_LABEL_SEPARATOR " / "

/* Writes `outer` and `inner` to `text`, with the separator between them where both are not empty. `text` has
 * room for ws_labels_joined_size bytes. */
uint32_t ws_labels_joined_size(const char *outer, const char *inner);
void ws_labels_join(const char *outer, const char *inner, char *text);

#endif
