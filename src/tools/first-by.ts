/** The first `count` of a list in an order, as sorting it would give them; a long list is not sorted for a few. */
export const firstBy = <Item>(
  list: readonly Item[],
  count: number,
  compare: (a: Item, b: Item) => number,
): readonly Item[] => {
  const first: Item[] = [];
  for (const item of list) {
    const last = first.at(-1);
    if (first.length >= count && (last === undefined || compare(item, last) >= 0)) continue;
    const place = first.findIndex((other) => compare(item, other) < 0);
    first.splice(place < 0 ? first.length : place, 0, item);
    if (first.length > count) first.pop();
  }
  return first;
};
