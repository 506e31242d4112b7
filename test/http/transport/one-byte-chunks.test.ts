import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { createKyTransport } from '../../../src/http/ky-transport.ts';
import { readStream } from '../../../src/http/read-answer.ts';
import type { Transport } from '../../../src/http/request.ts';
import { createAddressGuard } from '../../../src/outbox/address-guard.ts';
import { createGuardedTransport } from '../../../src/outbox/guarded-transport.ts';
import { undiciTransport } from '../../../src/http/transport/undici.ts';
import { toRequest } from '../../../src/webhooks/adapters/node-request.ts';
import { readBody } from '../../../src/webhooks/read-body.ts';
import { bytes, head, startFaultServer } from '../../support/fault-server.ts';
import { aRequest } from '../../support/request.ts';

const size = 100_000;
const blockBytes = 65_536;

const inOneByteChunks = `${'1\r\nx\r\n'.repeat(size)}0\r\n\r\n`;

/**
 * How many blocks of 64 KiB `work` allocates. A body that is kept as its chunks needs none, and takes hundreds of times
 * its size.
 */
const blocksOf = async (work: () => Promise<unknown>): Promise<number> => {
  let blocks = 0;
  const construct = (type: Uint8ArrayConstructor, [length, ...others]: [number]) => {
    if (length === blockBytes) blocks += 1;
    return Reflect.construct(type, [length, ...others]) as Uint8Array;
  };
  vi.stubGlobal('Uint8Array', new Proxy(Uint8Array, { construct }));
  try {
    await work();
  } finally {
    vi.unstubAllGlobals();
  }
  return blocks;
};

describe('a body in chunks of one byte is copied into blocks', () => {
  test.each<[string, number, Transport]>([
    ['an answer to ky', size, createKyTransport({ maximumBodyBytes: size })],
    ['an answer to undici', size, undiciTransport({ maximumBodyBytes: size })],
    [
      'an answer to the outbox, which reads 64 KiB of it',
      blockBytes,
      createGuardedTransport({ guard: createAddressGuard(['127.0.0.0/8']) }).send,
    ],
  ])('%s', async (_what, length, transport) => {
    await using server = await startFaultServer(bytes(head(200, { 'transfer-encoding': 'chunked' }), inOneByteChunks));
    let text = '';
    const read = async () => {
      ({ text } = await transport(aRequest({ url: server.origin })));
    };

    // One block, and either another or the whole of 64 KiB.
    expect(await blocksOf(read)).toBe(2);
    expect(text).toBe('x'.repeat(length));
  });

  test('a delivery to a receiver, before it is authenticated', async () => {
    const body = Promise.withResolvers<Uint8Array>();
    const server = createServer((incoming) => {
      readBody(toRequest(incoming), { maximumBytes: size, timeMs: 60_000 }).then(body.resolve, body.reject);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');

    const blocks = await blocksOf(() => {
      socket.write(`POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${inOneByteChunks}`);
      return body.promise;
    });
    socket.destroy();
    server.close();

    expect(blocks).toBe(2);
    expect((await body.promise).byteLength).toBe(size);
  });
});

test('a stream that is always ready lets other work run after every thousand chunks', async () => {
  const chunks = 10_000;
  let read = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (read === chunks) return controller.close();
        read += 1;
        controller.enqueue(Uint8Array.of(1));
      },
    },
    { highWaterMark: 0 },
  );
  const readAtTurn: number[] = [];
  let isOver = false;
  const takeTurns = () => {
    readAtTurn.push(read);
    if (!isOver) setImmediate(takeTurns);
  };
  setImmediate(takeTurns);

  const { signal } = new AbortController();
  await readStream(stream, { maximumBytes: chunks, tooLarge: () => new Error('too large'), signal });
  isOver = true;

  const between = readAtTurn.map((count, turn) => count - (readAtTurn[turn - 1] ?? 0));
  expect(Math.max(...between)).toBe(1_000);
});
