import { InvalidArgumentError, UnexpectedResponseError } from '../../core/errors.ts';
import { looseObject } from '../../core/schema.ts';
import { settleWithin } from '../../core/timers.ts';
import { isJsonObject, type JsonObject } from '../../stores/ports/json.ts';

/** The part that is used of a connected `Client` of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/client`. */
export interface McpClient {
  /** Lists the server's tools, all of them or a page. */
  listTools(params?: never, options?: never): Promise<unknown>;
  /** Calls one tool. */
  callTool(params: never, second?: never, third?: never): Promise<unknown>;
}

/** A tool as an MCP server lists it. */
export interface McpTool {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: { readonly [hint: string]: unknown } | undefined;
  readonly execution?: { readonly taskSupport?: unknown } | undefined;
}

interface CallOptions {
  readonly timeout: number;
  readonly maxTotalTimeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** As both packages are called; their types differ. */
interface AnyClient {
  listTools(params: { readonly cursor: string } | undefined, options: CallOptions): Promise<unknown>;
  callTool(params: object, second: object | undefined, third?: CallOptions): Promise<unknown>;
  /** Sends it without what `listTools` and `callTool` of the older package do with the schemas of a server. */
  request?(request: object, answer: object, options: CallOptions): Promise<unknown>;
  readonly getProtocolEra?: unknown;
}

const isNewer = ({ getProtocolEra }: AnyClient): boolean => typeof getProtocolEra === 'function';

/** Throws for anything but a client. */
export const assertMcpClient = (client: unknown): void => {
  const { listTools, callTool }: { readonly [name: string]: unknown } = Object(client);
  if (typeof listTools === 'function' && typeof callTool === 'function') return;
  throw new InvalidArgumentError('client', 'must be a connected client of @modelcontextprotocol/sdk or …/client', {
    operation: 'toolsFromMcp',
  });
};

/**
 * Calls one tool. The packages take their options in different places, and each ignores what is in the other's.
 * Neither gets the `outputSchema`: they would run its patterns, of which one may take hours.
 */
export const callMcpTool = (
  client: McpClient,
  tool: McpTool,
  { args, timeoutMs, signal }: { readonly args: JsonObject; readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<unknown> => {
  const call = { name: tool.name, arguments: args };
  const options = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal };
  const either = client as unknown as AnyClient;
  if (isNewer(either))
    return either.callTool(call, { ...options, toolDefinition: { ...tool, outputSchema: undefined } });
  // In the second place of its `callTool` is a schema for the answer.
  return either.request
    ? either.request({ method: 'tools/call', params: call }, looseObject({}), options)
    : either.callTool(call, undefined, options);
};

/**
 * Lists the tools of these names, page by page, until all were found. Throws for a server that doesn't answer in time,
 * and for a list without an end.
 */
export const listMcpTools = async (
  client: McpClient,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, McpTool>> => {
  const found = new Map<string, McpTool>();
  const either = client as unknown as AnyClient;
  const options = { timeout: longestListMs, maxTotalTimeout: longestListMs };
  const listPage = (cursor: string | undefined) => {
    const params = cursor === undefined ? undefined : { cursor };
    // The older package refuses a whole list for one schema.
    return isNewer(either) || !either.request
      ? either.listTools(params, options)
      : either.request({ method: 'tools/list', params }, looseObject({}), options);
  };
  const readPages = async () => {
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const { tools, nextCursor }: { readonly [field: string]: unknown } = Object(await listPage(cursor));
      // A list that changes meanwhile may have a tool twice: the first one counts.
      for (const tool of Array.isArray(tools) ? tools.filter(isTool) : [])
        if (!found.has(tool.name)) found.set(tool.name, tool);
      const isWhole = typeof nextCursor !== 'string' || nextCursor === '' || nextCursor === cursor;
      if (isWhole || [...names].every((name) => found.has(name))) return found;
      cursor = nextCursor;
    }
    throw new Error(`the list has more than ${mostPages} pages`);
  };
  try {
    return await settleWithin(readPages(), { deadline: longestListMs });
  } catch (error) {
    throw new UnexpectedResponseError('the MCP server did not list its tools', {
      operation: 'toolsFromMcp',
      outcome: 'not_sent',
      original: error,
    });
  }
};

const isTool = (tool: unknown): tool is McpTool => isJsonObject(tool) && typeof tool['name'] === 'string';

const mostPages = 64;
const longestListMs = 30_000;
