import type { Deadline } from '../http/deadline.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { ToolResult } from './result.ts';

/** Who is on the phone, as far as the application knows. A model can neither read nor change it. */
export interface ToolCaller {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  /** In the messaging platform. */
  readonly contactId?: string | undefined;
  /** `caller-id`: the number was transmitted, which can be forged. `strong`: the person proved who they are. */
  readonly verified: 'no' | 'caller-id' | 'strong';
  /** What the person only said of themselves, and nobody vouches for: invoices are not looked up by it. */
  readonly saidOnly?: readonly ('phone' | 'email')[] | undefined;
}

/** What the application says about one tool call. None of it is visible to the model. */
export interface ToolCallContext {
  /** The phone call. Needed here or in what the toolbox is bound to; what it is bound to wins. */
  readonly callId?: string | undefined;
  /** The workspace, org or account. What the toolbox is bound to wins. */
  readonly tenant?: string | undefined;
  /** What the toolbox is bound to wins. @defaultValue nobody known, not verified */
  readonly caller?: ToolCaller | undefined;
  /** The conversations that belong to this phone call, beside those that its own tools found or made. */
  readonly conversationIds?: readonly string[] | undefined;
  /**
   * The id that the provider gave the tool call; an empty one is none. While it is in flight, the same id with other
   * arguments is refused.
   */
  readonly toolCallId?: string | undefined;
  /** Ends the tool call with `cancelled`. A payment that was already sent goes on; see `onSettled`. */
  readonly signal?: AbortSignal | undefined;
  /** The time for everything; a number is milliseconds from now. @defaultValue the toolbox's `budgetMs` */
  readonly deadline?: Deadline | number | undefined;
  /**
   * Makes a payment with the same arguments another payment: the application's word for "a second one, on purpose",
   * such as an order number. The same intent again is the same payment.
   */
  readonly intent?: string | undefined;
  /** Called once when the tool takes longer than expected, so that the agent can say something. */
  readonly onSlow?: ((slow: SlowTool) => void) | undefined;
  /**
   * Hears what becomes known of a payment whose tool call was cancelled or out of time after it was sent. It may be
   * heard twice: first that nobody can tell, then the end.
   */
  readonly onSettled?: ((settled: SettledTool) => void) | undefined;
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

/** The end of a payment that was not waited for. */
export interface SettledTool {
  /** Its name. */
  readonly tool: string;
  readonly callId: string;
  /** The id that the provider gave the tool call. */
  readonly toolCallId: string | undefined;
  /** The key that the payment was sent under. */
  readonly idempotencyKey: string;
  /** What the model would have been told. */
  readonly result: ToolResult;
}

/** What a tool's code is given beside its arguments. */
export interface ToolContext {
  /** The phone call. */
  readonly callId: string;
  /** The id that the provider gave the tool call, where it has one. */
  readonly toolCallId: string | undefined;
  /** The workspace, org or account, where there are several. */
  readonly tenant: string | undefined;
  /** Who is on the phone; `verified` is `no` where nothing is known. */
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
   * For payments that go on after `run` has ended, since their caller hung up: tells what `run` would have given, or
   * thrown. `request` does so by itself.
   */
  readonly onSettled: (end: LateEnd) => void;
}

/** What came of a payment after its tool call had ended. */
export type LateEnd = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: unknown };
