/** A phone call is recorded in Salesforce, on a day when things go wrong there: `npm run example platforms/salesforce`. */
import { createIntegration } from 'voice-agent-integrations';
import { oauthClientCredentials } from 'voice-agent-integrations/auth';
import { platformEventDestination, salesforce } from 'voice-agent-integrations/crm/salesforce';
import { createOutbox, defineEvent } from 'voice-agent-integrations/outbox';
import { createMemoryMessageQueue } from 'voice-agent-integrations/stores/memory';
import { createFakePlatform, salesforceFaults, testConnectedApp } from 'voice-agent-integrations/testing';
import * as z from 'zod';

// With an org of your own, leave this out: `instanceUrl(authenticate)` gives its address.
await using platform = createFakePlatform({ crm: 'salesforce' });
const { crm: baseUrl } = await platform.listen();
platform.crm.addContact({ LastName: 'Meier', HomePhone: '(415) 555-0111' });

const authenticate = oauthClientCredentials({
  tokenEndpoint: `${baseUrl}/services/oauth2/token`,
  clientId: () => testConnectedApp.clientId,
  clientSecret: () => testConnectedApp.clientSecret ?? '',
});

await using integration = createIntegration({
  crm: { ...salesforce({ externalIdField: 'Call_Id__c', retryLockedRows: true }), baseUrl, authenticate },
  timeZone: 'America/New_York',
  onEvent: (event) => {
    if (event.type === 'attempt' && event.error)
      console.log(`  ${event.operation}: ${event.error.codes?.[0] ?? event.error.reason ?? event.error.code}`);
  },
});

// A flow of the org waits for this platform event. The outbox keeps it until Salesforce has it.
let delivered: () => void = () => {};
const isDelivered = new Promise<void>((resolve) => {
  delivered = resolve;
});
await using outbox = createOutbox({
  queue: createMemoryMessageQueue(),
  destinations: [
    platformEventDestination({
      name: 'salesforce',
      instanceUrl: baseUrl,
      authenticate,
      event: 'Voice_Call__e',
      fields: ({ id, payload }) => ({ Delivery_Id__c: id, Payload__c: JSON.stringify(payload) }),
    }),
  ],
  allowNetworks: ['127.0.0.0/8'],
  onEvent: (event) => {
    if (event.type === 'delivery' && event.outcome === 'delivered') delivered();
  },
});
const callEnded = defineEvent('call.ended', { 1: z.object({ callId: z.string(), outcome: z.string() }) });

const record = async (callId: string, phone: string, lead: { LastName: string; Company: string }) => {
  const phoneCall = integration.startPhoneCall({ callId, direction: 'inbound', phone });
  const { outcome } = await phoneCall.qualifyLead({ lead: { ...lead, Email: `${callId}@example.com` } });
  await phoneCall.finish({ outcome: 'demo wanted', summary: 'Wants a demo on Monday.', durationSeconds: 312 });
  console.log(`${callId}: ${outcome}`);
};

console.log('a prospect with a name that is no query; the answer is lost, the row is locked, the session ends');
platform.fault('crm.leads.create', [{ executeThenDrop: true }, salesforceFaults.expiredSession]);
platform.fault('crm.tasks.create', [salesforceFaults.lockedRow]);
await record('ca1', '+14155550100', { LastName: "O'Kafor", Company: "Rosie's \\ Sons" });

console.log('the same person again, and a customer whose number is written otherwise');
await record('ca2', '+14155550100', { LastName: "O'Kafor", Company: "Rosie's \\ Sons" });
await record('ca3', '+14155550111', { LastName: 'Meier', Company: 'Northwind' });

await outbox.publish({
  event: callEnded,
  payload: { callId: 'ca1', outcome: 'demo wanted' },
  idempotencyKey: 'ca1:ended',
});
await isDelivered;

for (const { LastName, Company, Call_Id__c } of platform.crm.leads)
  console.log(`lead: ${String(LastName)}, ${String(Company)} (${String(Call_Id__c)})`);
for (const { Subject, WhoId, Call_Id__c } of platform.crm.tasks)
  console.log(`task: ${String(Subject)}, on ${String(WhoId)} (${String(Call_Id__c)})`);
for (const { event, fields } of platform.salesforce.platformEvents) console.log(`event: ${event}`, fields);
console.log('requests of the org’s day:', integration.crm.status().usage);
