import { expect, test } from 'vitest';
import { createRecentRecords } from '../../src/api/recent-records.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const setUp = (forMs = 1_000, limit?: number) => {
  const clock = createVirtualClock();
  const recent = createRecentRecords<{ id: string; [field: string]: unknown }>({
    forMs,
    ...(limit === undefined ? {} : { limit }),
  });
  return { clock, recent, ids: () => recent.all().map(({ id }) => id) };
};

test('each record is remembered for its own time', async () => {
  const { clock, recent, ids } = setUp();
  recent.remember({ id: 'a' });
  await clock.advance(600);
  recent.remember({ id: 'b' });
  await clock.advance(399);
  expect(ids()).toEqual(['a', 'b']);
  await clock.advance(1);
  expect(ids()).toEqual(['b']);
});

test('a change does not make it be remembered longer', async () => {
  const { clock, recent, ids } = setUp();
  recent.remember({ id: 'a' });
  await clock.advance(999);
  recent.refresh({ id: 'a', name: 'Ada' });
  expect(recent.all()).toEqual([{ id: 'a', name: 'Ada' }]);
  await clock.advance(1);
  expect(ids()).toEqual([]);
});

test('a contact that is not remembered is not either because it changed', () => {
  const { recent, ids } = setUp();
  recent.refresh({ id: 'a' });
  expect(ids()).toEqual([]);
});

test('the oldest are forgotten first when there are too many', () => {
  const { recent, ids } = setUp(1_000, 2);
  for (const id of ['a', 'b', 'a', 'c']) recent.remember({ id });
  expect(ids()).toEqual(['a', 'c']);
});

test('nothing is remembered where search knows at once', () => {
  const { recent, ids } = setUp(0);
  recent.remember({ id: 'a' });
  expect(ids()).toEqual([]);
});
