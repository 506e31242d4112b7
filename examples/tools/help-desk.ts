/** A caller asks about a repair; the agent reads what is known, opens a ticket, makes an appointment and finds a person: `npm run example tools/help-desk`. */
import { createIntegration } from 'voice-agent-integrations';
import { bearer } from 'voice-agent-integrations/auth';
import { salesforce } from 'voice-agent-integrations/crm/salesforce';
import { intercom } from 'voice-agent-integrations/messaging/intercom';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';

const phone = '+14155550100';

// With systems of your own, leave this out, and `baseUrl` below.
await using platform = createFakePlatform({ messaging: 'intercom', crm: 'salesforce' });
const baseUrls = await platform.listen();
const contact = platform.messaging.addContact({ name: 'Ngozi Okafor', phone });
platform.messaging.addConversation({ contact_id: contact.id, body: 'My scanner went dark.' });
platform.messaging.addArticle({ title: 'A dark display', body: '<p>Hold the power key for ten seconds.</p>' });
const customer = platform.crm.addContact({ LastName: 'Okafor', Phone: phone });
platform.crm.addCase({ Subject: 'Scanner shows no light', Status: 'Part ordered', ContactId: customer.Id });
const repairs = platform.messaging.addTicketType({ name: 'Repair' });
const ada = platform.messaging.addAdmin({ name: 'Ada', away_mode_enabled: false });
const team = platform.messaging.addTeam({ name: 'Repairs', admin_ids: [ada.id] });

await using integration = createIntegration({
  messaging: {
    ...intercom(),
    baseUrl: baseUrls.messaging,
    authenticate: bearer(() => testCredentials.messaging),
    adminId: 'admin_1',
  },
  crm: { ...salesforce(), baseUrl: baseUrls.crm, authenticate: bearer(() => testCredentials.crm) },
});

const { tools } = integration.startPhoneCall({
  callId: 'CA123',
  direction: 'inbound',
  phone,
  tools: {
    call: {
      caseStatus: true,
      openCase: true,
      addToCase: 'crm',
      // The times that are free are read from this person's events in the CRM.
      calendar: { ownerId: '005000000000001', timeZone: 'America/New_York' },
      ticketTypeId: repairs.id,
      teams: { Repairs: team.id },
      transfer: {
        // Only your telephony can move a phone call.
        moveCall: ({ colleagues: [colleague], summary }) => {
          console.log(`Ringing ${colleague?.name}: ${summary}`);
          return true;
        },
        whenUnavailable: 'A colleague calls back the next working day.',
      },
    },
  },
});

const say = async (name: string, args: object) => console.log(`${name}: ${(await tools.run(name, args)).text}`);

await say('identify_caller', {});
await say('get_case_status', {});
await say('add_to_case', { text: 'The display is dark too.' });
await say('list_recent_conversations', {});
await say('search_help_center', { words: 'dark display' });
await say('list_free_slots', {});
await say('create_ticket', { title: 'Scanner: no light', description: 'The display is dark too.' });
await say('transfer_to_human', { summary: 'Wants to know when the part arrives.' });

const conversation = platform.messaging.conversations.at(-1);
console.log(`The conversation is with team ${conversation?.team_assignee_id}.`);
