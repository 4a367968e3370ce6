// Words, pages of hits, documents, collections, and ways on where nothing is found.
import { audit, base, budgets, bytesOf, expect, hits, journey, open, overflows, shown, text } from '../browser.mjs';

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
