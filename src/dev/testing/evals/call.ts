import type { PhoneCall } from '../../../phone-call/start-phone-call.ts';
import type { Toolbox } from '../../../tools/index.ts';
import type { FakePlatform } from '../platform.ts';
import type { ScriptedModel, ScriptedMoment, ScriptedStep } from '../scripted-model.ts';

/** A phone call that is over: what the systems hold, and what the agent said. */
export interface EndedCall {
  readonly platform: FakePlatform;
  /** The messages and codes that went out, and where to. */
  readonly sent: readonly { readonly to: string; readonly text: string }[];
  /** All that the agent said, a line each. */
  readonly said: string;
}

/** A short phone call, and what must be true after it. */
export interface EvalCall {
  readonly name: string;
  /** @defaultValue that of Ada, who owes inv_1 of 120.50 and inv_2 of 80 */
  readonly phone?: string | undefined;
  /** Changes the systems before it rings. */
  readonly before?: ((platform: FakePlatform) => void) | undefined;
  /** The caller's words, turn by turn. */
  readonly caller: readonly string[];
  /** The line goes dead while a payment is on its way. */
  readonly hangsUpDuringPayment?: boolean | undefined;
  /** By what they show. A check throws, or returns `false`. */
  readonly checks: Readonly<Record<string, (ended: EndedCall) => unknown>>;
  /** The steps of a model that passes, for `createScriptedModel`. */
  readonly script: readonly (ScriptedStep | ((moment: ScriptedMoment) => ScriptedStep))[];
}

/** One turn of a call: what the agent gets. */
export interface EvalTurn {
  /** The caller's words. */
  readonly heard: string;
  /** The tools of this turn. */
  readonly tools: Toolbox;
  /** Aborted when the line goes dead. */
  readonly signal: AbortSignal;
}

/** Starts your agent for one call, and returns what answers a turn: the words that the agent says. */
export type EvalAgent = (call: {
  readonly call: EvalCall;
  readonly phoneCall: PhoneCall;
  /** A model that answers with the call's script, for a run without an account. It ends with the call. */
  readonly scripted: ScriptedModel;
}) => (turn: EvalTurn) => Promise<string>;
