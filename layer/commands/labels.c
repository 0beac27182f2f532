#include "layer/commands/labels.h"

#include <stdlib.h>
#include <string.h>

#include "passes/base/array.h"

void ws_labels_finish(struct ws_labels *labels)
{
    free(labels->text);
    free(labels->lengths);
    *labels = (struct ws_labels){0};
}

void ws_labels_clear(struct ws_labels *labels)
{
    labels->count = 0;
    labels->unkept = 0;
    if (labels->text != NULL)
        labels->text[0] = '\0';
}

/* A level without a name keeps begins and ends in balance, but does not show. */
static bool append(struct ws_labels *labels, const char *name)
{
    uint32_t *lengths =
        ws_array_grow(labels->lengths, &labels->count_capacity, labels->count + 1, sizeof(*lengths));
    if (lengths == NULL)
        return false;
    labels->lengths = lengths;

    const size_t length = labels->text != NULL ? strlen(labels->text) : 0;
    const size_t needed = length + strlen(WS_LABEL_SEPARATOR) + strlen(name) + 1;
    char *text =
        needed <= UINT32_MAX ? ws_array_grow(labels->text, &labels->capacity, (uint32_t)needed, 1) : NULL;
    if (text == NULL)
        return false;
    labels->text = text;
    text[length] = '\0';
    if (length > 0 && name[0] != '\0')
        strcat(text, WS_LABEL_SEPARATOR);
    strcat(text, name);
    lengths[labels->count++] = (uint32_t)length;
    return true;
}

void ws_labels_begin(struct ws_labels *labels, const char *name)
{
    if (labels->unkept > 0 || !append(labels, name != NULL ? name : ""))
        labels->unkept++;
}

void ws_labels_end(struct ws_labels *labels)
{
    if (labels->unkept > 0)
        labels->unkept--;
    else if (labels->count > 0)
        labels->text[labels->lengths[--labels->count]] = '\0';
}

const char *ws_labels_text(const struct ws_labels *labels)
{
    return labels->text != NULL ? labels->text : "";
}

uint32_t ws_labels_joined_size(const char *outer, const char *inner)
{
    return (uint32_t)(strlen(outer) + strlen(WS_LABEL_SEPARATOR) + strlen(inner) + 1);
}

void ws_labels_join(const char *outer, const char *inner, char *text)
{
    strcpy(text, outer);
    if (outer[0] != '\0' && inner[0] != '\0')
        strcat(text, WS_LABEL_SEPARATOR);
    strcat(text, inner);
}
