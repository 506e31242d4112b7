import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createIntegration } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { createMessagingClient, type MessagingOptions } from 'voice-agent-integrations/messaging';
import { undiciTransport } from 'voice-agent-integrations/transport/undici';
import { createAuthority } from '../test/support/certificates.ts';
import { contact, contactJson } from './answers.ts';
import { heading, spread, table } from './report.ts';
import type { Extent } from './run.ts';
import { type Spread, spreadOf } from './spread.ts';

/** What a caller waits for, with and without what makes a live call wait less. Each pair in turn, in one run. */
export const live = async ({ rounds }: Extent, command: string): Promise<string> => {
  const times = Math.min(rounds, 7);
  const warm = await inTurn(times, warmingUp);
  const ahead = await inTurn(times, readingAhead);
  return [
    heading(command),
    'Ratios are of two measurements in one round: median [lowest–highest] over the rounds.',
    '',
    table(
      ['', 'without', 'with', 'ratio', 'requests, ratio'],
      [
        row('`warmUp`: first call over TLS, 60 ms to connect and 80 ms for the token, ms', warm),
        row('`prefetch`: look-up of invoices 300 ms after the phone rang, 60 ms per answer, ms', ahead),
      ],
    ),
    '',
  ].join('\n');
};

interface Measured {
  readonly value: number;
  readonly requests: number;
}

type Measure = (isOn: boolean) => Promise<Measured>;

interface Pair {
  readonly without: Spread;
  readonly with: Spread;
  readonly ratio: Spread;
  readonly requests: Spread;
}

const inTurn = async (times: number, measure: Measure): Promise<Pair> => {
  const pairs: { off: Measured; on: Measured }[] = [];
  for (let round = 0; round < times; round += 1) {
    const isOnFirst = round % 2 === 1;
    const first = await measure(isOnFirst);
    const second = await measure(!isOnFirst);
    pairs.push(isOnFirst ? { on: first, off: second } : { off: first, on: second });
  }
  return {
    without: spreadOf(pairs.map(({ off }) => off.value)),
    with: spreadOf(pairs.map(({ on }) => on.value)),
    ratio: spreadOf(pairs.map(({ on, off }) => on.value / off.value)),
    requests: spreadOf(pairs.map(({ on, off }) => on.requests / off.requests)),
  };
};

const row = (name: string, pair: Pair) => [
  name,
  spread(pair.without, 1),
  spread(pair.with, 1),
  spread(pair.ratio, 2),
  spread(pair.requests, 2),
];

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

const messagingAt = (baseUrl: string, options: Partial<MessagingOptions> = {}) =>
  createMessagingClient({
    baseUrl,
    authenticate: bearer(() => 'token'),
    platform: 'Acme',
    version: '2.11',
    rateLimit: false,
    ...options,
  });

/** A server whose answers take as long as `delayMs` says of the nth request. */
const slowServer = async (delayMs: (n: number) => number, listener: RequestListener = answerContact) => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    setTimeout(() => listener(request, response), delayMs(requests));
  });
  const port = await listen(server);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { baseUrl: `http://127.0.0.1:${port}`, requests: () => requests, close };
};

const answerContact: RequestListener = (request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json').end(contactJson);
};

const authority = await createAuthority();

const warmingUp: Measure = async (isOn) => {
  let requests = 0;
  const { certificate: cert, key } = await authority.issue();
  const secure = createTlsServer({ cert, key }, (request, response) => {
    requests += 1;
    answerContact(request, response);
  });
  const port = await listen(secure);
  // The way to it is long: what a new connection says first arrives late.
  const far = createTcpServer((socket) => {
    socket.on('error', () => {});
    setTimeout(() => {
      const onwards = connect(port, '127.0.0.1');
      onwards.on('error', () => {});
      socket.pipe(onwards).pipe(socket);
    }, 60);
  });
  await using transport = undiciTransport({ tls: { ca: authority.certificate } });
  let token: string | undefined;
  const messaging = messagingAt(`https://127.0.0.1:${await listen(far)}`, {
    transport,
    authenticate: bearer(async () => {
      if (token === undefined) await wait(80);
      token ??= 'token';
      return token;
    }),
  });
  if (isOn) await messaging.warmUp();
  const startedAt = performance.now();
  await messaging.contacts.get(contact.id);
  const value = performance.now() - startedAt;
  far.close();
  secure.closeAllConnections();
  secure.close();
  return { value, requests };
};

const readingAhead: Measure = async (isOn) => {
  const server = await slowServer(
    () => 60,
    (request, response) => {
      const isSearch = request.url?.includes('customers/search');
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(isSearch ? { id: 'cus_1', name: 'Ada' } : { data: [{ id: 'inv_1', amount: 49.5 }] }));
    },
  );
  await using integration = createIntegration({
    billing: {
      baseUrl: server.baseUrl,
      authenticate: apiKey('X-Api-Key', () => 'key'),
      version: { path: 'v1' },
    },
    payments: { below: 500, confirm: false },
  });
  const phoneCall = integration.startPhoneCall({
    callId: 'CA1',
    direction: 'Inbound',
    phone: '+14155550100',
    prefetch: isOn ? ['invoices'] : [],
  });
  await wait(300);
  const startedAt = performance.now();
  await phoneCall.tools.run('lookup_customer_invoices', '{}');
  const value = performance.now() - startedAt;
  server.close();
  return { value, requests: server.requests() };
};
