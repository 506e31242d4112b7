import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createIntegration } from '../../src/integration.ts';
import { createToolbox, defineTool } from '../../src/tools/index.ts';
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

interface Billing {
  readonly invoices?: readonly object[];
  readonly payment?: object;
}

/** A billing API of the document's words, a phone call with it, and the requests it got. */
const start = async ({ invoices = open(2), payment = {} }: Billing = {}) => {
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
  const integration = createIntegration({
    ...optionsAt(server.url),
    phoneCalls: { tools: { billing: { payments: { bind: { payment_method_id: 'from-model' } } } } },
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
  ])('%s, with a clear message', async (_name, tool, args, field) => {
    await using started = await start();

    const result = await started.tools.run(tool, args);

    expect(result.status).toBe('refused');
    expect(result.text).toContain('invalid_arguments');
    expect(result.text).toContain(field);
    expect(started.requests).toEqual([]);
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
          rules: [
            ({ amount }) => (amount > 120.5 ? { field: 'amount', problem: 'must not exceed the payment' } : undefined),
          ],
          run: () => {
            refunds += 1;
            return { success: true };
          },
        }),
      ],
      context: { callId: 'CA1' },
    });

    const result = await toolbox.run('refund', { payment_id: 'p1', amount: 120.51 });

    expect(result.text).toContain('must not exceed the payment');
    expect(refunds).toBe(0);
  });
});

describe('lookup_customer_invoices', () => {
  it('gives name, count, total and invoices, and nothing else', async () => {
    await using started = await start();

    const { value } = await started.tools.run('lookup_customer_invoices', '{}');

    expect(value).toMatchObject({
      customer_name: 'Ann',
      invoice_count: 2,
      total_outstanding: 21,
      invoices: [
        { id: 'inv_1', amount: 10.5, due_date: '2026-02-01' },
        { id: 'inv_2', amount: 10.5, due_date: '2026-02-02' },
      ],
    });
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
});

describe('create_payment', () => {
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

      expect(value).toMatchObject({ success: false, error: expect.stringContaining('Not enough money') });
    },
  );
});
