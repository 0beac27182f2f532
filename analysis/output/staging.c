#include "analysis/output/staging.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a signal takes away: the folder and its file. */
struct unfinished {
    const char *folder;
    const char *path;
};
static struct unfinished unfinished;
static atomic_bool is_unfinished;

/* MAKING while the folder is made and `unfinished` does not name it yet; a signal that comes then leaves its number here. 0
 * otherwise. A library's threads do not block the signals that the main thread blocks, so blocking would not do. */
enum { MAKING = -1 };
static atomic_int making;

static void give_up(int number)
{
    int expected = MAKING;
    if (atomic_compare_exchange_strong(&making, &expected, number))
        return;
    if (atomic_load(&is_unfinished)) {
        unlink(unfinished.path);
        rmdir(unfinished.folder);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Makes the folder. A signal that comes meanwhile counts once it is known. One that is ignored, as by nohup, stays
 * ignored. */
static bool make_folder(struct ws_staging *staging, const char *name)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    atomic_store(&making, MAKING);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (signal(numbers[i], give_up) == SIG_IGN)
            signal(numbers[i], SIG_IGN);
    const bool made = mkdtemp(staging->folder) != NULL;
    const int failure = errno;
    bool fits = made;
    if (made) {
        const int length = snprintf(staging->path, sizeof(staging->path), "%s/%s", staging->folder, name);
        fits = length < (int)sizeof(staging->path);
        unfinished = (struct unfinished){.folder = staging->folder, .path = staging->path};
        atomic_store(&is_unfinished, true);
    }
    const int number = atomic_exchange(&making, 0);
    if (number != MAKING)
        give_up(number);
    if (made && !fits)
        ws_staging_drop(staging);
    errno = made ? ENAMETOOLONG : failure;
    return fits;
}

bool ws_staging_check_link(const char *target, struct ws_error *error)
{
    char names[PATH_MAX];
    struct stat status;
    const ssize_t length = stat(target, &status) != 0 ? readlink(target, names, sizeof(names)) : -1;
    return length < 0 ||
           ws_error_set(error,
                        "cannot write '%s': it is a link to '%.*s', which is not there: name that, or remove "
                        "the link",
                        target, (int)length, names);
}

bool ws_staging_begin(struct ws_staging *staging, const char *target, struct ws_error *error)
{
    char parent[PATH_MAX];
    struct stat status;
    staging->folder[0] = '\0';
    snprintf(staging->path, sizeof(staging->path), "%s", target);
    snprintf(staging->target, sizeof(staging->target), "%s", target);
    if (strlen(target) >= sizeof(staging->path) - sizeof("/.warpscope-XXXXXX"))
        return ws_error_set(error, "the path '%.200s...' is too long", target);
    if (!ws_staging_check_link(target, error))
        return false;
    const bool is_there = stat(target, &status) == 0;
    if (strcmp(target, "-") == 0 || (is_there && !S_ISREG(status.st_mode)))
        return true;
    if (is_there && access(target, W_OK) != 0)
        return ws_error_set(error, "cannot write '%s': %s", target, strerror(errno));
    if (is_there && realpath(target, staging->target) == NULL)
        snprintf(staging->target, sizeof(staging->target), "%s", target);
    const char *slash = strrchr(staging->target, '/');
    const char *name = slash != NULL ? slash + 1 : staging->target;
    if (name[0] == '\0')
        return ws_error_set(error, "cannot write '%s': it is the name of a folder", target);
    snprintf(parent, sizeof(parent), "%.*s", (int)(name - staging->target), staging->target);
    const int length = snprintf(staging->folder, sizeof(staging->folder), "%s.warpscope-XXXXXX", parent);
    if (length < (int)sizeof(staging->folder) && make_folder(staging, name))
        return true;
    const int failure = errno;
    staging->folder[0] = '\0';
    return ws_error_set(error, "cannot write '%s': folder '%s': %s", target, slash != NULL ? parent : ".",
                        strerror(failure));
}

/* Does something with each file of the folder, which is small. */
static bool for_each(const struct ws_staging *staging, bool (*act)(const struct ws_staging *, const char *),
                     struct ws_error *error)
{
    bool done = true;
    DIR *entries = opendir(staging->folder);
    if (entries == NULL)
        return ws_error_set(error, "cannot read '%s': %s", staging->folder, strerror(errno));
    for (const struct dirent *entry = readdir(entries); entry != NULL && done; entry = readdir(entries))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            done = act(staging, entry->d_name) ||
                   ws_error_set(error, "cannot write '%s': %s", staging->target, strerror(errno));
    closedir(entries);
    return done;
}

/* Whoever might not read the file that was there may not read the new one. */
static bool move_file(const struct ws_staging *staging, const char *name)
{
    struct stat before;
    char from[PATH_MAX + NAME_MAX + 2];
    char to[PATH_MAX + NAME_MAX + 2];
    const char *slash = strrchr(staging->target, '/');
    snprintf(from, sizeof(from), "%s/%s", staging->folder, name);
    snprintf(to, sizeof(to), "%.*s%s", slash != NULL ? (int)(slash + 1 - staging->target) : 0,
             staging->target, name);
    if (stat(to, &before) == 0 && chmod(from, before.st_mode & 0777) != 0)
        return false;
    return rename(from, to) == 0;
}

static bool remove_file(const struct ws_staging *staging, const char *name)
{
    char path[PATH_MAX + NAME_MAX + 2];
    snprintf(path, sizeof(path), "%s/%s", staging->folder, name);
    return unlink(path) == 0;
}

bool ws_staging_keep(struct ws_staging *staging, bool whole, struct ws_error *error)
{
    struct stat status;
    if (staging->folder[0] == '\0')
        return true;
    bool kept = whole || stat(staging->target, &status) != 0 || status.st_size == 0 ||
                ws_error_set(error,
                             "'%s' stays as it was: what is not whole replaces no file; name another, or "
                             "remove it first",
                             staging->target);
    kept = kept && for_each(staging, move_file, error);
    ws_staging_drop(staging);
    return kept;
}

void ws_staging_drop(struct ws_staging *staging)
{
    struct ws_error unsaid = {{0}};
    if (staging->folder[0] == '\0')
        return;
    for_each(staging, remove_file, &unsaid);
    rmdir(staging->folder);
    atomic_store(&is_unfinished, false);
    staging->folder[0] = '\0';
}

FILE *ws_staging_open(struct ws_staging *staging, const char *target, struct ws_error *error)
{
    if (!ws_staging_begin(staging, target, error))
        return NULL;
    FILE *stream = strcmp(target, "-") == 0 ? stdout : fopen(staging->path, "wbe");
    if (stream == NULL) {
        ws_error_set(error, "cannot write '%s': %s", target, strerror(errno));
        ws_staging_drop(staging);
    }
    return stream;
}

bool ws_staging_close(struct ws_staging *staging, FILE *stream, bool written, bool whole,
                      struct ws_error *error)
{
    const bool was_written = !ferror(stream);
    int reason = errno; /* of a write that failed */
    bool closed = fflush(stream) == 0;
    reason = was_written && !closed ? errno : reason;
    if (stream != stdout && fclose(stream) != 0 && closed) {
        closed = false;
        reason = was_written ? errno : reason;
    }
    if (was_written && closed && written)
        return ws_staging_keep(staging, whole, error);
    if (!was_written || !closed)
        ws_error_set(error, "cannot write '%s': %s", staging->target, strerror(reason != 0 ? reason : EIO));
    ws_staging_drop(staging);
    return false;
}
