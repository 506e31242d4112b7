/** A phone call that ends in HubSpot: a lead, a Task and a ticket, and a batch of contacts. `npm run example platforms/hubspot`. */
import { createIntegration } from 'voice-agent-integrations';
import { hubspot } from 'voice-agent-integrations/crm/hubspot';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';

// With an account of your own, leave out `baseUrl` and read the key that you made under Development → Keys.
await using platform = createFakePlatform({ crm: 'hubspot' });
const { crm: baseUrl } = await platform.listen();

await using integration = createIntegration({
  crm: hubspot({ key: () => testCredentials.crm, baseUrl }),
});

const call = integration.startPhoneCall({ callId: 'CA123', direction: 'inbound', phone: '+14155550100' });
// HubSpot has no property for the number of employees: it goes into the description.
const lead = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', NumberOfEmployees: 50 };
const { outcome } = await call.qualifyLead({ lead, summary: 'Wants an oven.' });
await call.logCall({ outcome: 'resolved', durationSeconds: 90 });
await call.openCase({ subject: 'Send a brochure' });
console.log(outcome);

// Many in one request, each done or refused by itself.
const imported = await integration.crm.batch.create('Contact', [
  { LastName: 'Okafor', Email: 'ngozi@example.com' },
  { LastName: 'Lovelace', Email: 'ada@example.com' }, // is there already
]);
for (const item of imported) console.log(item.status === 'failed' ? item.problems[0]?.code : item.status);

for (const type of ['contacts', 'tasks', 'tickets'])
  for (const { properties } of platform.hubspot.records(type))
    console.log(type, properties.email ?? properties.hs_task_subject ?? properties.subject);
