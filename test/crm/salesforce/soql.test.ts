import { expect, test } from 'vitest';
import { isEmail } from '../../../src/core/arguments.ts';
import { createFakePlatform } from '../../../src/dev/testing/index.ts';
import { parseSoql, type SoqlCondition } from '../../../src/dev/testing/soql/parse.ts';
import { queriesOf, salesforceInMemory } from '../../support/connected-salesforce.ts';
import { phoneForms } from '../../../src/phone/forms.ts';
import fc from '../../support/fast-check.ts';

const nasty = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.string({
      unit: fc.constantFrom(
        "'",
        '\\',
        '"',
        '%',
        '_',
        '\n',
        '\r',
        '\t',
        '\0',
        '\u2028',
        ')',
        ' OR ',
        " = '",
        'n',
        'é',
        '😀',
      ),
      minLength: 1,
      maxLength: 12,
    }),
  )
  .filter((value) => value.trim() !== '' && value.isWellFormed());

const email = fc
  .tuple(
    fc.string({ unit: fc.constantFrom("'", '_', '+', '-', 'a', 'o', '.'), minLength: 1, maxLength: 12 }),
    fc.constant('@example.com'),
  )
  .map((parts) => parts.join(''))
  .filter(isEmail);

/** What is asked, without the values. */
const structure = (condition: SoqlCondition | undefined): unknown => {
  switch (condition?.kind) {
    case 'and':
    case 'or':
      return { [condition.kind]: condition.conditions.map(structure) };
    case 'compare':
      return `${condition.field} ${condition.operator}`;
    case 'in':
      return `${condition.field} IN ${condition.values.length}`;
    default:
      return condition?.kind;
  }
};

const lastQuery = (platform: ReturnType<typeof createFakePlatform>) => parseSoql(queriesOf(platform).at(-1) ?? '');

test('no name of a company changes a query: the account with it is found, and no other', async () => {
  await fc.assert(
    fc.asyncProperty(nasty, nasty, async (name, other) => {
      fc.pre(name.toLowerCase() !== other.toLowerCase());
      const platform = createFakePlatform({ crm: 'salesforce' });
      platform.crm.addAccount({ Name: other });
      const { Id } = platform.crm.addAccount({ Name: name });
      platform.crm.addAccount({ Name: `${name}x` });

      const { data } = await salesforceInMemory(platform).accounts.search({ name, limit: 10 });

      expect(data.map((account) => account.Id)).toEqual([Id]);
      const { from, limit, where, orderBy } = lastQuery(platform);
      expect([from, limit, structure(where), orderBy.length]).toEqual(['Account', 10, 'Name =', 1]);
    }),
  );
});

test('no number of a case changes a query', async () => {
  await fc.assert(
    fc.asyncProperty(nasty, async (caseNumber) => {
      const platform = createFakePlatform({ crm: 'salesforce' });
      platform.crm.addCase({ Subject: 'Other' });
      const { Id } = platform.crm.addCase({ Subject: 'This', CaseNumber: caseNumber });

      const { data } = await salesforceInMemory(platform).cases.search({ caseNumber, isClosed: false, limit: 10 });

      expect(data.map((found) => found.Id)).toEqual([Id]);
      expect(structure(lastQuery(platform).where)).toEqual({ and: ['CaseNumber =', 'IsClosed ='] });
    }),
  );
});

test('no id changes a query: what is none is refused, and finds nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(nasty, async (accountId) => {
      fc.pre(accountId !== '.' && accountId !== '..' && !/^[A-Za-z0-9]{15,18}$/.test(accountId));
      const platform = createFakePlatform({ crm: 'salesforce' });
      platform.crm.addOpportunity({ Name: 'Other', StageName: 'Prospecting', CloseDate: '2027-01-01' });

      const error = await salesforceInMemory(platform)
        .opportunities.search({ accountId })
        .catch((thrown: unknown) => thrown);

      expect(error).toMatchObject({ codes: ['INVALID_QUERY_FILTER_OPERATOR'] });
      expect(structure(lastQuery(platform).where)).toBe('AccountId =');
    }),
  );
});

test('no e-mail changes a query of leads or contacts, by itself or with a phone', async () => {
  await fc.assert(
    fc.asyncProperty(email, email, async (address, other) => {
      fc.pre(address !== other);
      const platform = createFakePlatform({ crm: 'salesforce' });
      const crm = salesforceInMemory(platform);
      platform.crm.addLead({ LastName: 'Other', Company: 'x', Email: other });
      platform.crm.addContact({ LastName: 'Other', Email: other });
      const lead = platform.crm.addLead({ LastName: 'This', Company: 'x', Email: address });
      const contact = platform.crm.addContact({ LastName: 'This', Email: address });

      const leads = await crm.leads.search({ email: address, isConverted: false, limit: 10 });
      expect(leads.data.map(({ Id }) => Id)).toEqual([lead.Id]);
      const contacts = await crm.contacts.search({ email: address, phone: '+14155550100', limit: 10 });
      expect(contacts.data.map(({ Id }) => Id)).toEqual([contact.Id]);
      const phones = ['Phone', 'MobilePhone', 'HomePhone', 'OtherPhone'].map(
        (field) => `${field} IN ${phoneForms('+14155550100').length}`,
      );
      expect(structure(lastQuery(platform).where)).toEqual({ or: ['Email =', ...phones] });
    }),
  );
});

test('no phone changes a query: what is not E.164 is not sent, in any way of looking for it', async () => {
  await fc.assert(
    fc.asyncProperty(nasty, fc.constantFrom('formats', 'digits', 'index'), async (phone, phoneSearch) => {
      const platform = createFakePlatform({ crm: 'salesforce' });
      const crm = salesforceInMemory(platform, { preset: { phoneSearch } });

      await expect(crm.leads.search({ phone })).rejects.toMatchObject({ code: 'invalid_argument', field: 'phone' });
      expect(platform.requests).toEqual([]);
    }),
  );
});

test('no idempotency key changes the path of an upsert: the record has it, whatever it says', async () => {
  const key = fc
    .string({
      unit: fc.constantFrom("'", '\\', '/', '?', '#', '%', '.', ':', 'a', ' ', 'é'),
      minLength: 1,
      maxLength: 20,
    })
    .filter((text) => text === text.trim() && text !== '.' && text !== '..');
  await fc.assert(
    fc.asyncProperty(key, async (idempotencyKey) => {
      const platform = createFakePlatform({ crm: 'salesforce' });
      const crm = salesforceInMemory(platform, { preset: { externalIdField: 'Call_Id__c' } });

      await crm.leads.create({ LastName: 'Okafor', Company: 'x' }, { idempotencyKey });
      await crm.leads.create({ LastName: 'Okafor', Company: 'x' }, { idempotencyKey });

      expect(platform.crm.leads.map((lead) => lead['Call_Id__c'])).toEqual([idempotencyKey]);
    }),
  );
});

test('nothing that a caller said is taken for a part of another request', async () => {
  const said = fc.string({
    unit: fc.constantFrom('@', '{', '}', 'lead.id', 'task.id', '"', '\\', "'", ' '),
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(said, said, async (name, description) => {
      const platform = createFakePlatform({ crm: 'salesforce' });
      const crm = salesforceInMemory(platform, { preset: { externalIdField: 'Call_Id__c', composite: true } });

      await crm.leads.createWithTask!({
        lead: { LastName: `x${name}`, Company: 'x' },
        task: { Description: description },
        keys: { lead: 'CA1:lead', task: 'CA1:task' },
      });

      expect(platform.crm.leads.map(({ LastName }) => LastName)).toEqual([`x${name.replaceAll('@{', '@ {')}`]);
      expect(platform.crm.tasks.map(({ Description }) => Description)).toEqual([description.replaceAll('@{', '@ {')]);
      expect(platform.crm.tasks[0]?.['WhoId']).toBe(platform.crm.leads[0]?.Id);
    }),
  );
});
