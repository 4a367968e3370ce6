// Documents and values that would run, widen the page, or turn it around.
import { base, chipTexts, expect, figure, followed, hits, journey, open, overflows, shown, text, total, widen } from '../browser.mjs';

// Text is text: it makes no element, runs nothing (a dialog would be a note of the page), and keeps within the window.
async function harmless(page, what) {
  const made = await page.locator('main :is(img, script, iframe, object, b, style), main a:not([href^="/"]):not([href^="https://example.org/"])').count();
  expect(made === 0, `${what}: text became elements or links`);
  for (const width of [360, 1280]) {
    await widen(page, width);
    expect(!await overflows(page), `${what}, ${width} wide: wider than the window`);
    const outside = await page.locator('#hits *, #document, #columns a, #columns input, #chips a, #notice .notice, #ways .notice').evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).length);
    expect(outside === 0, `${what}, ${width} wide: ${outside} elements begin or end outside`);
  }
}

journey('documents that would harm', 'whole', async () => {
  const page = await open('/?q=hostileword&mode=or');
  await shown(page);
  expect(await hits(page) === 4, `4 hits, not ${await hits(page)}`);
  expect((await text(page, '#hits')).includes('<img src=x onerror=alert(1)>'), 'the text is shown as it is');
  expect(await page.locator('#hits a[href^="javascript:"]').count() === 0, 'a URL that would run is a link');
  await harmless(page, 'hits');
  for (const one of await page.locator('#hits .source').all()) expect(await one.evaluate((line) => getComputedStyle(line).unicodeBidi) === 'isolate', 'a line turns the next one around');
  const documents = await page.locator('#hits a[href^="/document?id="]').evaluateAll((all) => [...new Set(all.map((one) => one.getAttribute('href')))]);
  expect(documents.length === 4, `documents: ${documents}`);
  for (const path of documents) {
    await page.goto(base + path);
    await page.locator('#document .stored').waitFor();
    expect((await text(page, '#document')).includes('hostileword'), `${path}: the stored text is shown`);
    await harmless(page, path.slice(0, 40));
  }
  return page;
});

journey('queries and names that would harm', 'whole', async () => {
  const page = await open('/', { expected: ['status of 400', 'status of 404'] });
  const tag = '<img src=x onerror=alert(1)>';
  for (const q of [`${tag} zzzzqqq`, `"${tag}`, `${tag}:x`, '\u202eשלום kernel', '👩‍👩‍👧‍👦'.repeat(50), 'z'.repeat(4000), '\0\ud800 ', `kernel ${'"'.repeat(500)}`]) {
    await page.goto(`${base}/?${new URLSearchParams({ q, profile: 'true' })}`);
    await page.waitForFunction(() => document.querySelector('#status').textContent.match(/·|Nothing/) || document.querySelector('#notice h2'));
    await harmless(page, q.slice(0, 20));
  }
  await page.goto(`${base}/?${new URLSearchParams({ q: 'kernel', collection: tag })}`);
  await page.locator('#notice h2').waitFor();
  await harmless(page, 'a collection');
  await page.goto(`${base}/document?${new URLSearchParams({ id: tag.repeat(20) })}`);
  await page.locator('#notice h2').waitFor();
  await harmless(page, 'a document that is not there');
  return page;
});

const long = 'w'.repeat(1024), families = '👩‍👩‍👧‍👦'.repeat(40), turned = '\u202eשלום עולם';
const short = (value) => ([...value].length > 120 ? `${[...value].slice(0, 120).join('')}…` : value);

journey('values that would harm', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or&more=tag');
  await followed(page);
  await harmless(page, 'values');
  for (const value of ['<img src=x onerror=alert(1)>', 'a=b..&c', 'say "hi" \\ there', '日本', long, families, turned]) {
    const what = value.slice(0, 30);
    const of = page.locator('#columns a', { hasText: short(value) });
    const wanted = await figure(of);
    await of.click();
    await page.waitForFunction(() => document.querySelectorAll('#chips li').length === 1);
    await followed(page);
    expect((await chipTexts(page)).join() === `tag: ${short(value)}`, `chips: ${await chipTexts(page)}`);
    expect(await total(page) === wanted, `${what}: ${wanted} wanted, ${await total(page)} found`);
    await harmless(page, what);
    await page.reload();
    await followed(page);
    expect(await total(page) === wanted, `${what}: another total after a reload`);
    await page.locator('#chips a').first().click();
    await page.waitForFunction(() => document.querySelectorAll('#chips li').length === 0);
    await followed(page);
  }
  await page.goto(`${base}/?${new URLSearchParams({ q: 'kernel', mode: 'or', sort: 'tag:desc', 'is.tag': long })}`);
  await followed(page);
  await harmless(page, 'sorted by values');
  return page;
});

journey('filters that would harm', 'columns', async () => {
  const page = await open('/', { expected: ['status of 400'] });
  const much = 'x'.repeat(10000);
  for (const [name, value] of [['is.tag', much], [`is.${'f'.repeat(3000)}`, 'x'], ['is.<img src=x onerror=alert(1)>', turned], ['in.year', `${'9'.repeat(4000)}..`], ['in.published', `<b>..${turned}`]]) {
    await page.goto(`${base}/?${new URLSearchParams({ q: 'kernel', [name]: value })}`);
    await page.locator('#notice h2').waitFor();
    await harmless(page, name.slice(0, 20));
    expect(await page.locator('#chips').evaluate((all) => all.offsetHeight) < 400, `${name.slice(0, 20)}: a chip fills the window`);
    await page.locator('#chips a').first().click();
    await followed(page);
  }
  await page.goto(`${base}/?${new URLSearchParams([['q', 'zzzzqqq kernel'], ['mode', 'and'], ['is.tag', turned], ['is.tag', long], ['in.year', '1990..2031']])}`);
  await page.locator('#ways .notice').waitFor();
  await harmless(page, 'what may be left out');
  return page;
});
