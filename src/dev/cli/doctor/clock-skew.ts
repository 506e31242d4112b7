import { type Finding, findingsAbout } from './finding.ts';

/** When a request left and its answer came, by this machine, and what the answer's `Date` says. */
export interface DatedAnswer {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly date: string;
}

/** How far this machine's clock is ahead, in milliseconds; `undefined` when no answer shows it. */
export const clockSkewMs = (answers: readonly DatedAnswer[]): number | undefined => {
  const skews = answers.flatMap(({ sentAt, receivedAt, date }) => {
    // The header has only whole seconds: half a second is the likeliest rest.
    const there = Date.parse(date) + 500;
    return Number.isNaN(there) ? [] : [(sentAt + receivedAt) / 2 - there];
  });
  return skews.toSorted((a, b) => a - b)[Math.floor(skews.length / 2)];
};

/** What a difference of the clocks breaks. */
export const clockFinding = (about: string, skewMs: number): Finding => {
  const { ok, warning, problem } = findingsAbout(about);
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const said = `this machine's clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the API's`;
  const fix = 'set the clock, such as by NTP';
  if (Math.abs(skewMs) >= problemAtMs)
    return problem('clock', `${said}: signed assertions and webhook signatures will be refused`, fix);
  if (Math.abs(skewMs) >= warningAtMs) return warning('clock', said, fix);
  return ok('clock', "your clock and the API's agree");
};

const warningAtMs = 5_000;

/** Assertions live for minutes, and a server that allows for no difference refuses one from the future. */
const problemAtMs = 60_000;
