// Where no document has everything that was asked for: what may be left out, and how many documents there are then.
import { ask } from '/assets/api.js';
import { filterText } from '/assets/columns.js';
import { element, link, plural } from '/assets/dom.js';
import { address, fresh, question, routes, without } from '/assets/state.js';

const kMostWords = 8;
const kSigns = /["+\-()[\]{}:^~*?\\<>=]|\b(?:AND|OR|NOT)\b/; // of the query language

// [[parts of what is left out, the search without it]]: one of several plain words, or one filter.
function shorter(search, schema, words) {
  const all = search.q.split(/\s+/).filter(Boolean);
  const few = words && all.length > 1 && all.length <= kMostWords && !kSigns.test(search.q);
  return [...(few ? all.map((word, i) => [[`“${word}”`], fresh(search, { q: all.filter((_, j) => j !== i).join(' ') })]) : []),
    ...search.filters.map((filter) => [[`the filter ${filter.field}: `, element('bdi', '', filterText(schema, filter))], without(search, filter)])];
}

// Lines of links; none where nothing helps, or the count does not come. `all`: whether all words are to be in a document.
export async function waysOn(search, schema, all, signal) {
  const counted = await Promise.all(shorter(search, schema, all).map(async ([what, next]) => {
    const got = next.q || next.filters.length > 0 ? await ask(`${routes(search.collection)}/count`, signal, { ...question(next), mode: all ? 'and' : 'or' }) : null;
    return { what, next, documents: got?.body?.count ?? 0 };
  }));
  return counted.filter(({ documents }) => documents > 0).map(({ what, next, documents }) =>
    element('li', '', 'Without ', link(address(next), '', ...what), `: ${plural(documents, 'document')}`));
}
