import { systemClock } from '../../clock.ts';
import { answeredWithin } from '../answered-within.ts';

/** What the server answers, or `StoreError` when it fails or does not answer in time. */
export type Answered = <T>(answer: Promise<T>) => Promise<T>;

/** Servers live by the machine's time, whatever clock the queue goes by. */
export const createAnswered =
  (server: string, ms: number): Answered =>
  (answer) =>
    answeredWithin(answer, { server, ms, clock: systemClock });

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    systemClock.setTimer(resolve, ms);
  });
