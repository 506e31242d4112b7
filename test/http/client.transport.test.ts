import { describe, expect, onTestFinished, test } from 'vitest';
import { AttemptFailedError } from '../../src/core/errors.ts';
import { bearer } from '../../src/auth/index.ts';
import { createHttpClient } from '../../src/http/client.ts';
import type { HttpClientOptions } from '../../src/http/client-options.ts';
import type { CustomRequest } from '../../src/http/operation.ts';
import type { Middleware, Transport } from '../../src/http/request.ts';
import { answer } from '../support/answer.ts';

const clientOn = (transport: Transport, options: Partial<HttpClientOptions> = {}) =>
  createHttpClient({
    api: 'billing',
    baseUrl: 'https://billing.example',
    version: 'v1',
    authenticate: bearer(() => 'token'),
    transport,
    backoff: { minimumMs: 0, maximumMs: 0 },
    idempotency: 'none',
    ...options,
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

describe('a transport that throws AttemptFailedError', () => {
  const refused = new AttemptFailedError('the queue was full', { reason: 'network', outcome: 'not_sent' });

  test('with not_sent is asked again, also for a write that may not be repeated', async () => {
    let asked = 0;
    const client = clientOn(async () => {
      asked += 1;
      if (asked < 3) throw refused;
      return answer(200, { id: 're_1' });
    });
    expect(await client.custom(refund)).toEqual({ id: 're_1' });
  });

  test('with not_sent to the end says so', async () => {
    const client = clientOn(() => Promise.reject(refused));
    await expect(client.custom(refund)).rejects.toMatchObject({
      code: 'max_retries_exceeded',
      reason: 'network',
      outcome: 'not_sent',
      attempts: 3,
    });
  });
});

describe('what your code sees of a request', () => {
  const shown = new Set<string>();
  const look: Middleware = (request, next) => {
    for (const key of Reflect.ownKeys(request)) if (typeof key === 'string') shown.add(key);
    return next(request);
  };

  test('is the request alone', async () => {
    const client = clientOn((request) => look(request, async () => answer(200, {})), {
      middleware: { perRequest: [look], perAttempt: [look] },
      maximumBodyBytes: 1_000,
    });
    await client.custom(refund, { idempotencyKey: 'k', callId: 'CA1' });
    expect([...shown].toSorted()).toEqual([
      'attempt',
      'body',
      'callId',
      'deadline',
      'effect',
      'headers',
      'idempotencyKey',
      'json',
      'maximumBodyBytes',
      'method',
      'operation',
      'readsBytes',
      'searchParams',
      'signal',
      'url',
    ]);
  });

  test('may be built again field by field: a payment that was sent is still known to be sent', async () => {
    const rebuild: Middleware = (request, next) => {
      const { operation, effect, method, url, headers, json, deadline, signal, attempt, idempotencyKey } = request;
      return next({ operation, effect, method, url, headers, json, deadline, signal, attempt, idempotencyKey });
    };
    const client = clientOn(() => Promise.reject(new Error('it broke')), {
      middleware: { perRequest: [rebuild], perAttempt: [rebuild] },
    });
    await expect(client.custom(payment)).rejects.toMatchObject({ outcome: 'unknown', attempts: 1 });
  });
});

const payment: CustomRequest<unknown> = { ...refund, operation: 'billing.payments.create', effect: 'payment' };

const noResponses: [string, unknown][] = [
  ['nothing', undefined],
  ['no status', { headers: new Map(), text: '{}' }],
  ['headers that are no Map', { status: 200, headers: {}, text: '{}' }],
  ['a fetch Response', new Response('{}')],
];

describe.each(noResponses)('what answers for the API and returns %s', (_what, response) => {
  test('as a transport: the error names it, and says that a payment may have been made', async () => {
    const client = clientOn(async () => response as never);
    await expect(client.custom(payment)).rejects.toMatchObject({
      code: 'unexpected_response',
      message: 'billing.payments.create: your transport returned no response; return { status, headers: a Map, text }',
      outcome: 'unknown',
      attempts: 1,
    });
  });
});

test.each(['perRequest', 'perAttempt'] as const)(
  'a %s middleware that returns no response is named in the same way',
  async (where) => {
    const badSigner: Middleware = async (request, next) => {
      await next(request);
      return { status: 200, headers: new Map() } as never;
    };
    const client = clientOn(async () => answer(200, { id: 'p_1' }), { middleware: { [where]: [badSigner] } });
    await expect(client.custom(payment)).rejects.toMatchObject({
      code: 'unexpected_response',
      message: `billing.payments.create: your ${where} middleware badSigner returned no response; return { status, headers: a Map, text }`,
      outcome: 'unknown',
      attempts: 1,
    });
  },
);

test.each([
  ['transport', { transport: {} as never }],
  ['middleware.perRequest', { middleware: { perRequest: [undefined as never] } }],
  ['middleware.perAttempt', { middleware: { perAttempt: ['sign' as never] } }],
])('%s that is no function is refused when the client is made', (field, options) => {
  expect(() => clientOn(async () => answer(200, {}), options)).toThrow(
    expect.objectContaining({ field: `billing.${field}` }),
  );
});

test('an error leads to the line that made the call', async () => {
  const client = clientOn(async () => answer(422, { error: 'no' }));
  const theCallOfTheApplication = async () => client.custom(refund);
  const error = await theCallOfTheApplication().catch((caught: unknown) => caught);
  expect((error as Error).stack).toContain('client.transport.test.ts');
  expect((error as Error).stack).not.toContain('middleware');
});

test('an error at the wire names the layers that it passed, up to the line that made the call', async () => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  onTestFinished(() => void (Error.stackTraceLimit = limit));
  let stack = '';
  const client = clientOn(async () => {
    await Promise.resolve();
    stack = new Error('at the wire').stack ?? '';
    return answer(200, {});
  });
  const theCallOfTheApplication = async () => await client.custom(refund);
  await theCallOfTheApplication();
  const functions = stack.split('\n').flatMap((line) => /at (?:async )?(?:Object\.)?([\w.]+) \(/.exec(line)?.[1] ?? []);
  expect(functions.filter((name) => !/^(settleWithin|run|fire|send|pRetry|process.*)$/.test(name))).toEqual([
    'yourTransport',
    'markSent',
    'propagateTrace',
    'authenticate',
    'pinVersion',
    'rejectFailures',
    'limitAttemptTime',
    'guardCircuit',
    'refuseWhenOpen',
    'observeAttempts',
    'retry',
    'sendOncePerKey',
    'holdDeadline',
    'request',
    'theCallOfTheApplication',
  ]);
});

test('what the application’s own reader says of an answer does not become part of our error', async () => {
  const client = clientOn(async () => answer(200, { phone: '+14155550100' }));
  const returns = (json: unknown) => {
    throw new TypeError(`cannot read ${JSON.stringify(json)}`);
  };
  await expect(client.custom({ ...refund, returns })).rejects.toThrow(
    /^your returns\(\) of billing\.refunds\.create threw TypeError at client\.transport\.test\.ts:\d+:\d+$/,
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
