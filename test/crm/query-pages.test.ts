import { describe, expect, test } from 'vitest';
import { and, or, where } from '../../src/crm/index.ts';
import { UnexpectedResponseError } from '../../src/core/errors.ts';
import { failureOf } from '../support/connect.ts';
import { connectSalesforce, queriesOf, sentTo } from '../support/connected-salesforce.ts';

const names = ['Ada', 'Bo', 'Cy', 'Di', 'Eve'];

describe('a query', () => {
  test('gives the first page when it is awaited, and all rows in a loop', async () => {
    await using org = await connectSalesforce({ org: { pageSize: 2 } });
    const { platform, crm } = org;
    for (const LastName of names) platform.crm.addLead({ LastName, Company: 'Lee Ltd' });
    const query = crm.query('Lead', { fields: ['LastName'], orderBy: [{ field: 'LastName', direction: 'desc' }] });

    const { data, total } = await query;
    expect([data.map(({ LastName }) => LastName), total]).toEqual([['Eve', 'Di'], 5]);
    const all: unknown[] = [];
    for await (const { LastName } of query) all.push(LastName);

    expect(all).toEqual(names.toReversed());
    expect(sentTo(platform).map((line) => line.split('?')[0])).toEqual([
      'GET query',
      'GET query/01g000000000001AAA-2',
      'GET query/01g000000000001AAA-4',
    ]);
  });

  test('reads a page only when the loop gets to it', async () => {
    await using org = await connectSalesforce({ org: { pageSize: 2 } });
    for (const LastName of names) org.platform.crm.addLead({ LastName, Company: 'Lee Ltd' });

    for await (const { Id } of org.crm.query('Lead', {})) {
      expect(Id).toBeTruthy();
      break;
    }
    expect(org.platform.requests).toHaveLength(1);
  });

  test('names its conditions, its order and its limit', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    const owner = platform.crm.addRecord('User', { Name: 'Jo Lindt' });
    platform.crm.addLead({ LastName: 'Cy', Company: 'x', City: 'Turin', OwnerId: owner.Id, NumberOfEmployees: 7 });
    platform.crm.addLead({ LastName: 'Bo', Company: 'x', City: 'Lagos', OwnerId: owner.Id, NumberOfEmployees: 5 });
    platform.crm.addLead({ LastName: 'Ada', Company: 'x', City: 'Lagos', NumberOfEmployees: 50 });

    const { data } = await crm.query('Lead', {
      fields: ['LastName', 'Owner.Name'],
      where: and(
        or(where('City', 'in', ['Lagos', 'Turin']), where('Email', '=', null)),
        where('NumberOfEmployees', '<', 10),
        where('Owner.Name', 'starts with', 'Jo'),
        where('CreatedDate', '>', new Date(0)),
        where('Expected_Close__c', '=', null),
      ),
      orderBy: [{ field: 'LastName' }],
      limit: 1,
    });

    expect(data).toMatchObject([{ LastName: 'Bo', Owner: { Name: 'Jo Lindt' } }]);
    expect(queriesOf(platform)).toEqual([
      "SELECT Id, LastName, Owner.Name FROM Lead WHERE (City IN ('Lagos', 'Turin') OR Email = null) AND NumberOfEmployees < 10 AND Owner.Name LIKE 'Jo%' AND CreatedDate > 1970-01-01T00:00:00.000Z AND Expected_Close__c = null ORDER BY LastName ASC LIMIT 1",
    ]);
  });

  test('writes days and moments without quotes', async () => {
    await using org = await connectSalesforce();
    const { platform, crm } = org;
    platform.crm.addOpportunity({ Name: 'x', StageName: 'Open', CloseDate: '2027-01-31' });

    const since = where('CloseDate', '>=', '2027-01-01');
    expect((await crm.opportunities.search({ where: since })).total).toBe(1);
    expect(queriesOf(platform)[0]).toContain('WHERE CloseDate >= 2027-01-01 ORDER');
    await expect(crm.opportunities.search({ where: where('CloseDate', '=', "x' OR Name != '") })).rejects.toThrow(
      'crm.opportunities.search: value must be a date, YYYY-MM-DD',
    );
  });

  test('is refused without waiting when its API leads it in a circle', async () => {
    await using org = await connectSalesforce();
    const page = {
      done: false,
      totalSize: 9,
      records: [{ Id: '00Q000000000001' }],
      nextRecordsUrl: '/services/data/v60.0/query/01g-1',
    };
    org.platform.fault('crm.leads.search', [{ status: 200, body: page }]);
    org.platform.fault('crm.query.next', [{ status: 200, body: page }]);

    const read = async () => {
      for await (const lead of org.crm.query('Lead', {})) expect(lead.Id).toBe('00Q000000000001');
    };
    expect(await failureOf(read())).toBeInstanceOf(UnexpectedResponseError);
  });
});

describe('any other object', () => {
  test('has the same operations', async () => {
    await using org = await connectSalesforce({ preset: { externalIdField: 'Call_Id__c' } });
    const { platform, crm } = org;
    const assets = crm.records('Asset__c');
    platform.fault('crm.Asset__c.create', [{ executeThenDrop: true }]);

    const { id } = await assets.create({ Name: 'Oven', Serial__c: 'A-1' }, { idempotencyKey: 'CA1:asset' });
    await assets.update(id, { Serial__c: 'A-2' });
    expect(await assets.get(id)).toMatchObject({ Id: id, Name: 'Oven', Serial__c: 'A-2' });
    const { data } = await assets.search({ where: where('Serial__c', '=', 'A-2'), fields: ['Name'] });
    expect(data).toMatchObject([{ Id: id, Name: 'Oven' }]);
    await assets.delete(id);

    expect(platform.crm.records('Asset__c')).toEqual([]);
    expect(platform.requests.map(({ operation }) => operation)).toEqual([
      'crm.Asset__c.create',
      'crm.Asset__c.create',
      'crm.Asset__c.update',
      'crm.Asset__c.get',
      'crm.Asset__c.search',
      'crm.Asset__c.delete',
    ]);
  });

  test('is searched by a condition, never by none', async () => {
    await using org = await connectSalesforce();
    await expect(org.crm.records('Asset__c').search({})).rejects.toThrow('crm.Asset__c.search: where must be given');
    expect(org.platform.requests).toEqual([]);
  });
});
