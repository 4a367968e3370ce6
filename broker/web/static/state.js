// What is searched for: the page's address holds it, and the API's requests are made of it. Nothing here needs a page.

export const kMaxDepth = 10000; // offset + k, as the API has it
const kMaxFilters = 20;
const usual = { mode: 'auto', processor: 'auto', k: 10, offset: 0, profile: false, collection: '', sort: '', after: '' };

// A filter is a value of a column, {field, value}, or a range of it, {field, from, to}: with `from`, without `to`, either
// may be empty. In the address: is.tag=red, in.year=2000..2010.
function filterOf(name, text) {
  const [kind, field] = [name.slice(0, 3), name.slice(3)];
  if (!field || (kind !== 'is.' && kind !== 'in.')) return null;
  if (kind === 'is.') return { field, value: text };
  const at = text.indexOf('..');
  return at < 0 || text === '..' ? null : { field, from: text.slice(0, at), to: text.slice(at + 2) };
}
export const isValue = (filter) => filter.value !== undefined;
export const keyOf = (filter) => (isValue(filter) ? `is.${filter.field}=${filter.value}` : `in.${filter.field}=${filter.from}..${filter.to}`);

// What an address asks for; what it may not say falls back to the default.
export function parse(text) {
  const from = new URLSearchParams(text);
  const one = (name, allowed) => (allowed.includes(from.get(name)) ? from.get(name) : allowed[0]);
  const k = Number(one('k', ['10', '20', '50', '100']));
  const after = from.get('after') ?? ''; // with it, the offset only numbers the hits
  const offset = Math.min(after ? Number.MAX_SAFE_INTEGER - k : kMaxDepth - k, Math.max(0, Number.parseInt(from.get('offset') ?? '0', 10) || 0));
  const filters = new Map([...from].map(([name, value]) => filterOf(name, value)).filter(Boolean).map((filter) => [keyOf(filter), filter]));
  return { q: from.get('q') ?? '', mode: one('mode', ['auto', 'and', 'or']), processor: one('processor', ['auto', 'cpu', 'gpu', 'exhaustive']),
    k, offset, profile: from.get('profile') === 'true', collection: from.get('collection') ?? '', sort: from.get('sort') ?? '', after,
    filters: [...filters.values()].slice(0, kMaxFilters), more: from.get('more') ?? '' };
}

// The page's own address of a search: what is as usual is left out.
export function address({ filters, more, ...search }) {
  const wanted = Object.entries(search).filter(([name, value]) => value !== usual[name]);
  for (const filter of filters) wanted.push(keyOf(filter).split(/=(.*)/s).slice(0, 2));
  if (more) wanted.push(['more', more]);
  return '/?' + new URLSearchParams(wanted);
}

export const isAsked = (search) => Boolean(search.q) || search.filters.length > 0;

// Searches one step away, from their first page on.
export const fresh = (search, changes) => ({ ...search, offset: 0, after: '', ...changes });
export const without = (search, filter) => fresh(search, { filters: search.filters.filter((one) => keyOf(one) !== keyOf(filter)) });
// A column has one range at most: a new one replaces it.
export const withFilter = (search, filter) => fresh(search, { filters: [
  ...search.filters.filter((one) => (isValue(filter) ? keyOf(one) !== keyOf(filter) : isValue(one) || one.field !== filter.field)), filter] });
export const cleared = (search) => fresh(search, { filters: [] });
export const has = (search, filter) => search.filters.some((one) => keyOf(one) === keyOf(filter));

// The API's routes of a collection; the first one needs no name.
export const routes = (collection) => (collection ? `/v1/collections/${encodeURIComponent(collection)}` : '/v1');

// The API reads values of every type as text, and of dates also milliseconds: so none loses digits here.
const clauseOf = ({ field, value, from, to }) => (value !== undefined ? { term: { field, value } }
  : { range: { field, ...(from && { gte: from }), ...(to && { lt: to }) } });

// The members of a JSON request that say which documents match.
export function question({ q, mode, filters }) {
  return { ...(q ? { q } : { query: { all: {} } }), mode, ...(filters.length > 0 && { filter: { bool: { filter: filters.map(clauseOf) } } }) };
}

// The request of a page of hits: {path}, or {path, body} where it is more than words.
export function request(search) {
  const { q, mode, processor, k, offset, profile, collection, sort, after, filters } = search;
  const shown = { processor, k, ...(!after && { offset }), explain: true, did_you_mean: true, ...(profile && { profile }) };
  const path = `${routes(collection)}/search`;
  if (!sort && filters.length === 0) return { path: `${path}?` + new URLSearchParams({ q, mode, ...shown }) };
  return { path, body: { ...question(search), ...shown, ...(sort && { sort: sort.split(',') }), ...(after && { search_after: after }) } };
}
