// /v1/cluster as a picture: the broker, below it the groups of partitions, in each a card for every replica.
import { bar, bytes, count, element, plural } from '/assets/dom.js';

const meter = (label, part, whole, text) => element('div', 'meter', element('span', '', label), element('span', 'figure', text),
  bar(whole, [[part, whole > 0 && part / whole > 0.9 ? 'full' : 'searched']]));
const fact = (label, value) => element('div', 'meter', element('span', '', label), element('span', 'figure', value));
const hitRate = ({ hits, misses }) => (hits + misses > 0 ? `${Math.round((100 * hits) / (hits + misses))} %` : '–');

// 0, 2, 4, 6, 8 → "0, 2, 4 … 8": a shard of a large collection has hundreds.
function listed(numbers) {
  return numbers.length <= 6 ? numbers.join(', ') : `${numbers.slice(0, 3).join(', ')} … ${numbers.at(-1)}`;
}

const open = new Set(); // whose budgets are shown: the picture is drawn anew every few seconds

// What a process takes of its machine, below its card's other figures. Nothing of one that doesn't tell.
function budgetsView(key, { machine, budgets }) {
  if (!budgets) return null;
  const name = ({ flag, device }) => flag.replace(/^--/, '') + (device === undefined ? '' : ` of GPU ${device}`);
  const amount = (one) => `${one.bytes === undefined ? count(one.number) : bytes(one.bytes)}${one.auto ? '' : ' (set)'}`;
  const made = element('details', 'budgets', element('summary', '', 'Memory and threads'), element('p', 'quiet', machine ?? ''),
    ...budgets.map((one) => fact(name(one), amount(one))));
  made.open = open.has(key);
  made.addEventListener('toggle', () => (made.open ? open.add(key) : open.delete(key)));
  return made;
}

function brokerCard(cluster) {
  const { broker, generation, documents } = cluster;
  return element('article', 'card broker', element('h2', '', element('span', 'dot good'), 'This broker'),
    element('p', 'quiet', `version ${broker.version}`),
    fact('Generation', count(generation)), fact('Documents', count(documents)),
    meter('Searches in flight', broker.in_flight, broker.in_flight_limit, `${count(broker.in_flight)} of ${count(broker.in_flight_limit)}`),
    meter('Result cache', broker.cache.bytes, broker.cache.limit_bytes, `${bytes(broker.cache.bytes)} of ${bytes(broker.cache.limit_bytes)}`),
    fact('Found in the cache', hitRate(broker.cache)), budgetsView('broker', broker));
}

const gpuText = { off: 'CPU', absent: 'CPU', '': 'CPU', ready: 'CPU and GPU', lost: 'CPU; GPU lost' };

// Leaves of older versions do not tell the content.
const isServed = (one, cluster) => one.generation === cluster.generation && (one.content ?? cluster.content) === cluster.content;

// What a leaf said of the generation that is served, else of its newest.
function heldBy(leaf, cluster) {
  return leaf.generations.find((one) => isServed(one, cluster)) ?? leaf.generations.at(-1);
}

function leafCard(leaf, cluster) {
  const held = heldBy(leaf, cluster);
  const behind = leaf.healthy && held && !isServed(held, cluster);
  const [dot, word] = !leaf.healthy ? ['bad', 'down'] : leaf.draining ? ['warn', 'draining'] : behind || !held ? ['warn', 'catching up'] : /lost/.test(leaf.gpu) ? ['warn', 'up, GPU lost'] : ['good', 'up'];
  const card = element('article', `card leaf ${dot}`, element('h4', '', element('span', `dot ${dot}`), `${leaf.node ?? leaf.address} `, element('span', 'word', word)),
    leaf.node && element('p', 'quiet', leaf.address), leaf.error && element('p', 'bad-text', leaf.error), leaf.detail && element('p', 'warn-text', leaf.detail));
  if (!leaf.queue) return card;
  card.append(fact('Processor', `${gpuText[leaf.gpu] ?? `CPU and GPUs: ${leaf.gpu}`} · ${plural(leaf.cpu_threads, 'thread')}`),
    fact('Generation', held ? count(held.generation) : 'none'),
    fact('Requests in flight', count(leaf.in_flight)),
    meter('Queue', leaf.queue.depth, leaf.queue.limit, `${count(leaf.queue.depth)} of ${count(leaf.queue.limit)}`),
    meter('Lists in memory', leaf.host_cache.bytes, leaf.host_cache.limit_bytes, `${bytes(leaf.host_cache.bytes)} of ${bytes(leaf.host_cache.limit_bytes)}`),
    fact('Lists found there', hitRate(leaf.host_cache)));
  const budgets = budgetsView(leaf.address, leaf);
  if (budgets) card.append(budgets);
  return card;
}

// Leaves that hold the same partitions are replicas of each other.
function groups(cluster) {
  const found = new Map();
  for (const leaf of cluster.leaves) {
    const partitions = heldBy(leaf, cluster)?.partitions ?? [];
    const key = partitions.join();
    if (!found.has(key)) found.set(key, { partitions, leaves: [] });
    found.get(key).leaves.push(leaf);
  }
  return [...found.values()].sort((a, b) => (a.partitions[0] ?? Infinity) - (b.partitions[0] ?? Infinity));
}

function groupView({ partitions, leaves }, cluster) {
  if (partitions.length === 0) return element('section', 'group', element('h3', '', 'Nothing to search yet'), element('div', 'cards', ...leaves.map((leaf) => leafCard(leaf, cluster))));
  const documents = partitions.reduce((sum, number) => sum + (cluster.partitions[number]?.documents ?? 0), 0);
  const serving = Math.min(...partitions.map((number) => cluster.partitions[number]?.leaves.length ?? 0));
  const replicas = serving === 0 ? element('span', 'bad-text', 'no replica serves') : plural(serving, 'replica serves', 'replicas serve');
  const heading = element('h3', '', `${partitions.length === 1 ? 'Partition' : 'Partitions'} ${listed(partitions)}`);
  return element('section', `group ${serving === 0 ? 'bad' : ''}`, heading,
    element('p', 'quiet', documents ? `${plural(documents, 'document')} · ` : '', replicas),
    element('div', 'cards', ...leaves.map((leaf) => leafCard(leaf, cluster))));
}

// Partitions of the generation that no leaf ever said it has.
function missingView(cluster) {
  const held = new Set(cluster.leaves.flatMap((leaf) => heldBy(leaf, cluster)?.partitions ?? []));
  const missing = cluster.partitions.map((one) => one.partition).filter((number) => !held.has(number));
  if (missing.length === 0) return null;
  return element('section', 'group bad', element('h3', '', `Partitions ${listed(missing)}`), element('p', 'bad-text', 'No leaf has them.'));
}

export function clusterPicture(cluster) {
  return element('div', 'cluster', brokerCard(cluster),
    element('div', 'groups', ...groups(cluster).map((group) => groupView(group, cluster)), missingView(cluster)));
}

// [class, sentence]: the state of the whole in words, for eyes and for screen readers.
export function clusterState(cluster) {
  const uncovered = cluster.partitions.filter((one) => one.leaves.length === 0).length;
  const down = cluster.leaves.filter((leaf) => !leaf.healthy).length;
  if (!cluster.ready) return ['bad', 'Not ready: no generation has a leaf for every partition yet.'];
  if (uncovered > 0) return ['bad', `Answers are incomplete: ${plural(uncovered, 'partition has', 'partitions have')} no leaf.`];
  if (down > 0) return ['warn', `Every partition is served, and ${plural(down, 'leaf is', 'leaves are')} down.`];
  return ['good', `Every partition is served, and ${cluster.leaves.length === 1 ? 'the leaf is' : `all ${count(cluster.leaves.length)} leaves are`} up.`];
}
