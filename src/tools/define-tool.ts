import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, checkOptions, must, oneOf, type OptionNames } from '../core/option-checks.ts';
import { confirmationToken, createReader } from './arguments.ts';
import { longestPropertyName, uniqueName } from './other-names.ts';
import { readParameters, type ToolParameters } from './parameters.ts';
import { confirms, type ParametersSchema, type Tool, type ToolOptions } from './tool.ts';
import { longestDescription } from './tool-words.ts';

/**
 * Makes a tool out of a schema and a function. What a model sends is checked before `run` sees it, and what `run`
 * gives or throws becomes a short answer that a model may read.
 * Throws `InvalidArgumentError` for a definition that some provider would refuse, and says what to change.
 *
 * @example
 * const bookCallback = defineTool({
 *   name: 'book_callback',
 *   description: 'Ask a colleague to call back.',
 *   parameters: z.object({ phone: z.e164(), reason: z.string().max(200) }),
 *   effect: 'write',
 *   run: async ({ phone, reason }, { signal, idempotencyKey }) => ({ booked: true }),
 * });
 */
export const defineTool = <Arguments extends object, Result>(options: ToolOptions<Arguments, Result>): Tool => {
  const { name, description, effect, expectedMs = 500, slowMessage, maxChars } = options;
  const { confirm = effect === 'payment' ? 'two-step' : false } = options;
  assertName(name);
  assertKnown(options, optionNames, name);
  checkOptions(name, [
    oneOf(effect ?? null, 'effect', ['read', 'write', 'payment']),
    oneOf(confirm, 'confirm', confirms),
    oneOf(options.idempotent, 'idempotent', [true, false, 'once']),
    ...functions.map((field) =>
      must(options[field] === undefined || typeof options[field] === 'function', field, 'must be a function'),
    ),
  ]);
  assertDescription(name, description);
  if (typeof options.run !== 'function') throw wrong(name, 'run', 'must be a function');
  if (!isDuration(options.once?.windowMs ?? 0))
    throw wrong(name, 'once.windowMs', 'must be a number of milliseconds, 0 or more');
  const isOnce = options.idempotent === 'once';
  if (isOnce && effect !== 'write')
    throw wrong(name, 'idempotent', "'once' is for writes: a read may run again, and a payment is made once anyway");
  if (options.refundOf && effect !== 'payment')
    throw wrong(name, 'refundOf', "is for refunds, whose effect must be 'payment'");
  const { parameters, normalize } = readDefinition(options);
  const bound = Object.entries(options.bind ?? {}).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  for (const field of bound) {
    if (!(field in parameters.properties)) throw wrong(name, `bind.${field}`, 'must be one of the parameters');
  }
  const again = isOnce ? againNameFor(parameters) : undefined;
  const visible = withAgain(without(parameters, bound), again);
  const isTwoStep = confirm === 'two-step' || confirm === 'both';
  return {
    name,
    description,
    parameters: isTwoStep ? withToken(visible) : visible,
    output: options.output && readDefinition({ name, parameters: options.output, jsonSchema: undefined }).parameters,
    effect,
    idempotent: isOnce ? false : (options.idempotent ?? effect === 'read'),
    again,
    expectedMs,
    slowMessage,
    stillSlowMessage: options.stillSlowMessage,
    confirm,
    maxChars,
    bound,
    read: createReader({ normalize, bound, again, isConfirmed: isTwoStep }),
    // The toolbox hands back only arguments that passed their schema, and results that `run` gave.
    options: withoutPromises(options) as unknown as ToolOptions<object, unknown>,
  };
};

/** The same tool, whose functions throw where they return a promise, which would count as any value. */
const withoutPromises = <Arguments extends object, Result>(
  options: ToolOptions<Arguments, Result>,
): ToolOptions<Arguments, Result> => {
  const now = <Input extends readonly unknown[], Value>(
    field: string,
    call: ((...input: Input) => Value) | undefined,
  ): ((...input: Input) => Value) | undefined =>
    call &&
    ((...input) => {
      const value = call(...input);
      if (!(value instanceof Promise)) return value;
      value.catch(() => {});
      // The field of an argument would be a word to the model.
      throw wrong(options.name, `${field}()`, 'must not be async');
    });
  return {
    ...options,
    once: options.once && {
      ...options.once,
      what: now('once.what', options.once.what) ?? options.once.what,
      by: now('once.by', options.once.by),
      key: now('once.key', options.once.key),
    },
    amount: now('amount', options.amount),
    compact: now('compact', options.compact),
    outcome: now('outcome', options.outcome),
    summarize: now('summarize', options.summarize),
    wordsSoFar: now('wordsSoFar', options.wordsSoFar),
  };
};

const functions = ['amount', 'compact', 'outcome', 'refundOf', 'summarize', 'wordsSoFar'] as const;

const optionNames: OptionNames<ToolOptions<object, unknown>> = {
  name: true,
  description: true,
  parameters: true,
  jsonSchema: true,
  effect: true,
  bind: true,
  rules: true,
  run: true,
  compact: true,
  output: true,
  outcome: true,
  wordsSoFar: true,
  once: true,
  amount: true,
  refundOf: true,
  summarize: true,
  idempotent: true,
  expectedMs: true,
  slowMessage: true,
  stillSlowMessage: true,
  confirm: true,
  maxChars: true,
};

const assertName = (name: unknown) => {
  if (typeof name === 'string' && /^[a-z][a-z0-9_]{0,39}$/.test(name)) return;
  throw wrong(
    String(name).slice(0, 60),
    'name',
    'must begin with a lower-case letter and have at most 40 of a-z, 0-9 and _',
  );
};

/** `NaN`, as an unset variable of the environment gives, would let every payment be made again. */
const isDuration = (ms: number): boolean => Number.isFinite(ms) && ms >= 0;

const assertDescription = (name: string, description: string) => {
  if (typeof description !== 'string' || description.trim() === '') {
    throw wrong(name, 'description', 'must tell the model when to call the tool');
  }
  if (description.length > longestDescription) {
    throw wrong(name, 'description', `has ${description.length} characters: shorten it to ${longestDescription}`);
  }
};

const readDefinition = ({
  name,
  parameters,
  jsonSchema,
}: Pick<ToolOptions<object, unknown>, 'name' | 'parameters'> & {
  readonly jsonSchema?: object | undefined;
}): ToolParameters => {
  try {
    return readParameters(parameters, jsonSchema);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw wrong(name, error.field, error.problem);
  }
};

const wrong = (tool: string, field: string, problem: string) =>
  new InvalidArgumentError(field, problem, { operation: `defineTool ${tool}` });

const without = (schema: ParametersSchema, names: readonly string[]): ParametersSchema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !names.includes(name))),
  required: schema.required.filter((name) => !names.includes(name)),
});

/** `again`, or another name where the tool has an argument of its own that is called so. */
const againNameFor = ({ properties }: ParametersSchema): string =>
  uniqueName('again', new Set(Object.keys(properties)), longestPropertyName);

/** Adds the argument for a second time, if there is one. */
export const withAgain = (schema: ParametersSchema, again: string | undefined): ParametersSchema =>
  again === undefined
    ? schema
    : {
        ...schema,
        properties: {
          ...schema.properties,
          [again]: {
            type: 'boolean',
            description: 'Leave out first. true if an answer named this argument, and the caller wants it again.',
          },
        },
      };

const withToken = (schema: ParametersSchema): ParametersSchema => ({
  ...schema,
  properties: {
    ...schema.properties,
    [confirmationToken]: {
      type: 'string',
      description: 'Leave out first. Once the caller has agreed to the summary, repeat the call with the token.',
    },
  },
});
