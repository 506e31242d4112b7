import { isE164 } from '../arguments.ts';

/**
 * The caller's number as `startPhoneCall` takes it: what the telephone platform says if that's a number in E.164, else
 * `undefined`. Platforms write `anonymous`, `Restricted`, a SIP address or a client's name where there's no number.
 *
 * @example
 * integration.startPhoneCall({ callId, direction: 'inbound', phone: callerNumber(request.body.From) });
 */
export const callerNumber = (said: string | null | undefined): string | undefined =>
  typeof said === 'string' && isE164(said) && said.length > 7 ? said : undefined;
