/* A plug-in that notes in the working directory that its code was loaded. */
#include <fcntl.h>
#include <unistd.h>

#include "warpscope/pass.h"
#include "warpscope/plugin.h"

__attribute__((constructor)) static void note(void)
{
    const int file = open("loaded", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0)
        close(file);
}

static void visit(struct ws_visit *visit)
{
    ws_visit_count(visit, 0);
}

static const struct ws_pass noted = {
    .name = "noted",
    .summary = "executions of blocks",
    .stages = WS_STAGES_ALL,
    .places = WS_PLACE_BLOCK,
    .visit = visit,
};

WS_PASS_PLUGIN(&noted)
