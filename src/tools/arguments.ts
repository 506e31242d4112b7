/** The arguments that a model sends, and what is wrong with them, in words that a model may read. */
import { InvalidArgumentError } from '../core/errors.ts';
import { maskCardNumbers, textsIn } from '../observability/redaction/card-numbers.ts';
import { formatWords, isDefaultMessage, wordsFor } from '../core/problem-words.ts';
import type { StandardIssue } from '../core/schema.ts';
import { isJsonObject, type JsonObject } from '../stores/ports/json.ts';
import type { ToolContext } from './context.ts';
import * as failures from './failures.ts';
import type { ToolParameters } from './parameters.ts';
import {
  type BoundArgument,
  type CheckedArguments,
  type FieldProblem,
  type Refusal,
  refusalBrand,
  type Tool,
} from './tool.ts';

/** The argument that `confirm: 'two-step'` adds. */
export const confirmationToken = 'confirmation_token';

/**
 * Makes what reads the arguments of one tool: an object, or JSON text as most providers send it. Drops what the tool
 * doesn't know and what the application supplies; its schema checks the rest later.
 */
export const createReader =
  ({ normalize, bound, again, isConfirmed }: ReaderOptions): Tool['read'] =>
  (raw) => {
    const parsed = typeof raw === 'string' ? parse(raw) : raw;
    const sent = isNothing(parsed) ? {} : parsed;
    const known = normalize(sent);
    const args = bound.length > 0 && isJsonObject(known) ? without(known, bound) : known;
    const given = isJsonObject(sent) ? sent : {};
    return {
      ...checkValues(args),
      token: isConfirmed ? given[confirmationToken] : undefined,
      isAgain: again !== undefined && given[again] === true,
    };
  };

interface ReaderOptions {
  readonly normalize: ToolParameters['normalize'];
  readonly bound: readonly string[];
  readonly again: string | undefined;
  readonly isConfirmed: boolean;
}

const without = (args: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));

/** Values that no tool takes, whatever its schema says. */
export const checkValues = (args: unknown): CheckedArguments => {
  if (!isJsonObject(args)) return { ok: false, problems: [{ field: 'arguments', problem: 'must be one JSON object' }] };
  const problems = Object.entries(args).flatMap(([field, value]) => {
    if (isTooMuch(value)) return [{ field, problem: 'is too long' }];
    return holdsCardNumber(value) ? [{ field, problem: 'must not hold a card number' }] : [];
  });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, args };
};

/** Longer than any argument of a voice agent, short enough to read at once. */
const longestText = 32_768;
const deepest = 16;
const mostValues = 1_000;

const parse = (text: string): unknown => {
  if (text.trim() === '' || text.trim() === 'undefined') return undefined;
  if (text.length > longestText) return notJson;
  try {
    return JSON.parse(text);
  } catch {
    return notJson;
  }
};

const notJson = false;

/** Providers write "no arguments" in several ways. A list isn't one of them. */
const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Returns whether a value is longer or deeper than any argument of a voice agent. Looks no deeper than it must. */
const isTooMuch = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'string') return value.length > longestText;
  if (typeof value !== 'object' || value === null) return false;
  const inner = Object.values(value);
  return depth >= deepest || inner.length > mostValues || inner.some((one) => isTooMuch(one, depth + 1));
};

/** A payment card number must not travel through a model into any system. */
const holdsCardNumber = (value: unknown): boolean => {
  if (typeof value === 'string') return isMasked(value);
  if (typeof value === 'number') return Math.abs(value) >= 1e12 && isMasked(String(value));
  if (typeof value !== 'object' || value === null) return false;
  // A list may contain it in pieces.
  if (Array.isArray(value)) return isMasked(textsIn(value, undefined, true).join('\n'));
  return Object.values(value).some(holdsCardNumber);
};

const isMasked = (text: string) => maskCardNumbers(text) !== text;

/** The problems that a schema found. A message that repeats a value is replaced. */
const fieldProblems = (issues: readonly StandardIssue[], args: unknown): readonly FieldProblem[] =>
  issues.map((issue) => {
    const path = (issue.path ?? []).map(keyOf);
    const value = path.reduce<unknown>(
      (node, key) => (isJsonObject(node) || Array.isArray(node) ? Reflect.get(node, key) : undefined),
      args,
    );
    return { field: path.join('.') || 'arguments', problem: problemWords(issue, value) };
  });

/** The developer's own message, unless it repeats what the model sent. */
const problemWords = (issue: StandardIssue, value: unknown): string => {
  const { message } = issue;
  const isDefault = isDefaultMessage(issue);
  if (value === undefined && (isDefault || /\b(?:undefined|missing)\b/.test(message))) return 'is missing';
  if (isDefault) return wordsFor(issue);
  const isOurs = Object.values(formatWords).includes(message);
  return !isOurs && repeats(message, value) ? wordsFor({ ...issue, message: 'is not valid' }) : message;
};

/** Standard Schema writes a step of a path as a key, or as an object that holds one. */
const keyOf = (step: unknown): string => {
  const key = isJsonObject(step) ? step['key'] : step;
  return typeof key === 'string' || typeof key === 'number' ? String(key) : '';
};

/** Very short values are found in any sentence. */
const repeats = (message: string, value: unknown): boolean =>
  leavesOf(value).some((leaf) => leaf.trim().length > 2 && message.includes(leaf.trim()));

const leavesOf = (value: unknown): readonly string[] => {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
};

/** The arguments as the tool gets them, or why it is not run; `against`: the whole arguments that its rules objected to. */
export type CheckedToolCall =
  | { readonly args: JsonObject }
  | { readonly refusal: failures.Failure; readonly against?: JsonObject };

/** Everything but a person that can refuse a tool call before anything is done: its schema and its rules. */
export const checkToolCall = async (tool: Tool, context: ToolContext, sent: JsonObject): Promise<CheckedToolCall> => {
  const { effect } = tool;
  const invalid = (problems: readonly FieldProblem[]) => ({ refusal: failures.invalidArguments(problems, effect) });
  const isChecked = Object.values(tool.options.bind ?? {}).some(wantsChecked);
  const own = isChecked ? await checkWithoutBound(tool, sent) : undefined;
  if (own && !own.ok) return invalid(own.problems);
  const bound = await bindArguments(tool, sent, context);
  if (!bound.ok) {
    const late = own ?? (await checkWithoutBound(tool, sent));
    return invalid(late.ok ? bound.problems : late.problems);
  }
  const checked = await checkWhole(tool, bound.args);
  if (!checked.ok) return invalid(checked.problems);
  const objections = await objectionsTo(tool, checked.args, context);
  const refusal = objections.find(isRefusal);
  if (refusal) return { refusal: failures.refusedByTool(refusal.refusal, effect) };
  if (objections.length === 0) return checked;
  return { ...invalid(objections.flatMap((one) => (isRefusal(one) ? [] : [one]))), against: checked.args };
};

const takesUnchecked: unique symbol = Symbol('takes unchecked arguments');

/** Marks a function that finds a bound argument and copes with anything: then the arguments are checked only once. */
export const fromUnchecked = <Find extends Extract<BoundArgument, (...args: never) => unknown>>(find: Find): Find =>
  Object.assign(find, { [takesUnchecked]: true });

const wantsChecked = (value: unknown): boolean => typeof value === 'function' && !(takesUnchecked in value);

/** Checks the model's own arguments by the schema, without the bound ones. */
export const checkWithoutBound = async (tool: Tool, sent: JsonObject): Promise<CheckedArguments> => {
  const result = await tool.options.parameters['~standard'].validate(sent);
  const issues = (result.issues ?? []).filter(({ path = [] }) => !tool.bound.includes(keyOf(path[0])));
  return issues.length > 0 ? { ok: false, problems: fieldProblems(issues, sent) } : { ok: true, args: sent };
};

/** Adds what the application supplies. */
const bindArguments = async (tool: Tool, sent: JsonObject, context: ToolContext): Promise<CheckedArguments> => {
  const args: Record<string, JsonObject[string]> = { ...sent };
  const problems: FieldProblem[] = [];
  for (const [field, value] of Object.entries(tool.options.bind ?? {})) {
    if (value === undefined) continue;
    const supplied = typeof value === 'function' ? await value(context, sent) : value;
    if (supplied === undefined) problems.push({ field, problem: 'is not known yet: look it up first' });
    else args[field] = supplied;
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, args };
};

/** Throws only for what the application supplied: that is no fault of the model. */
const checkWhole = async ({ name, bound, options }: Tool, args: JsonObject): Promise<CheckedArguments> => {
  const result = await options.parameters['~standard'].validate(args);
  // What a schema makes of JSON is JSON, or what this tool itself wants.
  if (!result.issues) return { ok: true, args: result.value as JsonObject };
  const problems = fieldProblems(result.issues, args);
  const isSupplied = ({ field }: FieldProblem) => bound.includes(field.split('.')[0] ?? '');
  const [first] = problems;
  if (first && problems.every(isSupplied))
    throw new InvalidArgumentError(`bind.${first.field}`, first.problem, { operation: `defineTool ${name}` });
  return { ok: false, problems: problems.filter((problem) => !isSupplied(problem)) };
};

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && refusalBrand in value;

/** Asks the rules beyond the shape. Returns their first objection. */
const objectionsTo = async ({ name, options: { rules = [] } }: Tool, args: JsonObject, context: ToolContext) => {
  const objections = await Promise.all(rules.map(async (rule) => rule(args, context)));
  if (!objections.every(isObjection))
    throw new InvalidArgumentError('rules', `of ${name} must return undefined, { field, problem } or refused(…)`);
  return objections.filter((objection) => objection !== undefined);
};

const isObjection = (objection: unknown): boolean =>
  objection === undefined ||
  isRefusal(objection) ||
  (isJsonObject(objection) && typeof objection['problem'] === 'string');

/** JSON in which the order of fields does not matter; fields that are `undefined` are absent. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
