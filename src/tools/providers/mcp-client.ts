import { InvalidArgumentError, UnexpectedResponseError } from '../../core/errors.ts';
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
  callTool(params: object, second: CallOptions | undefined, third?: CallOptions): Promise<unknown>;
  readonly getProtocolEra?: unknown;
}

/** Throws for anything but a client. */
export const assertMcpClient = (client: unknown): void => {
  const { listTools, callTool }: { readonly [name: string]: unknown } = Object(client);
  if (typeof listTools === 'function' && typeof callTool === 'function') return;
  throw new InvalidArgumentError('client', 'must be a connected client of @modelcontextprotocol/sdk or …/client', {
    operation: 'toolsFromMcp',
  });
};

/** Calls one tool. The older package takes its options in the third place, and each ignores what is in the other's. */
export const callMcpTool = (
  client: McpClient,
  call: { readonly name: string; readonly arguments: JsonObject },
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<unknown> => {
  const options = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal };
  const either = client as unknown as AnyClient;
  // In the older package's second place is a schema for the answer.
  return typeof either.getProtocolEra === 'function'
    ? either.callTool(call, options)
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
  const readPages = async () => {
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const answer = await either.listTools(cursor === undefined ? undefined : { cursor }, options);
      const { tools, nextCursor }: { readonly [field: string]: unknown } = Object(answer);
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
