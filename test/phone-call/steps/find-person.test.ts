import { expect, test } from 'vitest';
import { findPerson } from '../../../src/phone-call/steps/find-person.ts';
import { connectSalesforce } from '../../support/connected-salesforce.ts';

test.each<[written: string, kind: string | undefined]>([
  ['+43 1 12345678', undefined],
  ['+43 1 123 0 45678', undefined],
  ['(030) 1234-5678', 'contact'],
])('of the numbers that end like +493012345678, %s is that of: %s', async (MobilePhone, kind) => {
  await using org = await connectSalesforce({ preset: { phoneSearch: 'digits' } });
  org.platform.crm.addContact({ LastName: 'Weber', MobilePhone });

  const person = await findPerson(org.crm, { phone: '+493012345678', closedStatuses: [] }, {});

  expect(person?.kind).toBe(kind);
});
