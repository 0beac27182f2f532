/* Why a file could not be written. Thread-safe as strerror of glibc is. */
#ifndef WS_ANALYSIS_OUTPUT_WRITE_FAILURE_H
#define WS_ANALYSIS_OUTPUT_WRITE_FAILURE_H

/* What errno says after a write that failed, with the remedy where it is not plain. 0 is an input/output error. */
const char *ws_write_failure(int number);

/* A write past the limit on the size of files (ulimit -f) fails from now on as one on a full disk does; it ended the process. A
 * program that is started later has its signals as they were. */
void ws_write_past_limit_fails(void);

#endif
