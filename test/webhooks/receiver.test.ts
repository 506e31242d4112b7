import { createHash } from 'node:crypto';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { RateLimitedError } from '../../src/core/errors.ts';
import type { Json } from '../../src/stores/ports/json.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { standardWebhooks } from '../../src/signature/scheme.ts';
import { signBytes } from '../../src/signature/sign.ts';
import { hmac } from '../../src/webhooks/authentication/hmac.ts';
import { ipAllowlist } from '../../src/webhooks/authentication/ip-allowlist.ts';
import { sharedSecret } from '../../src/webhooks/authentication/shared-secret.ts';
import { createWebhookReceiver } from '../../src/webhooks/receiver.ts';
import { until } from '../support/until.ts';
import { delivery, makeReceiver, payment, secret, seen } from './receiver-parts.ts';
import fc from '../support/fast-check.ts';

describe('a receiver', () => {
  it('hands a genuine event to its handler, validated, and answers when it is done', async () => {
    const { receive, handled, contexts } = makeReceiver({
      authentication: [hmac({ secrets: () => secret, sender: 'billing' })],
    });
    const body = JSON.stringify(payment({ amount: 12.5 }));

    expect(await seen(await receive(delivery(body)))).toEqual({ status: 204 });
    expect(handled).toEqual([
      {
        type: 'payment.confirmed',
        version: undefined,
        id: createHash('sha256').update(body).digest('hex'),
        occurredAt: undefined,
        payload: payment({ amount: 12.5 }),
      },
    ]);
    expect(contexts).toEqual([{ sender: 'billing', tenant: undefined, signal: expect.any(AbortSignal) }]);
  });

  it('answers with what the handler gives', async () => {
    const { receive } = makeReceiver({ handler: async () => ({ noted: true }) });

    const answer = await receive(delivery());

    expect(Object.fromEntries(answer.headers)).toEqual({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    });
    expect(await seen(answer)).toEqual({ status: 200, body: { noted: true } });
  });

  it.each<[string, () => unknown, answer: object, problems: readonly string[]]>([
    ['a function', () => () => 1, { status: 204 }, ['on.payment.confirmed']],
    ['a bigint', () => 10n, { status: 204 }, ['on.payment.confirmed']],
    ['an object of a class', () => new Response('done'), { status: 200, body: {} }, []],
  ])('answers alike to what is done when the handler gives %s', async (_, give, answer, problems) => {
    const { receive, handled, errors } = makeReceiver({ handler: async () => give() as Json });

    expect(await seen(await receive(delivery()))).toEqual(answer);
    expect(await seen(await receive(delivery()))).toEqual(answer);
    expect(handled).toHaveLength(1);
    expect(errors).toEqual(problems.map((field) => expect.objectContaining({ field }) as object));
  });

  it('answers HEAD, with which platforms look whether it is there', async () => {
    const { receive, handled } = makeReceiver();

    expect(await seen(await receive(new Request('https://hook.test/', { method: 'HEAD' })))).toEqual({ status: 200 });
    expect(handled).toEqual([]);
  });

  it('gives the stored answer to a repeated delivery, without the handler', async () => {
    let runs = 0;
    const { receive, handled } = makeReceiver({ handler: () => ({ run: (runs += 1) }) });

    const first = await seen(await receive(delivery()));
    const second = await seen(await receive(delivery()));

    expect([first, second]).toEqual([
      { status: 200, body: { run: 1 } },
      { status: 200, body: { run: 1 } },
    ]);
    expect(handled.length).toBe(1);
  });

  it('answers 409 with Retry-After while another delivery of the event is handled', async () => {
    const slow = Promise.withResolvers<void>();
    const { receive, clock, handled } = makeReceiver({ handler: () => slow.promise, leaseMs: 30_000 });

    const first = receive(delivery());
    await until(() => handled.length > 0);
    await clock.advance(10_000);
    const second = await receive(delivery());
    slow.resolve();

    expect([second.status, second.headers.get('retry-after')]).toEqual([409, '20']);
    expect((await first).status).toBe(204);
    expect(handled.length).toBe(1);
  });

  it('lets the next delivery run after a handler that failed', async () => {
    let runs = 0;
    const { receive, errors } = makeReceiver({
      handler: () => {
        runs += 1;
        if (runs === 1) throw new Error('the CRM said: ann@example.com is locked');
        return { run: runs };
      },
    });

    expect(await seen(await receive(delivery()))).toEqual({ status: 500, body: { error: 'failed' } });
    expect(await seen(await receive(delivery()))).toEqual({ status: 200, body: { run: 2 } });
    expect(errors).toEqual([new Error('the CRM said: ann@example.com is locked')]);
  });

  it('passes on when a failed handler may work again', async () => {
    const { receive } = makeReceiver({
      handler: async () => {
        throw new RateLimitedError('no place', { retryAfterMs: 2_500 });
      },
    });

    const answer = await receive(delivery());

    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '3']);
  });

  it('signals the handler when its lease is over', async () => {
    const { receive, clock, contexts, handled } = makeReceiver({
      handler: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    });

    const answer = receive(delivery());
    await until(() => handled.length > 0);
    await clock.advance(60_000);

    expect((await answer).status).toBe(204);
    expect(contexts[0]?.signal.aborted).toBe(true);
  });

  it('takes the id of the delivery where the scheme signs one', async () => {
    const { receive, handled } = makeReceiver({
      authentication: [hmac({ scheme: standardWebhooks, secrets: () => 'c2VjcmV0' })],
    });
    const body = JSON.stringify(payment());
    const send = (id: string) =>
      receive(delivery(body, { headers: signBytes(body, { scheme: standardWebhooks, secrets: ['c2VjcmV0'], id }) }));

    await send('msg_1');
    await send('msg_2');
    await send('msg_1');

    expect(handled.map(({ id }) => id)).toEqual(['msg_1', 'msg_2']);
  });

  it('takes the id that the application reads from the event', async () => {
    const { receive, handled } = makeReceiver({
      eventId: ({ payload }) => (payload as { payment_id: string }).payment_id,
    });

    await receive(delivery(payment({ attempt: 1 })));
    await receive(delivery(payment({ attempt: 2 })));

    expect(handled.map(({ id }) => id)).toEqual(['pay_1']);
  });

  it('does not take an id that says nothing, and shortens one that is long', async () => {
    const { receive, handled } = makeReceiver({
      eventId: ({ payload }) => (payload as { payment_id: string }).payment_id,
    });
    const unnamed = JSON.stringify(payment({ payment_id: '' }));

    await receive(delivery(unnamed));
    await receive(delivery(payment({ payment_id: 'x'.repeat(256) })));

    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(handled.map(({ id }) => id)).toEqual([sha256(unnamed), sha256('x'.repeat(256))]);
  });

  it.each<[string, Request, number, object]>([
    ['no signature', unsigned(), 401, { error: 'unauthorized' }],
    ['another secret', delivery(payment(), { secret: 'other' }), 401, { error: 'unauthorized' }],
    ['a body that is not JSON', delivery('{"type":'), 400, { error: 'malformed_body' }],
    ['bytes that are not UTF-8', delivery(new Uint8Array([0x22, 0xff, 0x22])), 400, { error: 'malformed_body' }],
    ['another type', delivery(payment(), { headers: { 'content-type': 'text/plain' } }), 415, unsupported],
    ['a compressed body', delivery(payment(), { headers: { 'content-encoding': 'gzip' } }), 415, unsupported],
    ['another method', delivery(payment(), { method: 'DELETE' }), 405, { error: 'method_not_allowed' }],
    ['an event that is not listed', delivery({ type: 'constructor' }), 422, invalid()],
    ['no event at all', delivery([1]), 422, invalid()],
    ['a payload that does not fit', delivery({ type: 'payment.confirmed', payment_id: 7 }), 422, invalid('payment_id')],
    ['a negative amount', delivery(payment({ amount: -0.01 })), 422, invalid('amount')],
    ['a time in the future', delivery(payment({ created_at: '2999-01-01T00:00:00Z' })), 422, invalid()],
    ['a time longer ago than is remembered', delivery(payment({ created_at: '1999-01-01' })), 422, invalid()],
  ])('refuses %s', async (_, request, status, body) => {
    const { receive, handled, errors } = makeReceiver();

    expect(await seen(await receive(request))).toEqual({ status, body });
    expect([handled, errors]).toEqual([[], []]);
  });

  it('refuses a body over the limit, whether it is announced or not', async () => {
    const { receive } = makeReceiver({ maximumBodyBytes: 100 });
    const large = payment({ padding: 'x'.repeat(100) });
    const announced = delivery(large, { headers: { 'content-length': '200' } });
    const fits = delivery(payment());

    expect(await seen(await receive(delivery(large)))).toEqual({ status: 413, body: { error: 'body_too_large' } });
    expect((await receive(announced)).status).toBe(413);
    expect((await receive(fits)).status).toBe(204);
  });

  it('does not wait for ever for a body', async () => {
    const { receive, clock } = makeReceiver();
    const request = new Request('https://hook.test/', {
      method: 'POST',
      headers: { 'x-signature': 'sha256=00' },
      body: new ReadableStream(),
      duplex: 'half',
    });

    const answer = receive(request);
    await until(() => clock.pendingTimers() > 0);
    await clock.advance(10_000);

    expect(await seen(await answer)).toEqual({ status: 400, body: { error: 'malformed_body' } });
  });

  it('reads no body of a delivery that is not signed at all', async () => {
    const { receive } = makeReceiver();
    const body = new ReadableStream();
    const request = new Request('https://hook.test/', { method: 'POST', body, duplex: 'half' });

    expect(await seen(await receive(request))).toEqual({ status: 401, body: { error: 'unauthorized' } });
    expect(body.locked).toBe(false);
  });

  it('checks in order: address, credentials, then the body, which it does not read before', async () => {
    const asked: string[] = [];
    const noting = (name: string, method: ReturnType<typeof hmac>) => ({
      ...method,
      check: async (...args: Parameters<typeof method.check>) => {
        asked.push(name);
        return method.check(...args);
      },
    });
    const { receive } = makeReceiver({
      authentication: [
        noting('signature', hmac({ secrets: () => secret })),
        noting('credentials', sharedSecret({ header: 'x-token', secrets: () => 'token' })),
        noting('address', ipAllowlist({ allow: ['192.0.2.0/24'] })),
      ],
    });
    const request = (headers = {}) => delivery(payment(), { headers });
    const wrongAddress = request();
    const wrongToken = request({ 'x-token': 'other' });

    expect((await receive(wrongAddress, { address: '198.51.100.1' })).status).toBe(403);
    expect((await receive(wrongToken, { address: '192.0.2.7' })).status).toBe(401);
    expect([wrongAddress.bodyUsed, wrongToken.bodyUsed]).toEqual([false, false]);
    expect((await receive(request({ 'x-token': 'token' }), { address: '192.0.2.7' })).status).toBe(204);
    expect(asked).toEqual(['address', 'address', 'credentials', 'address', 'credentials', 'signature']);
  });

  it('asks whether the records of an event exist', async () => {
    const asked: unknown[] = [];
    const { receive } = makeReceiver({
      checks: { 'payment.confirmed': { records: { payment_id: 'payment', 'lines.invoice_id': 'invoice' } } },
      recordExists: async (record) => {
        asked.push(record);
        return record.id !== 'inv_2';
      },
    });

    const answer = await receive(delivery(payment({ lines: [{ invoice_id: 'inv_1' }, { invoice_id: 'inv_2' }] })));

    expect(await seen(answer)).toEqual({ status: 422, body: { error: 'invalid_event', field: 'lines.invoice_id' } });
    expect(asked).toEqual([
      { type: 'payment', id: 'pay_1' },
      { type: 'invoice', id: 'inv_1' },
      { type: 'invoice', id: 'inv_2' },
    ]);
  });

  it('checks the fields that are named instead of the usual ones', async () => {
    const { receive } = makeReceiver({
      checks: { 'payment.confirmed': { amounts: ['fee'], timestamps: ['paid_on'] } },
    });

    expect((await receive(delivery(payment({ amount: -5 })))).status).toBe(204);
    expect(await seen(await receive(delivery(payment({ fee: -5 }))))).toEqual({ status: 422, body: invalid('fee') });
    expect(await seen(await receive(delivery(payment({ paid_on: '2999-01-01' }))))).toEqual({
      status: 422,
      body: invalid('paid_on'),
    });
  });

  it('lets a sender cause only what the rules allow, and does not tell it why', async () => {
    const { receive, told } = makeReceiver({
      authentication: [hmac({ secrets: () => secret, sender: 'calendar' })],
      rules: {
        'payment.confirmed': [(_, { sender }) => (sender === 'billing' ? undefined : `${sender} sends no payments`)],
      },
    });

    expect(await seen(await receive(delivery()))).toEqual({ status: 403, body: { error: 'forbidden' } });
    expect(told[0]?.reason).toBe('calendar sends no payments');

    const billing = makeReceiver({
      authentication: [hmac({ secrets: () => secret, sender: 'billing' })],
      rules: { 'payment.confirmed': [(_, { sender }) => (sender === 'billing' ? undefined : 'no'), () => undefined] },
    });
    expect(await seen(await billing.receive(delivery()))).toEqual({ status: 204 });
  });

  it('follows the version that the event names, or its path', async () => {
    const versions: unknown[] = [];
    const receive = createWebhookReceiver({
      authentication: [hmac({ secrets: () => secret })],
      store: createMemoryIdempotencyStore(),
      events: { 'call.rated': { 1: z.object({ stars: z.number() }), 2: z.object({ score: z.number() }) } },
      on: {
        'call.rated': (event) => {
          versions.push(event.version === '1' ? event.payload.stars : event.payload.score);
        },
      },
    });
    const rated = (fields: object, url?: string) =>
      receive(delivery({ type: 'call.rated', ...fields }, url === undefined ? {} : { url }));

    expect((await rated({ version: 1, stars: 5 })).status).toBe(204);
    expect((await rated({ score: 90 }, 'https://hook.test/voice-events/v2')).status).toBe(204);
    expect(await seen(await rated({ version: 3, score: 90 }))).toEqual({ status: 422, body: invalid('version') });
    expect(await seen(await rated({ score: 90 }))).toEqual({ status: 422, body: invalid('version') });
    expect(versions).toEqual([5, 90]);
  });

  it('does not take another version of an event under the same id for a repetition', async () => {
    const receive = createWebhookReceiver({
      authentication: [hmac({ secrets: () => secret })],
      store: createMemoryIdempotencyStore(),
      eventId: () => 'evt_1',
      events: { 'call.rated': { 1: z.object({}), 2: z.object({}) } },
      on: { 'call.rated': () => {} },
    });
    const rated = async (version: number) => seen(await receive(delivery({ type: 'call.rated', version })));

    expect([await rated(1), await rated(1), await rated(2)]).toEqual([
      { status: 204 },
      { status: 204 },
      { status: 409, body: { error: 'conflict' } },
    ]);
  });

  it('acknowledges events that are not listed, if asked to', async () => {
    const { receive, told } = makeReceiver({ unlistedEvents: 'acknowledge' });

    expect((await receive(delivery({ type: 'ping' }))).status).toBe(204);
    expect(told).toMatchObject([{ outcome: 'ignored', reason: 'unlisted_event', event: 'ping' }]);
  });

  it('refuses an id that was used for another event', async () => {
    const { receive } = makeReceiver({ eventId: () => 'same', store: usedFor('same') });

    expect(await seen(await receive(delivery()))).toEqual({ status: 409, body: { error: 'conflict' } });
  });

  it('remembers an event until its replay is refused for its age, also one whose clock was ahead', async () => {
    const { receive, clock, handled } = makeReceiver({ retainMs: 3_600_000, eventId: () => 'evt_1' });
    const ahead = payment({ occurred_at: new Date(Date.now() + 300_000).toISOString() });

    expect((await receive(delivery(ahead))).status).toBe(204);
    await clock.advance(3_600_000);
    expect((await receive(delivery(ahead))).status).toBe(204);
    await clock.advance(300_001);
    expect(await seen(await receive(delivery(ahead)))).toEqual({ status: 422, body: { error: 'invalid_event' } });
    expect(handled).toHaveLength(1);
  });

  it.each([
    ['a store that is down', { store: failingStore() }],
    ['secrets that cannot be read', { authentication: [hmac({ secrets: () => Promise.reject(new Error('down')) })] }],
    ['a rule that throws', { rules: { 'payment.confirmed': [() => Promise.reject(new Error('down'))] } }],
  ])('asks for another delivery because of %s', async (_, options) => {
    const { receive, errors, handled } = makeReceiver(options);

    expect(await seen(await receive(delivery()))).toEqual({ status: 503, body: { error: 'unavailable' } });
    expect([errors, handled]).toEqual([[new Error('down')], []]);
  });

  it('does not ask for another delivery of what is done when the store fails afterwards', async () => {
    const store = { ...createMemoryIdempotencyStore(), settle: () => Promise.reject(new Error('down')) };
    const { receive, errors } = makeReceiver({ store });

    expect((await receive(delivery())).status).toBe(204);
    expect(errors).toEqual([new Error('down')]);
  });

  it('names the fix to the developer when the body was read before', async () => {
    const { receive, errors } = makeReceiver();
    const request = delivery();
    await request.json();

    expect(await seen(await receive(request))).toEqual({ status: 500, body: { error: 'failed' } });
    expect(String(errors[0])).toContain('express.raw({ type: () => true })');
  });

  it('never throws, whatever it is sent', async () => {
    const { receive } = makeReceiver();
    const bodies = fc.oneof(
      fc.uint8Array(),
      fc.json(),
      fc.string(),
      fc
        .jsonValue()
        .map((value) => JSON.stringify({ type: 'payment.confirmed', payment_id: 'p', ...(value as object) })),
    );
    const types = fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'text/html',
      ';;',
      'application/x+json',
    );

    await fc.assert(
      fc.asyncProperty(bodies, types, fc.boolean(), async (body, type, isSigned) => {
        const headers = { 'content-type': type, ...(isSigned ? {} : { 'x-signature': 'sha256=00' }) };

        const { status } = await receive(delivery(body, { headers }));

        expect(isSigned ? [204, 400, 415, 422] : [401]).toContain(status);
      }),
    );
  });
});

describe('what a receiver reports of a delivery', () => {
  it('is its source, event, outcome, status, time, and a body without personal data', async () => {
    const { receive, told, clock } = makeReceiver({
      authentication: [hmac({ secrets: () => secret, sender: 'billing' })],
      name: 'billing-hook',
      handler: () => clock.advance(501),
    });

    await receive(delivery(payment({ amount: 5, name: 'Ann Lee', note: 'call +14155550100' })), {
      address: '192.0.2.1',
    });

    expect(told).toEqual([
      {
        type: 'webhook-received',
        api: 'webhooks',
        operation: 'webhooks.receive',
        at: Date.now(),
        direction: 'in',
        receiver: 'billing-hook',
        source: 'billing',
        event: 'payment.confirmed',
        eventId: expect.stringMatching(/^[0-9a-f]{64}$/),
        outcome: 'handled',
        status: 204,
        durationMs: 501,
        isSlow: true,
        body: { type: 'payment.confirmed', payment_id: 'pay_1', amount: 5, name: '[text]', note: '[text]' },
      },
    ]);
  });

  it('is nothing of the body when the delivery is not genuine', async () => {
    const { receive, told } = makeReceiver();

    await receive(delivery(payment(), { secret: 'other' }), { address: '192.0.2.1' });

    expect(told).toMatchObject([
      { outcome: 'refused', reason: 'signature_mismatch', source: '192.0.2.1', status: 401, isSlow: false },
    ]);
    expect(told[0]).not.toHaveProperty('body');
  });

  it('is that it came again, or failed', async () => {
    let fails = true;
    const { receive, told } = makeReceiver({
      handler: () => {
        if (fails) throw new Error('locked');
      },
    });

    await receive(delivery());
    fails = false;
    await receive(delivery());
    await receive(delivery());

    expect(told.map(({ outcome, reason, error }) => [outcome, reason, error])).toEqual([
      ['failed', 'handler_failed', { code: 'internal_error' }],
      ['handled', undefined, undefined],
      ['replayed', undefined, undefined],
    ]);
  });

  it.each<[string, Request, reason: string]>([
    ['no signature', unsigned(), 'signature_missing'],
    ['no event at all', delivery([1]), 'no_envelope'],
  ])('is why it was refused: %s', async (_, request, reason) => {
    const { receive, told } = makeReceiver();

    const { status } = await receive(request);

    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ outcome: 'refused', reason, status });
    expect(told[0]).not.toHaveProperty('error');
  });

  it('is that a record is unknown, or a version', async () => {
    const checks = { 'payment.confirmed': { records: { payment_id: 'payment' } } };
    const unknown = makeReceiver({ checks, recordExists: () => false });
    await unknown.receive(delivery());
    const odd = makeReceiver({ checks, recordExists: () => true });
    await odd.receive(delivery(payment({ payment_id: '' })));
    const told: (string | undefined)[] = [];
    const versioned = createWebhookReceiver({
      authentication: [hmac({ secrets: () => secret })],
      store: createMemoryIdempotencyStore(),
      events: { 'call.rated': { 1: z.object({}) } },
      on: { 'call.rated': () => {} },
      onEvent: (event) => {
        if (event.type === 'webhook-received') told.push(event.reason);
      },
    });
    await versioned(delivery({ type: 'call.rated', version: 2 }));

    expect([unknown, odd].map(({ told: [event] }) => event?.reason)).toEqual(['unknown_record', undefined]);
    expect(told).toEqual(['unknown_version']);
  });

  it('is nothing that was not found out', async () => {
    const { receive, told, clock } = makeReceiver();
    await clock.advance(5_000);

    await receive(new Request('https://hook.test/', { method: 'HEAD' }));

    expect(told).toStrictEqual([
      {
        type: 'webhook-received',
        api: 'webhooks',
        operation: 'webhooks.receive',
        at: Date.now(),
        direction: 'in',
        receiver: 'webhooks',
        outcome: 'ignored',
        reason: 'head',
        status: 200,
        durationMs: 0,
        isSlow: false,
      },
    ]);
  });

  it('is that it is under way, is not the event of its id, or could not be looked up', async () => {
    const slow = Promise.withResolvers<void>();
    const underWay = makeReceiver({ handler: () => slow.promise });
    const first = underWay.receive(delivery());
    await until(() => underWay.handled.length > 0);
    await underWay.receive(delivery());
    slow.resolve();
    await first;
    const used = makeReceiver({ eventId: () => 'evt_1', store: usedFor('evt_1') });
    await used.receive(delivery());
    const away = makeReceiver({ store: failingStore() });
    await away.receive(delivery());

    const seenOf = ({ told: [event] }: typeof used) => [event?.outcome, event?.status, event?.reason, event?.error];
    expect([underWay, used, away].map(seenOf)).toEqual([
      ['in-progress', 409, undefined, undefined],
      ['refused', 409, 'id_of_another_event', undefined],
      ['failed', 503, 'unavailable', { code: 'internal_error' }],
    ]);
  });

  it('has the code of an error of this package, and the phone call that the application names', async () => {
    const { receive, told } = makeReceiver({
      callId: ({ payload }) => `call of ${(payload as { payment_id: string }).payment_id}`,
      handler: async () => {
        throw new RateLimitedError('no place', { retryAfterMs: 2_500 });
      },
    });

    await receive(delivery());

    expect(told).toMatchObject([
      { outcome: 'failed', status: 503, error: { code: 'rate_limited' }, callId: 'call of pay_1' },
    ]);
  });

  it('changes nothing when the observer throws', async () => {
    const { receive } = makeReceiver({
      onEvent: () => {
        throw new Error('observer');
      },
    });

    expect((await receive(delivery())).status).toBe(204);
  });
});

const unsupported = { error: 'unsupported_media_type' };

function invalid(field?: string) {
  return { error: 'invalid_event', ...(field !== undefined && { field }) };
}

function unsigned() {
  return new Request('https://hook.test/', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
}

function failingStore() {
  return { ...createMemoryIdempotencyStore(), claim: () => Promise.reject(new Error('down')) };
}

function usedFor(id: string) {
  const store = createMemoryIdempotencyStore();
  void store.claim(JSON.stringify(['webhooks', null, null, id]), { fingerprint: 'other', leaseMs: 1e6, retainMs: 1e6 });
  return store;
}
