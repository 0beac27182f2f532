#include "analysis/viewer/single_file.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "analysis/output/base64.h"
#include "analysis/viewer/page.h"
#include "warpscope/base/array.h"

const struct ws_file_kind ws_viewer_page_kind = {"<!doctype html>*", "data-source=\"file\""};

#define SMALL 1024 /* what is left of the budget when nothing more is tried */
/* What an entry of `left_out` takes in capture.json at most: its texts, packed no smaller than they are. And how much longer
 * than expected one may be: its first query names another launch or thread. */
#define LEFT_OUT_BYTES  ((sizeof(struct ws_viewer_left_out) + 512) * 4 / 3)
#define LEFT_OUT_LONGER 64

/* An answer that a resource wants to be in the file. */
struct wanted {
    char *query; /* canonical; owned */
    unsigned rank;
    uint32_t order; /* in which it was named */
};

struct writing {
    struct ws_viewer *viewer;
    struct ws_viewer_single_file *file;
    FILE *stream;
    const struct ws_viewer_capture *capture; /* whose answers are named */
    struct wanted *wanted;
    uint32_t count;
    uint32_t capacity;
    uint64_t reserve; /* bytes for capture.json, which comes last */
    bool full[WS_RANK_TOLD +
              1]; /* an answer of that rank did not fit, and of those that fill the budget none is tried */
};

/* An answer as it stands in the file. */
struct packed {
    unsigned char *bytes;
    size_t size;
};

/* Counts an answer that is left out. `words`: why it has none; NULL = it has one. */
static void leave_out(struct ws_viewer *viewer, const char *query, enum ws_viewer_why why, const char *words)
{
    char name[64];
    uint32_t at = 0;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(query, "?"), query);
    const struct ws_viewer_resource *resource = ws_viewer_resource_find(name);
    while (at < viewer->left_out_count &&
           !(viewer->left_out[at].why == why &&
             (why == WS_VIEWER_NO_ANSWER || viewer->left_out[at].resource == resource)))
        ++at;
    if (at == WS_VIEWER_LEFT_OUT_MOST) /* there are not so many resources */
        return;
    struct ws_viewer_left_out *left_out = &viewer->left_out[at];
    if (at == viewer->left_out_count) {
        *left_out = (struct ws_viewer_left_out){.resource = resource, .why = why};
        snprintf(left_out->first, sizeof(left_out->first), "%s", query);
        snprintf(left_out->words, sizeof(left_out->words), "%s", words != NULL ? words : "");
        viewer->left_out_count++;
    }
    left_out->answers++;
}

/* Keeps a query, with its capture, by its canonical text. */
static bool want(void *user, const char *text, unsigned rank)
{
    struct writing *writing = user;
    if (rank == WS_RANK_NEVER) {
        leave_out(writing->viewer, text, WS_VIEWER_OTHER_LAUNCH, NULL);
        return true;
    }
    struct ws_viewer_query *query = malloc(sizeof(*query));
    char *whole = NULL;
    char *canonical = malloc(WS_VIEWER_QUERY_SIZE);
    struct wanted *grown =
        ws_array_grow(writing->wanted, &writing->capacity, writing->count + 1, sizeof(*grown));
    bool good = query != NULL && canonical != NULL && grown != NULL;
    if (grown != NULL)
        writing->wanted = grown;
    if (good && writing->capture->number == 0)
        whole = strdup(text);
    else if (good && asprintf(&whole, "%s%ccapture=%s", text, strchr(text, '?') != NULL ? '&' : '?',
                              writing->capture->key) < 0)
        whole = NULL;
    good = good && whole != NULL && ws_viewer_query_parse(query, whole, NULL) &&
           ws_viewer_query_canonical(query, canonical, WS_VIEWER_QUERY_SIZE);
    if (good) {
        writing->wanted[writing->count] =
            (struct wanted){.query = canonical, .rank = rank, .order = writing->count};
        writing->count++;
        canonical = NULL;
    }
    free(canonical);
    free(whole);
    free(query);
    return good;
}

static bool name_answers(struct writing *writing, struct ws_error *error)
{
    const struct ws_viewer_resource *const *resources = ws_viewer_resources();
    struct ws_viewer *viewer = writing->viewer;
    for (uint32_t i = 0; i < viewer->capture_count; ++i)
        for (size_t j = 0; resources[j] != NULL; ++j) {
            writing->capture = &viewer->captures[i];
            const bool named =
                resources[j]->embed == NULL
                    ? want(writing, resources[j]->name, 0)
                    : resources[j]->embed(viewer, &viewer->captures[i], writing->file->budget, want, writing);
            if (!named)
                return ws_error_set(error, "no memory for the answers of %s", resources[j]->name);
        }
    return true;
}

static int compare_wanted(const void *one, const void *other)
{
    const struct wanted *a = one;
    const struct wanted *b = other;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Packs bytes as gzip (RFC 1952), which DecompressionStream of browsers reads. The caller frees them. */
static bool pack(const char *data, size_t size, int level, struct packed *packed)
{
    z_stream zip = {.next_in = NULL};
    if (deflateInit2(&zip, level, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    const size_t room = deflateBound(&zip, size);
    *packed = (struct packed){.bytes = malloc(room)};
    int result = packed->bytes != NULL ? Z_OK : Z_MEM_ERROR;
    zip.next_in = (Bytef *)(uintptr_t)data;
    zip.next_out = packed->bytes;
    size_t in = size;
    size_t out = room;
    while (result == Z_OK) { /* its counts have 32 bits */
        const uInt step_in = in > UINT32_MAX ? UINT32_MAX : (uInt)in;
        const uInt step_out = out > UINT32_MAX ? UINT32_MAX : (uInt)out;
        zip.avail_in = step_in;
        zip.avail_out = step_out;
        result = deflate(&zip, step_in == in ? Z_FINISH : Z_NO_FLUSH);
        in -= step_in - zip.avail_in;
        out -= step_out - zip.avail_out;
    }
    packed->size = room - out;
    deflateEnd(&zip);
    if (result != Z_STREAM_END)
        free(packed->bytes);
    return result == Z_STREAM_END;
}

static void write_bytes(struct writing *writing, const void *data, size_t size)
{
    fwrite(data, 1, size, writing->stream);
    writing->file->bytes += size;
}

static void write_text(struct writing *writing, const char *text)
{
    write_bytes(writing, text, strlen(text));
}

static void write_base64(struct writing *writing, const struct packed *packed)
{
    char text[4096];
    size_t used = 0;
    for (size_t i = 0; i < packed->size; i += 3) {
        ws_base64_put(packed->bytes + i, packed->size - i, text + used);
        used += 4;
        if (used == sizeof(text)) {
            write_bytes(writing, text, used);
            used = 0;
        }
    }
    write_bytes(writing, text, used);
}

/* The element of an answer. A canonical query has one character that means something to HTML: "&". */
static void write_answer(struct writing *writing, const char *query, const struct packed *packed)
{
    write_text(writing, "<script type=\"application/octet-stream\" data-answer=\"");
    for (; *query != '\0'; ++query)
        if (*query == '&')
            write_text(writing, "&amp;");
        else
            write_bytes(writing, query, 1);
    write_text(writing, "\">");
    write_base64(writing, packed);
    write_text(writing, "</script>\n");
    writing->file->answers++;
}

/* What an answer takes in the file. */
static uint64_t size_in_file(const char *query, const struct packed *packed)
{
    return (packed->size + 2) / 3 * 4 + 2 * strlen(query) + 64;
}

/* Makes an answer, packed as it stands in the file. WS_VIEWER_REFUSED where there is none; `error` says why, as with
 * WS_VIEWER_FAILED. */
static enum ws_viewer_result make(struct writing *writing, const char *query, int level,
                                  struct packed *packed, struct ws_error *error)
{
    char *answer = NULL;
    size_t size = 0;
    const enum ws_viewer_result result = ws_viewer_answer(writing->viewer, query, &answer, &size, error);
    if (result != WS_VIEWER_ANSWERED)
        return result;
    const bool good = pack(answer, size, level, packed);
    free(answer);
    if (!good)
        ws_error_set(error, "no memory for %s", query);
    return good ? WS_VIEWER_ANSWERED : WS_VIEWER_FAILED;
}

static uint64_t room_left(const struct writing *writing)
{
    const uint64_t used = writing->file->bytes + ws_viewer_page.behind.size + writing->reserve;
    return used < writing->file->budget ? writing->file->budget - used : 0;
}

/* Whether an answer need not be made, since it will not fit. */
static bool is_full(const struct writing *writing, const struct wanted *wanted)
{
    return wanted->rank > WS_RANK_ALWAYS &&
           (room_left(writing) < SMALL || (wanted->rank >= WS_RANK_THREADS && writing->full[wanted->rank]));
}

/* Writes an answer, or leaves it out where it is not of rank 0 and does not fit. */
static bool write_wanted(struct writing *writing, const struct wanted *wanted, struct ws_error *error)
{
    struct packed packed = {NULL, 0};
    struct ws_error refusal = {{0}};
    /* What fills the budget is most of the bytes: a tenth smaller would take twice as long. */
    const int level = wanted->rank >= WS_RANK_THREADS ? Z_DEFAULT_COMPRESSION : Z_BEST_COMPRESSION;
    if (is_full(writing, wanted)) {
        leave_out(writing->viewer, wanted->query, WS_VIEWER_NO_ROOM, NULL);
        return true;
    }
    switch (make(writing, wanted->query, level, &packed, &refusal)) {
    case WS_VIEWER_ANSWERED: break;
    case WS_VIEWER_FAILED: return ws_error_set(error, "%s", refusal.message);
    default: /* of a capture that is damaged, say: the page shows what there is */
        leave_out(writing->viewer, wanted->query, WS_VIEWER_NO_ANSWER, refusal.message);
        return true;
    }
    if (wanted->rank == WS_RANK_ALWAYS || size_in_file(wanted->query, &packed) <= room_left(writing)) {
        write_answer(writing, wanted->query, &packed);
    } else {
        leave_out(writing->viewer, wanted->query, WS_VIEWER_NO_ROOM, NULL);
        writing->full[wanted->rank] = true;
    }
    free(packed.bytes);
    return true;
}

/* Keeps room for capture.json: as it is if all that can be left out is, with one more entry for what has no answer. */
static bool keep_room(struct writing *writing, const char *query, struct ws_error *error)
{
    struct ws_viewer *viewer = writing->viewer;
    const uint32_t before = viewer->left_out_count;
    struct packed packed = {NULL, 0};
    for (uint32_t i = 0; i < writing->count; ++i)
        if (writing->wanted[i].rank > WS_RANK_ALWAYS)
            leave_out(viewer, writing->wanted[i].query, WS_VIEWER_NO_ROOM, NULL);
    const bool made = make(writing, query, Z_BEST_COMPRESSION, &packed, error) == WS_VIEWER_ANSWERED;
    if (made)
        writing->reserve = size_in_file(query, &packed) + LEFT_OUT_BYTES +
                           (uint64_t)viewer->left_out_count * LEFT_OUT_LONGER;
    viewer->left_out_count = before;
    free(packed.bytes);
    return made;
}

static bool write_answers(struct writing *writing, struct ws_error *error)
{
    const struct ws_viewer_single_file *file = writing->file;
    const struct wanted last = {.query = (char[]){"capture.json"}};
    qsort(writing->wanted, writing->count, sizeof(*writing->wanted), compare_wanted);
    if (!keep_room(writing, last.query, error))
        return false;
    for (uint32_t i = 0; i < writing->count; ++i) {
        if (file->progress != NULL)
            file->progress(file->user, i + 1, writing->count);
        if (!write_wanted(writing, &writing->wanted[i], error))
            return false;
    }
    return write_wanted(writing, &last, error);
}

bool ws_viewer_write_single_file(struct ws_viewer *viewer, struct ws_viewer_single_file *file, FILE *stream,
                                 struct ws_error *error)
{
    struct writing writing = {.viewer = viewer, .file = file, .stream = stream};
    viewer->single_file = true;
    viewer->budget = file->budget;
    viewer->left_out_count = 0;
    file->bytes = 0;
    file->answers = 0;
    bool written = name_answers(&writing, error);
    if (written) {
        write_bytes(&writing, ws_viewer_page.before.data, ws_viewer_page.before.size);
        written = write_answers(&writing, error);
        write_bytes(&writing, ws_viewer_page.behind.data, ws_viewer_page.behind.size);
    }
    for (uint32_t i = 0; i < writing.count; ++i)
        free(writing.wanted[i].query);
    free(writing.wanted);
    return written;
}
