import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { fromEnv, type Secret } from '../../src/core/secret.ts';
import {
  hubSignature,
  retell,
  type SignatureScheme,
  standardWebhooks,
  timestamped,
  xSignature,
} from '../../src/signature/scheme.ts';
import { sign, signBytes } from '../../src/signature/sign.ts';
import { verifySignature } from '../../src/signature/verify.ts';
import { hmac as hmacOf } from '../../src/webhooks/index.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const at = 1_790_000_000_123;
const body = '{"type":"payment.confirmed","amount":12.50}';
const hmac = (algorithm: string, secret: string | Buffer, text: string) => createHmac(algorithm, secret).update(text);

describe('signing', () => {
  it('is by default the spec’s X-Signature over the raw body', () => {
    expect(signBytes(body, { secrets: ['shared'] })).toEqual({
      'x-signature': `sha256=${hmac('sha256', 'shared', body).digest('hex')}`,
    });
  });

  it.each<[string, SignatureScheme, Record<string, string>]>([
    ['the spec’s', xSignature, { 'x-signature': `sha256=${hmac('sha256', 'c2VjcmV0', body).digest('hex')}` }],
    [
      'Standard Webhooks',
      standardWebhooks,
      {
        'webhook-id': 'msg_1',
        'webhook-timestamp': '1790000000',
        'webhook-signature': `v1,${hmac('sha256', Buffer.from('secret'), `msg_1.1790000000.${body}`).digest('base64')}`,
      },
    ],
    [
      'the timestamped',
      timestamped,
      { 'x-signature': `t=1790000000,v1=${hmac('sha256', 'c2VjcmV0', `1790000000.${body}`).digest('hex')}` },
    ],
    [
      'the messaging platform’s',
      hubSignature,
      { 'x-hub-signature': `sha1=${hmac('sha1', 'c2VjcmV0', body).digest('hex')}` },
    ],
    [
      'Retell’s',
      retell,
      { 'x-retell-signature': `v=${at},d=${hmac('sha256', 'c2VjcmV0', `${body}${at}`).digest('hex')}` },
    ],
    [
      'one of your own, such as Slack’s',
      {
        header: 'x-slack-signature',
        algorithm: 'sha256',
        encoding: 'hex',
        label: 'v0=',
        signs: 'v0:{timestamp}:{body}',
        timestamp: { header: 'x-slack-request-timestamp', unit: 'seconds' },
      },
      {
        'x-slack-request-timestamp': '1790000000',
        'x-slack-signature': `v0=${hmac('sha256', 'c2VjcmV0', `v0:1790000000:${body}`).digest('hex')}`,
      },
    ],
  ])('follows the scheme: %s', (_, scheme, headers) => {
    expect(signBytes(body, { scheme, secrets: ['c2VjcmV0'], id: 'msg_1', at })).toEqual(headers);
  });

  it('uses the machine’s time, or that of a clock', () => {
    createVirtualClock();
    const headers = signBytes(body, { scheme: standardWebhooks, secrets: ['whsec_c2VjcmV0'], id: 'msg_1' });

    expect(headers['webhook-timestamp']).toBe(String(Math.floor(Date.now() / 1000)));
  });

  it('signs with every secret during a rotation, where the header has room for it', () => {
    const both = signBytes(body, { scheme: timestamped, secrets: ['new', 'old'], at });
    const [fresh, old] = ['new', 'old'].map((secret) =>
      signBytes(body, { scheme: timestamped, secrets: [secret], at }),
    );

    expect(both['x-signature']).toBe(`${fresh?.['x-signature']},${old?.['x-signature']?.replace('t=1790000000,', '')}`);
    expect(signBytes(body, { secrets: ['new', 'old'] })).toEqual(signBytes(body, { secrets: ['new'] }));
  });

  it.each([
    ['no secret at all', { secrets: [] }, 'secrets must hold at least one'],
    ['an empty secret', { secrets: [''] }, 'secret must be a text that is not empty'],
    ['the line break of a file', { secrets: ['secret\n'] }, 'secret must not begin or end with white space'],
    [
      'a secret that is not base64',
      { scheme: standardWebhooks, secrets: ['whsec_c2Vj!'], id: 'msg_1' },
      'secret must be base64, perhaps behind whsec_',
    ],
    [
      'an id with a dot',
      { scheme: standardWebhooks, secrets: ['c2VjcmV0'], id: 'msg.1' },
      'id must be a text without dots and spaces',
    ],
    [
      'a scheme without a body',
      { scheme: { ...xSignature, signs: '{timestamp}' }, secrets: ['secret'] },
      'scheme.signs must contain {body} exactly once',
    ],
  ])('refuses %s', (_, options, message) => {
    expect(() => signBytes(body, options)).toThrow(message);
  });
});

describe('sign and verifySignature take secrets as hmac does', () => {
  const expected = signBytes(body, { secrets: ['new'] });

  it.each<[what: string, secrets: Secret]>([
    ['a function', () => 'new'],
    ['a function that waits', async () => 'new'],
    ['a list of functions, the newest first', [() => 'new', () => 'old']],
    ['a function that returns a list', () => ['new', 'old']],
    ['an older one that is gone', [() => 'new', () => Promise.reject(new Error('gone'))]],
  ])('%s', async (_what, secrets) => {
    expect(await sign(body, { secrets })).toEqual(expected);
    expect(await verifySignature(body, { secrets, headers: expected })).toMatchObject({ valid: true, secretIndex: 0 });
  });

  it('a variable of the environment, named when it is missing', async () => {
    vi.stubEnv('HOOK_SECRET', 'new');
    expect(await sign(body, { secrets: fromEnv('HOOK_SECRET') })).toEqual(expected);
    vi.stubEnv('HOOK_SECRET', undefined);
    await expect(sign(body, { secrets: fromEnv('HOOK_SECRET') })).rejects.toThrow('HOOK_SECRET must be set');
    vi.unstubAllEnvs();
  });

  it('a scheme with room for several signatures carries one of each', async () => {
    const secrets = [() => 'new', () => 'old'];
    const both = signBytes(body, { scheme: timestamped, secrets: ['new', 'old'], at: 1_000 });

    expect(await sign(body, { scheme: timestamped, secrets, at: 1_000 })).toEqual(both);
  });

  it.each<[what: string, secrets: unknown, problem: string]>([
    ['a text', 'new', 'secrets must be a function that reads the secret'],
    ['a list of texts', ['new'], 'secrets must be a function that reads the secret'],
    ['nothing', undefined, 'secrets must be a function that reads the secret'],
    ['an empty list', [], 'secrets must be a function that reads the secret'],
    ['a function that gives nothing', () => '', 'secrets gave no secret'],
  ])('%s is refused', async (_what, secrets, problem) => {
    await expect(sign(body, { secrets: secrets as never })).rejects.toThrow(problem);
    await expect(verifySignature(body, { secrets: secrets as never, headers: expected })).rejects.toThrow(problem);
  });

  it.each<[what: string, scheme: object, problem: string]>([
    [
      'a hash',
      { algorithm: 'sha-256' },
      "scheme.algorithm must be 'sha1', 'sha256' or 'sha512': did you mean 'sha256'?",
    ],
    ['an encoding', { encoding: 'base64url' }, "scheme.encoding must be 'hex' or 'base64': did you mean 'base64'?"],
    [
      'a unit of time',
      { timestamp: { header: 'x-time', unit: 'second' } },
      "scheme.timestamp.unit must be 'seconds', 'milliseconds' or 'iso-8601': did you mean 'seconds'?",
    ],
  ])('a scheme with %s that is not known is refused', async (_what, own, problem) => {
    const scheme = { ...xSignature, ...own } as SignatureScheme;

    await expect(sign(body, { scheme, secrets: () => 'new' })).rejects.toThrow(problem);
    await expect(verifySignature(body, { scheme, secrets: () => 'new', headers: expected })).rejects.toThrow(problem);
    expect(() => hmacOf({ scheme, secrets: () => 'new' })).toThrow(problem);
  });
});

it.each([
  [undefined, 'secrets must be a function'],
  [{ secret: () => 'a secret' }, 'secret is not an option: did you mean secrets?'],
  [{ secrets: () => 'a secret', schema: 'x' }, 'schema is not an option: did you mean scheme?'],
])('options that are %j are refused', async (options, problem) => {
  await expect(sign('{}', options as never)).rejects.toThrow(problem);
});
