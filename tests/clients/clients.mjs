// What an official client does all day, against the Elasticsearch API at a URL: an index, documents in bulk and one by one,
// searches, aggregations, and what is refused.
//
// usage: node clients.mjs elasticsearch-7|elasticsearch-8|elasticsearch-9|opensearch URL
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';

const [name, node] = process.argv.slice(2);
const { Client } = createRequire(import.meta.url)(name);
const client = new Client({ node });
// Clients of version 7, and OpenSearch's, take a body, and give one back.
const bodied = name === 'opensearch' || name === 'elasticsearch-7';
const answer = async (promise) => (bodied ? (await promise).body : await promise);
const index = `clients-${name}`;
const asked = (body, parameters = {}) => (bodied ? { index, ...parameters, body } : { index, ...parameters, ...body });
const search = (body) => answer(client.search(asked(body)));

let failed = 0;
function expect(what, got, wanted) {
  if (isDeepStrictEqual(got, wanted)) return;
  ++failed;
  console.log(`${name}: ${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
}

await answer(client.info());
const properties = { title: { type: 'text' }, year: { type: 'integer' }, tag: { type: 'keyword' } };
expect('create', (await answer(client.indices.create(asked({ mappings: { properties } })))).acknowledged, true);
const books = [{ title: 'red fox', year: 2001, tag: 'a' }, { title: 'blue fox', year: 2002, tag: 'b' }, { title: 'red cat', year: 2003, tag: 'a' }];
const operations = books.flatMap((book, id) => [{ index: { _index: index, _id: String(id) } }, book]);
const bulk = await answer(client.bulk(bodied ? { refresh: true, body: operations } : { refresh: true, operations }));
expect('bulk', [bulk.errors, bulk.items.length], [false, 3]);

expect('search', (await search({ query: { match: { title: 'red' } } })).hits.total, { value: 2, relation: 'eq' });
const sorted = await search({ query: { bool: { filter: [{ range: { year: { gte: 2002 } } }] } }, sort: [{ year: 'desc' }] });
expect('filter and sort', sorted.hits.hits.map((hit) => [hit._id, hit.sort]), [['2', [2003]], ['1', [2002]]]);
const counted = await search({ size: 0, aggs: { tags: { terms: { field: 'tag' }, aggs: { mean: { avg: { field: 'year' } } } } } });
expect('aggregations', counted.aggregations.tags.buckets.map(({ key, doc_count, mean }) => [key, doc_count, mean.value]), [['a', 2, 2002], ['b', 1, 2002]]);
expect('count', (await answer(client.count({ index }))).count, 3);
const searches = [{ index }, { query: { match_all: {} } }, { index }, { query: { term: { tag: 'b' } } }];
const many = await answer(client.msearch(bodied ? { body: searches } : { searches }));
expect('msearch', many.responses.map((one) => one.hits.total.value), [3, 1]);

expect('get', (await answer(client.get({ index, id: '1' })))._source, books[1]);
const wanted = await answer(client.mget(asked({ ids: ['0', '9'] })));
expect('mget', wanted.docs.map((one) => one.found), [true, false]);
expect('update', (await answer(client.update(asked({ doc: { year: 1999 } }, { id: '1', refresh: true })))).result, 'updated');
expect('changed', (await search({ query: { term: { year: 1999 } } })).hits.hits.map((hit) => hit._id), ['1']);
expect('exists', await answer(client.exists({ index, id: '1' })), true);
const helped = await client.helpers.bulk({ datasource: [{ title: 'x' }, { title: 'y' }], onDocument: () => ({ index: { _index: index } }), refreshOnCompletion: true });
expect('the helper of bulk requests', [helped.successful, helped.failed], [2, 0]);
expect('delete', (await answer(client.delete({ index, id: '0', refresh: true }))).result, 'deleted');
expect('fewer', (await answer(client.count({ index }))).count, 4);
const pages = [await answer(client.search(asked({ query: { match_all: {} }, sort: ['_doc'] }, { scroll: '1m', size: 3 })))];
pages.push(await answer(client.scroll(asked({ scroll_id: pages[0]._scroll_id, scroll: '1m' }, { index: undefined }))));
expect('scroll', pages.map((page) => page.hits.hits.length), [3, 1]);
await client.clearScroll(asked({ scroll_id: pages[1]._scroll_id }, { index: undefined }));
const copied = await answer(client.reindex(asked({ source: { index }, dest: { index: `${index}-copy` } }, { index: undefined, refresh: true })));
expect('reindex', [copied.created, copied.failures.length], [4, 0]);
const gone = await answer(client.deleteByQuery({ ...asked({ query: { match_all: {} } }), index: `${index}-copy`, refresh: true }));
expect('delete by query', gone.deleted, 4);
expect('health', (await answer(client.cluster.health({ wait_for_status: 'yellow', timeout: '5s' }))).timed_out, false);
expect('mapping', Object.keys((await answer(client.indices.getMapping({ index })))[index].mappings.properties), ['tag', 'title', 'year']);

const refused = async (promise) => answer(promise).then(() => 'answered', (error) => [error.statusCode, /not supported|no such index/.test(error.message)]);
expect('what is refused', await refused(client.search(asked({ query: { more_like_this: { fields: ['title'], like: 'a' } } }))), [400, true]);
expect('no such index', await refused(client.search({ index: 'nosuch' })), [404, true]);
expect('delete the index', (await answer(client.indices.delete({ index }))).acknowledged, true);
expect('no index left', await answer(client.indices.exists({ index })), false);
console.log(`${name}: ${failed === 0 ? 'all as wanted' : `${failed} wrong`}`);
process.exit(failed === 0 ? 0 : 1);
