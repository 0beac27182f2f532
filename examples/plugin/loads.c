/* A pass in a plug-in: how full the warps are where they load from memory, and where they store to it. Of each OpLoad, OpStore
 * and image access the executions are counted, by active lanes.
 *
 *     meson setup build && ninja -C build        (or: cc -shared -fPIC loads.c -o loads.so $(pkg-config --cflags warpscope))
 *     warpscope --plugin build/loads.so record -p loads -o run.wscope -- PROGRAM
 *
 * Loads and stores of local variables count too, although a driver keeps most of them in registers. */
#include <spirv/unified1/spirv.h>

#include <warpscope/pass.h>
#include <warpscope/plugin.h>

/* What a site counts: the analysis asks for it by these numbers. */
enum tag { TAG_READ = 0, TAG_WRITE = 1 };

static void visit(struct ws_visit *visit)
{
    switch (ws_visit_opcode(visit)) {
    case SpvOpStore:
    case SpvOpImageWrite: ws_visit_count_place(visit, TAG_WRITE); break;
    default: ws_visit_count_place(visit, TAG_READ); break;
    }
}

static const uint16_t opcodes[] = {SpvOpLoad,
                                   SpvOpStore,
                                   SpvOpImageRead,
                                   SpvOpImageWrite,
                                   SpvOpImageSampleExplicitLod,
                                   SpvOpImageSampleImplicitLod};

static const struct ws_pass loads = {
    .name = "loads",
    .summary = "active lanes of every warp at loads and stores",
    .stages = WS_STAGES_ALL,
    .stages_by_opcode = WS_STAGES_ALL,
    .places = WS_PLACE_BEFORE,
    .opcodes = opcodes,
    .opcode_count = sizeof(opcodes) / sizeof(opcodes[0]),
    .visit = visit,
};

WS_PASS_PLUGIN(&loads)
