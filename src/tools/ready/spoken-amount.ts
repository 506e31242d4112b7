import { decimalsOf, inMajor } from '../../billing/amount.ts';

/** An amount of money, as people say it. */
interface Money {
  readonly amount: number;
  readonly currency: string;
  readonly unit: 'major' | 'minor';
}

/** Returns an amount in English words for ears: `120 euros and 50 cents`. */
export const spokenAmount = ({ amount, currency, unit }: Money): string => {
  const decimals = decimalsOf(currency);
  const major = unit === 'minor' ? amount / 10 ** decimals : amount;
  const digits = major.toFixed(decimals);
  // What is charged is what was said: nothing is rounded.
  if (Number(digits) !== major) return named(major, currency, decimals, mostDecimals);
  const whole = Math.trunc(major);
  if (whole === major) return named(whole, currency, 0);
  const coins = coinNames[currency.toUpperCase()];
  if (!coins) return named(major, currency, decimals);
  const rest = Number(digits.split('.')[1]);
  const small = `${rest} ${rest === 1 ? coins[0] : coins[1]}`;
  return whole === 0 ? small : `${named(whole, currency, 0)} and ${small}`;
};

/** Returns an amount for readers: `120.50 EUR`. `1250` cents are `12.50`, and 1250 yen `1250`. */
export const writtenAmount = ({ amount, currency, unit }: Money): string =>
  `${unit === 'minor' ? inMajor(amount, currency) : amount} ${currency.toUpperCase()}`;

/** More than an amount may have. */
const mostDecimals = 20;

const named = (amount: number, currency: string, decimals: number, most = decimals): string =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'name',
    minimumFractionDigits: decimals,
    maximumFractionDigits: most,
  }).format(amount);

const cents = ['cent', 'cents'] as const;

/** The names of hundredths; other currencies are said with decimals. */
const coinNames: Readonly<Record<string, readonly [string, string] | undefined>> = {
  AUD: cents,
  CAD: cents,
  CHF: ['centime', 'centimes'],
  EUR: cents,
  GBP: ['penny', 'pence'],
  HKD: cents,
  NZD: cents,
  SGD: cents,
  USD: cents,
  ZAR: cents,
};
