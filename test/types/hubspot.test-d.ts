import { expectTypeOf, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createCrmClient, type CrmOptions } from '../../src/crm/index.ts';
import { hubspot, type HubSpotPreset } from '../../src/crm/hubspot/index.ts';
import { createFakePlatform } from '../../src/dev/testing/index.ts';

const authenticate = bearer(() => 'token');

test('the preset fills in everything but the credential', () => {
  expectTypeOf(hubspot()).toEqualTypeOf<HubSpotPreset>();
  expectTypeOf({ ...hubspot(), authenticate }).toExtend<CrmOptions>();
  createCrmClient({ ...hubspot({ properties: { Lead: { LeadSource: null } } }), authenticate });
  // @ts-expect-error The preset has no credential.
  createCrmClient(hubspot());
  // @ts-expect-error There is no such object.
  hubspot({ properties: { Shoe: {} } });
});

test('a batch says of each record whether it was done', async () => {
  const crm = createCrmClient({ ...hubspot(), authenticate });

  const [read] = await crm.batch.get('Contact', ['7'], { fields: ['LastName'] });
  if (read?.status === 'done') expectTypeOf(read.record.LastName).toEqualTypeOf<string | null | undefined>();
  if (read?.status === 'failed') expectTypeOf(read.problems[0]?.code).toEqualTypeOf<string | undefined>();
  const [made] = await crm.batch.create('Contact', [{ LastName: 'Lee' }]);
  if (made?.status === 'done') expectTypeOf(made.record).toEqualTypeOf<{ readonly id: string | undefined }>();
  // @ts-expect-error What a batch did isn't known before its status was looked at.
  void made.record;
  // @ts-expect-error A change names the record.
  await crm.batch.update('Contact', [{ fields: { LastName: 'Lee' } }]);
});

test('the fake account is there by its name, and takes options', () => {
  createFakePlatform({ crm: 'hubspot' });
  createFakePlatform({ crm: { dialect: 'hubspot', searchDelayMs: 0 } });
  // @ts-expect-error An option of Salesforce.
  createFakePlatform({ crm: { dialect: 'hubspot', pageSize: 2 } });
});
