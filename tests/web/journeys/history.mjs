// The address is the state: back, forward, a reload and a cold link bring hits, facets, chips and fields again.
import { bars, base, expect, facets, followed, journey, open, shown, text } from '../browser.mjs';

// What a person sees of a search; not the time that it took.
const seen = (page) => page.evaluate(() => {
  const all = (selector, read) => [...document.querySelectorAll(selector)].map(read);
  return JSON.stringify({
    title: document.title, status: document.querySelector('#status').textContent.split(' · matching')[0], notice: document.querySelector('#notice').innerText,
    hits: all('#hits h2', (one) => one.innerText), chips: all('#chips a', (one) => one.getAttribute('aria-label') ?? one.innerText),
    facets: all('#columns a', (one) => `${one.getAttribute('aria-label') ?? one.innerText} ${one.getAttribute('aria-current') ?? ''}`),
    page: document.querySelector('#pages [aria-current]')?.innerText,
    fields: all('#search input, #search select, #columns input', (one) => `${one.id || one.dataset.key || one.value} ${one.type === 'radio' || one.type === 'checkbox' ? one.checked : one.value}`),
  }, null, 1);
});

async function comes(page, wanted, what) {
  let now;
  for (let tries = 0; tries < 100; ++tries) {
    if ((now = await seen(page)) === wanted) return;
    await page.waitForTimeout(100);
  }
  const lines = now.split('\n'), at = wanted.split('\n').findIndex((line, i) => line !== lines[i]);
  expect(false, `${what}: line ${at} is ${lines[at]}, and was ${wanted.split('\n')[at]}`);
}

const steps = [
  ['words', async (page) => { await page.fill('#q', 'kernel module'); await page.press('#q', 'Enter'); }],
  ['any word', (page) => page.getByLabel('Any word').check()],
  ['a value', (page) => page.getByRole('link', { name: /^red \d/ }).click()],
  ['an order', (page) => page.selectOption('#sort', 'year:desc')],
  ['a bar of dates', (page) => bars(page, 'published').first().click()],
  ['a typed range', async (page) => { await page.getByLabel('year from').fill('1990'); await page.getByLabel('year from').press('Enter'); }],
  ['a chip removed', (page) => page.getByRole('link', { name: 'Remove the filter tag: red' }).click()],
  ['the second page', (page) => page.getByRole('link', { name: 'Next page' }).click()],
  ['more on a page', (page) => page.selectOption('#k', '20')],
  ['all removed', (page) => page.getByRole('link', { name: 'Remove all' }).click()],
];

journey('a long way, and back, and forth', 'columns', async () => {
  const page = await open('/');
  const stops = [];
  for (const [what, walk] of steps) {
    const before = page.url();
    await walk(page);
    await page.waitForURL((url) => url.href !== before);
    await followed(page);
    stops.push({ what, address: page.url(), wanted: await seen(page) });
  }
  const chips = stops.map(({ wanted }) => JSON.parse(wanted).chips.length).join();
  expect(chips === '0,0,1,1,3,4,3,3,3,0', `chips: ${chips}`); // of two or more, the last one removes all
  expect(new Set(stops.map(({ wanted }) => wanted)).size === stops.length, 'two stops look the same');
  for (const { what, wanted } of stops.slice(0, -1).reverse()) {
    await page.goBack();
    await comes(page, wanted, `back at ${what}`);
  }
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#status').textContent === '' && document.querySelector('#q').value === '' && document.querySelector('#facets').hidden);
  for (const { what, wanted, address } of stops) {
    await page.goForward();
    await comes(page, wanted, `forth at ${what}`);
    expect(page.url() === address, `forth at ${what}: ${page.url()}`);
  }
  await page.goBack();
  await page.reload();
  await comes(page, stops.at(-2).wanted, 'reloaded');
  for (const { what, address, wanted } of stops) {
    const cold = await open(address.slice(base.length));
    await comes(cold, wanted, `cold at ${what}`);
    page.notes.push(...cold.notes);
    await cold.close();
  }
  return page;
});

journey('to a document, and back to the hits', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or&is.tag=red&sort=year:asc&offset=10');
  await followed(page);
  const before = await seen(page);
  await page.locator('#hits h2 a').nth(2).click();
  await page.locator('#document .stored').waitFor();
  await page.goBack();
  await comes(page, before, 'back from a document');
  return page;
});

journey('what is no step is not gone back to', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or');
  await followed(page);
  const length = () => page.evaluate(() => history.length);
  const before = await length();
  for (let i = 0; i < 3; ++i) {
    await page.press('#q', 'Enter');
    await followed(page);
  }
  expect(await length() === before, 'the same search is asked for again, and is a step');
  let asked = 0;
  page.on('request', (request) => { asked += request.url().includes('/v1/'); });
  await page.fill('#q', 'half a word');
  await page.locator('.skip').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'results');
  await page.goBack();
  await page.waitForURL((url) => url.hash === '');
  await page.waitForTimeout(300);
  expect(asked === 0 && await page.inputValue('#q') === 'half a word', `to the results and back asks ${asked} times`);
  return page;
});

journey('cold links that ask for what there is not', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or&is.tga=red', { expected: ['status of 400'] });
  await page.locator('#notice h2').waitFor();
  expect((await text(page, '#notice')).includes("'tga' is not in the schema; the nearest names are tag, "), await text(page, '#notice'));
  await page.getByRole('link', { name: 'Remove the filter tga: red' }).click();
  await followed(page);
  expect(await text(page, '#notice') === '', 'without the filter all is well');
  await page.goto(base + '/?q=kernel&mode=or&sort=yaer:desc');
  await page.locator('#notice h2').waitFor();
  expect((await text(page, '#notice')).includes("'yaer' is not in the schema; the nearest names are year, "), await text(page, '#notice'));
  await page.selectOption('#sort', 'year:desc');
  await followed(page);
  expect(await text(page, '#notice') === '', 'by another order all is well');
  await page.goto(base + '/?q=titel:kernel+tga:red');
  await shown(page);
  const signs = await text(page, '#notice');
  expect(signs.includes("titel:kernel: expected a field of the schema before ':'; try title:kernel") && signs.includes('try tag:red'), signs);
  await page.getByRole('link', { name: 'title:kernel' }).click();
  await page.getByRole('link', { name: 'tag:red' }).click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'title:kernel tag:red');
  await followed(page);
  expect(await text(page, '#notice') === '', await text(page, '#notice'));
  await page.goto(base + '/?q=kernel&mode=xor&k=7&offset=-3&processor=abacus&more=tga&in.year=..&is.=x&in.price&profile=maybe&q=again');
  await followed(page);
  await facets(page);
  expect(await page.isChecked('input[value=auto]') && await page.inputValue('#k') === '10' && await page.locator('#chips').isHidden(), 'what an address may not say is as usual');
  return page;
});
