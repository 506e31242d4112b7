import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addSharedPhone, createFakePlatform, type FakePlatformOptions } from '../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { documentedOperations } from '../../../src/dev/testing/operations.ts';
import { answeredCases, makePlatform, type Sent, send } from './contract-suite.ts';

const payment = { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 20, payment_method_id: 'pm_1' };
const pay = (idempotency_key = 'key_1'): Sent => ({
  api: 'billing',
  method: 'POST',
  path: '/v1/payments',
  body: { ...payment, idempotency_key },
});
const invoices: Sent = { api: 'billing', method: 'GET', path: '/v1/invoices?customer_id=cus_1&status=open' };
const customer: Sent = { api: 'billing', method: 'GET', path: '/v1/customers/search?phone=%2B14155550100' };

describe('an API with the documented endpoints alone', () => {
  const documented = { endpoints: 'documented' } as const;

  it('answers those as ever, and everything else with 404', async () => {
    const statuses: [string | undefined, number][] = [];
    for (const { before, request } of answeredCases) {
      await using platform = makePlatform({ messaging: documented, crm: documented, billing: documented });
      before?.(platform);
      const { status } = await send(await platform.listen(), request);
      statuses.push([platform.requests[0]?.operation, status]);
    }

    const answered = statuses.filter(([operation]) => operation !== undefined);
    expect(new Set(answered.map(([operation]) => operation))).toEqual(documentedOperations);
    expect(answered.filter(([, status]) => status >= 300)).toEqual([]);
    const others = statuses.filter(([operation]) => operation === undefined).map(([, status]) => status);
    expect(new Set(others)).toEqual(new Set([404, 400]));
  });
});

describe('an API that ignores idempotency keys', () => {
  it('takes a payment again for the same key', async () => {
    await using platform = makePlatform({ billing: { idempotency: 'none' } });
    const baseUrls = await platform.listen();

    await send(baseUrls, pay());
    await send(baseUrls, pay());

    expect(platform.effects('billing.payments.create', { idempotencyKey: 'key_1' })).toBe(2);
  });

  it('takes one without a key', async () => {
    await using platform = makePlatform({ billing: { idempotency: 'none' } });

    const answer = await send(await platform.listen(), { ...pay(), body: payment });

    expect([answer.status, platform.billing.payments.length]).toEqual([201, 1]);
  });
});

describe('a slow API', () => {
  it('does the work at once and answers that much later', async () => {
    const clock = createVirtualClock();
    await using platform = makePlatform({ billing: { latencyMs: 3000 } });
    const baseUrls = await platform.listen();
    let status: number | undefined;
    const sent = send(baseUrls, pay()).then((answer) => {
      status = answer.status;
    });
    while (clock.pendingTimers() === 0) await new Promise(setImmediate);
    const paid = platform.billing.payments.length;

    await clock.advance(2999);
    const before = status;
    await clock.advance(1);
    await sent;

    expect([paid, before, status]).toEqual([1, undefined, 201]);
  });

  it('answers a fault late as well, unless the fault has a latency of its own', () => {
    const platform = makePlatform({ billing: { latencyMs: 3000 } });
    platform.fault('billing', [{ status: 503 }, { status: 503, latencyMs: 100 }]);
    const latencies = [1, 2].map(
      () => platform.handle('billing', { method: 'GET', url: '/v1/customers/cus_1', headers: {}, body: '' }).latencyMs,
    );

    expect(latencies).toEqual([3000, 100]);
  });
});

describe('an API that sends its bodies in bytes', () => {
  it('puts each byte in a chunk of its own', async () => {
    await using platform = makePlatform({ billing: { bodies: 'bytes' } });
    platform.billing.addCustomer({ id: 'cus_3', name: 'Zoë Müller 🎂' });
    const { billing } = await platform.listen();

    const text = await rawAnswer(new URL(`${billing}/v1/customers/cus_3`));

    const [head = '', content = ''] = text.split(/\r\n\r\n(.*)/s);
    expect(head).toMatch(/transfer-encoding: chunked/i);
    expect(head).not.toMatch(/content-length/i);
    const chunks = [...content.matchAll(/1\r\n([\x00-\xff])\r\n/g)].map(([, byte]) => byte);
    expect(JSON.parse(Buffer.from(chunks.join(''), 'latin1').toString())).toMatchObject({ name: 'Zoë Müller 🎂' });
    expect(content.replaceAll(/1\r\n[\x00-\xff]\r\n/g, '')).toBe('0\r\n\r\n');
  });

  it('sends nothing where there is no body', async () => {
    await using platform = makePlatform({ crm: { bodies: 'bytes' } });
    const path = '/services/data/v60.0/sobjects/Lead/lead_1';

    const answer = await send(await platform.listen(), { api: 'crm', method: 'PATCH', path, body: { Title: 'CTO' } });

    expect([answer.status, answer.body]).toEqual([204, undefined]);
  });
});

describe('an API that formats phone numbers', () => {
  it.each([
    ['+14155550100', '(415) 555-0100'],
    ['+442071838750', '+44 20 7183 8750'],
  ])('shows %s as %s, and finds it by E.164', async (phone, shown) => {
    const formatted = { phones: 'formatted' } as const;
    await using platform = createFakePlatform({ messaging: formatted, crm: formatted, billing: formatted });
    platform.messaging.addContact({ phone });
    const lead = platform.crm.addLead({ LastName: 'Lee', Company: 'Lee Ltd', Phone: phone });
    const { id } = platform.billing.addCustomer({ phone });
    const baseUrls = await platform.listen();

    const query = { field: 'phone', operator: '=', value: phone };
    const sent: Sent[] = [
      { api: 'messaging', method: 'POST', path: '/contacts/search', body: { query } },
      { api: 'crm', method: 'GET', path: `/services/data/v60.0/sobjects/Lead/${lead.Id}` },
      { api: 'billing', method: 'GET', path: `/v1/customers/${id}` },
    ];
    const bodies = await Promise.all(sent.map(async (request) => (await send(baseUrls, request)).body));

    expect(bodies).toEqual([
      { data: [expect.objectContaining({ phone: shown })], total_count: 1 },
      expect.objectContaining({ Phone: shown }),
      expect.objectContaining({ phone: shown }),
    ]);
  });
});

describe('a billing API with words of its own', () => {
  it.each([
    [
      { declined: 'Not enough money', status: 'insufficient_funds' },
      'insufficient_funds',
      'Not enough money',
      'failed',
    ],
    [
      { pending: 'Confirm it in your app', status: 'requires_action' },
      'requires_action',
      'Confirm it in your app',
      'pending',
    ],
    [{ pending: null }, 'pending', null, 'pending'],
  ] as const)('ends a payment as %o', async (result, word, error_message, meaning) => {
    await using platform = makePlatform({ billing: { paymentRule: () => result } });

    const { body } = await send(await platform.listen(), pay());

    expect(body).toEqual({ id: 'payment_1', status: word, confirmation_number: null, error_message });
    expect(platform.billing.payments[0]?.status).toBe(meaning);
  });

  it('answers a settled payment with the word of its end', async () => {
    await using platform = makePlatform();
    platform.billing.nextPayment({ pending: null, status: 'in_review' });
    const { body } = await send(await platform.listen(), pay());

    const settled = platform.billing.settlePayment('payment_1', { declined: 'Fraud', status: 'denied' });

    expect([body, settled]).toEqual([
      expect.objectContaining({ status: 'in_review' }),
      expect.objectContaining({ status: 'failed', error_message: 'Fraud' }),
    ]);
  });
});

describe('a billing API that ignores its filters', () => {
  it("lists other people's invoices and paid ones, with the currency of each", async () => {
    const options: FakePlatformOptions = { billing: { invoiceFilter: 'ignored' } };
    await using platform = makePlatform(options);
    platform.billing.addInvoice({ id: 'inv_2', customer_id: 'cus_2', amount: 20_000, currency: 'JPY' });

    const { body } = await send(await platform.listen(), invoices);

    const shown = (body as { data: { id: string; status: string; currency?: string }[] }).data;
    expect(shown.map(({ id, status, currency }) => [id, status, currency])).toEqual([
      ['inv_1', 'open', undefined],
      ['inv_paid', 'paid', undefined],
      ['inv_2', 'open', 'JPY'],
    ]);
  });
});

describe('two people with one phone number', () => {
  it.each([
    ['first', expect.objectContaining({ id: 'customer_1' })],
    ['list', { data: [expect.objectContaining({ name: 'Ada' }), expect.objectContaining({ name: 'Bo' })], total: 2 }],
  ] as const)('are in every system, and a search of customers answers the %s', async (severalCustomers, expected) => {
    await using platform = createFakePlatform({ billing: { severalCustomers } });
    const phone = '+14155550100';

    const ids = addSharedPhone(platform, phone);

    const { messaging, crm, billing } = platform;
    expect(messaging.contacts.map((contact) => [contact.id, contact.phone])).toEqual(
      ids.contacts.map((id) => [id, phone]),
    );
    expect(crm.contacts.map(({ Id, Phone }) => [Id, Phone])).toEqual(ids.crmContacts.map((id) => [id, phone]));
    expect(crm.leads.map(({ Id, Phone }) => [Id, Phone])).toEqual(ids.leads.map((id) => [id, phone]));
    expect(billing.customers.map((person) => [person.id, person.phone])).toEqual(
      ids.customers.map((id) => [id, phone]),
    );
    expect((await send(await platform.listen(), customer)).body).toEqual(expected);
  });
});

/** What comes over the socket, a byte per character. */
const rawAnswer = async (url: URL): Promise<string> => {
  const socket = connect(Number(url.port), url.hostname);
  socket.setEncoding('latin1');
  socket.write(
    `GET ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\nx-api-key: test-billing-key\r\nconnection: close\r\n\r\n`,
  );
  let text = '';
  for await (const piece of socket) text += piece;
  return text;
};
