import { digit, type Group, groupsIn, type Turn, turnsIn } from './dictation.ts';
import { cardsIn, digitsOf, type Run, shortest } from './find-cards.ts';
import { mayHoldNumberWords } from './number-words.ts';
import { mayHoldSecurityCode, securityCodesIn } from './security-codes.ts';

/**
 * Masks payment card numbers and keeps their last four digits: 13 to 19 digits that pass the Luhn check. Finds dictated
 * ones in any script and in number words of several languages. Other words may be between the groups, also over several
 * sentences and over the turns of a transcript. Masks a security code (CVV) next to a card too. Phone numbers with
 * their `+`, amounts, dates and times stay. One random number in ten passes Luhn too: a long order number may be
 * masked. Takes time linear in the text.
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

/**
 * Masks card numbers that are in pieces over the texts of a list, such as the turns of a transcript. Fields for which `isId`
 * is true stay, and so does everything that isn't in a list.
 */
export const maskCardNumbersInLists = (value: unknown, isId: (name: string) => boolean): unknown => {
  if (!Array.isArray(value)) return mapFields(value, (inner) => maskCardNumbersInLists(inner, isId));
  const texts = textsIn(value, isId);
  const masked = maskCardNumbersOver(texts);
  if (masked.every((text, index) => text === texts[index])) return value;
  let next = 0;
  const replace = (inner: unknown, name: string): unknown => {
    if (typeof inner === 'string') return isId(name) ? inner : masked[next++];
    return Array.isArray(inner) ? inner.map((item) => replace(item, name)) : mapFields(inner, replace);
  };
  return replace(value, '');
};

/** All texts in a value, in its order; numbers too with `withNumbers`. */
export const textsIn = (
  value: unknown,
  isId: (name: string) => boolean = () => false,
  withNumbers = false,
  name = '',
): readonly string[] => {
  if (typeof value === 'string') return isId(name) ? [] : [value];
  if (typeof value === 'number') return withNumbers ? [String(value)] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, isId, withNumbers, name));
  return Object.entries(value).flatMap(([field, inner]) => textsIn(inner, isId, withNumbers, field));
};

const mapFields = (value: unknown, map: (inner: unknown, name: string) => unknown): unknown => {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, map(inner, name)]));
};

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

/** A group, and what is written in its place. */
interface Mask {
  readonly start: number;
  readonly end: number;
  readonly mask: string;
}

const masksOf = (text: string, card: Run): readonly Mask[] => {
  let left = digitsOf(card).length;
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
    const words = turns.map(({ start, end }) => text.slice(start, end)).join(betweenTurns);
    const masks = cardsIn(words, groupsIn(words)).flatMap((card) => masksOf(words, card));
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
