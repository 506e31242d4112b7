/** A group that may give more, how much of it may be leased, and how much it is worth asking it for at once. */
export interface Claimant {
  readonly group: string;
  readonly place: number;
  readonly appetite: number;
}

/** Divides `places` among groups, those that stand first before the others when there are not enough. */
export const share = (claimants: readonly Claimant[], places: number): ReadonlyMap<string, number> => {
  const each = Math.max(1, Math.floor(places / Math.max(1, claimants.length)));
  const shares = new Map<string, number>();
  let left = places;
  for (const { group, place, appetite } of claimants) {
    const count = Math.min(place, appetite, each, left);
    if (count <= 0) continue;
    shares.set(group, count);
    left -= count;
  }
  return shares;
};
