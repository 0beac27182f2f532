#include "analysis/diff/lines.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/instrument.h"

static bool split(const char *text, struct ws_diff_line **lines, uint32_t *count)
{
    size_t most = 1;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; ++at)
        ++most;
    *count = 0;
    *lines = most < WS_NONE ? calloc(most, sizeof(**lines)) : NULL;
    for (const char *at = text; *lines != NULL && *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        const bool returns = length > 0 && at[length - 1] == '\r';
        (*lines)[(*count)++] = (struct ws_diff_line){at, length - returns};
        at += length + (at[length] == '\n');
    }
    return *lines != NULL;
}

/* What stands between the lines that both begin and end with. */
struct middle {
    const struct ws_diff_lines *lines;
    uint32_t first; /* the same of both sides */
    int32_t count[WS_DIFF_SIDES];
};

static bool is_equal(const struct ws_diff_lines *lines, uint32_t a, uint32_t b)
{
    const struct ws_diff_line *one = &lines->lines[0][a];
    const struct ws_diff_line *other = &lines->lines[1][b];
    return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

static void join_lines(struct ws_diff_lines *lines, uint32_t a, uint32_t b)
{
    lines->join.other[0][a] = b;
    lines->join.other[1][b] = a;
}

static bool is_equal_at(const struct middle *middle, int32_t x, int32_t y)
{
    return x < middle->count[0] && y < middle->count[1] &&
           is_equal(middle->lines, middle->first + (uint32_t)x, middle->first + (uint32_t)y);
}

/* Diagonals -d .. d after d edits: how far each reaches into A. Those of all numbers of edits stand in one array. */
static int32_t *reach_of(int32_t *reaches, int32_t d)
{
    return reaches + (size_t)d * (size_t)d + d; /* 1 + 3 + 5 + ... = d * d; its middle */
}

/* Whether the path to diagonal k after d edits comes from the diagonal above: a line of B is put in. */
static bool comes_down(const int32_t *before, int32_t d, int32_t k)
{
    return k == -d || (k != d && before[k - 1] < before[k + 1]);
}

/* Returns the number of edits of a shortest script, and all reaches on the way to it; -1 where it has more than `most`. */
static int32_t find_script(const struct middle *middle, int32_t *reaches, int32_t most)
{
    for (int32_t d = 0; d <= most; ++d) {
        int32_t *reach = reach_of(reaches, d);
        for (int32_t k = -d; k <= d; k += 2) {
            const int32_t *before = d > 0 ? reach_of(reaches, d - 1) : NULL;
            int32_t x = before == NULL ? 0 : comes_down(before, d, k) ? before[k + 1] : before[k - 1] + 1;
            while (is_equal_at(middle, x, x - k))
                ++x;
            reach[k] = x;
            if (x >= middle->count[0] && x - k >= middle->count[1])
                return d;
        }
    }
    return -1;
}

/* Joins the equal lines along the script, from its end. */
static void follow_script(struct ws_diff_lines *lines, const struct middle *middle, int32_t *reaches,
                          int32_t d)
{
    int32_t x = middle->count[0];
    int32_t y = middle->count[1];
    for (; d >= 0; --d) {
        const int32_t k = x - y;
        int32_t start = 0;
        const int32_t *before = d > 0 ? reach_of(reaches, d - 1) : NULL;
        const bool down = before != NULL && comes_down(before, d, k);
        if (before != NULL)
            start = down ? before[k + 1] : before[k - 1] + 1;
        for (; x > start; --x, --y)
            join_lines(lines, middle->first + (uint32_t)x - 1, middle->first + (uint32_t)y - 1);
        x -= before != NULL && !down;
        y -= before != NULL && down;
    }
}

/* `*too_many`: they differ by too much. False when there is no memory. */
static bool join_middle(struct ws_diff_lines *lines, struct middle *middle, bool *too_many)
{
    int64_t most = (int64_t)middle->count[0] + middle->count[1];
    *too_many = most > WS_DIFF_LINES_MAX;
    if (*too_many)
        return true;
    most = most < WS_DIFF_EDITS_MAX ? most : WS_DIFF_EDITS_MAX;
    /* The reaches of 0 .. most edits; diagonals of an odd distance stay unused. */
    int32_t *reaches = calloc((size_t)(most + 1) * (size_t)(most + 1), sizeof(*reaches));
    if (reaches == NULL)
        return false;
    const int32_t edits = find_script(middle, reaches, (int32_t)most);
    *too_many = edits < 0;
    if (edits >= 0)
        follow_script(lines, middle, reaches, edits);
    free(reaches);
    return true;
}

/* Lines that were taken out and put in between the same joined lines. */
static void join_changed(struct ws_diff_lines *lines)
{
    const struct ws_diff_join *join = &lines->join;
    uint32_t a = 0;
    uint32_t b = 0;
    while (a < join->count[0] && b < join->count[1]) {
        const bool alone_a = join->other[0][a] == WS_NONE;
        const bool alone_b = join->other[1][b] == WS_NONE;
        if (alone_a && alone_b)
            join_lines(lines, a, b);
        a += alone_a || !alone_b;
        b += alone_b || !alone_a;
    }
}

bool ws_diff_lines_init(struct ws_diff_lines *lines, const char *a, const char *b)
{
    uint32_t count[WS_DIFF_SIDES] = {0, 0};
    uint32_t first = 0;
    *lines = (struct ws_diff_lines){.lines = {NULL, NULL}};
    if (!split(a, &lines->lines[0], &count[0]) || !split(b, &lines->lines[1], &count[1]) ||
        !ws_diff_join_init(&lines->join, count[0], count[1]))
        return false;
    for (; first < count[0] && first < count[1] && is_equal(lines, first, first); ++first)
        join_lines(lines, first, first);
    while (count[0] > first && count[1] > first && is_equal(lines, count[0] - 1, count[1] - 1)) {
        join_lines(lines, count[0] - 1, count[1] - 1);
        --count[0];
        --count[1];
    }
    struct middle middle = {lines, first, {(int32_t)(count[0] - first), (int32_t)(count[1] - first)}};
    bool too_many = false;
    if (middle.count[0] > 0 && middle.count[1] > 0 && !join_middle(lines, &middle, &too_many))
        return false;
    if (!too_many)
        join_changed(lines);
    return true;
}

void ws_diff_lines_finish(struct ws_diff_lines *lines)
{
    ws_diff_join_finish(&lines->join);
    free(lines->lines[0]);
    free(lines->lines[1]);
    *lines = (struct ws_diff_lines){.lines = {NULL, NULL}};
}

bool ws_diff_line_is_equal(const struct ws_diff_lines *lines, uint32_t side, uint32_t line)
{
    const uint32_t other = lines->join.other[side][line];
    return side == 0 ? is_equal(lines, line, other) : is_equal(lines, other, line);
}
