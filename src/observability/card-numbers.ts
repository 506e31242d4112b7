/**
 * Masks payment card numbers and keeps their last four digits: 13 to 19 digits that pass the Luhn check, in any script, as
 * people dictate and speech recognition writes them, also as English words ("four two double four"). Spaces and dashes may
 * be anywhere between the digits; other separators only where the groups look like a card's. A phone number with its
 * `+` and dates are left alone. One random number in ten passes Luhn too: a long order number may be masked. Takes time linear
 * in the text.
 */
export const maskCardNumbers = (text: string): string => {
  if (!mayHoldCardNumber(text)) return text;
  let masked = '';
  let from = 0;
  for (const run of runsIn(text)) {
    for (const card of cardsIn(run)) {
      const [begin, end] = [card[0], card.at(-1)];
      if (!begin || !end) continue;
      masked += text.slice(from, begin.start) + maskAllButFour(text, card);
      from = end.end;
    }
  }
  return masked + text.slice(from);
};

/** A cheap first look: whether there are enough digits close to each other. */
export const mayHoldCardNumber = (text: string): boolean => {
  if (text.length < shortest) return false;
  if (enoughPlainDigits.test(text)) return true;
  return (numberWords.test(text) || !isAscii.test(text)) && enoughDigits.test(text);
};

const enoughPlainDigits = /\d(?:[^\dA-Za-z]{0,8}\d){6}/;
const numberWords = /(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|teen|ty)[^A-Za-z\d]{1,8}[zotfsend\d]/i;
const isAscii = /^[\x00-\x7f]*$/;

const shortest = 13;
const longest = 19;
const longestPhoneNumber = 15;

const digit = '[\\p{Nd}\\u00b2\\u00b3\\u00b9\\u2070\\u2074-\\u2079\\u2080-\\u2089\\u2460-\\u2468\\u24ea]';
const separator = '[\\s\\p{Cf}\\p{Pd}\\u2212.,/_]';

const units = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const teens = units.map(
  (_, unit) =>
    ['ten', 'eleven', 'twelve', 'thirteen', '', 'fifteen', '', '', 'eighteen', ''][unit] || `${units[unit]}teen`,
);
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const unit = `(?:${units.join('|')}|oh?)`;
const word = `\\b(?:(?:double|triple)[\\s-]{1,3}${unit}|(?:${tens.filter(Boolean).join('|')})[\\s-]{1,3}(?:${units
  .slice(1)
  .join('|')})|${teens.join('|')}|${tens.filter(Boolean).join('|')}|${unit})\\b`;

const group = new RegExp(`${digit}(?:\\p{Cf}*${digit})*|${word}`, 'giu');
const enoughDigits = new RegExp(`(?:(?:${digit}|${word})${separator}{0,8}){7}`, 'iu');

/** Digits without a separator between them, or one English word. */
interface Group {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
  readonly isWord: boolean;
  /** The text between the previous group and this one. */
  readonly gap: string;
}

/** Groups with nothing but separators between them. */
type Run = readonly Group[];

const runsIn = (text: string): readonly Run[] => {
  const runs: Group[][] = [];
  let end = 0;
  for (const { 0: found, index: start } of text.matchAll(group)) {
    const gap = text.slice(end, start);
    end = start + found.length;
    const isWord = /[a-z]/i.test(found);
    const one: Group = { digits: isWord ? digitsOfWords(found) : digitsOf(found), start, end, isWord, gap };
    const run = runs.at(-1);
    if (run && isBetweenDigits.test(gap)) run.push(one);
    else runs.push([one]);
  }
  return runs.map((run) => (text[(run[0]?.start ?? 0) - 1] === '+' ? withoutPhoneNumber(run) : run));
};

const isBetweenDigits = new RegExp(`^${separator}{0,8}$`, 'u');

/** Between two groups that may be one number however long they are; anything else is between numbers, or in an odd card. */
const isPlainGap = (gap: string): boolean => /^[\p{Zs}\p{Pd}\u2212]{0,3}$/u.test(gap.replace(/\p{Cf}/gu, ''));

const withoutPhoneNumber = (run: Run): Run => {
  const next = run.findIndex(({ gap }, index) => index > 0 && !isPlainGap(gap));
  const phone = next < 0 ? run : run.slice(0, next);
  return digitsIn(phone).length <= longestPhoneNumber ? run.slice(phone.length) : run;
};

/** A card begins and ends where a group does: `call 415 about 4242 4242 4242 4242` has one after another number. */
const cardsIn = (run: Run): readonly Run[] => {
  if (run.reduce((sum, { digits }) => sum + digits.length, 0) < shortest) return [];
  const cards: Run[] = [];
  for (let first = 0; first < run.length; first += 1) {
    const card = longestCardFrom(run, first);
    if (!card) continue;
    cards.push(card);
    first += card.length - 1;
  }
  return cards;
};

/** At most 19 groups are checked. */
const longestCardFrom = (run: Run, first: number): Run | undefined => {
  let digits = '';
  let found: Run | undefined;
  let isPlain = true;
  for (let last = first; last < run.length; last += 1) {
    const { digits: own = '', gap = '' } = run[last] ?? {};
    if (last > first && !isPlainGap(gap)) {
      // What follows a whole card is something else, such as another one.
      if (found && isPlain) break;
      isPlain = false;
    }
    digits += own;
    if (digits.length > longest) break;
    const groups = run.slice(first, last + 1);
    if (digits.length >= shortest && passesLuhn(digits) && (isPlain ? !holdsDate(groups) : hasCardShape(groups)))
      found = groups;
  }
  return found;
};

/** Such as `2026-11-21 2026-12-21`. */
const holdsDate = (groups: Run): boolean =>
  groups.some(({ digits: year }, index) => {
    const [month = '', day = ''] = [groups[index + 1]?.digits, groups[index + 2]?.digits];
    return /^(?:19|20)\d\d$/.test(year) && /^(?:0[1-9]|1[0-2])$/.test(month) && /^(?:[0-2]\d|3[01])$/.test(day);
  });

/** With commas, dots or line breaks between them, most numbers are amounts, dates and lists. */
const hasCardShape = (groups: Run): boolean => {
  const digits = digitsIn(groups);
  if (!/^(?:[3-6]|2[2-7])/.test(digits)) return false;
  if (groups.some(({ isWord }) => isWord)) return true;
  const sizes = groups.map((one) => one.digits.length);
  const inFours = sizes.every((size, index) => size % 4 === 0 || (index === sizes.length - 1 && size < 4));
  if (inFours || ['4,6,5', '4,6,4'].includes(sizes.join())) return true;
  const isEven = new Set(groups.slice(1).map(({ gap }) => gap.replace(/\p{Cf}/gu, ''))).size === 1;
  const isInPairs = sizes.every((size, index) => (index < sizes.length - 1 ? size === 2 : size <= 2));
  return isEven && (isInPairs || sizes.every((size) => size === 1));
};

/** https://en.wikipedia.org/wiki/Luhn_algorithm */
const passesLuhn = (digits: string): boolean => {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const value = digits.charCodeAt(digits.length - 1 - place) - 48;
    sum += place % 2 === 0 ? value : value > 4 ? value * 2 - 9 : value * 2;
  }
  return sum % 10 === 0;
};

const maskAllButFour = (text: string, card: Run): string => {
  let left = digitsIn(card).length;
  return card
    .map(({ start, end, digits, isWord, gap }, index) => {
      const before = index === 0 ? '' : gap;
      const own = text.slice(start, end);
      if (!isWord) return before + own.replace(anyDigit, (one) => (left-- > 4 ? '*' : one));
      const isKept = left <= 4;
      left -= digits.length;
      return before + (isKept ? own : '*'.repeat(digits.length));
    })
    .join('');
};

const anyDigit = new RegExp(digit, 'gu');

const digitsIn = (groups: Run): string => groups.map(({ digits }) => digits).join('');

const digitsOf = (text: string): string =>
  /^\d+$/.test(text) ? text : (text.match(anyDigit) ?? []).map(asciiDigit).join('');

/** Digits of one script are neighbours in Unicode, from zero to nine. */
const asciiDigit = (one: string): string => {
  const compatible = one.normalize('NFKC');
  if (/^\d$/.test(compatible)) return compatible;
  const code = one.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
};

const digitsOfWords = (text: string): string => {
  const [first = '', second = ''] = text.toLowerCase().split(/[\s-]+/);
  if (first === 'double' || first === 'triple') return unitOf(second).repeat(first === 'double' ? 2 : 3);
  if (tens.includes(first)) return `${tens.indexOf(first)}${second === '' ? 0 : unitOf(second)}`;
  return teens.includes(first) ? `1${teens.indexOf(first)}` : unitOf(first);
};

const unitOf = (name: string): string => String(Math.max(0, units.indexOf(name)));
