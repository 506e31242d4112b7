import { describe, expect, test } from 'vitest';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import type { CallToolsOptions } from '../../src/tools/index.ts';
import { type ConnectedIntercom, connectIntercom } from '../support/connected-intercom.ts';

const phone = '+14155550100';

interface StartOptions {
  readonly tools?: Partial<CallToolsOptions>;
  /** The caller hides the number. */
  readonly isAnonymous?: boolean;
}

/** A phone call of a known contact, on Intercom. */
const start = async ({ tools = {}, isAnonymous = false }: StartOptions = {}) => {
  const intercom = await connectIntercom();
  return { ...intercom, ...setUp(intercom, { tools, isAnonymous }) };
};

const setUp = ({ platform, client }: ConnectedIntercom, { tools, isAnonymous }: Required<StartOptions>) => {
  const { messaging } = platform;
  const contact = messaging.addContact({ name: 'Jane', phone, email: 'jane@example.com' });
  const stranger = messaging.addContact({ name: 'Victoria', phone: '+14155550199', email: 'victoria@example.com' });
  const type = messaging.addTicketType({ name: 'Request' });
  const phoneCall = startPhoneCall(
    { messaging: client },
    {
      callId: 'CA1',
      direction: 'Inbound',
      ...(isAnonymous ? {} : { phone }),
      tools: { call: { ticketTypeId: type.id, ...tools } },
    },
  );
  const run = (name: string, args: object) => phoneCall.tools.run(name, args);
  return { messaging, contact, stranger, type, phoneCall, run };
};

describe('search_help_center', () => {
  test('gives the titles of the best articles, and what they say about the question', async () => {
    await using started = await start();
    const filler = 'It is easy to do. '.repeat(30);
    started.messaging.addArticle({
      title: 'Your password',
      body: `<p>${filler}</p><p>To reset your password, choose <b>Forgot it</b> on the sign-in page.</p><p>${filler}</p>`,
    });
    started.messaging.addArticle({ title: 'Draft about a password to reset', state: 'draft' });

    const { value, text } = await started.run('search_help_center', { words: 'reset password' });

    expect(value).toEqual({
      articles: [
        {
          title: 'Your password',
          text: expect.stringMatching(/^To reset your password, choose Forgot it on the sign-in page\. .{80,160} …$/),
        },
      ],
    });
    expect(text.length).toBeLessThan(600);
  });

  test('says how many more there are, and when there are none', async () => {
    await using started = await start();
    for (const title of ['One', 'Two', 'Three', 'Four', 'Five'])
      started.messaging.addArticle({ title, body: 'Scanner.' });

    expect((await started.run('search_help_center', { words: 'scanner' })).value).toEqual({
      articles: ['One', 'Two', 'Three'].map((title) => ({ title, text: 'Scanner.' })),
      more: 2,
    });
    expect((await started.run('search_help_center', { words: 'printer' })).value).toEqual({
      articles: [],
      message: 'No article says anything about it: try other words.',
    });
  });

  test('needs no caller', async () => {
    await using started = await start({ isAnonymous: true });
    started.messaging.addArticle({ title: 'Scanner', body: 'Press the button.' });

    expect((await started.run('search_help_center', { words: 'scanner' })).status).toBe('done');
  });
});

describe('create_ticket', () => {
  const stuck = { title: 'The door is stuck', description: 'Since Monday, at the back.' };

  test("opens a ticket for the caller, linked to the phone call's conversation", async () => {
    await using started = await start();
    await started.run('identify_caller', {});
    const { conversationId } = await started.phoneCall.ensureConversation();

    expect((await started.run('create_ticket', stuck)).value).toEqual({ created: true, ticket_number: '1' });
    expect(started.messaging.tickets).toMatchObject([
      {
        ticket_type_id: started.type.id,
        contact_id: started.contact.id,
        conversation_id: conversationId,
        attributes: { _default_title_: stuck.title, _default_description_: stuck.description },
      },
    ]);
  });

  test('opens it once, however often it is asked for, and when its answer is lost', async () => {
    await using started = await start();
    await started.run('identify_caller', {});
    started.platform.fault('messaging.tickets.create', [{ executeThenDrop: true }]);

    const ends = [await started.run('create_ticket', stuck), await started.run('create_ticket', stuck)];

    const made = { created: true, ticket_number: '1' };
    expect(ends.map(({ value }) => value)).toEqual([made, made]);
    expect(started.messaging.tickets).toHaveLength(1);
  });

  test('finds the one whose answer is lost behind more than a page of older ones', async () => {
    await using started = await start();
    const { contact, type, messaging } = started;
    for (let index = 0; index < 120; index += 1)
      messaging.addTicket({ contact_id: contact.id, ticket_type_id: type.id });
    await started.run('identify_caller', {});
    started.platform.fault('messaging.tickets.create', [{ executeThenDrop: true }]);

    expect((await started.run('create_ticket', stuck)).value).toEqual({ created: true, ticket_number: '121' });
    expect(messaging.tickets).toHaveLength(121);
  });

  test('takes no other ticket with the same title for the one whose answer is lost', async () => {
    await using started = await start();
    await started.run('identify_caller', {});
    await started.run('create_ticket', stuck);
    started.platform.fault('messaging.tickets.create', [{ reset: 'before-headers' }]);

    expect(await started.run('create_ticket', { ...stuck, description: 'Now at the front too.' })).toMatchObject({
      status: 'unknown',
    });
  });

  test('says that it is not known whether there is one when it cannot be found', async () => {
    await using started = await start();
    await started.run('identify_caller', {});
    started.platform.fault('messaging.tickets.create', [{ reset: 'before-headers' }]);

    expect(await started.run('create_ticket', stuck)).toMatchObject({ status: 'unknown' });
    expect(started.messaging.tickets).toEqual([]);
  });

  test('asks for the caller first', async () => {
    await using started = await start();

    expect((await started.run('create_ticket', stuck)).value).toMatchObject({ reason: 'identify_caller_first' });
    expect(started.messaging.tickets).toEqual([]);
  });

  test("opens none in a stranger's name, whose address the caller says", async () => {
    await using started = await start({ isAnonymous: true });
    await started.run('identify_caller', { email: 'victoria@example.com' });

    expect((await started.run('create_ticket', stuck)).value).toMatchObject({ reason: 'verification_required' });
    expect(started.messaging.tickets).toEqual([]);
  });
});
