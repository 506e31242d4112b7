import type { Day, End, Month } from './platform.ts';

/** Returns the ends until so many days after `today`, past ones included. */
export const endsWithin = (days: number, ends: readonly End[], today: Date): readonly End[] =>
  ends.filter(({ on }) => Date.parse(on) - today.getTime() <= days * dayMs);

/** Such as "ended on 2026-10-26" or "end in 2027-09". */
export const endPhrase = ({ on }: End, today: Date): string =>
  `${Date.parse(on) <= today.getTime() ? 'ended' : 'end'} ${isDay(on) ? 'on' : 'in'} ${on}`;

const isDay = (on: Day | Month): boolean => on.length > 'yyyy-mm'.length;

const dayMs = 24 * 60 * 60_000;
