/* Accesses to memory of a capture as Parquet (data_set.h): a row for each lane of each request of buffers and device addresses,
 * from the records of the pass memory_trace.
 *
 * A REQUEST is one execution of one access by a warp (analysis/memory/memory.h). Requests of a launch are numbered in the order
 * of the stream, from 0, whichever shaders are chosen. `report caches` counts the same requests, lanes, bytes, sectors
 * and lines: examples/queries counts them from the rows.
 *
 * ADDRESS: of a device address that; else bytes from the begin of the buffer, or of the element of its array of descriptors.
 * Two rows of a launch touch the same buffer where set and binding are the same; without these where module and variable are.
 *
 * MEMORY: a launch's records are kept in a temporary file until the launch ends, since only then its warps have their
 * numbers, and it is known which of them are whole (warpscope/model/replay.h). */
#ifndef WS_ANALYSIS_EXPORT_ACCESSES_H
#define WS_ANALYSIS_EXPORT_ACCESSES_H

#include "analysis/export/data_set.h"
#include "warpscope/report/analysis.h"

/* It is no report: it writes while the capture is read. `user` of its options is a struct ws_data_set_export. */
extern const struct ws_analysis ws_analysis_accesses_export;

/* Prints every column with what it means. */
void ws_accesses_export_help(FILE *stream);

#endif
