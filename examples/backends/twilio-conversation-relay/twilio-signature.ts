import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * `X-Twilio-Signature`: the address as Twilio knows it, then name and value of each parameter of the form, by name; for
 * the handshake of a WebSocket the `wss://` address of the TwiML and no parameters.
 * https://www.twilio.com/docs/usage/security#validating-requests
 * https://www.twilio.com/docs/voice/conversationrelay/onboarding
 */
export const twilioSignature = (
  authToken: string,
  url: string,
  form: Readonly<Record<string, string>> = {},
): string => {
  const parameters = Object.entries(form).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHmac('sha1', authToken)
    .update([url, ...parameters.flat()].join(''))
    .digest('base64');
};

export const isSame = (expected: string, given: unknown): boolean => {
  const [one, other] = [Buffer.from(expected), Buffer.from(String(given))];
  return one.length === other.length && timingSafeEqual(one, other);
};
