/* Writes the blob of the probe that is made by hand, for tests of the layer.
 *
 *   made_blob OUT.wsprobe UNIT.spv UNIT_FRAGMENT.spv UNIT_DEMOTE.spv
 *
 * Where entry points begin, it yields one value to sum_uint; where lanes end, it counts one. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/probes/made.h"

int main(int argc, char **argv)
{
    const struct ws_probe_rule rules[] = {
        MADE_RULE(WS_PROBE_ENTRY_BEGIN, NULL, 0, MADE_LEFT, 1),
        MADE_RULE(WS_PROBE_ENTRY_END, NULL, 0, MADE_END, 1),
    };
    struct ws_error error = {{0}};
    size_t count = 0;
    if (argc != 5)
        return 2;
    const struct ws_probe tables = made_tables(argv + 2, rules, 2);
    uint32_t *words = ws_probe_write(&tables, &count, &error);
    FILE *file = words != NULL ? fopen(argv[1], "wb") : NULL;
    bool good = file != NULL && fwrite(words, sizeof(*words), count, file) == count;
    if (file != NULL)
        good = fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
    free(words);
    for (int i = 0; i < WS_PROBE_UNIT_COUNT; i++)
        free((uint32_t *)tables.units[i].words);
    return good ? 0 : 1;
}
