// The status page: asks /v1/cluster again and again while it is looked at, and redraws the picture.
import { advice, ask } from '/assets/api.js';
import { clusterPicture, clusterState } from '/assets/picture.js';
import { element } from '/assets/dom.js';
import { keyForm, lacksKey } from '/assets/key.js';

const kEveryMs = 2000;
const $ = (id) => document.getElementById(id);
let paused = false;
let drawn = ''; // what the picture shows: it is left alone while nothing changes, for those who read it slowly

// Set only when it changes: a live region says everything it is given.
function say([className, text]) {
  if ($('state').textContent === text) return;
  $('state').className = `state ${className}`;
  $('state').replaceChildren(element('span', `dot ${className}`), text);
}

async function refresh() {
  const got = await ask('/v1/cluster', AbortSignal.timeout(5 * kEveryMs));
  const now = new Date().toLocaleTimeString('en-GB');
  if (got?.body) {
    const cluster = got.body;
    document.title = `${cluster.collection} – Frond cluster`;
    $('headline').textContent = `Cluster of ${cluster.collection}`;
    say(clusterState(cluster));
    const shown = JSON.stringify(cluster, (key, value) => (key === 'last_seen_ms_ago' ? 0 : value));
    if (shown !== drawn) $('picture').replaceChildren(clusterPicture(cluster));
    drawn = shown;
    $('updated').textContent = `As of ${now}.`;
  } else {
    const failure = got?.failure ?? { status: 0, title: 'The broker does not answer' };
    say(['bad', `${failure.title}. ${advice(failure)}`]);
    // It stays while nobody has sent it, so that a key can be typed.
    if (lacksKey(failure) && !document.querySelector('form.key')) {
      $('picture').replaceChildren(keyForm(refresh));
      drawn = '';
    }
    $('updated').textContent = `No answer at ${now}; what is shown is older.`;
  }
}

// One request at a time; a hidden page asks nothing.
async function follow() {
  if (!paused && !document.hidden) await refresh();
  setTimeout(follow, kEveryMs);
}

$('pause').addEventListener('click', () => {
  paused = !paused;
  $('pause').setAttribute('aria-pressed', String(paused));
  if (!paused) refresh();
});
follow();
