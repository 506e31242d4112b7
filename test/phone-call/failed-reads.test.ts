import { describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { hubspot } from '../../src/crm/hubspot/index.ts';
import { type CrmClient, createCrmClient, type CrmOptions } from '../../src/crm/index.ts';
import { salesforce } from '../../src/crm/salesforce/index.ts';
import { createFakePlatform, type FakePlatform, type Fault, testCredentials } from '../../src/dev/testing/index.ts';
import { finishCall, type UnfinishedCall } from '../../src/phone-call/steps/finish-call.ts';
import { connectZendesk } from '../support/connected-zendesk.ts';

const phone = '+14155550100';
const ended: UnfinishedCall = {
  callId: 'CA1',
  direction: 'Inbound',
  startedAt: '2026-03-01T04:30:00Z',
  phone,
  summary: 'Rang.',
  outcome: 'resolved',
};

const faults: readonly (readonly [string, Fault])[] = [
  ['answered 503', { status: 503, times: 4 }],
  ['answered 500', { status: 500, times: 4 }],
  ['reset', { reset: 'before-headers', times: 4 }],
  ['dropped after its work', { executeThenDrop: true, times: 4 }],
  ['cut off', { truncate: true, times: 4 }],
  ['answered with another body', { status: 200, body: '<html>Maintenance</html>' }],
];

interface Org {
  readonly name: string;
  readonly crm: 'hubspot' | 'salesforce';
  readonly preset: () => Omit<CrmOptions, 'baseUrl' | 'authenticate'>;
  /** Adds a contact with the caller's number, and returns its id. */
  readonly addContact: (platform: FakePlatform) => string;
  /** The contacts of each Task. */
  readonly relatedIn: (platform: FakePlatform) => readonly unknown[];
}

const orgs: readonly Org[] = [
  {
    name: 'HubSpot',
    crm: 'hubspot',
    preset: hubspot,
    addContact: ({ hubspot: account }) => account.add('contacts', { lastname: 'Lee', phone }).id,
    relatedIn: ({ hubspot: account }) =>
      account.records('tasks').map(({ associations }) => associations['contacts']?.[0]),
  },
  {
    name: 'Salesforce',
    crm: 'salesforce',
    preset: salesforce,
    addContact: ({ crm }) => crm.addContact({ LastName: 'Lee', Phone: phone }).Id,
    relatedIn: ({ crm }) => crm.tasks.map(({ WhoId }) => WhoId),
  },
];

const connect = async ({ crm, preset }: Org) => {
  const platform = createFakePlatform({ crm });
  const { crm: baseUrl } = await platform.listen();
  const client: CrmClient = createCrmClient({
    ...preset(),
    baseUrl,
    authenticate: bearer(() => testCredentials.crm),
    backoff: { minimumMs: 0, maximumMs: 0 },
  });
  return { platform, clients: { crm: client }, [Symbol.asyncDispose]: () => platform.close() };
};

describe.each(orgs)('in $name', (org) => {
  test.each(faults)('a search that was %s is tried again, and its Task gets the contact', async (_, fault) => {
    await using connected = await connect(org);
    const { platform, clients } = connected;
    const contactId = org.addContact(platform);
    platform.fault('crm.contacts.search', [fault]);

    const first = await finishCall(clients, ended);
    expect(first.steps).toContainEqual({ step: 'relate', status: 'failed', error: expect.any(Error) });
    expect(first.unfinished?.mayBeDone).toBeUndefined();
    // As it is in a queue.
    const second = await finishCall(clients, JSON.parse(JSON.stringify(first.unfinished)));

    expect(second.complete).toBe(true);
    expect(org.relatedIn(platform)).toEqual([contactId]);
  });
});

test.each(faults)('a contact whose search was %s in Zendesk is made by the next try', async (_, fault) => {
  await using connected = await connectZendesk();
  const { platform, messaging } = connected;
  platform.fault('messaging.contacts.search', [fault]);

  const first = await finishCall({ messaging }, ended);
  expect(first.steps).toContainEqual({ step: 'contact', status: 'failed', error: expect.any(Error) });
  const second = await finishCall({ messaging }, JSON.parse(JSON.stringify(first.unfinished)));

  expect(second.complete).toBe(true);
  expect(connected.account.tickets).toHaveLength(1);
});
