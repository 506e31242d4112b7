import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import type { Configuration } from '../../../src/dev/cli/configuration.ts';
import { openConsole, outboxOf } from '../../../src/dev/cli/console/open-console.ts';
import { createMemoryMessageQueue } from '../../../src/stores/memory-message-queue.ts';
import { runCli } from '../../support/run-cli.ts';
import { openPlainQueue } from '../../support/plain-queue.ts';
import { eventually } from '../../support/until.ts';

/** A queue with one dead letter for one destination, and one of something else. */
const fillQueue = async () => {
  const queue = createMemoryMessageQueue();
  const payload = { event: 'call.completed', version: 1, idempotencyKey: 'CA1', body: '{"callId":"CA1"}' };
  await queue.enqueue([
    { id: 'outbox:crm:one', group: 'outbox:crm', payload },
    { id: 'two', group: 'webhooks', payload: null },
  ]);
  const options = { groups: { 'outbox:crm': 1, webhooks: 1 }, leaseMs: 10_000, maximumAttempts: 3 };
  const consumer = queue.consume(options, async () => ({ type: 'dead', reason: 'gone' }));
  await eventually(async () => (await queue.admin.stats()).dead === 2);
  await consumer.close(0);
  await queue.admin.pause('outbox:crm');
  return queue;
};

describe('the queue of a configuration', () => {
  test('is looked at as an outbox whose destinations are those that hold something', async () => {
    const queue = await fillQueue();
    const outbox = outboxOf(queue);

    expect(await outbox.status()).toMatchObject({ crm: { dead: 1, isDisabled: true } });
    expect(Object.keys(await outbox.status())).toEqual(['crm']);
    expect(await outbox.deadLetters.list()).toMatchObject([{ id: 'outbox:crm:one', destination: 'crm' }]);
    expect(await outbox.deadLetters.redrive({ since: 0 })).toBe(1);
    expect((await queue.admin.get('two'))?.state).toBe('dead');
    await queue.close(0);
  });

  test('is in the console with the tools, for everyone with the address', async () => {
    const queue = await fillQueue();
    const options = { crm: { baseUrl: 'https://crm.example', authenticate: bearer(() => 'x'), version: '60.0' } };
    const configuration: Configuration = { source: 'test', options: async () => options, queue: async () => queue };
    const { url, close } = await openConsole({ configuration, port: 0, allowActions: false });
    const signIn = await fetch(url, { redirect: 'manual' });
    const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const read = async (path: string) => (await fetch(new URL(`/api/${path}`, url), { headers: { cookie } })).json();

    expect(await read('outbox')).toMatchObject({ destinations: { crm: { dead: 1 } } });
    expect(await read('dead-letters')).toMatchObject({ messages: [{ destination: 'crm', reason: 'gone' }] });
    expect(await read('tools')).toMatchObject({ toolboxes: [{ name: 'phone call', tools: expect.any(Array) }] });
    await close();
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});

test('a queue without an admin is open in the console, which says so where it is asked for messages', async () => {
  const { queue } = openPlainQueue();
  const options = { crm: { baseUrl: 'https://crm.example', authenticate: bearer(() => 'x'), version: '60.0' } };
  const configuration: Configuration = { source: 'test', options: async () => options, queue: async () => queue };
  const { url, close } = await openConsole({ configuration, port: 0, allowActions: true });
  const signIn = await fetch(url, { redirect: 'manual' });
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const read = async (path: string) => fetch(new URL(`/api/${path}`, url), { headers: { cookie } });

  for (const path of ['outbox', 'dead-letters']) {
    const answer = await read(path);
    expect([answer.status, await answer.json()]).toEqual([409, { error: 'queue_without_admin' }]);
  }
  expect((await read('tools')).status).toBe(200);
  await close();
});

test('the console prints its address, plays the demo into itself, and ends with 0 at Ctrl-C', async () => {
  const ctrlC = new AbortController();
  const opened = Promise.withResolvers<string>();
  const running = runCli(['console', '--demo', '--json'], { signal: ctrlC.signal, onPrint: opened.resolve });
  const { url } = JSON.parse(await opened.promise) as { readonly url: string };
  const signIn = await fetch(url, { redirect: 'manual' });
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';

  await eventually(async () => {
    const answer = await fetch(new URL('/api/phone-calls', url), { headers: { cookie } });
    return (await answer.text()).includes('CA-4001');
  });
  const read = async (path: string) => (await fetch(new URL(`/api/${path}`, url), { headers: { cookie } })).json();
  expect(await read('tools')).toMatchObject({ toolboxes: [{ name: 'Phone call', tools: expect.any(Array) }] });
  const { apis, changes } = (await read('protection')) as Readonly<Record<'apis' | 'changes', object>>;
  expect(apis).toMatchObject({ 'billing, down': { circuit: 'open' }, billing: { circuit: 'closed' } });
  expect(changes).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ event: expect.objectContaining({ type: 'circuit', to: 'open' }) }),
    ]),
  );
  expect(await read('dead-letters')).toMatchObject({
    messages: expect.arrayContaining([expect.objectContaining({ destination: 'archive' })]),
  });
  ctrlC.abort();

  expect(await running).toMatchObject({ exitCode: 0, noted: 'Ctrl-C ends it.' });
});

test('a port that is taken is one line, and ends with 1', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { readonly port: number };

  const { exitCode, noted } = await runCli(['console', '--port', String(port)]);
  taken.close();

  expect(exitCode).toBe(1);
  expect(noted).toMatch(
    /^voice-agent-integrations: can't listen on the port: .*EADDRINUSE.* \(leave --port out, or name/,
  );
});
