#include "analysis/advice/cost.h"

/* In slots. */
#define TRAVERSAL 500
#define CANDIDATE 50
#define CALL      100

static const struct {
    const char *name;
    const char *words;
    double declared; /* cost of one */
    uint32_t stage;  /* of whose shaders it is a run; 0 = it is no run */
} kinds[WS_SAVING_KINDS] = {
    [WS_SAVES_NOTHING] = {"nothing", "nothing", 0, 0},
    [WS_SAVES_ANY_HIT] = {"any_hit", "any-hit runs", 400 + CALL, WS_STAGE_ANY_HIT},
    [WS_SAVES_INTERSECTION] = {"intersection", "intersection runs", 400 + CALL, WS_STAGE_INTERSECTION},
    [WS_SAVES_CLOSEST_HIT] = {"closest_hit", "closest hit runs", 1000 + CALL, WS_STAGE_CLOSEST_HIT},
    [WS_SAVES_MISS] = {"miss", "miss runs", 25 + CALL, WS_STAGE_MISS},
    [WS_SAVES_RAYS] = {"rays", "rays", 0, 0},
    [WS_SAVES_CANDIDATES] = {"candidates", "candidates of ray queries", CANDIDATE, 0},
    [WS_SAVES_SLOTS] = {"slots", "instruction slots", 1, 0},
    [WS_SAVES_INSTRUCTIONS] = {"instructions", "instructions of threads", 1, 0},
    [WS_SAVES_EXECUTIONS] = {"executions", "executions of blocks by warps", 1, 0},
    [WS_SAVES_BYTES] = {"bytes", "bytes of geometry", 0, 0},
};

const char *ws_saving_name(uint32_t saves)
{
    return saves < WS_SAVING_KINDS ? kinds[saves].name : "unknown";
}

const char *ws_saving_words(uint32_t saves)
{
    return saves < WS_SAVING_KINDS ? kinds[saves].words : "unknown";
}

void ws_advice_tally_add(struct ws_advice_tally *tally, const struct ws_ray *ray)
{
    const bool ran = ray->first_hit_shader != WS_NONE;
    tally->rays++;
    tally->runs[WS_SAVES_ANY_HIT] += ray->any_hits;
    tally->runs[WS_SAVES_INTERSECTION] += ray->intersections;
    tally->runs[WS_SAVES_CLOSEST_HIT] += ran && ray->end == WS_RAY_HIT;
    tally->runs[WS_SAVES_MISS] += ran && ray->end == WS_RAY_MISSED;
    tally->candidates += ray->query ? ray->candidate_count : 0;
}

/* How many threads entered the shader. */
static double entries_of(const struct ws_simt_results *simt, uint32_t shader)
{
    const struct ws_entry_record *entry = ws_catalog_entry(simt->catalog, shader);
    struct ws_simt_counts counts = {0};
    struct ws_simt_histogram histogram;
    if (entry != NULL && entry->entry_block != WS_NONE)
        ws_simt_block(simt, shader, entry->entry_block, &counts, &histogram);
    return (double)counts.active + (double)counts.threads;
}

double ws_advice_run_cost(const struct ws_simt_results *simt, const struct ws_shader_effects *effects,
                          uint32_t shader)
{
    const double entries = simt != NULL && shader < simt->shader_count ? entries_of(simt, shader) : 0;
    if (entries > 0)
        return (double)ws_simt_slots(&simt->shaders[shader].counts) / entries + CALL;
    return effects != NULL && effects->mask == 0 ? CALL : 0;
}

/* The slots of all shaders of the stages in the set. */
static double stage_slots(const struct ws_simt_results *simt, uint32_t stages)
{
    double slots = 0;
    for (uint32_t i = 0; simt != NULL && i < simt->shader_count; ++i)
        if ((simt->catalog->shaders[i].stage & stages) != 0)
            slots += (double)ws_simt_slots(&simt->shaders[i].counts);
    return slots;
}

/* Sets the cost of runs, and returns what all runs cost. */
static double find_runs(struct ws_advice_costs *costs, const struct ws_advice_tally *tally,
                        const struct ws_simt_results *simt)
{
    double all = 0;
    for (uint32_t i = WS_SAVES_ANY_HIT; i <= WS_SAVES_MISS; ++i) {
        const double slots = stage_slots(simt, kinds[i].stage);
        if (slots > 0 && tally->runs[i] > 0)
            costs->of[i] = slots / (double)tally->runs[i] + CALL;
        costs->all[i] = costs->of[i] * (double)tally->runs[i];
        all += costs->all[i];
    }
    return all;
}

void ws_advice_costs_find(struct ws_advice_costs *costs, const struct ws_advice_tally *tally,
                          const struct ws_simt_results *simt)
{
    const double slots = stage_slots(simt, WS_STAGES_ALL);
    const double traversals = TRAVERSAL * (double)tally->rays;
    *costs = (struct ws_advice_costs){.rays = tally->rays, .measured = slots > 0};
    for (uint32_t i = 0; i < WS_SAVING_KINDS; ++i)
        costs->of[i] = kinds[i].declared;
    const double runs = find_runs(costs, tally, simt);
    costs->of[WS_SAVES_RAYS] = tally->rays > 0 ? (traversals + runs) / (double)tally->rays : 0;
    costs->slots = slots;
    if (slots <= 0) {
        costs->slots = runs;
        for (uint32_t i = WS_SAVES_ANY_HIT; i <= WS_SAVES_MISS; ++i)
            costs->slots -= CALL * (double)tally->runs[i];
        costs->work = traversals + runs + CANDIDATE * (double)tally->candidates;
        return;
    }
    costs->work = traversals + slots;
    for (uint32_t i = WS_SAVES_ANY_HIT; i <= WS_SAVES_MISS; ++i) {
        const bool counted = stage_slots(simt, kinds[i].stage) > 0;
        costs->work += (counted ? CALL : costs->of[i]) * (double)tally->runs[i];
    }
    if (simt->total.counts.instructions > 0)
        costs->of[WS_SAVES_INSTRUCTIONS] = slots / (double)simt->total.counts.instructions;
    if (simt->total.counts.warps + simt->total.counts.threads > 0)
        costs->of[WS_SAVES_EXECUTIONS] =
            slots / (double)(simt->total.counts.warps + simt->total.counts.threads);
}
