import { startEndpoints } from './endpoints.js';
import { startOutbox } from './outbox.js';
import { startPhoneCalls } from './phone-calls.js';
import { startProtection } from './protection.js';
import { readPlace } from './places.js';
import { get } from './server.js';
import { startTools } from './tools.js';

/** @param {string} id */
const byId = (id) => {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no ${id}`);
  return element;
};

const connection = byId('connection');
/** @param {boolean} isConnected */
const showConnection = (isConnected) => {
  connection.textContent = isConnected ? 'live' : 'not connected';
  connection.dataset['state'] = isConnected ? 'live' : 'lost';
};

const session = await get('session');

/**
 * The updates of each view; the phone calls listen by themselves.
 * @type {Readonly<Record<string, () => Promise<void>>>}
 */
const views = {
  'phone-calls': async () => {},
  endpoints: startEndpoints(byId('view-endpoints')),
  protection: startProtection(byId('view-protection')),
  outbox: startOutbox(byId('view-outbox'), session),
  tools: startTools(byId('view-tools'), session),
};

const names = Object.keys(views);
let current = 'phone-calls';

/** Reads what the open view shows; an unreachable server is shown as such. */
const refresh = async () => {
  if (document.hidden) return;
  await views[current]?.().catch(() => showConnection(false));
};

/** @param {string} name */
const open = (name) => {
  if (name === current) return;
  current = name;
  if (readPlace(location.hash).view !== name) location.hash = name;
  for (const other of names) {
    const tab = byId(`tab-${other}`);
    tab.setAttribute('aria-selected', String(other === name));
    tab.tabIndex = other === name ? 0 : -1;
    byId(`view-${other}`).hidden = other !== name;
  }
  void refresh();
};

/** https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ @type {Readonly<Record<string, (at: number) => number>>} */
const moves = {
  ArrowRight: (at) => (at + 1) % names.length,
  ArrowLeft: (at) => (at + names.length - 1) % names.length,
  Home: () => 0,
  End: () => names.length - 1,
};

for (const name of names) {
  const tab = byId(`tab-${name}`);
  tab.addEventListener('click', () => open(name));
  tab.addEventListener('keydown', (event) => {
    const next = names[moves[event.key]?.(names.indexOf(name)) ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    open(next);
    byId(`tab-${next}`).focus();
  });
}

const { showPlace } = await startPhoneCalls(byId('view-phone-calls'), showConnection);
const openByHash = () => {
  const { view, id, row } = readPlace(location.hash);
  if (names.includes(view)) open(view);
  if (view === 'phone-calls' && id !== undefined) showPlace(id, row);
};
addEventListener('hashchange', openByHash);
openByHash();

setInterval(() => void refresh(), 1_000);
