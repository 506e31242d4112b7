import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { InvalidArgumentError } from '../../../src/core/errors.ts';
import { apiKey, bearer } from '../../../src/auth/index.ts';
import { checkContract, type ContractCheckOptions } from '../../../src/dev/testing/contract-check.ts';
import { compareShapes, shapeOf } from '../../../src/dev/testing/contract-check/shape.ts';
import { createFakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';
import { connectPlatform, operationsOf } from '../../support/connected-platform.ts';
import { serve } from '../../support/serve.ts';

type Change = (answer: { readonly status: number; readonly json: unknown; readonly path: string }) => {
  readonly status?: number;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Speaks for the fake platform, and answers version 2.12 as the platform would after an upgrade. */
const startNextVersion = async (target: string, change: Change) => {
  const server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk as Buffer);
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const isNext = headers['acme-version'] === '2.12';
    const answer = await fetch(target + request.url, {
      method: request.method ?? 'GET',
      headers: { ...(headers as Record<string, string>), 'acme-version': '2.11' },
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    });
    const text = await answer.text();
    const usual = { status: answer.status, json: text === '' ? undefined : JSON.parse(text) };
    const changed = isNext ? change({ ...usual, path: request.url ?? '' }) : {};
    response.writeHead(changed.status ?? usual.status, {
      'content-type': 'application/json',
      'acme-version': headers['acme-version'],
      ...changed.headers,
    });
    const json = 'json' in changed ? changed.json : usual.json;
    response.end(json === undefined ? '' : JSON.stringify(json));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const phone = '+14155550100';

const versionsOf = ({ current, candidate }: Awaited<ReturnType<typeof setUp>>) => ({ current, candidate });

const setUp = async (change: Change) => {
  const connected = await connectPlatform();
  const { platform, clientOptions } = connected;
  const { id } = platform.messaging.addContact({ phone, email: 'ada@example.com', name: 'Ada' });
  const next = await startNextVersion(String(clientOptions.messaging.baseUrl), change);
  const version = (pinned: string) => ({
    messaging: { ...clientOptions.messaging, baseUrl: next.baseUrl, version: pinned },
    payments: clientOptions.payments,
  });
  return {
    platform,
    contactId: id,
    clientOptions,
    current: version('2.11'),
    candidate: version('2.12'),
    [Symbol.asyncDispose]: async () => {
      await next[Symbol.asyncDispose]();
      await connected[Symbol.asyncDispose]();
    },
  };
};

describe('a candidate version', () => {
  it('that answers as before has no differences', async () => {
    await using tried = await setUp(() => ({}));

    const report = await checkContract({ ...versionsOf(tried), samples: { phone } });

    expect(report).toEqual({
      isCompatible: true,
      differences: [],
      checked: [
        'messaging.admins.me',
        'messaging.admins.list',
        'messaging.teams.list',
        'messaging.contacts.search',
        'messaging.contacts.get',
        'messaging.contacts.tags.list',
        'messaging.companies.listForContact',
      ],
      skipped: [
        'messaging.conversations.get',
        'messaging.contacts.create',
        'messaging.contacts.update',
        'messaging.conversations.create',
        'messaging.conversations.addNote',
        'messaging.conversations.close',
      ],
      failing: [],
      text: expect.stringContaining('7 operations checked, 0 differences.'),
    });
  });

  it('is shown with all that it does otherwise, what breaks first', async () => {
    await using tried = await setUp(({ json, path }) => {
      const record = json as Record<string, unknown>;
      if (path.startsWith('/teams')) return { status: 403, json: { errors: [{ code: 'api_plan_restricted' }] } };
      if (path.endsWith('/me')) return { json: { ...record, id: undefined } };
      if (/^\/contacts\/[^/]+$/.test(path) && !path.endsWith('search')) {
        const { email: _email, ...rest } = record;
        return {
          json: { ...rest, name: { first: 'Ada' }, avatar: null },
          headers: { deprecation: '@1790000000', sunset: 'Wed, 31 Mar 2027 00:00:00 GMT' },
        };
      }
      return {};
    });

    const { isCompatible, differences, text } = await checkContract({ ...versionsOf(tried), samples: { phone } });

    expect(isCompatible).toBe(false);
    expect(differences).toEqual([
      {
        operation: 'messaging.admins.me',
        kind: 'unreadable',
        severity: 'breaks',
        after: expect.stringContaining('messaging.admins.me'),
      },
      {
        operation: 'messaging.teams.list',
        kind: 'refused',
        severity: 'breaks',
        after: expect.stringContaining('403'),
      },
      { operation: 'messaging.contacts.get', kind: 'unread-field', severity: 'look', field: 'name' },
      {
        operation: 'messaging.contacts.get',
        kind: 'deprecated',
        severity: 'look',
        after: 'Deprecation: @1790000000, Sunset: Wed, 31 Mar 2027 00:00:00 GMT',
      },
      { operation: 'messaging.contacts.get', kind: 'missing-field', severity: 'look', field: 'email', before: 'text' },
      {
        operation: 'messaging.contacts.get',
        kind: 'changed-field',
        severity: 'look',
        field: 'name',
        before: 'text',
        after: 'object',
      },
      { operation: 'messaging.contacts.get', kind: 'added-field', severity: 'note', field: 'avatar', after: 'null' },
    ]);
    expect(text).toContain('look: messaging.contacts.get no longer gives email, which was text');
    expect(text).not.toMatch(/Ada|ada@|4155550100|test-messaging-token/);
  });

  it('is judged without the current one by what this package itself relies on', async () => {
    await using tried = await setUp(({ json, path }) =>
      path.startsWith('/contacts/') && !path.endsWith('search')
        ? { json: { ...(json as object), email: 7, avatar: 'new' } }
        : {},
    );

    const { candidate } = tried;
    const { differences } = await checkContract({ candidate, samples: { contactId: tried.contactId } });

    expect(differences.filter(({ operation }) => operation === 'messaging.contacts.get')).toEqual([
      { operation: 'messaging.contacts.get', kind: 'unread-field', severity: 'look', field: 'email' },
    ]);
  });

  it('is not blamed for what fails in both', async () => {
    await using tried = await setUp(() => ({}));

    const report = await checkContract({ ...versionsOf(tried), samples: { conversationId: 'gone' } });

    expect([report.isCompatible, report.differences, report.failing]).toEqual([
      true,
      [],
      ['messaging.conversations.get'],
    ]);
    expect(report.text).toContain('fail in both versions: messaging.conversations.get');
  });
});

describe('each read of the CRM and of billing', () => {
  it('is found out when its records have no id', async () => {
    const platform = createFakePlatform();
    const { id: customerId } = platform.billing.addCustomer({ phone, name: 'Ada' });
    platform.billing.addInvoice({ customer_id: customerId, amount: 20 });
    const { Id: AccountId } = platform.crm.addAccount({ Name: 'Park Ltd', Phone: phone });
    platform.crm.addContact({ LastName: 'Park', Phone: phone, AccountId });
    platform.crm.addLead({ LastName: 'Park', Phone: phone });
    platform.crm.addOpportunity({ Name: 'Deal', AccountId });
    platform.crm.addCase({ Subject: 'No sound', AccountId });
    const serveApi = (api: 'crm' | 'billing', change: (text: string) => string) =>
      serve(async (request) => {
        const { pathname, search } = new URL(request.url);
        const headers = Object.fromEntries(request.headers);
        const body = await request.text();
        const handled = platform.handle(api, { method: request.method, url: `${pathname}${search}`, headers, body });
        return new Response(change(handled.body), { status: handled.status, headers: handled.headers });
      });
    const same = (text: string) => text;
    const flaw = (text: string) => text.replaceAll(/"(?:id|Id)":/g, '"number":');
    await using crm = await serveApi('crm', same);
    await using billing = await serveApi('billing', same);
    await using flawedCrm = await serveApi('crm', flaw);
    await using flawedBilling = await serveApi('billing', flaw);
    const versionOf = (crmUrl: string, billingUrl: string): ContractCheckOptions['candidate'] => ({
      crm: { baseUrl: crmUrl, authenticate: bearer(() => testCredentials.crm), version: '60.0' },
      billing: {
        baseUrl: billingUrl,
        authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
        version: { path: 'v1' },
      },
      payments: { below: 100, confirm: false },
    });

    const { checked, differences } = await checkContract({
      current: versionOf(crm.url, billing.url),
      candidate: versionOf(flawedCrm.url, flawedBilling.url),
      samples: { phone },
    });

    // The others need what these find.
    expect(checked).toEqual([
      'crm.leads.search',
      'crm.contacts.search',
      'crm.accounts.search',
      'billing.customers.find',
    ]);
    expect(differences.flatMap(({ operation, kind }) => (kind === 'unreadable' ? [operation] : []))).toEqual(checked);
  });
});

describe('sandbox writes', () => {
  it('are not made unless they are asked for', async () => {
    await using tried = await setUp(() => ({}));
    const { crm, billing } = tried.clientOptions;

    await checkContract({ candidate: { ...tried.candidate, crm, billing }, samples: { phone } });

    const writes = operationsOf(tried.platform).filter((name) => /create|update|reply|note|close/i.test(name ?? ''));
    expect(writes).toEqual([]);
  });

  it('are marked, reach no customer, and pay only what the samples say', async () => {
    await using tried = await setUp(({ json, path }) =>
      path === '/conversations' ? { json: { conversation: (json as { id: string }).id } } : {},
    );
    const { platform } = tried;
    const { crm, billing } = tried.clientOptions;
    const { id: customerId } = platform.billing.addCustomer({ phone });
    const { id: invoiceId } = platform.billing.addInvoice({ customer_id: customerId, amount: 20 });
    const payment = { customer_id: customerId, invoice_id: invoiceId, amount: 1, payment_method_id: 'pm_card' };

    const report = await checkContract({
      current: { ...tried.current, crm, billing },
      candidate: { ...tried.candidate, crm, billing },
      samples: { phone, payment },
      sandboxWrites: true,
      runId: 'run-7',
    });

    expect(report.differences.map(({ operation, kind }) => `${operation} ${kind}`)).toEqual([
      'messaging.conversations.create unreadable',
    ]);
    expect(report.skipped).toEqual([
      'messaging.conversations.get',
      'crm.opportunities.search',
      'crm.cases.search',
      'messaging.conversations.addNote',
      'messaging.conversations.close',
    ]);
    expect(platform.crm.tasks.map(({ Subject }) => Subject)).toEqual([
      'contract check run-7 current',
      'contract check run-7 candidate',
    ]);
    expect(platform.crm.leads.map(({ Company }) => Company)).toEqual([
      'contract check run-7 current',
      'contract check run-7 candidate',
    ]);
    expect(platform.billing.payments).toHaveLength(2);
    expect(operationsOf(platform)).not.toContain('messaging.conversations.reply');
  });

  it('can be followed by operations of the application’s own', async () => {
    await using tried = await setUp(() => ({}));

    const { checked } = await checkContract({
      candidate: tried.candidate,
      probes: [
        {
          operation: 'messaging.contacts.segments',
          effect: 'read',
          run: ({ messaging }) =>
            messaging.request({
              operation: 'messaging.contacts.segments',
              method: 'GET',
              path: 'teams',
              returns: (json) => json,
            }),
        },
      ],
    });

    expect(checked).toContain('messaging.contacts.segments');
  });

  it('need a name that can stand in an address', async () => {
    await using tried = await setUp(() => ({}));

    await expect(checkContract({ candidate: tried.candidate, runId: 'run 7' })).rejects.toThrow(InvalidArgumentError);
  });
});

describe('shapes', () => {
  it.each<[what: string, before: unknown, after: unknown, expected: readonly string[]]>([
    ['the same', { a: 1 }, { a: 2 }, []],
    ['an empty list says nothing of its items', { data: [{ a: 1 }] }, { data: [] }, []],
    ['a null says nothing of its type', { a: null }, { a: 'x' }, []],
    ['nor does a value that became null', { a: 'x' }, { a: null }, []],
    ['a record that is gone is one difference', { a: { b: { c: 1 } } }, {}, ['missing-field a']],
    ['items of any record count', [{ a: 1 }, { b: 1 }], [{ a: 1 }], ['missing-field [].b']],
    ['a text instead of a number', { a: [{ b: 1 }] }, { a: [{ b: '1' }] }, ['changed-field a[].b']],
    ['a new field', { a: { b: 1 } }, { a: { b: 1, c: true } }, ['added-field a.c']],
  ])('%s', (_what, before, after, expected) => {
    const differences = compareShapes(shapeOf(before), shapeOf(after));

    expect(differences.map(({ kind, field }) => `${kind} ${field}`)).toEqual(expected);
  });
});
