/* The counter rows of one shader: those of the launch that is being read, and their sums. */
#ifndef WS_ANALYSIS_SIMT_SIMT_ROWS_H
#define WS_ANALYSIS_SIMT_SIMT_ROWS_H

#include "analysis/simt/simt_efficiency.h"

/* Adds the counters of one shader in the launch that is being read. A shader can come in several
 * pieces (capture.h: what is too large is split), and only together do they say what its launch row says;
 * so they wait until ws_simt_rows_sum. False when there is no memory. */
bool ws_simt_rows_add(struct ws_simt_shader *shader, const struct ws_catalog *catalog, uint32_t index,
                      const struct ws_shader_counters *counters);

/* Sums what was added since the last call into the shader's rows and into `group`, and `size` with the
 * launch size that the shader saw where it has one. False when there is no memory. */
bool ws_simt_rows_sum(struct ws_simt_shader *shader, const struct ws_catalog *catalog, uint32_t index,
                      struct ws_simt_group *group, uint32_t size[3]);

void ws_simt_rows_finish(struct ws_simt_shader *shader);

#endif
