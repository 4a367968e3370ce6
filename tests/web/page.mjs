// Journeys through all pages in headless Chromium: what a person does and sees, with the keyboard too, in both themes, at
// three widths. Nothing may be loaded from elsewhere, nothing may be written to the console, axe must find nothing.
//
// usage: node page.mjs URL whole|partial|keys|columns [FOLDER-FOR-SCREENSHOTS] [budgets] [KEY-FOR-SEARCHING KEY-FOR-ALL]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [base, coverage, screenshots, budgets, searchKey, allKey] = process.argv.slice(2);
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const wrong = [];
const expect = (condition, what) => condition || wrong.push(what);
const journeys = [];
const journey = (name, when, walk) => journeys.push({ name, when, walk });

const profile = mkdtempSync(join(tmpdir(), 'frond-chromium-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  bypassCSP: false, timeout: 120000,
});
browser.setDefaultTimeout(30000);

// A page that takes notes. `expected`: console lines of failures that the journey makes.
async function open(path, { width = 1280, theme = 'light', expected = [] } = {}) {
  const page = await browser.newPage();
  page.notes = [];
  page.loaded = []; // bytes of each file of the page
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  page.on('console', (line) => expected.some((one) => line.text().includes(one)) || page.notes.push(`console: ${line.text()}`));
  page.on('pageerror', (error) => page.notes.push(`error: ${error.message}`));
  page.on('request', (request) => request.url().startsWith(base + '/') || page.notes.push(`asked elsewhere: ${request.url()}`));
  page.on('response', (response) => response.url().includes('/v1/') || page.loaded.push(response.body().then((body) => body.length, () => 0)));
  await page.goto(base + path);
  return page;
}
const text = (page, selector) => page.locator(selector).innerText();
const hits = (page) => page.locator('#hits > li').count();
const shown = (page) => page.waitForFunction(() => /·|Nothing|^$/.test(document.querySelector('#status').textContent) && !document.querySelector('#results').hasAttribute('aria-busy'));

async function audit(page, what) {
  // axe is put into the page by the debugger, past the page's policy.
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
  for (const { id, impact, nodes } of violations) expect(false, `${what}: axe: ${id} (${impact}): ${nodes.slice(0, 3).map((node) => node.html).join(' | ')}`);
}
const bytesOf = async (page) => (await Promise.all(page.loaded)).reduce((sum, length) => sum + length, 0);
const overflows = (page) => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

journey('a search by keyboard', 'whole', async () => {
  const page = await open('/');
  expect(await page.evaluate(() => document.activeElement.id) === 'q', 'the field has the focus at first');
  await page.keyboard.type('symbolic links');
  await page.keyboard.press('Enter');
  await page.locator('#hits > li').first().waitFor();
  expect(await hits(page) === 10, `10 hits, not ${await hits(page)}`);
  expect(/ documents? · ([\d,.]+ with all words · )?1–10 · matching (all words|any word|all words first, then any) · .* ms · on CPU/.test(await text(page, '#status')), await text(page, '#status'));
  expect(await page.locator('#hits mark').count() > 0, 'words found are marked');
  expect(new URL(page.url()).search === '?q=symbolic+links', `the address: ${page.url()}`);
  expect(await page.title() === 'symbolic links – Frond search', await page.title());
  await page.waitForFunction(() => performance.getEntriesByName('answer-to-hits').length > 0);
  const took = await page.evaluate(() => performance.getEntriesByName('answer-to-hits')[0].duration);
  const bytes = await bytesOf(page);
  console.log(`search page: ${bytes} bytes; hits drawn ${took.toFixed(1)} ms after the answer`);
  expect(bytes > 10000 && bytes < 100000, `the page has ${bytes} bytes`);
  if (budgets) expect(took < 100, `hits took ${took} ms`);
  for (const [key, mode] of [['ArrowRight', 'and'], ['ArrowRight', 'or'], ['ArrowLeft', 'and']]) {
    if (mode === 'and' && key === 'ArrowRight') for (let i = 0; i < 2; ++i) await page.keyboard.press('Tab');
    await page.keyboard.press(key);
    await page.waitForURL((url) => url.searchParams.get('mode') === mode);
  }
  await page.reload();
  await shown(page);
  expect(await page.isChecked('input[value=and]'), 'the address keeps the mode');
  expect((await text(page, '#status')).includes('matching all words'), await text(page, '#status'));
  await page.locator('#hits .why summary').first().click();
  const score = /score ([\d.]+)/.exec(await page.locator('#hits .source').first().innerText())?.[1];
  expect((await page.locator('#hits .why li').first().textContent()).startsWith(`${score} `), 'the explanation is of the score');
  return page;
});

journey('pages of hits, and back', 'whole', async () => {
  const page = await open('/?q=file&mode=or');
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.waitForURL(/offset=10/);
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('11–20'));
  expect(await page.evaluate(() => document.activeElement.id) === 'results', 'the focus goes to the results');
  await page.getByRole('link', { name: 'Page 4', exact: true }).click();
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('31–40'));
  expect(await page.getAttribute('#pages [aria-current]', 'aria-label') === 'Page 4', 'the page shown is the current one');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('11–20'));
  await page.selectOption('#k', '50');
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('1–50'));
  await page.goto(base + '/?q=file&offset=99999999');
  await page.waitForFunction(() => /none on this page|·/.test(document.querySelector('#status').textContent));
  return page;
});

journey('back to no search while one is on its way', 'whole', async () => {
  const page = await open('/');
  await page.route('**/v1/search*', () => {}); // never answered
  await page.keyboard.type('kernel');
  await page.keyboard.press('Enter');
  await page.locator('#results[aria-busy=true]').waitFor({ state: 'attached' }); // empty, so not to be seen
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#status').textContent === '');
  expect(await page.getAttribute('#results', 'aria-busy') === null, 'nothing is on its way any more');
  return page;
});

journey('documents that would harm', 'whole', async () => {
  const page = await open('/?q=hostileword&mode=or');
  await shown(page);
  expect(await hits(page) === 2, `2 hits, not ${await hits(page)}`);
  expect(await page.locator('#hits img, #hits script, #hits a:not([href^="/document?id="])').count() === 0, 'text became elements or links');
  expect((await text(page, '#hits')).includes('<img src=x onerror=alert(1)>'), 'the text is shown as it is');
  expect(!await overflows(page), 'a long word widens the page');
  return page;
});

journey('a document that has no URL, and one that has', 'whole', async () => {
  const page = await open('/?q=hostileword&mode=or');
  await shown(page);
  await page.locator('#hits h2 a').first().click();
  await page.waitForURL(/\/document\?id=/);
  await page.locator('#document .stored').waitFor();
  expect((await text(page, '#document')).includes('hostileword'), 'the stored text is shown');
  expect(await page.locator('main img, main script').count() === 0, 'text became elements');
  expect(!await overflows(page), 'a long word widens the page');
  await audit(page, 'a document');
  await page.goto(base + '/?q=links');
  await shown(page);
  const id = await text(page, '#hits .source a >> nth=0');
  await page.locator('#hits .source a').first().click();
  await page.locator('#document .stored').waitFor();
  expect((await text(page, '#source')).includes(`${id} · `), await text(page, '#source'));
  for (const part of ['#title', '#document']) expect(await page.getAttribute(part, 'dir') === 'auto', `${part} runs from the left whatever it says`);
  return page;
});

journey('a document that is not there', 'whole', async () => {
  const page = await open('/document?id=no%2Fsuch', { expected: ['404'] });
  await page.locator('.notice').waitFor();
  expect((await text(page, '#notice')).includes("no document 'no/such'"), await text(page, '#notice'));
  await page.goto(base + '/document?id=..');
  await page.locator('.notice').waitFor();
  expect((await text(page, '#notice')).includes("no document '..'"), await text(page, '#notice'));
  await page.goto(base + '/document');
  await page.locator('.notice').waitFor();
  return page;
});

journey('a choice of collections', 'whole', async () => {
  const page = await open('/?q=links');
  await shown(page);
  expect(await page.locator('#collections').isHidden(), 'there is one collection, and a choice is shown');
  const asked = [];
  await page.route('**/v1/collections', (route) => route.fulfill({ json: { collections: ['manuals', 'mail'] } }));
  await page.route('**/v1/collections/mail/**', (route) => {
    asked.push(new URL(route.request().url()).pathname);
    return route.continue({ url: route.request().url().replace('/collections/mail', '') });
  });
  await page.reload();
  await shown(page);
  await page.selectOption('#in', 'mail');
  await page.waitForURL(/collection=mail/);
  await shown(page);
  expect(asked.includes('/v1/collections/mail/search') && asked.includes('/v1/collections/mail/cluster'), `asked: ${asked}`);
  expect(/collection=mail/.test(await page.locator('#hits .source a').first().getAttribute('href')), 'a hit leads to another collection');
  await page.reload();
  await page.waitForFunction(() => document.querySelector('#in').value === 'mail');
  return page;
});

journey('nothing found, and a way on', 'whole', async () => {
  const page = await open('/?q=kernel+zzzzqqq&mode=and');
  await page.getByRole('link', { name: 'Search for any of the words instead' }).click();
  await shown(page);
  expect(await hits(page) > 0, 'any of the words is found');
  await page.goto(base + '/?q=zzzzqqq');
  await shown(page);
  expect((await text(page, '#notice')).includes('Check the spelling'), await text(page, '#notice'));
  await page.goto(base + '/?q=%21%3F');
  await shown(page);
  expect((await text(page, '#notice')).includes('The query has no words'), await text(page, '#notice'));
  await page.goto(base + '/?q=kernel+-file+title:link');
  await shown(page);
  expect((await text(page, '#notice')).includes("title:link: expected a field of the schema before ':'"), await text(page, '#notice'));
  await page.goto(base + '/?q=kernel+bufffer');
  await shown(page);
  await page.getByRole('link', { name: 'kernel buffer', exact: true }).click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'kernel buffer');
  await shown(page);
  expect(!(await text(page, '#notice')).includes('Did you mean'), 'all words are known');
  await page.goto(base + '/?q=kernel+zzzzqqq+module');
  await page.getByText('No document has all words').waitFor();
  await page.getByRole('link', { name: '“zzzzqqq”' }).click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'kernel module');
  await shown(page);
  expect(await text(page, '#ways') === '', 'nothing need be left out any more');
  return page;
});

journey('where the time went', 'whole', async () => {
  const page = await open('/?q=kernel+module&profile=true');
  await page.locator('.profile table').waitFor();
  expect(await page.locator('.profile tbody tr').count() === 4, 'a row for each of 4 partitions');
  expect((await text(page, '.profile tbody')).includes('cpu'), 'the engine is named');
  expect(await page.isChecked('#profile'), 'the switch is on');
  return page;
});

// The collection of `columns` has a schema: tag (many), year, price, published, open, and a code of its own for each document.
const facets = (page) => page.waitForFunction(() => document.querySelector('#columns .facet') && !document.querySelector('#columns').hasAttribute('aria-busy'));
const total = async (page) => Number((await text(page, '#status')).match(/([\d,]+) documents?/)[1].replaceAll(',', ''));
const followed = async (page) => { await shown(page); await facets(page); };
const figure = async (of) => Number((await of.locator('.figure').innerText()).match(/^[\d,]+/)[0].replaceAll(',', ''));
const chipTexts = (page) => page.locator('#chips li span:first-child').allInnerTexts();

journey('facets, chips, reload and back', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or');
  await followed(page);
  const all = await total(page);
  expect((await page.locator('.facet h2').allInnerTexts()).join() === 'tag,year,price,published,open', `facets: ${await page.locator('.facet h2').allInnerTexts()}`);
  const red = page.getByRole('link', { name: /^red \d/ });
  const wanted = await figure(red);
  await red.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/is\.tag=red/);
  await followed(page);
  expect(await total(page) === wanted && wanted < all, `${wanted} of ${all} are red, and ${await total(page)} are found`);
  expect(await page.evaluate(() => document.activeElement.dataset.key) === 'is.tag=red', 'the focus stays where it was');
  const bar = page.locator('.facet', { has: page.getByRole('heading', { name: 'year' }) }).locator('.bars a').nth(2);
  const [, from, , documents] = (await bar.getAttribute('aria-label')).match(/^year (-?\d+)( to -?\d+)?: ([\d,]+) document/);
  await bar.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/in\.year=/);
  await followed(page);
  expect(await total(page) === Number(documents.replaceAll(',', '')), `the bar says ${documents}, and ${await total(page)} are found`);
  const chosen = await chipTexts(page);
  expect(chosen[0] === 'tag: red' && chosen[1].startsWith(`year: ${from}`), `chips: ${chosen}`);
  const found = await total(page), address = page.url();
  await page.reload();
  await followed(page);
  expect(await total(page) === found && (await chipTexts(page)).join() === chosen.join(), 'a reload keeps everything');
  await page.getByRole('link', { name: 'Remove the filter tag: red' }).click();
  await page.waitForURL((url) => !url.search.includes('is.tag'));
  await followed(page);
  expect((await chipTexts(page)).join() === chosen[1], `chips: ${await chipTexts(page)}`);
  await page.goBack();
  await page.waitForURL(address);
  await followed(page);
  expect(await total(page) === found && (await chipTexts(page)).length === 2, 'back brings the chip again');
  await page.goForward();
  await page.waitForURL((url) => !url.search.includes('is.tag'));
  await page.goBack();
  await page.getByRole('link', { name: 'Remove all' }).click();
  await followed(page);
  expect(await total(page) === all && await page.locator('#chips').isHidden(), 'no filter is left');
  console.log(`search page with facets: ${await bytesOf(page)} bytes`);
  return page;
});

journey('an order, and pages in it', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or&is.open=true');
  await followed(page);
  const found = await total(page);
  await page.selectOption('#sort', 'year:desc');
  await page.waitForURL(/sort=year%3Adesc/);
  await followed(page);
  const years = async () => (await page.locator('#hits .source').allInnerTexts()).map((line) => Number(line.match(/year (-?\d+)/)[1]));
  const descending = (all) => all.every((year, i) => i === 0 || year <= all[i - 1]);
  const first = await years();
  expect(first.length === 10 && descending(first), `years: ${first}`);
  expect(await total(page) === found, 'the order changes what is found');
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('11–20'));
  expect(descending([...first, ...await years()]), 'the second page goes on');
  await page.reload();
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('11–20'));
  await facets(page);
  expect(await page.inputValue('#sort') === 'year:desc', 'the address keeps the order');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('1–10'));
  await page.goBack();
  await page.waitForURL((url) => !url.search.includes('sort'));
  await followed(page);
  expect(await page.inputValue('#sort') === '', 'back to relevance');
  await page.goto(base + '/?q=kernel&mode=or&sort=published:asc:first,_score');
  await followed(page);
  expect(await page.inputValue('#sort') === 'published:asc:first,_score', 'a shared address may have any order');
  return page;
});

journey('a cursor, and one of a generation that is gone', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or&sort=year:desc&k=100', { expected: ['status of 410'] });
  await followed(page);
  const cursor = await page.evaluate(async () => (await (await fetch('/v1/search', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ q: 'kernel', mode: 'or', sort: ['year:desc'], k: 100 }) })).json()).cursor);
  await page.goto(`${base}/?q=kernel&mode=or&sort=year:desc&k=100&offset=100&after=${encodeURIComponent(cursor)}`);
  await followed(page);
  expect((await text(page, '#status')).includes('101–200'), await text(page, '#status'));
  await page.getByRole('link', { name: 'First page' }).waitFor();
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('201–300'));
  await page.route('**/v1/search', (route) => route.fulfill({ status: 410, contentType: 'application/problem+json', body: JSON.stringify({ type: 'about:blank', title: 'Gone', status: 410, detail: 'Generation 1 is gone.' }) }));
  await page.reload();
  await page.locator('#notice h2').waitFor();
  expect((await text(page, '#notice')).includes('begin again at the first page'), await text(page, '#notice'));
  await page.unroute('**/v1/search');
  await page.getByRole('link', { name: 'The first page' }).click();
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('1–100'));
  return page;
});

journey('ranges of days and numbers that are typed', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or');
  await followed(page);
  await page.getByLabel('published from').fill('2020-03-01');
  await page.getByLabel('published to').fill('2020-04-30');
  await page.getByLabel('published to').press('Enter');
  await page.waitForURL(/in\.published=2020-03-01\.\.2020-05-01/);
  await followed(page);
  expect((await chipTexts(page)).join() === 'published: 2020-03 to 2020-04', `chips: ${await chipTexts(page)}`);
  expect(await page.evaluate(() => document.activeElement.ariaLabel) === 'published to', 'the focus stays in the field');
  expect(await page.getByLabel('published to').inputValue() === '2020-04-30', 'the last day is in the range');
  await page.getByLabel('year from').fill('2000');
  await page.getByLabel('year from').press('Enter');
  await page.waitForURL(/in\.year=2000\.\.(&|$)/);
  await followed(page);
  expect((await chipTexts(page)).includes('year: from 2000'), `chips: ${await chipTexts(page)}`);
  await page.getByLabel('price below').fill('99.5');
  await page.getByLabel('price below').press('Enter');
  await page.waitForURL(/in\.price=\.\.99\.5/);
  await shown(page);
  expect((await chipTexts(page)).includes('price: below 99.5'), `chips: ${await chipTexts(page)}`);
  await page.fill('#q', '');
  await page.press('#q', 'Enter');
  await page.waitForURL((url) => !url.searchParams.has('q') || url.searchParams.get('q') === '');
  await shown(page);
  expect(await total(page) > 0, 'filters alone find documents');
  return page;
});

journey('dates behind the years of four digits, and dates that are none', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or&in.published=..1000000000000000', { expected: ['status of 400'] });
  await followed(page);
  const found = await total(page);
  expect(found > 0, 'the range holds all dates');
  expect((await chipTexts(page)).join() === 'published: up to +033658-09-27 01:46:39', `chips: ${await chipTexts(page)}`);
  expect(await page.getByLabel('published to').inputValue() === '33658-09-27', await page.getByLabel('published to').inputValue());
  await page.getByLabel('published to').press('Enter');
  await page.waitForURL(/in\.published=\.\.1000000080000000/);
  await followed(page);
  expect(await total(page) === found, 'the day that is shown is the one that is asked for');
  await page.goto(`${base}/?q=kernel&mode=or&in.published=2020-02-30..`);
  await page.locator('#notice h2').waitFor();
  expect((await text(page, '#notice')).includes('date'), await text(page, '#notice'));
  expect((await chipTexts(page)).join() === 'published: from 2020-02-30', `chips: ${await chipTexts(page)}`);
  return page;
});

journey('values that would harm', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or&more=tag');
  await followed(page);
  for (const value of ['<img src=x onerror=alert(1)>', 'a=b..&c', 'say "hi" \\ there', '日本']) {
    const of = page.locator('#columns a', { hasText: value });
    const wanted = await figure(of);
    await of.click();
    await page.waitForFunction(() => document.querySelectorAll('#chips li').length === 1);
    await followed(page);
    expect((await chipTexts(page)).join() === `tag: ${value}`, `chips: ${await chipTexts(page)}`);
    expect(await total(page) === wanted, `${value}: ${wanted} wanted, ${await total(page)} found`);
    await page.reload();
    await followed(page);
    expect(await total(page) === wanted, `${value}: another total after a reload`);
    await page.locator('#chips a').first().click();
    await page.waitForFunction(() => document.querySelectorAll('#chips li').length === 0);
    await followed(page);
  }
  expect(await page.locator('main img, main script').count() === 0, 'values became elements');
  return page;
});

journey('nothing found, and filters to remove', 'columns', async () => {
  const page = await open('/?q=kernel+zzzzqqq&mode=and&is.tag=red');
  await shown(page);
  expect((await text(page, '#notice')).includes('Nothing matches with these filters'), await text(page, '#notice'));
  await page.getByRole('link', { name: '“zzzzqqq”' }).click();
  await followed(page);
  expect(await total(page) > 0 && (await chipTexts(page)).join() === 'tag: red', 'the word is gone, and the filter stays');
  return page;
});

journey('a broker that counts no facets, and one that cannot count one of them', 'columns', async () => {
  const page = await open('/', { expected: ['status of 400'] });
  const refusal = (detail) => ({ status: 400, contentType: 'application/problem+json', body: JSON.stringify({ type: 'about:blank', title: 'Bad request', status: 400, detail, parameter: 'facets' }) });
  const answered = (when, what) => page.route('**/v1/search', (route) => {
    const body = route.request().postDataJSON();
    return body?.facets && when(body.facets) ? route.fulfill(what) : route.continue();
  });
  await answered((asked) => 'tag' in asked, refusal('facets.tag: more than 10 buckets'));
  await page.goto(base + '/?q=kernel&mode=or');
  await followed(page);
  expect((await page.locator('.facet h2').allInnerTexts()).join() === 'year,price,published,open', `facets: ${await page.locator('.facet h2').allInnerTexts()}`);
  await page.unroute('**/v1/search');
  await answered(() => true, refusal('facets is not a parameter of a search'));
  await page.reload();
  await shown(page);
  expect(await hits(page) === 10 && await page.locator('#facets').isHidden() && await text(page, '#notice') === '', 'hits are shown without facets');
  return page;
});

journey('refusals and failures', 'whole', async () => {
  const page = await open('/?q=' + 'w%20'.repeat(600), { expected: ['status of 400', 'status of 429', 'status of 503', 'ERR_FAILED'] });
  await page.locator('#notice h2').waitFor();
  expect((await text(page, '#notice')).startsWith('Bad request'), await text(page, '#notice'));
  expect(await page.getAttribute('#q', 'aria-invalid') !== null, 'the field is marked as wrong');
  const problem = (status, title) => ({ status, contentType: 'application/problem+json', headers: { 'Retry-After': '3' }, body: JSON.stringify({ type: 'about:blank', title, status, detail: 'The detail.' }) });
  const cases = [
    [(route) => route.fulfill(problem(429, 'Too many requests')), 'Try again in 3 s'],
    [(route) => route.fulfill(problem(503, 'Unavailable')), 'See the cluster'],
    [(route) => route.abort(), 'The broker does not answer'],
    [(route) => route.fulfill({ status: 200, body: 'no json' }), 'Unreadable answer'],
  ];
  for (const [answer, wanted] of cases) {
    await page.route('**/v1/search*', answer);
    await page.goto(base + '/?q=kernel');
    await page.locator('#notice h2').waitFor();
    expect((await text(page, '#notice')).includes(wanted), `${wanted}: ${await text(page, '#notice')}`);
    await page.unroute('**/v1/search*');
  }
  await audit(page, 'failure');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('#hits > li').first().waitFor();
  expect(await text(page, '#notice') === '', 'the notice goes when all is well');
  return page;
});

journey('the cluster, watched', 'whole', async () => {
  const page = await open('/status');
  await page.locator('.leaf').first().waitFor();
  expect(await page.locator('.leaf').count() === 2, 'a card for each leaf');
  expect(await page.locator('.group').count() === 2, 'a group for each shard');
  expect((await text(page, '#state')).includes('all 2 leaves are up'), await text(page, '#state'));
  expect((await text(page, '#picture')).includes('Partitions 0, 2'), 'the partitions are named');
  await page.waitForRequest(/v1\/cluster/); // again, by itself
  await page.getByRole('button', { name: 'Pause' }).click();
  let asked = 0;
  page.on('request', () => ++asked);
  await page.waitForTimeout(4500);
  expect(asked <= 1, `paused, and asked ${asked} times`);
  console.log(`status page: ${await bytesOf(page)} bytes`);
  return page;
});

journey('a leaf that died', 'partial', async () => {
  const page = await open('/?q=kernel&mode=or');
  await page.locator('#notice h2').waitFor();
  expect((await text(page, '#notice')).includes('This answer is incomplete'), await text(page, '#notice'));
  expect(await hits(page) > 0, 'what was found is shown');
  await page.getByRole('link', { name: 'See the cluster' }).click();
  await page.locator('.leaf.bad').waitFor();
  expect((await text(page, '#state')).includes('Answers are incomplete: 2 partitions have no leaf'), await text(page, '#state'));
  expect((await text(page, '.leaf.bad')).includes('down'), 'it is told in words');
  return page;
});

journey('a key is asked for, and kept', 'keys', async () => {
  const page = await open('/?q=kernel', { expected: ['status of 401', 'status of 403'] });
  const send = async (key) => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
  };
  await page.getByLabel('API key').waitFor();
  await audit(page, 'a key is missing');
  await send('no key at all');
  await page.getByText('This key is not known').waitFor();
  await send(searchKey);
  await page.locator('#hits > li').first().waitFor();
  expect(await text(page, '#notice') === '', 'the notice goes');
  await page.goto(base + '/?q=module');
  await page.locator('#hits > li').first().waitFor();
  await page.goto(base + '/status');
  await page.getByLabel('API key').waitFor();
  expect((await text(page, '#state')).includes('Forbidden'), await text(page, '#state'));
  await page.getByLabel('API key').pressSequentially('half a key');
  await page.waitForTimeout(2500); // the page asks again meanwhile
  expect(await page.getByLabel('API key').inputValue() === 'half a key', 'what is typed stays');
  await send(allKey);
  await page.locator('.leaf').first().waitFor();
  expect(!(await page.evaluate(() => location.href + document.cookie)).includes(allKey), 'the key is neither in the address nor in a cookie');
  return page;
});

// One page at every width; axe at the widest and the narrowest.
async function look(name, path, ready, theme) {
  const page = await open(path, { theme, expected: coverage === 'keys' ? ['status of 401'] : [] });
  await page.locator(ready).first().waitFor();
  for (const width of [1280, 768, 360]) {
    const what = `${name}, ${theme}, ${width} wide`;
    await page.setViewportSize({ width, height: 800 });
    expect(!await overflows(page), `${what}: wider than the window`);
    if (width !== 768) await audit(page, what);
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}-${theme}-${width}.png`), fullPage: true });
  }
  return page;
}
const looks = { whole: [['search', '/?q=symbolic+links', '#hits > li'], ['status', '/status', '.leaf'], ['profile', '/?q=kernel+module&profile=true', '.profile table']],
  partial: [['status-leaf-down', '/status', '.leaf.bad']], keys: [['key', '/?q=links', 'form.key']],
  columns: [['facets', '/?q=kernel&mode=or&is.tag=red&in.year=2000..2010&sort=year:desc', '.facet'], ['nothing', '/?q=kernel+zzzzqqq&mode=and&is.tag=red', '#ways .notice']] };
for (const theme of ['light', 'dark'])
  for (const [name, path, ready] of looks[coverage]) journey(`${name}, ${theme}`, coverage, () => look(name, path, ready, theme));

for (const { name, walk } of journeys.filter(({ when }) => when === coverage)) {
  const before = wrong.length;
  try {
    const page = await walk();
    for (const note of page.notes) wrong.push(note);
    await page.close();
  } catch (error) {
    wrong.push(error.message.split('\n').slice(0, 6).join(' / '));
  }
  for (let i = before; i < wrong.length; ++i) wrong[i] = `${name}: ${wrong[i]}`;
}
await browser.close();
rmSync(profile, { recursive: true, force: true });
console.log(`${coverage}: ${journeys.filter(({ when }) => when === coverage).length} journeys`);
for (const line of wrong.slice(0, 50)) console.log(`WRONG: ${line}`);
process.exit(wrong.length ? 1 : 0);
