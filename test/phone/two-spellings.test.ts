import { expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { hubspot } from '../../src/crm/hubspot/index.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { createFakePlatform, testCredentials } from '../../src/dev/testing/index.ts';
import { connectIntercom } from '../support/connected-intercom.ts';
import { connectSalesforce } from '../support/connected-salesforce.ts';
import { connectStripe } from '../support/connected-stripe.ts';
import { connectZendesk } from '../support/connected-zendesk.ts';

/** The person found by `phone` in a platform that holds them under `kept`. */
type Find = (kept: string, phone: string) => Promise<string | undefined>;

const inIntercom: Find = async (kept, phone) => {
  await using connected = await connectIntercom();
  connected.platform.messaging.addContact({ id: 'ada', phone: kept });
  return (await connected.client.contacts.findByPhone(phone))?.contact.id;
};

const inZendesk: Find = async (kept, phone) => {
  await using connected = await connectZendesk();
  connected.account.addUser({ name: 'Ada', phone: kept });
  return (await connected.messaging.contacts.findByPhone(phone)) && 'ada';
};

const inStripe: Find = async (kept, phone) => {
  await using connected = await connectStripe();
  connected.platform.billing.addCustomer({ id: 'ada', name: 'Ada', phone: kept });
  return (await connected.billing.customers.find({ phone }))?.id;
};

const inSalesforce: Find = async (kept, phone) => {
  await using connected = await connectSalesforce();
  connected.platform.crm.addContact({ LastName: 'Park', Phone: kept });
  const { data } = await connected.crm.contacts.search({ phone });
  return data.length > 0 ? 'ada' : undefined;
};

const inHubSpot: Find = async (kept, phone) => {
  const platform = createFakePlatform({ crm: 'hubspot' });
  const { crm: baseUrl } = await platform.listen();
  platform.hubspot.add('contacts', { lastname: 'Park', phone: kept });
  const crm = createCrmClient({ ...hubspot(), baseUrl, authenticate: bearer(() => testCredentials.crm) });
  const { data } = await crm.contacts.search({ phone });
  await platform.close();
  return data.length > 0 ? 'ada' : undefined;
};

test.each<[string, Find]>([
  ['Intercom', inIntercom],
  ['Zendesk', inZendesk],
  ['Stripe', inStripe],
  ['Salesforce', inSalesforce],
  ['HubSpot', inHubSpot],
])('a person in %s is found by either spelling of the number, and no other person is', async (_platform, find) => {
  for (const [one, other] of [
    ['+5215512345678', '+525512345678'],
    ['+5491123456789', '+541123456789'],
    ['+5511987654321', '+551187654321'],
  ] as const) {
    expect(await find(one, other), `${one} by ${other}`).toBe('ada');
    expect(await find(other, one), `${other} by ${one}`).toBe('ada');
    expect(await find(other, `${one.slice(0, -1)}0`), other).toBeUndefined();
  }
});
