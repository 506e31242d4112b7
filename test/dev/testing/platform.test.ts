import { describe, expect, it } from 'vitest';
import { type FakePlatformOptions } from '../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { operationNames } from '../../../src/dev/testing/operations.ts';
import { answeredCases, makePlatform, nowSeconds, type Sent, send } from './contract-suite.ts';

const talk = '/conversations/talk';
const messaging = (method: string, path: string, body?: unknown): Sent => ({ api: 'messaging', method, path, body });
const note = { message_type: 'note', admin_id: 'admin_1', body: 'Angry' };
const payment = {
  customer_id: 'cus_1',
  invoice_id: 'inv_1',
  amount: 20,
  payment_method_id: 'pm_1',
  idempotency_key: 'key_1',
};
const pay = (more: object = {}): Sent => ({
  api: 'billing',
  method: 'POST',
  path: '/v1/payments',
  body: { ...payment, ...more },
});

describe('the platform', () => {
  it('answers every operation', async () => {
    const answered = new Set<string | undefined>();
    for (const { before, request } of answeredCases) {
      const platform = makePlatform();
      before?.(platform);
      const { method, path: url, body } = request;
      platform.handle(request.api, { method, url, headers: {}, body: JSON.stringify(body ?? '') });
      answered.add(platform.requests[0]?.operation);
    }

    expect(answered).toEqual(new Set(operationNames));
  });

  it('listens on the ports that it is given, and on none when one is taken', async () => {
    await using first = makePlatform();
    const { crm, billing } = await first.listen();
    const taken = Number(new URL(crm).port);
    await first.close();
    await using holder = makePlatform();
    await holder.listen({ crm: taken });
    const free = Number(new URL(billing).port);

    await using refused = makePlatform();
    await expect(refused.listen({ crm: taken, billing: free })).rejects.toThrow('EADDRINUSE');
    await using platform = makePlatform();
    const addresses = await platform.listen({ billing: free });

    expect([addresses.billing, (await holder.listen()).crm]).toEqual([billing, crm]);
  });

  it('gives the same addresses when it is asked twice, and others than another platform', async () => {
    await using one = makePlatform();
    await using other = makePlatform();

    const [first, again, others] = await Promise.all([one.listen(), one.listen(), other.listen()]);

    expect(again).toEqual(first);
    expect(new Set([...Object.values(first), ...Object.values(others)]).size).toBe(6);
    for (const url of Object.values(first)) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('refuses connections once it is closed', async () => {
    const platform = makePlatform();
    const baseUrls = await platform.listen();
    await platform.close();

    await expect(send(baseUrls, messaging('GET', '/me'))).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('shares nothing with another platform', async () => {
    await using one = makePlatform();
    await using other = makePlatform();

    await send(await one.listen(), pay());

    expect([one.billing.payments.length, other.billing.payments.length]).toEqual([1, 0]);
    expect([one.requests.length, other.requests.length]).toEqual([1, 0]);
  });

  it('remembers each request, without the credential', async () => {
    await using platform = makePlatform();
    const sent = { ...messaging('POST', `${talk}/parts`, note), headers: { 'idempotency-key': 'note_1' } };

    await send(await platform.listen(), sent);

    const [request] = platform.requests;
    expect(request).toEqual({
      api: 'messaging',
      operation: 'messaging.conversations.addNote',
      method: 'POST',
      path: `${talk}/parts`,
      headers: expect.objectContaining({ authorization: '***', 'acme-version': '2.11' }),
      credential: 'accepted',
      idempotencyKey: 'note_1',
      body: note,
      status: 200,
      executed: true,
      replayed: false,
      at: nowSeconds * 1000,
    });
    expect(JSON.stringify(platform.requests)).not.toContain('test-messaging-token');
  });

  it('remembers the credential when the option asks for it', async () => {
    await using platform = makePlatform({ recordCredentials: true });

    await send(await platform.listen(), messaging('GET', '/me'));

    expect(platform.requests[0]?.headers['authorization']).toBe('Bearer test-messaging-token');
  });

  it('shows what it holds, as copies', async () => {
    await using platform = makePlatform();
    await send(await platform.listen(), messaging('POST', `${talk}/parts`, note));

    const [conversation] = platform.messaging.conversations;
    conversation?.parts.pop();

    expect(platform.messaging.conversations).toEqual([
      {
        id: 'talk',
        contact_id: 'ann',
        body: 'Hello',
        state: 'open',
        admin_assignee_id: null,
        team_assignee_id: null,
        snoozed_until: null,
        title: null,
        custom_attributes: {},
        tag_ids: [],
        parts: [
          {
            id: 'part_1',
            type: 'note',
            body: 'Angry',
            author: { type: 'admin', id: 'admin_1' },
            assigned_to: null,
            created_at: nowSeconds,
          },
        ],
        created_at: nowSeconds,
        updated_at: nowSeconds,
      },
    ]);
  });

  it('accepts only the new credential after a rotation', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();
    platform.messaging.acceptOnly('new');

    const before = await send(baseUrls, messaging('GET', '/me'));
    const after = await send(baseUrls, { ...messaging('GET', '/me'), headers: { authorization: 'Bearer new' } });

    expect([before.status, after.status]).toEqual([401, 200]);
    expect(platform.requests.map(({ credential }) => credential)).toEqual(['refused', 'accepted']);
  });
});

describe('lists', () => {
  it.each<[string, Sent]>([
    ['contacts', messaging('POST', '/contacts/search', { query: { field: 'id', operator: '=', value: 'ann' } })],
    [
      'leads',
      {
        api: 'crm',
        method: 'POST',
        path: '/services/data/v60.0/sobjects/Lead/search',
        body: { q: 'SELECT Id FROM Lead' },
      },
    ],
    ['invoices', { api: 'billing', method: 'GET', path: '/v1/invoices?customer_id=cus_1&status=open' }],
  ])('come bare or wrapped: %s', async (_, request) => {
    await using bare = makePlatform({ envelope: 'array' });
    await using wrapped = makePlatform({ envelope: 'data' });

    const first = await send(await bare.listen(), request);
    const second = await send(await wrapped.listen(), request);

    expect(first.body).toHaveLength(1);
    expect(second.body).toMatchObject({ data: first.body });
  });

  it('follow the envelope of their own API', async () => {
    await using platform = makePlatform({ envelope: 'array', messaging: { envelope: 'data' } });

    const { body } = await send(await platform.listen(), messaging('GET', '/teams'));

    expect(body).toEqual({ data: [{ type: 'team', id: 'support', name: 'Support', admin_ids: [] }], total_count: 1 });
  });
});

describe('a customer that is not there', () => {
  it.each([
    ['404', 404, { error: { code: 'customer_not_found', message: 'No customer matches' }, request_id: 'req_1' }],
    ['204', 204, undefined],
    ['null', 200, null],
    ['[]', 200, []],
  ] as const)('can be answered with %s', async (absentCustomer, status, body) => {
    await using platform = makePlatform({ billing: { absentCustomer } });

    const answered = await send(await platform.listen(), {
      api: 'billing',
      method: 'GET',
      path: '/v1/customers/search?phone=%2B19995550100',
    });

    expect({ status: answered.status, body: answered.body }).toEqual({ status, body });
  });
});

describe('the version of the billing API', () => {
  const cases: [string, NonNullable<FakePlatformOptions['billing']>, Partial<Sent>, number][] = [
    [
      'in a header',
      { version: { header: { name: 'Api-Version', value: '2026-01' } } },
      { headers: { 'api-version': '2026-01' } },
      200,
    ],
    ['missing in the header', { version: { header: { name: 'Api-Version', value: '2026-01' } } }, {}, 400],
    ['in the base address', { version: 'in-base-url' }, {}, 200],
  ];
  it.each(cases)('can stand %s', async (_, billing, more, status) => {
    await using platform = makePlatform({ billing });

    const answered = await send(await platform.listen(), {
      api: 'billing',
      method: 'GET',
      path: '/customers/cus_1',
      ...more,
    });

    expect(answered.status).toBe(status);
  });

  it('can come with a bearer token', async () => {
    await using platform = makePlatform({ billing: { credentialHeader: 'Authorization' } });

    const answered = await send(await platform.listen(), {
      api: 'billing',
      method: 'GET',
      path: '/v1/customers/cus_1',
      headers: { 'x-api-key': undefined, authorization: 'Bearer test-billing-key' },
    });

    expect(answered.status).toBe(200);
  });
});

describe('payments', () => {
  it('pay an invoice when nothing is left over, and not a cent more', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();

    const statuses = [
      (await send(baseUrls, pay({ amount: 100.1, idempotency_key: 'a' }))).status,
      (await send(baseUrls, pay({ amount: 20.41, idempotency_key: 'b' }))).status,
      (await send(baseUrls, pay({ amount: 20.4, idempotency_key: 'c' }))).status,
      (await send(baseUrls, pay({ amount: 1, idempotency_key: 'd' }))).status,
    ];

    expect(statuses).toEqual([201, 422, 201, 409]);
    expect(platform.billing.invoices[0]).toEqual({
      id: 'inv_1',
      customer_id: 'cus_1',
      amount: 120.5,
      amount_due: 0,
      due_date: '2026-02-01',
      status: 'paid',
    });
  });

  it('end as scripted, first by nextPayment, then by the rule', async () => {
    await using platform = makePlatform({
      billing: { paymentRule: ({ amount }) => (amount > 50 ? { declined: 'Over the limit' } : 'completed') },
    });
    const baseUrls = await platform.listen();
    platform.billing.nextPayment({ declined: 'Card expired' });

    for (const [index, amount] of [10, 60, 20].entries())
      await send(baseUrls, pay({ amount, idempotency_key: `k${index}` }));

    expect(platform.billing.payments.map(({ status, error_message }) => [status, error_message])).toEqual([
      ['failed', 'Card expired'],
      ['failed', 'Over the limit'],
      ['completed', null],
    ]);
  });

  it('hold the amount while they are pending, and give it back when they are declined', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();
    platform.billing.nextPayment('pending');
    await send(baseUrls, pay({ amount: 120.5 }));

    const meanwhile = await send(baseUrls, pay({ amount: 120.5, idempotency_key: 'key_2' }));
    platform.billing.settlePayment('payment_1', 'declined');
    const afterwards = await send(baseUrls, pay({ amount: 120.5, idempotency_key: 'key_3' }));

    expect([meanwhile.status, afterwards.status]).toEqual([422, 201]);
    expect(platform.billing.payments.map(({ status }) => status)).toEqual(['failed', 'completed']);
  });
});

describe('an idempotency key', () => {
  const create = (body: object, key: string): Sent => ({
    ...messaging('POST', '/contacts', body),
    headers: { 'idempotency-key': key },
  });

  it('gives the first answer again, whatever happened since', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();
    const first = await send(baseUrls, create({ phone: '+14155550122', custom_attributes: { tier: 1 } }, 'key_1'));
    await send(baseUrls, messaging('PUT', '/contacts/contact_1', { custom_attributes: { tier: 2 } }));

    // The order of the fields does not matter.
    const again = await send(baseUrls, create({ custom_attributes: { tier: 1 }, phone: '+14155550122' }, 'key_1'));

    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(platform.effects('messaging.contacts.create')).toBe(1);
    expect(platform.effects('messaging.contacts.create', { idempotencyKey: 'key_1' })).toBe(1);
    expect(platform.effects('messaging.contacts.create', { idempotencyKey: 'key_2' })).toBe(0);
  });

  it('is honoured by every write', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();
    const writes = answeredCases.filter(
      ({ request, name }) => !/^(gives|finds|lists|says)/.test(name) && request.api !== 'billing',
    );

    for (const [index, { before, request }] of writes.entries()) {
      before?.(platform);
      const keyed = { ...request, headers: { 'idempotency-key': `key_${index}` } };
      const first = await send(baseUrls, keyed);
      const again = await send(baseUrls, keyed);
      expect([again.status, again.body]).toEqual([first.status, first.body]);
    }

    expect(platform.requests.map(({ executed, replayed }) => [executed, replayed])).toEqual(
      writes.flatMap(() => [
        [true, false],
        [false, true],
      ]),
    );
  });

  it('is refused for another body', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();
    await send(baseUrls, create({ phone: '+14155550122' }, 'key_1'));

    const { status, body } = await send(baseUrls, create({ phone: '+14155550133' }, 'key_1'));

    expect([status, body]).toEqual([
      422,
      {
        type: 'error.list',
        request_id: 'req_2',
        errors: [{ code: 'idempotency_key_reused', message: 'The idempotency key was used for another request' }],
      },
    ]);
    expect(platform.messaging.contacts.length).toBe(2);
  });

  it('of a refused request can be used for the corrected one', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();

    const refused = await send(baseUrls, pay({ amount: 1000 }));
    const corrected = await send(baseUrls, pay({ amount: 10 }));

    expect([refused.status, corrected.status]).toEqual([422, 201]);
  });

  it('of a declined payment keeps the refusal', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();
    platform.billing.nextPayment('declined');

    const first = await send(baseUrls, pay());
    const again = await send(baseUrls, pay());

    expect(again.body).toEqual(first.body);
    expect(platform.billing.payments.map(({ status }) => status)).toEqual(['failed']);
  });

  it('means nothing to an API that knows none', async () => {
    await using platform = makePlatform({ messaging: { idempotency: 'none' } });
    const baseUrls = await platform.listen();

    for (let count = 0; count < 2; count += 1) await send(baseUrls, create({ phone: '+14155550122' }, 'key_1'));

    expect(platform.effects('messaging.contacts.create', { idempotencyKey: 'key_1' })).toBe(2);
  });
});

describe('the rate limit', () => {
  it('is 1000 requests in any minute, and then says when there is a place', async () => {
    const clock = createVirtualClock();
    await using platform = makePlatform({});
    const ask = () =>
      platform.handle('messaging', {
        method: 'GET',
        url: '/me',
        headers: { authorization: 'Bearer test-messaging-token', 'acme-version': '2.11' },
        body: '',
      });
    await clock.advance(500);
    for (let count = 0; count < 400; count += 1) ask();
    await clock.advance(30_000);
    for (let count = 0; count < 600; count += 1) ask();

    const over = ask();
    await clock.advance(29_999);
    const early = ask();
    await clock.advance(1);
    const freed = Array.from({ length: 401 }, () => ask().status);

    expect([over.status, over.headers['retry-after'], over.headers['x-ratelimit-remaining']]).toEqual([429, '30', '0']);
    expect(JSON.parse(over.body)).toEqual({
      type: 'error.list',
      request_id: 'req_1001',
      errors: [{ code: 'rate_limit_exceeded', message: 'Rate limit exceeded' }],
    });
    expect([early.status, early.headers['retry-after']]).toEqual([429, '1']);
    expect(freed.filter((status) => status === 200).length).toBe(400);
    expect(freed.at(-1)).toBe(429);
  });

  it('can be another one, for any API', async () => {
    await using platform = makePlatform({
      crm: { rateLimit: { limit: 1, perMs: 1_000 } },
      messaging: { rateLimit: false },
    });
    const baseUrls = await platform.listen();
    const getLead: Sent = { api: 'crm', method: 'GET', path: '/services/data/v60.0/sobjects/Lead/lead_1' };

    const statuses = [(await send(baseUrls, getLead)).status, (await send(baseUrls, getLead)).status];
    const unlimited = await send(baseUrls, messaging('GET', '/me'));

    expect(statuses).toEqual([200, 429]);
    expect(unlimited.headers.get('x-ratelimit-remaining')).toBe(null);
  });
});

describe('a lead that sales takes over', () => {
  it('becomes a contact of an account, with an opportunity', async () => {
    await using platform = makePlatform();

    const lead = platform.crm.convertLead('lead_1');

    expect(lead).toMatchObject({
      IsConverted: true,
      ConvertedContactId: '003000000000001',
      ConvertedAccountId: '001000000000001',
      ConvertedOpportunityId: '006000000000001',
    });
    expect(platform.crm.contacts.at(-1)).toMatchObject({
      Id: '003000000000001',
      LastName: "O'Hara",
      AccountId: '001000000000001',
    });
    expect(platform.crm.opportunities).toMatchObject([{ Id: '006000000000001', AccountId: '001000000000001' }]);
  });
});
