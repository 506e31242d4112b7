import { describe, expect, test } from 'vitest';
import { identifyCaller } from '../../../src/phone-call/steps/identify-caller.ts';
import { createIntegration } from '../../../src/integration.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { callAttributes } from '../../../src/messaging/index.ts';
import { connectIntercom } from '../../support/connected-intercom.ts';
import { operationsOf } from '../../support/connected-platform.ts';

const phone = '+14155550100';

const connect = async () => {
  const connected = await connectIntercom({ customAttributes: callAttributes });
  const { platform, options } = connected;
  const integration = createIntegration({ messaging: options, timeZone: 'America/New_York' });
  return {
    ...connected,
    integration,
    tagId: platform.messaging.addTag({ name: 'billing' }).id,
    teamId: platform.messaging.addTeam({ name: 'Billing' }).id,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await connected[Symbol.asyncDispose]();
    },
  };
};

describe('a phone call on Intercom', () => {
  test('goes from an unknown caller to everything written once', async () => {
    await using connected = await connect();
    const { platform, integration, tagId, teamId } = connected;
    const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone });

    const { contact, created } = await phoneCall.identifyCaller();
    const context = await phoneCall.callerContext();
    const finished = await phoneCall.finish({
      outcome: 'resolved',
      summary: 'Asked about invoice 7.',
      transcript: 'Hello.',
      durationSeconds: 312,
      note: 'Call back on Monday.',
      tagIds: [tagId],
      teamId,
    });

    const [conversation] = platform.messaging.conversations;
    expect(created).toBe(true);
    expect(context.contact.id).toBe(contact.id);
    expect(finished).toEqual({
      complete: true,
      contactId: contact.id,
      conversationId: conversation?.id,
      steps: [
        { step: 'contact', status: 'done', id: contact.id },
        { step: 'conversation', status: 'done', id: conversation?.id },
        { step: 'note', status: 'done' },
        { step: `tag:${tagId}`, status: 'done' },
        { step: 'route', status: 'done' },
        { step: 'attributes', status: 'done', id: contact.id },
        { step: 'task', status: 'skipped', reason: 'needs_crm' },
      ],
    });
    expect(platform.messaging.contacts).toMatchObject([
      {
        role: 'lead',
        phone,
        custom_attributes: { call_outcome_category: 'resolved', last_call_date: Date.UTC(2026, 10, 21) / 1000 },
      },
    ]);
    expect(conversation).toMatchObject({ contact_id: contact.id, team_assignee_id: teamId, tag_ids: [tagId] });
    expect(conversation?.parts.map(({ type, body }) => ({ type, body }))).toEqual([
      { type: 'note', body: 'Call back on Monday.' },
      { type: 'assignment', body: null },
    ]);
    expect(platform.requests.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test('knows the caller’s tier, revenue and account manager', async () => {
    await using connected = await connect();
    const { platform, integration } = connected;
    platform.messaging.addCompany({
      id: 'acme',
      plan: 'Gold',
      monthly_spend: 490,
      custom_attributes: { account_manager: 'Grace', health_score: 8 },
    });
    platform.messaging.addContact({ id: 'ada', phone, company_ids: ['acme'] });
    const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone });
    await phoneCall.identifyCaller();
    expect(await phoneCall.callerContext()).toMatchObject({
      tier: 'Gold',
      recurringRevenue: 490,
      accountManager: { name: 'Grace' },
      healthSignals: { health_score: 8 },
    });
  });

  test('makes one contact of a person who rings twice before search knows them', async () => {
    await using connected = await connect();
    const { platform, integration } = connected;
    for (const callId of ['CA1', 'CA2']) {
      const phoneCall = integration.startPhoneCall({ callId, direction: 'Inbound', phone });
      await phoneCall.identifyCaller();
    }
    expect(platform.messaging.contacts).toHaveLength(1);
  });

  test('makes one contact of an address that two processes meet at the same time', async () => {
    await using connected = await connectIntercom();
    const { platform, client, another } = connected;
    const person = { phone, email: 'ada@example.com' };
    const identified = await Promise.all(
      [client, another()].map((messaging, index) => identifyCaller({ messaging }, { callId: `CA${index}`, ...person })),
    );
    expect(platform.messaging.contacts).toHaveLength(1);
    expect(identified.map(({ contact }) => contact.id)).toEqual([
      platform.messaging.contacts[0]?.id,
      platform.messaging.contacts[0]?.id,
    ]);
    expect(identified.map(({ matchedBy }) => matchedBy).toSorted()).toEqual(['conflict', 'nothing']);
  });

  test('asks once for phone and e-mail, where the interface document asks twice', async () => {
    await using connected = await connectIntercom();
    connected.platform.messaging.addContact({ id: 'ada', email: 'ada@example.com' });
    const input = { callId: 'CA1', phone, email: 'ada@example.com' };
    await identifyCaller({ messaging: connected.client }, input);
    expect(operationsOf(connected.platform)).toEqual(['messaging.contacts.search']);
  });

  test('leaves day and outcome out where the workspace has no such attributes', async () => {
    await using connected = await connectIntercom();
    const { platform, client } = connected;
    const phoneCall = startPhoneCall({ messaging: client }, { callId: 'CA1', direction: 'Inbound', phone });

    const finished = await phoneCall.finish({ outcome: 'resolved', summary: 'Asked.' });

    expect(finished.complete).toBe(true);
    expect(finished.steps).toContainEqual({ step: 'attributes', status: 'skipped', reason: 'not_asked' });
    expect(platform.messaging.contacts[0]?.custom_attributes).toEqual({});
  });

  test('leaves a note that may be written alone, and writes what is certain to be missing', async () => {
    await using connected = await connect();
    const { platform, integration } = connected;
    platform.messaging.addContact({ id: 'ada', phone });
    platform.fault('messaging.conversations.addNote', [{ executeThenDrop: true }]);
    platform.fault('messaging.contacts.update', [{ status: 422 }]);
    const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone });
    const said = { outcome: 'resolved', summary: 'Asked.', note: 'Call back.', durationSeconds: 9 };
    const first = await phoneCall.finish(said);
    const second = await phoneCall.finish(said);
    const stateOf = ({ steps }: typeof first) => steps.map(({ step, status }) => `${step} ${status}`).slice(0, 4);
    expect(stateOf(first)).toEqual(['contact done', 'conversation done', 'note failed', 'attributes failed']);
    expect(stateOf(second)).toEqual(['contact done', 'conversation done', 'note skipped', 'attributes done']);
    expect(platform.effects('messaging.conversations.addNote')).toBe(1);
    expect(platform.messaging.conversations).toHaveLength(1);
  });

  test('gives a model the same tools', async () => {
    await using connected = await connect();
    const { platform, integration, teamId } = connected;
    const phoneCall = integration.startPhoneCall({
      callId: 'CA1',
      direction: 'Inbound',
      phone,
      tools: { call: { teams: { billing: teamId } } },
    });
    const run = async (name: string, given: object) =>
      (await phoneCall.tools.run(name, given, { toolCallId: name })).status;

    expect([await run('identify_caller', {}), await run('get_caller_context', {})]).toEqual(['done', 'done']);
    await phoneCall.recordCall({ summary: 'Asks about an invoice.' });
    expect([
      await run('add_note', { text: 'Sounds tired.' }),
      await run('reply_to_customer', { text: 'We call you back.' }),
      await run('route_to_team', { team: 'billing' }),
    ]).toEqual(['done', 'done', 'done']);

    expect(platform.messaging.contacts).toMatchObject([{ role: 'lead', phone }]);
    expect(platform.messaging.conversations[0]?.parts.map(({ type }) => type)).toEqual([
      'note',
      'comment',
      'assignment',
    ]);
    expect(platform.requests.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test('does not write to the customer twice because a model tries again', async () => {
    await using connected = await connect();
    const { platform, integration } = connected;
    const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone });
    await phoneCall.identifyCaller();
    await phoneCall.recordCall({ summary: 'Asks about an invoice.' });
    platform.fault('messaging.conversations.reply', [{ executeThenDrop: true }]);
    const run = (toolCallId: string) =>
      phoneCall.tools.run('reply_to_customer', { text: 'We call you back.' }, { toolCallId });
    expect([(await run('t1')).status, (await run('t2')).status]).toEqual(['unknown', 'unknown']);
    expect(platform.effects('messaging.conversations.reply')).toBe(1);
  });
});
