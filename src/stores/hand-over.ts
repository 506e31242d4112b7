import { StoreError } from '../core/errors.ts';
import { settleWithin } from '../core/timers.ts';

/** Neither a server that stops nor the sender of a webhook waits for an engine that doesn't answer. */
const longestSendMs = 10_000;

/** Gives data to an engine of the application's own, by the function of the `option`. Rejects as it does, or after 10 seconds. */
export const handOver = async <Data extends object>(
  option: string,
  send: (data: Data) => Promise<unknown>,
  data: Data,
): Promise<void> => {
  const late = () =>
    new StoreError(`${option} took more than ${longestSendMs / 1000} seconds: what it got may not be stored`, {
      outcome: 'unknown',
    });
  await settleWithin(async () => send(toPlain(data)), { deadline: longestSendMs, late });
};

/** Leaves out fields that are `undefined`, and writes dates as texts: what an engine or a queue stores. */
export const toPlain = <Data extends object>(data: Data): Data => JSON.parse(JSON.stringify(data)) as Data;
