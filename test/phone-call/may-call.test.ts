import { describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { hubspot, type HubSpotOptions } from '../../src/crm/hubspot/index.ts';
import { createFakePlatform, testCredentials } from '../../src/dev/testing/index.ts';
import { mayCall } from '../../src/phone-call/may-call.ts';
import { connectIntercom } from '../support/connected-intercom.ts';
import { connectSalesforce } from '../support/connected-salesforce.ts';
import { connectZendesk } from '../support/connected-zendesk.ts';

const phone = '+14155550100';

describe('Salesforce', () => {
  test.each(['contact', 'lead'] as const)('a %s that says no is a no, with the field that says it', async (kind) => {
    await using org = await connectSalesforce();
    const { crm } = org.platform;
    const person = { LastName: 'Okafor', Company: 'Acme', Phone: phone, DoNotCall: true };
    const { Id } = kind === 'lead' ? crm.addLead(person) : crm.addContact(person);

    expect(await mayCall(org, { phone })).toEqual({
      mayCall: false,
      reason: 'opted_out',
      optOuts: [{ channel: 'call', system: 'crm', recordId: Id, field: 'DoNotCall' }],
    });
  });

  test('one of several people with the number is enough for a no', async () => {
    await using org = await connectSalesforce();
    org.platform.crm.addContact({ LastName: 'Okafor', Phone: phone, DoNotCall: false });
    org.platform.crm.addContact({ LastName: 'Diaz', MobilePhone: phone, DoNotCall: true });

    expect(await mayCall(org, { phone })).toMatchObject({ mayCall: false, reason: 'opted_out' });
  });

  test('who wants no e-mails may be called, and that is said', async () => {
    await using org = await connectSalesforce();
    org.platform.crm.addContact({ LastName: 'Okafor', Phone: phone, DoNotCall: false, HasOptedOutOfEmail: true });

    expect(await mayCall(org, { phone })).toMatchObject({
      mayCall: true,
      optOuts: [{ channel: 'email', field: 'HasOptedOutOfEmail' }],
    });
  });

  test('another person’s record decides nothing, and who is in no record may be called', async () => {
    await using org = await connectSalesforce();
    org.platform.crm.addContact({ LastName: 'Park', Phone: '+14155550199', DoNotCall: true });

    expect(await mayCall(org, { phone })).toEqual({ mayCall: true, optOuts: [] });
  });

  test('a field that the user may not see is no yes', async () => {
    await using org = await connectSalesforce({ org: { hiddenFields: { Contact: ['DoNotCall'] } } });
    org.platform.crm.addContact({ LastName: 'Okafor', Phone: phone, DoNotCall: true });

    expect(await mayCall(org, { phone })).toMatchObject({ mayCall: false, reason: 'not_shown' });
  });

  test('an outage is no yes', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm', [{ status: 503, times: Infinity }]);

    await expect(mayCall(org, { phone })).rejects.toThrow('503');
  });

  test.each(['anonymous', '', '555-0100', undefined])('the number %j is refused', async (wrong) => {
    await using org = await connectSalesforce();

    await expect(mayCall(org, { phone: wrong as string })).rejects.toThrow('phone must be a number');
    expect(org.platform.requests).toEqual([]);
  });
});

describe('HubSpot, which has no field for it', () => {
  const connect = async (options?: HubSpotOptions) => {
    const platform = createFakePlatform({ crm: { dialect: 'hubspot', searchDelayMs: 0 } });
    const { crm: baseUrl } = await platform.listen();
    const crm = createCrmClient({ ...hubspot(options), baseUrl, authenticate: bearer(() => testCredentials.crm) });
    return { platform, crm, [Symbol.asyncDispose]: () => platform.close() };
  };
  const properties = { Contact: { DoNotCall: 'do_not_call' }, Lead: { DoNotCall: 'do_not_call' } };

  test('without a property of your own nothing is known', async () => {
    await using org = await connect();
    org.platform.hubspot.add('contacts', { phone, lifecyclestage: 'customer' });

    expect(await mayCall(org, { phone })).toEqual({ mayCall: false, reason: 'not_shown', optOuts: [] });
  });

  test.each([
    ['true', false],
    ['Yes', false],
    ['please do not', false],
    ['false', true],
    ['No', true],
    [null, true],
  ])('a property of your own that holds %j', async (value, isAllowed) => {
    await using org = await connect({ properties });
    org.platform.hubspot.add('contacts', { phone, lifecyclestage: 'customer', do_not_call: value });

    expect(await mayCall(org, { phone })).toMatchObject({ mayCall: isAllowed });
  });

  test('who wants no e-mails is known', async () => {
    await using org = await connect({ properties });
    org.platform.hubspot.add('contacts', { phone, lifecyclestage: 'lead', do_not_call: null, hs_email_optout: 'true' });

    expect(await mayCall(org, { phone })).toMatchObject({ mayCall: true, optOuts: [{ channel: 'email' }] });
  });
});

describe('messaging, whose words for it are your own', () => {
  test('an attribute of Intercom, and who wants no e-mails', async () => {
    await using intercom = await connectIntercom();
    const { platform, client: messaging } = intercom;
    const add = (number: string, says: object) => platform.messaging.addContact({ phone: number, ...says });
    add(phone, { custom_attributes: { do_not_call: true } });
    add('+14155550177', { unsubscribed_from_emails: true, custom_attributes: { do_not_call: false } });
    const marks = ['do_not_call'];

    expect(await mayCall({ messaging }, { phone, marks })).toMatchObject({ mayCall: false, reason: 'opted_out' });
    expect(await mayCall({ messaging }, { phone: '+14155550177', marks })).toMatchObject({
      mayCall: true,
      optOuts: [{ channel: 'email', system: 'messaging', field: 'unsubscribed_from_emails' }],
    });
  });

  test('a tag or a field of a user of Zendesk', async () => {
    await using zendesk = await connectZendesk();
    const { account, messaging } = zendesk;
    account.addUser({ name: 'Ada', phone, tags: ['no_calls'] });
    account.addUser({ name: 'Bo', phone: '+14155550177', user_fields: { calls: 'never' } });

    for (const number of [phone, '+14155550177'])
      expect(await mayCall({ messaging }, { phone: number, marks: ['no_calls', 'calls'] })).toMatchObject({
        mayCall: false,
        reason: 'opted_out',
      });
  });

  test('two contacts with the number are no yes; an address decides', async () => {
    await using intercom = await connectIntercom();
    const { platform, client: messaging } = intercom;
    platform.messaging.addContact({ phone, email: 'ada@example.com' });
    platform.messaging.addContact({ phone, email: 'bo@example.com' });
    const marks = ['do_not_call'];

    expect(await mayCall({ messaging }, { phone, marks })).toMatchObject({ mayCall: false, reason: 'ambiguous' });
    expect(await mayCall({ messaging }, { phone, marks, email: 'bo@example.com' })).toMatchObject({ mayCall: true });
  });

  test('without a CRM and a mark there is nothing to ask, and a wrong mark is refused', async () => {
    await using intercom = await connectIntercom();
    const { client: messaging } = intercom;

    await expect(mayCall({ messaging }, { phone })).rejects.toThrow('marks must name');
    await expect(mayCall({ messaging }, { phone, marks: 'no' as never })).rejects.toThrow('marks must be names');
    await expect(mayCall({ messaging }, { phone, mark: ['a'] } as never)).rejects.toThrow('mark');
  });
});
