import { closest } from '../core/closest.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { PropertySchema, Tool } from './tool.ts';

/**
 * Words for one tool: its descriptions for the model, and the agent's while it's slow. In your words, or another
 * language.
 */
export interface ToolWords {
  /** Shows the model when to call the tool, and its result. At most 1024 characters. @defaultValue the tool's own */
  readonly description?: string | undefined;
  /** The meaning and source of each parameter. @defaultValue the tool's own */
  readonly parameters?: { readonly [name: string]: string } | undefined;
  /** The sentence for the caller who confirms, or the colleague who approves, from the arguments. @defaultValue the tool's own */
  readonly summarize?:
    | ((args: Readonly<Record<string, unknown>>, reader: 'caller' | 'colleague') => string)
    | undefined;
  /** The agent's words while the tool is slow; `false`: none. @defaultValue the tool's own */
  readonly slowMessage?: string | false | undefined;
  /** The words of a realtime session 4 seconds after `slowMessage`. @defaultValue the tool's own */
  readonly stillSlowMessage?: string | undefined;
}

/** Words by the name of their tool. */
export interface WordsOfTools {
  readonly [tool: string]: ToolWords;
}

/** The tools with these words. Throws `InvalidArgumentError` for a tool or a parameter that isn't there. */
export const rewordTools = (tools: readonly Tool[], words: WordsOfTools): readonly Tool[] => {
  const names = tools.map(({ name }) => name);
  for (const name of Object.keys(words)) assertKnown(name, names, `words.${name}`);
  return tools.map((tool) => {
    const own = Object.hasOwn(words, tool.name) ? words[tool.name] : undefined;
    return own ? reworded(tool, own) : tool;
  });
};

const reworded = (tool: Tool, words: ToolWords): Tool => {
  const { description, parameters = {}, slowMessage, stillSlowMessage, summarize } = words;
  const { properties } = tool.parameters;
  for (const name of Object.keys(parameters))
    assertKnown(name, Object.keys(properties), `words.${tool.name}.parameters.${name}`);
  if (description !== undefined && (description.trim() === '' || description.length > longestDescription))
    throw new InvalidArgumentError(`words.${tool.name}.description`, `must have 1 to ${longestDescription} characters`);
  const describe = ([name, schema]: [string, PropertySchema]) => {
    const own = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return [name, own === undefined ? schema : { ...schema, description: own }] as const;
  };
  return {
    ...tool,
    description: description ?? tool.description,
    parameters: { ...tool.parameters, properties: Object.fromEntries(Object.entries(properties).map(describe)) },
    slowMessage: slowMessage === false ? undefined : (slowMessage ?? tool.slowMessage),
    stillSlowMessage: stillSlowMessage ?? tool.stillSlowMessage,
    // A summary gets the tool's own arguments.
    options: summarize
      ? { ...tool.options, summarize: (args, reader) => summarize({ ...args }, reader) }
      : tool.options,
  };
};

/** The longest description that every provider takes. */
export const longestDescription = 1024;

const assertKnown = (name: string, names: readonly string[], field: string): void => {
  if (names.includes(name)) return;
  const meant = closest(name, names);
  const hint = meant === undefined ? `there is ${names.join(', ') || 'none'}` : `did you mean ${meant}?`;
  throw new InvalidArgumentError(field, `is not known: ${hint}`);
};
