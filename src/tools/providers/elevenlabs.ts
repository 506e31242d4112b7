/**
 * ElevenLabs Agents: `webhook` tools, which ElevenLabs posts to a server, and `client` tools, which it asks for over
 * the conversation's own connection.
 *
 * Definitions are spelled as its REST API takes them: `POST /v1/convai/tools` with `{ tool_config }`.
 *
 * @module
 */
import { isJsonObject, type JsonObject } from '../../stores/ports/json.ts';
import type { Secret } from '../../core/secret.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { oneOf } from '../../core/option-checks.ts';
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toFields } from '../dialects.ts';
import type { ToolInfo } from '../tool.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { sharedSecret } from '../../webhooks/authentication/shared-secret.ts';
import {
  assertSeconds,
  createPlatformHandler,
  namedCallRunner,
  otherParty,
  type PlatformHandlerOptions,
  textIn,
} from './platform-handler.ts';
import { createCallRunner, isErrorResult } from './target.ts';

/** Options of tools that ElevenLabs calls. */
export interface ElevenLabsWebhookOptions extends ElevenLabsClientOptions {
  /** The address at which ElevenLabs reaches `handler`; the name of the tool is added to the path. */
  readonly url: string;
  /** The id that ElevenLabs gave the secret when it was stored there. */
  readonly secretId: string;
  /** Sends the other party's number. Off for agents that also speak on the web, where there is none. @defaultValue true */
  readonly callerId?: boolean | undefined;
  /**
   * The direction of the calls. With `'outbound'` the other party is the number that was called: ElevenLabs says your own as the caller's.
   * For an agent that does both, the name of a dynamic variable of yours that has one of the two words in each phone call.
   * @defaultValue 'inbound'
   */
  readonly direction?: 'inbound' | 'outbound' | { readonly variable: string } | undefined;
}

/** Options of client tools. */
export interface ElevenLabsClientOptions {
  /** The time that ElevenLabs waits; more than the toolbox's deadline. @defaultValue 20 */
  readonly timeoutSeconds?: number | undefined;
}

/** The tools that the server for ElevenLabs runs, and the secret that ElevenLabs sends. */
export interface ElevenLabsHandlerOptions extends PlatformHandlerOptions {
  /** Reads what `secretId` means. Called for each request, so that it can be rotated. */
  readonly secret: Secret;
}

const headers = {
  secret: 'X-Tools-Secret',
  callId: 'X-Conversation-Id',
  callerId: 'X-Caller-Id',
  called: 'X-Called-Number',
  direction: 'X-Call-Direction',
} as const;

/**
 * Tools on a server. ElevenLabs sends no id for a tool call. If a tool isn't idempotent, the same arguments within a
 * phone call are the same call. Failures have status 200 too.
 *
 * @example
 * const configs = webhook.tools(toolbox, { url: 'https://agent.example/tools', secretId });
 * for (const tool_config of configs) await api.post('/v1/convai/tools', { tool_config });
 * const handle = webhook.handler({ toolbox, secret: () => secrets.read('elevenlabs') });
 * const response = await handle(request);
 */
export const webhook = {
  /** A tool that changes something runs after the agent has finished speaking, and cannot be interrupted while it does. */
  tools: (
    from: WithTools,
    { url, secretId, callerId = true, direction = 'inbound', timeoutSeconds = 20 }: ElevenLabsWebhookOptions,
  ) => {
    const toolbox = toolboxOf(from, 'webhook.tools');
    assertSeconds(timeoutSeconds, [5, 300], 'ElevenLabs');
    return toolbox.tools().map((tool) => ({
      type: 'webhook' as const,
      ...partsOf(tool, timeoutSeconds),
      // What a tool answers is written for the model, errors too.
      tool_error_handling_mode: 'passthrough' as const,
      api_schema: {
        url: `${url.replace(/\/$/, '')}/${tool.name}`,
        method: 'POST' as const,
        request_headers: withoutUndefined({
          [headers.secret]: { secret_id: secretId },
          [headers.callId]: { variable_name: 'system__conversation_id' },
          ...partiesOf(callerId ? direction : undefined),
        }) as Record<string, { secret_id: string } | { variable_name: string }>,
        ...withFields('request_body_schema', tool),
      },
    }));
  },

  ...namedCallRunner,

  /**
   * The server for these tools: the last part of the path names the tool. A request without the secret gets 401, and
   * nothing runs.
   * Throws `InvalidArgumentError` for a secret that is a literal.
   */
  handler: ({ secret, ...options }: ElevenLabsHandlerOptions) =>
    createPlatformHandler(
      {
        authentication: [sharedSecret({ header: headers.secret, secrets: secret })],
        read: ({ body, headers: sent, url }) => ({
          callId: sent.get(headers.callId),
          phone: otherParty({
            direction: sent.get(headers.direction),
            caller: sent.get(headers.callerId),
            called: sent.get(headers.called),
          }),
          calls: [{ name: lastPart(url), args: body }],
        }),
        reply: ([answer]) => answer?.result.value,
      },
      options,
    ),
};

/** The field `client_tool_call` of the event of this name. */
interface ClientToolCall {
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly parameters?: unknown;
}

/**
 * Tools in the process that holds the conversation. `run` takes the field `client_tool_call` of the event of this name,
 * and gives the event to send.
 *
 * @example
 * const configs = client.tools(toolbox); // POST /v1/convai/tools { tool_config }, each
 * if (event.type === 'client_tool_call')
 *   socket.send(JSON.stringify(await client.run(phoneCall.tools, event.client_tool_call)));
 */
export const client = {
  /** The agent waits for the answer of each. */
  tools: (from: WithTools, { timeoutSeconds = 20 }: ElevenLabsClientOptions = {}) => {
    const toolbox = toolboxOf(from, 'client.tools');
    assertSeconds(timeoutSeconds, [1, 120], 'ElevenLabs');
    return toolbox.tools().map((tool) => ({
      type: 'client' as const,
      ...partsOf(tool, timeoutSeconds),
      expects_response: true,
      ...withFields('parameters', tool),
    }));
  },

  ...createCallRunner({
    readCall: ({ tool_name, tool_call_id, parameters }: ClientToolCall) => ({
      name: tool_name,
      args: parameters,
      toolCallId: tool_call_id,
    }),
    toResult: ({ tool_call_id }, result) => ({
      type: 'client_tool_result' as const,
      tool_call_id,
      result: result.text,
      is_error: isErrorResult(result),
    }),
  }),

  /**
   * For the package's own `ClientTools`, and for the option `clientTools` of its browser packages. Failures are thrown,
   * since that is how these set the flag for errors; the error holds what a model may read and nothing else.
   *
   * @example
   * for (const [name, handle] of Object.entries(client.functions(toolbox))) clientTools.register(name, handle);
   */
  functions: (
    from: WithTools,
    { context = {} }: { readonly context?: ToolCallContext } = {},
  ): Record<string, (parameters: JsonObject) => Promise<string>> =>
    Object.fromEntries(
      toolboxOf(from, 'client.functions')
        .tools()
        .map(({ name }) => [
          name,
          async (parameters) => {
            const id = parameters['tool_call_id'];
            const toolCallId = typeof id === 'string' ? id : context.toolCallId;
            const result = await toolboxOf(from).run(name, parameters, { ...context, toolCallId });
            if (isErrorResult(result)) throw new Error(result.text);
            return result.text;
          },
        ]),
    ),
};

/** The headers that say who is at the other end of the line; none for an agent on the web. */
const partiesOf = (direction: ElevenLabsWebhookOptions['direction']) => {
  if (direction === undefined) return {};
  oneOfDirections(direction);
  const [caller, called] = [{ variable_name: 'system__caller_id' }, { variable_name: 'system__called_number' }];
  return typeof direction === 'object'
    ? {
        [headers.callerId]: caller,
        [headers.called]: called,
        [headers.direction]: { variable_name: direction.variable },
      }
    : { [headers.callerId]: direction === 'outbound' ? called : caller };
};

const oneOfDirections = (direction: unknown): void => {
  const isVariable = isJsonObject(direction) && textIn(direction, 'variable') !== undefined;
  if (!isVariable) oneOf(direction as string, 'direction', ['inbound', 'outbound'], '{ variable }')();
};

const lastPart = ({ pathname }: URL) => pathname.split('/').findLast((part) => part !== '') ?? '';

/** The description that both kinds of tools have. */
const partsOf = ({ name, description, effect, slowMessage }: ToolInfo, timeoutSeconds: number) => ({
  name,
  description,
  response_timeout_secs: timeoutSeconds,
  execution_mode: effect === 'read' ? ('immediate' as const) : ('post_tool_speech' as const),
  interruption_mode: effect === 'read' ? ('allow' as const) : ('disable_during_tool' as const),
  // There is no field for the words: with 'force' the agent finds its own.
  pre_tool_speech: slowMessage === undefined ? ('auto' as const) : ('force' as const),
});

/** An object without properties is refused. */
const withFields = <Name extends string>(name: Name, { parameters }: ToolInfo) =>
  // The one field of this object is `name`.
  (Object.keys(parameters.properties).length === 0 ? {} : { [name]: toFields(parameters) }) as {
    [Key in Name]?: DialectParameters;
  };
