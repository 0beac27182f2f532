#include "warpscope/code/census.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/code/opcodes.h"
#include "warpscope/base/text.h"

#define HEADER_WORDS 5
#define NEAREST      3

/* Whether an OpExtInstImport of `length` words is that of GLSL.std.450. Texts in SPIR-V are little-endian words. */
static bool is_glsl(const uint32_t *words, uint32_t length)
{
    static const char name[] = "GLSL.std.450";
    if (length < 2 + (sizeof(name) + 3) / 4)
        return false;
    for (size_t i = 0; i < sizeof(name); i++)
        if ((char)(words[2 + i / 4] >> i % 4 * 8 & 0xff) != name[i])
            return false;
    return true;
}

void ws_census_add(struct ws_census *census, const uint32_t *words, size_t word_count)
{
    uint32_t glsl = 0; /* id of the set; no id is 0 */
    for (size_t at = HEADER_WORDS; at < word_count;) {
        const uint32_t length = words[at] >> 16;
        const uint32_t opcode = words[at] & 0xffff;
        if (length == 0 || length > word_count - at)
            return;
        if (opcode < WS_CENSUS_OPCODES)
            census->opcodes[opcode]++;
        if (opcode == SpvOpExtInstImport && is_glsl(words + at, length))
            glsl = words[at + 1];
        if (opcode == SpvOpExtInst && length > 4 && words[at + 3] == glsl &&
            words[at + 4] < WS_CENSUS_EXTENDED)
            census->extended[words[at + 4]]++;
        at += length;
    }
}

uint64_t ws_census_of(const struct ws_census *census, uint32_t wanted)
{
    const uint32_t opcode = WS_PROBE_OPCODE_OF(wanted);
    const uint32_t extended = WS_PROBE_EXTENDED_OF(wanted);
    if (extended != 0)
        return extended - 1 < WS_CENSUS_EXTENDED ? census->extended[extended - 1] : 0;
    return opcode < WS_CENSUS_OPCODES ? census->opcodes[opcode] : 0;
}

/* The most frequent instructions but those that a rule wants. */
struct nearest {
    const struct ws_census *census;
    const struct ws_probe_rule *rule;
    uint32_t wanted[NEAREST];
    uint64_t counts[NEAREST];
};

static void take_present(void *user, uint32_t wanted)
{
    struct nearest *nearest = user;
    uint64_t count = ws_census_of(nearest->census, wanted);
    for (uint32_t i = 0; i < nearest->rule->opcode_count; i++)
        if (nearest->rule->opcodes[i] == wanted)
            return;
    for (size_t i = 0; i < NEAREST; i++)
        if (nearest->counts[i] > 0 && nearest->wanted[i] == wanted)
            return;
    for (size_t i = 0; i < NEAREST; i++)
        if (count > nearest->counts[i]) {
            const uint64_t other = nearest->counts[i];
            const uint32_t other_wanted = nearest->wanted[i];
            nearest->counts[i] = count;
            nearest->wanted[i] = wanted;
            count = other;
            wanted = other_wanted;
        }
}

struct search {
    uint32_t wanted;
    bool found;
};

static void take_search(void *user, uint32_t wanted)
{
    struct search *search = user;
    search->found = search->found || wanted == search->wanted;
}

/* Others of the families that an instruction belongs to; a function of GLSL.std.450 belongs with all such. */
static void find_nearest(struct nearest *nearest)
{
    const uint32_t first = nearest->rule->opcodes[0];
    for (uint32_t i = 0; WS_PROBE_EXTENDED_OF(first) != 0 && i < WS_CENSUS_EXTENDED; i++)
        take_present(nearest, WS_PROBE_EXTENDED(i));
    for (const struct ws_opcode_family *family = ws_opcode_families; family->name != NULL; family++) {
        struct search search = {first, false};
        ws_opcodes_find(family->name, take_search, &search);
        if (search.found)
            ws_opcodes_find(family->name, take_present, nearest);
    }
    if (nearest->counts[0] == 0)
        ws_opcodes_find("Op*", take_present, nearest);
}

static bool has_filter(const struct ws_probe_rule *rule)
{
    return rule->stages != 0 || rule->storage != 0 || rule->shader[0] != '\0' || rule->function[0] != '\0' ||
           rule->file[0] != '\0' || rule->line_last != 0;
}

const char *ws_census_explain(const struct ws_census *census, const struct ws_probe_rule *rule,
                              const char *who, char *text, size_t size)
{
    struct nearest nearest = {.census = census, .rule = rule};
    uint64_t count = 0;
    for (uint32_t i = 0; i < rule->opcode_count; i++)
        count += ws_census_of(census, rule->opcodes[i]);
    const bool is_loop = rule->place >= WS_PROBE_LOOP_BEGIN && rule->place <= WS_PROBE_LOOP_END;
    if (rule->opcode_count == 0) {
        snprintf(text, size,
                 is_loop && census->opcodes[SpvOpLoopMerge] == 0 ? "%s no loop"
                 : has_filter(rule)                              ? "%s none that its filters let pass"
                                                                 : "%s none",
                 who);
        return text;
    }
    if (count > 0) {
        snprintf(text, size, "%s %" PRIu64 " such instruction%s, but %s", who, count, ws_plural(count, "s"),
                 has_filter(rule) ? "the filters let none pass, or no function fits"
                                  : "no function fits, or no entry point reaches them");
        return text;
    }
    find_nearest(&nearest);
    size_t used = (size_t)snprintf(text, size, "%s ", who);
    for (size_t i = 0; i < NEAREST && nearest.counts[i] > 0 && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%" PRIu64 " %s, ", nearest.counts[i],
                                 ws_opcode_word(nearest.wanted[i]));
    if (used < size)
        snprintf(text + used, size - used, "no %s", ws_opcode_word(rule->opcodes[0]));
    return text;
}
