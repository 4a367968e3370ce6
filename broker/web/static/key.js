// The API key of a person: kept until the tab is closed, sent with each request, asked for where one is missing.
import { element } from '/assets/dom.js';

const kName = 'frond-api-key';

// The header's fields that send the key; none without one.
export function credentials() {
  const key = sessionStorage.getItem(kName);
  return key ? { Authorization: `Bearer ${key}` } : {};
}

export const lacksKey = (failure) => failure.status === 401 || failure.status === 403;

// A form for another key; `then` is called once it is kept.
export function keyForm(then) {
  const input = element('input');
  Object.assign(input, { type: 'password', required: true, autocomplete: 'off', spellcheck: false });
  const form = element('form', 'key', element('label', '', 'API key ', input), element('button', '', 'Use this key'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sessionStorage.setItem(kName, input.value.trim());
    then();
  });
  return form;
}
