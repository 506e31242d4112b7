import { expect, onTestFinished, test } from 'vitest';
import { createEventLoop } from '../../../bench/scale/event-loop.ts';
import { randomFrom } from '../../../bench/scale/random.ts';
import { createSimulatedApi } from '../../../bench/scale/simulated-api.ts';
import { aRequest } from '../../support/request.ts';

const open = (queueLength: number) => {
  const clock = createEventLoop();
  onTestFinished(() => clock[Symbol.dispose]());
  const api = createSimulatedApi({ random: randomFrom(1), workMs: () => 1_000, atOnce: 2, queueLength });
  const ended: (readonly [status: number | string, second: number])[] = [];
  const send = (signal: AbortSignal = new AbortController().signal) => {
    api.transport(aRequest({ signal })).then(
      ({ status }) => ended.push([status, Math.floor(performance.now() / 1_000)]),
      (reason: unknown) => ended.push([String(reason), Math.floor(performance.now() / 1_000)]),
    );
  };
  return { clock, api, ended, send };
};

test('so many requests are worked on at once, others wait in line, and those beyond it are turned away', async () => {
  const { clock, api, ended, send } = open(3);
  for (let count = 0; count < 6; count += 1) send();
  await clock.run(10_000);

  expect(ended).toEqual([
    [503, 0],
    [200, 1],
    [200, 1],
    [200, 2],
    [200, 2],
    [200, 3],
  ]);
  expect(api.arrivals).toHaveLength(6);
});

test('work goes on for a caller who has gone, and others wait for it', async () => {
  const { clock, ended, send } = open(3);
  const controller = new AbortController();
  send(controller.signal);
  send(controller.signal);
  await clock.run(100);
  send();
  setTimeout(() => controller.abort('too late'), 100);
  await clock.run(10_000);

  expect(ended).toEqual([
    ['too late', 0],
    ['too late', 0],
    [200, 2],
  ]);
});

test('while it is failing it answers at once, while it is silent never, and then as before', async () => {
  const { clock, api, ended, send } = open(3);
  api.become('failing');
  send();
  await clock.run(500);
  api.become('silent');
  send();
  await clock.run(5_000);
  api.become('up');
  send();
  await clock.run(10_000);

  expect(ended).toEqual([
    [503, 0],
    [200, 6],
  ]);
});
