/* How the report on hotspots is shown: its declaration, its text and its finding. */
#include "analysis/simt/hotspots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/model/names.h"
#include "warpscope/output/json.h"
#include "warpscope/report/analysis.h"
#include "warpscope/report/findings.h"
#include "warpscope/spirv/code.h"
#include "warpscope/spirv/sites.h"

#define NAME_SIZE    256
#define PROFILE      32 /* characters of a shader's profile */
#define OPCODES_MOST 3  /* opcodes shown of a run */

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_hotspots *hotspots = calloc(1, sizeof(*hotspots));
    if (hotspots == NULL)
        return NULL;
    ws_hotspots_begin(hotspots, catalog);
    hotspots->simt.selection = options->selection;
    hotspots->keeps_source = options->plots;
    hotspots->filtered = ws_selection_has_shaders(options->selection);
    hotspots->groups = ws_groups_create(&ws_hotspots_columns, catalog, hotspots, &options->view, error);
    if (hotspots->groups != NULL)
        return hotspots;
    ws_hotspots_finish(hotspots);
    free(hotspots);
    return NULL;
}

static void destroy(void *results)
{
    ws_hotspots_finish(results);
    free(results);
}

static bool record(void *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    return ws_hotspots_record(results, chunk, error);
}

static bool end(void *results, struct ws_error *error)
{
    return ws_hotspots_end(results, error);
}

static const struct ws_groups *groups(const void *results)
{
    return ((const struct ws_hotspots *)results)->groups;
}

static void set_text(struct ws_value *value, const char *text)
{
    value->kind = WS_VALUE_TEXT;
    value->text = text;
}

/* How often the program's instructions were executed, from its first to its last, against the one that was
 * executed most: a bar per character, as high as the most executed instruction in it. */
static void shader_profile(const struct ws_row *row, struct ws_value *value)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct ws_hotspots *hotspots = row->user;
    const struct ws_hotspot_shader *sums = &hotspots->shaders[row->key];
    uint64_t most[PROFILE] = {0};
    uint32_t width = sums->instructions < PROFILE ? sums->instructions : PROFILE;
    for (uint32_t i = sums->run_first; i < sums->run_first + sums->run_count; ++i) {
        const struct ws_hotspot_run *run = &hotspots->runs[i];
        for (uint64_t j = run->index; j < (uint64_t)run->index + run->count; ++j) {
            uint64_t *bar = &most[j * width / sums->instructions];
            *bar = run->thread_executions > *bar ? run->thread_executions : *bar;
        }
    }
    value->buffer[0] = '\0';
    for (uint32_t i = 0; i < width; ++i) {
        double height = sums->most > 0 ? (double)most[i] / (double)sums->most * 8 : 0;
        /* What ran at least once has the lowest bar at least. */
        strcat(value->buffer, bars[most[i] == 0 ? 0 : height < 1 ? 1 : (int)(height + 0.5)]);
    }
    set_text(value, value->buffer);
}

static void shader_program(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, ((const struct ws_hotspots *)row->user)->shaders[row->key].instructions);
}

static const struct ws_field shader_fields[] = {
    {"program", "instructions of the shader", WS_COUNT, .flags = WS_TABLES, .value = shader_program},
    {"profile", "thread executions from the first instruction to the last", WS_TEXT,
     "first to last instruction", .flags = WS_TABLES, .value = shader_profile},
    {NULL},
};

static void block_label(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_catalog *catalog = row->catalog;
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[row->key >> 32].module];
    ws_value_count(value, module->blocks[(uint32_t)row->key].info.label);
}

static const struct ws_field block_fields[] = {
    {"block", "id of its label", WS_COUNT, .prefix = "%", .value = block_label},
    {NULL},
};

/* The file of a line; NULL where it is not known. */
static const char *file_of(const struct ws_row *row)
{
    const uint64_t file = row->key >> 32;
    return file > 0 ? ((const struct ws_hotspots *)row->user)->files[file - 1] : NULL;
}

static void line_source(const struct ws_row *row, struct ws_value *value)
{
    const char *file = file_of(row);
    if (file != NULL)
        snprintf(value->buffer, sizeof(value->buffer), "%.200s:%" PRIu32, ws_file_name(file),
                 (uint32_t)row->key);
    set_text(value, file != NULL ? value->buffer : "");
}

static void line_file(const struct ws_row *row, struct ws_value *value)
{
    if (file_of(row) != NULL)
        set_text(value, file_of(row));
}

static void line_number(const struct ws_row *row, struct ws_value *value)
{
    if (file_of(row) != NULL)
        ws_value_count(value, (uint32_t)row->key);
}

static const struct ws_field line_fields[] = {
    {"source", "file:line", WS_TEXT, .value = line_source},
    {"file", "path of the source as the compiler was given it, if known", WS_TEXT, .value = line_file},
    {"line", "line in that file, from 1", WS_COUNT, .value = line_number},
    {NULL},
};

static const struct ws_hotspot_run *run_of(const struct ws_row *row)
{
    return &((const struct ws_hotspots *)row->user)->runs[row->keys[WS_HOTSPOTS_RUN]];
}

/* The place in its run of a row's instruction: of the first where the row is a run. */
static uint32_t place_of(const struct ws_row *row)
{
    const uint64_t instruction = row->keys[WS_HOTSPOTS_INSTRUCTION];
    return instruction != WS_KEY_NONE ? (uint32_t)instruction : 0;
}

/* The instruction of a row, and those of its run behind it. */
static const struct ws_hotspot_instruction *instruction_of(const struct ws_row *row)
{
    const struct ws_hotspots *hotspots = row->user;
    const struct ws_hotspot_run *run = run_of(row);
    const struct ws_hotspot_module *module = &hotspots->modules[row->catalog->shaders[run->shader].module];
    return &module->instructions[run->first + place_of(row)];
}

static void name_opcode(uint64_t opcode, char *text, size_t size)
{
    const char *name = ws_opcode_name((uint32_t)opcode);
    if (name != NULL)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "Op%" PRIu64, opcode);
}

static void run_index(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, run_of(row)->index + place_of(row));
}

static void run_offset(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, instruction_of(row)->offset);
}

/* "82-100". */
static void run_range(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_run *run = run_of(row);
    if (run->count > 1)
        ws_value_text(value, "%" PRIu32 "-%" PRIu32, run->index, run->index + run->count - 1);
    else
        ws_value_text(value, "%" PRIu32, run->index);
}

static void run_executions(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, run_of(row)->executions);
}

static void run_thread_executions(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, run_of(row)->thread_executions);
}

/* "OpLoad, OpFMul, OpStore +3". */
static void run_opcodes(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_run *run = run_of(row);
    const struct ws_hotspot_instruction *first = instruction_of(row) - place_of(row);
    size_t used = 0;
    value->buffer[0] = '\0';
    for (uint32_t i = 0; i < run->count && i < OPCODES_MOST; ++i) {
        char name[64];
        name_opcode(first[i].opcode, name, sizeof(name));
        used += (size_t)snprintf(value->buffer + used, NAME_SIZE - used, "%s%s", i > 0 ? ", " : "", name);
    }
    if (run->count > OPCODES_MOST)
        snprintf(value->buffer + used, NAME_SIZE - used, " +%" PRIu32, run->count - OPCODES_MOST);
    set_text(value, value->buffer);
}

static cJSON *list_opcodes(const struct ws_row *row)
{
    const struct ws_hotspot_instruction *first = instruction_of(row) - place_of(row);
    cJSON *opcodes = cJSON_CreateArray();
    for (uint32_t i = 0; opcodes != NULL && i < run_of(row)->count; ++i) {
        char name[64];
        name_opcode(first[i].opcode, name, sizeof(name));
        ws_json_append(opcodes, cJSON_CreateString(name));
    }
    return opcodes;
}

static const struct ws_field run_fields[] = {
    {"index", "of the instruction in the shader's program, from 0; of a run, of its first", WS_COUNT,
     .value = run_index},
    {"offset", "of that instruction in the module, in words", WS_COUNT, .value = run_offset},
    {"range", "first and last index of the run", WS_TEXT, .flags = WS_TABLES | WS_RIGHT, .value = run_range},
    {"block_executions", "executions of the block by warps", WS_COUNT, .value = run_executions},
    {"each", "thread executions of each instruction of the run", WS_COUNT, .value = run_thread_executions},
    {"which", "opcodes of the run: the first three, and how many more", WS_TEXT, .flags = WS_TABLES,
     .value = run_opcodes},
    {"opcodes", "opcodes of the run, one for each instruction", .json = list_opcodes, .type = "string[]?"},
    {NULL},
};

static void opcode_name(const struct ws_row *row, struct ws_value *value)
{
    name_opcode(row->key, value->buffer, sizeof(value->buffer));
    set_text(value, value->buffer);
}

static const struct ws_field opcode_fields[] = {
    {"opcode", "its name", WS_TEXT, .value = opcode_name},
    {NULL},
};

/* The fields of a run say it: `index` and `offset` are those of the instruction. */
static const struct ws_field instruction_fields[] = {{NULL}};

#define BIT(dimension) (1u << WS_HOTSPOTS_##dimension)

static const struct ws_dimension dimensions[] = {
    [WS_HOTSPOTS_STAGE] = {WS_DIMENSION_STAGE},
    [WS_HOTSPOTS_SHADER] = {WS_DIMENSION_SHADER, .more = shader_fields, .implies = BIT(STAGE)},
    [WS_HOTSPOTS_BLOCK] = {"block", "basic block of a shader", block_fields, .implies = BIT(SHADER)},
    [WS_HOTSPOTS_LINE] = {"line", "line of the source", line_fields, .shown = "source", .same = "source"},
    [WS_HOTSPOTS_RUN] = {"run", "neighbouring instructions of one block and line", run_fields,
                         .shown = "range", .same = "index", .of_code = true,
                         .implies = BIT(BLOCK) | BIT(LINE)},
    [WS_HOTSPOTS_INSTRUCTION] = {"instruction", "instruction of a shader", instruction_fields,
                                 .shown = "index", .implies = BIT(RUN) | BIT(OPCODE)},
    [WS_HOTSPOTS_OPCODE] = {"opcode", "SPIR-V opcode", opcode_fields},
    [WS_HOTSPOTS_DIMENSIONS] = {NULL},
};

static void share(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_sums *sums = row->sums;
    const uint64_t all = ((const struct ws_hotspots *)row->user)->thread_executions;
    ws_value_real(value, all > 0 ? (double)sums->thread_executions / (double)all : 0);
}

static void efficiency(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_sums *sums = row->sums;
    if (sums->line_slots > 0)
        ws_value_real(value, (double)sums->line_active / (double)sums->line_slots);
    else if (sums->lines == 0 && sums->doubtful == 0 && sums->slots > 0)
        ws_value_real(value, (double)sums->active / (double)sums->slots);
}

static void thread_executions_error(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_sums *sums = row->sums;
    double error = 0;
    if (sums->sets == NULL)
        return;
    const bool known = ws_simt_sets_count_error(sums->sets->active, &error);
    ws_value_count_error(value, known, error);
}

/* Not of lines, whose executions are worked out from those of several blocks. */
static void efficiency_error(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_sums *sums = row->sums;
    if (sums->sets == NULL || sums->lines != 0 || sums->doubtful != 0 || sums->slots == 0)
        return;
    double error = 0;
    const bool known = ws_simt_sets_share_error(sums->sets->active, sums->sets->slots, (double)sums->slots,
                                                (double)sums->active / (double)sums->slots, &error);
    ws_value_error(value, known, error);
}

/* Lines only: blocks, opcodes and shaders have no such number. */
static void line_executions(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_hotspot_sums *sums = row->sums;
    if (sums->lines > 0)
        ws_value_count(value, sums->executions);
}

#define AT(member) offsetof(struct ws_hotspot_sums, member)

static const struct ws_field measures[] = {
    {"instructions", "how many there are", WS_COUNT, .at = AT(instructions), .flags = WS_STEADY},
    {"executed", "how many of them were executed at least once", WS_COUNT, .at = AT(executed),
     .flags = WS_STEADY},
    {"executions",
     "of lines: how often warps came to the line; in stages that are counted per thread, threads", WS_COUNT,
     .value = line_executions},
    {"thread_executions", "of all of them: active lanes, or threads, summed over executions of their blocks",
     WS_COUNT, .at = AT(thread_executions), .better = WS_BETTER_LESS},
    {"thread_executions_error", "standard error of thread_executions, where counters were sampled (--sample)",
     WS_COUNT, .value = thread_executions_error},
    {"share", "of the thread executions of all instructions of the capture", WS_SHARE, .value = share},
    {"most", "thread executions of the instruction executed most", WS_COUNT, .at = AT(most)},
    {"efficiency",
     "active lanes / subgroup sizes, of executions of the line, or of their blocks; none where it is "
     "withheld",
     WS_SHARE, .flags = WS_DASH, .value = efficiency, .better = WS_BETTER_MORE},
    {"efficiency_error",
     "standard error of efficiency, in its unit; none of lines; not known (-) where all\nwarps drawn were "
     "alike",
     WS_SHARE, .value = efficiency_error},
    {"unlined", "thread executions of those without a source line", WS_COUNT, .at = AT(unlined)},
    {NULL},
};

static bool add_sums(void *to, const void *from)
{
    struct ws_hotspot_sums *sums = to;
    const struct ws_hotspot_sums *more = from;
    sums->instructions += more->instructions;
    sums->executed += more->executed;
    sums->thread_executions = ws_simt_sum(sums->thread_executions, more->thread_executions);
    sums->unlined = ws_simt_sum(sums->unlined, more->unlined);
    sums->lines += more->lines;
    sums->executions = ws_simt_sum(sums->executions, more->executions);
    sums->line_active = ws_simt_sum(sums->line_active, more->line_active);
    sums->line_slots = ws_simt_sum(sums->line_slots, more->line_slots);
    sums->most = more->most > sums->most ? more->most : sums->most;
    sums->active = ws_simt_sum(sums->active, more->active);
    sums->slots = ws_simt_sum(sums->slots, more->slots);
    sums->doubtful += more->doubtful;
    return ws_simt_sets_add(&sums->sets, more->sets);
}

static void finish_sums(void *pointer)
{
    struct ws_hotspot_sums *sums = pointer;
    free(sums->sets);
    sums->sets = NULL;
}

static const struct ws_level levels[] = {
    [WS_HOTSPOTS_BY_ALL] = {"total", .data = "instructions executed thread_executions "
                                             "thread_executions_error share most efficiency "
                                             "efficiency_error unlined"},
    [WS_HOTSPOTS_BY_SHADER] =
        {"shaders", "Hotspots: how often instructions were executed, over each shader's program",
         .by = BIT(SHADER), .sort = "-thread_executions", .filter = "thread_executions > 0",
         .text = "shader_id shader stage program executed thread_executions share most profile",
         .data =
             "shader_id shader stage instructions executed thread_executions thread_executions_error share "
             "most efficiency efficiency_error unlined"},
    [WS_HOTSPOTS_BY_LINE] = {"lines", "Hottest lines, by share of all instructions executed",
                             .by = BIT(SHADER) | BIT(LINE), .sort = "-thread_executions",
                             .filter = "executions > 0", .folds = true,
                             .text = "share executions efficiency shader source instructions"},
    [WS_HOTSPOTS_BY_RUN] =
        {"runs",
         "Hottest instructions without a source line, by share of all executed (neighbours of one block as "
         "one)",
         .by = BIT(RUN), .sort = "-thread_executions", .filter = "unlined > 0", .folds = true,
         .text = "share block_executions efficiency shader block range which",
         .data = "shader_id shader stage block source file line index offset block_executions each opcodes "
                 "instructions executed thread_executions thread_executions_error share efficiency "
                 "efficiency_error unlined"},
    [WS_HOTSPOTS_BY_INSTRUCTION] =
        {"instructions", .by = BIT(INSTRUCTION),
         .data = "shader_id shader stage block source file line index offset opcode block_executions "
                 "thread_executions thread_executions_error share efficiency efficiency_error"},
    {NULL},
};

const struct ws_columns ws_hotspots_columns = {
    dimensions,
    measures,
    levels,
    sizeof(struct ws_hotspot_sums),
    .shown = "instructions executions thread_executions share efficiency",
    .add = add_sums,
    .finish = finish_sums,
    .weight = "thread_executions"};

static const char *nothing(const void *results)
{
    const struct ws_hotspots *hotspots = results;
    return hotspots->thread_executions > 0 ? NULL : ws_simt_no_instructions(hotspots->simt.catalog);
}

static bool text(const void *results, FILE *stream)
{
    const struct ws_hotspots *hotspots = results;
    if (nothing(results) == NULL)
        return ws_groups_text_all(hotspots->groups, stream);
    fprintf(stream, "\nHotspots: %s\n", nothing(results));
    return true;
}

/* The line of a shader with most thread executions: ", most in common.glsl:100 (8 % of all executed instructions)". "" where
 * lines are not known. */
static const char *describe_line(const struct ws_hotspots *hotspots, uint32_t shader,
                                 struct ws_findings *findings)
{
    const uint32_t count = ws_groups_count(hotspots->groups, WS_HOTSPOTS_BY_LINE);
    uint64_t most = 0;
    uint64_t line = 0;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_row row;
        ws_groups_row(hotspots->groups, WS_HOTSPOTS_BY_LINE, i, &row);
        const uint64_t executions = ((const struct ws_hotspot_sums *)row.sums)->thread_executions;
        const uint64_t key = row.keys[WS_HOTSPOTS_LINE];
        if (row.keys[WS_HOTSPOTS_SHADER] != shader || key >> 32 == 0 || key >> 32 > hotspots->file_count ||
            executions <= most)
            continue;
        most = executions;
        line = key;
    }
    if (most == 0)
        return "";
    return ws_findings_text(findings,
                            " Its hottest line, %s:%" PRIu32 ", has %.1f %% of all instructions executed.",
                            ws_file_name(hotspots->files[(line >> 32) - 1]), (uint32_t)line,
                            100 * (double)most / (double)hotspots->thread_executions);
}

/* The shader with most slots. */
static bool add_findings(const void *results, struct ws_findings *findings)
{
    const struct ws_hotspots *hotspots = results;
    const struct ws_catalog *catalog = hotspots->simt.catalog;
    const struct ws_simt_counts *total = &hotspots->simt.total.counts;
    uint64_t all = 0;
    uint64_t most = 0;
    uint32_t shader = 0;
    for (uint32_t i = 0; i < hotspots->simt.shader_count; ++i) {
        const uint64_t slots = ws_simt_slots(&hotspots->simt.shaders[i].counts);
        all = ws_simt_sum(all, slots);
        shader = slots > most ? i : shader;
        most = slots > most ? slots : most;
    }
    findings->totals.slots = total->weighted_slots;
    findings->totals.active = total->weighted_active;
    if (most == 0)
        return true;
    const double share = (double)most / (double)all;
    const struct ws_finding finding = {
        .kind = WS_FINDING_SPENT,
        .of = WS_FINDING_OF_SLOTS,
        .size = share,
        .title = "most work in",
        .place = ws_shader_name(catalog, shader),
        .text = ws_findings_text(findings, "It takes %.0f %% of all instruction slots.%s", 100 * share,
                                 describe_line(hotspots, shader, findings)),
        .options = ws_findings_option(findings, "--shader", ws_shader_name(catalog, shader)),
    };
    return ws_findings_add(findings, &finding);
}

static const char words[] =
    "An execution of a line is a warp that comes to it, from another line or once more in a\n"
    "loop. A thread execution is an active lane of it. Share is of the thread executions of all\n"
    "instructions of the capture, so it says where the instructions went, and not where time\n"
    "did: a warp takes as long for one active lane as for all. Efficiency is how many lanes of\n"
    "the warps were active there. Program is how many instructions a shader has, ran how many\n"
    "of them were executed at least once, most how often the one executed most was; the bars\n"
    "show the program from its first instruction to its last. Instructions without a source\n"
    "line stand in a list of their own, by their numbers in the program. Of both lists rows of\n"
    "0.2 % or less are counted in one line; --rows 0 shows them.\n";

static const char *const passes[] = {"simt_efficiency", NULL};

const struct ws_analysis ws_analysis_hotspots = {
    .name = "hotspots",
    .summary = "where the instructions went: executions of each instruction of each shader",
    .passes = passes,
    .words = words,
    .columns = &ws_hotspots_columns,
    .create = create,
    .destroy = destroy,
    .groups = groups,
    .record = record,
    .end = end,
    .findings = add_findings,
    .nothing = nothing,
    .text = text,
    .plots = ws_hotspots_plots,
};
