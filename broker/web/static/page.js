// The search page: asks /v1/search, shows hits, and the cluster's state from /v1/cluster. Text is only ever set as text.
const kPageSize = 10;
const $ = (id) => document.getElementById(id);
let offset = 0;
let asked = 0; // numbers the questions, so that a late answer never overwrites a newer one

const entities = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&#39;': "'" };
const unescaped = (text) => text.replace(/&(?:lt|gt|amp|quot|#39);/g, (entity) => entities[entity]);

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// A snippet is text with <mark>…</mark> around the words found.
function snippet(html) {
  const paragraph = element('p');
  html.split(/<mark>(.*?)<\/mark>/s).forEach((part, i) => {
    paragraph.append(i % 2 ? element('mark', unescaped(part)) : unescaped(part));
  });
  return paragraph;
}

function safeLink(url) {
  return /^https?:\/\//i.test(url) ? url : null;
}

function showHit(hit) {
  const item = element('li');
  const heading = element('h3');
  const link = safeLink(hit.url);
  if (link) {
    const anchor = element('a', hit.title || hit.id);
    anchor.href = link;
    anchor.rel = 'noreferrer';
    heading.append(anchor);
  } else {
    heading.textContent = hit.title || hit.id;
  }
  item.append(heading, snippet(hit.snippet), element('p', `${hit.id} · score ${hit.score.toFixed(3)}`, 'source'));
  return item;
}

function showAnswer(answer) {
  const { total, hits, coverage } = answer;
  $('hits').replaceChildren(...hits.map(showHit));
  const about = total.relation === 'eq' ? '' : 'at least ';
  let text = total.value === 0 ? 'Nothing matches.'
    : `${about}${total.value.toLocaleString()} documents, ${offset + 1} to ${offset + hits.length} shown, ${answer.took_ms} ms`;
  if (answer.cache === 'hit') text += ', from the cache';
  if (coverage.degraded.length) text += `. Incomplete: ${coverage.partitions_answered} of ${coverage.partitions_total} partitions answered.`;
  setStatus(text, coverage.degraded.length > 0);
  $('pages').hidden = total.value <= kPageSize && offset === 0;
  $('previous').disabled = offset === 0;
  $('next').disabled = hits.length < kPageSize || offset + 2 * kPageSize > 10000;
}

function setStatus(text, bad = false) {
  $('status').textContent = text;
  $('status').classList.toggle('problem', bad);
}

async function search() {
  const q = $('q').value.trim();
  if (!q) return;
  const number = ++asked;
  const mode = $('mode').value;
  document.title = `${q} – Frond search`;
  setStatus('Searching…');
  try {
    const reply = await fetch('/v1/search?' + new URLSearchParams({ q, mode, k: kPageSize, offset }));
    const answer = await reply.json();
    if (number !== asked) return;
    if (reply.ok) return showAnswer(answer);
    setStatus(`${answer.title}: ${answer.detail}`, true);
  } catch (failure) {
    if (number !== asked) return;
    setStatus(`The broker does not answer: ${failure.message}`, true);
  }
  $('hits').replaceChildren();
  $('pages').hidden = true;
}

function remember() {
  history.pushState(null, '', '/?' + new URLSearchParams({ q: $('q').value, mode: $('mode').value, offset }));
}

function recall() {
  const parameters = new URLSearchParams(location.search);
  $('q').value = parameters.get('q') ?? '';
  $('mode').value = ['and', 'or'].includes(parameters.get('mode')) ? parameters.get('mode') : 'auto';
  offset = Math.max(0, Number.parseInt(parameters.get('offset') ?? '0', 10) || 0);
  search();
}

function turnPage(by) {
  offset = Math.max(0, offset + by);
  remember();
  search();
  $('status').scrollIntoView();
}

async function showCluster() {
  try {
    const cluster = await (await fetch('/v1/cluster')).json();
    const up = cluster.leaves.filter((leaf) => leaf.healthy).length;
    $('cluster-summary').textContent = `Collection ${cluster.collection}, generation ${cluster.generation}, ${up} of ${cluster.leaves.length} leaves up.`;
    $('leaves').replaceChildren(...cluster.leaves.map((leaf) => {
      const row = element('tr');
      const newest = leaf.generations.at(-1);
      row.append(element('td', leaf.address), element('td', leaf.healthy ? 'up' : 'down', leaf.healthy ? '' : 'problem'),
        element('td', newest ? newest.generation : '–'), element('td', newest ? newest.partitions.length : '–'), element('td', leaf.gpu || '–'));
      return row;
    }));
  } catch {
    $('cluster-summary').textContent = 'The broker does not answer.';
  }
}

$('search').addEventListener('submit', (event) => {
  event.preventDefault();
  offset = 0;
  remember();
  search();
});
$('previous').addEventListener('click', () => turnPage(-kPageSize));
$('next').addEventListener('click', () => turnPage(kPageSize));
window.addEventListener('popstate', recall);
recall();
showCluster();
setInterval(() => { if (!document.hidden) showCluster(); }, 5000);
