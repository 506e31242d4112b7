import { isClientError, isIntegrationError } from '../errors.ts';
import type { JsonObject } from '../ports/json.ts';
import type { ToolContext } from './context.ts';
import { type Failure, paymentUnknown, refusedByTool, toFailure } from './failures.ts';
import type { PaymentEnd } from './payment-guard.ts';
import { isRefusal } from './refused.ts';
import type { ToolStatus } from './result.ts';
import type { Tool } from './tool.ts';

/** What came of running a tool, before it is cut to size. */
export interface ToolAnswer {
  readonly status: ToolStatus;
  readonly value: unknown;
  /** What is known of its effect. */
  readonly outcome: PaymentEnd['outcome'];
  /** All that the tool gave, where `value` is what the model is told of it. */
  readonly given?: unknown;
  /** What the application should hear of. */
  readonly defect?: { readonly error: unknown };
}

/** Runs the code of a tool; what it throws becomes data. Never rejects. */
export const runTool = async (
  { tool, isCancelled }: RunningTool,
  args: JsonObject,
  context: ToolContext,
): Promise<ToolAnswer> => {
  try {
    return toAnswer(tool, args, await tool.work.run(args, context), isCancelled());
  } catch (error) {
    return toErrorAnswer(tool, error, isCancelled());
  }
};

export interface RunningTool {
  readonly tool: Tool;
  /** The application took the call back. */
  readonly isCancelled: () => boolean;
}

/** The answer that a result of the tool's code stands for. */
export const toAnswer = (tool: Tool, args: JsonObject, result: unknown, isCancelled = false): ToolAnswer => {
  if (isRefusal(result)) {
    return { ...told(refusedByTool(result.refusal, tool.effect)), outcome: 'not_sent' };
  }
  const outcome = tool.work.outcome(result);
  if (outcome === 'unknown' && tool.effect === 'payment')
    return { ...told(paymentUnknown({ isCancelled, words: tool.work.wordsSoFar(result) })), outcome };
  const value = tool.work.compact ? tool.work.compact(result, args) : result;
  return { status: outcome, value, given: result, outcome: outcome === 'refused' ? 'declined' : outcome };
};

/** The answer that an error of the tool's code stands for. */
export const toErrorAnswer = (tool: Tool, error: unknown, isCancelled = false): ToolAnswer => {
  const argumentNames = Object.keys(tool.parameters.properties);
  const failure = toFailure(error, { effect: tool.effect, argumentNames, isCancelled });
  return { ...told(failure), outcome: outcomeOf(error), ...(failure.isDefect && { defect: { error } }) };
};

const told = ({ status, value }: Failure) => ({ status, value });

/** A refusal for coming too often says nothing about the payment, so that the same try can be sent again. */
const outcomeOf = (error: unknown): PaymentEnd['outcome'] => {
  if (!isIntegrationError(error) || error.outcome === 'unknown') return 'unknown';
  return error.outcome === 'rejected' && isClientError(error) ? 'rejected' : 'not_sent';
};
