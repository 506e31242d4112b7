import { expect, test } from 'vitest';
import { createApiClient } from '../../src/index.ts';
import { bearer } from '../../src/auth/index.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { hubspot } from '../../src/crm/hubspot/index.ts';
import { salesforce } from '../../src/crm/salesforce/index.ts';
import { pace } from '../../src/http/pace.ts';
import { createMessagingClient } from '../../src/messaging/index.ts';
import { intercom } from '../../src/messaging/intercom/index.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

test('does ten things a second, each kind at its own pace', async () => {
  const clock = createVirtualClock();
  const pages: string[] = [];
  const reader = () => pace(async (page: string) => void pages.push(page));
  const [read, readAnother] = [reader(), reader()];

  for (let page = 1; page <= 25; page += 1) void read(`a${page}`);
  void readAnother('b1');

  await clock.advance(0);
  expect(pages).toEqual([...Array.from({ length: 10 }, (_, index) => `a${index + 1}`), 'b1']);
  await clock.advance(1_000);
  expect(pages).toHaveLength(21);
  await clock.advance(1_000);
  expect(pages).toHaveLength(26);
});

const base = { baseUrl: 'https://api.example.com', authenticate: bearer(() => 'token') };
const query = { field: 'role', operator: '=', value: 'lead' } as const;

type Fetch = typeof fetch;

/** All lists of all clients, and how an API says that there is another page. */
const lists: readonly [
  name: string,
  readAll: (fetch: Fetch) => AsyncIterable<unknown>,
  pageOf: (next: string) => unknown,
][] = [
  [
    'messaging.contacts.searchAll',
    (fetch) => createMessagingClient({ ...base, fetch, platform: 'Acme', version: '2.11' }).contacts.searchAll(query),
    (next) => ({ data: [{ id: next }], pages: { next: { starting_after: next } } }),
  ],
  [
    'contacts.searchAll of Intercom',
    (fetch) => createMessagingClient({ ...intercom(), ...base, fetch }).contacts.searchAll(query),
    (next) => ({ type: 'list', data: [{ id: next }], pages: { next: { starting_after: next } } }),
  ],
  [
    'crm.contacts.searchAll',
    (fetch) =>
      createCrmClient({
        ...base,
        fetch,
        version: '60.0',
        dialect: { nextPage: (json) => ({ method: 'GET', path: (json as { readonly next: string }).next }) },
      }).contacts.searchAll({ phone: '+14155550100' }),
    (next) => ({ data: [{ Id: next }], next }),
  ],
  [
    'leads.searchAll of Salesforce',
    (fetch) => createCrmClient({ ...salesforce(), ...base, fetch }).leads.searchAll({ email: 'ada@example.com' }),
    (next) => ({ done: false, nextRecordsUrl: `/services/data/v60.0/query/${next}`, records: [{ Id: next }] }),
  ],
  [
    'contacts.searchAll of HubSpot',
    (fetch) =>
      // Without its own limits, which are lower.
      createCrmClient({ ...hubspot(), ...base, fetch, rateLimit: false }).contacts.searchAll({ phone: '+14155550100' }),
    (next) => ({ total: 30, results: [{ id: next.slice(5), properties: {} }], paging: { next: { after: next } } }),
  ],
  [
    'a list of createApiClient',
    (fetch) =>
      createApiClient({
        ...base,
        fetch,
        name: 'orders',
        version: 'in-base-url',
        endpoints: { list: { method: 'GET', path: '/orders', next: 'cursor' } },
      }).list(),
    (cursor) => ({ data: [{ id: cursor }], cursor }),
  ],
];

test.each(lists)('%s reads ten pages a second, after the first', async (_name, readAll, pageOf) => {
  const clock = createVirtualClock();
  let pages = 0;
  const fetch: Fetch = async () => Response.json(pages < 30 ? pageOf(`page-${(pages += 1)}`) : {});
  const readPages = async () => {
    for await (const _item of readAll(fetch)) if (pages === 30) return;
  };
  /** Lets everything happen that waits for no time. */
  const settle = async () => {
    for (let turn = 0; turn < 1_000; turn += 1) await clock.advance(0);
  };

  const end = readPages();

  await settle();
  expect([10, 11]).toContain(pages);
  await clock.advance(1_000);
  await settle();
  expect([20, 21]).toContain(pages);
  await clock.advance(1_000);
  await settle();
  expect(pages).toBe(30);
  await end;
});
