/* Runs a fuzz target without libFuzzer, always in the same way:
 *
 *   TARGET RUNS FILE|FOLDER...    each file, then RUNS changed ones
 *
 * The input that made the target fail is left in fuzz-failed, in the current directory. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUTS_MAX 4096
#define SIZE_MOST  ((size_t)1 << 20)
#define CHANGES    4 /* of every fourth input; the others have one */

struct input {
    uint8_t *data;
    size_t size;
};

static struct input inputs[INPUTS_MAX];
static size_t input_count;
static uint64_t byte_state = 1;
static const uint8_t *running;
static size_t running_size;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity)
{
    const size_t at = (size_t)fuzz_below(&byte_state, size + 1);
    const size_t length = 1 + (size_t)fuzz_below(&byte_state, 8);
    switch (fuzz_below(&byte_state, 4)) {
    case 0:
        if (at < size)
            data[at] ^= (uint8_t)(1u << fuzz_below(&byte_state, 8));
        return size;
    case 1:
        if (at < size)
            data[at] = (uint8_t)fuzz_random(&byte_state);
        return size;
    case 2:
        if (size + length > capacity)
            return size;
        memmove(data + at + length, data + at, size - at);
        memset(data + at, (int)fuzz_below(&byte_state, 256), length);
        return size + length;
    default:
        if (at + length > size)
            return size;
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    }
}

/* In a signal handler. */
static void keep_input(int number)
{
    const int file = open("fuzz-failed", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0 && write(file, running, running_size) == (ssize_t)running_size)
        close(file);
    signal(number, SIG_DFL);
    raise(number);
}

/* The input is in memory of its own size, so that reading past the end shows. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL)
        abort();
    if (size > 0)
        memcpy(exact, data, size);
    running = exact;
    running_size = size;
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static bool load_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(SIZE_MOST);
    if (file == NULL || data == NULL || input_count == INPUTS_MAX) {
        fprintf(stderr, "cannot read '%s'\n", path);
        return false;
    }
    const size_t size = fread(data, 1, SIZE_MOST, file);
    fclose(file);
    inputs[input_count++] = (struct input){data, size};
    return true;
}

static bool load(const char *path)
{
    struct stat status;
    struct dirent **entries = NULL;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return load_file(path);
    const int count = scandir(path, &entries, NULL, alphasort); /* sorted: the same on every machine */
    bool loaded = count >= 0;
    for (int i = 0; i < count; ++i) {
        char whole[4096];
        snprintf(whole, sizeof(whole), "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            loaded = load(whole) && loaded;
        free(entries[i]);
    }
    free(entries);
    return loaded;
}

int main(int argument_count, char **arguments)
{
    uint64_t state = UINT64_C(0x2545f4914f6cdd1d);
    bool loaded = argument_count > 2;
    const long runs = argument_count > 1 ? strtol(arguments[1], NULL, 10) : 0;
    for (int i = 2; i < argument_count; ++i)
        loaded = load(arguments[i]) && loaded;
    uint8_t *data = malloc(SIZE_MOST);
    if (!loaded || input_count == 0 || data == NULL) {
        fputs("usage: TARGET RUNS FILE|FOLDER...\n", stderr);
        return 2;
    }
    signal(SIGABRT, keep_input);
    signal(SIGSEGV, keep_input);
    for (size_t i = 0; i < input_count; ++i)
        run(inputs[i].data, inputs[i].size);
    for (long i = 0; i < runs; ++i) {
        const struct input *input = &inputs[fuzz_below(&state, input_count)];
        size_t size = input->size;
        memcpy(data, input->data, size);
        for (uint64_t j = fuzz_below(&state, 4) == 0 ? CHANGES : 1; j > 0; --j)
            size = LLVMFuzzerCustomMutator(data, size, SIZE_MOST, (unsigned)fuzz_random(&state));
        run(data, size);
    }
    for (size_t i = 0; i < input_count; ++i)
        free(inputs[i].data);
    free(data);
    return 0;
}
