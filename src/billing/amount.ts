/** An amount of money as an answer or an argument names it. */
interface NamedAmount {
  readonly amount: number;
  /** A code of three letters in capitals, if it names one. */
  readonly currency: string | undefined;
}

/**
 * Reads an amount: a number, a text such as `20.00`, `20,00`, `1,250.00` or `EUR 20`, or an object. An object has a
 * `value` or an `amount`, and a `currency`. Returns `undefined` for what can't be read for certain.
 */
export const readAmount = (value: unknown): NamedAmount | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? { amount: value, currency: undefined } : undefined;
  if (typeof value === 'string') return amountIn(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const { value: own, amount = own, currency } = value as Readonly<Record<string, unknown>>;
  const inner = typeof amount === 'object' ? undefined : readAmount(amount);
  return inner && { ...inner, currency: currencyCode(currency) ?? inner.currency };
};

/** The code of a currency, in capitals. */
export const currencyCode = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z]{3}$/.test(value) ? value.toUpperCase() : undefined;

const amountIn = (text: string): NamedAmount | undefined => {
  const [, before = '', digits = '', after = ''] = withUnits.exec(text.trim()) ?? [];
  const plain = forms.find(({ form }) => form.test(digits))?.toPlain(digits);
  if (plain === undefined || (before && after)) return undefined;
  return { amount: Number(plain), currency: currencyCode(before || after) };
};

/** A code or a sign of a currency comes before the number or after it. */
const withUnits = /^([A-Za-z]{3}|\p{Sc})?\s*([-\d][\d.,'’\s]*?)\s*([A-Za-z]{3}|\p{Sc})?$/u;

/** A point with any number of decimals, and a comma with up to two, are the decimal mark. Groups have three digits. */
const forms: readonly { readonly form: RegExp; readonly toPlain: (digits: string) => string }[] = [
  { form: /^-?\d+(?:\.\d+)?$/, toPlain: (digits) => digits },
  { form: /^-?\d+,\d{1,2}$/, toPlain: (digits) => digits.replace(',', '.') },
  { form: /^-?\d{1,3}(?:[,'’\s]\d{3})+(?:\.\d+)?$/, toPlain: (digits) => digits.replaceAll(/[^\d.-]/g, '') },
  {
    form: /^-?\d{1,3}(?:[.'’\s]\d{3})+,\d+$/,
    toPlain: (digits) => digits.replaceAll(/[^\d,-]/g, '').replace(',', '.'),
  },
];

/** The sum of amounts, without the noise of floating point: 0.1 and 0.2 are 0.3. */
export const sumOf = (amounts: readonly number[]): number =>
  Number(amounts.reduce((total, amount) => total + amount, 0).toPrecision(15));

/**
 * The decimals of a currency: two for euros, none for yen, three for dinars. Two for a code that no one knows.
 * Source: ISO 4217, list one. `Intl` leaves out decimals that people no longer use, and APIs count them: pesos have two.
 */
export const decimalsOf = (currency: string): number => decimals.get(currency.toUpperCase()) ?? 2;

const decimals: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
]);

/** `1250` cents are `12.50`, and 1250 yen `1250`. */
export const inMajor = (amount: number, currency: string): string => {
  const decimals = decimalsOf(currency);
  return (amount / 10 ** decimals).toFixed(decimals);
};
