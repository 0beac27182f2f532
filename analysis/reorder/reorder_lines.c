/* What to write in a shader to sort its threads, where that is worth a try (reorder.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/reorder.h"
#include "warpscope/model/names.h"

#define SITES_MAX 3 /* that lines are shown for */
#define NAME_SIZE 512

/* Lines of the three languages, for a call that traces a ray, by the shader that it hits; the same with a hint of some bits
 * beside it; and for a call of a callable shader. */
static const char *const traced[] = {
    "GLSL   hitObjectEXT hit; hitObjectTraceRayEXT(hit, <what traceRayEXT is given>); reorderThreadEXT(hit); "
    "hitObjectExecuteShaderEXT(hit, <payload>);",
    "HLSL   dx::HitObject hit = dx::HitObject::TraceRay(<what TraceRay is given>); "
    "dx::MaybeReorderThread(hit); "
    "dx::HitObject::Invoke(hit, <payload>);",
    "Slang  HitObject hit = HitObject.TraceRay(<what TraceRay is given>); ReorderThread(hit); "
    "HitObject.Invoke(<structure>, hit, <payload>);"};
static const char *const hinted[] = {
    "GLSL   hitObjectEXT hit; hitObjectTraceRayEXT(hit, <what traceRayEXT is given>); reorderThreadEXT(hit, "
    "<material>, %" PRIu32 "); hitObjectExecuteShaderEXT(hit, <payload>);",
    "HLSL   dx::HitObject hit = dx::HitObject::TraceRay(<what TraceRay is given>); "
    "dx::MaybeReorderThread(hit, "
    "<material>, %" PRIu32 "); dx::HitObject::Invoke(hit, <payload>);",
    "Slang  HitObject hit = HitObject.TraceRay(<what TraceRay is given>); ReorderThread(hit, <material>, "
    "%" PRIu32 "); HitObject.Invoke(<structure>, hit, <payload>);"};
static const char *const called[] = {
    "GLSL   reorderThreadEXT(<index of the callable>, %" PRIu32 "); executeCallableEXT(<as before>);",
    "HLSL   dx::MaybeReorderThread(<index of the callable>, %" PRIu32 "); CallShader(<as before>);",
    "Slang  ReorderThread(<index of the callable>, %" PRIu32 "); CallShader(<as before>);"};

/* How one row would be sorted. */
static void print_row(const struct ws_reorder_results *results, const struct ws_row *row, FILE *stream)
{
    const uint64_t site = row->keys[WS_REORDER_BY_SITE];
    const struct ws_reorder_sums *sums = row->sums;
    const uint32_t bits = ws_reorder_bits(sums->values);
    char name[NAME_SIZE];
    ws_call_name(results->catalog, (uint32_t)(site >> 32), (uint32_t)site, name, sizeof(name));
    const bool traces = strstr(name, "executeCallable") == NULL;
    const bool by_called = row->keys[WS_REORDER_BY_KEY] == WS_REORDER_CALLED;
    const char *const *lines = !traces ? called : by_called ? hinted : traced;
    fprintf(stream,
            "  At %s (%s), by the %s: saves up to %.1f %% of the slots behind it. Possible: what sorting "
            "costs on a "
            "device is assumed.\n",
            name, ws_shader_name(results->catalog, (uint32_t)(site >> 32)),
            by_called && traces ? "shader that is hit and its material" : "shader that is called",
            100 * ((double)(sums->slots - sums->slots_after) / (double)sums->slots));
    for (int i = 0; i < 3; ++i) {
        fputs("    ", stream);
        fprintf(stream, lines[i], bits); /* `traced` has no place for the bits */
        fputc('\n', stream);
    }
}

bool ws_reorder_print_lines(const struct ws_reorder_results *results, FILE *stream)
{
    uint32_t count = 0;
    uint64_t sites[SITES_MAX];
    uint32_t shown = 0;
    uint32_t *rows = ws_groups_sorted(results->groups, WS_REORDER_WORTHY, &count);
    if (rows == NULL)
        return false;
    /* The best key of each call site stands first. */
    for (uint32_t i = 0; i < count && shown < SITES_MAX; ++i) {
        struct ws_row row;
        bool again = false;
        ws_groups_row(results->groups, WS_REORDER_WORTHY, rows[i], &row);
        for (uint32_t j = 0; j < shown; ++j)
            again = again || sites[j] == row.keys[WS_REORDER_BY_SITE];
        if (again)
            continue;
        if (shown == 0)
            fputs("\nWhat to write (VK_EXT_ray_tracing_invocation_reorder); or sort between launches by the "
                  "same key\n",
                  stream);
        sites[shown++] = row.keys[WS_REORDER_BY_SITE];
        print_row(results, &row, stream);
    }
    free(rows);
    return true;
}
