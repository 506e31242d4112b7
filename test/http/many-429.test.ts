import { expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createMessagingClient } from '../../src/messaging/index.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

test('60 calls at once end within 4 s when every fifth answer asks to wait for one second', async () => {
  const clock = createVirtualClock();
  const startedAt = performance.now();
  const sentAt: number[] = [];
  const messaging = createMessagingClient({
    baseUrl: 'https://api.acme.example',
    authenticate: bearer(() => 'token'),
    platform: 'Acme',
    version: '2.11',
    fetch: async () => {
      const isRefused = sentAt.push(performance.now() - startedAt) % 5 === 0;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return isRefused
        ? new Response(null, { status: 429, headers: { 'retry-after': '1' } })
        : Response.json({ type: 'admin.list', admins: [] });
    },
  });
  let endedAt = Number.POSITIVE_INFINITY;

  const calls = Promise.all(Array.from({ length: 60 }, () => messaging.admins.list()));
  void calls.then(() => {
    endedAt = performance.now() - startedAt;
  });
  for (let step = 0; step < 400; step += 1) await clock.advance(10);

  expect(await calls).toHaveLength(60);
  expect(endedAt).toBeLessThanOrEqual(4_000);
  // The refused calls leave together when the pause is over, and none before.
  expect(sentAt).toEqual([...Array(60).fill(0), ...Array(12).fill(1_050), ...Array(2).fill(2_100)]);
});
