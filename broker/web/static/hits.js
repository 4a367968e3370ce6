// Hits and page links of one answer.
import { valueText } from '/assets/columns.js';
import { count, element, link } from '/assets/dom.js';
import { kMaxDepth } from '/assets/state.js';

const entities = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&#39;': "'" };
const unescaped = (text) => text.replace(/&(?:lt|gt|amp|quot|#39);/g, (entity) => entities[entity]);

// A snippet is escaped text with <mark>…</mark> around the words found.
function snippet(marked) {
  const paragraph = element('p', 'snippet');
  marked.split(/<mark>(.*?)<\/mark>/s).forEach((part, i) => {
    paragraph.append(i % 2 ? element('mark', '', unescaped(part)) : unescaped(part));
  });
  return paragraph;
}

// Text may run from right to left: each part finds out by its first letters.
const either = (made) => Object.assign(made, { dir: 'auto' });

// Documents come from anywhere: only links to the web are followed.
export const isWeb = (url) => /^https?:\/\//i.test(url);

// The page of what is stored of a document; `collection`: empty for the broker's first one.
const page = (hit, collection) => '/document?' + new URLSearchParams({ id: hit.id, ...(collection && { collection }) });

function title(hit, collection) {
  const away = isWeb(hit.url);
  const anchor = link(away ? hit.url : page(hit, collection), '', hit.title || hit.id);
  if (away) anchor.rel = 'noreferrer';
  return either(element('h2', '', anchor));
}

// What the hit was sorted by, 'year 2010', as parts of a line.
function sortedBy(hit, sort) {
  const names = sort.split(',').map((key) => key.split(':')[0]);
  const values = (hit.sort ?? []).map((value, i) => !names[i]?.startsWith('_') && (value === null ? `no ${names[i]}` : `${names[i]} ${valueText(String(value))}`));
  return values.filter(Boolean).flatMap((text) => [' · ', element('bdi', '', text)]);
}

// What a clause's score is made of, beside the clauses in it.
function madeOf(part) {
  if (part.how === 'bm25') return `${part.frequency} × in a text of ${count(part.length)} words (${Math.round(part.average_length)} on average), idf ${part.idf.toFixed(2)}`;
  if (part.how === 'impact') return `weight ${part.weight} × impact ${part.impact}`;
  if (part.how === 'times') return `${part.by} × the score of`;
  if (part.how === 'max') return part.tie_breaker ? `the highest, and ${part.tie_breaker} × the others` : 'the highest of';
  return { sum: 'the sum of', prior: "the document's prior", rest: 'further clauses', constant: 'constant' }[part.how] ?? 'matches';
}

// A tree of explanations (http-api.md) as nested lists.
function explained(part) {
  const inside = part.of?.length > 0 && element('ul', '', ...part.of.map(explained));
  return element('li', '', `${part.score.toFixed(3)} `, element('code', '', part.clause), ` – ${madeOf(part)}`, part.cut && ' …', inside);
}

function why(explanation) {
  const tree = explanation.missing ? `No explanation: ${explanation.missing}.` : element('ul', '', explained(explanation));
  return element('details', 'quiet why', element('summary', '', 'Why this score?'), tree);
}

export function hitItem(hit, { collection, sort }) {
  const stored = isWeb(hit.url) ? link(page(hit, collection), '', hit.id) : hit.id;
  const score = !sort || sort.includes('_score') ? hit.score !== undefined && ` · score ${hit.score.toFixed(3)}` : '';
  const source = element('p', 'quiet source', hit.url && `${hit.url} · `, stored, score, ...(sort ? sortedBy(hit, sort) : []));
  return element('li', '', title(hit, collection), hit.snippet && either(snippet(hit.snippet)), either(source), hit.explanation && why(hit.explanation));
}

// Fills `nav` with links around the search's page; address(search) makes an address. Behind the deepest page that the API
// counts to, a sorted search goes on by its cursor.
export function showPages(nav, { total, hits, cursor }, search, address) {
  const { offset, k, after } = search;
  const known = Math.ceil(Math.min(total.value, kMaxDepth) / k);
  const current = Math.floor(offset / k);
  const more = after ? cursor !== undefined : current + 1 < known || (total.relation === 'gte' && hits.length === k);
  const reachable = (page) => (page + 1) * k <= kMaxDepth;
  const to = (step, text, label, isCurrent) => {
    const anchor = link(address({ ...search, after: '', ...step }), '', text);
    anchor.setAttribute('aria-label', label);
    if (isCurrent) anchor.setAttribute('aria-current', 'page');
    return element('li', '', anchor);
  };
  const items = [];
  if (after) items.push(to({ offset: 0 }, '« First', 'First page'));
  else {
    if (current > 0) items.push(to({ offset: (current - 1) * k }, '‹ Previous', 'Previous page'));
    const last = Math.max(known - 1, current);
    const first = Math.max(0, Math.min(current - 2, last - 4));
    for (let page = first; page <= Math.min(last, first + 4) && reachable(page); ++page) items.push(to({ offset: page * k }, count(page + 1), `Page ${page + 1}`, page === current));
  }
  if (more && !after && reachable(current + 1)) items.push(to({ offset: (current + 1) * k }, 'Next ›', 'Next page'));
  else if (cursor && hits.length > 0 && total.value > offset + hits.length) items.push(to({ offset: offset + hits.length, after: cursor }, 'Next ›', 'Next page'));
  nav.hidden = items.length < (after ? 1 : 2);
  nav.replaceChildren(element('ul', '', ...items));
}
