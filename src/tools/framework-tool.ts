/** The tools that frameworks make, known by their shape: none of their packages is imported. */
import { InvalidArgumentError, UnexpectedResponseError } from '../core/errors.ts';
import type { ToolContext } from './context.ts';
import type { ToolEffect } from './tool.ts';

/** A tool of a framework: what it says of itself, and how it's run. */
export interface FrameworkTool {
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** A schema of zod, another Standard Schema, the AI SDK's `jsonSchema()`, or JSON Schema. */
  readonly schema: unknown;
  /** It takes what its schema makes of the arguments. Others check and change them by themselves. */
  readonly takesParsed: boolean;
  /** Each call needs a person's approval, or those that the function names. */
  readonly needsApproval: boolean | ((args: unknown, context: ToolContext) => unknown);
  readonly run: (args: unknown, context: ToolContext, effect: ToolEffect) => unknown;
  /** Returns whether it may be used now. */
  readonly isEnabled?: (() => Promise<unknown>) | undefined;
  /** Makes what a model is to see of an answer. */
  readonly toModelOutput?: ((output: unknown, input: unknown, context: ToolContext) => unknown) | undefined;
}

/** Throws `InvalidArgumentError` for what is none, and says what to do. */
export const readFrameworkTool = (tool: unknown): FrameworkTool => {
  if (typeof tool !== 'object' || tool === null) throw wrong(`is ${kindOf(tool)}: ${fixFor(tool)}`);
  const parts = tool as Parts;
  if (Reflect.get(tool, mastraMark) === true) return readMastra(parts);
  const { type, lc_runnable: isRunnable, invoke, execute, inputSchema } = parts;
  if (isRunnable === true && typeof invoke === 'function' && parts.schema) return readLangChain(parts, invoke);
  if (type === 'function' && typeof invoke === 'function') return readOpenAIAgents(parts, invoke);
  if (inputSchema !== undefined && (type === undefined || type === 'function')) return readAiSdk(parts, execute);
  throw wrong(unreadable(parts));
};

/** The parts by which tools are known. What they hold is checked where it's used. */
interface Parts {
  readonly [part: string]: unknown;
  readonly type?: unknown;
  readonly name?: unknown;
  readonly description?: unknown;
  readonly execute?: unknown;
  readonly invoke?: unknown;
  readonly inputSchema?: unknown;
  readonly schema?: unknown;
  readonly parameters?: unknown;
  readonly needsApproval?: unknown;
}

type Run = (...input: unknown[]) => unknown;

const mastraMark = Symbol.for('mastra.core.tool.Tool');

const readAiSdk = (parts: Parts, execute: unknown): FrameworkTool => {
  if (!isRun(execute)) throw wrong('has no execute, since it runs in the browser: register it with the AI SDK itself');
  if (parts['contextSchema'] !== undefined)
    throw wrong('needs a context of the AI SDK: use bind, or a tool without one');
  const optionsOf = (context: ToolContext, signal?: AbortSignal) => ({
    toolCallId: context.toolCallId ?? context.idempotencyKey ?? context.callId,
    messages: [],
    abortSignal: signal,
    context: noContext,
  });
  const { toModelOutput } = parts;
  return {
    ...namesOf(parts, parts.name),
    schema: parts.inputSchema,
    takesParsed: true,
    needsApproval: approvalOf(parts.needsApproval, (args, context) => [args, optionsOf(context)]),
    run: (args, context, effect) => execute.call(parts, args, optionsOf(context, signalFor(effect, context))),
    toModelOutput: isRun(toModelOutput)
      ? (output, input, { toolCallId }) => toModelOutput.call(parts, { toolCallId: toolCallId ?? '', input, output })
      : undefined,
  };
};

const readMastra = (parts: Parts): FrameworkTool => {
  const { execute, requireApproval, needsApprovalFn, toModelOutput } = parts;
  if (!isRun(execute)) throw wrong('has no execute: give one that does the work');
  if (parts['suspendSchema'] !== undefined || parts['resumeSchema'] !== undefined)
    throw wrong("suspends its run, which only Mastra can resume: use confirm: 'approve' instead");
  if (parts['requestContextSchema'] !== undefined)
    throw wrong('needs a request context of Mastra: use bind, or a tool without one');
  return {
    ...namesOf(parts, parts['id']),
    schema: parts.inputSchema,
    takesParsed: false,
    needsApproval: approvalOf(isRun(needsApprovalFn) ? needsApprovalFn : requireApproval, (args) => [args, {}]),
    run: async (args, context, effect) => {
      const answer = await execute.call(parts, args, {
        abortSignal: signalFor(effect, context),
        observe: { log: () => {}, span: (_: unknown, work: () => unknown) => work() },
      });
      assertValid(String(parts['id']), answer);
      return answer;
    },
    toModelOutput: isRun(toModelOutput) ? (output) => toModelOutput.call(parts, output) : undefined,
  };
};

/** Mastra returns what is wrong with the arguments or with the result. Only the former comes before the work. */
const assertValid = (name: string, answer: unknown): void => {
  const { error, message, validationErrors }: Parts = Object(answer);
  if (error !== true || validationErrors === undefined) return;
  if (String(message).startsWith('Tool input')) throw refusedArguments(name, message);
  throw failed(name, message);
};

const readLangChain = (parts: Parts, invoke: unknown): FrameworkTool => ({
  ...namesOf(parts, parts.name),
  schema: parts.schema,
  takesParsed: false,
  needsApproval: false,
  run: async (args, context, effect) => {
    try {
      return await (invoke as Run).call(parts, args, { signal: signalFor(effect, context) });
    } catch (error) {
      if (constructorOf(error) === 'ToolInputParsingException') throw refusedArguments(String(parts.name), error);
      throw error;
    }
  },
});

const readOpenAIAgents = (parts: Parts, invoke: unknown): FrameworkTool => {
  const name = String(parts.name);
  const { isEnabled, timeoutErrorFunction } = parts;
  for (const guard of ['inputGuardrails', 'outputGuardrails'] as const) {
    const guards = parts[guard];
    if (Array.isArray(guards) && guards.length > 0) throw wrong(`has ${guard}, which only its SDK runs: use rules`);
  }
  const runContext = { context: noContext };
  const run = (text: string, details: object) =>
    Promise.resolve((invoke as Run).call(parts, runContext, text, details));
  let probe: Promise<unknown> | undefined;
  /** Broken arguments reach no function of yours, and fail as an error does: with a sentence, unless it has none. */
  const assertThrows = async (): Promise<void> => {
    probe ??= run('{', {}).catch(() => undefined);
    const sentence = await probe;
    if ((sentence === undefined || isOwnFailure(sentence)) && timeoutErrorFunction === undefined) return;
    throw new InvalidArgumentError(
      'errorFunction',
      `of ${name} must be null, and timeoutErrorFunction be absent: what they return looks like success`,
      { operation: 'toolFrom' },
    );
  };
  return {
    ...namesOf(parts, parts.name),
    schema: parts.parameters,
    takesParsed: false,
    needsApproval: approvalOf(parts.needsApproval, (args, { toolCallId }) => [runContext, args, toolCallId]),
    isEnabled: isRun(isEnabled) ? async () => isEnabled.call(parts, runContext, undefined) : undefined,
    run: async (args, context, effect) => {
      if (effect !== 'read') await assertThrows();
      const text = JSON.stringify(args);
      const toolCall = { type: 'function_call', callId: context.toolCallId ?? '', name, arguments: text };
      const answer = await run(text, { toolCall, signal: signalFor(effect, context) }).catch((error: unknown) => {
        throw constructorOf(error) === 'InvalidToolInputError' ? refusedArguments(name, error) : error;
      });
      if (isOwnFailure(answer)) throw failed(name, answer);
      return answer;
    },
  };
};

/** The SDK's own sentences. */
const isOwnFailure = (answer: unknown): boolean =>
  typeof answer === 'string' &&
  (answer.startsWith('An error occurred while running the tool.') ||
    /^Tool '.*' timed out after \d+ms\.$/.test(answer));

/** The context of a framework's run, which isn't there. Read as nothing, it could be anyone's. */
const noContext: object = new Proxy(
  {},
  {
    get: (_, name) => {
      if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
      // It may have begun its work.
      throw new UnexpectedResponseError(
        `the tool reads ${name} of its run's context, which only its framework has: use bind`,
        {
          operation: 'toolFrom',
        },
      );
    },
  },
);

const isRun = (part: unknown): part is Run => typeof part === 'function';

const namesOf = ({ description }: Parts, name: unknown): Pick<FrameworkTool, 'name' | 'description'> => ({
  name: typeof name === 'string' ? name : undefined,
  description: typeof description === 'string' ? description : undefined,
});

const approvalOf = (
  needed: unknown,
  inputOf: (args: unknown, context: ToolContext) => unknown[],
): FrameworkTool['needsApproval'] =>
  isRun(needed) ? (args, context) => needed(...inputOf(args, context)) : needed === true;

/** A payment that was sent isn't cut: its end would be unknown. */
const signalFor = (effect: ToolEffect, { signal }: ToolContext): AbortSignal | undefined =>
  effect === 'payment' ? undefined : signal;

const constructorOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : '');

/** Its own schema refused them, so nothing was done. The words may repeat a value. */
const refusedArguments = (name: string, error: unknown) =>
  new InvalidArgumentError('arguments', `were refused by the own schema of ${name}`, {
    operation: 'toolFrom',
    cause: error instanceof Error ? error : undefined,
  });

/** The tool ran and answered that it failed. */
export const failed = (name: string, answer: unknown, fix = ''): UnexpectedResponseError =>
  new UnexpectedResponseError(`${name} returned a failure${fix}`, { operation: `tools.${name}`, original: answer });

export const wrong = (problem: string, field = 'tool') =>
  new InvalidArgumentError(field, problem, { operation: 'toolFrom' });

const kindOf = (tool: unknown): string => (tool === null || tool === undefined ? String(tool) : `a ${typeof tool}`);

const fixFor = (tool: unknown): string =>
  typeof tool === 'function'
    ? 'give an operation of createApiClient, such as orders.get; for your own function use defineTool'
    : tools;

const tools =
  'give an operation of createApiClient, a tool of the AI SDK, OpenAI Agents, LangChain or Mastra, or ' +
  '{ description, inputSchema, execute }';

/** Says what was given, as far as its shape shows, and what to do. */
const unreadable = (parts: Parts): string => {
  const { type, execute, parameters, name } = parts;
  if (Array.isArray(parts)) return 'is a list: call toolFrom for each tool';
  if (parts instanceof Promise) return 'is a promise: await it';
  if (type === 'dynamic') return "is a dynamic tool, of unknown arguments: for an MCP server's tools use toolsFromMcp";
  if (type === 'provider' || type === 'provider-defined')
    return 'is run by its provider, not here: register it with the AI SDK itself';
  if (typeof type === 'string' && type !== 'function')
    return `is a ${type} of its provider, not a function: register it with the framework itself`;
  const isLiveKit = Object.getOwnPropertySymbols(parts).some(({ description }) => description === 'function_tool');
  if (isLiveKit) return "is a tool of LiveKit, which needs LiveKit's session: use defineTool";
  if (parts['options'] !== undefined && parts['bound'] !== undefined)
    return 'is a tool of this package already: use it as it is';
  if (parts['lc_runnable'] === true) return 'is a runnable of LangChain without a schema: make it a tool() with one';
  if (execute === undefined && (type === 'function' || (name !== undefined && parameters !== undefined)))
    return 'only describes a tool: give the one that runs';
  if (name !== undefined && parts.inputSchema !== undefined)
    return "only describes a tool: for an MCP server's tools use toolsFromMcp";
  const [first] = Object.entries(parts).flatMap(([key, one]) => (isToolLike(one) ? [key] : []));
  if (first !== undefined) return `is a record of tools: give one of them, such as tools.${first}, with its name`;
  return `is none that can be read: ${tools}`;
};

const isToolLike = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ['execute', 'invoke'].some((part) => isRun(Reflect.get(value, part)));
