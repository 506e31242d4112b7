import { describe, expect, test } from 'vitest';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { connectIntercom } from '../../support/connected-intercom.ts';
import { connectZendesk } from '../../support/connected-zendesk.ts';

const phone = '+14155550100';
const hour = 3_600;
const day = Date.UTC(2026, 10, 20) / 1000;

interface StartOptions {
  readonly timeZone?: string;
  /** The caller hides the number. */
  readonly isAnonymous?: boolean;
}

/** A caller with four conversations, and a stranger with one, on Intercom. */
const start = async ({ isAnonymous = false, timeZone }: StartOptions = {}) => {
  const intercom = await connectIntercom();
  const { messaging } = intercom.platform;
  const contact = messaging.addContact({ name: 'Jane', phone });
  const stranger = messaging.addContact({ name: 'Victoria', phone: '+14155550199', email: 'victoria@example.com' });
  messaging.addConversation({ contact_id: stranger.id, body: 'SECRET' });
  for (const [index, body] of ['The oldest', 'Old', '<p>Where is my <b>invoice</b>?</p>', 'The scanner'].entries()) {
    const at = day + index * hour;
    const part = { assigned_to: null, created_at: at + 60 };
    messaging.addConversation({
      contact_id: contact.id,
      body,
      state: index === 3 ? 'open' : 'closed',
      created_at: at,
      updated_at: at,
      parts:
        index === 2
          ? [
              { ...part, id: 'p1', type: 'note', body: 'SECRET: ask Legal', author: { type: 'admin', id: 'admin_1' } },
              {
                ...part,
                id: 'p2',
                type: 'comment',
                body: 'It is on its way.',
                author: { type: 'admin', id: 'admin_1' },
              },
              { ...part, id: 'p3', type: 'note', body: 'SECRET: it is not', author: { type: 'admin', id: 'admin_1' } },
            ]
          : [],
    });
  }
  const phoneCall = startPhoneCall(
    { messaging: intercom.client },
    { callId: 'CA1', direction: 'Inbound', timeZone, ...(isAnonymous ? {} : { phone }) },
  );
  const run = (name: string, args: object = {}) => phoneCall.tools.run(name, args);
  return { ...intercom, messaging, contact, phoneCall, run };
};

describe('list_recent_conversations', () => {
  test('gives the times where the business is', async () => {
    await using started = await start({ timeZone: 'America/Los_Angeles' });
    await started.run('identify_caller');

    expect((await started.run('list_recent_conversations')).text).toContain('[2026-11-19 19:00] Customer: The scanner');
  });

  test('gives how the last ones began and ended, as plain text and without notes', async () => {
    await using started = await start();
    await started.run('identify_caller');

    const { value, text } = await started.run('list_recent_conversations');

    expect(value).toEqual({
      conversations: [
        { state: 'open', first: '[2026-11-20 03:00] Customer: The scanner' },
        {
          state: 'closed',
          first: '[2026-11-20 02:00] Customer: Where is my invoice?',
          last: '[2026-11-20 02:01] Agent: It is on its way.',
        },
        { state: 'closed', first: '[2026-11-20 01:00] Customer: Old' },
      ],
    });
    expect(text).not.toContain('SECRET');
  });

  test('gives the last ones of several pages, of which the platform lists the oldest first', async () => {
    await using started = await start();
    for (let index = 0; index < 120; index += 1) {
      const at = day + (24 + index) * hour;
      started.messaging.addConversation({
        contact_id: started.contact.id,
        body: `No. ${index}`,
        created_at: at,
        updated_at: at,
      });
    }
    await started.run('identify_caller');

    expect((await started.run('list_recent_conversations')).value).toMatchObject({
      conversations: [119, 118, 117].map((number) => ({ first: expect.stringMatching(`No. ${number}$`) })),
    });
  });

  test('gives those of Zendesk that changed last, however old they are', async () => {
    await using connected = await connectZendesk();
    const { account, messaging } = connected;
    const user = account.addUser({ name: 'Jane', phone });
    const made = Array.from({ length: 120 }, (_, index) =>
      account.addTicket({ requester_id: user.id, subject: 'Call' }, { body: `No. ${index}` }),
    );
    const phoneCall = startPhoneCall({ messaging }, { callId: 'CA3', direction: 'Inbound', phone });
    await phoneCall.tools.run('identify_caller', {});
    for (const [index, { id }] of made.entries())
      account.changeTicket(id, {
        updated_at: new Date((day + (index === 0 ? 200 : index) * hour) * 1000).toISOString(),
      });

    expect((await phoneCall.tools.run('list_recent_conversations', {})).value).toMatchObject({
      conversations: [0, 119, 118].map((number) => ({ first: expect.stringMatching(`No. ${number}$`) })),
    });
  });

  test('leaves out the one of this phone call', async () => {
    await using started = await start();
    await started.run('identify_caller');
    await started.run('add_note', { text: 'Rang again.' });

    expect((await started.run('list_recent_conversations')).text).not.toContain('phone call');
  });

  test('asks for the caller first, and says so when there are none', async () => {
    await using started = await start();
    const newcomer = startPhoneCall(
      { messaging: started.client },
      { callId: 'CA2', direction: 'Inbound', phone: '+14155550155' },
    );

    expect((await started.run('list_recent_conversations')).value).toMatchObject({ reason: 'identify_caller_first' });
    await newcomer.tools.run('identify_caller', {});
    expect((await newcomer.tools.run('list_recent_conversations', {})).value).toEqual({
      conversations: [],
      message: 'There are none before this call.',
    });
  });

  test('gives nothing of a stranger whose address the caller says', async () => {
    await using started = await start({ isAnonymous: true });
    await started.run('identify_caller', { email: 'victoria@example.com' });

    expect((await started.run('list_recent_conversations')).value).toEqual({
      error: 'not_allowed',
      reason: 'verification_required',
      message: expect.stringContaining('offer a colleague'),
    });
  });
});
