import { InvalidArgumentError, isClientError } from '../errors.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { Contact, ContactFields, ContactMatch, MessagingClient } from '../messaging/index.ts';
import { existingId } from './existing-id.ts';
import { maskFields } from './mask-fields.ts';
import { stepKey } from './step-key.ts';
import { requestOptions, type StepOptions } from './step-options.ts';

export interface IdentifyCallerInput {
  readonly callId: string;
  /** E.164. Often the number of the line. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  /** What a new contact gets beside phone and e-mail, card numbers masked. A contact that is found is not changed. */
  readonly newContact?: Omit<ContactFields, 'phone' | 'email'> | undefined;
  /** A contact that this phone call made before. Taken instead of making another: search may not know it yet. */
  readonly madeBefore?: Contact | undefined;
}

/** Who is on the phone, as far as the messaging platform knows. */
export type IdentifiedCaller =
  | {
      readonly created: false;
      /** `conflict`: creating it found that it exists. `this_call`: it was made earlier in this phone call. */
      readonly matchedBy: 'phone' | 'email' | 'conflict' | 'this_call';
      readonly contact: Contact;
      /** Several contacts match: ask for another detail before acting for this one. */
      readonly ambiguous: boolean;
      /** How many match. */
      readonly count: number;
    }
  | {
      readonly created: true;
      readonly matchedBy: 'nothing';
      readonly contact: Contact;
      readonly ambiguous: false;
      readonly count: 1;
    };

/**
 * Finds the caller's contact by phone, then by e-mail, and creates one when neither is known.
 * A phone number that several contacts share is decided by the e-mail, if that tells one of them.
 * Creating repeats the key `callId:contact`; a conflict on it looks again.
 * Throws what the client throws, and `InvalidArgumentError` when neither phone nor e-mail is given.
 */
export const identifyCaller = async (
  { messaging }: { readonly messaging: MessagingClient },
  input: IdentifyCallerInput,
  options: StepOptions = {},
): Promise<IdentifiedCaller> => {
  const { callId, phone, email, newContact, madeBefore } = input;
  if (!phone && !email) throw new InvalidArgumentError('phone', 'or email must be given to identify a caller');
  const call = requestOptions(callId, options);
  const idempotencyKey = stepKey(callId, 'contact');

  const found = await find(messaging, input, call);
  if (found) return found;
  if (madeBefore) return { created: false, matchedBy: 'this_call', contact: madeBefore, ambiguous: false, count: 1 };
  try {
    const fields = { ...maskFields(newContact ?? {}), ...(phone && { phone }), ...(email && { email }) };
    const contact = await messaging.contacts.create(fields, { ...call, idempotencyKey });
    return { created: true, matchedBy: 'nothing', contact, ambiguous: false, count: 1 };
  } catch (error) {
    if (!isClientError(error) || error.status !== 409) throw error;
    const existing = await findConflicting(messaging, input, existingId(error), call);
    if (!existing) throw error;
    return existing;
  }
};

const find = async (
  { contacts }: MessagingClient,
  { phone, email }: IdentifyCallerInput,
  call: RequestOptions,
): Promise<IdentifiedCaller | undefined> => {
  const byPhone = phone ? await contacts.findByPhone(phone, call) : undefined;
  if (byPhone && !byPhone.ambiguous) return matched('phone', byPhone);
  const byEmail = email ? await contacts.findByEmail(email, call) : undefined;
  if (byEmail && !(byPhone && byEmail.ambiguous)) return matched('email', byEmail);
  return byPhone && matched('phone', byPhone);
};

/** Somebody else made it meanwhile. A new contact may not be searchable yet, but the conflict can name it. */
const findConflicting = async (
  messaging: MessagingClient,
  input: IdentifyCallerInput,
  id: string | undefined,
  call: RequestOptions,
): Promise<IdentifiedCaller | undefined> => {
  const found = await find(messaging, input, call);
  if (found || id === undefined) return found;
  const contact = await messaging.contacts.get(id, call);
  return { created: false, matchedBy: 'conflict', contact, ambiguous: false, count: 1 };
};

const matched = (matchedBy: 'phone' | 'email', { contact, ambiguous, count }: ContactMatch): IdentifiedCaller => ({
  created: false,
  matchedBy,
  contact,
  ambiguous,
  count,
});
