import type { IdentifiedCaller } from './steps/identify-caller.ts';
import { isSamePhone } from '../phone/forms.ts';
import type { ToolCaller } from '../tools/index.ts';

/** The person on the phone, as far as the application knows. */
export interface Caller {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  /** In the messaging platform; only when exactly one contact matches. */
  readonly contactId?: string | undefined;
  /** `caller-id`: the number was transmitted, which can be forged. `strong`: the person proved who they are. */
  readonly verified: 'no' | 'caller-id' | 'strong';
}

/**
 * What is known of the caller after a contact was found for them.
 * The number of the line says nothing about a contact that was found by a spoken e-mail and has another number, nor
 * about another number that was spoken.
 */
export const knowCaller = (
  caller: Caller,
  given: { readonly phone?: string | undefined; readonly email?: string | undefined },
  { contact, ambiguous, matchedBy }: IdentifiedCaller,
): Caller => {
  const { phone = caller.phone, email = caller.email } = given;
  const isLine = caller.phone === undefined || (phone !== undefined && isSamePhone(caller.phone, phone));
  const hasNumber = phone !== undefined && isSamePhone(phone, contact.phone ?? '');
  const isByNumber = hasNumber || matchedBy === 'phone' || matchedBy === 'nothing' || matchedBy === 'this_call';
  return {
    phone,
    email,
    contactId: ambiguous ? undefined : contact.id,
    verified: caller.verified === 'caller-id' && !(isLine && isByNumber) ? 'no' : caller.verified,
  };
};

/**
 * The caller as tools take them: by what the line or the application said. What the person only said is not theirs
 * until it is verified; otherwise any caller could get another person's invoices by naming an e-mail.
 */
export const toToolCaller = (caller: Caller, verifiedDetails: Pick<Caller, 'phone' | 'email'>): ToolCaller => {
  const { phone = caller.phone, email = caller.email } = verifiedDetails;
  const claimed = (['phone', 'email'] as const).filter((detail) => caller[detail] && !verifiedDetails[detail]);
  if (caller.verified === 'strong') return caller;
  return { ...caller, phone, email, claimed: claimed.length > 0 ? claimed : undefined };
};
