/* A folder for files that a recording needs for a while: in TMPDIR, or in /tmp where that names no absolute path. */
#ifndef WS_ANALYSIS_COMMAND_RECORD_TEMPORARY_FOLDER_H
#define WS_ANALYSIS_COMMAND_RECORD_TEMPORARY_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/* Makes a folder of a new name that begins with "warpscope-" and `name`, and that has room for names of NAME_MAX bytes in
 * PATH_MAX. Its path has none of the characters in `without`: a TMPDIR with one is passed over. False after saying why; then
 * `folder` is "". */
bool ws_temporary_folder_make(char folder[PATH_MAX], const char *name, const char *without);

/* Removes the folder with all files in it, and makes `folder` "". Does nothing where that is "" already. */
void ws_temporary_folder_remove(char folder[PATH_MAX]);

#endif
