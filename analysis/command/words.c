/* The words of the figures, for `warpscope help WORD` and `warpscope help words`. */
#include <stdio.h>

#include "analysis/command/help.h"
#include "warpscope/output/wrap.h"

#define INDENT 4

static const struct {
    const char *word;
    const char *meaning;
} words[] = {
    {"capture", "The file that `warpscope record` writes: what a run's shaders were, did and counted. All "
                "other commands "
                "read it, without the program and without a device."},
    {"launch",
     "One command that runs shaders: a trace of rays, a dispatch, or a render pass with its draws."},
    {"frame",
     "What a program does from one present to the next, counted from 0. A program that presents nothing has "
     "frame 0 only; its submissions tell its launches apart."},
    {"submission", "What a program hands to a queue of the device at once, such as by vkQueueSubmit, counted "
                   "from 0. Reports have "
                   "it beside each launch: report FILE simt_efficiency --by launch --fields "
                   "launch,submission,instructions."},
    {"thread",
     "One invocation of a shader, with the shaders that it calls. A launch starts one for each pixel, "
     "vertex or element of its work."},
    {"context",
     "One execution of one shader by one warp: of a called shader, one for each time that a warp enters "
     "it. Where lanes come back in another warp, another one begins."},
    {"warp", "The threads that a device runs together, one instruction at a time; Vulkan calls it a "
             "subgroup. It has as "
             "many lanes as the device's subgroup size: 8, 32 or 64, for example."},
    {"subgroup", "Vulkan's word for a warp: see `warpscope help warp`."},
    {"partial", "A partial warp has a thread in some of its lanes only, such as the last one of a workgroup "
                "of 60 threads where "
                "warps have 8 lanes. Its other lanes are idle from its begin to its end: `report FILE "
                "divergence` counts their "
                "slots as those of partial warps."},
    {"lane",
     "The place of a thread in its warp. A lane is active in an instruction if its thread executes it; the "
     "others are idle and wait."},
    {"block", "Instructions of a shader without a branch between them: a basic block of its SPIR-V. They are "
              "executed together, so they are counted together."},
    {"execution",
     "A warp that runs a block once, whatever number of its lanes is active. A thread execution is one "
     "active lane of it."},
    {"slot",
     "An instruction slot is one lane of one executed instruction, active or idle. Slots are what a launch "
     "pays for: a warp of 8 lanes that executes 10 instructions takes 80 slots, even if one lane is active."},
    {"work",
     "What `summary`, `advice` and `diff` take shares of: the instruction slots of all shaders, and 500 more "
     "for "
     "each ray's way through the scene and 100 for each call of a shader that rays run, which are no "
     "instructions. So a shader with 76 % of all slots can have 13 % of the work, where rays take the rest."},
    {"efficiency",
     "SIMT efficiency: of the slots of executed instructions, the share whose lane is active. 100 % if "
     "no lane ever waits."},
    {"divergence",
     "Threads of one warp take different ways through a shader. The warp walks all of these ways, "
     "and lanes idle in those that are not theirs."},
    {"site", "A place in a shader where something is counted or recorded, such as the beginning of a block."},
    {"call site",
     "A place in a shader that traces rays or begins a ray query. Its line stands beside it where the "
     "shader has debug information."},
    {"work id",
     "What tells the threads of a launch apart: the launch id of a trace, the global invocation id of a "
     "dispatch, the pixel of a fragment. It is what --thread takes."},
    {"ticks", "What the device's shader clock counts, which pass warp_time reads. How long one is, each "
              "device has for itself: "
              "where -p warp_time,time recorded both, `report FILE warp_time` says how many nanoseconds."},
    {"sector",
     "A piece of 32 bytes that begins at a multiple of 32: what a device moves at least. A line is four of "
     "them, 128 "
     "bytes. The fewer sectors a warp touches for what it asks for, the better its accesses coalesce."},
    {"coalesce", "Accesses of the lanes of one warp coalesce where they lie in the same sectors: then the "
                 "device moves few "
                 "of them for all lanes. `report FILE memory` says which do not."},
    {"primitive", "One triangle, AABB or sphere of a geometry, or an instance of a top-level structure, "
                  "counted from 0: what "
                  "a ray meets."},
    {"row",
     "A line of a table. --rows N prints N of them, those with most first, and --rows 0 all; --sort and "
     "--filter choose others."},
    {"split",
     "A window of `report FILE reorder`: threads are not only sorted by a key, but each value of the key has "
     "a launch "
     "of its own, which runs other warps. Other windows say how many warps in a row exchange threads."},
    {"content",
     "Structures that were built of the same bytes have the same content, and are looked at once."},
    {"micromap",
     "An opacity micromap says of small parts of a triangle whether they are opaque, let rays through, or "
     "ask a shader. `report FILE geometry` says which triangles have one."},
    {"texel", "One element of an image, such as a pixel of a texture. Where it lies in memory each device "
              "has for itself, so "
              "`report FILE memory` and `report FILE caches` count texels in tiles of a model. A sample "
              "touches as many "
              "as its sampler filters: `report FILE caches` counts all of them."},
    {"plugin",
     "A plug-in is a shared object with passes or analyses that are not built in (warpscope/plugin.h, "
     "warpscope/counter_analysis.h, warpscope/analysis.h; warpscope(1), PLUG-INS, shows how they are "
     "compiled, and where an "
     "example is). "
     "`warpscope "
     "--plugin FILE COMMAND` "
     "loads it, or all of a folder; so does the variable WARPSCOPE_PLUGINS, which names absolute paths with "
     "colons between "
     "them. The layer loads it into the program, unless that has more rights than who started it. A report "
     "on what a plug-in "
     "recorded needs the plug-in too."},
    {"all",
     "`record -p all` is these passes: simt_efficiency, execution_trace, divergence, thread_compaction, "
     "warp_entry_exit and ray_events. Those of memory and times are recorded by themselves: they record much "
     "more, or time what other passes make longer. `record -p all,memory_trace` adds one. `report FILE all` "
     "prints every report that the capture has."},
    {"part", "Of an execution of a shader by a warp: the threads that leave it together. One part is best."},
};

#define WORDS (sizeof(words) / sizeof(words[0]))

const char *ws_help_word(size_t index)
{
    return index < WORDS ? words[index].word : index == WORDS ? "words" : NULL;
}

static void print_word(size_t index, size_t width, FILE *stream)
{
    fprintf(stream, "%s\n", words[index].word);
    struct ws_wrap wrap = ws_wrap_begin(stream, width, INDENT, 0);
    ws_wrap_words(&wrap, words[index].meaning);
    ws_wrap_end(&wrap);
}

void ws_help_word_print(size_t index, size_t width, FILE *stream)
{
    const size_t end = index == WORDS ? WORDS : index + 1;
    for (size_t i = index == WORDS ? 0 : index; i < end; ++i)
        print_word(i, width, stream);
}
