import { describe, expect, test } from 'vitest';
import { connectCustomer, linesTo } from '../../support/connected-zendesk.ts';

describe('a new address of a contact', () => {
  test('becomes the primary one', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId, account } = connected;

    const contact = await messaging.contacts.update(contactId, { email: 'new@example.com', name: 'Ada Park' });

    expect(contact).toMatchObject({ id: contactId, email: 'new@example.com', name: 'Ada Park' });
    expect(account.users.find(({ id }) => String(id) === contactId)).toMatchObject({ email: 'new@example.com' });
    expect(linesTo(connected)).toEqual([
      `GET /api/v2/users/${contactId}/identities.json?type[]=email&page[size]=100`,
      `POST /api/v2/users/${contactId}/identities.json`,
      expect.stringMatching(/^PUT .*\/make_primary\.json$/),
      `PUT /api/v2/users/${contactId}.json`,
    ]);
    expect(connected.platform.requests[1]?.body).toEqual({
      identity: { type: 'email', value: 'new@example.com', skip_verify_email: true },
    });
  });

  test('that they have already is made the primary one', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId, account } = connected;
    account.addAddress(Number(contactId), 'work@example.com');

    expect(await messaging.contacts.update(contactId, { email: 'WORK@example.com' })).toMatchObject({
      email: 'work@example.com',
    });
    expect(linesTo(connected).map((line) => line.split(' ')[0])).toEqual(['GET', 'PUT', 'GET']);
  });

  test('that is their first one is the primary one at once', async () => {
    await using connected = await connectCustomer();
    const { messaging, account } = connected;
    const { id } = account.addUser({ name: 'Bob', phone: '+14155550199' });

    expect(await messaging.contacts.update(String(id), { email: 'bob@example.com' })).toMatchObject({
      email: 'bob@example.com',
    });
    expect(linesTo(connected).map((line) => line.split(' ')[0])).toEqual(['GET', 'POST', 'GET']);
  });

  test('that is the primary one changes nothing', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId } = connected;

    expect(await messaging.contacts.update(contactId, { email: 'ada@example.com' })).toMatchObject({
      email: 'ada@example.com',
    });
    expect(linesTo(connected).map((line) => line.split(' ')[0])).toEqual(['GET', 'GET']);
  });

  test('of another user is refused, and nothing else is changed', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId, account } = connected;
    account.addUser({ name: 'Bob', email: 'bob@example.com' });

    await expect(messaging.contacts.update(contactId, { email: 'bob@example.com', name: 'Bob' })).rejects.toMatchObject(
      {
        status: 422,
        codes: expect.arrayContaining(['DuplicateValue']),
      },
    );
    expect(account.users.find(({ id }) => String(id) === contactId)).toMatchObject({ name: 'Ada' });
  });

  test.each([
    ['null', { email: null }],
    ['an empty text', { email: '' }],
    ['a field that is not for contacts', { email: 'new@example.com', moderator: 'full' }],
  ])('is refused before anything is sent: %s', async (_, fields) => {
    await using connected = await connectCustomer();

    await expect(connected.messaging.contacts.update(connected.contactId, fields)).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(connected.platform.requests).toEqual([]);
  });

  test('in the fake account, a change of the user alone only adds one', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId, account } = connected;

    await messaging.request({
      operation: 'messaging.raw',
      returns: (json) => json,
      method: 'PUT',
      path: `users/${contactId}.json`,
      body: { user: { email: 'new@example.com' } },
    });

    expect(account.users.find(({ id }) => String(id) === contactId)).toMatchObject({ email: 'ada@example.com' });
  });
});

describe('a person is found by another of their addresses', () => {
  test('if it is theirs', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId, account } = connected;
    account.addAddress(Number(contactId), 'ada.park@example.org');

    expect(await messaging.contacts.findByEmail('Ada.Park@example.org')).toMatchObject({
      contact: { id: contactId },
      ambiguous: false,
    });
    expect(await messaging.contacts.find({ email: 'ada.park@example.org' })).toMatchObject({
      matchedBy: 'email',
      contact: { id: contactId },
    });
  });

  test.each<[string, readonly object[]]>([
    ['no address at all', []],
    ['an address of which this is a part', [{ type: 'email', value: 'xada.park@example.org' }]],
    ['a shared address', [{ type: 'email', value: 'ada.park@example.org', ownership: 'shared' }]],
    ['another kind of identity', [{ type: 'sdk', value: 'ada.park@example.org' }]],
  ])('and not if the search gives someone with %s', async (_, identities) => {
    await using connected = await connectCustomer();
    const { messaging, platform, customer } = connected;
    platform.fault('messaging.contacts.search', [{ status: 200, body: { users: [customer], count: 1 } }]);
    platform.fault('messaging.contacts.get', [{ status: 200, body: { identities } }]);

    expect(await messaging.contacts.findByEmail('ada.park@example.org')).toBeUndefined();
  });

  test('distinguishes two people who share a number', async () => {
    await using connected = await connectCustomer();
    const { messaging, account } = connected;
    const bob = account.addUser({ name: 'Bob', phone: '+1 415-555-0100', email: 'bob@example.com' });
    account.addAddress(bob.id, 'bob@work.example');

    expect(await messaging.contacts.findByPhone('+14155550100')).toMatchObject({ ambiguous: true, count: 2 });
    expect(await messaging.contacts.find({ phone: '+14155550100', email: 'bob@work.example' })).toMatchObject({
      matchedBy: 'email',
      contact: { id: String(bob.id) },
    });
  });
});
