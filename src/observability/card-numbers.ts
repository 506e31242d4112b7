import { digitsIn, hasCardShape, isDictated, type Run } from './card-shapes.ts';
import { digit, gaps, type Group, groupsIn, type Turn, turnsIn } from './dictation.ts';
import { mayHoldNumberWords } from './number-words.ts';
import { mayHoldSecurityCode, securityCodesIn } from './security-codes.ts';

/**
 * Masks payment card numbers and keeps their last four digits: 13 to 19 digits that pass the Luhn check. Finds them as
 * people dictate them: in any script, in number words of several languages, with other words between the groups, over several
 * sentences, and over the turns of a transcript. Masks a security code (CVV) next to a card too.
 *
 * Phone numbers with their `+`, amounts, dates and times stay. One random number in ten passes Luhn too: a long order number
 * may be masked. Takes time linear in the text.
 */
export const maskCardNumbers = (text: string): string => {
  if (!mayHoldCardNumber(text)) return text;
  const groups = groupsIn(text);
  const cards = cardsIn(text, groups);
  const masks = [
    ...cards.flatMap((card) => masksOf(text, card)),
    ...masksInTurns(text),
    ...securityCodesIn(text, groups, cards).map(maskOf),
  ];
  let masked = '';
  let from = 0;
  for (const { start, end, mask } of masks.toSorted((a, b) => a.start - b.start || starsIn(b) - starsIn(a))) {
    if (start < from) continue;
    masked += text.slice(from, start) + mask;
    from = end;
  }
  return masked + text.slice(from);
};

/** A list of texts that belong together, such as the turns of a transcript: a card may be in pieces over several. */
export const maskCardNumbersOver = (texts: readonly string[]): readonly string[] => {
  const all = texts.join(betweenTexts);
  if (texts.length < 2 || !mayHoldCardNumber(all)) return texts.map(maskCardNumbers);
  const masked = maskCardNumbers(all).split(betweenTexts);
  return masked.length === texts.length ? masked : texts.map(maskCardNumbers);
};

const betweenTexts = '\n\u001e\n';

/** A cheap first look: whether there are enough digits, number words, or words for a security code. */
export const mayHoldCardNumber = (text: string): boolean =>
  (text.length >= shortest && (holdsDigits(text) || mayHoldNumberWords(text))) || mayHoldSecurityCode(text);

const holdsDigits = (text: string): boolean => {
  let count = 0;
  for (let index = 0; index < text.length && count < shortest; index += 1) {
    const code = text.charCodeAt(index);
    if ((code >= 48 && code <= 57) || (code > 127 && otherDigit.test(text.charAt(index)))) count += 1;
    // The digits of some scripts are beyond the basic plane.
    if (code >= 0xd800 && code < 0xdc00 && otherDigit.test(text.slice(index, index + 2))) count += 1;
  }
  return count >= shortest;
};

const otherDigit = new RegExp(`^${digit}`, 'u');

const shortest = 13;
const longest = 19;
const longestPhoneNumber = 15;

/** Numbers that are written closely come first: around them there may be other numbers. */
const cardsIn = (text: string, groups: readonly Group[]): readonly Run[] => {
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
    return digitsIn(phone).length <= longestPhoneNumber ? phone : [];
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
  const digits = digitsIn(run);
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
  /^(?:0[1-9]|1[0-2])(?:20)?[2-4]\d/.test(digitsIn(run.slice(at, at + 8)));

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

/** A group, and what is written in its place. */
interface Mask {
  readonly start: number;
  readonly end: number;
  readonly mask: string;
}

const masksOf = (text: string, card: Run): readonly Mask[] => {
  let left = digitsIn(card).length;
  return card.map(({ start, end, digits, isWord }) => {
    const own = text.slice(start, end);
    if (!isWord) return { start, end, mask: own.replace(anyDigit, (one) => (left-- > 4 ? '*' : one)) };
    const isKept = left <= 4;
    left -= digits.length;
    return { start, end, mask: isKept ? own : '*'.repeat(digits.length) };
  });
};

const maskOf = ({ start, end, digits }: Group): Mask => ({ start, end, mask: '*'.repeat(digits.length) });

const starsIn = ({ mask }: Mask): number => mask.split('*').length;

const anyDigit = new RegExp(digit, 'gu');

/** An agent repeats what a caller dictates. In the words of one person alone, each digit is there once. */
const masksInTurns = (text: string): readonly Mask[] => {
  const bySpeaker = new Map<string, Turn[]>();
  for (const turn of turnsIn(text)) {
    const turns = bySpeaker.get(turn.speaker);
    if (turns) turns.push(turn);
    else bySpeaker.set(turn.speaker, [turn]);
  }
  if (bySpeaker.size < 2) return [];
  return [...bySpeaker.values()].flatMap((turns) => {
    const said = turns.map(({ start, end }) => text.slice(start, end)).join(betweenTurns);
    const masks = cardsIn(said, groupsIn(said)).flatMap((card) => masksOf(said, card));
    let turn = 0;
    let offset = 0;
    return masks
      .toSorted((a, b) => a.start - b.start)
      .map(({ start, end, mask }) => {
        for (let one = turns[turn]; one && start - offset > one.end - one.start; one = turns[turn]) {
          offset += one.end - one.start + betweenTurns.length;
          turn += 1;
        }
        const moved = (turns[turn]?.start ?? 0) - offset;
        return { start: start + moved, end: end + moved, mask };
      });
  });
};

const betweenTurns = '\n\n\n\n';
