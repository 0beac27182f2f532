/* The capture file (`.wscope`), format version 2: the whole specification.
 *
 * FILE. A header, then chunks to the end of the file. Nothing is ever rewritten: a file cut at any byte
 * is readable up to its last whole chunk. All integers are little-endian; there is no padding.
 *
 *   header  8 bytes  magic "WSCOPE\r\n"
 *           u32      format version, WS_CAPTURE_VERSION
 *           u32      0
 *   chunk   u32      type: four characters, the first in the lowest byte (WS_CHUNK_*)
 *           u32      flags: bit 0 = the payload is one zstd frame
 *           u64      stored size of the payload in bytes
 *           u64      raw size of the payload, once decompressed; at most WS_CHUNK_MAX
 *           u64      XXH3-64 of the stored payload, its seed the XXH3-64 (seed 0) of the 24 bytes above
 *           payload
 *
 * A reader skips chunks whose type it does not know, and bytes after the fields it knows in a payload.
 * A chunk whose checksum is wrong is reported and skipped; where a chunk's header cannot be believed
 * (sizes beyond the file or beyond WS_CHUNK_MAX) the file ends there. A writer of a later version that
 * changes what is written here raises the version; a reader refuses every other version than its own.
 *
 * VERSIONS. 1: sites had no tag, and passes only an index in INFO. 2: SITE names its passes, and each site has a tag.
 *
 * PAYLOADS. Below, `str` is u32 length and that many bytes of UTF-8; `T[]` is u32 count and that many
 * T; WS_NONE is 0xffffffff. Ids are numbers given by the writer, unique in the file for their kind; an
 * id is defined by a chunk before the first chunk that uses it.
 *
 *   INFO  once, first.  str version of Warpscope, str application name, str engine name (both as given
 *         to VkApplicationInfo, or empty), str[] command line, u32 process id,
 *         u64 start (nanoseconds since 1970, UTC), str[] passes, {str key, str value}[] settings
 *   DEVC  a VkDevice.  u32 device id, str device name, str driver name, str driver info, u32 API version,
 *         u32 vendor id, u32 PCI device id, u32 driver version, u32 VkPhysicalDeviceType,
 *         u32 subgroup size, u32 smallest and u32 largest subgroup size, u32 bins (root.h),
 *         u32 mask of stages counted per warp (the others count threads)
 *   MODL  a SPIR-V module of the application, original words.  u32 module id, u64 XXH3-64 of its bytes,
 *         str name (debug-utils, may be empty), u32[] words
 *   SITE  what was put into a module.  u32 module id, u32 row count, str[] passes,
 *         entries   {str name, u32 stage, u32 function, u32 first row, u32 row count, u32 per thread
 *                    (0 or 1), u32[] functions}[]
 *         blocks    {u32 label, u32 offset, u32 length, u32 function, u32 instruction count}[]
 *         sites     {u32 pass, u32 tag, u32 kind, u32 block, u32 offset, u32 row}[]
 *         fields as in instrument.h; a site's pass is an index in the chunk's own list, so that its owner is known
 *         where INFO is damaged. Blocks stand in the order of the module and do not overlap; there are no more
 *         rows than sites. A module has at most one SITE.
 *   SHDR  a shader: module + entry point + specialization.  u32 shader id, u32 module id,
 *         u32 entry (index in the SITE chunk's entries, WS_NONE when not instrumented), u32 stage,
 *         str entry point name, {u32 constant id, u32 size in bytes, u64 value}[] specialization
 *   PIPE  a pipeline, or a shader object (kind 3).  u32 pipeline id, u32 device id, u32 kind
 *         (0 graphics, 1 compute, 2 ray tracing, 3 shader object), u32[] shader ids (libraries' included),
 *         u32 flags: bit 0 = a library
 *   NAME  an object was named (VK_EXT_debug_utils) after its chunk was written, or again.
 *         u32 kind (0 module, 1 pipeline, 2 queue, 3 command buffer, 4 acceleration structure), u32 id,
 *         str name
 *         A queue's id is its family << 16 | its index in the family.
 *   SUBM  what one queue submission (one VkSubmitInfo) executed.  u64 submit index, u64 frame index,
 *         u32 device id, u32 queue family, u32 queue index, u32 flags (bit 0 = ran beside another
 *         queue's submission: counts may belong to either; bit 1 = continues the previous SUBM chunk of
 *         the same submit index), launches[], each:
 *           u64 launch index (counted over the whole capture, in order of submission)
 *           u32 kind: enum ws_launch_kind
 *           u32 launch size x, y, z as the command gave it (0, 0, 0 where it is not known on the host);
 *               for a render pass: render area width, height and layers
 *           u32 flags: bit 0 = indirect, bit 1 = DispatchBase, bit 2 = rest of a suspended rendering
 *           u32 draws (render pass: draw commands recorded in it; else 0)
 *           str label: debug-utils labels open at the command, outermost first, joined by " / "
 *           str name of the command buffer (may be empty)
 *           u32[] pipeline ids used
 *           shaders {u32 shader id, u32 first row, u32 rows, u32 bins, u8 words[4 * rows * bins]}[]
 *         What would be too large for a chunk is split: the submission goes on in a chunk with flag bit
 *         1, whose first launch may have the index of the last one before it. Then it is the same
 *         launch, its fields are the same again, and its shaders are further ones or further rows.
 *   RECS  records (records.h) of one launch, or a piece of them.  u64 submit index, u64 launch index,
 *         u32 device id, u32 flags (bit 0 = the last piece of the launch), u32 bins (root.h),
 *         u32 position of the piece's first word in the stream of its submission, u32 position of the
 *         launch's first word, u64 words of the launch that did not fit, u64 capacity in words of
 *         the stream that would have held the whole submission,
 *         {u32 slot, u32 shader id}[] of the shaders that the launch used,
 *         u32 count of words, u8 bytes[4 * count]: the lowest byte of every word, then the next one of every
 *         word, and so on. (Neighbouring words differ mostly in their low bytes: so they compress half again
 *         as well as word by word, and no slower.)
 *         The pieces of a launch stand in order, after its SUBM chunk and before the next one's RECS; a
 *         piece may begin and end within a record, whose rest the next one has.
 *   BLOB  bytes that came from the application, stored once however often they were met.  u32 blob id,
 *         u64[2] XXH3-128 of all its bytes (low, high), u64 size of the whole, u64 offset of this piece,
 *         u32 count, u8 bytes[count]. Its pieces stand in order, the first before anything that refers to it.
 *   ASTR  an acceleration structure, when it is first used.  u32 structure id, u32 device id, u32 type
 *         (VkAccelerationStructureTypeKHR), u64 size in bytes, u64 device address (0 = not known), str name
 *   BILD  an acceleration structure was built or updated.  u32 structure id, u64 moment, u32 flags:
 *         WS_BUILD_*, u32 VkBuildAccelerationStructureFlagsKHR, u32 source structure id of an update (else
 *         WS_NONE), geometries[], each:
 *           u32 VkGeometryTypeKHR, u32 VkGeometryFlagsKHR, u32 flags: WS_GEOMETRY_*, u32 primitive count,
 *           u32 VkFormat of vertices, u32 VkIndexType, u32 max vertex (as the application said), u64 stride
 *           of vertices or AABBs in bytes, u32 blob of vertices, AABBs or instances, u32 blob of indices,
 *           u32 blob of the transform (each WS_NONE = none)
 *           u32[] structure ids: for instances, which one each refers to by address or handle, at the time
 *           of the build (WS_NONE = none has that address; else empty)
 *         Blobs begin with what the first primitive uses: the offsets of the build range have been applied,
 *         so index i means vertex i of the blob, counted in strides, and non-indexed triangle p has the
 *         vertices 3p, 3p + 1, 3p + 2. Instances are VkAccelerationStructureInstanceKHR of 64 bytes, those
 *         that were given as array of pointers too, in order. A blob that is shorter than the primitives need
 *         was clipped: what lies beyond is not known.
 *   COPY  an acceleration structure was copied.  u32 source structure id, u32 destination structure id (of a
 *         deserialization the source, of a serialization the destination is WS_NONE), u64 moment,
 *         u32 VkCopyAccelerationStructureModeKHR, u64[2] XXH3-128 of the serialized bytes (modes serialize
 *         and deserialize; else 0, 0): what is deserialized is what was serialized to equal bytes. 0, 0 of a
 *         deserialization: they could not be had.
 *   GONE  an acceleration structure was destroyed.  u32 structure id, u64 moment
 *         Moments are launch indices (SUBM): what happened at moment m comes before launch m and
 *         after those with a smaller index. Of the same moment, the order in the file counts. They never fall
 *         from chunk to chunk of one queue; a GONE frees the id's address, ids are never used again.
 *   GRUP  the shader groups of a ray tracing pipeline, its libraries' included.  u32 pipeline id, u32 handle
 *         size in bytes, groups {u32 VkRayTracingShaderGroupTypeKHR, u32 general, u32 closest hit,
 *         u32 any-hit, u32 intersection shader id (WS_NONE = none), u32 count, u8 handle[count]}[]
 *   TABL  the shader binding tables of a trace-rays launch.  u64 launch index,
 *         {u64 address, u64 stride, u64 size, u32 blob (WS_NONE = not captured)}[4]: ray generation, miss,
 *         hit, callable. A blob that is shorter than the size was clipped.
 *   SKIP  something was left uninstrumented or uncounted.  u32 kind: enum ws_skip_kind, u32 id (of that
 *         kind, WS_NONE = none), u32 pass (index in INFO's list, WS_NONE = all), u32 offset (word offset in the module or
 *         WS_NONE), u64 count (sites, shaders or launches), str reason
 *   MESG  something was said to the user.  u32 severity (0 information, 1 warning, 2 error), str text
 *   DONE  the writer closed the capture properly; later chunks may follow where an application made
 *         another device afterwards. A file whose last chunk is no DONE was cut short.
 *         u64 submissions, u64 launches, u64 frames, u64 launches outside the chosen range
 */
#ifndef WARPSCOPE_CAPTURE_H
#define WARPSCOPE_CAPTURE_H

#include <stdint.h>

#define WS_CAPTURE_MAGIC       "WSCOPE\r\n"
#define WS_CAPTURE_MAGIC_SIZE  8
#define WS_CAPTURE_VERSION     2
#define WS_CAPTURE_HEADER_SIZE 16

#define WS_CHUNK_HEADER_SIZE 32
#define WS_CHUNK_ZSTD        1u
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

#define WS_LAUNCH_INDIRECT  1u
#define WS_LAUNCH_BASE      2u
#define WS_LAUNCH_SUSPENDED 4u

#define WS_SUBMISSION_OVERLAPPED 1u
#define WS_SUBMISSION_CONTINUED  2u

#define WS_RECORDS_LAST 1u

#define WS_BUILD_UPDATE   1u /* VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR */
#define WS_BUILD_HOST     2u /* vkBuildAccelerationStructuresKHR */
#define WS_BUILD_INDIRECT 4u /* counts were read from the device */
#define WS_BUILD_LATER    8u /* some bytes were read after the submission had ended, not at the build */

#define WS_GEOMETRY_CLIPPED 1u /* a range ran past the end of its buffer */
#define WS_GEOMETRY_UNKNOWN 2u /* bytes could not be had: no buffer at that address, or no memory */

enum ws_skip_kind {
    WS_SKIP_SITE = 0,     /* id: module */
    WS_SKIP_SHADER = 1,   /* id: shader; or WS_NONE where it could not even be given one */
    WS_SKIP_PIPELINE = 2, /* id: pipeline */
    WS_SKIP_LAUNCH = 3,   /* id: WS_NONE; executed, but its counts were lost */
    WS_SKIP_DEVICE = 4,   /* id: WS_NONE: a device on which nothing can be instrumented */
    WS_SKIP_RECORDS = 5,  /* id: WS_NONE; launches executed, and counted, but their records were lost */
    WS_SKIP_GEOMETRY = 6, /* id: structure, or WS_NONE; builds, copies or geometries not captured */
};

enum ws_severity { WS_INFORMATION = 0, WS_WARNING = 1, WS_ERROR = 2 };

#endif
