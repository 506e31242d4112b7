/** Numbers from 0 up to 1 that are the same for the same seed. */
export type Random = () => number;

/** Mulberry32: 32 bits of state, good enough for arrivals and answer times. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** How long until the next of things that happen at any moment with the same chance. */
export const exponential = (meanMs: number, random: Random): number => -meanMs * Math.log(1 - random());

/** Times as networks and servers have them: most near the median, a few much longer. */
export const logNormal = (medianMs: number, spread: number, random: Random): number =>
  medianMs * Math.exp(spread * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
