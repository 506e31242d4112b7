import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { createBodyBuffer } from '../../src/http/read-answer.ts';
import { createKyTransport } from '../../src/http/ky-transport.ts';
import type { Transport } from '../../src/http/request.ts';
import { createAddressGuard } from '../../src/outbox/address-guard.ts';
import { createGuardedTransport } from '../../src/outbox/guarded-transport.ts';
import { undiciTransport } from '../../src/transport/undici.ts';
import { toRequest } from '../../src/webhooks/adapters/node-request.ts';
import { readBody } from '../../src/webhooks/read-body.ts';
import { liveHeapBytes } from '../support/live-heap-bytes.ts';
import { longestTurnMs } from '../support/longest-turn.ts';
import { startOneByteSender } from '../support/one-byte-sender.ts';
import { aRequest } from '../support/request.ts';

const mebibyte = 2 ** 20;

const liveBytes = () => liveHeapBytes() + process.memoryUsage().arrayBuffers;

/** Reads a body, which keeps less than three times its size while its last byte is missing. Returns the longest turn. */
const readAndMeasure = async (
  read: (sender: { readonly port: number }) => Promise<unknown>,
  options: { readonly bytes: number; readonly connectTo?: number },
): Promise<number> => {
  await using sender = await startOneByteSender(options);
  const before = liveBytes();
  const body = read(sender);
  const arriving = await longestTurnMs(sender.sent);
  // What was sent is still on its way.
  await vi.waitFor(() => expect(liveBytes() - before).toBeLessThan(3 * options.bytes), 20_000);
  const ending = await longestTurnMs((sender.finish(), body));
  await body;
  return Math.max(arriving, ending);
};

/**
 * The first try pays for compiling the code. Where a busy machine is the reason, Node alone takes long for such a body too:
 * `bare` measures that.
 */
const expectShortTurns = async (measure: () => Promise<number>, bare: () => Promise<number>): Promise<void> => {
  let longestMs = Infinity;
  for (let tries = 0; tries < 3 && longestMs >= 50; tries += 1) longestMs = Math.min(longestMs, await measure());
  if (longestMs >= 50) expect(longestMs).toBeLessThan(2 * (await bare()));
};

const bareFetch = () =>
  readAndMeasure(({ port }) => fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.bytes()), {
    bytes: 8 * mebibyte,
  });

describe('a body in chunks of one byte costs at most three times its size and no long turn', () => {
  test.each<[string, number, Transport]>([
    ['an answer to ky', 8, createKyTransport({ maximumBodyBytes: 8 * mebibyte })],
    ['an answer to undici', 8, undiciTransport()],
    [
      'an answer to the outbox, which reads 64 KiB of it',
      1,
      createGuardedTransport({ guard: createAddressGuard(['127.0.0.0/8']) }).send,
    ],
  ])('%s', { timeout: 60_000 }, async (_what, size, transport) => {
    const bytes = size * mebibyte;
    const read = ({ port }: { port: number }) => transport(aRequest({ url: `http://127.0.0.1:${port}/` }));
    await expectShortTurns(() => readAndMeasure(read, { bytes }), bareFetch);
  });

  test('a delivery to a receiver, before it is authenticated', { timeout: 60_000 }, async () => {
    let took = Promise.withResolvers<Uint8Array>();
    let isBare = false;
    const server = createServer((incoming) => {
      if (isBare) return void collect(incoming).then(took.resolve, took.reject);
      const limits = { maximumBytes: mebibyte, timeMs: 60_000 };
      readBody(toRequest(incoming), limits).then(took.resolve, took.reject);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const deliver = async () => {
      took = Promise.withResolvers();
      const longestMs = await readAndMeasure(() => took.promise, { bytes: mebibyte, connectTo: port });
      expect((await took.promise).byteLength).toBe(mebibyte);
      return longestMs;
    };
    const deliverBare = () => {
      isBare = true;
      return deliver();
    };
    await expectShortTurns(deliver, deliverBare);
    server.closeAllConnections();
    server.close();
  });
});

/** What Node itself costs. */
const collect = async (incoming: AsyncIterable<Buffer>): Promise<Uint8Array> => {
  const body = createBodyBuffer();
  for await (const chunk of incoming) body.append(chunk);
  return body.bytes();
};
