-- How often is a line of 128 bytes used again? A cache without limit, empty where a launch begins, misses each line once: it hits
-- lines - distinct_lines. `report caches` says how much of that is left where the cache has a size (its `sizes`).
-- Table: accesses. The same line of one launch: of a binding whichever shader touches it, of what has none in one variable of one
-- module, of device addresses by these alone.
with steps(n) as (
    values (0), (1), (2), (3), (4)
),
touches as (
    select distinct launch, request, buffer, memory, element, set, binding,
        case when set is null and variable is not null then module end as module,
        case when set is null then variable end as variable,
        address - address % 128 + 128 * n as line
    from accesses join steps on 128 * n < address % 128 + size
),
uses as (
    select launch, min(buffer) as buffer, min(memory) as memory, count(*) as uses
    from touches group by launch, set, binding, module, variable, element, line
)
select launch, buffer, memory, sum(uses) as lines, count(*) as distinct_lines, max(uses) as most, sum(uses) - count(*) as again
from uses group by launch, buffer, memory
order by launch, lines desc, buffer, memory;
