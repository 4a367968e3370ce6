// Each page in both themes and at every width; axe at the widest and the narrowest.
import { join } from 'node:path';
import { audit, chipTexts, coverage, expect, facets, hits, journey, open, overflows, screenshots, shown, text, widen } from '../browser.mjs';

async function look(name, path, ready, theme) {
  const page = await open(path, { theme, expected: { keys: ['status of 401'], none: ['status of 503'] }[coverage] });
  await page.locator(ready).first().waitFor();
  for (const width of [1280, 768, 360]) {
    const what = `${name}, ${theme}, ${width} wide`;
    await page.setViewportSize({ width, height: 800 });
    expect(!await overflows(page), `${what}: wider than the window`);
    if (width !== 768) await audit(page, what);
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}-${theme}-${width}.png`), fullPage: true });
  }
  await widen(page, 360);
  expect(!await overflows(page), `${name}, unfolded: wider than the window`);
  await audit(page, `${name}, ${theme}, unfolded`);
  return page;
}
const looks = { whole: [['search', '/?q=symbolic+links', '#hits > li'], ['status', '/status', '.leaf'], ['profile', '/?q=kernel+module&profile=true', '.profile table']],
  partial: [['status-leaf-down', '/status', '.leaf.bad']], none: [['no-leaf', '/?q=neverasked', '#notice h2']], keys: [['key', '/?q=links', 'form.key']],
  columns: [['facets', '/?q=kernel&mode=or&is.tag=red&in.year=2000..2010&sort=year:desc', '.facet'], ['nothing', '/?q=kernel+zzzzqqq&mode=and&is.tag=red', '#ways .notice']] };
for (const theme of ['light', 'dark'])
  for (const [name, path, ready] of looks[coverage]) journey(`${name}, ${theme}`, coverage, () => look(name, path, ready, theme));

journey('a narrow window, all the way', 'columns', async () => {
  const page = await open('/', { width: 360 });
  const fits = async (what) => expect(!await overflows(page), `${what}: wider than the window`);
  await page.fill('#q', 'kernel');
  await page.press('#q', 'Enter');
  await shown(page);
  expect(await page.locator('#columns').isHidden(), 'the hits come first, and what narrows them is folded');
  await page.getByText('Narrow the results').click();
  await facets(page);
  await fits('facets');
  await page.getByRole('link', { name: /^red \d/ }).click();
  await page.waitForURL(/is\.tag=red/);
  await shown(page);
  await fits('a chip');
  await page.getByLabel('published from').fill('2020-03-01');
  await page.getByLabel('published from').press('Enter');
  await page.waitForURL(/in\.published=/);
  await shown(page);
  await fits('two chips');
  expect((await chipTexts(page)).join() === 'tag: red,published: from 2020-03', `chips: ${await chipTexts(page)}`);
  await page.selectOption('#sort', 'published:desc');
  await page.waitForURL(/sort=/);
  await shown(page);
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('11–20'));
  await fits('the second page');
  expect(await hits(page) === 10 && (await text(page, '#hits')).includes('published 20'), 'hits say by what they are sorted');
  return page;
});
