import { anthropic } from '../../tools/providers/anthropic.ts';
import { generateContent } from '../../tools/providers/google.ts';
import { realtime, responses } from '../../tools/providers/openai.ts';
import type { Toolbox } from '../../tools/toolbox.ts';

/** A tool as it is shown. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly effect: string;
  readonly confirm: string | false;
  readonly expectedMs: number;
  /** The definitions for a model, by the target. */
  readonly definitions: Readonly<Record<string, object>>;
}

/** The tools of a toolbox, each as every model sees it: providers differ in what they accept. */
export const describeTools = (toolbox: Toolbox): readonly ShownTool[] => {
  const targets: Readonly<Record<string, readonly object[]>> = {
    'any model': toolbox.tools().map(({ name, description, parameters }) => ({ name, description, parameters })),
    'OpenAI Responses': responses.tools(toolbox),
    'OpenAI Realtime': realtime.tools(toolbox),
    Anthropic: anthropic.tools(toolbox),
    Gemini: generateContent.tools(toolbox).flatMap(({ functionDeclarations }) => functionDeclarations),
  };
  return toolbox.tools().map(({ name, description, effect, confirm, expectedMs }, index) => ({
    name,
    description,
    effect,
    confirm,
    expectedMs,
    definitions: Object.fromEntries(
      Object.entries(targets).flatMap(([target, definitions]) => {
        const definition = definitions[index];
        return definition ? [[target, definition]] : [];
      }),
    ),
  }));
};
