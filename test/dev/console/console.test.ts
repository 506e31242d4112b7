import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createConsole } from '../../../src/dev/console/index.ts';
import { createEmitter, subscribeToEvents } from '../../../src/observability/emitter.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { openConsole } from '../../support/open-console.ts';
import { callCompleted, openOutbox } from '../../support/open-outbox.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { subscriberCount } from '../../support/subscriber-count.ts';

createVirtualClock({ wallNow: 1_000_000 });
const emitter = createEmitter(undefined, { api: 'billing' });
const tellAttempt = (callId: string) =>
  emitter.emit({ type: 'attempt', operation: 'billing.customers.get', attempt: 1, durationMs: 5, waits: [], callId });

afterEach(() => vi.unstubAllEnvs());

describe('opening', () => {
  test('the token becomes a cookie that no script reads, and leaves the address', async () => {
    await using local = createConsole();

    const answer = await local.handle(new Request(`http://127.0.0.1:4000/?token=${local.token}`));

    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^console-[\w-]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(local.token);

    const page = await local.handle(
      new Request('http://127.0.0.1:4000/', { headers: { cookie: cookie.split(';')[0] ?? '' } }),
    );
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  test('no page and no script is served without the token', async () => {
    await using local = createConsole();
    const statuses = await Promise.all(
      ['', 'app.js', 'api/session', 'api/phone-calls', 'events', 'nothing'].map(
        async (path) => (await local.handle(new Request(`http://127.0.0.1/${path}`))).status,
      ),
    );

    expect(new Set(statuses)).toEqual(new Set([401]));
  });

  test('a browser with a wrong token reads where the right address is, and everything else gets data', async () => {
    await using local = createConsole();
    const ask = async (accept: string) => {
      const answer = await local.handle(new Request('http://127.0.0.1/?token=old', { headers: { accept } }));
      return [answer.status, answer.headers.get('content-type'), await answer.text()];
    };

    expect(await ask('text/html,*/*')).toEqual([
      401,
      'text/html; charset=utf-8',
      expect.stringContaining('Open the address in the terminal where the console runs'),
    ]);
    expect(await ask('*/*')).toEqual([401, 'application/json; charset=utf-8', '{"error":"no_token"}']);
  });

  test('it is mounted where it is said to be', async () => {
    await using console = openConsole({ path: '/dev/console' });

    const statuses = await Promise.all(
      ['dev/console', 'dev/console/', 'dev/console/app.js', 'app.js', 'dev/consoles'].map(
        async (path) => (await console.ask(path)).status,
      ),
    );
    const signIn = await console.local.handle(new Request(`http://127.0.0.1/dev/console?token=${console.local.token}`));

    expect(statuses).toEqual([200, 200, 200, 404, 404]);
    expect(signIn.headers.get('location')).toBe('/dev/console/');
  });

  test.each(['production', ' PRODUCTION '])('NODE_ENV=%s is refused, unless you insist', async (name) => {
    vi.stubEnv('NODE_ENV', name);

    expect(() => createConsole()).toThrow('allowProduction must be true');
    await createConsole({ allowProduction: true }).close();
  });

  test.each([
    ['path', { path: 'console' }],
    ['path', { path: '/../' }],
    ['path', { path: '//evil' }],
    ['maximumPhoneCalls', { maximumPhoneCalls: 0 }],
  ])('%s cannot be anything: %j', (field, options) => {
    expect(() => createConsole(options)).toThrow(expect.objectContaining({ code: 'invalid_argument', field }));
  });

  test('every answer forbids what a foreign page would need', async () => {
    await using console = openConsole();
    for (const path of ['', 'app.js', 'api/session', 'events', 'nothing']) {
      const { headers } = await console.ask(path);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'/,
      );
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|https?:|\*/);
      expect([headers.get('x-frame-options'), headers.get('cache-control')]).toEqual(['DENY', 'no-store']);
      expect(headers.get('access-control-allow-origin')).toBe(null);
    }
  });
});

describe('what it shows', () => {
  test('a phone call and its events, from the moment it was made', async () => {
    tellAttempt('CA0');
    await using console = openConsole();
    tellAttempt('CA1');

    expect(await console.askJson('api/phone-calls')).toMatchObject({ phoneCalls: [{ id: 1, callId: 'CA1' }] });
    expect(await console.askJson('api/phone-calls/1')).toMatchObject({
      events: [{ seq: 1, event: { type: 'attempt', callId: 'CA1', operation: 'billing.customers.get' } }],
    });
    expect((await console.ask('api/phone-calls/2')).status).toBe(404);
  });

  test('endpoints with what metrics know of them', async () => {
    await using console = openConsole();
    emitter.emit({
      type: 'call',
      operation: 'billing.customers.get',
      attempts: 1,
      durationMs: 30,
      deadlineMs: 8_000,
      outcome: 'ok',
    });

    expect(await console.askJson('api/endpoints')).toMatchObject({
      endpoints: [{ kind: 'call', labels: { operation: 'billing.customers.get' }, count: 1, successRate: 1 }],
    });
  });

  test('nothing after it is closed', async () => {
    const before = subscriberCount();
    const console = openConsole();
    expect(subscriberCount()).toBe(before + 1);

    await console.local.close();

    expect(subscriberCount()).toBe(before);
  });

  test('what its sources throw stays inside', async () => {
    await using console = openConsole({
      integration: {
        status: () => {
          throw new Error('postgres://admin:hunter2@db');
        },
      },
    });

    const answer = await console.ask('api/protection');

    expect([answer.status, await answer.json()]).toEqual([500, { error: 'failed' }]);
  });
});

describe('the stream', () => {
  const firstChunk = async (answer: Response, count = 1): Promise<string> => {
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (let read = 0; read < count; read += 1) text += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    return text;
  };
  const positionOf = async (console: ReturnType<typeof openConsole>) =>
    ((await console.askJson('api/phone-calls')) as { position: string }).position;

  test('begins with what the page has missed, and goes on', async () => {
    await using console = openConsole();
    const position = await positionOf(console);
    tellAttempt('CA1');
    const answer = await console.ask(`events?after=${position}`);
    tellAttempt('CA2');

    const text = await firstChunk(answer, 2);

    const told = [...text.matchAll(/^id: (\w+-\d+)\ndata: (.+)$/gm)].map(([, id, data = '']) => {
      const { seq, event, phoneCall } = JSON.parse(data);
      return [id, seq, event.callId, phoneCall.id];
    });
    const boot = position.split('-')[0];
    expect(told).toEqual([
      [`${boot}-1`, 1, 'CA1', 1],
      [`${boot}-2`, 2, 'CA2', 2],
    ]);
    expect(text).not.toContain('event: reset');
  });

  test('what the browser says it received last counts more than the address', async () => {
    await using console = openConsole();
    const position = await positionOf(console);
    tellAttempt('CA1');
    tellAttempt('CA2');
    const { token } = console.local;
    const answer = await console.local.handle(
      new Request(`http://127.0.0.1/events?after=${position}`, {
        headers: { authorization: `Bearer ${token}`, 'last-event-id': await positionOf(console) },
      }),
    );

    expect(await firstChunk(answer)).toBe('retry: 500\n\n');
  });

  test.each(['', 'another-1'])('a page that is at %j reads everything again', async (after) => {
    await using console = openConsole();
    tellAttempt('CA1');

    expect(await firstChunk(await console.ask(`events?after=${after}`))).toContain('event: reset');
  });

  test('ends when the console is closed', async () => {
    const console = openConsole();
    const reader = (await console.ask('events')).body?.getReader();
    await reader?.read();

    await console.local.close();

    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });
});

describe('dead letters', () => {
  const openWithDeadLetter = async (allowActions: boolean) => {
    const server = await startRecordingServer();
    server.answer({ status: 422 }, { status: 200 });
    const opened = openOutbox({ destinations: [{ name: 'archive', url: `${server.baseUrl}/hook`, version: 1 }] });
    await opened.outbox.publish({
      event: callCompleted,
      payload: { callId: 'CA1' },
      idempotencyKey: 'call of +14155550100',
    });
    await vi.waitUntil(async () => (await opened.outbox.deadLetters.list()).length === 1);
    const console = openConsole({ outbox: opened.outbox, allowActions });
    const listed = (await console.askJson('api/dead-letters')) as { messages: { handle: string }[] };
    return {
      ...opened,
      server,
      console,
      listed,
      handles: listed.messages.map(({ handle }) => handle),
      [Symbol.asyncDispose]: async () => {
        await console.local.close();
        await opened.outbox.close(0);
        await server[Symbol.asyncDispose]();
      },
    };
  };

  test('are shown without what is personal in their key', async () => {
    await using opened = await openWithDeadLetter(false);

    expect(opened.listed).toMatchObject({
      isLast: true,
      messages: [{ destination: 'archive', event: 'call.completed', idempotencyKey: 'call of [phone]', attempts: 1 }],
    });
  });

  test.each(['redrive', 'discard'])('are left alone by %s unless actions are allowed', async (action) => {
    await using opened = await openWithDeadLetter(false);

    const answer = await opened.console.ask(`api/dead-letters/${action}`, { since: 0 });

    expect([answer.status, await answer.json()]).toEqual([403, { error: 'actions_are_off' }]);
    expect(await opened.outbox.deadLetters.list()).toHaveLength(1);
  });

  test('are redriven by their handle, whatever their id is made of', async () => {
    await using opened = await openWithDeadLetter(true);

    expect(await opened.console.askJson('api/dead-letters/redrive', { handles: opened.handles })).toEqual({ count: 1 });
    await vi.waitUntil(() => opened.server.requests.length === 2);
  });

  test('are discarded by their handle', async () => {
    await using opened = await openWithDeadLetter(true);

    expect(await opened.console.askJson('api/dead-letters/discard', { handles: opened.handles })).toEqual({ count: 1 });
    expect(await opened.outbox.deadLetters.list()).toEqual([]);
  });

  test.each([{}, { since: 'yesterday' }, { since: -1 }])('%j selects nothing', async (which) => {
    await using opened = await openWithDeadLetter(true);

    const answer = await opened.console.ask('api/dead-letters/discard', which);

    expect([answer.status, await answer.json()]).toEqual([400, { error: 'not_a_selection' }]);
    expect(await opened.outbox.deadLetters.list()).toHaveLength(1);
  });

  test('an unknown handle changes nothing', async () => {
    await using opened = await openWithDeadLetter(true);

    expect(await opened.console.askJson('api/dead-letters/redrive', { handles: ['x'] })).toEqual({ count: 0 });
  });
});

describe('tools', () => {
  const ran = vi.fn();
  const toolbox = createToolbox({
    tools: [
      defineTool({
        name: 'note',
        description: 'Writes a note.',
        parameters: z.object({ phone: z.e164(), text: z.string().max(20) }),
        effect: 'write',
        run: ran,
      }),
    ],
  });
  const open = () => openConsole({ toolboxes: { agent: toolbox } });

  test('are shown as each model sees them', async () => {
    await using console = open();
    const { toolboxes } = (await console.askJson('api/tools')) as {
      toolboxes: { name: string; tools: { name: string; definitions: Record<string, object> }[] }[];
    };

    expect(toolboxes[0]).toMatchObject({ name: 'agent', tools: [{ name: 'note', effect: 'write' }] });
    const definitions = toolboxes[0]?.tools[0]?.definitions ?? {};
    expect(Object.keys(definitions)).toEqual([
      'any model',
      'OpenAI Responses',
      'OpenAI Realtime',
      'Anthropic',
      'Gemini',
    ]);
    const { name, description, parameters } = toolbox.tools()[0]!;
    expect(definitions['any model']).toEqual({ name, description, parameters });
  });

  test('arguments are checked, and nothing runs and nothing is sent back', async () => {
    await using console = open();
    const validate = (args: unknown) =>
      console.askJson('api/tools/validate', { toolbox: 'agent', tool: 'note', arguments: args });

    expect(await validate('{"phone":"+14155550100","text":"hello"}')).toEqual({ ok: true, problems: [] });
    const answers = [
      await validate({ phone: '0800 hunter2', text: 'hello' }),
      await validate({ phone: '0800 hunter2', text: 'hunter2 hunter2 hunter2' }),
      await validate('hunter2'),
    ];
    expect(answers).toEqual([
      { ok: false, problems: [{ field: 'phone', problem: expect.stringContaining('E.164') }] },
      {
        ok: false,
        problems: [
          { field: 'phone', problem: expect.stringContaining('E.164') },
          { field: 'text', problem: 'must have at most 20 characters' },
        ],
      },
      { ok: false, problems: [{ field: 'arguments', problem: 'must be one JSON object' }] },
    ]);
    expect(JSON.stringify(answers)).not.toContain('hunter2');
    expect(ran).not.toHaveBeenCalled();
  });

  test.each([
    ['another tool', { toolbox: 'agent', tool: 'pay' }],
    ['another toolbox', { toolbox: 'constructor', tool: 'note' }],
    ['no tool', {}],
  ])('%s is not there', async (_what, asked) => {
    await using console = open();

    expect((await console.ask('api/tools/validate', asked)).status).toBe(404);
  });

  test('a body that is too long, no JSON, or no form of the page is not read', async () => {
    await using console = open();
    const { handle, token } = console.local;
    const post = async (body: string, type: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      const url = 'http://127.0.0.1/api/tools/validate';
      return (await handle(new Request(url, { method: 'POST', headers, body }))).status;
    };
    const asked = JSON.stringify({ toolbox: 'agent', tool: 'note', arguments: {} });

    expect(await post(asked, 'application/json')).toBe(200);
    expect(await post(asked, 'text/plain')).toBe(404);
    expect(await post(asked.replace('{}', `"${'x'.repeat(70_000)}"`), 'application/json')).toBe(404);
    expect(await post('{', 'application/json')).toBe(404);
  });
});

describe('a server of its own', () => {
  test('listens on this machine alone and prints how to open it', async () => {
    await using local = createConsole();
    const lines: string[] = [];

    const { origin, url } = await local.listen({ print: (line) => lines.push(line) });

    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(lines).toEqual([`The console is at ${origin}/?token=${local.token}`]);
    const answer = await fetch(url, { redirect: 'manual' });
    expect(answer.status).toBe(303);
    expect((await fetch(origin)).status).toBe(401);
    expect((await fetch(`${origin}/api/session`, { headers: { authorization: `Bearer ${local.token}` } })).status).toBe(
      200,
    );
  });

  test('its port is free again once it is closed, with streams that were open', async () => {
    const local = createConsole();
    const { origin } = await local.listen({ print: () => {} });
    const stream = await fetch(`${origin}/events`, { headers: { authorization: `Bearer ${local.token}` } });
    await stream.body?.getReader().read();

    await local.close();

    await expect(fetch(origin)).rejects.toThrow('fetch failed');
  });
});

describe('contents', () => {
  const email = 'ada@example.com';
  const toolbox = createToolbox({
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Looks up.',
        effect: 'read',
        parameters: z.object({ order: z.string(), email: z.string() }),
        run: () => ({ customer_name: 'Ada Park', status: 'shipped', note: `Write to ${email}` }),
      }),
    ],
    context: { callId: 'CA1' },
  });
  const events = async (console: ReturnType<typeof openConsole>) => {
    const answer = (await (await console.ask('api/phone-calls/1')).json()) as { events: { event: object }[] };
    return answer.events.map(({ event }) => event);
  };

  test.each([
    ['an object', { order: 'A7', email }],
    ['JSON text', JSON.stringify({ order: 'A7', email })],
  ])('are shown where you ask for it, masked: arguments as %s', async (_form, args) => {
    await using console = openConsole({ showContents: true });

    await toolbox.run('look_up', args);

    expect(await events(console)).toMatchObject([
      {
        tool: 'look_up',
        asked: { order: 'A7', email: '[personal]' },
        answered: { customer_name: 'Ada Park', status: 'shipped', note: 'Write to [email]' },
      },
    ]);
  });

  test('of a model that writes no JSON are its own words, up to 10,000 characters', async () => {
    await using console = openConsole({ showContents: true });

    await toolbox.run('look_up', `{"order: ${'x'.repeat(20_000)}`);

    const [event] = (await events(console)) as { asked?: string }[];
    expect(event?.asked).toHaveLength(10_000);
    expect(event).toMatchObject({ status: 'refused', answered: { error: 'invalid_arguments' } });
  });

  test('stay out of a console that does not ask for them, and of the events of the process', async () => {
    await using console = openConsole();
    const seen: unknown[] = [];
    const stop = subscribeToEvents((event) => seen.push(event));

    await toolbox.run('look_up', { order: 'A7', email });
    stop();

    expect(await events(console)).toEqual([expect.not.objectContaining({ asked: expect.anything() })]);
    expect(JSON.stringify([await events(console), seen])).not.toMatch(/A7|shipped/);
  });

  test('are never shown in production, nor to a connection whose address is not known', async () => {
    await using local = createConsole({ showContents: true });
    const headers = { authorization: `Bearer ${local.token}` };
    const request = new Request('http://127.0.0.1/api/phone-calls', { headers });

    expect((await local.handle(request)).status).toBe(403);
    expect((await local.handle(request, { address: '127.0.0.1' })).status).toBe(200);
    vi.stubEnv('NODE_ENV', 'production');
    expect(() => createConsole({ showContents: true, allowProduction: true })).toThrow('showContents must not be set');
  });
});
