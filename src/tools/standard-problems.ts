import type { StandardResult } from '../schema.ts';
import type { FieldProblem } from './tool.ts';

/** What a Standard Schema found wrong, in words for a model. A message that repeats a value is replaced. */
export const standardProblems = ({ issues = [] }: StandardResult<unknown>, args: unknown): readonly FieldProblem[] =>
  issues.map((issue) => {
    const path = (issue.path ?? []).map(keyOf);
    return { field: path.join('.') || 'arguments', problem: wordsOf(issue, valuesAt(args, path)) };
  });

interface Issue {
  readonly message: string;
  readonly code?: unknown;
  readonly format?: unknown;
}

const wordsOf = ({ code, format, message }: Issue, values: readonly string[]): string => {
  if (code === 'invalid_format' && typeof format === 'string') return formats[format] ?? 'has the wrong format';
  const isOurs = Object.values(formats).includes(message);
  return !isOurs && repeats(message, values) ? 'is not valid' : message;
};

const formats: Readonly<Record<string, string>> = {
  e164: 'must be a phone number in E.164 format, such as +14155550100',
  email: 'must be an e-mail address',
  date: 'must be a date, YYYY-MM-DD',
};

/** Standard Schema writes a step of a path as a key, or as an object that holds one. */
const keyOf = (step: unknown): string => {
  const key = typeof step === 'object' && step !== null ? (step as { readonly key?: unknown }).key : step;
  return typeof key === 'string' || typeof key === 'number' ? String(key) : '';
};

/** The texts and numbers at a path, or below it. */
const valuesAt = (args: unknown, path: readonly string[]): readonly string[] => {
  const value = path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[key] : undefined),
    args,
  );
  return leavesOf(value);
};

const leavesOf = (value: unknown): readonly string[] => {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
};

/** Very short values are found in any sentence. */
const repeats = (words: string, values: readonly string[]) =>
  values.some((value) => value.trim().length > 2 && words.includes(value.trim()));
