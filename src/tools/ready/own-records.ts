import { isVerified } from '../context.ts';
import { notAllowed } from '../failures.ts';
import { type LookUp, verifiedCaller } from './right-person.ts';
import { refused, type ToolRule } from '../tool.ts';

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
