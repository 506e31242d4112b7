/** The value below which this share of all lies; not a number when there are none. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
};

/** The most of these moments, in the order of time, that lie in any window of `perMs`. */
export const mostWithin = (perMs: number, moments: readonly number[]): number => {
  let oldest = 0;
  let most = 0;
  for (const [index, at] of moments.entries()) {
    while ((moments[oldest] ?? at) <= at - perMs) oldest += 1;
    most = Math.max(most, index - oldest + 1);
  }
  return most;
};

/** How many moments lie in each step of `stepMs` from `fromMs` to `untilMs`. */
export const perStep = (
  moments: readonly number[],
  { stepMs, fromMs, untilMs }: { readonly stepMs: number; readonly fromMs: number; readonly untilMs: number },
): readonly number[] => {
  const counts = Array.from({ length: Math.ceil((untilMs - fromMs) / stepMs) }, () => 0);
  for (const at of moments) {
    const step = Math.floor((at - fromMs) / stepMs);
    const count = counts[step];
    if (count !== undefined) counts[step] = count + 1;
  }
  return counts;
};

export const between = (moments: readonly number[], fromMs: number, untilMs: number): readonly number[] =>
  moments.filter((at) => at >= fromMs && at < untilMs);

export const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length;
