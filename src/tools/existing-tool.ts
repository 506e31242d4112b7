import { readAmount } from '../billing/amount.ts';
import { InvalidArgumentError, IntegrationError, UnexpectedResponseError } from '../core/errors.ts';
import { assertKnown, checkOptions, must, oneOf, type OptionNames } from '../core/option-checks.ts';
import type { StandardResult, StandardSchema } from '../core/schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../stores/ports/json.ts';
import { textForModels } from './compact.ts';
import type { ToolContext } from './context.ts';
import { defineTool, withAgain } from './define-tool.ts';
import { otherNameOf } from './other-names.ts';
import { type PortableParameters, toPortableParameters } from './portable-parameters.ts';
import { keyPlaceholder } from './portable-values.ts';
import type { BoundArgument, Confirm, Tool, ToolEffect, ToolOptions } from './tool.ts';
import { longestDescription } from './tool-words.ts';

/** The facts that this package can't know about a tool that you have already. Arguments have the tool's own names. */
export interface ExistingToolOptions
  extends Partial<
    Pick<
      ToolOptions<Readonly<Record<string, unknown>>, unknown>,
      'rules' | 'compact' | 'outcome' | 'summarize' | 'expectedMs' | 'slowMessage' | 'maxChars'
    >
  > {
  /** @defaultValue the tool's own, in lower case, with `_` for other signs */
  readonly name?: string | undefined;
  /** @defaultValue the tool's own words, at most 1024 characters */
  readonly description?: string | undefined;
  /** The tool's effect. A function is for a tool that does everything, such as one with an argument `method`. */
  readonly effect: ToolEffect | ((args: Readonly<Record<string, unknown>>) => ToolEffect);
  /** Arguments that you supply: a value, or a function of the context. They leave the model's schema. */
  readonly bind?: Readonly<Record<string, BoundArgument>> | undefined;
  /**
   * The argument that takes an idempotency key, such as `key` or `request.key`. This package fills it in, and may then
   * send a payment again whose end is unknown.
   * @defaultValue none: what may have been done is never sent again
   */
  readonly key?: string | undefined;
  /** Of a payment: what counts towards the limits of payments. @defaultValue the argument `amount` */
  readonly amount?: ((args: Readonly<Record<string, unknown>>) => number) | undefined;
  /** The people who have to agree. @defaultValue 'two-step' for a payment, else false */
  readonly confirm?: Confirm | undefined;
}

/** A tool of another package, as its adapter reads it. */
export interface ForeignTool {
  readonly name: string;
  readonly description: string | undefined;
  /** Sentences for the model after the tool's own description. */
  readonly advice?: string | undefined;
  /** The JSON Schema of its arguments. */
  readonly jsonSchema: unknown;
  /** Its own schema, which may do more than the JSON Schema says. */
  readonly schema?: StandardSchema | undefined;
  /**
   * Does the work. An error of this package says by its `outcome` whether the work may be done. After any other, the
   * end of a write or a payment is unknown.
   */
  readonly run: (args: JsonObject, context: ToolContext, effect: ToolEffect) => unknown;
  /** Names of arguments of the tools that it works with. Ids and addresses that they take stay in its results. */
  readonly keeps?: ReadonlySet<string> | undefined;
  /** The parameters, if they were read before. */
  readonly parameters?: PortableParameters | undefined;
}

/**
 * Makes a tool of one that another package made. Throws `InvalidArgumentError` for options that don't fit it, and for
 * arguments that no model can use.
 */
export const fromForeignTool = (foreign: ForeignTool, options: ExistingToolOptions): Tool => {
  const name = options?.name ?? toolNameOf(foreign.name);
  assertKnown(options, optionNames, name);
  const { effect, key, bind = {}, confirm, amount: _amount, description: _description, ...others } = options;
  const parameters = foreign.parameters ?? toPortableParameters(foreign.jsonSchema, key);
  assertFits(name, options, parameters);
  const shared = {
    ...others,
    name,
    description: descriptionOf(foreign, options),
    jsonSchema: parameters.jsonSchema,
    parameters: schemaOf(parameters, foreign.schema),
    // Left out, it may be the tool's own default, or the whole of something.
    amount: options.amount ?? amountNamed,
    bind: Object.fromEntries(Object.entries(bind).map(([own, value]) => [parameters.nameOf(own) ?? own, value])),
  };
  const toolOf = (own: ToolEffect): Tool => {
    const tool = defineTool<JsonObject, unknown>({
      ...shared,
      effect: own,
      // Doing it twice under one key does it once: what may have been done can be asked again.
      idempotent: own === 'write' ? 'once' : own === 'read' || key !== undefined,
      confirm,
      run: async (args, context) => {
        // What is bound may have changed it.
        if (effectOf(name, effect, args) !== own)
          throw new InvalidArgumentError('effect', 'must not depend on arguments that a function binds');
        return runForeign(foreign, own, { args: withKey(args, context.idempotencyKey), context });
      },
    });
    // A summary hides them, under the tool's own names.
    const hidden = [...tool.bound, ...Object.keys(bind), ...parameters.keys];
    const idempotent = own === 'write' ? key !== undefined : tool.idempotent;
    return { ...tool, idempotent, bound: [...new Set(hidden)], keeps: foreign.keeps };
  };
  if (typeof effect !== 'function') return toolOf(effect);
  const tools = { read: toolOf('read'), write: toolOf('write'), payment: toolOf('payment') };
  const constants = Object.entries(shared.bind).filter(([, value]) => typeof value !== 'function');
  return {
    ...tools.payment,
    parameters: withAgain(tools.payment.parameters, tools.write.again),
    forCall: (sent) => {
      const found = tools.payment.read(sent);
      const args = { ...(found.ok ? found.args : {}), ...Object.fromEntries(constants) };
      const { value, issues } = parameters.read(args);
      // What a function binds isn't known yet. A call with wrong arguments is refused as a payment would be.
      const isWrong = issues.some(({ path: [first] = [] }) => !Object.hasOwn(shared.bind, String(first)));
      return tools[isWrong ? 'payment' : effectOf(name, effect, value)];
    },
  };
};

/** An amount that can't be read isn't below any limit. */
const amountNamed = ({ amount }: JsonObject): number => readAmount(amount)?.amount ?? Number.NaN;

/** A name that every provider takes. */
export const toolNameOf = (name: string): string => otherNameOf(name, 'tool').slice(0, longestToolName);

export const longestToolName = 40;

const effects: readonly ToolEffect[] = ['read', 'write', 'payment'];

const effectOf = (name: string, effect: ExistingToolOptions['effect'], args: unknown): ToolEffect => {
  if (typeof effect !== 'function') return effect;
  const found: unknown = effect(isJsonObject(args) ? args : {});
  const word = effects.find((one) => one === found);
  if (word) return word;
  throw new InvalidArgumentError('effect()', `of ${name} must return 'read', 'write' or 'payment'`);
};

/** Throws for everything that doesn't fit the tool, at once. */
const assertFits = (name: string, options: ExistingToolOptions, parameters: PortableParameters): void => {
  const { effect, bind = {}, key, amount } = options;
  const mayPay = effect === 'payment' || typeof effect === 'function';
  const isThere = (own: string) => parameters.nameOf(own) !== undefined;
  checkOptions(name, [
    () => typeof effect === 'function' || oneOf(effect ?? null, 'effect', effects, 'a function of the arguments')(),
    ...Object.keys(bind).map((own) => must(isThere(own), `bind.${own}`, 'must be one of the arguments')),
    must(key === undefined || parameters.keys.has(key), 'key', 'must be one of the arguments, such as request.key'),
    must(
      !mayPay || amount !== undefined || isThere('amount'),
      'amount',
      'must be a function of the arguments that returns what is paid: there is no argument amount',
    ),
  ]);
};

/** The tool's own words, within what every provider takes. They came from elsewhere, so nothing in them is hidden. */
const descriptionOf = ({ name, description, advice = '' }: ForeignTool, options: ExistingToolOptions): string => {
  if (options.description !== undefined) return options.description;
  const words = textForModels(description ?? '', longestDescription - advice.length - 2) || textForModels(name, 100);
  return advice === '' ? words : `${words.replace(/[.\s]+$/, '')}. ${advice}`;
};

/** Reads the arguments as the tool names them. A schema of its own checks them too, and may change them. */
const schemaOf = (parameters: PortableParameters, own: StandardSchema | undefined): StandardSchema<JsonObject> => ({
  '~standard': {
    version: 1,
    vendor: 'voice-agent-integrations',
    validate: async (args) => {
      const { value, issues } = parameters.read(args);
      if (issues.length > 0) return { issues };
      // Both make an object of an object.
      return (own ? await own['~standard'].validate(value) : { value }) as StandardResult<JsonObject>;
    },
  },
});

/** Puts the key where its placeholder is. Each further place gets a key of its own. Without a key, there is none. */
const withKey = (args: JsonObject, idempotencyKey: string | undefined): JsonObject => {
  let places = 0;
  const fill = (value: Json): Json | undefined => {
    if (value === keyPlaceholder) {
      places += 1;
      return idempotencyKey && (places > 1 ? `${idempotencyKey}-${places}` : idempotencyKey);
    }
    if (Array.isArray(value)) return value.map((item) => fill(item) ?? null);
    return isJsonObject(value) ? fillObject(value) : value;
  };
  const fillObject = (object: JsonObject): JsonObject =>
    Object.fromEntries(
      inOrder(object).flatMap(([name, value]): [string, Json][] => {
        const filled = fill(value);
        return filled === undefined ? [] : [[name, filled]];
      }),
    );
  return fillObject(args);
};

/** Each place has the same key again, in any order of the fields. */
const inOrder = (object: JsonObject) => Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));

interface ForeignCall {
  readonly args: JsonObject;
  readonly context: ToolContext;
}

/** Runs it to its end, which counts even if the tool call ended before. */
const runForeign = async (foreign: ForeignTool, effect: ToolEffect, { args, context }: ForeignCall) => {
  const { signal } = context;
  try {
    return await foreign.run(args, context, effect);
  } catch (error) {
    const isTakenBack = signal.aborted && error === signal.reason;
    if ((error instanceof IntegrationError && !isTakenBack) || (effect === 'read' && signal.aborted)) throw error;
    throw new UnexpectedResponseError(`${foreign.name} failed`, {
      operation: `tools.${foreign.name}`,
      original: error,
    });
  }
};

const optionNames: OptionNames<ExistingToolOptions> = {
  name: true,
  description: true,
  effect: true,
  bind: true,
  key: true,
  amount: true,
  confirm: true,
  rules: true,
  compact: true,
  outcome: true,
  summarize: true,
  expectedMs: true,
  slowMessage: true,
  maxChars: true,
};
