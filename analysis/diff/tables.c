/* The tables of both captures, and their rows joined (diff.h). */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analysis/diff/diff.h"
#include "analysis/diff/row_text.h"
#include "warpscope/model/launch.h"
#include "warpscope/model/names.h"

/* Dimensions whose keys mean the same in every analysis (columns.h). */
enum known { KNOWN_NOT, KNOWN_STAGE, KNOWN_SHADER, KNOWN_PIPELINE, KNOWN_BLOCK, KNOWN_LAUNCH };

static enum known known_of(const struct ws_dimension *dimension)
{
    static const char *const names[] = {"", "stage", "shader", "pipeline", "block", "launch"};
    for (int i = KNOWN_STAGE; i <= KNOWN_LAUNCH; ++i)
        if (strcmp(dimension->name, names[i]) == 0)
            return i;
    return KNOWN_NOT;
}

/* Whether a field names the row, by the declaration of its dimension. */
static bool names_row(const struct ws_dimension *dimension, const struct ws_field *field, bool has_texts)
{
    if (field->value == NULL || (field->flags & WS_FIGURE) != 0)
        return false;
    if (dimension->same != NULL) {
        const size_t length = strlen(field->name);
        for (const char *at = dimension->same; (at = strstr(at, field->name)) != NULL; at += length)
            if ((at == dimension->same || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
                return true;
        return false;
    }
    return (field->flags & WS_TABLES) == 0 && (field->format == WS_TEXT || !has_texts);
}

static bool has_texts(const struct ws_dimension *dimension)
{
    for (const struct ws_field *field = dimension->fields; field->name != NULL; ++field)
        if (field->format == WS_TEXT && field->value != NULL && (field->flags & WS_TABLES) == 0)
            return true;
    return false;
}

/* Calls `take` with the value of each field that names the row in a dimension. */
typedef void take_value(void *user, const struct ws_field *field, const struct ws_value *value);

static void visit_names(const struct ws_dimension *dimension, uint32_t number, const struct ws_row *row,
                        take_value *take, void *user)
{
    const bool texts = has_texts(dimension);
    for (const struct ws_field *field = dimension->fields; field->name != NULL; ++field) {
        const struct ws_shown shown = {.field = field, .dimension = number};
        struct ws_value value;
        if (!names_row(dimension, field, texts))
            continue;
        ws_groups_value(&shown, row, &value);
        take(user, field, &value);
    }
}

/* A row whose name is hashed. */
struct hashed {
    const struct ws_diff *diff;
    uint32_t side;
    uint32_t changed; /* the module of its shader, where that changed; else WS_NONE */
    XXH3_state_t state;
};

static void hash_value(void *user, const struct ws_field *field, const struct ws_value *value)
{
    struct hashed *hashed = user;
    XXH3_state_t *state = &hashed->state;
    const uint32_t kind = value->kind;
    char place[sizeof(value->buffer)];
    XXH3_64bits_update(state, &kind, sizeof(kind));
    if (value->kind == WS_VALUE_TEXT && hashed->side == 1 && hashed->changed != WS_NONE &&
        strcmp(field->name, "source") == 0) {
        ws_diff_source_place(&hashed->diff->sources, hashed->changed, value->text, place, sizeof(place));
        XXH3_64bits_update(state, place, strlen(place) + 1);
    } else if (value->kind == WS_VALUE_TEXT)
        XXH3_64bits_update(state, value->text, strlen(value->text) + 1);
    else if (value->kind == WS_VALUE_COUNT)
        XXH3_64bits_update(state, &value->count, sizeof(value->count));
    else if (value->kind == WS_VALUE_REAL)
        XXH3_64bits_update(state, &value->real, sizeof(value->real));
}

static uint64_t joint_launch(const struct ws_diff *diff, uint32_t side, uint64_t key)
{
    uint32_t place;
    if (!ws_id_map_get(&diff->reports[side]->catalog.launches.by_index, key, &place))
        return key | UINT64_C(1) << 63;
    return ws_diff_joint(&diff->match.launches, side, place);
}

/* Hashes what the row is of in a dimension. */
static void hash_dimension(struct hashed *hashed, const struct ws_dimension *dimension, uint32_t number,
                           const struct ws_row *row)
{
    const struct ws_diff *diff = hashed->diff;
    const uint32_t side = hashed->side;
    const uint64_t key = row->keys[number];
    uint64_t joint = key;
    if (key >= WS_KEY_SEVERAL) {
        XXH3_64bits_update(&hashed->state, &key, sizeof(key));
        return;
    }
    switch (known_of(dimension)) {
    case KNOWN_STAGE: break;
    case KNOWN_SHADER: joint = ws_diff_joint(&diff->match.shaders, side, (uint32_t)key); break;
    case KNOWN_PIPELINE: joint = ws_diff_joint(&diff->match.pipelines, side, (uint32_t)key); break;
    case KNOWN_LAUNCH: joint = joint_launch(diff, side, key); break;
    case KNOWN_BLOCK:
        joint = (uint64_t)ws_diff_joint(&diff->match.shaders, side, (uint32_t)(key >> 32)) << 32;
        if (ws_diff_same_code(&diff->match, diff->reports, side, (uint32_t)(key >> 32)))
            joint |= (uint32_t)key;
        else
            visit_names(dimension, number, row, hash_value, hashed);
        break;
    default: visit_names(dimension, number, row, hash_value, hashed); return;
    }
    XXH3_64bits_update(&hashed->state, &joint, sizeof(joint));
}

/* The shader of a row; WS_NONE where it is of none. */
static uint32_t shader_of(const struct ws_columns *columns, const struct ws_row *row)
{
    for (uint32_t i = 0; columns->dimensions[i].name != NULL; ++i)
        if (known_of(&columns->dimensions[i]) == KNOWN_SHADER && row->keys[i] < row->catalog->shader_count)
            return (uint32_t)row->keys[i];
    return WS_NONE;
}

/* The module of a shader that is in both captures with other code; else WS_NONE. */
static uint32_t changed_module(const struct ws_diff *diff, uint32_t side, uint32_t shader)
{
    if (shader == WS_NONE || diff->match.shaders.other[side][shader] == WS_NONE ||
        ws_diff_same_code(&diff->match, diff->reports, side, shader))
        return WS_NONE;
    return diff->reports[side]->catalog.shaders[shader].module;
}

/* What a row is, as one number; 0 where it is a place in code that the other capture does not have. */
static uint64_t identify(const struct ws_diff *diff, const struct ws_diff_table *table, uint32_t side,
                         uint32_t row_number)
{
    const struct ws_groups *groups = table->groups[side];
    const struct ws_dimension *dimensions = groups->columns->dimensions;
    const uint32_t mask = groups->levels[table->level].mask;
    uint32_t decided = 0; /* by the launch */
    struct ws_row row;
    struct hashed hashed = {.diff = diff, .side = side};
    XXH3_64bits_reset(&hashed.state);
    ws_groups_row(groups, table->level, row_number, &row);
    const uint32_t shader = shader_of(groups->columns, &row);
    hashed.changed = changed_module(diff, side, shader);
    for (uint32_t i = 0; i < groups->dimension_count; ++i)
        if ((mask & 1u << i) != 0 && known_of(&dimensions[i]) == KNOWN_LAUNCH)
            decided |= dimensions[i].implies;
    for (uint32_t i = 0; i < groups->dimension_count; ++i) {
        if ((mask & ~decided & 1u << i) == 0)
            continue;
        if (dimensions[i].of_code && shader != WS_NONE &&
            !ws_diff_same_code(&diff->match, diff->reports, side, shader))
            return 0;
        hash_dimension(&hashed, &dimensions[i], i, &row);
    }
    const uint64_t hash = XXH3_64bits_digest(&hashed.state);
    return hash != 0 ? hash : 1;
}

uint32_t ws_diff_row_shader(const struct ws_diff_table *table, uint32_t side, uint32_t row_number)
{
    struct ws_row row;
    ws_groups_row(table->groups[side], table->level, row_number, &row);
    return shader_of(table->groups[side]->columns, &row);
}

static uint64_t *identify_rows(const struct ws_diff *diff, const struct ws_diff_table *table, uint32_t side,
                               uint32_t count)
{
    uint64_t *keys = malloc(count * sizeof(*keys) + 1);
    for (uint32_t i = 0; keys != NULL && i < count; ++i)
        keys[i] = identify(diff, table, side, table->rows[side][i]);
    return keys;
}

/* Whether the rows of a level can be known again, and whether they add up over launches. */
static void look_at_level(const struct ws_groups *groups, struct ws_diff_table *table)
{
    const struct ws_level *level = &groups->levels[table->level].level;
    table->compared = true;
    table->scaled = true;
    for (uint32_t i = 0; i < groups->dimension_count; ++i) {
        const struct ws_dimension *dimension = &groups->columns->dimensions[i];
        if ((level->by & 1u << i) == 0)
            continue;
        if (dimension->same != NULL && dimension->same[0] == '\0')
            table->compared = false;
        if (known_of(dimension) == KNOWN_LAUNCH || strcmp(dimension->name, "frame") == 0)
            table->scaled = false;
    }
}

static bool join_table(const struct ws_diff *diff, struct ws_diff_table *table)
{
    uint64_t *keys[WS_DIFF_SIDES] = {NULL, NULL};
    uint32_t counts[WS_DIFF_SIDES];
    bool made = true;
    look_at_level(table->groups[0], table);
    for (uint32_t side = 0; made && side < WS_DIFF_SIDES; ++side) {
        struct ws_ordered ordered = {NULL, 0};
        made = ws_groups_order(table->groups[side], table->level, NULL, NULL, &ordered);
        table->rows[side] = ordered.rows;
        counts[side] = ordered.count;
    }
    made = made && ws_diff_join_init(&table->join, counts[0], counts[1]);
    for (uint32_t side = 0; made && table->compared && side < WS_DIFF_SIDES; ++side) {
        keys[side] = identify_rows(diff, table, side, counts[side]);
        made = keys[side] != NULL;
    }
    made = made && (!table->compared || ws_diff_join_by(&table->join, keys[0], keys[1]));
    for (uint32_t i = 0; made && i < counts[0]; ++i)
        table->joined += table->join.other[0][i] != WS_NONE;
    free(keys[0]);
    free(keys[1]);
    return made;
}

bool ws_diff_tables_init(struct ws_diff *diff)
{
    const struct ws_report *a = diff->reports[0];
    bool made = true;
    diff->tables = calloc(WS_DIFF_TABLES_MAX, sizeof(*diff->tables));
    if (diff->tables == NULL)
        return false;
    for (size_t i = 0; i < a->part_count; ++i) {
        const struct ws_groups *groups[WS_DIFF_SIDES] = {ws_report_part_groups(&a->parts[i]), NULL};
        for (size_t j = 0; j < diff->reports[1]->part_count; ++j)
            if (diff->reports[1]->parts[j].analysis == a->parts[i].analysis)
                groups[1] = ws_report_part_groups(&diff->reports[1]->parts[j]);
        if (groups[0] == NULL || groups[1] == NULL)
            continue;
        for (uint32_t level = 0; made && level < ws_groups_level_count(groups[0]); ++level) {
            struct ws_diff_table *table = &diff->tables[diff->table_count++];
            table->analysis = a->parts[i].analysis;
            table->groups[0] = groups[0];
            table->groups[1] = groups[1];
            table->level = level;
            made = join_table(diff, table);
        }
    }
    return made;
}

const struct ws_diff_table *ws_diff_table_find(const struct ws_diff *diff, const char *analysis,
                                               const char *table)
{
    for (uint32_t i = 0; i < diff->table_count; ++i)
        if (strcmp(diff->tables[i].analysis->name, analysis) == 0 &&
            strcmp(ws_groups_level_name(diff->tables[i].groups[0], diff->tables[i].level), table) == 0)
            return &diff->tables[i];
    return NULL;
}

/* A name that is being put together. */
struct name {
    char *text;
    size_t used;
};

static void add_name(struct name *name, const char *between, const char *text)
{
    if (text[0] == '\0' || name->used + 1 >= WS_DIFF_ROW_NAME)
        return;
    const int length = snprintf(name->text + name->used, WS_DIFF_ROW_NAME - name->used, "%s%s",
                                name->used > 0 ? between : "", text);
    name->used =
        name->used + (size_t)length < WS_DIFF_ROW_NAME ? name->used + (size_t)length : WS_DIFF_ROW_NAME - 1;
}

static void add_value(void *user, const struct ws_field *field, const struct ws_value *value)
{
    char text[WS_NAME_SIZE + WS_NUMBER_SIZE];
    if (value->kind == WS_VALUE_TEXT)
        add_name(user, " ", value->text);
    else if (value->kind == WS_VALUE_COUNT) {
        snprintf(text, sizeof(text), "%s %llu", field->name, (unsigned long long)value->count);
        add_name(user, " ", text);
    } else if (value->kind == WS_VALUE_REAL) {
        snprintf(text, sizeof(text), "%s %g", field->name, value->real);
        add_name(user, " ", text);
    }
}

static void add_launch(const struct ws_row *row, uint64_t key, struct name *name)
{
    const struct ws_launch_record *launch = ws_catalog_launch(row->catalog, key);
    char text[64];
    snprintf(text, sizeof(text), "launch %llu", (unsigned long long)key);
    add_name(name, " ", text);
    if (launch != NULL)
        add_name(name, " ", launch->label[0] != '\0' ? launch->label : ws_launch_kind_name(launch->kind));
}

static void add_dimension(const struct ws_dimension *dimension, uint32_t number, const struct ws_row *row,
                          bool own, struct name *name)
{
    const uint64_t key = row->keys[number];
    if (key >= WS_KEY_SEVERAL) {
        add_name(name, " ", key == WS_KEY_SEVERAL ? "several" : key == WS_KEY_OTHERS ? "others" : "");
        return;
    }
    switch (known_of(dimension)) {
    case KNOWN_LAUNCH: add_launch(row, key, name); break;
    case KNOWN_SHADER: add_name(name, own ? " " : " in ", ws_shader_name(row->catalog, (uint32_t)key)); break;
    case KNOWN_PIPELINE:
        add_name(name, own ? " " : " in ", ws_pipeline_name(row->catalog, (uint32_t)key));
        break;
    case KNOWN_STAGE:
        if (own)
            add_name(name, " ", ws_stage_name((uint32_t)key));
        break;
    default: visit_names(dimension, number, row, add_value, name);
    }
}

void ws_diff_row_name(const struct ws_diff_table *table, uint32_t side, uint32_t row_number,
                      char text[WS_DIFF_ROW_NAME])
{
    const struct ws_groups *groups = table->groups[side];
    const struct ws_groups_level *level = &groups->levels[table->level];
    struct name name = {.text = text};
    struct ws_row row;
    text[0] = '\0';
    ws_groups_row(groups, table->level, row_number, &row);
    for (uint32_t i = 0; i < groups->dimension_count; ++i)
        if ((level->level.by & 1u << i) != 0)
            add_dimension(&groups->columns->dimensions[i], i, &row, true, &name);
    for (uint32_t i = 0; i < groups->dimension_count; ++i) {
        const enum known known = known_of(&groups->columns->dimensions[i]);
        if ((level->mask & ~level->level.by & 1u << i) == 0 || (known == KNOWN_STAGE && name.used > 0))
            continue;
        if (known == KNOWN_SHADER || name.used == 0)
            add_dimension(&groups->columns->dimensions[i], i, &row, false, &name);
    }
}
