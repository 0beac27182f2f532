/* How often the lines of a module's source were executed, from the counts of its blocks.
 *
 * EXECUTIONS OF A LINE = how often warps came to it: from another line, or from the beginning of the function; each
 * iteration of a loop comes to it anew. In stages that are counted per thread, how often threads did.
 *
 * A counter says how often a block ran. A line may have instructions in several blocks, and a block in several lines.
 * So the instructions of a line are put together into COPIES: what runs when the line is come to once. A line ran as
 * often as all its copies together, and a copy as often as the block of it that ran most:
 *
 *   10  for (int i = 0; i < n; ++i)     the three parts are one copy, as each leads to the next or by the loop's end to
 *   11      s += f(i);                  the first: it ran as often as `i < n`, which ran most. Line 10: n + 1, line 11: n
 *   12  if (a && g(b)) ...              `g(b)` is a block of its own, but follows on `a` in the same line: one copy,
 *                                       that ran as often as `a`
 *   13  return h(x) + h(y);             where h was inlined, its lines have two copies here, which add up. Line 13 has
 *                                       one copy: what stands around an inlined function belongs together
 *
 * An OCCURRENCE is a run of neighbouring instructions of one block with the same line and the same DebugInlinedAt. Two
 * occurrences of a line and DebugInlinedAt are of one copy
 *   - where control flow leads from one right to the other; instructions without a line are passed over;
 *   - where one leads into, or comes back from, code that DebugInlinedAt says was inlined at a call in the other;
 *   - where their blocks always run together (they share one counter), unless the second one is the same code once more
 *     as an occurrence that the copy has already: both have at least two instructions, and at least half of the longer
 *     one's opcodes. So it is where a function was inlined twice by a compiler that says nothing of it, or a loop was
 *     unrolled. A statement of several lines comes back to its first line with other instructions.
 * An occurrence that is nothing but an OpBranch counts only in a line without any other, but for two:
 *   - that of a loop's header: `for (;; ++i)` ran as often as iterations began, also where all end before `++i`;
 *   - a side of a branch that is nothing else: `case 1: break; case 2: f();` ran as often as both sides. Where a construct
 *     ends or goes on is no side: it is behind code of the line that may not have run.
 * So what is not told apart is: copies that stand next to one another with no other line between them, and copies of a
 * single instruction in blocks that always run together, where no DebugInlinedAt tells them.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_SIMT_LINES_H
#define WS_ANALYSIS_SIMT_LINES_H

#include "warpscope/model/catalog.h"
#include "warpscope/model/simt_counts.h"
#include "warpscope/spirv/code.h"

struct ws_source_line {
    uint32_t file; /* index in the code's files */
    uint32_t line;
    uint32_t copy_first; /* in the copies */
    uint32_t copy_count;
};

/* The blocks of a copy, as indices in the module's blocks: each once, in the order of the module. */
struct ws_line_copy {
    uint32_t block_first; /* in the list of blocks */
    uint32_t block_count;
};

struct ws_lines {
    struct ws_source_line *lines; /* by file and line */
    uint32_t line_count;
    struct ws_line_copy *copies;
    uint32_t copy_count;
    uint32_t *blocks;
    uint32_t block_count;
};

/* The lines of a module that has sites. NULL when there is no memory. */
struct ws_lines *ws_lines_create(const struct ws_code *code, const struct ws_module_record *module);
void ws_lines_destroy(struct ws_lines *lines);

/* The line, by its number in `lines`; WS_NONE where the module has no code of it. */
uint32_t ws_lines_find(const struct ws_lines *lines, uint32_t file, uint32_t line);

/* The block of a copy that ran most; the first of equals. The copy has blocks. `of_block` as below. */
uint32_t ws_lines_most(const struct ws_lines *lines, const struct ws_line_copy *copy,
                       const struct ws_simt_counts *of_block);

/* Adds up a line. `of_block` has the counts of each block of the module, zeros where the shader does not reach it.
 * `counts` receives the sums of the blocks that ran most in each copy: its warps and threads are the executions of the
 * line, its active lanes and slots say how full the warps were. */
void ws_lines_count(const struct ws_lines *lines, uint32_t line, const struct ws_simt_counts *of_block,
                    struct ws_simt_counts *counts);

#endif
