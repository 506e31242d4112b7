import { InvalidArgumentError } from '../../core/errors.ts';
import type { Contact, ContactFields, MessagingClient } from '../../messaging/index.ts';
import { maskFields } from './mask-fields.ts';
import { requestOptions, stepKey, type StepOptions } from './step.ts';

/** Who is looked for, by phone, by e-mail or by both; and what a new contact gets. */
export interface IdentifyCallerInput {
  /** E.164. @defaultValue the number of the line */
  readonly phone?: string | undefined;
  /** @defaultValue the one that is known so far */
  readonly email?: string | undefined;
  /** What a new contact gets besides phone and e-mail, card numbers masked. A contact that is found is not changed. */
  readonly newContact?: Omit<ContactFields, 'phone' | 'email'> | undefined;
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
 * A phone number that several contacts share is decided by the e-mail, if one of them has it.
 * Creating repeats the key `callId:contact`; when the platform says that the contact exists, that one is taken.
 * Throws what the client throws, and `InvalidArgumentError` when neither phone nor e-mail is known.
 */
export const identifyCaller = async (
  { messaging }: { readonly messaging: MessagingClient },
  { callId, phone, email, newContact, madeBefore }: IdentifyCallerInput & KnownBefore,
  options: StepOptions = {},
): Promise<IdentifiedCaller> => {
  if (!phone && !email) throw new InvalidArgumentError('phone', 'or email must be given to identify a caller');
  const call = requestOptions(callId, options);
  const person = { phone: phone || undefined, email: email || undefined };

  if (madeBefore) {
    const found = await messaging.contacts.find(person, call);
    if (found) return { ...found, created: false };
    return { created: false, matchedBy: 'this_call', contact: madeBefore, ambiguous: false, count: 1 };
  }
  const fields = { ...maskFields(newContact ?? {}), ...person };
  const { contact, created, matchedBy, ambiguous, count } = await messaging.contacts.findOrCreate(fields, {
    ...call,
    idempotencyKey: stepKey(callId, 'contact'),
  });
  if (created || matchedBy === 'nothing')
    return { created: true, matchedBy: 'nothing', contact, ambiguous: false, count: 1 };
  return { created: false, matchedBy, contact, ambiguous, count };
};

interface KnownBefore {
  readonly callId: string;
  /** A contact that this phone call made before. Taken instead of making another: search may not know it yet. */
  readonly madeBefore?: Contact | undefined;
}
