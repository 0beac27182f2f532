#include "layer/core/probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "layer/process/open.h"
#include "passes/settings/settings.h"

/* Of a blob, in bytes: far beyond any. A longer file is none. */
#define BLOB_MAX ((size_t)64 << 20)

static bool out_of_memory(struct ws_error *error)
{
    return ws_error_set(error, "out of memory");
}

/* The words of a file, to be freed; NULL and `error`. */
static uint32_t *load(const char *path, uint32_t *word_count, struct ws_error *error)
{
    FILE *file = ws_stream_to_read(path);
    uint8_t *bytes = NULL;
    size_t size = 0;
    size_t capacity = 0;
    if (file == NULL) {
        ws_error_set(error, "the probe '%s' cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    /* A pipe would have the application wait for what never comes. */
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) {
        ws_error_set(error, "the probe '%s' is no regular file", path);
        goto error;
    }
    do {
        capacity = capacity > 0 ? 2 * capacity : (size_t)64 << 10;
        uint8_t *larger = realloc(bytes, capacity);
        if (larger == NULL) {
            out_of_memory(error);
            goto error;
        }
        bytes = larger;
        size += fread(bytes + size, 1, capacity - size, file);
    } while (size == capacity && capacity < BLOB_MAX);
    if (ferror(file) || size == 0 || size >= BLOB_MAX || size % 4 != 0) {
        ws_error_set(error, "'%s' is no compiled probe", path);
        goto error;
    }
    fclose(file);
    *word_count = (uint32_t)(size / 4);
    /* Little-endian, as this host is: all that Warpscope runs on are. */
    return (uint32_t *)(void *)bytes;
error:
    fclose(file);
    free(bytes);
    return NULL;
}

static bool has_name(const struct ws_probe_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->blobs[i].name, name) == 0)
            return true;
    return false;
}

/* The probe's name, or NAME-2, NAME-3, ... where it is taken; to be freed. */
static char *choose_name(const struct ws_probe_list *list, const char *name)
{
    const size_t size = strlen(name) + 16;
    char *chosen = malloc(size);
    if (chosen == NULL)
        return NULL;
    snprintf(chosen, size, "%s", name);
    for (uint32_t number = 2; has_name(list, chosen); number++)
        snprintf(chosen, size, "%s-%u", name, number);
    return chosen;
}

/* "probe:NAME" */
static char *pass_name(const char *name)
{
    const size_t size = strlen(WS_PROBE_PASS_PREFIX) + strlen(name) + 1;
    char *pass = malloc(size);
    if (pass != NULL)
        snprintf(pass, size, "%s%s", WS_PROBE_PASS_PREFIX, name);
    return pass;
}

/* Adds the probe of a file; the list has room for it. What is wrong with the file goes to `refused`. False without
 * memory. */
static bool add(struct ws_probe_list *list, const char *path, struct ws_error *error)
{
    struct ws_error why = {0};
    uint32_t word_count = 0;
    uint32_t *words = load(path, &word_count, &why);
    struct ws_probe *probe = words != NULL ? ws_probe_read(words, word_count, &why) : NULL;
    if (probe == NULL) {
        char text[WS_ERROR_SIZE + 64];
        snprintf(text, sizeof(text), "%s; the program runs without this probe", why.message);
        free(words);
        list->refused[list->refused_count] = strdup(text);
        return list->refused[list->refused_count++] != NULL || out_of_memory(error);
    }
    char *name = choose_name(list, probe->name);
    char *pass = name != NULL ? pass_name(name) : NULL;
    if (pass == NULL) {
        free(name);
        free(words);
        ws_probe_destroy(probe);
        return out_of_memory(error);
    }
    list->probes[list->count] = probe;
    list->blobs[list->count++] = (struct ws_probe_blob){name, words, word_count};
    list->passes[list->pass_count++] = pass;
    return true;
}

struct ws_probe_list *ws_probe_list_create(const struct ws_settings *settings, struct ws_error *error)
{
    size_t count = 1;
    for (const char *c = settings->probes; *c != '\0'; c++)
        count += *c == ':';
    struct ws_probe_list *list = calloc(1, sizeof(*list));
    char *paths = strdup(settings->probes);
    bool made = list != NULL && paths != NULL;
    if (made) {
        list->probes = calloc(count, sizeof(*list->probes));
        list->blobs = calloc(count, sizeof(*list->blobs));
        list->refused = calloc(count, sizeof(*list->refused));
        list->passes = calloc(settings->pass_count + count, sizeof(*list->passes));
        made = list->probes != NULL && list->blobs != NULL && list->refused != NULL && list->passes != NULL;
    }
    for (size_t i = 0; made && i < settings->pass_count; i++) {
        list->passes[list->pass_count] = strdup(settings->passes[i]);
        made = list->passes[list->pass_count++] != NULL;
    }
    if (!made)
        out_of_memory(error);
    char *rest = NULL;
    for (char *path = made ? strtok_r(paths, ":", &rest) : NULL; made && path != NULL;
         path = strtok_r(NULL, ":", &rest))
        made = add(list, path, error);
    free(paths);
    if (made)
        return list;
    ws_probe_list_destroy(list);
    return NULL;
}

void ws_probe_list_destroy(struct ws_probe_list *list)
{
    if (list == NULL)
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        ws_probe_destroy((struct ws_probe *)list->probes[i]);
        free(list->blobs[i].name);
        free(list->blobs[i].words);
    }
    for (uint32_t i = 0; i < list->refused_count; i++)
        free(list->refused[i]);
    for (uint32_t i = 0; i < list->pass_count; i++)
        free((char *)list->passes[i]);
    free(list->probes);
    free(list->blobs);
    free(list->refused);
    free(list->passes);
    free(list);
}
