import { type Checked, findingsAbout } from './findings.ts';

/** The times of a request and its answer by this machine, and the answer's `Date`. */
export interface DatedAnswer {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly date: string;
}

/** Returns how far this machine's clock is ahead, in milliseconds; `undefined` if no answer shows it. */
export const clockSkewMs = (answers: readonly DatedAnswer[]): number | undefined => {
  const skews = answers.flatMap(({ sentAt, receivedAt, date }) => {
    // The header has only whole seconds: half a second is the likeliest rest.
    const there = Date.parse(date) + 500;
    return Number.isNaN(there) ? [] : [(sentAt + receivedAt) / 2 - there];
  });
  return skews.toSorted((a, b) => a - b)[Math.floor(skews.length / 2)];
};

/** The time by which this machine's clock is ahead of an API's. */
export interface ClockSkew {
  readonly api: string;
  readonly skewMs: number | undefined;
}

/** Returns a finding for each API whose answers have a time. If one of them agrees with this machine, the others are wrong. */
export const clockFindings = (skews: readonly ClockSkew[]): readonly Checked[] => {
  const known = skews.flatMap(({ api, skewMs }) => (skewMs === undefined ? [] : [{ api, skewMs }]));
  const isOurs = !known.some(({ skewMs }) => Math.abs(skewMs) < warningAtMs);
  return known.map(({ api, skewMs }) => clockFinding(api, skewMs, isOurs));
};

const clockFinding = (api: string, skewMs: number, isOurs: boolean): Checked => {
  const { ok, warning, problem } = findingsAbout(api);
  const distance = Math.abs(skewMs);
  if (distance < warningAtMs) return ok('clock', "your clock and the API's agree");
  const seconds = Math.round(distance / 1000);
  if (!isOurs) {
    const message = `the API's clock is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} yours, which agrees with another API's`;
    return warning('clock', message, 'it may refuse signed assertions: ask its support');
  }
  const message = `this machine's clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the API's`;
  const fix = 'set the clock, such as by NTP';
  if (distance < problemAtMs) return warning('clock', message, fix);
  return problem('clock', `${message}: signed assertions and webhook signatures will be refused`, fix);
};

const warningAtMs = 5_000;

/** Some servers allow for no more: they refuse a signed assertion from the future. */
const problemAtMs = 30_000;
