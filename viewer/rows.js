/* Rows of a table without their drawing: sorting, filtering, CSV. Rows are objects; columns have `name`, and `value(row)`
 * where the value is not row[name]. */

/** The value of a row in a column; null for none. */
export function valueOf(column, row) {
    const value = column.value ? column.value(row) : row[column.name];
    return value === undefined ? null : value;
}

function compare(one, other) {
    if (typeof one === "number" && typeof other === "number")
        return one - other;
    return String(one).localeCompare(String(other), "en", {numeric: true});
}

/**
 * The rows in the order of a column: `sort` is its name, "-" in front for descending; "" leaves them as they are. Equal rows
 * stay in their order. Rows without a value come last in both directions.
 */
export function sortRows(rows, columns, sort) {
    const descending = sort.startsWith("-");
    const column = columns.find(one => one.name === (descending ? sort.slice(1) : sort));
    if (!column)
        return rows;
    const pairs = rows.map(row => [valueOf(column, row), row]);
    pairs.sort(([one], [other]) => {
        if (one === null || other === null)
            return (one === null) - (other === null);
        return descending ? compare(other, one) : compare(one, other);
    });
    return pairs.map(([, row]) => row);
}

const COMPARISON = /^\s*([\w. ]+?)\s*(<=|>=|!=|<|>|=)\s*(.+?)\s*$/;

const TESTS = {
    "<": order => order < 0,
    "<=": order => order <= 0,
    "=": order => order === 0,
    "!=": order => order !== 0,
    ">": order => order > 0,
    ">=": order => order >= 0,
};

/* "50 %" is 0.5; a text is a text. */
function literal(text) {
    const part = /^(-?[\d.]+(?:e-?\d+)?)\s*(%?)$/i.exec(text);
    if (!part)
        return text;
    return part[2] ? Number(part[1]) / 100 : Number(part[1]);
}

/**
 * The rows that fit what the user typed: a comparison as --filter takes it ("efficiency < 50 %", "stage = raygen"), or
 * words that all stand somewhere in the row, in any column, in upper or lower case.
 */
export function filterRows(rows, columns, text) {
    const found = COMPARISON.exec(text);
    const column = found && columns.find(one => one.name === found[1] || one.title === found[1]);
    if (column) {
        const wanted = literal(found[3]);
        const test = TESTS[found[2]];
        return rows.filter(row => {
            const value = valueOf(column, row);
            return value !== null && test(compare(value, wanted));
        });
    }
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0)
        return rows;
    return rows.filter(row => {
        const whole = columns.map(one => plainText(valueOf(one, row))).join("\n").toLowerCase();
        return words.every(word => whole.includes(word));
    });
}

function plainText(value) {
    if (value === null)
        return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A cell of CSV, as RFC 4180 has it: quoted if it has a comma, a quote or a line break. */
export function csvCell(value) {
    const text = plainText(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/* Values with parts, in the words that the report's own CSV has for them; others stand as JSON. */
const PARTS = {
    launch_size: size => size.join("x"),
    bounds: box => `${box.slice(0, 3).join(" ")}, ${box.slice(3).join(" ")}`,
    histogram: bins => Object.entries(bins).sort(([one], [other]) => other - one).map(([lanes, runs]) => `${lanes}:${runs}`).join(" "),
};

function csvValue(column, row) {
    const value = valueOf(column, row);
    return value !== null && typeof value === "object" && Object.hasOwn(PARTS, column.name) ? PARTS[column.name](value) : value;
}

/** Rows as CSV with a head of the columns' names. Values are those of the report: shares from 0 to 1, times in ns. */
export function csvText(rows, columns) {
    const lines = rows.map(row => columns.map(column => csvCell(csvValue(column, row))).join(","));
    return `${[columns.map(column => csvCell(column.name)).join(","), ...lines].join("\n")}\n`;
}
