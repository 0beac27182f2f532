/* The built-in passes: their names, and the tags of their sites.
 *
 * A site belongs to one pass and carries a tag that the pass chose (struct ws_site_info). An analysis asks for the
 * sites of one pass by name and tells them apart by tag; it never looks at the sites of another pass. So what one
 * pass records changes no figure of another.
 *
 *   ws_visit_count_place(visit, WS_TAG_WARP_ENTRY_EXIT_ENTRY);          the pass, at an entry point
 *   site->pass == pass && site->tag == WS_TAG_WARP_ENTRY_EXIT_ENTRY     its analysis
 *
 * A tag means something only together with its pass: two passes may use the same number. A capture may hold tags that
 * its reader does not know, of a pass that has learned since; an analysis ignores those. The tags of ray_events are
 * enum ws_ray_event (ray_events.h). The pass time has no sites. */
#ifndef WARPSCOPE_PASSES_H
#define WARPSCOPE_PASSES_H

#define WS_PASS_SIMT_EFFICIENCY   "simt_efficiency"
#define WS_PASS_EXECUTION_TRACE   "execution_trace"
#define WS_PASS_DIVERGENCE        "divergence"
#define WS_PASS_THREAD_COMPACTION "thread_compaction"
#define WS_PASS_WARP_ENTRY_EXIT   "warp_entry_exit"
#define WS_PASS_RAY_EVENTS        "ray_events"
#define WS_PASS_MEMORY_ACCESS     "memory_access"
#define WS_PASS_MEMORY_TRACE      "memory_trace"
#define WS_PASS_MEMORY_CHECK      "memory_check"
#define WS_PASS_PAYLOADS          "payloads"
#define WS_PASS_WARP_TIME         "warp_time"
#define WS_PASS_TIME              "time"

enum ws_simt_efficiency_tag {
    WS_TAG_SIMT_EFFICIENCY_BLOCK = 0, /* counted: the executions of a block */
};

enum ws_execution_trace_tag {
    WS_TAG_EXECUTION_TRACE_BLOCK = 0, /* where a block begins */
    WS_TAG_EXECUTION_TRACE_END = 1,   /* where lanes end */
};

enum ws_divergence_tag {
    WS_TAG_DIVERGENCE_BLOCK = 0,  /* where a block begins */
    WS_TAG_DIVERGENCE_CALL = 1,   /* before an instruction that runs other shaders */
    WS_TAG_DIVERGENCE_RETURN = 2, /* after it */
    WS_TAG_DIVERGENCE_END = 3,    /* where lanes end */
};

enum ws_thread_compaction_tag {
    WS_TAG_THREAD_COMPACTION_CALL_SITE = 0, /* before traceRay, executeCallable, a ray query's proceed, ... */
    WS_TAG_THREAD_COMPACTION_CALL = 1,      /* before an OpFunctionCall that leads to a call site */
    WS_TAG_THREAD_COMPACTION_SYNC = 2,      /* where a block begins that is a sync point */
    WS_TAG_THREAD_COMPACTION_END = 3,       /* where lanes end */
};

/* The entry of a shader, its ends by the instruction that ends it, and what tells how lanes come there. */
enum ws_warp_entry_exit_tag {
    WS_TAG_WARP_ENTRY_EXIT_ENTRY = 0,
    WS_TAG_WARP_ENTRY_EXIT_RETURN = 1,               /* OpReturn of the entry point's function */
    WS_TAG_WARP_ENTRY_EXIT_KILL = 2,                 /* OpKill */
    WS_TAG_WARP_ENTRY_EXIT_TERMINATE_INVOCATION = 3, /* OpTerminateInvocation */
    WS_TAG_WARP_ENTRY_EXIT_DEMOTE = 4,               /* OpDemoteToHelperInvocation */
    WS_TAG_WARP_ENTRY_EXIT_IGNORE = 5,               /* OpIgnoreIntersectionKHR, NV */
    WS_TAG_WARP_ENTRY_EXIT_TERMINATE_RAY = 6,        /* OpTerminateRayKHR, NV */
    WS_TAG_WARP_ENTRY_EXIT_MESH_TASKS = 7,           /* OpEmitMeshTasksEXT */
    WS_TAG_WARP_ENTRY_EXIT_UNREACHABLE = 8,          /* OpUnreachable */
    WS_TAG_WARP_ENTRY_EXIT_OTHER = 9,                /* anything else that ends a shader */
    WS_TAG_WARP_ENTRY_EXIT_ABORT = 10,               /* OpAbortKHR */
    /* These are no ends: */
    WS_TAG_WARP_ENTRY_EXIT_RETURNED = 11, /* behind the entry point's function: all its OpReturn lead there */
    WS_TAG_WARP_ENTRY_EXIT_REPORT = 12,   /* before OpReportIntersectionKHR */
    WS_TAG_WARP_ENTRY_EXIT_REPORTED = 13, /* after it */
};

/* Sites of kind WS_SITE_ACCESS, one for each row of an access (warpscope/spirv/access.h). The tag of the first says what the
 * access is, so that no reader needs the code: kind, memory, bytes of the smallest number in it as power of two, bytes in
 * all (ASSUMED: the shader does not say them, access.h), and where its address is a constant (FIXED) that modulo 128. Its other
 * rows follow without gaps, and have the tag WS_TAG_MEMORY_ACCESS_MORE. Rows are histograms: word n-1 of R rows together tells
 * how many executions by warps had n of what is counted.
 *
 *   Workgroup   passes over its banks: as many rows as the access has words of 4 bytes
 *   others      distinct sectors of 32 bytes: ws_access_pieces(size, unit, 32) rows; then
 *               distinct lines of 128 bytes: ws_access_pieces(size, unit, 128) rows. Executions with one sector are not
 *               in them: they touch one line
 *   shifts      texels whose size the shader does not say: WS_TEXEL_SHIFT_ROWS rows, whose words are no histogram
 *               (texel_shifts.h)
 *   fixed       none: each execution of its block touches the same. Its site has no row
 *
 * Beside it there is a site for the block that it stands in, with the tag 0: its row has the active lanes. */
#define WS_TAG_MEMORY_ACCESS_BLOCK 0u
#define WS_TAG_MEMORY_ACCESS_MORE  2u
#define WS_TAG_MEMORY_ACCESS(kind, memory, log2_unit, size)                                                  \
    (1u | (uint32_t)(kind) << 1 | (uint32_t)(memory) << 3 | (uint32_t)(log2_unit) << 6 |                     \
     (uint32_t)(size) << 8)
#define WS_TAG_MEMORY_ACCESS_KIND(tag)     ((tag) >> 1 & 3u)
#define WS_TAG_MEMORY_ACCESS_MEMORY(tag)   ((tag) >> 3 & 7u)
#define WS_TAG_MEMORY_ACCESS_UNIT(tag)     (1u << ((tag) >> 6 & 3u))
#define WS_TAG_MEMORY_ACCESS_SIZE(tag)     ((tag) >> 8 & 0x3ffu)
#define WS_TAG_MEMORY_ACCESS_FIXED(low)    (1u << 18 | ((uint32_t)(low)&127u) << 19)
#define WS_TAG_MEMORY_ACCESS_ASSUMED       (1u << 26)
#define WS_TAG_MEMORY_ACCESS_SHIFTS        (1u << 27) /* not in captures of older versions */
#define WS_TAG_MEMORY_ACCESS_SOLID         (1u << 28) /* of a 3D image */
#define WS_TAG_MEMORY_ACCESS_IS_FIXED(tag) ((tag) >> 18 & 1u)
#define WS_TAG_MEMORY_ACCESS_LOW(tag)      ((tag) >> 19 & 127u)

/* The other sites of memory_trace stand before the last access of a stretch (warpscope/spirv/stretches.h): data records of the
 * stretch's words, or place records where it has none. Their tag is ws_stretch_tag. */
#define WS_TAG_MEMORY_TRACE_END 0u /* where lanes end */

/* The other sites of memory_check are data records of an access: behind a load, before a store or atomic. Their tag is
 * WS_TAG_MEMORY_ACCESS; their words are its address (pass.h, ws_visit_access_address) and what a load got. */
#define WS_TAG_MEMORY_CHECK_END 0u /* where lanes end */

enum ws_payloads_tag {
    WS_TAG_PAYLOADS_END = 0, /* where lanes end */
    WS_TAG_PAYLOADS_WORDS =
        1, /* data records: what is handed over as words (warpscope/spirv/payloads.h), right before */
};

/* The first four are data records of one lane, with what the clock showed as two words, the low one first (enum ws_clock):
 * where an entry point begins, and where lanes end, of which it is the lowest. The end of all is recorded right behind. */
enum ws_warp_time_tag {
    WS_TAG_WARP_TIME_BEGIN = 0,          /* the device's clock */
    WS_TAG_WARP_TIME_END = 1,            /* likewise */
    WS_TAG_WARP_TIME_SUBGROUP_BEGIN = 2, /* a subgroup's: what two warps say cannot be compared */
    WS_TAG_WARP_TIME_SUBGROUP_END = 3,
    WS_TAG_WARP_TIME_ENDED = 4, /* where lanes end */
};

#define WS_MEMORY_SECTOR 32  /* bytes */
#define WS_MEMORY_LINE   128 /* bytes */
#define WS_MEMORY_BANK   4   /* bytes; 32 banks */

#endif
