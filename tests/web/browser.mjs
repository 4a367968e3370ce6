// Headless Chromium, pages in it that take notes, and what can be read of them. What journeys/*.mjs are made of.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const [base, coverage, screenshots, budgets, searchKey, allKey] = process.argv.slice(2);

export const wrong = [];
export const expect = (condition, what) => condition || wrong.push(what);
export const journeys = [];
// `when`: the cluster that it needs (page.mjs); walk() gives the page, whose notes must be empty.
export const journey = (name, when, walk) => journeys.push({ name, when, walk });

const profile = mkdtempSync(join(tmpdir(), 'frond-chromium-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  bypassCSP: false, timeout: 120000,
});
browser.setDefaultTimeout(30000);
export async function quit() {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}

// With FROND_PAGES the files of that folder take the place of those in the broker; its headers, and so its policy, stay.
const fileOf = (path) => ({ '/': 'search.html', '/document': 'document.html', '/status': 'status.html' })[path] ?? path.replace(/^\/assets\//, '');
if (process.env.FROND_PAGES)
  await browser.route((url) => /^\/(document|status|assets\/.*)?$/.test(url.pathname), async (route) => {
    const response = await route.fetch();
    const { 'content-length': _, 'content-encoding': __, ...headers } = response.headers();
    await route.fulfill({ response, headers, body: readFileSync(join(process.env.FROND_PAGES, fileOf(new URL(route.request().url()).pathname))) });
  });

// A page that takes notes. `expected`: console lines of failures that the journey makes.
export async function open(path, { width = 1280, theme = 'light', expected = [] } = {}) {
  const page = await browser.newPage();
  page.notes = [];
  page.loaded = []; // bytes of each file of the page
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  page.on('console', (line) => expected.some((one) => line.text().includes(one)) || page.notes.push(`console: ${line.text()}`));
  page.on('pageerror', (error) => page.notes.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => page.notes.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on('request', (request) => request.url().startsWith(base + '/') || page.notes.push(`asked elsewhere: ${request.url()}`));
  page.on('response', (response) => response.url().includes('/v1/') || page.loaded.push(response.body().then((body) => body.length, () => 0)));
  await page.goto(base + path);
  return page;
}

export const text = (page, selector) => page.locator(selector).innerText();
export const hits = (page) => page.locator('#hits > li').count();
export const shown = (page) => page.waitForFunction(() => /·|Nothing|^$/.test(document.querySelector('#status').textContent) && !document.querySelector('#results').hasAttribute('aria-busy'));
export const bytesOf = async (page) => (await Promise.all(page.loaded)).reduce((sum, length) => sum + length, 0);
export const overflows = (page) => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
// Another width, and all that is folded there opened.
export async function widen(page, width) {
  await page.setViewportSize({ width, height: 800 });
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => drawn(document.querySelectorAll('details').forEach((one) => { one.open = true; })))));
}
export const problem = (status, title, rest = {}) => ({ status, contentType: 'application/problem+json', headers: { 'Retry-After': '3' }, body: JSON.stringify({ type: 'about:blank', title, status, detail: 'The detail.', ...rest }) });

// Of a collection with columns.
export const facets = (page) => page.waitForFunction(() => document.querySelector('#columns .facet') && !document.querySelector('#columns').hasAttribute('aria-busy'));
export const followed = async (page) => { await shown(page); await facets(page); };
export const total = async (page) => Number((await text(page, '#status')).match(/([\d,]+) documents?/)[1].replaceAll(',', ''));
export const figure = async (of) => Number((await of.locator('.figure').innerText()).match(/^[\d,]+/)[0].replaceAll(',', ''));
export const chipTexts = (page) => page.locator('#chips li span:first-child').allInnerTexts();
export const bars = (page, column) => page.locator('.facet', { has: page.getByRole('heading', { name: column, exact: true }) }).locator('.bars a');

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export async function audit(page, what) {
  // axe is put into the page by the debugger, past the page's policy.
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
  for (const { id, impact, nodes } of violations) expect(false, `${what}: axe: ${id} (${impact}): ${nodes.slice(0, 3).map((node) => node.html).join(' | ')}`);
}
