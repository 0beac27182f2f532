/* What a capture tells of its own recording: which program, with which settings, what was not instrumented
 * and why, and the layer's messages. */
#ifndef WARPSCOPE_MODEL_OVERVIEW_H
#define WARPSCOPE_MODEL_OVERVIEW_H

#include "warpscope/base/text.h"
#include "warpscope/reader.h"

/* Shaders that a skip names, at most: the reports are for reading. */
#define WS_OVERVIEW_SHADERS_MAX 64

/* A shader of a SKIP chunk: an entry point of a module, or a shader. Of others there are none. */
struct ws_overview_shader {
    uint32_t module; /* id; WS_NONE where `shader` tells */
    uint32_t entry;  /* index in the entries of the module; WS_NONE = the whole module */
    uint32_t shader; /* id */
};

/* SKIP chunks of the same kind, pass and reason. */
struct ws_overview_skip {
    uint32_t kind;    /* enum ws_skip_kind */
    const char *pass; /* NULL = all passes */
    const char *reason;
    uint64_t count;
    struct ws_overview_shader *shaders; /* the first of them, each once */
    uint32_t shader_count;
    uint32_t shader_capacity;
    uint64_t shaders_more; /* not in the list */
};

/* What stands between how many were skipped and the names of shaders: "2 sites in a:main", "2 shaders, a:main, b:main". */
static inline const char *ws_overview_skip_joint(const struct ws_overview_skip *skip)
{
    return skip->kind == WS_SKIP_SHADER || skip->kind == WS_SKIP_NO_PLACE ? ", " : " in ";
}

/* MESG chunks of the same text. */
struct ws_overview_message {
    uint32_t severity;
    const char *text;
    uint64_t count;
};

struct ws_overview {
    struct ws_text_pool texts; /* owns every text below */
    bool has_info;
    const char *version;
    const char *application;
    const char *engine;
    const char *command_line; /* arguments joined by spaces, quoted where a shell would need it */
    uint32_t process_id;
    uint64_t start; /* ns since 1970, UTC */
    const char **passes;
    uint32_t pass_count;
    struct ws_text_pair *settings;
    uint32_t setting_count;
    struct ws_overview_skip no_place; /* WS_SKIP_NO_PLACE: shaders that the passes want nothing of */
    struct ws_overview_skip *skips;   /* the others */
    uint32_t skip_count;
    uint32_t skip_capacity;
    struct ws_overview_message *messages;
    uint32_t message_count;
    uint32_t message_capacity;
    struct ws_id_map seen; /* hash of a skip or message -> index; of a frame's number -> WS_NONE */
    uint64_t submissions;  /* SUBM chunks that begin one */
    uint64_t launches;
    uint64_t overlapped;  /* launches that ran beside another queue's submission */
    uint64_t last_launch; /* index of the last one seen, plus 1 */
    uint64_t frames;      /* different frames that something was submitted in */
    uint64_t outside;     /* launches outside the chosen range, as the last DONE says */
    uint32_t devices;
    bool times_elsewhere;             /* device times come from another capture; set by who reads it */
    struct ws_reader_summary reading; /* filled by ws_overview_end */
};

/* Begin, then every chunk of a reader in order (false and `error` when there is no memory), then end. */
void ws_overview_begin(struct ws_overview *overview);
bool ws_overview_record(struct ws_overview *overview, const struct ws_chunk *chunk, struct ws_error *error);
void ws_overview_end(struct ws_overview *overview, const struct ws_reader *reader);
void ws_overview_finish(struct ws_overview *overview);

struct ws_catalog;

/* The name of such a shader for reports: "mesh.rahit:main". */
void ws_overview_shader_name(const struct ws_catalog *catalog, const struct ws_overview_shader *shader,
                             char *name, size_t size);

/* What a SKIP chunk of this kind counts: "site", "shader", ... */
const char *ws_skip_kind_name(uint32_t kind);

#endif
