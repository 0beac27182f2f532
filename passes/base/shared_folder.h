/* Folders that others can write, such as /tmp: what has the name of a file of ours there, others may have put
 * there, to have another file overwritten or to choose what is read. */
#ifndef WS_PASSES_BASE_SHARED_FOLDER_H
#define WS_PASSES_BASE_SHARED_FOLDER_H

#include <stdbool.h>
#include <sys/stat.h>

/* Whether others than this process's user and the superuser can add and remove files in the folder of
 * `path`. */
bool ws_folder_is_shared(const char *path);

/* Why a file that is in such a folder already (lstat or fstat) must not be written: it is a symbolic link,
 * another user's, or a file with a second name. Static text; NULL = it may be. */
const char *ws_shared_file_refusal(const struct stat *file);

#endif
