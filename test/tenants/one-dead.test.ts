import { expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import type { IntegrationError } from '../../src/core/errors.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { createMemoryRateLimiter } from '../../src/stores/memory-rate-limiter.ts';
import { createTenants } from '../../src/tenants/create-tenants.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { answerBytes, startFaultServer } from '../support/fault-server.ts';
import { until } from '../support/until.ts';

const ids = Array.from({ length: 1_000 }, (_, index) => `ws_${index}`);

test('of 1,000 tenants whose app has one limit, 999 wait for nothing while one hangs', async () => {
  await using server = await startFaultServer((socket, { url }) =>
    url.startsWith('/ws_0/') ? undefined : void socket.write(answerBytes({ body: '{"id":"c1"}' })),
  );
  const clock = createVirtualClock();
  const events: IntegrationEvent[] = [];
  const rateLimit = createMemoryRateLimiter({
    limit: 2_000,
    perMs: 60_000,
    perTenant: { limit: 20, perMs: 60_000 },
  });
  await using tenants = createTenants({
    resolve: (tenantId) => ({
      onEvent: (event) => void events.push(event),
      messaging: {
        baseUrl: `${server.origin}/${tenantId}`,
        authenticate: bearer(() => `token of ${tenantId}`),
        platform: 'Acme',
        version: '2.11',
        rateLimit,
        attempts: 1,
      },
    }),
  });
  const readContact = (tenantId: string) => tenants.use(tenantId, ({ messaging }) => messaging.contacts.get('c1'));

  const dead = Promise.allSettled(Array.from({ length: 50 }, () => readContact('ws_0')));
  await until(() => server.requests.length >= 20);
  // Time does not pass: a call that waited for a place, a pause or a breaker would never end.
  for (const others of chunksOf(ids.slice(1), 50)) await Promise.all(others.map(readContact));

  const ofOthers = events.filter(({ tenant }) => tenant !== 'ws_0');
  expect(ofOthers.filter(({ type }) => type === 'call')).toHaveLength(999);
  expect(ofOthers.filter((event) => event.type === 'call' && event.outcome !== 'ok')).toEqual([]);
  expect(ofOthers.filter((event) => event.type === 'attempt' && event.waits.length > 0)).toEqual([]);

  await clock.advance(8_000);
  const ends = await dead;
  const codes = ends.map((end) => end.status === 'rejected' && (end.reason as IntegrationError).code);
  expect(Map.groupBy(codes, (code) => code)).toEqual(
    new Map([
      ['rate_limited', Array.from({ length: 30 }, () => 'rate_limited')],
      ['max_retries_exceeded', Array.from({ length: 20 }, () => 'max_retries_exceeded')],
    ]),
  );
  const circuits = new Map(tenants.status().tenants.map(({ tenantId, apis }) => [tenantId, apis.messaging?.circuit]));
  expect(ids.filter((tenantId) => circuits.get(tenantId) !== 'closed')).toEqual(['ws_0']);
  await Promise.all(ids.slice(1, 50).map(readContact));
});

const chunksOf = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) => items.slice(chunk * size, (chunk + 1) * size));
