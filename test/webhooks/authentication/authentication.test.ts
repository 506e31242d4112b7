import { describe, expect, it } from 'vitest';
import { createMemoryIdempotencyStore as makeStore } from '../../../src/stores/memory-idempotency-store.ts';
import { standardWebhooks } from '../../../src/signature/scheme.ts';
import { signBytes } from '../../../src/signature/sign.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { hmac } from '../../../src/webhooks/authentication/hmac.ts';
import { ipAllowlist } from '../../../src/webhooks/authentication/ip-allowlist.ts';
import { sharedSecret } from '../../../src/webhooks/authentication/shared-secret.ts';
import type { DeliveryRequest, Peer } from '../../../src/webhooks/peer.ts';
import { createWebhookReceiver } from '../../../src/webhooks/receiver.ts';
import { delivery, makeReceiver, payment, seen } from '../receiver-parts.ts';

const arrival = (peer: Peer, headers: Record<string, string> = {}, tenant?: string): DeliveryRequest => ({
  url: new URL('https://hook.test/'),
  headers: new Headers(headers),
  peer,
  tenant,
});

describe('the source address', () => {
  const behindProxies = { trustedProxies: ['10.0.0.0/8', 'fd00::/8'] };

  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['is the one of the connection', '203.0.113.7', undefined, true],
    ['is not taken from a header of a stranger', '198.51.100.1', '203.0.113.7', false],
    ['is taken from the header of our proxy', '10.1.2.3', '203.0.113.7', true],
    ['is the last one that is not ours', '10.1.2.3', '198.51.100.1, 203.0.113.7, 10.9.9.9', true],
    ['is not what the sender wrote before it', '10.1.2.3', '203.0.113.7, 198.51.100.1', false],
    ['may have a port', '10.1.2.3', '203.0.113.7:4711', true],
    ['may be IPv4 written as IPv6', '::ffff:203.0.113.7', undefined, true],
    ['may be so in hex', '::ffff:cb00:7107', undefined, true],
    ['may be IPv6', '2001:db8::17', undefined, true],
    ['may be IPv6 in brackets', 'fd00::1', '[2001:db8::17]:443', true],
    ['outside the IPv6 range is refused', '2001:db9::17', undefined, false],
    ['just outside the IPv4 range is refused', '203.0.114.0', undefined, false],
    ['that is no address is refused', '10.1.2.3', 'unknown', false],
    ['may be IPv6 in brackets without a port', 'fd00::1', '[2001:db8::17]', true],
    ['in brackets with more behind it is refused', 'fd00::1', '[2001:db8::17]x', false],
    ['with more behind its port is refused', '10.1.2.3', '203.0.113.7:4711x', false],
    ['before an empty one is not taken', '10.1.2.3', '203.0.113.7,', false],
    ['may have a zone', 'fe80::1%eth0', undefined, false],
    ['in the IPv6 range may have a zone', '2001:db8::17%eth0', undefined, true],
    ['of our proxy alone is not on the list', '10.1.2.3', undefined, false],
    ['that is unknown is refused', undefined, '203.0.113.7', false],
  ])('%s', async (_, address, forwarded, accepted) => {
    const { check } = ipAllowlist({ allow: ['203.0.113.0/24', '2001:db8::/32'], ...behindProxies });

    const result = await check(
      arrival({ address }, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
      undefined,
    );

    expect(result.accepted).toBe(accepted);
  });

  it('is checked against the list of its tenant', async () => {
    const { check } = ipAllowlist({ allow: ({ tenant }) => (tenant === 'acme' ? ['192.0.2.1'] : ['192.0.2.2']) });

    expect(await check(arrival({ address: '192.0.2.1' }, {}, 'acme'), undefined)).toEqual({ accepted: true });
    expect(await check(arrival({ address: '192.0.2.1' }, {}, 'other'), undefined)).toEqual({
      accepted: false,
      status: 403,
      reason: 'address_not_allowed',
    });
  });

  it.each([['example.com'], ['203.0.113.0/33'], ['203.0.113.0/a'], ['2001:db8::/129'], ['203.0.113.0/8/8'], ['']])(
    'cannot be allowed as "%s"',
    (entry) => {
      expect(() => ipAllowlist({ allow: [entry] })).toThrow('allow must hold addresses and CIDR ranges');
    },
  );

  it('must be allowed to someone', () => {
    expect(() => ipAllowlist({ allow: [] })).toThrow('allow must hold at least one address or range');
  });

  it('is reported as unknown where a proxy wrote down no address', async () => {
    const { check } = ipAllowlist({ allow: ['10.1.2.3'], ...behindProxies });

    expect(await check(arrival({ address: '10.1.2.3' }, { 'x-forwarded-for': 'unknown' }), undefined)).toEqual({
      accepted: false,
      status: 403,
      reason: 'address_unknown',
    });
    expect(await check(arrival({ address: '10.1.2.3' }, { 'x-forwarded-for': '' }), undefined)).toEqual({
      accepted: true,
    });
  });

  it('of a proxy is an address or a range', () => {
    expect(() => ipAllowlist({ allow: ['192.0.2.1'], trustedProxies: ['proxy'] })).toThrow(
      'trustedProxies must hold addresses and CIDR ranges',
    );
  });

  it('alone is not enough for an event that causes an action', () => {
    const { method, step, isStrong } = ipAllowlist({ allow: ['192.0.2.1'] });

    expect({ method, step, isStrong }).toEqual({ method: 'ip-allowlist', step: 'address', isStrong: false });
    expect(() => makeReceiver({ authentication: [ipAllowlist({ allow: ['192.0.2.1'] })] })).toThrow('must hold hmac');
  });

  it('range may be written as IPv6 too', async () => {
    const { check } = ipAllowlist({ allow: ['::ffff:203.0.113.0/120'] });

    expect((await check(arrival({ address: '203.0.113.9' }), undefined)).accepted).toBe(true);
    expect((await check(arrival({ address: '203.0.114.9' }), undefined)).accepted).toBe(false);
  });
});

describe('a shared secret in a header', () => {
  it.each([
    ['the newest', 'new', true],
    ['the previous one', 'old', true],
    ['another', 'other', false],
    ['a part of it', 'ne', false],
    ['none', '', false],
  ])('is accepted or not: %s', async (_, given, accepted) => {
    const { check } = sharedSecret({ header: 'X-Token', secrets: () => ['new', 'old'] });

    expect((await check(arrival({}, { 'x-token': given }), undefined)).accepted).toBe(accepted);
  });

  it('has no place in the URL', () => {
    const inQuery = { header: 'X-Token', query: 'token', secrets: () => 'secret' };

    expect(() => sharedSecret(inQuery)).toThrow('query is not a place for a secret: it belongs in a header');
  });

  it('has a header', () => {
    // What plain JavaScript may pass.
    const header = undefined as unknown as string;

    expect(() => sharedSecret({ header, secrets: () => 'secret' })).toThrow('header must be the name of a header');
    expect(() => sharedSecret({ header: 'a b', secrets: () => 'secret' })).toThrow('names made of letters');
  });
});

describe('a signature', () => {
  it('with a time is believed for as long as it may be old, and no longer', async () => {
    const clock = createVirtualClock();
    const secrets = ['c2VjcmV0'];
    const { check } = hmac({ scheme: standardWebhooks, secrets: () => secrets, toleranceMs: 60_000 });
    const body = new TextEncoder().encode('{}');
    const headers = signBytes(body, { scheme: standardWebhooks, secrets, id: 'msg_1' });

    await clock.advance(60_000);
    expect(await check(arrival({}, headers), body)).toEqual({
      accepted: true,
      sender: undefined,
      deliveryId: 'msg_1',
      secrets,
    });
    await clock.advance(1_000);
    expect(await check(arrival({}, headers), body)).toEqual({
      accepted: false,
      status: 401,
      reason: 'signature_too_old',
    });
  });

  it('is enough by itself, and of the bytes', () => {
    const { method, step, isStrong } = hmac({ secrets: () => 'a-shared-secret' });

    expect({ method, step, isStrong }).toEqual({ method: 'hmac', step: 'signature', isStrong: true });
  });
});

describe('a receiver cannot be made', () => {
  const secrets = () => 'a-shared-secret';
  const weak = [sharedSecret({ header: 'x-token', secrets }), ipAllowlist({ allow: ['192.0.2.1'] })];

  it('without authentication', () => {
    expect(() => makeReceiver({ authentication: [] })).toThrow('authentication must hold at least one method');
    expect(() => makeReceiver({ authentication: [], informational: true })).toThrow('must hold at least one method');
  });

  it.each<[what: string, method: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a check alone', { check: () => Promise.resolve({ accepted: true }) }],
    ['a check at no time of the three', { check: () => Promise.resolve({ accepted: true }), step: 'afterwards' }],
    ['a check that cannot be called', { check: true, step: 'signature' }],
    ['a strength that is a text', { check: async () => ({ accepted: true }), step: 'signature', isStrong: 'false' }],
  ])('with %s for a method', (_, method) => {
    // What plain JavaScript may pass.
    const authentication = [hmac({ secrets }), method as ReturnType<typeof hmac>];

    expect(() => makeReceiver({ authentication })).toThrow(
      'authentication must be made by hmac, oauthBearer, mutualTls',
    );
  });

  it.each(['false', 'no', 1, null])('with informational as %j', (informational) => {
    expect(() => makeReceiver({ authentication: weak, informational: informational as never })).toThrow(
      'informational must be true or false',
    );
  });

  it.each(['no', 'false', 1, {}])('that takes a delivery because a method accepts it with %j', async (accepted) => {
    const method = { method: 'own', step: 'credentials', isStrong: true, check: async () => ({ accepted }) } as const;
    const { receive, handled } = makeReceiver({ authentication: [method as never] });

    expect((await receive(delivery(payment()))).status).toBe(401);
    expect(handled).toEqual([]);
  });

  it('with only weak authentication, unless its events are informational', async () => {
    expect(() => makeReceiver({ authentication: weak })).toThrow('must hold hmac, oauthBearer or mutualTls');

    const { receive } = makeReceiver({ authentication: weak, informational: true });
    const genuine = delivery(payment(), { headers: { 'x-token': 'a-shared-secret' } });

    expect((await receive(genuine, { address: '192.0.2.1' })).status).toBe(204);
    expect((await receive(delivery(), { address: '192.0.2.1' })).status).toBe(401);
  });

  it('with a secret that is written in code', () => {
    // What plain JavaScript may pass.
    const literal = 'a-shared-secret' as unknown as () => string;

    expect(() => hmac({ secrets: literal })).toThrow('secrets must be a function that reads the secret');
  });

  it('with an event that has no handler, or a handler of no event', () => {
    const options = { authentication: [hmac({ secrets })], store: makeStore() };

    // What plain JavaScript may pass.
    const make = createWebhookReceiver as (options: object) => unknown;

    expect(() => make({ ...options, events: { a: {} }, on: {} })).toThrow('on.a must be a function');
    expect(() => make({ ...options, events: {}, on: { a: () => {} } })).toThrow('on.a is not listed in events');
    expect(() => make({ ...options, events: {}, on: undefined })).toThrow('on must be given');
    expect(() => make({ ...options, events: undefined, on: {} })).toThrow('events must be given');
  });

  it('with no store that remembers what was handled', () => {
    const options = { authentication: [hmac({ secrets })], events: {}, on: {} };

    // What plain JavaScript may leave out.
    const make = createWebhookReceiver as (options: object) => unknown;

    expect(() => make(options)).toThrow('store must be given, such as createMemoryIdempotencyStore()');
  });

  it('with records that cannot be looked up', () => {
    const checks = { 'payment.confirmed': { records: { payment_id: 'payment' } } };

    expect(() => makeReceiver({ checks })).toThrow('recordExists must be given');
  });
});

it('an address that contains a secret is refused when a delivery comes to it', async () => {
  const { receive, errors } = makeReceiver();

  expect(await seen(await receive(delivery(payment(), { url: 'https://hook.test/a%2Dshared-secret' })))).toEqual({
    status: 500,
    body: { error: 'failed' },
  });
  expect(String(errors[0])).toContain('url has a secret in it');
});

describe('tenants', () => {
  const secretsOf: Readonly<Record<string, string>> = { acme: 'secret-of-acme', other: 'secret-of-other' };
  const make = () =>
    makeReceiver({
      tenant: ({ url }) => (url.searchParams.get('tenant') === 'unknown' ? undefined : url.pathname.slice(1)),
      authentication: [hmac({ secrets: ({ tenant = '' }) => secretsOf[tenant] ?? [] })],
    });
  const to = (tenant: string, secret: string) => delivery(payment(), { url: `https://hook.test/${tenant}`, secret });

  it('have secrets of their own: one’s never verifies another’s', async () => {
    const { receive, contexts } = make();

    expect((await receive(to('acme', 'secret-of-acme'))).status).toBe(204);
    expect((await receive(to('other', 'secret-of-acme'))).status).toBe(401);
    expect(contexts.map(({ tenant }) => tenant)).toEqual(['acme']);
  });

  it('do not share what was handled', async () => {
    const { receive, contexts } = make();

    await receive(to('acme', 'secret-of-acme'));
    await receive(to('other', 'secret-of-other'));
    await receive(to('acme', 'secret-of-acme'));

    expect(contexts.map(({ tenant }) => tenant)).toEqual(['acme', 'other']);
  });

  it('that are not known are refused as any stranger is', async () => {
    const { receive } = make();

    expect(await seen(await receive(to('third', 'x')))).toEqual({ status: 401, body: { error: 'unauthorized' } });
    expect(await seen(await receive(to('acme?tenant=unknown', 'secret-of-acme')))).toEqual({
      status: 401,
      body: { error: 'unauthorized' },
    });
  });

  it('may have stores of their own', async () => {
    const asked: unknown[] = [];
    const { receive } = makeReceiver({
      tenant: () => 'acme',
      store: (tenant) => {
        asked.push(tenant);
        return makeStore();
      },
    });

    expect((await receive(delivery())).status).toBe(204);
    expect(asked).toEqual(['acme']);
  });
});
