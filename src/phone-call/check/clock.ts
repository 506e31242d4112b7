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

/** Returns a finding about a difference of the clocks. */
export const clockFinding = (about: string, skewMs: number): Checked => {
  const { ok, warning, problem } = findingsAbout(about);
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const message = `this machine's clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the API's`;
  const fix = 'set the clock, such as by NTP';
  if (Math.abs(skewMs) >= problemAtMs)
    return problem('clock', `${message}: signed assertions and webhook signatures will be refused`, fix);
  if (Math.abs(skewMs) >= warningAtMs) return warning('clock', message, fix);
  return ok('clock', "your clock and the API's agree");
};

const warningAtMs = 5_000;

/** Some servers allow for no more: they refuse a signed assertion from the future. */
const problemAtMs = 30_000;
