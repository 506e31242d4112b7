import { InvalidArgumentError } from '../../core/errors.ts';
import { flag, isYes } from '../../core/option-checks.ts';
import { Refusal } from '../answer.ts';
import type { DeliveryRequest } from '../peer.ts';
import type { Authentication, AuthenticationStep } from './method.ts';

/**
 * The methods in the order in which they are checked. Throws `InvalidArgumentError` when there are none, and when there
 * are only weak ones, unless the events are declared informational.
 */
export const assertAuthentication = (
  methods: readonly Authentication[],
  { informational }: { readonly informational: boolean | undefined },
): readonly Authentication[] => {
  flag(informational, 'informational')();
  const refuse = (problem: string): never => {
    throw new InvalidArgumentError('authentication', problem);
  };
  if (!Array.isArray(methods) || methods.length === 0)
    return refuse('must hold at least one method, such as hmac({ secrets }): without one, anyone could send events');
  if (!methods.every(isMethod))
    return refuse('must be made by hmac, oauthBearer, mutualTls, sharedSecret, ipAllowlist');
  if (!informational && !methods.some(({ isStrong }) => isStrong))
    return refuse(
      'must hold hmac, oauthBearer or mutualTls, since its events cause actions; declare informational: true when they do not',
    );
  return methods.toSorted((a, b) => order.indexOf(a.step) - order.indexOf(b.step));
};

const order: readonly AuthenticationStep[] = ['address', 'credentials', 'signature'];

const isMethod = (value: unknown): value is Authentication =>
  typeof value === 'object' &&
  value !== null &&
  'check' in value &&
  typeof value.check === 'function' &&
  'isStrong' in value &&
  typeof value.isStrong === 'boolean' &&
  'step' in value &&
  order.some((step) => step === value.step);

/** Everything that the methods together know of a verified delivery. */
export interface Authenticated {
  readonly bytes: Uint8Array;
  readonly sender: string | undefined;
  readonly deliveryId: string | undefined;
  /** The secrets that proved it. */
  readonly secrets: readonly string[];
}

/**
 * Asks every method in its order. The body is read only once those that need none have agreed, and if it's signed at all.
 * Throws {@link Refusal} at the first that does not.
 */
export const authenticate = async (
  methods: readonly Authentication[],
  delivery: DeliveryRequest,
  readBytes: () => Promise<Uint8Array>,
): Promise<Authenticated> => {
  let sender: string | undefined;
  let deliveryId: string | undefined;
  let secrets: readonly string[] = [];
  const ask = async ({ check }: Authentication, bytes: Uint8Array | undefined) => {
    const result = await check(delivery, bytes);
    if (!result.accepted) throw new Refusal(result.status === 401 ? 'unauthorized' : 'forbidden', result.reason);
    // A method of an application's own may say anything.
    if (!isYes(result.accepted)) throw new Refusal('unauthorized', 'not_accepted');
    sender ??= result.sender;
    deliveryId ??= result.deliveryId;
    if (result.secrets) secrets = [...secrets, ...result.secrets];
  };

  for (const method of methods) if (method.step !== 'signature') await ask(method, undefined);
  if (methods.some(({ header }) => header !== undefined && !delivery.headers.has(header)))
    throw new Refusal('unauthorized', 'signature_missing');
  const bytes = await readBytes();
  for (const method of methods) if (method.step === 'signature') await ask(method, bytes);
  return { bytes, sender, deliveryId, secrets };
};
