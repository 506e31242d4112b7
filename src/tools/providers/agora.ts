import { assertCallId } from '../../phone-call/steps/call-id.ts';
import type { Secret } from '../../core/secret.ts';
import { sharedSecret } from '../../webhooks/authentication/shared-secret.ts';
import type { Toolbox } from '../toolbox.ts';
import { createPlatformServer, type PlatformHandlerOptions } from './platform-handler.ts';
import { headers } from './templated-request.ts';

/** Where Agora finds the tools of one phone call. */
interface AgoraServerOptions {
  /** Where Agora reaches `handler`. */
  readonly url: string;
  /** What Agora sends as a bearer token. */
  readonly token: string;
  /** Your id of the phone call, another one for each. A channel's name that is used again isn't one. */
  readonly callId: string;
  /** The person's number, if a telephone network carried it. */
  readonly phone?: string | undefined;
  /** Letters and digits, at most 48. @defaultValue 'tools' */
  readonly name?: string | undefined;
  /** How long Agora waits; more than the toolbox's deadline. @defaultValue 15 */
  readonly timeoutSeconds?: number | undefined;
}

/** What the server runs, and how it knows Agora. */
interface AgoraHandlerOptions extends PlatformHandlerOptions {
  /** Reads the bearer token that Agora sends. Called for each request, so that it can be rotated. */
  readonly secret: Secret;
  /** Connects an MCP server with these tools to a transport without sessions, and returns the transport. */
  readonly connect: (toolbox: Toolbox) => Promise<McpTransport>;
}

/** A `WebStandardStreamableHTTPServerTransport`. */
interface McpTransport {
  readonly handleRequest: (request: Request, options: { readonly parsedBody: unknown }) => Promise<Response>;
}

/**
 * Agora's Conversational AI Engine, an MCP client: `mcpServers` goes into `llm.mcp_servers` of the request that starts an
 * agent, `handler` is the whole server. Agora calls no tool unless `advanced_features.enable_tools` is `true`.
 *
 * @example
 * const llm = { url, api_key, mcp_servers: agora.mcpServers(toolbox, { url: 'https://agent.example/mcp', token, callId }) };
 * const handle = agora.handler({ toolbox, secret: () => secrets.read('agora'), connect });
 * const response = await handle(request);
 */
export const agora = {
  /** The one server of this phone call. Its headers say which it is, where the model neither sees nor sets it. */
  mcpServers: (
    toolbox: Toolbox,
    { url, token, callId, phone, name = 'tools', timeoutSeconds = 15 }: AgoraServerOptions,
  ) => {
    assertCallId(callId);
    return [
      {
        name,
        endpoint: url,
        transport: 'streamable_http' as const,
        headers: { authorization: `Bearer ${token}`, [headers.callId]: callId, [headers.caller]: phone },
        allowed_tools: toolbox.tools().map((tool) => tool.name),
        timeout_ms: timeoutSeconds * 1000,
      },
    ];
  },

  /**
   * The server for these tools. A request without the token gets 401, and one without a phone call 400; nothing runs.
   * Throws `InvalidArgumentError` for a secret that is a literal.
   */
  handler: ({ secret, connect, ...options }: AgoraHandlerOptions): ((request: Request) => Promise<Response>) =>
    createPlatformServer(
      [sharedSecret({ header: 'authorization', secrets: secret })],
      options,
      async ({ request, body, batch, open }) => {
        const toolbox = await open(request.headers.get(headers.callId), request.headers.get(headers.caller));
        const transport = await connect(toolbox);
        return transport.handleRequest(request, { parsedBody: batch ?? body });
      },
    ),
};
