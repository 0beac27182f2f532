/* What to write in a shader to sort its threads, where that is worth a try (reorder.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/reorder.h"
#include "warpscope/model/names.h"

#define SITES_MAX 3 /* that lines are shown for */
#define NAME_SIZE 512

/* What makes a hint, in place of <hint>: of the keys that need one. */
static const char *hint_of(uint32_t key)
{
    switch (key) {
    case WS_REORDER_CALLED: return "<material>";
    case WS_REORDER_BY_INSTANCE: return "<instance index of the hit>";
    case WS_REORDER_BY_GEOMETRY: return "<geometry index of the hit>";
    case WS_REORDER_BY_OCTANT: return "<signs of the direction>";
    case WS_REORDER_HIT: return "<bits of the hit>";
    case WS_REORDER_PAYLOAD: return "<bits of the payload>";
    default: return "<value that the branch asks for>";
    }
}

/* Lines of the three languages, for a call that traces a ray, by the shader that it hits; the same with a hint of some bits
 * beside it; and for a call of a callable shader. */
static const char *const traced[WS_REORDER_LANGUAGES] = {
    "GLSL   hitObjectEXT hit; hitObjectTraceRayEXT(hit, <what traceRayEXT is given>); reorderThreadEXT(hit); "
    "hitObjectExecuteShaderEXT(hit, <payload>);",
    "HLSL   dx::HitObject hit = dx::HitObject::TraceRay(<what TraceRay is given>); "
    "dx::MaybeReorderThread(hit); dx::HitObject::Invoke(hit, <payload>);",
    "Slang  HitObject hit = HitObject.TraceRay(<what TraceRay is given>); ReorderThread(hit); "
    "HitObject.Invoke(<structure>, hit, <payload>);"};
static const char *const hinted[WS_REORDER_LANGUAGES] = {
    "GLSL   hitObjectEXT hit; hitObjectTraceRayEXT(hit, <what traceRayEXT is given>); reorderThreadEXT(hit, "
    "%s, %" PRIu32 "); hitObjectExecuteShaderEXT(hit, <payload>);",
    "HLSL   dx::HitObject hit = dx::HitObject::TraceRay(<what TraceRay is given>); "
    "dx::MaybeReorderThread(hit, %s, %" PRIu32 "); dx::HitObject::Invoke(hit, <payload>);",
    "Slang  HitObject hit = HitObject.TraceRay(<what TraceRay is given>); ReorderThread(hit, %s, %" PRIu32
    "); HitObject.Invoke(<structure>, hit, <payload>);"};
static const char *const called[WS_REORDER_LANGUAGES] = {
    "GLSL   reorderThreadEXT(%s, %" PRIu32 "); executeCallableEXT(<as before>);",
    "HLSL   dx::MaybeReorderThread(%s, %" PRIu32 "); CallShader(<as before>);",
    "Slang  ReorderThread(%s, %" PRIu32 "); CallShader(<as before>);"};

/* The bits of the hint: those that the shader does not take, which the hit object tells. */
static uint32_t hint_bits(const struct ws_reorder_results *results, const struct ws_reorder_gain *gain)
{
    const uint32_t bits = ws_reorder_bits(gain->sums.values);
    const uint32_t found = ws_reorder_bits_found(results, gain->site, gain->key);
    return found > 0 ? found : bits;
}

bool ws_reorder_may_sort(const struct ws_reorder_results *results, const struct ws_reorder_gain *gain)
{
    return results->catalog->shaders[gain->site >> 32].stage == WS_STAGE_RAYGEN ||
           ws_reorder_parting(results, gain->site) != NULL;
}

void ws_reorder_line(const struct ws_reorder_results *results, const struct ws_reorder_gain *gain,
                     uint32_t language, char *text, size_t size)
{
    char name[NAME_SIZE];
    const uint32_t bits = hint_bits(results, gain);
    if (ws_reorder_parting(results, gain->site) != NULL) {
        snprintf(text, size, "%s", ws_reorder_parting_line(results, gain, language));
        return;
    }
    ws_call_name(results->catalog, (uint32_t)(gain->site >> 32), (uint32_t)gain->site, name, sizeof(name));
    if (strstr(name, "executeCallable") != NULL)
        snprintf(text, size, called[language],
                 gain->key <= WS_REORDER_CALLED ? "<index of the callable>" : hint_of((uint32_t)gain->key),
                 bits);
    else if (gain->key == WS_REORDER_SHADER)
        snprintf(text, size, "%s", traced[language]);
    else
        snprintf(text, size, hinted[language], hint_of((uint32_t)gain->key), bits);
}

/* How threads would be sorted at one call site. */
static void print_gain(const struct ws_reorder_results *results, const struct ws_reorder_gain *gain,
                       FILE *stream)
{
    const struct ws_reorder_sums *sums = &gain->sums;
    const uint32_t shader = (uint32_t)(gain->site >> 32);
    char name[NAME_SIZE];
    char by[NAME_SIZE];
    char line[2 * NAME_SIZE];
    const struct ws_parting *parting = ws_reorder_parting(results, gain->site);
    ws_reorder_site_name(results, gain->site, name, sizeof(name));
    ws_reorder_by(results, gain->site, gain->key, by, sizeof(by));
    fprintf(
        stream,
        "  At %s (%s), by %s%s%s%s: saves up to %.1f %% of the slots behind it. Possible: what sorting costs "
        "on a device is assumed%s.\n",
        name, ws_shader_name(results->catalog, shader), ws_reorder_gain_words(results, gain),
        by[0] != '\0' ? " (" : "", by, by[0] != '\0' ? ")" : "",
        100 * ((double)(sums->slots - sums->slots_after) / (double)sums->slots),
        parting != NULL && parting->loop ? ", and that the program can know that before the loop"
        : gain->key == WS_REORDER_BRANCH && parting == NULL
            ? ", and that the program can know that way before the call"
            : "");
    if (!ws_reorder_may_sort(results, gain))
        fputs("    But " WS_REORDER_ELSEWHERE ".\n", stream);
    for (uint32_t i = 0; i < WS_REORDER_LANGUAGES && ws_reorder_may_sort(results, gain); ++i) {
        ws_reorder_line(results, gain, i, line, sizeof(line));
        fprintf(stream, "    %s\n", line);
    }
}

bool ws_reorder_print_lines(const struct ws_reorder_results *results, FILE *stream)
{
    struct ws_reorder_gain *gains = NULL;
    uint32_t count = 0;
    const bool found = ws_reorder_gains(results, results->worth, &gains, &count);
    for (int parts = 0; parts < 2 && found; ++parts) {
        uint32_t told = 0;
        for (uint32_t i = 0; i < count && told < SITES_MAX; ++i) {
            if (gains[i].parts != (parts == 1))
                continue;
            if (told++ == 0)
                fputs(parts == 0 ? "\nWhat to write (VK_EXT_ray_tracing_invocation_reorder); or sort between "
                                   "launches by the same key\n"
                                 : "\nWhat to write in compute shaders\n",
                      stream);
            print_gain(results, &gains[i], stream);
        }
    }
    free(gains);
    return found;
}
