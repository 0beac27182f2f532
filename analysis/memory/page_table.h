/* Pages of the memory that was touched: pieces of a home (homes.h) of equally many bytes, from multiples of that on. Pages that
 * nothing touches have no number: so a table or picture of them is dense, as that of "Neutrino: Fine-grained GPU Kernel
 * Profiling via Programmable Probing" (OSDI 2025) is.
 *
 * ORDER. Homes that are allocations, or buffers that lie in none, come first, in the order in which the application made them;
 * then those that are not known, in the order in which they were touched. Pages of a home rise.
 * By hand, with pages of 4096 bytes: bytes 0, 100 and 8192 of one allocation are the pages 0 and 1 of the table: the second
 * begins at byte 8192.
 *
 * Of what requests come to by page: a REQUEST counts for each page that it touches, with the SECTORS and LINES that it
 * touches there and their hits and misses. A LANE counts with its BYTES where its first byte lies. So requests of pages
 * may be more than those of all; all else adds up.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_PAGE_TABLE_H
#define WS_ANALYSIS_MEMORY_PAGE_TABLE_H

#include "analysis/memory/requests.h"

#define WS_PAGE_USUAL  4096u
#define WS_PAGE_LEAST  256u
#define WS_PAGE_MOST   (1u << 30)
#define WS_PAGE_OWNERS 4 /* buffers of a page that are named */

/* A buffer: by what the application calls it, or where that is not known by what shaders do. */
struct ws_page_owner {
    uint32_t bound;     /* as in struct ws_bound_spot, resource */
    const char *buffer; /* text of the catalog; NULL = not known */
};

struct ws_page {
    uint64_t launch; /* that touched it first */
    uint64_t home;   /* key: struct ws_home */
    uint32_t memory; /* struct ws_bound_spot; WS_BOUND_UNKNOWN = not known */
    uint64_t begin;  /* byte of the home */
    struct ws_page_owner owners[WS_PAGE_OWNERS];
    uint32_t owner_count; /* more are not told */
    uint32_t home_number; /* of the table */
    uint32_t stamp;       /* the caller's own; 0 at first */
    uint32_t slot;
};

/* Zero-initialise, then set the first. */
struct ws_page_table {
    uint32_t bytes; /* of a page: a power of two from WS_PAGE_LEAST to WS_PAGE_MOST */
    struct ws_page *list;
    uint32_t count;
    uint32_t capacity;
    struct ws_id_map ids;
    struct ws_id_map memories;      /* for pages of several launches: */
    struct ws_id_map launches;      /* which home it is */
    struct ws_id_map unknown;       /* one of these, by its key */
    struct ws_id_map unknown_homes; /* the same of a launch */
    struct ws_id_map chunks;        /* that and which of its 4 GiB */
    uint32_t launch_count;
    uint32_t unknown_count;
    uint32_t home_count;
    uint32_t chunk_count;
    uint64_t last_key; /* of `ids` */
    uint32_t last;
    bool has_last;
};

void ws_page_table_finish(struct ws_page_table *table);

/* The number of the page of a line, in a table of one launch. False when there is no memory. */
bool ws_page_table_find(struct ws_page_table *table, uint64_t launch, const struct ws_request_memory *memory,
                        uint64_t line, uint32_t *number);

/* Notes that a buffer was touched there. */
void ws_page_note(struct ws_page *page, uint32_t bound, const char *buffer);

/* The number of a page of another table in one of several launches, which notes its buffers. What is not known is of one launch
 * alone. False when there is no memory. */
bool ws_page_table_take(struct ws_page_table *table, const struct ws_page *page, uint32_t *number);

/* Numbers of a table's pages in their order, for the caller to free. NULL when there is no memory. */
uint32_t *ws_page_table_order(const struct ws_page_table *table);

/* Names: of the home, "allocation 7"; of the buffers, "vertices, indices": as the application calls them, else the shader that
 * touched them first. */
void ws_page_home_text(const struct ws_catalog *catalog, const struct ws_page *page, char *text, size_t size);
void ws_page_owners_text(const struct ws_catalog *catalog, const struct ws_page *page, char *text,
                         size_t size);

#endif
