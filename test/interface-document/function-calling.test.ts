import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { BillingConnection } from '../../src/billing/index.ts';
import { createIntegration } from '../../src/integration.ts';
import { type CardToCharge, createToolbox, defineTool, type Payments } from '../../src/tools/index.ts';
import { serve } from '../support/serve.ts';
import { optionsAt } from './clients.ts';

const open = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `inv_${index + 1}`,
    amount: 10.5,
    due_date: `2026-02-0${index + 1}`,
    customer_id: 'cus_1',
    internal_ledger: { account: 'L-77', owner: 'ops@example.com' },
  }));

/** Half of each is paid already. */
const owed = (count: number) => open(count).map((invoice) => ({ ...invoice, amount: 10, amount_due: 5 }));

const ones = (count: number) => open(count).map((invoice) => ({ ...invoice, amount: 1 }));

interface Billing {
  /** What `GET /invoices` answers. */
  readonly invoices?: unknown;
  readonly payment?: object;
  /** Options of the billing client. */
  readonly billing?: Pick<BillingConnection, 'currency' | 'unit'>;
  readonly card?: CardToCharge;
  /** The document's function charges at once. */
  readonly confirm?: Payments['confirm'];
}

/** A billing API of the document's words, a phone call with it, and the requests it got. */
const start = async ({
  invoices = open(2),
  payment = {},
  billing = {},
  card = 'from-model',
  confirm = false,
}: Billing = {}) => {
  const requests: string[] = [];
  const server = await serve(async (request) => {
    const { pathname } = new URL(request.url);
    requests.push(`${request.method} ${pathname}`);
    if (pathname === '/v1/customers/search')
      return Response.json({ id: 'cus_1', name: 'Ann', tax_number: '123-45-6789', home_address: '1 Main St' });
    if (pathname === '/v1/invoices') return Response.json(invoices);
    if (pathname === '/v1/payments') return Response.json(payment);
    return Response.json({ message: 'not here' }, { status: 404 });
  });
  const options = optionsAt(server.url);
  const payments = { card, below: 5000, confirm };
  const integration = createIntegration({
    ...options,
    billing: { ...options.billing, ...billing },
    payments,
  });
  const { tools } = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: '+14155550100' });
  return {
    tools,
    requests,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await server[Symbol.asyncDispose]();
    },
  };
};

const payment = { invoice_id: 'inv_1', amount: 10.5, payment_method_id: 'pm_1' };

describe('a function', () => {
  it('has a name, a description and parameters with a properties map', async () => {
    await using started = await start();

    const definitions = started.tools
      .tools()
      .map(({ name, description, parameters }) => ({ name, description, parameters }));

    expect(definitions.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['lookup_customer_invoices', 'create_payment']),
    );
    for (const definition of definitions)
      expect(definition).toEqual({
        name: expect.any(String),
        description: expect.any(String),
        parameters: expect.objectContaining({ type: 'object', properties: expect.any(Object) }),
      });
  });

  it('has a fixed schema and a fixed request: a name or an address of the model is refused', async () => {
    await using started = await start();
    const { tools, requests } = started;

    const unknown = await tools.run('http_request', { method: 'POST', url: 'https://example.com/' });
    await tools.run('lookup_customer_invoices', { url: 'https://example.com/', path: '/admin', method: 'DELETE' });

    expect(unknown.status).toBe('refused');
    expect(requests).toEqual(['GET /v1/customers/search', 'GET /v1/invoices']);
  });
});

describe('before any request', () => {
  it.each<[string, string, object, string]>([
    ['an amount that is no number is refused', 'create_payment', { ...payment, amount: 'ten' }, 'amount'],
    ['an amount of zero is refused', 'create_payment', { ...payment, amount: 0 }, 'amount'],
    ['an amount of the maximum is refused', 'create_payment', { ...payment, amount: 5000 }, 'amount'],
    ['an e-mail that is none is refused', 'lookup_customer_invoices', { email: 'ann at example' }, 'email'],
    ['a phone that is not E.164 is refused', 'lookup_customer_invoices', { phone: '(415) 555-0100' }, 'phone'],
    ['an amount with a fraction of a cent is refused', 'create_payment', { ...payment, amount: 1.005 }, 'amount'],
  ])('%s, with a clear message', async (_name, tool, args, field) => {
    await using started = await start();

    const result = await started.tools.run(tool, args);

    expect(result.status).toBe('refused');
    expect(result.text).toContain('invalid_arguments');
    expect(result.text).toContain(field);
    expect(started.requests).toEqual([]);
  });

  it('an invoice that was not looked up is refused, and the model gets the open ones', async () => {
    await using started = await start();

    const result = await started.tools.run('create_payment', payment);

    expect(result.status).toBe('refused');
    expect(result.value).toMatchObject({ error: 'look_up_first', invoices: open(2).map(({ id }) => ({ id })) });
    expect(started.requests).toEqual(['GET /v1/customers/search', 'GET /v1/invoices']);
  });

  it('a refund above the original payment is refused by a rule', async () => {
    let refunds = 0;
    const toolbox = createToolbox({
      tools: [
        defineTool({
          name: 'refund',
          description: 'Refunds a payment.',
          parameters: z.object({ payment_id: z.string(), amount: z.number().gt(0).lt(5000) }),
          effect: 'payment',
          confirm: false,
          refundOf: ({ payment_id }) => ({ id: payment_id, amount: 120.5 }),
          run: () => {
            refunds += 1;
            return { success: true };
          },
        }),
      ],
      context: { callId: 'CA1' },
    });

    const result = await toolbox.run('refund', { payment_id: 'p1', amount: 120.51 });

    expect(result.text).toContain('must not be above what is left of the original payment');
    expect(refunds).toBe(0);
  });
});

describe('lookup_customer_invoices', () => {
  it('gives customer_name, invoice_count, total_outstanding and invoices, and the day', async () => {
    await using started = await start();
    const today = new Date().toISOString().slice(0, 10);

    const { value } = await started.tools.run('lookup_customer_invoices', '{}');

    expect(value).toEqual({
      customer_name: 'Ann',
      invoice_count: 2,
      total_outstanding: 21,
      today,
      invoices: [
        { id: 'inv_1', amount: 10.5, due_date: '2026-02-01', overdue: true },
        { id: 'inv_2', amount: 10.5, due_date: '2026-02-02', overdue: true },
      ],
    });
  });

  it('gives currency and unit where they are known, and marks what is overdue', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000 * 2).toISOString().slice(0, 10);
    const invoices = [{ id: 'inv_1', amount: 1050, due_date: tomorrow, customer_id: 'cus_1' }];
    await using started = await start({ invoices, billing: { currency: 'EUR', unit: 'minor' } });

    const { value } = await started.tools.run('lookup_customer_invoices', '{}');

    expect(value).toEqual({
      customer_name: 'Ann',
      invoice_count: 1,
      total_outstanding: 1050,
      currency: 'EUR',
      unit: 'minor',
      today: expect.any(String),
      invoices: [{ id: 'inv_1', amount: 1050, due_date: tomorrow }],
    });
  });

  it('gives no day where there is no invoice', async () => {
    await using started = await start({ invoices: [] });

    const { value } = await started.tools.run('lookup_customer_invoices', '{}');

    expect(value).toEqual({ customer_name: 'Ann', invoice_count: 0, total_outstanding: 0, invoices: [] });
  });

  it('flattens the answer and leaves out personal data and internal fields', async () => {
    await using started = await start();

    const { text } = await started.tools.run('lookup_customer_invoices', '{}');

    for (const hidden of ['123-45-6789', 'Main St', 'L-77', 'ops@example.com', 'cus_1'])
      expect(text).not.toContain(hidden);
  });

  it('gives the top entries of a long list, and the count of all', async () => {
    await using started = await start({ invoices: open(9) });

    const { value } = await started.tools.run('lookup_customer_invoices', '{}');

    expect(value).toMatchObject({ invoice_count: 9, total_outstanding: 94.5, invoices: { length: 5 } });
  });

  it.each<[string, object, object]>([
    ['total_count', { total_count: 30 }, { invoice_count: 30 }],
    ['total_count as a text', { total_count: '30' }, { invoice_count: 30 }],
    ['a total that is too small for a sum', { total: 30 }, { invoice_count: 30 }],
    ['a total in its meta', { meta: { total: 30 } }, { invoice_count: 30 }],
    ['has_more without a number', { has_more: true }, { invoice_count: 10 }],
    ['a next page', { links: { next: '/invoices?page=2' } }, { invoice_count: 10 }],
    ['a total that may be what 30 of them come to', { total: 315 }, { invoice_count: 10 }],
    ['the same as a text with decimals', { total: '315.50' }, { invoice_count: 10 }],
  ])('gives no total of a part of a list: %s', async (_name, extra, count) => {
    await using started = await start({ invoices: { data: open(10), ...extra } });

    const { value } = await started.tools.run('lookup_customer_invoices', '{}');

    expect(value).toEqual({
      customer_name: 'Ann',
      ...count,
      message: expect.stringMatching(/^Only 10 of them are known.*can not be paid here\.$/),
      today: expect.any(String),
      invoices: expect.objectContaining({ length: 5 }),
    });
  });

  it.each<[string, readonly object[], object, object]>([
    ['a total that is their sum', open(10), { total: 105 }, { invoice_count: 10, total_outstanding: 105 }],
    ['… in cents', open(10), { total: 10_500 }, { invoice_count: 10, total_outstanding: 105 }],
    ['… as a text', open(10), { total: '105.00' }, { invoice_count: 10, total_outstanding: 105 }],
    ['… with fractions', open(3), { total: 31.5 }, { invoice_count: 3, total_outstanding: 31.5 }],
    ['a total that is their number', open(10), { total: 10 }, { invoice_count: 10, total_outstanding: 105 }],
    ['a total of 0', open(10), { total: 0 }, { invoice_count: 10, total_outstanding: 105 }],
    ['a total below their number', open(10), { total: 1 }, { invoice_count: 10, total_outstanding: 105 }],
    ['the total of what is left', owed(3), { total: 15 }, { invoice_count: 3, total_outstanding: 15 }],
    ['has_more false', open(10), { has_more: false, next: null }, { invoice_count: 10, total_outstanding: 105 }],
    ['invoices of one each', ones(3), { total: 3 }, { invoice_count: 3, total_outstanding: 3 }],
  ])('gives the total of a whole list, and no total for a count: %s', async (_name, rows, extra, expected) => {
    await using started = await start({ invoices: { invoices: rows, ...extra } });

    const { value } = await started.tools.run('lookup_customer_invoices', '{}');

    expect(value).toMatchObject(expected);
    expect(value).not.toHaveProperty('message');
  });

  it('says no total of a part that has invoices in several currencies, or of other people', async () => {
    const mixed = open(4).map((invoice, index) => ({ ...invoice, currency: index % 2 ? 'EUR' : 'USD' }));
    const foreign = open(4).map((invoice, index) => ({ ...invoice, customer_id: index % 2 ? 'cus_2' : 'cus_1' }));
    await using first = await start({ invoices: { data: mixed, total_count: 30 } });
    await using second = await start({ invoices: { data: foreign, total_count: 30 } });

    const values = [
      (await first.tools.run('lookup_customer_invoices', '{}')).value,
      (await second.tools.run('lookup_customer_invoices', '{}')).value,
    ];

    for (const value of values) expect(value).not.toHaveProperty('total_outstanding');
    expect(values).toMatchObject([
      { invoice_count: 30, message: expect.stringContaining('Only 4') },
      { invoice_count: 2, message: expect.stringContaining('Only 2 of them are known, and there are more') },
    ]);
  });

  it('every invoice that was listed can be paid, shown or not, and no other one', async () => {
    const completed = { status: 'completed', confirmation_number: 'C-1' };
    await using started = await start({ invoices: { data: open(9), total_count: 30 }, payment: completed });
    await started.tools.run('lookup_customer_invoices', '{}');

    const listed = await started.tools.run('create_payment', { ...payment, invoice_id: 'inv_9' });
    const unlisted = await started.tools.run('create_payment', { ...payment, invoice_id: 'inv_12' });

    expect(listed.value).toEqual({ success: true, confirmation_number: 'C-1' });
    expect(unlisted.text).toContain('is not one of the invoices that were looked up');
  });
});

describe('create_payment', () => {
  it('asks the caller first, unless you say that it charges at once', async () => {
    await using started = await start({ confirm: 'two-step' });
    await started.tools.run('lookup_customer_invoices', {});

    const asked = await started.tools.run('create_payment', payment);

    expect(asked.value).toMatchObject({ error: 'confirmation_required' });
    expect(started.requests).not.toContain('POST /v1/payments');
  });

  it('takes the card of the model too where you say so, and second_payment', async () => {
    await using started = await start({ card: 'from-model' });
    const tool = started.tools.tools().find(({ name }) => name === 'create_payment');

    expect(Object.keys(tool?.parameters.properties ?? {})).toEqual([
      'invoice_id',
      'amount',
      'payment_method_id',
      'second_payment',
    ]);
  });

  it('is not there until you say what it charges', async () => {
    await using server = await serve(async () => Response.json({}));
    await using integration = createIntegration(optionsAt(server.url));
    const { tools } = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: '+14155550100' });

    expect(tools.tools().map(({ name }) => name)).toContain('lookup_customer_invoices');
    expect(tools.tools().map(({ name }) => name)).not.toContain('create_payment');
  });

  it('refuses more than is outstanding', async () => {
    await using started = await start({ payment: { status: 'completed' } });
    await started.tools.run('lookup_customer_invoices', '{}');

    const { text } = await started.tools.run('create_payment', { ...payment, amount: 10.51 });

    expect(text).toContain('must not be above what is outstanding');
    expect(started.requests).not.toContain('POST /v1/payments');
  });

  it('is never a success when it is pending', async () => {
    await using started = await start({ payment: { status: 'pending' } });
    await started.tools.run('lookup_customer_invoices', '{}');

    const { value } = await started.tools.run('create_payment', payment);

    expect(value).toEqual({
      success: false,
      error: 'payment_status_unknown',
      outcome: 'unknown',
      message: expect.any(String),
    });
  });

  it('gives success and the confirmation number of a completed payment', async () => {
    await using started = await start({ payment: { status: 'completed', confirmation_number: 'C-1' } });

    await started.tools.run('lookup_customer_invoices', '{}');

    const { value } = await started.tools.run('create_payment', payment);

    expect(value).toEqual({ success: true, confirmation_number: 'C-1' });
  });

  it.each(['failed', 'denied', 'insufficient_funds', 'not_completed'])(
    'gives success false and the error message of a payment that ends as "%s"',
    async (status) => {
      await using started = await start({ payment: { status, error_message: 'Not enough money' } });

      await started.tools.run('lookup_customer_invoices', '{}');

      const { value } = await started.tools.run('create_payment', payment);

      expect(value).toEqual({ success: false, error: 'Not enough money' });
    },
  );
});
