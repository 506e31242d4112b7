import { randomUUID } from 'node:crypto';
import { text } from '../../core/arguments.ts';
import { IntegrationError, InvalidArgumentError } from '../../core/errors.ts';
import { wrongWord } from '../../core/option-checks.ts';
import * as z from '../../core/schema.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { Json } from '../../stores/ports/json.ts';
import { isRefusal } from '../arguments.ts';
import type { ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { notVerified, unverifiedYet } from '../failures.ts';
import { type Refusal, refused, type Tool, type WorkOutcome } from '../tool.ts';
import { findOnRecord, type RecordSources } from './on-record.ts';
import { readSpokenCode } from './spoken-code.ts';
import {
  beginCheck,
  beginCode,
  codeMs,
  countTry,
  isSame,
  keepProof,
  mostTries,
  takeBackCode,
  triesLeft,
  type Verification,
  type Whose,
} from './verification.ts';
import {
  type CodeVerdict,
  codeVerdicts,
  type PersonToProve,
  type VerifyByCode,
  type VerifyByQuestions,
  type VerifyChannel,
  type VerificationOptions,
} from './verify-options.ts';

/** The parts of a phone call that its proof needs. */
export interface VerifyParts extends RecordSources {
  readonly verification: Verification;
}

/** The two tools by which a caller proves who they are. What is proved holds for this caller, in this phone call. */
export const verifyTools = (options: VerificationOptions, parts: VerifyParts): readonly Tool[] =>
  options.questions ? questionTools(options, parts) : codeTools(options, parts);

/** A result of these tools. An error leaves the end unknown, and goes to the application. */
interface Checked {
  readonly value: object;
  readonly error?: unknown;
}

const checked = {
  compact: ({ value }: Checked) => value,
  outcome: ({ error }: Checked): WorkOutcome => {
    // What is thrown here is reported, and the end counts as unknown.
    if (error !== undefined) throw error;
    return 'done';
  },
};

const verified: Checked = { value: { verified: true } };

const sendParameters = z.lazily(() =>
  z.object({
    channel: z
      .nullish(z.enum(['phone', 'email']))
      .check(z.describe('Only if the caller prefers one. It goes to what is on file.')),
  }),
);

const codeParameters = z.lazily(() =>
  z.object({ code: text().check(z.maxLength(200), z.describe('As the caller said it, digits alone.')) }),
);

/** Sends a code to what is on file. */
const codeSender = (sendCode: VerifyByCode['sendCode'], parts: VerifyParts) => {
  const { verification } = parts;

  /** Nothing was sent: the code isn't counted. */
  const takeBack = (id: string) => verification.change((state) => takeBackCode(state, id));

  const send = async (channel: VerifyChannel | undefined, context: ToolContext): Promise<Checked | Refusal> => {
    const onRecord = await findOnRecord(parts, context);
    if (isRefusal(onRecord)) return onRecord;
    const { phone, email, contactId } = onRecord;
    const used = channel ?? (phone ? 'phone' : 'email');
    const to = used === 'phone' ? phone : email;
    if (!to) return refused(notVerified(phone || email ? 'not_on_file' : 'nothing_on_file'));
    const id = randomUUID();
    const open = { id, whose: { ...whoseOf(verification, context), contactId }, to, channel: used, sentAt: Date.now() };
    const problem = await verification.change((state) => beginCode(state, open));
    if (problem) return refused(notVerified(problem));
    const sentTo =
      used === 'email'
        ? 'the e-mail address on file'
        : to === verification.line()
          ? 'this number'
          : 'the number on file';
    let isSent = false;
    try {
      const sent = await sendCode({ to, channel: used }, withKey(context, `${id}:send`));
      if (isRefusal(sent)) {
        await takeBack(id);
        return sent;
      }
      isSent = true;
      const kept = asJson(sent);
      await verification.change((state) => {
        if (state.open?.id === id) state.open = { ...state.open, sent: kept };
      });
      return { value: { sent: true, sent_to: sentTo, valid_for_minutes: codeMs / 60_000 } };
    } catch (error) {
      if (!isSent && isCertainlyNotSent(error)) {
        await takeBack(id);
        throw error;
      }
      return { value: { sent_to: sentTo, next: 'Ask the caller whether it has arrived.' }, error };
    }
  };
  return send;
};

/** Checks a code that the caller said. */
const codeChecker = (checkCode: VerifyByCode['checkCode'], { verification }: VerifyParts) => {
  const check = async (code: string, context: ToolContext): Promise<Checked | Refusal> => {
    const whose = whoseOf(verification, context);
    verification.hideCode(code);
    const begun = await verification.change((state) =>
      beginCheck(state, { whose, length: code.length, now: Date.now() }),
    );
    if (typeof begun === 'string') return refused(notVerified(begun));
    const { open, isLastTry } = begun;
    const { to, channel, sent } = open;
    let verdict: CodeVerdict | undefined;
    try {
      const toCheck = { code, to, channel, sent: sent ?? undefined, isLastTry };
      verdict = await checkCode(toCheck, withKey(context, `${open.id}:${randomUUID()}`));
      if (!codeVerdicts.includes(verdict)) throw new UnknownWord(verdict);
    } catch (thrown) {
      const error = thrown instanceof UnknownWord ? wrongWord(thrown.word, 'verify.checkCode()', codeVerdicts) : thrown;
      const wasAsked = error !== thrown || !isCertainlyNotSent(error);
      await verification.change((state) => {
        if (!wasAsked) state.tries -= 1;
        else if (state.open?.id === open.id) state.open = undefined;
      });
      return notKnown('code', { error: withoutWords(error, code), wasAsked });
    }
    const person = personOf(open.whose, { [channel]: to });
    const end = await verification.change((state) => {
      // Another code was asked for, or someone else has taken the phone.
      if (state.open?.id !== open.id) return refused(notVerified('code_expired'));
      if (verdict === 'approved') keepProof(state, open.whose, person);
      else if (verdict === 'expired' || isLastTry) state.open = undefined;
      return verdict === 'approved'
        ? verified
        : refused(notVerified(verdict === 'wrong' ? 'wrong_code' : 'code_expired', triesLeft(state)));
    });
    if (end === verified) verification.prove(person);
    return end;
  };
  return check;
};

const codeTools = ({ sendCode, checkCode }: VerifyByCode, parts: VerifyParts): readonly Tool[] => {
  const send = codeSender(sendCode, parts);
  const check = codeChecker(checkCode, parts);
  return [
    defineTool({
      name: 'send_verification_code',
      description:
        'Send the caller a code, to the number or address on file, to prove who they are. Then ask them to read it out.',
      parameters: sendParameters(),
      effect: 'write',
      slowMessage: 'I am sending you a code.',
      run: async ({ channel }, context) => (isProved(context) ? verified : send(channel ?? undefined, context)),
      ...checked,
    }),
    hidden(
      defineTool({
        name: 'check_verification_code',
        description: 'Check the code that the caller reads out. Never repeat it.',
        parameters: codeParameters(),
        effect: 'write',
        slowMessage: 'I am checking that.',
        rules: [({ code }) => codeProblem(readSpokenCode(code))],
        run: async ({ code }, context) => (isProved(context) ? verified : check(readSpokenCode(code) ?? '', context)),
        ...checked,
      }),
    ),
  ];
};

/** Wrong digits aren't worth a try. */
const codeProblem = (digits: string | undefined) => {
  if (digits === undefined)
    return { field: 'code', problem: 'must be its digits alone: ask the caller to say it again' };
  return /^\d{4,10}$/.test(digits)
    ? undefined
    : { field: 'code', problem: 'must have 4 to 10 digits: ask the caller for all of them' };
};

const noParameters = z.lazily(() => z.object({}));
const answerParameters = z.lazily(() =>
  z.object({ answer: text().check(z.maxLength(200), z.describe('As the caller said it.')) }),
);

const questionTools = ({ questions }: VerifyByQuestions, parts: VerifyParts): readonly Tool[] => {
  const { verification } = parts;
  const rightSoFar =
    (whose: Whose) => (state: { answers?: { whose: Whose; right: number } | undefined; tries: number }) =>
      state.answers && isSame(state.answers.whose, whose) ? state.answers.right : 0;

  const ask = async (context: ToolContext): Promise<Checked | Refusal> => {
    const found = await personToProve(parts, context);
    if (isRefusal(found)) return found;
    const { whose } = found;
    return verification.read((state) => {
      if (state.tries >= mostTries) return refused(notVerified('too_many_tries'));
      const question = questions[rightSoFar(whose)(state)];
      return { value: { question: question?.ask, tries_left: triesLeft(state) } };
    });
  };

  const check = async (answer: string, context: ToolContext): Promise<Checked | Refusal> => {
    const found = await personToProve(parts, context);
    if (isRefusal(found)) return found;
    const { person, whose } = found;
    verification.hideAnswer(answer);
    const at = await verification.change((state) => {
      if (state.tries >= mostTries) return undefined;
      countTry(state);
      return rightSoFar(whose)(state);
    });
    if (at === undefined) return refused(notVerified('too_many_tries'));
    let isRight: unknown;
    try {
      isRight = await questions[at]?.check(answer, person, withKey(context, randomUUID()));
    } catch (error) {
      const wasAsked = !isCertainlyNotSent(error);
      if (!wasAsked) await verification.change((state) => void (state.tries -= 1));
      return notKnown('answer', { error: withoutWords(error, answer), wasAsked });
    }
    if (typeof isRight !== 'boolean') {
      const error = new InvalidArgumentError(`verify.questions.${at}.check()`, 'must return true or false');
      return notKnown('answer', { error, wasAsked: true });
    }
    const end = await verification.change((state) => {
      if (!isRight) return refused(notVerified('wrong_answer', triesLeft(state)));
      // A right answer is no try, unless someone else has answered meanwhile.
      state.tries -= 1;
      if (rightSoFar(whose)(state) !== at) return refused(notVerified('answered_by_two', triesLeft(state)));
      state.answers = { whose, right: at + 1 };
      if (at + 1 < questions.length) return { value: { right: true, next: 'Call ask_security_question.' } };
      keepProof(state, whose, person);
      return verified;
    });
    if (end === verified) verification.prove(person);
    return end;
  };

  return [
    defineTool({
      name: 'ask_security_question',
      description: 'Get the next question that proves who is calling. Ask exactly that.',
      parameters: noParameters(),
      effect: 'read',
      run: async (_args, context) => (isProved(context) ? verified : ask(context)),
      compact: checked.compact,
    }),
    hidden(
      defineTool({
        name: 'check_security_answer',
        description: 'Check the answer to the question that was asked last. Never repeat or correct it.',
        parameters: answerParameters(),
        effect: 'write',
        slowMessage: 'I am checking that.',
        run: async ({ answer }, context) => (isProved(context) ? verified : check(answer, context)),
        ...checked,
      }),
    ),
  ];
};

/** The one detail by which the caller is known, if their records show it. After the proof it's theirs, and no other. */
const personToProve = async (
  parts: VerifyParts,
  context: ToolContext,
): Promise<{ readonly person: PersonToProve; readonly whose: Whose } | Refusal> => {
  const onRecord = await findOnRecord(parts, context);
  if (isRefusal(onRecord)) return onRecord;
  const { phone, email, contactId } = onRecord;
  const { caller } = context;
  const isLine = caller.verified !== 'no' && caller.phone !== undefined && !caller.claimed?.includes('phone');
  const whose = { ...whoseOf(parts.verification, context), contactId };
  const isAddress = email && caller.email?.toLowerCase() === email.toLowerCase();
  const detail = (isLine && phone === caller.phone) || !(isAddress || (email && !phone)) ? { phone } : { email };
  if (detail.phone === undefined && detail.email === undefined) return refused(notVerified('nothing_on_file'));
  return { person: personOf(whose, detail), whose };
};

const personOf = (
  { contactId, customerId }: Whose,
  { phone, email }: { readonly phone?: string | undefined; readonly email?: string | undefined },
): PersonToProve =>
  withoutUndefined({ phone, email, contactId: contactId ?? undefined, customerId: customerId ?? undefined });

const whoseOf = (verification: Verification, { caller }: ToolContext): Whose => ({
  line: verification.line(),
  contactId: caller.contactId ?? null,
  customerId: caller.customerId ?? null,
});

/** Nothing has to be proved again. */
const isProved = ({ caller }: ToolContext): boolean => caller.verified === 'strong';

/** The context with a key of its own: each code and each try is counted here, and is another one for the API. */
const withKey = (context: ToolContext, key: string): ToolContext => {
  const idempotencyKey = `verify:${key}`;
  return { ...context, idempotencyKey, request: { ...context.request, idempotencyKey } };
};

/** A word that `checkCode` can't mean. */
class UnknownWord {
  readonly word: unknown;
  constructor(word: unknown) {
    this.word = word;
  }
}

const isCertainlyNotSent = (error: unknown): boolean =>
  error instanceof IntegrationError && error.outcome !== 'unknown';

/** The check broke off. If it was certainly not asked, the same may be tried again. */
const notKnown = (
  what: 'code' | 'answer',
  { error, wasAsked }: { readonly error: unknown; readonly wasAsked: boolean },
): Checked => {
  if (!wasAsked) throw error;
  return { value: unverifiedYet(what), error };
};

/** An error that quotes what the caller said is replaced. */
const withoutWords = (error: unknown, said: string): unknown => {
  if (!textOf(error).includes(said.trim().toLowerCase())) return error;
  return new Error('the check failed, and its error held what the caller said: it was left out');
};

const textOf = (error: unknown): string => {
  const texts: string[] = [];
  for (let at: unknown = error, depth = 0; at !== undefined && at !== null && depth < 5; depth += 1) {
    texts.push(at instanceof Error ? `${at.message} ${at.stack ?? ''}` : '');
    try {
      texts.push(JSON.stringify(at));
    } catch {
      // A circle has its text.
    }
    at = (at as { readonly cause?: unknown }).cause;
  }
  return texts.join(' ').toLowerCase();
};

const asJson = (value: unknown): Json | undefined => {
  try {
    return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as Json);
  } catch (cause) {
    throw new InvalidArgumentError('verify.sendCode()', 'must return JSON, such as the id of a verification', {
      cause,
    });
  }
};

/** The tool, whose arguments no listener sees. */
const hidden = (tool: Tool): Tool => ({ ...tool, shows: () => '***' });
