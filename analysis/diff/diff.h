/* Compares two captures, A (before) and B (after), by their reports: `warpscope diff A B`.
 *
 * TABLES. Each table (columns.h) of each analysis that both captures can serve is compared. Its rows are joined by what
 * they are of: shaders, pipelines and launches as match.h says, blocks by their place in code that is the same, else by
 * their line in the source; everything else by its names (ws_dimension.same). Rows of equal names are joined in their
 * order. A table that is a list of the largest is not compared.
 *
 * FIGURES. A figure is a measure of a row. A part of a sum (WS_PART) is compared as its share of the sum. The CHANGE is
 *
 *   of shares   B - A, in points: from 50 % to 45 % is -5 points
 *   of others   (B - A) / A: from 200 to 190 is -5 %; from 0 to anything is infinite
 *
 * SCALE. Where the captures hold different numbers of frames, counts and sums are divided by it, and likewise by the number
 * of launches where both hold the same launches in other numbers, all in one ratio (one frame, 10 and 20 dispatches). Tables
 * of single launches and frames, and figures that do not grow with either (WS_STEADY), are not divided.
 *   Example: 1000 instructions in 10 frames and 2200 in 20 are 100 and 110 a frame: +10 %.
 *
 * NOISE is what a figure may change by for no reason.
 *
 *   Counters and records of the same frames and threads are exact: noise 0, and any change counts.
 *   Device times (WS_MEASURED) vary. Their SPREAD is, for each capture, the sum of (longest - shortest) over the launches that
 *     are the same in every frame and came WS_DIFF_TIMES_LEAST times or more (the table `places` of the analysis `time`),
 *     divided by the sum of their medians; the larger one counts. A time changed if it changed by more than that. Of n values
 *     the range is wider than the 95 % confidence interval of their mean, of which Georges, Buytaert and Eeckhout require
 *     that the two do not overlap ("Statistically rigorous Java performance evaluation", OOPSLA 2007, section 3.3): of 5
 *     normal values the range is 2.3 deviations (Tippett 1925), and the difference of two means has one of 0.6. A single
 *     launch or frame was timed once, and where no launch came so often the spread is not known: then nothing tells a
 *     change from noise, and none is told.
 *   Other FRAMES (--frames, or another number of them): the figure's values by frame, x_i of A and y_j of B, are samples. The
 *     noise is the half-width of the 95 % confidence interval of the difference of their means,
 *     t * sqrt(s_x^2 / n_x + s_y^2 / n_y), with t for n_x + n_y - 2 degrees of freedom (the same section, formulas 5 to 7).
 *     Rows have that of the same figure of the total. 0 where one capture has one frame only, and of figures that are no
 *     sums over launches (means, medians).
 *   Other THREADS (--threads, --pixels, --tile): records are of samples. A share is nearly a mean over warps, of values from
 *     0 to 1, whose variance is 1/4 at most (Popoviciu 1935). So its noise is 1.96 * sqrt(1 / (4 w_a) + 1 / (4 w_b)) for
 *     samples of w_a and w_b warps. Counts, and means, of such samples say nothing of each other: they are noise always.
 *   DRAWN warps (--sample): what counters say is an estimate. A figure with a standard error e (its analysis has a field
 *     NAME_error; that of executions is also that of threads) has the noise t * sqrt(e_a^2 + e_b^2) of its row, with t = 2.365
 *     for the 7 degrees of freedom of eight sets (simt_efficiency.h); e is 0 where all warps were counted. Two captures may
 *     have drawn the same warps: then this is more than the noise, and a change may be missed, but none is told that is chance.
 *     Where the error of a row is not known (simt_sets.h), or the figure has none, a change is neither noise nor told: all
 *     drawn warps of A may have been full and half of those of B empty, with nothing to say how much of that is chance. Such
 *     figures are counted as `unknown`, unless both values are equal. --fail-if refuses them (condition.h).
 *
 * SMALL changes, below `least`, are counted and not told.
 *
 * WEIGHT is the row's share of the total, in the measure by which the analysis weighs (ws_columns.weight), and the larger of
 * A and B; 1 for the total; 0 where the analysis weighs by nothing. IMPORTANCE is the weight times the change, at most 1:
 * half of the work that changes by a tenth counts as much as a twentieth that is gone.
 *
 * Nothing here is thread-safe. */
#ifndef WS_ANALYSIS_DIFF_DIFF_H
#define WS_ANALYSIS_DIFF_DIFF_H

#include "analysis/diff/match.h"
#include "analysis/diff/sources.h"
#include "analysis/report/report.h"
#include "warpscope/report/groups.h"

#define WS_DIFF_FORMAT      "warpscope-diff"
#define WS_DIFF_VERSION     1
#define WS_DIFF_LEAST       0.01 /* --least, where it is not given */
#define WS_DIFF_TIMES_LEAST 5
#define WS_DIFF_TABLES_MAX  (WS_ANALYSES_MAX * WS_LEVELS_MAX)
#define WS_DIFF_ROW_NAME    512

enum ws_diff_per { WS_DIFF_PER_CAPTURE, WS_DIFF_PER_FRAME, WS_DIFF_PER_LAUNCH };

/* A table of both captures. */
struct ws_diff_table {
    const struct ws_analysis *analysis;
    const struct ws_groups *groups[WS_DIFF_SIDES];
    uint32_t level;                /* number in both */
    bool compared;                 /* false: its rows cannot be joined */
    bool scaled;                   /* its counts are divided */
    uint32_t *rows[WS_DIFF_SIDES]; /* numbers of the rows, in their order; owned */
    struct ws_diff_join join;      /* of places in `rows` */
    uint32_t joined;
    uint64_t changed; /* figures that changed by more than their noise and `least` */
    uint64_t small;   /* by less than `least` */
    uint64_t noisy;   /* by less than their noise */
    uint64_t unknown; /* whose error is not known */
    uint64_t equal;
};

/* A figure that changed. */
struct ws_diff_figure {
    uint32_t table;
    uint32_t row[WS_DIFF_SIDES]; /* numbers of rows in the groups */
    struct ws_shown field;
    double value[WS_DIFF_SIDES]; /* divided */
    double change;               /* may be infinite */
    double weight;
    double importance;
    double noise; /* changes up to this are noise; INFINITY: nothing tells a change from noise */
    bool unknown; /* it is an estimate whose error is not known; `noise` is INFINITY then */
    int effect;   /* 1 better, -1 worse, 0 neither */
};

/* A setting that differs between the captures. Texts are owned. */
struct ws_diff_setting {
    const char *what; /* static, or a key of settings */
    char *value[WS_DIFF_SIDES];
};

struct ws_diff_options {
    double least; /* share; WS_DIFF_LEAST is the usual */
    bool exact;   /* small ones too: `least` is 0 */
};

struct ws_diff {
    const struct ws_report *reports[WS_DIFF_SIDES]; /* not owned */
    struct ws_diff_match match;
    struct ws_diff_sources sources; /* of shaders that changed */
    double least;
    enum ws_diff_per per;
    uint64_t divisor[WS_DIFF_SIDES]; /* frames or launches; 1 */
    uint64_t frames[WS_DIFF_SIDES];  /* that have launches */
    double spread;                   /* of device times; 0 = not known */
    bool has_times;                  /* both have some */
    bool spread_known;
    struct ws_diff_table *tables;
    uint32_t table_count;
    struct ws_diff_figure *figures; /* the most important first */
    uint32_t figure_count;
    uint32_t figure_capacity;
    struct ws_diff_setting *settings;
    uint32_t setting_count;
    bool sampled[WS_DIFF_SIDES]; /* only some threads left records (--threads, --pixels, --tile) */
    bool sampled_alike;
    bool drawn[WS_DIFF_SIDES];   /* only some warps were counted (--sample) */
    bool frames_alike;           /* both have the same frames */
    double warps[WS_DIFF_SIDES]; /* that left records; 0 = not known */
};

/* Compares two reports of all analyses (ws_report_request.all, options.whole), which must outlive the comparison. `options`
 * NULL = the usual. False when there is no memory; then nothing is to be finished. */
bool ws_diff_init(struct ws_diff *diff, const struct ws_report *a, const struct ws_report *b,
                  const struct ws_diff_options *options);
void ws_diff_finish(struct ws_diff *diff);

/* The table of an analysis; NULL where the two have none. */
const struct ws_diff_table *ws_diff_table_find(const struct ws_diff *diff, const char *analysis,
                                               const char *table);

/* The name of a row: "lit.rgen:main", "traceRay at lit.glsl:44 in lit.rgen:main"; "" of the total. */
void ws_diff_row_name(const struct ws_diff_table *table, uint32_t side, uint32_t row,
                      char name[WS_DIFF_ROW_NAME]);

/* Takes a figure of joined rows: values and change. False where one side has no value. */
bool ws_diff_measure(const struct ws_diff *diff, const struct ws_diff_table *table,
                     const uint32_t row[WS_DIFF_SIDES], const struct ws_shown *field,
                     struct ws_diff_figure *figure);
/* The value of one side, divided as those of figures are. False where it has none. */
bool ws_diff_side(const struct ws_diff *diff, const struct ws_diff_table *table, uint32_t side, uint32_t row,
                  const struct ws_shown *field, double *number);

/* The noise of a figure of a table that all its rows have. */
double ws_diff_noise(const struct ws_diff *diff, const struct ws_diff_table *table,
                     const struct ws_shown *field);

/* The noise of a figure in each row: that of the table, and what drawn warps add. */
struct ws_diff_noise {
    double of_table;
    bool drawn;                 /* the figure is an estimate from drawn warps */
    struct ws_shown_list error; /* the field of its standard error; nothing = it has none */
};
void ws_diff_noise_find(const struct ws_diff *diff, const struct ws_diff_table *table,
                        const struct ws_shown *field, struct ws_diff_noise *noise);
/* Sets the noise of a figure that was measured (ws_diff_measure). */
void ws_diff_noise_set(const struct ws_diff *diff, const struct ws_diff_table *table,
                       const struct ws_diff_noise *noise, struct ws_diff_figure *figure);
/* Whether figures of an analysis are estimates from drawn warps in one of the captures. */
bool ws_diff_is_drawn(const struct ws_diff *diff, const struct ws_analysis *analysis);
/* The two formulas: of shares of samples of so many warps; of the means of values by frame. */
double ws_diff_sample_noise(double warps_a, double warps_b);
double ws_diff_frame_noise(const double *const values[WS_DIFF_SIDES], const uint32_t count[WS_DIFF_SIDES]);

/* The number of a row in a field, not divided. False where it has none. */
bool ws_diff_number(const struct ws_groups *groups, uint32_t level, uint32_t row,
                    const struct ws_shown *field, double *number);
bool ws_diff_row_figure(const struct ws_row *row, const struct ws_shown *field, double *number);

/* Whether a field is a figure that is compared, and whether its change is in points. */
bool ws_diff_is_figure(const struct ws_shown *shown);
/* Whether it is one of the main figures of its analysis (ws_columns.main). */
bool ws_diff_is_main(const struct ws_diff *diff, const struct ws_diff_figure *figure);
bool ws_diff_is_share(const struct ws_field *field);

/* Prints a value of a figure as its table does: "74.8 %", "976194", "1.25", "12.3 ms". */
void ws_diff_value_text(const struct ws_field *field, double value, char text[WS_NUMBER_SIZE]);
/* "+5.3 %"; of shares "-2.3 points"; "from 0" */
void ws_diff_change_text(const struct ws_diff_figure *figure, char text[WS_NUMBER_SIZE]);

/* Each prints the comparison. Text shows `rows` rows of each list (0 = the usual number, UINT32_MAX = all), and with `all`
 * every figure that changed. CSV is one table of all figures that changed. False when there is no memory. Errors of the
 * stream are for the caller to find. */
bool ws_diff_text(const struct ws_diff *diff, uint32_t rows, bool all, size_t width, FILE *stream);
bool ws_diff_csv(const struct ws_diff *diff, FILE *stream);

struct ws_diff_condition;
/* `conditions` may be none. */
bool ws_diff_json(const struct ws_diff *diff, const struct ws_diff_condition *conditions, uint32_t count,
                  FILE *stream);
/* Prints the schema of that JSON. False when there is no memory. */
bool ws_diff_schema_print(FILE *stream);

/* For the files of this folder. */
bool ws_diff_tables_init(struct ws_diff *diff);
bool ws_diff_figures_init(struct ws_diff *diff);
bool ws_diff_settings_init(struct ws_diff *diff);
void ws_diff_noise_init(struct ws_diff *diff);

#endif
