import type { FakePlatform, ScriptedStep, ScriptedMoment } from 'voice-agent-integrations/testing';

/** A phone call that is over: what the systems hold, and what the agent said. */
export interface EndedCall {
  readonly platform: FakePlatform;
  /** All that the agent said, a line each. */
  readonly said: string;
}

/** A short phone call, and what must be true after it. */
export interface EvalCall {
  readonly name: string;
  /** @defaultValue that of Ada, who owes inv_1 of 120.50 and inv_2 of 80 */
  readonly phone?: string | undefined;
  /** Changes the systems before it rings. */
  readonly before?: (platform: FakePlatform) => void;
  /** What the caller says, turn by turn. */
  readonly caller: readonly string[];
  /** The line goes dead while a payment is on its way. */
  readonly hangsUpDuringPayment?: boolean;
  /** By what they show. A check throws, or gives `false`. */
  readonly checks: Readonly<Record<string, (ended: EndedCall) => unknown>>;
  /** What the model does offline. */
  readonly script: readonly (ScriptedStep | ((moment: ScriptedMoment) => ScriptedStep))[];
}
