// Beside the hits: what their documents have in the collection's columns, to be narrowed by a click, as lists of values
// and bars of ranges; and above them what was chosen, to be removed. All of them are links to the search they lead to.
import { ask } from '/assets/api.js';
import { dayOf, edges, facetColumns, filterText, numberOf, rangeText, valueText, whole, written, writtenDay } from '/assets/columns.js';
import { count, element, link, plural, svg } from '/assets/dom.js';
import { address, cleared, has, isValue, keyOf, question, routes, withFilter, without } from '/assets/state.js';

const kValues = 8, kMoreValues = 50;
const kPassing = [0, 401, 403, 429, 503, 504]; // failures that say nothing about the facet
const refused = new Set(); // collection and column of facets that the broker does not count

const key = (search, name) => `${search.collection} ${name}`;

// {facets: {name: answer}, total, failed: some may be there later} of what is counted; null: given up for a newer search.
async function counted(search, facets, signal) {
  const of = (some) => ask(`${routes(search.collection)}/search`, signal, { ...question(search), k: 1, fields: 'id', total: 'exact', facets: some });
  const got = Object.keys(facets).length > 0 ? await of(facets) : { body: {} };
  if (!got) return null;
  if (got.body) return { facets: {}, ...got.body };
  if (kPassing.includes(got.failure.status)) return { facets: {}, failed: true };
  if (/is not a parameter/.test(got.failure.detail)) Object.keys(facets).forEach((name) => refused.add(key(search, name)));
  // One that cannot be counted, of too many values for example, does not keep the others away.
  const alone = await Promise.all(Object.entries(facets).filter(([name]) => !refused.has(key(search, name))).map(async ([name, facet]) => {
    const one = await of({ [name]: facet });
    if (one?.failure && !kPassing.includes(one.failure.status)) refused.add(key(search, name));
    return one && [name, one.body, one.failure?.status];
  }));
  if (alone.includes(null)) return null;
  const failed = alone.some(([, , status]) => kPassing.includes(status));
  const answers = alone.filter(([name, body]) => body?.facets?.[name]);
  return { facets: Object.fromEntries(answers.map(([name, body]) => [name, body.facets[name]])), total: answers[0]?.[1].total, failed };
}

// {columns, total}: [{name, type, …}] with `buckets` of values, or `edges` and `counts` of ranges; null: given up for a newer search.
async function askFacets(search, schema, signal) {
  const columns = facetColumns(schema).filter(({ name }) => !refused.has(key(search, name)));
  const size = (name) => (search.more === name ? kMoreValues : kValues);
  const first = await counted(search, Object.fromEntries(columns.map(({ name, ranged }) =>
    [name, ranged ? { stats: { field: name } } : { values: { field: name, size: size(name) } }])), signal);
  if (!first) return null;
  const ranges = {};
  for (const column of columns.filter(({ ranged }) => ranged)) {
    const { min, max } = first.facets[column.name] ?? {};
    column.edges = edges(column.type, numberOf(column.type, min), numberOf(column.type, max));
    if (column.edges?.length > 2) ranges[column.name] = { ranges: { field: column.name, bounds: column.edges.slice(1, -1) } };
  }
  const second = await counted(search, ranges, signal);
  if (!second) return null;
  return { failed: first.failed || second.failed, total: first.total, columns: columns.filter(({ name }) => first.facets[name]).map((column) =>
    ({ ...column, ...first.facets[column.name], counts: second.facets[column.name]?.buckets.map((bucket) => bucket.count) })) };
}

// A link to a search; `name` finds it again when the facets are drawn anew.
function step(search, name, label, ...children) {
  const made = link(address(search), '', ...children);
  made.dataset.key = name;
  if (label) made.setAttribute('aria-label', label);
  return made;
}

function valueList(search, { name, buckets, other }) {
  const items = buckets.map(({ value, count: documents }) => {
    const filter = { field: name, value: String(value) }, chosen = has(search, filter);
    const text = element('span', 'value', valueText(filter.value));
    text.dir = 'auto';
    const made = step(chosen ? without(search, filter) : withFilter(search, filter), keyOf(filter), '', text, ' ',
      element('span', 'figure', count(documents), element('span', 'unseen', documents === 1 ? ' document' : ' documents')));
    if (chosen) {
      made.className = 'chosen';
      made.setAttribute('aria-current', 'true');
    }
    return element('li', '', made);
  });
  const more = other > 0 && search.more !== name && step({ ...search, more: name }, `more=${name}`, `More values of ${name}`, 'More');
  return [element('ul', '', ...items), other > 0 && element('p', 'quiet', `Others: ${count(other)}`, more && ' · ', more)];
}

function bars(search, { name, type, edges: all, counts }) {
  const greatest = Math.max(...counts, 1);
  const picture = svg('svg', { class: 'bars', viewBox: `0 0 ${10 * counts.length} 40`, preserveAspectRatio: 'none', role: 'group', 'aria-label': `Ranges of ${name}` });
  const texts = counts.map((documents, i) => {
    const filter = { field: name, from: written(type, all[i]), to: written(type, all[i + 1]) };
    const text = rangeText(type, filter.from, filter.to);
    if (documents === 0) return text;
    const label = `${name} ${text}: ${plural(documents, 'document')}`, height = Math.max(1, (38 * documents) / greatest);
    const made = svg('a', { href: address(withFilter(search, filter)), 'aria-label': label, 'data-key': keyOf(filter) },
      svg('title', {}, label), svg('rect', { class: 'room', x: 10 * i, width: 10, height: 40 }),
      svg('rect', { class: 'count', x: 10 * i + 0.5, y: 40 - height, width: 9, height }));
    picture.append(made);
    return text;
  });
  return [picture, element('p', 'ends', element('span', '', texts[0]), element('span', '', texts.at(-1)))];
}

// A range in two fields; the last day and the last whole number are in it.
function rangeForm(search, { name, type }, go) {
  const active = search.filters.find((filter) => !isValue(filter) && filter.field === name) ?? { from: '', to: '' };
  const kDay = 86400e3;
  const input = (label, value) => {
    const made = element('input');
    Object.assign(made, type === 'date' ? { type: 'date' } : { type: 'number', step: type === 'integer' ? 1 : 'any' }, { value });
    made.setAttribute('aria-label', `${name} ${label}`);
    made.dataset.key = `${name} ${label}`;
    return made;
  };
  const last = (text) => (type === 'date' ? dayOf(text, 1) : type === 'integer' ? whole(text, -1) : text);
  const end = (text) => (type === 'date' ? writtenDay(text, kDay) : type === 'integer' ? whole(text, 1) : text);
  const first = (text) => (type === 'date' ? writtenDay(text) : type === 'integer' ? whole(text, 0) : text);
  const from = input('from', type === 'date' ? dayOf(active.from) : active.from);
  const to = input(type === 'float' ? 'below' : 'to', last(active.to));
  const form = element('form', 'range', from, element('span', 'quiet', type === 'float' ? 'below' : 'to'), to, element('button', '', 'Apply'));
  const ordered = () => { to.min = from.value; }; // the browser tells who asks for a range that ends before it begins
  from.addEventListener('input', ordered);
  ordered();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const range = { field: name, from: first(from.value), to: end(to.value) };
    go(range.from || range.to ? withFilter(search, range) : without(search, { field: name, ...active }));
  });
  return form;
}

function facet(search, column, go) {
  const { name, ranged, buckets = [], counts, edges: all } = column;
  const narrowed = search.filters.some((filter) => filter.field === name);
  if (!ranged && (buckets.length === 0 || (buckets.length === 1 && !narrowed && !column.missing))) return false; // nothing to choose
  if (!ranged && column.other > 0 && buckets[0].count === 1) return false; // each document has its own
  if (ranged && !counts && !narrowed) return false;
  const pictures = counts && counts.length === all.length - 1 ? bars(search, column) : [];
  const body = ranged ? [...pictures, rangeForm(search, column, go)] : valueList(search, column);
  return element('section', 'facet', element('h2', '', name), ...body);
}

function uncounted(search, go) {
  const again = element('button', '', 'Try again');
  again.addEventListener('click', () => go(search));
  return element('p', 'quiet', 'Not everything could be counted. ', again);
}

let known = { columns: [] }; // what was counted last, of which search apart from its page and order
let drawn = ''; // the address that what is there leads on from
const identity = ({ collection, q, mode, filters, more }) => JSON.stringify([collection, q, mode, filters.map(keyOf), more]);

// Draws what was counted last so that it leads on from the search, which may be on its way still: nothing chosen meanwhile
// is lost, nor what is being typed. go(search) leads to a search.
export function drawFacets(frame, box, search, go) {
  if (known.collection !== search.collection) return;
  if (known.of === identity(search)) box.removeAttribute('aria-busy');
  else box.setAttribute('aria-busy', 'true');
  const focus = box.contains(document.activeElement) && document.activeElement.dataset.key;
  const typed = drawn === address(search) ? new Map([...box.querySelectorAll('input')].map((one) => [one.dataset.key, one.value])) : new Map();
  drawn = address(search);
  box.replaceChildren(...known.columns.map((column) => facet(search, column, go)).filter(Boolean), ...(known.failed ? [uncounted(search, go)] : []));
  for (const input of box.querySelectorAll('input')) input.value = typed.get(input.dataset.key) ?? input.value;
  frame.hidden = box.children.length === 0;
  frame.parentElement.classList.toggle('with-facets', !frame.hidden);
  if (focus) ([...box.querySelectorAll('[data-key]')].find((one) => one.dataset.key === focus) ?? frame.querySelector('summary')).focus({ preventScroll: true });
}

// Counts the facets of the search and draws them; hides their `frame` where there are none. Gives the exact total that was
// counted beside them, if it was.
export async function showFacets(frame, box, search, schema, signal, go) {
  if (facetColumns(schema).length === 0) return hideFacets(frame, box);
  const of = identity(search);
  if (of !== known.of || known.failed) {
    const found = await askFacets(search, schema, signal);
    if (!found) return null;
    known = { ...found, of, collection: search.collection };
  }
  drawFacets(frame, box, search, go);
  return known.total?.relation === 'eq' ? known.total.value : null;
}

export function hideFacets(frame, box) {
  known = { columns: [] };
  frame.hidden = true;
  frame.parentElement.classList.remove('with-facets');
  box.removeAttribute('aria-busy');
  box.replaceChildren();
  return null;
}

// What was chosen, each a link to the search without it.
export function chips(search, schema) {
  const items = search.filters.map((filter) => {
    const text = filterText(schema, filter), name = `${valueText(filter.field)}: `;
    // The value runs its own way, whatever it says.
    const chip = step(without(search, filter), keyOf(filter), `Remove the filter ${name}${text}`, element('span', '', name, element('bdi', '', text)), element('span', 'cross', '✕'));
    return element('li', '', chip);
  });
  if (items.length > 1) items.push(element('li', '', step(cleared(search), 'clear', '', 'Remove all')));
  return items;
}
