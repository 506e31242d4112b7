import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createCrmClient, where } from '../../src/crm/index.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { refusedArgument } from '../support/refused-argument.ts';
import { connectSalesforce } from '../support/connected-salesforce.ts';

const fields = {
  Lead: z
    .object({ Region__c: z.enum(['EMEA', 'APAC']), Score__c: z.number().int(), Status: z.enum(['Open', 'Closed']) })
    .partial(),
  Asset__c: z.object({ Serial__c: z.string() }).partial(),
};

const connect = async (onEvent?: (event: IntegrationEvent) => void) => {
  const org = await connectSalesforce();
  return {
    ...org,
    crm: createCrmClient({ ...org.clientOptions, ...(onEvent && { onEvent }), fields }),
    [Symbol.asyncDispose]: () => org.platform.close(),
  };
};

const lead = { LastName: 'Okafor', Company: 'Northwind' };

describe('the org’s own fields, once they are declared', () => {
  test('are written and read', async () => {
    await using org = await connect();
    const { crm } = org;

    const { id } = await crm.leads.create({ ...lead, Region__c: 'EMEA', Score__c: 7, Status: 'Open' });
    await crm.leads.update(id, { Region__c: null });
    const found = await crm.leads.get(id, { fields: ['Region__c', 'Score__c', 'Owner.Name'] });

    expect(found).toMatchObject({ Region__c: null, Score__c: 7, Owner: { Name: 'Integration User' } });
    expect((await crm.query('Lead', { where: where('Score__c', '>', 5), fields: ['Score__c'] })).total).toBe(1);
  });

  test.each([
    [{ Regoin__c: 'EMEA' }, 'Regoin__c', 'is not a field that was declared of this object'],
    [{ Region__c: 'Mars' }, 'Region__c', 'is not what the schema of this object says'],
    [{ Score__c: 7.5 }, 'Score__c', 'is not what the schema of this object says'],
    [{ Status: 'Working' }, 'Status', 'is not what the schema of this object says'],
    [{ Fax: null }, 'Fax', 'is not a field that was declared of this object'],
  ])('are checked before they are sent: %j', async (wrong, field, problem) => {
    await using org = await connect();
    const { crm } = org;

    // @ts-expect-error: TypeScript refuses these too
    expect(await refusedArgument(() => crm.leads.create({ ...lead, ...wrong }))).toEqual({ field, problem });
    // @ts-expect-error: TypeScript refuses these too
    expect(await refusedArgument(() => crm.leads.update('00Q000000000001', wrong))).toEqual({ field, problem });
    expect(org.platform.requests).toEqual([]);
  });

  test('are the only ones that a query may name', async () => {
    await using org = await connect();
    const { crm } = org;
    const problem = 'is not a field that was declared of this object';
    const name = 'Regoin__c' as 'Region__c';

    expect(await refusedArgument(() => crm.leads.get('00Q000000000001', { fields: [name] }))).toEqual({
      field: name,
      problem,
    });
    expect(await refusedArgument(() => crm.leads.search({ phone: '+14155550100', fields: [name] }))).toEqual({
      field: name,
      problem,
    });
    expect(await refusedArgument(() => crm.query('Lead', { where: where(name, '=', null) }))).toEqual({
      field: name,
      problem,
    });
    expect(await refusedArgument(() => crm.query('Lead', { orderBy: [{ field: name }] }))).toEqual({
      field: name,
      problem,
    });
    expect(org.platform.requests).toEqual([]);
  });

  test('are left out of a record, and reported, where the org gives something else', async () => {
    const events: IntegrationEvent[] = [];
    await using org = await connect((event) => events.push(event));
    const { Id } = org.platform.crm.addLead({ ...lead, Region__c: 'Mars', Score__c: 3, Other__c: 'kept' });

    const found = await org.crm.leads.get(Id);

    expect(found).toMatchObject({ Id, Score__c: 3, Other__c: 'kept' });
    expect(found).not.toHaveProperty('Region__c');
    expect(events).toContainEqual(expect.objectContaining({ type: 'schema-drift', fields: ['Region__c'] }));
  });

  test('can be those of an object of the org’s own', async () => {
    await using org = await connect();
    const assets = org.crm.records('Asset__c');

    const { id } = await assets.create({ Name: 'Oven', Serial__c: 'A-1' });
    expect((await assets.search({ where: where('Serial__c', '=', 'A-1') })).data.map(({ Id }) => Id)).toEqual([id]);
    // @ts-expect-error: not declared
    expect((await refusedArgument(() => assets.update(id, { Seriel__c: 'A-2' }))).field).toBe('Seriel__c');
  });

  test('leave other objects open', async () => {
    await using org = await connect();
    const { id } = await org.crm.contacts.create({ LastName: 'Okafor', Anything__c: 1 });

    expect(await org.crm.contacts.get(id)).toMatchObject({ Anything__c: 1 });
  });
});

test.each([
  [z.object({ Region__c: z.string() }), 'fields.Lead must accept a record without these fields: make each optional'],
  [
    {
      '~standard': {
        version: 1,
        vendor: 'x',
        validate: async (value: unknown) => ({ value: Object(value) as object }),
      },
    } as const,
    'fields.Lead must be a schema that validates synchronously',
  ],
])('a schema that cannot be used is refused', async (Lead, message) => {
  await using org = await connectSalesforce();
  expect(() => createCrmClient({ ...org.clientOptions, fields: { Lead } })).toThrow(message);
});
