import { InvalidArgumentError } from '../core/errors.ts';
import type { PaymentsOfCall } from '../tools/payment-rules.ts';
import type { LineCaller } from './line-phone.ts';
import type { Caller, PhoneCallState } from './steps/state.ts';

/** The facts that name the person and their conversation. */
interface Facts extends Omit<Caller, 'phone' | 'verified'> {
  readonly verified?: Caller['verified'] | undefined;
  readonly conversationId?: string | undefined;
  readonly payments?: PaymentsOfCall | undefined;
}

interface LateFactsOptions {
  readonly callId: string;
  readonly state: PhoneCallState;
  /** The facts at the start of the phone call. */
  readonly start: Facts;
  /** Makes the rules of payments stricter. Throws for what is looser than they are. */
  readonly narrow: (payments: PaymentsOfCall) => void;
  readonly verify: LineCaller['verify'];
}

/**
 * Takes a customer who wasn't known when the phone call started, a caller who isn't to be trusted, and stricter rules of
 * payments. Throws `InvalidArgumentError` for looser ones, and for a fact that isn't the one that the phone call has. It
 * would be ignored, or is another person's.
 */
export const createLateFacts = ({
  callId,
  state,
  start,
  narrow,
  verify,
}: LateFactsOptions): ((said: Facts) => void) => {
  let { verified } = start;
  return (said) => {
    const known: Facts = { ...start, verified, customerId: state.caller.customerId };
    for (const [name, advice] of factsToKeep) {
      const [before, now] = [known[name], said[name]];
      if (now === undefined || before === undefined || now === before) continue;
      // An address is personal.
      const values = name === 'email' ? `isn't that of call ${callId}` : `is ${now}, and call ${callId} has ${before}`;
      throw new InvalidArgumentError(name, `${values}: ${advice}`);
    }
    if (said.payments !== undefined) narrow(said.payments);
    if (said.customerId !== undefined) state.caller = { ...state.caller, customerId: said.customerId };
    if (verified === undefined && said.verified === 'no') verify((verified = 'no'));
  };
};

const factsToKeep = [
  ['customerId', 'another customer has another call id'],
  ['contactId', 'another contact has another call id'],
  ['conversationId', 'give the conversation when the call starts'],
  ['email', 'another person has another call id'],
  ['verified', 'call phoneCall.verifyCaller(…)'],
] as const;
