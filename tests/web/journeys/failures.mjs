// Slow, failing and refusing brokers: a person is told, and all is well once they answer.
import { audit, base, chipTexts, expect, followed, hits, journey, open, problem, shown, text } from '../browser.mjs';

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

journey('a broker that counts no facets, and one that cannot count one of them', 'columns', async () => {
  const page = await open('/', { expected: ['status of 400'] });
  const refusal = (detail) => problem(400, 'Bad request', { detail, parameter: 'facets' });
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

// What a person is told when nothing comes, and later something does.
journey('a slow broker', 'columns', async () => {
  const page = await open('/', { expected: ['status of 504'] });
  const held = [];
  await page.clock.install();
  await page.route('**/v1/search?*', (route) => held.push(route));
  await page.fill('#q', 'kernel');
  await page.press('#q', 'Enter');
  await page.waitForFunction(() => document.querySelector('#status').textContent === 'Searching…');
  await page.clock.fastForward(9000);
  expect(await text(page, '#notice') === '', await text(page, '#notice'));
  await page.clock.fastForward(2000);
  await page.getByRole('heading', { name: 'No answer yet' }).waitFor();
  await held.shift().continue();
  await followed(page);
  expect(await hits(page) === 10 && await text(page, '#notice') === '', 'what came late is shown, and the notice goes');
  await page.fill('#q', 'slow');
  await page.press('#q', 'Enter');
  await page.waitForFunction(() => document.querySelector('#status').textContent === 'Searching…');
  await page.clock.fastForward(11000);
  const again = page.getByRole('button', { name: 'Try again' });
  await again.click();
  await page.getByRole('heading', { name: 'No answer yet' }).waitFor({ state: 'detached' });
  await page.unroute('**/v1/search?*');
  await page.fill('#q', 'module');
  await page.press('#q', 'Enter');
  await followed(page);
  const status = await text(page, '#status');
  for (const route of held) await route.fulfill({ json: {} }).catch(() => {}); // answers to searches that were given up
  await page.clock.fastForward(20000);
  expect(await text(page, '#status') === status && await text(page, '#notice') === '' && await page.title() === 'module – Frond search', 'a late answer changes a newer one');
  await page.route('**/v1/search?*', (route) => route.fulfill(problem(504, 'Gateway timeout')));
  await page.fill('#q', 'queue');
  await page.press('#q', 'Enter');
  await again.waitFor();
  expect((await text(page, '#notice')).includes('rarer words are found faster') && await hits(page) === 0 && await page.locator('#facets').isHidden(), 'a search that took too long');
  await page.unroute('**/v1/search?*');
  await again.click();
  await followed(page);
  expect(await hits(page) === 10 && await text(page, '#notice') === '', 'the second time all is well');
  return page;
});

journey('choices and typing while a search is on its way', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or');
  await followed(page);
  const held = [];
  await page.route('**/v1/search', (route) => held.push(route));
  await page.getByRole('link', { name: /^red \d/ }).click();
  await page.waitForURL(/is\.tag=red/);
  await page.getByRole('link', { name: /^true \d/ }).click();
  await page.waitForURL(/is\.open=true/);
  expect((await chipTexts(page)).join() === 'tag: red,open: true', `two quick choices: ${await chipTexts(page)}`);
  expect(await page.locator('#columns [aria-current]').count() === 2 && await page.getAttribute('#columns', 'aria-busy') === 'true', 'both are chosen at once');
  await page.getByLabel('year from').pressSequentially('19');
  await page.unroute('**/v1/search');
  for (const route of held) await route.continue().catch(() => {}); // the first one was given up
  await followed(page);
  expect(await page.getByLabel('year from').inputValue() === '19', 'what is typed stays');
  await page.keyboard.type('95');
  await page.keyboard.press('Enter');
  await page.waitForURL(/in\.year=1995\.\./);
  await followed(page);
  expect((await chipTexts(page)).join() === 'tag: red,open: true,year: from 1995', `chips: ${await chipTexts(page)}`);
  await page.getByLabel('year from').fill('1996');
  await page.goBack();
  await followed(page);
  expect(await page.getByLabel('year from').inputValue() === '', 'what was not asked for goes with its search');
  return page;
});

journey('facets that cannot be counted now', 'columns', async () => {
  const page = await open('/', { expected: ['status of 503'] });
  await page.route('**/v1/search', (route) => (route.request().postDataJSON().facets ? route.fulfill(problem(503, 'Unavailable')) : route.continue()));
  await page.goto(base + '/?q=kernel&mode=or&is.tag=red');
  await shown(page);
  await page.getByText('Not everything could be counted').waitFor();
  expect(await hits(page) === 10 && await text(page, '#notice') === '', 'hits are shown without facets');
  await audit(page, 'no facets');
  await page.unroute('**/v1/search');
  await page.getByRole('button', { name: 'Try again' }).click();
  await followed(page);
  expect(await page.locator('.facet').count() === 5 && await page.getByText('Not everything could be counted').count() === 0, 'they are counted when they can be');
  return page;
});

journey('a broker that is away when the page opens', 'columns', async () => {
  const page = await open('/status', { expected: ['status of 503', 'ERR_FAILED'] });
  await page.route('**/v1/**', (route) => (route.request().url().endsWith('/schema') ? route.fulfill(problem(503, 'Unavailable')) : route.abort()));
  await page.goto(base + '/?q=kernel&mode=or&is.tag=red&sort=year:desc');
  await page.locator('#notice h2').waitFor();
  expect((await text(page, '#notice')).includes('The broker does not answer') && (await chipTexts(page)).join() === 'tag: red' && await page.inputValue('#sort') === 'year:desc', 'what was asked for stays there');
  await page.unroute('**/v1/**');
  await page.route('**/v1/collections', (route) => route.fulfill({ json: { collections: ['books', 'mail'] } }));
  await page.getByRole('button', { name: 'Try again' }).click();
  await followed(page);
  expect(await hits(page) === 10 && await page.locator('#sort option').count() > 5, 'hits and orders come');
  await page.getByText('Collection books').waitFor();
  await page.locator('#collections').waitFor();
  return page;
});

journey('a status and a document that do not come', 'whole', async () => {
  const page = await open('/status', { expected: ['status of 503', 'ERR_FAILED'] });
  await page.locator('.leaf').first().waitFor();
  await page.route('**/v1/cluster', (route) => route.abort());
  await page.getByText('The broker does not answer').waitFor();
  await page.unroute('**/v1/cluster');
  await page.waitForFunction(() => document.querySelector('#state').textContent.includes('all 2 leaves are up'));
  await page.route('**/v1/documents?*', (route) => route.fulfill(problem(503, 'Unavailable')));
  await page.goto(base + '/document?id=page-1');
  await page.locator('#notice h2').waitFor();
  expect((await text(page, '#notice')).includes('Parts of the index have no leaf now'), await text(page, '#notice'));
  await page.unroute('**/v1/documents?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('#document .stored').waitFor();
  expect(await text(page, '#notice') === '', 'the notice goes');
  return page;
});

journey('no leaf at all', 'none', async () => {
  const page = await open('/?q=kernel&mode=or', { expected: ['status of 503'] });
  await page.locator('#notice h2').waitFor();
  expect(/Parts of the index have no leaf now/.test(await text(page, '#notice')) && await hits(page) === 0, await text(page, '#notice'));
  await page.getByRole('link', { name: 'See the cluster' }).click();
  await page.locator('.leaf.bad').nth(1).waitFor();
  return page;
});
