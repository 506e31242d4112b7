import { hash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown, must } from '../../core/option-checks.ts';
import { once } from '../../stores/once.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import type { Json, JsonObject } from '../../stores/ports/json.ts';
import { canonicalJson } from '../arguments.ts';
import { personOf, type ToolCallContext, type ToolResult } from '../context.ts';
import { alreadyDone, confirmationRequired, notAllowed, unavailable } from '../failures.ts';
import { summaryOf } from './consent.ts';
import { mayRunAgain, type ToolRun } from '../tool-run.ts';

/** Settings of the tokens with which a caller agrees to a tool call with `confirm: 'two-step'`. */
export interface ConfirmationOptions {
  /**
   * Needed when several processes serve one phone call; at least 32 characters. They also need a shared `store`.
   * @defaultValue a random one of this toolbox
   */
  readonly secret?: (() => string) | undefined;
  /** @defaultValue 300 */
  readonly validSeconds?: number | undefined;
}

/** Throws `InvalidArgumentError` for tokens that never count, or for ever. */
export const assertConfirmation = (options: ConfirmationOptions | undefined): void => {
  assertKnown(options, { secret: true, validSeconds: true }, 'confirmation');
  const { validSeconds = 300 } = options ?? {};
  const isLongEnough = Number.isFinite(validSeconds) && validSeconds * 1000 > fastestAnswerMs;
  must(
    isLongEnough,
    'confirmation.validSeconds',
    `must be a number above ${fastestAnswerMs / 1000}: a token counts only after so many seconds`,
  )();
};

export interface ConfirmationsOptions extends ConfirmationOptions {
  /** The store of used tokens. */
  readonly store: IdempotencyStore;
}

/** A tool call that needs someone's agreement. */
export interface AgreementRequest {
  readonly toolRun: ToolRun;
  /** The model's arguments. */
  readonly sent: JsonObject;
  /** All of them, with those that the application supplies. */
  readonly args: JsonObject;
  /** The model's token. */
  readonly token: unknown;
  /** The application's context of the call. */
  readonly callContext: ToolCallContext;
}

/** Does the work, once someone has agreed. */
export type AgreedWork = () => Promise<ToolResult>;

/** A token that was given for exactly this call and hasn't expired. */
interface ConfirmationToken {
  /** A hash of it. */
  readonly id: string;
  /** The caller can have answered since it was given. */
  readonly isLater: boolean;
}

type WhyAskedAgain = Parameters<typeof confirmationRequired>[0]['why'];

/**
 * Runs a tool call only with a token that an earlier one gave, in a later turn. Without a token, the answer is that of
 * `replay`, or else a new token.
 */
export type CallerConfirmation = (
  request: AgreementRequest,
  work: AgreedWork,
  replay: () => Promise<ToolResult | undefined>,
) => Promise<ToolResult>;

/**
 * The token is an HMAC over the call, the time and the turn, so that only used ones have to be stored. It counts once,
 * and not in the turn that gave it: a model can't agree in the caller's place.
 */
export const createCallerConfirmation = ({
  secret: read,
  validSeconds = 300,
  store,
}: ConfirmationsOptions): CallerConfirmation => {
  let random: string | undefined;
  const secret = () => (read ? readSecret(read) : (random ??= randomBytes(32).toString('hex')));
  const sign = (text: string) => createHmac('sha256', secret()).update(text).digest('hex').slice(0, 24);

  const issue = (exactly: string, callContext: ToolCallContext) => {
    // Two tokens of one millisecond are two.
    const head = `${Date.now().toString(36)}.${turnAndAnswer(callContext)}.${randomBytes(3).toString('hex')}`;
    return { token: `${head}.${sign(`${head}.${exactly}`)}`, expiresInSeconds: validSeconds };
  };

  const ask = (request: AgreementRequest, why?: WhyAskedAgain): ToolResult => {
    const { toolRun, args, callContext } = request;
    const summary = summaryOf(toolRun.tool, args, 'caller');
    return toolRun.fail(
      confirmationRequired({ summary, why, ...issue(exactlyOf(request), callContext) }, toolRun.tool.effect),
    );
  };

  const tokenOf = (request: AgreementRequest): ConfirmationToken | undefined => {
    const { token, callContext } = request;
    const exactly = exactlyOf(request);
    // Only a text: a framework decides by it whether a person has to approve.
    const found = typeof token === 'string' ? tokenPattern.exec(token) : null;
    const [, head = '', issued = '', tag = '', signature = ''] = found ?? [];
    const issuedAt = Number.parseInt(issued, 36);
    if (signature === '' || issuedAt + validSeconds * 1000 < Date.now()) return undefined;
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(sign(`${head}.${exactly}`)))) return undefined;
    const id = hash('sha256', String(token), 'hex');
    return { id, isLater: isLater({ issuedAt, tag }, callContext) };
  };

  return async (request, work, replay) => {
    const { toolRun } = request;
    const { tool } = toolRun;
    const token = tokenOf(request);
    if (!token) return (await replay()) ?? ask(request);

    const key = `confirmation:${token.id}`;
    const leaseMs = validSeconds * 1000 + afterExpiryMs;
    const options = { leaseMs, retainMs: leaseMs, onStoreError: toolRun.reportStore };
    const end = await once(store, key, options, async (note) => {
      if (note !== undefined) return { result: ask(request, 'confirmation_token_used'), kept: { note } };
      // Used up, or it would count as soon as enough time has passed.
      if (!token.isLater) return { result: ask(request, 'caller_has_not_answered'), kept: { result: null } };
      const result = await work();
      return { result, kept: keptOf(result, toolRun) };
    });
    switch (end.state) {
      case 'worked':
        return end.result;
      case 'finished':
        return end.result === null ? ask(request, 'confirmation_token_used') : repeated(end.result, toolRun);
      case 'unavailable':
        toolRun.reportStore(end.error);
        return toolRun.fail(unavailable('idempotency_store', tool.effect));
      default:
        return toolRun.fail(notAllowed('another_call_in_progress', tool.effect));
    }
  };
};

/** An unset variable of the environment would sign with nothing, or in each process with another secret. */
const readSecret = (read: () => unknown): string => {
  const secret = read();
  if (typeof secret === 'string' && secret.length >= shortestSecret) return secret;
  throw new InvalidArgumentError('confirmation.secret', `must return a text of at least ${shortestSecret} characters`);
};

const shortestSecret = 32;

const exactlyOf = ({ toolRun: { tool, context }, args }: AgreementRequest): string =>
  canonicalJson([context.tenant ?? null, context.callId, personOf(context), tool.name, args]);

/** Returns what is kept of a token after its call; `undefined`: nothing was done, and it counts again. */
const keptOf = (result: ToolResult, { tool }: ToolRun): { readonly result: Json } | undefined => {
  if (result.status === 'waiting' || mayRunAgain(tool, result)) return undefined;
  return { result: result.status === 'done' ? result.value : null };
};

/** A token that comes again says what it did, and does nothing. */
const repeated = (value: Json, toolRun: ToolRun): ToolResult =>
  toolRun.answer({ status: 'done', value: alreadyDone(value, toolRun.tool.effect), outcome: 'done' }, true);

interface Issued {
  readonly issuedAt: number;
  readonly tag: string;
}

const tokenPattern = /^(([0-9a-z]{8,9})\.(t[0-9a-f]{8}(?:x[0-9a-f]{8})?|x[0-9a-f]{8}|-)\.[0-9a-f]{6})\.([0-9a-f]{24})$/;

/** `t`: what the caller said last, as the application says. `x`: the exchange of the phone call. */
export const turnTag = ({ turn, exchange }: ToolCallContext): string => {
  if (turn !== undefined) return `t${shortHash(String(turn))}`;
  return exchange === undefined ? unknownTurn : `x${shortHash(exchange)}`;
};

export const unknownTurn = '-';

/** {@link turnTag}, and the answer too: what the caller says during an answer isn't their yes to its question. */
const turnAndAnswer = (context: ToolCallContext): string => {
  const { turn, exchange } = context;
  return turn === undefined || exchange === undefined
    ? turnTag(context)
    : `${turnTag(context)}${turnTag({ exchange })}`;
};

const shortHash = (text: string) => hash('sha256', text, 'hex').slice(0, 8);

/**
 * Returns whether the caller can have answered since. If the application reports no words of the caller, this takes
 * longer than a model needs for two calls.
 */
const isLater = ({ issuedAt, tag }: Issued, callContext: ToolCallContext): boolean => {
  const now = turnAndAnswer(callContext);
  if (tag.startsWith('t') && now.startsWith('t')) {
    const [turn, answer] = tag.split('x');
    const [turnNow, answerNow] = now.split('x');
    return turn !== turnNow && (answer === undefined || answer !== answerNow);
  }
  return (tag === unknownTurn || tag !== now) && Date.now() - issuedAt >= fastestAnswerMs;
};

/** To say a sum and to hear a yes. A model that calls twice by itself is faster, and each try starts the time again. */
const fastestAnswerMs = 3_000;

/** No call with the token is under way any more. */
const afterExpiryMs = 60_000;
