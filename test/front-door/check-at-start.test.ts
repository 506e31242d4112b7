import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const program = fileURLToPath(new URL('10-check-at-start.ts', import.meta.url));
const fromSource = new URL('../../scripts/from-source.js', import.meta.url).href;

/** Runs the program in a folder of its own. What it prints begins with `ended with 1` where it fails. */
const start = async (
  listener: RequestListener,
  { env = {}, file }: { readonly env?: Readonly<Record<string, string | undefined>>; readonly file?: 'a folder' } = {},
): Promise<string> => {
  await using folder = await makeScratchFolder();
  if (file) await mkdir(folder.file('voice-agent.db'));
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await runCommand('sh', ['-c', 'exec "$0" "$@" 2>&1', process.execPath, '--import', fromSource, program], {
      cwd: folder.path,
      env: { BILLING_BASE_URL: `http://127.0.0.1:${port}`, BILLING_API_KEY: 'key-of-billing', ...env },
    });
  } catch (error) {
    const [, said = String(error)] = / (ended with 1\n[\s\S]*)/.exec((error as Error).message) ?? [];
    return said;
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
