/** The answer of a framework's tool: its content, and whether it's marked as a failure. */
import { isJsonObject, jsonIn, type JsonObject } from '../stores/ports/json.ts';

/** An answer as a value. */
export interface FrameworkAnswer {
  readonly value: unknown;
  /** It's marked as a failure, whatever it says. */
  readonly isFailure: boolean;
}

/**
 * Waits for answers that come bit by bit, of which nothing was done before they're read. A generator reports its progress:
 * the last value counts. A stream's texts are one. A response of `fetch` is its text, or a failure.
 */
export const wholeAnswer = async (answer: unknown, isTakenBack: () => boolean): Promise<unknown> => {
  if (typeof answer !== 'object' || answer === null) return answer;
  if (isResponse(answer)) {
    const text = await answer.text();
    return answer.ok ? text : { isError: true, status: answer.status, text };
  }
  if (!isStepwise(answer)) return answer;
  const values: unknown[] = [];
  for await (const value of answer) {
    // Progress may be endless.
    if ('getReader' in answer && typeof value === 'string') values.push(value);
    else values[0] = value;
    if (isTakenBack()) break;
  }
  return values.length > 1 ? values.join('') : values[0];
};

const isStepwise = (answer: object): answer is AsyncIterable<unknown> =>
  Symbol.asyncIterator in answer || (Symbol.iterator in answer && 'next' in answer);

const isResponse = (answer: object): answer is Response =>
  'ok' in answer && 'status' in answer && 'text' in answer && typeof answer.text === 'function';

/** Reads what frameworks wrap answers in: a tool message, MCP's content, and JSON as a text. */
export const readAnswer = (answer: unknown): FrameworkAnswer => {
  if (typeof answer === 'string') {
    const parsed = /^\s*[[{]/.test(answer) && answer.length <= longestJson ? jsonIn(answer) : undefined;
    return parsed === undefined ? { value: answer, isFailure: false } : readAnswer(parsed);
  }
  if (Array.isArray(answer) && answer.length > 0 && answer.every(isText)) return readAnswer(textIn(answer));
  if (!isJsonObject(answer)) return { value: answer, isFailure: false };
  if (isText(answer)) return readAnswer(answer.text);
  const { content, isError, status, structuredContent, lg_name: graphName } = answer;
  // A `Command` is for a graph that isn't there.
  if (graphName === 'Command') return { value: answer, isFailure: true };
  if (answer['lc_direct_tool_output'] === true) return failedIf(status === 'error', readAnswer(content));
  if (isMcpResult(answer)) return failedIf(isError === true, readAnswer(structuredContent ?? textIn(content)));
  return { value: answer, isFailure: answer instanceof Error || isError === true };
};

/** Longer JSON isn't parsed: only its beginning could be read anyway. */
const longestJson = 2_000_000;

const failedIf = (isFailure: boolean, answer: FrameworkAnswer): FrameworkAnswer => ({
  ...answer,
  isFailure: isFailure || answer.isFailure,
});

const isMcpResult = (answer: JsonObject): boolean =>
  Array.isArray(answer['content']) &&
  Object.keys(answer).every((name) => mcpFields.includes(name)) &&
  answer['content'].every((part) => isJsonObject(part) && typeof part['type'] === 'string');

const mcpFields = ['content', 'structuredContent', 'isError', '_meta'];

interface Text {
  readonly type: 'text';
  readonly text: string;
}

const isText = (part: unknown): part is Text =>
  isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';

/** Pictures and the like can't be said. */
const textIn = (parts: unknown): string =>
  Array.isArray(parts)
    ? parts
        .filter(isText)
        .map(({ text }) => text)
        .join('\n')
    : '';

/** Reads what `toModelOutput` of the AI SDK and Mastra shows to a model. */
export const readModelOutput = (output: unknown): FrameworkAnswer => {
  if (!isJsonObject(output)) return { value: output, isFailure: false };
  const { type, value } = output;
  if (type === 'error-text' || type === 'error-json' || type === 'execution-denied') return { value, isFailure: true };
  if (type === 'text' || type === 'json') return { value, isFailure: false };
  return { value: type === 'content' ? textIn(value) : output, isFailure: false };
};
