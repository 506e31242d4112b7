/**
 * Any platform that calls tools over HTTP. You say where things are in its request, how it proves who it is, and what
 * it wants back.
 *
 * @module
 */
import type { Secret } from '../../core/secret.ts';
import type { JsonObject } from '../../stores/ports/json.ts';
import { sharedSecret } from '../../webhooks/authentication/shared-secret.ts';
import { toFields, toPortable } from '../dialects.ts';
import type { Toolbox } from '../toolbox.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import {
  createPlatformHandler,
  createPlatformServer,
  type PlatformDialect,
  type PlatformHandlerOptions,
  type PlatformRequest,
  type PlatformToolCall,
  type PlatformToolCalls,
} from './platform-handler.ts';

/** The tools that the server runs, and the way in which the platform asks and is answered. */
export interface HttpToolsOptions<Call extends PlatformToolCall = PlatformToolCall>
  extends PlatformDialect<Call>,
    PlatformHandlerOptions {}

/** A server that answers by itself, such as one of MCP, and how the platform proves that it's the one. */
interface HttpRelayOptions extends Pick<PlatformDialect, 'authentication'>, PlatformHandlerOptions {
  /** Finds the phone call. */
  readonly read: (request: PlatformRequest) => Omit<PlatformToolCalls, 'calls'>;
  /** Answers with the tools of the phone call. The request's body was read: `json` is what it holds. */
  readonly respond: (
    toolbox: Toolbox,
    asked: { readonly request: Request; readonly json: JsonObject | readonly JsonObject[] },
  ) => Promise<Response>;
}

/**
 * `tools` are definitions to register, `handler` is the whole server. Where `toolbox` starts the phone call for each request,
 * give the integration a `store`: a payment needs the look-up of an earlier request.
 *
 * @example
 * const handle = httpTools.handler({
 *   toolbox: ({ callId, phone }) => integration.startPhoneCall({ callId, phone }),
 *   authentication: [sharedSecret({ header: 'x-tools-secret', secrets: fromEnv('TOOLS_SECRET') })],
 *   read: ({ body }) => ({ callId: body.call_id, phone: body.from, calls: [{ name: body.tool, args: body.input }] }),
 *   reply: ([answer]) => ({ output: answer?.result.value }),
 * });
 * const response = await handle(request);
 */
export const httpTools = {
  /**
   * Name, description and JSON Schema of each tool, as most platforms take them. With `fieldsOnly`, the schema is typed fields
   * with a description each, for platforms that take no more.
   */
  tools: (from: WithTools, { fieldsOnly = false }: { readonly fieldsOnly?: boolean | undefined } = {}) =>
    toolboxOf(from, 'httpTools.tools')
      .tools()
      .map(({ name, description, parameters }) => ({
        name,
        description,
        parameters: fieldsOnly ? toFields(parameters) : toPortable(parameters),
      })),

  /**
   * A web-standard server. Hand it the request unread. A forged request gets 401, and nothing runs; what `read` can't
   * make sense of gets 400. A tool that fails has status 200, and says so in its result.
   * Throws `InvalidArgumentError` without a method of authentication.
   */
  handler: <Call extends PlatformToolCall>(
    options: HttpToolsOptions<Call>,
  ): ((request: Request) => Promise<Response>) => createPlatformHandler(options, options),

  /**
   * The same server, in which `respond` answers: for platforms that are MCP clients.
   *
   * @example
   * const handle = httpTools.relay({
   *   toolbox: ({ callId, phone }) => integration.startPhoneCall({ callId, phone }),
   *   authentication: [sharedSecret({ header: 'authorization', secrets: fromEnv('TOOLS_SECRET') })],
   *   read: ({ headers }) => ({ callId: headers.get('x-call-id'), phone: headers.get('x-caller') }),
   *   respond: async (toolbox, { request, json }) => (await connect(toolbox)).handleRequest(request, { parsedBody: json }),
   * });
   */
  relay: ({ authentication, read, respond, ...options }: HttpRelayOptions): ((request: Request) => Promise<Response>) =>
    createPlatformServer(authentication, options, async ({ request, url, body, batch, open }) => {
      const { callId, phone } = read({ body, headers: request.headers, url });
      return respond(await open(callId, phone), { request, json: batch ?? body });
    }),
};

/**
 * Options of tools that Telnyx calls. Shapes: `InferenceEmbeddingWebhookToolParams` of the package telnyx 7.24.0;
 * variables: developers.telnyx.com/docs/inference/ai-assistants/dynamic-variables. Read on 2026-11-27.
 */
interface TelnyxToolOptions {
  /** The address at which Telnyx reaches `handler`. */
  readonly url: string;
  /** The integration secret at Telnyx that holds the token. */
  readonly secretName: string;
  /** The variable with an id of the phone call. Chats have none: set one of your own. @defaultValue 'call_control_id' */
  readonly callIdVariable?: string | undefined;
  /** The time that Telnyx waits; more than the toolbox's deadline. @defaultValue 10 */
  readonly timeoutSeconds?: number | undefined;
}

/** The tools that the server runs, and the secret that Telnyx sends. */
interface TelnyxHandlerOptions extends PlatformHandlerOptions {
  /** Reads the bearer token that Telnyx sends. Called for each request, so that it can be rotated. */
  readonly secret: Secret;
}

/**
 * Telnyx AI Assistants: `tools` goes into an assistant's `tools`, `handler` is the whole server. A request without an id of
 * the phone call gets 400, and nothing runs.
 *
 * @example
 * const tools = telnyx.tools(toolbox, { url: 'https://agent.example/tools', secretName: 'tools-token' });
 * await client.ai.assistants.create({ name, model, instructions, tools });
 * const handle = telnyx.handler({ toolbox, secret: () => secrets.read('telnyx') });
 * const response = await handle(request);
 */
export const telnyx = {
  /** Webhook tools, for whose answer the assistant waits. It says the slow message if the answer takes longer than usual. */
  tools: (
    from: WithTools,
    { url, secretName, callIdVariable = 'call_control_id', timeoutSeconds = 10 }: TelnyxToolOptions,
  ) =>
    toolboxOf(from, 'telnyx.tools')
      .tools()
      .map(({ name, description, parameters, expectedMs, slowMessage }) => ({
        type: 'webhook' as const,
        timeout_ms: timeoutSeconds * 1000,
        webhook: {
          name,
          description,
          url: addressOf(url, name),
          method: 'POST' as const,
          async: false,
          headers: [
            { name: 'authorization', value: `Bearer {{#integration_secret}}${secretName}{{/integration_secret}}` },
            { name: headers.callId, value: `{{${callIdVariable}}}` },
            { name: headers.caller, value: '{{telnyx_end_user_target}}' },
          ],
          body_parameters: toPortable(parameters),
          messages:
            slowMessage === undefined
              ? []
              : [{ type: 'request_response_delayed' as const, timing_ms: expectedMs, content: slowMessage }],
        },
      })),

  /**
   * The server for these tools. A request without the token gets 401, and nothing runs.
   * Throws `InvalidArgumentError` for a secret that is a literal.
   */
  handler: ({ secret, ...options }: TelnyxHandlerOptions) =>
    createPlatformHandler(
      {
        authentication: [sharedSecret({ header: 'authorization', secrets: secret })],
        read: ({ body, headers: sent, url }) => ({
          callId: sent.get(headers.callId),
          phone: sent.get(headers.caller),
          calls: [{ name: url.searchParams.get('tool'), args: body }],
        }),
        reply: ([answer]) => answer?.result.value,
      },
      options,
    ),
};

/** The headers in which every request names its phone call and its caller. */
const headers = { callId: 'x-call-id', caller: 'x-caller' } as const;

/** The address of one tool. */
const addressOf = (url: string, tool: string): string => {
  const address = new URL(url);
  address.searchParams.set('tool', tool);
  return address.href;
};
