// What the pages tell of the cluster, and the key that they may need.
import { allKey, audit, base, bytesOf, expect, hits, journey, open, searchKey, text } from '../browser.mjs';

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
