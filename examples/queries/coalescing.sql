-- Which source lines move bytes that nobody asked for? used = bytes / (32 * sectors): 1 = all that is moved is asked for once, 0.125 =
-- each lane loads 4 bytes of a sector of its own, above 1 = lanes ask for the same bytes. As `report memory` has it: sectors of a
-- variable count from its begin, those of device addresses where they are.
-- Table: accesses.
with steps(n) as (
    values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16)
),
touches as (
    select launch, request, file, line, allocation_id, element, size,
        case when variable is null then coalesce(allocation_byte, address) else address end as byte
    from accesses
),
moved as (
    select file, line, count(*) as sectors
    from (
        select distinct launch, request, file, line, allocation_id, element, byte - byte % 32 + 32 * n as sector
        from touches join steps on 32 * n < byte % 32 + size
    ) as pieces
    group by file, line
),
asked as (
    select file, line, count(distinct launch * 4294967296 + request) as requests, count(*) as lanes, sum(size) as bytes
    from accesses group by file, line
)
select asked.file, asked.line, requests, lanes, bytes, sectors, bytes / (32.0 * sectors) as used
from asked join moved on asked.file is not distinct from moved.file and asked.line is not distinct from moved.line
order by used, sectors desc, file, line;
