/* Broken and hostile probes: each is refused with its place and what to do, and nothing crashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/probe/compile.h"
#include "analysis/probe/glslang.h"

/* What the probe is: a file, or one line. A file's text is as it is; F_NAN and others put something around it. */
enum form { FILE_TEXT, LINE, OUTPUT, PLACE, BODY, LINE_BODY };

struct broken {
    enum form form;
    const char *text;
    const char *place; /* "line:column", "" = about the whole */
    const char *says;
};

/* OUTPUT: a heading line `//! output …` above a good probe. PLACE: a place line above a good function. BODY: the body of a
 * good function, at line 4. LINE_BODY: the body of `after OpFMul`. */
static char *make_text(const struct broken *broken)
{
    char *text = NULL;
    const char *forms[] = {
        [FILE_TEXT] = "%s",
        [LINE] = "%s",
        [OUTPUT] = "//! output %s\n//! after OpFMul\nvoid f(float result) { }\n",
        [PLACE] = "//! %s\nvoid f() { count(); }\n",
        [BODY] = ("//! output bad: count\n//! output h: histogram log2\n//! after OpFMul\n"
                  "void f(float result) { %s }\n"),
        [LINE_BODY] = "after OpFMul { %s }",
    };
    assert_true(asprintf(&text, forms[broken->form], broken->text) >= 0); /* NOLINT */
    return text;
}

static const struct broken table[] = {
    /* Nothing, and what is no probe. */
    {FILE_TEXT, "", "", "it names no place; write one above a function"},
    {LINE, "", "", "it names no place; write one, as in"},
    {LINE, "   ;;; ", "", "it names no place"},
    {FILE_TEXT, "// a comment\n", "", "it names no place"},
    {FILE_TEXT, "void f() { }\n", "", "it names no place"},
    {FILE_TEXT, "\x01", "1:1", "is no text"},
    {FILE_TEXT, "//! after OpFMul\n\x7fvoid f() { }", "2:1", "is no text"},
    {FILE_TEXT, "//!\n//!\n", "", "it names no place"},
    {LINE, "count()", "1:1", "begins no place"},
    {LINE, "{ count(); }", "1:1", "begins no place"},
    {LINE, "//! after OpFMul\nvoid f() { }", "1:1", "--probe FILE takes a file"},
    {LINE, "#define X\nafter OpFMul { }", "1:1", "--probe FILE takes a file"},
    /* Places. */
    {PLACE, "aftr OpFMul", "1:5", "'aftr' begins no place; did you mean 'after'?"},
    {PLACE, "befor OpFMul", "1:5", "did you mean 'before'?"},
    {PLACE, "OpFMul", "1:5", "say when: before OpFMul or after OpFMul"},
    {PLACE, "float", "1:5", "say when: before float or after float"},
    {PLACE, "loops begin", "1:5", "did you mean 'loop'?"},
    {PLACE, "blok begin", "1:5", "did you mean 'block'?"},
    {PLACE, "functoin begin", "1:5", "did you mean 'function'?"},
    {PLACE, "entri begin", "1:5", "did you mean 'entry'?"},
    {PLACE, "outptu x: count", "1:5", "did you mean 'output'?"},
    {PLACE, "everywhere", "1:5", "begins no place; there are before, after, block"},
    {PLACE, "at after OpFAdd", "1:5", "begins no place"},
    {PLACE, "after", "1:5", "after which instructions?"},
    {PLACE, "before", "1:5", "before which instructions?"},
    {PLACE, "after in fragment", "1:11", "after which instructions?"},
    {PLACE, "after OpFDivv", "1:11", "did you mean 'OpFDiv'?"},
    {PLACE, "after OpFdiv", "1:11", "did you mean 'OpFDiv'?"},
    {PLACE, "after FDiv", "1:11", "did you mean 'OpFDiv'?"},
    {PLACE, "after OpFMul OpImageWriet", "1:18", "did you mean 'OpImageWrite'?"},
    {PLACE, "after flaot", "1:11", "did you mean 'float'?"},
    {PLACE, "after loads", "1:11", "did you mean 'load'?"},
    {PLACE, "after image_sampel", "1:11", "did you mean 'image_sample'?"},
    {PLACE, "after Sqr", "1:11", "did you mean 'Sqrt'?"},
    {PLACE, "after inversesqrt", "1:11", "is no opcode"},
    {PLACE, "after OpWobble*", "1:11", "is no opcode"},
    {PLACE, "after xyzzyplugh", "1:11", "`warpscope help probes` has the families"},
    {PLACE, "after OpFAdd: float result", "1:11", "types are the parameters of the function below it"},
    {PLACE, "after OpReturn", "1:11", "nothing runs after it; write `before`"},
    {PLACE, "after OpKill", "1:11", "write `before`"},
    {PLACE, "after OpBranch", "1:11", "write `before`"},
    {PLACE, "after branch", "1:11", "write `before`"},
    {PLACE, "after OpPhi", "1:11", "write `block begin`"},
    {PLACE, "before OpPhi", "1:12", "write `block begin`"},
    {PLACE, "before OpLabel", "1:12", "write `block begin`"},
    {PLACE, "before OpVariable", "1:12", "write `block begin`"},
    {PLACE, "before OpLoopMerge", "1:12", "write `loop begin`"},
    {PLACE, "before OpSelectionMerge", "1:12", "`before branch`"},
    {PLACE, "before OpFunction", "1:12", "write `function begin`"},
    {PLACE, "before OpFunctionEnd", "1:12", "write `function end`"},
    {PLACE, "before OpLine", "1:12", "never runs"},
    {PLACE, "before OpTypeFloat", "1:12", "it declares something"},
    {PLACE, "after OpConstant", "1:11", "it declares something"},
    {PLACE, "after OpEntryPoint", "1:11", "it declares something"},
    {PLACE, "block", "1:5", "`block begin` only"},
    {PLACE, "block end", "1:11", "`block begin` only"},
    {PLACE, "loop", "1:5", "loop begin, loop iterate or loop end"},
    {PLACE, "loop body", "1:10", "loop begin, loop iterate or loop end"},
    {PLACE, "function", "1:5", "function begin or function end"},
    {PLACE, "function start", "1:14", "function begin or function end"},
    {PLACE, "entry point", "1:11", "entry begin or entry end"},
    {PLACE, "loop begin OpFMul", "1:16", "'OpFMul' is no filter"},
    {PLACE, "block begin fragment", "1:17", "'fragment' is no filter"},
    {PLACE, "loop begin fille a", "1:16", "did you mean 'file'?"},
    /* Filters. */
    {PLACE, "after OpFMul in", "1:18", "in which stages?"},
    {PLACE, "after OpFMul in fragmnt", "1:21", "did you mean 'fragment'?"},
    {PLACE, "after OpFMul in pixel", "1:21", "is no stage; `warpscope list stages`"},
    {PLACE, "after OpFMul in closest_hitt", "1:21", "did you mean 'closest_hit'?"},
    {PLACE, "after OpFMul in fragment computer", "1:30", "did you mean 'compute'?"},
    {PLACE, "before load of", "1:17", "of which memory?"},
    {PLACE, "before load of bufer", "1:20", "did you mean 'buffer'?"},
    {PLACE, "before load of everything", "1:20", "is no kind of memory; there are buffer"},
    {PLACE, "before load of local oputput", "1:26", "did you mean 'output'?"},
    {PLACE, "block begin of buffer", "1:17", "none stands at this place"},
    {PLACE, "after OpFMul shader", "1:18", "a pattern is missing behind 'shader'"},
    {PLACE, "after OpFMul file", "1:18", "a pattern is missing behind 'file'"},
    {PLACE, "after OpFMul function", "1:18", "a pattern is missing behind 'function'"},
    {PLACE, "after OpFMul file a file b", "1:30", "there is a filter 'file' already"},
    {PLACE, "after OpFMul line", "1:18", "lines are N or N-M"},
    {PLACE, "after OpFMul line 0", "1:23", "lines are N or N-M"},
    {PLACE, "after OpFMul line 9-3", "1:23", "with N not above M"},
    {PLACE, "after OpFMul line x", "1:23", "lines are N or N-M"},
    {PLACE, "after OpFMul line -3", "1:23", "lines are N or N-M"},
    {PLACE, "after OpFMul line 3-", "1:23", "lines are N or N-M"},
    {PLACE, "after OpFMul line 99999999999999999999", "1:23", "lines are N or N-M"},
    {PLACE, "after OpFMul file \"a", "1:23", "this text has no end"},
    {PLACE, "after OpFMul file \"\"", "1:23", "this text is empty"},
    /* Outputs. */
    {OUTPUT, "", "1:12", "the name of the output is missing"},
    {OUTPUT, "3: count", "1:12", "the name of the output is missing"},
    {OUTPUT, "bad", "1:15", "a ':' is missing"},
    {OUTPUT, "bad count", "1:16", "a ':' is missing"},
    {OUTPUT, "bad:", "1:16", "the kind of the output is missing"},
    {OUTPUT, "bad: 7", "1:17", "the kind of the output is missing"},
    {OUTPUT, "bad: cuont", "1:17", "did you mean 'count'?"},
    {OUTPUT, "bad: histogramm log2", "1:17", "did you mean 'histogram'?"},
    {OUTPUT, "bad: average", "1:17", "is no kind of output; there are count, sum"},
    {OUTPUT, "bad: count 3", "1:23", "this does not belong to the output"},
    {OUTPUT, "bad: count per pixel", "1:27", "per site or per shader"},
    {OUTPUT, "bad: count per", "1:26", "per site or per shader"},
    {OUTPUT, "bad: sum", "1:20", "its type is missing"},
    {OUTPUT, "bad: min per site", "1:21", "its type is missing"},
    {OUTPUT, "bad: max vec3", "1:21", "is no type of it"},
    {OUTPUT, "bad: sum double", "1:21", "is no type of it"},
    {OUTPUT, "bad: sum bool", "1:21", "is no type of it"},
    {OUTPUT, "bad: histogram", "1:26", "say which histogram: log2 or linear"},
    {OUTPUT, "bad: histogram log10", "1:27", "say which histogram: log2 or linear"},
    {OUTPUT, "bad: histogram log2 3", "1:32", "this does not belong to the output"},
    {OUTPUT, "bad: histogram linear", "1:33", "two limits and a number of bins"},
    {OUTPUT, "bad: histogram linear 0", "1:35", "two limits and a number of bins"},
    {OUTPUT, "bad: histogram linear 0 1", "1:37", "the number of bins is missing"},
    {OUTPUT, "bad: histogram linear 0 1 0", "1:38", "whole number from 1 to"},
    {OUTPUT, "bad: histogram linear 0 1 1000000", "1:38", "whole number from 1 to"},
    {OUTPUT, "bad: histogram linear 0 1 2.5", "1:38", "whole number from 1 to"},
    {OUTPUT, "bad: histogram linear 1 0 10", "1:34", "the lower limit comes first"},
    {OUTPUT, "bad: histogram linear 1 1 10", "1:34", "the lower limit comes first"},
    {OUTPUT, "bad: histogram linear 0.5 2 10 int", "1:34", "no int has this value"},
    {OUTPUT, "bad: histogram linear -1 2 10 uint", "1:34", "no uint has this value"},
    {OUTPUT, "bad: histogram linear 0 5000000000 10 uint", "1:36", "no uint has this value"},
    {OUTPUT, "bad: histogram linear 0 1e99 10", "1:36", "no float has this value"},
    {OUTPUT, "bad: histogram linear 0 1e999 10", "1:36", "this is no number"},
    /* hi - lo is infinite; N / (hi - lo) is infinite, a denormal. All values would be in the first bins, or in any. */
    {OUTPUT, "bad: histogram linear -3e38 3e38 10", "1:34", "too far apart"},
    {OUTPUT, "bad: histogram linear 0 1e-40 10", "1:34", "too near to each other"},
    {OUTPUT, "bad: histogram linear 0 1e-50 10", "1:34", "too near to each other"},
    {OUTPUT, "bad: histogram linear 0 3e38 2", "1:34", "too far apart"},
    {OUTPUT, "bad: histogram linear a b 10", "1:34", "two limits and a number of bins"},
    {OUTPUT, "bad: values 0", "1:24", "whole number from 1 to"},
    {OUTPUT, "bad: values 99999999", "1:24", "whole number from 1 to"},
    {OUTPUT, "bad: values 5 double", "1:26", "is no type of it"},
    {OUTPUT, "bad: table", "1:22", "its fields are missing"},
    {OUTPUT, "bad: table 0 { uint a; }", "1:23", "whole number from 1 to"},
    {OUTPUT, "bad: table 99999999 { uint a; }", "1:23", "whole number from 1 to"},
    {OUTPUT, "bad: table { }", "1:23", "it has no field"},
    {OUTPUT, "bad: table { uint a; uint b; uint c; uint d; uint e; }", "1:62", "at most 4 keys"},
    {OUTPUT, "bad: table { uint a; uint a; }", "1:38", "there is a field 'a' already"},
    {OUTPUT, "bad: table { vec3 a; }", "1:25", "write a vector as its components"},
    {OUTPUT, "bad: table { uint; }", "1:29", "the name of the field is missing"},
    {OUTPUT, "bad: table { uint a uint b }", "1:32", "a ';' is missing behind this field"},
    {OUTPUT, "bad: table { uint a;", "1:23", "this '{' has no end"},
    {OUTPUT, "bad: record", "1:23", "its fields are missing"},
    {OUTPUT, "bad: record { uint a; } per shader", "1:36", "each record names its site"},
    {OUTPUT, "bad: record { uint a; } x", "1:36", "this does not belong to the output"},
    {OUTPUT, "bad: record { a; }", "1:26", "a field is uint, int, float or bool NAME"},
    {OUTPUT, "bad: sample { uint a; }", "1:24", "the number of samples is missing"},
    {OUTPUT, "bad: sample 4", "1:25", "its fields are missing"},
    {OUTPUT, "bad: sample 99999999 { uint a; }", "1:24", "whole number from 1 to"},
    {OUTPUT, "bad: lanes uint", "1:23", "this does not belong to the output"},
    {OUTPUT, "bad: lane", "1:17", "did you mean 'lanes'?"},
    {OUTPUT, "count_warp: lanes", "1:12", "'count_warp' is a function of probes"},
    {OUTPUT, "float: count", "1:12", "'float' is a word of GLSL"},
    {OUTPUT, "output: count", "1:12", "'output' is a word of GLSL"},
    {OUTPUT, "sampler2D: count", "1:12", "'sampler2D' is a word of GLSL"},
    {OUTPUT, "count: count", "1:12", "'count' is a function of probes"},
    {OUTPUT, "line: count", "1:12", "'line' is a function of probes"},
    {OUTPUT, "ws_x: count", "1:12", "are taken"},
    {OUTPUT, "gl_x: count", "1:12", "are taken"},
    {OUTPUT, "Ws: count", "1:12", "are taken"},
    {OUTPUT, "a: count\n//! output a: count", "2:12", "there is an output 'a' already"},
    {OUTPUT, "a2345678901234567890123456789012345678901234567890123456789012345: count", "1:12",
     "at most 63 letters"},
    {OUTPUT,
     "t: table 1000000 { uint a; } per site\n//! output u: table 1000000 { uint a; uint b; } per site\n//! "
     "output v: "
     "table 1000000 { uint a; uint b; } per site\n//! output w: table 1000000 { uint a; uint b; uint c; uint "
     "d; } per site\n"
     "//! output y: table 1000000 { uint a; uint b; uint c; uint d; } per site\n"
     "//! output x: table 1000000 { uint a; uint b; uint c; } per site",
     "", "need more than"},
    {LINE, "output bad count; after OpFMul { count(); }", "1:12", "a ':' is missing"},
    {LINE, "output bad: count after OpFMul { count(); }", "1:19", "a ';' is missing behind this output"},
    {LINE, "output bad: conut; after OpFMul { count(); }", "1:13", "did you mean 'count'?"},
    /* Names of probes. */
    {PLACE, "name", "1:9", "a probe's name is"},
    {PLACE, "name 3", "1:10", "a probe's name is"},
    {PLACE, "name a b", "1:12", "nothing follows a name"},
    /* Functions. */
    {FILE_TEXT, "//! after OpFMul\n", "1:1", "no function follows this place"},
    {FILE_TEXT, "//! after OpFMul\nfloat x;\n", "1:1", "no function follows this place"},
    {FILE_TEXT, "//! after OpFMul\nvoid f();\n", "1:1", "no function follows this place"},
    {FILE_TEXT, "//! after OpFMul\nfloat f() { return 1.0; }\n", "2:1", "returns nothing: write void"},
    {FILE_TEXT, "//! after OpFMul\nvoid main() { }\n", "2:6", "a probe has no main()"},
    {FILE_TEXT, "//! after OpFMul\nvoid count() { }\n", "2:6", "'count' is a function of probes"},
    {FILE_TEXT, "//! after OpFMul\nvoid f() {\n", "2:10", "this '{' has no end"},
    {FILE_TEXT, "//! after OpFMul\nvoid f( {\n", "2:9", "has no end"},
    {FILE_TEXT, "//! after OpFMul\nvoid f() { if (true) { }\n", "2:10", "this '{' has no end"},
    {FILE_TEXT, "//! after OpFMul\nvoid f() { } }\n", "2:14", "ends nothing"},
    {FILE_TEXT, "//! after OpFMul\nvoid f() { /* }\n", "2:12", "no end"},
    {FILE_TEXT, "//! after OpFMul\nvoid f() {\n//! after OpFAdd\n}\n", "2:10", "before the next //!"},
    {FILE_TEXT, "uint n\n//! after OpFMul\nvoid f() { }\n", "1:6", "is a ';' missing?"},
    {FILE_TEXT, "//! after OpFMul\nvoid f() { }\nuint n", "3:6", "is a ';' missing?"},
    {FILE_TEXT, "//! after OpFMul\nvoid f() { }\nvoid f() { }\n", "3:1", "is there already"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(float result) { }\nvoid f(float operand_1) { }\n", "3:1",
     "is there already"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(flaot result) { }\n", "2:8", "did you mean 'float'?"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(half result) { }\n", "2:8",
     "no parameter can have the type 'half'"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(float) { }\n", "2:8", "the parameter needs a name"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(float resutl) { }\n", "2:14", "did you mean 'result'?"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(float operand1) { }\n", "2:14", "did you mean 'operand_1'?"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(float coordinate) { }\n", "2:14",
     "it has: operand_1, operand_2, result"},
    {FILE_TEXT, "//! before OpFMul\nvoid f(float result) { }\n", "2:14",
     "there is no result yet; write `after`"},
    {FILE_TEXT, "//! block begin\nvoid f(float result) { }\n", "2:14", "no instruction stands at this place"},
    {FILE_TEXT, "//! loop iterate\nvoid f(uint n) { }\n", "2:13", "no instruction stands at this place"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(out float result) { }\n", "2:8", "parameters are read only"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(inout float result) { }\n", "2:8", "parameters are read only"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(float result[3]) { }\n", "2:20", "an array cannot be handed"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(float result, ) { }\n", "2:20", "a parameter is missing"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(float result float operand_1) { }\n", "2:21",
     "is missing before this"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(float result, float result) { }\n", "2:28", "of this name already"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(float while) { }\n", "2:14", "is a word of GLSL"},
    {FILE_TEXT, "//! after OpImageRead\nvoid f(image2D image) { }\n", "2:8", "cannot be handed to a probe"},
    {FILE_TEXT, "//! after OpImageRead\nvoid f(sampler2D image) { }\n", "2:8", "cannot be handed to a probe"},
    {FILE_TEXT, "//! after OpLoad\nvoid f(float pointer) { }\n", "2:14", "a pointer is an address"},
    {FILE_TEXT, "//! after OpFMul\nvoid f(3) { }\n", "2:8", "a parameter is TYPE NAME"},
    {FILE_TEXT, "//! after OpFMul\nstruct S { float x; };\nvoid f(S result) { }\n", "3:8",
     "no parameter can have the type 'S'"},
    /* What probes cannot have. */
    {FILE_TEXT, "#include \"x\"\n//! after OpFMul\nvoid f() { }\n", "1:1", "a probe is one file"},
    {FILE_TEXT, "#line 3\n//! after OpFMul\nvoid f() { }\n", "1:1", "leave it out"},
    {FILE_TEXT, "//! after OpFMul\nuniform float x;\nvoid f() { }\n", "2:1", "no resources of its own"},
    {FILE_TEXT, "//! after OpFMul\nbuffer B { uint x; };\nvoid f() { }\n", "2:1", "it yields by outputs"},
    {FILE_TEXT, "//! after OpFMul\nlayout(binding = 0) buffer B { uint x; };\nvoid f() { }\n", "2:1",
     "leave the layout out"},
    {FILE_TEXT, "//! after OpFMul\nshared uint x;\nvoid f() { }\n", "2:1", "no shared memory"},
    {BODY, "discard;", "4:24", "must not end threads"},
    {BODY, "demote;", "4:24", "must not end threads"},
    {BODY, "terminateRayEXT;", "4:24", "must not end rays"},
    {BODY, "barrier();", "4:24", "could hang the program"},
    {BODY, "uint x = gl_LocalInvocationIndex;", "4:33", "built-in variables differ by stage"},
    {BODY, "ws_yield_count(0u);", "4:24", "are Warpscope's own"},
    {BODY, "WsWords w;", "4:24", "are Warpscope's own"},
    {LINE, "after OpFMul { discard; }", "1:16", "must not end threads"},
    {LINE, "after OpFMul { barrier(); }", "1:16", "could hang the program"},
    {LINE, "uniform float x; after OpFMul { count(); }", "1:1", "no resources of its own"},
    /* Lines. */
    {LINE, "after OpFMul", "1:13", "what is done there is missing"},
    {LINE, "after OpFMul;", "1:13", "what is done there is missing"},
    {LINE, "after OpFMul (float result)", "1:28", "what is done there is missing"},
    {LINE, "after OpFMul (float result { count(); }", "1:14", "has no end"},
    {LINE, "after OpFMul { count();", "1:14", "this '{' has no end"},
    {LINE, "aftr OpFMul { count(); }", "1:1", "did you mean 'after'?"},
    {LINE, "OpFMul { count(); }", "1:1", "say when: before OpFMul or after OpFMul"},
    {LINE, "float { count(); }", "1:1", "say when: before float or after float"},
    {LINE, "uint n after OpFMul { n++; }", "1:1", "begins no place"},
    {LINE, "after OpFMul { count(); } }", "1:27", "begins no place"},
    {LINE, "after OpFMul (float x) { count(); }", "1:21", "no instruction of this place has an operand 'x'"},
    {LINE, "before OpFMul { if (result > 0) count(); }", "1:21", "'result' is not known here"},
    {LINE, "after OpFMul { if (resutl > 0) count(); }", "1:20", "did you mean 'result'?"},
    {LINE, "output a: count; output b: count; after OpFMul { count(); }", "1:50",
     "count() is not called so; here it is count(a), count(b)"},
};

/* Words that a macro would stand for, and lines that the compiler joins. */
static const struct broken hidden[] = {
    {FILE_TEXT, "#define L layout\n//! after OpFMul\nvoid f() { }\n", "1:11",
     "'layout': a probe has no resources"},
    {FILE_TEXT, "#define B() buffer\n//! after OpFMul\nvoid f() { }\n", "1:13",
     "'buffer': a probe has no resources"},
    {FILE_TEXT, "//! after OpFMul\nvoid f() {\n#define D \\\n  discard\nD; }\n", "4:3",
     "must not end threads"},
    {FILE_TEXT, "#define A ws_at_site = 1\n//! after OpFMul\nvoid f() { A; }\n", "1:11", "Warpscope's own"},
    {FILE_TEXT, "#define J(a, b) a##b\n//! after OpFMul\nvoid f() { }\n", "1:18",
     "a macro of a probe makes no words"},
    {FILE_TEXT, "#define L lay\\\nout\n//! after OpFMul\nvoid f() { }\n", "1:14", "stands in one line"},
    {FILE_TEXT, "#define L lay\\\r\nout\n//! after OpFMul\nvoid f() { }\n", "1:14", "stands in one line"},
    {FILE_TEXT, "#define L lay\\\n\\\nout\n//! after OpFMul\nvoid f() { }\n", "1:14", "stands in one line"},
    {FILE_TEXT, "#define L /\\\n* x\n//! after OpFMul\nvoid f() { }\n", "1:12", "stands in one line"},
    {FILE_TEXT, "#define L /* x\n*/\n//! after OpFMul\nvoid f() { }\n", "1:11", "has no end"},
    {FILE_TEXT, "//! after OpFMul\nvoid f() { dis\\\ncard; }\n", "2:15", "only a directive goes on"},
    {FILE_TEXT, "// a \\\n/*\n//! after OpFMul\nvoid f() { discard; } // */\n", "1:6",
     "only a directive goes on"},
    {FILE_TEXT, "//! after OpFMul\nvoid f() { // a \r discard;\n }\n", "2:17", "ends no line"},
    {BODY, "\n#define D discard\nD;", "5:11", "must not end threads"},
    {LINE, "name a; name b; after OpFMul { count(); }", "1:14", "the probe has the name 'a' already"},
    {FILE_TEXT, "//! name a\n//! name a\n//! after OpFMul\nvoid f() { }\n", "2:10",
     "has the name 'a' already"},
    {PLACE, "after OpFMul line 3 line 5", "1:30", "there is a filter 'line' already"},
};

/* What glslang finds. */
static const struct broken compiled[] = {
    {BODY, "cuont(bad);", "4:24", "did you mean 'count'?"},
    {BODY, "count(bda);", "4:30", "did you mean 'bad'?"},
    {BODY, "count(h);", "4:24", "here it is count(bad)"},
    {BODY, "value(h);", "4:24", "here it is value(h, uint)"},
    {BODY, "value(h, result);", "4:24", "here it is value(h, uint)"},
    {BODY, "add(bad, 1);", "4:24", "add() needs an output of kind sum or table"},
    {BODY, "record(bad, 1);", "4:24", "record() needs an output of kind record"},
    {BODY, "sample(bad, 1);", "4:24", "sample() needs an output of kind sample"},
    {BODY, "count_warp(bad);", "4:24",
     "count_warp() needs an output of kind lanes; declare one: `//! output full: lanes`"},
    {LINE, "output full: lanes; after OpFMul { count_warp(full, 3u); }", "1:36",
     "count_warp() is not called so; here it is count_warp(full)"},
    {BODY, "uint x = line(3);", "4:33", "line() takes nothing"},
    {BODY, "if (result) count(bad);", "4:1", "a condition must be true or false"},
    {BODY, "int x = 3 + ;", "4:36", "before ';'"},
    {BODY, "count(bad)", "4:35", "before '}'"},
    {BODY, "bool b = true + false;", "4:38", "does not work on these types"},
    {BODY, "int x = 1.5;", "4:30", "this value has another type"},
    {BODY, "undefined_function(3);", "4:24", "there is no function 'undefined_function'"},
    {BODY, "float twice = 1.0; float twice = 2.0;", "4:30", "is declared twice"},
    {BODY, "const float c = 1.0; c += 2.0;", "4:1", "cannot be changed"},
    {BODY, "uint x = nothing;", "4:33", "a value of the place is a parameter"},
    {BODY, "#error no\n", "4:24", ""},
    {FILE_TEXT, "#if 1\n//! after OpFMul\nvoid f() { }\n", "", "an #if has no #endif"},
    {FILE_TEXT, "//! after OpFMul\n#if 0\nvoid f(float result) { }\n#endif\n", "3:1",
     "'f(float result)' is not there: an #if leaves it out"},
    {FILE_TEXT, "#define f g\n//! after OpFMul\nvoid f() { count(); }\n#undef f\n", "3:1",
     "'f()' is not there"},
    {FILE_TEXT, "#extension GL_NO_such_thing : require\n//! after OpFMul\nvoid f() { }\n", "1:1",
     "this does not compile"},
    {FILE_TEXT, "uint n = work();\n//! after OpFMul\nvoid f() { n++; count(); }\n", "1:6",
     "does not begin with a constant"},
    {FILE_TEXT,
     "uint g(uint n) { return n; }\nuint n = g(1u);\n//! after OpFMul\nvoid f() { n++; count(); }\n", "2:6",
     "does not begin with a constant"},
    {FILE_TEXT,
     "uint g(uint x);\nuint f2(uint x) { return g(x); }\nuint g(uint x) { return f2(x); }\n//! after "
     "OpFMul\nvoid f() { uint x = g(1u); count(); }\n",
     "", "calls itself"},
    {FILE_TEXT, "sampler2D s;\n//! after OpFMul\nvoid f() { }\n", "1:1", "glslang"},
    {FILE_TEXT, "in vec3 p;\n//! after OpFMul\nvoid f() { }\n", "1:1", "glslang"},
    /* A driver ends the program, or never comes back, for so much of each thread. */
    {FILE_TEXT, "float a[100000000];\n//! after OpFMul\nvoid f() { a[work()] = 1.0; count(); }\n", "",
     "with the variable 'a' the probe needs more than 16384 bytes of each thread"},
    {FILE_TEXT,
     "float a[2000];\nvec4 b[600];\n//! after OpFMul\nvoid f() { a[work()] = b[work()].x; count(); }\n", "",
     "the probe needs more than 16384 bytes"},
    {BODY, "mat4 big[257]; big[line()][0].x = result; if (big[site()][0].x > 1) count(bad);", "",
     "with the variable 'big' the probe needs more than 16384 bytes"},

    {LINE_BODY, "if (result.nothing > 0) count();", "1:27", "glslang"},
    {LINE_BODY, "count()", "1:24", "this cannot be read"},
    {LINE_BODY, "cout();", "1:16", "did you mean 'count'?"},
    {LINE_BODY, "value(result);", "1:16", "value() needs an output of kind min, max, histogram or values"},
    {LINE_BODY, "if (operand_3 > 0) count();", "1:20", "is not known here"},
    {LINE_BODY, "if (isinf(result) count();", "1:19", "has no end"},
    {LINE_BODY, "if (length(result, 1) > 0) count();", "1:20", "there is no function 'length'"},
};

/* All that is printed of a probe's compilation, to be freed; `*good` says whether there is a blob. */
static char *compile(const char *text, bool is_one_line, bool *good)
{
    const struct ws_probe_source source = {
        .label = "P", .name = "p", .text = text, .is_one_line = is_one_line};
    struct ws_complaints complaints = {0};
    size_t word_count = 0;
    char *printed = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&printed, &size);
    assert_non_null(stream);
    uint32_t *words = ws_probe_compile(&source, &word_count, &complaints);
    *good = words != NULL;
    assert_true(*good == (complaints.errors == 0));
    ws_complaints_print(&complaints, &source, stream);
    assert_int_equal(fclose(stream), 0);
    ws_complaints_finish(&complaints);
    free(words);
    return printed;
}

/* Returns 1 where the complaint is another one. */
static int check(const struct broken *broken)
{
    bool good = false;
    char *text = make_text(broken);
    char *said = compile(text, broken->form == LINE || broken->form == LINE_BODY, &good);
    char place[64];
    snprintf(place, sizeof(place), broken->place[0] != '\0' ? "P:%s: " : "P: %s", broken->place); /* NOLINT */
    const bool right =
        broken->says == NULL || (!good && strstr(said, place) != NULL && strstr(said, broken->says) != NULL);
    if (!right)
        print_error("%s\n--- wanted %s%s\n--- said:\n%s\n", text, place, broken->says,
                    good ? "(nothing)" : said);
    free(said);
    free(text);
    return !right;
}

static void each_is_refused_with_place_and_remedy(void **state)
{
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        wrong += check(&table[i]);
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
        wrong += check(&hidden[i]);
    for (size_t i = 0; i < sizeof(compiled) / sizeof(compiled[0]) && ws_glslang_is_built(); i++)
        wrong += check(&compiled[i]);
    assert_int_equal(wrong, 0);
}

/* Forty macros of which each names the one before twice: 2^40 words. */
static void what_does_not_end_is_ended(void **state)
{
    (void)state;
    char text[4096] = "#define M0 1 +\n";
    size_t length = strlen(text);
    for (int i = 1; i <= 40; i++)
        length +=
            (size_t)snprintf(text + length, sizeof(text) - length, "#define M%d M%d M%d\n", i, i - 1, i - 1);
    snprintf(text + length, sizeof(text) - length,
             "//! output n: count\n//! after OpFMul\nvoid f() { if (M40 0 > 0) count(); }\n");
    const struct ws_probe_source source = {.label = "P", .name = "p", .text = text, .seconds = 1};
    struct ws_complaints complaints = {0};
    size_t word_count = 0;
    if (!ws_glslang_is_built())
        skip();
    assert_null(ws_probe_compile(&source, &word_count, &complaints));
    assert_int_equal(complaints.count, 1);
    assert_non_null(strstr(complaints.items[0].message, "make the probe smaller"));
    ws_complaints_finish(&complaints);
}

/* A good probe with one token less, twice, or another one: it compiles, or is refused at a place or as a whole. */
static const char good_file[] = "//! output bad: count\n"
                                "//! output first: sample 2 { uint work; float value; }\n"
                                "//! output h: histogram linear 0 1 20 per shader\n"
                                "uint n = 3;\n"
                                "//! after OpFAdd float in fragment compute file *.frag line 3-9\n"
                                "void check(float result)\n"
                                "{\n"
                                "    if (isnan(result)) { count(bad); sample(first, work(), result); }\n"
                                "}\n";

static void check_changed(const char *text, bool is_one_line)
{
    bool good = false;
    char *said = compile(text, is_one_line, &good);
    if (!good && strncmp(said, "P:", 2) != 0)
        fail_msg("%s: said '%s'", text, said);
    free(said);
}

static void changed_ones_are_refused_or_good(void **state)
{
    static const char *const others[] = {"",    "}", "{",  ";",     ":",    "\"",    "/*",
                                         "//!", "#", "-1", "after", "\xff", "output"};
    const size_t length = strlen(good_file);
    (void)state;
    for (size_t begin = 0; begin < length;) {
        const size_t word =
            strspn(good_file + begin, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        const size_t size = word > 0 ? word : 1;
        const char *other = others[begin % (sizeof(others) / sizeof(others[0]))];
        char *text = NULL;
        assert_true(asprintf(&text, "%.*s%s%s", (int)begin, good_file, other, good_file + begin + size) >= 0);
        check_changed(text, false);
        free(text);
        begin += size;
    }
}

/* Large and deep ones end, with an error or without. */
static void large_ones_end(void **state)
{
    static const struct {
        const char *begin;
        const char *repeated;
        const char *end;
        bool is_one_line;
    } large[] = {
        {"//! after OpFMul\nvoid f() { ", "{", "", false},
        {"//! after OpFMul\nvoid f() { ", "(", "", false},
        {"//! after OpFMul\nvoid f() { int x = ", "(", "1; }", false},
        {"", "//! after OpFMul\n", "void f() { }", false},
        {"", "//! output a: count\n", "void f() { }", false},
        {"//! after", " OpFMul", "\nvoid f() { }", false},
        {"//! after ", "A", "\nvoid f() { }", false},
        {"//! after OpFMul file ", "*", "\nvoid f() { }", false},
        {"//! after OpFMul\nvoid f(", "float result, ", "float x) { }", false},
        {"after OpFMul { ", "count(); ", "", true},
        {"", "after OpFMul { count(); } ", "", true},
        {"after OpFMul { x = ", "-", "1; }", true},
        {"//! output t: table { ", "uint a;", "", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        assert_non_null(stream);
        fputs(large[i].begin, stream);
        for (int k = 0; k < 3000; k++)
            fputs(large[i].repeated, stream);
        fputs(large[i].end, stream);
        assert_int_equal(fclose(stream), 0);
        check_changed(text, large[i].is_one_line);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_refused_with_place_and_remedy),
        cmocka_unit_test(what_does_not_end_is_ended),
        cmocka_unit_test(changed_ones_are_refused_or_good),
        cmocka_unit_test(large_ones_end),
    };
    _Static_assert(sizeof(table) / sizeof(table[0]) + sizeof(compiled) / sizeof(compiled[0]) >= 200,
                   "so many are asked for");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
