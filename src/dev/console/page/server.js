/**
 * @typedef {object} Session
 * @property {string} pageToken
 * @property {boolean} allowActions
 * @property {{ integration: boolean, outbox: boolean, toolboxes: boolean }} shows
 */

/** The failure in the server's own word. */
export class Refused extends Error {}

/**
 * @template Answer
 * @param {string} path below `api/`
 * @returns {Promise<Answer>}
 */
export const get = async (path) => read(await fetch(`api/${path}`));

/**
 * @template Answer
 * @param {Session} session
 * @param {string} path below `api/`
 * @param {object} body
 * @returns {Promise<Answer>}
 */
export const post = async ({ pageToken }, path, body) =>
  read(
    await fetch(`api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-console-token': pageToken },
      body: JSON.stringify(body),
    }),
  );

/** @param {Response} answer */
const read = async (answer) => {
  const value = await answer.json();
  if (!answer.ok) throw new Refused(value.error ?? 'failed');
  return value;
};

/**
 * Receives the events after a position. The browser reconnects by itself and says which event it received last.
 * @param {string} position
 * @param {object} listener
 * @param {(recorded: import('../records.ts').Recorded) => void} listener.onEvent
 * @param {() => void} listener.onReset too much was missed: everything must be read again
 * @param {(isConnected: boolean) => void} listener.onConnection
 */
export const listenToEvents = (position, { onEvent, onReset, onConnection }) => {
  const source = new EventSource(`events?after=${position}`);
  source.addEventListener('open', () => onConnection(true));
  source.addEventListener('error', () => onConnection(false));
  source.addEventListener('reset', () => onReset());
  source.addEventListener('message', ({ data }) => onEvent(JSON.parse(data)));
};
