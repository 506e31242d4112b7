/** The shapes in which people write and dictate a card number. */
import { gaps, type Group } from './dictation.ts';

/** Groups with nothing but separators and words between them that may be one number. */
export type Run = readonly Group[];

export const digitsIn = (groups: Run): string => groups.map(({ digits }) => digits).join('');

/** With commas, dots or line breaks between them, most numbers are amounts, dates and lists. */
export const hasCardShape = (text: string, groups: Run, isWhole: boolean): boolean => {
  if (!/^(?:[3-6]|2[2-7])/.test(digitsIn(groups))) return false;
  if (groups.some(({ isWord }) => isWord)) return isWhole && isSpelled(groups);
  const sizes = groups.map(({ digits }) => digits.length);
  if (isPrinted(sizes)) return true;
  // Digits or pairs, with a pause after each four.
  if (sizes.every((size) => size <= 2) && isPrinted(piecesOf(groups))) return true;
  if (isWhole && pausesAsPrinted(groups) && !holdsDecimals(text, groups)) return true;
  const isEven = new Set(gapTextsIn(text, groups)).size === 1;
  return isEven && (isInPairs(sizes) || sizes.every((size) => size === 1));
};

/** In words, with a pause at times, or with the digits of a printed card between them. */
const isSpelled = (groups: Run): boolean => {
  const pieces = piecesOf(groups);
  if (isPrinted(pieces) || isInPieces(pieces) || pausesAsPrinted(groups)) return true;
  return groups.every(({ isWord }) => isWord) && (pieces.length === 1 || pieces.every((size) => size <= longestPiece));
};

/** More digits at a time are a phone number. */
const longestPiece = 8;

/** In fours, or as American Express and Diners Club print them. */
const isPrinted = (sizes: readonly number[]): boolean =>
  sizes.every((size, index) => size % 4 === 0 || (index === sizes.length - 1 && size < 4)) ||
  /^4,6,[45]$/.test(sizes.join());

const isInPairs = (sizes: readonly number[]): boolean =>
  sizes.every((size, index) => (index < sizes.length - 1 ? size === 2 : size <= 2));

const gapTextsIn = (text: string, groups: Run): readonly string[] =>
  groups.slice(1).map(({ start }, index) => text.slice(groups[index]?.end, start).replace(/\p{Cf}/gu, ''));

/**
 * With other words between the groups, it has to be a number that some network gives out, in pieces as people say them: in
 * fours, in pieces of one length, or with nothing but fillers between pairs, digits and words.
 */
export const isDictated = (text: string, groups: Run, digits: string): boolean => {
  if (!networkNumber.test(digits) || holdsDecimals(text, groups)) return false;
  const pieces = piecesOf(groups);
  if (pieces.some((size) => size > longestPiece && size % 4 > 0)) return false;
  const isInProse = groups.some(({ gap }, index) => index > 0 && gap === gaps.prose);
  if (isInProse && groups.some((group) => group.digits.length > longestGroup)) return false;
  if (isPrinted(pieces) || isInPieces(pieces)) return true;
  // In turns, or between other words: whatever a person says in one breath.
  if (isInProse) return [gaps.marks, gaps.fillers].some((within) => isPrinted(piecesOf(groups, within)));
  return (
    pausesAsPrinted(groups) ||
    groups.every(({ isWord }) => isWord) ||
    [1, 2].some((most) => groups.every((group) => group.digits.length <= most)) ||
    isPrinted(groups.map((group) => group.digits.length))
  );
};

/** An amount, a date or a time is in it, or goes on before or after it. */
const holdsDecimals = (text: string, groups: Run): boolean => {
  const [first, last] = [groups[0], groups.at(-1)];
  return (
    gapTextsIn(text, groups).some((gap) => /^[.,:'’/]$/.test(gap)) ||
    /\d[.,:'’/]$/.test(text.slice(0, first?.start).slice(-2)) ||
    /^[.,:'’/]\d/.test(text.slice(last?.end).slice(0, 2))
  );
};

/** On a printed card. */
const longestGroup = 6;

/** One number ends wherever the digits of a printed card do, however each four is said: `42 42, 4 2 4 2`. */
const pausesAsPrinted = (groups: Run): boolean => {
  let total = 0;
  const ends = groups.map(({ digits }) => (total += digits.length));
  if (/^3\d{13,14}$/.test(digitsIn(groups))) return [4, 10].every((end) => ends.includes(end));
  // Three and one are no way to say four digits.
  const isSaidSo = groups.every(({ digits, isWord }) => isWord || digits.length !== 3);
  return isSaidSo && [4, 8, 12, 16].every((end) => end >= total || ends.includes(end));
};

/** What is said in one turn, with at most this gap between its numbers. */
const piecesOf = (groups: Run, within: number = gaps.plain): readonly number[] => {
  const pieces: number[] = [];
  for (const [index, { gap, digits }] of groups.entries()) {
    if (index === 0 || gap > within) pieces.push(digits.length);
    else pieces[pieces.length - 1] = (pieces.at(-1) ?? 0) + digits.length;
  }
  return pieces;
};

const isInPieces = ([first = 0, ...others]: readonly number[]): boolean =>
  first >= 3 &&
  first <= longestPiece &&
  others.every((size, index) => (index < others.length - 1 ? size === first : size <= first + 1));

/** https://en.wikipedia.org/wiki/Payment_card_number */
const networkNumber = new RegExp(
  `^(?:${[
    '4(?:\\d{12}|\\d{15}|\\d{18})',
    '(?:5[1-5]|2[2-7])\\d{14}',
    '3[47]\\d{13}',
    '3(?:0[0-5]|[689]\\d)\\d{11}(?:\\d{2})?',
    '(?:35|62|6[045]|81)\\d{14}(?:\\d{3})?',
    '(?:50|5[6-9]|6\\d)\\d{10,17}',
  ].join('|')})$`,
);
