import { deadlineIn } from '../../src/http/deadline.ts';
import type { Operation } from '../../src/http/operation.ts';
import type { Process } from './processes.ts';
import { exponential, randomFrom } from './random.ts';

export interface PhoneCallOptions {
  /** At any time; one that ends is followed by another one. */
  readonly count: number;
  readonly seed: number;
  readonly processes: readonly Process[];
  /** Which process carries the phone call of this number. @defaultValue each in turn */
  readonly processOf?: (phoneCall: number) => number;
  /** From the end of a turn to the next one that needs the API, on average: at any moment with the same chance. */
  readonly pauseMs: number;
  /** The same after a turn that got no answer. @defaultValue as after any other */
  readonly pauseAfterFailureMs?: number;
  /** For the read of a turn. @defaultValue 8000 */
  readonly budgetMs?: number;
  readonly untilMs: number;
}

/** One turn of a phone call that needed the API. */
export interface Turn {
  readonly startedAt: number;
  /** Until the model has its answer, or knows that there is none. */
  readonly tookMs: number;
  readonly isAnswered: boolean;
}

/** The turns appear in it as they end. */
export const startPhoneCalls = (options: PhoneCallOptions): readonly Turn[] => {
  const { count, seed, processes, pauseMs, budgetMs = 8_000, untilMs } = options;
  const { pauseAfterFailureMs = pauseMs, processOf = (phoneCall) => phoneCall % processes.length } = options;
  const turns: Turn[] = [];

  const carry = (phoneCall: number) => {
    const random = randomFrom(seed + phoneCall);
    const process = processes[processOf(phoneCall)];

    const takeTurn = async () => {
      const startedAt = performance.now();
      const isAnswered = process !== undefined && (await read(process, startedAt));
      turns.push({ startedAt, tookMs: performance.now() - startedAt, isAnswered });
      pause(isAnswered ? pauseMs : pauseAfterFailureMs);
    };

    const read = async ({ client }: Process, startedAt: number): Promise<boolean> => {
      const deadline = deadlineIn(budgetMs);
      try {
        await client.request(contactRead(`${phoneCall}-${startedAt}`), { deadline });
        return true;
      } catch {
        return false;
      }
    };

    const pause = (meanMs: number) => {
      const ms = exponential(meanMs, random);
      if (performance.now() + ms < untilMs) setTimeout(() => void takeTurn(), ms);
    };
    pause(pauseMs);
  };

  for (let phoneCall = 0; phoneCall < count; phoneCall += 1) carry(phoneCall);
  return turns;
};

const contactRead = (id: string): Operation<boolean> => ({
  operation: 'messaging.contacts.get',
  method: 'GET',
  path: `/contacts/${id}`,
  returns: () => true,
});
