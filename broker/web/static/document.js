// The page of one document: the address holds its id, this asks /v1/documents for it and shows what is stored.
import { advice, ask } from '/assets/api.js';
import { element, link, plural } from '/assets/dom.js';
import { isWeb } from '/assets/hits.js';
import { keyForm, lacksKey } from '/assets/key.js';

const $ = (id) => document.getElementById(id);
const from = new URLSearchParams(location.search);
const id = from.get('id') ?? '', collection = from.get('collection');

function showFailure(failure) {
  const key = lacksKey(failure) && keyForm(show);
  const again = element('button', '', 'Try again');
  again.addEventListener('click', show);
  $('source').textContent = '';
  $('notice').replaceChildren(element('div', 'notice', element('h2', '', failure.title ?? 'Error'),
    element('p', '', failure.detail ?? ''), element('p', '', advice(failure)), key || (failure.status !== undefined && element('p', 'actions', again))));
}

async function show() {
  $('notice').replaceChildren();
  if (!id) return showFailure({ title: 'No document', detail: 'The address names none: /document?id=…' });
  $('source').textContent = 'Asking…';
  const of = collection ? `/v1/collections/${encodeURIComponent(collection)}` : '/v1';
  // Not in the path, where a browser drops the ids . and ..
  const got = await ask(`${of}/documents?${new URLSearchParams({ id })}`);
  if (!got?.body) return showFailure(got.failure);
  const { title, url, body, truncated, generation } = got.body;
  document.title = `${title || id} – Frond`;
  $('title').textContent = title || id;
  const away = isWeb(url) && link(url, '', url);
  if (away) away.rel = 'noreferrer';
  $('source').replaceChildren(...[away, `${away ? ' · ' : ''}${id} · ${truncated ? 'first ' : ''}${plural(body.length, 'character')} · generation ${generation}`].filter(Boolean));
  $('document').replaceChildren(body ? element('p', 'stored', body) : element('p', 'quiet', 'Nothing of its text is stored.'),
    ...(truncated ? [element('p', 'notice', 'The text goes on; this is its beginning.')] : []));
}

show();
