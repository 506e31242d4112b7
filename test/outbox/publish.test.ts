import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineEvent } from '../../src/outbox/define-event.ts';
import { createOutbox } from '../../src/outbox/outbox.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';
import { callCompleted, openOutbox } from '../support/open-outbox.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const payload = { callId: 'CA1' };

describe('publish', () => {
  const anything = defineEvent('anything', { 1: z.any() });
  const cyclic: { itself?: object } = {};
  cyclic.itself = cyclic;
  const throwing = {
    toJSON: () => {
      throw new Error('not today');
    },
  };

  it.each<[string, unknown]>([
    ['a cycle', cyclic],
    ['a toJSON that throws', { at: throwing }],
    ['nothing', undefined],
  ])('refuses a payload that is %s, and stores nothing', async (_, given) => {
    const queue = createMemoryMessageQueue();
    await using under = openOutbox({
      queue,
      deliver: false,
      destinations: [{ name: 'crm', url: 'https://crm.example', version: 1 }],
    });

    await expect(
      under.outbox.publish({ event: anything, payload: given, idempotencyKey: 'CA1' }),
    ).rejects.toMatchObject({ code: 'invalid_argument', field: 'payload', operation: 'outbox.publish' });
    expect((await queue.admin.stats()).ready).toBe(0);
  });

  it('needs neither address nor secret in a process that does not deliver', async () => {
    await using server = await startFaultServer(answer({ status: 204 }));
    // One queue, as two processes share a file.
    createVirtualClock();
    const queue = createMemoryMessageQueue({});
    const publisher = createOutbox({ queue, deliver: false, destinations: [{ name: 'crm', version: 1 }] });
    await publisher.publish({ event: callCompleted, payload, idempotencyKey: 'CA1:completed' });

    await using _under = openOutbox({
      queue,
      destinations: [
        { name: 'crm', url: `${server.origin}/v{version}`, version: 1, signing: { secrets: () => 'key' } },
      ],
    });

    expect(await server.request(1)).toMatchObject({
      url: '/v1',
      headers: { 'idempotency-key': 'CA1:completed', 'x-signature': expect.stringMatching(/^sha256=/) as string },
    });
  });

  it('needs the address in a process that delivers', () => {
    const queue = createMemoryMessageQueue();

    expect(() => createOutbox({ queue, destinations: [{ name: 'crm', version: 1 }] })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', field: 'destination crm: url' }),
    );
  });

  it('reaches a GET destination without a body of its own', async () => {
    await using server = await startFaultServer(answer({ status: 204 }));
    await using under = openOutbox({
      destinations: [{ name: 'ping', url: `${server.origin}/ping`, version: 1, method: 'GET' }],
    });

    await under.outbox.publish({ event: callCompleted, payload, idempotencyKey: 'CA1:completed' });
    const { method, url, body } = await server.request(1);

    expect({ method, body, query: Object.fromEntries(new URL(url, server.origin).searchParams) }).toEqual({
      method: 'GET',
      body: '',
      query: {
        id: 'CA1:completed',
        type: 'call.completed',
        version: '1',
        timestamp: '2026-01-01T00:00:00.000Z',
        data: '{"callId":"CA1"}',
      },
    });
  });

  it.each<[string, unknown]>([
    ['a text', 'a-secret'],
    ['an empty list', []],
    ['a list of texts', ['a-secret']],
  ])('refuses secrets that are %s when the outbox is made', (_, secrets) => {
    // What an application without types may give.
    const signing = { secrets: secrets as () => string };
    const destinations = [{ name: 'crm', url: 'https://crm.example', version: 1, signing }];

    expect(() => createOutbox({ queue: createMemoryMessageQueue(), destinations })).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        field: 'destination crm: signing.secrets',
        message: expect.not.stringContaining('a-secret') as string,
      }),
    );
  });
});
