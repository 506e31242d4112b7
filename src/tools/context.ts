import type { CallerAnswer } from './says-no.ts';
import type { Deadline } from '../http/deadline.ts';
import type { RequestOptions } from '../http/operation.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import { checkOptions, eachOneOf, flag, oneOf } from '../core/option-checks.ts';
import type { Json } from '../stores/ports/json.ts';
import { callerNumber } from '../phone-call/steps/caller-number.ts';

/** The person on the phone, as far as the application knows. A model can neither read nor change it. */
export interface ToolCaller {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  /** In the messaging platform. */
  readonly contactId?: string | undefined;
  /** In the billing system. */
  readonly customerId?: string | undefined;
  /**
   * `no`: tools read no customer's record. `caller-id`: the number was transmitted, which can be forged. `strong`: the
   * person proved who they are.
   */
  readonly verified: 'no' | 'caller-id' | 'strong';
  /** The `phone` is that of a line which you trust, whatever else the person said. @defaultValue false */
  readonly isOnLine?: boolean | undefined;
  /**
   * The person has proved to be the owner of the number or address that is here. Another person's records stay closed to
   * them, even if `verified` is `strong`. @defaultValue false
   */
  readonly isOwnOnly?: boolean | undefined;
  /** Details that the person only said, unverified: invoices aren't looked up by them. */
  readonly claimed?: readonly ('phone' | 'email')[] | undefined;
}

/** The words for how sure it is who is on the phone, from the weakest on. */
export const strengths: readonly ToolCaller['verified'][] = ['no', 'caller-id', 'strong'];

/** Returns whether what is known of the caller is enough. Any other word is never enough. */
export const isVerified = (caller: ToolCaller, needed: ToolCaller['verified']): boolean =>
  strengths.includes(needed) && strengths.indexOf(caller.verified) >= strengths.indexOf(needed);

/** The application's context of one tool call. The model sees none of it. */
export interface ToolCallContext {
  /** The phone call. Needed here or in what the toolbox is bound to; what it is bound to wins. */
  readonly callId?: string | undefined;
  /** The workspace, org or account. What the toolbox is bound to wins. */
  readonly tenant?: string | undefined;
  /** The caller. One that the toolbox is bound to wins. @defaultValue an unknown caller, not verified */
  readonly caller?: ToolCaller | undefined;
  /** The conversations that belong to this phone call, as well as those that its own tools found or made. */
  readonly conversationIds?: readonly string[] | undefined;
  /**
   * The id that the provider gave the tool call; an empty one is none. While a write or a payment is in flight, the same id
   * with other arguments is refused.
   */
  readonly toolCallId?: string | undefined;
  /**
   * The reason why the model stopped, in its provider's word: `finish_reason`, `stop_reason`, `status`. If its message
   * was cut, none of its calls runs, and the model makes them again. Targets set it where they can see it.
   */
  readonly finishReason?: string | null | undefined;
  /** Ends the tool call with `cancelled`. A payment that was already sent goes on; see `onSettled`. */
  readonly signal?: AbortSignal | undefined;
  /** The time for everything; a number is milliseconds from now. @defaultValue the toolbox's `budgetMs` */
  readonly deadline?: Deadline | number | undefined;
  /**
   * Makes a payment with the same arguments another payment: the application's word for "a second one, on purpose",
   * such as an order number. The same intent again is the same payment.
   */
  readonly intent?: string | undefined;
  /**
   * The number or id of the caller's last words, the same until they speak again. A two-step token counts only in
   * another one. Without it, a token counts after 3 seconds.
   */
  readonly turn?: string | number | undefined;
  /**
   * The caller's words, oldest first, each with its `turn`. A question is over once they said no to it: its token never
   * counts, whatever they say then.
   */
  readonly answers?: readonly CallerAnswer[] | undefined;
  /**
   * A name of the model's answer, if the caller's last words aren't certain. A two-step token never counts in the
   * answer that gave it. `phoneCall.turn()` and the targets of frameworks set it.
   */
  readonly exchange?: string | undefined;
  /**
   * Returns whether the caller has spoken since the question with this token was read out; `undefined` if it isn't known.
   * Targets set it where they see the conversation. Without a `turn`, it decides whether the token counts.
   */
  readonly hasAnswered?: ((token: string) => boolean | undefined) | undefined;
  /** You have asked the caller, and they have agreed to exactly this: a two-step tool runs without a token. */
  readonly confirmed?: boolean | undefined;
  /** A person has approved exactly this, as frameworks have it done: `approve` isn't asked. */
  readonly approved?: boolean | undefined;
  /**
   * For targets that ask a person themselves. With `'ask'`, a call that needs a yes gives a `question`. Its answer comes with
   * another run of the same call, in any process that shares the store.
   */
  readonly consent?: 'ask' | QuestionAnswer | undefined;
  /**
   * Returns whether the phone call is over: a payment that is approved later isn't made. `phoneCall` does after
   * `finish`.
   */
  readonly hasEnded?: (() => boolean) | undefined;
  /** Called once when the tool takes longer than expected, so that the agent can say something. */
  readonly onSlow?: ((slow: SlowTool) => void) | undefined;
  /**
   * Gets results that come after the tool call has ended. They're of a sent payment that was cancelled or out of time,
   * and of a tool that waited for an approval. It may be called twice: first with the status `unknown`, then with the
   * end. One of the run doesn't replace one of the toolbox: both are called.
   */
  readonly onSettled?: ((settled: SettledTool) => void) | undefined;
}

/** A question that a target asks a person before a tool runs. */
export interface ToolQuestion {
  /** One sentence. */
  readonly summary: string;
  /** Signed, without personal data. It counts once, for five minutes, for this call of this caller alone. */
  readonly state: string;
}

/** A person's answer to a {@link ToolQuestion}. */
export interface QuestionAnswer {
  readonly state: string;
  readonly agreed: boolean;
}

/** A tool call takes longer than its tool expects. */
export interface SlowTool {
  /** Its name. */
  readonly tool: string;
  /** The id that the provider gave the tool call. */
  readonly toolCallId: string | undefined;
  /** Words for the person on the phone, where the tool has some. */
  readonly message: string | undefined;
}

/**
 * The end of a tool call. `done`: the tool did its work. `waiting`: nothing was done yet, a colleague has to approve
 * it; the result comes later. `refused`: the arguments, a rule or the API forbid it, and nothing was done. `failed`: it
 * did not work this time. `unknown`: it may have happened, which isn't known yet. `cancelled`: the application took the
 * call back.
 */
export type ToolStatus = 'done' | 'waiting' | 'refused' | 'failed' | 'unknown' | 'cancelled';

/** The answer to one tool call, the same for every provider. */
export interface ToolResult {
  readonly status: ToolStatus;
  /** The model's answer, as data. */
  readonly value: Json;
  /** The same as one line of valid JSON, within the tool's budget of characters: what a provider is sent. */
  readonly text: string;
  /** The work was done before; this is what it gave then. */
  readonly replayed: boolean;
  /** A person has to agree first, whom the target asks; see {@link ToolCallContext.consent}. */
  readonly question?: ToolQuestion | undefined;
}

/** The end of a tool call that was not waited for. */
export interface SettledTool {
  /** Its name. */
  readonly tool: string;
  readonly callId: string;
  /** The id that the provider gave the tool call. */
  readonly toolCallId: string | undefined;
  /** The key that a payment was sent under; `undefined` for a tool that had to wait for an approval. */
  readonly idempotencyKey: string | undefined;
  /** The result that the model would have got. */
  readonly result: ToolResult;
}

/** The context that a tool's code gets with its arguments. */
export interface ToolContext {
  /** The phone call. */
  readonly callId: string;
  /** The id that the provider gave the tool call, where it has one. */
  readonly toolCallId: string | undefined;
  /** The workspace, org or account, where there are several. */
  readonly tenant: string | undefined;
  /** The person on the phone; `verified` is `no` if nothing is known. */
  readonly caller: ToolCaller;
  /** The conversations that belong to this phone call. */
  readonly conversationIds: readonly string[];
  /** Aborts when the tool call is taken back or its time is over. */
  readonly signal: AbortSignal;
  /** Shared by everything that the tool does. */
  readonly deadline: Deadline;
  /** For writes and payments: the same for a tool call that is repeated. `undefined` for reads. */
  readonly idempotencyKey: string | undefined;
  /** All of it as the clients' methods take it: `billing.payments.create(payment, context.request)`. */
  readonly request: RequestOptions;
  /**
   * For payments that go on after `run` has ended, since their caller hung up: report what `run` would have given, or
   * thrown. `request` does so by itself.
   */
  readonly onSettled: (end: LateEnd) => void;
}

/** The end of a payment after its tool call had ended. */
export type LateEnd = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: unknown };

/** The source of the context that every run of a toolbox has. */
export type ContextSource = ToolCallContext | (() => ToolCallContext) | undefined;

/**
 * Merges the contexts of one run. Phone call, tenant and caller come from the outer one first, since the inner one may
 * come from a provider. Everything else comes from the inner one first. Conversations add up, and both get late
 * results.
 */
export const mergeContexts = (outer: ToolCallContext, inner: ToolCallContext): ToolCallContext => {
  const { callId = inner.callId, tenant = inner.tenant, caller = inner.caller } = outer;
  const { toolCallId = outer.toolCallId, signal = outer.signal, deadline = outer.deadline } = inner;
  const { intent = outer.intent, onSlow = outer.onSlow, finishReason = outer.finishReason } = inner;
  const { exchange = outer.exchange, hasAnswered = outer.hasAnswered, hasEnded = outer.hasEnded } = inner;
  // What the phone call heard wins: only it knows that the caller spoke.
  const { turn = inner.turn, answers = inner.answers } = outer;
  const { confirmed = outer.confirmed, approved = outer.approved, consent = outer.consent } = inner;
  return {
    callId,
    tenant,
    caller,
    toolCallId,
    finishReason,
    signal: outer.signal && inner.signal ? AbortSignal.any([outer.signal, inner.signal]) : signal,
    deadline,
    intent,
    turn,
    answers,
    exchange,
    hasAnswered,
    confirmed,
    approved,
    consent,
    hasEnded,
    onSlow,
    onSettled: bothGet(outer.onSettled, inner.onSettled),
    conversationIds: both(outer.conversationIds, inner.conversationIds),
  } satisfies { readonly [Name in keyof Required<ToolCallContext>]: unknown };
};

export const contextOf = (source: ContextSource): ToolCallContext =>
  (typeof source === 'function' ? source() : source) ?? {};

/** Throws `InvalidArgumentError` for words about the caller that aren't known: they would count as less, or as more. */
export const assertContext = ({ caller, consent }: ToolCallContext): void => {
  if (typeof consent !== 'object' || consent === null) oneOf(consent, 'consent', ['ask'], 'an answer with its state')();
  if (!caller) return;
  const { verified, claimed, isOwnOnly } = caller;
  checkOptions('caller', [
    oneOf(verified, 'verified', strengths),
    eachOneOf(claimed, 'claimed', ['phone', 'email']),
    flag(isOwnOnly, 'isOwnOnly'),
  ]);
};

const both = (first: readonly string[] = [], second: readonly string[] = []): readonly string[] =>
  second.length === 0 ? first : [...new Set([...first, ...second])];

type OnSettled = ToolCallContext['onSettled'];

const bothGet = (first: OnSettled, second: OnSettled): OnSettled => {
  if (!first || !second || first === second) return second ?? first;
  return (settled) => {
    ignoreErrors(() => first(settled));
    second(settled);
  };
};

/** Identifies the person in all their phone calls. A number that was only spoken may change during a phone call. */
export const personOf = ({ caller, callId }: Pick<ToolContext, 'caller' | 'callId'>): Json =>
  caller.phone !== undefined && !caller.claimed?.includes('phone') ? { phone: caller.phone } : { callId };

/** Returns who certainly is on the phone: by the number, else by the address that they have proved to be theirs. */
export const certainPerson = ({ phone, email, verified, claimed = [] }: ToolCaller): string | undefined => {
  if (verified === 'no') return undefined;
  if (phone && !claimed.includes('phone')) return phone;
  return verified === 'strong' && email ? email.toLowerCase() : undefined;
};

/** The caller with the number as E.164. One that's withheld or can't be read is none, and verifies no one. */
export const withReadNumber = (caller: ToolCaller): ToolCaller => {
  const { phone: transmitted, verified } = caller;
  const phone = callerNumber(transmitted);
  if (phone === transmitted) return caller;
  return { ...caller, phone, verified: phone === undefined && verified === 'caller-id' ? 'no' : verified };
};
