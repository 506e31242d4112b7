import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as errors from '../../src/core/errors.ts';

const { AttemptFailedError, ClientError, IntegrationError, RetriesExhaustedError } = errors;

const refused = new ClientError('billing.payments.create was refused', {
  operation: 'billing.payments.create',
  status: 402,
  details: { error: 'card_declined' },
  idempotencyKey: 'key-1',
});

describe('identity', () => {
  test('each class knows its own errors and no others', () => {
    const others: readonly unknown[] = [new Error('other'), null, 'text'];
    expect(refused instanceof ClientError).toBe(true);
    expect(refused instanceof IntegrationError).toBe(true);
    expect(refused instanceof RetriesExhaustedError).toBe(false);
    expect(others.map((other) => other instanceof IntegrationError)).toEqual([false, false, false]);
  });

  test('an error has the code of its class, and the name', () => {
    const classes = Object.entries(errors).filter(
      ([name]) => /^[A-Z]\w+Error$/.test(name) && name !== 'IntegrationError',
    );
    expect(classes.length).toBe(15);
    for (const [name, Class] of classes) {
      const error = Reflect.construct(Class, name === 'NotReadyError' ? [[], []] : ['field', {}]);
      expect([error.name, error.code]).toEqual([name, Reflect.get(Class, 'code')]);
    }
  });

  test('an error of another installed copy is recognised', async () => {
    const file = new URL('../../src/core/errors.ts?copy', import.meta.url).href;
    const copy = (await import(file)) as typeof errors;
    const foreign = new copy.ClientError('refused', { status: 404 });
    expect(copy.ClientError).not.toBe(ClientError);
    expect(foreign instanceof ClientError).toBe(true);
    expect(foreign instanceof ClientError).toBe(true);
  });
});

describe('what a log shows', () => {
  test('JSON has the fields and the cause, without stack and without the answer’s body', () => {
    const error = new RetriesExhaustedError('no answer', {
      reason: 'network',
      cause: new AttemptFailedError('reset', { reason: 'network', outcome: 'unknown', networkCode: 'ECONNRESET' }),
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'RetriesExhaustedError',
      message: 'no answer',
      code: 'max_retries_exceeded',
      help: 'node_modules/voice-agent-integrations/docs/errors.md#max_retries_exceeded',
      reason: 'network',
      operation: '',
      attempts: 0,
      elapsedMs: 0,
      outcome: 'not_sent',
      cause: {
        name: 'AttemptFailedError',
        message: 'reset',
        code: 'attempt_failed',
        help: 'node_modules/voice-agent-integrations/docs/errors.md#attempt_failed',
        reason: 'network',
        networkCode: 'ECONNRESET',
        operation: '',
        attempts: 0,
        elapsedMs: 0,
        outcome: 'unknown',
      },
    });
    expect(JSON.stringify(refused)).not.toContain('card_declined');
  });

  test('the developer can read the details, a print does not show them', () => {
    expect(refused.details).toEqual({ error: 'card_declined' });
    expect(inspect(refused, { depth: 9 })).not.toContain('card_declined');
  });

  test('a foreign cause is reduced to its name and system code', () => {
    const foreign = Object.assign(new Error('connect with token s3cret'), { code: 'ECONNREFUSED', request: 's3cret' });
    const error = new RetriesExhaustedError('no answer', { reason: 'network', cause: foreign });
    expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
    expect((error.cause as Error).message).toBe('Error (ECONNREFUSED)');
  });
});
