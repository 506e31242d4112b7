import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bearer } from 'voice-agent-integrations/auth';
import { createMessagingClient } from 'voice-agent-integrations/messaging';
import { heading, table } from './report.ts';
import type { Extent } from './run.ts';

/**
 * How many requests reach an API that is down, at 5 calls a second for 30 seconds, and when the circuit opens first; and
 * how many reads of one moment succeed when each meets one 503.
 */
export const deadApi = async (_extent: Extent, command: string): Promise<string> => {
  const dead = await Promise.all(Object.entries(faults).map(([name, fault]) => callDeadApi(name, fault)));
  const moments: string[][] = [];
  for (const reads of [10, 30, 90]) moments.push([String(reads), `${await succeededOf(reads)}`]);
  return [
    heading(command),
    table(['the API', 'calls', 'requests', 'circuit opens after'], dead),
    '',
    table(['reads at once, each meets one 503', 'succeed'], moments),
    '',
  ].join('\n');
};

const faults = {
  'answers 503': (response: ServerResponse) => void response.writeHead(503, { 'content-length': 0 }).end(),
  'resets connections': (response: ServerResponse) => void response.socket?.resetAndDestroy(),
  'says nothing': () => {},
} as const;

const seconds = 30;
const callsPerSecond = 5;

const callDeadApi = async (name: string, fault: (response: ServerResponse) => void): Promise<string[]> => {
  await using api = await listen(fault);
  const startedAt = performance.now();
  let openedAfterMs: number | undefined;
  await using messaging = clientAt(api.baseUrl, () => (openedAfterMs ??= performance.now() - startedAt));
  const calls: Promise<unknown>[] = [];
  for (let call = 0; call < seconds * callsPerSecond; call += 1) {
    calls.push(messaging.contacts.get('1').catch(() => undefined));
    await new Promise((resolve) => setTimeout(resolve, 1_000 / callsPerSecond));
  }
  const requests = api.requests();
  await Promise.all(calls);
  const opened = openedAfterMs === undefined ? 'never' : `${(openedAfterMs / 1_000).toFixed(1)} s`;
  return [name, String(calls.length), String(requests), opened];
};

const succeededOf = async (reads: number): Promise<number> => {
  const seen = new Set<string | undefined>();
  await using api = await listen((response, url) => {
    if (seen.has(url)) return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}');
    seen.add(url);
    response.writeHead(503, { 'content-length': 0 }).end();
  });
  await using messaging = clientAt(api.baseUrl);
  const ends = await Promise.allSettled(Array.from({ length: reads }, (_, id) => messaging.contacts.get(String(id))));
  return ends.filter(({ status }) => status === 'fulfilled').length;
};

const clientAt = (baseUrl: string, onOpen?: () => void) =>
  createMessagingClient({
    baseUrl,
    authenticate: bearer(() => 'token'),
    platform: 'Acme',
    version: '2.11',
    adminId: 'admin_1',
    rateLimit: false,
    onEvent: (event) => {
      if (event.type === 'circuit' && event.to === 'open') onOpen?.();
    },
  });

const listen = async (answer: (response: ServerResponse, url: string | undefined) => void) => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    answer(response, request.url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
