import type { Job, Processor } from 'bullmq';
import { expect, test, vi } from 'vitest';
import type { Handled } from '../../../src/ports/message-queue.ts';
import { startBullmqConsumer } from '../../../src/stores/bullmq/consumer.ts';
import { type JobData, jobIdOf } from '../../../src/stores/bullmq/job.ts';
import type { Server } from '../../../src/stores/bullmq/server.ts';

const retry: Handled = { type: 'retry-at', at: 0 };
const dead: Handled = { type: 'dead', reason: 'client_error' };
const done: Handled = { type: 'done' };

const job = (given: { readonly attemptsMade: number; readonly stalledCounter: number }) => {
  const made: Partial<Job<JobData>> = {
    id: jobIdOf('m'),
    data: { payload: '{}' },
    timestamp: 0,
    updateData: async () => {},
    ...given,
  };
  return made as Job<JobData>;
};

/** A consumer whose server takes what a job came to and whose answer never arrives: no event says so. */
const startWithoutAnswers = async (handled: Handled) => {
  const opened = Promise.withResolvers<Processor<JobData>>();
  const worker: Server['worker'] = (_group, process) => {
    opened.resolve(process);
    return { on: () => undefined, close: async () => {}, cancelJob: () => true, cancelAllJobs: () => {} };
  };
  const server: Partial<Server> = { worker, close: async () => {} };
  const handle = vi.fn(async () => handled);
  const consumer = startBullmqConsumer(
    { open: async () => server as Server, pollMs: 5_000, timeoutMs: 100 },
    { groups: { g: 1 }, concurrency: 1, leaseMs: 60_000, maximumAttempts: 6, onError: () => {} },
    handle,
  );
  const process = await opened.promise;
  const take = async (each: Job<JobData>) => process(each, 'token').catch(() => undefined);
  return { take, handle, close: () => consumer.close(0) };
};

test.each<[string, Handled, number]>([
  ['the next attempt of a message', retry, 1],
  ['a dead letter that was redriven', dead, 0],
])('%s is handled, although the answer to its last end was lost', async (_what, handled, attemptsMade) => {
  const { take, handle, close } = await startWithoutAnswers(handled);
  await take(job({ attemptsMade: 0, stalledCounter: 0 }));
  await take(job({ attemptsMade, stalledCounter: 0 }));
  await close();
  expect(handle).toHaveBeenCalledTimes(2);
});

test.each<[string, Handled]>([
  ['was done', done],
  ['failed', retry],
  ['died', dead],
])(
  'a message that %s is not handled again when it stalls because the server never learned of it',
  async (_how, handled) => {
    const { take, handle, close } = await startWithoutAnswers(handled);
    await take(job({ attemptsMade: 0, stalledCounter: 0 }));
    await take(job({ attemptsMade: 0, stalledCounter: 1 }));
    await close();
    expect(handle).toHaveBeenCalledTimes(1);
  },
);
