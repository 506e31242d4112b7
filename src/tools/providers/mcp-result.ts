import { isJsonObject, jsonIn } from '../../stores/ports/json.ts';
import { fits } from './mcp-output.ts';

/** The answer of a tool of an MCP server, without the envelope of the protocol. */
export interface McpAnswer {
  readonly isError: boolean;
  /** Its words or fields; `undefined` where there are none. */
  readonly said: unknown;
  /** The same for a model, with the names of what can't be shown. */
  readonly value: unknown;
}

/**
 * Reads the answer of `callTool`: the structured content, else its texts, read as JSON if they're that. Pictures and
 * sounds are only named. Throws for anything but an answer, and for one that breaks the tool's `outputSchema`. Looks at
 * no more of a text than a model could read, however long it is.
 */
export const readMcpResult = (result: unknown, outputSchema: unknown): McpAnswer => {
  const { content, structuredContent, toolResult, isError, task }: { readonly [field: string]: unknown } =
    Object(result);
  // A task is only a promise of an answer.
  if (task !== undefined || (!Array.isArray(content) && (structuredContent ?? toolResult) === undefined))
    throw new TypeError('The answer is not a result of a tool');
  if (isError !== true && outputSchema !== undefined && !fits(structuredContent, outputSchema))
    throw new TypeError('The answer breaks the outputSchema of the tool');
  const parts = Array.isArray(content) ? content.slice(0, mostParts).filter(isJsonObject) : [];
  const texts = parts.map(textIn).filter((text) => text !== undefined);
  const links = parts
    .filter(({ type }) => type === 'resource_link')
    .map(({ uri, name, description }) => ({ uri, name, description }));
  const others = parts.map(({ type }) => type).filter((type) => type === 'image' || type === 'audio');
  // Without a field it says less than the text.
  const isEmpty = texts.length > 0 && isJsonObject(structuredContent) && Object.keys(structuredContent).length === 0;
  const said = (isEmpty ? undefined : structuredContent) ?? toolResult ?? textValue(texts);
  const isPlain = links.length === 0 && others.length === 0;
  const own = isJsonObject(said) ? said : { result: said };
  return {
    isError: isError === true,
    said,
    value: isPlain ? (said ?? { done: true }) : { ...own, links, not_shown: others },
  };
};

const mostParts = 100;

const textIn = ({ type, text, resource }: { readonly [field: string]: unknown }): string | undefined => {
  const found = type === 'resource' ? Object(resource).text : text;
  return typeof found === 'string' && found.trim() !== '' ? found : undefined;
};

const textValue = (texts: readonly string[]): unknown => {
  const values = texts.map((text) => {
    const isJson = /^\s*[[{]/.test(text.slice(0, 200)) && text.length <= longestJson;
    return (isJson ? jsonIn(text) : undefined) ?? text.slice(0, longestText);
  });
  if (values.every((value) => typeof value === 'string')) return values.length > 0 ? values.join('\n') : undefined;
  return values.length === 1 ? values[0] : { parts: values };
};

/** Longer JSON isn't parsed: only its beginning could be read anyway. */
const longestJson = 2_000_000;
const longestText = 20_000;
