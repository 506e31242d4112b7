/** Reads, writes and asks for any record of an org, its own fields included: `npm run example platforms/salesforce-records`. */
import { bearer } from 'voice-agent-integrations/auth';
import { and, createCrmClient, idOf, or, where } from 'voice-agent-integrations/crm';
import { isDuplicate, salesforce } from 'voice-agent-integrations/crm/salesforce';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';
import * as z from 'zod';

// With an org of your own, `baseUrl` is its address.
await using platform = createFakePlatform({ crm: { dialect: 'salesforce', duplicateRule: 'alert', pageSize: 2 } });
const { crm: baseUrl } = await platform.listen();

await using crm = createCrmClient({
  ...salesforce(),
  baseUrl,
  authenticate: bearer(() => testCredentials.crm),
  fields: {
    Lead: z.object({ Call_Id__c: z.string(), Region__c: z.enum(['EMEA', 'APAC']), Score__c: z.number() }).partial(),
    Asset__c: z.object({ Serial__c: z.string(), Contact__c: z.string() }).partial(),
  },
});

const { contact, oven } = await crm.composite({
  account: { create: 'Account', fields: { Name: "Rosie's \\ Sons" } },
  contact: {
    create: 'Contact',
    fields: { LastName: 'Okafor', Email: 'ngozi@example.com', AccountId: idOf('account') },
  },
  oven: { create: 'Asset__c', fields: { Name: 'Oven', Serial__c: 'A-17', Contact__c: idOf('contact') } },
});
const caller = await crm.contacts.get(contact.id, { fields: ['Name', 'Account.Name', 'Owner.Name'] });
console.log(`${caller?.Name} of ${caller?.Account?.Name}; ${caller?.Owner?.Name} looks after them`);

await crm.records('Asset__c').update(oven.id, { Serial__c: 'A-18' });
const { data: assets } = await crm.records('Asset__c').search({
  where: where('Contact__c', '=', contact.id),
  fields: ['Name', 'Serial__c'],
});
for (const { Name, Serial__c } of assets) console.log(`asset: ${Name}, ${Serial__c}`);

const times = { StartDateTime: '2026-11-24T14:00:00-05:00', EndDateTime: '2026-11-24T15:00:00-05:00' };
await crm.events.create({ Subject: 'Repair the oven', WhoId: contact.id, ...times });
const { data: taken } = await crm.events.search({ from: '2026-11-24T12:00:00-05:00', to: '2026-11-24T17:00:00-05:00' });
for (const { Subject, StartDateTime } of taken) console.log(`appointment: ${Subject}, ${StartDateTime}`);

const lead = { LastName: 'Okafor', Company: "Rosie's", Email: 'ngozi@example.com' };
try {
  await crm.leads.create(lead);
} catch (error) {
  if (!isDuplicate(error)) throw error;
  console.log('known already; created anyway');
  await crm.leads.create({ ...lead, Region__c: 'EMEA', Score__c: 80 }, { duplicateRule: { allowSave: true } });
}
for (const LastName of ['Ada', 'Bo', 'Cy'])
  await crm.leads.upsert({ field: 'Call_Id__c', value: LastName }, { LastName, Company: 'Lee Ltd', Score__c: 75 });

const hot = crm.query('Lead', {
  fields: ['Name', 'Score__c'],
  where: and(where('Score__c', '>', 70), or(where('Region__c', '=', 'EMEA'), where('Company', 'starts with', 'Lee'))),
  orderBy: [{ field: 'Score__c', direction: 'desc' }],
});
for await (const { Name, Score__c } of hot) console.log(`lead: ${Name}, ${Score__c}`);
console.log('requests:', platform.requests.length);
