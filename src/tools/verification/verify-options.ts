import { assertKnown, must, type OptionCheck, type OptionNames } from '../../core/option-checks.ts';
import type { Json } from '../../stores/ports/json.ts';
import type { ToolContext } from '../context.ts';
import type { Refusal } from '../tool.ts';

/** The way in which a caller proves who they are: by a code, or by questions. */
export type VerificationOptions = VerifyByCode | VerifyByQuestions;

/** The parts that both ways have. */
interface VerifyRecord {
  /**
   * Finds the number and the address that you have on file for the caller.
   * @defaultValue the caller's contact, and their customer if `customerId` names one or there's no messaging platform
   */
  readonly record?:
    | ((context: ToolContext) => PersonOnRecord | undefined | Promise<PersonOnRecord | undefined>)
    | undefined;
}

/** `send_verification_code` and `check_verification_code`: three tries in a phone call, each code for ten minutes. */
export interface VerifyByCode extends VerifyRecord {
  /**
   * Sends a code to a number or address on file. What it returns comes back in `checkCode`, such as the id of a
   * verification. `refused(…)`: nothing was sent, and the model reads why.
   */
  readonly sendCode: (code: CodeToSend, context: ToolContext) => SentCode | Promise<SentCode>;
  /** Checks a code. Only `approved` counts. Whatever it throws leaves the end unknown, and a new code is needed. */
  readonly checkCode: (code: CodeToCheck, context: ToolContext) => CodeVerdict | Promise<CodeVerdict>;
  readonly questions?: undefined;
}

/** `ask_security_question` and `check_security_answer`: all must be answered, with three tries in a phone call. */
export interface VerifyByQuestions extends VerifyRecord {
  /** The questions, in their order. */
  readonly questions: readonly SecurityQuestion[];
  readonly sendCode?: undefined;
  readonly checkCode?: undefined;
}

/** A number in E.164 and an address that you have on file. */
export interface PersonOnRecord {
  readonly phone?: string | null | undefined;
  readonly email?: string | null | undefined;
}

/** A code for the caller. */
export interface CodeToSend {
  /** A number in E.164, or an address. It's on file: no one has said it. */
  readonly to: string;
  /** The kind of `to`. */
  readonly channel: VerifyChannel;
}

/** The kinds of destinations. */
export type VerifyChannel = 'phone' | 'email';

/** The result of `sendCode`. */
export type SentCode = Json | Refusal | undefined | void;

/** A code that the caller said. */
export interface CodeToCheck extends CodeToSend {
  /** Digits alone. */
  readonly code: string;
  /** The result of `sendCode`; `undefined` if its end is unknown. */
  readonly sent: Json | undefined;
  /** No other try follows in this phone call: if it fails, cancel the code. */
  readonly isLastTry: boolean;
}

/** `expired`: the code can't be checked any more, and a new one is needed. */
export type CodeVerdict = 'approved' | 'wrong' | 'expired';

export const codeVerdicts: readonly CodeVerdict[] = ['approved', 'wrong', 'expired'];

/** A question that only the person on file can answer. */
export interface SecurityQuestion {
  /** The agent's words. */
  readonly ask: string;
  /** Compares an answer with the record of exactly this person. Only `true` counts. */
  readonly check: (answer: string, person: PersonToProve, context: ToolContext) => boolean | Promise<boolean>;
}

/** The details that identify the person. After the proof only these are the caller's. */
export interface PersonToProve {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly contactId?: string | undefined;
  readonly customerId?: string | undefined;
}

/** The checks of `verify`. */
export const verifyChecks = (options: VerificationOptions | undefined): readonly OptionCheck[] => {
  if (options === undefined) return [];
  const { sendCode, checkCode, questions, record }: VerificationOptions = Object(options);
  const hasQuestions = questions !== undefined;
  return [
    () => assertKnown(options, names, 'verify'),
    must(
      !hasQuestions || (sendCode === undefined && checkCode === undefined),
      'verify',
      'must have sendCode and checkCode, or questions, and not both',
    ),
    must(hasQuestions || typeof sendCode === 'function', 'verify.sendCode', 'must be a function that sends a code'),
    must(hasQuestions || typeof checkCode === 'function', 'verify.checkCode', 'must be a function that checks a code'),
    must(record === undefined || typeof record === 'function', 'verify.record', 'must be a function'),
    must(
      !hasQuestions || (Array.isArray(questions) && questions.length > 0 && questions.every(isQuestion)),
      'verify.questions',
      'must be a list of { ask, check }, with at least one',
    ),
  ];
};

const isQuestion = (question: unknown): boolean => {
  const { ask, check }: { readonly ask?: unknown; readonly check?: unknown } = Object(question);
  return typeof ask === 'string' && ask.trim() !== '' && typeof check === 'function';
};

const names: OptionNames<VerifyByCode & VerifyByQuestions> = {
  record: true,
  sendCode: true,
  checkCode: true,
  questions: true,
};
