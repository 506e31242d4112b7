import { expect, test } from 'vitest';
import { pacePages } from '../../src/http/pace-pages.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

test('reads ten pages of a list per second, each list at its own pace', async () => {
  const clock = createVirtualClock();
  const pages: string[] = [];
  const reader = () => pacePages(async (page: string) => void pages.push(page));
  const [read, readAnother] = [reader(), reader()];

  for (let page = 1; page <= 25; page += 1) void read(`a${page}`);
  void readAnother('b1');

  await clock.advance(0);
  expect(pages).toEqual([...Array.from({ length: 10 }, (_, index) => `a${index + 1}`), 'b1']);
  await clock.advance(1_000);
  expect(pages).toHaveLength(21);
  await clock.advance(1_000);
  expect(pages).toHaveLength(26);
});
