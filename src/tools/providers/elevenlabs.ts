/**
 * ElevenLabs Agents: `webhook` tools, which ElevenLabs posts to a server, and `client` tools, which it asks for over
 * the conversation's own connection.
 *
 * Definitions are spelled as its REST API takes them: `POST /v1/convai/tools` with `{ tool_config }`.
 *
 * @module
 */
import type { Json, JsonObject } from '../../ports/json.ts';
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toFields } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { ToolInfo } from '../tool.ts';
import type { Toolbox } from '../toolbox.ts';
import { derivedToolCallId } from './derived-id.ts';
import { isErrorResult } from './error-flag.ts';
import {
  asPhone,
  createPlatformHandler,
  type PlatformHandler,
  type PlatformHandlerOptions,
  toolboxOf,
} from './platform-handler.ts';
import { assertReadsSecrets, isOneOf, readSecrets, type ReadSecrets } from './shared-secret.ts';

export type { PlatformCall, PlatformHandler, PlatformHandlerOptions } from './platform-handler.ts';
export type { ReadSecrets } from './shared-secret.ts';

/**
 * Tools on a server.
 *
 * @example
 * const configs = webhook.tools(toolbox, { url: 'https://agent.example/tools', secretId });
 * for (const tool_config of configs) await api.post('/v1/convai/tools', { tool_config });
 * const handle = webhook.handler({ toolbox, secret: () => secrets.read('elevenlabs') });
 */
export const webhook = {
  /** A tool that changes something runs after the agent has finished speaking, and cannot be interrupted while it does. */
  tools: (
    toolbox: Toolbox,
    { url, secretId, callerId = true, timeoutSeconds = 20 }: ElevenLabsWebhookOptions,
  ): ElevenLabsWebhookTool[] =>
    toolbox.tools().map((tool) => ({
      type: 'webhook',
      ...partsOf(tool, timeoutSeconds),
      // What a tool answers is written for the model, errors too.
      tool_error_handling_mode: 'passthrough',
      api_schema: {
        url: `${url.replace(/\/$/, '')}/${tool.name}`,
        method: 'POST',
        request_headers: {
          [headers.secret]: { secret_id: secretId },
          [headers.callId]: { variable_name: 'system__conversation_id' },
          ...(callerId && { [headers.callerId]: { variable_name: 'system__caller_id' } }),
        },
        ...withFields('request_body_schema', tool),
      },
    })),

  /** ElevenLabs sends no id for a tool call: see `run` of Retell. */
  run: async (
    toolbox: Toolbox,
    { name, args }: ElevenLabsWebhookCall,
    context: ToolCallContext = {},
  ): Promise<Json> => {
    const toolCallId = derivedToolCallId(toolbox, name, args);
    return webhook.toResult(await toolbox.run(name, args, { toolCallId, ...context }));
  },

  /** The answer's body, with status 200 for failures too. */
  toResult: ({ value }: ToolResult): Json => value,

  /**
   * The server for these tools: the last part of the path names the tool. A request without the secret gets 401, and
   * nothing runs.
   * Throws `InvalidArgumentError` for a secret that is a literal.
   *
   * @example
   * const handle = webhook.handler({ toolbox, secret: () => secrets.read('elevenlabs') });
   * const response = await handle(request);
   */
  handler: ({ secret, ...options }: ElevenLabsHandlerOptions): PlatformHandler => {
    assertReadsSecrets('secret', secret);
    return createPlatformHandler(
      {
        isGenuine: async (request) =>
          isOneOf(request.headers.get(headers.secret) ?? '', await readSecrets('secret', secret)),
        answer: async (body, request) => {
          const callId = request.headers.get(headers.callId);
          if (!callId) return undefined;
          const phone = asPhone(request.headers.get(headers.callerId));
          const toolbox = await toolboxOf(options, { callId, phone, body });
          return webhook.run(toolbox, { name: lastPart(request.url), args: body }, { signal: request.signal });
        },
      },
      options,
    );
  },
};

/**
 * Tools in the process that holds the conversation.
 *
 * @example
 * const configs = client.tools(toolbox); // POST /v1/convai/tools { tool_config }, each
 * if (event.type === 'client_tool_call')
 *   socket.send(JSON.stringify(await client.run(phoneCall.tools, event.client_tool_call)));
 */
export const client = {
  /** The agent waits for the answer of each. */
  tools: (toolbox: Toolbox, { timeoutSeconds = 20 }: ElevenLabsClientOptions = {}): ElevenLabsClientTool[] =>
    toolbox.tools().map((tool) => ({
      type: 'client',
      ...partsOf(tool, timeoutSeconds),
      expects_response: true,
      ...withFields('parameters', tool),
    })),

  /** Takes the field `client_tool_call` of the event of this name, and gives the event to send. */
  run: async (
    toolbox: Toolbox,
    call: ElevenLabsClientCall,
    context: ToolCallContext = {},
  ): Promise<ElevenLabsClientResult> => {
    const { tool_name, tool_call_id, parameters } = call;
    return client.toResult(call, await toolbox.run(tool_name, parameters, { ...context, toolCallId: tool_call_id }));
  },

  /** A result as the event to send, for a loop of your own. */
  toResult: (
    { tool_call_id }: Pick<ElevenLabsClientCall, 'tool_call_id'>,
    result: ToolResult,
  ): ElevenLabsClientResult => ({
    type: 'client_tool_result',
    tool_call_id,
    result: result.text,
    is_error: isErrorResult(result),
  }),

  /**
   * For the package's own `ClientTools`, and for the option `clientTools` of its browser packages. Failures are thrown,
   * since that is how these set the flag for errors; the error holds what a model may read and nothing else.
   *
   * @example
   * for (const [name, handle] of Object.entries(client.functions(toolbox))) clientTools.register(name, handle);
   */
  functions: (
    toolbox: Toolbox,
    context: ToolCallContext = {},
  ): Record<string, (parameters: JsonObject) => Promise<string>> =>
    Object.fromEntries(
      toolbox.tools().map(({ name }) => [
        name,
        async (parameters: JsonObject) => {
          const id = parameters['tool_call_id'];
          const own = typeof id === 'string' ? { toolCallId: id } : {};
          const result = await toolbox.run(name, parameters, { ...context, ...own });
          if (isErrorResult(result)) throw new Error(result.text);
          return result.text;
        },
      ]),
    ),
};

/** Where ElevenLabs sends the calls of these tools, and what with them. */
export interface ElevenLabsWebhookOptions {
  /** Where ElevenLabs reaches `handler`; the name of the tool is added to the path. */
  readonly url: string;
  /** The id that ElevenLabs gave the secret when it was stored there. */
  readonly secretId: string;
  /** Sends who is calling. Off for agents that also speak on the web, where nobody has a number. @defaultValue true */
  readonly callerId?: boolean;
  /** How long ElevenLabs waits; more than the toolbox's budget. @defaultValue 20 */
  readonly timeoutSeconds?: number;
}

/** How client tools are described. */
export interface ElevenLabsClientOptions {
  /** How long ElevenLabs waits; more than the toolbox's budget. @defaultValue 20 */
  readonly timeoutSeconds?: number;
}

/** What the server for ElevenLabs runs, and how it knows ElevenLabs. */
export interface ElevenLabsHandlerOptions extends PlatformHandlerOptions {
  /** What `secretId` stands for. Asked for each request, so that it can be rotated. */
  readonly secret: ReadSecrets;
}

const headers = { secret: 'X-Tools-Secret', callId: 'X-Conversation-Id', callerId: 'X-Caller-Id' } as const;

const lastPart = (url: string) => new URL(url).pathname.split('/').findLast((part) => part !== '') ?? '';

const partsOf = ({ name, description, effect, slowMessage }: ToolInfo, timeoutSeconds: number): ElevenLabsParts => ({
  name,
  description,
  response_timeout_secs: timeoutSeconds,
  execution_mode: effect === 'read' ? 'immediate' : 'post_tool_speech',
  interruption_mode: effect === 'read' ? 'allow' : 'disable_during_tool',
  // There is no field for the words: with 'force' the agent finds its own.
  pre_tool_speech: slowMessage === undefined ? 'auto' : 'force',
});

/** An object without properties is refused. */
const withFields = <Name extends string>(name: Name, { parameters }: ToolInfo) =>
  // The one field of this object is `name`.
  (Object.keys(parameters.properties).length === 0 ? {} : { [name]: toFields(parameters) }) as {
    [Key in Name]?: DialectParameters;
  };

/** What both kinds of tools are described with. */
interface ElevenLabsParts {
  name: string;
  description: string;
  response_timeout_secs: number;
  execution_mode: 'immediate' | 'post_tool_speech';
  interruption_mode: 'allow' | 'disable_during_tool';
  pre_tool_speech: 'auto' | 'force';
}

/** A `tool_config` of a tool on a server. */
export interface ElevenLabsWebhookTool extends ElevenLabsParts {
  type: 'webhook';
  tool_error_handling_mode: 'passthrough';
  api_schema: {
    url: string;
    method: 'POST';
    request_headers: Record<string, { secret_id: string } | { variable_name: string }>;
    request_body_schema?: DialectParameters;
  };
}

/** A `tool_config` of a tool in the process that holds the conversation. */
export interface ElevenLabsClientTool extends ElevenLabsParts {
  type: 'client';
  expects_response: boolean;
  parameters?: DialectParameters;
}

/** A call of a tool on a server: the last part of the path, and the body. */
export interface ElevenLabsWebhookCall {
  readonly name: string;
  readonly args: unknown;
}

/** The field `client_tool_call` of the event of this name. */
export interface ElevenLabsClientCall {
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly parameters?: unknown;
}

/** The event that hands a result to the conversation. */
export interface ElevenLabsClientResult {
  type: 'client_tool_result';
  tool_call_id: string;
  result: string;
  is_error: boolean;
}
