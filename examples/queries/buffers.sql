-- Which buffers of the application are touched, by which bindings or device addresses? As `report caches` has it in its table of buffers.
-- Table: accesses. A request is one execution of an access by a warp. Where its lanes touch several buffers it is of none of them.
with steps(n) as (
    values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16)
),
requests as (
    select launch, request, min(memory) as memory, min(buffer) as buffer, count(*) as lanes, sum(size) as bytes,
        case when count(distinct coalesce(bound_id, -1)) > 1 then 'one of several' else min(bound) end as bound,
        case when count(distinct coalesce(bound_id, -1)) > 1 then null else min(allocation) end as allocation
    from accesses group by launch, request
),
touches as (
    select launch, request, allocation_id, case when allocation_byte is null then element end as element,
        coalesce(allocation_byte, address) as byte, size
    from accesses
),
sectors as (
    select launch, request, count(*) as sectors
    from (
        select distinct launch, request, allocation_id, element, byte - byte % 32 + 32 * n as sector
        from touches join steps on 32 * n < byte % 32 + size
    ) as pieces
    group by launch, request
)
select memory, buffer, bound, allocation, count(*) as requests, sum(lanes) as lanes, sum(bytes) as bytes, sum(sectors) as sectors
from requests join sectors using (launch, request)
group by memory, buffer, bound, allocation
order by sectors desc, memory, buffer, bound, allocation;
