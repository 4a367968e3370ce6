// Where the time of one answer went, as a person reads it.
import { bar, count, element, milliseconds, plural } from '/assets/dom.js';

const ms = (us) => milliseconds(us / 1000);

function row(leaf, partition, slowest) {
  const { queue_us: queue, lists_us: lists, engine_us: engine } = partition;
  const cells = [leaf, count(partition.partition), partition.engine || '–', ms(queue), ms(lists), ms(engine), count(partition.postings)];
  const made = element('tr', '', ...cells.map((text, i) => element('td', i === 1 || i > 2 ? 'figure' : '', text)));
  made.append(element('td', '', bar(slowest, [[queue, 'waited'], [lists, 'fetched'], [engine, 'searched']])));
  return made;
}

function table(leaves) {
  const rows = leaves.flatMap((leaf) => leaf.partitions.map((partition) => ({ leaf: leaf.leaf, partition })));
  const time = ({ partition }) => partition.queue_us + partition.lists_us + partition.engine_us;
  rows.sort((a, b) => time(b) - time(a));
  const slowest = Math.max(1, ...rows.map(time));
  const head = element('tr');
  for (const name of ['Leaf', 'Partition', 'Ran on', 'Waited', 'Lists', 'Search', 'Postings', 'Share of the slowest']) {
    const cell = element('th', '', name);
    cell.scope = 'col';
    head.append(cell);
  }
  const made = element('table', '', element('caption', 'unseen', 'Time of each partition, slowest first'), element('thead', '', head),
    element('tbody', '', ...rows.map(({ leaf, partition }) => row(leaf, partition, slowest))));
  const scroller = element('div', 'scroller', made);
  scroller.tabIndex = 0;
  scroller.setAttribute('role', 'region');
  scroller.setAttribute('aria-label', 'Time of each partition');
  return scroller;
}

function legend(...entries) {
  return element('p', 'legend', ...entries.map(([className, text]) => element('span', '', element('i', className), text)));
}

// How a leaf ran the search in one mode, and why there.
function run(leaf, one) {
  const words = [`${leaf}: ${one.mode} ran on ${one.processor}, ${one.reason.replaceAll('_', ' ')}; waited ${ms(one.wait_us)}`];
  if (one.predicted_cpu_us !== undefined) words.push(`predicted ${ms(one.predicted_cpu_us)} on the CPU, ${ms(one.predicted_gpu_us)} in a batch on the GPU`);
  if (one.batch) words.push(`in a batch of ${plural(one.batch.queries, 'query', 'queries')}: ${ms(one.batch.kernel_us)} on the device, ${ms(one.batch.transfer_us)} on the way`);
  return element('p', 'quiet', words.join('; '));
}

// The view of answer.profile and answer.explain.
export function profileView({ profile, explain }) {
  const { search_us: search, fetch_us: fetch, leaves } = profile;
  const parts = leaves.reduce((sum, leaf) => sum + leaf.partitions.length, 0);
  const words = explain.terms.map(({ term, occurrences }) => (occurrences > 1 ? `${term} ×${occurrences}` : term));
  return element('section', 'profile', element('h2', '', 'Where the time went'),
    element('p', '', `Searched for: ${words.join(', ') || 'nothing'}. ${plural(parts, 'partition')} on ${plural(leaves.length, 'leaf', 'leaves')}.`),
    element('p', '', `Rankings ${ms(search)}, then titles and snippets ${ms(fetch)}.`),
    bar(search + fetch, [[search, 'searched'], [fetch, 'fetched']]),
    legend(['searched', 'rankings'], ['fetched', 'titles and snippets']),
    ...leaves.map((leaf) => element('p', 'quiet', `${leaf.leaf}: round trip ${ms(leaf.round_trip_us)}`)),
    ...leaves.flatMap((leaf) => leaf.runs.map((one) => run(leaf.leaf, one))),
    parts > 0 && table(leaves), parts > 0 && legend(['waited', 'waited for a worker'], ['fetched', 'lists'], ['searched', 'search']));
}
