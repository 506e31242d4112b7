import type { Measures } from './source.ts';

/** By the name of a measure: where it should get to, and what it may not exceed. Absent for what only informs. */
export type Goals = Readonly<Record<string, { readonly goal: number; readonly limit: number }>>;

/** A line of the table. */
export interface Row {
  readonly measured: number;
  readonly goal?: number | undefined;
  readonly limit?: number | undefined;
  readonly result: 'reached' | 'not yet' | 'above its limit' | '';
}

/** Compares each measure with its goal and limit. Throws for a goal of something that isn't measured. */
export const rowsOf = (measures: Measures, goals: Goals): Readonly<Record<string, Row>> => {
  const lost = Object.keys(goals).filter((name) => !(name in measures));
  if (lost.length > 0) throw new Error(`Goals of what isn't measured: ${lost.join('; ')}`);
  return Object.fromEntries(
    Object.entries(measures).map(([name, measured]) => {
      const { goal, limit } = goals[name] ?? {};
      if (goal === undefined || limit === undefined) return [name, { measured, result: '' }];
      const result = measured > limit ? 'above its limit' : measured > goal ? 'not yet' : 'reached';
      return [name, { measured, goal, limit, result }];
    }),
  );
};

/** Returns the goals with each limit that is above its measure lowered to it. */
export const loweredLimits = (measures: Measures, goals: Goals): Goals =>
  Object.fromEntries(
    Object.entries(goals).map(([name, { goal, limit }]) => [
      name,
      { goal, limit: Math.min(limit, measures[name] ?? limit) },
    ]),
  );
