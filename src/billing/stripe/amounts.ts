/**
 * The decimals that Stripe counts in a currency: `1999` is 19.99 euros, 1999 yen, or 1.999 dinars. Two, but for those
 * Source: docs.stripe.com/currencies, "Zero-decimal currencies", "Three-decimal currencies", "Special cases".
 */
const decimalsOf = (currency: string): number => decimals.get(currency.toUpperCase()) ?? 2;

const decimals: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3] as const),
]);

/**
 * The decimals that an amount may have. The last of a dinar's three must be 0. ISK and UGX have none in
 * use, and Stripe counts two all the same.
 */
export const usableDecimalsOf = (currency: string): number =>
  /^(?:ISK|UGX)$/i.test(currency) ? 0 : Math.min(decimalsOf(currency), 2);

/** Cents to euros. */
export const toMajor = (minor: number, currency: string): number => minor / 10 ** decimalsOf(currency);

/** Euros to cents. */
export const toMinor = (major: number, currency: string): number => Math.round(major * 10 ** decimalsOf(currency));
