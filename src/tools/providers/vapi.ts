/**
 * Vapi: tools of type `function`, and the server that it posts `tool-calls` messages to.
 *
 * `tools` goes into an assistant's `model.tools`, `handler` is the whole server; `run`, `runAll` and `toResult` are its
 * parts. Results are one line of text, as Vapi wants them.
 *
 * @module
 */
import type { JsonObject } from '../../ports/json.ts';
import type { ToolCallContext } from '../context.ts';
import { toFields } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';
import {
  asPhone,
  createPlatformHandler,
  objectIn,
  type PlatformCall,
  type PlatformHandler,
  type PlatformHandlerOptions,
  textIn,
  toolboxOf,
} from './platform-handler.ts';
import { assertReadsSecrets, isOneOf, readSecrets, type ReadSecrets } from './shared-secret.ts';

export type { PlatformCall, PlatformHandler, PlatformHandlerOptions } from './platform-handler.ts';
export type { ReadSecrets } from './shared-secret.ts';

/** Where Vapi sends the calls of these tools. */
export interface VapiToolOptions {
  /** Where Vapi reaches `handler`. Without it Vapi uses the assistant's or the phone number's server. */
  readonly url?: string;
  /** The credential, made in Vapi's dashboard, whose secret the server checks. */
  readonly credentialId?: string;
  /** How long Vapi waits. More than the toolbox's budget. @defaultValue 20 */
  readonly timeoutSeconds?: number;
}

/**
 * Each tool answers while Vapi waits; its slow message is said once it takes longer than expected. Limits stand in the
 * descriptions, since Vapi's own schema has no words for them.
 *
 * @example
 * const tools = vapi.tools(toolbox, { url: 'https://agent.example/tools/vapi', credentialId });
 * await client.assistants.update({ id, model: { provider, model, tools } });
 */
export const tools = (toolbox: Toolbox, { url, credentialId, timeoutSeconds = 20 }: VapiToolOptions = {}): VapiTool[] =>
  toolbox.tools().map(({ name, description, parameters, expectedMs, slowMessage }) => ({
    type: 'function',
    async: false,
    // Every property of these fields has a type.
    function: { name, description, parameters: toFields(parameters) as VapiParameters },
    ...(url !== undefined && { server: { url, timeoutSeconds, ...(credentialId !== undefined && { credentialId }) } }),
    ...(slowMessage !== undefined && {
      messages: [{ type: 'request-response-delayed', timingMilliseconds: expectedMs, content: slowMessage }],
    }),
  }));

/**
 * Answers one tool call of a `tool-calls` message.
 *
 * @example
 * const result = await vapi.run(phoneCall.tools, toolCall);
 */
export const run = async (
  toolbox: Toolbox,
  call: VapiToolCall,
  context: ToolCallContext = {},
): Promise<VapiToolResult> => {
  const { name = '', arguments: args, parameters } = call.function ?? call;
  return toResult(call, await toolbox.run(name, args ?? parameters, { ...context, toolCallId: call.id }));
};

/**
 * Runs every tool call of a `tool-calls` message at the same time: the whole answer to it.
 *
 * @example
 * response.json(await vapi.runAll(phoneCall.tools, request.body.message));
 */
export const runAll = async (
  toolbox: Toolbox,
  { toolCallList }: { readonly toolCallList: readonly VapiToolCall[] },
  context?: ToolCallContext,
): Promise<VapiToolResults> => ({
  results: await Promise.all(toolCallList.map((call) => run(toolbox, call, context))),
});

/**
 * A failure goes into `error`, with which Vapi says a `request-failed` message where there is one.
 *
 * @example
 * const result = await toolbox.run(toolCall.name, toolCall.arguments, { toolCallId: toolCall.id });
 * response.json({ results: [vapi.toResult(toolCall, result)] });
 */
export const toResult = (call: VapiToolCall, result: ToolResult): VapiToolResult => ({
  toolCallId: call.id,
  name: call.function?.name ?? call.name ?? '',
  ...(isErrorResult(result) ? { error: result.text } : { result: result.text }),
});

/** What the server for Vapi runs, and how it knows Vapi. */
export interface VapiHandlerOptions extends PlatformHandlerOptions {
  /** What Vapi sends in `header`. Asked for each request, so that it can be rotated. */
  readonly secret: ReadSecrets;
  /**
   * Where the secret stands: `x-vapi-secret` for a secret of the server, `authorization` for a bearer token.
   * @defaultValue 'x-vapi-secret'
   */
  readonly header?: string;
}

/**
 * The server for Vapi's `tool-calls` messages. Every other message is answered with an empty object. A request
 * without the secret gets 401, and nothing runs.
 * Throws `InvalidArgumentError` for a secret that is a literal.
 *
 * @example
 * const handle = vapi.handler({ toolbox, secret: () => secrets.read('vapi') });
 * const response = await handle(request);
 */
export const handler = ({ secret, header = 'x-vapi-secret', ...options }: VapiHandlerOptions): PlatformHandler => {
  assertReadsSecrets('secret', secret);
  return createPlatformHandler(
    {
      isGenuine: async ({ headers }) => {
        const given = (headers.get(header) ?? '').replace(/^Bearer /i, '');
        return isOneOf(given, await readSecrets('secret', secret));
      },
      answer: async (body, { signal }) => {
        const message = objectIn(body, 'message');
        if (message['type'] !== 'tool-calls') return {};
        const call = callOf(message, body);
        const calls = message['toolCallList'];
        if (!call || !Array.isArray(calls)) return undefined;
        const toolbox = await toolboxOf(options, call);
        return runAll(toolbox, { toolCallList: calls.filter(isToolCall) }, { signal });
      },
    },
    options,
  );
};

/** A chat has an id of its own, and nobody's number. */
const callOf = (message: JsonObject, body: JsonObject): PlatformCall | undefined => {
  const call = objectIn(message, 'call');
  const callId = textIn(call, 'id') ?? textIn(objectIn(message, 'chat'), 'id');
  if (callId === undefined) return undefined;
  const isTelephone = textIn(call, 'type')?.endsWith('PhoneCall') ?? false;
  const customer = { ...objectIn(call, 'customer'), ...objectIn(message, 'customer') };
  return { callId, phone: isTelephone ? asPhone(customer['number']) : undefined, body };
};

const isToolCall = (call: unknown): call is VapiToolCall =>
  typeof call === 'object' && call !== null && 'id' in call && typeof call.id === 'string';

/** One of the `model.tools` of an assistant. */
export interface VapiTool {
  type: 'function';
  async: boolean;
  function: { name: string; description: string; parameters: VapiParameters };
  server?: { url: string; timeoutSeconds: number; credentialId?: string };
  messages?: { type: 'request-response-delayed'; timingMilliseconds: number; content: string }[];
}

/** The parameters of a tool, as far as Vapi's schema can say them. */
export interface VapiParameters {
  type: 'object';
  properties: Record<string, VapiProperty>;
  required: string[];
}

/** One parameter, or a part of one. */
export interface VapiProperty {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  description?: string;
  enum?: string[];
  items?: VapiProperty;
  properties?: Record<string, VapiProperty>;
  required?: string[];
}

/** As Vapi's documentation writes it, and as its typings do. */
export interface VapiToolCall {
  readonly id: string;
  readonly name?: string;
  readonly arguments?: unknown;
  /** What Vapi's page on server events calls the arguments; its types and its packages say `arguments`. */
  readonly parameters?: unknown;
  readonly function?: { readonly name?: string; readonly arguments?: unknown; readonly parameters?: unknown };
}

/** The answer to one tool call: one of `result` and `error`. */
export interface VapiToolResult {
  toolCallId: string;
  name: string;
  result?: string;
  error?: string;
}

/** The answer to a `tool-calls` message. */
export interface VapiToolResults {
  results: VapiToolResult[];
}
