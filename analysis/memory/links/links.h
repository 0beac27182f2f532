/* Links between the elements of buffers, from the order in which threads load them: the four analyses of "Reconstructing
 * Bounding Volume Hierarchies from Memory Traces of Ray Tracers" (von Buelow, Stensbeck, Knauthe, Guthe and Fellner, 2022;
 * in "Visual Performance Analysis of Ray Tracing" (2024) section 3.3.2). They look at addresses alone, and at no value.
 *
 * ELEMENT: what a buffer is an array of, such as a node. It is known by the address where it begins.
 * A thread VISITS an element where it loads from it, and what it loaded last from that buffer was another one.
 * A LINK leads from an element to the one that a thread visited next. Its WEIGHT is how many times, by analysis:
 *   consecutive  both are of one buffer, and the thread visited no other of that buffer between them
 *   across       they are of two buffers, and the thread loaded from no element between them
 *   linear       consecutive, and the second lies behind the first, as the faces of a leaf do
 *   stack        the thread read a word that it had stored itself, and the first is what it had loaded from last when it
 *                stored: it laid the second by, and came back to it. Such a visit has no other link: what it had loaded from
 *                before has nothing to do with it. The paper refines links by its stack analysis; here that is how.
 *
 * By hand: node 0 has the children 1 and 4, node 1 the leaf with the faces 0 and 1. A thread loads node 0, stores "4", loads
 * node 1, faces 0 and 1, reads "4", loads node 4. Links: 0 -> 1 consecutive (and linear), 1 -> face 0 across, face 0 -> face 1
 * consecutive and linear, 0 -> 4 by the stack.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_LINKS_LINKS_H
#define WS_ANALYSIS_MEMORY_LINKS_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/base/id_map.h"

#define WS_LINK_BUFFERS_MAX 65535

enum ws_link_kind {
    WS_LINK_CONSECUTIVE,
    WS_LINK_ACROSS,
    WS_LINK_LINEAR,
    WS_LINK_STACK,
    WS_LINK_KINDS,
};

/* One of an array of descriptors is one of its own. */
struct ws_link_buffer {
    const char *name;    /* whose address is what tells buffers apart; not owned */
    uint32_t descriptor; /* in an array of descriptors; 0 where there is none */
    uint64_t begin;      /* address of the first element */
    uint64_t stride;     /* bytes from one element to the next; 0 = not known */
    uint64_t visits;
};

struct ws_link_element {
    uint32_t buffer;
    uint64_t address; /* below 2^48 */
    uint64_t visits;
    uint64_t first; /* threads that visit it first of its buffer */
};

struct ws_link {
    uint32_t from; /* elements */
    uint32_t to;
    uint64_t weights[WS_LINK_KINDS];
};

/* Zero-initialised is empty. Each list is in no order that means anything. */
struct ws_links {
    struct ws_link_buffer *buffers;
    uint32_t buffer_count;
    uint32_t buffer_capacity;
    struct ws_link_element *elements;
    uint32_t element_count;
    uint32_t element_capacity;
    struct ws_id_map element_ids; /* buffer << 48 | address -> index */
    struct ws_link *links;
    uint32_t link_count;
    uint32_t link_capacity;
    struct ws_id_map link_ids; /* from << 32 | to -> index */
};

void ws_links_finish(struct ws_links *links);

/* The buffer of that name and descriptor; a new one has what the others say. False when there is no memory, or there are
 * WS_LINK_BUFFERS_MAX. */
bool ws_links_buffer(struct ws_links *links, const struct ws_link_buffer *buffer, uint32_t *index);

/* The element that begins at an address. */
bool ws_links_element(struct ws_links *links, uint32_t buffer, uint64_t address, uint32_t *index);

/* The same, where it is known already. False where it is not. */
bool ws_links_find(const struct ws_links *links, uint32_t buffer, uint64_t address, uint32_t *index);

/* Adds to the weight of a link. */
bool ws_links_add(struct ws_links *links, uint32_t from, uint32_t to, enum ws_link_kind kind,
                  uint64_t weight);

/* Adds all of `other`: the links of another view. */
bool ws_links_merge(struct ws_links *links, const struct ws_links *other);

/* The way of threads through elements. Zero-initialised, but for `links`, has met none. */
struct ws_link_walk {
    struct ws_links *links;
    struct ws_link_thread *threads; /* by slot */
    uint32_t thread_count;
    uint32_t thread_capacity;
    uint32_t *last; /* per slot and buffer: the element that it loaded from last + 1; 0 = none */
    uint32_t buffer_count;
    uint32_t last_capacity;
    uint32_t *slots; /* by number of the thread: its slot + 1; 0 = none */
    uint32_t slot_capacity;
    uint32_t free;           /* slots that threads left: the first + 1 */
    struct ws_id_map stored; /* buffer << 48 | address of a word -> index in `words` */
    struct ws_link_word *words;
    uint32_t word_count;
    uint32_t word_capacity;
};

/* `buffer_count`: how many buffers `links` will have at most while the walk goes on. */
bool ws_link_walk_init(struct ws_link_walk *walk, struct ws_links *links, uint32_t buffer_count);
void ws_link_walk_finish(struct ws_link_walk *walk);

/* A thread loads from an element. `thread`: any number; memory is used up to the largest one. */
bool ws_link_walk_load(struct ws_link_walk *walk, uint32_t thread, uint32_t buffer, uint64_t address);

/* A thread stores a word, or loads one, in memory that is written. `place` tells words apart. */
bool ws_link_walk_store(struct ws_link_walk *walk, uint32_t thread, uint64_t place);
bool ws_link_walk_read(struct ws_link_walk *walk, uint32_t thread, uint64_t place);

/* A thread has ended. */
void ws_link_walk_end(struct ws_link_walk *walk, uint32_t thread);

#endif
