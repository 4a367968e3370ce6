// The search page: the address holds the search, this asks /v1/search for it and shows what comes.
import { advice, ask } from '/assets/api.js';
import { count, element, link, milliseconds, plural } from '/assets/dom.js';
import { hitItem, showPages } from '/assets/hits.js';
import { keyForm, lacksKey } from '/assets/key.js';
import { profileView } from '/assets/profile.js';

const $ = (id) => document.getElementById(id);
const modes = { and: 'all words', or: 'any word', auto: 'all words first, then any' };
const processors = { cpu: 'CPU', gpu: 'GPU', exhaustive: 'the reference' };
let told; // the collection that the page's foot is about
let running = null; // aborts the search on its way: a late answer never overwrites a newer one

// What the address asks for; what it may not say falls back to the default.
function asked() {
  const from = new URLSearchParams(location.search);
  const one = (name, allowed) => (allowed.includes(from.get(name)) ? from.get(name) : allowed[0]);
  const k = Number(one('k', ['10', '20', '50', '100']));
  const offset = Math.min(10000 - k, Math.max(0, Number.parseInt(from.get('offset') ?? '0', 10) || 0));
  return { q: from.get('q') ?? '', mode: one('mode', ['auto', 'and', 'or']), processor: one('processor', ['auto', 'cpu', 'gpu', 'exhaustive']),
    k, offset, profile: from.get('profile') === 'true', collection: from.get('collection') ?? '' };
}

// The page's own address of a search: what is as usual is left out.
function address(search) {
  const usual = { mode: 'auto', processor: 'auto', k: 10, offset: 0, profile: false, collection: '' };
  const wanted = Object.entries(search).filter(([name, value]) => value !== usual[name]);
  return '/?' + new URLSearchParams(wanted);
}

// The API's routes of a collection; the first one needs no name.
const routes = (collection) => (collection ? `/v1/collections/${encodeURIComponent(collection)}` : '/v1');

function fillForm(search) {
  $('in').value = search.collection || $('in').options[0]?.value || '';
  $('q').value = search.q;
  document.querySelector(`input[name=mode][value=${search.mode}]`).checked = true;
  $('processor').value = search.processor;
  $('k').value = search.k;
  $('profile').checked = search.profile;
}

function fromForm() {
  const mode = document.querySelector('input[name=mode]:checked').value;
  return { q: $('q').value.trim(), mode, processor: $('processor').value, k: Number($('k').value), offset: 0, profile: $('profile').checked,
    collection: $('in').options.length === 0 ? asked().collection : $('in').selectedIndex > 0 ? $('in').value : '' };
}

function summary(answer, { offset }) {
  const { total, hits, explain, cache } = answer;
  if (total.value === 0) return answer.empty_query ? 'Nothing was looked for.' : 'Nothing matches.';
  const found = `${total.relation === 'eq' ? '' : 'At least '}${plural(total.value, 'document')}`;
  const { all_words: all } = total; // of mode auto; told where it says more than the total does
  const withAll = all?.value > 0 ? explain.mode_used === 'auto' && `${count(all.value)} with all words` : all && 'none with all words';
  const shown = hits.length ? `${count(offset + 1)}–${count(offset + hits.length)}` : 'none on this page';
  const where = explain.engines.map((name) => processors[name] ?? name).join(' and ');
  const how = cache === 'hit' ? `from the cache${where && `, computed on ${where}`}` : where && `on ${where}`;
  return [found, withAll, shown, `matching ${modes[explain.mode_used]}`, milliseconds(answer.took_ms), how].filter(Boolean).join(' · ');
}

function notice(title, ...lines) {
  $('notice').replaceChildren(element('div', 'notice', element('h2', '', title), ...lines));
}

function showFailure(failure, search) {
  $('status').textContent = '';
  $('q').toggleAttribute('aria-invalid', failure.status === 400 && failure.parameter === 'q');
  const again = element('button', '', 'Try again');
  again.type = 'button';
  again.addEventListener('click', () => run(search));
  const cluster = [0, 503, 504].includes(failure.status) && link('/status', '', 'See the cluster');
  const key = lacksKey(failure) && keyForm(() => {
    run(search);
    showCollections();
    showCollection();
  });
  notice(failure.title ?? 'Error', element('p', '', failure.detail ?? ''), element('p', '', advice(failure)), key || element('p', 'actions', again, cluster));
}

function showCoverage({ coverage, timed_out: late }) {
  if (coverage.degraded.length === 0) return;
  const reasons = {};
  for (const { partition, reason } of coverage.degraded) (reasons[reason] ??= []).push(partition);
  const lines = Object.entries(reasons).map(([reason, partitions]) => `${partitions.join(', ')}: ${reason.replaceAll('_', ' ')}`);
  notice('This answer is incomplete', element('p', '', `${coverage.partitions_answered} of ${coverage.partitions_total} partitions answered${late ? ' in time' : ''}. Missing: ${lines.join('; ')}.`),
    element('p', '', link('/status', '', 'See the cluster')));
}

function showSigns({ signs_not_applied: signs = [] }, search) {
  if (signs.length === 0) return;
  const lines = signs.map(({ text, expected, nearest }) => element('li', '', element('code', '', text), `: expected ${expected}`,
    ...(nearest ? ['; try ', link(address({ ...search, q: search.q.replace(text, () => nearest), offset: 0 }), '', nearest)] : [])));
  $('notice').append(element('div', 'notice', element('h2', '', 'Searched as text'), element('ul', '', ...lines)));
}

function showNothing(search, empty, understood) {
  if (empty === 'stop_words') return notice('Only stop words', element('p', '', 'Words this common are not indexed in this collection. Add a rarer one.'));
  if (empty) return notice('Nothing to look for', element('p', '', 'The query has no words.'));
  if (understood) return notice('Nothing matches', element('p', '', 'The query was understood as ', element('code', '', understood), '.'));
  if (search.mode !== 'and') return notice('Nothing matches', element('p', '', 'No document has any of these words. Check the spelling.'));
  notice('Nothing matches all words', element('p', '', link(address({ ...search, mode: 'or', offset: 0 }), '', 'Search for any of the words instead')));
}

function showAnswer(answer, search, received) {
  $('hits').replaceChildren(...answer.hits.map((hit) => hitItem(hit, search.collection)));
  $('hits').start = search.offset + 1;
  $('status').textContent = summary(answer, search);
  showPages($('pages'), answer, search.offset, search.k, (offset) => address({ ...search, offset }));
  $('profile-view').replaceChildren(...(answer.profile ? [profileView(answer)] : []));
  showCoverage(answer);
  if (answer.total.value === 0 && answer.coverage.degraded.length === 0) showNothing(search, answer.empty_query, answer.understood);
  showSigns(answer, search);
  requestAnimationFrame(() => performance.measure('answer-to-hits', { start: received, end: performance.now() }));
}

async function run(search) {
  if (told !== undefined && told !== search.collection) showCollection();
  running?.abort();
  running = new AbortController();
  for (const id of ['notice', 'profile-view']) $(id).replaceChildren();
  $('q').removeAttribute('aria-invalid');
  document.title = search.q ? `${search.q} – Frond search` : 'Frond search';
  if (!search.q) {
    $('results').removeAttribute('aria-busy'); // the search that was on its way does not answer any more
    $('hits').replaceChildren();
    $('pages').hidden = true;
    $('status').textContent = '';
    return;
  }
  $('results').setAttribute('aria-busy', 'true');
  $('status').textContent = 'Searching…';
  const { profile, collection, ...rest } = search;
  const got = await ask(`${routes(collection)}/search?` + new URLSearchParams({ ...rest, explain: true, ...(profile && { profile }) }), running.signal);
  if (!got) return;
  const received = performance.now();
  $('results').removeAttribute('aria-busy');
  if (got.body) return showAnswer(got.body, search, received);
  $('hits').replaceChildren();
  $('pages').hidden = true;
  showFailure(got.failure, search);
}

function go(search) {
  history.pushState(null, '', address(search));
  return run(search);
}

function recall() {
  const search = asked();
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
  if (asked().q && $('q').value.trim()) go(fromForm());
});
$('in').addEventListener('change', () => {
  if (asked().q) return;
  history.replaceState(null, '', address({ ...asked(), collection: fromForm().collection }));
  showCollection();
});
$('pages').addEventListener('click', (event) => {
  const offset = event.target.closest('a')?.dataset.offset;
  if (offset === undefined || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  $('results').focus({ preventScroll: true });
  window.scrollTo(0, 0);
  go({ ...asked(), offset: Number(offset) });
});
window.addEventListener('popstate', recall);
recall();
showCollections();
showCollection();
