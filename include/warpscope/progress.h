/* How far a recording is: memory that `warpscope record` shares with the layer in the programs that it starts.
 *
 * The command makes a file in memory (memfd_create) of this struct's size, which can neither grow nor shrink
 * any more, and puts its path into the environment as WS_PROGRESS_VARIABLE: /proc/PROCESS/fd/NUMBER. The layer
 * maps it, and closes it at once: the program has no descriptor of it, and passes none on. A program that
 * cannot reach the path (a container with processes of its own, a sandbox) is recorded all the same, and the
 * command then shows what it can see from outside.
 *
 * The layer writes, the command reads. Every number is there to be looked at by people: none is needed for the
 * capture, and what another process writes here does no harm. */
#ifndef WARPSCOPE_PROGRESS_H
#define WARPSCOPE_PROGRESS_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#define WS_PROGRESS_VARIABLE "WARPSCOPE_PROGRESS"
#define WS_PROGRESS_MAGIC    UINT64_C(0x3173736572676f72) /* "rogress1" */

/* Captures of a run that are shown, at most: those of further processes are counted in nothing. */
#define WS_PROGRESS_CAPTURES 16

/* Between processes only what needs no lock may be shared. */
static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2, "atomics need no lock");

enum ws_progress_state {
    WS_PROGRESS_OPEN = 0,  /* more may come */
    WS_PROGRESS_WHOLE = 1, /* the last chosen frame or launch is in it */
    WS_PROGRESS_ENDED = 2, /* the program has destroyed its devices, or ends */
};

/* One capture. */
struct ws_progress_capture {
    _Atomic uint32_t process; /* that writes it; 0 = nobody has taken this part */
    _Atomic uint32_t state;   /* enum ws_progress_state */
    _Atomic uint64_t frames;  /* presents so far */
    _Atomic uint64_t submissions;
    _Atomic uint64_t launches; /* submitted, chosen or not */
    _Atomic uint64_t outside;  /* of these, outside the chosen range */
    _Atomic uint64_t written;  /* launches whose counts are in the file */
    _Atomic uint64_t records;  /* bytes of records in the file, before they are compressed */
    _Atomic uint64_t missing;  /* bytes of records that did not fit into the device's buffer */
    _Atomic uint64_t bytes;    /* of the file */
    _Atomic uint32_t waiting;  /* submissions that the device has not finished, or that are not written yet */
    _Atomic uint32_t pipelines;     /* that were made */
    _Atomic uint32_t instrumenting; /* shaders that the layer is instrumenting now */
    _Atomic uint32_t compiling;     /* shaders that the driver is compiling now */
};

struct ws_progress {
    uint64_t magic;
    _Atomic uint32_t instances; /* VkInstances that were asked for, with the layer loaded */
    _Atomic uint32_t devices;   /* VkDevices that were created, recorded or not */
    _Atomic int32_t refusal;    /* the VkResult of the last vkCreateInstance or vkCreateDevice that failed */
    _Atomic uint32_t failed;    /* how many of those calls failed */
    struct ws_progress_capture captures[WS_PROGRESS_CAPTURES];
};

#endif
