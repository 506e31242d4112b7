import { describe, expect, it } from 'vitest';
import { recordCall, type RecordCallInput, type RecordedBefore } from '../../../src/phone-call/steps/record-call.ts';
import { routeConversation } from '../../../src/phone-call/steps/route-conversation.ts';
import { ClientError } from '../../../src/core/errors.ts';
import { connectPlatform, keysOf, lastBodyOf } from '../../support/connected-platform.ts';

const connectWithContact = async () => {
  const connected = await connectPlatform();
  const { messaging } = connected.platform;
  const contact = messaging.addContact({ phone: '+14155550100' });
  const input: RecordCallInput & RecordedBefore = {
    callId: 'CA1',
    contactId: contact.id,
    summary: 'Asked about invoice 7.',
    transcript: 'My card is 4242 4242 4242 4242.',
    transcriptUrl: 'https://calls.example/CA1',
    note: 'Paid with 4242424242424242, please check.',
    tagIds: [messaging.addTag({ name: 'billing' }).id],
    attributes: { outcomeCategory: 'resolved', escalated: false, satisfaction: 'content', lastCallDate: '2026-03-01' },
    teamId: messaging.addTeam({ name: 'Billing' }).id,
  };
  return { ...connected, input, contact, [Symbol.asyncDispose]: connected[Symbol.asyncDispose] };
};

const writes = [
  'messaging.conversations.create',
  'messaging.conversations.addNote',
  'messaging.conversations.tags.attach',
  'messaging.conversations.assignToTeam',
  'messaging.contacts.update',
] as const;

describe('recordCall', () => {
  it('leaves a conversation, an internal note, tags, attributes and a team, without card numbers', async () => {
    await using connected = await connectWithContact();
    const { platform, clients, input, contact } = connected;

    const recorded = await recordCall(clients, input);

    const [conversation] = platform.messaging.conversations;
    expect(recorded).toEqual({
      complete: true,
      conversationId: conversation?.id,
      steps: [
        { step: 'conversation', status: 'done', id: conversation?.id },
        { step: 'note', status: 'done' },
        { step: `tag:${input.tagIds?.[0]}`, status: 'done' },
        { step: 'route', status: 'done' },
        { step: 'attributes', status: 'done', id: contact.id },
      ],
    });
    expect(conversation).toMatchObject({
      contact_id: contact.id,
      body: 'Transcript: https://calls.example/CA1\n\nAsked about invoice 7.\n\nMy card is **** **** **** 4242.',
      tag_ids: input.tagIds,
      team_assignee_id: input.teamId,
    });
    expect(conversation?.parts.map(({ type, body }) => ({ type, body }))).toEqual([
      { type: 'note', body: 'Paid with ************4242, please check.' },
      { type: 'assignment', body: null },
    ]);
    expect(platform.messaging.contacts[0]?.custom_attributes).toEqual({
      call_outcome_category: 'resolved',
      escalation_flag: false,
      satisfaction_signal: 'content',
      last_call_date: '2026-03-01',
    });
  });

  it('does everything once however often it is repeated, with the same keys', async () => {
    await using connected = await connectWithContact();
    const { platform, clients, input } = connected;

    const first = await recordCall(clients, input);
    const second = await recordCall(clients, input);

    expect(second).toEqual(first);
    for (const operation of writes) {
      const [one, two] = keysOf(platform, operation);
      expect(two).toBe(one);
      expect(one).toMatch(/^CA1:/);
      expect(platform.effects(operation)).toBe(1);
    }
    expect(keysOf(platform, 'messaging.conversations.create')[0]).toBe('CA1:conversation');
    expect(keysOf(platform, 'messaging.conversations.addNote')[0]).toMatch(/^CA1:note:[0-9a-f]{32}$/);
  });

  it('does the other parts although one fails, and says which', async () => {
    await using connected = await connectWithContact();
    const { platform, clients, input } = connected;
    platform.fault('messaging.conversations.addNote', [{ status: 422 }]);

    const recorded = await recordCall(clients, input);

    expect(recorded.complete).toBe(false);
    expect(recorded.steps.map(({ step, status }) => `${step} ${status}`)).toEqual([
      'conversation done',
      'note failed',
      `tag:${input.tagIds?.[0]} done`,
      'route done',
      'attributes done',
    ]);
    const failed = recorded.steps[1];
    expect(failed?.status === 'failed' && failed.error instanceof ClientError).toBe(true);
  });

  it('sends only what is missing when it gets what is done', async () => {
    await using connected = await connectWithContact();
    const { platform, clients, input } = connected;
    platform.fault('messaging.conversations.addNote', [{ status: 422 }]);
    const first = await recordCall(clients, input);
    const before = platform.requests.length;

    const second = await recordCall(clients, { ...input, done: first.steps.filter((step) => step.status === 'done') });

    expect(second.complete).toBe(true);
    expect(second.conversationId).toBe(first.conversationId);
    expect(platform.requests.slice(before).map(({ operation }) => operation)).toEqual([
      'messaging.conversations.addNote',
    ]);
  });

  it('says what could not be tried without a conversation, and still marks the contact', async () => {
    await using connected = await connectWithContact();
    const { platform, clients, input } = connected;
    platform.fault('messaging.conversations.create', [{ status: 500, times: 3 }]);

    const { steps } = await recordCall(clients, input);

    expect(steps).toEqual([
      { step: 'conversation', status: 'failed', error: expect.objectContaining({ code: 'max_retries_exceeded' }) },
      { step: 'note', status: 'skipped', reason: 'needs_conversation' },
      { step: `tag:${input.tagIds?.[0]}`, status: 'skipped', reason: 'needs_conversation' },
      { step: 'route', status: 'skipped', reason: 'needs_conversation' },
      { step: 'attributes', status: 'done', id: input.contactId },
    ]);
  });

  it('sends nothing without a contact, and says so', async () => {
    await using connected = await connectWithContact();
    const { platform, clients, input } = connected;

    const { complete, steps } = await recordCall(clients, { ...input, contactId: undefined });

    expect(complete).toBe(false);
    expect(steps.map((step) => (step.status === 'skipped' ? step.reason : step.status))).toEqual([
      'needs_contact',
      'needs_conversation',
      'needs_conversation',
      'needs_conversation',
      'needs_contact',
    ]);
    expect(platform.requests).toEqual([]);
  });

  it('puts the words into the note when the conversation was there before', async () => {
    await using connected = await connectWithContact();
    const { platform, clients, contact } = connected;
    const { id: conversationId } = platform.messaging.addConversation({ contact_id: contact.id });

    const recorded = await recordCall(clients, {
      callId: 'CA1',
      conversationId,
      note: 'Call back.',
      summary: 'Angry.',
    });

    expect(recorded).toEqual({
      complete: true,
      conversationId,
      steps: [
        { step: 'conversation', status: 'done', id: conversationId },
        { step: 'note', status: 'done' },
        { step: 'attributes', status: 'skipped', reason: 'not_asked' },
      ],
    });
    expect(lastBodyOf(platform, 'messaging.conversations.addNote')).toMatchObject({
      message_type: 'note',
      body: 'Call back.\n\nAngry.',
    });
    expect(platform.effects('messaging.conversations.create')).toBe(0);
  });

  it('adds a note to the conversation that an earlier try has made', async () => {
    await using connected = await connectWithContact();
    const { platform, clients, input } = connected;
    const first = await recordCall(clients, { ...input, note: undefined });
    const done = first.steps.filter((step) => step.status === 'done');

    const second = await recordCall(clients, { callId: 'CA1', note: 'Call back.', done });

    expect(second.steps.slice(0, 2).map(({ status }) => status)).toEqual(['done', 'done']);
    expect(platform.messaging.conversations).toMatchObject([
      { id: second.conversationId, parts: [{ type: 'assignment' }, { type: 'note', body: 'Call back.' }] },
    ]);
  });

  it('does not try again what may be done', async () => {
    await using connected = await connectWithContact();
    const { platform, clients, input } = connected;

    const { complete, steps } = await recordCall(clients, { ...input, mayBeDone: ['note'] });

    expect(complete).toBe(false);
    expect(steps[1]).toEqual({ step: 'note', status: 'skipped', reason: 'may_be_done' });
    expect(platform.effects('messaging.conversations.addNote')).toBe(0);
  });
});

describe('routeConversation', () => {
  it('hands the conversation to a team, once', async () => {
    await using connected = await connectWithContact();
    const { platform, clients, contact, input } = connected;
    const { id: conversationId } = platform.messaging.addConversation({ contact_id: contact.id });
    const route = { callId: 'CA1', conversationId, teamId: input.teamId ?? '' };

    await routeConversation(clients, route);
    await routeConversation(clients, route);

    expect(platform.messaging.conversations[0]?.team_assignee_id).toBe(input.teamId);
    expect(platform.effects('messaging.conversations.assignToTeam')).toBe(1);
    expect(keysOf(platform, 'messaging.conversations.assignToTeam')[0]).toBe(`CA1:route:${input.teamId}`);
  });
});
