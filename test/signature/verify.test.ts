import { createHmac } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type HeaderSource, verifyBytes, verifySignature } from '../../src/signature/verify.ts';
import {
  hubSignature,
  retell,
  type SignatureScheme,
  standardWebhooks,
  timestamped,
  xSignature,
} from '../../src/signature/scheme.ts';
import { signBytes } from '../../src/signature/sign.ts';
import fc from '../support/fast-check.ts';

const startedAt = Date.UTC(2026, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: startedAt, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

const schemes = { xSignature, standardWebhooks, timestamped, hubSignature, retell };
const body = Buffer.from('{"id":"evt_1","amount":12.50}');
const secret = 'c2VjcmV0LW9mLXRoZS13ZWJob29r';
const signed = (scheme = xSignature, secrets: readonly string[] = [secret], bytes: NodeJS.ArrayBufferView = body) =>
  signBytes(bytes, { scheme, secrets, id: 'msg_1' });

describe('verifying', () => {
  it.each([
    ['xSignature', { valid: true, secretIndex: 0 }],
    ['standardWebhooks', { valid: true, secretIndex: 0, id: 'msg_1', signedAt: secondsOf(startedAt) }],
    ['timestamped', { valid: true, secretIndex: 0, signedAt: secondsOf(startedAt) }],
    ['hubSignature', { valid: true, secretIndex: 0 }],
    ['retell', { valid: true, secretIndex: 0, signedAt: startedAt }],
  ] as const)('accepts what was signed: %s', async (name, verdict) => {
    const scheme = schemes[name];

    expect(await verifySignature(body, { scheme, secrets: () => secret, headers: signed(scheme) })).toEqual(verdict);
  });

  it.each<[string, Parameters<typeof verifySignature>[0]]>([
    ['a text', body.toString()],
    ['a Uint8Array', new Uint8Array(body)],
    ['a view of a part', new DataView(new Uint8Array([1, ...body, 2]).buffer, 1, body.length)],
    ['a shared buffer', sharedBuffer()],
    ['bytes of another realm', runInNewContext(`new Uint8Array([${[...body].join()}])`)],
    ['a Request', new Request('https://hook.test/', { method: 'POST', body })],
  ])('takes %s', async (_, given) => {
    expect(await verifySignature(given, { secrets: () => secret, headers: signed() })).toEqual({
      valid: true,
      secretIndex: 0,
    });
  });

  it('takes the headers of a Request', async () => {
    const request = new Request('https://hook.test/', { method: 'POST', body, headers: { ...signed() } });

    expect(await verifySignature(request, { secrets: () => secret })).toEqual({ valid: true, secretIndex: 0 });
  });

  it.each([
    ['with names in any case', { 'X-Signature': signed()['x-signature'] }],
    ['as lists', { 'x-signature': [signed()['x-signature'] ?? ''] }],
    ['as a map', new Map(Object.entries(signed()))],
  ])('takes headers %s', async (_, headers) => {
    expect(await verifySignature(body, { secrets: () => secret, headers })).toEqual({ valid: true, secretIndex: 0 });
  });

  it.each([
    ['an empty body', new Uint8Array()],
    ['bytes that are not UTF-8', new Uint8Array([0xff, 0xfe, 0x00, 0xc3])],
  ])('accepts %s', async (_, bytes) => {
    const headers = signed(xSignature, [secret], bytes);

    expect(await verifySignature(bytes, { secrets: () => secret, headers })).toEqual({ valid: true, secretIndex: 0 });
  });

  it.each<[string, unknown, string]>([
    ['a parsed object', { id: 'evt_1' }, 'express.raw({ type: () => true }) in place of express.json()'],
    ['nothing', undefined, 'was read already, by a body parser that ran first'],
    ['a Request that was read', readRequest(), 'was read already, by a body parser that ran first'],
  ])('refuses %s with the fix', async (_, given, message) => {
    // What a framework hands over is not always what its types say.
    const verified = verifySignature(given as string, { secrets: () => secret, headers: signed() });

    await expect(verified).rejects.toThrow(message);
  });

  it('needs headers as well as bytes', async () => {
    await expect(verifySignature(body, { secrets: () => secret })).rejects.toThrow('headers must be given');
  });

  it('says which secret fits during a rotation', () => {
    const headers = signed(xSignature, ['old']);

    expect(verifyBytes(body, { headers, secrets: ['new', 'old'] })).toEqual({ valid: true, secretIndex: 1 });
    expect(verifyBytes(body, { headers, secrets: ['new'] })).toEqual(invalid('mismatch'));
    expect(verifyBytes(body, { headers, secrets: [] })).toEqual(invalid('no_secret'));
  });

  it.each([
    ['300 s old', -300_000, true],
    ['301 s old', -301_000, 'too_old'],
    ['300 s ahead', 300_000, true],
    ['301 s ahead', 301_000, 'too_new'],
  ])('judges the signed time: %s', async (_, offset, expected) => {
    // On a full second, since the scheme has no smaller unit.
    const now = secondsOf(Date.now());
    const headers = signBytes(body, { scheme: timestamped, secrets: [secret], at: now + offset });
    vi.setSystemTime(now);

    const verdict = await verifySignature(body, { scheme: timestamped, secrets: () => secret, headers });

    expect(verdict).toEqual(
      expected === true ? { valid: true, secretIndex: 0, signedAt: now + offset } : invalid(String(expected)),
    );
  });

  it.each([
    ['no header', xSignature, {}, 'missing'],
    ['an empty header', xSignature, { 'x-signature': '' }, 'missing'],
    ['no label', xSignature, { 'x-signature': signed()['x-signature']?.slice(7) }, 'malformed'],
    ['another algorithm', xSignature, { 'x-signature': 'sha1=00' }, 'malformed'],
    ['a part of the signature', xSignature, { 'x-signature': signed()['x-signature']?.slice(0, -2) }, 'mismatch'],
    ['upper case', xSignature, { 'x-signature': signed()['x-signature']?.toUpperCase() }, 'malformed'],
    [
      'two signatures where one belongs',
      xSignature,
      { 'x-signature': [signed()['x-signature'] ?? '', 'x'] },
      'mismatch',
    ],
    ['a signature that is not ASCII', xSignature, { 'x-signature': `sha256=${'ü'.repeat(64)}` }, 'mismatch'],
    ['no time', timestamped, { 'x-signature': 'v1=00' }, 'missing'],
    ['two times', timestamped, { 'x-signature': 't=1,t=1790000000,v1=00' }, 'malformed'],
    ['a time that is no number', timestamped, { 'x-signature': 't=1e9,v1=00' }, 'malformed'],
    ['no id', standardWebhooks, { ...signed(standardWebhooks), 'webhook-id': undefined }, 'missing'],
    ['an id with a dot', standardWebhooks, { ...signed(standardWebhooks), 'webhook-id': 'msg.1' }, 'malformed'],
  ])('refuses %s', async (_, scheme, headers, reason) => {
    expect(await verifySignature(body, { scheme, secrets: () => secret, headers })).toEqual(invalid(reason));
  });

  it.each(Object.entries(schemes))('refuses when any bit of body, header or secret is flipped: %s', (_, scheme) => {
    const verify = verifierOf(scheme);
    const names = Object.keys(signed(scheme));

    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.nat(), fc.nat({ max: 6 }), (bytes, at, bit) => {
        const genuine = signed(scheme, [secret], bytes);
        const name = names[at % names.length] ?? '';
        // Bit 5 is the case of a letter, which hex doesn't have.
        const turnedBit = scheme.encoding === 'hex' ? bit % 5 : bit;
        const turned = { ...genuine, [name]: flipText(genuine[name] ?? '', at, turnedBit) };

        expect(verify(bytes, genuine, [secret])).toMatchObject({ valid: true });
        expect(verify(flip(bytes, at, bit), genuine, [secret])).toEqual(invalid('mismatch'));
        expect(verify(bytes, turned, [secret])).toMatchObject({ valid: false });
        expect(acceptsWith(verify, bytes, genuine, flipText(secret, at, bit))).toBe(false);
      }),
    );
  });

  const shared = (algorithm: string, text = body.toString()) => createHmac(algorithm, secret).update(text).digest();
  const moment = secondsOf(startedAt) / 1_000;

  it.each<[string, SignatureScheme, string]>([
    ['hex in upper case', xSignature, `sha256=${shared('sha256').toString('hex').toUpperCase()}`],
    [
      'hex in both cases',
      xSignature,
      `sha256=${shared('sha256')
        .toString('hex')
        .replace(/[a-f]/, (one) => one.toUpperCase())}`,
    ],
    ['base64', xSignature, `sha256=${shared('sha256').toString('base64')}`],
    ['hex in upper case, of SHA-1', hubSignature, `sha1=${shared('sha1').toString('hex').toUpperCase()}`],
    ['base64, of SHA-1', hubSignature, `sha1=${shared('sha1').toString('base64')}`],
    [
      'base64 next to a time',
      timestamped,
      `t=${moment},v1=${shared('sha256', `${moment}.${body.toString()}`).toString('base64')}`,
    ],
  ])('a signature may be written as %s', async (_, scheme, value) => {
    const headers = { [scheme.header]: value };

    expect(await verifySignature(body, { scheme, secrets: [() => 'another', () => secret], headers })).toMatchObject({
      valid: true,
      secretIndex: 1,
    });
  });

  it.each<[string, SignatureScheme, string]>([
    ['hex of another body', xSignature, `sha256=${shared('sha256', 'x').toString('hex').toUpperCase()}`],
    ['base64 of another body', xSignature, `sha256=${shared('sha256', 'x').toString('base64')}`],
    ['base64 in lower case', xSignature, `sha256=${shared('sha256').toString('base64').toLowerCase()}`],
    ['base64 without its end', xSignature, `sha256=${shared('sha256').toString('base64url')}`],
    ['hex where base64 is meant', { ...xSignature, encoding: 'base64' }, `sha256=${shared('sha256').toString('hex')}`],
  ])('and not as %s', async (_, scheme, value) => {
    const headers = { [scheme.header]: value };

    expect(await verifySignature(body, { scheme, secrets: [() => secret], headers })).toEqual(invalid('mismatch'));
  });

  it('accepts several signatures and several secrets in any order', () => {
    const verify = verifierOf(standardWebhooks);

    fc.assert(
      fc.property(fc.shuffledSubarray(['new1', 'old1', 'b2xk', 'bmV3'], { minLength: 1 }), (secrets) => {
        const headers = signed(standardWebhooks, secrets);
        const reversed = headers['webhook-signature']?.split(' ').toReversed().join(' ');

        for (const one of secrets)
          expect(verify(body, { ...headers, 'webhook-signature': reversed }, ['b3RoZXI=', one])).toMatchObject({
            valid: true,
            secretIndex: 1,
          });
      }),
    );
  });

  it('never throws for any headers and bytes', () => {
    for (const scheme of Object.values(schemes)) {
      const verify = verifierOf(scheme);
      const names = [scheme.header, 'webhook-id', 'webhook-timestamp'];
      const value = fc.oneof(
        fc.string(),
        fc.string({ unit: 'binary' }),
        fc.stringMatching(/^(t=|v=|v1=|d=|v1,|sha256=)\d*[, ]?.*$/),
      );

      fc.assert(
        fc.property(fc.uint8Array(), fc.tuple(value, value, value), (bytes, values) => {
          const headers = Object.fromEntries(names.map((name, index) => [name, values[index]]));

          expect(verify(bytes, headers, [secret])).toMatchObject({ valid: false });
        }),
      );
    }
  });
});

function secondsOf(ms: number) {
  return Math.floor(ms / 1000) * 1000;
}

function sharedBuffer() {
  const shared = new SharedArrayBuffer(body.length);
  new Uint8Array(shared).set(body);
  return shared;
}

function readRequest() {
  const request = new Request('https://hook.test/', { method: 'POST', body });
  void request.text();
  return request;
}

const verifierOf =
  (scheme: SignatureScheme) => (bytes: Uint8Array, headers: HeaderSource, secrets: readonly string[]) =>
    verifyBytes(bytes, { headers, secrets, scheme });

const invalid = (reason: string) => ({ valid: false, reason });

const flip = (bytes: Uint8Array, at: number, bit: number) => {
  const turned = Uint8Array.from(bytes);
  const place = at % turned.length;
  turned[place] = (turned[place] ?? 0) ^ (1 << bit);
  return turned;
};

const flipText = (text: string, at: number, bit: number) =>
  Buffer.from(flip(Buffer.from(text), at, bit)).toString('latin1');

/** A secret that cannot be one is refused with an error. */
const acceptsWith = (
  verify: ReturnType<typeof verifierOf>,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
  changed: string,
): boolean => {
  try {
    return verify(bytes, headers, [changed]).valid;
  } catch {
    return false;
  }
};
