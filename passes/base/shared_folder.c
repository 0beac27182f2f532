#include "passes/base/shared_folder.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

bool ws_folder_is_shared(const char *path)
{
    char folder[PATH_MAX];
    struct stat status;
    const char *slash = strrchr(path, '/');
    const size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof(folder))
        return true;
    memcpy(folder, path, length);
    folder[length] = '\0';
    if (stat(length > 0 ? folder : ".", &status) != 0)
        return true;
    return (status.st_uid != geteuid() && status.st_uid != 0) || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

const char *ws_shared_file_refusal(const struct stat *file)
{
    if (S_ISLNK(file->st_mode))
        return "it is a symbolic link in a folder that others can write; remove it or name another file";
    if (!S_ISREG(file->st_mode) || file->st_uid != geteuid() || file->st_nlink != 1)
        return "it is not this user's own file, in a folder that others can write; remove it or name another "
               "file";
    return NULL;
}
