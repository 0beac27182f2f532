/* What idle lanes take of a capture, by shader and cause, worked out from the counters alone (idle_slots.h): findings for
 * the summary, where no pass recorded what each lane did. The causes are
 *
 *   CONTROL FLOW   slots booked on branches and loops of the shader
 *   EARLY RETURN   slots booked on its exits
 *   PARTIAL        lanes that its warps lacked when they entered it. Of shaders that rays and callables call they are
 *                  lanes whose thread was not called (CALLS, summed by pipeline); of fragment shaders helper lanes and
 *                  lanes left empty; of all others what launches and workgroups do not fill
 *   OTHER          lanes that did not come back from a call, or that the device did not bring together again
 *
 * Causes that have saved slots, as they can (idle_slots.h), are no loss. Not thread-safe. */
#ifndef WS_ANALYSIS_SIMT_IDLE_LOSSES_H
#define WS_ANALYSIS_SIMT_IDLE_LOSSES_H

#include "analysis/simt/idle_slots.h"
#include "warpscope/report/findings.h"

/* Of a shader, in slots. */
struct ws_idle_loss {
    uint32_t shader; /* index in the catalog */
    double all;      /* slots of the shader, active ones included */
    double control_flow;
    double early_return;
    double partial;
    double other;
    double worst;      /* of control_flow: booked on the one branch or loop that has most */
    const char *place; /* where that is: "blur.comp:21"; "" = there is none */
};

/* Zero-initialised is empty. */
struct ws_idle_losses {
    struct ws_idle_loss *all;
    uint32_t count;
    uint32_t capacity;
    struct ws_text_pool texts;
};

/* Adds those of a shader. False when there is no memory. */
bool ws_idle_losses_add(struct ws_idle_losses *losses, const struct ws_shader_run *run,
                        const struct ws_idle_slots *idle);
void ws_idle_losses_finish(struct ws_idle_losses *losses);

/* Adds the findings. `slots`: of all shaders of the capture. False when there is no memory. */
bool ws_idle_losses_findings(const struct ws_idle_losses *losses, const struct ws_catalog *catalog,
                             double slots, struct ws_findings *findings);

/* How a loss to a cause is told, which the analysis divergence does too: sets title, place and text of a finding by its
 * cause. `shader`: name of the shader, or of the one that loses most of several; `share`: of its slots. `at`: where in it
 * most is lost; NULL or "" = not known. */
void ws_loss_describe(struct ws_findings *findings, struct ws_finding *finding, const char *shader,
                      const char *at, double share);

#endif
