import { readSaidNumber, unreadNumber } from './steps/caller-number.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { Report } from '../tools/on-error.ts';

/** Reads a number without a country code, as a telephone platform says it. Returns it in E.164, or `undefined`. */
export type ReadPhone = (said: string) => string | undefined;

/** The number of the line in E.164; `undefined` where it isn't certain. Reports all but a withheld one, and never throws. */
export const readLinePhone = (
  said: unknown,
  {
    callId,
    readPhone,
    report,
  }: { readonly callId: string; readonly readPhone: ReadPhone | undefined; readonly report: Report },
): string | undefined => {
  const number = readSaidNumber(said);
  if (number.is === 'number') return number.phone;
  const tell = (error: InvalidArgumentError | undefined) => {
    if (error) report(error, { part: 'phone-call', callId });
  };
  if (number.is !== 'national' || !readPhone) {
    tell(unreadNumber(number, callId, "give createIntegration readPhone: phoneReader({ defaultCountry: 'US' })"));
    return undefined;
  }
  const wrong = (problem: string, cause?: unknown) =>
    new InvalidArgumentError('readPhone', problem, {
      message: `readPhone ${problem}: the caller of call ${callId} counts as unknown`,
      cause,
    });
  try {
    const answer: unknown = readPhone(number.text);
    const read = readSaidNumber(answer);
    if (read.is === 'number') return read.phone;
    if (answer !== undefined && answer !== null) tell(wrong('must return a number in E.164, or undefined'));
  } catch (error) {
    tell(wrong('threw an error', error));
  }
  return undefined;
};
