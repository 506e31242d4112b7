/** MCP 2026-07-28 with the real packages: a server and a toolbox for each request, and answers that come anywhere. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';
import { mcp } from '../../src/tools/providers/mcp.ts';
import type { ToolboxOptions } from '../../src/tools/index.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { createRefundTool, type RefundToolOptions } from './refund-tool.ts';

type Fetch = (request: Request) => Promise<Response>;

/** One process: its handler makes a server and a toolbox for each request. */
const startProcess = (options: RefundToolOptions): Fetch => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'payments', version: '1.0.0' });
    mcp.serve(server, createRefundTool(options));
    return server;
  });
  return (request) => handler.fetch(request);
};

interface ConnectOptions {
  readonly canAsk?: boolean;
  readonly mode?: 'auto' | 'legacy';
}

/** A client whose requests go to the processes in turn, or to an address. */
const connect = async (
  to: readonly Fetch[] | URL,
  answer: (question: string) => 'accept' | 'decline' | 'cancel' = () => 'accept',
  { canAsk = true, mode = 'auto' }: ConnectOptions = {},
) => {
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    { capabilities: canAsk ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode } },
  );
  const asked: string[] = [];
  if (canAsk)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: answer(params.message), content: {} };
    });
  let turn = 0;
  const options =
    to instanceof URL
      ? {}
      : { fetch: (url: string | URL, init?: RequestInit) => next(to, turn++)(new Request(url, init)) };
  const address = to instanceof URL ? to : new URL('http://127.0.0.1/mcp');
  await client.connect(new StreamableHTTPClientTransport(address, options));
  onTestFinished(() => client.close());
  return { client, asked };
};

const next = (processes: readonly Fetch[], turn: number): Fetch => {
  const one = processes[turn % processes.length];
  if (!one) throw new Error('There is no process.');
  return one;
};

const refund = { name: 'refund', arguments: { amount: 5 } };

/** Sends one request by hand. */
const send = async (client: Client, params: object) =>
  (await client.request({ method: 'tools/call', params: { ...refund, ...params } }, { allowInputRequired: true })) as {
    readonly isError?: boolean;
    readonly requestState?: string;
    readonly inputRequests?: object;
    readonly structuredContent?: object;
  };

const answered = (requestState: string | undefined, action: string = 'accept') => ({
  requestState,
  inputResponses: { agreement: { action, content: {} } },
});

/** Two processes that share a store, and a client of each. */
const startTwo = async (options: Partial<RefundToolOptions> = {}) => {
  const refunds: number[] = [];
  const store = createMemoryIdempotencyStore();
  const all = { store, confirm: 'two-step', onRefund: (amount: number) => refunds.push(amount), ...options } as const;
  const open = async (own: Partial<RefundToolOptions> = {}) =>
    (await connect([startProcess({ ...all, ...own })])).client;
  return { refunds, one: await open(), other: await open(), open };
};

const invalid = expect.objectContaining({ code: -32_602, data: { reason: 'invalid_request_state' } });

/** The error of a request. */
const errorOf = async (sent: Promise<unknown>) => {
  const error = await sent.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProtocolError);
  return error;
};

afterEach(() => void vi.useRealTimers());

for (const confirm of ['two-step', 'approve', 'both'] as const) {
  test(`asked by one process and answered at another, a person is asked once (${confirm})`, async () => {
    const refunds: number[] = [];
    const store = createMemoryIdempotencyStore();
    const options = { store, confirm, onRefund: (amount: number) => refunds.push(amount) };
    const { client, asked } = await connect([startProcess(options), startProcess(options)]);

    const { isError, structuredContent } = await client.callTool(refund);

    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect([isError, structuredContent, asked, refunds]).toEqual([false, { refunded: 5 }, ['Give back 5.'], [5]]);
  });
}

describe('the state of a question', () => {
  test('says nothing about the caller, and has a question with it', async () => {
    const { one } = await startTwo();

    const { requestState, inputRequests } = await send(one, {});

    expect(requestState).toMatch(/^[0-9a-z]{8}\.-\.[0-9a-f]{6}\.[0-9a-f]{24}$/);
    expect(inputRequests).toMatchObject({ agreement: { method: 'elicitation/create', params: { mode: 'form' } } });
  });

  test('counts once: if it comes again, it gets the same end and nothing is done', async () => {
    const { one, other, refunds } = await startTwo();
    const { requestState } = await send(one, {});

    const ends = [
      await send(other, answered(requestState)),
      await send(other, answered(requestState)),
      await send(one, answered(requestState, 'decline')),
    ];

    expect(refunds).toEqual([5]);
    expect(ends[0]?.structuredContent).toEqual({ refunded: 5 });
    for (const { structuredContent } of ends.slice(1))
      expect(structuredContent).toMatchObject({
        refunded: 5,
        message: expect.stringContaining('Nothing was done now'),
      });
  });

  test.each(['write', 'payment'] as const)('two retries at one moment: one %s', async (effect) => {
    const started = Promise.withResolvers<void>();
    const letGo = Promise.withResolvers<void>();
    const refunds: number[] = [];
    const onRefund = async (amount: number) => {
      refunds.push(amount);
      started.resolve();
      await letGo.promise;
    };
    const { one, other } = await startTwo({ effect, onRefund });
    const { requestState } = await send(one, {});

    const first = send(one, answered(requestState));
    await started.promise;
    const second = await send(other, answered(requestState));
    letGo.resolve();

    expect(second).toMatchObject({ isError: true, structuredContent: { reason: 'another_call_in_progress' } });
    expect(await first).toMatchObject({ isError: false, structuredContent: { refunded: 5 } });
    expect(refunds).toEqual([5]);
  });

  test('does not count if any part of it was changed', async () => {
    const { one, refunds } = await startTwo({ onError: () => {} });
    const { requestState = '' } = await send(one, {});
    const parts = requestState.split('.');
    const changed = [
      ...parts.map((part, at) => parts.with(at, `${part.slice(0, -1)}${part.endsWith('1') ? '2' : '1'}`).join('.')),
      `${requestState}0`,
      requestState.toUpperCase(),
      '',
      'null',
      'x'.repeat(100_000),
    ];

    for (const state of changed) expect(await errorOf(send(one, answered(state)))).toEqual(invalid);
    expect(refunds).toEqual([]);
  });

  test('does not count after five minutes', async () => {
    const { one, refunds } = await startTwo({ onError: () => {} });
    const { requestState } = await send(one, {});
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });

    expect(await errorOf(send(one, answered(requestState)))).toEqual(invalid);
    expect(refunds).toEqual([]);
  });

  test('counts after midnight', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 0, 31, 23, 59, 59) });
    const { one, other, refunds } = await startTwo();
    const { requestState } = await send(one, {});
    vi.setSystemTime(Date.UTC(2027, 1, 1, 0, 0, 5));
    await send(other, answered(requestState));

    expect(refunds).toEqual([5]);
  });

  const ann = { phone: '+14155550100', verified: 'caller-id' } as const;
  test.each<[string, Partial<RefundToolOptions>, object]>([
    ['with other arguments', {}, { arguments: { amount: 500 } }],
    ['for another caller', { context: { callId: 'CA1', caller: { ...ann, phone: '+14155550199' } } }, {}],
    ['in another phone call', { context: { callId: 'CA2', caller: ann } }, {}],
    ['for another tenant', { context: { callId: 'CA1', tenant: 'other', caller: ann } }, {}],
    ['for another tool', { name: 'give_back' }, { name: 'give_back' }],
    ['if the tool asks someone else now', { confirm: 'both' }, {}],
    ['in a process with a store of its own', { store: createMemoryIdempotencyStore() }, {}],
  ])('does not count %s, and the application learns why', async (_what, own, params) => {
    const { one, open, refunds } = await startTwo();
    const heard: unknown[] = [];
    const onError: ToolboxOptions['onError'] = (error) => heard.push(String(error));
    const other = await open({ ...own, onError });
    const { requestState } = await send(one, {});

    expect(await errorOf(send(other, { ...answered(requestState), ...params }))).toEqual(invalid);
    expect(refunds).toEqual([]);
    expect(heard).toEqual([expect.stringContaining('all processes need one store, and both requests one call id')]);
  });

  test('of a tool that has gone does nothing, and the model reads that', async () => {
    const { one, open, refunds } = await startTwo();
    const { requestState } = await send(one, {});
    const later = await open({ name: 'other_tool' });

    const { isError, structuredContent } = await send(later, answered(requestState));

    expect([isError, refunds]).toEqual([true, []]);
    expect(structuredContent ?? {}).toEqual({});
  });

  test.each(['decline', 'cancel', 'Accept', ''])('with the answer %j does nothing, then or later', async (action) => {
    const { one, other, refunds } = await startTwo();
    const { requestState } = await send(one, {});
    const no = { isError: true, structuredContent: { reason: 'declined' } };
    const first = await send(one, answered(requestState, action)).catch((error: unknown) => error);

    // The package itself refuses words that the protocol doesn't have.
    expect(first).toMatchObject(first instanceof ProtocolError ? { code: -32_602 } : no);
    if (!(first instanceof ProtocolError)) expect(await send(other, answered(requestState))).toMatchObject(no);
    expect(refunds).toEqual([]);
  });

  test('without an answer, and an answer without a state, is asked about again', async () => {
    const { one, refunds } = await startTwo();
    const { requestState } = await send(one, {});

    expect(await send(one, { requestState })).toHaveProperty('inputRequests');
    expect(await send(one, answered(undefined))).toHaveProperty('inputRequests');
    expect(refunds).toEqual([]);
  });

  test('does nothing while the store is down', async () => {
    const store = createMemoryIdempotencyStore();
    const { one, refunds } = await startTwo({ store, onError: () => {} });
    const { requestState } = await send(one, {});
    vi.spyOn(store, 'claim').mockRejectedValue(new Error('down'));

    const { isError, structuredContent } = await send(one, answered(requestState));

    expect([isError, structuredContent]).toMatchObject([true, { error: 'temporarily_unavailable' }]);
    expect(refunds).toEqual([]);
  });
});

test('a refund whose end is unknown stays so when its state comes again', async () => {
  let tries = 0;
  const onRefund = () => {
    tries += 1;
    throw new TypeError('socket hang up');
  };
  const { one, other } = await startTwo({ effect: 'payment', onRefund, onError: () => {} });
  const { requestState } = await send(one, {});

  const ends = [await send(one, answered(requestState)), await send(other, answered(requestState))];

  for (const { structuredContent } of ends) expect(structuredContent).toMatchObject({ outcome: 'unknown' });
  expect(tries).toBe(1);
});

test.each<[string, ConnectOptions]>([
  ['a client that can’t ask', { canAsk: false }],
  ['a client of 2025 without a session', { mode: 'legacy' }],
])('with %s, the model asks in two steps', async (_what, options) => {
  const refunds: number[] = [];
  const store = createMemoryIdempotencyStore();
  const serve = startProcess({ store, confirm: 'two-step', onRefund: (amount) => refunds.push(amount) });
  const { client, asked } = await connect([serve], () => 'accept', options);

  const { content } = await client.callTool(refund);

  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('"error":"confirmation_required"') }]);
  expect([asked, refunds]).toEqual([[], []]);
});

/** A real process; resolves with its address. */
const spawnProcess = async (...files: readonly string[]): Promise<URL> => {
  const child = spawn(
    process.execPath,
    ['--import', './scripts/from-source.js', 'test/providers/mcp-process.ts', ...files],
    { cwd: fileURLToPath(new URL('../../', import.meta.url)), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill());
  const [line] = await new Promise<[Buffer]>((resolve, reject) => {
    child.stdout.once('data', (data: Buffer) => resolve([data]));
    child.once('exit', () => reject(new Error('The process ended.')));
  });
  return new URL(line.toString().trim());
};

test('two processes with one file: a yes that both get at once refunds once', async () => {
  await using folder = await makeScratchFolder();
  const files = [join(folder.path, 'store.db'), join(folder.path, 'refunds')] as const;
  const addresses = await Promise.all([spawnProcess(...files), spawnProcess(...files)]);
  const [one, other] = await Promise.all(addresses.map(async (address) => (await connect(address)).client));
  if (!one || !other) throw new Error('There are two.');
  const { requestState } = await send(one, {});

  const ends = await Promise.all([send(one, answered(requestState)), send(other, answered(requestState))]);
  const replay = await send(other, answered(requestState));

  expect(await readFile(files[1], 'utf8')).toBe('5\n');
  expect(ends.filter(({ structuredContent }) => JSON.stringify(structuredContent) === '{"refunded":5}')).toHaveLength(
    1,
  );
  expect(replay.structuredContent).toMatchObject({ refunded: 5 });
});
