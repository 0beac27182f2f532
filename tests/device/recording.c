/* usage: recording LEAST PROGRAM [ARGUMENT…]
 * Runs an example below the layer and holds the records of its capture against the counters: at least LEAST
 * blocks of shaders in launches must agree, and none may differ. With sampling LEAST is of ray
 * generation's threads: not all warps may have entered, and what rays call must belong to those that did. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/recorded_streams.h"

int main(int argc, char **argv)
{
    char capture[64], picture[64];
    if (argc < 3)
        return 2;
    snprintf(capture, sizeof(capture), "/tmp/warpscope-recording-%ld.wscope", (long)getpid());
    snprintf(picture, sizeof(picture), "/tmp/warpscope-recording-%ld.png", (long)getpid());
    setenv("WARPSCOPE_OUTPUT", capture, 1);
    char **arguments = calloc((size_t)argc + 2, sizeof(*arguments));
    if (arguments == NULL)
        return 1;
    for (int i = 2; i < argc; i++)
        arguments[i - 2] = argv[i];
    arguments[argc - 2] = (char *)"-o";
    arguments[argc - 1] = picture;
    const pid_t child = fork();
    if (child == 0) {
        execv(arguments[0], arguments);
        _exit(127);
    }
    free(arguments);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 1;
    if (WEXITSTATUS(status) == 3) /* no device that can do it */
        return 77;
    struct recorded_streams streams = {0};
    const bool good = WEXITSTATUS(status) == 0 && recorded_check_streams(&streams, capture);
    unlink(capture);
    unlink(picture);
    printf("%llu threads launched, %llu strays; ", (unsigned long long)streams.launched,
           (unsigned long long)streams.strays);
    printf("%u launches, %u entries, %llu places of %llu lanes in %llu words; %u blocks agree\n",
           streams.launches, streams.entries, (unsigned long long)streams.places,
           (unsigned long long)streams.lanes, (unsigned long long)streams.words, streams.compared);
    const uint64_t most = 4 * (uint64_t)atoi(argv[1]);
    if (streams.sampled)
        return good && streams.missing == 0 && streams.launched >= (unsigned)atoi(argv[1]) &&
                       streams.launched <= most && streams.strays == 0 &&
                       streams.entries > streams.launched / 8
                   ? 0
                   : 1;
    return good && streams.entries > 0 && streams.missing == 0 && streams.lost == 0 &&
                   streams.compared >= (unsigned)atoi(argv[1])
               ? 0
               : 1;
}
