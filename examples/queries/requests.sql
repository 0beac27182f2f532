-- What did each load and store of each buffer ask for? As `report caches` has it in its table of accesses.
-- Table: accesses. A request is one execution of an access by a warp. Its sectors are the distinct pieces of 32 bytes that its lanes
-- touch, its lines those of 128, counted where the buffer lies in its allocation. A lane may touch several: steps has the n-th piece
-- behind the first, as size is 512 at most.
with steps(n) as (
    values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16)
),
touches as (
    select launch, request, shader, place, allocation_id, case when allocation_byte is null then element end as element,
        coalesce(allocation_byte, address) as byte, size
    from accesses
),
pieces as (
    select distinct launch, request, shader, place, allocation_id, element, byte - byte % 32 + 32 * n as sector
    from touches join steps on 32 * n < byte % 32 + size
),
sectors as (
    select shader, place, count(*) as sectors
    from pieces group by shader, place
),
lines as (
    select shader, place, count(*) as lines
    from (select distinct launch, request, shader, place, allocation_id, element, sector - sector % 128 as line from pieces) as each_line
    group by shader, place
),
asked as (
    select shader, shader_name, place, file, line, access, memory, buffer,
        count(distinct launch * 4294967296 + request) as requests, count(*) as lanes, sum(size) as bytes
    from accesses group by shader, shader_name, place, file, line, access, memory, buffer
)
select asked.*, sectors, lines
from asked join sectors using (shader, place) join lines using (shader, place)
order by sectors desc, shader, place;
