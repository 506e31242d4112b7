/** The common part of all targets: a tool call is read, run by the toolbox, and answered in the target's own shape. */
import { confirmationToken } from '../arguments.ts';
import type { ToolCallContext, ToolResult } from '../context.ts';
import { fieldsOf } from '../../stores/ports/json.ts';
import type { DialectParameters } from '../dialects.ts';
import { confirmationError } from '../failures.ts';
import { cutReasonOf } from '../finish-reason.ts';
import type { ToolInfo } from '../tool.ts';
import type { Toolbox } from '../toolbox.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';

/** One tool call in a target's words, and its answer. */
export interface CallShape<Call, Answer> {
  /** `args` is an object or JSON text, unchecked. */
  readonly readCall: (
    call: Call,
    toolbox: Toolbox,
  ) => {
    readonly name: string;
    readonly args: unknown;
    readonly toolCallId?: string | undefined;
    /** The reason of the call itself, if it has one. */
    readonly finishReason?: string | undefined;
  };
  readonly toResult: (call: Call, result: ToolResult) => Answer;
}

export interface CallRunner<Call, Answer> {
  /** Runs one tool call and gives its answer. Never throws for what a model sends or a tool does. */
  readonly run: (from: WithTools, call: Call, context?: ToolCallContext) => Promise<Answer>;
  /** A result in the target's shape, for a loop of your own. */
  readonly toResult: (call: Call, result: ToolResult) => Answer;
}

export const createCallRunner = <Call, Answer>({
  readCall,
  toResult,
}: CallShape<Call, Answer>): CallRunner<Call, Answer> => ({
  run: async (from, call, context = {}) => {
    const toolbox = toolboxOf(from);
    const { name, args, toolCallId = context.toolCallId, finishReason: ofCall } = readCall(call, toolbox);
    const finishReason = cutReasonOf(ofCall, context.finishReason);
    return toResult(call, await toolbox.run(name, args, { ...context, toolCallId, finishReason }));
  },
  toResult,
});

/** A message of a target that may hold several tool calls, and its answer. */
export interface MessageShape<Call, Answer, Message, Reply> extends CallShape<Call, Answer> {
  readonly callsIn: (message: Message) => readonly Call[];
  /** Returns why the model stopped, where the message says so: none of the calls of one that was cut runs. */
  readonly finishReasonOf?: ((message: Message) => unknown) | undefined;
  readonly toReply: (answers: Answer[], message: Message) => Reply;
}

export interface MessageRunner<Call, Answer, Message, Reply> extends CallRunner<Call, Answer> {
  /** Runs every tool call of a message at the same time. Answers are in the order of the calls. */
  readonly runAll: (from: WithTools, message: Message, context?: ToolCallContext) => Promise<Reply>;
}

export const createMessageRunner = <Call, Answer, Message, Reply>(
  shape: MessageShape<Call, Answer, Message, Reply>,
): MessageRunner<Call, Answer, Message, Reply> => {
  const { run, toResult } = createCallRunner(shape);
  return {
    run,
    runAll: async (toolbox, message, context = {}) => {
      const finishReason = cutReasonOf(shape.finishReasonOf?.(message), context.finishReason);
      const runOne = (call: Call) => run(toolbox, call, { ...context, finishReason });
      return shape.toReply(await Promise.all(shape.callsIn(message).map(runOne)), message);
    },
    toResult,
  };
};

/**
 * Says if the model sees that the tool call went wrong. Three did not: a payment whose end is unknown, a call that waits
 * for an approval, and a question to read out. A model that sees the flag says that they failed.
 */
export const isErrorResult = ({ status, value }: ToolResult): boolean => {
  const { outcome, error } = fieldsOf(value);
  const isOpen = outcome === 'unknown' || error === confirmationError;
  return (status === 'refused' || status === 'failed' || status === 'cancelled') && !isOpen;
};

/** Says if a framework has to ask a person before a call. With both kinds, the caller has to agree first. */
export const approvalNeeded = ({ needsApproval, confirm }: ToolInfo): boolean | ((input: unknown) => boolean) =>
  needsApproval && confirm === 'both' ? hasToken : needsApproval;

/** Says if a person has approved the call that a framework runs now, which it had to ask for. */
export const isApprovedCall = (tool: ToolInfo, input: unknown): boolean => {
  const needed = approvalNeeded(tool);
  return typeof needed === 'function' ? needed(input) : needed;
};

const hasToken = (input: unknown): boolean => {
  const token = typeof input === 'object' && input !== null && Reflect.get(input, confirmationToken);
  return typeof token === 'string' && token !== '';
};

/** A Standard Schema that shows the model our parameters and accepts every argument: the toolbox checks them. */
export const unchecked = (parameters: DialectParameters) => ({
  '~standard': {
    version: 1,
    vendor: 'voice-agent-integrations',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => parameters, output: () => parameters },
  } as const,
});

/** The text that the model gets: a result, marked if it is no success. */
export const toModelOutput = (result: ToolResult) => ({
  type: isErrorResult(result) ? ('error-text' as const) : ('text' as const),
  value: result.text,
});
