import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from './run-program.ts';

/** Runs the program against an API. What it prints begins with `ended with 1` where it fails. */
const start = async (
  listener: RequestListener,
  { env = {}, file }: { readonly env?: Readonly<Record<string, string | undefined>>; readonly file?: 'a folder' } = {},
): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const { end, printed, complained } = await runProgram('10-check-at-start.ts', {
      env: { BILLING_BASE_URL: `http://127.0.0.1:${port}`, BILLING_API_KEY: 'key-of-billing', ...env },
      prepare: async (folder) => file && mkdir(join(folder, 'voice-agent.db')),
    });
    return `${end === 0 ? '' : `ended with ${end}\n`}${printed}${complained}`;
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const answer =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const works: RequestListener = (request, response) =>
  answer(200, request.url?.startsWith('/invoices') ? { data: [] } : { id: 'cus_1', phone: '+15555550199' })(
    request,
    response,
  );

test.each<[string, RequestListener, Parameters<typeof start>[1], RegExp]>([
  ['an API that works', works, {}, /^billing: neither a rate limit nor a quota is set: .*\n$/],
  ['one that is down', answer(503, {}), {}, /^billing: reading customers failed: 503: .*\nbilling: neither .*\n$/],
  [
    'a key that is missing',
    works,
    { env: { BILLING_API_KEY: undefined } },
    /^ended with 1\nbilling: no request can be sent: BILLING_API_KEY must be set in the environment, .*\n$/,
  ],
  ['a key that is wrong', answer(401, {}), {}, /^ended with 1\nbilling: the credential is refused: 401: .*\n$/],
  [
    'a store that cannot be opened',
    works,
    { file: 'a folder' },
    /\bstore can't be used: unable to open database file voice-agent\.db: its folder must be there, and this process be allowed to write in it\n/,
  ],
])('the program that checks at start, with %s', async (_, listener, how, printed) => {
  expect(await start(listener, how)).toMatch(printed);
});
