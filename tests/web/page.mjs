// Journeys through all pages in headless Chromium: what a person does and sees, with the keyboard too, in both themes, at
// three widths. Nothing may be loaded from elsewhere, nothing may be written to the console, axe must find nothing.
//
// usage: node page.mjs URL CLUSTER [FOLDER-FOR-SCREENSHOTS] [budgets] [KEY-FOR-SEARCHING KEY-FOR-ALL]
// CLUSTER: whole | partial (a leaf is dead) | none (all are) | keys (asked for) | columns (the collection has a schema)
// ONLY=TEXT: just the journeys whose names have it.
import { coverage, journeys, quit, wrong } from './browser.mjs';
import './journeys/searching.mjs';
import './journeys/columns.mjs';
import './journeys/history.mjs';
import './journeys/keyboard.mjs';
import './journeys/hostile.mjs';
import './journeys/failures.mjs';
import './journeys/cluster.mjs';
import './journeys/looks.mjs';

const walked = journeys.filter(({ name, when }) => when === coverage && name.includes(process.env.ONLY ?? ''));
for (const { name, walk } of walked) {
  const before = wrong.length;
  try {
    const page = await walk();
    wrong.push(...page.notes);
    await page.close();
  } catch (error) {
    wrong.push(error.message.split('\n').slice(0, 6).join(' / '));
  }
  for (let i = before; i < wrong.length; ++i) wrong[i] = `${name}: ${wrong[i]}`;
}
await quit();
console.log(`${coverage}: ${walked.length} journeys`);
for (const line of wrong.slice(0, 50)) console.log(`WRONG: ${line}`);
process.exit(wrong.length ? 1 : 0);
