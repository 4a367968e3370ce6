// Without a mouse, and with a reader of the page: each stop has a name and a visible focus, and all can be done.
import { chipTexts, expect, followed, journey, open, shown, text, total } from '../browser.mjs';

// The element with the focus: what it is called, and what tells a person that it is there.
const focused = (page) => page.evaluate(() => {
  const at = document.activeElement, drawn = (style) => style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2;
  const marked = at.matches('.choice input') ? at.nextElementSibling : at;
  const stroke = at.matches('.bars a') && getComputedStyle(at.querySelector('.room'));
  const { top, bottom, width, height } = marked.getBoundingClientRect();
  return { tag: at.localName, key: at.dataset.key ?? at.id, name: (at.getAttribute('aria-label') ?? [...at.labels ?? []].map((one) => one.innerText).join(' ')).trim() || at.innerText?.trim() || '',
    visible: stroke ? stroke.stroke !== 'none' && Number.parseFloat(stroke.strokeWidth) >= 2 : drawn(getComputedStyle(marked)), inside: bottom > 0 && top < innerHeight && width > 0 && height > 0 };
});

// Presses Tab until the stop is reached; every stop on the way is looked at.
async function tabTo(page, what, is, back = false) {
  for (let i = 0; i < 150; ++i) {
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
    const stop = await focused(page);
    if (stop.tag === 'body') continue; // past the last one the page begins again
    expect(stop.name && stop.visible && stop.inside, `on the way to ${what}: ${JSON.stringify(stop)}`);
    if (is(stop)) return stop;
  }
  throw new Error(`Tab never comes to ${what}`);
}

journey('all of it by keyboard', 'columns', async () => {
  const page = await open('/');
  await page.keyboard.type('kernel');
  await page.keyboard.press('Enter');
  await followed(page);
  const all = await total(page);
  expect((await focused(page)).key === 'q', 'the focus stays in the field');
  await tabTo(page, 'the value red', ({ key }) => key === 'is.tag=red');
  await page.keyboard.press('Enter');
  await page.waitForURL(/is\.tag=red/);
  await followed(page);
  const red = await total(page);
  expect(red < all && (await focused(page)).key === 'is.tag=red', 'the value is chosen, and has the focus still');
  const bar = await tabTo(page, 'a bar of years', ({ key }) => key?.startsWith('in.year='));
  await page.keyboard.press('Enter');
  await page.waitForURL(/in\.year=/);
  await followed(page);
  expect(bar.name.endsWith(`: ${await total(page)} documents`), `${bar.name}, and ${await text(page, '#status')}`);
  await tabTo(page, 'the field of the first day', ({ key }) => key === 'published from');
  await page.keyboard.type('01012020');
  await page.keyboard.press('Enter');
  await page.waitForURL(/in\.published=2020-01-01\.\./);
  await followed(page);
  expect((await chipTexts(page)).length === 3, `chips: ${await chipTexts(page)}`);
  await tabTo(page, 'a chip', ({ name }) => name === 'Remove the filter tag: red', true);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.search.includes('is.tag'));
  await followed(page);
  expect((await focused(page)).name.startsWith('Remove the filter year'), `the focus goes to the next chip, and not to ${JSON.stringify(await focused(page))}`);
  await tabTo(page, 'to remove all', ({ name }) => name === 'Remove all');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.search.includes('in.'));
  await followed(page);
  expect(await total(page) === all && await page.evaluate(() => document.activeElement.id) === 'results', 'no chip is left, and the focus goes to the results');
  await tabTo(page, 'the order', ({ key }) => key === 'sort', true);
  await page.keyboard.type('year, g');
  await page.waitForURL(/sort=year%3Adesc/);
  await followed(page);
  await tabTo(page, 'the next page', ({ name }) => name === 'Next page');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('11–20'));
  return page;
});

journey('the stops of each page, in the order that is read', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or&is.tag=red&in.year=1990..&k=10');
  await followed(page);
  await tabTo(page, 'the first stop', ({ name }) => name === 'Skip to the results', true);
  const order = await page.evaluate(() => ['header nav', '#q', '.options', '#chips', '#facets', '#results'].map((one) => document.querySelector(one)).every((one, i, all) => i === 0 || all[i - 1].compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING));
  expect(order && await page.locator('[tabindex]:not([tabindex="-1"])').count() === 0, 'stops come in another order than they are read');
  const stops = [];
  await tabTo(page, 'the last page', ({ name, key }) => { stops.push(key); return name === 'Next page'; });
  for (const key of ['q', 'processor', 'k', 'sort', 'profile', 'is.tag=red', 'clear', 'year from', 'year to', 'published from']) expect(stops.includes(key), `no stop at ${key}`);
  await page.keyboard.press('Shift+Tab'); // nothing holds the focus
  expect((await focused(page)).name !== 'Next page', 'the focus is held');
  return page;
});

journey('what a reader of the page is told', 'columns', async () => {
  const page = await open('/?q=kernel&mode=or&is.tag=red');
  await followed(page);
  for (const [role, name, many] of [['search'], ['banner'], ['main'], ['contentinfo'], ['navigation', 'Pages'], ['navigation', 'Result pages'], ['region', 'Results'], ['list', 'Filters'], ['status'], ['searchbox', 'Search the collection'],
    ['radiogroup', 'Match', 0], ['group', 'Match'], ['radio', 'Any word'], ['combobox', 'Sort by'], ['checkbox', 'Profile'], ['button', 'Search'], ['group', 'Ranges of year'], ['heading', 'Search']])
    expect(await page.getByRole(role, { name, exact: true }).count() === (many ?? 1), `role ${role} ${name ?? ''}: ${await page.getByRole(role, { name, exact: true }).count()}`);
  expect(await page.getByRole('alert').count() === 1 && await page.getAttribute('html', 'lang') === 'en', 'failures are told');
  expect(await page.getByRole('link', { name: /red [\d,]+ documents?$/ }).getAttribute('aria-current') === 'true', 'a chosen value is the current one');
  const levels = await page.locator('h1, h2, h3').evaluateAll((all) => all.map((one) => Number(one.localName[1])));
  expect(levels[0] === 1 && levels.every((level, i) => i === 0 || level - levels[i - 1] <= 1), `levels of headings: ${levels}`);
  await page.goto(page.url().replace('kernel', 'kernel+zzzzqqq').replace('mode=or', 'mode=and'));
  await shown(page);
  await page.locator('#ways .notice').waitFor();
  expect(await page.getAttribute('#ways', 'aria-live') === 'polite' && (await page.getByRole('alert').innerText()).includes('Nothing matches'), 'that there is nothing is told');
  return page;
});
