/* `warpscope help probes`. */
#include <string.h>

#include "analysis/code/opcodes.h"
#include "analysis/command/probe/probe_help.h"
#include "warpscope/output/wrap.h"

extern const char ws_probe_example[];

static const char beginning[] =
    "A probe is a question of your own about what shaders do: a few lines of GLSL that run at places of the "
    "program's "
    "shaders which you name. It sees values there, and yields counts, histograms, tables or records.\n"
    "\n"
    "One line:\n"
    "  warpscope record -e 'after OpFDiv { if (isinf(result)) count(); }' -- ./app\n"
    "  warpscope report app.wscope probe\n"
    "\n"
    "A file, denormals.glsl:\n";

static const char places[] =
    "\n"
    "  warpscope probe denormals.glsl --on shader.spv\n"
    "  warpscope record --probe denormals.glsl -- ./program\n"
    "\n"
    "Lines //! say what the probe yields, and where the function below them is called. A line for a place "
    "belongs to the "
    "function that follows, and to its overloads behind it. The first that fits the types at a site is "
    "called.\n"
    "\n"
    "Places:\n"
    "  before|after INSTRUCTION...   each instruction with one of these opcodes\n"
    "  block begin                   each basic block\n"
    "  loop begin|iterate|end        where a loop is entered, where each iteration begins, where it is left\n"
    "  function begin|end            each function of the shader\n"
    "  entry begin|end               each thread's beginning and end\n"
    "\n"
    "An INSTRUCTION is an opcode of SPIR-V (OpFDiv), a pattern of them (OpImage*), a function of "
    "GLSL.std.450 (Sqrt), or a "
    "family:\n";

static const char outputs[] =
    "\n"
    "Filters behind a place; all must let a site pass:\n"
    "  in STAGE...      fragment, compute, raygen, ray_tracing, ... (warpscope list stages)\n"
    "  of MEMORY...     what a pointer is to: buffer, uniform, reference (a buffer reference), shared, "
    "payload (of rays "
    "and tasks), callable_data, hit_attribute, input, output, local\n"
    "  shader GLOB      name of an entry point\n"
    "  function GLOB    name of a function\n"
    "  file GLOB        source file\n"
    "  line N or N-M    source lines\n"
    "\n"
    "Parameters receive what their names say: `result`, and operands as the SPIR-V specification names them, "
    "in lower case "
    "with _ for blanks: operand_1, object, pointer, coordinate, texel, condition, ray_tmin. Those of "
    "functions "
    "of GLSL.std.450 are as it names them: `x` of one like Sqrt, `x` and `y` of Pow, `edge0`. Their types "
    "are "
    "numbers, "
    "vectors and matrices. A scalar parameter at a vector is called for each component. int and uint fit "
    "each other. "
    "`uvec2 pointer` is the address of a buffer reference. `int location` and `int member` say which "
    "variable a load "
    "or store is of, and which member; -1 = none. Without types in one line, the body is compiled "
    "for each type "
    "that it fits.\n"
    "\n"
    "Outputs, each per site, or `per shader`:\n"
    "  output NAME: count                          count(NAME)\n"
    "  output NAME: sum float                      add(NAME, x); float, int or uint; the sum of floats is "
    "exact, up to 2^31 values\n"
    "                                              of one place in one launch; so their order does not "
    "matter\n"
    "  output NAME: min float                      value(NAME, x); also max; with the thread that had it\n"
    "  output NAME: histogram linear LO HI N       value(NAME, x)\n"
    "  output NAME: histogram log2 uint            value(NAME, x)\n"
    "  output NAME: values N uint                  value(NAME, x); the N most frequent values\n"
    "  output NAME: table { uint a; uint b; }      add(NAME, a, b) or add(NAME, a, b, amount); up to four "
    "keys\n"
    "  output NAME: record { uint a; float b; }    record(NAME, a, b); every one, in order\n"
    "  output NAME: sample N { uint a; }           sample(NAME, a); the first N: which threads have them\n"
    "                                              depends on the device, and on the run\n"
    "  output NAME: lanes                          count_warp(NAME), once for a warp; how many lanes were "
    "active\n"
    "\n"
    "A probe without an output has one count. The name may be left out where only one output can be meant: "
    "count().\n"
    "\n";

static const char ending[] =
    "What a function may ask:\n"
    "  site()        number of the site\n"
    "  line()        source line; 0 = not known\n"
    "  work()        work id of this thread: its index in the launch; of fragments x | y << 16. Where "
    "vkCmdDispatchBase\n"
    "                begins at a base, the index of the first thread is that of its invocation id, not 0\n"
    "  pixel()       uvec2: where this thread stands in its launch; of fragments the pixel\n"
    "  warp()        work id of the warp's lowest thread\n"
    "  lane()        this thread's lane; warp_size() is how many there are\n"
    "  lanes()       how many lanes are active here\n"
    "  is_first()    whether this lane is the lowest of them: true once in a warp\n"
    "  clock()       the shader clock, where the device has one\n"
    "\n"
    "What the lanes of a warp know of each other: subgroupElect, subgroupBallot and what counts and finds "
    "bits in "
    "ballots, subgroupBroadcast, subgroupAll, subgroupAny, subgroupAllEqual, subgroupAdd, Mul, Min, Max, "
    "And, Or, "
    "Xor, also Inclusive and Exclusive, subgroupShuffle and subgroupShuffleXor. They see the lanes that are "
    "active "
    "there. Places where the device lacks one are left out, and listed. There are no barriers.\n"
    "\n"
    "Variables outside functions are state. Each thread has its own, which begins anew with the thread; what "
    "only loop "
    "places use, each loop has its own of:\n"
    "  //! output trips: histogram log2\n"
    "  uint n;\n"
    "  //! loop begin\n"
    "  void enter() { n = 0; }\n"
    "  //! loop iterate\n"
    "  void iterate() { n++; }\n"
    "  //! loop end\n"
    "  void leave() { value(trips, n); }\n"
    "\n"
    "The same in one line:\n"
    "  'output trips: histogram log2; uint n; loop begin { n = 0; } loop iterate { n++; } loop end { "
    "value(trips, n); }'\n"
    "\n"
    "Variables take 16 KiB of each thread at most: those outside functions and those of one function "
    "together. "
    "Macros work as in GLSL, with three rules: ## is refused, a macro stands for no '//!' line, and what a "
    "probe may not name, "
    "its macros may not name either.\n"
    "\n"
    "A guide and probes to begin with are in share/warpscope/probes where Warpscope is installed, and in "
    "examples/probes of its source: `warpscope record --probe /usr/share/warpscope/probes/nan.glsl -- "
    "./program`.\n";

/* A file of examples/probes, so that what is taught here is what is there (probe_example.in). */
static void print_example(FILE *stream)
{
    for (const char *line = ws_probe_example; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        fprintf(stream, "%s%.*s\n", length > 0 ? "  " : "", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void ws_print_probe_help(size_t width, FILE *stream)
{
    ws_wrap_text(beginning, width, stream);
    print_example(stream);
    ws_wrap_text(places, width, stream);
    for (const struct ws_opcode_family *family = ws_opcode_families; family->name != NULL; family++)
        ws_wrap_item(family->name, family->what, 2, 18, width, stream);
    ws_wrap_text(outputs, width, stream);
    ws_wrap_text(ending, width, stream);
}
