/**
 * Masks payment card numbers and keeps their last four digits: 13 to 19 digits that pass the Luhn check, also with
 * spaces or dashes between them, as people dictate them. A phone number with its `+` is left alone.
 * One random number in ten passes Luhn too: a long order number may be masked. Takes time linear in the text.
 */
export const maskCardNumbers = (text: string): string =>
  text.replace(digitsWithSeparators, (run: string, at: number) => {
    const groups = [...run.matchAll(/\d+/g)].map((match) => ({ digits: match[0], start: match.index }));
    const total = groups.reduce((sum, { digits }) => sum + digits.length, 0);
    const isPhoneNumber = text[at - 1] === '+' && total <= longestPhoneNumber;
    return total < shortest || isPhoneNumber ? run : maskRun(run, groups);
  });

const shortest = 13;
const longest = 19;
const longestPhoneNumber = 15;

/** Up to three spaces or dashes between two digits; a point would join amounts into one number. */
const digitsWithSeparators = /\d(?:[ \u00a0\u202f\u2010-\u2015-]{0,3}\d)+/g;

interface Group {
  readonly digits: string;
  readonly start: number;
}

/** A card begins and ends where a group does: `call 415 about 4242 4242 4242 4242` holds one behind another number. */
const maskRun = (run: string, groups: readonly Group[]): string => {
  let masked = '';
  let from = 0;
  for (let first = 0; first < groups.length; first += 1) {
    const last = lastGroupOfCard(groups, first);
    const [begin, end] = [groups[first], groups[last]];
    if (!begin || !end) continue;
    const until = end.start + end.digits.length;
    masked += run.slice(from, begin.start) + maskAllButFour(run.slice(begin.start, until));
    from = until;
    first = last;
  }
  return masked + run.slice(from);
};

/** The longest card that begins with this group; -1 when there is none. At most 19 groups are looked at. */
const lastGroupOfCard = (groups: readonly Group[], first: number): number => {
  let digits = '';
  let found = -1;
  for (let last = first; last < groups.length; last += 1) {
    digits += groups[last]?.digits ?? '';
    if (digits.length > longest) break;
    if (digits.length >= shortest && passesLuhn(digits)) found = last;
  }
  return found;
};

/** https://en.wikipedia.org/wiki/Luhn_algorithm */
const passesLuhn = (digits: string): boolean => {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    sum += place % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
};

const maskAllButFour = (card: string): string => {
  let left = card.replace(/\D/g, '').length;
  return card.replace(/\d/g, (digit) => {
    left -= 1;
    return left < 4 ? digit : '*';
  });
};
