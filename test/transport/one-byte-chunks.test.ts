import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { createKyTransport } from '../../src/http/ky-transport.ts';
import type { Transport } from '../../src/http/request.ts';
import { createAddressGuard } from '../../src/outbox/address-guard.ts';
import { createGuardedTransport } from '../../src/outbox/guarded-transport.ts';
import { undiciTransport } from '../../src/transport/undici.ts';
import { toRequest } from '../../src/webhooks/adapters/node-request.ts';
import { readBody } from '../../src/webhooks/read-body.ts';
import { liveHeapBytes } from '../support/live-heap-bytes.ts';
import { startOneByteSender } from '../support/one-byte-sender.ts';
import { aRequest } from '../support/request.ts';

const mebibyte = 2 ** 20;

const liveBytes = () => liveHeapBytes() + process.memoryUsage().arrayBuffers;

/** Reads a body, which keeps less than three times its size while its last byte is missing. */
const readAndMeasure = async <T>(
  read: (sender: { readonly port: number }) => Promise<T>,
  options: { readonly bytes: number; readonly connectTo?: number },
): Promise<T> => {
  await using sender = await startOneByteSender(options);
  const before = liveBytes();
  const body = read(sender);
  await sender.sent;
  // What was sent is still on its way, and each look at the heap collects garbage.
  await vi.waitFor(() => expect(liveBytes() - before).toBeLessThan(3 * options.bytes), {
    timeout: 60_000,
    interval: 500,
  });
  sender.finish();
  return await body;
};

describe('a body in chunks of one byte takes at most three times its size in memory', () => {
  test.each<[string, number, Transport]>([
    ['an answer to ky', 2, createKyTransport({ maximumBodyBytes: 8 * mebibyte })],
    ['an answer to undici', 2, undiciTransport()],
    [
      'an answer to the outbox, which reads 64 KiB of it',
      1,
      createGuardedTransport({ guard: createAddressGuard(['127.0.0.0/8']) }).send,
    ],
  ])('%s', { timeout: 120_000 }, async (_what, size, transport) => {
    const { status } = await readAndMeasure(({ port }) => transport(aRequest({ url: `http://127.0.0.1:${port}/` })), {
      bytes: size * mebibyte,
    });

    expect(status).toBe(200);
  });

  test('a delivery to a receiver, before it is authenticated', { timeout: 120_000 }, async () => {
    const received = Promise.withResolvers<Uint8Array>();
    const server = createServer((incoming) => {
      const limits = { maximumBytes: mebibyte, timeMs: 60_000 };
      readBody(toRequest(incoming), limits).then(received.resolve, received.reject);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;

    const body = await readAndMeasure(() => received.promise, { bytes: mebibyte, connectTo: port });

    expect(body.byteLength).toBe(mebibyte);
    server.closeAllConnections();
    server.close();
  });
});
