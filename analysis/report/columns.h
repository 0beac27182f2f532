/* Columns declared once. An analysis declares its dimensions (stage, shader, launch, ...), its measures
 * and its levels; tables, CSV, JSON, plots, --help, --by, --sort, --fields and --filter all come from that
 * declaration.
 *
 * A DIMENSION is something that figures are grouped by. Its value is a 64-bit key; its fields show the key.
 * A MEASURE is a figure. Figures of a group are a struct of the analysis: `uint64_t` words, which add up.
 * A LEVEL is a set of dimensions that the default report groups by. The level of no dimension is the total.
 * FACTS are what the analysis gives: keys for the dimensions, and the struct. The frame adds each fact to its
 * row of every level, so no analysis keeps arrays per shader, per launch and per block only to print them.
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
 *         {"all", "Divisions", .text = "divisions efficiency", .json = "divisions efficiency",
 *          .json_name = "total"},
 *         {"shader", "Shaders", .by = 1u << SHADER, .sort = "-divisions",
 *          .text = "shader stage divisions efficiency",
 *          .json = "id=shader_id name=shader stage divisions efficiency", .json_name = "shaders"},
 *         {NULL}};
 *     static const struct ws_columns columns = {dimensions, measures, levels, sizeof(struct division)};
 *
 * create() calls ws_groups_create(&columns, ...); record() or merge() calls ws_groups_add(groups, keys,
 * &sums); struct ws_analysis gets `.columns = &columns` and `.groups`, and that is all: where `text`,
 * `json` and `csv` are NULL, every level is shown in the order of its declaration. An analysis with more
 * to show writes its own `text` or `json` and calls ws_groups_text or ws_groups_json for its tables. A
 * real one is divergence.
 *
 * Figures that do not add up (a median, what is true of one structure only) are fields of a dimension: their
 * `value` is called with the key and the analysis's results.
 *
 * Keys that more than one analysis has are as follows, so that fields are written once (dimensions.c):
 * stage: its bit. shader, pipeline: index in the catalog. block: ws_key_in_shader(shader, index in the
 * module). launch: its index. A level's rows come in the order of their keys; what is of several or of
 * others last.
 *
 * Nothing here is thread-safe. Texts and declarations are not owned, and live as long as the groups. */
#ifndef WS_ANALYSIS_REPORT_COLUMNS_H
#define WS_ANALYSIS_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "analysis/model/catalog.h"
#include "analysis/model/launch.h"
#include "analysis/output/json.h"
#include "analysis/output/plot.h"

#define WS_DIMENSIONS_MAX  16
#define WS_LEVELS_MAX      16
#define WS_FILTERS_MAX     8
#define WS_GROUPS_ROWS_MAX (1u << 22) /* rows of a level; what is beyond goes into one row, "others" */

/* What a fact has no value for: it is in no level that groups by this dimension. */
#define WS_KEY_NONE UINT64_MAX
/* What is in the row "others". */
#define WS_KEY_OTHERS (UINT64_MAX - 1)
/* Of pipelines: several have the shader, and which of them ran it cannot be told. */
#define WS_KEY_SEVERAL (UINT64_MAX - 2)

static inline uint64_t ws_key_in_shader(uint32_t shader, uint32_t index)
{
    return (uint64_t)shader << 32 | index;
}

/* Shaders whose stage is none or several have no key. */
static inline uint64_t ws_key_stage(uint32_t stage)
{
    return stage != 0 && (stage & WS_STAGES_ALL) == stage && (stage & (stage - 1)) == 0 ? stage : WS_KEY_NONE;
}

/* The key of what ws_catalog_launch_pipeline says. */
static inline uint64_t ws_key_pipeline(uint32_t pipeline)
{
    return pipeline == WS_NONE ? WS_KEY_NONE : pipeline == WS_PIPELINE_SEVERAL ? WS_KEY_SEVERAL : pipeline;
}

/* One figure or text of one row. WS_VALUE_NONE: there is none, for example a share of nothing. */
enum ws_value_kind { WS_VALUE_NONE, WS_VALUE_COUNT, WS_VALUE_REAL, WS_VALUE_TEXT };

struct ws_value {
    enum ws_value_kind kind;
    bool unknown; /* it was not measured: tables and CSV show nothing, or "-"; JSON has the number still */
    uint64_t count;
    double real;
    const char *text; /* may point into `buffer` */
    char buffer[4096];
};

void ws_value_count(struct ws_value *value, uint64_t count);
void ws_value_real(struct ws_value *value, double real);
/* The text is copied; set kind and `text` by hand for one that lives long enough. */
__attribute__((format(printf, 2, 3))) void ws_value_text(struct ws_value *value, const char *format, ...);

/* A row, as `value` and `json` of a field get it. */
struct ws_row {
    const struct ws_catalog *catalog;
    const void *user;     /* the results of the analysis */
    const uint64_t *keys; /* by dimension; WS_KEY_NONE for those that the level does not have */
    const void *sums;     /* the struct of the analysis */
    uint64_t key;         /* of the field's own dimension; 0 for measures */
};

/* How a field is shown.        text                      JSON and CSV */
enum ws_format {
    WS_COUNT, /* an integer     22072                     22072; filters and --sort use the same number */
    WS_PART,  /* part of a sum  12.5 % (`at` of `of`)     the count `at`; a filter with % means the share */
    WS_SHARE, /* 0 to 1         12.5 %                    0.125; null or empty where `of` is 0 */
    WS_RATIO, /* a number       1.25                      1.25; null or empty where `of` is 0 */
    WS_TEXT,  /* a text         cut where lines are wide  whole */
};

enum ws_field_flags {
    WS_BLANK_ZERO = 1, /* tables show nothing for 0; a column with nothing in it is left out */
    WS_DASH = 2,       /* tables show "-" where there is no value */
    WS_OMIT = 4,       /* JSON leaves the member out where there is no value, instead of null */
    WS_NO_CSV = 8,     /* other fields say the same: "file:line" beside file and line */
    WS_RIGHT = 16,     /* a text that is aligned to the right */
    WS_MAX = 32,       /* `at`: rows add up to the largest instead of the sum */
};

struct ws_field {
    const char *name; /* "control_flow": of CSV, --fields, --sort and --filter; unique in the analysis */
    const char *help; /* for --help; lines after the first begin behind a '\n' */
    enum ws_format format;
    const char *heading; /* of tables, one line or two: "control\nflow"; NULL: the name */
    size_t at;           /* of a measure: offset in the struct */
    size_t of;           /* of WS_PART, WS_SHARE and WS_RATIO: offset of what it is a share of */
    uint32_t flags;      /* enum ws_field_flags */
    uint8_t digits;      /* behind the point; 0: 1 for shares, 2 for ratios */
    const char *prefix;  /* before it in tables: "%" of ids; NULL: none */
    /* Instead of `at` and `of`, and for all fields of dimensions. `value` comes as WS_VALUE_NONE. WS_PART and
     * WS_SHARE: from 0 to 1. */
    void (*value)(const struct ws_row *row, struct ws_value *value);
    /* Instead, for JSON that is no number or text, such as a list; NULL = no memory. Such a field without
     * `value` is in JSON only. */
    cJSON *(*json)(const struct ws_row *row);
};

struct ws_dimension {
    const char *name; /* "shader": of --by and of the column that says it */
    const char *help;
    const struct ws_field *fields; /* until name is NULL */
    const struct ws_field *more;   /* those of this analysis, beside fields that analyses share; NULL: none */
    const char *shown;             /* fields of it in tables of --by; NULL: the field of the same name */
    uint32_t
        implies; /* set of dimensions that it decides: a shader has one stage. --by gives their fields too */
};

/* Lists of fields are names with spaces or commas between; in JSON "key=name" gives another key. */
struct ws_level {
    const char *name;      /* of CSV's column `level`: "all", "shader" */
    const char *heading;   /* of its table */
    uint32_t by;           /* set of dimensions; 0: the total, which is always there */
    const char *text;      /* fields of its table; NULL: none */
    const char *sort;      /* of its table, as --sort; NULL: order of the keys */
    const char *filter;    /* of its table, as --filter; NULL: all rows */
    uint32_t rows;         /* of its table; 0: 20; UINT32_MAX: all */
    bool total;            /* its table ends with a row "all" */
    bool top;              /* its table is of the largest: it does not say how many more there are */
    bool ordered;          /* JSON and CSV have the order of `sort` too */
    const char *json;      /* fields of its JSON, and the json_name of a level that is `inside`; NULL: none */
    const char *json_name; /* "shaders": a list; of the total an object */
    const char *inside;    /* name of a level: its JSON has the list of these rows in each of its own */
};

struct ws_columns {
    const struct ws_dimension
        *dimensions;                 /* until name is NULL; a key's place in `keys` is its number here */
    const struct ws_field *measures; /* until name is NULL */
    const struct ws_level *levels;   /* until name is NULL */
    size_t size;                     /* of the struct of sums; a multiple of 8 */
    const char *shown;               /* measures in tables of --by; NULL: all */
    /* For structs that are not just words that add up: adds `from` to `to`, which may be all zero. False when
     * there is no memory. NULL: every word is summed, but for those that a field calls WS_MAX. */
    bool (*add)(void *to, const void *from);
    void (*finish)(void *sums); /* frees what `add` allocated; NULL: nothing */
};

/* What the user asked for. Zero-initialise, then set what differs. */
struct ws_view {
    const char *by;     /* "shader,launch": one level of these dimensions instead of the declared ones */
    const char *sort;   /* "-slots,shader": "-" = largest first */
    const char *fields; /* "shader,active" */
    const char *filters[WS_FILTERS_MAX]; /* "efficiency < 50 %", "shader = *.rchit:main"; all must hold */
    uint32_t filter_count;
    uint32_t rows; /* most rows of a table; 0 = the usual number, UINT32_MAX = all */
};

/* Whether the user chose something that only an analysis with columns can do. */
bool ws_view_is_set(const struct ws_view *view);

/* Whether all names of a view are in the declaration; else `error` names those that there are. */
bool ws_view_check(const struct ws_view *view, const struct ws_columns *columns, struct ws_error *error);

/* Checks a declaration itself: unique names, and lists of fields that exist. For tests. */
bool ws_columns_check(const struct ws_columns *columns, struct ws_error *error);

/* Prints dimensions and columns with their help, for --help. */
void ws_columns_help(const struct ws_columns *columns, FILE *stream);

struct ws_groups;

/* Empty. `user` is given to `value` callbacks; `view` is copied, its texts are not. NULL and `error` when the
 * view asks for what there is not, or there is no memory. */
struct ws_groups *ws_groups_create(const struct ws_columns *columns, const struct ws_catalog *catalog,
                                   const void *user, const struct ws_view *view, struct ws_error *error);
void ws_groups_destroy(struct ws_groups *groups);

/* Adds a fact: `keys` by dimension, and the struct of sums. False when there is no memory. */
bool ws_groups_add(struct ws_groups *groups, const uint64_t *keys, const void *sums);

/* The same for some levels only: those that group by all dimensions of `with` and by none of `without`. For
 * facts of the same thing that are told coarse and fine. */
bool ws_groups_add_to(struct ws_groups *groups, const uint64_t *keys, const void *sums, uint32_t with,
                      uint32_t without);

/* Whether a level is kept that groups by all dimensions of a set. An analysis that holds sums of its own need
 * give fine facts (per block and launch) only then. */
bool ws_groups_need(const struct ws_groups *groups, uint32_t dimensions);

/* The rows of a level (its number in the declaration; none but the chosen one, 0, with --by). */
uint32_t ws_groups_count(const struct ws_groups *groups, uint32_t level);
void ws_groups_row(const struct ws_groups *groups, uint32_t level, uint32_t index, struct ws_row *row);

/* The sums of the row with these keys; NULL when there is none. Keys of other dimensions are not read. */
const void *ws_groups_find(const struct ws_groups *groups, uint32_t level, const uint64_t *keys);

/* The rows of a level in the order of its table: `*count` indices. NULL when there is no memory; freed by the
 * caller. */
uint32_t *ws_groups_sorted(const struct ws_groups *groups, uint32_t level, uint32_t *count);

/* Each shows a level by the declaration and the view. Nothing where it has no row, or no field that the user
 * chose. False when there is no memory. */
bool ws_groups_text(const struct ws_groups *groups, uint32_t level, FILE *stream);
/* Into `object`, as a member of the level's json_name; or one element after the other, for long lists. */
bool ws_groups_json(const struct ws_groups *groups, uint32_t level, cJSON *object);
bool ws_groups_json_list(const struct ws_groups *groups, uint32_t level, struct ws_json *json);
/* The fields of one row as members of `object`, zeros where there is no such row. Rows of pipelines whose key
 * is WS_KEY_SEVERAL are in no list of JSON: show them so. */
bool ws_groups_json_row(const struct ws_groups *groups, uint32_t level, const uint64_t *keys, cJSON *object);

/* All levels, or the one of --by. */
bool ws_groups_text_all(const struct ws_groups *groups, FILE *stream);
bool ws_groups_json_all(const struct ws_groups *groups, cJSON *object);
bool ws_groups_csv(const struct ws_groups *groups, FILE *stream);

/* A plot of a level's first rows, in the order of its table. */
struct ws_groups_plot {
    enum ws_plot_kind kind; /* bars or stacks */
    const char *name;       /* of the file */
    const char *title;
    const char *x_label; /* NULL: none */
    const char *y_label;
    const char *label;  /* the field whose text names a group of bars */
    const char *fields; /* a series each, named by its heading; shares in percent */
    uint32_t rows;      /* most groups; 0: 24 */
    double y_max;
};

/* True and no plot where there is no row. */
bool ws_groups_plot(const struct ws_groups *groups, uint32_t level, const struct ws_groups_plot *plot,
                    struct ws_plots *plots, struct ws_error *error);

/* Dimensions that analyses share, for initialisers: {WS_DIMENSION_SHADER, .implies = 1u << STAGE}. */
#define WS_DIMENSION_STAGE    .name = "stage", .help = "kind of shader", .fields = ws_stage_fields
#define WS_DIMENSION_PIPELINE .name = "pipeline", .help = "pipeline", .fields = ws_pipeline_fields
#define WS_DIMENSION_SHADER                                                                                  \
    .name = "shader", .help = "entry point of a module", .fields = ws_shader_fields,                         \
    .shown = "shader_id shader"
#define WS_DIMENSION_BLOCK                                                                                   \
    .name = "block", .help = "basic block of a shader", .fields = ws_block_fields, .shown = "block source"
#define WS_DIMENSION_LAUNCH                                                                                  \
    .name = "launch", .help = "trace, dispatch or render pass", .fields = ws_launch_fields,                  \
    .shown = "launch launch_kind launch_size label"

extern const struct ws_field ws_stage_fields[];    /* stage */
extern const struct ws_field ws_pipeline_fields[]; /* pipeline_id pipeline */
extern const struct ws_field ws_shader_fields[];   /* shader_id shader */
extern const struct ws_field ws_block_fields[];    /* block source offset file line */
extern const struct ws_field ws_launch_fields[];   /* launch frame submission launch_kind
                                                    launch_size label subgroup_size */

#endif
