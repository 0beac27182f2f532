#include "analysis/command/record/temporary_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/command/command.h"

bool ws_temporary_folder_make(char folder[PATH_MAX], const char *name, const char *without)
{
    const char *temporary = getenv("TMPDIR");
    if (temporary == NULL || temporary[0] != '/' || strpbrk(temporary, without) != NULL)
        temporary = "/tmp";
    const int length = snprintf(folder, PATH_MAX, "%s/warpscope-%s-XXXXXX", temporary, name);
    errno = ENAMETOOLONG;
    if (length > 0 && length < PATH_MAX - NAME_MAX && mkdtemp(folder) != NULL)
        return true;
    ws_say("cannot make a folder for %s in '%s': %s; TMPDIR names another, by an absolute path%s%s%s", name,
           temporary, strerror(errno), without[0] != '\0' ? " without '" : "", without,
           without[0] != '\0' ? "'" : "");
    folder[0] = '\0';
    return false;
}

void ws_temporary_folder_remove(char folder[PATH_MAX])
{
    DIR *entries = folder[0] != '\0' ? opendir(folder) : NULL;
    if (entries == NULL)
        return;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
        unlinkat(dirfd(entries), entry->d_name, 0); /* "." and ".." stay: they are folders */
    closedir(entries);
    rmdir(folder);
    folder[0] = '\0';
}
