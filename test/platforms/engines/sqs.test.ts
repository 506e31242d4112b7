import { SQS } from '@aws-sdk/client-sqs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checksOfQueue } from 'voice-agent-integrations/testing';
import { createOutbox, defineEvent, type MessageQueue, type QueuedMessage } from 'voice-agent-integrations/outbox';
import * as z from 'zod';
import { startRecordingServer } from '../../support/recording-server.ts';
import { passing, until } from '../../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';
import { startFakeSqs } from './fake-sqs.ts';
import { sqsQueue } from '../../../examples/engines/sqs-queue.ts';

const start = async () => {
  const clock = createVirtualClock();
  const fake = await startFakeSqs();
  const sqs = new SQS({
    endpoint: fake.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const urlOf = (group: string) => fake.urlOf(`${group.replaceAll(/\W/g, '-')}.fifo`);
  const deadLetters = fake.urlOf('dead-letters');
  const made = sqsQueue(sqs, { urlOf, deadLetters });
  const queue: MessageQueue = { ...made, close: (drainMs) => passing(clock, made.close(drainMs)) };
  onTestFinished(async () => {
    await queue.close(0);
    sqs.destroy();
    await fake[Symbol.asyncDispose]();
  });
  return { clock, fake, sqs, queue, urlOf, deadLetters };
};

const message = (id: string, payload: QueuedMessage['payload'] = null): QueuedMessage => ({ id, group: 'g', payload });

const consume = (
  queue: MessageQueue,
  handle: Parameters<MessageQueue['consume']>[1] = async () => ({ type: 'done' }),
) => {
  const seen: [id: string, attempt: number, at: number][] = [];
  const errors: unknown[] = [];
  const options = {
    groups: { g: 5 },
    leaseMs: 10_000,
    maximumAttempts: 3,
    onError: (error: unknown) => errors.push(error),
  };
  const consumer = queue.consume(options, async (one, lease) => {
    seen.push([one.id, lease.attempt, Date.now()]);
    return handle(one, lease);
  });
  return { seen, errors, consumer };
};

describe('what every queue must do', () => {
  let clock: VirtualClock;
  const checksWithout = (without: Readonly<Record<string, string>>) =>
    checksOfQueue({
      open: async () => {
        const made = await start();
        ({ clock } = made);
        return made.queue;
      },
      keepDoneMs: 300_000,
      without,
      pass: (ms) => clock.advance(ms),
    });
  const uncounted = 'does not count what was not tried: uncounted, or cut short by close()';

  test.each(checksWithout({ [uncounted]: 'SQS counts every receive' }))('$name', ({ run }) => run());

  test('but SQS counts what was not tried', async () => {
    const check = checksWithout({}).find(({ name }) => name === uncounted);

    await expect(check?.run()).rejects.toThrow('must not be counted');
  });
});

describe('SQS as a queue, as the page says', () => {
  test('a message that SQS refuses makes enqueue reject; repeating the others stores each once', async () => {
    const { queue } = await start();
    const messages = Array.from({ length: 12 }, (_, index) => message(`m${index}`));
    const large = message('large', 'x'.repeat(2 ** 20));

    await expect(queue.enqueue([...messages, large])).rejects.toThrow('shorter than 1 MiB');
    await queue.enqueue(messages);
    const { seen } = consume(queue);
    await until(() => seen.length === 12);

    expect(new Set(seen.map(([id]) => id)).size).toBe(12);
  });

  test('an answer that is lost stores a message once', async () => {
    const { clock, fake, queue, urlOf } = await start();
    fake.loseAnswers('SendMessage', 1);

    await passing(clock, queue.enqueue([message('a')]));

    expect(fake.asked).toEqual(['SendMessage', 'SendMessage']);
    expect(fake.queue(urlOf('g')).bodies()).toHaveLength(1);
  });

  test('a message that waits for its time has its first attempt then, in another process too', async () => {
    const { clock, fake, queue } = await start();
    const dueAt = Date.now() + Number(queue.longestDelayMs);
    await queue.enqueue([{ ...message('later'), dueAt }]);
    const { consumer } = consume(queue);
    await until(() => fake.asked.includes('ChangeMessageVisibility'));
    await consumer.close();
    await clock.advance(dueAt - Date.now());
    const { seen } = consume(queue);
    await until(() => seen.length === 1);

    expect(seen).toEqual([['later', 1, dueAt]]);
  });

  test('what is given up is in the queue of dead letters, with the reason', async () => {
    const { clock, fake, queue, deadLetters, urlOf } = await start();
    await queue.enqueue([message('refused', 1), message('poison', 2)]);
    const { seen } = consume(queue, async ({ id }) => {
      if (id === 'refused') return { type: 'dead', reason: 'client_error' };
      throw new Error('broken');
    });

    await passing(
      clock,
      until(() => fake.queue(deadLetters).bodies().length === 2),
    );

    expect(
      fake
        .queue(deadLetters)
        .bodies()
        .map((body) => JSON.parse(body)),
    ).toEqual([
      { id: 'refused', group: 'g', payload: 1, reason: 'client_error' },
      { id: 'poison', group: 'g', payload: 2, reason: 'attempts_exhausted' },
    ]);
    await until(() => fake.queue(urlOf('g')).bodies().length === 0);
    expect(seen.map(([id, attempt]) => `${id} ${attempt}`)).toEqual(['refused 1', 'poison 1', 'poison 2', 'poison 3']);
  });

  test('while SQS is down the consumer says so, and goes on when it is up', async () => {
    const { clock, fake, queue } = await start();
    fake.isDown = true;
    const { seen, errors } = consume(queue);
    await passing(
      clock,
      until(() => errors.length > 0),
    );
    fake.isDown = false;

    await queue.enqueue([message('a')]);
    await passing(
      clock,
      until(() => seen.length === 1),
    );

    expect(String(errors[0])).toContain('The service is down');
  });

  test('a consumer without an onError goes on after an answer that failed', async () => {
    const { clock, fake, queue } = await start();
    await queue.enqueue([message('a')]);
    const seen: string[] = [];
    queue.consume({ groups: { g: 1 }, leaseMs: 10_000, maximumAttempts: 3 }, async ({ id }) => {
      seen.push(id);
      fake.isDown = seen.length === 1;
      return { type: 'done' };
    });
    await passing(
      clock,
      until(() => fake.asked.filter((operation) => operation === 'DeleteMessage').length === 3),
    );
    fake.isDown = false;

    await queue.enqueue([message('b')]);
    await passing(
      clock,
      until(() => seen.includes('b')),
    );

    expect(seen).toEqual(expect.arrayContaining(['a', 'b']));
  });

  test('the outbox delivers over it: repeated with one key, and later than SQS can hide it', async () => {
    const { clock, queue } = await start();
    await using server = await startRecordingServer();
    server.answer({ status: 503 }, { status: 503 }, { status: 200 });
    const booked = defineEvent('callback.booked', { 1: z.object({ callId: z.string() }) });
    const outbox = createOutbox({
      // As if SQS hid nothing for longer than a minute.
      queue: { ...queue, longestDelayMs: 60_000 },
      destinations: [{ name: 'warehouse', url: `${server.baseUrl}/v{version}`, version: 1 }],
      delaysMs: [1_000, 200_000],
      allowNetworks: ['127.0.0.0/8'],
    });
    const publishedAt = Date.now();

    await outbox.publish({ event: booked, payload: { callId: 'CA1' }, idempotencyKey: 'CA1:booked' });
    await passing(
      clock,
      until(() => server.requests.length === 3),
    );

    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(3).fill('CA1:booked'));
    expect(Date.now() - publishedAt).toBeGreaterThan(0.8 * 200_000);
    await outbox.close();
  });
});
