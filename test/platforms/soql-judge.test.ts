import { parseQuery } from '@jetstreamapp/soql-parser-js';
import { expect, test } from 'vitest';
import { and, not, or, where } from '../../src/crm/index.ts';
import { connectSalesforce, queriesOf } from '../support/connected-salesforce.ts';
import { hostileTexts } from '../support/hostile-texts.ts';

/** What every search and operator sends for one text, as a SOQL parser that isn't ours understands it. */
const shapesFor = async (text: string): Promise<readonly string[]> => {
  await using org = await connectSalesforce();
  const { crm, platform } = org;
  const same = where('Name', '=', text);
  const byName = (['=', '!=', '<', '<=', '>', '>=', 'contains', 'starts with', 'ends with'] as const).map((operator) =>
    where('Name', operator, text),
  );
  const byType = (['in', 'not in', 'includes', 'excludes'] as const).map((operator) =>
    where('Type', operator, ['one', text]),
  );
  for (const condition of [...byName, ...byType, and(or(same, where('Type', '=', text)), not(same))])
    await crm.query('Account', { where: condition });
  for (const condition of byName) await crm.records('Asset__c').search({ where: condition });
  return queriesOf(platform).map((query) => JSON.stringify(parseQuery(query), withoutTexts));
};

/** Each text literal as an empty one. */
const withoutTexts = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && /^'.*'$/s.test(value) ? "''" : value;

/** What the searches by a name or number send. Those by an e-mail, a phone or an id refuse most texts. */
const searchesFor = async (text: string): Promise<readonly string[]> => {
  const sent: string[] = [];
  for (const phoneSearch of ['formats', 'digits', 'index'] as const) {
    await using org = await connectSalesforce({ preset: { phoneSearch } });
    const { crm, platform } = org;
    const searches = [
      () => crm.accounts.search({ name: text }),
      () => crm.accounts.search({ phone: text }),
      () => crm.leads.search({ phone: text }),
      () => crm.leads.search({ email: text }),
      () => crm.leads.search({ phone: '+14155550100', where: where('Name', '=', text) }),
      () => crm.contacts.search({ phone: text }),
      () => crm.contacts.search({ email: text }),
      () => crm.contacts.search({ phone: '+14155550100', where: where('Name', '=', text) }),
      () => crm.opportunities.search({ accountId: text }),
      () => crm.cases.search({ caseNumber: text }),
      () => crm.cases.search({ contactId: text }),
      () => crm.cases.search({ accountId: text }),
      () => crm.tasks.search({ whoId: text }),
      () => crm.tasks.search({ whatId: text }),
      () => crm.tasks.search({ ownerId: text }),
      () => crm.events.search({ ownerId: text }),
      () => crm.events.search({ whoId: text }),
      () => crm.events.search({ whatId: text }),
      () => crm.events.search({ ownerId: '005000000000001', from: text }),
      () => crm.events.search({ ownerId: '005000000000001', to: text }),
    ];
    // A search that refuses the text sends nothing.
    for (const search of searches) await search().catch(() => undefined);
    sent.push(...queriesOf(platform).map((query) => JSON.stringify(parseQuery(query), withoutTexts)));
  }
  return sent;
};

test.each(hostileTexts)('%j changes nothing of a query but one text', async (text) => {
  const harmless = await shapesFor('Northwind');

  expect(harmless).toHaveLength(23);
  expect(await shapesFor(text)).toEqual(harmless);
});

test.each(hostileTexts)('%j changes nothing of a search but one text', async (text) => {
  const harmless = await searchesFor('Northwind');
  const sent = await searchesFor(text);

  expect(harmless.length).toBeGreaterThan(1);
  expect(harmless).toEqual(expect.arrayContaining([...sent]));
});
