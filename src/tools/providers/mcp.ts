/**
 * The Model Context Protocol: tools for a server of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/server`.
 *
 * `tools` answers `tools/list`, `run` answers `tools/call`. `requestHandlers` is both, with progress and cancellation.
 * The protocol has no id for a tool call, so a server belongs to one phone call: bind the toolbox to it.
 *
 * @module
 */
import { mergeContexts } from '../bound-context.ts';
import type { ToolCallContext } from '../context.ts';
import { toPortable } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';

/**
 * With annotations from each tool's effect, by which a host decides what it asks its user before.
 *
 * @example
 * server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: mcp.tools(toolbox) }));
 */
export const tools = (toolbox: Toolbox): McpTool[] =>
  toolbox.tools().map(({ name, description, parameters, effect, idempotent }) => ({
    name,
    description,
    // A schema is JSON.
    inputSchema: toPortable(parameters) as McpTool['inputSchema'],
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: effect !== 'read',
      idempotentHint: idempotent,
      openWorldHint: true,
    },
  }));

/**
 * Takes the `params` of a `tools/call` request.
 *
 * @example
 * server.setRequestHandler(CallToolRequestSchema, ({ params }) => mcp.run(toolbox, params));
 */
export const run = async (
  toolbox: Toolbox,
  { name, arguments: args }: McpToolCall,
  context?: ToolCallContext,
): Promise<McpToolResult> => toResult(await toolbox.run(name, args, context));

/**
 * A result as the answer to `tools/call`. What is no success has `isError`, so that the model sees it.
 *
 * @example
 * const answer = mcp.toResult(await toolbox.run('lookup_customer_invoices', {}));
 */
export const toResult = (result: ToolResult): McpToolResult => ({
  content: [{ type: 'text', text: result.text }],
  isError: isErrorResult(result),
});

/**
 * For `server.setRequestHandler`. A client that asked for progress hears the slow message of a slow tool; a request
 * that it cancels ends the tool.
 *
 * @example
 * const { listTools, callTool } = mcp.requestHandlers(toolbox);
 * server.setRequestHandler(ListToolsRequestSchema, listTools); // 'tools/list' with @modelcontextprotocol/server
 * server.setRequestHandler(CallToolRequestSchema, callTool); // 'tools/call'
 */
export const requestHandlers = (toolbox: Toolbox, context: ToolCallContext = {}): McpRequestHandlers => ({
  listTools: () => ({ tools: tools(toolbox) }),
  callTool: ({ params }, extra) => {
    const { signal, notify = extra?.sendNotification } = extra?.mcpReq ?? { signal: extra?.signal };
    return run(toolbox, params, mergeContexts({ ...slowAsProgress(params, notify), ...context }, { signal }));
  },
});

/** A notification that cannot be sent changes nothing: the result is still to come. */
const slowAsProgress = ({ _meta }: McpToolCall, notify: McpNotify | undefined): ToolCallContext => {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined || !notify) return {};
  return {
    onSlow: ({ message = 'Still working on it.' }) => {
      const params = { progressToken, progress: 0, message };
      void notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
};

/** The handlers of `tools/list` and `tools/call`. */
export interface McpRequestHandlers {
  listTools: () => { tools: McpTool[] };
  callTool: (request: { readonly params: McpToolCall }, extra?: McpRequestExtra) => Promise<McpToolResult>;
}

/** What of the second argument of a request handler is used; the newer package has it under `mcpReq`. */
export interface McpRequestExtra {
  readonly signal?: AbortSignal;
  readonly sendNotification?: McpNotify;
  readonly mcpReq?: { readonly signal?: AbortSignal; readonly notify?: McpNotify };
}

/** Sends a notification to the client. */
export type McpNotify = (notification: McpProgress) => Promise<void>;

/** The notification with which a client hears a slow message. */
export interface McpProgress {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; message: string };
}

/** A tool as `tools/list` names it. */
export interface McpTool {
  name: string;
  description: string;
  inputSchema: { type: 'object'; properties: { [name: string]: McpJsonObject }; required: string[] };
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

/** JSON as the types of the packages write it. */
export interface McpJsonObject {
  [name: string]: McpJson;
}

/** What JSON can say, as the types of the packages write it. */
export type McpJson = string | number | boolean | null | McpJson[] | McpJsonObject;

/** The `params` of a `tools/call` request. */
export interface McpToolCall {
  readonly name: string;
  readonly arguments?: unknown;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
}

/** The answer to `tools/call`. */
export interface McpToolResult {
  /** The SDK's type has an index signature. */
  [field: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError: boolean;
}
