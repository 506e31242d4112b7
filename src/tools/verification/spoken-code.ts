import { bareWord, numberPhraseAt, type NumberPhrase } from '../../observability/redaction/number-words.ts';
import { digitsIn } from '../../phone/digits.ts';

/**
 * Reads a code as people say it, in the languages of `number-words.ts`: "four seven double two oh nine", "47-22 09".
 * `undefined` if there's another word, such as a correction: then it isn't certain which digits are meant.
 */
export const readSpokenCode = (text: string): string | undefined => {
  if (otherSigns.test(text)) return undefined;
  let isCode = true;
  const numbers = numbersIn(text, (word) => {
    if (!connectors.has(word)) isCode = false;
  });
  return isCode ? numbers.map(({ digits }) => digits).join('') : undefined;
};

/** Masks a code wherever its digits follow one another, also over the turns of one speaker. */
export const maskCode = (text: string, code: string): string => {
  const bySpeaker = new Map<string, Dictated[]>();
  const numbers = numbersIn(text);
  const labels = Array.from(text.matchAll(label), ({ 1: speaker = '', index }) => ({ speaker, index }));
  let turn = -1;
  for (const number of numbers) {
    while ((labels[turn + 1]?.index ?? Number.POSITIVE_INFINITY) <= number.start) turn += 1;
    const speaker = labels[turn]?.speaker ?? '';
    const own = bySpeaker.get(speaker);
    if (own) own.push(number);
    else bySpeaker.set(speaker, [number]);
  }
  const sequences = [numbers, ...bySpeaker.values()];
  return masked(
    text,
    sequences.flatMap((sequence) => sequence.flatMap((_, first) => runAt(sequence, first, code))),
  );
};

/** Masks every number of so many digits that's dictated in one go: a code whose digits this process never got. */
export const maskCodesOfLength = (text: string, length: number): string => {
  const runs: Dictated[][] = [];
  for (const number of numbersIn(text)) {
    const last = runs.at(-1);
    const before = last?.at(-1);
    if (last && before && plainGap.test(text.slice(before.end, number.start))) last.push(number);
    else runs.push([number]);
  }
  return masked(text, runs.filter((run) => run.map(({ digits }) => digits).join('').length === length).flat());
};

/** Masks the words of an answer, whatever is between them. Fewer than three letters say too little to be found. */
export const maskWords = (text: string, words: string): string => {
  const parts = words.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (parts.join('').length < 3) return text;
  const found = new RegExp(`(?<![\\p{L}\\p{N}])${parts.join('[^\\p{L}\\p{N}]{1,8}')}(?![\\p{L}\\p{N}])`, 'giu');
  return text.replace(found, '***');
};

/** Digits in a text, or a number in words. */
interface Dictated {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
}

interface Token {
  /** The word as it's looked up; empty for digits. */
  readonly word: string;
  readonly digits: string | undefined;
  readonly start: number;
  readonly end: number;
}

const tokensIn = (text: string): readonly Token[] =>
  Array.from(text.matchAll(token), ({ 0: all, 1: word, index: start }) => ({
    word: word === undefined ? '' : bareWord(word),
    digits: word === undefined ? digitsIn(all) : undefined,
    start,
    end: start + all.length,
  }));

const token = /(\p{L}[\p{L}\p{M}]{0,30})|\p{Nd}+/gu;

/** The numbers of a text. `onOther` gets every word between them. */
const numbersIn = (text: string, onOther: (word: string) => void = () => {}): readonly Dictated[] => {
  const tokens = tokensIn(text);
  const words = tokens.map(({ word }) => word);
  const joined = (index: number): boolean => {
    const [one, next] = [tokens[index], tokens[index + 1]];
    return !!one && !!next?.word && /^[\s\p{Pd}]{1,3}$/u.test(text.slice(one.end, next.start));
  };
  const isPortuguese = portuguese.test(text);
  const phraseAt = (index: number): NumberPhrase => {
    const digits = tokens[index]?.digits;
    const word = words[index];
    const isWord = digits === undefined && word && (word !== 'um' || isPortuguese);
    return (isWord && numberPhraseAt(words, index, joined)) || { digits, length: 1 };
  };
  const numberAt = (index: number): NumberPhrase => {
    const { times, ...phrase } = phraseAt(index);
    if (times === undefined) return phrase;
    const { digits, length } = phraseAt(index + phrase.length);
    return digits === undefined || digits.length > 2
      ? phrase
      : { digits: digits.repeat(times), length: phrase.length + length };
  };
  const numbers: Dictated[] = [];
  for (let index = 0; index < tokens.length; ) {
    const { digits, length } = numberAt(index);
    const { start = 0 } = tokens[index] ?? {};
    if (digits === undefined) onOther(words[index] ?? '');
    else numbers.push({ digits, start, end: tokens[index + length - 1]?.end ?? start });
    index += length;
  }
  return numbers;
};

/** The numbers from `first` on that are the code together. */
const runAt = (numbers: readonly Dictated[], first: number, code: string): readonly Dictated[] => {
  let digits = '';
  for (let last = first; last < numbers.length && digits.length < code.length; last += 1) {
    digits += numbers[last]?.digits ?? '';
    if (digits === code) return numbers.slice(first, last + 1);
    if (!code.startsWith(digits)) return [];
  }
  return [];
};

const masked = (text: string, numbers: readonly Dictated[]): string => {
  let result = '';
  let from = 0;
  for (const { digits, start, end } of numbers.toSorted((a, b) => a.start - b.start)) {
    if (start < from) continue;
    result += text.slice(from, start) + '*'.repeat(digits.length);
    from = end;
  }
  return result + text.slice(from);
};

const plainGap = /^[\s\p{Pd}.,]{0,5}$/u;
const label = /^[ \t[(<*]{0,3}([^\n:]{1,24}):/gmu;
const otherSigns = /[^\p{L}\p{M}\p{N}\s\p{Pd}.,;:/#"'’()[\]\u2212]/u;
const portuguese = /(?<!\p{L})(?:dois|duas|três|tres|quatro|cinco|sete|oito|nove|meia)(?!\p{L})/iu;

/** Words that people say between the digits of one number. Corrections aren't among them. */
const connectors: ReadonlySet<string> = new Set(
  'and then und dann et puis y luego e poi depois en dan i potem og dash hyphen space strich guion tiret trattino traco'.split(
    ' ',
  ),
);
