import { deepEqual, equal, ok } from 'node:assert/strict';
import type { DeadLetter, Handled, Page } from '../../../stores/ports/message-queue.ts';
import type { ChecksOf } from '../check.ts';
import { assertNear, done, group, message, otherGroup, type QueueUnderCheck } from './under-check.ts';

/** The messages that wait for a person. */
export const deadLetterChecks: ChecksOf<QueueUnderCheck> = {
  'admin.deadLetters() keeps a message with its reason and its note': async ({
    queue,
    admin,
    consume,
    settled,
    pass,
    leaseMs,
  }) => {
    const enqueuedAt = Date.now();
    await queue.enqueue([message('a', { n: 1 })]);
    await pass(4 * leaseMs);
    await settled(
      consume(() => ({ type: 'dead', reason: 'client_error', note: { status: 404 } })),
      1,
    );

    const [letter, ...others] = await admin().deadLetters();
    equal(others.length, 0, 'deadLetters() must hold a message once');
    equal(letter?.id, 'a', 'deadLetters() must hold a message that its handler called dead');
    deepEqual([letter.group, letter.payload], [group, { n: 1 }], 'A dead letter must keep its group and its payload');
    equal(letter.attempts, 1, 'A dead letter must keep the number of its attempts');
    deepEqual(
      [letter.reason, letter.note],
      ['client_error', { status: 404 }],
      'A dead letter must keep reason and note',
    );
    assertNear(letter.enqueuedAt, enqueuedAt, 'A dead letter must keep the moment of enqueue()');
    assertNear(letter.diedAt, enqueuedAt + 4 * leaseMs, 'diedAt must be the moment at which its handler gave up');
    ok(letter.cursor, 'A dead letter must have a cursor');
    equal((await admin().get('a'))?.state, 'dead', "get() of a dead letter must have the state 'dead'");
  },

  'admin.deadLetters() holds a message whose attempts are used up': async ({
    queue,
    admin,
    consume,
    until,
    pass,
    leaseMs,
  }) => {
    await queue.enqueue([message('poison')]);
    consume(() => undefined, { leaseMs, maximumAttempts: 1 });
    await until(
      async () => (await admin().get('poison'))?.state === 'leased',
      'A message that is due must be handed out',
    );
    await pass(leaseMs);
    await until(
      async () => (await admin().get('poison'))?.state === 'dead',
      'A message whose attempts are used up must be a dead letter',
    );
    const [letter] = await admin().deadLetters();
    equal(
      letter?.reason,
      'attempts_exhausted',
      'The reason must be attempts_exhausted where no handler came to its end',
    );
    equal(letter.attempts, 1, 'A dead letter must keep the number of its attempts');
  },

  'admin.deadLetters() gives all of them page by page, the longest dead of a group first': async (under) => {
    const { queue, admin, consume, settled } = under;
    const worker = consume(() => ({ type: 'dead', reason: 'no' }), { groups: { [group]: 1, [otherGroup]: 1 } });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const [index, id] of ids.entries()) {
      await queue.enqueue([message(id, null, id === 'c' ? otherGroup : group)]);
      await settled(worker, index + 1);
    }
    const pages = await readPages(under, { limit: 2 });
    ok(
      pages.every(({ length }) => length <= 2),
      'A page must hold no more than its limit',
    );
    const all = pages.flat().map(({ id }) => id);
    deepEqual(all.toSorted(), ids, 'The pages together must hold every dead letter once');
    deepEqual(
      all.filter((id) => id !== 'c'),
      ['a', 'b', 'd', 'e'],
      'The longest dead of a group must come first',
    );
    const ofOther = await admin().deadLetters({ group: otherGroup });
    deepEqual(
      ofOther.map(({ id }) => id),
      ['c'],
      'A page of one group must hold that group only',
    );

    const after = pages[0]?.at(-1)?.cursor;
    for (const [index, id] of ['a', 'b'].entries()) {
      await admin().redrive({ ids: [id] });
      await settled(worker, ids.length + index + 1);
      const rest = (await readPages(under, { group, after, limit: 2 })).flat().map((letter) => letter.id);
      for (const missing of ['d', 'e'])
        ok(rest.includes(missing), 'A dead letter must not be hidden when others are redriven and die again');
    }
  },

  'admin.redrive() hands dead letters out again, with new attempts': async (under) => {
    const { queue, admin, consume, settled, pass, leaseMs } = under;
    let handled: Handled = { type: 'dead', reason: 'no' };
    const worker = consume(() => handled, { groups: { [group]: 4, [otherGroup]: 4 } });
    await queue.enqueue([message('old', 'payload'), message('old2', null, otherGroup)]);
    await settled(worker, 2);
    await pass(leaseMs);
    const since = Date.now();
    await queue.enqueue([message('new'), message('new2', null, otherGroup)]);
    await settled(worker, 4);
    handled = done;

    equal(
      await admin().redrive({ ids: ['old', 'old', 'unknown'] }),
      1,
      'redrive() must count what it redrove, once each',
    );
    await settled(worker, 5);
    deepEqual(
      [worker.runs[4]?.id, worker.runs[4]?.attempt, worker.runs[4]?.payload],
      ['old', 1, 'payload'],
      'A redriven message must be handed out as it was, with attempt 1',
    );
    equal(
      await admin().redrive({ since, group }),
      1,
      'redrive() of a group must redrive what died since then in that group',
    );
    await settled(worker, 6);
    equal(worker.runs[5]?.id, 'new', 'redrive() must redrive what died since the moment that it is given');
    equal(await admin().redrive({ since: 0 }), 2, 'redrive({ since: 0 }) must redrive all');
    await settled(worker, 8);
    deepEqual(await admin().deadLetters(), [], 'A redriven message that is done must be no dead letter');
  },

  'admin.discard() forgets dead letters, and their ids': async ({ queue, admin, consume, settled }) => {
    await queue.enqueue([message('a', 1), message('b')]);
    const worker = consume(() => ({ type: 'dead', reason: 'no' }));
    await settled(worker, 2);
    await queue.enqueue([message('a', 2)]);
    deepEqual(
      (await admin().get('a'))?.payload,
      1,
      'The id of a dead letter must be ignored when it is enqueued again',
    );

    equal(await admin().discard({ ids: ['a'] }), 1, 'discard() must count what it discarded');
    equal(await admin().get('a'), undefined, 'A dead letter that is discarded must be gone');
    deepEqual(
      (await admin().deadLetters()).map(({ id }) => id),
      ['b'],
      'discard() must leave the others',
    );
    equal(await admin().redrive({ ids: ['a'] }), 0, 'What was discarded must not be redriven');
    await queue.enqueue([message('a', 3)]);
    await settled(worker, 3);
    deepEqual(
      [worker.runs[2]?.payload, worker.runs[2]?.attempt],
      [3, 1],
      'The id of a message that was discarded may be enqueued again',
    );
  },
};

/** Reads until a page is empty. */
const readPages = async (
  { admin, until }: QueueUnderCheck,
  page: Page,
): Promise<readonly (readonly DeadLetter[])[]> => {
  const pages: (readonly DeadLetter[])[] = [];
  await until(async () => {
    const found = await admin().deadLetters({ ...page, after: pages.at(-1)?.at(-1)?.cursor ?? page.after });
    if (found.length > 0) pages.push(found);
    return found.length === 0;
  }, 'After the cursor of the last dead letter, a page must be empty');
  return pages;
};
