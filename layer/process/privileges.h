/* Whether the process has more rights than who started it. */
#ifndef WS_LAYER_PROCESS_PRIVILEGES_H
#define WS_LAYER_PROCESS_PRIVILEGES_H

#include <stdbool.h>

/* True where the program is set-user-id or set-group-id, has file capabilities, or where a security module
 * says so (AT_SECURE, getauxval(3)), and also while the effective user or group is not the real one. Whoever
 * started such a program chooses its environment and its working directory, but must not choose the files
 * that it reads and writes. So the layer does nothing in it. Thread-safe. */
bool ws_process_is_privileged(void);

#endif
