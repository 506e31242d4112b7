import { nodeCrypto } from '../node-crypto.ts';
import type { JsonObject } from '../ports/json.ts';
import { canonicalJson } from './canonical-json.ts';

/** What makes a payment this payment and no other. */
export interface PaymentFacts {
  readonly tenant: string | undefined;
  readonly tool: string;
  /** The checked business arguments, those included that the application supplied. */
  readonly args: JsonObject;
  /** The application's word for a second payment on purpose. */
  readonly intent: string | undefined;
}

/** The same for the same payment, in whichever phone call and process. Tells nothing of what it was made from. */
export const paymentIntent = ({ tenant, tool, args, intent }: PaymentFacts): string =>
  sha256(canonicalJson([tenant ?? null, tool, args, intent ?? null]));

/** The idempotency key of one try of a payment within one phone call. */
export const paymentKey = (intent: string, callId: string, ordinal: number): string =>
  sha256(canonicalJson([intent, callId, ordinal]));

const sha256 = (text: string) => nodeCrypto().createHash('sha256').update(text).digest('hex');
