import { describe, expect, it } from 'vitest';
import { identifyCaller } from '../../../src/phone-call/steps/identify-caller.ts';
import { ClientError, InvalidArgumentError } from '../../../src/core/errors.ts';
import { connectPlatform, keysOf, operationsOf } from '../../support/connected-platform.ts';

const phone = '+14155550100';
const email = 'ann@example.com';

describe('identifyCaller', () => {
  it('finds the caller by phone and asks nothing more', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { id } = platform.messaging.addContact({ phone, email });

    const identified = await identifyCaller(clients, { callId: 'CA1', phone, email });

    expect(identified).toMatchObject({
      created: false,
      matchedBy: 'phone',
      ambiguous: false,
      count: 1,
      contact: { id },
    });
    expect(operationsOf(platform)).toEqual(['messaging.contacts.search']);
  });

  it('finds the caller by e-mail when the phone is unknown', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { id } = platform.messaging.addContact({ phone: null, email });

    const identified = await identifyCaller(clients, { callId: 'CA1', phone, email });

    expect(identified).toMatchObject({ created: false, matchedBy: 'email', ambiguous: false, contact: { id } });
  });

  it('creates a contact with the key of the phone call when none is found', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;

    const identified = await identifyCaller(clients, { callId: 'CA1', phone, newContact: { name: 'Ann' } });

    expect(identified).toMatchObject({ created: true, matchedBy: 'nothing', contact: { phone, name: 'Ann' } });
    expect(keysOf(platform, 'messaging.contacts.create')).toEqual(['CA1:contact']);
  });

  it('takes the most recently updated of several and says that they are ambiguous', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.messaging.addContact({ phone, updated_at: 1_700_000_000 });
    const { id } = platform.messaging.addContact({ phone, updated_at: 1_800_000_000 });

    const identified = await identifyCaller(clients, { callId: 'CA1', phone });

    expect(identified).toMatchObject({ matchedBy: 'phone', ambiguous: true, count: 2, contact: { id } });
  });

  it('lets the e-mail decide between contacts that share a phone', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { id } = platform.messaging.addContact({ phone, email, updated_at: 1_700_000_000 });
    platform.messaging.addContact({ phone, updated_at: 1_800_000_000 });

    const identified = await identifyCaller(clients, { callId: 'CA1', phone, email });

    expect(identified).toMatchObject({ matchedBy: 'email', ambiguous: false, contact: { id } });
  });

  it('looks again when creating it conflicts, since another process was faster', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const conflict = { status: 409, body: { type: 'error.list', errors: [{ code: 'conflict', message: 'exists' }] } };
    platform.fault('messaging.contacts.create', [conflict]);
    // The first search does not see it yet.
    platform.fault('messaging.contacts.search', [{ status: 200, body: { data: [] } }]);
    const { id } = platform.messaging.addContact({ phone });

    const identified = await identifyCaller(clients, { callId: 'CA1', phone });

    expect(identified).toMatchObject({ created: false, matchedBy: 'phone', contact: { id } });
  });

  it('takes the contact that the conflict names when search does not know it yet', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { id } = platform.messaging.addContact({ email });
    platform.fault('messaging.contacts.search', [{ status: 200, body: { data: [] }, times: 2 }]);

    const identified = await identifyCaller(clients, { callId: 'CA1', email });

    expect(identified).toMatchObject({ created: false, matchedBy: 'conflict', contact: { id, email } });
  });

  it('passes a conflict on that names no contact that can be found', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.fault('messaging.contacts.create', [{ status: 409, body: 'exists' }]);

    const refused = identifyCaller(clients, { callId: 'CA1', phone });

    await expect(refused).rejects.toBeInstanceOf(ClientError);
    await expect(refused).rejects.toMatchObject({ status: 409 });
  });

  it('says that it is ambiguous when the search finds two, though a contact was made before', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const made = platform.messaging.addContact({ phone });
    platform.messaging.addContact({ phone });
    const madeBefore = { id: made.id, phone };

    const identified = await identifyCaller(clients, { callId: 'CA1', phone, madeBefore });

    expect(identified).toMatchObject({ created: false, matchedBy: 'phone', ambiguous: true, count: 2 });
  });

  it('does not make a second contact while search does not know the first', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const madeBefore = { id: 'contact_9', phone };

    const identified = await identifyCaller(clients, { callId: 'CA1', phone, email, madeBefore });

    expect(identified).toEqual({
      created: false,
      matchedBy: 'this_call',
      contact: madeBefore,
      ambiguous: false,
      count: 1,
    });
    expect(platform.effects('messaging.contacts.create')).toBe(0);
  });

  it('refuses to identify without phone and e-mail, and sends nothing', async () => {
    await using connected = await connectPlatform();

    await expect(identifyCaller(connected.clients, { callId: 'CA1' })).rejects.toEqual(
      new InvalidArgumentError('phone', 'or email must be given to identify a caller'),
    );
    expect(connected.platform.requests).toEqual([]);
  });
});
