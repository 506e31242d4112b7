import { gaps, type Group } from './dictation.ts';

/** Groups with nothing but separators and words between them that may be one number. */
export type Run = readonly Group[];

/** The digits of the shortest card number. */
export const shortest = 13;
const longest = 19;
const longestPhoneNumber = 15;

/** Finds card numbers. Those that are written closely come first: around them there may be other numbers. */
export const cardsIn = (text: string, groups: readonly Group[]): readonly Run[] => {
  const taken = new Set(phoneNumbersIn(text, groups));
  const isCards: readonly (readonly [widest: number, isCard: IsCard])[] = [
    [gaps.plain, (card) => !holdsDate(card)],
    [gaps.marks, (card, { isWhole, widest }) => widest === gaps.marks && hasCardShape(text, card, isWhole)],
    [
      gaps.prose,
      (card, { isWhole, widest, digits }) => widest > gaps.marks && isWhole && isDictated(text, card, digits),
    ],
  ];
  return isCards.flatMap(([widest, isCard]) => {
    const cards = runsIn(groups, widest, taken).flatMap((run) => cardsOf(run, isCard));
    for (const one of cards.flat()) taken.add(one);
    return cards;
  });
};

const runsIn = (groups: readonly Group[], widest: number, taken: ReadonlySet<Group>): readonly Run[] => {
  const runs: Group[][] = [];
  let run: Group[] | undefined;
  for (const group of groups) {
    if (taken.has(group)) run = undefined;
    else if (run && group.gap <= widest) run.push(group);
    else runs.push((run = [group]));
  }
  return runs;
};

/** At most 15 digits after a plus, with nothing but spaces and dashes between them. */
const phoneNumbersIn = (text: string, groups: readonly Group[]): readonly Group[] =>
  groups.flatMap(({ start }, first) => {
    if (text[start - 1] !== '+') return [];
    let end = first + 1;
    while (groups[end]?.gap === gaps.plain && end - first <= longestPhoneNumber) end += 1;
    const phone = groups.slice(first, end);
    return digitsOf(phone).length <= longestPhoneNumber ? phone : [];
  });

interface Reading {
  readonly digits: string;
  /** The widest of the gaps in it. */
  readonly widest: number;
  /** It doesn't begin or end within a longer number; a date may follow. */
  readonly isWhole: boolean;
}

type IsCard = (card: Run, reading: Reading) => boolean;

/** A card begins and ends where a group does: `call 415 about 4242 4242 4242 4242` has one after another number. */
const cardsOf = (run: Run, isCard: IsCard): readonly Run[] => {
  const digits = digitsOf(run);
  if (digits.length < shortest) return [];
  const passes = luhnCheck(digits);
  const cards: Run[] = [];
  let begin = 0;

  /** At most 19 groups are checked. */
  const longestFrom = (first: number): Run | undefined => {
    const beginsNumber = first === 0 || run[first]?.gap !== gaps.plain;
    let end = begin;
    let found: Run | undefined;
    let widest: number = gaps.plain;
    for (let last = first; last < run.length; last += 1) {
      const { digits: own = '', gap = gaps.far } = run[last] ?? {};
      // What follows a whole card, at a larger distance, is something else, such as another one.
      if (last > first && found && gap > widest) break;
      if (last > first) widest = Math.max(widest, gap);
      end += own.length;
      if (end - begin > longest) break;
      if (end - begin < shortest || !passes(begin, end)) continue;
      const card = run.slice(first, last + 1);
      const isWhole = beginsNumber && (run[last + 1]?.gap !== gaps.plain || startsWithDate(run, last + 1));
      if (isCard(card, { digits: digits.slice(begin, end), widest, isWhole })) found = card;
    }
    return found;
  };

  for (let first = 0; first < run.length; first += 1) {
    const card = longestFrom(first);
    if (card) cards.push(card);
    for (const { digits: own } of card ?? run.slice(first, first + 1)) begin += own.length;
    if (card) first += card.length - 1;
  }
  return cards;
};

/** The month and year until which a card is valid. */
const startsWithDate = (run: Run, at: number): boolean =>
  /^(?:0[1-9]|1[0-2])(?:20)?[2-4]\d/.test(digitsOf(run.slice(at, at + 8)));

/** Such as `2026 11 21`. */
const holdsDate = (groups: Run): boolean =>
  groups.some(({ digits: year }, index) => {
    const [month = '', day = ''] = [groups[index + 1]?.digits, groups[index + 2]?.digits];
    return /^(?:19|20)\d\d$/.test(year) && /^(?:0[1-9]|1[0-2])$/.test(month) && /^(?:[0-2]\d|3[01])$/.test(day);
  });

/** Checks any part of the digits in the same time: https://en.wikipedia.org/wiki/Luhn_algorithm */
const luhnCheck = (digits: string): ((begin: number, end: number) => boolean) => {
  // Up to each place: with the digits at even places doubled, and with the others.
  const sums = [new Uint32Array(digits.length + 1), new Uint32Array(digits.length + 1)] as const;
  for (let place = 0; place < digits.length; place += 1) {
    const value = digits.charCodeAt(place) - 48;
    const doubled = value > 4 ? value * 2 - 9 : value * 2;
    sums[0][place + 1] = (sums[0][place] ?? 0) + (place % 2 === 0 ? doubled : value);
    sums[1][place + 1] = (sums[1][place] ?? 0) + (place % 2 === 0 ? value : doubled);
  }
  return (begin, end) => {
    // The last digit counts as it is.
    const sum = end % 2 === 0 ? sums[0] : sums[1];
    return ((sum[end] ?? 0) - (sum[begin] ?? 0)) % 10 === 0;
  };
};

export const digitsOf = (groups: Run): string => groups.map(({ digits }) => digits).join('');

/** With commas, dots or line breaks between them, most numbers are amounts, dates and lists. */
const hasCardShape = (text: string, groups: Run, isWhole: boolean): boolean => {
  if (!/^(?:[3-6]|2[2-7])/.test(digitsOf(groups))) return false;
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
 * Says if groups with other words between them are a card. Some network must give out the number. The pieces are fours
 * or of one length, or nothing but fillers is between pairs, digits and words.
 */
const isDictated = (text: string, groups: Run, digits: string): boolean => {
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
  if (/^3\d{13,14}$/.test(digitsOf(groups))) return [4, 10].every((end) => ends.includes(end));
  // Three and one are no way to say four digits.
  const isSaidSo = groups.every(({ digits, isWord }) => isWord || digits.length !== 3);
  return isSaidSo && [4, 8, 12, 16].every((end) => end >= total || ends.includes(end));
};

/** Returns the sizes of the pieces that are said in one turn, with at most this gap between their numbers. */
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
