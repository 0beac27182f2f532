#include "passes/base/shared_object.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Who can have changed the file: it is loaded by its name, so those count, too, who can put another in its place. A folder with
 * the sticky bit, such as /tmp, keeps each user's files from the others. */
static bool check_owner(const struct stat *file, const char *path, struct ws_error *error)
{
    char *folder = strdup(path);
    struct stat around = {.st_mode = 0};
    if (folder == NULL)
        return ws_error_set(error, "out of memory");
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[slash == folder ? 1 : 0] = '\0';
    const bool known = stat(slash != NULL ? folder : ".", &around) == 0;
    free(folder);
    if (file->st_uid != geteuid() && file->st_uid != 0)
        return ws_error_set(error, "'%s' is another user's, and its code is not loaded: copy it", path);
    if ((file->st_mode & S_IWOTH) != 0 ||
        ((file->st_mode & S_IWGRP) != 0 && file->st_gid != getegid() && file->st_gid != 0))
        return ws_error_set(error, "others can write '%s', and its code is not loaded: chmod go-w it", path);
    if (!known || ((around.st_mode & S_IWOTH) != 0 && (around.st_mode & S_ISVTX) == 0))
        return ws_error_set(error, "others can replace '%s', and its code is not loaded: move it", path);
    return true;
}

/* The header of what this code itself is in: it says for which processor. */
static bool read_own_header(ElfW(Ehdr) * header)
{
    const ElfW(Ehdr) *own = NULL;
    Dl_info info;
    if (dladdr((const void *)(uintptr_t)&ws_shared_object_check, &info) != 0)
        own = info.dli_fbase;
    if (own != NULL)
        memcpy(header, own, sizeof(*header));
    return own != NULL;
}

/* Whether all that is to be mapped is in the file. The system maps what a file lacks, too, and ends the process by SIGBUS when
 * that is touched: a copy that was cut short would end the application. */
static bool is_whole(int descriptor, const ElfW(Ehdr) * header, uint64_t size)
{
    for (uint32_t i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) part;
        if (header->e_phentsize != sizeof(part) ||
            pread(descriptor, &part, sizeof(part), (off_t)(header->e_phoff + i * sizeof(part))) !=
                (ssize_t)sizeof(part))
            return false;
        if (part.p_type == PT_LOAD && (part.p_offset > size || part.p_filesz > size - part.p_offset))
            return false;
    }
    return header->e_phnum > 0;
}

bool ws_shared_object_check(int descriptor, const char *path, struct ws_error *error)
{
    struct stat status;
    ElfW(Ehdr) header;
    ElfW(Ehdr) own;
    if (fstat(descriptor, &status) != 0)
        return ws_error_set(error, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return ws_error_set(error, "'%s' is no file", path);
    if (!check_owner(&status, path, error))
        return false;
    if (pread(descriptor, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return ws_error_set(error, "'%s' is no shared object: make one with cc -shared -fPIC", path);
    if (read_own_header(&own) &&
        (header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] ||
         header.e_ident[EI_DATA] != own.e_ident[EI_DATA] || header.e_machine != own.e_machine))
        return ws_error_set(error,
                            "'%s' is for another processor (ELF machine %u, not %u): build it for this one",
                            path, header.e_machine, own.e_machine);
    if (header.e_type != ET_DYN)
        return ws_error_set(error, "'%s' is no shared object (ELF type %u): make one with cc -shared -fPIC",
                            path, header.e_type);
    return is_whole(descriptor, &header, (uint64_t)status.st_size) ||
           ws_error_set(error, "'%s' is not whole: build or copy it again", path);
}

bool ws_shared_object_names(int descriptor, const char *symbol)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || status.st_size <= 0)
        return false;
    const size_t size = (size_t)status.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED)
        return false;
    /* Names in its tables have NUL in front and behind, but the linker may let one be the end of another. */
    const bool has = memmem(bytes, size, symbol, strlen(symbol) + 1) != NULL;
    munmap(bytes, size);
    return has;
}

const void *ws_shared_object_load(const char *path, const char *symbol, struct ws_error *error)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const char *reason = dlerror();
    if (object == NULL) {
        ws_error_set(error, "cannot load '%s': %s", path, reason != NULL ? reason : "unknown reason");
        return NULL;
    }
    const void *address = dlsym(object, symbol);
    if (address == NULL) {
        ws_error_set(error, "'%s' does not export %s", path, symbol);
        dlclose(object);
    }
    return address;
}

/* ---- Lists ---- */

static int is_object(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 3 && strcmp(entry->d_name + length - 3, ".so") == 0;
}

static void each_in_folder(const char *folder,
                           void (*function)(void *user, const char *path, const struct ws_error *error),
                           void *user)
{
    struct dirent **entries = NULL;
    struct ws_error error = {{0}};
    const int count = scandir(folder, &entries, is_object, alphasort);
    if (count < 0) {
        ws_error_set(&error, "cannot read the folder '%s': %s", folder, strerror(errno));
        function(user, NULL, &error);
    }
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) >= 0) {
            function(user, path, NULL);
            free(path);
        }
        free(entries[i]);
    }
    free(entries);
}

static void each_of(const char *path,
                    void (*function)(void *user, const char *path, const struct ws_error *error), void *user)
{
    struct stat status;
    struct ws_error error = {{0}};
    if (path[0] != '/')
        ws_error_set(&error,
                     "'%s' is no absolute path, and plug-ins are not looked for in the working directory",
                     path);
    else if (stat(path, &status) != 0)
        ws_error_set(&error, "there is no plug-in '%s': %s", path, strerror(errno));
    if (error.message[0] != '\0')
        function(user, NULL, &error);
    else if (S_ISDIR(status.st_mode))
        each_in_folder(path, function, user);
    else
        function(user, path, NULL);
}

void ws_plugin_list_each(const char *list,
                         void (*function)(void *user, const char *path, const struct ws_error *error),
                         void *user)
{
    char *copy = strdup(list);
    char *rest = NULL;
    for (char *path = copy != NULL ? strtok_r(copy, ":", &rest) : NULL; path != NULL;
         path = strtok_r(NULL, ":", &rest))
        each_of(path, function, user);
    free(copy);
}
