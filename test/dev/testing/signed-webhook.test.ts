import { expect, it } from 'vitest';
import { forgedWebhooks, signedWebhook } from '../../../src/dev/testing/index.ts';
import type { SignedWebhook } from '../../../src/dev/testing/signed-webhook.ts';
import { hmac } from '../../../src/webhooks/authentication/hmac.ts';
import {
  retell,
  type SignatureScheme,
  standardWebhooks,
  timestamped,
  xSignature,
} from '../../../src/webhooks/index.ts';
import { makeReceiver, payment } from '../../webhooks/receiver-parts.ts';

const schemes: readonly [string, SignatureScheme, secret: string][] = [
  ['X-Signature', xSignature, 'shared'],
  ['Standard Webhooks', standardWebhooks, 'whsec_c2hhcmVkLXNlY3JldA=='],
  ['Retell', retell, 'shared'],
];

const receiveWith = (scheme: SignatureScheme, secret: string) => {
  const { receive, handled } = makeReceiver({ authentication: [hmac({ secrets: () => secret, scheme })] });
  return {
    handled,
    statusOf: async ({ body, headers }: SignedWebhook) =>
      (await receive(new Request('https://hook.test/billing', { method: 'POST', body, headers }))).status,
  };
};

it.each(schemes)('a delivery by %s is genuine to a receiver', async (_name, scheme, secret) => {
  const { statusOf, handled } = receiveWith(scheme, secret);

  expect(await statusOf(signedWebhook({ secret, scheme, body: payment() }))).toBe(204);
  expect(handled).toMatchObject([{ payload: payment() }]);
});

it.each(schemes)('each forgery by %s is refused', async (_name, scheme, secret) => {
  const { statusOf, handled } = receiveWith(scheme, secret);
  const forged = forgedWebhooks({ secret, scheme, body: payment() });
  const statuses: unknown[] = [];
  for (const webhook of forged) statuses.push([webhook.forgery, await statusOf(webhook)]);

  const usual = [
    ['without a signature', 401],
    ['signed with another secret', 401],
    ['whose body was changed', 401],
  ];
  expect(statuses).toEqual(scheme.timestamp ? [...usual, ['signed a day ago', 401]] : usual);
  expect(handled).toEqual([]);
});

it('signs a text as it is, and at the moment that it is given', () => {
  const { body, headers } = signedWebhook({ secret: 'shared', scheme: timestamped, body: 'raw  text', at: 1_000_999 });

  expect(body).toBe('raw  text');
  expect(headers).toEqual({
    'content-type': 'application/json',
    'x-signature': expect.stringMatching(/^t=1000,v1=[0-9a-f]{64}$/),
  });
});

it('refuses a body that JSON cannot hold', () => {
  expect(() => signedWebhook({ secret: 'shared', body: undefined })).toThrow(
    'body must be text, or what JSON can hold',
  );
});
