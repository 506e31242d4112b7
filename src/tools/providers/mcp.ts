/**
 * The Model Context Protocol: tools for a server of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/server`.
 * The protocol has no id for a tool call, so a server belongs to one phone call: bind the toolbox to it.
 *
 * @module
 */
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { toPortable } from '../dialects.ts';
import type { Toolbox } from '../toolbox.ts';
import { createCallRunner, isErrorResult } from './target.ts';

/** The `params` of a `tools/call` request. */
interface ToolCall {
  readonly name: string;
  readonly arguments?: unknown;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
}

/** Sends a notification to the client. */
type Notify = (notification: {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; message: string };
}) => Promise<void>;

/** What of the second argument of a request handler is used; the newer package has it under `mcpReq`. */
interface RequestExtra {
  readonly signal?: AbortSignal;
  readonly sendNotification?: Notify;
  readonly mcpReq?: { readonly signal?: AbortSignal; readonly notify?: Notify };
}

/**
 * `tools` answers `tools/list`, `run` answers `tools/call`. `requestHandlers` is both, with progress and cancellation.
 *
 * @example
 * const { listTools, callTool } = mcp.requestHandlers(toolbox);
 * server.setRequestHandler(ListToolsRequestSchema, listTools); // 'tools/list' with @modelcontextprotocol/server
 * server.setRequestHandler(CallToolRequestSchema, callTool); // 'tools/call'
 */
export const mcp = {
  /** With annotations from each tool's effect, by which a host decides what it asks its user before. */
  tools: (toolbox: Toolbox) =>
    toolbox.tools().map(({ name, description, parameters, effect, idempotent }) => ({
      name,
      description,
      // A schema is JSON.
      inputSchema: toPortable(parameters) as {
        type: 'object';
        properties: { [name: string]: McpJsonObject };
        required: string[];
      },
      annotations: {
        readOnlyHint: effect === 'read',
        destructiveHint: effect !== 'read',
        idempotentHint: idempotent,
        openWorldHint: true,
      },
    })),

  ...createCallRunner({
    readCall: ({ name, arguments: args }: ToolCall) => ({ name, args }),
    toResult: (_call, result): ToolCallResult => ({
      content: [{ type: 'text', text: result.text }],
      isError: isErrorResult(result),
    }),
  }),

  /**
   * For `server.setRequestHandler`. A client that asked for progress gets the slow message of a slow tool; a request
   * that it cancels ends the tool.
   */
  requestHandlers: (toolbox: Toolbox, { context = {} }: { readonly context?: ToolCallContext } = {}) => ({
    listTools: () => ({ tools: mcp.tools(toolbox) }),
    callTool: ({ params }: { readonly params: ToolCall }, extra?: RequestExtra) => {
      const { signal, notify = extra?.sendNotification } = extra?.mcpReq ?? { signal: extra?.signal };
      const onSlow = context.onSlow ?? slowAsProgress(params, notify);
      return mcp.run(toolbox, params, mergeContexts({ ...context, onSlow }, { signal }));
    },
  }),
};

/** A notification that cannot be sent changes nothing: the result is still to come. */
const slowAsProgress = ({ _meta }: ToolCall, notify: Notify | undefined): ToolCallContext['onSlow'] => {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined || !notify) return undefined;
  return ({ message = 'Still working on it.' }) => {
    const params = { progressToken, progress: 0, message };
    void notify({ method: 'notifications/progress', params }).catch(() => {});
  };
};

/** The result of one call, as MCP clients take it. */
interface ToolCallResult {
  /** The SDK's type has an index signature. */
  [field: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError: boolean;
}

/** JSON as the types of the packages write it. */
interface McpJsonObject {
  [name: string]: string | number | boolean | null | McpJsonObject[] | McpJsonObject;
}
