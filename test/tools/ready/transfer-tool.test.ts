import { describe, expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { createIntegration, type IntegrationOptions } from '../../../src/index.ts';
import { createMessagingClient } from '../../../src/messaging/index.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import type { CallTransfer, TransferOptions } from '../../../src/tools/index.ts';
import { connectIntercom } from '../../support/connected-intercom.ts';

const phone = '+14155550100';
const next = 'A colleague calls back the next working day.';
const wish = { summary: 'Was charged twice in May.' };

interface StartOptions extends Partial<TransferOptions> {
  /** The caller hides the number. */
  readonly isAnonymous?: boolean;
  readonly awayMembers?: boolean;
}

/** Intercom on a Saturday at noon, UTC, with a team of two. */
const start = async ({ isAnonymous = false, awayMembers = false, ...transfer }: StartOptions = {}) => {
  const intercom = await connectIntercom();
  const { messaging } = intercom.platform;
  const contact = messaging.addContact({ name: 'Jane', phone });
  messaging.addContact({ name: 'Victoria', phone: '+14155550199', email: 'victoria@example.com' });
  const [ada, bob] = ['Ada', 'Bob'].map((name) =>
    messaging.addAdmin({ name, away_mode_enabled: awayMembers || name === 'Bob' }),
  );
  const team = messaging.addTeam({ name: 'Billing', admin_ids: [ada?.id ?? '', bob?.id ?? ''] });
  const weekend = messaging.addOfficeHours({ time_intervals: [{ start_minute: 5 * 1440, end_minute: 7 * 1440 }] });
  const weekdays = messaging.addOfficeHours({ time_intervals: [{ start_minute: 0, end_minute: 5 * 1440 }] });
  const moved: CallTransfer[] = [];
  const phoneCall = startPhoneCall(
    { messaging: intercom.client },
    {
      callId: 'CA1',
      direction: 'Inbound',
      ...(isAnonymous ? {} : { phone }),
      tools: {
        call: {
          teams: { Billing: team.id },
          transfer: {
            moveCall: (to) => {
              moved.push(to);
              return true;
            },
            officeHoursId: weekend.id,
            whenUnavailable: next,
            ...transfer,
          },
        },
      },
    },
  );
  const run = (name = 'transfer_to_human', args: object = wish) => phoneCall.tools.run(name, args);
  return { ...intercom, messaging, contact, team, ada, weekdays, moved, phoneCall, run };
};

describe('transfer_to_human', () => {
  test('leaves a note, gives the conversation to the team, and then moves the call', async () => {
    await using started = await start();

    expect((await started.run()).value).toEqual({ transferred: true, to: 'Billing' });
    const [conversation, ...others] = started.messaging.conversations;
    expect(others).toEqual([]);
    expect(conversation).toMatchObject({ contact_id: started.contact.id, team_assignee_id: started.team.id });
    expect(conversation?.parts.map(({ type, body }) => [type, body])).toContainEqual(['note', wish.summary]);
    expect(started.moved).toEqual([
      {
        callId: 'CA1',
        team: 'Billing',
        teamId: started.team.id,
        colleagues: [expect.objectContaining({ id: started.ada?.id })],
        summary: wish.summary,
        conversationId: conversation?.id,
      },
    ]);
  });

  test('moves the call once when it is asked for twice', async () => {
    await using started = await start();

    await Promise.all([started.run(), started.run()]);
    await started.run();

    expect(started.moved).toHaveLength(1);
  });

  test.each<[why: string, options: StartOptions, reason: string]>([
    ['no one of the team is there', { awayMembers: true }, 'no_one_available'],
    ['no one picks up', { moveCall: () => false }, 'no_one_answered'],
  ])('says so, and what happens next, when %s', async (_why, options, reason) => {
    await using started = await start(options);

    expect(await started.run()).toMatchObject({
      status: 'refused',
      value: { transferred: false, reason, next },
    });
    expect(started.moved).toEqual([]);
    expect(started.messaging.conversations).toMatchObject([{ team_assignee_id: started.team.id }]);
    expect(started.messaging.conversations[0]?.parts.map(({ type }) => type)).toContain('note');
  });

  test('says so outside of the office hours, and asks again when it is called again', async () => {
    await using weekdays = await start({ officeHoursId: 'office_hours_2' });

    expect((await weekdays.run()).value).toMatchObject({ reason: 'outside_office_hours', next });
    expect((await weekdays.run()).value).toMatchObject({ reason: 'outside_office_hours', next });
    expect(weekdays.moved).toEqual([]);
    expect(weekdays.messaging.conversations[0]?.parts.filter(({ type }) => type === 'note')).toHaveLength(1);
  });

  test('does not promise what was not passed on', async () => {
    await using started = await start({ moveCall: () => false });
    started.platform.fault('messaging.conversations.addNote', [{ status: 400 }]);

    expect((await started.run()).value).toMatchObject({
      reason: 'no_one_answered',
      next: 'Nothing was passed on: say so, and ask the caller to ring again.',
    });
  });

  test('moves the call also when the platform is down', async () => {
    await using started = await start();
    for (const operation of ['messaging.teams.get', 'messaging.contacts.search'] as const)
      started.platform.fault(operation, [{ status: 500, times: 20 }]);

    expect((await started.run()).value).toEqual({ transferred: true, to: 'Billing' });
    expect(started.moved).toMatchObject([{ summary: wish.summary, conversationId: undefined, colleagues: [] }]);
  });

  test("moves the call when the platform doesn't say who is in the team", async () => {
    await using started = await start();
    const team = { type: 'team', id: started.team.id, name: 'Billing' };
    started.platform.fault('messaging.teams.get', [{ status: 200, body: team }]);

    expect((await started.run()).value).toEqual({ transferred: true, to: 'Billing' });
    expect(started.moved).toMatchObject([{ colleagues: [] }]);
  });

  test('moves the call of a caller who is not known, and writes nothing', async () => {
    await using started = await start({ isAnonymous: true });

    expect((await started.run()).value).toEqual({ transferred: true, to: 'Billing' });
    expect(started.moved).toMatchObject([{ conversationId: undefined }]);
    expect(started.messaging.conversations).toEqual([]);
  });

  test("writes nothing to a stranger's record, whose address the caller says", async () => {
    await using started = await start({ isAnonymous: true, moveCall: () => false });
    await started.run('identify_caller', { email: 'victoria@example.com' });

    expect((await started.run()).value).toMatchObject({
      next: 'Nothing was passed on: say so, and ask the caller to ring again.',
    });
    expect(started.messaging.conversations).toEqual([]);
  });
});

describe('an option that can never work is refused when it is set', () => {
  const authenticate = bearer(() => 'secret');
  const crm = { baseUrl: 'https://c.example', authenticate, version: '60.0' };
  const messaging = { baseUrl: 'https://m.example', authenticate, platform: 'Acme', version: '2.11', adminId: '7' };
  const refusing = (name: string) => ({ ...messaging, dialect: { refuses: { [name]: 'use the address book' } } });
  const transfer = { moveCall: () => true, whenUnavailable: next };
  const withHours = { transfer: { ...transfer, officeHoursId: '3' } };

  test.each<[why: string, clients: IntegrationOptions, call: object, problem: string]>([
    ['office hours without a platform', { crm }, withHours, 'transfer.officeHoursId needs a messaging platform'],
    [
      'office hours of a platform without them',
      { messaging: refusing('messaging.officeHours') },
      withHours,
      "transfer.officeHoursId can't work: use the address book",
    ],
    [
      'teams of a platform without them',
      { messaging: refusing('messaging.conversations.assignToTeam') },
      { teams: { Billing: '3' } },
      "teams.Billing can't work: use the address book",
    ],
    [
      'tickets of a platform without them',
      { messaging: refusing('messaging.tickets') },
      { ticketTypeId: '3' },
      "ticketTypeId can't work: use the address book",
    ],
    [
      'an id that the platform can not have',
      { messaging: { ...messaging, dialect: { settingProblem: () => 'must be a word' } } },
      { teams: { Billing: '3' } },
      'adminId must be a word',
    ],
  ])('%s', (_why, clients, call, problem) => {
    const phoneCalls = { tools: { call } };

    expect(() => createIntegration({ ...clients, phoneCalls })).toThrow(problem);
  });

  test('in a phone call without an integration too', () => {
    const client = createMessagingClient(refusing('messaging.officeHours'));
    const options = { callId: 'CA1', direction: 'inbound', tools: { call: withHours } } as const;

    expect(() => startPhoneCall({ messaging: client }, options)).toThrow('tools.call.transfer.officeHoursId');
    expect(() => startPhoneCall({ messaging: { ...client } }, options)).toThrow('tools.call.transfer.officeHoursId');
  });

  test('what the platform can do passes, and a client of your own says nothing', () => {
    const client = createMessagingClient(messaging);
    const options = { callId: 'CA1', direction: 'inbound', tools: { call: withHours } } as const;

    expect(() => createIntegration({ messaging, phoneCalls: { tools: { call: withHours } } })).not.toThrow();
    expect(() => startPhoneCall({ messaging: { ...client } }, options)).not.toThrow();
  });
});
