/**
 * The Model Context Protocol: tools for a server of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/server`.
 * The protocol has no id for a tool call, so a server belongs to one phone call: bind the toolbox to it.
 *
 * @module
 */
import * as z from '../../core/schema.ts';
import { setTimer } from '../../core/timers.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { fieldsOf, type Json } from '../../stores/ports/json.ts';
import {
  mergeContexts,
  type QuestionAnswer,
  type ToolCallContext,
  type ToolQuestion,
  type ToolResult,
} from '../context.ts';
import { toPortable } from '../dialects.ts';
import type { Toolbox } from '../toolbox.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { outputSchemaOf, structuredContentOf } from './mcp-output.ts';
import { isErrorResult } from './target.ts';

export type { McpClient } from './mcp-client.ts';
export { toolsFromMcp } from './mcp-tools.ts';

/** The `params` of a `tools/call` request. */
interface ToolCall {
  readonly name: string;
  readonly arguments?: unknown;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
}

/** An `McpServer`, or its `server`. */
type McpServerLike = McpServerPart | { readonly server: McpServerPart };

/**
 * `serve` is all that most need. For a server of your own, `tools` answers `tools/list` and `run` answers `tools/call`.
 *
 * @example
 * import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
 * const server = new McpServer({ name: 'billing', version: '1.0.0' });
 * mcp.serve(server, phoneCall.tools);
 */
export const mcp = {
  /** With annotations from each tool's effect, by which a host decides what it asks its user before. */
  tools: (from: WithTools) =>
    toolboxOf(from, 'mcp.tools')
      .tools()
      .map((tool) => ({
        name: tool.name,
        title: titleOf(tool.name),
        description: tool.description,
        inputSchema: toPortable(tool.parameters) as McpSchema,
        outputSchema: outputSchemaOf(tool) as McpSchema,
        annotations: {
          readOnlyHint: tool.effect === 'read',
          destructiveHint: tool.effect !== 'read',
          idempotentHint: tool.idempotent,
          openWorldHint: true,
        },
      })),

  /** Runs one tool call and gives its result. Never throws for what a model sends or a tool does. */
  run: async (from: WithTools, call: ToolCall, context: ToolCallContext = {}): Promise<ToolCallResult> =>
    toResult(toolboxOf(from), call, await toolboxOf(from).run(call.name, call.arguments, context)),

  /**
   * Serves the tools. A host that can ask its user (elicitation) asks them where a tool needs their yes; with any other,
   * the model asks, in two steps. A client that wants progress gets the slow message of a slow tool, and a sign of life
   * every 5 seconds. A request that it cancels ends the tool.
   * The server's own `registerTool` can't be used next to it. Call it before `connect`.
   */
  serve: (
    server: McpServerLike,
    from: WithTools,
    { context = {} }: { readonly context?: ToolCallContext } = {},
  ): void => {
    const toolbox = toolboxOf(from, 'mcp.serve');
    const part = 'server' in server ? server.server : server;
    part.registerCapabilities({ tools: {} });
    handle(part, 'tools/list', () => ({ tools: mcp.tools(toolbox) }));
    handle(part, 'tools/call', async ({ params }: { readonly params: ToolCall }, extra: RequestExtra) => {
      const { signal, notify = extra.sendNotification } = extra.mcpReq ?? { signal: extra.signal };
      const progress = startProgress(params._meta?.progressToken, notify);
      const { approved = false, onSlow = progress.onSlow } = context;
      const runWith = (consent: ToolCallContext['consent']) =>
        toolbox.run(
          params.name,
          params.arguments,
          mergeContexts({ ...context, approved, onSlow }, { consent, signal }),
        );
      try {
        const result = await runWith(answerIn(extra) ?? (canAsk(part, extra) ? 'ask' : undefined));
        if (isInvalidAnswer(result)) throw invalidState();
        const { question } = result;
        if (!question) return toResult(toolbox, params, result);
        // Since 2026-07-28 the client calls again with the answer, maybe in another process.
        if (extra.mcpReq?.envelope) return toInputRequired(question);
        progress.send('Waiting for an answer.');
        const relatedRequestId = extra.requestId ?? extra.mcpReq?.id;
        const options = { relatedRequestId, timeout: longestAnswerMs, signal };
        const reply = await part.elicitInput(formOf(question), options).catch(() => undefined);
        // Without an answer the model asks.
        return toResult(toolbox, params, await runWith(reply && { state: question.state, agreed: isYes(reply) }));
      } finally {
        progress.stop();
      }
    });
  },
};

type Method = 'tools/list' | 'tools/call';

/** The newer package takes the name of the method, the older one a schema that has it. */
const handle = (server: McpServerPart, method: Method, handler: (request: never, extra: never) => unknown): void => {
  // Each package has types of its own for what it hands over.
  const own = handler as never;
  try {
    server.setRequestHandler(method as never, own);
  } catch {
    // Version 1.29 and older read `value`, which a schema of zod/mini doesn’t have.
    const literal = Object.assign(z.literal(method), { value: method });
    server.setRequestHandler(z.looseObject({ method: literal }) as never, own);
  }
};

/** `create_payment` is Create payment. */
const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

const toResult = (toolbox: Toolbox, { name }: ToolCall, result: ToolResult): ToolCallResult => {
  const tool = toolbox.find(name);
  return withoutUndefined({
    content: [{ type: 'text' as const, text: result.text }],
    structuredContent: tool && structuredContentOf(tool, result.value),
    isError: isErrorResult(result),
  });
};

/** The result of one call, as MCP clients take it. */
interface ToolCallResult {
  /** The SDK's type has an index signature. */
  [field: string]: unknown;
  content: { type: 'text'; text: string }[];
  /** The result as data, in the form of the tool's `outputSchema`. */
  structuredContent?: { [field: string]: Json };
  isError: boolean;
}

/** A schema, which is JSON, as the types of the packages write it. */
interface McpSchema {
  type: 'object';
  properties: { [name: string]: McpJsonObject };
  required: string[];
}

/** JSON as the types of the packages write it. */
interface McpJsonObject {
  [name: string]: string | number | boolean | null | McpJsonObject[] | McpJsonObject;
}

/** The part of the `Server` of the packages that is used. */
interface McpServerPart {
  registerCapabilities(capabilities: { tools: object }): void;
  setRequestHandler(method: never, handler: never): void;
  getClientCapabilities(): ClientCapabilities | undefined;
  elicitInput(question: ReturnType<typeof formOf>, options: object): Promise<{ readonly action: string }>;
}

/** The abilities that a host names. */
interface ClientCapabilities {
  readonly elicitation?: { readonly form?: unknown; readonly url?: unknown } | undefined;
}

/** Sends a notification to the client. */
type Notify = (notification: {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; message?: string | undefined };
}) => Promise<void>;

/** The part of the second argument of a request handler that is used; the newer package has it under `mcpReq`. */
interface RequestExtra {
  readonly requestId?: string | number;
  readonly signal?: AbortSignal;
  readonly sendNotification?: Notify;
  readonly mcpReq?: {
    readonly id?: string | number;
    readonly signal?: AbortSignal;
    readonly notify?: Notify;
    readonly inputResponses?: { readonly [name: string]: { readonly action?: string } | undefined };
    readonly requestState?: () => string | undefined;
    readonly envelope?: { readonly 'io.modelcontextprotocol/clientCapabilities'?: ClientCapabilities };
  };
}

/** Returns the answer to a question, if the client calls again with one. */
const answerIn = ({ mcpReq }: RequestExtra): QuestionAnswer | undefined => {
  const state = mcpReq?.requestState?.();
  const answer = mcpReq?.inputResponses?.['agreement'];
  return state === undefined || !answer ? undefined : { state, agreed: isYes(answer) };
};

const isYes = ({ action }: { readonly action?: string }): boolean => action === 'accept';

/** A yes or no for the user of a host. */
const formOf = ({ summary }: ToolQuestion) => ({
  mode: 'form' as const,
  message: summary,
  requestedSchema: { type: 'object' as const, properties: {} },
});

const toInputRequired = (question: ToolQuestion) => ({
  resultType: 'input_required' as const,
  inputRequests: { agreement: { method: 'elicitation/create' as const, params: formOf(question) } },
  requestState: question.state,
});

const isInvalidAnswer = ({ status, value }: ToolResult): boolean =>
  status === 'refused' && fieldsOf(value)['reason'] === 'answer_not_valid';

/** The protocol's error for a state that isn't the server's. Both packages send the code and data of an error. */
const invalidState = () =>
  Object.assign(new Error('Invalid or expired requestState'), {
    code: -32_602,
    data: { reason: 'invalid_request_state' },
  });

/** The time for which a question counts. */
const longestAnswerMs = 300_000;

/** Says if the host can ask its user. One that names no kind of question takes forms. */
const canAsk = (server: McpServerPart, { mcpReq }: RequestExtra): boolean => {
  const capabilities =
    mcpReq?.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? server.getClientCapabilities();
  const { elicitation } = capabilities ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
};

/** Progress of one tool call, for a client that asked for it. */
interface Progress {
  readonly onSlow: ToolCallContext['onSlow'];
  /** Sends this now, and again until it is stopped, so that the client doesn't give up. */
  readonly send: (message?: string) => void;
  readonly stop: () => void;
}

const startProgress = (progressToken: string | number | undefined, notify: Notify | undefined): Progress => {
  if (progressToken === undefined || !notify) return { onSlow: undefined, send: () => {}, stop: () => {} };
  let sent = 0;
  let cancel = () => {};
  const send = (message?: string) => {
    cancel();
    // A notification that can't be sent changes nothing: the result is still to come.
    const params = withoutUndefined({ progressToken, progress: sent, message });
    notify({ method: 'notifications/progress', params }).catch(() => {});
    sent += 1;
    cancel = setTimer(() => send(message), everyMs);
  };
  return { onSlow: ({ message }) => send(message), send, stop: () => cancel() };
};

const everyMs = 5_000;
