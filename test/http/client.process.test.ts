import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  answer,
  bytes,
  head,
  type Reply,
  resetBeforeAnswer,
  silence,
  startFaultServer,
  stream,
} from '../support/fault-server.ts';
import { runCommand } from '../support/run-command.ts';

const probe = fileURLToPath(new URL('../support/exit-probe.ts', import.meta.url));

const zeros = Buffer.alloc(2 ** 20);

const replies: Readonly<Record<string, Reply>> = {
  '/ok': answer({ body: '{}' }),
  '/reset': resetBeforeAnswer,
  '/silent': silence,
  '/stalled': bytes(head(200, { 'content-length': '10' }), '{'),
  '/503': answer({ status: 503 }),
  '/429': answer({ status: 429, headers: { 'retry-after': '120' } }),
  '/401': answer({ status: 401 }),
  '/html': answer({ body: '<p>Hello</p>' }),
  '/redirect': answer({ status: 302, headers: { location: '/ok' } }),
  '/bomb': stream(head(200, { connection: 'close' }), () => Array<Buffer>(9).fill(zeros)),
};

test.each(['ky on fetch', 'transport/undici'])(
  'whatever goes wrong on %s, no rejection is left unhandled, and the process ends by itself',
  async (name) => {
    await using server = await startFaultServer((socket, request) => replies[request.url]?.(socket, request));
    const printed = await runCommand(process.execPath, [probe, server.origin, name], {
      cwd: process.cwd(),
      timeoutMs: 30_000,
    });
    expect(JSON.parse(printed)).toEqual({
      ok: 'ok',
      reset: 'max_retries_exceeded',
      silent: 'max_retries_exceeded',
      stalled: 'max_retries_exceeded',
      503: 'max_retries_exceeded',
      429: 'max_retries_exceeded',
      401: 'client_error',
      html: 'unexpected_response',
      redirect: 'unexpected_response',
      bomb: 'unexpected_response',
      refused: 'max_retries_exceeded',
      reader: 'unexpected_response',
      lookUp: 'max_retries_exceeded',
      aborted: 'aborted',
      joined: 'aborted,aborted,aborted',
      payment: 'aborted',
      settled: 'max_retries_exceeded',
      closed: 'rate_limited',
    });
  },
);
