/* The order of submissions on several queues.
 *
 * Queues run side by side. Most submissions of two queues have nothing in common that is the layer's: they run
 * different shaders, so they count in different rows. The layer leaves those alone. Two submissions must not
 * run at the same time if
 *   - they run the same shader. Its counter rows exist once per device, because a shader cannot know on which
 *     queue it runs, and a launch ends by copying its rows and clearing them;
 *   - one of them appends to the record stream, and the other runs shaders that would append to it too. The
 *     control block of the stream exists once per device, for the same reason;
 *   - one of them zeroes new rows that the other counts in.
 * Then the later one waits for the earlier one on the device, by a timeline semaphore. Nobody waits on the
 * host. An example, where A and B run the same shader and C another one:
 *
 *     queue 0   A
 *     queue 1   wait for A, B
 *     queue 2   C
 *
 * Each queue of a device with several queues has such a semaphore of ours, its order semaphore. What follows
 * each submission with launches signals the semaphore's next value (`signal` in submission.h). The wait is a
 * submission of ours in front of the application's: a semaphore that is waited for holds up everything that
 * is later in submission order on the queue (the specification, "Semaphore Waiting").
 *
 * A submission is not waited for if it might never end by what is submitted so far (timeline.h): the
 * application may have to see the later one end before it lets the earlier one go on. Both run at the same
 * time then. Their counts may be mixed, which the capture says, and their records are lost, which is
 * counted.
 *
 * New counter rows (counters.h) are zeroed by the same submission of ours, before the first submission that
 * runs their shader. The order semaphore tells other queues when that has been done. Rows that are not known
 * to be zeroed hold no counts: the submission's launches are lost then.
 *
 * All with the submission lock entered. */
#ifndef WS_LAYER_SUBMIT_ORDER_H
#define WS_LAYER_SUBMIT_ORDER_H

#include <stdbool.h>

struct ws_device;
struct ws_queue;
struct ws_submission;

/* Puts a submission that is planned, and about to be submitted, in its place: submits what waits for other
 * queues' submissions, and what zeroes new rows. `records`: its records are wanted. Marks what is mixed. False
 * if some rows may hold anything but zeroes: then no count of the submission means anything. */
bool ws_order_begin(struct ws_device *device, struct ws_submission *submission, bool records);

/* Submits what closes the record stream that the host left open (commands/stream_control.h), before a submission to `queue`
 * that may append. It waits, as that does, for what appends on other queues. False if that failed. */
bool ws_order_close_stream(struct ws_device *device, struct ws_queue *queue);

/* Whether ws_order_end has an order semaphore to signal, so that it always needs a submission of its own. */
bool ws_order_signals(struct ws_device *device, struct ws_submission *submission);

/* Submits, after the batches of `submission`, what signals its fence and the order semaphore. False if that
 * failed, and no end of this submission will be known. */
bool ws_order_end(struct ws_device *device, struct ws_submission *submission);

#endif
