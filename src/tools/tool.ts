import type { Json, JsonObject } from '../ports/json.ts';
import type { StandardSchema } from '../schema.ts';
import type { ToolContext } from './context.ts';
import type { ParametersSchema } from './json-schema.ts';

/** What a model is told about a tool: the three parts that every provider knows. */
export interface ToolDefinition {
  readonly name: string;
  /** When to call it, and what it gives. */
  readonly description: string;
  /** Without what the application binds. */
  readonly parameters: ParametersSchema;
}

/** What running a tool may do. Providers' flags for approval and repetition are set from it. */
export type ToolEffect = 'read' | 'write' | 'payment';

/** A definition, and what an adapter needs to register it safely. */
export interface ToolInfo extends ToolDefinition {
  readonly effect: ToolEffect;
  /** Running it twice with the same arguments does the work once. */
  readonly idempotent: boolean;
  /** From here on the person on the phone should hear something. */
  readonly expectedMs: number;
  /** What the agent may say then. */
  readonly slowMessage: string | undefined;
  /** Somebody has to agree before anything happens: the person on the phone, or the application. */
  readonly confirm: 'two-step' | 'approve' | false;
}

/** A tool, ready for a toolbox. Made by `defineTool`. */
export interface Tool extends ToolInfo {
  /** The budget for the result; `undefined`: the toolbox's. */
  readonly maxChars: number | undefined;
  /** The arguments that the application supplies, removed from `parameters`. */
  readonly bound: readonly string[];
  /** What the toolbox does with it. */
  readonly work: ToolWork;
}

/** The parts of a tool that its toolbox calls, with the type of its arguments hidden. */
export interface ToolWork {
  /** The arguments of a model, an object or JSON text, as far as the definition knows them. */
  readonly read: (raw: unknown) => CheckedArguments;
  /** Adds the bound arguments and checks the whole; throws only for what the application supplied. */
  readonly check: (args: JsonObject, context: ToolContext) => Promise<CheckedArguments>;
  /** What the schema says of the arguments of a model alone, where others are bound. Asks nobody for what is bound. */
  readonly validate: (args: JsonObject) => Promise<CheckedArguments>;
  /** What the rules beyond the shape say against the call. */
  readonly rules: (checked: JsonObject, context: ToolContext) => Promise<Objections>;
  readonly run: (checked: JsonObject, context: ToolContext) => unknown;
  /** What the result of `run` says about the outcome. */
  readonly outcome: (result: unknown) => WorkOutcome;
  /** What the API says about a payment whose end is unknown. */
  readonly wordsSoFar: (result: unknown) => string | undefined;
  /** `undefined`: the toolbox makes the result readable. */
  readonly compact: ((result: unknown, checked: JsonObject) => unknown) | undefined;
  /** One sentence for whoever confirms or approves. */
  readonly summarize: (checked: JsonObject) => string;
  /** For payments: what counts towards the limit. */
  readonly amount: (checked: JsonObject) => number;
  /** For payments: which of them are one. */
  readonly once: (checked: JsonObject, context: ToolContext) => PaymentIdentity;
}

/** What speaks against a call. */
export type Objections = readonly (FieldProblem | Refusal)[];

/** `refused`: it definitely did not happen. `unknown`: it may have happened, or still may. */
export type WorkOutcome = 'done' | 'refused' | 'unknown';

/** Arguments that passed, or everything that is wrong with them. */
export type CheckedArguments =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** A Standard Schema; zod 4 also gives its JSON Schema through it. */
export interface ArgumentsSchema<Arguments> extends StandardSchema<Arguments> {}

/** What a tool is made of. */
export interface ToolOptions<Arguments extends object, Result> {
  /** Lower case, digits and `_`, at most 40 characters. */
  readonly name: string;
  /** For the model: when to call it, and what it gives. At most 1024 characters. */
  readonly description: string;
  /** A Standard Schema of an object. When it cannot give its JSON Schema, `jsonSchema` stands beside it. */
  readonly parameters: ArgumentsSchema<Arguments>;
  /** The JSON Schema of `parameters`, for schemas that do not know theirs; zod 4's do. */
  readonly jsonSchema?: object;
  /** What it may do; payments are kept from being made twice. */
  readonly effect: ToolEffect;
  /**
   * Arguments that the application supplies: they leave the model's schema, and what a model sends under their name
   * is dropped. A function may give `undefined` for "not known yet"; then the call is refused.
   */
  readonly bind?: { readonly [Name in keyof Arguments]?: BoundArgument | undefined };
  /** What the shape cannot say; asked before anything is done. */
  readonly rules?: readonly ToolRule<Arguments>[];
  /** Does the work. For failures that a model should hear, see `refused`. */
  readonly run: (args: Arguments, context: ToolContext) => Result | Refusal | Promise<Result | Refusal>;
  /**
   * What of the result the model gets. `(result) => result` gives all of it, within `maxChars`.
   * @defaultValue nested objects flattened, codes in words, without personal data, secrets, and ids that no tool takes
   */
  readonly compact?: (result: Result, args: Arguments) => unknown;
  /** For payments: what the API's answer means. @defaultValue 'done' for everything that `run` gives */
  readonly outcome?: (result: Result) => WorkOutcome;
  /**
   * For payments: what the API says about a payment whose outcome is `unknown`. The model is told that it isn't final.
   * @defaultValue nothing
   */
  readonly wordsSoFar?: (result: Result) => string | undefined;
  /**
   * For payments: which of them are one and the same, and for how long.
   * @defaultValue the same arguments of the same caller, within 24 hours; without a caller's number, of the same phone call
   */
  readonly once?: PaymentOnce<Arguments>;
  /** For payments: what counts towards `limits.paymentTotal`. @defaultValue the argument `amount` */
  readonly amount?: (args: Arguments) => number;
  /**
   * One sentence for whoever confirms or approves.
   * @defaultValue the name and the arguments; with `two-step` only those that the model supplies
   */
  readonly summarize?: (args: Arguments) => string;
  /** @defaultValue true for reads and payments, false for writes */
  readonly idempotent?: boolean;
  /** @defaultValue 500, the fast path of the interface document */
  readonly expectedMs?: number;
  /** What the agent may say once it takes longer than `expectedMs`. */
  readonly slowMessage?: string;
  /**
   * `two-step`: the first call gives a summary and a token and does nothing; the same call with the token does it.
   * `approve`: the toolbox's `approve` is asked.
   * @defaultValue false
   */
  readonly confirm?: 'two-step' | 'approve' | false;
  /** @defaultValue the toolbox's */
  readonly maxChars?: number;
}

/**
 * Which payments are one and the same. One that was made answers the next within the window, in any phone call and
 * process that shares the store; the model is told `already_paid`. The application's `intent` pays again.
 */
export interface PaymentOnce<Arguments> {
  /** What is paid, such as person, invoice and amount. */
  readonly what: (args: Arguments) => Json;
  /** What it's paid with: after a refusal another card is another try. @defaultValue nothing */
  readonly by?: (args: Arguments) => Json;
  /** How long a payment that was made answers for the next one. @defaultValue 24 hours */
  readonly windowMs?: number | undefined;
  /** Asked before a payment is sent, and kept with it for `mayRepeat`. */
  readonly note?: (args: Arguments, context: ToolContext) => Json | Promise<Json>;
  /** Whether it may be made again within the window, by the note of the last time. @defaultValue it may not */
  readonly mayRepeat?: (args: Arguments, context: ToolContext, note: Json) => boolean | Promise<boolean>;
}

/** {@link PaymentOnce} for one payment. */
export interface PaymentIdentity {
  readonly what: Json;
  readonly by: Json;
  readonly windowMs: number | undefined;
  readonly note: () => Json | Promise<Json>;
  readonly mayRepeat: (note: Json) => boolean | Promise<boolean>;
}

/** A value, or a function that finds it for one call. It is given the arguments of the model, not yet checked. */
export type BoundArgument =
  | string
  | number
  | boolean
  | ((context: ToolContext, args: JsonObject) => Json | undefined | Promise<Json | undefined>);

/** A rule beyond the shape of the arguments. Gives what is wrong with one, or why the whole is refused, or nothing. */
export type ToolRule<Arguments> = (
  args: Arguments,
  context: ToolContext,
) => FieldProblem | Refusal | undefined | Promise<FieldProblem | Refusal | undefined>;

/** One thing that is wrong with the arguments. Never repeats the value. */
export interface FieldProblem {
  /** The path of the argument, such as `amount` or `items.0.id`. */
  readonly field: string;
  /** In words that follow the field's name: `must be greater than 0`. */
  readonly problem: string;
}

/** The tool did nothing, and the model is told why. */
export interface Refusal {
  readonly refusal: JsonObject;
  readonly [refusalBrand]: true;
}

/** Marks a {@link Refusal}, so that no result of a tool is taken for one by accident. */
export const refusalBrand: unique symbol = Symbol('refusal');
