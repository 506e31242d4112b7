/** The name that was probably meant; `undefined` when none is near. */
export const closest = (typed: string, names: readonly string[]): string | undefined => {
  const [best] = names
    .map((name) => ({ name, distance: distanceOf(typed, name) }))
    .toSorted((a, b) => a.distance - b.distance);
  if (!best) return undefined;
  const length = Math.max(typed.length, best.name.length);
  return best.distance <= Math.max(2, Math.floor(length / 3)) ? best.name : undefined;
};

/** How many letters have to be added, taken away or changed (Levenshtein). */
const distanceOf = (a: string, b: string): number => {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [row, letter] of a.split('').entries()) {
    const current = [row + 1];
    for (const [column, other] of b.split('').entries()) {
      const changed = (above[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(changed, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    above = current;
  }
  return above.at(-1) ?? 0;
};
