/** Checks of options that find every problem before they throw. */
import { closest } from './closest.ts';
import { InvalidArgumentError } from './errors.ts';

/** Throws `InvalidArgumentError` for an option that can't work. */
export type OptionCheck = () => unknown;

/** A check whose result is known: `problem` is what's wrong with `field` unless it `holds`. */
export const must =
  (holds: boolean, field: string, problem: string): OptionCheck =>
  () => {
    if (!holds) throw new InvalidArgumentError(field, problem);
  };

/**
 * A check of a closed set: of words, and perhaps of `true` and `false`. The problem names the word that was probably
 * meant. `undefined` passes, and `null` doesn't. `alternative` says in words which other values are allowed.
 */
export const oneOf =
  <Word extends string | boolean>(
    value: Word | object | null | undefined,
    field: string,
    words: readonly NoInfer<Word>[],
    alternative?: string,
  ): OptionCheck =>
  () => {
    if (value === undefined || words.some((word) => word === value)) return;
    throw wrongWord(value, field, words, alternative);
  };

/** The error for what is none of the words, with the nearest one. */
export const wrongWord = (
  value: unknown,
  field: string,
  words: readonly (string | boolean)[],
  alternative?: string,
): InvalidArgumentError => {
  const texts = words.flatMap((word): string[] => (typeof word === 'string' ? [word] : []));
  const meant = typeof value === 'string' ? closest(value, texts) : undefined;
  const hint = meant === undefined ? '' : `: did you mean '${meant}'?`;
  return new InvalidArgumentError(field, `must be ${listOf(words, alternative)}${hint}`);
};

const listOf = (words: readonly (string | boolean)[], alternative?: string): string => {
  const all = words.map((word) => (typeof word === 'string' ? `'${word}'` : String(word)));
  if (alternative !== undefined) all.push(alternative);
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} or ${all.at(-1)}` : all.join('');
};

/** {@link oneOf} for each entry of a list. */
export const eachOneOf =
  <Word extends string>(
    values: readonly Word[] | undefined,
    field: string,
    words: readonly NoInfer<Word>[],
  ): OptionCheck =>
  () => {
    if (values === undefined) return;
    if (!Array.isArray(values)) throw new InvalidArgumentError(field, `must be a list of ${listOf(words)}`);
    checkOptions(
      undefined,
      values.map((value, index) => oneOf<Word>(value ?? null, `${field}.${index}`, words)),
    );
  };

/** A check of an option that's `true` or `false`: the text `'false'` would count as `true`. */
export const flag = (value: boolean | undefined, field: string): OptionCheck => oneOf(value, field, [true, false]);

/** Returns whether a callback of the application says yes: only `true` is one, and a text such as `'no'` isn't. */
export const isYes = (answer: unknown): answer is true => answer === true;

/** The names that options may have. */
export type OptionNames<Options> = Readonly<Record<keyof Options & string, true>>;

/** Runs every check, then throws one error for all that failed, with `owner` before each field. */
export const checkOptions = (owner: string | undefined, checks: readonly OptionCheck[]): void => {
  const problems = checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (error instanceof InvalidArgumentError) return error.problems;
      throw error;
    }
  });
  throwProblems(owner, problems);
};

/** Runs what makes a part of something bigger, and puts the part's name before the fields of its errors. */
export const withOwner = <Made>(owner: string, make: () => Made): Made => {
  try {
    return make();
  } catch (error) {
    if (error instanceof InvalidArgumentError) throwProblems(owner, error.problems);
    throw error;
  }
};

const throwProblems = (owner: string | undefined, problems: InvalidArgumentError['problems']): void => {
  const isNamed = (field: string) => owner === undefined || field.startsWith(`${owner}.`);
  const [first, ...more] = problems.map(({ field, problem }) => ({
    field: isNamed(field) ? field : `${owner}.${field}`,
    problem,
  }));
  if (first) throw new InvalidArgumentError(first.field, first.problem, { more });
};

/**
 * Refuses names that aren't options, which JavaScript would ignore: each with the option that was probably meant.
 * `owner` comes before each name, such as `tools.limits`; `otherWords` says what is called otherwise here, by
 * the word that people may try. Options that are missing are checked elsewhere.
 */
export const assertKnown = <Options>(
  options: object | false | undefined,
  names: OptionNames<Options>,
  owner?: string,
  otherWords: Readonly<Record<string, string>> = {},
): void => {
  if (options === undefined || options === false) return;
  if (typeof options !== 'object' || options === null)
    throw new InvalidArgumentError(owner ?? 'options', 'must be an object');
  throwProblems(
    owner,
    unknownIn(options, names, otherWords).map(({ field, meant }) => ({
      field,
      problem: meant === undefined ? 'is not an option' : `is not an option: did you mean ${meant}?`,
    })),
  );
};

/**
 * Refuses names that look misspelt. Others pass: the options of a step or request may be an object with more fields,
 * such as another step's result or a tool's context.
 */
export const assertSpelled = <Options>(options: object | undefined, names: OptionNames<Options>): void =>
  throwProblems(
    undefined,
    unknownIn(Object(options), names).flatMap(({ field, meant }) =>
      meant === undefined ? [] : [{ field, problem: `is not an option: did you mean ${meant}?` }],
    ),
  );

const unknownIn = (
  options: object,
  names: Readonly<Record<string, true>>,
  otherWords: Readonly<Record<string, string>> = {},
) =>
  Object.entries(options)
    .filter(([name, value]) => value !== undefined && !Object.hasOwn(names, name))
    .map(([field]) => ({
      field,
      meant: Object.hasOwn(otherWords, field) ? otherWords[field] : closest(field, Object.keys(names)),
    }));
