import { hash } from 'node:crypto';
import { InvalidArgumentError } from '../../core/errors.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import type { Json, JsonObject } from '../../stores/ports/json.ts';
import { canonicalJson } from '../arguments.ts';
import { personOf, type ToolCallContext, type ToolResult } from '../context.ts';
import { alreadyDone, confirmationRequired } from '../failures.ts';
import { summaryOf } from './consent.ts';
import { createHomeMemory } from '../call-memory.ts';
import { runAgreed } from './run-agreed.ts';
import { type SignedToken, type SignedTokens, validSeconds } from './signed-tokens.ts';
import { mayRunAgain, type ToolRun } from '../tool-run.ts';

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
 * A token counts once, and not in the turn that gave it: a model can't agree in the caller's place. It never counts after
 * the caller's no, or after they were asked something else with the same tool.
 */
export const createCallerConfirmation = (store: IdempotencyStore, tokens: SignedTokens): CallerConfirmation => {
  const questionsOf = createHomeMemory('questions', store, () => new Map<string, Asked>());
  const ask = async (request: AgreementRequest, why?: WhyAskedAgain): Promise<ToolResult> => {
    const { toolRun, args, callContext } = request;
    const summary = summaryOf(toolRun.tool, args, 'caller');
    const [exactly, tag] = [exactlyOf(request), turnAndAnswer(callContext)];
    const token = await tokens.issue(exactly, tag);
    questionsOf(toolRun.context).set(toolRun.tool.name, { exactly, tag, issuedAt: Date.now() });
    return toolRun.fail(
      confirmationRequired({ summary, why, token, expiresInSeconds: validSeconds }, toolRun.tool.effect),
    );
  };

  return async (request, work, replay) => {
    const { toolRun } = request;
    const token = await tokens.read(request.token, exactlyOf(request));
    if (!token) return (await replay()) ?? ask(request);

    const key = `confirmation:${token.id}`;
    const leaseMs = validSeconds * 1000 + afterExpiryMs;
    const repeat = (kept: Json) => (kept === null ? ask(request, 'confirmation_token_used') : repeated(kept, toolRun));
    // A platform without ids for tool calls may send one twice at once.
    const once = { key, leaseMs, retainMs: leaseMs, repeat, waits: true };
    return runAgreed(store, toolRun, once, async (note) => {
      if (note !== undefined) return { result: await ask(request, 'confirmation_token_used'), kept: { note } };
      const why = whyOver(token, request, questionsOf(toolRun.context).get(toolRun.tool.name));
      if (why) return { result: await ask(request, why), kept: { result: null } };
      // Used up, or it would count as soon as enough time has passed.
      if (!isAnswered(token, request)) {
        if (isUnheard(token, request.callContext)) toolRun.report(unheard());
        return { result: await ask(request, 'caller_has_not_answered'), kept: { result: null } };
      }
      const result = await work();
      return { result, kept: keptOf(result, toolRun) };
    });
  };
};

/** Everything that a token is for: another call, caller, tenant or argument needs another yes. */
export const exactlyOf = ({ toolRun: { tool, context }, args }: AgreementRequest): string =>
  canonicalJson([context.tenant ?? null, context.callId, personOf(context), tool.name, args]);

/** The last question of a tool in a phone call. */
interface Asked extends Moment {
  readonly exactly: string;
}

/** Returns the reason if the caller has said no since, or was asked something else in a later turn and has spoken. */
const whyOver = (token: SignedToken, request: AgreementRequest, last: Asked | undefined): WhyAskedAgain | undefined => {
  const { callContext } = request;
  if (wasRefused(token, callContext)) return 'caller_may_have_said_no';
  if (!last || last.exactly === exactlyOf(request)) return undefined;
  return isAfter(token, last) && isLater(last, callContext) ? 'caller_was_asked_something_else' : undefined;
};

const wasRefused = ({ tag }: SignedToken, { answers = [] }: ToolCallContext): boolean => {
  const asked = answers.findLastIndex(({ turn }) => tag.startsWith(turnTag({ turn })));
  return answers.slice(asked + 1).some(({ isNo }) => isNo);
};

/** Decides by what the application has heard, then by what the target sees of the conversation, then by the time. */
const isAnswered = (token: SignedToken, { token: sent, callContext }: AgreementRequest): boolean => {
  const isSeen: unknown = callContext.turn === undefined ? callContext.hasAnswered?.(String(sent)) : undefined;
  return isSeen === undefined ? isLater(token, callContext) : isSeen === true;
};

/** Returns what is kept of a token after its call; `undefined`: nothing was done, and it counts again. */
const keptOf = (result: ToolResult, { tool }: ToolRun): { readonly result: Json } | undefined => {
  if (result.status === 'waiting' || mayRunAgain(tool, result)) return undefined;
  return { result: result.status === 'done' ? result.value : null };
};

/** A token that comes again says what it did, and does nothing. */
const repeated = (value: Json, toolRun: ToolRun): ToolResult =>
  toolRun.answer({ status: 'done', value: alreadyDone(value, toolRun.tool), outcome: 'done' }, true);

/** `t`: what the caller said last, as the application says. `x`: the exchange of the phone call. */
export const turnTag = ({ turn, exchange }: Pick<ToolCallContext, 'turn' | 'exchange'>): string => {
  if (turn !== undefined) return `t${shortHash(String(turn))}`;
  return exchange === undefined ? unknownTurn : `x${shortHash(exchange)}`;
};

export const unknownTurn = '-';

/** {@link turnTag}, and the answer too: what the caller says during an answer isn't their yes to its question. */
export const turnAndAnswer = (context: Pick<ToolCallContext, 'turn' | 'exchange'>): string => {
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
export const isLater = (asked: Moment, callContext: Pick<ToolCallContext, 'turn' | 'exchange'>): boolean =>
  isAfter(asked, { tag: turnAndAnswer(callContext), issuedAt: Date.now() });

type Moment = Pick<SignedToken, 'issuedAt' | 'tag'>;

const isAfter = ({ tag, issuedAt }: Moment, later: Moment): boolean => {
  if (tag.startsWith('t') && later.tag.startsWith('t')) {
    const [turn, answer] = tag.split('x');
    const [turnThen, answerThen] = later.tag.split('x');
    return turn !== turnThen && (answer === undefined || answer !== answerThen);
  }
  return (tag === unknownTurn || tag !== later.tag) && later.issuedAt - issuedAt >= fastestAnswerMs;
};

/** Returns whether a later turn has no words of the caller, though the application reports them in others. */
const isUnheard = ({ tag }: Pick<SignedToken, 'tag'>, { turn, exchange }: ToolCallContext): boolean => {
  if (turn === undefined || exchange === undefined) return false;
  return tag.startsWith(turnTag({ turn })) && tag !== turnAndAnswer({ turn, exchange });
};

const unheard = () =>
  new InvalidArgumentError(
    'heard',
    "has no words of the caller after the question, so the yes doesn't count: give turn({ heard }) what the caller said",
  );

/** To say a sum and to hear a yes. A model that calls twice by itself is faster, and each try starts the time again. */
const fastestAnswerMs = 3_000;

/** No call with the token is under way any more. */
const afterExpiryMs = 60_000;
