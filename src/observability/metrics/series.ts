/** One value for each combination of labels. */
export interface Series<Labels extends object, Value> {
  /** The value for these labels; beyond the limit, the one that all other combinations share. */
  of(labels: Labels): Value;
  entries(): readonly (readonly [labels: Labels, value: Value])[];
}

/**
 * Keeps one value for each combination of labels, at most `maximum`. New ones then share `other`, so that names from
 * outside can't fill the memory.
 */
export const createSeries = <Labels extends Readonly<Record<string, string | undefined>>, Value>(
  create: () => Value,
  { maximum, other }: { readonly maximum: number; readonly other: Labels },
): Series<Labels, Value> => {
  const byKey = new Map<string, readonly [Labels, Value]>();
  const add = (key: string, labels: Labels): Value => {
    const value = create();
    byKey.set(key, [labels, value]);
    return value;
  };
  return {
    of: (labels) => {
      // Names don't contain this character, and joining is cheaper than JSON.
      const key = Object.values(labels).join('\u0000');
      const known = byKey.get(key);
      if (known) return known[1];
      if (byKey.size < maximum) return add(key, labels);
      return byKey.get(otherKey)?.[1] ?? add(otherKey, other);
    },
    entries: () => [...byKey.values()],
  };
};

const otherKey = 'other';

/** Counts by word. After the first 50 words, new ones are counted as `other`. */
export interface Tally {
  add(word: string, by?: number): void;
  read(): Readonly<Record<string, number>>;
}

export const createTally = (): Tally => {
  const counts = new Map<string, number>();
  return {
    add: (word, by = 1) => {
      const kept = counts.has(word) || counts.size < mostWords ? word : 'other';
      counts.set(kept, (counts.get(kept) ?? 0) + by);
    },
    read: () => Object.fromEntries(counts),
  };
};

const mostWords = 50;
