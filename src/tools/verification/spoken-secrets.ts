import { maskCode, maskCodesOfLength, maskWords, readSpokenCode } from './spoken-code.ts';

/** The codes and answers of one phone call, which nothing that's written down may contain. Kept in this process alone. */
export interface SpokenSecrets {
  hideCode(code: string): void;
  hideAnswer(answer: string): void;
  /** `lengths`: those of codes that were checked in this phone call, perhaps by another process. */
  mask(text: string, lengths?: readonly number[]): string;
  /** Masks the fields of a value that hold words; ids, addresses and moments stay. */
  maskIn<Value>(value: Value, lengths?: readonly number[]): Value;
}

export const createSpokenSecrets = (): SpokenSecrets => {
  const codes = new Set<string>();
  const answers = new Set<string>();
  const mask = (text: string, lengths: readonly number[] = []): string => {
    let result = text;
    for (const code of codes) result = maskCode(result, code);
    for (const answer of answers) result = maskWords(result, answer);
    const unknown = lengths.filter((length) => ![...codes].some((code) => code.length === length));
    for (const length of unknown) result = maskCodesOfLength(result, length);
    return result;
  };
  const maskIn = (value: unknown, lengths: readonly number[] = [], name = ''): unknown => {
    if (typeof value === 'string') return wording.test(name) ? mask(value, lengths) : value;
    if (Array.isArray(value)) return value.map((item) => maskIn(item, lengths, name));
    if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, maskIn(inner, lengths, field)]));
  };
  return {
    hideCode: (code) => void codes.add(code),
    hideAnswer: (answer) => {
      answers.add(answer);
      const digits = readSpokenCode(answer);
      if (digits && digits.length >= 4) codes.add(digits);
    },
    mask,
    // The shape stays: texts become texts.
    maskIn: (value, lengths) => maskIn(value, lengths) as typeof value,
  };
};

/** A deadline or a signal is passed on as it is. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** The names of fields in which someone writes in sentences. */
const wording =
  /^(?:summary|transcript|note|text|body|title|subject|description|outcome|reason|wants?|comments?)$|description$/i;
