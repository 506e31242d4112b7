import { bareWord, numberPhraseAt } from './number-words.ts';

/** The distance between two groups of digits, from "4242 4242" to two sentences. */
export const gaps = { plain: 0, marks: 1, fillers: 2, prose: 3, far: 4 } as const;

/** Digits without a separator between them, or a number in words. */
export interface Group {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
  readonly isWord: boolean;
  /** The gap between the group before and this one: one of {@link gaps}. */
  readonly gap: number;
}

/** One digit, in any script. */
export const digit = '[\\p{Nd}\\u00b2\\u00b3\\u00b9\\u2070\\u2074-\\u2079\\u2080-\\u2089\\u2460-\\u2468\\u24ea]';

/**
 * Finds the numbers of a text in digits and words, and how far each is from the one before. Times of day, numbered speakers,
 * and single numbers within other words ("one moment", "the next four digits") are left out. Takes time linear in the text.
 */
export const groupsIn = (text: string): readonly Group[] => {
  const all = withGaps(text, numbersIn(text));
  /** Numbers in a row may be digits of a longer one. A small word at the end of another sentence belongs to none. */
  const areClose = (one: Group | undefined, next: Group | undefined): boolean => {
    if (!one || !next || next.gap > gaps.fillers) return false;
    return (
      !(isSmall(one) ? one : next).isWord ||
      (isSmall(one) && isSmall(next)) ||
      !isBreak.test(text.slice(one.end, next.start))
    );
  };
  const kept = all.filter(
    (one, index) => !isSmall(one) || areClose(all[index - 1], one) || areClose(one, all[index + 1]),
  );
  return kept.length === all.length ? all : withGaps(text, kept);
};

const isSmall = ({ digits }: Bare): boolean => digits.length <= 2;
const isBreak = /[\n\r.!?:]/;

const withGaps = (text: string, groups: readonly Bare[]): readonly Group[] =>
  groups.map(({ digits, start, end, isWord }, index) => {
    const gap = index === 0 ? gaps.far : gapBetween(text, groups[index - 1]?.end ?? 0, start);
    return { digits, start, end, isWord, gap };
  });

type Bare = Omit<Group, 'gap'>;

interface Token {
  readonly text: string;
  /** The word as it's looked up; empty for anything else. */
  readonly word: string;
  readonly isDigits: boolean;
  readonly start: number;
  readonly end: number;
}

const numbersIn = (text: string): readonly Bare[] => {
  const tokens = tokensIn(text);
  const words = tokens.map(({ word }) => word);
  const isNear = (index: number): boolean => {
    const [one, next] = [tokens[index], tokens[index + 1]];
    return one !== undefined && next !== undefined && isNearGap(text.slice(one.end, next.start));
  };
  const joined = (index: number): boolean => words[index + 1] !== '' && isNear(index);
  const isPortuguese = portuguese.test(text);
  const numbers: Bare[] = [];

  for (let index = 0; index < tokens.length; index += 1) {
    const one = tokens[index];
    const phrase = one?.word ? numberPhraseAt(words, index, joined) : undefined;
    if (one?.isDigits) numbers.push({ digits: digitsOf(one.text), start: one.start, end: one.end, isWord: false });
    if (!one || !phrase || isSigh(one.word, words[index + 1], numbers.at(-1), isPortuguese)) continue;
    let last = index + phrase.length - 1;
    let { digits } = phrase;
    if (phrase.times !== undefined) {
      if (articles.has(words[last + 1] ?? '') && isNear(last)) last += 1;
      const next = tokens[last + 1];
      const repeated = next?.isDigits
        ? { digits: digitsOf(next.text), length: 1 }
        : numberPhraseAt(words, last + 1, joined);
      if (repeated?.digits === undefined || repeated.digits.length > 2 || !isNear(last)) continue;
      digits = repeated.digits.repeat(phrase.times);
      last += repeated.length;
    }
    numbers.push({ digits: digits ?? '', start: one.start, end: tokens[last]?.end ?? one.end, isWord: true });
    index = last;
  }
  return numbers;
};

const tokensIn = (text: string): readonly Token[] =>
  Array.from(text.matchAll(token), ({ 0: found, 1: ignored, 2: word, index: start }) => ({
    text: found,
    word: word !== undefined && word.length <= longestWord ? bareWord(word) : '',
    isDigits: ignored === undefined && word === undefined,
    start,
    end: start + found.length,
  }));

const clock =
  '(?<![\\d:.,/])(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?(?:[.,]\\d{1,3})?(?:\\s?[ap]\\.?m\\b\\.?)?(?![\\d:/])';

/** The parts of transcripts that no one said: tags, times, and numbers of speakers and subtitles. */
const ignoredNumbers = [
  '<\\/?[a-z][^<>]{0,60}>',
  '(?<![\\d-])(?:19|20)\\d\\d-(?:0[1-9]|1[0-2])-(?:[0-2]\\d|3[01])(?:[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:?\\d\\d)?)?(?![\\d-])',
  clock,
  '(?<![\\d\\p{L}])\\d{1,5}\\r?\\n(?=\\d\\d:\\d\\d:\\d\\d[,.]\\d{3})',
  '\\[\\s?\\d{1,5}\\.\\d{1,3}\\s?s?(?:\\s?[-–>]{1,3}\\s?\\d{1,5}\\.\\d{1,3}\\s?s?)?\\s?\\]',
  '(?<=\\p{L}[ _#-]?)(?<!\\d)\\d{1,2}(?=[\\])>*_]{0,3}\\s?[:：]\\s)',
  '(?<=(?:speaker|spk|agent|caller|channel|sprecher|locuteur|hablante)[ _#-]?)\\d{1,2}(?!\\d)',
].join('|');

const token = new RegExp(
  `(${ignoredNumbers})|(\\p{L}[\\p{L}\\p{M}]*)|${digit}(?:[\\p{Cf}\\ufe0f\\u20e3]*${digit})*`,
  'giu',
);
const longestWord = 24;
const articles: ReadonlySet<string> = new Set('a the die der das le la les el il lo o de het'.split(' '));

/** "Oh" after a group of digits, or before "sorry"; "um" in a text that isn't Portuguese. */
const isSigh = (word: string, next: string | undefined, before: Bare | undefined, isPortuguese: boolean): boolean => {
  if (word === 'um') return !isPortuguese;
  if (word !== 'oh' && word !== 'o') return false;
  return (before?.digits.length ?? 0) > 2 || (next !== undefined && next !== 'and' && fillers.has(next));
};

const portuguese = /(?<!\p{L})(?:dois|duas|três|quatro|sete|oito|meia|cartão)(?!\p{L})/iu;
const isNearGap = (gap: string): boolean => gap.length <= 3 && /^[\s-]{1,3}$/.test(gap);

const gapBetween = (text: string, from: number, to: number): number => {
  if (to - from > longestGap) return gaps.far;
  const gap = text.slice(from, to);
  if (gap === ' ') return gaps.plain;
  if (plainGap.test(gap.replace(/\p{Cf}/gu, ''))) return gaps.plain;
  if (markedGap.test(gap)) return gaps.marks;
  if (otherSigns.test(gap)) return gaps.far;
  const spoken = gap.replace(markup, ' ');
  const unlabelled = spoken.replace(labels, ' ');
  const wording = unlabelled.replace(ignored, ' ');
  const words = wording.match(anyWord) ?? [];
  // After a label, another person may speak.
  const isOneTurn = unlabelled === spoken;
  if (words.length === 0 && isOneTurn) return wording.trim().length > mostMarks ? gaps.far : gaps.marks;
  if (words.every((word) => isFiller(bareWord(word)))) return isOneTurn ? gaps.fillers : gaps.prose;
  if (words.some((word) => otherThings.has(bareWord(word)))) return gaps.far;
  return words.length <= mostWords || turn.test(gap) ? gaps.prose : gaps.far;
};

const longestGap = 300;
const mostWords = 14;
const mostMarks = 12;
const plainGap = /^[\p{Zs}\p{Pd}\u2212]{0,3}$/u;
const markedGap = /^[\s\p{Cf}\p{Pd}\u2212.,/_]{0,8}$/u;
const markup = /<\/?[a-z][^<>]{0,60}>|&[a-z]{2,8};|\\[nrt]/gi;
const anyWord = /\p{L}[\p{L}\p{M}]*/gu;
const ignored = new RegExp(ignoredNumbers, 'giu');
const turn = /[\n\r{]/;

const name = "\\p{L}[\\p{L}\\p{M}.'’]{0,24}(?:[ _-][\\p{L}\\p{M}\\d.'’]{1,20}){0,3}";
const labels = new RegExp(
  `(?<=^|[\\n\\r/|;,.!?…{}"][\\s"]{0,4}[[(<*_]{0,3})${name}[\\])>*_"]{0,3}(?:\\s?\\(?${clock}\\)?)?[:：](?=[\\s"])`,
  'gu',
);

const fillers: ReadonlySet<string> = new Set(
  [
    'um umm uhm uh uhh er erm eh ehm ah ahm hm hmm mm mhm ahem ohm euh heu ben bah bueno pues este eee no nu ну э эм и да так',
    'and then und et y e en i og och plus so also next after dann danach weiter puis ensuite luego despues entonces poi quindi',
    'allora depois entao dan daarna ok okay okey yes yeah yep yup right correct sure si sim ja da oui tak go on ahead got it its is',
    'that thats s well sorry please bitte genau gut bon bien vale va bene d accord exactly perfect great thanks danke merci gracias',
    'let me see hold wait now warte moment hein voila attendez espere a ver aspetti dunque ecco espera ai bom hum wacht nou even',
    'kijken daarna yyy potem nastepnie dalej chwila потом затем дальше сейчас а',
    'like you know dash hyphen space comma strich leerzeichen guion tiret espace trattino traco streepje continue alright oh o',
  ].flatMap((words) => words.split(' ')),
);

/** Says if people say this word, as `bareWord` gives it, between the digits of one number. */
export const isFiller = (word: string): boolean => fillers.has(word);

/** Words for other numbers: between them, no card is dictated. */
const otherThings: ReadonlySet<string> = new Set(
  [
    'invoice invoices order orders ticket tickets case cases room rooms flight booking reference account amount total price',
    'phone telephone mobile euro euros eur usd gbp dollar dollars pound pounds cent cents percent kilometers miles year years',
    'rechnung rechnungen auftrag bestellung zimmer betrag telefon nummern jahr jahre prozent stuck facture factures commande chambre',
    'montant telephone annee ans pedido pedidos factura facturas habitacion importe telefono ano anos reales fattura ordine camera',
    'importo fatura pedido quarto valor factuur kamer bedrag',
  ].flatMap((words) => words.split(' ')),
);
const otherSigns = /[€$£¥%]/;

const digitsOf = (text: string): string =>
  /^\d+$/.test(text) ? text : (text.match(anyDigit) ?? []).map(asciiDigit).join('');

const anyDigit = new RegExp(digit, 'gu');

/** Digits of one script are neighbours in Unicode, from zero to nine. */
const asciiDigit = (one: string): string => {
  const compatible = one.normalize('NFKC');
  if (/^\d$/.test(compatible)) return compatible;
  const code = one.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
};

/** A part of a text that one person said. */
export interface Turn {
  readonly speaker: string;
  readonly start: number;
  readonly end: number;
}

/** Finds who said which part of a transcript, by the labels that are there more than once: `Caller: …`, `[Agent] …`. */
export const turnsIn = (text: string): readonly Turn[] => {
  const found = Array.from(
    text.matchAll(speakers),
    ({ 0: whole, 1: first, 2: later, 3: bare, 4: timed, 5: item, index }) => ({
      speaker: bareWord(first ?? later ?? bare ?? timed ?? item ?? ''),
      from: index,
      start: index + whole.length,
    }),
  );
  const counts = new Map<string, number>();
  for (const { speaker } of found) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  const known = found.filter(({ speaker }) => (counts.get(speaker) ?? 0) > 1);
  return known.map(({ speaker, start }, index) => ({ speaker, start, end: known[index + 1]?.from ?? text.length }));
};

const speakers = new RegExp(
  [
    `(?:(?<=^|[\\n\\r/|;,.!?…\\])>"][ \\t]{0,4}[[(<*_]{0,3})(${name})|(?<=\\s)(\\p{L}[\\p{L}\\p{M}]{0,24}))[\\])>*_]{0,3}(?:\\s?[([]?${clock}[)\\]]?)?[:：](?=\\s)`,
    `(?<=^|[\\n\\r/|][ \\t]{0,4})(?:[[<*]{1,2}(${name})[\\]>*]{1,2})`,
    `(?<=^|[\\n\\r][ \\t]{0,4})(${name})[ \\t]{1,8}[([]?${clock}[)\\]]?[ \\t]{0,4}(?=[\\n\\r])`,
    // In a list, as an item of its own.
    `(?<=^|\\u001e\\n)(${name})\\n(?=\\u001e)`,
  ].join('|'),
  'gu',
);
