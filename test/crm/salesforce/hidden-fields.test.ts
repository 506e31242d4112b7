import { describe, expect, test } from 'vitest';
import { qualifyLead } from '../../../src/phone-call/steps/qualify-lead.ts';
import { ClientError } from '../../../src/core/errors.ts';
import { where } from '../../../src/crm/index.ts';
import type { IntegrationEvent } from '../../../src/observability/events.ts';
import { connectSalesforce, queriesOf } from '../../support/connected-salesforce.ts';

const phone = '+14155550100';

/** An org that hides fields from its user, with what listeners get. */
const connectHiding = async (hiddenFields: Readonly<Record<string, readonly string[]>>, preset = {}) => {
  const events: IntegrationEvent[] = [];
  const org = await connectSalesforce({
    preset,
    org: { hiddenFields, searchDelayMs: 0 },
    client: { onEvent: (event) => void events.push(event) },
  });
  const leftOut = () =>
    events.flatMap((event) => (event.type === 'schema-drift' ? [[event.operation, ...event.fields]] : []));
  return { ...org, leftOut };
};

describe('a field that the org hides from its user', () => {
  test('is left out of a search of leads from then on, with one event', async () => {
    await using org = await connectHiding({ Lead: ['MobilePhone'] });
    const { Id } = org.platform.crm.addLead({ LastName: 'Okafor', Company: 'Northwind', Phone: phone });

    expect((await org.crm.leads.search({ phone })).data).toMatchObject([{ Id }]);
    expect((await org.crm.leads.search({ phone })).data).toMatchObject([{ Id }]);
    for await (const lead of org.crm.leads.searchAll({ phone })) expect(lead).toMatchObject({ Id });

    expect(org.leftOut()).toEqual([['crm.leads.search', 'MobilePhone']]);
    expect(queriesOf(org.platform).map((query) => query.includes('MobilePhone'))).toEqual([true, false, false, false]);
  });

  test('is left out of what is read and sorted by, and several at once', async () => {
    const hidden = ['HomePhone', 'OtherPhone', 'AccountId', 'OwnerId', 'LastModifiedDate'];
    await using org = await connectHiding({ Contact: hidden });
    const { Id } = org.platform.crm.addContact({ LastName: 'Okafor', MobilePhone: '(415) 555-0100' });

    const { data } = await org.crm.contacts.search({ phone, limit: 5, fields: ['MobilePhone'] });

    expect(data).toMatchObject([{ Id, MobilePhone: '(415) 555-0100' }]);
    expect(org.leftOut().flat().toSorted()).toEqual(['crm.contacts.search', ...hidden].toSorted());
  });

  test.each(['digits', 'index'] as const)('is left out of the further searches too: %s', async (phoneSearch) => {
    await using org = await connectHiding({ Lead: ['MobilePhone', 'OwnerId'] }, { phoneSearch });
    const { Id } = org.platform.crm.addLead({ LastName: 'Okafor', Company: 'Northwind', Phone: '4155-550-100' });

    expect((await org.crm.leads.search({ phone })).data).toMatchObject([{ Id }]);
    expect(org.leftOut().flat().toSorted()).toEqual(['MobilePhone', 'OwnerId', 'crm.leads.search']);
  });

  test('doesn’t keep two searches at once from their answers', async () => {
    await using org = await connectHiding({ Lead: ['MobilePhone'] });
    org.platform.crm.addLead({ LastName: 'Okafor', Company: 'Northwind', Phone: phone });

    const found = await Promise.all([1, 2, 3].map(() => org.crm.leads.search({ phone })));

    expect(found.map(({ data }) => data.length)).toEqual([1, 1, 1]);
    expect(org.leftOut()).toEqual([['crm.leads.search', 'MobilePhone']]);
  });

  test('doesn’t lose a prospect', async () => {
    await using org = await connectHiding({ Lead: ['MobilePhone'], Contact: ['HomePhone', 'OtherPhone'] });
    const facts = { callId: 'CA1', direction: 'Inbound', startedAt: '2026-11-21T10:00:00Z' } as const;
    const lead = { LastName: 'Okafor', Company: 'Northwind', Phone: phone };

    expect(await qualifyLead({ crm: org.crm }, { ...facts, lead })).toMatchObject({ outcome: 'lead_created' });
  });
});

describe('a hidden field is an error where the search is about it', () => {
  test.each<
    [string, readonly string[], Parameters<Awaited<ReturnType<typeof connectHiding>>['crm']['leads']['search']>[0]]
  >([
    ['the e-mail', ['Email'], { email: 'ngozi@example.com' }],
    ['the e-mail next to a number', ['Email'], { email: 'ngozi@example.com', phone }],
    ['each of the phone fields', ['Phone', 'MobilePhone'], { phone }],
    ['a condition of yours', ['Industry'], { phone, where: where('Industry', '=', 'Bakeries') }],
  ])('%s', async (_what, fields, by) => {
    await using org = await connectHiding({ Lead: fields });
    org.platform.crm.addLead({ LastName: 'Okafor', Company: 'Northwind', Phone: phone });
    const error = await org.crm.leads.search(by).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ codes: ['INVALID_FIELD'] });
    expect(org.leftOut()).toEqual([]);
  });

  test('a query of yours', async () => {
    await using org = await connectHiding({ Lead: ['Industry'] });

    await expect(org.crm.query('Lead', { fields: ['Industry'] })).rejects.toMatchObject({ codes: ['INVALID_FIELD'] });
  });
});
