// Words that shaders hand on and nobody reads: how often threads write and read each member of ray payloads, callable
// data and hit attributes, and each location of vertices and fragments. What has a row as written and none as read is
// carried for nothing. -1 is the whole struct, or what is none. Payloads have no location in SPIR-V: if a program has
// several structs of them, add `file GLOB` or `shader GLOB` to tell them apart.
// Found: RayTracingInVulkan: the hit attribute, 4 words, is written 28,360 times and never read. The path tracer reads
// `path.sharp` 639 times of 90,011.
//! output payload_written: table 64 { int member; }
//! output payload_read: table 64 { int member; }
//! output callable_written: table 64 { int member; }
//! output callable_read: table 64 { int member; }
//! output attribute_written: table 64 { int member; }
//! output attribute_read: table 64 { int member; }
//! output stage_written: table 64 { int location; int member; }
//! output stage_read: table 64 { int location; int member; }
//! before store of payload
void write_payload(int member)
{
    add(payload_written, member);
}
//! before load of payload
void read_payload(int member)
{
    add(payload_read, member);
}
//! before store of callable_data
void write_callable(int member)
{
    add(callable_written, member);
}
//! before load of callable_data
void read_callable(int member)
{
    add(callable_read, member);
}
//! before store of hit_attribute
void write_attribute(int member)
{
    add(attribute_written, member);
}
//! before load of hit_attribute
void read_attribute(int member)
{
    add(attribute_read, member);
}
//! before store of output in vertex tessellation_evaluation geometry mesh
void write_stage(int location, int member)
{
    add(stage_written, location, member);
}
//! before load of input in tessellation_control tessellation_evaluation geometry fragment
void read_stage(int location, int member)
{
    add(stage_read, location, member);
}
