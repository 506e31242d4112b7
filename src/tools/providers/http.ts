/**
 * Any platform that calls tools over HTTP: say where things are in its request, how it proves that it's the one, and
 * what it wants back.
 *
 * @module
 */
import type { JsonObject } from '../../stores/ports/json.ts';
import { toFields, toPortable } from '../dialects.ts';
import { type Toolbox, toolboxOf, type WithTools } from '../toolbox.ts';
import {
  createPlatformHandler,
  createPlatformServer,
  type PlatformDialect,
  type PlatformHandlerOptions,
  type PlatformRequest,
  type PlatformToolCall,
  type PlatformToolCalls,
} from './platform-handler.ts';

export { telnyx } from './telnyx.ts';

/** What the server runs, and how the platform asks and is answered. */
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
 * give the integration `phoneCalls.tools.phoneCallStore`: a payment needs the look-up of an earlier request.
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
    toolboxOf(from)
      .tools()
      .map(({ name, description, parameters }) => ({
        name,
        description,
        parameters: fieldsOnly ? toFields(parameters) : toPortable(parameters),
      })),

  /**
   * A web-standard server. Hand it the request unread. What isn't genuine gets 401, and nothing runs; what `read` can't
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
