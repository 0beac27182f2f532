#include "analysis/output/staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/output/file_kind.h"
#include "analysis/output/write_failure.h"

#define DEPTH_MAX 8 /* of folders in a tree */

/* What is left of it is removed, with all that is in it, so it is a name that nobody gives to a folder of his own: a user may
 * have a ".warpscope-config". */
#define FOLDER_BEGINS ".warpscope-unfinished-"
#define FOLDER_NAME   FOLDER_BEGINS "XXXXXX"
#define FOLDER_MODE   0700 /* mkdtemp gives it */
#define FRESH_SECONDS 60   /* between the making of a folder and its lock there is a moment */

/* What a signal takes away: the folder with what is in it, and what was made for it. */
struct unfinished {
    const char *folder;
    const char *made; /* NULL = nothing */
};
static struct unfinished unfinished;
static atomic_bool is_unfinished;

/* BUSY while the folder is made and `unfinished` does not name it yet, and while files are moved out of it; a signal that comes
 * then leaves its number here. 0 otherwise. A library's threads do not block the signals that the main thread blocks, so
 * blocking would not do. */
enum { BUSY = -1 };
static atomic_int busy;

static bool is_itself(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Removes what is in a folder, which is closed. A handler of signals may not call opendir, but it may ask the system
 * (signal-safety(7)). */
static void empty_folder(int folder, int depth)
{
    _Alignas(struct dirent64) char bytes[2048];
    for (ssize_t size; (size = getdents64(folder, bytes, sizeof(bytes))) > 0;)
        for (ssize_t at = 0; at < size; at += ((const struct dirent64 *)(bytes + at))->d_reclen) {
            const char *name = ((const struct dirent64 *)(bytes + at))->d_name;
            if (is_itself(name) || unlinkat(folder, name, 0) == 0)
                continue;
            const int inner = depth < DEPTH_MAX
                                  ? openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                                  : -1;
            if (inner >= 0)
                empty_folder(inner, depth + 1);
            unlinkat(folder, name, AT_REMOVEDIR);
        }
    close(folder);
}

static void remove_tree(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        empty_folder(folder, 0);
    rmdir(path);
}

static void give_up(int number)
{
    int expected = BUSY;
    if (atomic_compare_exchange_strong(&busy, &expected, number))
        return;
    if (atomic_load(&is_unfinished)) {
        remove_tree(unfinished.folder);
        if (unfinished.made != NULL)
            rmdir(unfinished.made);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* A signal that came since `busy` was set counts now. */
static void end_busy(void)
{
    const int number = atomic_exchange(&busy, 0);
    if (number != BUSY)
        give_up(number);
}

/* Makes the folder. A signal that comes meanwhile counts once it is known. One that is ignored, as by nohup, stays
 * ignored. */
static bool make_folder(struct ws_staging *staging, const char *name)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    atomic_store(&busy, BUSY);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (signal(numbers[i], give_up) == SIG_IGN)
            signal(numbers[i], SIG_IGN);
    const bool made = mkdtemp(staging->folder) != NULL;
    const int failure = errno;
    bool fits = made;
    if (made) {
        staging->lock = open(staging->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (staging->lock >= 0)
            flock(staging->lock, LOCK_EX | LOCK_NB);
        const int length = snprintf(staging->path, sizeof(staging->path), "%s%s%s", staging->folder,
                                    staging->is_tree ? "" : "/", name);
        fits = length < (int)sizeof(staging->path);
        unfinished = (struct unfinished){.folder = staging->folder,
                                         .made = staging->has_made ? staging->target : NULL};
        atomic_store(&is_unfinished, true);
    }
    end_busy();
    if (made && !fits)
        ws_staging_drop(staging);
    errno = made ? ENAMETOOLONG : failure;
    return fits;
}

bool ws_staging_check_link(const char *target, struct ws_error *error)
{
    char names[PATH_MAX];
    struct stat status;
    const int failure = stat(target, &status) != 0 ? errno : 0;
    const ssize_t length = failure != 0 ? readlink(target, names, sizeof(names)) : -1;
    if (length >= 0 && failure == ENOENT)
        return ws_error_set(error,
                            "cannot write '%s': it is a link to '%.*s', which is not there: name that, or "
                            "remove the link",
                            target, (int)length, names);
    return length < 0 || ws_error_set(error, "cannot write '%s': it is a link to '%.*s': %s; name another",
                                      target, (int)length, names, strerror(failure));
}

bool ws_staging_spares(const char *target, const char *what, const char *input, const char *kind,
                       struct ws_error *error)
{
    struct stat written;
    struct stat read;
    const bool same = stat(target, &written) == 0 && stat(input, &read) == 0 && S_ISREG(read.st_mode) &&
                      written.st_dev == read.st_dev && written.st_ino == read.st_ino;
    return !same || ws_error_set(error, "%s '%s' would overwrite '%s', which is read: name another %s", what,
                                 target, input, kind);
}

/* Removes a folder that was left: it is the user's, as mkdtemp makes one, and nobody has locked it. False where it is not
 * so. */
static bool remove_left(int parent, const char *name)
{
    struct stat status;
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return false;
    if (fstat(folder, &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 0777) != FOLDER_MODE ||
        status.st_mtime + FRESH_SECONDS > time(NULL) || flock(folder, LOCK_EX | LOCK_NB) != 0) {
        close(folder);
        return false;
    }
    empty_folder(folder, 0);
    return unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

bool ws_staging_remove_left(const char *folder)
{
    bool any = false;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return false;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
        if (strncmp(entry->d_name, FOLDER_BEGINS, strlen(FOLDER_BEGINS)) == 0 &&
            strlen(entry->d_name) == strlen(FOLDER_NAME))
            any = remove_left(dirfd(entries), entry->d_name) || any;
    closedir(entries);
    return any;
}

bool ws_staging_begin(struct ws_staging *staging, const char *target, struct ws_error *error)
{
    char parent[PATH_MAX];
    struct stat status;
    staging->folder[0] = '\0';
    staging->is_tree = false;
    staging->has_made = false;
    staging->lock = -1;
    snprintf(staging->path, sizeof(staging->path), "%s", target);
    snprintf(staging->target, sizeof(staging->target), "%s", target);
    if (strlen(target) >= sizeof(staging->path) - sizeof("/" FOLDER_NAME))
        return ws_error_set(error, "the path '%.200s...' is too long", target);
    if (target[0] == '\0')
        return ws_error_set(error, "the name of the file to write is empty");
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
    const int length = snprintf(staging->folder, sizeof(staging->folder), "%s" FOLDER_NAME, parent);
    ws_staging_remove_left(slash != NULL ? parent : ".");
    if (length < (int)sizeof(staging->folder) && make_folder(staging, name))
        return true;
    const int failure = errno;
    staging->folder[0] = '\0';
    return ws_error_set(error, "cannot write '%s': folder '%s': %s", target, slash != NULL ? parent : ".",
                        strerror(failure));
}

bool ws_staging_begin_tree(struct ws_staging *staging, const char *target, struct ws_error *error)
{
    struct stat status;
    staging->folder[0] = '\0';
    staging->is_tree = true;
    staging->lock = -1;
    snprintf(staging->path, sizeof(staging->path), "%s", target);
    const int length = snprintf(staging->target, sizeof(staging->target), "%s", target);
    if (length + sizeof("/" FOLDER_NAME) > sizeof(staging->folder))
        return ws_error_set(error, "the path '%.200s...' is too long", target);
    if (!ws_staging_check_link(target, error))
        return false;
    staging->has_made = mkdir(target, 0777) == 0;
    if (!staging->has_made && errno != EEXIST)
        return ws_error_set(error, "cannot make the folder '%s': %s", target, strerror(errno));
    if (stat(target, &status) == 0 && !S_ISDIR(status.st_mode))
        return ws_error_set(error, "cannot write into '%s': it is no folder", target);
    ws_staging_remove_left(target);
    sprintf(staging->folder, "%s/" FOLDER_NAME, target);
    if (make_folder(staging, ""))
        return true;
    ws_error_set(error, "cannot write into the folder '%s': %s", target, strerror(errno));
    staging->folder[0] = '\0';
    if (staging->has_made)
        rmdir(target);
    return false;
}

void ws_staging_name(const struct ws_staging *staging, const char *named, struct ws_error *error)
{
    const struct ws_error said = *error;
    const char *at = staging->folder[0] != '\0' ? strstr(said.message, staging->path) : NULL;
    if (at == NULL)
        return;
    error->message[0] = '\0'; /* the first message stays */
    ws_error_set(error, "%.*s%s%s", (int)(at - said.message), said.message, named,
                 at + strlen(staging->path));
}

/* Whoever might not read the file that was there may not read the new one. */
static bool move_file(const struct ws_staging *staging, const char *name)
{
    struct stat before;
    char from[PATH_MAX + NAME_MAX + 2];
    char to[PATH_MAX + NAME_MAX + 2];
    const char *slash = strrchr(staging->target, '/');
    snprintf(from, sizeof(from), "%s/%s", staging->folder, name);
    if (staging->is_tree)
        snprintf(to, sizeof(to), "%s/%s", staging->target, name);
    else
        snprintf(to, sizeof(to), "%.*s%s", slash != NULL ? (int)(slash + 1 - staging->target) : 0,
                 staging->target, name);
    if (stat(to, &before) == 0 && chmod(from, before.st_mode & 0777) != 0)
        return false;
    return rename(from, to) == 0;
}

/* Moves each file of the folder. Where one of several cannot be moved, those before it are in their place. */
static bool move_files(const struct ws_staging *staging, struct ws_error *error)
{
    size_t moved = 0;
    DIR *entries = opendir(staging->folder);
    if (entries == NULL)
        return ws_error_set(error, "cannot read '%s': %s", staging->folder, strerror(errno));
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (is_itself(entry->d_name))
            continue;
        if (!move_file(staging, entry->d_name)) {
            ws_error_set(error, "cannot write '%s%s%s': %s%s", staging->target, staging->is_tree ? "/" : "",
                         staging->is_tree ? entry->d_name : "", strerror(errno),
                         moved > 0 ? "; of what was to be written a part is there" : "");
            closedir(entries);
            return false;
        }
        moved++;
    }
    closedir(entries);
    return true;
}

bool ws_staging_keep(struct ws_staging *staging, bool whole, struct ws_error *error)
{
    struct stat status;
    if (staging->folder[0] == '\0')
        return true;
    bool kept = whole || staging->is_tree || stat(staging->target, &status) != 0 || status.st_size == 0 ||
                ws_error_set(error,
                             "'%s' stays as it was: what is not whole replaces no file; name another, or "
                             "remove it first",
                             staging->target);
    atomic_store(&busy, BUSY);
    kept = kept && move_files(staging, error);
    staging->has_made = staging->has_made && !kept;
    ws_staging_drop(staging);
    end_busy();
    return kept;
}

void ws_staging_drop(struct ws_staging *staging)
{
    if (staging->folder[0] == '\0')
        return;
    remove_tree(staging->folder);
    if (staging->has_made)
        rmdir(staging->target);
    atomic_store(&is_unfinished, false);
    if (staging->lock >= 0)
        close(staging->lock);
    staging->lock = -1;
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

/* Closes the stream. False and `error`, which names `target`, where not all of it was written. */
static bool close_stream(FILE *stream, const char *target, bool written, struct ws_error *error)
{
    const bool was_written = !ferror(stream);
    int reason = errno; /* of a write that failed */
    bool closed = fflush(stream) == 0;
    reason = was_written && !closed ? errno : reason;
    if (stream != stdout && fclose(stream) != 0 && closed) {
        closed = false;
        reason = was_written ? errno : reason;
    }
    if (!was_written || !closed)
        ws_error_set(error, "cannot write '%s': %s", target, ws_write_failure(reason));
    return was_written && closed && written;
}

bool ws_staging_close(struct ws_staging *staging, FILE *stream, bool written, bool whole,
                      struct ws_error *error)
{
    if (close_stream(stream, staging->target, written, error))
        return ws_staging_keep(staging, whole, error);
    ws_staging_drop(staging);
    return false;
}

/* What a file of a tree replaces is a file that may be written. */
static bool check_part(const char *path, struct ws_error *error)
{
    static const struct ws_file_kind capture = {.begins = "WSCOPE\r?*"}; /* WS_CAPTURE_MAGIC */
    struct stat status;
    if (lstat(path, &status) != 0)
        return true;
    if (!S_ISREG(status.st_mode))
        return ws_error_set(error, "cannot write '%s': it is there, and is no file; remove it", path);
    if (access(path, W_OK) != 0)
        return ws_error_set(error, "cannot write '%s': %s", path, strerror(errno));
    return !ws_file_is_of(path, &capture) ||
           ws_error_set(error, "cannot write '%s': it is a capture; name another folder", path);
}

FILE *ws_staging_open_part(const struct ws_staging *staging, const char *name, struct ws_error *error)
{
    char path[PATH_MAX + NAME_MAX + 2];
    snprintf(path, sizeof(path), "%s/%s", staging->target, name);
    if (!check_part(path, error))
        return NULL;
    char staged[PATH_MAX + NAME_MAX + 2];
    snprintf(staged, sizeof(staged), "%s/%s", staging->path, name);
    FILE *stream = fopen(staged, "wbe");
    if (stream == NULL)
        ws_error_set(error, "cannot write '%s': %s", path, strerror(errno));
    return stream;
}

bool ws_staging_close_part(const struct ws_staging *staging, const char *name, FILE *stream, bool written,
                           struct ws_error *error)
{
    char path[PATH_MAX + NAME_MAX + 2];
    snprintf(path, sizeof(path), "%s/%s", staging->target, name);
    return close_stream(stream, path, written, error);
}
