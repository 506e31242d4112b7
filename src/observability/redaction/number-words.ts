/**
 * Finds number words from zero to 99, as people dictate them: "four", "double four", "forty-two", "zweiundvierzig",
 * "quatre-vingt-douze". Reads English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian, and the single
 * digits of Swedish and Turkish.
 *
 * Returns the digits of the longest phrase that begins with the word at `first`, and how many words it has. `joined` says
 * if a word and the next one are close enough to be one phrase.
 */
export const numberPhraseAt = (
  words: readonly string[],
  first: number,
  joined: (index: number) => boolean,
): NumberPhrase | undefined => {
  // Made when the first text has words: most processes start without one.
  tables ??= makeTables();
  let phrase = words[first] ?? '';
  let found = numberOf(tables, phrase, 1);
  for (
    let last = first + 1;
    last < first + longestPhrase && tables.beginnings.has(phrase) && joined(last - 1);
    last += 1
  ) {
    phrase += ` ${words[last]}`;
    found = numberOf(tables, phrase, last - first + 1) ?? found;
  }
  return found;
};

/** A number, or a word such as "double" that repeats the number after it. */
export interface NumberPhrase {
  readonly digits?: string | undefined;
  readonly times?: number | undefined;
  readonly length: number;
}

/** A word as {@link numberPhraseAt} reads it: lower case, without accents. */
export const bareWord = (word: string): string => {
  const lower = word.toLowerCase();
  return isPlain.test(lower) ? lower : lower.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss');
};

const isPlain = /^[a-z]*$/;

const numberOf = ({ numbers, repetitions }: Tables, phrase: string, length: number): NumberPhrase | undefined => {
  const digits = numbers.get(phrase);
  if (digits !== undefined) return { digits, length };
  const times = repetitions.get(phrase);
  return times === undefined ? undefined : { times, length };
};

/** Words with `|` between them mean the same. */
interface Language {
  /** From zero to nine. */
  readonly units: string;
  /** From ten to 19. */
  readonly teens?: string;
  /** From twenty to ninety. */
  readonly tens?: string;
  /** The text between "forty" and "two" when they're written together. */
  readonly join?: (ten: string, unit: string) => readonly string[];
  /** Others, as `word=digits`. */
  readonly others?: string;
}

const spaced = (ten: string, unit: string) => [`${ten} ${unit}`];
const glued = (ten: string, unit: string) => [`${ten}${unit}`];
const withWord = (word: string) => (ten: string, unit: string) => [`${ten} ${word} ${unit}`, `${ten} ${unit}`];

const languages: readonly Language[] = [
  {
    units: 'zero|oh|o|nought one two three four five six seven eight nine|niner',
    teens: 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    tens: 'twenty thirty forty|fourty fifty sixty seventy eighty ninety',
    join: (ten, unit) => [...spaced(ten, unit), ...glued(ten, unit)],
  },
  {
    units: 'null eins|ein zwei|zwo drei vier funf|fuenf sechs sieben acht neun',
    teens: 'zehn elf zwolf|zwoelf dreizehn vierzehn funfzehn|fuenfzehn sechzehn siebzehn achtzehn neunzehn',
    tens: 'zwanzig dreissig vierzig funfzig|fuenfzig sechzig siebzig achtzig neunzig',
    join: (ten, unit) => [`${unit}und${ten}`, `${unit} und ${ten}`],
  },
  {
    units: 'zero un|une deux trois quatre cinq six sept huit neuf',
    teens: 'dix onze douze treize quatorze quinze seize dix_sept dix_huit dix_neuf',
    tens: 'vingt trente quarante cinquante soixante septante quatre_vingt|quatre_vingts|huitante|octante nonante',
    join: withWord('et'),
    others: [
      'soixante_dix=70 soixante_et_onze=71 soixante_onze=71 soixante_douze=72 soixante_treize=73 soixante_quatorze=74',
      'soixante_quinze=75 soixante_seize=76 soixante_dix_sept=77 soixante_dix_huit=78 soixante_dix_neuf=79',
      'quatre_vingt_dix=90 quatre_vingt_onze=91 quatre_vingt_douze=92 quatre_vingt_treize=93 quatre_vingt_quatorze=94',
      'quatre_vingt_quinze=95 quatre_vingt_seize=96 quatre_vingt_dix_sept=97 quatre_vingt_dix_huit=98',
      'quatre_vingt_dix_neuf=99',
    ].join(' '),
  },
  {
    units: 'cero uno|un|una dos tres cuatro cinco seis siete ocho nueve',
    teens: 'diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve',
    tens: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
    join: (ten, unit) => (ten === 'veinte' ? [`veinti${unit}`, `veinte y ${unit}`] : withWord('y')(ten, unit)),
  },
  {
    units: 'zero uno due tre quattro cinque sei sette otto nove',
    teens: 'dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
    tens: 'venti trenta quaranta cinquanta sessanta settanta ottanta novanta',
    join: (ten, unit) => [`${/^[uo]/.test(unit) ? ten.slice(0, -1) : ten}${unit}`, `${ten} ${unit}`],
  },
  {
    units: 'zero um|uma dois|duas tres quatro cinco seis|meia sete oito nove',
    teens: [
      'dez onze doze treze catorze|quatorze quinze dezesseis|dezasseis dezessete|dezassete dezoito',
      'dezenove|dezanove',
    ].join(' '),
    tens: 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
    join: withWord('e'),
  },
  {
    units: 'nul een twee drie vier vijf zes zeven acht negen',
    teens: 'tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
    tens: 'twintig dertig veertig vijftig zestig zeventig tachtig negentig',
    join: (ten, unit) => [`${unit}en${ten}`, `${unit} en ${ten}`],
  },
  {
    units: 'zero jeden dwa trzy cztery piec szesc siedem osiem dziewiec',
    teens: [
      'dziesiec jedenascie dwanascie trzynascie czternascie pietnascie szesnascie siedemnascie osiemnascie',
      'dziewietnascie',
    ].join(' '),
    tens: [
      'dwadziescia trzydziesci czterdziesci piecdziesiat szescdziesiat siedemdziesiat osiemdziesiat',
      'dziewiecdziesiat',
    ].join(' '),
    join: spaced,
  },
  {
    units: 'ноль|нуль один|одна два|две три четыре пять шесть семь восемь девять',
    teens: [
      'десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать',
      'девятнадцать',
    ].join(' '),
    tens: 'двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто',
    join: spaced,
  },
  { units: 'noll ett tva tre fyra fem sex sju atta nio' },
  { units: 'sıfır bir iki uc dort bes altı yedi sekiz dokuz' },
];

const repetitionWords = [
  [
    2,
    'double doppel doppelt doppelte zweimal zwei_mal deux_fois doble dos_veces doppio doppia due_volte duplo duas_vezes',
  ],
  [2, 'dubbel dubbele twee_keer twee_maal podwojne dwa_razy дважды два_раза'],
  [3, 'triple treble dreifach dreimal drei_mal trois_fois tres_veces triplo tripla tre_volte tres_vezes'],
  [3, 'driedubbel driemaal drie_keer trzy_razy трижды три_раза'],
  [4, 'quadruple viermal vier_mal quatre_fois cuatro_veces quattro_volte quatro_vezes vier_keer'],
] as const;

interface Tables {
  readonly numbers: ReadonlyMap<string, string>;
  readonly repetitions: ReadonlyMap<string, number>;
  /** All that a longer phrase can begin with. */
  readonly beginnings: ReadonlySet<string>;
}

const longestPhrase = 5;

/** In a list, `|` is between words that mean the same, and `_` within a phrase. */
const listOf = (words = ''): readonly (readonly string[])[] =>
  words === '' ? [] : words.split(' ').map((word) => word.replaceAll('_', ' ').split('|'));

const numbersOf = ({
  units,
  teens,
  tens,
  join = spaced,
  others = '',
}: Language): readonly (readonly [string, string])[] => {
  const named = (words: string | undefined, digitsOf: (index: number) => string) =>
    listOf(words).flatMap((same, index) => same.map((word) => [word, digitsOf(index)] as const));
  const joined = named(tens, (index) => String(index + 2)).flatMap(([ten, first]) =>
    named(units, String)
      .filter(([, second]) => second !== '0')
      .flatMap(([unit, second]) => join(ten, unit).map((phrase) => [phrase, first + second] as const)),
  );
  const own = others.split(' ').map((other) => other.replaceAll('_', ' ').split('=') as [string, string]);
  return [
    ...joined,
    ...named(units, String),
    ...named(teens, (index) => `1${index}`),
    ...named(tens, (index) => `${index + 2}0`),
    ...(others === '' ? [] : own),
  ];
};

const makeTables = (): Tables => {
  // Of two languages with one word, the first counts.
  const numbers = new Map(languages.toReversed().flatMap(numbersOf));
  const repetitions = new Map(
    repetitionWords.flatMap(([times, words]) => listOf(words).map(([word = '']) => [word, times] as const)),
  );
  const phrases = [...numbers.keys(), ...repetitions.keys()].map((phrase) => phrase.split(' '));
  const beginnings = phrases.flatMap((words) => words.slice(1).map((_, index) => words.slice(0, index + 1).join(' ')));
  return { numbers, repetitions, beginnings: new Set(beginnings) };
};

let tables: Tables | undefined;

/** A cheap first look: whether the text has some number word. It may say so of a text that has none. */
export const mayHoldNumberWords = (text: string): boolean => {
  someWord ??= new RegExp(
    `(?<!\\p{L})(?:${languages
      .flatMap(({ units }) => units.split(/[ |]/))
      .filter((word) => word.length > 2)
      .join('|')})(?!\\p{L})|${tensEndings}`,
    'iu',
  );
  return someWord.test(isAscii.test(text) ? text : bareWord(text));
};

const tensEndings =
  '(?:ty|teen|[zßst]ig|nt[aei](?:\\p{L}{3,7})?|vingts?|veinti\\p{L}{2,6}|dzies\\p{L}{2,3}|дцать|десят)(?!\\p{L})';
let someWord: RegExp | undefined;
const isAscii = /^[\0-\x7f]*$/;
