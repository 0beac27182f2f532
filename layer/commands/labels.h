/* The debug-utils labels that are open, as one text: outermost first, joined by " / ". Needs no device.
 * Not thread-safe: belongs to a command buffer or a queue, which the application synchronizes. */
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
    uint32_t unkept; /* innermost labels that are open, but for which there was no memory */
};

void ws_labels_finish(struct ws_labels *labels);
void ws_labels_clear(struct ws_labels *labels);

/* Opens `name` (NULL is taken as ""); closes the innermost label. Closing more than were opened is
 * allowed: a label may be opened in one command buffer and closed in another. */
void ws_labels_begin(struct ws_labels *labels, const char *name);
void ws_labels_end(struct ws_labels *labels);

/* The text, "" when nothing is open. Valid until the next change. */
const char *ws_labels_text(const struct ws_labels *labels);

#define WS_LABEL_SEPARATOR " / "

/* Writes outer and inner, joined where both are not empty, to `text`, which has room for
 * ws_labels_joined_size bytes. */
uint32_t ws_labels_joined_size(const char *outer, const char *inner);
void ws_labels_join(const char *outer, const char *inner, char *text);

#endif
