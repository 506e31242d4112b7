import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { finishCall, type UnfinishedCall } from '../../../src/phone-call/steps/finish-call.ts';
import { testCredentials } from '../../../src/dev/testing/index.ts';
import { connectCustomer, connectZendesk, linesTo } from '../../support/connected-zendesk.ts';

describe('a caller is found', () => {
  test.each(['(415) 555-0100', '+1 415-555-0100', '14155550100'])('by a number that is written %s', async (phone) => {
    await using connected = await connectZendesk();
    const { messaging, account } = connected;
    const { id } = account.addUser({ name: 'Ada', phone });
    account.addUser({ name: 'Bob', phone: '+442125550100' });

    expect(await messaging.contacts.findByPhone('+14155550100')).toMatchObject({
      contact: { id: String(id), name: 'Ada', phone },
      ambiguous: false,
    });
    expect(linesTo(connected)).toEqual(['GET /api/v2/users/search.json?query=phone:*4155550100']);
  });

  test('and not another one whose number ends in the same digits', async () => {
    await using connected = await connectZendesk();
    connected.account.addUser({ name: 'Eve', phone: '+34 30123456' });

    expect(await connected.messaging.contacts.findByPhone('+4930123456')).toBeUndefined();
    expect(linesTo(connected)).toEqual(['GET /api/v2/users/search.json?query=phone:*30123456']);
  });

  test('by an address, whatever its case', async () => {
    await using connected = await connectCustomer();

    const found = await connected.messaging.contacts.find({ email: 'ADA@example.com' });

    expect(found).toMatchObject({ matchedBy: 'email', contact: { id: connected.contactId } });
  });

  test('by an external id, at once', async () => {
    await using connected = await connectZendesk({ fake: { searchDelayMs: 60_000 } });
    const { messaging } = connected;
    const { id } = await messaging.contacts.create({ external_id: 'crm 17', email: 'new@example.com' });

    await expect(messaging.contacts.create({ external_id: 'crm 17' })).resolves.toMatchObject({ id });
  });

  test('by what this client made a moment ago', async () => {
    await using connected = await connectZendesk({ fake: { searchDelayMs: 60_000 } });
    const { messaging } = connected;
    const { contact } = await messaging.contacts.findOrCreate({ phone: '+14155550100', name: 'Ada' });

    expect(await messaging.contacts.findOrCreate({ phone: '+14155550100' })).toMatchObject({
      contact: { id: contact.id },
      created: false,
    });
  });

  test.each([
    ['a quote', 'x" role:admin "'],
    ['a backslash', String.raw`x\" role:admin`],
    ['a star', '*'],
    ['curly quotes', 'x” role:admin “'],
    ['a line', 'x\nrole:admin'],
  ])('and a text with %s is only a text', async (_, value) => {
    await using connected = await connectCustomer();
    const { messaging, platform } = connected;

    const { data } = await messaging.contacts.search({ field: 'name', operator: '=', value });

    expect(data).toEqual([]);
    const query = new URL(platform.requests[0]!.path, 'http://x').searchParams.get('query');
    expect(query).toMatch(/^name:"[^"\\*]*"$/);
  });

  test.each([
    ['a field that is a query', { field: 'name:x role', operator: '=', value: 'admin' }, 'field'],
    ['an unknown operator', { field: 'name', operator: '~', value: 'x' }, 'operator'],
    ['alternatives', { any: [{ field: 'name', operator: '=', value: 'x' }] }, 'any'],
  ])('but %s is refused', async (_, query, field) => {
    await using connected = await connectZendesk();

    await expect(connected.messaging.contacts.search(query)).rejects.toMatchObject({
      code: 'invalid_argument',
      field,
    });
    expect(connected.platform.requests).toEqual([]);
  });

  test('page after page', async () => {
    await using connected = await connectZendesk({ fake: { pageSize: 2 } });
    const { messaging, account } = connected;
    for (const name of ['Ada', 'Bob', 'Cy']) account.addUser({ name, organization_id: 5 });

    const names: unknown[] = [];
    for await (const { name } of messaging.contacts.searchAll({ field: 'organization_id', operator: '=', value: 5 }))
      names.push(name);

    expect(names).toEqual(['Ada', 'Bob', 'Cy']);
  });
});

describe('a new contact', () => {
  test('is an end user who gets no e-mail', async () => {
    await using connected = await connectZendesk();
    const { messaging, platform, account } = connected;
    account.addField('users', 'plan');

    const contact = await messaging.contacts.create({
      phone: '+14155550100',
      role: 'lead',
      custom_attributes: { plan: 'pro' },
    });

    expect(platform.requests[0]?.body).toEqual({
      user: {
        phone: '+14155550100',
        role: 'end-user',
        user_fields: { plan: 'pro' },
        name: '+14155550100',
        skip_verify_email: true,
      },
    });
    expect(contact).toMatchObject({ phone: '+14155550100', custom_attributes: { plan: 'pro' } });
  });

  test.each([
    ['role', 'admin'],
    ['custom_role_id', 7],
    ['owner_id', '7'],
  ])('never gets power: %s %s', async (field, value) => {
    await using connected = await connectCustomer();
    const { messaging, contactId, platform } = connected;

    for (const work of [
      messaging.contacts.create({ name: 'Eve', [field]: value }),
      messaging.contacts.update(contactId, { [field]: value }),
    ])
      await expect(work).rejects.toMatchObject({ code: 'invalid_argument', field });
    expect(platform.requests).toEqual([]);
  });

  test('with a known address is the one who has it', async () => {
    await using connected = await connectCustomer();

    expect(await connected.messaging.contacts.create({ email: 'ada@example.com', name: 'Other' })).toMatchObject({
      id: connected.contactId,
      name: 'Ada',
    });
  });

  test('is made once where an answer is lost, or not at all', async () => {
    await using connected = await connectZendesk();
    const { messaging, platform, account } = connected;
    platform.fault('messaging.contacts.create', [{ executeThenDrop: true }, { executeThenDrop: true }]);

    await expect(messaging.contacts.create({ phone: '+14155550100' })).rejects.toMatchObject({ outcome: 'unknown' });
    await messaging.contacts.create({ email: 'bob@example.com' });

    expect(account.users.map(({ name }) => name)).toEqual(['Voice agent', '+14155550100', 'bob@example.com']);
  });
});

describe('where an answer is lost and no search knows the user yet', () => {
  const email = 'bob@example.com';

  test('the repeat gives the user that was made, unchanged', async () => {
    await using connected = await connectZendesk({ fake: { searchDelayMs: 60_000 } });
    const { messaging, platform, account } = connected;
    platform.fault('messaging.contacts.create', [{ executeThenDrop: true }]);

    const found = await messaging.contacts.findOrCreate({ phone: '+14155550100', email, name: 'Bob' });

    const [, made, ...others] = account.users;
    expect(found).toMatchObject({
      created: false,
      matchedBy: 'conflict',
      ambiguous: false,
      contact: { id: String(made!.id), name: 'Bob', phone: '+14155550100', email },
    });
    expect(others).toEqual([]);
    expect(platform.requests.at(-1)).toMatchObject({
      path: '/api/v2/users/create_or_update.json',
      body: { user: { email } },
    });
  });

  test('and the client knows them from then on', async () => {
    await using connected = await connectZendesk({ fake: { searchDelayMs: 60_000 } });
    const { messaging, another, platform, account } = connected;
    await another().contacts.create({ email, name: 'Bob' });

    const made = await messaging.contacts.create({ email, name: 'Robert', phone: '+14155550199' });
    const sent = platform.requests.length;
    const found = await messaging.contacts.findOrCreate({ email });

    expect(made).toMatchObject({ name: 'Bob', phone: null });
    expect(found).toMatchObject({ matchedBy: 'email', contact: { id: made.id } });
    expect(platform.requests).toHaveLength(sent + 1);
    expect(account.users.map(({ name, phone }) => [name, phone])).toEqual([
      ['Voice agent', null],
      ['Bob', null],
    ]);
  });

  test('a phone call is written down with its conversation', async () => {
    await using connected = await connectZendesk({ fake: { searchDelayMs: 60_000 } });
    const { messaging, platform, account } = connected;
    platform.fault('messaging.contacts.create', [{ executeThenDrop: true }]);

    const finished = await finishCall(
      { messaging },
      { callId: 'CA1', direction: 'Inbound', startedAt: new Date(), phone: '+14155550100', email, summary: 'Oven.' },
    );

    expect(finished).toMatchObject({ complete: true, contactId: String(account.users[1]!.id) });
    expect(account.tickets.map(({ requester_id }) => requester_id)).toEqual([account.users[1]!.id]);
  });

  test('a later try of a call without an address finds the user whom the first may have made', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await using connected = await connectZendesk({ fake: { searchDelayMs: 60_000 } });
    const { messaging, another, platform, account } = connected;
    platform.fault('messaging.contacts.create', [{ executeThenDrop: true }]);
    const call = {
      callId: 'CA1',
      direction: 'Inbound',
      startedAt: new Date(),
      phone: '+14155550100',
      summary: 'Oven.',
    };

    const first = await finishCall({ messaging }, call as UnfinishedCall);
    const tooEarly = await finishCall({ messaging: another() }, first.unfinished!);
    vi.setSystemTime(Date.now() + 61_000);
    const last = await finishCall({ messaging: another() }, tooEarly.unfinished!);

    const [, made, ...others] = account.users;
    expect(tooEarly.steps[0]).toEqual({ step: 'contact', status: 'skipped', reason: 'may_be_done' });
    expect(last).toMatchObject({ complete: true, contactId: String(made!.id), unfinished: undefined });
    expect(others).toEqual([]);
    expect(account.tickets.map(({ requester_id }) => requester_id)).toEqual([made!.id]);
  });

  test('and a refusal about something else stays one', async () => {
    await using connected = await connectZendesk({ fake: { searchDelayMs: 60_000 } });
    const { messaging, platform } = connected;
    platform.fault('messaging.contacts.create', [
      { status: 422, body: duplicate },
      { status: 403, body: { error: 'Forbidden' } },
    ]);

    await expect(messaging.contacts.create({ email })).rejects.toMatchObject({ status: 422, codes: duplicateCodes });
  });

  const duplicate = {
    error: 'RecordInvalid',
    description: 'Record validation errors',
    details: { email: [{ description: 'Email is used', error: 'DuplicateValue' }] },
  };
  const duplicateCodes = ['RecordInvalid', 'DuplicateValue'];
});

describe('the credential', () => {
  test('may be an OAuth token', async () => {
    await using connected = await connectCustomer({
      client: { authenticate: bearer(() => testCredentials.messaging) },
    });
    expect(await connected.messaging.admins.me()).toMatchObject({ name: 'Voice agent' });
  });

  test('that is refused is an error without retries', async () => {
    await using connected = await connectCustomer({ client: { authenticate: bearer(() => 'wrong') } });

    await expect(connected.messaging.admins.me()).rejects.toMatchObject({ code: 'client_error', status: 401 });
    expect(connected.platform.requests).toHaveLength(1);
  });
});
