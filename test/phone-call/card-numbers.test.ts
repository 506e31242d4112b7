import { expect, test } from 'vitest';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { connectPlatform } from '../support/connected-platform.ts';

const phone = '+14155550100';

test.each([
  '4111, 1111, 1111, 1111',
  '4111\u200b1111\u200b1111\u200b1111',
  '٤١١١ ١١١١ ١١١١ ١١١١',
  'four one one one, one one one one, one one one one, one one one one',
])('nothing that is written down holds the card %j', async (card) => {
  await using connected = await connectPlatform();
  const { platform, clients } = connected;
  platform.messaging.addContact({ name: 'Jane', phone });
  const phoneCall = startPhoneCall(clients, { callId: 'CA1', direction: 'Inbound', phone });
  const words = `The card is ${card}.`;

  await phoneCall.identifyCaller();
  await phoneCall.qualifyLead({ lead: { LastName: 'Doe', Company: 'Acme', Use_Case__c: words }, summary: words });
  await phoneCall.recordCall({ summary: words, transcript: words, note: words });
  const { complete } = await phoneCall.finish({ summary: words, transcript: words, outcome: 'resolved' });

  expect(complete).toBe(true);
  const bodies = platform.requests.map(({ body }) => JSON.stringify(body ?? null));
  expect(bodies.filter((body) => body.includes('The card is *')).length).toBeGreaterThan(2);
  expect(bodies.filter((body) => body.includes(JSON.stringify(card).slice(1, -1)))).toEqual([]);
});
