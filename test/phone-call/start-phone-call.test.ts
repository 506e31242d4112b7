import { describe, expect, it } from 'vitest';
import { finishCall } from '../../src/phone-call/steps/finish-call.ts';
import type { PaymentResult } from '../../src/phone-call/steps/take-payment.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { AbortedError, InvalidArgumentError } from '../../src/core/errors.ts';
import { createMessagingClient } from '../../src/messaging/index.ts';
import { type PhoneCallOptions, startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import type { CallEvent } from '../../src/observability/events.ts';
import { connectPlatform, keysOf, operationsOf } from '../support/connected-platform.ts';

const phone = '+14155550100';
const options: PhoneCallOptions = {
  callId: 'CA1',
  direction: 'Inbound',
  phone,
  startedAt: '2026-03-01T04:30:00Z',
  timeZone: 'America/New_York',
};
const said = { outcome: 'resolved', summary: 'Asked.', transcript: 'Hello.', durationSeconds: 311.6 };

const writes = [
  'messaging.contacts.create',
  'messaging.contacts.update',
  'messaging.conversations.create',
  'messaging.conversations.addNote',
  'messaging.conversations.tags.attach',
  'messaging.conversations.assignToTeam',
  'crm.leads.create',
  'crm.tasks.create',
] as const;

describe('a phone call', () => {
  it('fills in what a step is given as undefined', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const phoneCall = startPhoneCall(clients, options);
    await phoneCall.identifyCaller();

    await phoneCall.qualifyLead({ lead: { LastName: 'Lee', Company: 'Lee Ltd', Phone: undefined } });
    await phoneCall.openCase({ subject: 'Broken', phone: undefined });
    const recorded = await phoneCall.recordCall({ summary: 'Asked.', contactId: undefined });

    expect(platform.crm.leads).toMatchObject([{ Phone: phone }]);
    expect(platform.crm.cases).toMatchObject([{ SuppliedPhone: phone }]);
    expect(recorded.complete).toBe(true);
    expect(platform.messaging.conversations).toHaveLength(1);
  });

  it('makes a lead without a phone where the number is withheld as an empty text', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const phoneCall = startPhoneCall(clients, { ...options, phone: '', email: 'ann@example.com' });

    await phoneCall.qualifyLead({ lead: { LastName: 'Lee', Company: 'Lee Ltd' } });

    expect(platform.crm.leads).toMatchObject([{ LastName: 'Lee', Email: 'ann@example.com' }]);
    expect(platform.crm.leads[0]?.Phone ?? undefined).toBeUndefined();
  });

  it('goes from an unknown caller to everything written once', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const tagIds = [platform.messaging.addTag({ name: 'sales' }).id];
    const teamId = platform.messaging.addTeam({ name: 'Sales' }).id;
    const phoneCall = startPhoneCall(clients, options);

    const { contact, created } = await phoneCall.identifyCaller({ email: 'ann@example.com' });
    const { leadId } = (await phoneCall.qualifyLead({ lead: { LastName: 'Lee', Company: 'Lee Ltd' } })) as {
      leadId: string;
    };
    const finished = await phoneCall.finish({ ...said, note: 'Call back.', tagIds, teamId });

    const [conversation] = platform.messaging.conversations;
    const [task] = platform.crm.tasks;
    expect(created).toBe(true);
    expect(phoneCall.caller).toEqual({
      phone,
      email: 'ann@example.com',
      contactId: contact.id,
      verified: 'caller-id',
    });
    expect(finished).toEqual({
      complete: true,
      steps: [
        { step: 'contact', status: 'done', id: contact.id },
        { step: 'conversation', status: 'done', id: conversation?.id },
        { step: 'note', status: 'done' },
        { step: `tag:${tagIds[0]}`, status: 'done' },
        { step: 'route', status: 'done' },
        { step: 'attributes', status: 'done', id: contact.id },
        { step: 'task', status: 'done', id: task?.Id },
      ],
      contactId: contact.id,
      conversationId: conversation?.id,
      taskId: task?.Id,
    });
    expect(platform.crm.leads).toMatchObject([{ Id: leadId, Phone: phone, Email: 'ann@example.com' }]);
    expect(task).toMatchObject({
      WhoId: leadId,
      ActivityDate: '2026-02-28',
      CallType: 'Inbound',
      CallDurationInSeconds: 312,
      Subject: 'Inbound call: resolved',
    });
    expect(platform.messaging.contacts[0]?.custom_attributes).toEqual({
      last_call_date: '2026-02-28',
      call_outcome_category: 'resolved',
    });
    for (const operation of writes) expect([operation, platform.effects(operation)]).toEqual([operation, 1]);
  });

  it('sends nothing when it is finished again', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const phoneCall = startPhoneCall(clients, options);
    const [first, atTheSameTime] = await Promise.all([phoneCall.finish(said), phoneCall.finish(said)]);
    const before = platform.requests.length;

    const second = await phoneCall.finish();

    expect(atTheSameTime).toBe(first);
    expect(second).toEqual(first);
    expect(platform.requests.length).toBe(before);
  });

  it('adds another note when it is finished again with one', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const phoneCall = startPhoneCall(clients, options);

    await phoneCall.finish({ ...said, note: 'Call back.' });
    const again = await phoneCall.finish({ note: 'No, write.' });

    expect(again.complete).toBe(true);
    expect(platform.messaging.conversations[0]?.parts.map(({ body }) => body)).toEqual(['Call back.', 'No, write.']);
    await phoneCall.finish({ note: 'No, write.' });
    expect(platform.effects('messaging.conversations.addNote')).toBe(2);
  });

  it('loses nothing that is said while it is being finished', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const phoneCall = startPhoneCall(clients, options);

    const [first, same, more] = await Promise.all([
      phoneCall.finish(said),
      phoneCall.finish(said),
      phoneCall.finish({ note: 'Call back.', transcriptUrl: 'https://calls.example/CA1' }),
    ]);

    expect(same).toBe(first);
    expect(more.complete).toBe(true);
    expect(platform.messaging.conversations[0]?.parts.map(({ body }) => body)).toEqual(['Call back.']);
    expect(platform.crm.tasks).toMatchObject([
      { Description: 'Transcript: https://calls.example/CA1\n\nAsked.\n\nHello.' },
    ]);
    expect(keysOf(platform, 'crm.tasks.create')).toEqual(['CA1:task']);
  });

  it('is recorded once when two processes finish it at the same time', async () => {
    await using connected = await connectPlatform();
    const { platform, clientOptions } = connected;
    const finishElsewhere = () => {
      const clients = {
        messaging: createMessagingClient(clientOptions.messaging),
        crm: createCrmClient(clientOptions.crm),
      };
      return startPhoneCall(clients, options).finish({ ...said, note: 'Call back.' });
    };

    const [one, other] = await Promise.all([finishElsewhere(), finishElsewhere()]);

    expect(one).toEqual(other);
    expect(one.complete).toBe(true);
    for (const operation of [
      'messaging.contacts.create',
      'messaging.conversations.create',
      'crm.tasks.create',
    ] as const)
      expect(platform.effects(operation)).toBe(1);
    expect(platform.messaging.conversations[0]?.parts).toHaveLength(1);
  });

  it('makes no second Task of what another process has logged with other words', async () => {
    await using connected = await connectPlatform();
    const { platform, clientOptions, clients } = connected;
    await startPhoneCall(clients, options).logCall({ summary: 'Asked.' });
    const phoneCall = startPhoneCall({ crm: createCrmClient(clientOptions.crm) }, options);

    const first = await phoneCall.finish(said);
    const second = await phoneCall.finish({ outcome: 'escalated' });

    expect([first.complete, second.complete]).toEqual([false, false]);
    expect(platform.crm.tasks).toMatchObject([{ Description: 'Asked.' }]);
  });

  it('tries only what failed when it is finished again, with the same keys', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const phoneCall = startPhoneCall(clients, options);
    platform.fault('messaging.conversations.create', [{ executeThenDrop: true, times: 3 }]);
    platform.fault('crm.tasks.create', [{ status: 503, times: 3 }]);
    const first = await phoneCall.finish({ ...said, note: 'Call back.' });
    const before = platform.requests.length;

    const second = await phoneCall.finish();

    expect(first.steps.map(({ step, status }) => `${step} ${status}`)).toEqual([
      'contact done',
      'conversation failed',
      'note skipped',
      'attributes done',
      'relate done',
      'task failed',
    ]);
    expect(second.complete).toBe(true);
    expect(operationsOf(platform).slice(before)).toHaveLength(3);
    expect(new Set(operationsOf(platform).slice(before))).toEqual(
      new Set(['crm.tasks.create', 'messaging.conversations.create', 'messaging.conversations.addNote']),
    );
    expect(new Set(keysOf(platform, 'messaging.conversations.create'))).toEqual(new Set(['CA1:conversation']));
    expect(platform.messaging.conversations).toHaveLength(1);
    expect(platform.crm.tasks).toHaveLength(1);
  });

  it('makes no second conversation when it is finished again with other words', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.fault('messaging.conversations.create', [{ executeThenDrop: true, times: 3 }]);
    const phoneCall = startPhoneCall(clients, options);
    expect((await phoneCall.finish({ summary: 'Asked.' })).complete).toBe(false);

    const { complete } = await phoneCall.finish({ transcript: 'Hello.' });

    expect(complete).toBe(true);
    expect(platform.messaging.conversations).toMatchObject([{ body: 'Asked.' }]);
    expect(platform.crm.tasks).toMatchObject([{ Description: 'Asked.\n\nHello.' }]);
  });

  it('leaves what is needed to finish it in another process', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.fault('messaging.conversations.create', [{ executeThenDrop: true, times: 3 }]);
    platform.fault('crm.tasks.create', [{ executeThenDrop: true, times: 3 }]);
    const { unfinished, complete } = await startPhoneCall(clients, options).finish({ ...said, note: 'Call back.' });
    expect(complete).toBe(false);

    const kept = JSON.parse(JSON.stringify(unfinished));
    const elsewhere = {
      messaging: createMessagingClient(connected.clientOptions.messaging),
      crm: createCrmClient(connected.clientOptions.crm),
    };
    const before = platform.requests.length;
    const finished = await finishCall(elsewhere, kept);

    expect(finished.complete).toBe(true);
    expect(finished.unfinished).toBeUndefined();
    expect(new Set(operationsOf(platform).slice(before))).toEqual(
      new Set(['messaging.conversations.create', 'messaging.conversations.addNote', 'crm.tasks.create']),
    );
    expect(platform.crm.tasks).toMatchObject([{ ActivityDate: '2026-02-28', CallDurationInSeconds: 312 }]);
    expect(platform.messaging.conversations).toMatchObject([{ body: 'Asked.\n\nHello.' }]);
    expect(platform.effects('messaging.contacts.create')).toBe(1);
  });

  it('leaves alone what may be done at a platform that knows no keys', async () => {
    await using connected = await connectPlatform({ messaging: { idempotency: 'none' } });
    const { platform, clientOptions, clients } = connected;
    const messaging = createMessagingClient({ ...clientOptions.messaging, idempotency: 'none' });
    const phoneCall = startPhoneCall({ ...clients, messaging }, options);
    platform.fault('messaging.conversations.create', [{ executeThenDrop: true }]);

    const first = await phoneCall.finish(said);
    const second = await phoneCall.finish();

    expect([first.complete, second.complete]).toEqual([false, false]);
    expect(second.steps[1]).toEqual({ step: 'conversation', status: 'skipped', reason: 'may_be_done' });
    expect(first.unfinished).toBeUndefined();
    expect(platform.messaging.conversations).toHaveLength(1);
  });

  it('writes one Task from wherever it is asked', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: contactId } = platform.crm.addContact({ LastName: 'Lee', Phone: phone });
    const phoneCall = startPhoneCall(clients, options);

    await Promise.all([
      phoneCall.qualifyLead({ lead: { LastName: 'Lee' }, summary: 'Asked.' }),
      phoneCall.logCall({ summary: 'Asked.' }),
      phoneCall.logCall({ outcome: 'callback' }),
    ]);
    await phoneCall.finish(said);

    expect(platform.crm.tasks).toMatchObject([
      {
        WhoId: contactId,
        Subject: 'Inbound call: resolved',
        Description: 'Asked.\n\nHello.',
        CallDurationInSeconds: 312,
      },
    ]);
    expect(keysOf(platform, 'crm.tasks.create')).toEqual(['CA1:task']);
  });

  it('does not record again what was recorded', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const phoneCall = startPhoneCall(clients, options);
    const teamId = platform.messaging.addTeam({ name: 'Sales' }).id;
    await phoneCall.identifyCaller();
    const { conversationId } = await phoneCall.recordCall({ summary: 'Asked.', note: 'Call back.' });
    await phoneCall.routeConversation({ teamId });

    const finished = await phoneCall.finish({ ...said, note: 'Call back.', teamId });

    expect(finished).toMatchObject({ complete: true, conversationId });
    expect(platform.messaging.conversations).toMatchObject([{ id: conversationId, team_assignee_id: teamId }]);
    expect(platform.messaging.conversations[0]?.parts.map(({ type }) => type)).toEqual(['note', 'assignment']);
    expect(platform.effects('messaging.conversations.create')).toBe(1);
  });

  it('hands its conversation back to a team that had it before', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    for (const id of ['sales', 'support']) platform.messaging.addTeam({ id });
    const phoneCall = startPhoneCall(clients, options);
    await phoneCall.identifyCaller();
    await phoneCall.recordCall({ summary: 'Asked.', teamId: 'sales' });
    const team = () => platform.messaging.conversations[0]?.team_assignee_id;

    await phoneCall.routeConversation({ teamId: 'support' });
    await phoneCall.routeConversation({ teamId: 'sales' });
    await phoneCall.routeConversation({ teamId: 'sales' });
    expect(team()).toBe('sales');
    await phoneCall.finish({ ...said, teamId: 'support' });
    expect(team()).toBe('support');
    await phoneCall.finish();
    expect(platform.effects('messaging.conversations.assignToTeam')).toBe(4);
    await phoneCall.routeConversation({ teamId: 'sales' });
    await phoneCall.finish();
    expect(team()).toBe('sales');
  });

  it('writes nothing said to one of several contacts, and says so', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.messaging.addContact({ phone });
    const second = platform.messaging.addContact({ phone });
    const phoneCall = startPhoneCall(clients, options);
    expect(await phoneCall.identifyCaller()).toMatchObject({ ambiguous: true, count: 2 });
    expect(phoneCall.caller).toEqual({ phone, verified: 'caller-id' });

    const finished = await phoneCall.finish(said);

    expect(finished.complete).toBe(true);
    expect(finished.unfinished).toBeUndefined();
    expect(finished.steps.slice(0, 2)).toEqual([
      { step: 'contact', status: 'skipped', reason: 'ambiguous_contact' },
      { step: 'conversation', status: 'skipped', reason: 'needs_contact' },
    ]);
    expect(platform.messaging.conversations).toEqual([]);
    expect((await phoneCall.finish({ contactId: second.id })).complete).toBe(true);
    expect(platform.messaging.conversations).toMatchObject([{ contact_id: second.id }]);
    expect(platform.crm.tasks).toHaveLength(1);
  });

  it('does not trust the number for a contact that a spoken e-mail found', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { id } = platform.messaging.addContact({ phone: '+14155550199', email: 'bo@example.com' });
    const phoneCall = startPhoneCall(clients, options);

    await phoneCall.identifyCaller({ email: 'bo@example.com' });
    expect(phoneCall.caller).toEqual({ phone, email: 'bo@example.com', contactId: id, verified: 'no' });

    platform.messaging.addContact({ phone: '+1 (415) 555-0100', email: 'bo2@example.com' });
    const sameNumber = startPhoneCall(clients, options);
    platform.fault('messaging.contacts.search', [{ status: 200, body: { data: [] } }]);
    await sameNumber.identifyCaller({ email: 'bo2@example.com' });
    expect(sameNumber.caller.verified).toBe('caller-id');

    phoneCall.verifyCaller('strong');
    expect(phoneCall.caller.verified).toBe('strong');
  });

  it('does not trust the number of the line for another number that was spoken', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const spoken = '+14155550199';
    const { id } = platform.messaging.addContact({ phone: spoken });
    const phoneCall = startPhoneCall(clients, options);

    await phoneCall.identifyCaller({ phone: spoken });
    expect(phoneCall.caller).toEqual({ phone: spoken, contactId: id, verified: 'no' });
    await phoneCall.identifyCaller();
    expect(phoneCall.caller.verified).toBe('no');
  });

  it('makes no second contact when the e-mail comes after it was made', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const phoneCall = startPhoneCall(clients, options);
    const { contact } = await phoneCall.identifyCaller();
    platform.fault('messaging.contacts.search', [{ status: 200, body: { data: [] }, times: 2 }]);

    const again = await phoneCall.identifyCaller({ email: 'ann@example.com' });

    expect(again).toMatchObject({ created: false, matchedBy: 'this_call', contact: { id: contact.id } });
    expect(platform.effects('messaging.contacts.create')).toBe(1);
  });

  it('knows the caller in the steps that come after', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const company = platform.messaging.addCompany({ plan: 'Gold' });
    platform.messaging.addContact({ phone, company_ids: [company.id] });
    const { Id: contactId } = platform.crm.addContact({ LastName: 'Lee', Phone: phone });
    const phoneCall = startPhoneCall(clients, options);
    await phoneCall.identifyCaller();

    expect((await phoneCall.callerContext()).tier).toBe('Gold');
    await phoneCall.qualifyLead({ lead: {} });
    await phoneCall.openCase({ subject: 'Broken' });
    expect(platform.crm.cases).toMatchObject([{ ContactId: contactId, SuppliedPhone: phone, Subject: 'Broken' }]);
  });

  it('is on every event that it causes', async () => {
    await using connected = await connectPlatform();
    const { clientOptions, platform } = connected;
    const events: CallEvent[] = [];
    const onEvent = (event: { type: string }) => void (event.type === 'call' && events.push(event as CallEvent));
    const phoneCall = startPhoneCall(
      {
        messaging: createMessagingClient({ ...clientOptions.messaging, onEvent }),
        crm: createCrmClient({ ...clientOptions.crm, onEvent }),
      },
      options,
    );

    await phoneCall.identifyCaller();
    await phoneCall.callerContext();
    await phoneCall.qualifyLead({ lead: { LastName: 'Lee', Company: 'Lee Ltd' } });
    await phoneCall.finish(said);

    expect(events.length).toBe(platform.requests.length);
    expect(new Set(events.map(({ callId }) => callId))).toEqual(new Set(['CA1']));
  });

  it('works without the clients that are not there, and says so', async () => {
    await using connected = await connectPlatform();
    const { crm } = connected.clients;
    const phoneCall = startPhoneCall({ crm }, options);

    const missing = 'is not configured: this phone call was started without that client';
    await expect(phoneCall.identifyCaller()).rejects.toEqual(new InvalidArgumentError('messaging', missing));
    const finished = await phoneCall.finish(said);
    expect(finished).toMatchObject({
      complete: true,
      steps: [
        { step: 'conversation', status: 'skipped', reason: 'needs_messaging' },
        { step: 'relate', status: 'done' },
        { step: 'task', status: 'done' },
      ],
    });
  });

  it('relates its Task to the caller’s record, and again only when that could not be read', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addContact({ Id: '003000000000077', LastName: 'Lee', Phone: phone });
    platform.fault('crm.contacts.search', [{ status: 403 }]);
    const phoneCall = startPhoneCall(clients, options);

    const first = await phoneCall.finish(said);
    expect(first.complete).toBe(false);
    expect(first.steps).toContainEqual({ step: 'relate', status: 'failed', error: expect.any(Error) });
    expect(platform.crm.tasks).toMatchObject([{ Subject: 'Inbound call: resolved' }]);
    expect(platform.crm.tasks[0]).not.toHaveProperty('WhoId');

    const second = await phoneCall.finish();
    expect(second).toMatchObject({ complete: true, related: { whoId: '003000000000077' } });
    expect(platform.crm.tasks).toMatchObject([{ WhoId: '003000000000077' }]);
    const before = platform.requests.length;
    await phoneCall.finish();
    expect(platform.requests.length).toBe(before);
  });

  it('relates its Task in another process, too, where a first try could not', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addLead({ Id: '00Q000000000078', LastName: 'Lee', Company: 'Lee Ltd', Phone: phone });
    platform.fault('crm.contacts.search', [{ status: 403 }]);
    const { unfinished } = await startPhoneCall(clients, options).finish(said);

    const finished = await finishCall(clients, JSON.parse(JSON.stringify(unfinished)));
    expect(finished.complete).toBe(true);
    expect(platform.crm.tasks).toMatchObject([{ WhoId: '00Q000000000078' }]);
  });

  it('writes nothing about the call on one of several CRM contacts who share the number', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    for (const LastName of ['Lee', 'Roe']) {
      platform.crm.addContact({ LastName, Phone: phone });
      platform.messaging.addContact({ name: LastName, phone });
    }
    const phoneCall = startPhoneCall(clients, options);

    const { ambiguous, count } = await phoneCall.identifyCaller();
    const { complete, steps } = await phoneCall.finish(said);

    expect({ ambiguous, count, complete }).toEqual({ ambiguous: true, count: 2, complete: true });
    expect(steps).toContainEqual({ step: 'relate', status: 'skipped', reason: 'ambiguous_contact' });
    expect(platform.crm.tasks).toHaveLength(1);
    expect(platform.crm.tasks[0]).not.toHaveProperty('WhoId');
  });

  it('does not read a contact again that it has just found', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { id } = platform.messaging.addContact({ name: 'Ada', phone });
    const phoneCall = startPhoneCall(clients, options);

    await phoneCall.identifyCaller();
    expect((await phoneCall.callerContext()).contact).toMatchObject({ id, name: 'Ada' });
    expect(operationsOf(platform)).toEqual(['messaging.contacts.search', 'messaging.companies.listForContact']);

    await phoneCall.recordCall({ summary: 'Asked.', attributes: { escalated: true } });
    await phoneCall.callerContext();
    expect(operationsOf(platform)).toContain('messaging.contacts.get');
  });

  it('says what is not known yet', async () => {
    await using connected = await connectPlatform();
    const phoneCall = startPhoneCall(connected.clients, { ...options, phone: undefined });

    await expect(phoneCall.callerContext()).rejects.toEqual(
      new InvalidArgumentError('contactId', 'is not known yet: identify the caller first, or give one'),
    );
    await expect(phoneCall.routeConversation({ teamId: 't' })).rejects.toEqual(
      new InvalidArgumentError('contactId', 'is not known yet: identify the caller first'),
    );
    expect(connected.platform.requests).toEqual([]);
  });

  it.each([
    [{ callId: ' ' }, 'callId'],
    [{ callId: 'CA1\r\nX-Key: 1' }, 'callId'],
    [{ callId: 'C'.repeat(201) }, 'callId'],
    [{ direction: 'sideways' as 'Inbound' }, 'direction'],
    [{ callId: '{{call_id}}' }, 'callId'],
    [{ email: 'ann' }, 'email'],
    [{ startedAt: 'today' }, 'startedAt'],
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ toolBudgetMs: 0 }, 'toolBudgetMs'],
  ])('is not started with %j', (wrong, field) => {
    expect(() => startPhoneCall({}, { ...options, ...wrong })).toThrow(
      expect.toSatisfy((error) => error instanceof InvalidArgumentError && error.field === field),
    );
  });

  it('counts the time since its start when no duration is given', async () => {
    await using connected = await connectPlatform();
    const clock = createVirtualClock({ wallNow: Date.UTC(2026, 2, 1, 4, 30) });
    const { startedAt: _startedAt, ...now } = options;
    const phoneCall = startPhoneCall(connected.clients, { ...now });
    await clock.advance(61_400);

    await phoneCall.finish({ summary: 'Asked.' });
    await clock.advance(60_000);
    await phoneCall.finish();

    expect(phoneCall.startedAt).toEqual(new Date(Date.UTC(2026, 2, 1, 4, 30)));
    expect(connected.platform.crm.tasks).toMatchObject([{ CallDurationInSeconds: 61 }]);
    expect(connected.platform.effects('crm.tasks.update')).toBe(0);
  });
});

describe('a turn', () => {
  it('shares one deadline among its steps', async () => {
    await using connected = await connectPlatform();
    const { platform, clientOptions } = connected;
    const clock = createVirtualClock();
    const messaging = createMessagingClient({ ...clientOptions.messaging });
    const phoneCall = startPhoneCall({ messaging }, { ...options, toolBudgetMs: 2000 });

    const turn = phoneCall.turn();
    await turn.identifyCaller();
    expect(turn.deadline.budgetMs).toBe(2000);
    await clock.advance(2000);

    const before = platform.requests.length;
    await expect(turn.identifyCaller()).rejects.toMatchObject({ code: 'deadline_exceeded', outcome: 'not_sent' });
    expect(platform.requests.length).toBe(before);
    await phoneCall.turn({ budgetMs: 1000 }).identifyCaller();
    expect(platform.requests.length).toBe(before + 1);
  });

  it('stops at once when its signal aborts, and leaves the phone call usable', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.fault('messaging.contacts.search', [{ stall: 'headers' }]);
    const phoneCall = startPhoneCall(clients, options);
    const barge = new AbortController();

    const identified = phoneCall.turn({ signal: barge.signal }).identifyCaller();
    await expect.poll(() => platform.requests.length).toBe(1);
    barge.abort();

    await expect(identified).rejects.toBeInstanceOf(AbortedError);
    expect((await phoneCall.turn().identifyCaller()).created).toBe(true);
  });

  it('lets a payment that was sent go on when the person speaks again, and reports how it ended', async () => {
    const clock = createVirtualClock();
    await using connected = await connectPlatform({});
    const { platform, clients } = connected;
    const customer = platform.billing.addCustomer({});
    const invoice = platform.billing.addInvoice({ customer_id: customer.id, amount: 20 });
    platform.fault('billing.payments.create', [{ latencyMs: 1000 }]);
    const phoneCall = startPhoneCall(clients, options);
    const payment = { customerId: customer.id, invoiceId: invoice.id, amount: 20, paymentMethodId: 'pm_1' };
    const barge = new AbortController();
    const { promise: settled, resolve } = Promise.withResolvers<PaymentResult>();

    const taken = phoneCall.turn({ signal: barge.signal }).takePayment(payment, { onSettled: resolve });
    await expect.poll(() => platform.requests.length).toBe(1);
    barge.abort();
    expect(await taken).toMatchObject({ success: false, outcome: 'unknown' });
    await clock.advance(1000);

    const { idempotencyKey } = await taken;
    expect(await settled).toMatchObject({ success: true, idempotencyKey });
    expect(await phoneCall.turn().takePayment(payment)).toMatchObject({ success: true, idempotencyKey });
    expect(platform.billing.payments).toHaveLength(1);
  });

  it('bounds what its steps say for themselves', async () => {
    await using connected = await connectPlatform();
    const { platform, clientOptions } = connected;
    const clock = createVirtualClock();
    const messaging = createMessagingClient({ ...clientOptions.messaging });
    const phoneCall = startPhoneCall({ messaging }, { ...options });
    const barge = new AbortController();
    const own = new AbortController();
    const turn = phoneCall.turn({ budgetMs: 2000, signal: barge.signal });

    await clock.advance(1500);
    await turn.identifyCaller({}, { deadline: 5000, signal: own.signal });
    await expect(turn.identifyCaller({}, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortedError);
    await clock.advance(500);
    const before = platform.requests.length;
    for (const deadline of [undefined, 5000])
      await expect(turn.identifyCaller({}, { deadline })).rejects.toMatchObject({ code: 'deadline_exceeded' });
    barge.abort();
    for (const signal of [undefined, own.signal])
      await expect(turn.identifyCaller({}, { signal })).rejects.toBeInstanceOf(AbortedError);
    expect(platform.requests.length).toBe(before);
  });

  it('does not wait beyond its deadline for a step that writes the same Task', async () => {
    await using connected = await connectPlatform();
    const { platform, clientOptions } = connected;
    const clock = createVirtualClock();
    const crm = createCrmClient({ ...clientOptions.crm });
    const phoneCall = startPhoneCall({ crm }, { ...options });
    platform.fault('crm.tasks.create', [{ stall: 'headers' }]);
    const slow = phoneCall.logCall({ summary: 'Asked.' }).catch((error: unknown) => error);
    await expect.poll(() => platform.requests.length).toBe(1);

    const quick = phoneCall.turn({ budgetMs: 500 }).logCall({ outcome: 'resolved' });
    const refused = expect(quick).rejects.toMatchObject({ code: 'deadline_exceeded', outcome: 'not_sent' });
    await clock.advance(500);
    await refused;
    expect(platform.requests).toHaveLength(1);

    await clock.advance(8000);
    await slow;
    await phoneCall.logCall();
    expect(platform.crm.tasks).toMatchObject([{ Description: 'Asked.' }]);
  });
});
