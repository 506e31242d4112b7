import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  hubSignature,
  retell,
  type SignatureScheme,
  standardWebhooks,
  timestamped,
  xSignature,
} from '../../src/signature/scheme.ts';
import { sign } from '../../src/signature/sign.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const at = 1_790_000_000_123;
const body = '{"type":"payment.confirmed","amount":12.50}';
const hmac = (algorithm: string, secret: string | Buffer, text: string) => createHmac(algorithm, secret).update(text);

describe('signing', () => {
  it('is by default the spec’s X-Signature over the raw body', () => {
    expect(sign(body, { secrets: ['shared'] })).toEqual({
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
    expect(sign(body, { scheme, secrets: ['c2VjcmV0'], id: 'msg_1', at })).toEqual(headers);
  });

  it('uses the machine’s time, or that of a clock', () => {
    createVirtualClock();
    const headers = sign(body, { scheme: standardWebhooks, secrets: ['whsec_c2VjcmV0'], id: 'msg_1' });

    expect(headers['webhook-timestamp']).toBe(String(Math.floor(Date.now() / 1000)));
  });

  it('signs with every secret during a rotation, where the header has room for it', () => {
    const both = sign(body, { scheme: timestamped, secrets: ['new', 'old'], at });
    const [fresh, old] = ['new', 'old'].map((secret) => sign(body, { scheme: timestamped, secrets: [secret], at }));

    expect(both['x-signature']).toBe(`${fresh?.['x-signature']},${old?.['x-signature']?.replace('t=1790000000,', '')}`);
    expect(sign(body, { secrets: ['new', 'old'] })).toEqual(sign(body, { secrets: ['new'] }));
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
    expect(() => sign(body, options)).toThrow(message);
  });
});
