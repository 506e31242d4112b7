import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import ky from 'ky';
import type { Transport } from 'voice-agent-integrations';
import { bearer } from 'voice-agent-integrations/auth';
import { createMessagingClient } from 'voice-agent-integrations/messaging';
import { undiciTransport } from 'voice-agent-integrations/transport/undici';
import { contact, contactJson } from './answers.ts';
import { heading, table } from './report.ts';
import type { Extent } from './run.ts';

/** A read and a write of one client. */
interface Calls {
  readonly GET: () => Promise<unknown>;
  readonly POST: () => Promise<unknown>;
}

/** What happens to a request. */
type Fault = (response: ServerResponse) => void;

/**
 * How many of 60 calls succeed when every fifth request meets a fault, how many requests that takes, and under how many
 * idempotency keys; each client with its own retries. Perfect is 60 of 60 with at most 75 requests, and one key per POST.
 */
export const faults = async (_extent: Extent, command: string): Promise<string> => {
  const columns = Object.entries(kinds).flatMap(([name, fault]) =>
    (['GET', 'POST'] as const).map((method) => ({ title: `${name}, ${method}`, method, fault })),
  );
  const rows: string[][] = [];
  for (const [name, callsAt] of Object.entries(clients)) {
    const cells: string[] = [];
    for (const { method, fault } of columns) cells.push(await measure((baseUrl) => callsAt(baseUrl)[method], fault));
    rows.push([name, ...cells]);
  }
  return [
    heading(command),
    'Succeeded of 60 / requests / ms; where keys were sent, how many (k) and how many more than once (r).',
    '',
    table(['', ...columns.map(({ title }) => title)], rows),
    '',
  ].join('\n');
};

const kinds: Readonly<Record<string, Fault>> = {
  429: (response) => void response.writeHead(429, { 'retry-after': '1', 'content-length': 0 }).end(),
  503: (response) => void response.writeHead(503, { 'content-length': 0 }).end(),
  reset: (response) => void response.socket?.resetAndDestroy(),
};

const clients: Readonly<Record<string, (baseUrl: string) => Calls>> = {
  ky: (baseUrl) => ({
    GET: () => ky.get(`${baseUrl}/contacts/${contact.id}`).json(),
    POST: () => ky.post(`${baseUrl}/contacts`, { json: { email: contact.email } }).json(),
  }),
  'full stack': (baseUrl) => clientAt(baseUrl),
  'full stack on transport/undici': (baseUrl) => clientAt(baseUrl, undiciTransport()),
};

const clientAt = (baseUrl: string, transport?: Transport): Calls => {
  const messaging = createMessagingClient({
    baseUrl,
    authenticate: bearer(() => 'test-token'),
    platform: 'Acme',
    version: '2.11',
    ...(transport && { transport }),
  });
  return {
    GET: () => messaging.contacts.get(contact.id),
    POST: () => messaging.contacts.create({ email: contact.email }),
  };
};

const measure = async (callAt: (baseUrl: string) => () => Promise<unknown>, fault: Fault): Promise<string> => {
  let requests = 0;
  const keys = new Map<string, number>();
  const server = createServer((request, response) => {
    request.resume();
    requests += 1;
    const key = request.headers['idempotency-key'];
    if (typeof key === 'string') keys.set(key, (keys.get(key) ?? 0) + 1);
    if (requests % 5 === 0) fault(response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(contactJson);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const call = callAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  const startedAt = performance.now();
  const succeeded = await succeededOf(60, call);
  const tookMs = Math.round(performance.now() - startedAt);
  server.close();
  server.closeAllConnections();
  const sentAgain = [...keys.values()].filter((count) => count > 1).length;
  return `${succeeded}/${requests}/${tookMs}${keys.size > 0 ? ` k${keys.size} r${sentAgain}` : ''}`;
};

/** Makes the calls in eight lanes. */
const succeededOf = async (calls: number, call: () => Promise<unknown>): Promise<number> => {
  let left = calls;
  let succeeded = 0;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await call().then(
        () => (succeeded += 1),
        () => undefined,
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return succeeded;
};
