/* An analysis declares its dimensions, measures and levels once. Tables, CSV, JSON, plots, --help, --by,
 * --sort, --fields and --filter are all made from that declaration.
 *
 * A DIMENSION is what figures are grouped by, for example the shader. A row has one 64-bit key per
 * dimension. The fields of a dimension show the key, for example as the name of the shader. A MEASURE is a
 * figure. The figures of a row are one struct, which the analysis defines. It consists of `uint64_t` words,
 * which add up. A LEVEL is a set of dimensions by which the default report groups. The level without
 * dimensions is the total. A FACT is what an analysis adds: one key per dimension, and one struct of sums.
 * ws_groups_add adds the fact to its row of every level. So no analysis needs arrays per shader, launch or
 * block only to print them. Example: a level of stages and a level of shaders; the fact {stage compute,
 * shader 3} with 10 executions adds 10 to the row "compute" of the one and to the row of shader 3 of the
 * other.
 *
 *     struct division { uint64_t executions, slots, active; };
 *     enum { STAGE, SHADER, DIMENSIONS };
 *     static const struct ws_dimension dimensions[] = {
 *         [STAGE] = {WS_DIMENSION_STAGE},
 *         [SHADER] = {WS_DIMENSION_SHADER, .implies = 1u << STAGE},
 *         {NULL}};
 *     #define AT(member) offsetof(struct division, member)
 *     static const struct ws_field measures[] = {
 *         {"divisions", "of warps, by all their executions", WS_COUNT, .at = AT(executions)},
 *         {"efficiency", "share of lanes that are active", WS_SHARE, .at = AT(active), .of = AT(slots)},
 *         {NULL}};
 *     static const struct ws_level levels[] = {
 *         {"total", "Divisions", .text = "divisions efficiency"},
 *         {"shaders", "Shaders", .by = 1u << SHADER, .sort = "-divisions",
 *          .text = "shader stage divisions efficiency"},
 *         {NULL}};
 *     static const struct ws_columns columns = {dimensions, measures, levels, sizeof(struct division)};
 *
 * The `create` of the analysis calls ws_groups_create(&columns, ...). Its `record` or `merge` calls
 * ws_groups_add(groups, keys, &sums). Its struct ws_analysis (analysis.h) has `.columns = &columns` and
 * `.groups`. Nothing else is needed: if its `text` and `csv` are NULL, every level is shown, in the order of
 * the declaration. An analysis that shows more in text has its own `text`, and calls ws_groups_text for the
 * tables in it. For a complete analysis see analysis/trace/divergence_report.c.
 *
 * In JSON and CSV a level is a table: a list of rows with one member per field, or a file with one column per
 * field. The table has the name of the level, and the member, the column, --fields, --sort and --filter have
 * the name of the field. So each figure has one name, whatever the format, and every table has the same
 * fields in JSON and in CSV. (Fields with `json` are the exception: a list has no place in a cell.)
 *
 * Some figures do not add up, for example a median, or the address of one structure. Declare such a figure
 * as a field of a dimension: its `value` receives the key and the results of the analysis.
 *
 * These keys mean the same in every analysis, so their fields are written once (dimensions.c):
 *   stage             bit of enum ws_stage
 *   shader, pipeline  index in the catalog
 *   block             ws_key_in_shader(shader, index of the block in the module)
 *   launch            index of the launch
 *
 * The rows of a level are sorted by their keys, unless the level or --sort has another order. Rows with the
 * key WS_KEY_SEVERAL or WS_KEY_OTHERS come last in every order.
 *
 * Nothing here is thread-safe. Texts and declarations are not owned. They must live as long as the
 * groups. */
#ifndef WARPSCOPE_REPORT_COLUMNS_H
#define WARPSCOPE_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "warpscope/model/catalog.h"
#include "warpscope/model/launch.h"
#include "warpscope/output/json.h"
#include "warpscope/output/plot.h"
#include "warpscope/report/members.h"

#define WS_DIMENSIONS_MAX  16
#define WS_LEVELS_MAX      16
#define WS_FILTERS_MAX     8
#define WS_GROUPS_ROWS_MAX (1u << 22) /* rows of a level; all further keys share one row, "others" */

/* The key of a fact that has no value in a dimension. Levels that group by the dimension leave the fact
 * out. */
#define WS_KEY_NONE UINT64_MAX
/* The key of the row "others", in each dimension of its level. */
#define WS_KEY_OTHERS (UINT64_MAX - 1)
/* The key of the dimension pipeline if several pipelines have the shader, and it is not known which of them
 * ran. */
#define WS_KEY_SEVERAL (UINT64_MAX - 2)

/* Returns the key of something that a shader has several of, such as blocks. `index` is the index in its
 * module. */
static inline uint64_t ws_key_in_shader(uint32_t shader, uint32_t index)
{
    return (uint64_t)shader << 32 | index;
}

/* Returns the key of a stage; WS_KEY_NONE if `stage` is not exactly one stage. */
static inline uint64_t ws_key_stage(uint32_t stage)
{
    return stage != 0 && (stage & WS_STAGES_ALL) == stage && (stage & (stage - 1)) == 0 ? stage : WS_KEY_NONE;
}

/* Returns the key of a pipeline, given the result of ws_catalog_launch_pipeline. */
static inline uint64_t ws_key_pipeline(uint32_t pipeline)
{
    return pipeline == WS_NONE ? WS_KEY_NONE : pipeline == WS_PIPELINE_SEVERAL ? WS_KEY_SEVERAL : pipeline;
}

/* One figure or text of one row. WS_VALUE_NONE = it has no value, for example the share of a sum that is
 * 0. */
enum ws_value_kind { WS_VALUE_NONE, WS_VALUE_COUNT, WS_VALUE_REAL, WS_VALUE_TEXT };

struct ws_value {
    enum ws_value_kind kind;
    /* It was not measured. CSV shows nothing, tables nothing or "-" (WS_DASH), JSON null. It is still sorted
     * and filtered by, unless its kind is WS_VALUE_NONE: then tables show "-" in this row. */
    bool unknown;
    uint64_t count;   /* of WS_VALUE_COUNT */
    double real;      /* of WS_VALUE_REAL */
    const char *text; /* of WS_VALUE_TEXT; may point into `buffer` */
    char buffer[4096];
};

/* Set kind and value. */
void ws_value_count(struct ws_value *value, uint64_t count);
void ws_value_real(struct ws_value *value, double real);
/* Sets a standard error of a ratio, which may not be `known` (model/simt_sets.h): "-" in tables. */
void ws_value_error(struct ws_value *value, bool known, double error);
void ws_value_count_error(struct ws_value *value, bool known, double error); /* of a count: rounded */
/* Formats the text into `buffer`, and cuts it if it is too long. For a text that lives as long as the
 * groups, set `kind` and `text` by hand instead. */
__attribute__((format(printf, 2, 3))) void ws_value_text(struct ws_value *value, const char *format, ...);

/* A place in a source file, "name.comp:12", and the path of the file as it is; no value where `file` is NULL. */
void ws_value_source(struct ws_value *value, const char *file, uint32_t line);
void ws_value_file(struct ws_value *value, const char *file);

/* A row, as the callbacks `value` and `json` of a field receive it. */
struct ws_row {
    const struct ws_catalog *catalog;
    const void *user;     /* the results of the analysis */
    const uint64_t *keys; /* one per dimension; WS_KEY_NONE for dimensions that the level does not have */
    const void *sums;     /* the struct of sums */
    uint64_t key;         /* the key in the field's own dimension; 0 for measures */
};

/* How a field is shown.        text                      JSON and CSV */
enum ws_format {
    WS_COUNT,  /* an integer     22072                     22072; filters and --sort use the same number */
    WS_PART,   /* part of a sum  12.5 % (`at` of `of`)     the count `at`; a filter with % means the share */
    WS_SHARE,  /* 0 to 1         12.5 %                    0.125; null or empty if `of` is 0 */
    WS_RATIO,  /* a number       1.25                      1.25; null or empty if `of` is 0 */
    WS_NUMBER, /* a number of any size: 1.25e-20, six digits   1.25e-20, all of them; from `value` */
    WS_TEXT,   /* a text         cut if lines are too long  whole */
    WS_FLAG,   /* 0 or 1         no or yes                 false or true; filters take all of them */
};

enum ws_field_flags {
    WS_BLANK_ZERO = 1, /* tables show 0 as no value; a column without any value is left out */
    WS_DASH = 2,       /* tables show "-" for no value */
    WS_TABLES = 8,     /* in tables only: JSON and CSV have other fields for it, such as that of a bar */
    WS_RIGHT = 16,     /* a text that tables align to the right */
    WS_MAX = 32,       /* the row keeps the largest `at` of its facts instead of their sum */
    WS_STEADY = 64,    /* a count that more frames or launches of the same do not raise: a median, bytes */
    WS_MEASURED = 128, /* it was measured, and is another one in the next run: device times */
    WS_FIGURE = 256,   /* of a field of a dimension: it is a figure, not a name of the row */
    WS_SIGNED = 512,   /* a share that can be below 0, such as what is saved where more is spent */
};

/* Which way a figure is better, for comparisons (analysis/diff). Where more is as good as less, neither is. */
enum ws_better { WS_BETTER_NEITHER, WS_BETTER_MORE, WS_BETTER_LESS };

/* A column. Its value comes from the callback `value` if there is one, else from `at` and `of`. */
struct ws_field {
    const char *name; /* "control_flow": in JSON, CSV, --fields, --sort, --filter; unique in the analysis */
    const char *help; /* explains it in --help and in the schema; '\n' begins a further line */
    enum ws_format format;
    /* Heading in tables. NULL = the words of the name, so that users read what --fields takes. Only for what is no
     * column elsewhere: "" over a bar. */
    const char *heading;
    size_t at;      /* offset of its word in the struct of sums */
    size_t of;      /* offset of the word by which WS_PART, WS_SHARE and WS_RATIO divide */
    uint32_t flags; /* enum ws_field_flags */
    enum ws_better better;
    uint8_t digits;     /* digits behind the point in tables; 0 = 1 for shares, 2 for ratios */
    const char *prefix; /* written in front of the value in tables: "%" for ids; NULL = none */
    /* Sets `value`, which is WS_VALUE_NONE before the call. Values of WS_PART and WS_SHARE are from 0 to 1 (but WS_SIGNED).
     * Every field of a dimension needs this callback or `json`. */
    void (*value)(const struct ws_row *row, struct ws_value *value);
    /* Returns the value in JSON if it is no number or text, for example a list. NULL = no memory. It is not
     * called for the rows "others" and "several", which have null. A field with `json` and without `value` is
     * in JSON only. */
    cJSON *(*json)(const struct ws_row *row);
    const char *type;                /* what `json` returns, as the schema says it (members.h) */
    const struct ws_member *members; /* of the objects in it */
};

struct ws_dimension {
    const char *name; /* "shader": in --by; also the field that `shown` NULL stands for */
    const char *help;
    const struct ws_field *fields; /* its fields; name = NULL after the last */
    const struct ws_field *more; /* further fields, if `fields` is shared with other analyses; NULL = none */
    const char *shown;           /* its fields in tables of --by; NULL = the field with the name `name` */
    /* Set of dimensions that this one decides: a shader has one stage. --by shows their fields too. */
    uint32_t implies;
    /* Its fields by which a row is known in another capture; "" = it cannot be, as in a list of the largest (and where another
     * dimension implies it, it says nothing). NULL = its
     * texts; where it has none, its numbers; but no field of WS_TABLES or WS_FIGURE. The dimensions stage, shader, pipeline,
     * block and launch are known by what they are (analysis/diff/match.h). */
    const char *same;
    bool of_code; /* it is a place in the code of a shader: known only where the code is the same */
};

/* A list of fields is a text: names with spaces or commas between them. In `json`, "key=name" shows the
 * field `name` as the member `key`. */
struct ws_level {
    /* "shaders", "total": name of its member in JSON, of its file of CSV, and in the column `level` of CSV. In
     * JSON it is a list of rows; the total, which has one, is that row. */
    const char *name;
    const char *heading; /* heading of its table */
    uint32_t by;         /* set of dimensions; 0 = the total, which always has its one row */
    const char *text;    /* its table: fields; NULL = it has no table */
    const char *sort;    /* its table: order, as for --sort; NULL = the order of the keys */
    const char *filter;  /* its table: condition, as for --filter; NULL = all rows */
    uint32_t rows;       /* its table: most rows; 0 = 20, UINT32_MAX = all */
    bool total;          /* its table ends with the row "all" */
    bool ordered;        /* JSON and CSV have the order of `sort` too */
    /* Its table, which has the largest `weight` of the columns first, ends before the rows that have 0.2 % of the total or
     * less, and says how many they are: but not where all rows are so small, or the user asked for rows, or for an order. */
    bool folds;
    const char *data; /* JSON and CSV: fields; NULL = all that the level has, but those of tables only */
};

struct ws_columns {
    /* The three lists end with name = NULL. The number of a dimension is its place in its list: a bit in
     * sets of dimensions, and the index of its key in `keys`. */
    const struct ws_dimension *dimensions;
    const struct ws_field *measures;
    const struct ws_level *levels;
    size_t size;       /* of the struct of sums, in bytes; a multiple of 8 */
    const char *shown; /* measures in tables of --by; NULL = all */
    /* Adds `from` to `to`, for structs of sums whose words do not simply add up. `to` is all zero at first.
     * False if there is no memory. NULL = every word is summed, except words of fields with WS_MAX. */
    bool (*add)(void *to, const void *from);
    void (*finish)(void *sums); /* frees what `add` has allocated in a struct; NULL = nothing to free */
    const char *main; /* the measures that say most of a capture, the most telling first; NULL = none */
    const char *
        weight; /* the measure whose share of the total says how much a row matters; NULL = rows are not weighed */
};

/* What the user asked for. Zero-initialise, then set what differs. Texts are not owned. */
struct ws_view {
    const char *by; /* "shader,launch": one level of these dimensions replaces all declared levels; or NULL */
    const char *sort;   /* "-slots,shader", "-" = largest first; NULL = the order of each level */
    const char *fields; /* "shader,active"; NULL = the fields of each level */
    const char
        *filters[WS_FILTERS_MAX]; /* "efficiency < 50 %", "shader = *.rchit:main"; rows must pass all */
    uint32_t filter_count;
    uint32_t rows; /* the most rows in a table; 0 = the usual number, UINT32_MAX = all */
};

/* Returns whether the user asked for --by, --sort, --fields or --filter. Only an analysis with columns can
 * do that. */
bool ws_view_is_set(const struct ws_view *view);

/* Returns whether the declaration has all names that the view uses. If not, `error` lists the names that it
 * has. */
bool ws_view_check(const struct ws_view *view, const struct ws_columns *columns, struct ws_error *error);

/* Checks a declaration, for tests: names must be unique, and lists must name fields that exist. False and
 * `error` if it is wrong. */
bool ws_columns_check(const struct ws_columns *columns, struct ws_error *error);

/* Prints the dimensions, and every column with its help, for help. Lines are at most `width` wide. */
void ws_columns_help(const struct ws_columns *columns, size_t width, FILE *stream);

/* The rows of all levels with their sums. */
struct ws_groups;

/* Returns groups without facts. `user` is given to the callbacks of fields. `view` is copied, but not its
 * texts; NULL = the user asked for nothing. NULL and `error` if the view names something that does not
 * exist, or there is no memory. */
struct ws_groups *ws_groups_create(const struct ws_columns *columns, const struct ws_catalog *catalog,
                                   const void *user, const struct ws_view *view, struct ws_error *error);
void ws_groups_destroy(struct ws_groups *groups);

/* Adds a fact to its row of each level. `keys` has one key per dimension, and `sums` is the struct of sums.
 * False if there is no memory. */
bool ws_groups_add(struct ws_groups *groups, const uint64_t *keys, const void *sums);

/* The same, for many facts of which some have equal keys: these are summed up first, and added to the rows together. The rows
 * have all facts only after ws_groups_settle: nothing may be read before. */
bool ws_groups_gather(struct ws_groups *groups, const uint64_t *keys, const void *sums);
void ws_groups_settle(struct ws_groups *groups);

/* Adds a fact only to the levels that group by all dimensions of `with` and by none of `without`. For an
 * analysis that adds the same figures twice: once coarse, once in detail. */
bool ws_groups_add_to(struct ws_groups *groups, const uint64_t *keys, const void *sums, uint32_t with,
                      uint32_t without);

/* Returns whether a level groups by all dimensions of a set. If not, an analysis with sums of its own need
 * not add facts in such detail. */
bool ws_groups_need(const struct ws_groups *groups, uint32_t dimensions);

/* Gives rows other keys in a dimension, all of which are below the number of `keys`: keys[key] in place of key. No two become
 * equal. */
void ws_groups_renumber(struct ws_groups *groups, uint32_t dimension, const uint32_t *keys);

/* Prints a line for the foot of the report, with two spaces in front, for each level that has so many rows that some
 * share the row "others". `analysis` is the name of the analysis. */
void ws_groups_notes(const struct ws_groups *groups, const char *analysis, FILE *stream);

/* The rows of a level, in no particular order. `level` is the number of the level in the declaration. With
 * --by the only level is 0. ws_groups_row sets `row` to the row `index`, except `key`, which is 0. */
uint32_t ws_groups_count(const struct ws_groups *groups, uint32_t level);
void ws_groups_row(const struct ws_groups *groups, uint32_t level, uint32_t index, struct ws_row *row);

/* Returns the sums of the row with these keys; of the row "others" if the keys have no row of their own and
 * that row exists; NULL if there is no row, and always with --by. Only the keys of the level's dimensions
 * are read. Valid until the next fact is added. */
const void *ws_groups_find(const struct ws_groups *groups, uint32_t level, const uint64_t *keys);

/* Returns the indices of the rows that the table of a level shows, in its order, and their number in
 * `*count`. The caller frees them. NULL if there is no memory. */
uint32_t *ws_groups_sorted(const struct ws_groups *groups, uint32_t level, uint32_t *count);

/* Each shows a level by the declaration and the view. It shows nothing if the level has none of the fields
 * that the user chose, or filters by a field that the level does not have. False if there is no memory. */

/* Prints its table, with an empty line and its heading in front; nothing if no row passes the filters. */
bool ws_groups_text(const struct ws_groups *groups, uint32_t level, FILE *stream);

/* Returns whether the table of a level is shown, and has that field: else a sentence about it has no place. */
bool ws_groups_shows(const struct ws_groups *groups, uint32_t level, const char *field);
/* Writes a member with the level's name, row by row: lists may be too long for memory. It is null if the view does
 * not show the level. */
bool ws_groups_json(const struct ws_groups *groups, uint32_t level, struct ws_json *json);
/* The same with the first `most` rows alone; a level of one row, the total, has it always. */
bool ws_groups_json_first(const struct ws_groups *groups, uint32_t level, uint32_t most,
                          struct ws_json *json);
/* Prints a line with the names of its fields, then one line per row. */
bool ws_groups_csv_table(const struct ws_groups *groups, uint32_t level, FILE *stream);

/* Returns whether the view shows a level in CSV. */
bool ws_groups_has_csv(const struct ws_groups *groups, uint32_t level);

/* Returns the number of levels, and the name of one: "rows" with --by. */
uint32_t ws_groups_level_count(const struct ws_groups *groups);
const char *ws_groups_level_name(const struct ws_groups *groups, uint32_t level);

/* Each shows all levels, or the one level of --by, which JSON calls "rows". CSV begins with a line of the
 * columns' names, of all levels; its first column, `level`, says which one a row is of, and a row has nothing
 * in the columns that its level lacks. With --by there is no such column. False if there is no memory. */
bool ws_groups_text_all(const struct ws_groups *groups, FILE *stream);
bool ws_groups_json_all(const struct ws_groups *groups, struct ws_json *json);
bool ws_groups_csv(const struct ws_groups *groups, FILE *stream);

/* A plot of the first rows of a level. The rows have the order of its table. */
struct ws_groups_plot {
    enum ws_plot_kind kind; /* WS_PLOT_BARS, WS_PLOT_STACKS or WS_PLOT_ROWS */
    const char *name;       /* of the file (ws_plots_plot) */
    const char *title;
    const char *about;   /* what it shows, in whole sentences */
    const char *x_label; /* NULL = none */
    const char *y_label;
    const char *unit;   /* behind the numbers of bars: " %"; NULL = none */
    const char *label;  /* the field that names each group of bars */
    const char *detail; /* of rows: a count behind the name; NULL = none */
    const char *fields; /* one series per field, named by its heading; shares are in percent */
    uint32_t rows;      /* the most groups of bars; 0 = 24 */
    double y_max;       /* upper end of the y axis; 0 = the largest value */
};

/* Draws a plot. Draws nothing, and returns true, if the level has no row, with --by, and with a filter by a
 * dimension that the level lacks. False and `error` if the plot cannot be written or there is no memory. */
bool ws_groups_plot(const struct ws_groups *groups, uint32_t level, const struct ws_groups_plot *plot,
                    struct ws_plots *plots, struct ws_error *error);

/* Dimensions that several analyses have, for initialisers: {WS_DIMENSION_SHADER, .implies = 1u << STAGE}. */
#define WS_DIMENSION_STAGE    .name = "stage", .help = "kind of shader", .fields = ws_stage_fields
#define WS_DIMENSION_PIPELINE .name = "pipeline", .help = "pipeline", .fields = ws_pipeline_fields
#define WS_DIMENSION_SHADER                                                                                  \
    .name = "shader", .help = "entry point of a module", .fields = ws_shader_fields,                         \
    .shown = "shader_id shader"
#define WS_DIMENSION_BLOCK                                                                                   \
    .name = "block", .help = "basic block of a shader", .fields = ws_block_fields, .shown = "block source",  \
    .same = "source part"
#define WS_DIMENSION_LAUNCH                                                                                  \
    .name = "launch", .help = "trace, dispatch or render pass", .fields = ws_launch_fields,                  \
    .shown = "launch launch_kind launch_size label"

/* The fields of these dimensions, with their names. */
extern const struct ws_field ws_stage_fields[];    /* stage */
extern const struct ws_field ws_pipeline_fields[]; /* pipeline_id pipeline */
extern const struct ws_field ws_shader_fields[];   /* shader_id shader */
extern const struct ws_field ws_block_fields[];    /* block source offset file line */
extern const struct ws_field ws_launch_fields[];   /* launch frame submission launch_kind
                                                    launch_size label subgroup_size */

#endif
