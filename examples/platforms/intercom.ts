/** A phone call is recorded in Intercom, on a day when answers get lost: `npm run example platforms/intercom`. */
import { createIntegration } from 'voice-agent-integrations';
import { bearer } from 'voice-agent-integrations/auth';
import { callAttributes } from 'voice-agent-integrations/messaging';
import { intercom } from 'voice-agent-integrations/messaging/intercom';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';

// With an account of your own, leave this out, and `baseUrl` below.
const platform = createFakePlatform({ messaging: 'intercom' });
const { messaging: baseUrl } = await platform.listen();
const tag = platform.messaging.addTag({ name: 'billing' });
const team = platform.messaging.addTeam({ name: 'Billing' });

const integration = createIntegration({
  messaging: {
    ...intercom({ region: 'eu' }),
    baseUrl,
    authenticate: bearer(() => testCredentials.messaging),
    adminId: 'admin_1',
    customAttributes: callAttributes,
  },
  timeZone: 'Europe/Berlin',
});

const phone = '+4930901820';
for (const callId of ['CA1', 'CA2']) {
  const phoneCall = integration.startPhoneCall({ callId, direction: 'inbound', phone });
  const { contact, created } = await phoneCall.identifyCaller();
  console.log(`${callId}: ${created ? 'a new lead' : 'known, though no search knows it yet'}, ${contact.id}`);

  // The answer to the second call's note is lost after it was written.
  if (callId === 'CA2') platform.fault('messaging.conversations.addNote', [{ executeThenDrop: true }]);
  const { steps } = await phoneCall.finish({
    outcome: 'resolved',
    summary: 'Asked why invoice 7 is higher than the last one.',
    transcriptUrl: `https://calls.example/${callId}`,
    note: 'Wants a call on Monday.',
    tagIds: [tag.id],
    teamId: team.id,
    durationSeconds: 93,
  });
  for (const step of steps) {
    const why =
      step.status === 'failed' ? ` (${step.error.message})` : step.status === 'skipped' ? ` (${step.reason})` : '';
    console.log(`  ${step.step}: ${step.status}${why}`);
  }
}

const notes = platform.messaging.conversations.map(({ parts }) => parts.filter(({ type }) => type === 'note').length);
console.log(`Contacts: ${platform.messaging.contacts.length}. Notes per conversation: ${notes.join(', ')}.`);

await integration.close();
await platform.close();
