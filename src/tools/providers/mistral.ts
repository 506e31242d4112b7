/**
 * Mistral, `chat.complete`, with the names of its JavaScript package. There is no flag for errors.
 *
 * @module
 */
import { withoutUndefined } from '../../core/without-undefined.ts';
import { toPortable, toStrict } from '../dialects.ts';
import type { Toolbox } from '../toolbox.ts';
import { createMessageRunner } from './target.ts';

/** How tools are described to the model. */
export interface MistralOptions {
  /** Holds the model to the schema. Arguments are checked either way. @defaultValue false */
  readonly strict?: boolean | undefined;
}

/** A tool call of an answer. */
interface ToolCall {
  readonly id?: string | undefined;
  /** `arguments` is JSON text, or the object itself. */
  readonly function: { readonly name: string; readonly arguments: string | object };
}

/** An assistant's message. */
interface Message {
  readonly toolCalls?: readonly ToolCall[] | null | undefined;
}

/** One of the `choices` of an answer, or its message. */
interface Answer extends Message {
  readonly finishReason?: string | null | undefined;
  readonly message?: Message | undefined;
}

/**
 * `runAll` takes a choice, or its message, and gives one message per tool call. A choice says whether the token limit cut
 * the message: then none of its calls runs.
 *
 * @example
 * const { choices } = await client.chat.complete({ model, messages, tools: mistral.tools(toolbox) });
 * messages.push(choices[0].message, ...(await mistral.runAll(toolbox, choices[0])));
 */
export const mistral = {
  /** For `tools` of a request. */
  tools: (toolbox: Toolbox, { strict = false }: MistralOptions = {}) =>
    toolbox.tools().map(({ name, description, parameters }) => ({
      type: 'function' as const,
      function: { name, description, parameters: strict ? toStrict(parameters) : toPortable(parameters), strict },
    })),
  ...createMessageRunner({
    readCall: ({ id, function: { name, arguments: args } }: ToolCall) => ({ name, args, toolCallId: id }),
    toResult: ({ id, function: { name } }, { text }) =>
      withoutUndefined({ role: 'tool' as const, toolCallId: id, name, content: text }),
    callsIn: ({ message, toolCalls }: Answer) => (message ? message.toolCalls : toolCalls) ?? [],
    finishReasonOf: ({ finishReason }) => finishReason,
    toReply: (messages) => messages,
  }),
};
