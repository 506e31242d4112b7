import { SQS } from '@aws-sdk/client-sqs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { startFakeSqs } from './fake-sqs.ts';

const start = async () => {
  const clock = createVirtualClock();
  const fake = await startFakeSqs();
  const { endpoint } = fake;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const sqs = new SQS({ endpoint, region: 'eu-central-1', credentials });
  onTestFinished(async () => {
    sqs.destroy();
    await fake[Symbol.asyncDispose]();
  });
  return { clock, fake, sqs, standard: fake.urlOf('standard'), fifo: fake.urlOf('one.fifo') };
};

const entry = (Id: string, MessageBody = 'hello') => ({ Id, MessageBody });
const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };
const long = 'x'.repeat(1_048_577);

describe('the fake is as strict as the documentation of SQS', () => {
  test.each<[code: string, run: (made: Awaited<ReturnType<typeof start>>) => Promise<unknown>]>([
    ['QueueDoesNotExist', ({ sqs, standard }) => sqs.receiveMessage({ QueueUrl: `${standard}-2` })],
    ['InvalidParameterValue', ({ sqs, standard }) => send(sqs, standard, { DelaySeconds: 901 })],
    ['InvalidParameterValue', ({ sqs, fifo }) => send(sqs, fifo, { ...ids, DelaySeconds: 1 })],
    ['InvalidParameterValue', ({ sqs, fifo }) => send(sqs, fifo, { MessageGroupId: 'g' })],
    ['InvalidParameterValue', ({ sqs, fifo }) => send(sqs, fifo, { ...ids, MessageDeduplicationId: 'ä' })],
    ['InvalidParameterValue', ({ sqs, fifo }) => send(sqs, fifo, { ...ids, MessageGroupId: 'x'.repeat(129) })],
    ['InvalidParameterValue', ({ sqs, standard }) => send(sqs, standard, { MessageBody: long })],
    ['InvalidMessageContents', ({ sqs, standard }) => send(sqs, standard, { MessageBody: '\u0000' })],
    ['MissingParameter', ({ sqs, standard }) => send(sqs, standard, { MessageBody: '' })],
    ['InvalidParameterValue', ({ sqs, standard }) => send(sqs, standard, { MessageAttributes: attributes(11) })],
    ['InvalidParameterValue', ({ sqs, standard }) => sqs.receiveMessage({ QueueUrl: standard, WaitTimeSeconds: 21 })],
    [
      'InvalidParameterValue',
      ({ sqs, standard }) => sqs.receiveMessage({ QueueUrl: standard, MaxNumberOfMessages: 11 }),
    ],
    ['ReceiptHandleIsInvalid', ({ sqs, standard }) => sqs.deleteMessage({ QueueUrl: standard, ReceiptHandle: 'r' })],
    ['EmptyBatchRequest', ({ sqs, standard }) => sqs.sendMessageBatch({ QueueUrl: standard, Entries: [] })],
    [
      'BatchEntryIdsNotDistinct',
      ({ sqs, standard }) => sqs.sendMessageBatch({ QueueUrl: standard, Entries: [entry('a'), entry('a')] }),
    ],
    [
      'TooManyEntriesInBatchRequest',
      ({ sqs, standard }) =>
        sqs.sendMessageBatch({ QueueUrl: standard, Entries: Array.from({ length: 11 }, (_, i) => entry(`${i}`)) }),
    ],
    [
      'BatchRequestTooLong',
      ({ sqs, standard }) =>
        sqs.sendMessageBatch({
          QueueUrl: standard,
          Entries: ['a', 'b'].map((id) => entry(id, long.slice(0, 600_000))),
        }),
    ],
  ])('%s', async (name, run) => {
    await expect(run(await start())).rejects.toMatchObject({ name });
  });

  test('an entry of a batch may fail alone, with the status 200', async () => {
    const { sqs, standard, fake } = await start();
    fake.refuseEntries(1);

    const { Successful, Failed } = await sqs.sendMessageBatch({
      QueueUrl: standard,
      Entries: [entry('a'), entry('b')],
    });

    expect([Successful?.map(({ Id }) => Id), Failed]).toEqual([
      ['b'],
      [{ Id: 'a', Code: 'InternalError', Message: 'Try again.', SenderFault: false }],
    ]);
  });

  test('a message is hidden for its visibility, counts its receives, and has another receipt each time', async () => {
    const { sqs, standard, clock } = await start();
    await send(sqs, standard, { DelaySeconds: 900, MessageAttributes: attributes(1) });
    expect(await receive(sqs, standard)).toBeUndefined();
    await clock.advance(900_000);
    const first = await receive(sqs, standard);
    expect(await receive(sqs, standard)).toBeUndefined();
    await clock.advance(30_000);
    const second = await receive(sqs, standard);

    expect([first, second].map((message) => message?.Attributes?.ApproximateReceiveCount)).toEqual(['1', '2']);
    expect(first?.ReceiptHandle).not.toBe(second?.ReceiptHandle);
    expect(first?.MessageAttributes).toEqual({});
    await sqs.deleteMessage({ QueueUrl: standard, ReceiptHandle: first?.ReceiptHandle });
    await clock.advance(30_000);
    expect(await receive(sqs, standard)).toBeDefined();
  });

  test('nothing is hidden for more than 12 hours from its receive, or once it is shown again', async () => {
    const { sqs, standard, clock } = await start();
    await send(sqs, standard);
    const held = { QueueUrl: standard, ReceiptHandle: (await receive(sqs, standard))?.ReceiptHandle };
    const change = (VisibilityTimeout: number) => sqs.changeMessageVisibility({ ...held, VisibilityTimeout });

    await expect(change(43_201)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    await clock.advance(1_000);
    await expect(change(43_200)).rejects.toThrow('beyond the limit [43200 seconds]');
    await change(0);
    await expect(change(0)).rejects.toMatchObject({ name: 'MessageNotInflight' });
  });

  test('a FIFO queue hands out one message of a group at a time, and knows an id for five minutes', async () => {
    const { sqs, fifo, clock, fake } = await start();
    await send(sqs, fifo, ids);
    await send(sqs, fifo, { ...ids, MessageDeduplicationId: 'e' });
    await send(sqs, fifo, ids);
    const first = await receive(sqs, fifo);
    expect(await receive(sqs, fifo)).toBeUndefined();
    await sqs.deleteMessage({ QueueUrl: fifo, ReceiptHandle: first?.ReceiptHandle });
    await send(sqs, fifo, ids);
    expect(fake.queue(fifo).bodies()).toHaveLength(1);

    const late = await receive(sqs, fifo);
    await clock.advance(300_000);
    await expect(sqs.deleteMessage({ QueueUrl: fifo, ReceiptHandle: late?.ReceiptHandle })).rejects.toThrow('expired');
    await send(sqs, fifo, ids);
    expect(fake.queue(fifo).bodies()).toHaveLength(2);
  });

  test('a standard queue may hand out a message twice', async () => {
    const { sqs, standard, fake } = await start();
    fake.queue(standard).duplicateNext();
    await send(sqs, standard);

    const twice = [await receive(sqs, standard), await receive(sqs, standard), await receive(sqs, standard)];

    expect(twice.map((message) => message?.Body)).toEqual(['hello', 'hello', undefined]);
  });
});

const send = (sqs: SQS, QueueUrl: string, more: object = {}) =>
  sqs.sendMessage({ QueueUrl, MessageBody: 'hello', ...more });

const receive = async (sqs: SQS, QueueUrl: string) =>
  (await sqs.receiveMessage({ QueueUrl, MessageSystemAttributeNames: ['All'] })).Messages?.[0];

const attributes = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`a${index}`, { DataType: 'String', StringValue: 'b' }]),
  );
