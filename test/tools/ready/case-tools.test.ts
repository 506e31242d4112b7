import { describe, expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { hubspot } from '../../../src/crm/hubspot/index.ts';
import { createFakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import type { CallToolsOptions, ToolResult } from '../../../src/tools/index.ts';
import { connectIntercom } from '../../support/connected-intercom.ts';
import { connectSalesforce } from '../../support/connected-salesforce.ts';
import { connectZendesk } from '../../support/connected-zendesk.ts';

const phone = '+14155550100';
const otherPhone = '+14155550199';
const facts = { callId: 'CA1', direction: 'Inbound', phone } as const;
const call: Partial<CallToolsOptions> = { caseStatus: true, openCase: true, addToCase: 'crm' };

const startSalesforce = async () => {
  const { platform, crm, ...rest } = await connectSalesforce();
  const { crm: records } = platform;
  return {
    ...rest,
    platform,
    crm,
    addPerson: (number: string, LastName: string) => records.addContact({ LastName, Phone: number }).Id,
    addCase: (ContactId: string, Subject: string, isClosed = false) => {
      const Status = isClosed ? 'Closed' : 'Working';
      const { Id, CaseNumber } = records.addCase({ Subject, Status, IsClosed: isClosed, ContactId });
      return { id: Id, number: String(CaseNumber), status: Status };
    },
    cases: () => records.cases.map(({ Subject, ContactId }) => ({ subject: Subject, contactId: ContactId })),
    notesOn: (id: string) =>
      records
        .records('CaseComment')
        .filter(({ ParentId }) => ParentId === id)
        .map(({ CommentBody, IsPublished }) => ({ words: CommentBody, isPublic: IsPublished })),
  };
};

const startHubSpot = async () => {
  const platform = createFakePlatform({ crm: { dialect: 'hubspot', searchDelayMs: 0 } });
  const { crm: baseUrl } = await platform.listen();
  const { hubspot: account } = platform;
  const crm = createCrmClient({
    ...hubspot(),
    baseUrl,
    authenticate: bearer(() => testCredentials.crm),
    backoff: { minimumMs: 0, maximumMs: 0 },
  });
  return {
    platform,
    crm,
    addPerson: (number: string, lastname: string) =>
      account.add('contacts', { lastname, phone: number, lifecyclestage: 'customer' }).id,
    addCase: (contactId: string, subject: string, isClosed = false) => {
      const stage = isClosed ? '4' : '1';
      const closed = isClosed ? { closed_date: '2026-11-01T10:00:00Z' } : {};
      const { id } = account.add('tickets', { subject, hs_pipeline: '0', hs_pipeline_stage: stage, ...closed });
      account.associate({ type: 'tickets', id }, { type: 'contacts', id: contactId });
      return { id, number: id, status: isClosed ? 'Closed' : 'New' };
    },
    cases: () =>
      account.records('tickets').map(({ properties, associations }) => ({
        subject: properties['subject'],
        contactId: associations['contacts']?.[0],
      })),
    notesOn: (id: string) =>
      account
        .records('notes')
        .filter(({ associations }) => associations['tickets']?.includes(id))
        .map(({ properties }) => ({ words: properties['hs_note_body'], isPublic: false })),
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

describe.each([
  ['Salesforce', startSalesforce],
  ['HubSpot', startHubSpot],
] as const)('cases in %s', (_name, connect) => {
  const start = async () => {
    const org = await connect();
    const own = org.addPerson(phone, 'Okafor');
    const stranger = org.addPerson(otherPhone, 'Park');
    const strangers = org.addCase(stranger, 'Private');
    const process = (callId = 'CA1') => startPhoneCall({ crm: org.crm }, { ...facts, callId, tools: { call } });
    const { tools } = process();
    const run = (name: string, args: object = {}): Promise<ToolResult> => tools.run(name, args);
    return { ...org, own, strangers, process, run };
  };

  test('a status is the stage as people call it', async () => {
    await using org = await start();
    const { number, status } = org.addCase(org.own, 'No sound');

    expect((await org.run('get_case_status')).value).toEqual({ cases: [{ number, subject: 'No sound', status }] });
  });

  test('a search that ignores its condition shows no case of another, and adds to none', async () => {
    await using org = await start();
    const { number } = org.addCase(org.own, 'No sound');
    // A person who has everyone's cases.
    const all = { ...org.crm.cases, search: async () => org.crm.cases.search({ where: everyCase, limit: 200 }) };
    const phoneCall = startPhoneCall({ crm: { ...org.crm, cases: all } }, { ...facts, tools: { call } });

    const status = await phoneCall.tools.run('get_case_status', {});
    const added = await phoneCall.tools.run('add_to_case', { text: 'Hello', case_number: org.strangers.number });

    expect(status.value).toMatchObject({ cases: [{ number }] });
    expect(status.text).not.toContain('Private');
    expect(added).toMatchObject({ status: 'refused', value: { error: 'case_not_found' } });
    expect(org.notesOn(org.strangers.id)).toEqual([]);
  });

  test('a case is opened for the caller, once for the same words, and the caller gets its number', async () => {
    await using org = await start();
    const words = { subject: 'No sound', description: 'The speaker is silent.' };

    const first = await org.run('open_case', words);
    const second = await org.run('open_case', words);
    const another = await org.run('open_case', { ...words, subject: 'No image' });

    expect(first.value).toEqual({ opened: true, case_number: expect.stringMatching(/\d+/) });
    expect(second.value).toEqual(first.value);
    expect(another.value).not.toEqual(first.value);
    expect(org.cases().slice(1)).toEqual([
      { subject: 'No sound', contactId: org.own },
      { subject: 'No image', contactId: org.own },
    ]);
  });

  test('a case whose answer is lost is opened once, however often it is asked for', async () => {
    await using org = await start();
    org.platform.fault('crm.cases.create', [{ executeThenDrop: true }]);
    const words = { subject: 'No sound', description: 'Silent.' };

    const ends = [await org.run('open_case', words), await org.run('open_case', words)];

    expect(ends.every(({ status }) => status === 'done' || status === 'unknown')).toBe(true);
    expect(org.cases().filter(({ subject }) => subject === 'No sound')).toHaveLength(1);
  });

  test('news is an internal note on the open case, once for the same words', async () => {
    await using org = await start();
    const { id, number } = org.addCase(org.own, 'No sound');
    org.addCase(org.own, 'Old', true);
    const text = 'Still silent.';

    const ends = [await org.run('add_to_case', { text }), await org.run('add_to_case', { text, case_number: null })];

    expect(ends.map(({ value }) => value)).toEqual([
      { added: true, case_number: number },
      { added: true, case_number: number },
    ]);
    expect(org.notesOn(id)).toEqual([{ words: expect.stringContaining(text), isPublic: false }]);
  });

  test('a note whose answer is lost is written once', async () => {
    await using org = await start();
    const { id } = org.addCase(org.own, 'No sound');
    org.platform.fault('crm.cases.addNote', [{ executeThenDrop: true }]);

    const ends = [await org.run('add_to_case', { text: 'Again.' }), await org.run('add_to_case', { text: 'Again.' })];

    expect(ends.every(({ status }) => status === 'done' || status === 'unknown')).toBe(true);
    expect(org.notesOn(id)).toHaveLength(1);
  });

  test.each([
    ['is closed', [['Old', true]], 'case_closed'],
    ['is one of two', [['One'], ['Two']], 'several_cases'],
    ['does not exist', [], 'case_not_found'],
  ] as const)('nothing is added to a case that %s', async (_what, cases, error) => {
    await using org = await start();
    const added = cases.map(([subject, isClosed]) => org.addCase(org.own, subject, isClosed));

    expect(await org.run('add_to_case', { text: 'Hello' })).toMatchObject({ status: 'refused', value: { error } });
    for (const { id } of added) expect(org.notesOn(id)).toEqual([]);
  });

  test('of two, the one with the number gets it', async () => {
    await using org = await start();
    const [one, two] = [org.addCase(org.own, 'One'), org.addCase(org.own, 'Two')];

    await org.run('add_to_case', { text: 'Hello', case_number: `#${two.number}` });

    expect([one, two].map(({ id }) => org.notesOn(id).length)).toEqual([0, 1]);
  });

  test('two people with the number open nothing and get no case', async () => {
    await using org = await start();
    org.addCase(org.own, 'No sound');
    org.addPerson(phone, 'Diaz');

    for (const [name, args] of [
      ['get_case_status', {}],
      ['open_case', { subject: 'No image', description: 'Dark.' }],
      ['add_to_case', { text: 'Hello' }],
    ] as const)
      expect(await org.run(name, args)).toMatchObject({
        status: 'refused',
        value: { reason: 'several_contacts_match', matches: 2 },
      });
    expect(org.cases()).toHaveLength(2);
  });

  test('a case of a caller who is in no record has their number', async () => {
    await using org = await start();
    const { tools } = startPhoneCall({ crm: org.crm }, { ...facts, phone: '+14155550177', tools: { call } });

    expect(await tools.run('open_case', { subject: 'Hi', description: 'A question.' })).toMatchObject({
      status: 'done',
      value: { opened: true },
    });
    expect(
      JSON.stringify(org.platform.requests.findLast(({ operation }) => operation === 'crm.cases.create')),
    ).toContain('+14155550177');
  });
});

const everyCase = { field: 'Subject', operator: '!=', value: 'nothing' } as const;

const startIntercom = async () => {
  const { platform, client } = await connectIntercom();
  const { messaging } = platform;
  const types = {
    own: messaging.addTicketType({ name: 'Request' }).id,
    internal: messaging.addTicketType({ name: 'Bug', category: 'Back-office' }).id,
  };
  return {
    platform,
    messaging: client,
    addPerson: (number: string, name: string) => messaging.addContact({ name, phone: number }).id,
    addTicket: (contact_id: string, title: string, { isClosed = false, isInternal = false } = {}) => {
      const { id, ticket_id } = messaging.addTicket({
        contact_id,
        ticket_type_id: isInternal ? types.internal : types.own,
        state: isClosed ? 'resolved' : 'waiting_on_customer',
        attributes: { _default_title_: title },
      });
      return { id, number: ticket_id };
    },
    waiting: 'Waiting on customer',
    notesOn: (id: string) =>
      (messaging.tickets.find((ticket) => ticket.id === id)?.parts ?? []).map(({ type, body }) => ({
        isPublic: type !== 'note',
        words: body,
      })),
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

const startZendesk = async () => {
  const { platform, account, messaging } = await connectZendesk();
  return {
    platform,
    messaging,
    addPerson: (number: string, name: string) => String(account.addUser({ name, phone: number }).id),
    addTicket: (contactId: string, subject: string, { isClosed = false } = {}) => {
      const status = isClosed ? 'solved' : 'pending';
      const { id } = account.addTicket({ requester_id: Number(contactId), subject, status });
      return { id: String(id), number: String(id) };
    },
    waiting: 'Awaiting your reply',
    notesOn: (id: string) =>
      (account.tickets.find((ticket) => String(ticket.id) === id)?.comments ?? [])
        .slice(1)
        .map(({ public: isPublic, body }) => ({ isPublic, words: body })),
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

describe.each([
  ['Intercom', startIntercom],
  ['Zendesk', startZendesk],
] as const)('tickets at %s', (name, connect) => {
  const start = async () => {
    const desk = await connect();
    const own = desk.addPerson(phone, 'Ngozi');
    const strangers = desk.addTicket(desk.addPerson(otherPhone, 'Park'), 'Private');
    const { tools } = startPhoneCall(
      { messaging: desk.messaging },
      { ...facts, tools: { call: { ticketStatus: true, addToCase: 'messaging' } } },
    );
    await tools.run('identify_caller', {});
    const run = (tool: string, args: object = {}): Promise<ToolResult> => tools.run(tool, args);
    return { ...desk, own, strangers, run };
  };

  test('a status is in the words that customers read', async () => {
    await using desk = await start();
    const { number } = desk.addTicket(desk.own, 'The door');

    expect((await desk.run('get_ticket_status')).value).toEqual({
      cases: [{ number, subject: 'The door', status: desk.waiting }],
    });
  });

  test('a ticket is found by its number; that of another, and one for colleagues alone, is not', async () => {
    await using desk = await start();
    desk.addTicket(desk.own, 'The door');
    const { number } = desk.addTicket(desk.own, 'The lamp');
    const status = (case_number: string) => desk.run('get_ticket_status', { case_number });

    expect((await status(`#${number}`)).value).toMatchObject({ cases: [{ subject: 'The lamp' }] });
    expect((await status(desk.strangers.number)).value).toMatchObject({ cases: [] });
  });

  test('news is a note that the customer never sees, once for the same words', async () => {
    await using desk = await start();
    const { id, number } = desk.addTicket(desk.own, 'The door');

    const first = await desk.run('add_to_case', { text: 'It is stuck again.' });
    const second = await desk.run('add_to_case', { text: 'It is stuck again.' });

    expect([first.value, second.value]).toEqual([
      { added: true, case_number: number },
      { added: true, case_number: number },
    ]);
    expect(desk.notesOn(id)).toEqual([{ isPublic: false, words: expect.stringContaining('It is stuck again.') }]);
  });

  test('a note whose answer is lost is found, and not written again', async () => {
    await using desk = await start();
    const { id, number } = desk.addTicket(desk.own, 'The door');
    const operation = name === 'Zendesk' ? 'messaging.conversations.addNote' : 'messaging.tickets.addNote';
    desk.platform.fault(operation, [{ executeThenDrop: true }]);

    const ends = [await desk.run('add_to_case', { text: 'Again.' }), await desk.run('add_to_case', { text: 'Again.' })];

    expect(ends.map(({ value }) => value)).toEqual([
      { added: true, case_number: number },
      { added: true, case_number: number },
    ]);
    expect(desk.notesOn(id)).toHaveLength(1);
  });

  test('nothing is added to a closed ticket, or to one of two', async () => {
    await using desk = await start();
    desk.addTicket(desk.own, 'Old', { isClosed: true });
    expect((await desk.run('add_to_case', { text: 'Hello' })).value).toMatchObject({ error: 'case_closed' });

    desk.addTicket(desk.own, 'The door');
    desk.addTicket(desk.own, 'The lamp');
    expect((await desk.run('add_to_case', { text: 'Hello' })).value).toMatchObject({
      error: 'several_cases',
      cases: expect.arrayContaining([expect.objectContaining({ subject: 'The door' })]),
    });
  });
});

test('a ticket for colleagues alone reaches no caller, and nothing is added to it', async () => {
  await using desk = await startIntercom();
  const { number } = desk.addTicket(desk.addPerson(phone, 'Ngozi'), 'A bug', { isInternal: true });
  const { tools } = startPhoneCall(
    { messaging: desk.messaging },
    { ...facts, tools: { call: { ticketStatus: true, addToCase: 'messaging' } } },
  );
  await tools.run('identify_caller', {});

  expect((await tools.run('get_ticket_status', {})).value).toMatchObject({ cases: [] });
  expect(await tools.run('add_to_case', { text: 'Hello', case_number: number })).toMatchObject({
    value: { error: 'case_not_found' },
  });
});

test('no tool of cases or tickets is there unless it was configured', async () => {
  await using org = await connectSalesforce();
  await using desk = await connectIntercom();
  const { tools } = startPhoneCall({ crm: org.crm, messaging: desk.client }, facts);

  const names = tools.tools().map(({ name }) => name);
  for (const name of ['get_case_status', 'get_ticket_status', 'open_case', 'add_to_case'])
    expect(names).not.toContain(name);
});
