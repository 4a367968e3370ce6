// The API's description against a living broker: the document is valid OpenAPI 3.1, what it calls a valid request is
// taken and what it calls invalid is refused, and every answer is one that it describes.
//
// usage: node openapi.mjs URL whole|partial|none    how much of the index has a leaf
//        node openapi.mjs URL keys SEARCH ALL       the broker wants keys: one for searching, one for everything
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';

const [base, coverage, searchKey, allKey] = process.argv.slice(2);
const collection = 'manuals'; // as run.py builds it
const wrong = [];
const seen = new Map(); // "GET /path" → statuses
const expect = (condition, what) => condition || wrong.push(what);

const document = await (await fetch(base + '/openapi.json')).json();
const validator = new Validator();
const verdict = await validator.validate(structuredClone(document));
expect(verdict.valid, `not valid OpenAPI: ${JSON.stringify(verdict.errors)}`);
expect(validator.version === '3.1', `version ${validator.version}`);

const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true, keywords: ['components', 'x-line-schema'] });
ajv.addSchema({ $id: 'doc', components: document.components }, 'doc', undefined, false);
const compiled = new Map();
function errorsOf(schema, value) {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/'));
  const key = JSON.stringify(absolute);
  if (!compiled.has(key)) compiled.set(key, ajv.compile(absolute));
  return compiled.get(key)(value) ? null : ajv.errorsText(compiled.get(key).errors);
}
const resolved = (node) => (node.$ref ? node.$ref.slice(2).split('/').reduce((at, part) => at[part], document) : node);

function checkBody(name, media, content, text) {
  if (media === 'application/x-ndjson') {
    const lines = text.trimEnd().split('\n');
    for (const line of lines) expect(!errorsOf(content['x-line-schema'], JSON.parse(line)), `${name}: a line: ${errorsOf(content['x-line-schema'], JSON.parse(line))}`);
    return;
  }
  const value = media.endsWith('json') ? JSON.parse(text) : text;
  const problem = errorsOf(content.schema, value);
  expect(!problem, `${name}: ${problem}: ${text.slice(0, 500)}`);
}

// Sends a request of an operation; the answer must be one that the operation describes. Returns its status.
async function exchange(method, template, { query = '', body, path = template, headers } = {}) {
  const name = `${method} ${path}${query && '?'}${query}${body === undefined ? '' : ` ${body.slice(0, 200)}`}`;
  const operation = document.paths[template][method.toLowerCase()];
  const reply = await fetch(base + path + (query && '?') + query, { method, body, headers });
  const text = await reply.text();
  const statuses = seen.get(`${method} ${template}`) ?? new Set();
  seen.set(`${method} ${template}`, statuses.add(reply.status));
  const found = operation.responses[reply.status];
  if (!found) {
    wrong.push(`${name}: status ${reply.status} is not described`);
    return reply.status;
  }
  const response = resolved(found);
  for (const [header, { required, schema }] of Object.entries(response.headers ?? {})) {
    const value = reply.headers.get(header);
    expect(value !== null || !required, `${name}: no ${header}`);
    if (value !== null) expect(!errorsOf(schema, schema.type === 'integer' ? Number(value) : value), `${name}: ${header}: ${value}`);
  }
  const media = (reply.headers.get('content-type') ?? '').split(';')[0];
  expect(response.content[media], `${name}: ${media} is not described`);
  if (response.content[media]) checkBody(name, media, response.content[media], text);
  return reply.status;
}

// Lists of names that are not in order, or not valid.
function namesGoneWrong(all) {
  const [one, other] = all.split(',');
  return [`${other},${one}`, '', ',', `${one},`, `,${one}`, `${one},${one}`, `${all},${other}`, `${one}, ${other}`, `9${one}`, `${one}*`];
}

// Values at and over the limits of a parameter's schema.
function valuesOf(schema) {
  const own = resolved(schema);
  if (own.examples) return own.examples;  // what is valid whichever schema the collection has
  if (own.enum) return [...own.enum, 'nonsense', 7, true];
  if (own.type === 'integer') return [own.minimum, own.maximum, own.minimum - 1, own.maximum + 1, 1.5, 'x', '', true];
  if (own.type === 'number') return [own.minimum, own.maximum, 0.25, '0.25', own.minimum - 0.01, own.maximum + 0.01, 'x', '', 'NaN', true];
  if (own.type === 'boolean') return [true, false, 'yes', '', 7];
  if (own.pattern && !own.default) return ['0', '2', '75%', '100%', '101%', '2.5', 'x', '', -1, 7, true];
  if (own.pattern) return [own.default, ...own.default.split(','), ...namesGoneWrong(own.default), 7];
  const long = (length) => 'linkslinks '.repeat(400).slice(0, length);
  return ['links', '', long(own.maxLength), long(own.maxLength + 1), 'grün "quoted" + -minus & more', 7, false];
}

// What a query string carries is text: read as the schema's type where it spells one.
function fromText(schema, text) {
  const own = resolved(schema);
  if (own.type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text;
  if (own.type === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (own.type === 'boolean') return ['true', 'false'].includes(text) ? text === 'true' : text;
  return text;
}

// Asks until the status is one that is wanted: on a busy machine the broker may miss a leaf for a moment.
async function settle(wanted, method, template, request) {
  let status;
  for (let tries = 0; tries < 50; ++tries) {
    status = await exchange(method, template, request);
    if (wanted.includes(status)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  wrong.push(`${method} ${template} ${request?.query ?? ''}: status ${status}, ${wanted} wanted`);
}

const refused = (status) => status === 400;
function agree(name, valid, status) {
  expect(valid !== refused(status), `${name}: the description calls it ${valid ? 'valid' : 'invalid'}, the broker answers ${status}`);
}

async function checkQuery(path) {
  const { parameters } = document.paths[path].get;
  for (const { name, schema } of parameters) {
    for (const value of valuesOf(schema)) {
      const query = new URLSearchParams({ q: 'links', ...(name === 'offset' && { k: 1 }), [name]: String(value) }).toString();
      agree(`?${query.slice(0, 100)}`, !errorsOf(schema, fromText(schema, String(value))), await exchange('GET', path, { query }));
    }
    const twice = `q=links&${name}=1&${name}=1`;
    agree(`?${twice}`, false, await exchange('GET', path, { query: twice }));
  }
  agree('no q', false, await exchange('GET', path, { query: 'explain=true' }));
  agree('unknown', false, await exchange('GET', path, { query: 'q=links&size=3' }));
  agree('a field that is none', false, await exchange('GET', path, { query: 'q=links&fields=nonsense' }));
  agree('too deep', false, await exchange('GET', path, { query: 'q=links&offset=9999&k=2' }));
}

async function checkBodies(path) {
  const content = document.paths[path].post.requestBody.content['application/json'];
  const { schema } = content;
  const cases = [{}, { q: 'links', size: 3 }, [], 'links', null, { q: null }, ...Object.values(content.examples).map(({ value }) => value)];
  for (const [name, own] of Object.entries(resolved(schema).properties)) {
    cases.push(...valuesOf(own).map((value) => ({ q: 'links', ...(name === 'offset' && { k: 1 }), [name]: value })));
  }
  const lines = [];
  for (const value of cases) {
    const body = JSON.stringify(value);
    const valid = !errorsOf(schema, value);
    agree(body.slice(0, 100), valid, await exchange('POST', path, { body }));
    lines.push(body);
  }
  for (const { value } of Object.values(content.examples)) expect(!errorsOf(schema, value), 'an example is not valid');
  agree('broken JSON', false, await exchange('POST', path, { body: '{' }));
  agree('a query too', false, await exchange('POST', path, { query: 'q=a', body: '{"q":"a"}' }));
  expect((await exchange('POST', path, { body: ' '.repeat(1100000) })) === 413, '1,100,000 bytes of body are taken');
  for (const where of [path, '/v1/msearch']) {
    const encoded = (coding) => exchange('POST', where, { body: '{"q":"links"}', headers: { 'content-encoding': coding } });
    expect((await encoded('br')) === 415, `${where}: an encoded body is not answered 415`);
    expect((await encoded('gzip')) === 400, `${where}: a body that is no gzip is not answered 400`);
    expect((await encoded('identity')) === 200, `${where}: a body with the encoding identity is refused`);
  }
  expect((await exchange('POST', '/v1/msearch', { body: lines.join('\n') })) === 200, 'msearch does not answer 200');
  agree('an empty msearch', false, await exchange('POST', '/v1/msearch', { body: '' }));
  agree('10,001 lines', false, await exchange('POST', '/v1/msearch', { body: '{}\n'.repeat(10001) }));
}

// A document that there is, as long as its partition has a leaf.
const found = await (await fetch(`${base}/v1/search?q=links&k=1&fields=id`, { headers: allKey ? { authorization: `Bearer ${allKey}` } : {} })).json();
const documentId = found.hits?.[0]?.id ?? 'none';
const withId = (template) => template.replace('{id}', encodeURIComponent(documentId));

// What a POST needs at least.
const bodyOf = (template) => (template.endsWith('/fuse') ? '{"search":{"q":"links"},"ranking":["x"]}' : '{"q":"links"}');

// What a GET needs at least.
const queryOf = (template) => {
  if (/\/(search|count)$/.test(template)) return { query: 'q=links' };
  return template.endsWith('/documents') ? { query: `id=${encodeURIComponent(documentId)}` } : {};
};

async function checkDocuments() {
  for (const template of ['/v1/documents/{id}', '/v1/collections/{collection}/documents/{id}']) {
    const of = (id) => ({ path: template.replace('{collection}', collection).replace('{id}', id) });
    if (coverage === 'whole') await settle([200], 'GET', template, of(encodeURIComponent(documentId)));
    await settle([coverage === 'whole' ? 404 : 503], 'GET', template, of('no%2Fsuch%20document'));
    agree('a broken escape', false, await exchange('GET', template, of('%4')));
    agree('a parameter', false, await exchange('GET', template, { ...of('x'), query: 'k=3' }));
    const byQuery = template.replace('/{id}', ''), path = byQuery.replace('{collection}', collection);
    if (coverage === 'whole') await settle([200], 'GET', byQuery, { path, query: new URLSearchParams({ id: documentId, body_bytes: 3 }).toString() });
    for (const id of ['.', '..']) await settle([coverage === 'whole' ? 404 : 503], 'GET', byQuery, { path, query: `id=${id}` });
    for (const query of ['', 'id=', 'id=a&id=b', 'id=a&body_bytes=0', 'id=a&body_bytes=33554433', 'id=a&k=3'])
      agree(`documents?${query}`, false, await exchange('GET', byQuery, { path, query }));
  }
}

async function checkEveryRoute() {
  for (const [template, item] of Object.entries(document.paths)) {
    const file = item.get?.parameters?.find((one) => one.in === 'path');
    const names = { collection: [collection], id: [''] }[file?.name] ?? file?.schema.enum;
    const paths = file ? names.map((name) => withId(template).replace(`{${file.name}}`, name)) : [template];
    if (item.get && !/\/(search|count)$/.test(template)) for (const path of paths) await exchange('GET', template, { path });
  }
  agree('a parameter of /v1/cluster', false, await exchange('GET', '/v1/cluster', { query: 'x=1' }));
  await settle([coverage === 'none' ? 503 : 200], 'GET', '/readyz');
}

// A word of its own for each state of the index: a whole answer in the cache outlives the leaves.
async function checkSearches() {
  const word = { whole: 'links', partial: 'file', none: 'kernel' }[coverage];
  for (const query of [`q=${word}`, `q=${word}&explain=true`, `q=${word}&profile=true`, `q=${word}&explain=true&profile=true`, 'q=%20', `q=${word}&k=100&offset=50`, `q=${word}&fields=id`, `q=${word}&k=8&k1=1.2&b=0.75&explain=true`, `q=${word}&k=7&rank=none&explain=true`, `q=${word}&fields=url,title&explain=true`, `q=${word}zz&mode=and`, `q=${word}zz&k=3&did_you_mean=true`, `q=${word}&k=3&sort=_score:asc,_order:desc`, `q=${word}&k=3&sort=_order&explain=true`, `q=${word}&allow_partial=false`]) {
    const wanted = query === 'q=%20' ? [200, 503] : coverage === 'whole' ? [200] : coverage === 'none' ? [503, 504] : query.includes('partial') ? [503] : [200];
    await settle(wanted, 'GET', '/v1/search', { query });
    if (!/[&](k|fields)=/.test(query)) await settle(wanted, 'GET', '/v1/count', { query });
  }
}

// Searches of one collection by its name; another name is 404.
async function checkCollections() {
  for (const [template, item] of Object.entries(document.paths).filter(([one]) => one.includes('{collection}'))) {
    for (const [name, wanted] of [[collection, 200], [encodeURIComponent(collection).replace('m', '%6d'), 200], ['other', 404]]) {
      const path = withId(template).replace('{collection}', name);
      if (item.get) await settle([wanted], 'GET', template, { path, ...queryOf(template) });
      if (item.post) await settle([wanted], 'POST', template, { path, body: bodyOf(template) });
    }
  }
}

// Documents of the search and of the list, and requests that are none.
async function checkFuse() {
  const fuse = (own) => exchange('POST', '/v1/fuse', { body: JSON.stringify({ search: { q: 'links' }, ranking: [documentId, 'none'], ...own }) });
  for (const own of [{}, { k: 1 }, { window: 1, constant: 1 }, { search: { q: 'zzzz', fields: 'id' } }]) agree(JSON.stringify(own), true, await fuse(own));
  for (const own of [{ k: 0 }, { k: 1001 }, { window: 1.5 }, { constant: 0 }, { ranking: [] }, { ranking: ['a', 'a'] }, { ranking: 'a' }, { ranking: [1] }, { search: [] }, { search: {} }, { search: { q: 'a', sort: '_order' } }, { x: 1 }])
    agree(JSON.stringify(own), false, await fuse(own));
}

// Every operation that names a scope refuses requests without a key and with a key that lacks it, and takes the others, in
// both ways that the description has; no other operation asks for a key.
async function checkKeys() {
  for (const [template, item] of Object.entries(document.paths)) {
    for (const method of ['GET', 'POST'].filter((one) => item[one.toLowerCase()])) {
      const { security } = item[method.toLowerCase()];
      const path = withId(template).replace('{file}', 'page.css').replace('{collection}', collection);
      const request = method === 'POST' ? { path, body: bodyOf(template) } : { path, ...queryOf(template) };
      const ask = async (headers, wanted) => {
        const status = await exchange(method, template, { ...request, headers });
        expect(status === wanted, `${method} ${template} with ${Object.keys(headers)}: ${status}, ${wanted} wanted`);
      };
      await ask({}, security ? 401 : 200);
      await ask({ authorization: `Bearer ${'x'.repeat(49)}` }, security ? 401 : 200);
      await ask({ authorization: `Bearer ${searchKey}` }, security?.[1].bearer.includes('admin') ? 403 : 200);
      await ask({ authorization: `Bearer ${allKey}` }, 200);
      await ask({ [document.components.securitySchemes.apiKey.name]: allKey }, 200);
      await ask({ authorization: `Bearer ${allKey}`, 'x-api-key': allKey }, security ? 400 : 200);
    }
  }
}

if (coverage === 'keys') {
  await checkKeys();
} else {
  await checkEveryRoute();
  await checkSearches();
  await checkDocuments();
}
if (coverage === 'whole') {
  await checkCollections();
  await checkFuse();
  for (const path of ['/v1/search', '/v1/count']) {
    await checkQuery(path);
    await checkBodies(path);
  }
  for (const [template, item] of Object.entries(document.paths))
    for (const method of ['GET', 'POST']) if (item[method.toLowerCase()]) expect(seen.get(`${method} ${template}`)?.has(200), `${method} ${template} was never answered with 200`);
}
console.log(`${coverage}: ${[...seen].map(([name, statuses]) => `${name} ${[...statuses].sort().join(' ')}`).join('; ')}`);
for (const line of wrong.slice(0, 50)) console.log(`WRONG: ${line}`);
process.exit(wrong.length ? 1 : 0);
