import { nodeCrypto } from '../node-crypto.ts';
import type { Json } from '../ports/json.ts';
import { canonicalJson } from './canonical-json.ts';

/** What makes a payment this payment and no other. */
export interface PaymentFacts {
  readonly tenant: string | undefined;
  readonly tool: string;
  /** What is paid: two payments for the same are one. */
  readonly what: Json;
  /** What it's paid with. Another card is another try of the same payment. */
  readonly by: Json;
  /** The application's word for a second payment on purpose. */
  readonly intent: string | undefined;
}

/** The same for the same payment, in any phone call and process. It reveals nothing about what it was made from. */
export const paymentIntent = ({ tenant, tool, what, intent }: PaymentFacts): string =>
  sha256(canonicalJson([tenant ?? null, tool, what, intent ?? null]));

/** The idempotency key of one try of a payment within one phone call. */
export const paymentKey = (intent: string, by: Json, callId: string, ordinal: number): string =>
  sha256(canonicalJson([intent, by, callId, ordinal]));

const sha256 = (text: string) => nodeCrypto().createHash('sha256').update(text).digest('hex');
