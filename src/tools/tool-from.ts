import type { ApiAnswer, ApiEndpoint, ApiMethod, InputOf, NamesIn } from '../api/api-client.ts';
import { endpointOf } from '../api/endpoint-of.ts';
import { namesIn } from '../api/entry.ts';
import { id } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { inWords } from '../observability/redaction/secrets.ts';
import type { StandardIssue, StandardSchema } from '../core/schema.ts';
import { defineTool } from './define-tool.ts';
import type { ExistingToolOptions } from './existing-tool.ts';
import { fromFramework } from './from-framework.ts';
import { propertiesOf } from './parameters.ts';
import type { Tool, ToolOptions } from './tool.ts';

/** The parts of a tool besides its endpoint: mostly the description. */
export interface ToolFromOptions<E extends ApiEndpoint>
  extends Omit<
    ToolOptions<ToolFromArguments<E>, ApiAnswer<E>>,
    'name' | 'parameters' | 'jsonSchema' | 'effect' | 'run'
  > {
  /** @defaultValue the operation in snake case: `orders.findOpen` gives `orders_find_open` */
  readonly name?: string | undefined;
}

/** The arguments of a tool of an endpoint, side by side: the names in its path, its query, and the fields of its body. */
export type ToolFromArguments<E extends ApiEndpoint> = { readonly [Name in NamesIn<E['path']>]: string } & (E extends {
  readonly query: infer Schema;
}
  ? Extract<InputOf<Schema>, object>
  : unknown) &
  (E extends { readonly body: infer Schema } ? Extract<InputOf<Schema>, object> : unknown);

/** A `tool()` of the AI SDK, OpenAI Agents or LangChain, a `createTool()` of Mastra, or an object like the first. */
export type ExistingTool =
  | {
      readonly description?: unknown;
      readonly inputSchema?: unknown;
      readonly execute?: ((input: never, options: never) => unknown) | undefined;
    }
  | {
      readonly name: string;
      readonly description: string;
      readonly parameters: unknown;
      invoke(context: never, input: string): unknown;
    }
  | { readonly name: string; readonly description: string; readonly schema: unknown; invoke(input: never): unknown };

/** Makes a tool of an operation of `createApiClient`, or of a tool that a framework made. */
export interface ToolFrom {
  /**
   * Makes a tool for a model of an operation of `createApiClient`. Its parameters, its effect and what it does come from
   * the endpoint; everything else is as in `defineTool`. Of an endpoint with pages, the model gets the first.
   * Throws `InvalidArgumentError` for an endpoint whose arguments don't fit into one flat object.
   */
  <E extends ApiEndpoint>(method: ApiMethod<E>, options: ToolFromOptions<E>): Tool;
  /**
   * Makes a tool of one that you have already, with every guard of a toolbox. An approval that it needs stays needed.
   * An answer that speaks of a failure, and an error, leave the end of a write or payment unknown.
   * Throws `InvalidArgumentError` for a tool that can't run here.
   */
  (tool: ExistingTool, options: ExistingToolOptions): Tool;
}

/**
 * Makes a tool for a model of an operation of `createApiClient`, or of a tool of the AI SDK, OpenAI Agents, LangChain or
 * Mastra.
 *
 * @example
 * const refundOrder = toolFrom(orders.refund, {
 *   description: 'Refunds an order. Only call it after the caller has agreed to the amount.',
 *   bind: { id: ({ callId }) => orderOfCall.get(callId) },
 * });
 * const weather = toolFrom(weatherTool, { name: 'weather', effect: 'read' });
 */
export const toolFrom: ToolFrom = <E extends ApiEndpoint>(
  given: ApiMethod<E> | ExistingTool,
  options: ToolFromOptions<E> | ExistingToolOptions,
): Tool => {
  const info = (given as Partial<ApiMethod<E>> | undefined)?.[endpointOf];
  // An operation has options of its own.
  return info
    ? fromEndpoint(info, options as ToolFromOptions<E>)
    : fromFramework(given, options as ExistingToolOptions);
};

const fromEndpoint = <E extends ApiEndpoint>(
  { operation, endpoint, knowsKeys, send }: ApiMethod<E>[typeof endpointOf],
  options: ToolFromOptions<E>,
): Tool => {
  if (Object.hasOwn(options, 'effect')) throw wrong(operation, 'effect', 'is the one of the endpoint: say it there');
  const { effect = endpoint.method === 'GET' ? 'read' : 'write', reads, returns, absentOn404 } = endpoint;
  if (reads === 'bytes' && !returns && !options.compact)
    throw wrong(operation, 'compact', 'must say what a model reads of an answer of bytes');
  const { parameters, jsonSchema, toArguments } = flatten<E>(operation, endpoint);
  return defineTool<ToolFromArguments<E>, ApiAnswer<E>>({
    ...options,
    name: options.name ?? inWords(operation),
    parameters,
    jsonSchema,
    effect,
    // Also with `repeat: 'again'`: what another call has changed meanwhile makes it worth doing again.
    idempotent:
      options.idempotent === undefined ? (effect === 'payment' ? knowsKeys : effect === 'read') : options.idempotent,
    run: async (args, { request }) => {
      const answer = await send(toArguments(args), request);
      // Only the model reads it, and to it `null` says little.
      return answer === undefined && absentOn404 && !options.compact ? ({ found: false } as ApiAnswer<E>) : answer;
    },
  });
};

const wrong = (operation: string, field: string, problem: string) =>
  new InvalidArgumentError(field, problem, { operation: `toolFrom ${operation}` });

/** One flat object for the model, and the way back to path, query and body. */
const flatten = <E extends ApiEndpoint>(operation: string, { path, query, body }: ApiEndpoint) => {
  const ids = namesIn(path);
  const idFields = { properties: Object.fromEntries(ids.map((name) => [name, { type: 'string' }])), required: ids };
  const queryFields = fieldsOf(operation, 'query', query);
  const bodyFields = fieldsOf(operation, 'body', body);
  const parts = [idFields, queryFields, bodyFields];
  const names = parts.flatMap(({ properties }) => Object.keys(properties));
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double !== undefined)
    throw wrong(operation, double, 'is in more than one of path, query and body: use defineTool');

  const pick = (args: object, { properties }: typeof idFields | typeof queryFields) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(properties, name)));

  /** Checks without changing anything: the method gets what the model sent, and its schemas may transform it. */
  const validate = async (value: unknown) => {
    const args = Object(value) as Readonly<Record<string, unknown>>;
    const issues: StandardIssue[] = ids.flatMap((name) =>
      (id().safeParse(args[name]).error?.issues ?? []).map((issue) => ({ ...issue, path: [name] })),
    );
    issues.push(...((await query?.['~standard'].validate(pick(args, queryFields)))?.issues ?? []));
    issues.push(...((await body?.['~standard'].validate(pick(args, bodyFields)))?.issues ?? []));
    // It has passed every schema that its type was made of.
    return issues.length > 0 ? { issues } : { value: value as ToolFromArguments<E> };
  };

  const parameters: StandardSchema<ToolFromArguments<E>> = {
    '~standard': { version: 1, vendor: 'voice-agent-integrations', validate },
  };
  return {
    parameters,
    jsonSchema: {
      type: 'object',
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required }) => required),
    },
    toArguments: (args: object) => ({
      ...pick(args, idFields),
      ...pick(args, queryFields),
      body: body && pick(args, bodyFields),
    }),
  };
};

const fieldsOf = (operation: string, part: 'query' | 'body', schema: StandardSchema | undefined) => {
  if (!schema) return { properties: {}, required: [] };
  try {
    const fields = propertiesOf(schema);
    if (fields) return fields;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw wrong(operation, part, `${error.problem}. Or use defineTool`);
  }
  throw wrong(operation, part, 'must be an object with named fields: use defineTool for anything else');
};
