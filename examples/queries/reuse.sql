-- How often is a line of 128 bytes used again? A cache without limit, empty where a launch begins, misses each line once: it hits
-- lines - distinct_lines. `report caches` says how much of that is left where the cache has a size (its `sizes`).
-- Table: accesses. The same line of one launch: of an allocation whatever reaches it. Where the allocation is not known: of a binding
-- whichever shader touches it, of what has none in one variable of one module, of device addresses by these alone.
with steps(n) as (
    values (0), (1), (2), (3), (4)
),
touches as (
    select launch, request, buffer, memory, size, allocation_id, coalesce(allocation_byte, address) as byte,
        case when allocation_byte is null then element end as element,
        case when allocation_byte is null then set end as set,
        case when allocation_byte is null then binding end as binding,
        case when allocation_byte is null and set is null and variable is not null then module end as module,
        case when allocation_byte is null and set is null then variable end as variable
    from accesses
),
pieces as (
    select launch, request, allocation_id, set, binding, module, variable, element, byte - byte % 128 + 128 * n as line,
        min(buffer) as buffer, min(memory) as memory
    from touches join steps on 128 * n < byte % 128 + size
    group by launch, request, allocation_id, set, binding, module, variable, element, line
),
uses as (
    select launch, min(buffer) as buffer, min(memory) as memory, count(*) as uses
    from pieces group by launch, allocation_id, set, binding, module, variable, element, line
)
select launch, buffer, memory, sum(uses) as lines, count(*) as distinct_lines, max(uses) as most, sum(uses) - count(*) as again
from uses group by launch, buffer, memory
order by launch, lines desc, buffer, memory;
