import { AssertionError } from 'node:assert';
import { expect, test } from 'vitest';
import { checksOfQueue, type QueueCheckOptions } from '../../../src/dev/testing/index.ts';
import { createLedgerQueue } from '../../../src/stores/ledger-queue.ts';
import { createMemoryLedger } from '../../../src/stores/memory-ledger.ts';
import { createMemoryMessageQueue } from '../../../src/stores/memory-message-queue.ts';
import type { LeasedMessage, MessageLedger, Remote, Settlement } from '../../../src/stores/message-ledger.ts';
import type {
  ConsumeOptions,
  Handled,
  Lease,
  MessageHandler,
  MessageQueueWithAdmin,
  QueueAdmin,
  QueuedMessage,
} from '../../../src/stores/ports/message-queue.ts';
import { openOwnQueue } from '../../support/own-queue.ts';
import { openPlainQueue } from '../../support/plain-queue.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

type Open = () => MessageQueueWithAdmin;

/** What the checks say of a queue: the first line of each that fails, by its name. */
const check = async (open: QueueCheckOptions['open'], options: Partial<QueueCheckOptions> = {}) => {
  const clock = createVirtualClock();
  const checks = checksOfQueue({
    open,
    admin: true,
    leaseMs: 10_000,
    keepDoneMs: 86_400_000,
    pass: clock.advance,
    ...options,
  });
  const failed: Record<string, unknown> = {};
  for (const { name, run } of checks)
    await run().catch((error: unknown) => {
      failed[name] = error instanceof AssertionError ? error.message.split('\n')[0] : error;
    });
  return { names: checks.map(({ name }) => name), failed };
};

/** A queue in memory with other methods. */
const withChanged =
  (change: (queue: MessageQueueWithAdmin) => Partial<MessageQueueWithAdmin>): Open =>
  () => {
    const queue = createMemoryMessageQueue();
    return { ...queue, ...change(queue) };
  };

const withAdmin = (change: (admin: QueueAdmin) => Partial<QueueAdmin>): Open =>
  withChanged(({ admin }) => ({ admin: { ...admin, ...change(admin) } }));

const withEnqueued = (change: (message: QueuedMessage) => QueuedMessage): Open =>
  withChanged(({ enqueue }) => ({ enqueue: (messages) => enqueue(messages.map(change)) }));

const withConsumed = (change: (options: ConsumeOptions) => ConsumeOptions): Open =>
  withChanged(({ consume }) => ({ consume: (options, handle) => consume(change(options), handle) }));

const withHandler = (change: (handle: MessageHandler, options: ConsumeOptions) => MessageHandler): Open =>
  withChanged(({ consume }) => ({ consume: (options, handle) => consume(options, change(handle, options)) }));

const withHandled = (change: (handled: Handled) => Handled): Open =>
  withHandler((handle) => async (message, lease) => change(await handle(message, lease)));

const withLease = (change: (lease: Lease) => Partial<Lease>): Open =>
  withHandler((handle) => (message, lease) => handle(message, { ...lease, ...change(lease) }));

/** A queue in memory whose ledger does something else. */
const withLedger =
  (change: (ledger: MessageLedger) => Partial<MessageLedger>): Open =>
  () => {
    const right = createMemoryLedger({ maximumKept: 100 });
    const ledger = { ...right, ...change(right) };
    const remote = Object.fromEntries(
      Object.entries(ledger).map(([name, method]) => [name, async (asked: never) => method(asked)]),
    );
    return createLedgerQueue({
      ledger: remote as unknown as Remote<MessageLedger>,
      keepDoneMs: 86_400_000,
      pollMs: 60_000,
      release: async () => {},
    });
  };

const names = {
  once: 'hands a message to its handler, once',
  payload: 'gives back the payload that it was given',
  ids: 'handles a message once whose id comes again: waiting, being handled and done',
  kept: 'takes the id of a message that is done again after keepDoneMs, and not before',
  due: 'does not hand a message out before it is due',
  groups: 'leaves the messages of other groups alone',
  limit: 'hands out no more of a group at once than it is asked for',
  stuck: 'keeps no group waiting for another one that is stuck',
  again: 'hands a message out again when its handler says so, and counts the attempts',
  uncounted: 'does not count what was not tried: uncounted, or cut short by close()',
  rejected: 'hands a message out again when the lease is over whose handler rejected, and reports the error',
  never: 'gives a message up after maximumAttempts whose handler never comes to an end',
  late: 'aborts a handler that takes longer than its lease, and ignores what it says then',
  dead: 'does not hand out a message again that its handler gave up',
  two: 'hands each message to one of two consumers',
  oneAtATime: 'hands a message to one handler at a time, whatever two consumers do',
  closing: 'hands back what does not end in time when a consumer is closed',
  closed: 'refuses everything once it is closed',
  get: 'admin.get() shows a message while it waits and is handled, and not when it is done',
  pause: 'admin.pause() holds a group until admin.resume()',
  stats: 'admin.stats() counts what waits, is handled and is dead, and says how long',
  letters: 'admin.deadLetters() keeps a message with its reason and its note',
  pages: 'admin.deadLetters() gives all of them page by page, the longest dead of a group first',
  redrive: 'admin.redrive() hands dead letters out again, with new attempts',
  discard: 'admin.discard() forgets dead letters, and their ids',
} as const;

test('a queue that does what it must passes all', async () => {
  const { names: all, failed } = await check(createMemoryMessageQueue);
  expect(failed).toEqual({});
  expect(all).toEqual(expect.arrayContaining(Object.values(names)));
  expect(new Set(all).size).toBe(all.length);
});

test('a queue without an admin passes those that need none', async () => {
  const { names: all, failed } = await check(() => openPlainQueue().queue, { admin: false });
  expect(failed).toEqual({});
  expect(all.filter((name) => name.startsWith('admin.'))).toEqual([]);
});

const asDone = ({ id, token, now }: Settlement): Settlement => ({ id, token, now, to: 'done', keepMs: 1_000 });

const waited = ' (waited for 150 ms)';
let twin = 0;

const flawed: readonly (readonly [string, Open, Readonly<Record<string, string>>])[] = [
  [
    'loses a message that is to be tried again',
    withHandled((handled) => (handled.type === 'retry-at' ? { type: 'done' } : handled)),
    { [names.again]: `A message must be handed out again when its handler says retry-at${waited}` },
  ],
  [
    'gives a message to two handlers at once',
    withHandler((handle) => async (message, lease) => {
      const [handled] = await Promise.all([handle(message, lease), handle(message, lease)]);
      return handled;
    }),
    {
      [names.once]: 'A message that is done must not be handed out again',
      [names.oneAtATime]: 'A message must be with one handler at a time',
      [names.two]: 'A message must be handed to one consumer only',
    },
  ],
  [
    'forgets delays',
    withEnqueued(({ dueAt: _dueAt, ...message }) => message),
    { [names.due]: 'A message that is not due must keep no other one waiting' },
  ],
  [
    'hands out what waits a second too early',
    withEnqueued((message) => ({ ...message, dueAt: (message.dueAt ?? 0) - 1_000 })),
    { [names.due]: 'A message must not be handed out before its dueAt' },
  ],
  [
    'tries again at once',
    withHandled((handled) => (handled.type === 'retry-at' ? { ...handled, at: Date.now() } : handled)),
    { [names.again]: 'A message must not be handed out again before the moment that its handler named' },
  ],
  [
    'has claims that are not atomic',
    withLedger((ledger) => {
      let before: readonly LeasedMessage[] = [];
      return {
        lease: (request) => {
          const leases = ledger.lease(request);
          const messages = [...leases.messages, ...before];
          before = leases.messages;
          return { ...leases, messages };
        },
      };
    }),
    {
      [names.two]: 'A message must be handed to one consumer only',
      [names.oneAtATime]: 'A message must be with one handler at a time',
    },
  ],
  [
    'counts what was not tried',
    withLedger((ledger) => ({
      settle: (settlement) =>
        ledger.settle(settlement.to === 'waiting' ? { ...settlement, uncounted: false } : settlement),
    })),
    { [names.uncounted]: 'An attempt that its handler calls uncounted must not be counted' },
  ],
  [
    'calls every attempt the first',
    withLease(() => ({ attempt: 1 })),
    { [names.again]: 'Attempts must be counted one by one' },
  ],
  [
    'never gives a message up',
    withConsumed((options) => ({ ...options, maximumAttempts: 1_000 })),
    { [names.never]: 'After maximumAttempts without an end a message must not be handed out again' },
  ],
  [
    'ignores how many of a group are asked for',
    withConsumed((options) => ({
      ...options,
      groups: Object.fromEntries(Object.keys(options.groups).map((name) => [name, 100])),
    })),
    { [names.limit]: 'A group must have at most as many messages being handled as it was asked for' },
  ],
  [
    'takes messages of every group',
    withConsumed((options) => ({ ...options, groups: { g: 100, other: 100, ...options.groups } })),
    { [names.groups]: 'A consumer must get messages of its own groups only' },
  ],
  [
    'loses a message whose handler rejects',
    withHandler((handle, { onError }) => async (message, lease) => {
      try {
        return await handle(message, lease);
      } catch (error) {
        onError?.(error);
        return { type: 'done' };
      }
    }),
    { [names.rejected]: `A message whose handler rejects must be handed out again${waited}` },
  ],
  [
    'reports no handler that rejects',
    withConsumed(({ onError: _onError, ...options }) => options),
    { [names.rejected]: `onError must get the error of a handler that rejects${waited}` },
  ],
  [
    'loses what closing cut short',
    withLedger((ledger) => ({
      settle: (settlement) =>
        ledger.settle(settlement.to === 'waiting' && settlement.uncounted ? asDone(settlement) : settlement),
    })),
    { [names.closing]: `What a closed consumer had in hand must be handed out again${waited}` },
  ],
  [
    'aborts no handler',
    withLease(() => ({ signal: new AbortController().signal })),
    {
      [names.late]: 'The signal of a lease that is over must be aborted',
      [names.closing]: 'The signal of a handler that does not end within drainMs must be aborted',
    },
  ],
  [
    'keeps the object that it was given instead of what it held',
    withChanged(({ enqueue, consume }) => {
      const given = new Map<string, QueuedMessage>();
      return {
        enqueue: (messages) => {
          for (const message of messages) given.set(message.id, message);
          return enqueue(messages);
        },
        consume: (options, handle) =>
          consume(options, (message, lease) => handle(given.get(message.id) ?? message, lease)),
      };
    }),
    { [names.payload]: 'A payload must be as it was when enqueue() was called' },
  ],
  [
    'writes a payload as text',
    withEnqueued((message) => ({ ...message, payload: JSON.stringify(message.payload) })),
    { [names.payload]: 'A payload must be as it was when enqueue() was called' },
  ],
  [
    'stores no more than ten of a call',
    withChanged(({ enqueue }) => ({ enqueue: (messages) => enqueue(messages.slice(0, 10)) })),
    { [names.two]: `Every message must be handed out${waited}` },
  ],
  [
    'knows no id',
    withChanged(({ enqueue, consume }) => ({
      enqueue: (messages) => enqueue(messages.map((message) => ({ ...message, id: `${message.id}#${(twin += 1)}` }))),
      consume: (options, handle) =>
        consume(options, (message, lease) => handle({ ...message, id: message.id.replace(/#\d+$/, '') }, lease)),
    })),
    { [names.ids]: 'An id that the queue keeps must be ignored when it is enqueued again' },
  ],
  [
    'forgets ids after a minute',
    () => createMemoryMessageQueue({ keepDoneMs: 60_000 }),
    { [names.kept]: 'The id of a message that is done must be ignored for keepDoneMs' },
  ],
  [
    'never forgets an id',
    () => createMemoryMessageQueue({ keepDoneMs: 1e12 }),
    { [names.kept]: `After keepDoneMs an id must be taken again${waited}` },
  ],
  [
    'says of each attempt that the message came just now',
    withLease(() => ({ enqueuedAt: Date.now() })),
    { [names.again]: 'enqueuedAt must stay the moment of the first enqueue()' },
  ],
  [
    'handles one message at a time, whatever its group',
    withHandler((handle) => {
      let last: Promise<unknown> = Promise.resolve();
      return (message, lease) => {
        const next = last.then(() => handle(message, lease));
        last = next.catch(() => undefined);
        return next;
      };
    }),
    {
      [names.stuck]: `A group whose handlers do not end must not keep another group waiting${waited}`,
      [names.limit]: `As many messages of each group as were asked for must be handed out at once${waited}`,
    },
  ],
  [
    'hands dead letters out by itself',
    withHandled((handled) => (handled.type === 'dead' ? { type: 'retry-at', at: Date.now() + 5_000 } : handled)),
    { [names.dead]: 'A message that its handler called dead must not be handed out again by itself' },
  ],
  [
    'takes messages when it is closed',
    withChanged(({ enqueue }) => ({ enqueue: (messages) => enqueue(messages).catch(() => undefined) })),
    { [names.closed]: 'enqueue() must reject once the queue is closed' },
  ],
  [
    'pauses nothing',
    withAdmin(() => ({ pause: async () => {} })),
    { [names.pause]: 'A paused group must hand out nothing, and others go on' },
  ],
  [
    'counts nothing as dead',
    withAdmin(({ stats }) => ({ stats: async () => ({ ...(await stats()), dead: 0 }) })),
    { [names.stats]: 'stats() must count ready, delayed, leased and dead messages as 1, 1, 1, 1' },
  ],
  [
    'says that everything waits',
    withAdmin(({ get }) => ({
      get: async (id) => {
        const found = await get(id);
        return found && { ...found, state: 'waiting' };
      },
    })),
    { [names.get]: "get() of a message that is being handled must have the state 'leased'" },
  ],
  [
    'loses the notes of dead letters',
    withAdmin(({ deadLetters }) => ({
      deadLetters: async (page) => (await deadLetters(page)).map(({ note: _note, ...letter }) => letter),
    })),
    { [names.letters]: 'A dead letter must keep reason and note' },
  ],
  [
    'gives the first page of dead letters again and again',
    withAdmin(({ deadLetters }) => ({ deadLetters: async (page) => deadLetters({ ...page, after: undefined }) })),
    { [names.pages]: `After the cursor of the last dead letter, a page must be empty${waited}` },
  ],
  [
    'redrives the dead letters of every group',
    withAdmin(({ redrive }) => ({
      redrive: (which) => redrive('since' in which ? { since: which.since } : which),
    })),
    { [names.redrive]: 'redrive() of a group must redrive what died since then in that group' },
  ],
  [
    'discards nothing',
    withAdmin(() => ({ discard: async () => 1 })),
    { [names.discard]: 'A dead letter that is discarded must be gone' },
  ],
];

test('a queue that someone else wrote passes all but what it says it can not do', async () => {
  const reason = 'it never forgets an id';
  const { names: all, failed } = await check(openOwnQueue, { admin: false, without: { [names.kept]: reason } });

  expect(failed).toEqual({});
  expect(all).not.toContain(names.kept);
  expect(all).toContain(names.ids);
});

test('a queue that settles without asking who has the lease fails', async () => {
  const { failed } = await check(() => openOwnQueue({ isFenced: false }), {
    admin: false,
    keepDoneMs: undefined,
    timeoutMs: 150,
  });

  expect(failed).toMatchObject({
    [names.late]: `What a handler says after its lease must be ignored: another one has the message by then${waited}`,
  });
});

test('a queue must have an admin when it says so, and have it checked when it has one', async () => {
  const none = await check(() => openPlainQueue().queue);
  const one = await check(createMemoryMessageQueue, { admin: false });

  expect(new Set(Object.values(none.failed))).toEqual(new Set(['The queue must have an admin']));
  expect(new Set(Object.values(one.failed))).toEqual(new Set(['Say admin: true to check it']));
});

test('options that cannot work are refused', () => {
  const refused = (options: object) => () => checksOfQueue({ open: createMemoryMessageQueue, ...options } as never);

  expect(refused({ open: undefined })).toThrow('open must be a function that opens a queue');
  expect(refused({ leaseMS: 1 })).toThrow('leaseMS is not an option: did you mean leaseMs?');
  expect(refused({ leaseMs: 0, timeoutMs: '5' })).toThrow(
    'leaseMs must be a number of milliseconds above 0; timeoutMs',
  );
  expect(refused({ pass: 5 })).toThrow('pass must be a function of milliseconds');
  expect(refused({ without: { 'hands a mesage to its handler, once': 'no' } })).toThrow(
    "without has the name of no check, 'hands a mesage to its handler, once': did you mean 'hands a message to its handler, once'?",
  );
  expect(refused({ without: { [names.once]: ' ' } })).toThrow(`without must say why '${names.once}' is left out`);
  expect(refused({ without: { [names.once]: undefined } })).toThrow('must say why');
});

test.each(flawed)('a queue that %s fails', async (_what, open, expected) => {
  const { failed } = await check(open, { timeoutMs: 150 });

  expect(failed).toMatchObject(expected);
  expect(Object.keys(failed)).not.toEqual([]);
});
