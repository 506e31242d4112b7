import { readTransmittedNumber, unreadNumber } from './steps/caller-number.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { ToolCaller } from '../tools/context.ts';
import { isSamePhone } from '../phone/forms.ts';
import type { Report } from '../tools/on-error.ts';
import type { PersonToProve } from '../tools/verification/verify-options.ts';
import type { Caller, PhoneCallState } from './steps/state.ts';

/** Reads a number without a country code, as a telephone platform says it. Returns it in E.164, or `undefined`. */
export type ReadPhone = (text: string) => string | undefined;

/** The number of the line in E.164; `undefined` where it isn't certain. Reports all but a withheld one, and never throws. */
export const readLinePhone = (
  text: unknown,
  {
    callId,
    readPhone,
    report,
  }: { readonly callId: string; readonly readPhone: ReadPhone | undefined; readonly report: Report },
): string | undefined => {
  const number = readTransmittedNumber(text);
  if (number.is === 'number') return number.phone;
  const complain = (error: InvalidArgumentError | undefined) => {
    if (error) report(error, { part: 'phone-call', callId });
  };
  if (number.is !== 'national' || !readPhone) {
    complain(unreadNumber(number, callId, "give createIntegration readPhone: phoneReader({ defaultCountry: 'US' })"));
    return undefined;
  }
  const wrong = (problem: string, cause?: unknown) =>
    new InvalidArgumentError('readPhone', problem, {
      message: `readPhone ${problem}: the caller of call ${callId} counts as unknown`,
      cause,
    });
  try {
    const answer: unknown = readPhone(number.text);
    const read = readTransmittedNumber(answer);
    if (read.is === 'number') return read.phone;
    if (answer !== undefined && answer !== null) complain(wrong('must return a number in E.164, or undefined'));
  } catch (error) {
    complain(wrong('threw an error', error));
  }
  return undefined;
};

/** The caller as the line and the application know them. */
export interface LineCaller {
  /** The caller as far as known. Once they have proved who they are: as what they have proved to be. */
  current(): Caller;
  /** The number of the line. */
  line(): string | undefined;
  /** Takes a proof. It counts as long as the caller's records are the ones that it is about. */
  prove(person: PersonToProve): void;
  /** The proof counts no longer. */
  disprove(): void;
  /** The caller as tools take them. */
  forTools(): ToolCaller;
  verify(verified: Caller['verified']): void;
  /**
   * Takes the number of the line if there was none yet. Returns the one that counts. It says nothing about a person who
   * has proved who they are, and verifies no contact that was found by other words of the caller.
   */
  takeLateNumber(late: string): string;
}

export const createLineCaller = (state: PhoneCallState, said: Caller['verified'] | undefined): LineCaller => {
  const { contactId: given } = state.caller;
  let { phone: line } = state.caller;
  let isTrusted = said !== 'no';
  let verifiedDetails: Pick<Caller, 'phone' | 'email'> = { phone: line, email: state.caller.email };
  let proof: PersonToProve | undefined;
  /** The person whom the caller has proved to be, and nothing else that is known of them. */
  const proven = (): Caller | undefined => {
    if (!proof) return undefined;
    const { contactId, customerId } = state.caller;
    const isTheirs = (contactId ?? proof.contactId) === proof.contactId && customerId === proof.customerId;
    return isTheirs ? { ...proof, verified: 'strong' } : undefined;
  };
  return {
    current: () => proven() ?? state.caller,
    line: () => line,
    prove: (person) => {
      proof = person;
      // A new process knows the line alone.
      if (state.caller.contactId === undefined && person.contactId !== undefined)
        state.caller = { ...state.caller, contactId: person.contactId };
    },
    disprove: () => {
      proof = undefined;
    },
    forTools: () => {
      const own = proven();
      if (own) return { ...own, isOwnOnly: true, isOnLine: own.phone !== undefined && own.phone === line };
      return {
        ...toToolCaller(state.caller, verifiedDetails),
        isOnLine: isTrusted && line !== undefined && verifiedDetails.phone === line,
      };
    },
    verify: (verified) => {
      proof = undefined;
      state.caller = { ...state.caller, verified };
      isTrusted = verified !== 'no';
      if (verified !== 'no') verifiedDetails = state.caller;
    },
    takeLateNumber: (late) => {
      if (line !== undefined) return line;
      line = late;
      const { verified, phone: spoken, contactId: found } = state.caller;
      if (verified === 'strong') return line;
      const contactId = spoken !== undefined && isSamePhone(late, spoken) ? found : given;
      state.caller = { ...state.caller, phone: late, contactId, verified: isTrusted ? 'caller-id' : 'no' };
      verifiedDetails = { ...verifiedDetails, phone: late };
      return line;
    },
  };
};

/**
 * The caller as tools take them: by what the line or the application said. What the person only said is not theirs
 * until it is verified; otherwise any caller could get another person's invoices by naming an e-mail.
 */
const toToolCaller = (caller: Caller, verifiedDetails: Pick<Caller, 'phone' | 'email'>): ToolCaller => {
  const { phone = caller.phone, email = caller.email } = verifiedDetails;
  const claimed = (['phone', 'email'] as const).filter((detail) => caller[detail] && !verifiedDetails[detail]);
  if (caller.verified === 'strong') return caller;
  return { ...caller, phone, email, claimed: claimed.length > 0 ? claimed : undefined };
};
