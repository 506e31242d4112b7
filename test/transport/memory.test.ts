import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answerBytes, head, type Reply, startFaultServer, stream } from '../support/fault-server.ts';

const mebibyte = 2 ** 20;
const probe = fileURLToPath(new URL('../support/memory-probe.ts', import.meta.url));

const zeros = Buffer.alloc(mebibyte);

const mebibytes = function* (count: number) {
  for (let sent = 0; sent < count; sent += 1) yield zeros;
};

const gzipped = (count: number) => {
  const gzip = createGzip();
  const write = (left: number): void => {
    if (left === 0) gzip.end();
    else gzip.write(zeros, () => write(left - 1));
  };
  write(count);
  return gzip;
};

const ordinaryThen =
  (tooLarge: Reply): Reply =>
  (socket, request) =>
    request.url === '/ordinary'
      ? void socket.write(answerBytes({ body: JSON.stringify('x'.repeat(10_000)) }))
      : tooLarge(socket, request);

describe.each(['ky on fetch', 'transport/undici'])('on %s', (name) => {
  test.each([
    ['a body of 200 MB', stream(head(200, { 'content-length': `${200 * mebibyte}` }), () => mebibytes(200))],
    ['a body of 200 MB that does not say so', stream(head(200, { connection: 'close' }), () => mebibytes(200))],
    [
      'a gzip bomb of 256 MB',
      stream(head(200, { 'content-encoding': 'gzip', connection: 'close' }), () => gzipped(256)),
    ],
    [
      'a gzip bomb of 256 MB behind a 400',
      stream(head(400, { 'content-encoding': 'gzip', connection: 'close' }), () => gzipped(256)),
    ],
  ])('%s costs less than 32 MB of memory', { timeout: 30_000 }, async (_what, reply) => {
    await using server = await startFaultServer(ordinaryThen(reply));
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', probe, server.origin, name]);
    const { end, grownBytes } = JSON.parse(stdout) as { end: string; grownBytes: number };
    expect(end).toBe('messaging.contacts.get: the answer is larger than 8388608 bytes');
    expect(grownBytes).toBeLessThan(32 * mebibyte);
  });
});
