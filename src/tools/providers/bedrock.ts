/**
 * AWS Bedrock, the Converse API.
 *
 * @module
 */
import { type DialectParameters, toGrammar, toPortable } from '../dialects.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { createMessageRunner, isErrorResult } from './target.ts';

/** Options of the descriptions that the model gets. */
export interface BedrockOptions {
  /** Holds the model to the schema. Not every model can. @defaultValue false */
  readonly strict?: boolean | undefined;
}

/** A tool call among the `content` of an answer. */
interface ToolUseBlock {
  readonly toolUse: {
    readonly toolUseId: string | undefined;
    readonly name: string | undefined;
    readonly input: unknown;
  };
}

/** The part of an answer that is read. */
interface Answer {
  readonly output: { readonly message?: Message | undefined } | undefined;
  readonly stopReason?: string | undefined;
}

/** The part of a message of an answer that is read. */
interface Message {
  readonly content: readonly { readonly toolUse?: ToolUseBlock['toolUse'] }[] | undefined;
}

/**
 * All results of a turn belong into one user message: `runAll` makes it, `undefined` for an answer without tool calls. It
 * takes an answer, or its message. An answer says whether the token limit cut it: then none of its calls runs.
 *
 * @example
 * const answer = await client.send(new ConverseCommand({ modelId, messages, toolConfig: bedrock.tools(toolbox) }));
 * const results = await bedrock.runAll(toolbox, answer);
 * if (results) messages.push(answer.output.message, results);
 */
export const bedrock = {
  /** For `toolConfig`. */
  tools: (from: WithTools, { strict = false }: BedrockOptions = {}) => ({
    tools: toolboxOf(from, 'bedrock.tools')
      .tools()
      .map(({ name, description, parameters }) => ({
        toolSpec: strict
          ? { name, description, inputSchema: toInputSchema(toGrammar(parameters)), strict }
          : { name, description, inputSchema: toInputSchema(toPortable(parameters)) },
      })),
  }),

  ...createMessageRunner({
    readCall: ({ toolUse: { name = '', input, toolUseId } }: ToolUseBlock) => ({
      name,
      args: input,
      toolCallId: toolUseId,
    }),
    toResult: ({ toolUse: { toolUseId = '' } }, result) => ({
      toolResult: {
        toolUseId,
        content: [{ text: result.text }],
        // Not every model takes `success`.
        status: isErrorResult(result) ? ('error' as const) : undefined,
      },
    }),
    callsIn: (answer: Answer | Message) =>
      (messageIn(answer)?.content ?? []).flatMap(({ toolUse }) => (toolUse ? [{ toolUse }] : [])),
    finishReasonOf: (answer) => 'output' in answer && answer.stopReason,
    toReply: (content) => (content.length > 0 ? { role: 'user' as const, content } : undefined),
  }),
};

const messageIn = (answer: Answer | Message) => ('output' in answer ? answer.output?.message : answer);

// A schema is JSON, whatever its type says.
const toInputSchema = (parameters: DialectParameters): InputSchema => ({ json: parameters as BedrockDocument });

/** Named, because an editor would write the type of JSON out. */
interface InputSchema {
  json: BedrockDocument;
}

/** JSON, as the types of the AWS packages say it. */
type BedrockDocument = null | boolean | number | string | BedrockDocument[] | { [name: string]: BedrockDocument };
