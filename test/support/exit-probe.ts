/**
 * Started as a process of its own with the address of a server that misbehaves as the path says, and the name of a
 * transport: lets calls fail in every way there is, prints how each ended, and then has nothing more to do. Node ends it
 * with an error when a rejection is left unhandled, and not at all while a timer is left.
 */
import { createHttpClient } from '../../src/http/client.ts';
import type { Operation, RequestOptions } from '../../src/http/operation.ts';
import { undiciTransport } from '../../src/http/transport/undici.ts';

const [origin = '', name] = process.argv.slice(2);
const transport = name === 'transport/undici' ? { transport: undiciTransport() } : {};

const connect = (baseUrl = origin) =>
  createHttpClient({
    api: 'billing',
    version: '1',
    baseUrl,
    ...transport,
    authenticate: { read: async () => ({ headers: {}, secrets: [] }), renew: () => Promise.reject(new Error('none')) },
    attempts: 2,
    backoff: { minimumMs: 1, maximumMs: 2 },
    rateLimit: { limit: 100, perMs: 60_000 },
    onEvent: () => {
      throw new Error('the observer is broken');
    },
  });

const client = connect();

const read = (path: string): Operation<unknown> => ({ operation: path, method: 'GET', path, returns: (json) => json });
const write = (path: string): Operation<unknown> => ({ ...read(path), method: 'POST', body: {} });

const endOf = async (operation: Operation<unknown>, call: RequestOptions = {}, from = client) =>
  from.request(operation, call).then(
    () => 'ok',
    (error: { code?: string }) => error.code ?? 'foreign',
  );

const ends: Record<string, string> = {};
for (const path of ['ok', 'reset', 'silent', 'stalled', '503', '429', '401', 'html', 'redirect', 'bomb'])
  ends[path] = await endOf(write(path), { attemptTimeoutMs: /silent|stalled/.test(path) ? 100 : 5_000 }, connect());

ends.refused = await endOf(read('ok'), {}, connect('http://127.0.0.1:1'));
ends.reader = await endOf({
  ...read('ok'),
  returns: () => {
    throw new Error('no');
  },
});
ends.lookUp = await endOf({ ...write('reset'), repeat: { lookUp: () => Promise.reject(new Error('no')) } });
ends.aborted = await endOf(read('silent'), { signal: AbortSignal.timeout(50) });
ends.joined = (
  await Promise.all(
    [1, 2, 3].map(() => endOf(write('silent'), { idempotencyKey: 'k', signal: AbortSignal.timeout(50) })),
  )
).join();

const released = Promise.withResolvers<string>();
const payment = { ...write('silent'), effect: 'payment', wholeDeadline: true } as const;
ends.payment = await endOf(payment, {
  deadline: 1_000,
  signal: AbortSignal.timeout(50),
  onSettled: (settled) => {
    released.resolve(settled.ok ? 'ok' : settled.error.code);
    throw new Error('the listener is broken');
  },
});
ends.settled = await released.promise;

const narrow = createHttpClient({
  api: 'crm',
  version: '1',
  baseUrl: origin,
  ...transport,
  authenticate: { read: async () => ({ headers: {}, secrets: [] }), renew: async () => undefined },
  rateLimit: { limit: 1, perMs: 300_000 },
  maximumDeadlineMs: 600_000,
});
await endOf(read('ok'), {}, narrow);
const waiting = endOf(read('ok'), { deadline: 500_000 }, narrow);
await narrow.close();
ends.closed = await waiting;

console.log(JSON.stringify(ends));
