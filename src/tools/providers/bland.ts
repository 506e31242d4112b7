import type { Json, JsonObject } from '../../stores/ports/json.ts';
import { toPortable } from '../dialects.ts';
import type { PropertySchema } from '../tool.ts';
import type { Toolbox } from '../toolbox.ts';
import { assertNames } from './tool-limits.ts';
import { addressOf, createTemplatedHandler, headers, type TemplatedHandlerOptions } from './templated-request.ts';

/** Where Bland sends the calls of these tools. */
interface BlandToolOptions {
  /** Where Bland reaches `handler`. */
  readonly url: string;
  /** What Bland sends as a bearer token, and stores for that. */
  readonly token: string;
  /** How long Bland waits; more than the toolbox's deadline. @defaultValue 15 */
  readonly timeoutSeconds?: number | undefined;
}

/**
 * Bland: each of `tools` is the body of one `POST /v1/tools`, `handler` is the whole server. Bland writes arguments into a
 * template, so numbers may arrive as text; the handler reads them by the tool's parameters.
 *
 * @example
 * for (const tool of bland.tools(toolbox, { url: 'https://agent.example/tools', token })) await api.post('/v1/tools', tool);
 * const handle = bland.handler({ toolbox, secret: () => secrets.read('bland') });
 * const response = await handle(request);
 */
export const bland = {
  /** A slow message is said while the tool runs. Throws `InvalidArgumentError` for a name with a word of Bland's own. */
  tools: (toolbox: Toolbox, { url, token, timeoutSeconds = 15 }: BlandToolOptions) => {
    assertNames(toolbox.tools(), reservedWords, 'Bland');
    return toolbox.tools().map(({ name, description, parameters, slowMessage }) => ({
      name,
      description,
      speech: slowMessage,
      url: addressOf(url, name),
      method: 'POST' as const,
      headers: {
        authorization: `Bearer ${token}`,
        [headers.callId]: '{{call_id}}',
        [headers.caller]: '{{phone_number}}',
      },
      input_schema: toPortable(parameters),
      body: Object.fromEntries(Object.keys(parameters.properties).map((field) => [field, `{{input.${field}}}`])),
      timeout: timeoutSeconds * 1000,
    }));
  },

  /**
   * The server for these tools. A request without the token gets 401, and nothing runs.
   * Throws `InvalidArgumentError` for a secret that is a literal.
   */
  handler: (options: TemplatedHandlerOptions) =>
    createTemplatedHandler(options, (args, { properties }) => readTemplate(args, properties)),
};

/** Source: docs.bland.ai/api-v1/post/tools, read on 2026-11-26. */
const reservedWords = 'input speak transfer switch wait finish press button say pause record play dial hang'.split(' ');

const readTemplate = (args: unknown, properties: Readonly<Record<string, PropertySchema>>): unknown => {
  if (typeof args !== 'object' || args === null) return args;
  return Object.fromEntries(
    Object.entries(args as JsonObject).map(([field, value]) => [
      field,
      readValue(isLeftOut(value) ? undefined : value, properties[field]),
    ]),
  );
};

/** An argument that the model left out arrives as it was written in the template. */
const isLeftOut = (value: Json | undefined): boolean => typeof value === 'string' && value.includes('{{');

/** Only what is one of the parameter's type; its schema refuses the rest. */
const readValue = (value: Json | undefined, schema: PropertySchema | undefined): Json | undefined => {
  if (typeof value !== 'string' || value.trim() === '') return value;
  if (schema?.type === 'number' || schema?.type === 'integer') {
    return Number.isFinite(Number(value)) ? Number(value) : value;
  }
  if (schema?.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
};
