import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { BillingConnection } from '../../src/billing/index.ts';
import { createApiClient } from '../../src/api/create-api-client.ts';
import { type IntegrationError, UnexpectedResponseError } from '../../src/core/errors.ts';
import { createIntegration } from '../../src/integration.ts';
import { combined } from '../../src/auth/index.ts';
import { failureOf } from '../support/connect.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';

const phone = '+14155550100';
const account = { acct_no: 'A1', display_name: 'Ada Lee', phone };
const place = /at own-code\.test\.ts:\d+:\d+$/;

/** A billing client over a server that answers everything with this. */
const start = async (
  endpoints: NonNullable<BillingConnection['dialect']>['endpoints'],
  body: unknown = { accounts: [account] },
  status = 200,
) => {
  const server = await startFaultServer(answer({ status, body: JSON.stringify(body) }));
  const errors: unknown[] = [];
  const integration = createIntegration({
    billing: {
      baseUrl: server.origin,
      version: 'in-base-url',
      authenticate: combined(),
      dialect: { endpoints },
    },
    payments: { below: 500, confirm: false },
    onError: (error) => errors.push(error),
  });
  const pay = () =>
    integration.billing.payments.create({ customer_id: 'A1', invoice_id: 'B1', amount: 1, payment_method_id: 'pm' });
  return {
    server,
    integration,
    errors,
    find: () => integration.billing.customers.find({ phone }),
    pay,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await server[Symbol.asyncDispose]();
    },
  };
};

// As it comes from an API: nothing of it is known.
const fields = (json: unknown) => Object(json) as { readonly [name: string]: unknown[] };

test.each<[string, (json: unknown) => unknown]>([
  ['reads into it', (json) => (json as readonly unknown[])[0]],
  ['lists it', (json) => (fields(json)['accounts'] as unknown[]).map(String)],
  ['returns nothing', () => undefined],
])('a 404 has no record, whatever a mapping that %s would say', async (_what, map) => {
  await using under = await start({ customers: { find: { answer: map } } }, { error: 'no such customer' }, 404);

  expect(await under.find()).toBeUndefined();
});

describe('a mapping that throws is named with its place, and shows no data', () => {
  const slip = (json: unknown): unknown => (fields(json)['acounts'] as unknown[]).map(String);
  const repeats = (json: unknown): unknown => {
    throw new RangeError(`cannot read ${JSON.stringify(json)}`);
  };

  test.each<[string, (json: unknown) => unknown, string]>([
    ['a slip', slip, 'TypeError'],
    ['an error that repeats what it read', repeats, 'RangeError'],
    ['JSON in a text', () => JSON.parse('{') as unknown, 'SyntaxError'],
    [
      'an error class of its own',
      () => {
        throw new (class MappingError extends Error {
          override name = 'MappingError';
        })('Ada Lee');
      },
      'MappingError',
    ],
  ])('answer: %s', async (_what, map, name) => {
    await using under = await start({ customers: { find: { answer: map } } });

    const error = await failureOf(under.find());

    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toMatch(
      new RegExp(`^your answer\\(\\) of billing\\.customers\\.find threw ${name} ${place.source}`),
    );
    expect(JSON.stringify(error)).not.toMatch(/Ada|4155550100/);
    const { original } = error as UnexpectedResponseError;
    expect(original).toBeInstanceOf(Error);
    expect(Object.keys(error)).not.toContain('original');
  });

  test('answer: a text that is thrown', async () => {
    await using under = await start({
      customers: {
        find: {
          answer: (json) => {
            throw JSON.stringify(json);
          },
        },
      },
    });

    const { message } = await failureOf(under.find());

    expect(message).toBe('your answer() of billing.customers.find threw a value that is no error');
  });

  test('answer: a promise, whose end is no unhandled rejection', async () => {
    await using under = await start({ customers: { find: { answer: () => Promise.reject(new Error('Ada Lee')) } } });

    const { message } = await failureOf(under.find());

    expect(message).toBe('your answer() of billing.customers.find returned a promise: it must not be async');
  });

  test.each(['query', 'body', 'repeat'] as const)('%s: nothing is sent, and a payment is not unknown', async (name) => {
    const own = () => {
      throw new RangeError('Ada Lee');
    };
    await using under = await start({ payments: { create: { [name]: own } } });

    const error = await failureOf(under.pay());

    expect(error.message).toMatch(
      new RegExp(`^your ${name}\\(\\) of billing\\.payments\\.create threw RangeError ${place.source}`),
    );
    expect([error.outcome, under.server.requests.length]).toEqual(['not_sent', 0]);
  });

  test('unwrap', async () => {
    const server = await startFaultServer(answer({ body: '{}' }));
    await using _server = server;
    await using integration = createIntegration({
      billing: {
        baseUrl: server.origin,
        version: 'in-base-url',
        authenticate: combined(),
        dialect: {
          http: {
            unwrap: () => {
              throw new RangeError('Ada Lee');
            },
          },
        },
      },
      payments: { below: 500, confirm: false },
    });

    const error = await failureOf(integration.billing.customers.find({ phone }));

    expect(error.message).toMatch(new RegExp(`RangeError ${place.source}`));
    expect(error.message).not.toContain('Ada');
  });

  test('a tool hands it to onError', async () => {
    await using under = await start({ customers: { find: { answer: slip } } });

    await under.integration
      .startPhoneCall({ callId: 'CA1', direction: 'inbound', phone })
      .tools.run('lookup_customer_invoices', {});

    expect(under.errors).toMatchObject([
      { message: expect.stringMatching(/^your answer\(\) of billing\.customers\.find threw TypeError at/) },
    ]);
  });
});

describe('a mapping that finds nothing', () => {
  const forgotten = (json: unknown): unknown => void fields(json)['accounts']?.[0];

  test.each<[string, (json: unknown) => unknown]>([
    ['a return that was forgotten', forgotten],
    ['a wrong name', (json) => fields(json)['acount']],
  ])('%s is no caller without an account', async (_what, map) => {
    await using under = await start({ customers: { find: { answer: map }, get: { answer: map } } });

    const errors: readonly IntegrationError[] = [
      await failureOf(under.find()),
      await failureOf(under.integration.billing.customers.get('A1')),
    ];

    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        'your answer() of billing.customers.find returned undefined: return null where there is no record',
      ),
      expect.stringContaining(
        'your answer() of billing.customers.get returned undefined: return null where there is no record',
      ),
    ]);
  });

  test.each<[string, (json: unknown) => unknown, unknown]>([
    ['null', () => null, { accounts: [] }],
    ['an empty list', (json) => fields(json)['accounts'], { accounts: [] }],
    ['nothing in an empty answer', (json) => fields(json)['customer'], {}],
    ['nothing in an empty list', (json) => (json as readonly unknown[])[0], []],
    ['nothing in null', (json) => json ?? undefined, null],
  ])('%s means that there is none', async (_what, map, body) => {
    await using under = await start({ customers: { find: { answer: map } } }, body);

    expect(await under.find()).toBeUndefined();
  });
});

describe("an API of one's own", () => {
  const client = (origin: string, endpoints: Parameters<typeof createApiClient>[0]['endpoints']) =>
    createApiClient({ name: 'orders', baseUrl: origin, version: 'in-base-url', authenticate: combined(), endpoints });
  const broken = z.object({
    id: z.string().transform((id): string => {
      throw new RangeError(`Ada Lee ${id}`);
    }),
  });

  test('a schema of the answer that throws', async () => {
    await using server = await startFaultServer(answer({ body: '{"id":"1"}' }));
    await using orders = client(server.origin, { get: { method: 'GET', path: 'orders/1', returns: broken } });

    const { message } = await failureOf((orders as never as { get(): Promise<unknown> }).get());

    expect(message).toMatch(new RegExp(`^your returns\\(\\) of orders\\.get threw RangeError ${place.source}`));
  });

  test('a function of the answer that throws', async () => {
    await using server = await startFaultServer(answer({ body: '{"id":"1"}' }));
    await using orders = client(server.origin, {
      get: {
        method: 'GET',
        path: 'orders/1',
        returns: (json: unknown) => (fields(json)['accounts'] as unknown[]).length,
      },
    });

    const { message } = await failureOf((orders as never as { get(): Promise<unknown> }).get());

    expect(message).toMatch(new RegExp(`^your returns\\(\\) of orders\\.get threw TypeError ${place.source}`));
  });

  test('a schema of the body that throws: nothing is sent', async () => {
    await using server = await startFaultServer(answer({ body: '{"id":"1"}' }));
    await using orders = client(server.origin, {
      pay: { method: 'POST', path: 'orders', body: broken, effect: 'payment' },
    });

    const error = await failureOf(
      (orders as never as { pay(args: object): Promise<unknown> }).pay({ body: { id: '1' } }),
    );

    expect(error.message).toMatch(new RegExp(`^your body\\(\\) of orders\\.pay threw RangeError ${place.source}`));
    expect([error.outcome, server.requests.length]).toEqual(['not_sent', 0]);
  });

  test('the next page', async () => {
    await using server = await startFaultServer(answer({ body: '{"data":[1]}' }));
    await using orders = client(server.origin, {
      list: {
        method: 'GET',
        path: 'orders',
        items: 'data',
        next: () => {
          throw new RangeError('Ada Lee');
        },
      },
    });

    const { message } = await failureOf((orders as never as { list(): Promise<unknown> }).list());

    expect(message).toMatch(new RegExp(`^your next\\(\\) of orders\\.list threw RangeError ${place.source}`));
  });
});
