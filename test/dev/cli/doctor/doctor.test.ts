import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  createFakePlatform,
  type FakePlatform,
  type OperationName,
  testCredentials,
} from '../../../../src/dev/testing/index.ts';
import { startRecordingServer } from '../../../support/recording-server.ts';
import { makeScratchFolder } from '../../../support/scratch-folder.ts';
import { runCli } from '../../../support/run-cli.ts';
import { type RunningSandbox, startSandbox } from '../../../support/start-sandbox.ts';

interface Report {
  readonly ok: boolean;
  readonly configuration: string;
  readonly findings: readonly {
    readonly level: 'ok' | 'warning' | 'problem';
    readonly about: string;
    readonly check: string;
    readonly message: string;
    readonly fix?: string;
  }[];
}

let sandbox: RunningSandbox | undefined;
afterEach(async () => {
  await sandbox?.end();
  sandbox = undefined;
});

const diagnose = async (env: Readonly<Record<string, string>>, ...words: readonly string[]) => {
  const { exitCode, printed, noted } = await runCli(['doctor', '--json', ...words], { env });
  expect(noted).toBe('');
  const report = JSON.parse(printed) as Report;
  const problems = report.findings.filter(({ level }) => level === 'problem');
  return { exitCode, ...report, problems };
};

const only = (api: string, env: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(api)));

describe('doctor', () => {
  test.each([
    ['the default APIs', []],
    ['Intercom, Salesforce and Stripe', ['--messaging', 'intercom', '--crm', 'salesforce', '--billing', 'stripe']],
    ['Zendesk, HubSpot and Stripe', ['--messaging', 'zendesk', '--crm', 'hubspot', '--billing', 'stripe']],
  ])('finds no problem with %s, and writes nothing', async (_, words) => {
    sandbox = await startSandbox(...words);

    const { exitCode, ok, problems, findings } = await diagnose(sandbox.env);

    expect({ exitCode, ok, problems }).toEqual({ exitCode: 0, ok: true, problems: [] });
    expect(findings.filter(({ level }) => level === 'ok').map(({ about, message }) => `${about}: ${message}`)).toEqual(
      expect.arrayContaining([
        'messaging: contacts can be read',
        'messaging: conversations can be read',
        'messaging: teams can be read',
        `messaging: admin ${sandbox.env['MESSAGING_ADMIN_ID']} is in the workspace`,
        'crm: leads can be read',
        'crm: contacts can be read',
        'crm: accounts can be read',
        "crm: your clock and the API's agree",
        'billing: customers can be read',
        'billing: invoices can be read',
      ]),
    );
    expect(findings.some(({ message }) => message === 'version 60.0 is served; the newest is 60.0')).toBe(
      words.includes('salesforce'),
    );
  });

  test.each([
    ['base path', { BILLING_BASE_URL: 'api' }],
    ['version', { BILLING_VERSION: 'v9' }],
  ])('a wrong %s of the billing API is no customer who is not found', async (_, wrong) => {
    sandbox = await startSandbox();
    const { BILLING_BASE_URL: url = '' } = sandbox.env;
    const env = { ...sandbox.env, ...wrong, ...('BILLING_BASE_URL' in wrong && { BILLING_BASE_URL: `${url}/api` }) };

    const { problems } = await diagnose(only('BILLING', env));

    expect(problems.map(({ about, message, fix }) => `${about}: ${message}; ${fix}`)).toEqual([
      "billing: the API answers 404 to everything; compare billing.baseUrl and billing.version with the API's",
    ]);
  });

  describe('with a dialect of your own', () => {
    /** Its API knows the customers, and one answer for whatever else. */
    const diagnoseOwn = async (wrong: {
      readonly base?: string;
      readonly invoices?: string;
      readonly find?: object;
    }) => {
      const said = (path: string) => ({ message: `Route GET:${path} was not found` });
      const api = createServer(({ url = '' }, response) => {
        const [path] = url.split('?');
        const known = path === '/api/people' ? [] : path === '/api/accounts/0/debts' ? [] : undefined;
        response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
        response.end(JSON.stringify(known ?? said(url)));
      }).listen(0, '127.0.0.1');
      await once(api, 'listening');
      const { port } = api.address() as AddressInfo;
      await using folder = await makeScratchFolder();
      const auth = new URL('../../../../src/auth/index.ts', import.meta.url).href;
      const { base = '/api', invoices = 'accounts/{customerId}/debts', find = {} } = wrong;
      await writeFile(
        folder.file('a.mjs'),
        `import { bearer } from '${auth}';
         export default { billing: { baseUrl: 'http://127.0.0.1:${port}${base}', authenticate: bearer(() => 'x'), version: 'in-base-url',
           dialect: { name: 'Own', endpoints: {
             customers: { find: { path: 'people', answer: (json) => json[0] ?? null, ...${JSON.stringify(find)} } },
             invoices: { listOpen: { path: '${invoices}' } } } } } };`,
      );
      const { findings } = await diagnose({}, '--config', folder.file('a.mjs'));
      api.closeAllConnections();
      api.close();
      return findings.filter(({ check }) => ['reachable', 'permission'].includes(check)).map(({ message }) => message);
    };

    test('asks the paths of the dialect', async () => {
      expect(await diagnoseOwn({})).toEqual([
        'the API is reachable, and a credential is there',
        'customers can be read',
        'invoices can be read',
      ]);
    });

    test('a wrong base path is found', async () => {
      expect(await diagnoseOwn({ base: '/v9' })).toEqual(['the API answers 404 to everything']);
    });

    test('a wrong path of a list is nothing that can be read', async () => {
      expect(await diagnoseOwn({ invoices: 'customers/{customerId}/dues' })).toEqual([
        'the API is reachable, and a credential is there',
        'customers can be read',
      ]);
    });

    test('a wrong base path is found where a customer who is absent is no 404', async () => {
      expect(await diagnoseOwn({ base: '/v9', find: { absentOn404: false } })).toEqual([
        'the API answers 404 to everything',
      ]);
    });
  });

  test('a wrong version of the messaging platform is named as the cause, once', async () => {
    sandbox = await startSandbox();

    const { findings } = await diagnose(only('MESSAGING', { ...sandbox.env, MESSAGING_VERSION: '9.99' }));

    const said = findings.filter(({ about, level }) => about === 'messaging' && level !== 'ok');
    expect(said.filter(({ check }) => check !== 'limits')).toEqual([
      {
        level: 'problem',
        about: 'messaging',
        check: 'version',
        message: 'version 9.99 is refused: 400, and the answer is of 2.11',
        fix: 'set messaging.version to 2.11, or to another that the API offers',
      },
    ]);
  });

  describe('with an account of Stripe', () => {
    const diagnoseStripe = async (
      env: Readonly<Record<string, string>> = {},
      prepare: (platform: FakePlatform) => void = () => {},
    ) => {
      await using platform = createFakePlatform({ billing: 'stripe' });
      prepare(platform);
      const { billing } = await platform.listen();
      const report = await diagnose({
        BILLING_DIALECT: 'stripe',
        BILLING_BASE_URL: `${billing}${env['path'] ?? '/v1'}`,
        BILLING_API_KEY: testCredentials.billing,
        BILLING_CURRENCY: 'EUR',
        BILLING_PAYMENTS_BELOW: '2000',
        ...env,
      });
      return { ...report, methods: new Set(platform.requests.map(({ method }) => method)) };
    };

    test('finds no problem, reads alone, and compares the clocks', async () => {
      const { problems, findings, methods } = await diagnoseStripe();

      expect(problems).toEqual([]);
      expect(findings.map(({ message }) => message)).toEqual(
        expect.arrayContaining(['customers can be read', 'invoices can be read', "your clock and the API's agree"]),
      );
      expect([...methods].filter((method) => !['GET', 'OPTIONS'].includes(method))).toEqual([]);
    });

    test.each<[what: string, env: Readonly<Record<string, string>>, status: number | undefined, message: string]>([
      ['a base address without its version', { path: '' }, undefined, 'the API answers 404 to everything'],
      [
        'a version that is not served',
        { BILLING_VERSION: '2020-08-27' },
        undefined,
        'version 2020-08-27 is not served',
      ],
      ['a key of another account', { BILLING_API_KEY: 'rk_test_1' }, undefined, 'the credential is refused: 401'],
      ['a key that may not read', {}, 403, 'the credential may not read customers: 403'],
    ])('finds %s', async (_, env, status, message) => {
      const { problems } = await diagnoseStripe(env, (platform) => {
        if (status !== undefined) platform.fault('billing', [{ status, times: Infinity }]);
      });

      expect(problems[0]?.message).toContain(message);
      expect(problems[0]?.fix).not.toBe('');
    });

    test('wants the currency of payments', async () => {
      const { exitCode, noted } = await runCli(['doctor'], {
        env: { BILLING_DIALECT: 'stripe', BILLING_API_KEY: 'rk_test_1', BILLING_PAYMENTS_BELOW: '2000' },
      });

      expect(exitCode).toBeGreaterThan(0);
      expect(noted).toContain('BILLING_CURRENCY is not set');
    });
  });

  describe.each([
    ['HubSpot', 'hubspot', 'crm'],
    ['Zendesk', 'zendesk', 'messaging'],
  ] as const)('with an account of %s', (_, dialect, api) => {
    const diagnoseIt = async (
      change: (url: string) => Readonly<Record<string, string>> = () => ({}),
      prepare: (platform: FakePlatform) => void = () => {},
    ) => {
      await using platform = createFakePlatform(dialect === 'hubspot' ? { crm: 'hubspot' } : { messaging: 'zendesk' });
      prepare(platform);
      const urls = await platform.listen();
      const env =
        dialect === 'hubspot'
          ? { CRM_DIALECT: 'hubspot', CRM_BASE_URL: urls.crm, CRM_TOKEN: testCredentials.crm }
          : {
              MESSAGING_DIALECT: 'zendesk',
              MESSAGING_BASE_URL: `${urls.messaging}/api/v2`,
              MESSAGING_TOKEN: testCredentials.messaging,
              MESSAGING_ADMIN_ID: String(platform.zendesk.ownAgentId),
            };
      const report = await diagnose({ ...env, ...change(urls[api]) });
      return { ...report, sent: platform.requests };
    };

    test('finds no problem, writes nothing, and compares the clocks', async () => {
      const { problems, findings, sent } = await diagnoseIt();

      expect(problems).toEqual([]);
      expect(findings.map(({ message }) => message)).toEqual(
        expect.arrayContaining(['contacts can be read', "your clock and the API's agree", 'a rate limit is set']),
      );
      // A search of HubSpot is a POST.
      expect(
        sent.filter(({ method, path }) => method !== 'GET' && method !== 'OPTIONS' && !path.endsWith('/search')),
      ).toEqual([]);
    });

    test.each([
      ['a wrong base path', '_BASE_URL', (url: string) => `${url}/nowhere`, 'the API answers 404 to everything'],
      ['a wrong token', '_TOKEN', () => 'another-token', 'the credential is refused: 401'],
    ])('finds %s', async (_, name, value, message) => {
      const { problems } = await diagnoseIt((url) => ({ [`${api.toUpperCase()}${name}`]: value(url) }));

      expect(problems[0]).toMatchObject({ message: expect.stringContaining(message), fix: expect.any(String) });
    });

    test('names the scope that is missing', async () => {
      const { problems } = await diagnoseIt(undefined, (platform) =>
        platform.fault(api, [{ status: 403, times: Infinity }]),
      );

      expect(problems[0]).toMatchObject({
        check: 'permission',
        fix: expect.stringMatching(/^grant "(?:crm\.objects\.contacts\.read|read)"; see /),
      });
    });

    test('reads what a part of the agents needs, and warns of its scopes', async () => {
      const areas =
        dialect === 'hubspot'
          ? [
              ['deals', 'crm.opportunities.search', 'crm.objects.deals.read'],
              ['tickets', 'crm.cases.search', 'tickets'],
              ['owners', 'crm.owners.list', 'crm.objects.owners.read'],
            ]
          : [['articles of the help center', 'messaging.articles.search', 'read']];
      const open = await diagnoseIt();
      const closed = await diagnoseIt(undefined, (platform) => {
        for (const [, operation] of areas) platform.fault(operation as OperationName, [{ status: 403 }]);
      });

      expect(open.findings.map(({ level, message }) => `${level}: ${message}`)).toEqual(
        expect.arrayContaining(areas.map(([area]) => `ok: ${area} can be read`)),
      );
      expect(closed).toMatchObject({ exitCode: 0, problems: [] });
      expect(
        closed.findings.flatMap(({ level, check, fix }) => (check === 'permission' && fix ? [level, fix] : [])),
      ).toEqual(
        areas.flatMap(([, , scope]) => ['warning', `grant "${scope}"; see docs/credentials.md, Least permissions`]),
      );
    });

    test('says that the limit is reached', async () => {
      const { findings } = await diagnoseIt(undefined, (platform) =>
        platform.fault(api, [{ status: 429, retryAfter: 0, times: Infinity }]),
      );

      expect(findings.map(({ message }) => message)).toContainEqual(
        expect.stringContaining('the API is over its limit right now: 429'),
      );
    });
  });

  test('warns that what the configuration uses ends, and is silent about the rest', async () => {
    await using platform = createFakePlatform({ messaging: 'zendesk' });
    const { messaging } = await platform.listen();
    const env = {
      MESSAGING_DIALECT: 'zendesk',
      MESSAGING_BASE_URL: `${messaging}/api/v2`,
      MESSAGING_TOKEN: testCredentials.messaging,
      MESSAGING_ADMIN_ID: String(platform.zendesk.ownAgentId),
    };
    const ends = async (more: Readonly<Record<string, string>>) =>
      (await diagnose({ ...env, ...more })).findings.flatMap(({ check, message }) =>
        check === 'end' ? [message] : [],
      );

    expect(await ends({ MESSAGING_EMAIL: 'voice-agent@acme.example' })).toEqual([
      expect.stringMatching(/^Zendesk: API tokens \(`zendeskToken`\) end(?:ed)? on 2027-04-30$/),
    ]);
    expect(await ends({})).toEqual([]);
  });

  test('prints each finding with what to do, and how many there are', async () => {
    sandbox = await startSandbox();

    const { exitCode, printed } = await runCli(['doctor'], { env: only('CRM', sandbox.env) });

    expect(exitCode).toBe(0);
    expect(printed.split('\n')).toEqual([
      'Checking the environment',
      '✔ configuration: the options are valid',
      '✔ crm: the API is reachable, and a credential is there',
      '✔ crm: leads can be read',
      '✔ crm: contacts can be read',
      '✔ crm: accounts can be read',
      "✔ crm: your clock and the API's agree",
      '! crm: neither a rate limit nor a quota is set: a loop can spend the whole budget of the API',
      "    fix: crm.rateLimit or crm.quota: { limit, perMs }, as the API's plan says",
      '',
      'No problems, 1 warning.',
    ]);
  });

  test('counts warnings as problems with --strict', async () => {
    sandbox = await startSandbox();

    expect(await diagnose(only('CRM', sandbox.env), '--strict')).toMatchObject({
      exitCode: 1,
      ok: false,
      problems: [],
    });
  });

  test.each([
    [
      'a refused credential',
      { CRM_TOKEN: 'wrong-token-of-the-crm' },
      [],
      'credential',
      'the credential is refused: 401',
    ],
    ['a version that is not served', { CRM_VERSION: '59.0' }, [], 'reachable', 'the API answers 404 to everything'],
    [
      'an area that is closed',
      {},
      ['--fault', 'crm.leads.search=403'],
      'permission',
      'the credential may not read leads: 403',
    ],
    [
      'a version that was taken away',
      {},
      ['--fault', 'crm.leads.search=410'],
      'version',
      'version 60.0 is not served any more: 410',
    ],
    [
      'an address that is refused',
      { CRM_BASE_URL: 'ftp://crm.example' },
      [],
      'options',
      'baseUrl must be an https URL',
    ],
  ])('finds %s', async (_, change, words, check, message) => {
    sandbox = await startSandbox(...words);

    const { exitCode, ok, problems, findings } = await diagnose({ ...only('CRM', sandbox.env), ...change });

    expect({ exitCode, ok }).toEqual({ exitCode: 1, ok: false });
    expect(problems[0]).toMatchObject({ check, message: expect.stringContaining(message), fix: expect.any(String) });
    expect(JSON.stringify(findings)).not.toContain('wrong-token-of-the-crm');
  });

  test('says of nothing that it can be read where there is no endpoint for it', async () => {
    await using server = await startRecordingServer();
    server.answer({ status: 404 });

    const { findings } = await diagnose({ CRM_BASE_URL: server.baseUrl, CRM_TOKEN: 'token', CRM_VERSION: '60.0' });

    expect(findings.map(({ message }) => message)).toContain('the API answers 404 to everything');
    expect(findings.filter(({ message }) => message.includes('can be read'))).toEqual([]);
  });

  test.each([
    ['finds no server at the address', undefined, 'the API cannot be reached: ECONNREFUSED', /nothing listens there/],
    ['finds an API that fails', { status: 503 }, 'reading leads failed: 503', /try again/],
  ])('%s: no one has to fix that, and it is no pass either', async (_, answer, message, fix) => {
    await using server = await startRecordingServer();
    if (answer) server.answer(answer);
    else await server[Symbol.asyncDispose]();
    const env = { CRM_BASE_URL: server.baseUrl, CRM_TOKEN: 'token', CRM_VERSION: '60.0' };

    const { exitCode, ok, problems, findings } = await diagnose(env);
    const { printed } = await runCli(['doctor'], { env });

    expect({ exitCode, ok, problems }).toEqual({ exitCode: 1, ok: false, problems: [] });
    expect(findings).toContainEqual({
      level: 'warning',
      about: 'crm',
      check: 'reachable',
      message,
      fix: expect.stringMatching(fix),
    });
    expect(printed).toMatch(/No problems, 2 warnings: not everything could be checked\.$/);
  });

  test('names the permission as the platform does', async () => {
    sandbox = await startSandbox(
      '--messaging',
      'intercom',
      '--crm',
      'salesforce',
      '--fault',
      'messaging=403xall',
      '--fault',
      'crm.leads.search=403xall',
    );

    const { problems } = await diagnose(sandbox.env);

    expect(problems.map(({ about, fix }) => [about, fix])).toEqual(
      expect.arrayContaining([
        ['messaging', 'grant "Read and list users and companies"; see docs/credentials.md, Least permissions'],
        ['messaging', 'grant "Read conversations"; see docs/credentials.md, Least permissions'],
        [
          'crm',
          'grant "Lead: Read, and read access to Email, Phone, Status and IsConverted"; see docs/credentials.md, Least permissions',
        ],
      ]),
    );
  });

  test('finds an admin that the workspace does not have', async () => {
    sandbox = await startSandbox();

    const { problems } = await diagnose({ ...only('MESSAGING', sandbox.env), MESSAGING_ADMIN_ID: 'admin_9' });

    expect(problems).toMatchObject([
      { about: 'messaging', check: 'admin', message: 'the workspace has no admin admin_9' },
    ]);
  });

  test('names the fields that an org hides from its user', async () => {
    const platform = createFakePlatform({ crm: { dialect: 'salesforce', hiddenFields: { Lead: ['MobilePhone'] } } });
    onTestFinished(() => platform.close());
    const { crm } = await platform.listen();
    await using folder = await makeScratchFolder();
    const [auth, preset] = ['auth', 'crm/salesforce'].map(
      (name) => new URL(`../../../../src/${name}/index.ts`, import.meta.url).href,
    );
    await writeFile(
      folder.file('a.mjs'),
      `import { bearer } from '${auth}';
       import { salesforce } from '${preset}';
       export default { crm: { ...salesforce(), baseUrl: '${crm}', authenticate: bearer(() => '${testCredentials.crm}') } };`,
    );

    const { findings } = await diagnose({}, '--config', folder.file('a.mjs'));

    expect(findings.filter(({ level, check }) => level === 'warning' && check === 'permission')).toMatchObject([
      { about: 'crm', message: 'MobilePhone of leads can not be read, and searches go on without' },
    ]);
  });

  test('finds that a version is deprecated or ends', async () => {
    await using server = await startRecordingServer();
    await using folder = await makeScratchFolder();
    const api = new URL('../../../../src/auth/index.ts', import.meta.url).href;
    await writeFile(
      folder.file('a.mjs'),
      `import { bearer } from '${api}';
       const answer = (url) => new Response('{"data":[]}', { headers: {
         'content-type': 'application/json', sunset: 'Sat, 31 Jul 2027 23:59:59 GMT', date: 'Sat, 21 Nov 2020 12:00:00 GMT' } });
       export default { crm: { baseUrl: '${server.baseUrl}', version: '60.0', authenticate: bearer(() => 'x'), fetch: async (url) => answer(url) } };`,
    );

    const { findings } = await diagnose({}, '--config', folder.file('a.mjs'));

    expect(findings.filter(({ check }) => check === 'version' || check === 'clock')).toEqual([
      {
        level: 'warning',
        about: 'crm',
        check: 'version',
        message: 'version 60.0 ends: Sat, 31 Jul 2027 23:59:59 GMT',
        fix: 'try the next one on a test workspace with checkContract',
      },
      expect.objectContaining({ level: 'problem', about: 'crm', message: expect.stringContaining('ahead of the API') }),
    ]);
  });

  test('advises on a billing API with a dialect of its own as on any other one, not as on Stripe', async () => {
    await using folder = await makeScratchFolder();
    sandbox = await startSandbox();
    const api = new URL('../../../../src/auth/index.ts', import.meta.url).href;
    await writeFile(
      folder.file('a.mjs'),
      `import { bearer } from '${api}';
       export default { billing: {
         baseUrl: '${sandbox.env['BILLING_BASE_URL']}', version: { path: 'v1' },
         authenticate: bearer(() => 'wrong'), dialect: { name: 'Ledger', endpoints: { payments: { create: { sends: 'form' } } } },
       } };`,
    );

    const { problems } = await diagnose({}, '--config', folder.file('a.mjs'));

    expect(problems).toEqual([
      {
        level: 'problem',
        about: 'billing',
        check: 'credential',
        message: expect.stringContaining('401'),
        fix: 'check which secret the credential reads, and in which header the API wants it',
      },
    ]);
  });

  test('checks the APIs even if the store cannot be opened', async () => {
    await using folder = await makeScratchFolder();
    sandbox = await startSandbox();
    const from = (path: string) => new URL(`../../../../src/${path}`, import.meta.url).href;
    await writeFile(
      folder.file('a.mjs'),
      `import { bearer } from '${from('auth/index.ts')}';
       import { sqlite } from '${from('stores/sqlite/index.ts')}';
       export default {
         crm: { baseUrl: '${sandbox.env['CRM_BASE_URL']}', version: '60.0', authenticate: bearer(() => 'test-crm-token') },
         store: sqlite({ file: ${JSON.stringify(folder.file('none/store.db'))} }).idempotencyStore(),
       };`,
    );

    const { problems, findings } = await diagnose({}, '--config', folder.file('a.mjs'));

    expect(problems).toMatchObject([
      {
        about: 'store',
        message: expect.stringMatching(/^store can't be used: unable to open database file .*store\.db: /),
      },
    ]);
    expect(findings.map(({ message }) => message)).toContain('leads can be read');
  });

  test('looks at queue and store, and reports what is paused and what a server puts at risk', async () => {
    await using folder = await makeScratchFolder();
    sandbox = await startSandbox();
    const from = (path: string) => new URL(`../../../../src/${path}`, import.meta.url).href;
    const file = JSON.stringify(folder.file('store.db'));
    await writeFile(
      folder.file('a.mjs'),
      `import { bearer } from '${from('auth/index.ts')}';
       import { sqlite } from '${from('stores/sqlite/index.ts')}';
       import { emitServerWarning } from '${from('stores/server-warning.ts')}';
       const store = sqlite({ file: ${file} }).idempotencyStore();
       const claim = store.claim;
       export default {
         crm: { baseUrl: '${sandbox.env['CRM_BASE_URL']}', version: '60.0', authenticate: bearer(() => 'test-crm-token'), rateLimit: { limit: 1000, perMs: 1000 } },
         store: { ...store, claim: async (...args) => {
           emitServerWarning({ code: 'redis_may_evict', message: 'Redis may evict' });
           return claim(...args);
         } },
       };
       export const queue = async () => {
         const queue = sqlite({ file: ${file} }).messageQueue();
         await queue.admin.pause('outbox:crm');
         return queue;
       };`,
    );

    const { exitCode, configuration, findings } = await diagnose({}, '--config', folder.file('a.mjs'));

    expect({ exitCode, configuration }).toEqual({ exitCode: 0, configuration: expect.stringContaining('a.mjs') });
    expect(
      findings.filter(({ about }) => ['queue', 'store'].includes(about)).map(({ level, check }) => `${level} ${check}`),
    ).toEqual(['ok reachable', 'ok reachable', 'warning paused', 'warning redis_may_evict']);
  });
});
