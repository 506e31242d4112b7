import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createQueue, type FakeQueue, type Fields, SqsError } from './fake-sqs-queue.ts';

/** SQS as its documentation describes it, on loopback: the JSON protocol, standard and FIFO queues. */
export interface FakeSqs extends AsyncDisposable {
  readonly endpoint: string;
  /** Makes a queue, if there is none of this name; one that ends with `.fifo` is a FIFO queue. */
  readonly urlOf: (name: string) => string;
  readonly queue: (url: string) => FakeQueue;
  /** The operations that were asked for, in order. */
  readonly asked: readonly string[];
  /** The next answers of an operation get lost, after its work is done. */
  readonly loseAnswers: (operation: string, count: number) => void;
  /** The next entries of batches fail, and the others of their batch don't. */
  readonly refuseEntries: (count: number) => void;
  /** Answers nothing but 503. */
  isDown: boolean;
}

export const startFakeSqs = async (): Promise<FakeSqs> => {
  const queues = new Map<string, FakeQueue>();
  const asked: string[] = [];
  const lost = new Map<string, number>();
  let refusals = 0;

  const queueOf = (url: unknown): FakeQueue => {
    const queue = queues.get(String(url).split('/').at(-1) ?? '');
    if (!queue) throw new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  };

  const sendBatch = (queue: FakeQueue, input: Fields) => {
    const entries = entriesOf(input);
    const size = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
    if (size > longestMessage) throw new SqsError('BatchRequestTooLong', 'The length of all messages is too long.');
    return perEntry(entries, (entry) => {
      if (refusals > 0) {
        refusals -= 1;
        throw new SqsError('InternalError', 'Try again.', 500);
      }
      return sendOne(queue, entry);
    });
  };

  const operations: Readonly<Record<string, (input: Fields, gone: AbortSignal) => object | Promise<object>>> = {
    SendMessage: (input) => sendOne(queueOf(input['QueueUrl']), input),
    SendMessageBatch: (input) => sendBatch(queueOf(input['QueueUrl']), input),
    ReceiveMessage: (input, gone) => queueOf(input['QueueUrl']).receive(input, gone),
    ChangeMessageVisibility: (input) => queueOf(input['QueueUrl']).changeVisibility(input),
    DeleteMessage: (input) => queueOf(input['QueueUrl']).remove(input),
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const operation = String(request.headers['x-amz-target']).replace(/^AmazonSQS\./, '');
    asked.push(operation);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      if (fake.isDown) throw new SqsError('ServiceUnavailable', 'The service is down.', 503);
      const run = operations[operation];
      if (!run) throw new SqsError('UnsupportedOperation', `${operation} is not faked`);
      const result = await run(JSON.parse(text) as Fields, gone.signal);
      const losses = lost.get(operation) ?? 0;
      if (losses > 0) {
        lost.set(operation, losses - 1);
        return void request.socket.destroy();
      }
      reply(response, 200, result);
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      response.setHeader('x-amzn-query-error', `${error.code};${error.isSenders ? 'Sender' : 'Receiver'}`);
      reply(response, error.status, { __type: `com.amazonaws.sqs#${error.code}`, message: error.message });
    }
  };

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeSqs = {
    endpoint,
    asked,
    isDown: false,
    urlOf: (name) => {
      if (!/^[\w-]{1,75}(\.fifo)?$/.test(name)) throw new Error(`${name} can't be the name of a queue`);
      if (!queues.has(name)) queues.set(name, createQueue({ isFifo: name.endsWith('.fifo') }));
      return `${endpoint}/123456789012/${name}`;
    },
    queue: queueOf,
    loseAnswers: (operation, count) => void lost.set(operation, count),
    refuseEntries: (count) => {
      refusals = count;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return fake;
};

const longestMessage = 1_048_576;

const sizeOf = ({ MessageBody, MessageAttributes = {} }: Fields): number =>
  Buffer.byteLength(String(MessageBody)) +
  Object.entries(MessageAttributes as Fields).reduce((sum, [name, value]) => {
    const { DataType, StringValue } = value as Fields;
    return sum + Buffer.byteLength(`${name}${String(DataType)}${String(StringValue)}`);
  }, 0);

const sendOne = (queue: FakeQueue, entry: Fields): object => {
  const body = entry['MessageBody'];
  if (typeof body !== 'string' || body === '') throw new SqsError('MissingParameter', 'MessageBody is missing.');
  if (/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(body))
    throw new SqsError('InvalidMessageContents', 'Invalid characters found.');
  if (sizeOf(entry) > longestMessage)
    throw new SqsError(
      'InvalidParameterValue',
      'One or more parameters are invalid: message must be shorter than 1 MiB.',
    );
  if (Object.keys((entry['MessageAttributes'] ?? {}) as Fields).length > 10)
    throw new SqsError('InvalidParameterValue', 'Number of message attributes [11] exceeds the allowed maximum [10].');
  return { MessageId: queue.send(entry) ?? randomUUID(), MD5OfMessageBody: md5(body) };
};

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

const entriesOf = ({ Entries }: Fields): readonly Fields[] => {
  const entries = (Entries ?? []) as readonly Fields[];
  const ids = entries.map(({ Id }) => String(Id));
  if (entries.length === 0) throw new SqsError('EmptyBatchRequest', 'There should be at least one entry.');
  if (entries.length > 10) throw new SqsError('TooManyEntriesInBatchRequest', 'Maximum number of entries is 10.');
  if (ids.some((id) => !/^[\w-]{1,80}$/.test(id))) throw new SqsError('InvalidBatchEntryId', 'An id is malformed.');
  if (new Set(ids).size < ids.length) throw new SqsError('BatchEntryIdsNotDistinct', 'Two ids are equal.');
  return entries;
};

/** Some may fail: the status is 200 all the same. */
const perEntry = (entries: readonly Fields[], work: (entry: Fields) => object): object => {
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of entries)
    try {
      Successful.push({ Id: entry['Id'], ...work(entry) });
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      const { code, message, isSenders } = error;
      Failed.push({ Id: entry['Id'], Code: code, Message: message, SenderFault: isSenders });
    }
  return { Successful, Failed };
};

const reply = (response: ServerResponse, status: number, body: object) => {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-requestid': randomUUID(),
    // The client corrects its clock by it.
    date: new Date().toUTCString(),
  });
  response.end(JSON.stringify(body));
};
