// The columns of a schema as people see them: which have facets, by what hits are sorted, how ranges are cut and written.
// Nothing here needs a page.

const kMaxFacets = 6;
const kMaxBars = 12; // each is 24 pixels wide at least, so that it can be hit

const kMinute = 60e3, kHour = 60 * kMinute, kDay = 24 * kHour;

const columns = (schema) => Object.entries(schema.fields ?? {}).map(([name, { type }]) => ({ name, type }));
const isRanged = ({ type }) => ['integer', 'float', 'date'].includes(type);
const isListed = ({ type }) => ['keyword', 'boolean'].includes(type);

// [{name, type, ranged}]: of the first columns that were declared.
export function facetColumns(schema) {
  return columns(schema).filter((column) => isRanged(column) || isListed(column)).slice(0, kMaxFacets).map((column) => ({ ...column, ranged: isRanged(column) }));
}

const directions = { keyword: ['Z to A', 'A to Z'], date: ['newest first', 'oldest first'], boolean: ['true first', 'false first'] };
// [[value, text]] of all orders there are.
export function sortChoices(schema) {
  return columns(schema).filter((column) => isRanged(column) || isListed(column)).flatMap(({ name, type }) => {
    const [down, up] = directions[type] ?? ['greatest first', 'least first'];
    const both = [[`${name}:desc`, `${name}, ${down}`], [`${name}:asc`, `${name}, ${up}`]];
    return type === 'keyword' ? both.reverse() : both;
  });
}

const kDate = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,3})\d*)?)?([Zz]|[+-]\d\d:?\d\d)?)?)?)?$/;
// The first millisecond of a date as the API reads it: by RFC 3339 or a part of it, in UTC, or milliseconds, which also have
// the years that have no four digits. NaN: it is none, or one that Date does not have.
function milliseconds(text) {
  const [, ...parts] = kDate.exec(text) ?? [];
  if (parts.length === 0) return /^-?\d+$/.test(text) && Math.abs(Number(text)) <= 8.64e15 ? Number(text) : NaN;
  const [year, month, day, hour, minute, second] = parts.map((digits, i) => Number(digits ?? (i === 1 || i === 2 ? 1 : 0)));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // not Date.UTC(): 99 would be 1999
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 60) return NaN;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(parts[7] ?? '') ?? [];
  const offset = sign ? Number(`${sign}1`) * (hours * 60 + Number(minutes)) * kMinute : 0;
  return date.setUTCHours(hour, minute, second, Number((parts[6] ?? '').padEnd(3, '0'))) - offset;
}

// Numbers of columns in answers; dates as milliseconds. NaN: none that can be drawn.
export const numberOf = (type, value) => (typeof value === 'number' ? value : type === 'date' && typeof value === 'string' ? milliseconds(value) : NaN);

const kMonths = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 12000];

function monthStart(month) {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(month / 12), month - 12 * Math.floor(month / 12), 1); // not Date.UTC(): 99 would be 1999
  return date.getTime();
}
const monthOf = (ms) => { const date = new Date(ms); return date.getUTCFullYear() * 12 + date.getUTCMonth(); };

// [first number of the step that `least` is in, the one after, … until `greatest` is passed] of each step, finest first.
function* dateSteps(least, greatest) {
  for (const step of [kMinute, 5 * kMinute, 15 * kMinute, kHour, 3 * kHour, 6 * kHour, 12 * kHour, kDay, 7 * kDay]) {
    const shift = step === 7 * kDay ? 4 * kDay : 0; // weeks begin on Mondays, and 1970 on a Thursday
    const first = Math.floor((least - shift) / step);
    yield { steps: Math.floor((greatest - shift) / step) - first + 1, edge: (i) => (first + i) * step + shift };
  }
  for (const step of kMonths) {
    const first = Math.floor(monthOf(least) / step);
    yield { steps: Math.floor(monthOf(greatest) / step) - first + 1, edge: (i) => monthStart((first + i) * step) };
  }
}
function* numberSteps(type, least, greatest) {
  const power = Math.floor(Math.log10((greatest - least) / kMaxBars || 1));
  for (let up = type === 'integer' ? Math.max(0, power) : power; up < power + 4 || up < 4; ++up)
    for (const digit of [1, 2, 5]) {
      const over = 10 ** -up, step = digit * 10 ** up; // 0.3 is 3 / 10, and not 3 × 0.1
      const at = (n) => (up < 0 ? (n * digit) / over : n * step);
      const first = Math.floor(least / step);
      yield { steps: Math.floor(greatest / step) - first + 1, edge: (i) => at(first + i) };
    }
}

// The edges of at most kMaxBars equal ranges, of round numbers or of the calendar, that hold all from `least` to
// `greatest`: one more than ranges. Null: there are none.
export function edges(type, least, greatest) {
  const limit = type === 'date' ? 8.64e15 : type === 'integer' ? Number.MAX_SAFE_INTEGER / 2 : 1e300;
  if (!(Math.abs(least) < limit && Math.abs(greatest) < limit && least <= greatest)) return null;
  for (const { steps, edge } of type === 'date' ? dateSteps(least, greatest) : numberSteps(type, least, greatest)) {
    if (steps > kMaxBars) continue;
    const all = Array.from({ length: steps + 1 }, (_, i) => edge(i));
    return all.every((one, i) => Number.isFinite(one) && (i === 0 || one > all[i - 1])) ? all : null;
  }
  return null;
}

// A number as the address and the API have it.
export function written(type, number) {
  if (type !== 'date') return String(number);
  const year = new Date(number).getUTCFullYear();
  return year < 1 || year > 9999 ? String(number) : new Date(number).toISOString().replace(/(T00:00)?(:00)?\.000Z$/, (_, midnight, seconds) => (midnight && seconds ? '' : `${midnight ?? ''}${seconds ?? ''}Z`));
}

// A date as a field for days has it, which is `shift` milliseconds before the one of the address; empty: it has no such day.
export function dayOf(text, shift = 0) {
  const date = new Date(milliseconds(text) - shift), year = date.getUTCFullYear();
  return year >= 1 ? `${String(year).padStart(4, '0')}${date.toISOString().match(/-\d\d-\d\d(?=T)/)[0]}` : '';
}
// The other way round.
export function writtenDay(day, shift = 0) {
  const date = new Date(0), [year, month, number] = day.split('-').map(Number);
  const ms = date.setUTCFullYear(year, month - 1, number) + shift;
  return Math.abs(ms) <= 8.64e15 ? written('date', ms) : '';
}

const kDatePlaces = [[4, '-01-01T00:00:00.000Z'], [7, '-01T00:00:00.000Z'], [10, 'T00:00:00.000Z'], [16, ':00.000Z'], [19, '.000Z'], [23, 'Z']];
function dateRange(from, to) {
  const [a, b] = [milliseconds(from), milliseconds(to)].map((ms) => (Number.isFinite(ms) ? new Date(ms).toISOString() : ''));
  if ((from && !a) || (to && !b)) return [from, to];
  const [places] = kDatePlaces.find(([, rest]) => [a, b].every((text) => !text || text.endsWith(rest)));
  const shown = (text) => text.slice(0, places - 24 + text.length).replace('T', ' ');
  return [shown(a), b && shown(new Date(Date.parse(b) - 1).toISOString())];
}

const kShown = 120;
// A value as people see it, who need not see all of a long one. Its whole characters: half of a pair would be none.
export function valueText(value) {
  const all = [...value];
  return all.length > kShown ? `${all.slice(0, kShown).join('')}…` : value.trim() ? value : '(empty)';
}

// A range as people say it; its end is in it, but of floats.
export function rangeText(type, from, to) {
  let first = from, last = to;
  if (type === 'date') [first, last] = dateRange(from, to);
  if (type === 'integer' && /^-?\d{1,18}$/.test(to)) last = String(BigInt(to) - 1n);
  if (!to) return `from ${first}`;
  const end = type === 'float' ? `below ${last}` : last;
  if (!from) return type === 'float' ? end : `up to ${end}`;
  return first === last ? first : `${first} to ${end}`;
}

// What a filter (state.js) lets through; `schema` has its column's type.
export const filterText = (schema, { field, value, from, to }) => (value === undefined ? valueText(rangeText(schema.fields?.[field]?.type, from, to)) : valueText(value));

// A whole number as digits, `1e3` too, `shift` further on; empty: it is none.
export const whole = (text, shift) => (text && Number.isInteger(Number(text)) ? String(BigInt(/^-?\d+$/.test(text) ? text : Number(text)) + BigInt(shift)) : '');
