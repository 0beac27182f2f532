/* The probes of the setting `probes`: compiled ones (warpscope/probe.h), which were read when the instance was made. They
 * are never changed after that, so that several threads may read them. */
#ifndef WS_LAYER_CORE_PROBES_H
#define WS_LAYER_CORE_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"
#include "warpscope/probe.h"

struct ws_settings;

/* The words of one, for the capture. */
struct ws_probe_blob {
    char *name; /* in the capture: that of the probe, with a number behind it where another has the same */
    uint32_t *words;
    uint32_t word_count;
};

struct ws_probe_list {
    const struct ws_probe **probes; /* in the order of the setting, without those that could not be read */
    struct ws_probe_blob *blobs;    /* of each */
    uint32_t count;
    /* What a capture calls its passes: those of the settings, then the probes. */
    const char **passes;
    uint32_t pass_count;
    /* What could not be read, each a sentence; for the user, and for the capture, which does not exist yet. */
    char **refused;
    uint32_t refused_count;
};

/* Reads the files that the setting names. NULL and `error` without memory. Free it with ws_probe_list_destroy. */
struct ws_probe_list *ws_probe_list_create(const struct ws_settings *settings, struct ws_error *error);

/* NULL is accepted. */
void ws_probe_list_destroy(struct ws_probe_list *list);

#endif
