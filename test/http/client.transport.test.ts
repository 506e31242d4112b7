import { describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createHttpClient } from '../../src/http/client.ts';
import type { CustomRequest } from '../../src/http/operation.ts';
import type { Transport } from '../../src/http/request.ts';
import { answer } from '../support/answer.ts';

const clientOn = (transport: Transport) =>
  createHttpClient({
    api: 'billing',
    baseUrl: 'https://billing.example',
    version: 'v1',
    authenticate: bearer(() => 'token'),
    transport,
    sleep: async () => {},
    idempotency: 'none',
  });

const refund: CustomRequest<unknown> = {
  operation: 'billing.refunds.create',
  method: 'POST',
  path: '/refunds',
  body: { amount: 1 },
  returns: (json) => json,
};

describe('a transport of the application’s own', () => {
  test('that throws anything has had a network failure: after it, a write may have been done', async () => {
    let sent = 0;
    const client = clientOn(async () => {
      sent += 1;
      throw new Error('socket with token s3cret broke');
    });
    await expect(client.custom(refund)).rejects.toMatchObject({
      code: 'max_retries_exceeded',
      reason: 'network',
      outcome: 'unknown',
    });
    expect(sent).toBe(1);
  });

  test('that could not connect has sent nothing, and is asked again', async () => {
    let sent = 0;
    const client = clientOn(async () => {
      sent += 1;
      if (sent < 3) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' });
      return answer(200, { id: 're_1' });
    });
    expect(await client.custom(refund)).toEqual({ id: 're_1' });
  });
});

test('an error leads to the line that made the call', async () => {
  const client = clientOn(async () => answer(422, { error: 'no' }));
  const theCallOfTheApplication = async () => client.custom(refund);
  const error = await theCallOfTheApplication().catch((caught: unknown) => caught);
  expect((error as Error).stack).toContain('client.transport.test.ts');
  expect((error as Error).stack).not.toContain('middleware');
});

test('what the application’s own reader says of an answer does not become part of our error', async () => {
  const client = clientOn(async () => answer(200, { phone: '+14155550100' }));
  const returns = (json: unknown) => {
    throw new TypeError(`cannot read ${JSON.stringify(json)}`);
  };
  await expect(client.custom({ ...refund, returns })).rejects.toThrow(
    'billing.refunds.create: the answer could not be read',
  );
});

test.each([
  ['long', 'x'.repeat(300_000), true],
  ['short', 'x', false],
])(
  'what came meanwhile is served before a %s answer, once it is parsed, is made a record',
  async (_, text, isServed) => {
    let wasServed = false;
    const client = clientOn(async () => {
      setImmediate(() => (wasServed = true));
      return answer(200, { text });
    });
    const seen = await client.custom({ ...refund, returns: () => wasServed });
    expect(seen).toBe(isServed);
  },
);
