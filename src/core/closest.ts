/** The name that was probably meant; `undefined` when none is near. */
export const closest = (typed: string, names: readonly string[]): string | undefined => {
  const [best] = names
    .map((name) => ({ name, distance: distanceOf(typed.toLowerCase(), name.toLowerCase()) }))
    // Of two that are as near, the one of the same length: letters are swapped more often than left out.
    .toSorted((a, b) => a.distance - b.distance || lengthGap(a.name, typed) - lengthGap(b.name, typed));
  if (!best) return undefined;
  const length = Math.max(typed.length, best.name.length);
  const isNear = best.distance < length && best.distance <= (length <= 3 ? 1 : Math.max(2, Math.floor(length / 3)));
  return isNear ? best.name : undefined;
};

const lengthGap = (a: string, b: string): number => Math.abs(a.length - b.length);

/** Counts the letters to add, take away, change or swap with the next (Damerau-Levenshtein). */
const distanceOf = (a: string, b: string): number => {
  let twoAbove: readonly number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 0; row < a.length; row++) {
    const current = [row + 1];
    for (let column = 0; column < b.length; column++) {
      const isSwapped = column > 0 && a[row] === b[column - 1] && a[row - 1] === b[column];
      current.push(
        Math.min(
          (above[column] ?? 0) + (a[row] === b[column] ? 0 : 1),
          (above[column + 1] ?? 0) + 1,
          (current[column] ?? 0) + 1,
          isSwapped ? (twoAbove[column - 1] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [twoAbove, above] = [above, current];
  }
  return above.at(-1) ?? 0;
};
