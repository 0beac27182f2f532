#include "passes/base/near.h"

#include <string.h>

#define LENGTH_MAX 48 /* longer texts are near nothing */

struct ws_near ws_near_begin(const char *text, size_t length)
{
    return (struct ws_near){.text = text, .length = length};
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters differ. Row i of the table has the distances of the first i letters of `text` to the first j
 * of `name`; three rows are kept. */
static size_t distance(const char *text, size_t length, const char *name, size_t name_length)
{
    size_t rows[3][LENGTH_MAX + 1];
    for (size_t j = 0; j <= name_length; ++j)
        rows[0][j] = j;
    for (size_t i = 1; i <= length; ++i) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= name_length; ++j) {
            const size_t replaced = above[j - 1] + (text[i - 1] != name[j - 1]);
            row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && text[i - 1] == name[j - 2] && text[i - 2] == name[j - 1])
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[length % 3][name_length];
}

void ws_near_try(struct ws_near *near, const char *name)
{
    const size_t name_length = strlen(name);
    if (near->length < 2 || near->length > LENGTH_MAX || name_length > LENGTH_MAX)
        return;
    size_t differ = distance(near->text, near->length, name, name_length);
    if (strncmp(near->text, name, near->length) == 0)
        differ = 1;
    if (3 * differ <= least(near->length, name_length) + 1 &&
        (near->name == NULL || differ < near->distance)) {
        near->name = name;
        near->distance = differ;
    }
}
