import { describe, expect, it } from 'vitest';
import { timestamped } from '../../src/signature/scheme.ts';
import { signBytes } from '../../src/signature/sign.ts';
import { hmac } from '../../src/webhooks/authentication/hmac.ts';
import type { RefusedDelivery } from '../../src/webhooks/receiver-options.ts';
import { delivery, makeReceiver, payment, secret, type TestOptions } from './receiver-parts.ts';

const refusedBy = (options: TestOptions = {}) => {
  const refused: RefusedDelivery[] = [];
  return { refused, ...makeReceiver({ name: 'billing', onRefused: (each) => refused.push(each), ...options }) };
};

const unknown = { receiver: 'billing', field: undefined, tenant: undefined, event: undefined, eventId: undefined };
const canary = 'CANARY-7f3a';

describe('onRefused', () => {
  it.each<[string, Request, Partial<RefusedDelivery>]>([
    ['a wrong signature', delivery(payment(), { secret: 'other' }), { reason: 'signature_mismatch', status: 401 }],
    ['a body that is not JSON', delivery(`${canary} {`), { reason: 'body_not_json', status: 400 }],
    [
      'a payload that its schema refuses',
      delivery({ type: 'payment.confirmed', payment_id: 7, note: canary }),
      { reason: 'schema', status: 422, field: 'payment_id', event: 'payment.confirmed' },
    ],
    [
      'a negative amount',
      delivery(payment({ amount: -1, note: canary })),
      { reason: 'not_sane', status: 422, field: 'amount', event: 'payment.confirmed' },
    ],
  ])('gets the reason for %s, without the secret and the body', async (_, request, expected) => {
    const { receive, refused, told } = refusedBy();

    await receive(request, { address: '192.0.2.7' });

    expect(refused).toEqual([{ ...unknown, source: '192.0.2.7', ...expected }]);
    expect(told.map(({ outcome, reason, status }) => ({ outcome, reason, status }))).toEqual([
      { outcome: 'refused', reason: expected.reason, status: expected.status },
    ]);
    expect(JSON.stringify([refused, told])).not.toMatch(new RegExp(`${canary}|${secret}`));
  });

  it('gets the reason for a signature that is too old', async () => {
    const { receive, refused } = refusedBy({
      authentication: [hmac({ scheme: timestamped, secrets: () => secret })],
    });
    const body = JSON.stringify(payment());

    await receive(
      delivery(body, {
        headers: signBytes(body, { scheme: timestamped, secrets: [secret], at: Date.now() - 600_000 }),
      }),
    );

    expect(refused).toEqual([{ ...unknown, source: undefined, reason: 'signature_too_old', status: 401 }]);
  });

  it('gets what a rule said, and whose delivery it was', async () => {
    const { receive, refused } = refusedBy({
      authentication: [hmac({ secrets: () => secret, sender: 'calendar' })],
      tenant: () => 'acme',
      rules: { 'payment.confirmed': [() => 'the calendar sends no payments'] },
    });

    await receive(delivery());

    expect(refused).toEqual([
      {
        ...unknown,
        reason: 'the calendar sends no payments',
        status: 403,
        source: 'calendar',
        tenant: 'acme',
        event: 'payment.confirmed',
      },
    ]);
  });

  it('is not called for what was handled, repeated, or failed on our side', async () => {
    const { receive, refused } = refusedBy({
      handler: () => {
        throw new Error('the CRM is down');
      },
    });
    await receive(delivery());
    const fine = refusedBy();
    await fine.receive(delivery());
    await fine.receive(delivery());

    expect([refused, fine.refused]).toEqual([[], []]);
  });

  it('changes no answer when it throws', async () => {
    const { receive } = refusedBy({
      onRefused: () => {
        throw new Error('no log today');
      },
    });

    expect((await receive(delivery(payment(), { secret: 'other' }))).status).toBe(401);
  });

  it('does not repeat a path that the sender made up', async () => {
    const { receive, refused } = refusedBy({ checks: { 'payment.confirmed': {} } });

    await receive(delivery(payment({ [`${canary}@example.com`]: { amount: -1 } })));

    expect(refused.map(({ reason, field }) => [reason, field])).toEqual([['not_sane', undefined]]);
  });
});
