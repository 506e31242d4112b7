import { InvalidArgumentError } from '../core/errors.ts';
import { paymentRuleNames, type OwnPayments, type PaymentsOfCall } from '../tools/payment-rules.ts';
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
  /** The facts at the start of the phone call, and its rules. */
  readonly start: Facts;
  readonly rules: PaymentsOfCall | undefined;
  readonly rulesFor: OwnPayments['rulesFor'];
  readonly verify: LineCaller['verify'];
}

/**
 * Takes a customer who wasn't known when the phone call started, and a caller who isn't to be trusted. Throws
 * `InvalidArgumentError` for a fact that isn't the one that the phone call has: it would be ignored, or is another person's.
 */
export const createLateFacts = ({
  callId,
  state,
  start,
  rules,
  rulesFor,
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
    if (said.payments !== undefined)
      assertSameRules(callId, rules && rulesFor(start.payments ?? {}), rulesFor(said.payments));
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

const assertSameRules = (callId: string, before: PaymentsOfCall | undefined, now: PaymentsOfCall | undefined): void => {
  for (const name of paymentRuleNames) {
    const [was, is] = [ruleIn(before, name), ruleIn(now, name)];
    if (was !== is)
      throw new InvalidArgumentError(
        `payments.${name}`,
        `is ${is}, and call ${callId} has ${was}: give the rules when the call starts, or the same again`,
      );
  }
};

/** Two functions can't be compared: an application may write the same one again. */
const ruleIn = (rules: PaymentsOfCall | undefined, name: (typeof paymentRuleNames)[number]): unknown => {
  const rule = rules ? rules[name] : undefined;
  return typeof rule === 'function' ? 'a function' : rule;
};
