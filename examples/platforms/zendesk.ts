/** A phone call that ends in Zendesk: a ticket with internal notes, a group and a tag. `npm run example platforms/zendesk`. */
import { createIntegration } from 'voice-agent-integrations';
import { zendesk } from 'voice-agent-integrations/messaging/zendesk';
import { createFakePlatform, testConnectedApp } from 'voice-agent-integrations/testing';

// With an account of your own, leave this out, and `baseUrl` below.
await using platform = createFakePlatform({ messaging: 'zendesk' });
const account = platform.zendesk;
account.addUser({ name: 'Ada Park', phone: '(415) 555-0100' });
const repairs = account.addGroup({ name: 'Repairs' });
const { messaging: url } = await platform.listen();

await using integration = createIntegration({
  messaging: {
    ...zendesk({
      subdomain: 'acme',
      baseUrl: `${url}/api/v2`,
      clientId: () => testConnectedApp.clientId,
      clientSecret: () => testConnectedApp.clientSecret ?? '',
    }),
    adminId: String(account.ownAgentId),
  },
});

const call = integration.startPhoneCall({ callId: 'CA123', direction: 'inbound', phone: '+14155550100' });
const { contact } = await call.identifyCaller();
console.log(`Calling: ${contact.name}`);
const { complete } = await call.finish({
  outcome: 'escalated',
  summary: 'The oven is cold.',
  transcript: 'Caller: My oven is cold.',
  note: 'Call back today.',
  tagIds: ['oven'],
  teamId: String(repairs.id),
});
console.log(`Written down: ${complete}`);

for (const { group_id, tags, comments } of account.tickets) {
  console.log(`Ticket for ${group_id === repairs.id ? repairs.name : 'no group'}, tagged ${tags.join(', ')}`);
  for (const { public: isPublic, body } of comments)
    console.log(`${isPublic ? 'public' : 'internal'}: ${body.split('\n')[0]}`);
}
