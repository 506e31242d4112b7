import { expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { createMessagingClient } from '../../../src/messaging/index.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { serve } from '../../support/serve.ts';

const phone = '+14155550100';

/** APIs whose searches answer with everything that they have. */
const answers: readonly (readonly [path: RegExp, json: unknown])[] = [
  [/^\/contacts\/search$/, [{ id: 'c1', phone }]],
  [
    /^\/conversations\/search$/,
    {
      conversations: [
        { id: 'foreign', contacts: { contacts: [{ id: 'c9' }] } },
        { id: 'own', contacts: [{ id: 'c1' }, { id: 'c9' }] },
        { id: 'unsaid' },
      ],
      total_count: 3,
    },
  ],
  [
    /^\/tickets\/search$/,
    {
      tickets: [
        { id: 't9', contacts: { contacts: [{ id: 'c9' }] } },
        { id: 't1', contacts: { contacts: [{ id: 'c1' }] } },
      ],
    },
  ],
  [/^\/conversations\/foreign$/, { id: 'foreign', source: { body: 'SECRET' } }],
  [/^\/conversations\/own$/, { id: 'own', source: { body: 'Where is it?' } }],
  [/^\/conversations\/unsaid$/, { id: 'unsaid', source: { body: 'Hello' } }],
  [/\/Contact\/search$/, [{ Id: '003A', Phone: phone }]],
  [
    /\/Case\/search$/,
    [
      { Id: '500Z', CaseNumber: '9', Subject: 'SECRET', ContactId: '003Z' },
      { Id: '500A', CaseNumber: '1', Subject: 'No sound', ContactId: '003A' },
      { Id: '500B', CaseNumber: '2', Subject: 'No image' },
      { Id: '500C', CaseNumber: '3', Subject: 'SECRET, too' },
    ],
  ],
  [/\/Case\/500B$/, { Id: '500B', ContactId: '003A' }],
  [/\/Case\/500C$/, { Id: '500C', ContactId: null }],
  [/\/Account\/search$/, [{ Id: '001Z', Name: 'Other Ltd' }]],
];

const start = async (found: typeof answers = answers) => {
  const server = await serve(async (request) => {
    const { pathname } = new URL(request.url);
    const [, json] = found.find(([path]) => path.test(pathname)) ?? [];
    return Response.json(json ?? (pathname.endsWith('search') ? [] : { id: 'new' }));
  });
  const options = { baseUrl: server.url, authenticate: bearer(() => 'a token') };
  const messaging = createMessagingClient({ ...options, platform: 'Acme', version: '2.11' });
  const crm = createCrmClient({ ...options, version: '60.0' });
  const phoneCall = startPhoneCall(
    { messaging, crm },
    { callId: 'CA1', direction: 'inbound', phone, tools: { call: { caseStatus: true } } },
  );
  return { messaging, crm, phoneCall, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

test('conversations and tickets that show other contacts alone are left out', async () => {
  await using started = await start();
  const { conversations, tickets } = started.messaging;

  const found = await conversations.listForContact('c1');
  expect(found).toMatchObject({ data: [{ id: 'own' }, { id: 'unsaid' }], total: 2 });
  expect(await tickets.listForContact('c1')).toMatchObject({ data: [{ id: 't1' }], total: 1 });
});

test('a caller gets their own conversations alone', async () => {
  await using started = await start();
  const { tools } = started.phoneCall;
  await tools.run('identify_caller', {});

  const { text } = await tools.run('list_recent_conversations', {});

  expect(text).toContain('Where is it?');
  expect(text).not.toContain('SECRET');
});

test('a caller gets their own cases alone: a case that does not show whose it is, is read', async () => {
  await using started = await start();

  const { value } = await started.phoneCall.tools.run('get_case_status', {});

  expect(value).toEqual({
    cases: [
      { number: '1', subject: 'No sound' },
      { number: '2', subject: 'No image' },
    ],
  });
});

const lead = { LastName: 'Lee', Company: 'Lee Ltd' };
const opportunity = { Name: 'Lee', StageName: 'New', CloseDate: '2026-12-31' };

test.each([
  ['Other Ltd', 'lead_created'],
  ['Lee Ltd and Sons', 'lead_created'],
  ['lee ltd ', 'account_opportunity'],
  [undefined, 'account_opportunity'],
])('a deal with Lee Ltd, where the search for it finds %j', async (Name, outcome) => {
  await using started = await start([
    [/\/Contact\/search$/, []],
    [/\/Account\/search$/, [{ Id: '001Z', Name }]],
  ]);

  expect(await started.phoneCall.qualifyLead({ lead, opportunity })).toMatchObject({ outcome });
});
