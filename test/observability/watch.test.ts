import { describe, expect, test } from 'vitest';
import type { CallEvent, IntegrationEvent } from '../../src/observability/events.ts';
import { watch, type WatchAlert, type WatchLimits } from '../../src/observability/watch.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const call: CallEvent = {
  type: 'call',
  at: 0,
  api: 'billing',
  operation: 'billing.payments.create',
  attempts: 1,
  durationMs: 100,
  deadlineMs: 8_000,
  outcome: 'ok',
};
const failed: CallEvent = { ...call, outcome: 'unknown', error: { code: 'max_retries_exceeded', reason: 'timeout' } };

const watching = (limits: WatchLimits) => {
  const clock = createVirtualClock();
  const alerts: WatchAlert[] = [];
  const watched = watch({ clock, ...limits }, (alert) => void alerts.push(alert));
  /** One event a second. */
  const hear = async (times: number, event: IntegrationEvent) => {
    for (let time = 0; time < times; time += 1) {
      watched.onEvent(event);
      await clock.advance(1_000);
    }
  };
  const said = () => alerts.map(({ type, state, about }) => `${type} ${state} ${about}`);
  return { clock, alerts, watched, hear, said };
};

const endpoint = 'call:billing.payments.create';

describe('the success rate', () => {
  test('raises once when it falls, and recovers once when enough calls show that it is well', async () => {
    const { hear, alerts, watched } = watching({ successRateBelow: 0.9, windowMs: 100_000 });
    await hear(18, call);
    await hear(10, failed);
    expect(alerts).toEqual([
      {
        type: 'success-rate',
        state: 'raised',
        about: endpoint,
        value: 18 / 21,
        limit: 0.9,
        volume: 21,
        at: Date.UTC(2026, 0, 1) + 20_000,
      },
    ]);
    expect(watched.raised()).toEqual(alerts);
    await hear(200, call);
    expect(alerts.map(({ state }) => state)).toEqual(['raised', 'recovered']);
    expect(watched.raised()).toEqual([]);
  });

  test('does not go to and fro at the limit', async () => {
    const { hear, said } = watching({ successRateBelow: 0.9, windowMs: 100_000, minimumVolume: 50 });
    await hear(100, call);
    for (let turn = 0; turn < 60; turn += 1) {
      await hear(1, failed);
      await hear(8 + (turn % 3), call);
    }
    expect(said()).toEqual([`success-rate raised ${endpoint}`]);
  });

  test('says nothing of a few calls', async () => {
    const { hear, said } = watching({ successRateBelow: 0.9, minimumVolume: 20 });
    await hear(19, failed);
    expect(said()).toEqual([]);
    await hear(1, failed);
    expect(said()).toEqual([`success-rate raised ${endpoint}`]);
  });

  test('recovers when nobody calls any more', async () => {
    const { hear, said, clock } = watching({ successRateBelow: 0.9, windowMs: 60_000 });
    await hear(20, failed);
    await clock.advance(90_000);
    expect(said()).toEqual([`success-rate raised ${endpoint}`, `success-rate recovered ${endpoint}`]);
  });

  test('does not count who hung up, nor a delivery that had to wait', async () => {
    const { hear, said } = watching({ successRateBelow: 0.9 });
    await hear(30, { ...failed, error: { code: 'aborted' } });
    expect(said()).toEqual([]);
  });
});

test('the 95th percentile raises when too many are slow', async () => {
  const { hear, alerts } = watching({ p95AboveMs: 1_000, windowMs: 100_000 });
  await hear(100, call);
  expect(alerts).toEqual([]);
  await hear(6, { ...call, durationMs: 3_000 });
  expect(alerts.map(({ type, state, value }) => [type, state, value])).toEqual([['p95', 'raised', 3_000]]);
  await hear(200, call);
  expect(alerts.map(({ type, state, value }) => [type, state, value])).toEqual([
    ['p95', 'raised', 3_000],
    ['p95', 'recovered', 100],
  ]);
});

test('dead letters raise per destination, and recover when they were redriven', async () => {
  let dead = 3;
  const outboxes = [{ status: async () => ({ crm: { dead }, erp: { dead: 0 } }) }];
  const { clock, alerts } = watching({ deadLettersAbove: 10, outboxes, checkEveryMs: 1_000 });
  const after = async (count: number) => {
    dead = count;
    await clock.advance(1_000);
    return alerts.map(({ state, about, value }) => `${state} ${about} ${value}`);
  };
  expect(await after(10)).toEqual([]);
  expect(await after(11)).toEqual(['raised outbox:crm 11']);
  expect(await after(9)).toEqual(['raised outbox:crm 11']);
  expect(await after(8)).toEqual(['raised outbox:crm 11', 'recovered outbox:crm 8']);
});

test('the dead letters of one destination in several outboxes are counted together', async () => {
  const outboxes = [12, 0].map((dead) => ({ status: async () => ({ crm: { dead } }) }));
  const { clock, alerts } = watching({ deadLettersAbove: 10, outboxes, checkEveryMs: 1_000 });

  for (let check = 0; check < 5; check += 1) await clock.advance(1_000);

  expect(alerts.map(({ state, value }) => `${state} ${value}`)).toEqual(['raised 12']);
});

test('while one of several outboxes cannot be read, nobody is told that all is well', async () => {
  let isAway = false;
  const full = {
    status: async () => {
      if (isAway) throw new Error('the queue is away');
      return { crm: { dead: 12 } };
    },
  };
  const outboxes = [full, { status: async () => ({ crm: { dead: 0 } }) }];
  const { clock, said } = watching({ deadLettersAbove: 10, outboxes, checkEveryMs: 1_000 });

  await clock.advance(1_000);
  isAway = true;
  for (let check = 0; check < 3; check += 1) await clock.advance(1_000);

  expect(said()).toEqual(['dead-letters raised outbox:crm']);
});

test('an outbox that never answers keeps nobody from being told of endpoints', async () => {
  const outboxes = [{ status: () => new Promise<never>(() => {}) }];
  const limits = { deadLettersAbove: 0, successRateBelow: 0.9, outboxes, windowMs: 60_000, checkEveryMs: 1_000 };
  const { clock, hear, said } = watching(limits);

  await hear(20, failed);
  for (let second = 0; second < 70; second += 1) await clock.advance(1_000);

  expect(said()).toEqual([`success-rate raised ${endpoint}`, `success-rate recovered ${endpoint}`]);
});

test('an outbox that cannot be read changes nothing', async () => {
  const outboxes = [{ status: () => Promise.reject(new Error('the queue is away')) }];
  const { clock, said } = watching({ deadLettersAbove: 0, outboxes, checkEveryMs: 1_000 });
  await clock.advance(5_000);
  expect([said(), clock.pendingTimers()]).toEqual([[], 1]);
});

test('a listener that throws changes nothing', async () => {
  const clock = createVirtualClock();
  const watched = watch({ successRateBelow: 0.9, minimumVolume: 1, clock }, () => {
    throw new Error('the pager is away');
  });
  watched.onEvent(failed);
  expect(watched.raised().map(({ about }) => about)).toEqual([endpoint]);
});

test('it watches a bounded number of endpoints, and forgets those that nobody uses', async () => {
  const { hear, said, clock } = watching({
    successRateBelow: 0.9,
    minimumVolume: 1,
    maximumEndpoints: 2,
    windowMs: 60_000,
  });
  for (const operation of ['a', 'b', 'c']) await hear(1, { ...failed, operation });
  expect(said()).toEqual(['success-rate raised call:a', 'success-rate raised call:b']);
  await clock.advance(120_000);
  await hear(1, { ...failed, operation: 'c' });
  expect(said().at(-1)).toBe('success-rate raised call:c');
});

test('closed, it does nothing more and leaves no timer', async () => {
  const { clock, watched, said, hear } = watching({ successRateBelow: 0.9, minimumVolume: 1 });
  watched.close();
  await hear(3, failed);
  expect([said(), clock.pendingTimers()]).toEqual([[], 0]);
});

test.each<[limits: WatchLimits, problem: string]>([
  [{}, 'at least one'],
  [{ successRateBelow: 95 }, 'successRateBelow'],
  [{ p95AboveMs: 0 }, 'p95AboveMs'],
  [{ deadLettersAbove: 1 }, 'outboxes'],
  [{ p95AboveMs: 1, windowMs: -1 }, 'windowMs'],
  [{ p95AboveMs: 1, margin: 1 }, 'margin'],
])('%j is refused', (limits, problem) => {
  expect(() => watch(limits, () => {})).toThrow(problem);
});
