import { isE164 } from '../arguments.ts';

/** Words on a telephone's keys, which Twilio gives for a number that's withheld. */
const withheld = new Set(
  ['ANONYMOUS', 'RESTRICTED', 'BLOCKED', 'UNKNOWN', 'UNAVAILABLE'].map(
    (word) => `+${word.replace(/./g, (letter) => String('22233344455566677778889999'[letter.charCodeAt(0) - 65]))}`,
  ),
);

/**
 * The caller's number as `startPhoneCall` takes it: what the telephone platform says if that's a number in E.164, else
 * `undefined`. Platforms write `anonymous`, `Restricted`, `+266696687`, a SIP address or a client's name where there's no
 * number. For a number without `+` or country, use `parsePhone`.
 *
 * @example
 * integration.startPhoneCall({ callId, direction: 'inbound', phone: callerNumber(request.body.From) });
 */
export const callerNumber = (said: string | null | undefined): string | undefined =>
  typeof said === 'string' && isE164(said) && said.length > 7 && !withheld.has(said) ? said : undefined;
