import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntegration } from 'voice-agent-integrations';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import {
  type AcceptedEvent,
  createWebhookReceiver,
  hmac,
  notificationEvents,
  sign,
  type WebhookReceiver,
} from 'voice-agent-integrations/webhooks';
import { connectPlatform } from '../../support/connected-platform.ts';
import { until } from '../../support/until.ts';
import { type RestateServer, startRestate, startWorker } from './restate-server.ts';
import { agentSteps, restateAt } from '../../../examples/engines/restate-steps.ts';

let restate: RestateServer;
beforeAll(async () => {
  restate = await startRestate();
}, 120_000);
afterAll(() => restate[Symbol.asyncDispose]());

const secrets = () => 'a-shared-secret';
const body = JSON.stringify({ type: 'payment.confirmed', payment_id: 'pay_1' });
const delivery = async (id: string) =>
  new Request('https://hook.test/billing', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id, ...(await sign(body, { secrets })) },
    body,
  });

/** One process takes calls and webhooks, the other's steps do the work. They share a store and nothing else. */
const start = async () => {
  const connected = await connectPlatform();
  const { crm } = connected.clientOptions;
  const { platform } = connected;
  const engine = restateAt(restate.ingress);
  const store = createMemoryIdempotencyStore();
  const handled: string[] = [];
  const receiver = (send?: (event: AcceptedEvent) => Promise<void>) =>
    createWebhookReceiver({
      authentication: [hmac({ secrets })],
      events: { 'payment.confirmed': notificationEvents['payment.confirmed'] },
      on: { 'payment.confirmed': ({ id }) => void handled.push(id) },
      store,
      send,
    });
  const integration = createIntegration({ crm, finishLater: { send: engine.call } });
  const writer = createIntegration({ crm });
  const work = async (receive: WebhookReceiver = receiver(), port?: number) => {
    const worker = await startWorker(agentSteps(writer, receive), port);
    await restate.register(worker.url);
    return worker;
  };
  return {
    platform,
    engine,
    receive: receiver(engine.event),
    inWorker: receiver(),
    handled,
    work,
    finish: (callId: string) =>
      integration.startPhoneCall({ callId, phone: '+14155550100' }).finish({ outcome: 'resolved', summary: 'Paid.' }),
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await writer.close();
      await connected[Symbol.asyncDispose]();
    },
  };
};

test('what was acknowledged outlives a kill of the engine, and is done once when a worker is up', async () => {
  await using under = await start();
  const { port, kill } = await under.work();
  await kill();

  const finished = await under.finish('CA1');
  const answers = [await under.receive(await delivery('evt_1')), await under.receive(await delivery('evt_1'))];
  expect(finished).toMatchObject({ queued: true });
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  expect([under.platform.crm.tasks, under.handled]).toEqual([[], []]);

  await restate.kill();
  await restate.restart();
  const worker = await under.work(undefined, port);
  await until(() => under.platform.crm.tasks.length > 0 && under.handled.length > 0);
  await worker.kill();

  expect([under.platform.crm.tasks.length, under.handled]).toEqual([1, ['evt_1']]);
});

test('a step whose end is lost with its worker runs again, and does nothing twice', async () => {
  await using under = await start();
  const runs: string[] = [];
  let kill: () => Promise<void> = async () => {};
  const dying = Object.assign((request: Request) => under.inWorker(request), {
    startWorker: under.inWorker.startWorker,
    handle: async (event: AcceptedEvent) => {
      await under.inWorker.handle(event);
      runs.push(event.id);
      if (runs.length === 1) await kill();
    },
  });
  const first = await under.work(dying);
  ({ kill } = first);

  await under.receive(await delivery('evt_2'));
  await until(() => runs.length === 1);
  const worker = await under.work(dying, first.port);
  await until(() => runs.length === 2);
  await worker.kill();

  expect([runs, under.handled]).toEqual([['evt_2', 'evt_2'], ['evt_2']]);
});

test('an engine that is down acknowledges nothing, and takes it when it is up', async () => {
  await using under = await start();
  const worker = await under.work();
  await restate.kill();

  expect((await under.receive(await delivery('evt_3'))).status).toBe(503);
  await expect(under.finish('CA3')).rejects.toThrow('fetch failed');
  await restate.restart();
  expect((await under.receive(await delivery('evt_3'))).status).toBe(202);
  await under.finish('CA3');
  await until(() => under.platform.crm.tasks.length === 1 && under.handled.length === 1);
  await worker.kill();

  expect(under.handled).toEqual(['evt_3']);
});

test('the key of an event keeps the engine from taking it twice', async () => {
  await using under = await start();
  const sent: AcceptedEvent[] = [];
  const keep = createWebhookReceiver({
    authentication: [hmac({ secrets })],
    events: { 'payment.confirmed': notificationEvents['payment.confirmed'] },
    on: { 'payment.confirmed': () => {} },
    store: createMemoryIdempotencyStore(),
    send: async (event) => sent.push(event),
  });
  await keep(await delivery('evt_4'));
  const [event] = sent as [AcceptedEvent];
  const runs: string[] = [];
  const counting = Object.assign((request: Request) => under.inWorker(request), {
    startWorker: under.inWorker.startWorker,
    handle: async ({ id }: AcceptedEvent) => void runs.push(id),
  });
  const worker = await under.work(counting);

  await Promise.all([under.engine.event(event), under.engine.event(event)]);
  await until(() => runs.length > 0);
  await under.engine.event({ ...event, key: 'b'.repeat(64), id: 'the last one' });
  await until(() => runs.includes('the last one'));
  await worker.kill();

  expect(runs).toEqual(['evt_4', 'the last one']);
});
