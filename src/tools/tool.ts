import type { Json, JsonObject } from '../stores/ports/json.ts';
import type { StandardSchema } from '../core/schema.ts';
import type { ToolContext } from './context.ts';

/** The description of a tool for a model, and flags for an adapter that registers it. */
export interface ToolInfo {
  readonly name: string;
  /** Shows the model when to call the tool, and its result. */
  readonly description: string;
  /** Without what the application binds. */
  readonly parameters: ParametersSchema;
  /** The schema of a result, if the tool has one. */
  readonly output: ParametersSchema | undefined;
  readonly effect: ToolEffect;
  /** Running it twice with the same arguments does the work once. */
  readonly idempotent: boolean;
  /** After this time the agent should say something. */
  readonly expectedMs: number;
  /** Words for the agent then. */
  readonly slowMessage: string | undefined;
  /** Words for the agent some seconds later. */
  readonly stillSlowMessage?: string | undefined;
  /** The people who have to agree before anything happens: the caller, a colleague, or both. */
  readonly confirm: Confirm;
  /** The framework that runs it has to ask a person first; its target registers it so. */
  readonly needsApproval: boolean;
}

/** The people who have to agree to a tool call. */
export type Confirm = 'two-step' | 'approve' | 'both' | false;

export const confirms: readonly Confirm[] = ['two-step', 'approve', 'both', false];

/**
 * JSON Schema as this package writes it for arguments. It has no `$schema`, no `$ref`, nothing about `null`, no
 * patterns that a library generated. The descriptions name the limits too, since some providers drop the keywords.
 */
export interface PropertySchema {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly items?: PropertySchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly PropertySchema[];
  readonly default?: Json;
}

/** The parameters of one tool. `properties` and `required` are there also when they are empty. */
export interface ParametersSchema extends PropertySchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required: readonly string[];
}

/** The effect of running a tool. Providers' flags for approval and repetition are set from it. */
export type ToolEffect = 'read' | 'write' | 'payment';

/** A tool, ready for a toolbox. Made by `defineTool`. */
export interface Tool extends Omit<ToolInfo, 'needsApproval'> {
  /** The budget for the result; `undefined`: the toolbox's. */
  readonly maxChars: number | undefined;
  /** The arguments that the application supplies, removed from `parameters`. */
  readonly bound: readonly string[];
  /** Reads what a model sends: an object, or JSON text. Drops what the definition doesn't know; the schema checks it later. */
  readonly read: (raw: unknown) => SentArguments;
  /** The options it was made of. */
  readonly options: ToolOptions<object, unknown>;
  /** The names of arguments of other tools: ids and addresses that they take stay in this tool's results. */
  readonly keeps?: ReadonlySet<string> | undefined;
  /** An idempotent write that looks up what is there: the same call may be meant again later, and no end is kept. */
  readonly looksUp?: boolean | undefined;
  /** The argument that means "a second time, on purpose", of a write that is otherwise done once. */
  readonly again?: string | undefined;
  /** Returns what listeners may see of the arguments that a model sent. @defaultValue all of them */
  readonly shows?: ((sent: unknown) => unknown) | undefined;
  /** Returns the tool for one call, where its effect depends on the arguments that a model sent. */
  readonly forCall?: ((sent: unknown) => Tool) | undefined;
}

/** `refused`: it definitely did not happen. `unknown`: it may have happened, or still may. */
export type WorkOutcome = 'done' | 'refused' | 'unknown';

/** Arguments that passed, or everything that is wrong with them. */
export type CheckedArguments =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** The model's arguments, the token of a confirmed call, and whether a second time is meant. */
export type SentArguments = CheckedArguments & { readonly token: unknown; readonly isAgain: boolean };

/** The parts of a tool. */
export interface ToolOptions<Arguments extends object, Result> {
  /** Lower case, digits and `_`, at most 40 characters. */
  readonly name: string;
  /** For the model: when to call it, and what it gives. At most 1024 characters. */
  readonly description: string;
  /** A zod 4 schema of an object, or another Standard Schema; pass `jsonSchema` too if that can't give its JSON Schema. */
  readonly parameters: StandardSchema<Arguments>;
  /** The JSON Schema of `parameters`, for schemas that can't give theirs. */
  readonly jsonSchema?: object | undefined;
  /** The tool's effect; payments are kept from being made twice. */
  readonly effect: ToolEffect;
  /**
   * Arguments that the application supplies: they leave the model's schema, and what a model sends under their name
   * is dropped. A function may give `undefined` for "not known yet"; then the call is refused.
   */
  readonly bind?: { readonly [Name in keyof Arguments]?: BoundArgument | undefined } | undefined;
  /** Rules beyond the shape of the arguments, asked before anything is done. */
  readonly rules?: readonly ToolRule<Arguments>[] | undefined;
  /** Does the work. For failures that a model should read, see `refused`. */
  readonly run: (args: Arguments, context: ToolContext) => Result | Refusal | Promise<Result | Refusal>;
  /**
   * Chooses the parts of the result for the model. `(result) => result` gives all of it, within `maxChars`.
   * @defaultValue nested objects flattened, codes in words, without personal data, secrets, and ids that no tool takes
   */
  readonly compact?: ((result: Result, args: Arguments) => unknown) | undefined;
  /**
   * The schema of `compact`'s object, for MCP's `outputSchema`. Nothing is checked; MCP's structured content leaves out
   * a field of another kind.
   * @defaultValue what all tools have in common
   */
  readonly output?: StandardSchema<object> | undefined;
  /**
   * For payments: what the API's answer means.
   * @defaultValue by its `success`, `ok` and `status`: a failure is 'unknown', a
   * word for a refusal 'refused', and everything else 'done'
   */
  readonly outcome?: ((result: Result) => WorkOutcome) | undefined;
  /**
   * For payments: what the API says about a payment whose outcome is `unknown`. The model reads that it isn't final.
   * @defaultValue nothing
   */
  readonly wordsSoFar?: ((result: Result) => string | undefined) | undefined;
  /**
   * For payments: which of them are one and the same, and for how long.
   * @defaultValue the same arguments of the same caller, within 24 hours; without a caller's number, of the same phone call
   */
  readonly once?: PaymentOnce<Arguments> | undefined;
  /** For payments: what `payments.below` and `payments.perCall` judge. @defaultValue the argument `amount`, also as a text */
  readonly amount?: ((args: Arguments) => number) | undefined;
  /**
   * For refunds, whose effect is `payment`: reads the payment that is given back. A refund above what is left of it is
   * refused before anything is sent. Earlier refunds of this tool count, in all processes that share the toolbox's
   * `store`. `payments.below` and `perCall` don't count a refund. `undefined`: there is no such payment, and it's
   * refused.
   */
  readonly refundOf?:
    | ((args: Arguments, context: ToolContext) => OriginalPayment | undefined | Promise<OriginalPayment | undefined>)
    | undefined;
  /**
   * One sentence for the person who agrees, read out to the caller or shown to a colleague.
   * @defaultValue the name and the arguments; with `two-step` only those that the model supplies
   */
  readonly summarize?: ((args: Arguments, reader: 'caller' | 'colleague') => string) | undefined;
  /**
   * `run` passes the idempotency key on, so that doing it twice under one key does it once. A payment that doesn't is
   * never sent again while its end is unknown.
   *
   * `'once'` is for a write that knows no keys. The same arguments of the same caller do it once in 24 hours, in all phone
   * calls and processes that share the `store`. While its end is unknown, it's refused. A second time needs the
   * argument `again`, after the caller has heard of the first.
   * @defaultValue true for reads, false for writes and payments
   */
  readonly idempotent?: boolean | 'once' | undefined;
  /** @defaultValue 500, the fast path of the default API */
  readonly expectedMs?: number | undefined;
  /** Words for the agent once it takes longer than `expectedMs`. */
  readonly slowMessage?: string | undefined;
  /** The words of a realtime session 4 seconds after `slowMessage`. @defaultValue an English sentence */
  readonly stillSlowMessage?: string | undefined;
  /**
   * `two-step`: the first call gives a summary and a token and does nothing; the same call with the token does it.
   * The token counts once, and not before the caller has spoken again. `approve`: the toolbox's `approve` decides.
   * `both`: the caller in two steps, then `approve`.
   * @defaultValue 'two-step' for payments, else false
   */
  readonly confirm?: Confirm | undefined;
  /** @defaultValue the toolbox's */
  readonly maxChars?: number | undefined;
}

/** The payment that a refund gives back. Its amounts are in the unit of the refund's own amount. */
export interface OriginalPayment {
  readonly id: string;
  /** A number, or a text such as `120.50`. */
  readonly amount: number | string;
  /** Everything that was given back so far, as the API counts it. @defaultValue 0 */
  readonly refunded?: number | string | null | undefined;
}

/**
 * The rule by which two payments are the same. One that was made answers the next within the window, in any phone call
 * and process that shares the store; the model reads `already_paid`. The application's `intent` pays again.
 */
export interface PaymentOnce<Arguments> {
  /** The thing that is paid, such as person, invoice and amount. */
  readonly what: (args: Arguments) => Json;
  /** The means of payment: after a refusal another card is another try. @defaultValue nothing */
  readonly by?: ((args: Arguments) => Json) | undefined;
  /**
   * The idempotency key of one try, if code of yours may make the same payment under it too. Tries in one phone call,
   * with the same `by`, count from 1.
   * @defaultValue a hash of what is paid, `by`, the phone call and the try
   */
  readonly key?: ((args: Arguments, context: ToolContext, ordinal: number) => string | undefined) | undefined;
  /** The time for which a payment that was made answers for the next one. @defaultValue 24 hours */
  readonly windowMs?: number | undefined;
  /** Asked before a payment is sent, and kept with it for `mayRepeat`. */
  readonly note?: ((args: Arguments, context: ToolContext) => Json | Promise<Json>) | undefined;
  /** Decides by the note of the last time whether it may be made again within the window. @defaultValue it may not */
  readonly mayRepeat?: ((args: Arguments, context: ToolContext, note: Json) => boolean | Promise<boolean>) | undefined;
}

/** A value, or a function that finds it for one call. It gets the arguments of the model, checked against the schema. */
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

/** The tool did nothing, and the model reads why. */
export interface Refusal {
  readonly refusal: JsonObject;
  readonly [refusalBrand]: true;
}

/** Marks a {@link Refusal}, so that no result of a tool is taken for one by accident. */
export const refusalBrand: unique symbol = Symbol('refusal');

/**
 * For the `run` of a tool: nothing was done, and the model reads this. The result has the status `refused`.
 *
 * @example
 * run: async ({ day }) => (await calendar.isFree(day)) ? book(day) : refused({ error: 'day_is_taken' })
 */
export const refused = (value: JsonObject): Refusal => ({ refusal: value, [refusalBrand]: true });
