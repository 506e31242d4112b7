import { describe, expect, test } from 'vitest';
import { and, not, or, where } from '../../src/crm/index.ts';
import { createFakePlatform } from '../../src/dev/testing/index.ts';
import { evaluateSoql } from '../../src/dev/testing/soql/evaluate.ts';
import { parseSoql, type SoqlCondition } from '../../src/dev/testing/soql/parse.ts';
import { queriesOf, salesforceInMemory } from '../support/connected-salesforce.ts';
import { hostileTexts } from '../support/hostile-texts.ts';

const org = () => {
  const platform = createFakePlatform({ crm: 'salesforce' });
  return { platform, crm: salesforceInMemory(platform) };
};

const lastWhere = (platform: ReturnType<typeof createFakePlatform>): SoqlCondition | undefined =>
  parseSoql(queriesOf(platform).at(-1) ?? '').where;

test('there are 33 of them', () => {
  expect(new Set(hostileTexts).size).toBe(33);
});

/** Names the text with which something is wrong. */
const eachText = async (check: (text: string) => Promise<void>): Promise<void> => {
  for (const text of hostileTexts)
    await check(text).catch((cause: unknown) => {
      throw new Error(`with ${JSON.stringify(text)}: ${String(cause)}`, { cause });
    });
};

describe('a hostile text is a text and nothing else', () => {
  test.each(['=', '!=', '<', '<=', '>', '>='] as const)('compared by %s', (operator) =>
    eachText(async (text) => {
      const { platform, crm } = org();
      await crm.query('Account', { where: where('Name', operator, text) });

      expect(lastWhere(platform)).toEqual({ kind: 'compare', field: 'Name', operator, value: text });
    }),
  );

  test.each(['in', 'not in', 'includes', 'excludes'] as const)('in a list, by %s', (operator) =>
    eachText(async (text) => {
      const { platform, crm } = org();
      await crm.query('Account', { where: where('Type', operator, ['one', text]) });

      const list = { kind: operator.includes('in') && !operator.includes('cludes') ? 'in' : 'includes' };
      const condition = { ...list, field: 'Type', values: ['one', text] };
      const isNegative = operator === 'not in' || operator === 'excludes';
      expect(lastWhere(platform)).toEqual(isNegative ? { kind: 'not', condition } : condition);
    }),
  );

  test.each([
    ['contains', (text: string) => [`before${text}after`, 'before after']],
    ['starts with', (text: string) => [`${text}after`, `x${text}after`]],
    ['ends with', (text: string) => [`before${text}`, `before${text}x`]],
  ] as const)('as a part, by %s', (operator, namesOf) =>
    eachText(async (text) => {
      const { platform, crm } = org();
      const [match, decoy] = namesOf(text);
      const { Id } = platform.crm.addAccount({ Name: match });
      platform.crm.addAccount({ Name: decoy });
      platform.crm.addAccount({ Name: 'Northwind' });

      const { data } = await crm.query('Account', { where: where('Name', operator, text) });

      expect(data.map((found) => found.Id)).toEqual([Id]);
      expect(lastWhere(platform)).toMatchObject({ kind: 'like', field: 'Name' });
    }),
  );

  test('among others, under and, or and not', () =>
    eachText(async (text) => {
      const { platform, crm } = org();
      const same = where('Name', '=', text);
      await crm.query('Account', { where: and(or(same, where('Type', '=', text)), not(same)) });

      const compared = (field: string) => ({ kind: 'compare', field, operator: '=', value: text });
      expect(lastWhere(platform)).toEqual({
        kind: 'and',
        conditions: [
          { kind: 'or', conditions: [compared('Name'), compared('Type')] },
          { kind: 'not', condition: compared('Name') },
        ],
      });
    }));

  test('in every search: it finds what has it, or is refused before it is sent', () =>
    eachText(async (text) => {
      const { platform, crm } = org();
      const ids = {
        account: platform.crm.addAccount({ Name: text, Type: text }).Id,
        supportCase: platform.crm.addCase({ Subject: 'x', CaseNumber: text }).Id,
        asset: platform.crm.addRecord('Asset__c', { Name: text }).Id,
      };
      for (const decoy of ['Northwind', `${text}x`]) {
        platform.crm.addAccount({ Name: decoy });
        platform.crm.addCase({ Subject: 'x', CaseNumber: decoy });
        platform.crm.addRecord('Asset__c', { Name: decoy });
        platform.crm.addLead({ LastName: decoy, Company: decoy, Email: 'ada@example.com' });
        platform.crm.addContact({ LastName: decoy, Email: 'ada@example.com' });
        platform.crm.addTask({ Subject: decoy });
        platform.crm.addEvent({
          Subject: decoy,
          StartDateTime: '2026-11-24T09:00:00Z',
          EndDateTime: '2026-11-24T10:00:00Z',
        });
      }
      const found = async (search: Promise<{ readonly data: readonly { readonly Id: string }[] }>) =>
        (await search).data.map(({ Id }) => Id);
      const isBlank = text.trim() === '';
      const refused = (search: Promise<unknown>) =>
        search.then(
          (list) => (list as { readonly data: readonly unknown[] }).data,
          (error: { readonly code: string; readonly codes?: readonly string[] }) => error.codes?.[0] ?? error.code,
        );

      const byName = isBlank ? [ids.account] : await found(crm.accounts.search({ name: text, limit: 9 }));
      const byNumber = isBlank ? [ids.supportCase] : await found(crm.cases.search({ caseNumber: text, limit: 9 }));
      expect([byName, byNumber]).toEqual([[ids.account], [ids.supportCase]]);
      expect(await found(crm.accounts.search({ where: where('Type', '=', text), limit: 9 }))).toEqual([ids.account]);
      expect(await found(crm.records('Asset__c').search({ where: where('Name', '=', text) }))).toEqual([ids.asset]);

      const nothing = ['invalid_argument', 'INVALID_QUERY_FILTER_OPERATOR'];
      expect(nothing).toContain(await refused(crm.leads.search({ email: text })));
      expect(nothing).toContain(await refused(crm.leads.search({ phone: text })));
      expect(nothing).toContain(await refused(crm.contacts.search({ email: text })));
      expect(nothing).toContain(await refused(crm.opportunities.search({ accountId: text })));
      expect(nothing).toContain(await refused(crm.cases.search({ contactId: text })));
      expect(nothing).toContain(await refused(crm.tasks.search({ whoId: text })));
      expect(nothing).toContain(await refused(crm.events.search({ ownerId: text })));
      expect(nothing).toContain(await refused(crm.events.search({ from: text })));
    }));

  test('as a name of a field, an object, an operator or a direction it is refused', () =>
    eachText(async (text) => {
      // `null` is a legal name.
      if (text === 'null') return;
      const { platform, crm } = org();
      const attempts = [
        () => crm.query('Lead', { where: where(text, '=', 'x') }),
        () => crm.query('Lead', { where: where(`Owner.${text}`, '=', 'x') }),
        () => crm.query('Lead', { fields: [text] }),
        () => crm.query('Lead', { orderBy: [{ field: text }] }),
        () => crm.query('Lead', { orderBy: [{ field: 'Name', direction: text as 'asc' }] }),
        async () => crm.query('Lead', { where: where('Name', text as '=', 'x') }),
        () => crm.query('Lead', { where: { field: 'Name', operator: text as '=', value: 'x' } }),
        () => crm.query('Lead', { where: { all: [], any: text } as never }),
        () => crm.query(text, {}),
        async () => crm.records(text),
      ];
      for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'invalid_argument' });
      expect(platform.requests).toEqual([]);
    }));
});

test('a part of a text is found with any case, and its signs stand for themselves', () => {
  const query = parseSoql("SELECT Id FROM Account WHERE Name LIKE '%50\\\\%%'");
  expect(evaluateSoql(query, [{ Name: 'at 50\\x' }, { Name: 'at 50%' }])).toEqual([{ Name: 'at 50\\x' }]);
});
