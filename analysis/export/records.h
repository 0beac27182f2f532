/* The records of a capture (warpscope/records.h) as Parquet (data_set.h), as the device appended them: a row for each site that
 * a record is of.
 *
 * One record may be of several sites: of several passes at one place, and of places that the same lanes come through
 * (warpscope/instrument.h, struct ws_site_info). Their rows have one position; count distinct positions to count records. Rows
 * without a pass are of the runner itself: entry records, and continuations.
 *
 * Nothing is left out as the replay does (warpscope/model/replay.h): warps whose records end early have theirs. Words of data
 * records are not here; what they mean is in --rays, --candidates and --accesses.
 *
 * MEMORY: that of one launch's records (warpscope/stream.h). */
#ifndef WS_ANALYSIS_EXPORT_RECORDS_H
#define WS_ANALYSIS_EXPORT_RECORDS_H

#include "analysis/export/data_set.h"
#include "warpscope/report/analysis.h"

/* It is no report: it writes while the capture is read. `user` of its options is a struct ws_data_set_export. */
extern const struct ws_analysis ws_analysis_records_export;

/* Prints every column with what it means. */
void ws_records_export_help(FILE *stream);

#endif
