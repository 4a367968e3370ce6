// The broker's API as the pages use it: a request gives a body or a failure, never an exception.
import { credentials } from '/assets/key.js';

// {body} or {failure: {status, title, detail, parameter, retryAfter}}; status 0: no answer. Null: given up for a newer one.
// `sent`: what is posted as JSON; without it the request is a GET.
export async function ask(path, signal, sent) {
  let reply;
  try {
    reply = await fetch(path, { signal, headers: { Accept: 'application/json', ...credentials(), ...(sent && { 'Content-Type': 'application/json' }) },
      ...(sent && { method: 'POST', body: JSON.stringify(sent) }) });
    const body = await reply.json();
    if (reply.ok) return { body };
    return { failure: { ...body, status: reply.status, retryAfter: Number(reply.headers.get('Retry-After')) || 0 } };
  } catch (error) {
    if (error.name === 'AbortError') return null;
    if (reply) return { failure: { status: reply.status, title: 'Unreadable answer', detail: `Status ${reply.status}, and no JSON.` } };
    return { failure: { status: 0, title: 'The broker does not answer', detail: 'It may be restarting, or the network is cut.' } };
  }
}

// What a person may do about a failure.
export function advice(failure) {
  switch (failure.status) {
    case 0: return 'Try again in a moment.';
    case 400: return 'Change the search and send it again.';
    case 401: return 'Ask whoever runs this cluster for a key.';
    case 403: return 'Another key may be allowed to.';
    case 410: return 'The collection has changed since; begin again at the first page.';
    case 429: return `The cluster is at its limit. Try again in ${failure.retryAfter || 1} s.`;
    case 503: return 'Parts of the index have no leaf now; the cluster page shows which.';
    case 504: return 'The leaves were too slow; rarer words are found faster.';
    default: return '';
  }
}
