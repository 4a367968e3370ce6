// The search page: the address holds the search, this asks /v1/search for it and shows what comes.
import { advice, ask } from '/assets/api.js';
import { sortChoices } from '/assets/columns.js';
import { count, element, link, milliseconds, plural } from '/assets/dom.js';
import { chips, drawFacets, hideFacets, showFacets } from '/assets/facets.js';
import { hitItem, showPages } from '/assets/hits.js';
import { keyForm, lacksKey } from '/assets/key.js';
import { profileView } from '/assets/profile.js';
import { address, fresh, isAsked, parse, request, routes } from '/assets/state.js';
import { waysOn } from '/assets/ways.js';

const $ = (id) => document.getElementById(id);
const modes = { and: 'all words', or: 'any word', auto: 'all words first, then any' };
const processors = { cpu: 'CPU', gpu: 'GPU', exhaustive: 'the reference' };
let told; // the collection that the page's foot is about
let running = null; // aborts the search on its way: a late answer never overwrites a newer one
let shown; // the address whose search was run last
const kLong = 10e3; // ms until a person is told that nothing has come yet
const schemas = new Map(); // by collection: promises

const asked = () => parse(location.search);

// The fields of a collection; none where there is no schema, or a broker that knows none.
function schemaOf(collection) {
  if (!schemas.has(collection))
    schemas.set(collection, ask(`${routes(collection)}/schema`).then((got) => {
      if (!got?.body && got?.failure.status !== 404) schemas.delete(collection); // asked again with the next search
      return got?.body?.fields ? got.body : { fields: {} };
    }));
  return schemas.get(collection);
}

function fillForm(search) {
  $('in').value = search.collection || $('in').options[0]?.value || '';
  $('q').value = search.q;
  document.querySelector(`input[name=mode][value=${search.mode}]`).checked = true;
  $('processor').value = search.processor;
  $('k').value = search.k;
  $('profile').checked = search.profile;
  fillSort(search);
}

function fillSort({ sort }) {
  if (![...$('sort').options].some(({ value }) => value === sort)) $('sort').append(new Option(sort, sort)); // an address may have any
  $('sort').value = sort;
}

function fromForm() {
  const { filters, sort, more, collection: before } = asked();
  const mode = document.querySelector('input[name=mode]:checked').value;
  const collection = $('in').options.length === 0 ? before : $('in').selectedIndex > 0 ? $('in').value : '';
  const search = { q: $('q').value.trim(), mode, processor: $('processor').value, k: Number($('k').value), offset: 0, profile: $('profile').checked, collection };
  // Another collection has other columns.
  return collection === before ? { ...search, sort: $('sorting').hidden ? sort : $('sort').value, after: '', filters, more } : { ...search, sort: '', after: '', filters: [], more: '' };
}

function summary(answer, { offset }) {
  const { total, hits, explain, cache } = answer;
  if (total.value === 0) return answer.empty_query ? 'Nothing was looked for.' : 'Nothing matches.';
  const found = `${total.relation === 'eq' ? '' : 'At least '}${plural(total.value, 'document')}`;
  const { all_words: all } = total; // of mode auto; told where it says more than the total does
  const withAll = all?.value > 0 ? explain.mode_used === 'auto' && `${all.relation === 'eq' ? '' : 'at least '}${count(all.value)} with all words` : all && 'none with all words';
  const shown = hits.length ? `${count(offset + 1)}–${count(offset + hits.length)}` : 'none on this page';
  const where = explain.engines.map((name) => processors[name] ?? name).join(' and ');
  const how = cache === 'hit' ? `from the cache${where && `, computed on ${where}`}` : where && `on ${where}`;
  return [found, withAll, shown, `matching ${modes[explain.mode_used]}`, milliseconds(answer.took_ms), how].filter(Boolean).join(' · ');
}

function notice(title, ...lines) {
  $('notice').replaceChildren(element('div', 'notice', element('h2', '', title), ...lines));
}

// Asks for everything once more: a broker that did not answer the search may not have answered the rest either.
function anew(search) {
  run(search);
  showCollections();
  showCollection();
}

function tryAgain(search) {
  const again = element('button', '', 'Try again');
  again.addEventListener('click', () => anew(search));
  return again;
}
const toCluster = () => link('/status', '', 'See the cluster');

function showFailure(failure, search) {
  $('status').textContent = '';
  $('q').toggleAttribute('aria-invalid', failure.status === 400 && failure.parameter === 'q');
  const cluster = [0, 503, 504].includes(failure.status) && toCluster();
  const key = lacksKey(failure) && keyForm(() => anew(search));
  const first = search.after && link(address(fresh(search)), '', 'The first page');
  notice(failure.title ?? 'Error', element('p', '', failure.detail ?? ''), element('p', '', advice(failure)), key || element('p', 'actions', tryAgain(search), first, cluster));
}

const showSlow = (search) => notice('No answer yet', element('p', '', `Nothing has come for ${kLong / 1000} seconds; this page goes on waiting.`), element('p', 'actions', tryAgain(search), toCluster()));

function showCoverage({ coverage, timed_out: late }) {
  if (coverage.degraded.length === 0) return;
  const reasons = {};
  for (const { partition, reason } of coverage.degraded) (reasons[reason] ??= []).push(partition);
  const lines = Object.entries(reasons).map(([reason, partitions]) => `${partitions.join(', ')}: ${reason.replaceAll('_', ' ')}`);
  notice('This answer is incomplete', element('p', '', `${coverage.partitions_answered} of ${coverage.partitions_total} partitions answered${late ? ' in time' : ''}. Missing: ${lines.join('; ')}.`),
    element('p', '', toCluster()));
}

function showSigns({ signs_not_applied: signs = [] }, search) {
  if (signs.length === 0) return;
  const lines = signs.map(({ text, expected, nearest }) => element('li', '', element('code', '', text), `: expected ${expected}`,
    ...(nearest ? ['; try ', link(address(fresh(search, { q: search.q.replace(text, () => nearest) })), '', nearest)] : [])));
  $('notice').append(element('div', 'notice', element('h2', '', 'Searched as text'), element('ul', '', ...lines)));
}

function showMeant({ did_you_mean: meant }, search) {
  if (!meant?.q) return;
  $('notice').append(element('p', 'notice', 'Did you mean ', link(address(fresh(search, { q: meant.q })), '', meant.q), '?'));
}

function showNothing(search, empty, understood) {
  if (empty === 'stop_words') return notice('Only stop words', element('p', '', 'Words this common are not indexed in this collection. Add a rarer one.'));
  if (empty) return notice('Nothing to look for', element('p', '', 'The query has no words.'));
  if (search.filters.length > 0) return notice('Nothing matches with these filters', understood && element('p', '', 'The query was understood as ', element('code', '', understood), '.'));
  if (understood) return notice('Nothing matches', element('p', '', 'The query was understood as ', element('code', '', understood), '.'));
  if (search.mode !== 'and') return notice('Nothing matches', element('p', '', 'No document has any of these words. Check the spelling.'));
  notice('Nothing matches all words', element('p', '', link(address(fresh(search, { mode: 'or' })), '', 'Search for any of the words instead')));
}

// Where nothing has all words, or everything: what one may leave out.
async function showWays({ total, coverage, empty_query: empty }, search, signal) {
  const nothing = total.value === 0;
  if (empty || coverage.degraded.length > 0 || !(nothing || total.all_words?.value === 0)) return;
  const ways = await waysOn(nothing ? search : { ...search, filters: [] }, await schemaOf(search.collection), search.mode !== 'or', signal);
  if (ways.length === 0 || signal.aborted) return;
  $('ways').replaceChildren(element('div', 'notice', element('h2', '', nothing ? 'What may be left out' : 'No document has all words'), element('ul', '', ...ways)));
}

function showAnswer(answer, search, received, signal) {
  $('hits').replaceChildren(...answer.hits.map((hit) => hitItem(hit, search)));
  $('hits').start = search.offset + 1;
  $('status').textContent = summary(answer, search);
  showPages($('pages'), answer, search, address);
  $('profile-view').replaceChildren(...(answer.profile ? [profileView(answer)] : []));
  showCoverage(answer);
  if (answer.total.value === 0 && answer.coverage.degraded.length === 0) showNothing(search, answer.empty_query, answer.understood);
  showSigns(answer, search);
  showMeant(answer, search);
  requestAnimationFrame(() => performance.measure('answer-to-hits', { start: received, end: performance.now() }));
  showWays(answer, search, signal);
}

// What the schema adds beside the hits: orders and facets. `answer`: null where there are no hits.
async function narrow(search, signal, answer) {
  const schema = await schemaOf(search.collection);
  if (signal.aborted) return;
  const choices = sortChoices(schema), select = $('sort');
  $('sorting').hidden = choices.length === 0 && !search.sort;
  document.body.classList.toggle('wide', choices.length > 0);
  if (select.dataset.of !== search.collection || select.options.length <= choices.length) {
    select.replaceChildren(new Option('Relevance', ''), ...choices.map(([value, text]) => new Option(text, value)));
    select.dataset.of = search.collection;
    fillSort(search);
  }
  if (!answer) return hideFacets($('facets'), $('columns'));
  const exact = await showFacets($('facets'), $('columns'), search, schema, signal, go);
  if (exact === null || answer.total.relation === 'eq' || signal.aborted) return;
  const known = { ...answer, total: { ...answer.total, value: exact, relation: 'eq' }, explain: { ...answer.explain, mode_used: search.mode } };
  $('status').textContent = summary(known, search);
  showPages($('pages'), known, search, address);
}

async function showChips(search, signal) {
  const schema = search.filters.length > 0 && await schemaOf(search.collection);
  if (signal.aborted) return;
  $('chips').replaceChildren(...chips(search, schema));
  $('chips').hidden = search.filters.length === 0;
}

async function run(search) {
  if (told !== undefined && told !== search.collection) showCollection();
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  shown = address(search);
  for (const id of ['notice', 'profile-view', 'ways']) $(id).replaceChildren();
  $('q').removeAttribute('aria-invalid');
  document.title = search.q ? `${search.q} – Frond search` : 'Frond search';
  showChips(search, signal);
  if (!isAsked(search)) {
    $('results').removeAttribute('aria-busy'); // the search that was on its way does not answer any more
    $('hits').replaceChildren();
    $('pages').hidden = true;
    $('status').textContent = '';
    return narrow(search, signal, null);
  }
  drawFacets($('facets'), $('columns'), search, go);
  $('results').setAttribute('aria-busy', 'true');
  $('status').textContent = 'Searching…';
  const { path, body } = request(search);
  const slow = setTimeout(showSlow, kLong, search);
  const got = await ask(path, signal, body);
  clearTimeout(slow);
  if (!got) return;
  const received = performance.now();
  $('notice').replaceChildren();
  $('results').removeAttribute('aria-busy');
  if (got.body) {
    showAnswer(got.body, search, received, signal);
    return narrow(search, signal, got.body.total.value > 0 ? got.body : null);
  }
  $('hits').replaceChildren();
  $('pages').hidden = true;
  showFailure(got.failure, search);
  return narrow(search, signal, null);
}

function go(search) {
  const to = address(search);
  if (to === address(asked())) history.replaceState(null, '', to); // the same again is no step that one would go back
  else history.pushState(null, '', to);
  return run(search);
}

function recall() {
  const search = asked();
  if (address(search) === shown) return; // only the place on the page is another
  fillForm(search);
  run(search);
}

// The choice of collections, where there is one.
async function showCollections() {
  const { body } = (await ask('/v1/collections')) ?? {};
  if (!body || body.collections.length < 2) return;
  $('in').replaceChildren(...body.collections.map((name) => element('option', '', name)));
  $('in').value = asked().collection || body.collections[0];
  $('collections').hidden = false;
}

async function showCollection() {
  told = asked().collection;
  const { body } = (await ask(`${routes(told)}/cluster`)) ?? {};
  if (!body) return;
  const up = body.leaves.filter((leaf) => leaf.healthy).length;
  $('collection').replaceChildren(`Collection ${body.collection} · ${plural(body.documents, 'document')} · generation ${body.generation} · `,
    link('/status', '', `${up} of ${plural(body.leaves.length, 'leaf', 'leaves')} up`));
}

$('search').addEventListener('submit', (event) => {
  event.preventDefault();
  go(fromForm());
});
// A changed option asks again at once, when something was asked.
document.querySelector('.options').addEventListener('change', () => {
  if (isAsked(asked()) && isAsked(fromForm())) go(fromForm());
});
$('in').addEventListener('change', () => {
  if (isAsked(asked())) return;
  history.replaceState(null, '', address({ ...asked(), collection: fromForm().collection }));
  showCollection();
});
// Links to other searches of this page are followed without loading it anew.
document.querySelector('main').addEventListener('click', (event) => {
  const to = event.target.closest('a');
  const href = to?.getAttribute('href');
  if (!href?.startsWith('/?') || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const stays = to.closest('#columns, #chips'); // what is chosen there may be followed by more
  if (!stays) {
    $('results').focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
  const search = parse(href.slice(1));
  const next = $('chips').contains(to) && (to.closest('li').nextElementSibling ?? to.closest('li').previousElementSibling)?.querySelector('a').dataset.key;
  fillForm(search);
  go(search).then(() => next !== false && ([...$('chips').querySelectorAll('a')].find((one) => one.dataset.key === next) ?? $('results')).focus({ preventScroll: true }));
});
const wide = window.matchMedia('(min-width: 60rem)');
const unfold = () => { $('facets').open = wide.matches; };
wide.addEventListener('change', unfold);
unfold();
window.addEventListener('popstate', recall);
recall();
showCollections();
showCollection();
