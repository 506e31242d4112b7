import { InvalidArgumentError } from '../../core/errors.ts';
import type { Contact, ContactFields, FoundContact, MessagingClient } from '../../messaging/index.ts';
import { assertSpelled, type OptionNames } from '../../core/option-checks.ts';
import { isSamePhone } from '../../phone/forms.ts';
import { maskFields } from './mask-fields.ts';
import { clientOf, type OngoingCall, type Scope } from './ongoing-call.ts';
import type { Caller } from './state.ts';
import { requestOptions, stepKey, type StepOptions } from './step.ts';

/** The person to look for, by phone, e-mail or both; and fields for a new contact. */
export interface IdentifyCallerInput {
  /** E.164. @defaultValue the number of the line */
  readonly phone?: string | undefined;
  /** @defaultValue the one that is known so far */
  readonly email?: string | undefined;
  /** Further fields for a new contact, card numbers masked. A contact that is found is not changed. */
  readonly newContact?: Omit<ContactFields, 'phone' | 'email'> | undefined;
}

/** The person on the phone, as far as the messaging platform knows. */
export type IdentifiedCaller =
  | {
      readonly created: false;
      /** `conflict`: creating it found that it exists. `this_call`: it was made earlier in this phone call. */
      readonly matchedBy: 'phone' | 'email' | 'conflict' | 'this_call';
      readonly contact: Contact;
      /** Several contacts match: ask for another detail before acting for this one. */
      readonly ambiguous: boolean;
      /** The number of matches. */
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

/** The contact of a person that was read before a step needed it. */
export type TakeContact = (person: Pick<Caller, 'phone' | 'email'>, within: Scope) => Promise<FoundContact | undefined>;

/** {@link identifyCaller} in a phone call: by all that is known so far; its other steps know the contact from then on. */
export const identifyCallerStep =
  ({ facts, settings, state, within, ...call }: OngoingCall, takeContact?: TakeContact) =>
  async (input: IdentifyCallerInput = {}, options?: StepOptions): Promise<IdentifiedCaller> => {
    assertSpelled(input, inputNames);
    const { phone = state.caller.phone, email = state.caller.email } = input;
    const scope = within(options);
    const found = await takeContact?.({ phone, email }, scope);
    const identified: IdentifiedCaller = found
      ? { ...found, created: false }
      : await identifyCaller(
          { messaging: clientOf(call, 'messaging') },
          { ...input, callId: facts.callId, phone, email, madeBefore: state.madeContact },
          { ...settings, ...scope },
        );
    if (identified.created) state.madeContact = identified.contact;
    state.found = identified.ambiguous ? undefined : { contact: identified.contact, at: performance.now() };
    state.caller = knowCaller(state.caller, input, identified);
    return identified;
  };

const inputNames: OptionNames<IdentifyCallerInput> = { phone: true, email: true, newContact: true };

/**
 * Adds to the caller the facts of the found contact. A number of the line verifies no contact that has another number and
 * was found by a spoken e-mail. It verifies no other number that was spoken either.
 */
const knowCaller = (
  caller: Caller,
  by: { readonly phone?: string | undefined; readonly email?: string | undefined },
  { contact, ambiguous, matchedBy }: IdentifiedCaller,
): Caller => {
  const { phone = caller.phone, email = caller.email } = by;
  const isLine = caller.phone === undefined || (phone !== undefined && isSamePhone(caller.phone, phone));
  const hasNumber = phone !== undefined && isSamePhone(phone, contact.phone ?? '');
  const isByNumber = hasNumber || matchedBy === 'phone' || matchedBy === 'nothing' || matchedBy === 'this_call';
  return {
    ...caller,
    phone,
    email,
    contactId: ambiguous ? undefined : contact.id,
    verified: caller.verified === 'caller-id' && !(isLine && isByNumber) ? 'no' : caller.verified,
  };
};
