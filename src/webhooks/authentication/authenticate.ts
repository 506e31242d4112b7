import { isYes } from '../../core/option-checks.ts';
import { Refusal } from '../answer.ts';
import type { Arrival } from '../peer.ts';
import type { Authentication } from './method.ts';

/** What all methods together know of a genuine delivery. */
export interface Authenticated {
  readonly bytes: Uint8Array;
  readonly sender: string | undefined;
  readonly deliveryId: string | undefined;
  /** What proved it. */
  readonly secrets: readonly string[];
}

/**
 * Asks every method in its order. The body is read only once those that need none have agreed, and if it's signed at all.
 * Throws {@link Refusal} at the first that does not.
 */
export const authenticate = async (
  methods: readonly Authentication[],
  arrival: Arrival,
  readBytes: () => Promise<Uint8Array>,
): Promise<Authenticated> => {
  let sender: string | undefined;
  let deliveryId: string | undefined;
  let secrets: readonly string[] = [];
  const ask = async ({ check }: Authentication, bytes: Uint8Array | undefined) => {
    const result = await check(arrival, bytes);
    if (!result.accepted) throw new Refusal(result.status === 401 ? 'unauthorized' : 'forbidden', result.reason);
    // A method of an application's own may say anything.
    if (!isYes(result.accepted)) throw new Refusal('unauthorized', 'not_accepted');
    sender ??= result.sender;
    deliveryId ??= result.deliveryId;
    if (result.secrets) secrets = [...secrets, ...result.secrets];
  };

  for (const method of methods) if (method.step !== 'signature') await ask(method, undefined);
  if (methods.some(({ header }) => header !== undefined && !arrival.headers.has(header)))
    throw new Refusal('unauthorized', 'signature_missing');
  const bytes = await readBytes();
  for (const method of methods) if (method.step === 'signature') await ask(method, bytes);
  return { bytes, sender, deliveryId, secrets };
};
