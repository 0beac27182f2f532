/* Broken modules: real ones cut short, with flipped bits, exchanged words and moved instructions. Each must
 * give a result or an error with a message, whatever it is; under sanitizers (scripts/test) also without
 * undefined behaviour.
 *
 *   instrument ROUNDS SHADER.spv... */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/instrument.h"

#define WORDS_MAX (1u << 20)

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % bound);
}

/* Breaks `words` in one way; returns how many are left. */
static uint32_t break_words(uint32_t *words, uint32_t count)
{
    const uint32_t at = random_below(count);
    const uint32_t other = random_below(count);
    switch (random_below(6)) {
    case 0: return at;
    case 1: words[at] ^= 1u << random_below(32); break;
    case 2: words[at] = words[other]; break;
    case 3: words[at] = random_below(2) == 0 ? random_below(64) : UINT32_MAX - random_below(4); break;
    case 4: words[at] = (words[at] & 0xffff0000u) | random_below(6000); break; /* often another opcode */
    default: {
        /* A run of words over another */
        const uint32_t highest = at > other ? at : other;
        const uint32_t room = count - highest;
        memmove(&words[at], &words[other], (1 + random_below(room)) % 16 * sizeof(*words));
        break;
    }
    }
    return count;
}

static bool try(const uint32_t *words, uint32_t count, const char *path)
{
    static const char *const passes[] = {"simt_efficiency",   "execution_trace", "divergence",
                                         "thread_compaction", "warp_entry_exit", "ray_events"};
    const uint32_t first = random_below(6);
    const struct ws_instrument_options options = {
        .passes = &passes[first],
        .pass_count = 1 + random_below(6 - first),
        .per_block = random_below(4) == 0,
        .subgroup_stages = random_below(4) == 0 ? WS_STAGE_COMPUTE : 0,
        .max_sites = random_below(4) == 0 ? random_below(5) : 0,
    };
    struct ws_error error = {0};
    struct ws_instrumented *result = ws_instrument(words, count, &options, &error);
    const bool good = result == NULL ? error.message[0] != '\0' : error.message[0] == '\0';
    if (!good)
        fprintf(stderr, "%s: %s\n", path, result == NULL ? "no message" : error.message);
    ws_instrumented_destroy(result);
    return good;
}

int main(int argc, char **argv)
{
    static uint32_t original[WORDS_MAX];
    static uint32_t broken[WORDS_MAX];
    bool good = argc > 2;
    const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    for (int i = 2; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        const uint32_t count =
            file == NULL ? 0 : (uint32_t)fread(original, sizeof(*original), WORDS_MAX, file);
        if (file != NULL)
            fclose(file);
        good = count > 0 && good;
        for (unsigned long round = 0; round < rounds && good; round++) {
            uint32_t left = count;
            memcpy(broken, original, count * sizeof(*original));
            for (uint32_t breaks = 1 + random_below(3); breaks > 0 && left > 0; breaks--)
                left = break_words(broken, left);
            /* In memory of its own size, so that reading past the end shows. */
            uint32_t *exact = malloc(left * sizeof(*exact) + 1);
            if (exact == NULL)
                return EXIT_FAILURE;
            memcpy(exact, broken, left * sizeof(*exact));
            good = try(exact, left, argv[i]);
            free(exact);
        }
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
