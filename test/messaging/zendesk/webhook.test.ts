import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { zendeskSignature } from '../../../src/messaging/zendesk/index.ts';
import { signBytes } from '../../../src/signature/sign.ts';
import { verifyBytes } from '../../../src/signature/verify.ts';

const body = '{"type":"zen:event-type:ticket.created"}';
const secret = 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==';
const at = Date.UTC(2026, 10, 23, 14, 0, 7);

test('a webhook is signed as Zendesk describes it', () => {
  expect(signBytes(body, { secrets: [secret], scheme: zendeskSignature, at })).toEqual({
    'x-zendesk-webhook-signature': createHmac('sha256', secret).update(`2026-11-23T14:00:07Z${body}`).digest('base64'),
    'x-zendesk-webhook-signature-timestamp': '2026-11-23T14:00:07Z',
  });
});

test.each([
  ['now', 0, 'valid'],
  ['six minutes ago', -360_000, 'too_old'],
  ['in six minutes', 360_000, 'too_new'],
])('a webhook that was signed %s', (_, moved, verdict) => {
  const headers = signBytes(body, { secrets: [secret], scheme: zendeskSignature, at: Date.now() + moved });
  const found = verifyBytes(Buffer.from(body), { headers, secrets: [secret], scheme: zendeskSignature });
  expect(found.valid ? 'valid' : found.reason).toBe(verdict);
});

test.each(['1763906407', '2026-13-01T00:00:00Z', ''])('a time that reads %s is refused', (moment) => {
  const headers = {
    ...signBytes(body, { secrets: [secret], scheme: zendeskSignature }),
    'x-zendesk-webhook-signature-timestamp': moment,
  };
  expect(verifyBytes(Buffer.from(body), { headers, secrets: [secret], scheme: zendeskSignature }).valid).toBe(false);
});
