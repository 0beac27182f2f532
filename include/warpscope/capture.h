/* The capture file (`.wscope`), format version 7. Four headers are the whole specification: this one for the
 * file and its chunks, chunk_members.h for the members of each payload in their order, chunks.h for what each
 * member means, packed.h for words that are packed.
 *
 * FILE. A header, then chunks to the end of the file. Nothing is ever rewritten, so a file that was cut at
 * any byte is readable up to its last whole chunk. All integers are little-endian. There is no padding.
 *
 *   header  8 bytes  magic "WSCOPE\r\n"
 *           u32      format version, WS_CAPTURE_VERSION
 *           u32      0
 *   chunk   u32      type: four characters, the first in the lowest byte (WS_CHUNK_*)
 *           u32      flags: bit 0 = the payload is zstd frames, one after the other; bit 1 = of RECS, its words
 *                    are packed (packed.h)
 *           u64      stored size of the payload in bytes
 *           u64      raw size of the payload, once decompressed, and of packed words as planes; at most WS_CHUNK_MAX
 *           u64      XXH3-64 of the stored payload, its seed the XXH3-64 (seed 0) of the 24 bytes above
 *           payload
 *
 * A reader skips chunks of a type that it does not know, and bytes behind the members that it knows in a
 * payload. It reports and skips a chunk whose checksum is wrong. Where the sizes in a chunk's header cannot
 * be right (beyond the file or beyond WS_CHUNK_MAX), the file ends there.
 *
 * VERSIONS. A writer of a later version that changes what is written here raises the version. A reader
 * refuses later versions, and those from which it cannot tell what it must. 1: sites had no tag, and passes only an index in
 * INFO. 2: SITE names its passes, and each site has a tag. 3: RECS has records of paths (records.h), and SITE says what they
 * stand for; a file of version 2 reads as one of version 3 without such records. 4: a word of a
 * path's loop has a group of turns; SITE says of how many bits each is, and in a file of version 3 of none: a word has one
 * turn. 5: a word begins with a mark, as SITE says, and groups that
 * came once are told by one word per lane. 6: words of RECS may be packed. 7: words of data records that a module says as
 * constants stand once in SITE, and in no record (struct ws_fixed_word); in earlier files records have all words.
 *
 * IDS are numbers that the writer gives, unique in the file for their kind. An id is defined by a chunk
 * before the first chunk that uses it. WS_NONE, 0xffffffff, is no id.
 *
 * CHUNKS.
 *
 *   INFO  once, first: the program, and how it was recorded.
 *   DEVC  a VkDevice.
 *   MODL  a SPIR-V module of the application, in its original words.
 *   SITE  what was added to a module; at most one for a module. A site's pass is an index in the chunk's own
 *         list, so that its owner is known where INFO is damaged. Blocks are in the order of the module and
 *         do not overlap. There are no more rows than sites.
 *   SHDR  a shader: a module, an entry point and its specialization.
 *   PIPE  a pipeline, or a shader object.
 *   NAME  an object got a name (VK_EXT_debug_utils) after its chunk was written, or another one.
 *   SUBM  what one queue submission (one VkSubmitInfo) executed. A submission that would be too large for a
 *         chunk goes on in a chunk with WS_SUBMISSION_CONTINUED. The first launch of that one may have the
 *         index of the last one before it: then it is the same launch, its other members are repeated, and
 *         its shaders are further ones or further rows.
 *   RECS  the records (records.h) of one launch, or a piece of them. The pieces of a launch come in order,
 *         after its SUBM chunk and before the RECS of the next launch. A piece may begin and end within a
 *         record, whose rest the next one has.
 *   BLOB  a piece of the bytes of a buffer or an image of the application. Equal contents are stored once. The pieces of
 *         a blob come in order, the first before any chunk that refers to the blob.
 *   ASTR  an acceleration structure, when it is first used.
 *   BILD  an acceleration structure was built or updated. The buffers that it names as its sources may come later, or never.
 *   COPY  an acceleration structure was copied.
 *   GONE  an acceleration structure was destroyed. Its address may then be another's; its id is never used
 *         again.
 *   GRUP  the shader groups of a ray tracing pipeline, those of its libraries included.
 *   TABL  the shader binding tables of a trace-rays launch.
 *   IMAG  the image of a launch, or one that was presented. Its bytes are a blob. That of a launch comes before its SUBM
 *         chunk; a presented one may come before or after those of its frame.
 *   TIME  device timestamps around launches of one submission, after its SUBM chunk. Where they do not fit into one
 *         chunk, further ones follow.
 *   PROB  a probe, as it was compiled; before the first SITE that has sites of it. Its pass in INFO and SITE is
 *         "probe:" and its name.
 *   YLDS  what probes yielded in one launch, after its SUBM chunk. Where the words do not fit into one chunk, further
 *         ones follow; the words of a shader may be parted among them.
 *   RSRC  memory of the application: allocations, buffers, images and views that are new or of which more is known, and
 *         which are gone. It is written where launches that are taken may use them.
 *   DSET  what a descriptor set held when something was submitted that has it bound.
 *   DSCH  the same of a set of which an earlier state is in the capture: what changed since.
 *   BIND  which descriptor sets the pipelines of launches had; before the SUBM chunk of the launches.
 *   SKIP  something was not instrumented or not counted.
 *   MESG  the layer said something to the user.
 *   DONE  the writer closed the capture properly. Chunks may follow where the application made another device
 *         later. A file whose last chunk is not DONE was cut short.
 *
 * MOMENTS of builds, copies and ends of acceleration structures are launch indices (SUBM). What happened at
 * moment m came before launch m, and after all launches with a smaller index. Of the same moment, the order
 * in the file counts. Moments never fall from chunk to chunk of one queue. */
#ifndef WARPSCOPE_CAPTURE_H
#define WARPSCOPE_CAPTURE_H

#include <stdint.h>

#define WS_CAPTURE_MAGIC         "WSCOPE\r\n"
#define WS_CAPTURE_MAGIC_SIZE    8
#define WS_CAPTURE_VERSION       7
#define WS_CAPTURE_VERSION_FIRST 2 /* that is read */

/* The first that have it. In a file of an earlier version it is damage: no writer made it so. */
#define WS_CAPTURE_VERSION_PACKED 6 /* WS_CHUNK_PACKED */
#define WS_CAPTURE_VERSION_FIXED  7 /* words that SITE says as constants */
#define WS_CAPTURE_HEADER_SIZE    16

#define WS_CHUNK_HEADER_SIZE 32
#define WS_CHUNK_ZSTD        1u
#define WS_CHUNK_PACKED      2u
#define WS_CHUNK_MAX         (64u << 20) /* bytes of raw payload; writers split what would be larger */

#define WS_FOURCC(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum ws_chunk_type {
    WS_CHUNK_INFO = WS_FOURCC('I', 'N', 'F', 'O'),
    WS_CHUNK_DEVICE = WS_FOURCC('D', 'E', 'V', 'C'),
    WS_CHUNK_MODULE = WS_FOURCC('M', 'O', 'D', 'L'),
    WS_CHUNK_SITES = WS_FOURCC('S', 'I', 'T', 'E'),
    WS_CHUNK_SHADER = WS_FOURCC('S', 'H', 'D', 'R'),
    WS_CHUNK_PIPELINE = WS_FOURCC('P', 'I', 'P', 'E'),
    WS_CHUNK_NAME = WS_FOURCC('N', 'A', 'M', 'E'),
    WS_CHUNK_SUBMISSION = WS_FOURCC('S', 'U', 'B', 'M'),
    WS_CHUNK_RECORDS = WS_FOURCC('R', 'E', 'C', 'S'),
    WS_CHUNK_BLOB = WS_FOURCC('B', 'L', 'O', 'B'),
    WS_CHUNK_STRUCTURE = WS_FOURCC('A', 'S', 'T', 'R'),
    WS_CHUNK_BUILD = WS_FOURCC('B', 'I', 'L', 'D'),
    WS_CHUNK_COPY = WS_FOURCC('C', 'O', 'P', 'Y'),
    WS_CHUNK_GONE = WS_FOURCC('G', 'O', 'N', 'E'),
    WS_CHUNK_GROUPS = WS_FOURCC('G', 'R', 'U', 'P'),
    WS_CHUNK_TABLES = WS_FOURCC('T', 'A', 'B', 'L'),
    WS_CHUNK_IMAGE = WS_FOURCC('I', 'M', 'A', 'G'),
    WS_CHUNK_TIMES = WS_FOURCC('T', 'I', 'M', 'E'),
    WS_CHUNK_PROBE = WS_FOURCC('P', 'R', 'O', 'B'),
    WS_CHUNK_YIELDS = WS_FOURCC('Y', 'L', 'D', 'S'),
    WS_CHUNK_RESOURCES = WS_FOURCC('R', 'S', 'R', 'C'),
    WS_CHUNK_SET = WS_FOURCC('D', 'S', 'E', 'T'),
    WS_CHUNK_SET_CHANGE = WS_FOURCC('D', 'S', 'C', 'H'),
    WS_CHUNK_BOUND = WS_FOURCC('B', 'I', 'N', 'D'),
    WS_CHUNK_SKIP = WS_FOURCC('S', 'K', 'I', 'P'),
    WS_CHUNK_MESSAGE = WS_FOURCC('M', 'E', 'S', 'G'),
    WS_CHUNK_DONE = WS_FOURCC('D', 'O', 'N', 'E'),
};

enum ws_pipeline_kind {
    WS_PIPELINE_GRAPHICS = 0,
    WS_PIPELINE_COMPUTE = 1,
    WS_PIPELINE_RAY_TRACING = 2,
    WS_PIPELINE_SHADER_OBJECT = 3,
};

enum ws_name_kind {
    WS_NAME_MODULE = 0,
    WS_NAME_PIPELINE = 1,
    WS_NAME_QUEUE = 2,
    WS_NAME_COMMAND_BUFFER = 3,
    WS_NAME_STRUCTURE = 4,
};

enum ws_launch_kind {
    WS_LAUNCH_TRACE_RAYS = 0,
    WS_LAUNCH_DISPATCH = 1,
    WS_LAUNCH_RENDER_PASS = 2,
};

#define WS_LAUNCH_INDIRECT  1u /* the size came from a buffer on the device */
#define WS_LAUNCH_BASE      2u /* vkCmdDispatchBase (struct ws_launch_base) */
#define WS_LAUNCH_SUSPENDED 4u /* the rest of a suspended rendering */
/* Commands that the device wrote: any number of dispatches or traces. The size is the largest in each direction. */
#define WS_LAUNCH_GENERATED 8u

#define WS_SUBMISSION_OVERLAPPED 1u /* ran beside another queue's submission: counts may belong to either */
#define WS_SUBMISSION_CONTINUED  2u /* continues the SUBM chunk before it, of the same index */

#define WS_RECORDS_LAST 1u /* the last piece of the launch */

#define WS_BUILD_UPDATE   1u /* VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR */
#define WS_BUILD_HOST     2u /* vkBuildAccelerationStructuresKHR */
#define WS_BUILD_INDIRECT 4u /* counts were read from the device */
#define WS_BUILD_LATER    8u /* some bytes were read after the submission had ended, not at the build */

#define WS_GEOMETRY_CLIPPED 1u /* a range ran past the end of its buffer */
#define WS_GEOMETRY_UNKNOWN 2u /* bytes could not be had: no buffer at that address, or no memory */
/* Its triangles have opacity micromaps. Which of them have one may be known (struct ws_build_micromap), and what is in one
 * (struct ws_micromap_content): which parts of these triangles are there. */
#define WS_GEOMETRY_MICROMAP 4u

/* Flags of a fragment shader, where what counts in it changes when its depth and stencil tests run. */
#define WS_SHADER_EARLY_TESTS 1u /* it was given early tests, which a device may run of it in any case */
#define WS_SHADER_LATE_TESTS                                                                                 \
    2u /* its tests are late, so fragments may be counted that they would have culled */

enum ws_skip_kind {
    WS_SKIP_SITE = 0,     /* id: module */
    WS_SKIP_SHADER = 1,   /* id: shader; or WS_NONE where it could not even be given one */
    WS_SKIP_PIPELINE = 2, /* id: pipeline */
    WS_SKIP_LAUNCH = 3,   /* id: WS_NONE; executed, but its counts were lost */
    WS_SKIP_DEVICE = 4,   /* id: WS_NONE: a device on which nothing can be instrumented */
    WS_SKIP_RECORDS = 5,  /* id: WS_NONE; launches executed, and counted, but their records were lost */
    WS_SKIP_GEOMETRY = 6, /* id: structure, or WS_NONE; builds, copies or geometries not captured */
    WS_SKIP_NO_PLACE = 7, /* id: shader; it holds no place that the passes want, so nothing is missing */
    WS_SKIP_IMAGE = 8,    /* id: WS_NONE; images of launches, or presented ones, not captured */
};

/* Where an image comes from. */
enum ws_image_source {
    WS_IMAGE_OF_LAUNCH =
        0, /* a storage image that a trace or dispatch can write, as it was right after that */
    WS_IMAGE_PRESENTED = 1, /* a swapchain's, as it was when it was presented */
};

/* Whether the time of a launch is known, or why not. */
enum ws_time_state {
    WS_TIME_TAKEN = 0,
    WS_TIME_NO_TIMESTAMPS = 1, /* its queue family has none: timestampValidBits is 0 */
    WS_TIME_SUSPENDED =
        2,             /* a rendering in several command buffers: between its parts no command may stand */
    WS_TIME_MIXED = 3, /* its command buffer may have run on two queues at the same time */
    WS_TIME_NO_MEMORY = 4, /* there was none for its queries */
};

/* What a resource is. */
enum ws_resource_kind {
    WS_RESOURCE_ALLOCATION = 0, /* VkDeviceMemory */
    WS_RESOURCE_BUFFER = 1,
    WS_RESOURCE_IMAGE = 2,
    WS_RESOURCE_IMAGE_VIEW = 3,
    WS_RESOURCE_BUFFER_VIEW = 4,
    WS_RESOURCE_KINDS,
};

/* Whether it is known what a launch had bound as a descriptor set, or why not. */
enum ws_bound_reason {
    WS_BOUND_KNOWN = 0,
    WS_BOUND_NOT_FOLLOWED =
        1,                 /* the set, or the layout of what was pushed, is not known: there was no memory */
    WS_BOUND_BUFFER = 2,   /* descriptors are in a buffer (VK_EXT_descriptor_buffer) */
    WS_BOUND_HEAP = 3,     /* or in a heap (VK_EXT_descriptor_heap) */
    WS_BOUND_TOO_MUCH = 4, /* the launch has more states than the layer keeps */
    WS_BOUND_REASONS,
};

enum ws_severity { WS_INFORMATION = 0, WS_WARNING = 1, WS_ERROR = 2 };

#endif
