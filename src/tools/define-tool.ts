import { InvalidArgumentError } from '../errors.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import { createArgumentReader } from './arguments.ts';
import type { ParametersSchema } from './json-schema.ts';
import { type ReadParameters, readParameters } from './read-parameters.ts';
import { standardProblems } from './standard-problems.ts';
import type { ToolContext } from './context.ts';
import type { BoundArgument, CheckedArguments, FieldProblem, Tool, ToolOptions, ToolWork } from './tool.ts';

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
  const { name, description, effect, confirm = false, expectedMs = 500, slowMessage, maxChars } = options;
  assertName(name);
  assertDescription(name, description);
  if (!isDuration(options.once?.windowMs ?? 0))
    throw wrong(name, 'once.windowMs', 'must be a number of milliseconds, 0 or more');
  const whole = readDefinition(options);
  const bound = Object.entries(options.bind ?? {}).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  for (const field of bound) {
    if (!(field in whole.parameters.properties)) throw wrong(name, `bind.${field}`, 'must be one of the parameters');
  }
  const visible = without(whole.parameters, bound);
  return {
    name,
    description,
    parameters: confirm === 'two-step' ? withToken(visible) : visible,
    effect,
    idempotent: options.idempotent ?? effect !== 'write',
    expectedMs,
    slowMessage,
    confirm,
    maxChars,
    bound,
    work: createWork(options, { ...whole, parameters: visible }),
  };
};

/** The argument that `confirm: 'two-step'` adds. */
const confirmationToken = 'confirmation_token';

/** The token within the arguments of a model; `undefined` when there is none, or when the tool needs none. */
export const confirmationTokenIn = ({ confirm }: Pick<Tool, 'confirm'>, args: unknown): string | undefined => {
  if (confirm !== 'two-step') return undefined;
  const token = ownField(typeof args === 'string' ? parseOrNothing(args) : args, confirmationToken);
  return typeof token === 'string' ? token : undefined;
};

const parseOrNothing = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const ownField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const assertName = (name: string) => {
  if (typeof name === 'string' && /^[a-z][a-z0-9_]{0,39}$/.test(name)) return;
  throw wrong(name.slice(0, 60), 'name', 'must begin with a lower-case letter and have at most 40 of a-z, 0-9 and _');
};

/** `NaN`, as an unset variable of the environment gives, would let every payment be made again. */
export const isDuration = (ms: number): boolean => Number.isFinite(ms) && ms >= 0;

const longestDescription = 1024;

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
}: Pick<ToolOptions<object, unknown>, 'name' | 'jsonSchema' | 'parameters'>): ReadParameters => {
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

const createWork = <Arguments extends object, Result>(
  options: ToolOptions<Arguments, Result>,
  visible: ReadParameters,
): ToolWork => {
  const readArguments = createArgumentReader(visible);
  const { parameters, rules = [], run, compact, outcome, wordsSoFar, amount, once, summarize } = options;
  const bind = Object.entries<BoundArgument | undefined>(options.bind ?? {}).filter(([, value]) => value !== undefined);

  // A model is told the summary of two steps, and must not learn what the application supplies.
  const toTell = (checked: JsonObject) =>
    options.confirm === 'two-step'
      ? Object.fromEntries(Object.entries(checked).filter(([field]) => !bind.some(([bound]) => bound === field)))
      : checked;

  // The toolbox hands back only what `check` gave it, and that passed the schema of these arguments.
  const typed = (checked: JsonObject) => checked as Arguments;

  const check = async (args: JsonObject, context: ToolContext): Promise<CheckedArguments> => {
    const whole: Record<string, unknown> = { ...args };
    const unknown: FieldProblem[] = [];
    for (const [field, value] of bind) {
      const supplied = await supply(value, context, args);
      if (supplied === undefined) unknown.push({ field, problem: 'is not known yet: look it up first' });
      else whole[field] = supplied;
    }
    if (unknown.length > 0) return { ok: false, problems: unknown };
    const result = await parameters['~standard'].validate(whole);
    if (!result.issues) return { ok: true, args: result.value as JsonObject };
    const boundFields = bind.map(([field]) => field);
    return refuse(standardProblems(result, whole), boundFields, options.name);
  };

  return {
    read: readArguments,
    check,
    validate: async (args) => {
      const result = await parameters['~standard'].validate(args);
      const isBound = ({ field }: FieldProblem) => bind.some(([bound]) => bound === field.split('.')[0]);
      const problems = standardProblems(result, args).filter((problem) => !isBound(problem));
      return problems.length > 0 ? { ok: false, problems } : { ok: true, args };
    },
    rules: async (checked, context) => {
      const said = await Promise.all(rules.map(async (rule) => rule(typed(checked), context)));
      return said.filter((objection) => objection !== undefined);
    },
    run: (checked, context) => run(typed(checked), context),
    // What `run` gave is passed on unchanged.
    outcome: (result) => outcome?.(result as Result) ?? 'done',
    wordsSoFar: (result) => wordsSoFar?.(result as Result),
    compact: compact && ((result, checked) => compact(result as Result, typed(checked))),
    summarize: (checked) => summarize?.(typed(checked)) ?? `${options.name} ${JSON.stringify(toTell(checked))}`,
    once: (checked, context) => ({
      what: once?.what(typed(checked)) ?? [checked, personOf(context)],
      by: once?.by?.(typed(checked)) ?? null,
      windowMs: once?.windowMs,
      note: () => once?.note?.(typed(checked), context) ?? null,
      mayRepeat: (note) => once?.mayRepeat?.(typed(checked), context, note) ?? false,
    }),
    amount: (checked) => amount?.(typed(checked)) ?? (typeof checked['amount'] === 'number' ? checked['amount'] : 0),
  };
};

/** Two callers may ask for the same. A number that was only spoken may change during the phone call. */
const personOf = ({ caller, callId }: ToolContext): Json =>
  caller.phone !== undefined && !caller.saidOnly?.includes('phone') ? { phone: caller.phone } : { callId };

const supply = (value: BoundArgument | undefined, context: ToolContext, args: JsonObject) =>
  typeof value === 'function' ? value(context, args) : value;

/** A bound argument that does not fit is no fault of the model. */
const refuse = (problems: readonly FieldProblem[], bound: readonly string[], tool: string): CheckedArguments => {
  const own = problems.find(({ field }) => bound.includes(field.split('.')[0] ?? ''));
  if (own) throw wrong(tool, `bind.${own.field}`, own.problem);
  return { ok: false, problems };
};
