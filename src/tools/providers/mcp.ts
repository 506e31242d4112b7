/**
 * The Model Context Protocol: tools for a server of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/server`.
 * The protocol has no id for a tool call, so a server belongs to one phone call: bind the toolbox to it.
 *
 * @module
 */
import type { Json } from '../../stores/ports/json.ts';
import * as z from '../../core/schema.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { canonicalJson, isTooMuch } from '../arguments.ts';
import { mergeContexts, type ToolCallContext, type ToolResult } from '../context.ts';
import { toPortable } from '../dialects.ts';
import { notAllowed, toFailedResult } from '../failures.ts';
import { type Toolbox, toolboxOf, type WithTools } from '../toolbox.ts';
import {
  canAsk,
  longestAnswerMs,
  type McpServerPart,
  openQuestionsOf,
  type RequestExtra,
  startProgress,
  toQuestion,
} from './mcp-conversation.ts';
import { outputSchemaOf, structuredContentOf } from './mcp-output.ts';
import { isErrorResult } from './target.ts';

/** The `params` of a `tools/call` request. */
interface ToolCall {
  readonly name: string;
  readonly arguments?: unknown;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
}

/** An `McpServer`, or its `server`. */
type McpServerLike = McpServerPart | { readonly server: McpServerPart };

/**
 * `serve` is all that most need. For a server of your own, `tools` answers `tools/list` and `run` answers `tools/call`.
 *
 * @example
 * import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
 * const server = new McpServer({ name: 'billing', version: '1.0.0' });
 * mcp.serve(server, phoneCall.tools);
 */
export const mcp = {
  /** With annotations from each tool's effect, by which a host decides what it asks its user before. */
  tools: (from: WithTools) =>
    toolboxOf(from)
      .tools()
      .map((tool) => ({
        name: tool.name,
        title: titleOf(tool.name),
        description: tool.description,
        inputSchema: toPortable(tool.parameters) as McpSchema,
        outputSchema: outputSchemaOf(tool) as McpSchema,
        annotations: {
          readOnlyHint: tool.effect === 'read',
          destructiveHint: tool.effect !== 'read',
          idempotentHint: tool.idempotent,
          openWorldHint: true,
        },
      })),

  /** Runs one tool call and gives its result. Never throws for what a model sends or a tool does. */
  run: async (from: WithTools, call: ToolCall, context: ToolCallContext = {}): Promise<ToolCallResult> =>
    toResult(toolboxOf(from), call, await toolboxOf(from).run(call.name, call.arguments, context)),

  /**
   * Serves the tools. A host that can ask its user (elicitation) asks them where a tool needs their yes; with any other,
   * the model asks, in two steps. A client that wants progress gets the slow message of a slow tool, and a sign of life
   * every 5 seconds; a request that it cancels ends the tool.
   * The server's own `registerTool` can't be used next to it. Call it before `connect`.
   */
  serve: (
    server: McpServerLike,
    from: WithTools,
    { context = {} }: { readonly context?: ToolCallContext } = {},
  ): void => {
    const toolbox = toolboxOf(from);
    const part = 'server' in server ? server.server : server;
    part.registerCapabilities({ tools: {} });
    handle(part, 'tools/list', () => ({ tools: mcp.tools(toolbox) }));
    handle(part, 'tools/call', async ({ params }: { readonly params: ToolCall }, extra: RequestExtra) => {
      const { signal, notify = extra.sendNotification } = extra.mcpReq ?? { signal: extra.signal };
      const progress = startProgress(params._meta?.progressToken, notify);
      const runWith = (own: ToolCallContext) =>
        toolbox.run(
          params.name,
          params.arguments,
          mergeContexts({ ...context, onSlow: context.onSlow ?? progress.onSlow }, { ...own, signal }),
        );
      const tool = toolbox.find(params.name);
      const questions = openQuestionsOf(toolbox);
      // The toolbox refuses what is too much, and asks nothing about it.
      const asked = isTooMuch(params.arguments)
        ? undefined
        : canonicalJson([context.tenant, context.callId, params.name, params.arguments]);
      const agreed = { confirmed: true, approved: tool?.needsApproval };
      const declined = () => toResult(toolbox, params, toFailedResult(notAllowed('declined', tool?.effect ?? 'read')));
      try {
        // The newer package calls again with the answer. It counts once, and only for what the question was about.
        const answer = extra.mcpReq?.inputResponses?.['agreement']?.action;
        const wasAsked = answer !== undefined && asked !== undefined && questions.has(asked);
        if (wasAsked) questions.delete(asked);
        if (answer !== undefined && answer !== 'accept') return declined();
        const result = await runWith(wasAsked ? agreed : { approved: context.approved ?? false });
        const question = toQuestion(result);
        if (asked === undefined || !question || !canAsk(part, extra)) return toResult(toolbox, params, result);
        if (extra.mcpReq) {
          questions.set(asked, true);
          return { resultType: 'input_required', inputRequests: { agreement: question } };
        }
        progress.send('Waiting for an answer.');
        const options = { relatedRequestId: extra.requestId, timeout: longestAnswerMs, signal };
        const reply = await part.elicitInput(question.params, options).catch(() => undefined);
        if (!reply) return toResult(toolbox, params, result);
        return reply.action === 'accept' ? toResult(toolbox, params, await runWith(agreed)) : declined();
      } finally {
        progress.stop();
      }
    });
  },
};

type Method = 'tools/list' | 'tools/call';

/** The newer package takes the name of the method, the older one a schema that has it. */
const handle = (server: McpServerPart, method: Method, handler: (request: never, extra: never) => unknown): void => {
  // Each package has types of its own for what it hands over.
  const own = handler as never;
  try {
    server.setRequestHandler(method as never, own);
  } catch {
    // Version 1.29 and older read `value`, which a schema of zod/mini doesn’t have.
    const literal = Object.assign(z.literal(method), { value: method });
    server.setRequestHandler(z.looseObject({ method: literal }) as never, own);
  }
};

/** `create_payment` is Create payment. */
const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

const toResult = (toolbox: Toolbox, { name }: ToolCall, result: ToolResult): ToolCallResult => {
  const tool = toolbox.find(name);
  return withoutUndefined({
    content: [{ type: 'text' as const, text: result.text }],
    structuredContent: tool && structuredContentOf(tool, result.value),
    isError: isErrorResult(result),
  });
};

/** The result of one call, as MCP clients take it. */
interface ToolCallResult {
  /** The SDK's type has an index signature. */
  [field: string]: unknown;
  content: { type: 'text'; text: string }[];
  /** The result as data, in the form of the tool's `outputSchema`. */
  structuredContent?: { [field: string]: Json };
  isError: boolean;
}

/** A schema, which is JSON, as the types of the packages write it. */
interface McpSchema {
  type: 'object';
  properties: { [name: string]: McpJsonObject };
  required: string[];
}

/** JSON as the types of the packages write it. */
interface McpJsonObject {
  [name: string]: string | number | boolean | null | McpJsonObject[] | McpJsonObject;
}
