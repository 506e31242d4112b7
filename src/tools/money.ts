/** Sums of money, exact: added up in the smallest unit. */
export interface Money {
  sum(amounts: readonly number[]): number;
  /** What is left of an amount; may be negative. */
  subtract(amount: number, others: readonly number[]): number;
}

/** @param minorUnits how many decimals an amount has */
export const moneyWith = (minorUnits: number): Money => {
  const unit = 10 ** minorUnits;
  const toMinor = (amount: number) => Math.round(amount * unit);
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + toMinor(amount), 0);
  return {
    sum: (amounts) => sum(amounts) / unit,
    subtract: (amount, others) => (toMinor(amount) - sum(others)) / unit,
  };
};
