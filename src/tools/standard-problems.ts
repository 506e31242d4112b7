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
  readonly pattern?: unknown;
}

const wordsOf = ({ code, format, pattern, message }: Issue, values: readonly string[]): string => {
  if (code === 'invalid_format' && (isDefault(message) || repeats(message, values)))
    return formatWords(format, pattern);
  const isOurs = Object.values(formats).includes(message);
  return !isOurs && repeats(message, values) ? 'is not valid' : message;
};

/** What zod says where the developer says nothing: `Invalid UUID`, `Invalid string: must match pattern …`. */
const isDefault = (message: string): boolean => /^Invalid (?:input|string: .+|[\w.-]+(?: [\w.-]+){0,2})$/.test(message);

const formatWords = (format: unknown, pattern: unknown): string => {
  if (format === 'regex') {
    const isShort = typeof pattern === 'string' && pattern.length <= longestPattern;
    return isShort ? `must match ${pattern}` : 'has the wrong format';
  }
  if (typeof format !== 'string') return 'has the wrong format';
  return formats[format] ?? `must be a valid ${format.replaceAll('_', ' ')}`;
};

const longestPattern = 60;

const formats: Readonly<Record<string, string>> = {
  e164: 'must be a phone number in E.164 format, such as +14155550100',
  email: 'must be an e-mail address',
  date: 'must be a date, YYYY-MM-DD',
  datetime: 'must be a date and time, such as 2026-01-31T14:00:00Z',
  time: 'must be a time, such as 14:00:00',
  duration: 'must be an ISO 8601 duration, such as PT30M',
  uuid: 'must be a UUID',
  url: 'must be a URL, such as https://example.com',
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
