import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  AttemptFailedError,
  AuthenticationError,
  ClientError,
  InvalidArgumentError,
  RetriesExhaustedError,
  StoreError,
} from '../../src/core/errors.ts';
import { createReport, type ErrorPlace } from '../../src/tools/on-error.ts';

const site: ErrorPlace = {
  part: 'tool',
  tool: 'lookup_customer_invoices',
  callId: 'CA1',
  toolCallId: 'tc_1',
  tenant: undefined,
};

const missing = (variable = 'STRIPE_KEY') => {
  const problem = 'must be set in the environment: it is missing or empty';
  const cause = new InvalidArgumentError(variable, problem);
  const operation = 'billing.customers.find';
  return new AuthenticationError(`${operation} was not sent: ${variable} ${problem}`, { operation, cause });
};

const listen = () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return { emit, warnings: () => emit.mock.calls.map(([message]) => message) };
};

afterEach(() => void vi.restoreAllMocks());
afterEach(() => void vi.unstubAllGlobals());

describe('with a listener', () => {
  test('it gets the same error, the place, and nothing is warned', () => {
    const { warnings } = listen();
    const got: unknown[] = [];
    const error = missing();

    createReport((...given) => got.push(given))(error, { ...site, part: 'tool' });

    expect(got).toEqual([[error, site]]);
    expect((got[0] as readonly unknown[])[0]).toBe(error);
    expect(warnings()).toEqual([]);
  });

  test('an error of a store has the part store', () => {
    const got: unknown[] = [];

    createReport((_error, { part }) => got.push(part))(new StoreError('no'), site);

    expect(got).toEqual(['store']);
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('one that %s changes nothing', (_what, onError) => {
    expect(() => createReport(onError)(missing(), site)).not.toThrow();
  });

  test.each([null, 'console.error', { error: () => {} }, true])('%s is none', (onError) => {
    expect(() => createReport(onError as never)).toThrow('onError must be a function of an error and its place');
  });
});

describe('without a listener', () => {
  test('a missing variable is named in one sentence', () => {
    const { emit } = listen();

    createReport(undefined)(missing(), site);

    expect(emit.mock.calls).toEqual([
      [
        'lookup_customer_invoices failed in call CA1: STRIPE_KEY must be set in the environment: it is missing or empty',
        { type: 'VoiceAgentWarning', code: 'tool_failed' },
      ],
    ]);
  });

  test('the same cause in another call is not warned again, another cause is', () => {
    const { warnings } = listen();
    const report = createReport(undefined);

    for (const callId of ['CA1', 'CA2', 'CA3']) report(missing(), { ...site, callId });
    report(missing('OTHER_KEY'), site);
    report(missing(), { ...site, tool: 'create_payment' });
    report(missing(), { ...site, part: 'finish', tool: undefined });

    expect(warnings()).toEqual([
      expect.stringContaining('lookup_customer_invoices failed in call CA1: STRIPE_KEY'),
      expect.stringContaining('lookup_customer_invoices failed in call CA1: OTHER_KEY'),
      expect.stringContaining('create_payment failed in call CA1: STRIPE_KEY'),
      expect.stringContaining('finish failed in call CA1: STRIPE_KEY'),
    ]);
  });

  test('attempts and times make no other cause of it', () => {
    const { warnings } = listen();
    const report = createReport(undefined);
    const failed = (attempts: number) =>
      new RetriesExhaustedError(`billing.customers.find had no answer after ${attempts} attempts: the network failed`, {
        reason: 'network',
        operation: 'billing.customers.find',
        attempts,
        cause: new AttemptFailedError('nothing listens there, check host and port in billing.baseUrl', {
          reason: 'network',
        }),
      });

    report(failed(3), site);
    report(failed(2), site);

    expect(warnings()).toEqual([
      'lookup_customer_invoices failed in call CA1: billing.customers.find had no answer after 3 attempts: ' +
        'the network failed (nothing listens there, check host and port in billing.baseUrl)',
    ]);
  });

  test('every integration warns for itself', () => {
    const { warnings } = listen();

    createReport(undefined)(missing(), site);
    createReport(undefined)(missing(), site);

    expect(warnings()).toHaveLength(2);
  });

  test('the memory of causes, and what is printed, has an end', () => {
    const { warnings } = listen();
    const report = createReport(undefined);

    for (let index = 0; index < 1_000; index += 1) report(missing(`KEY_${index}`), site);

    expect(warnings()).toHaveLength(100);
  });

  test.each<[string, unknown]>([
    ['a foreign error', new TypeError('Ada Lee, +14155550100, sk_live_4242424242424242')],
    ['a text', 'Ada Lee, +14155550100, sk_live_4242424242424242'],
    ['an object', { message: 'Ada Lee, +14155550100, sk_live_4242424242424242' }],
    ['nothing', undefined],
    ['an error whose name is data', Object.assign(new Error('x'), { name: 'Ada Lee' })],
    [
      'a refusal with details',
      new ClientError('no', { status: 401, details: { name: 'Ada Lee', key: 'sk_live_42424242' } }),
    ],
  ])('%s shows no data', (_what, error) => {
    const { warnings } = listen();

    createReport(undefined)(error, { ...site, callId: '+14155550100' });

    expect(warnings()).toHaveLength(1);
    expect(warnings().join()).not.toMatch(/Ada|4155550100|sk_live/);
  });

  test('a foreign error is named with its place', () => {
    const { warnings } = listen();

    createReport(undefined)(new TypeError('no'), site);

    expect(warnings().join()).toMatch(
      /^lookup_customer_invoices failed in call CA1: it threw TypeError at on-error\.test\.ts:\d+:\d+$/,
    );
  });

  test('a warning is one line of a bounded length', () => {
    const { warnings } = listen();

    createReport(undefined)(new StoreError(`a\nb\u001b[31m${'c'.repeat(10_000)}`), site);

    expect(warnings()[0]).toMatch(/^lookup_customer_invoices failed in call CA1: a b \[31mc+$/);
    expect(String(warnings()[0]).length).toBeLessThan(700);
  });

  test.each<[string, unknown]>([
    ['no process', undefined],
    ['half a process', { env: {} }],
    ['a process that throws', { emitWarning: () => expect.fail('no') }],
  ])('a platform with %s is fine', (_what, given) => {
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.stubGlobal('process', given);

    expect(() => createReport(undefined)(missing(), site)).not.toThrow();

    vi.unstubAllGlobals();
    const isPrinted = Object.keys(Object(given)).includes('emitWarning') ? 0 : 1;
    expect(print).toHaveBeenCalledTimes(isPrinted);
  });
});
