import type { Json } from '../../stores/ports/json.ts';
import type { PersonToProve, VerifyChannel } from './verify-options.ts';

/** The proof of one phone call, which all processes that share the store know. */
export interface Verification {
  /** Uses what is known so far. */
  read<Result>(use: (state: VerificationState) => Result): Promise<Result>;
  /** Changes it; changes of one phone call follow one another. */
  change<Result>(change: (state: VerificationState) => Result): Promise<Result>;
  /** The number of this phone call's line; `null` if there's none. */
  line(): string | null;
  /** Takes the proof for the caller in this process. */
  prove(person: PersonToProve): void;
  /** Keeps what the caller said out of everything that's written down. */
  hideCode(code: string): void;
  hideAnswer(answer: string): void;
}

/** Everything that the tries of one phone call depend on. JSON can say all of it. */
export interface VerificationState {
  /** The checks so far, of codes and answers. */
  tries: number;
  /** The codes that were sent, or may have been. */
  codesSent: number;
  /** The lengths of the codes that were checked, for what's written down later. */
  lengths: number[];
  /** The code that counts now. */
  open?: OpenCode | undefined;
  /** The right answers so far, and whose. */
  answers?: { readonly whose: Whose; readonly right: number } | undefined;
  /** The caller who has proved it. There's none for a phone call without a number. */
  proof?: { readonly line: string; readonly person: PersonToProve } | undefined;
}

/** A code that was sent. */
export interface OpenCode {
  readonly id: string;
  readonly whose: Whose;
  readonly to: string;
  readonly channel: VerifyChannel;
  readonly sentAt: number;
  /** The result of the application's `sendCode`. */
  readonly sent?: Json | undefined;
}

/** The line, and the records that were the caller's then: a code counts for no other person. */
export interface Whose {
  readonly line: string | null;
  readonly contactId: string | null;
  readonly customerId: string | null;
}

export const startVerification = (kept?: unknown): VerificationState =>
  // Only `toJson` of this state writes it.
  (kept as VerificationState | undefined) ?? { tries: 0, codesSent: 0, lengths: [] };

/** Returns whether it's this caller's. On one line, a process that hasn't identified them yet takes the contact from there. */
export const isSame = (kept: Whose, { line, contactId, customerId }: Whose): boolean =>
  kept.line === line &&
  kept.customerId === customerId &&
  (kept.contactId === contactId || (line !== null && contactId === null));

/** Begins to send a code: it's counted before anything is sent. */
export const beginCode = (
  state: VerificationState,
  code: OpenCode,
): 'too_many_tries' | 'too_many_codes' | undefined => {
  if (state.tries >= mostTries) return 'too_many_tries';
  if (state.codesSent >= mostCodes) return 'too_many_codes';
  state.codesSent += 1;
  state.open = code;
  return undefined;
};

/** The code was certainly not sent. */
export const takeBackCode = (state: VerificationState, id: string): void => {
  state.codesSent -= 1;
  if (state.open?.id === id) state.open = undefined;
};

/** Begins a check: the try counts before anything is asked, so that no process has one of its own. */
export const beginCheck = (
  state: VerificationState,
  { whose, length, now }: { readonly whose: Whose; readonly length: number; readonly now: number },
):
  | { readonly open: OpenCode; readonly isLastTry: boolean }
  | 'too_many_tries'
  | 'send_a_code_first'
  | 'code_expired' => {
  const { open } = state;
  if (state.tries >= mostTries) return 'too_many_tries';
  if (!open || !isSame(open.whose, whose)) return 'send_a_code_first';
  if (!(now - open.sentAt < codeMs)) {
    state.open = undefined;
    return 'code_expired';
  }
  countTry(state);
  if (!state.lengths.includes(length)) state.lengths.push(length);
  return { open, isLastTry: state.tries >= mostTries };
};

/** Counts a try. */
export const countTry = (state: VerificationState): void => {
  state.tries += 1;
};

export const triesLeft = ({ tries }: VerificationState): number => Math.max(0, mostTries - tries);

/** The caller has proved to be this person. A phone call without a number keeps it in its own process. */
export const keepProof = (state: VerificationState, { line }: Whose, person: PersonToProve): void => {
  state.open = undefined;
  state.answers = undefined;
  state.proof = line === null ? undefined : { line, person };
};

/** Someone else may be on the phone: what was begun or proved counts no longer. Tries stay counted. */
export const forgetProof = (state: VerificationState): void => {
  state.open = undefined;
  state.answers = undefined;
  state.proof = undefined;
};

/** In one phone call, whichever person speaks: sending again doesn't renew them. */
export const mostTries = 3;
const mostCodes = 3;

/** The time for which platforms keep a code. */
export const codeMs = 10 * 60_000;
