/**
 * Vapi: tools of type `function`, and the server that it posts `tool-calls` messages to. Results are one line of text,
 * as Vapi wants them.
 *
 * @module
 */
import type { JsonObject } from '../../stores/ports/json.ts';
import type { Secret } from '../../core/secret.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { ToolResult } from '../context.ts';
import { toFields } from '../dialects.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { sharedSecret } from '../../webhooks/authentication/shared-secret.ts';
import { callerTurns } from './caller-turns.ts';
import { createPlatformHandler, objectIn, type PlatformHandlerOptions, textIn } from './platform-handler.ts';
import { createMessageRunner, isErrorResult } from './target.ts';

/** Options of tools that Vapi calls. */
export interface VapiToolOptions {
  /** The address at which Vapi reaches `handler`. Without it Vapi uses the assistant's or the phone number's server. */
  readonly url?: string | undefined;
  /** The credential, made in Vapi's dashboard, whose secret the server checks. */
  readonly credentialId?: string | undefined;
  /** The time that Vapi waits; more than the toolbox's deadline. @defaultValue 20 */
  readonly timeoutSeconds?: number | undefined;
}

/** The tools that the server for Vapi runs, and the secret that Vapi sends. */
export interface VapiHandlerOptions extends PlatformHandlerOptions {
  /** Reads what Vapi sends in `header`. Called for each request, so that it can be rotated. */
  readonly secret: Secret;
  /**
   * The header of the secret: `x-vapi-secret` for a secret of the server, `authorization` for a bearer token.
   * @defaultValue 'x-vapi-secret'
   */
  readonly header?: string | undefined;
}

/** Both spellings, of Vapi's documentation and of its typings: its page on server events calls the arguments `parameters`. */
interface ToolCall {
  readonly id: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly parameters?: unknown;
  readonly function?: { readonly name?: string; readonly arguments?: unknown; readonly parameters?: unknown };
}

/**
 * `tools` goes into an assistant's `model.tools`, `handler` is the whole server. `runAll` takes a `tool-calls` message
 * and gives the whole answer to it. A failure goes into `error`, with which Vapi says a `request-failed` message where
 * there is one.
 *
 * @example
 * const tools = vapi.tools(toolbox, { url: 'https://agent.example/tools/vapi', credentialId });
 * await client.assistants.update({ id, model: { provider, model, tools } });
 * const handle = vapi.handler({ toolbox, secret: () => secrets.read('vapi') });
 * const response = await handle(request);
 */
export const vapi = {
  /**
   * Each tool answers while Vapi waits; its slow message is said once it takes longer than expected. The descriptions
   * name the limits, since Vapi's own schema has no words for them.
   */
  tools: (from: WithTools, { url, credentialId, timeoutSeconds = 20 }: VapiToolOptions = {}) =>
    toolboxOf(from, 'vapi.tools')
      .tools()
      .map(({ name, description, parameters, expectedMs, slowMessage }) =>
        withoutUndefined({
          type: 'function' as const,
          async: false,
          // Every property of these fields has a type.
          function: { name, description, parameters: toFields(parameters) as VapiParameters },
          server: url === undefined ? undefined : withoutUndefined({ url, timeoutSeconds, credentialId }),
          messages:
            slowMessage === undefined
              ? undefined
              : [{ type: 'request-response-delayed' as const, timingMilliseconds: expectedMs, content: slowMessage }],
        }),
      ),

  ...createMessageRunner({
    readCall: (call: ToolCall) => {
      const { name, args, id } = readCall(call);
      return { name, args, toolCallId: id };
    },
    toResult: (call, result) => toResult(readCall(call), result),
    callsIn: ({ toolCallList }: { readonly toolCallList: readonly ToolCall[] }) => toolCallList.filter(isToolCall),
    toReply: (results) => ({ results }),
  }),

  /**
   * The server for Vapi's `tool-calls` messages. Every other message is answered with an empty object. A request
   * without the secret gets 401, and nothing runs.
   * Throws `InvalidArgumentError` for a secret that is a literal.
   */
  handler: ({ secret, header = 'x-vapi-secret', ...options }: VapiHandlerOptions) =>
    createPlatformHandler(
      {
        authentication: [sharedSecret({ header, secrets: secret })],
        read: ({ body }) => {
          const message = objectIn(body, 'message');
          if (message['type'] !== 'tool-calls') return { callId: undefined, calls: [] };
          const list = message['toolCallList'];
          return Array.isArray(list)
            ? {
                ...callerOf(message),
                ...callerTurns(objectIn(message, 'artifact')['messages']),
                calls: list.filter(isToolCall).map(readCall),
              }
            : undefined;
        },
        reply: (answers) => ({ results: answers.map(({ call, result }) => toResult(call, result)) }),
      },
      options,
    ),
};

const readCall = (call: ToolCall) => {
  const { name, arguments: args, parameters } = call.function ?? call;
  // A call without a name is answered too: there is no such tool.
  return { id: call.id, name: typeof name === 'string' ? name : '', args: args ?? parameters };
};

const toResult = ({ id, name }: { readonly id: string; readonly name: string }, result: ToolResult) =>
  isErrorResult(result) ? { toolCallId: id, name, error: result.text } : { toolCallId: id, name, result: result.text };

/** A chat has an id of its own, and no number. */
const callerOf = (message: JsonObject) => {
  const call = objectIn(message, 'call');
  const isTelephone = textIn(call, 'type')?.endsWith('PhoneCall') ?? false;
  const customer = { ...objectIn(call, 'customer'), ...objectIn(message, 'customer') };
  return {
    callId: textIn(call, 'id') ?? textIn(objectIn(message, 'chat'), 'id'),
    phone: isTelephone ? customer['number'] : undefined,
  };
};

const isToolCall = (call: unknown): call is ToolCall =>
  typeof call === 'object' && call !== null && 'id' in call && typeof call.id === 'string';

/** The parameters of a tool, as far as Vapi's schema can say them. */
interface VapiParameters {
  type: 'object';
  properties: Record<string, VapiProperty>;
  required: string[];
}

/** One parameter, or a part of one. */
interface VapiProperty {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  description?: string;
  enum?: string[];
  items?: VapiProperty;
  properties?: Record<string, VapiProperty>;
  required?: string[];
}
