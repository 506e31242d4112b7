import { isSamePhone } from '../../phone/forms.ts';
import { e164, email } from '../../core/arguments.ts';
import type { IdentifiedCaller } from '../../phone-call/steps/identify-caller.ts';
import * as z from '../../core/schema.ts';
import { isVerified, type ToolCaller, type ToolContext } from '../context.ts';
import { type FieldProblem, refused, type ToolRule } from '../tool.ts';
import type { BillingClient, Customer } from '../../billing/index.ts';
import { AmbiguousError } from '../../core/errors.ts';
import { readingOf, type RequestOptions } from '../../http/operation.ts';
import { notAllowed } from '../failures.ts';

/** The details by which a caller, or a model, names a person. */
export interface PersonDetails {
  readonly phone?: string | null | undefined;
  readonly email?: string | null | undefined;
}

/** The two arguments by which a person is found. A model leaves both out for the caller. */
export const personParameters: z.LazySchema<PersonDetails> = z.lazily(() =>
  z.object({
    phone: z.nullish(e164()).check(z.describe('E.164. Leave out for the caller.')),
    email: z.nullish(email()).check(z.describe('Leave out for the caller.')),
  }),
);

/** `caller`: only the person on the phone. `anyone`: any person the model asks for. */
export type LookUp = 'caller' | 'anyone';

export const lookUps: readonly LookUp[] = ['caller', 'anyone'];

/** Returns whether the model may look for any person. */
export const mayFindAnyone = ({ verified, isOwnOnly }: ToolCaller, lookup: LookUp): boolean =>
  lookup === 'anyone' || (verified === 'strong' && isOwnOnly !== true);

/** Refuses to look another person up, unless that is allowed or the caller has proved who they are. */
export const otherPersonProblem = (
  { phone, email }: PersonDetails,
  caller: ToolCaller,
  lookup: LookUp,
): FieldProblem | undefined => {
  if (mayFindAnyone(caller, lookup)) return undefined;
  if (phone && !caller.phone)
    return {
      field: 'phone',
      problem: "can't be checked: no number was transmitted. Leave it out, or offer a colleague",
    };
  if (phone && phone !== caller.phone)
    return { field: 'phone', problem: 'must be the number of the caller: leave it out, or use null' };
  if (email && email.toLowerCase() !== caller.email?.toLowerCase()) {
    return { field: 'email', problem: 'must be the address of the caller: leave it out, or use null' };
  }
  return undefined;
};

/** Returns whether a caller may learn about the found contact: not if only their own words led to it. */
export const isDisclosable = (
  { contact, matchedBy }: Pick<IdentifiedCaller, 'contact' | 'matchedBy'>,
  caller: ToolCaller,
  lookup: LookUp,
): boolean => {
  if (mayFindAnyone(caller, lookup)) return true;
  if (caller.verified === 'no') return false;
  const byNumber: readonly IdentifiedCaller['matchedBy'][] = ['phone', 'this_call', 'nothing'];
  if (caller.isOwnOnly && caller.contactId === contact.id) return true;
  return byNumber.includes(matchedBy) || (!!caller.phone && isSamePhone(caller.phone, contact.phone ?? ''));
};

/** The caller without what they only said, which may be another person's. */
export const verifiedCaller = (caller: ToolCaller, lookup: LookUp): ToolCaller => {
  const { claimed = [] } = caller;
  if (claimed.length === 0 || mayFindAnyone(caller, lookup)) return caller;
  return { ...caller, ...Object.fromEntries(claimed.map((detail) => [detail, undefined])) };
};

/** Chooses the person to look for: the one in the arguments, else the caller. */
export const personToFind = (
  { phone, email }: PersonDetails,
  { caller }: Pick<ToolContext, 'caller'>,
): { readonly phone: string | undefined; readonly email: string | undefined } =>
  phone || email
    ? { phone: phone ?? undefined, email: email ?? undefined }
    : { phone: caller.phone, email: caller.email };

/** Returns the customer whom the application named, if it's certain enough who is calling. */
export const namedCustomerId = (caller: ToolCaller): string | undefined =>
  isVerified(caller, 'caller-id') ? caller.customerId || undefined : undefined;

/** Returns whether the arguments name no one but the caller, whose own details a model may repeat. */
export const isCaller = ({ phone, email }: PersonDetails, caller: ToolCaller): boolean =>
  (!phone || phone === caller.phone) && (!email || email.toLowerCase() === caller.email?.toLowerCase());

/**
 * Finds the customer with this number, else with this address. The address decides where several share the number.
 * Throws `AmbiguousError` where it stays ambiguous.
 */
export const findCustomer = async (
  { customers }: Pick<BillingClient, 'customers'>,
  { phone, email }: PersonDetails,
  request: RequestOptions,
): Promise<Customer | undefined> => {
  const byEmail = async () => (email ? customers.find({ email }, request) : undefined);
  if (!phone) return byEmail();
  try {
    return (await customers.find({ phone }, request)) ?? (await byEmail());
  } catch (error) {
    const decided = error instanceof AmbiguousError ? await byEmail() : undefined;
    if (!decided) throw error;
    return decided;
  }
};

/** Finds the caller's own customer: the one whom the application named, or who has the details that are certain. */
export const findOwnCustomer = async (
  billing: Pick<BillingClient, 'customers'>,
  { caller, request }: Pick<ToolContext, 'caller' | 'request'>,
  lookup: LookUp,
): Promise<Customer | undefined> => {
  const call = readingOf(request);
  const named = namedCustomerId(caller);
  return named ? billing.customers.get(named, call) : findCustomer(billing, verifiedCaller(caller, lookup), call);
};

/** {@link ownDetails}, unless the application has named the customer. */
export const ownCustomer =
  (lookup: LookUp, effect: 'read' | 'write'): ToolRule<object> =>
  (args, context) =>
    namedCustomerId(context.caller) ? undefined : ownDetails(lookup, effect)(args, context);

/** Refuses until the line or the application says who is calling, so that no stranger's record is read or written. */
const ownRecords =
  (lookup: LookUp, effect: 'read' | 'write'): ToolRule<object> =>
  (_args, { caller }) =>
    lookup === 'anyone' || isVerified(caller, 'caller-id')
      ? undefined
      : refused(notAllowed('verification_required', effect).value);

/** {@link ownRecords}, and refuses a caller of whom neither phone nor e-mail is certain: there's nothing to look for. */
export const ownDetails =
  (lookup: LookUp, effect: 'read' | 'write'): ToolRule<object> =>
  (args, context) => {
    const { phone, email } = verifiedCaller(context.caller, lookup);
    return (
      ownRecords(lookup, effect)(args, context) ??
      (phone || email ? undefined : refused(notAllowed('identify_caller_first', effect).value))
    );
  };

/** {@link ownRecords}, and refuses until the caller has been identified: `caller.contactId` is known after it. */
export const ownContact =
  (lookup: LookUp, effect: 'read' | 'write'): ToolRule<object> =>
  (args, context) =>
    ownRecords(lookup, effect)(args, context) ??
    (context.caller.contactId ? undefined : refused(notAllowed('identify_caller_first', effect).value));
