/* Which process this is, for what a fork's child must not touch: it has the memory of its parent, but none of its threads. */
#ifndef WS_LAYER_PROCESS_PROCESS_ID_H
#define WS_LAYER_PROCESS_PROCESS_ID_H

/* The number of this process, as getpid() has it, without a call of the system each time. Thread-safe, and takes no lock. */
int ws_process_id(void);

#endif
