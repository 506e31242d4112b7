import { describe, expect, test } from 'vitest';
import type { Handled, Lease, MessageQueueWithAdmin, QueuedMessage } from '../../src/stores/ports/message-queue.ts';
import { eventually, until } from '../support/until.ts';
import fc from '../support/fast-check.ts';

/** A queue to test, and the time that it goes by. */
export interface QueueUnderTest {
  readonly queue: MessageQueueWithAdmin;
  /** How long ids are kept. */
  readonly keepDoneMs: number;
  /** A lease that this engine can end within the test. */
  readonly leaseMs: number;
  readonly now: () => number;
  /** Lets so much time pass: on a virtual clock at once, on a server's really. */
  readonly advance: (ms: number) => Promise<void>;
  /** How far from the truth a time may be; 0 on a virtual clock. */
  readonly toleranceMs: number;
  /** How often a property is tried. */
  readonly numRuns: number;
  /** Removes what the queue has left behind. The queue itself is closed by then. */
  readonly remove?: () => Promise<void>;
}

/** A queue on a virtual clock. */
export const onVirtualClock = (
  clock: { advance(ms: number): Promise<void> },
  queue: MessageQueueWithAdmin,
  remove?: () => Promise<void>,
): QueueUnderTest => ({
  queue,
  keepDoneMs: 86_400_000,
  leaseMs: 10_000,
  now: () => Date.now(),
  advance: clock.advance,
  toleranceMs: 0,
  numRuns: 30,
  ...(remove && { remove }),
});

/** What every message queue must do, whatever it is made of. */
export const messageQueueConformance = (name: string, open: () => Promise<QueueUnderTest>): void => {
  const using = async (work: (under: QueueUnderTest) => Promise<void>) => {
    const under = await open();
    try {
      await work(under);
    } finally {
      await under.queue.close(0);
      await under.remove?.();
    }
  };

  describe(`${name} as a message queue`, () => {
    test('refuses a selection or a page that a misspelt name would make one of all', () =>
      using(async ({ queue }) => {
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
      using(async (under) => {
        const { queue } = under;
        const errors: unknown[] = [];
        await queue.enqueue([message('a', {})]);
        const options = { groups: { g: 1 }, leaseMs: under.leaseMs, maximumAttempts: 1 };
        const onError = (error: unknown) => errors.push(error);
        const worker = queue.consume({ ...options, onError }, async () => ({ type: 'Done' }) as never);
        await eventually(async () => (await queue.admin.stats()).dead === 1);
        await worker.close(0);

        expect(errors.map(String)).toEqual([expect.stringContaining("type must be 'done', 'retry-at' or 'dead'")]);
      }));

    test('hands a message to its handler, once, and keeps nothing but its id', () =>
      using(async (under) => {
        const { queue, now } = under;
        const enqueuedAt = now();
        await queue.enqueue([message('a', { text: 'hello' })]);
        const worker = work(queue, done);

        await settled(queue, worker, 1);

        expect(worker.seen).toEqual([
          { id: 'a', group: 'g', payload: { text: 'hello' }, attempt: 1, enqueuedAt: about(enqueuedAt, under) },
        ]);
        expect(await queue.admin.get('a')).toBeUndefined();
        expect(await queue.admin.stats()).toEqual({ ...nothing, groups: {} });
      }));

    test.each([
      ['nothing', null],
      ['an object with all there is', { list: [1, 'two', null, true, { deep: '\u{1f4de}' }], empty: '' }],
    ])('gives back what it was given: %s', (_what, payload) =>
      using(async ({ queue }) => {
        await queue.enqueue([message('a', payload)]);
        expect(await queue.admin.get('a')).toMatchObject({ payload });

        const worker = work(queue, done);

        await until(() => worker.seen.length === 1);
        expect(worker.seen[0]?.payload).toEqual(payload);
      }),
    );

    test('keeps what it was given, whatever becomes of the object afterwards', () =>
      using(async ({ queue }) => {
        const payload = { list: ['a'] };
        const enqueued = queue.enqueue([message('a', payload)]);
        payload.list.push('b');
        await enqueued;

        expect(await queue.admin.get('a')).toMatchObject({ payload: { list: ['a'] } });
      }));

    test('ignores an id that it keeps: waiting, leased, dead and done', () =>
      using(async ({ queue }) => {
        await queue.enqueue([message('a', 1)]);
        await queue.enqueue([message('a', 2), message('a', 3)]);
        let handled: Handled = dead('no');
        const worker = work(queue, async () => {
          await queue.enqueue([message('a', 4)]);
          return handled;
        });
        await settled(queue, worker, 1);
        await queue.enqueue([message('a', 5)]);
        expect(await queue.admin.get('a')).toMatchObject({ state: 'dead', payload: 1 });

        handled = { type: 'done' };
        await queue.admin.redrive({ ids: ['a'] });
        await settled(queue, worker, 2);
        await queue.enqueue([message('a', 6)]);

        expect(await queue.admin.get('a')).toBeUndefined();
        expect(worker.seen.map(({ payload }) => payload)).toEqual([1, 1]);
      }));

    test('takes an id again once it has forgotten it', () =>
      using(async (under) => {
        const { queue, advance } = under;
        await queue.enqueue([message('a', 1)]);
        const worker = work(queue, done);
        await settled(queue, worker, 1);

        await advance(under.keepDoneMs + 1_000);
        await queue.enqueue([message('a', 2)]);

        await settled(queue, worker, 2);
        expect(worker.seen.map(({ payload, attempt }) => [payload, attempt])).toEqual([
          [1, 1],
          [2, 1],
        ]);
      }));

    test.each(['', '\ud83d'])('stores all messages of one call or none: one has the id %j', (id) =>
      using(async ({ queue }) => {
        const broken = { id, group: 'g', payload: 1 };

        await expect(queue.enqueue([message('a'), broken])).rejects.toMatchObject({ field: 'id' });

        expect(await queue.admin.get('a')).toBeUndefined();
      }),
    );

    test('refuses a group whose name is half a character', () =>
      using(async ({ queue }) => {
        const consume = () => queue.consume({ groups: { '\ud83d': 1 }, leaseMs: 1, maximumAttempts: 1 }, done);
        expect(consume).toThrow(expect.objectContaining({ field: 'group' }));
      }));

    test('does not hand a message out before it is due', () =>
      using(async (under) => {
        const { queue, now, advance, leaseMs } = under;
        const due = now() + 2 * leaseMs;
        const handledAt: number[] = [];
        await queue.enqueue([{ ...message('later'), dueAt: due }, message('now')]);
        const worker = work(queue, async () => {
          handledAt.push(now());
          return { type: 'done' };
        });
        await settled(queue, worker, 1);
        expect(worker.seen.map(({ id }) => id)).toEqual(['now']);
        expect(await queue.admin.stats()).toMatchObject({ ready: 0, delayed: 1, oldestAgeMs: about(0, under) });

        await advance(due - now());

        await settled(queue, worker, 2);
        expect(worker.seen.map(({ id }) => id)).toEqual(['now', 'later']);
        expect(handledAt[1]).toBeGreaterThanOrEqual(due);
      }));

    test('hands a message out again when its handler says so, with what it left', () =>
      using(async (under) => {
        const { queue, now, advance, leaseMs } = under;
        await queue.enqueue([message('a')]);
        const worker = work(queue, async (_message, { attempt }) => {
          // Until it was looked at: on a server that is busy, the second attempt may be due by then.
          if (attempt === 1) await queue.admin.pause('g');
          return attempt < 3 ? { type: 'retry-at', at: now() + leaseMs / 2, note: { attempt } } : { type: 'done' };
        });
        await settled(queue, worker, 1);
        expect(await queue.admin.get('a')).toMatchObject({ state: 'waiting', attempts: 1, note: { attempt: 1 } });
        await queue.admin.resume('g');

        await advance(leaseMs / 2);
        await settled(queue, worker, 2);
        await advance(leaseMs / 2);
        await settled(queue, worker, 3);

        expect(worker.seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
        expect(await queue.admin.get('a')).toBeUndefined();
      }));

    test('does not count what was not tried', () =>
      using(async (under) => {
        const { queue, now } = under;
        await queue.enqueue([message('a')]);
        const worker = work(queue, async () =>
          worker.seen.length < 4 ? { type: 'retry-at', at: now(), uncounted: true } : { type: 'done' },
        );

        await settled(queue, worker, 4);

        expect(worker.seen.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
      }));

    test('a handler that throws gets its message again when the lease is over, and the error is reported', () =>
      using(async (under) => {
        const { queue, advance, leaseMs } = under;
        const errors: unknown[] = [];
        await queue.enqueue([message('a')]);
        const worker = work(
          queue,
          async (_message, { attempt }) => {
            if (attempt === 1) throw new Error('broken');
            return { type: 'done' };
          },
          { leaseMs, onError: (error) => errors.push(error) },
        );
        await until(() => worker.ended.length === 1);
        await advance(leaseMs / 2);
        expect(worker.seen).toHaveLength(1);
        await advance(leaseMs / 2);

        await until(() => worker.ended.length === 2);
        expect(errors).toEqual([new Error('broken')]);
        expect(worker.seen.map(({ attempt }) => attempt)).toEqual([1, 2]);
      }));

    test('a message whose handler never comes to an end dies when its attempts are used up', () =>
      using(async (under) => {
        const { queue, now, advance, leaseMs } = under;
        await queue.enqueue([message('poison', { bad: true })]);
        const enqueuedAt = now();
        const worker = work(queue, never, { leaseMs, maximumAttempts: 2 });

        await until(() => worker.seen.length === 1);
        await advance(leaseMs);
        await until(() => worker.seen.length === 2);
        await advance(leaseMs);
        await eventually(async () => (await queue.admin.get('poison'))?.state === 'dead');

        expect(await queue.admin.deadLetters()).toEqual([
          {
            id: 'poison',
            group: 'g',
            payload: { bad: true },
            attempts: 2,
            enqueuedAt: about(enqueuedAt, under),
            diedAt: about(enqueuedAt + 2 * leaseMs, under),
            reason: 'attempts_exhausted',
            cursor: expect.any(String),
          },
        ]);
      }));

    test('a handler that takes too long is aborted, and its late result does not count', () =>
      using(async (under) => {
        const { queue, advance, leaseMs } = under;
        await queue.enqueue([message('a')]);
        const first = work(queue, never, { leaseMs });
        const [slow] = await until(() => first.leases.length === 1 && first.leases);
        await advance(leaseMs);
        await until(() => first.leases.length === 2);

        expect(slow?.signal.aborted).toBe(true);
        first.end(0, dead('too late'));

        expect(await queue.admin.get('a')).toMatchObject({ state: 'leased', attempts: 1 });
        first.end(1, { type: 'done' });
        await eventually(async () => (await queue.admin.get('a')) === undefined);
        expect(first.seen.map(({ attempt }) => attempt)).toEqual([1, 2]);
      }));

    test('hands out no more of a group at once than allowed', () =>
      using(async ({ queue }) => {
        await queue.enqueue(
          ['a', 'b', 'c', 'd'].flatMap((id) => [message(`${id}1`), message(`${id}2`, null, 'other')]),
        );
        const worker = work(queue, never, { groups: { g: 2, other: 1 } });

        await until(() => worker.seen.length === 3);
        expect(worker.seen.map(({ group }) => group).toSorted()).toEqual(['g', 'g', 'other']);

        worker.end(0, { type: 'done' });
        await until(() => worker.seen.length === 4);
        await queue.admin.stats();
        expect(worker.seen).toHaveLength(4);
      }));

    test('a group that is stuck does not keep the others waiting', () =>
      using(async ({ queue }) => {
        await queue.enqueue(Array.from({ length: 50 }, (_, index) => message(`stuck${index}`, null, 'stuck')));
        await queue.enqueue([message('free')]);
        const worker = work(queue, ({ group }) => (group === 'stuck' ? never() : done()), {
          groups: { stuck: 2, g: 2 },
        });

        await until(() => worker.ended.length === 1);

        await until(() => worker.seen.filter(({ group }) => group === 'stuck').length === 2);
        await eventually(async () => (await queue.admin.get('free')) === undefined);
        expect(worker.seen).toHaveLength(3);
      }));

    test('leaves other groups alone', () =>
      using(async ({ queue }) => {
        await queue.enqueue([message('mine'), message('theirs', null, 'other')]);
        const worker = work(queue, done);

        await settled(queue, worker, 1);

        expect(await queue.admin.get('theirs')).toMatchObject({ state: 'waiting', attempts: 0 });
      }));

    test('a paused group waits until it is resumed', () =>
      using(async (under) => {
        const { queue } = under;
        await queue.admin.pause('g');
        await queue.admin.pause('empty');
        for (const id of ['a', 'c', 'd']) await queue.enqueue([message(id)]);
        await queue.enqueue([message('b', null, 'other')]);
        const worker = work(queue, done, { groups: { g: 1, other: 1 } });
        await settled(queue, worker, 1);
        expect(await queue.admin.stats()).toEqual({
          ...nothing,
          ready: 3,
          oldestAgeMs: about(0, under),
          groups: {
            g: { ...nothing, ready: 3, oldestAgeMs: about(0, under), isPaused: true },
            empty: { ...nothing, isPaused: true },
          },
        });

        await queue.admin.resume('g');

        await settled(queue, worker, 4);
        expect(worker.seen.map(({ id }) => id)).toEqual(['b', 'a', 'c', 'd']);
      }));

    test('dead letters are kept with their reason and their note', () =>
      using(async (under) => {
        const { queue, now, advance, leaseMs } = under;
        const enqueuedAt = now();
        await queue.enqueue([message('a', { n: 1 })]);
        await advance(250);
        const worker = work(queue, async () => ({ type: 'dead', reason: 'client_error', note: { status: 404 } }));
        await settled(queue, worker, 1);

        expect(await queue.admin.deadLetters()).toEqual([
          {
            id: 'a',
            group: 'g',
            payload: { n: 1 },
            attempts: 1,
            enqueuedAt: about(enqueuedAt, under),
            diedAt: about(enqueuedAt + 250, under),
            reason: 'client_error',
            note: { status: 404 },
            cursor: expect.any(String),
          },
        ]);
        await queue.enqueue([message('b')]);
        await settled(queue, worker, 2);
        await advance(leaseMs);
        const dead = { ...nothing, dead: 2, oldestDeadAgeMs: about(leaseMs, under) };
        expect(await queue.admin.stats()).toEqual({ ...dead, groups: { g: { ...dead, isPaused: false } } });
      }));

    test('dead letters are read page by page, of each group the longest dead first, of all groups or of one', () =>
      using(async ({ queue }) => {
        const ids = ['a', 'b', 'c', 'd', 'e'];
        const worker = work(queue, async () => dead('no'), { groups: { g: 1, other: 1 } });
        for (const [index, id] of ids.entries()) {
          await queue.enqueue([message(id, null, id === 'c' ? 'other' : 'g')]);
          await settled(queue, worker, index + 1);
        }

        const first = await queue.admin.deadLetters({ limit: 2 });
        const second = await queue.admin.deadLetters({ limit: 2, after: first.at(-1)?.cursor ?? '' });
        const third = await queue.admin.deadLetters({ limit: 2, after: second.at(-1)?.cursor ?? '' });

        const pages = [first, second, third].map((page) => page.map(({ id }) => id));
        expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
        expect(pages.flat().filter((id) => id !== 'c')).toEqual(['a', 'b', 'd', 'e']);
        expect(pages.flat()).toContain('c');
        expect(await queue.admin.deadLetters({ after: third.at(-1)?.cursor })).toEqual([]);
        expect((await queue.admin.deadLetters({ group: 'other' })).map(({ id }) => id)).toEqual(['c']);
        // Neither the letter before the cursor nor that of the cursor hides another one when it's redriven and dies again.
        for (const [index, id] of ['a', 'b'].entries()) {
          await queue.admin.redrive({ ids: [id] });
          await settled(queue, worker, ids.length + index + 1);
          const rest = await queue.admin.deadLetters({ group: 'g', after: first.at(-1)?.cursor });
          expect(rest.map((letter) => letter.id)).toEqual(expect.arrayContaining(['d', 'e']));
        }
      }));

    test('redrives some, those of a group since a moment, and all', () =>
      using(async (under) => {
        const { queue, now, advance } = under;
        let handled: Handled = dead('no');
        const worker = work(queue, async () => handled, { groups: { g: 4, other: 4 } });
        await queue.enqueue([message('old'), message('old2', null, 'other')]);
        await settled(queue, worker, 2);
        await advance(1_000);
        const since = now();
        await queue.enqueue([message('new'), message('new2', null, 'other')]);
        await settled(queue, worker, 4);
        handled = { type: 'done' };

        expect(await queue.admin.redrive({ ids: ['old', 'old', 'not-there'] })).toBe(1);
        await settled(queue, worker, 5);
        expect(await queue.admin.redrive({ since, group: 'g' })).toBe(1);
        await settled(queue, worker, 6);
        expect(await queue.admin.redrive({ since: 0 })).toBe(2);
        await settled(queue, worker, 8);

        expect(worker.seen.slice(4).map(({ id, attempt }) => [id, attempt])).toEqual([
          ['old', 1],
          ['new', 1],
          expect.anything(),
          expect.anything(),
        ]);
        expect(await queue.admin.deadLetters()).toEqual([]);
        expect(await queue.admin.get('old')).toBeUndefined();
      }));

    test('forgets dead letters that are discarded', () =>
      using(async ({ queue }) => {
        await queue.enqueue([message('a', { secret: true }), message('b')]);
        const worker = work(queue, async () => dead('no'));
        await settled(queue, worker, 2);

        expect(await queue.admin.discard({ ids: ['a'] })).toBe(1);

        expect(await queue.admin.get('a')).toBeUndefined();
        expect((await queue.admin.deadLetters()).map(({ id }) => id)).toEqual(['b']);
        expect(await queue.admin.redrive({ ids: ['a'] })).toBe(0);
        await queue.enqueue([message('a')]);
        await settled(queue, worker, 3);
        expect(worker.seen.map(({ id, attempt }) => [id, attempt]).at(-1)).toEqual(['a', 1]);
      }));

    test('says how many wait and how long the oldest has waited', () =>
      using(async (under) => {
        const { queue, now, advance, leaseMs } = under;
        await queue.enqueue([message('old')]);
        await advance(leaseMs);
        await queue.enqueue([message('new', null, 'other'), { ...message('later'), dueAt: now() + 9 * leaseMs }]);
        await advance(leaseMs / 2);

        expect(await queue.admin.stats()).toEqual({
          ...nothing,
          ready: 2,
          delayed: 1,
          oldestAgeMs: about(1.5 * leaseMs, under),
          groups: {
            g: { ...nothing, ready: 1, delayed: 1, oldestAgeMs: about(1.5 * leaseMs, under), isPaused: false },
            other: { ...nothing, ready: 1, oldestAgeMs: about(leaseMs / 2, under), isPaused: false },
          },
        });
      }));

    test('closing lets what is under way come to its end', () =>
      using(async ({ queue }) => {
        for (const id of ['a', 'b']) await queue.enqueue([message(id)]);
        const worker = work(queue, never, { groups: { g: 1 } });
        await until(() => worker.seen.length === 1);

        const closed = worker.consumer.close(60_000);
        worker.end(0, { type: 'done' });
        await closed;

        expect(await queue.admin.get('a')).toBeUndefined();
        expect(await queue.admin.get('b')).toMatchObject({ state: 'waiting', attempts: 0 });
      }));

    test('closing hands back what does not end in time, and counts no attempt', () =>
      using(async (under) => {
        const { queue, advance } = under;
        await queue.enqueue([message('a')]);
        const worker = work(queue, never);
        const [lease] = await until(() => worker.leases.length === 1 && worker.leases);

        const closed = worker.consumer.close(500);
        await advance(500);
        await closed;

        expect(lease?.signal.aborted).toBe(true);
        expect(await queue.admin.get('a')).toMatchObject({ state: 'waiting', attempts: 0 });
      }));

    test('after closing everything is refused', async () => {
      const { queue, remove } = await open();
      await queue.close(0);
      await queue.close(0);

      await expect(queue.enqueue([message('a')])).rejects.toMatchObject({ code: 'store_failed' });
      await expect(queue.admin.stats()).rejects.toMatchObject({ code: 'store_failed' });
      expect(() => queue.consume({ groups: { g: 1 }, leaseMs: 1, maximumAttempts: 1 }, done)).toThrow('closed');
      await remove?.();
    });

    test('two consumers never hold one message at once', () =>
      using(async ({ queue }) => {
        const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
        await queue.enqueue(ids.map((id) => message(id)));
        const workers = [work(queue, done), work(queue, done)];

        await until(() => workers.reduce((sum, { ended }) => sum + ended.length, 0) === ids.length);

        const seen = workers.flatMap((worker) => worker.seen.map(({ id }) => id));
        expect(seen.toSorted()).toEqual(ids.toSorted());
      }));

    test('whatever two workers do and however long they take, one message is never held twice', () =>
      using(async (under) => {
        const { queue, now, advance, leaseMs } = under;
        let runs = 0;
        const step = fc.constantFrom('finish', 'try again', 'give up', 'run out of time', 'end too late');
        const steps = fc.array(step, { minLength: 1, maxLength: 20 });
        const property = fc.asyncProperty(steps, async (steps) => {
          runs += 1;
          const id = `run${runs}`;
          const options = { groups: { [id]: 5 }, leaseMs, maximumAttempts: 100 };
          await queue.enqueue([message(id, null, id)]);
          const workers = [work(queue, never, options), work(queue, never, options)];
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
              await advance(leaseMs);
              await until(() => given().length > before);
            } else if (what === 'end too late') {
              const lost = given().find(({ lease }) => lease.signal.aborted);
              lost?.worker.end(lost.at, { type: 'done' });
            } else if (holder) {
              settled.add(holder.lease);
              holder.worker.end(holder.at, ends[what](now()));
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
        await fc.assert(property, { numRuns: under.numRuns });
      }));
  });
};

const nothing = { ready: 0, delayed: 0, leased: 0, dead: 0, oldestAgeMs: 0, oldestDeadAgeMs: 0 };

/** A time that may be a little off where the clock is a real one. */
const about = (ms: number, { toleranceMs }: QueueUnderTest): unknown => ({
  asymmetricMatch: (other: unknown) => typeof other === 'number' && Math.abs(other - ms) <= toleranceMs,
  toString: () => `about ${ms}`,
});

const message = (id: string, payload: QueuedMessage['payload'] = null, group = 'g'): QueuedMessage => ({
  id,
  group,
  payload,
});

const done = async (): Promise<Handled> => ({ type: 'done' });
const never = (): Promise<Handled> => new Promise(() => {});
const dead = (reason: string): Handled => ({ type: 'dead', reason });

const ends = {
  finish: (): Handled => ({ type: 'done' }),
  'give up': (): Handled => dead('no'),
  'try again': (at: number): Handled => ({ type: 'retry-at', at, uncounted: true }),
};

/** So many handlers have ended, and what they said is written: nothing is leased any more. */
const settled = async (
  queue: MessageQueueWithAdmin,
  { ended }: { readonly ended: readonly string[] },
  count: number,
) => {
  await until(() => ended.length === count);
  await eventually(async () => (await queue.admin.stats()).leased === 0);
};

/** A consumer that writes down what it is given; what its handler leaves open can be ended from outside. */
const work = (
  queue: MessageQueueWithAdmin,
  handle: (message: QueuedMessage, lease: Lease) => Promise<Handled>,
  options: Partial<Parameters<MessageQueueWithAdmin['consume']>[0]> = {},
) => {
  const seen: (QueuedMessage & Pick<Lease, 'attempt' | 'enqueuedAt'>)[] = [];
  const leases: Lease[] = [];
  const ends: ((handled: Handled) => void)[] = [];
  const ended: string[] = [];
  const consumer = queue.consume(
    { groups: { g: 100 }, leaseMs: 10_000, maximumAttempts: 10, ...options },
    async (message, lease) => {
      const { attempt, enqueuedAt } = lease;
      seen.push({ ...message, attempt, enqueuedAt });
      leases.push(lease);
      try {
        return await Promise.race([
          handle(message, lease),
          new Promise<Handled>((resolve) => {
            ends[seen.length - 1] = resolve;
          }),
        ]);
      } finally {
        ended.push(message.id);
      }
    },
  );
  return { seen, leases, ended, consumer, end: (index: number, handled: Handled) => ends[index]?.(handled) };
};
