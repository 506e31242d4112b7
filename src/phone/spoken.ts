/**
 * Writes the numbers in a text as digits, as they are said in English; a text without words stays as it is. `undefined`
 * when there is a word in it that is no part of a number: then it is not certain what was meant.
 *
 * Digits (`oh` is 0), `double` and `triple`, `fifteen` and `twenty five`, `eight hundred` and `five thousand`, which end
 * there: what follows is a new number. `plus` begins, `extension` ends a number.
 */
export const readSpokenNumber = (text: string): string | undefined => {
  if (!/\p{L}/u.test(text)) return text;
  const words = text
    .toLowerCase()
    .replaceAll(/([\d+])(?=\p{L})|(\p{L})(?=[\d+])/gu, '$1$2 ')
    .replaceAll(/[\s,.;:()/'’\p{Pd}]+/gu, ' ')
    .trim()
    .split(' ');
  let written = '';
  for (let at = 0; at < words.length; ) {
    const read = readNext(words.slice(at, at + 3));
    if (!read) return undefined;
    written += read.text;
    at += read.words;
  }
  return written;
};

interface Read {
  readonly text: string;
  /** The number of words that were used. */
  readonly words: number;
}

const readNext = ([word = '', second = '', third = '']: readonly string[]): Read | undefined => {
  if (/^\+?\d+$/.test(word) || word === '+') return { text: word, words: 1 };
  if (word === 'plus') return { text: '+', words: 1 };
  if (extensions.has(word)) return { text: ' ext. ', words: 1 };
  if (fillers.has(word)) return { text: '', words: 1 };
  const times = repeats.get(word);
  if (times !== undefined) {
    const repeated = digits.get(second) ?? (/^\d$/.test(second) ? second : undefined);
    return repeated === undefined ? undefined : { text: repeated.repeat(times), words: 2 };
  }
  const small = readBelowHundred(word, second);
  if (!small) return undefined;
  const power = powers.get(small.words === 1 ? second : third);
  return power === undefined ? small : { text: small.text + power, words: small.words + 1 };
};

const readBelowHundred = (word: string, second: string): Read | undefined => {
  const digit = digits.get(word);
  if (digit !== undefined) return { text: digit, words: 1 };
  const teen = teens.indexOf(word);
  if (teen >= 0) return { text: String(10 + teen), words: 1 };
  const ten = tens.indexOf(word);
  if (ten < 0) return undefined;
  const unit = digits.get(second);
  return unit === undefined || unit === '0'
    ? { text: `${ten + 2}0`, words: 1 }
    : { text: `${ten + 2}${unit}`, words: 2 };
};

const digits: ReadonlyMap<string, string> = new Map([
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'].map(
    (word, digit) => [word, String(digit)] as const,
  ),
  ['oh', '0'],
  ['o', '0'],
  ['nought', '0'],
]);

const teens = [
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];

const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

const powers: ReadonlyMap<string, string> = new Map([
  ['hundred', '00'],
  ['thousand', '000'],
]);

const repeats: ReadonlyMap<string, number> = new Map([
  ['double', 2],
  ['triple', 3],
  ['treble', 3],
]);

const extensions: ReadonlySet<string> = new Set(['extension', 'ext', 'x']);

/** Words that people say around a number and between its parts. */
const fillers: ReadonlySet<string> = new Set(
  'my number is it its s the phone area country code and then dash hyphen dot space um uh er okay tel'.split(' '),
);
