import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { basename, join } from 'node:path';
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

const guides = new URL('../../docs/', import.meta.url);

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
const toStarter = (guide: string): Starter => {
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
};

const starters = ['web-frameworks/express', 'web-frameworks/fastify', 'web-frameworks/hono'].map(toStarter);

const livekit = toStarter('voice-platforms/livekit');

test('each guide has its reader do what is done here', () => {
  for (const { guide } of starters)
    expect(commandsOf(guide)).toEqual([
      expect.stringContaining('npx voice-agent-integrations create my-agent '),
      'cd my-agent',
      ...(guide.endsWith('fastify')
        ? ['npm uninstall express @types/express', 'npm install fastify']
        : ['npm install']),
      'npm run systems',
      'npm start',
      'npm run call',
    ]);
});

test('every choice is in one of the starters', () => {
  const used = Object.keys(choices).map((name) => [
    name,
    new Set([...starters, livekit].map((starter) => starter[name as keyof Starter])),
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

/** What the model does in a phone call: it looks up, asks, pays twice, and looks up again. */
const script = () => {
  let payment = { call: 'create_payment', args: {} };
  return createScriptedModel([
    { call: 'lookup_customer_invoices' },
    ({ results }) => `You owe: ${results.join()}`,
    { call: 'lookup_customer_invoices' },
    ({ results }) => {
      const [, id] = /"id":"([^"]+)","amount":120.5/.exec(results.join()) ?? [];
      payment = { ...payment, args: { invoice_id: id, amount: 120.5 } };
      return payment;
    },
    ({ results }) => `Asks: ${results.at(-1)}`,
    () => [
      { ...payment, confirmed: true },
      { ...payment, confirmed: true },
    ],
    ({ results }) => `Paid: ${results.slice(-2).join(' ')}`,
    { call: 'lookup_customer_invoices' },
    ({ results }) => `Left: ${results.join()}`,
  ]);
};

/** An environment with these wins over the files. */
const noModel = { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', GEMINI_API_KEY: '' };

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
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  readonly type: (line: string) => void;
  /** Ctrl-D. */
  readonly hangUp: () => void;
  /** Asks it to end, as a container does. Gives its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** A script of package.json, as `npm run` starts it, without npm in between. `name` may have arguments. */
const start = (
  folder: string,
  [name = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running => {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  const child = spawn('sh', ['-c', `exec ${scripts[name]} ${args.join(' ')}`], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${join(here, 'node_modules/.bin')}:${process.env['PATH']}`,
      ...env,
    },
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    printed: () => printed,
    ended,
    type: (line) => void child.stdin.write(`${line}\n`),
    hangUp: () => void child.stdin.end(),
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
  const folder = join(here, 'out', basename(starter.guide));
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
    systems = start(folder, ['systems']);
    await until(() => existsSync(join(folder, '.env.sandbox')));
    model = script();
    const port = await freePort();
    const env = { ...modelVariables(await model.listen()), PORT: String(port) };
    await runCommand('npx', ['tsc'], { cwd: folder, timeoutMs: 100_000 });
    server = start(folder, ['start'], env);
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
  const tasks = () => systems.printed().match(/crm\.tasks\.create/g)?.length ?? 0;
  const say = (text: string) => ask({ event: 'turn', callId: 'CA1', phone: '+14155550100', text });

  test('a phone call looks up, pays once, and is written down', async () => {
    expect((await say('What do I owe?')).body.text).toMatch(/^You owe: .*"invoice_count":2/);

    expect((await say('Please pay the first one.')).body.text).toMatch(/^Asks: .*"summary":"[^"]*120/);
    const { text: paid } = (await say('Yes, please.')).body;
    expect(paid).toMatch(/^Paid: .*"success":true/);

    expect((await say('And now?')).body.text).toMatch(/^Left: .*"invoice_count":1/);
    expect(await ask({ event: 'end', callId: 'CA1' })).toEqual({ status: 200, body: { stored: true } });
    expect(await ask({ event: 'end', callId: 'CA1' })).toEqual({ status: 200, body: { stored: true } });
    await until(() => tasks() === 1);
    expect(systems.printed().match(/billing\.payments\.create/g)).toHaveLength(1);
    expect(model.stepsLeft).toBe(0);
  });

  test('a model that fails is apologised for', async () => {
    expect((await say('Hello?')).body).toEqual({
      text: 'I am sorry, something went wrong here. Could you say that again?',
    });
  });

  test('a caller who withholds the number is written down too', async () => {
    const before = tasks();
    await ask({ event: 'turn', callId: 'CA3', phone: null, text: 'Hello?' });

    expect(await ask({ event: 'end', callId: 'CA3' })).toEqual({ status: 200, body: { stored: true } });
    await until(() => tasks() > before);
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
    expect(printed()).toContain('The call is stored, and the server writes it down.');
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

  test.each<[string, string | RegExp, (port: string) => Readonly<Record<string, string>>]>([
    [
      'a port that is taken',
      /^Port \d+ is in use: end what listens there, or start with another one, such as PORT=3001\.$/,
      (PORT) => ({ PORT }),
    ],
    [
      'a port that is none',
      /^Port abc can't be used: set PORT to a number from 1024 to 65535\.$/,
      () => ({ PORT: 'abc' }),
    ],
    ['a missing key of the model', /_API_KEY must be set in the environment.* Put it into \.env/, () => noModel],
    [
      'a missing secret of the agent',
      /^AGENT_SECRET must be set in the environment.* Put it into \.env/,
      () => ({ AGENT_SECRET: '' }),
    ],
    ['a missing key of a system', /BILLING_API_KEY must be set in the environment/, () => ({ BILLING_API_KEY: '' })],
    ['a wrong key of a system', /^billing: the credential is refused: 401/, () => ({ BILLING_API_KEY: 'wrong' })],
  ])('%s is one sentence, and ends it', async (_what, sentence, change) => {
    const variables = { ...modelVariables('http://127.0.0.1:9'), PORT: String(await freePort()) };
    const second = start(folder, ['start'], { ...variables, ...change(new URL(url).port) });
    const code = await second.ended;

    expect(second.printed().trim().split('\n')).toEqual([expect.stringMatching(sentence)]);
    expect(code).toBe(1);
  });

  test('without its systems it says how to start them', async () => {
    const variables = join(folder, '.env.sandbox');
    renameSync(variables, `${variables}.kept`);
    const alone = start(folder, ['start'], { ...modelVariables('http://127.0.0.1:9'), PORT: String(await freePort()) });
    const code = await alone.ended;
    renameSync(`${variables}.kept`, variables);

    // Node itself prints that there is no such file.
    const said = alone.printed().replace(/^.*\.env\.sandbox not found.+\n/, '');
    expect(said).toMatch(/^[^\n]+must be set in the environment[^\n]+ or run "npm run systems" first\.\n$/);
    expect(code).toBe(1);
  });

  test('doctor finds the systems', async () => {
    const printed = await runCommand(join(here, 'node_modules/.bin/voice-agent-integrations'), ['doctor'], {
      cwd: folder,
      env: parseEnv(readFileSync(join(folder, '.env.sandbox'), 'utf8')),
    });

    expect(printed).toContain('voice-agent.config.ts');
  });

  test('it writes down the calls that go on, and ends when it is asked to', async () => {
    const before = tasks();
    await ask({ event: 'turn', callId: 'CA4', phone: 'anonymous', text: 'Hello?' });

    expect(await server.stop()).toBeOneOf([0, null, 143]);
    await until(() => tasks() > before);
    expect(readdirSync(folder)).toContain('voice-agent.db');
  });
});

describe('livekit', () => {
  const folder = join(here, 'out', 'livekit');
  let systems: Running;

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    const { guide: _guide, ...chosen } = livekit;
    const options = Object.entries(chosen).flatMap(([name, value]) => [`--${name}`, value]);
    await runCommand(join(here, 'node_modules/.bin/voice-agent-integrations'), ['create', folder, ...options], {
      cwd: here,
    });
    systems = start(folder, ['systems', '--model']);
    await until(() => existsSync(join(folder, '.env.sandbox')));
    await runCommand('npx', ['tsc'], { cwd: folder, timeoutMs: 100_000 });
  });

  afterAll(async () => {
    await systems?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('its guide has its reader do what is done here', () => {
    expect(commandsOf(livekit.guide)).toEqual([
      expect.stringContaining('npx voice-agent-integrations create my-agent '),
      'cd my-agent',
      'npm install',
      'npm run systems -- --model',
      'npm run call',
    ]);
  });

  test('a typed call is answered by a real session, pays after the yes, and is written down', async () => {
    const call = start(folder, ['call']);
    const answers = () => call.printed().match(/agent: .*/g) ?? [];
    const say = async (words: string): Promise<string> => {
      const before = answers().length;
      call.type(words);
      await until(() => answers().length > before);
      return answers().at(-1) ?? '';
    };
    const payments = () => systems.printed().match(/billing\.payments\.create +201/g)?.length ?? 0;

    expect(await say('Please pay my oldest invoice.')).toContain('120');
    expect(payments()).toBe(0);
    expect(await say('Yes, please.')).toContain('That is paid.');
    call.hangUp();

    expect(await call.ended).toBe(0);
    expect(call.printed()).toContain('The call is stored.');
    expect(payments()).toBe(1);
    expect(systems.printed()).toMatch(/messaging\.conversations\.create/);
    expect(systems.printed().match(/crm\.tasks\.create/g)).toHaveLength(1);
  });

  test('a caller who withholds the number sees no invoices', async () => {
    const call = start(folder, ['call', 'anonymous']);
    call.type('What do I owe?');
    await until(() => call.printed().includes('agent: '));
    call.hangUp();

    expect(await call.ended).toBe(0);
    expect(call.printed()).not.toMatch(/120|inv_/);
  });

  test.each<[string, string, RegExp, Readonly<Record<string, string>>]>([
    [
      'call',
      'a missing key of the model',
      /^OPENAI_API_KEY must be set in the environment.* Put it into \.env/,
      { OPENAI_API_KEY: '' },
    ],
    ['call', 'a wrong key of a system', /^billing: the credential is refused: 401/, { BILLING_API_KEY: 'wrong' }],
    ['start', 'a missing address of LiveKit', /^LIVEKIT_URL must be set in the environment/, {}],
  ])('%s: %s is one sentence, and ends it', async (script, _what, sentence, env) => {
    const running = start(folder, [script], env);
    const code = await running.ended;

    expect(running.printed().trim().split('\n')).toEqual([expect.stringMatching(sentence)]);
    expect(code).toBe(1);
  });

  test('a model that fails is said in a sentence', async () => {
    const call = start(folder, ['call'], { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
    call.type('What do I owe?');
    await until(() => call.printed().includes('The model failed'));
    call.hangUp();

    expect(await call.ended).toBe(0);
    expect(call.printed()).not.toMatch(/\n {4}at /);
  });
});
