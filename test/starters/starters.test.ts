import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stripeSignature } from '../../src/billing/stripe/index.ts';
import { choices } from '../../src/dev/cli/create/choices.ts';
import { createScriptedModel, type ScriptedModel, signedWebhook } from '../../src/dev/testing/index.ts';
import { blocksOf } from '../support/page-blocks.ts';
import { runCommand } from '../support/run-command.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

interface Starter {
  readonly guide: string;
  readonly framework: string;
  readonly model: string;
  readonly messaging: string;
  readonly crm: string;
  readonly billing: string;
}

const guides = new URL('../../docs/web-frameworks/', import.meta.url);

const pageOf = (guide: string) => blocksOf(readFileSync(new URL(`${guide}.md`, guides), 'utf8'));

/** What a guide has its reader type, line by line. */
const commandsOf = (guide: string): readonly string[] => {
  const [commands] = pageOf(guide);
  return (commands?.code ?? '')
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*/, ''));
};

/** The starters of the guides, in which each choice is at least once. Fastify's guide changes that of Express. */
const starters = ['express', 'fastify', 'hono'].map((guide): Starter => {
  const [create = ''] = commandsOf(guide);
  const named = [...create.matchAll(/--(\w+) (\w+)/g)].map(([, option = '', value = '']) => [option, value]);
  return {
    guide,
    framework: 'express',
    model: 'openai',
    messaging: 'default',
    crm: 'default',
    billing: 'default',
    ...Object.fromEntries(named),
  };
});

test('each guide has its reader do what is done here', () => {
  for (const { guide } of starters)
    expect(commandsOf(guide)).toEqual([
      expect.stringContaining('npx voice-agent-integrations create my-agent '),
      'cd my-agent',
      ...(guide === 'fastify' ? ['npm uninstall express @types/express', 'npm install fastify'] : ['npm install']),
      'npm run systems',
      'npm start',
      'npm run call',
    ]);
});

test('every choice is in one of the starters', () => {
  const used = Object.keys(choices).map((name) => [
    name,
    new Set(starters.map((starter) => starter[name as keyof Starter])),
  ]);

  expect(Object.fromEntries(used)).toEqual(
    Object.fromEntries(Object.entries(choices).map(([name, known]) => [name, new Set(Object.keys(known))])),
  );
});

test('the packages that a starter names are tested at versions in its ranges', () => {
  const tested: Readonly<Record<string, string>> = { ...manifest.dependencies, ...manifest.devDependencies };
  const named = Object.values(choices)
    .flatMap((known) => Object.values(known))
    .flatMap(({ packages = {}, devPackages = {} }) => Object.entries({ ...packages, ...devPackages }));
  const outside = named.filter(([name, range]) => !isIn(tested[name] ?? '0.0.0', range));

  expect(outside).toEqual([]);
});

/** For a range such as ^5.3.0. */
const isIn = (version: string, range: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [lowMajor = 0, lowMinor = 0, lowPatch = 0] = range.slice(1).split('.').map(Number);
  return major === lowMajor && (minor > lowMinor || (minor === lowMinor && patch >= lowPatch));
};

/** What the model does in a phone call: it looks up, pays twice, and looks up again. */
const script = () =>
  createScriptedModel([
    { call: 'lookup_customer_invoices' },
    ({ results }) => `You owe: ${results.join()}`,
    { call: 'lookup_customer_invoices' },
    ({ results }) => {
      const [, id] = /"id":"([^"]+)","amount":120.5/.exec(results.join()) ?? [];
      const payment = { call: 'create_payment', args: { invoice_id: id, amount: 120.5 } };
      return [payment, payment];
    },
    ({ results }) => `Paid: ${results.slice(-2).join(' ')}`,
    { call: 'lookup_customer_invoices' },
    ({ results }) => `Left: ${results.join()}`,
  ]);

const modelVariables = (url: string) => ({
  OPENAI_API_KEY: 'test',
  OPENAI_BASE_URL: `${url}/v1`,
  ANTHROPIC_API_KEY: 'test',
  ANTHROPIC_BASE_URL: url,
  GEMINI_API_KEY: 'test',
  GOOGLE_GEMINI_BASE_URL: url,
});

interface Running {
  readonly printed: () => string;
  readonly ended: Promise<unknown>;
  /** Asks it to end, as a container does. Gives its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** A script of package.json, as `npm run` starts it, without npm in between. */
const start = (folder: string, name: string, env: Readonly<Record<string, string>> = {}): Running => {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  const child = spawn('sh', ['-c', `exec ${scripts[name]}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${join(here, 'node_modules/.bin')}:${process.env['PATH']}`,
      ...env,
    },
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (printed += text));
  return {
    printed: () => printed,
    ended: once(child, 'close'),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
  };
};

/** `npm run call`, with a caller who types this and hangs up. */
const startCall = (folder: string, url: string, typed: string) => {
  const child = spawn(process.execPath, ['--env-file=.env', 'call.ts'], {
    cwd: folder,
    env: { ...process.env, AGENT_URL: `${url}/agent` },
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stdin.end(typed);
  return { printed: () => printed, end: once(child, 'close') };
};

/** For what another process does. */
const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 60_000, interval: 50 });

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
};

describe.each(starters)('$guide, $model, $messaging, $crm, $billing', (starter) => {
  const folder = join(here, 'out', starter.guide);
  let model: ScriptedModel;
  let systems: Running;
  let server: Running;
  let url: string;
  let secrets: NodeJS.Dict<string>;

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    const { guide, ...chosen } = starter;
    const options = Object.entries(chosen).flatMap(([name, value]) => [`--${name}`, value]);
    await runCommand(join(here, 'node_modules/.bin/voice-agent-integrations'), ['create', folder, ...options], {
      cwd: here,
    });
    for (const { file, code } of pageOf(guide)) if (file?.startsWith('src/')) writeFileSync(join(folder, file), code);
    secrets = parseEnv(readFileSync(join(folder, '.env'), 'utf8'));
    systems = start(folder, 'systems');
    await until(() => existsSync(join(folder, '.env.sandbox')));
    model = script();
    const port = await freePort();
    const env = { ...modelVariables(await model.listen()), PORT: String(port) };
    await runCommand('npx', ['tsc'], { cwd: folder, timeoutMs: 100_000 });
    server = start(folder, 'start', env);
    url = `http://127.0.0.1:${port}`;
    await until(() => /Listening on port/.test(server.printed()));
  });

  afterAll(async () => {
    await server?.stop();
    await systems?.stop();
    await model?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (body: unknown, secret = secrets['AGENT_SECRET']) => {
    const response = await fetch(`${url}/agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: response.ok ? JSON.parse(text) : {} };
  };
  const say = (text: string) => ask({ event: 'turn', callId: 'CA1', phone: '+14155550100', text });

  test('a phone call looks up, pays once, and is written down', async () => {
    expect((await say('What do I owe?')).body.text).toMatch(/^You owe: .*"invoice_count":2/);

    const { text: paid } = (await say('Please pay the first one.')).body;
    expect(paid).toMatch(/^Paid: .*"success":true/);
    expect(paid.match(/"already_paid":true/g)).toHaveLength(1);

    expect((await say('And now?')).body.text).toMatch(/^Left: .*"invoice_count":1/);
    expect(await ask({ event: 'end', callId: 'CA1' })).toEqual({ status: 200, body: { recorded: true } });
    expect(await ask({ event: 'end', callId: 'CA1' })).toEqual({ status: 200, body: { recorded: true } });
    expect(model.stepsLeft).toBe(0);
  });

  test('a model that fails is apologised for', async () => {
    expect((await say('Hello?')).body).toEqual({
      text: 'I am sorry, something went wrong here. Could you say that again?',
    });
  });

  test('a caller who withholds the number is written down too', async () => {
    await ask({ event: 'turn', callId: 'CA3', phone: null, text: 'Hello?' });

    expect(await ask({ event: 'end', callId: 'CA3' })).toEqual({ status: 200, body: { recorded: true } });
  });

  test('what has no secret, or is no event, is refused', async () => {
    expect((await ask({ event: 'turn', callId: 'CA2', text: 'Hello' }, 'guess')).status).toBe(401);
    expect((await ask({ event: 'ring' })).status).toBe(400);
    expect((await ask('{ "event": ')).status).toBe(400);
  });

  test.each<[string, (size: number) => string | ReadableStream]>([
    ['with its length', (size) => 'x'.repeat(size)],
    ['in chunks, without a length', (size) => new Blob(['x'.repeat(size)]).stream()],
  ])('a body of 20 MiB %s is refused before it is read', async (_what, make) => {
    const post = (body: string | ReadableStream) =>
      fetch(`${url}/agent`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${secrets['AGENT_SECRET']}` },
        body,
        ...{ duplex: 'half' },
      }).then(
        ({ status }) => status,
        // The server may close the connection before all of it was sent.
        () => 413,
      );

    expect(await post(make(20 * 1024 * 1024))).toBe(413);
    expect(await post(make(1024))).toBe(400);
  });

  test('a webhook is taken when it is signed, once, and refused when it is forged', async () => {
    const now = new Date().toISOString();
    const body =
      starter.billing === 'stripe'
        ? {
            id: 'evt_1',
            object: 'event',
            type: 'invoice.paid',
            created: Math.floor(Date.now() / 1000),
            data: {
              object: {
                id: 'in_1',
                object: 'invoice',
                customer: 'cus_1',
                status: 'paid',
                currency: 'eur',
                total: 12050,
                amount_due: 12050,
                amount_paid: 12050,
                amount_remaining: 0,
              },
            },
          }
        : { id: 'evt_1', type: 'payment.confirmed', payment_id: 'pay_1', amount: 120.5, created_at: now };
    const scheme = starter.billing === 'stripe' ? { scheme: stripeSignature } : {};
    const deliver = async (secret = '') => {
      const signed = signedWebhook({ secret, body, ...scheme });
      const response = await fetch(`${url}/webhooks/payments`, { method: 'POST', ...signed });
      return { status: response.status, text: await response.text() };
    };

    expect((await deliver('guess')).status).toBe(401);
    await until(() => /A webhook was refused: signature_mismatch/.test(server.printed()));
    expect(await deliver(secrets['WEBHOOK_SECRET'])).toMatchObject({
      status: expect.toSatisfy((status) => status < 300),
    });
    await until(() => / is paid/.test(server.printed()));
    expect((await deliver(secrets['WEBHOOK_SECRET'])).status).toBeLessThan(300);
    expect(server.printed().match(/ is paid/g)).toHaveLength(1);
  });

  test('its own terminal plays a call', async () => {
    const { printed, end } = startCall(folder, url, 'Are you there?\n');
    await end;

    expect(printed()).toContain('agent: I am sorry, something went wrong here.');
    expect(printed()).toContain('The call is written down.');
  });

  test('its own terminal says what is the matter when something else answers, or nothing', async () => {
    const page = createHttpServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(page, 'listening');
    const { port } = page.address() as { port: number };
    const lines: string[] = [];
    for (const at of [`http://127.0.0.1:${port}`, `http://127.0.0.1:${await freePort()}`]) {
      const { printed, end } = startCall(folder, at, 'Hello?\n');
      await end;
      lines.push(printed());
    }
    page.close();

    expect(lines[0]).toContain("isn't this agent (status 200)");
    expect(lines[1]).toContain('Nothing answers at http://127.0.0.1');
    expect(lines.join('')).not.toMatch(/SyntaxError|\n {4}at /);
  });

  test('without its systems it says how to start them, and a port in use is a sentence', async () => {
    const variables = join(folder, '.env.sandbox');
    renameSync(variables, `${variables}.kept`);
    const alone = start(folder, 'start', { ...modelVariables('http://127.0.0.1:9'), PORT: String(await freePort()) });
    await alone.ended;
    renameSync(`${variables}.kept`, variables);
    const { port } = new URL(url);
    const second = start(folder, 'start', { ...modelVariables('http://127.0.0.1:9'), PORT: port });
    await second.ended;

    expect(alone.printed()).toContain('must be set in the environment');
    expect(alone.printed()).toContain('Run "npm run systems" first');
    expect(second.printed()).toContain(`Port ${port} is in use`);
    expect(second.printed()).not.toContain('EADDRINUSE');
  });

  test('doctor finds the systems', async () => {
    const printed = await runCommand(join(here, 'node_modules/.bin/voice-agent-integrations'), ['doctor'], {
      cwd: folder,
      env: parseEnv(readFileSync(join(folder, '.env.sandbox'), 'utf8')),
    });

    expect(printed).toContain('voice-agent.config.ts');
  });

  test('it writes down the calls that go on, and ends when it is asked to', async () => {
    const tasks = () => systems.printed().match(/crm\.tasks\.create/g)?.length ?? 0;
    const before = tasks();
    await ask({ event: 'turn', callId: 'CA4', phone: 'anonymous', text: 'Hello?' });

    expect(await server.stop()).toBeOneOf([0, null, 143]);
    await until(() => tasks() > before);
    expect(readdirSync(folder)).toContain('voice-agent.db');
  });
});
