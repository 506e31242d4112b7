/**
 * The Model Context Protocol: tools for a server of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/server`.
 * The protocol has no id for a tool call, so a server belongs to one phone call: bind the toolbox to it.
 *
 * @module
 */
import { LRUCache } from 'lru-cache';
import * as z from '../../core/schema.ts';
import { setTimer } from '../../core/timers.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { isJsonObject, type Json, type JsonObject } from '../../stores/ports/json.ts';
import { canonicalJson, isTooMuch } from '../arguments.ts';
import { mergeContexts, type ToolCallContext, type ToolResult } from '../context.ts';
import { type DialectParameters, toPortable } from '../dialects.ts';
import { notAllowed, toFailedResult } from '../failures.ts';
import { madeOnce } from '../made-once.ts';
import type { PropertySchema, ToolInfo } from '../tool.ts';
import type { Toolbox } from '../toolbox.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { isErrorResult } from './target.ts';

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
    toolboxOf(from)
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
   * every 5 seconds; a request that it cancels ends the tool.
   * The server's own `registerTool` can't be used next to it. Call it before `connect`.
   */
  serve: (
    server: McpServerLike,
    from: WithTools,
    { context = {} }: { readonly context?: ToolCallContext } = {},
  ): void => {
    const toolbox = toolboxOf(from);
    const part = 'server' in server ? server.server : server;
    part.registerCapabilities({ tools: {} });
    handle(part, 'tools/list', () => ({ tools: mcp.tools(toolbox) }));
    handle(part, 'tools/call', async ({ params }: { readonly params: ToolCall }, extra: RequestExtra) => {
      const { signal, notify = extra.sendNotification } = extra.mcpReq ?? { signal: extra.signal };
      const progress = startProgress(params._meta?.progressToken, notify);
      const runWith = (own: ToolCallContext) =>
        toolbox.run(
          params.name,
          params.arguments,
          mergeContexts({ ...context, onSlow: context.onSlow ?? progress.onSlow }, { ...own, signal }),
        );
      const tool = toolbox.find(params.name);
      const questions = openQuestionsOf(toolbox);
      // The toolbox refuses what is too much, and asks nothing about it.
      const asked = isTooMuch(params.arguments)
        ? undefined
        : canonicalJson([context.tenant, context.callId, params.name, params.arguments]);
      const agreed = { confirmed: true, approved: tool?.needsApproval };
      const declined = () => toResult(toolbox, params, toFailedResult(notAllowed('declined', tool?.effect ?? 'read')));
      try {
        // The newer package calls again with the answer. It counts once, and only for what the question was about.
        const answer = extra.mcpReq?.inputResponses?.['agreement']?.action;
        const wasAsked = answer !== undefined && asked !== undefined && questions.has(asked);
        if (wasAsked) questions.delete(asked);
        if (answer !== undefined && answer !== 'accept') return declined();
        const result = await runWith(wasAsked ? agreed : { approved: context.approved ?? false });
        const question = toQuestion(result);
        if (asked === undefined || !question || !canAsk(part, extra)) return toResult(toolbox, params, result);
        if (extra.mcpReq) {
          questions.set(asked, true);
          return { resultType: 'input_required', inputRequests: { agreement: question } };
        }
        progress.send('Waiting for an answer.');
        const options = { relatedRequestId: extra.requestId, timeout: longestAnswerMs, signal };
        const reply = await part.elicitInput(question.params, options).catch(() => undefined);
        if (!reply) return toResult(toolbox, params, result);
        return reply.action === 'accept' ? toResult(toolbox, params, await runWith(agreed)) : declined();
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

/**
 * Returns the schema of a tool's `structuredContent` in MCP. Nothing is required, since a refusal and a payment whose end is
 * unknown have other fields than a result.
 */
const outputSchemaOf = ({ output, effect }: ToolInfo): DialectParameters => {
  const properties = { ...(effect === 'payment' ? ofPayments : ofAll), ...output?.properties };
  return toPortable({ type: 'object', properties, required: [] });
};

const ofAll: Readonly<Record<string, PropertySchema>> = {
  error: { type: 'string', description: 'Why it was not done.' },
  reason: { type: 'string', description: 'The same in more detail.' },
  message: { type: 'string', description: 'What to do now, or what to say.' },
  waiting_for_approval: { type: 'boolean', description: 'A colleague has to approve it first; nothing was done yet.' },
};

const ofPayments: Readonly<Record<string, PropertySchema>> = {
  success: { type: 'boolean', description: 'Whether the money has moved. Says nothing if outcome is unknown.' },
  outcome: { type: 'string', description: 'unknown: the money may have moved, and calling again checks it.' },
  already_paid: { type: 'boolean', description: 'It was made before; nothing was charged now.' },
  ...ofAll,
};

/** The result as `outputSchemaOf` says it: clients refuse anything else, also what a payment has done. */
const structuredContentOf = (tool: ToolInfo, value: Json): JsonObject => {
  const { properties } = outputSchemaOf(tool);
  const isFit = ([name, one]: [string, Json]) => !Object.hasOwn(properties, name) || fits(one, properties[name] ?? {});
  return Object.fromEntries(Object.entries(isJsonObject(value) ? value : { result: value }).filter(isFit));
};

const fits = (
  value: Json,
  { type, enum: values, properties = {}, required = [], items, anyOf }: PropertySchema,
): boolean => {
  if (values && !values.includes(value)) return false;
  if (anyOf && !anyOf.some((one) => fits(value, one))) return false;
  if (type !== undefined && !isOfType(value, type)) return false;
  if (Array.isArray(value)) return items === undefined || value.every((item) => fits(item, items));
  if (!isJsonObject(value)) return true;
  if (required.some((name) => !Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, one]) => fits(one, properties[name] ?? {}));
};

const isOfType = (value: Json, type: NonNullable<PropertySchema['type']>): boolean => {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isJsonObject(value) : typeof value === type;
};

/** The part of the `Server` of the packages that is used. */
interface McpServerPart {
  registerCapabilities(capabilities: { tools: object }): void;
  setRequestHandler(method: never, handler: never): void;
  getClientCapabilities(): ClientCapabilities | undefined;
  elicitInput(question: Question['params'], options: object): Promise<{ readonly action: string }>;
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
    readonly signal?: AbortSignal;
    readonly notify?: Notify;
    readonly inputResponses?: { readonly [name: string]: { readonly action?: string } | undefined };
    readonly envelope?: { readonly 'io.modelcontextprotocol/clientCapabilities'?: ClientCapabilities };
  };
}

/** A yes or no for the user of a host. */
interface Question {
  method: 'elicitation/create';
  params: { mode: 'form'; message: string; requestedSchema: { type: 'object'; properties: Record<string, never> } };
}

/** Returns the question for the user, if the result asks for one before the tool runs. */
const toQuestion = ({ status, value }: ToolResult): Question | undefined => {
  // What a tool itself gives may have the same fields.
  if (status !== 'refused' || typeof value !== 'object' || value === null || !('summary' in value)) return undefined;
  const { error, reason, summary } = value as { readonly [field: string]: unknown };
  if (typeof summary !== 'string' || (error !== 'confirmation_required' && reason !== 'not_approved')) return undefined;
  const requestedSchema = { type: 'object' as const, properties: {} };
  return { method: 'elicitation/create', params: { mode: 'form', message: summary, requestedSchema } };
};

/** The time for which the token of the question counts. */
const longestAnswerMs = 300_000;

/** The calls that users are being asked about, by tool and arguments. A host may open a server for each request. */
const openQuestionsOf = madeOnce(
  (_toolbox: Toolbox) => new LRUCache<string, true>({ max: mostQuestions, ttl: longestAnswerMs }),
);

const mostQuestions = 100;

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
