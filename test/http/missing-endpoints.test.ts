import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { IntegrationError } from '../../src/core/errors.ts';
import { createMessagingClient } from '../../src/messaging/index.ts';
import { intercom } from '../../src/messaging/intercom/index.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { createMetrics } from '../../src/observability/metrics/create-metrics.ts';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { startRecordingServer, type RecordingServer } from '../support/recording-server.ts';
import { serve } from '../support/serve.ts';

const phone = '+14155550100';
let seconds = 0;

beforeEach(() => {
  seconds = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + seconds * 1000);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const connect = (server: RecordingServer, onEvent: (event: IntegrationEvent) => void = () => {}) => {
  const options = {
    baseUrl: server.baseUrl,
    authenticate: bearer(() => 'token'),
    backoff: { minimumMs: 0, maximumMs: 0 },
    onEvent,
  };
  return {
    messaging: createMessagingClient({ ...options, platform: 'Acme', version: '2.11' }),
    crm: createCrmClient({ ...options, version: '60.0' }),
  };
};

type Clients = ReturnType<typeof connect>;

/** What the interface document names and gives no endpoint for, and the steps ask for. */
const endpoints: readonly (readonly [
  name: string,
  ask: (clients: Clients, call?: { readonly signal: AbortSignal }) => Promise<{ readonly total: number }>,
])[] = [
  ['the companies of a contact', ({ messaging }, call) => messaging.companies.listForContact('c1', call)],
  ['a search of contacts', ({ crm }, call) => crm.contacts.search({ phone }, call)],
  ['a search of accounts', ({ crm }, call) => crm.accounts.search({ name: 'Lee Ltd' }, call)],
];

/** Asks at these seconds, each with the status that is answered; gives how many requests each took. */
const askAt = async (
  asks: readonly (readonly [second: number, status: number])[],
  ask: (clients: Clients) => Promise<unknown>,
) => {
  await using server = await startRecordingServer();
  const clients = connect(server);
  const counts: number[] = [];
  for (const [second, status] of asks) {
    seconds = second;
    server.answer({ status, json: status === 200 ? [] : { error: 'no such endpoint' } });
    const before = server.requests.length;
    await ask(clients);
    counts.push(server.requests.length - before);
  }
  return counts;
};

describe.each(endpoints)('%s', (_name, ask) => {
  it.each<readonly [name: string, asks: readonly (readonly [number, number])[], requests: readonly number[]]>([
    [
      'is asked for again after a 404',
      [
        [0, 404],
        [1, 200],
      ],
      [2, 1],
    ],
    [
      'is asked for again after many 404s of one moment',
      [
        [0, 404],
        [1, 404],
        [2, 404],
        [3, 404],
      ],
      [2, 1, 1, 1],
    ],
    [
      'is left alone after three 404s over half a minute',
      [
        [0, 404],
        [10, 404],
        [31, 404],
        [40, 404],
      ],
      [2, 1, 1, 0],
    ],
    [
      'is asked for again after a minute',
      [
        [0, 404],
        [10, 404],
        [31, 404],
        [92, 200],
        [93, 200],
      ],
      [2, 1, 1, 1, 1],
    ],
    [
      'is left alone for another minute',
      [
        [0, 404],
        [10, 404],
        [31, 404],
        [92, 404],
        [93, 404],
      ],
      [2, 1, 1, 1, 0],
    ],
    [
      'is left alone after one 405',
      [
        [0, 405],
        [1, 405],
        [62, 405],
      ],
      [1, 0, 1],
    ],
    [
      'is left alone after one 501, which is tried three times',
      [
        [0, 501],
        [1, 501],
        [62, 501],
      ],
      [3, 0, 3],
    ],
  ])('%s', async (_case, asks, requests) => {
    expect(await askAt(asks, ask)).toEqual(requests);
  });

  it.each([400, 401, 403, 410, 422, 500, 503])(
    'throws for a %i, which is no word about the endpoint',
    async (status) => {
      await using server = await startRecordingServer();
      server.answer({ status, json: {} });

      await expect(ask(connect(server))).rejects.toBeInstanceOf(IntegrationError);
    },
  );

  it('lists nothing, emits one event, and is no failed call in the metrics', async () => {
    await using server = await startRecordingServer();
    const metrics = createMetrics();
    const missing: string[] = [];
    const clients = connect(server, (event) => {
      metrics.onEvent(event);
      if (event.type === 'endpoint-missing') missing.push(event.operation);
    });
    server.answer({ status: 404, json: {} });

    for (const second of [0, 1, 2]) {
      seconds = second;
      expect((await ask(clients)).total).toBe(0);
    }

    expect(missing).toHaveLength(1);
    expect((await metrics.snapshot()).endpoints).toMatchObject([{ labels: { operation: missing[0] }, successRate: 1 }]);
  });

  it('is there if the second of two requests is answered', async () => {
    await using server = await startRecordingServer();
    const missing: string[] = [];
    const clients = connect(server, ({ type }) => void (type === 'endpoint-missing' && missing.push(type)));
    server.answer({ status: 404, json: {} }, { json: [] });

    expect((await ask(clients)).total).toBe(0);

    expect(server.requests).toHaveLength(2);
    expect(missing).toHaveLength(0);
  });

  it.each([404, 405, 501])('throws a %i once it has answered, and asks again', async (status) => {
    await using server = await startRecordingServer();
    const missing: string[] = [];
    const clients = connect(server, ({ type }) => void (type === 'endpoint-missing' && missing.push(type)));
    server.answer({ json: [] });
    await ask(clients);

    for (const second of [1, 40, 80]) {
      seconds = second;
      server.answer({ status, json: {} });
      await expect(ask(clients)).rejects.toBeInstanceOf(IntegrationError);
    }
    server.answer({ json: [] });
    expect((await ask(clients)).total).toBe(0);
    expect(missing).toHaveLength(0);
  });

  it('waits no longer than its caller', async () => {
    await using server = await startRecordingServer();
    const clients = connect(server);
    server.answer({ status: 404, json: {} });
    const ending = new AbortController();
    const asked = ask(clients, { signal: ending.signal });
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    setTimeout(() => ending.abort(), 50);

    await expect(asked).rejects.toMatchObject({ code: 'aborted' });
    expect(server.requests).toHaveLength(1);
  });
});

it('a platform that has the endpoint throws its 404, as before', async () => {
  await using server = await startRecordingServer();
  server.answer({ status: 404, json: {} });
  const messaging = createMessagingClient({
    ...intercom(),
    baseUrl: server.baseUrl,
    authenticate: bearer(() => 'token'),
  });

  await expect(messaging.companies.listForContact('c1')).rejects.toMatchObject({ status: 404 });
});

it.each([
  ['one 404 in a deployment', (asked: number) => asked === 1, ['contact_task', 'contact_task', 'contact_task']],
  ['404s for a while', (asked: number) => asked <= 2, ['lead_created', 'contact_task', 'contact_task']],
  ['a 404 later on', (asked: number) => asked === 2, ['contact_task', 'client_error', 'contact_task']],
])('a gateway that answers %s makes at most one known customer unknown', async (_name, isAway, expected) => {
  let searches = 0;
  const leads: unknown[] = [];
  await using server = await serve(async (request) => {
    const path = new URL(request.url).pathname;
    if (path.endsWith('/Contact/search')) {
      searches += 1;
      return isAway(searches) ? Response.json({}, { status: 404 }) : Response.json([{ Id: '003A', Phone: phone }]);
    }
    if (path.endsWith('/Lead/search')) return Response.json([]);
    if (path.endsWith('/Lead/')) leads.push(await request.json());
    return Response.json({ id: '1' }, { status: 201 });
  });
  const crm = createCrmClient({ baseUrl: server.url, authenticate: bearer(() => 't'), version: '60.0' });
  const outcomes: string[] = [];

  for (const callId of ['CA1', 'CA2', 'CA3']) {
    const phoneCall = startPhoneCall({ crm }, { callId, direction: 'Inbound', phone });
    const qualified = phoneCall.qualifyLead({ lead: { LastName: 'Lee', Company: 'Lee Ltd' } });
    outcomes.push(
      await qualified.then(
        ({ outcome }) => outcome,
        ({ code }: IntegrationError) => code,
      ),
    );
  }

  expect(outcomes).toEqual(expected);
  expect(leads).toHaveLength(expected.filter((outcome) => outcome === 'lead_created').length);
});

it('the context of a caller is complete on a platform without companies', async () => {
  await using server = await serve(async (request) =>
    request.url.endsWith('/companies')
      ? Response.json({}, { status: 404 })
      : Response.json({ id: 'c1', phone, name: 'Ann' }),
  );
  const messaging = createMessagingClient({
    baseUrl: server.url,
    authenticate: bearer(() => 't'),
    platform: 'Acme',
    version: '2.11',
  });
  const phoneCall = startPhoneCall({ messaging }, { callId: 'CA1', direction: 'Inbound', phone, contactId: 'c1' });

  expect(await phoneCall.callerContext()).toMatchObject({
    contact: { name: 'Ann' },
    company: undefined,
    steps: [{ step: 'company', status: 'done' }],
  });
});
