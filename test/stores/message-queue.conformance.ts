import { describe, expect, test } from 'vitest';
import { checksOfQueue } from '../../src/dev/testing/queue-checks.ts';
import type { Handled, Lease, MessageQueueWithAdmin, QueuedMessage } from '../../src/stores/ports/message-queue.ts';
import { eventually, until } from '../support/until.ts';
import fc from '../support/fast-check.ts';
import { createVirtualClock, virtualTime } from '../support/virtual-clock.ts';

/** A queue to test, and the time that it goes by. */
export interface QueueUnderTest {
  /** Opens one that holds nothing. */
  readonly open: () => MessageQueueWithAdmin | Promise<MessageQueueWithAdmin>;
  /** How long ids are kept. */
  readonly keepDoneMs: number;
  /** A lease that this engine can end within the test. */
  readonly leaseMs: number;
  /** Lets so much time pass: on a virtual clock at once, on a server's really. */
  readonly pass: (ms: number) => Promise<void>;
  /** How often a property is tried. */
  readonly numRuns: number;
}

/** Queues on a virtual clock. */
export const onVirtualClock = (open: QueueUnderTest['open']): QueueUnderTest => ({
  open: () => {
    createVirtualClock();
    return open();
  },
  pass: virtualTime.pass,
  keepDoneMs: 86_400_000,
  leaseMs: 10_000,
  numRuns: 30,
});

/** What every message queue must do, and what each of this package does besides. */
export const messageQueueConformance = (name: string, under: QueueUnderTest): void => {
  const { open, leaseMs, pass, keepDoneMs, numRuns } = under;
  const using = async (work: (queue: MessageQueueWithAdmin) => Promise<void>) => {
    const queue = await open();
    try {
      await work(queue);
    } finally {
      await queue.close(0);
    }
  };

  describe(`${name} as a message queue`, () => {
    const checks = checksOfQueue({ open, admin: true, leaseMs, keepDoneMs, pass, timeoutMs: 60_000 });
    test.each(checks)('$name', async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    });

    test('refuses a selection or a page that a misspelt name would make one of all', () =>
      using(async (queue) => {
        const wrong: readonly (readonly [object, string])[] = [
          [{ since: 0, gruop: 'g' }, 'gruop is not an option: did you mean group?'],
          [{ group: 'g' }, 'since must be a moment'],
          [{ ids: 'a' }, 'ids must be a list of ids'],
        ];
        for (const [which, problem] of wrong) {
          await expect(queue.admin.redrive(which as never)).rejects.toThrow(problem);
          await expect(queue.admin.discard(which as never)).rejects.toThrow(problem);
        }
        await expect(queue.admin.deadLetters({ gruop: 'g' } as never)).rejects.toThrow('gruop is not an option');
        const options = { groups: { g: 1 }, leaseMs: 1_000, maximumAttempts: 1 };
        expect(() => queue.consume({ ...options, onEror: () => {} } as never, done)).toThrow('onEror is not an option');
      }));

    test('an end in another word is an attempt that failed', () =>
      using(async (queue) => {
        const errors: unknown[] = [];
        await queue.enqueue([message('a')]);
        const onError = (error: unknown) => errors.push(error);
        const options = { groups: { g: 1 }, leaseMs, maximumAttempts: 1, onError };
        const worker = queue.consume(options, async () => ({ type: 'Done' }) as never);
        await eventually(async () => (await queue.admin.stats()).dead === 1);
        await worker.close(0);

        expect(errors.map(String)).toEqual([expect.stringContaining("type must be 'done', 'retry-at' or 'dead'")]);
      }));

    test.each(['', '\ud83d'])('stores all messages of one call or none: one has the id %j', (id) =>
      using(async (queue) => {
        const broken = { id, group: 'g', payload: 1 };

        await expect(queue.enqueue([message('a'), broken])).rejects.toMatchObject({ field: 'id' });

        expect(await queue.admin.get('a')).toBeUndefined();
      }),
    );

    test('refuses a group whose name is half a character', () =>
      using(async (queue) => {
        const consume = () => queue.consume({ groups: { '\ud83d': 1 }, leaseMs: 1, maximumAttempts: 1 }, done);
        expect(consume).toThrow(expect.objectContaining({ field: 'group' }));
      }));

    test('after closing everything is refused with the error of a store', async () => {
      const queue = await open();
      await queue.close(0);

      for (const asked of [
        () => queue.enqueue([message('a')]),
        queue.admin.stats,
        () => queue.admin.redrive({ since: 0 }),
      ])
        await expect(asked()).rejects.toMatchObject({ code: 'store_failed' });
      expect(() => queue.consume({ groups: { g: 1 }, leaseMs: 1, maximumAttempts: 1 }, done)).toThrow('closed');
    });

    test('whatever two workers do and however long they take, one message is never held twice', () =>
      using(async (queue) => {
        let runs = 0;
        const step = fc.constantFrom('finish', 'try again', 'give up', 'run out of time', 'end too late');
        const steps = fc.array(step, { minLength: 1, maxLength: 20 });
        const property = fc.asyncProperty(steps, async (steps) => {
          runs += 1;
          const id = `run${runs}`;
          const options = { groups: { [id]: 5 }, leaseMs, maximumAttempts: 100 };
          await queue.enqueue([message(id, id)]);
          const workers = [work(queue, options), work(queue, options)];
          const settled = new Set<Lease>();
          const given = () => workers.flatMap((worker) => worker.leases.map((lease, at) => ({ worker, lease, at })));
          const held = () => given().filter(({ lease }) => !lease.signal.aborted && !settled.has(lease));
          let state = 'waiting';

          for (const what of steps) {
            if (state === 'waiting') state = await until(() => held().length > 0 && 'leased');
            expect(held()).toHaveLength(1);
            const [holder] = held();
            if (what === 'run out of time') {
              const before = given().length;
              await pass(leaseMs);
              await until(() => given().length > before);
            } else if (what === 'end too late') {
              const lost = given().find(({ lease }) => lease.signal.aborted);
              lost?.worker.end(lost.at, { type: 'done' });
            } else if (holder) {
              settled.add(holder.lease);
              holder.worker.end(holder.at, ends[what](Date.now()));
              state = what === 'finish' ? 'done' : what === 'give up' ? 'dead' : 'waiting';
            }
            if (state === 'done' || state === 'dead') break;
          }
          await eventually(async () => state !== 'waiting' || held().length > 0);
          const kept = async () => (await queue.admin.get(id))?.state ?? 'done';
          await eventually(async () => state === 'waiting' || (await kept()) === state);
          await Promise.all(workers.map(({ consumer }) => consumer.close(0)));

          const end = state === 'leased' ? 'waiting' : state;
          expect(await kept()).toBe(end);
        });
        await fc.assert(property, { numRuns });
      }));
  });
};

const message = (id: string, group = 'g'): QueuedMessage => ({ id, group, payload: null });

const done = async (): Promise<Handled> => ({ type: 'done' });

const ends = {
  finish: (): Handled => ({ type: 'done' }),
  'give up': (): Handled => ({ type: 'dead', reason: 'no' }),
  'try again': (at: number): Handled => ({ type: 'retry-at', at, uncounted: true }),
};

/** A consumer whose handlers end when the test says so. */
const work = (queue: MessageQueueWithAdmin, options: Parameters<MessageQueueWithAdmin['consume']>[0]) => {
  const leases: Lease[] = [];
  const ends: ((handled: Handled) => void)[] = [];
  const consumer = queue.consume(options, (_message, lease) => {
    leases.push(lease);
    return new Promise((resolve) => ends.push(resolve));
  });
  return { leases, consumer, end: (index: number, handled: Handled) => ends[index]?.(handled) };
};
