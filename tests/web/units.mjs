// The parts of the search page that need no page: addresses and requests, the ranges that facets are cut into, and what
// people read of them. usage: node units.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

// Served as modules; to Node.js their names would say otherwise.
const load = (name) => import('data:text/javascript,' + encodeURIComponent(readFileSync(new URL(`../../broker/web/static/${name}`, import.meta.url), 'utf8')));
const { address, has, parse, request, withFilter, without } = await load('state.js');
const { dayOf, edges, facetColumns, filterText, numberOf, rangeText, sortChoices, valueText, whole, written, writtenDay } = await load('columns.js');

test('an address says the same search again', () => {
  for (const text of ['', '?q=a+b&mode=or&k=50&offset=100&profile=true&collection=mail', '?q=a&sort=year%3Adesc%3Afirst%2C_score&after=xyz%2B%2F&offset=20000',
    '?is.tag=a%3Db..%26&is.tag=&is.a.b=x&in.year=2000..&in.price=..9.5&more=tag']) {
    const search = parse(text);
    assert.deepEqual(parse(address(search).slice(1)), search);
  }
  assert.equal(address(parse('?q=a&mode=auto&k=10&offset=0')), '/?q=a');
});

test('what an address may not say is as usual', () => {
  const search = parse('?mode=xor&k=7&offset=99999999&in.year=2000&in.year=..&is.=x&is=y&' + 'is.tag=x&'.repeat(3));
  assert.deepEqual([search.mode, search.k, search.offset], ['auto', 10, 9990]);
  assert.deepEqual(search.filters, [{ field: 'tag', value: 'x' }]);
  assert.equal(parse('?' + Array.from({ length: 100 }, (_, i) => `is.tag=${i}`).join('&')).filters.length, 20);
});

test('words alone are asked for as ever', () => {
  assert.deepEqual(request(parse('?q=a+b&profile=true&collection=c/d')),
    { path: '/v1/collections/c%2Fd/search?q=a+b&mode=auto&processor=auto&k=10&offset=0&explain=true&did_you_mean=true&profile=true' });
});

test('filters and orders are asked for as JSON', () => {
  assert.deepEqual(request(parse('?q=a&is.tag=x&in.year=2000..2010&sort=year:desc,_score')), { path: '/v1/search', body: { q: 'a', mode: 'auto',
    filter: { bool: { filter: [{ term: { field: 'tag', value: 'x' } }, { range: { field: 'year', gte: '2000', lt: '2010' } }] } },
    processor: 'auto', k: 10, offset: 0, explain: true, did_you_mean: true, sort: ['year:desc', '_score'] } });
  const { body } = request(parse('?in.published=-62167219200000..&sort=year:desc&after=c&offset=30'));
  assert.deepEqual(body.query, { all: {} });
  assert.deepEqual(body.filter.bool.filter, [{ range: { field: 'published', gte: '-62167219200000' } }]);
  assert.deepEqual([body.search_after, body.offset], ['c', undefined]);
});

test('a column has several values and one range, and a change begins at the first page', () => {
  let search = parse('?q=a&is.tag=x&in.year=2000..2010&offset=40');
  search = withFilter(withFilter(search, { field: 'year', from: '2005', to: '2006' }), { field: 'tag', value: 'y' });
  assert.equal(address(search), '/?q=a&is.tag=x&in.year=2005..2006&is.tag=y');
  assert.ok(has(search, { field: 'tag', value: 'x' }));
  assert.equal(address(without(search, { field: 'tag', value: 'x' })), '/?q=a&in.year=2005..2006&is.tag=y');
});

test('ranges hold everything, are few, and begin at round numbers', () => {
  const random = (from, to) => from + Math.random() * (to - from);
  for (let i = 0; i < 20000; ++i) {
    const type = ['integer', 'float', 'date'][i % 3], scale = 10 ** random(type === 'float' ? -12 : 0, type === 'float' ? 200 : 14);
    let [least, greatest] = [random(-scale, scale), random(-scale, scale)].sort((a, b) => a - b);
    if (type !== 'float') [least, greatest] = [Math.round(least), Math.round(greatest)];
    const all = edges(type, least, greatest), what = `${type} ${least} ${greatest}: ${all}`;
    assert.ok(all && all.length >= 2 && all.length <= 13, what);
    assert.ok(all[0] <= least && all.at(-1) > greatest && all[1] > least && all.at(-2) <= greatest, what);
    assert.ok(all.every((edge, at) => at === 0 || edge > all[at - 1]), what);
    if (type === 'integer') assert.ok(all.every(Number.isSafeInteger), what);
  }
  assert.deepEqual(edges('integer', 1, 5), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(edges('float', 0.1, 0.25), [0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.26]);
  assert.deepEqual(edges('date', Date.UTC(2020, 0, 31), Date.UTC(2020, 2, 1)).map((ms) => written('date', ms)).slice(0, 3), ['2020-01-27', '2020-02-03', '2020-02-10']);
  for (const [type, least, greatest] of [['integer', NaN, 1], ['integer', 2 ** 60, 2 ** 61], ['float', 1e16, 1e16 + 4], ['float', 3, 2], ['date', 0, 9e15]]) assert.equal(edges(type, least, greatest), null);
});

test('ranges read as people say them', () => {
  const says = (type, from, to, wanted) => assert.equal(rangeText(type, from, to), wanted);
  says('integer', '2000', '2005', '2000 to 2004');
  says('integer', '2000', '2001', '2000');
  says('integer', '', '2001', 'up to 2000');
  says('float', '1', '2.5', '1 to below 2.5');
  says('float', '', '2.5', 'below 2.5');
  says('date', '2020-01-01', '2021-01-01', '2020');
  says('date', '2020-03-01', '2020-05-01', '2020-03 to 2020-04');
  says('date', '2019-12-30', '2020-01-06', '2019-12-30 to 2020-01-05');
  says('date', '2020-01-01T10:00:00Z', '2020-01-01T10:15:00Z', '2020-01-01 10:00 to 2020-01-01 10:14');
  says('date', '2020-05-04', '', 'from 2020-05-04');
  says('date', 'nonsense', '2020-05-04', 'nonsense to 2020-05-04');
  says('date', '1000000000000000', '8000000000000000', '+033658-09-27 01:46:40 to +255479-11-28 14:13:19');
  says('date', '2020-06-01T10:00', '2020-06-01T12:00+01:00', '2020-06-01 10:00 to 2020-06-01 10:59');
  for (const none of ['2020-02-30', '2020-13', '2020-01-00', '20-1-1', '2020-06-01T24:00Z', '9000000000000000', '99999999999999999999', '1e15', 'May 2020']) says('date', none, '', `from ${none}`);
  says(undefined, '1', '2', '1 to 2');
});

test('dates are read as the API reads them, to the last year there is', () => {
  const reads = (text, wanted) => assert.equal(numberOf('date', text), wanted, text);
  for (const [text, same] of [['2020', '2020-01-01'], ['2020-06', '2020-06-01'], ['0099-12-31', '0099-12-31'], ['2020-02-29T23:59:60.1239Z', '2020-03-01T00:00:00.123Z'], ['2020-01-01 00:30:00,5-0530', '2020-01-01T06:00:00.500Z']])
    reads(text, Date.parse(`${same}${same.includes('T') ? '' : 'T00:00:00Z'}`));
  for (const ms of [0, 5, -1, 12345, 1e15, 8.64e15, -8.64e15]) reads(String(ms), ms);
  for (const none of ['', '2021-02-29', '2020-6-1', 'x2020', '8640000000000001', '+5']) reads(none, NaN);
  for (const [text, day] of [['2020-05-01', '2020-05-01'], ['1000000000000000', '33658-09-27'], ['8640000000000000', '275760-09-13'], ['0001-01-01', '0001-01-01'], ['0000-12-31', ''], ['-99999999999999', ''], ['2020-02-30', ''], ['', '']]) {
    assert.equal(dayOf(text), day);
    if (day) assert.equal(numberOf('date', writtenDay(day)), Math.floor(numberOf('date', text) / 86400e3) * 86400e3);
  }
  assert.deepEqual([dayOf('2020-05-01', 1), writtenDay('2020-04-30', 86400e3), writtenDay('9999-12-31', 86400e3)], ['2020-04-30', '2020-05-01', '253402300800000']);
  assert.deepEqual([writtenDay(''), writtenDay('275760-09-13', 86400e3), writtenDay('275761-01-01')], ['', '', '']);
});

test('values and filters are short enough to be read, and whole numbers are written in digits', () => {
  for (const [value, wanted] of [['red', 'red'], ['', '(empty)'], [' \t', '(empty)'], ['x'.repeat(120), 'x'.repeat(120)], ['x'.repeat(121), `${'x'.repeat(120)}…`], ['👩'.repeat(1000), `${'👩'.repeat(120)}…`]])
    assert.equal(valueText(value), wanted);
  const schema = { fields: { year: { type: 'integer' } } };
  assert.equal(filterText(schema, { field: 'year', from: '2000', to: '2011' }), '2000 to 2010');
  assert.equal(filterText(schema, { field: 'other', value: '' }), '(empty)');
  assert.equal([...filterText({}, { field: 'year', from: '9'.repeat(4000), to: '' })].length, 121);
  for (const [text, shift, wanted] of [['7', 1, '8'], ['-1', 1, '0'], ['1e3', 0, '1000'], ['9223372036854775807', -1, '9223372036854775806'], ['', 1, ''], ['1.5', 1, ''], ['x', 1, ''], ['1e400', 0, '']])
    assert.equal(whole(text, shift), wanted, text);
});

test('facets are of the first columns, orders of all', () => {
  assert.deepEqual([facetColumns({}), sortChoices({ fields: {} })], [[], []]);
  const fields = { title: { type: 'text' }, vector: { type: 'weights' }, ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`c${i}`, { type: i % 2 ? 'date' : 'keyword' }])) };
  assert.deepEqual(facetColumns({ fields }).map(({ name, ranged }) => `${name} ${ranged}`), ['c0 false', 'c1 true', 'c2 false', 'c3 true', 'c4 false', 'c5 true']);
  assert.equal(sortChoices({ fields }).length, 18);
  assert.deepEqual(sortChoices({ fields }).slice(0, 3), [['c0:asc', 'c0, A to Z'], ['c0:desc', 'c0, Z to A'], ['c1:desc', 'c1, newest first']]);
});
