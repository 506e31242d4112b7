/** Numbers from a seed, the same on each machine. */
export const createRandom = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    chance: (of: number) => next() < of,
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
    below: (end: number) => Math.floor(next() * end),
  };
};

export type Random = ReturnType<typeof createRandom>;
