/* `warpscope record --estimate` and `--budget`: a first run that counts, and what follows from it for a run that
 * records. */
#ifndef WS_ANALYSIS_COMMAND_RECORD_ESTIMATE_H
#define WS_ANALYSIS_COMMAND_RECORD_ESTIMATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct ws_settings;

/* What was asked for. Zeroed is nothing. */
struct ws_record_estimate {
    bool wanted;           /* --estimate: count, say, and record nothing else */
    uint64_t budget;       /* --budget: bytes of records in memory; 0 = none */
    char folder[PATH_MAX]; /* of the captures of the run that counts; "" = none was made */
};

/* Makes a folder for the captures of the run that counts, and sets `path` to that of the program. False, and says why, if
 * it cannot. */
bool ws_record_estimate_begin(struct ws_record_estimate *estimate, char path[PATH_MAX]);

/* Reads that capture and says on stderr, unless `quiet`, what the passes of `settings` (all, where it has none) would
 * record, and how to keep below the budget. `tile` receives the value of the setting tile that keeps the passes of
 * `settings` below the budget, "" where all of it fits. False, and says why, if the capture cannot be read. */
bool ws_record_estimate_tell(const struct ws_record_estimate *estimate, char *path,
                             const struct ws_settings *settings, bool quiet, char tile[64]);

/* Removes the folder with all captures in it. */
void ws_record_estimate_remove(struct ws_record_estimate *estimate);

#endif
