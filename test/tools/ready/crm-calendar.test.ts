import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CrmClient } from '../../../src/crm/index.ts';
import { CircuitOpenError } from '../../../src/core/errors.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { callTools, createToolbox, type ToolCaller } from '../../../src/tools/index.ts';
import { crmCalendar, type CrmCalendarOptions } from '../../../src/tools/ready/crm-calendar.ts';
import type { FakePlatform } from '../../../src/dev/testing/index.ts';
import { bearer } from '../../../src/auth/index.ts';
import { hubspot } from '../../../src/crm/hubspot/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { createFakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';
import { connectSalesforce } from '../../support/connected-salesforce.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

type Events = CrmClient['events'];

const phone = '+14155550100';
const caller: ToolCaller = { phone, verified: 'caller-id' };
const ownerId = '005000000000001';
/** Monday, 12:10 in New York. */
const noon = Date.UTC(2026, 10, 23, 17, 10);

const start = async (
  options: Partial<CrmCalendarOptions> = {},
  eventsOf: (events: Events, platform: FakePlatform) => Partial<Events> = () => ({}),
) => {
  createVirtualClock({ wallNow: noon });
  const org = await connectSalesforce();
  const { crm, platform } = org;
  const changed: CrmClient = { ...crm, events: { ...crm.events, ...eventsOf(crm.events, platform) } };
  const calendar = crmCalendar(changed, { ownerId, timeZone: 'America/New_York', ...options });
  const tools = callTools({
    phoneCall: () => startPhoneCall({}, { callId: 'CA1', direction: 'Inbound', phone }),
    calendar,
    only: ['list_free_slots', 'book_appointment'],
  });
  const toolbox = createToolbox({ tools });
  const run = (name: string, args: object, context: { readonly callId?: string; readonly caller?: ToolCaller } = {}) =>
    toolbox.run(name, args, { callId: 'CA1', caller, ...context });
  const busy = (from: string, to: string, fields: object = {}) =>
    platform.crm.addEvent({ OwnerId: ownerId, StartDateTime: from, EndDateTime: to, ...fields });
  const freeOn = async (date: string) => {
    const [from, to] = [new Date(`${date}T05:00Z`), new Date(Date.parse(`${date}T05:00Z`) + 86_400_000)];
    const slots = await calendar.freeSlots({ from, to }, {});
    return slots.map(({ start }) => start.toISOString().slice(11, 16));
  };
  return { ...org, calendar, run, busy, freeOn };
};

describe('the free slots of a calendar in the CRM', () => {
  test('are within the opening hours, on weekdays, from now on', async () => {
    await using started = await start({ slotMinutes: 60, opensAt: '09:30', closesAt: '13:00' });

    expect(await started.freeOn('2026-11-24')).toEqual(['14:30', '15:30', '16:30']);
    expect(await started.freeOn('2026-11-28')).toEqual([]);
    expect((await started.run('list_free_slots', {})).value).toMatchObject({
      slots: [
        { start: '2026-11-24T09:30-05:00', day: 'Tuesday' },
        { start: '2026-11-24T10:30-05:00' },
        { start: '2026-11-24T11:30-05:00' },
        { start: '2026-11-25T09:30-05:00', day: 'Wednesday' },
        { start: '2026-11-25T10:30-05:00' },
      ],
    });
  });

  test('leave out what is taken, and what no one can be at', async () => {
    await using started = await start({ slotMinutes: 60 });
    const { busy } = started;
    busy('2026-11-24T14:30:00Z', '2026-11-24T15:30:00Z');
    busy('2026-11-24T18:00:00Z', '2026-11-24T19:00:00Z', { ShowAs: 'OutOfOffice' });
    busy('2026-11-24T20:00:00Z', '2026-11-24T21:00:00Z', { ShowAs: 'Free' });
    busy('2026-11-24T21:00:00Z', '2026-11-24T22:00:00Z', { OwnerId: '005000000000002' });

    expect(await started.freeOn('2026-11-24')).toEqual(['16:00', '17:00', '19:00', '20:00', '21:00']);
  });

  test('leave out a day that an event takes whole', async () => {
    await using started = await start();
    started.busy('2026-11-24T00:00:00Z', '2026-11-25T00:00:00Z', { IsAllDayEvent: true });

    expect(await started.freeOn('2026-11-24')).toEqual([]);
    expect(await started.freeOn('2026-11-25')).toEqual([]);
    expect(await started.freeOn('2026-11-26')).toHaveLength(16);
  });

  test('leave out that day also in its last hours, where UTC is a day ahead', async () => {
    await using started = await start({ timeZone: 'America/Los_Angeles' });
    started.busy('2026-11-24T00:00:00Z', '2026-11-24T00:00:00Z', { IsAllDayEvent: true });

    expect((await started.run('book_appointment', { start: '2026-11-24T16:30-08:00' })).value).toMatchObject({
      error: 'slot_taken',
    });
  });

  test('are not taken by the days that begin after them', async () => {
    await using started = await start({ timeZone: 'America/Los_Angeles' });
    started.busy('2026-11-25T00:00:00Z', '2026-11-26T00:00:00Z', { IsAllDayEvent: true });

    expect((await started.run('book_appointment', { start: '2026-11-24T16:30-08:00' })).value).toMatchObject({
      booked: true,
    });
  });

  test("aren't the caller's because of an event of theirs that takes the day", async () => {
    await using started = await start({ timeZone: 'Asia/Tokyo' });
    const { Id } = started.platform.crm.addContact({ LastName: 'Okafor', Phone: phone });
    const day = { OwnerId: ownerId, WhoId: Id, IsAllDayEvent: true, ShowAs: 'Free' };
    started.platform.crm.addEvent({
      ...day,
      StartDateTime: '2026-11-25T00:00:00Z',
      EndDateTime: '2026-11-25T00:00:00Z',
    });

    expect((await started.run('book_appointment', { start: '2026-11-25T09:00+09:00' })).value).toMatchObject({
      booked: true,
    });
  });

  test('keep the local time when the clocks change', async () => {
    await using started = await start({ weekdays: ['Sunday'], slotMinutes: 60, opensAt: '01:00', closesAt: '04:00' });

    // At two o'clock it becomes three.
    const slots = await started.calendar.freeSlots(
      { from: new Date('2027-03-14T00:00Z'), to: new Date('2027-03-15T00:00Z') },
      {},
    );

    expect(slots.map((slot) => slot.start.toISOString())).toEqual([
      '2027-03-14T06:00:00.000Z',
      '2027-03-14T07:00:00.000Z',
    ]);
  });

  test.each<[option: Partial<CrmCalendarOptions>, field: string]>([
    [{ timeZone: 'Mars' }, 'timeZone'],
    [{ opensAt: '9' }, 'opensAt'],
    [{ slotMinutes: 0 }, 'slotMinutes'],
  ])('refuse %o', async (options, field) => {
    await expect(start(options)).rejects.toMatchObject({ field });
  });
});

describe('an appointment in the CRM', () => {
  const tuesday = { start: '2026-11-24T09:00-05:00', reason: 'Demo of the scanner' };
  const at = { StartDateTime: '2026-11-24T14:00:00.000Z', EndDateTime: '2026-11-24T14:30:00.000Z' };

  test("is an event that relates to the caller's contact", async () => {
    await using started = await start();
    const { Id } = started.platform.crm.addContact({ LastName: 'Okafor', Phone: phone });

    expect((await started.run('book_appointment', tuesday)).value).toMatchObject({ booked: true, day: 'Tuesday' });
    expect(started.platform.crm.events).toMatchObject([
      {
        OwnerId: ownerId,
        WhoId: Id,
        Subject: 'Appointment by phone',
        Description: `Reason: Demo of the scanner\nCaller: ${phone}\nReference: CA1:appointment:2026-11-24T14:00:00.000Z`,
      },
    ]);
    const [event] = started.platform.crm.events;
    expect(Date.parse(String(event?.StartDateTime))).toBe(Date.parse(at.StartDateTime));
    expect(Date.parse(String(event?.EndDateTime))).toBe(Date.parse(at.EndDateTime));
  });

  test.each(['a caller whom the CRM does not know', 'one of several who share the number'])(
    'of %s relates to no one, and has the number',
    async (who) => {
      await using started = await start();
      const { crm } = started.platform;
      if (who.startsWith('one')) for (const LastName of ['Okafor', 'Park']) crm.addContact({ LastName, Phone: phone });

      await started.run('book_appointment', tuesday);
      const again = await started.run('book_appointment', tuesday, { callId: 'CA2' });

      expect(again.value).toMatchObject({ already_booked: true });
      expect(crm.events).toHaveLength(1);
      expect(crm.events[0]?.WhoId ?? null).toBeNull();
      expect(crm.events[0]?.Description).toContain(phone);
    },
  );

  test("isn't taken for the caller's when it relates to another person who once had the number", async () => {
    await using started = await start();
    const { crm } = started.platform;
    const { Id } = crm.addContact({ LastName: 'Before', Phone: '+14155550111' });
    crm.addContact({ LastName: 'Okafor', Phone: phone });
    crm.addEvent({ ...at, OwnerId: ownerId, WhoId: Id, Description: `Caller: ${phone}` });

    expect((await started.run('book_appointment', tuesday)).value).toMatchObject({ error: 'slot_taken' });
  });

  test('is made for no one whose number and address are not known', async () => {
    await using started = await start();

    expect((await started.run('book_appointment', tuesday, { caller: { verified: 'strong' } })).value).toMatchObject({
      reason: 'identify_caller_first',
    });
    expect(started.platform.crm.events).toEqual([]);
  });

  test('is made once when the answer to it is lost', async () => {
    await using started = await start();
    started.platform.fault('crm.events.create', [{ executeThenDrop: true }]);

    expect((await started.run('book_appointment', tuesday)).value).toMatchObject({ booked: true });
    expect(started.platform.crm.events).toHaveLength(1);
  });

  test('that was not made is made when it is asked for again', async () => {
    await using started = await start();
    started.platform.fault('crm.events.create', [{ reset: 'before-headers' }]);

    const first = await started.run('book_appointment', tuesday);
    const second = await started.run('book_appointment', tuesday);

    expect([first.status, second.status]).toEqual(['unknown', 'done']);
    expect(started.platform.crm.events).toHaveLength(1);
  });

  test('of two callers at the same moment is kept by one, and the other reads that the slot is taken', async () => {
    await using started = await start();
    const other = { callId: 'CA2', caller: { phone: '+14155550199', verified: 'caller-id' } } as const;

    const ends = await Promise.all([
      started.run('book_appointment', tuesday),
      started.run('book_appointment', tuesday, other),
    ]);

    expect(ends.map(({ status }) => status).toSorted()).toEqual(['done', 'refused']);
    expect(started.platform.crm.events).toHaveLength(1);
  });

  test.each([
    ['the answer to the booking is lost', 'crm.events.create', { executeThenDrop: true }],
    ['the check after it fails', 'crm.events.search', { status: 400 }],
  ] as const)('that another caller got a moment before is theirs, even if %s', async (_what, operation, fault) => {
    let isFirst = true;
    await using started = await start({}, (events, platform) => ({
      create: (...asked) => {
        // The other caller's event is written between the look at the calendar and this one's.
        if (isFirst) started.busy('2026-11-24T14:00:00Z', '2026-11-24T14:30:00Z');
        isFirst = false;
        platform.fault(operation, [fault]);
        return events.create(...asked);
      },
    }));

    const { status } = await started.run('book_appointment', { start: '2026-11-24T09:00-05:00' });

    expect(status).not.toBe('done');
    expect(started.platform.crm.events).toHaveLength(1);
  });

  test('of one caller, booked by two processes at once in other words, is one', async () => {
    await using started = await start();
    const another = createToolbox({
      tools: callTools({
        phoneCall: () => startPhoneCall({}, { callId: 'CA1', direction: 'Inbound', phone }),
        calendar: started.calendar,
      }),
    });

    const ends = await Promise.all([
      started.run('book_appointment', tuesday),
      another.run('book_appointment', { ...tuesday, reason: 'A demo' }, { callId: 'CA1', caller }),
    ]);

    expect(ends.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(started.platform.crm.events).toHaveLength(1);
  });

  test.each(['\n', ''])("isn't taken for another caller's because of its reason", async (before) => {
    await using started = await start();
    const other = { callId: 'CA2', caller: { phone: '+14155550199', verified: 'caller-id' } } as const;

    await started.run('book_appointment', { ...tuesday, reason: `${before}Caller: ${other.caller.phone}` });

    expect((await started.run('book_appointment', tuesday, other)).value).toMatchObject({ error: 'slot_taken' });
  });

  test('is neither said to be made nor to have failed when no look at its time succeeds', async () => {
    let isMade = false;
    await using started = await start({}, (events) => ({
      create: async (...event) => {
        const made = await events.create(...event);
        isMade = true;
        return made;
      },
      searchAll: (...search) => {
        if (isMade) throw new CircuitOpenError('the circuit is open', {});
        return events.searchAll(...search);
      },
    }));

    expect(await started.run('book_appointment', tuesday)).toMatchObject({ status: 'unknown' });
    expect(started.platform.crm.events).toHaveLength(1);
  });

  test.each(['not_sent', 'unknown'] as const)(
    "isn't said to be made when another caller was first, and deleting it ends as %s",
    async (outcome) => {
      await using started = await start({}, (events, { crm }) => ({
        create: async (...event) => {
          const CreatedDate = new Date(noon - 1000).toISOString();
          crm.addEvent({ ...at, OwnerId: ownerId, CreatedDate });
          return events.create(...event);
        },
        delete: async () => {
          throw new CircuitOpenError('the circuit is open', { outcome });
        },
      }));

      expect((await started.run('book_appointment', tuesday)).value).toMatchObject({ error: 'slot_taken' });
    },
  );
});

const mine = { attendee: { phone, email: undefined }, from: new Date(noon), to: new Date(noon + 366 * 86_400_000) };
const tuesdayAtNine = { start: new Date('2026-11-24T14:00Z'), end: new Date('2026-11-24T14:30Z') };
const fridayAtTen = { start: new Date('2026-11-27T15:00Z'), end: new Date('2026-11-27T15:30Z') };

/** Both CRMs, with a contact of the caller and another person's, and a calendar of each. */
const inBothCrms = [
  [
    'Salesforce',
    async () => {
      const { platform, crm, [Symbol.asyncDispose]: dispose } = await connectSalesforce();
      const contact = (LastName: string, Phone: string) => platform.crm.addContact({ LastName, Phone }).Id;
      return { platform, crm, contact, owner: ownerId, [Symbol.asyncDispose]: dispose };
    },
  ],
  [
    'HubSpot',
    async () => {
      const platform = createFakePlatform({ crm: { dialect: 'hubspot' } });
      const { crm: baseUrl } = await platform.listen();
      const crm = createCrmClient({
        ...hubspot(),
        baseUrl,
        authenticate: bearer(() => testCredentials.crm),
        backoff: { minimumMs: 0, maximumMs: 0 },
      });
      const contact = (lastname: string, number: string) =>
        platform.hubspot.add('contacts', { lastname, phone: number }).id;
      return { platform, crm, contact, owner: '7', [Symbol.asyncDispose]: async () => platform.close() };
    },
  ],
] as const;

describe.each(inBothCrms)('appointments in %s', (name, connect) => {
  const begin = async (options: Partial<CrmCalendarOptions> = {}) => {
    // HubSpot's searches have a rate, which passes in real time. What they don't know yet stays unknown.
    vi.useFakeTimers({ toFake: ['Date'], now: noon });
    onTestFinished(() => void vi.useRealTimers());
    const connected = await connect();
    const { crm, contact, owner } = connected;
    const [own, other] = [contact('Okafor', phone), contact('Park', '+14155550199')];
    const calendar = crmCalendar(crm, { ownerId: owner, timeZone: 'America/New_York', ...options });
    const event = (fields: object) =>
      crm.events.create({
        Subject: 'By a colleague',
        OwnerId: owner,
        StartDateTime: fridayAtTen.start.toISOString(),
        EndDateTime: fridayAtTen.end.toISOString(),
        ...fields,
      });
    const book = (attendee = mine.attendee) =>
      calendar.book({ ...tuesdayAtNine, attendee, reason: 'Demo', reference: 'CA1:a' }, {});
    const list = () => calendar.list?.(mine, {}) ?? [];
    return { ...connected, own, other, calendar, event, book, list };
  };

  test("are listed if they're the caller's: by their record, and by the number in the text", async () => {
    await using started = await begin();
    const { event, own, other } = started;
    const booked = await started.book();
    const byColleague = await event({ WhoId: own });
    await event({ WhoId: other });
    await event({ WhoId: other, Description: `Caller: ${phone}` });
    await event({});
    const { id: unrelated } = await event({ Description: `Caller: ${phone}` });

    const listed = await started.list();

    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set([booked?.id, byColleague.id, unrelated]));
    expect(listed.find(({ id }) => id === booked?.id)).toEqual({
      id: booked?.id,
      ...tuesdayAtNine,
      attendee: mine.attendee,
      reason: 'Demo',
    });
  });

  test('are moved, found at their new time, and the old time is free', async () => {
    await using started = await begin();
    await started.book();
    const [appointment] = await started.list();

    const moved = await started.calendar.move?.(
      { appointment: appointment!, to: fridayAtTen, reference: 'CA1:move' },
      {},
    );

    expect(moved).toEqual({ id: appointment?.id, ...fridayAtTen });
    expect(await started.list()).toMatchObject([fridayAtTen]);
    expect(await started.calendar.freeSlots({ from: tuesdayAtNine.start, to: tuesdayAtNine.end }, {})).toHaveLength(1);
    expect(await started.calendar.freeSlots({ from: fridayAtTen.start, to: fridayAtTen.end }, {})).toEqual([]);
  });

  test('are cancelled, and cancelling them again is no error', async () => {
    await using started = await begin();
    const booked = await started.book();
    const [appointment] = await started.list();

    await started.calendar.cancel?.(appointment!, {});
    await started.calendar.cancel?.(appointment!, {});

    expect(await started.list()).toEqual([]);
    expect(await started.calendar.freeSlots({ from: tuesdayAtNine.start, to: tuesdayAtNine.end }, {})).toHaveLength(1);
    const event = await started.crm.events.get(booked?.id ?? '');
    expect(event?.['hs_meeting_outcome']).toBe(name === 'HubSpot' ? 'CANCELED' : undefined);
  });

  test('stay where they were when someone else has the new time by then', async () => {
    await using started = await begin();
    await started.book();
    const [appointment] = await started.list();
    await started.event({ WhoId: started.other });

    expect(
      await started.calendar.move?.({ appointment: appointment!, to: fridayAtTen, reference: 'CA1:move' }, {}),
    ).toBeUndefined();
    expect(await started.list()).toMatchObject([tuesdayAtNine]);
  });

  test('are changed once when the answers are lost', async () => {
    await using started = await begin();
    await started.book();
    const [appointment] = await started.list();
    started.platform.fault('crm.events.update', [{ executeThenDrop: true }]);
    started.platform.fault('crm.events.delete', [{ executeThenDrop: true }]);

    await started.calendar.move?.({ appointment: appointment!, to: fridayAtTen, reference: 'CA1:move' }, {});
    await started.calendar.cancel?.({ ...appointment!, ...fridayAtTen }, {});

    expect(await started.list()).toEqual([]);
  });
});

test('in HubSpot, an appointment that may have been made keeps its time until a search shows it', async () => {
  const [, connect] = inBothCrms[1];
  await using org = await connect();
  const { crm, platform, contact } = org;
  contact('Okafor', phone);
  contact('Park', '+14155550199');
  const calendar = crmCalendar(crm, { ownerId: '7', timeZone: 'America/New_York' });
  const run = (name: string, args: object, number: string) =>
    createToolbox({
      tools: callTools({
        phoneCall: () => startPhoneCall({}, { callId: number, direction: 'Inbound', phone: number }),
        calendar,
        only: ['list_free_slots', 'book_appointment'],
      }),
    }).run(name, args, { callId: number, caller: { phone: number, verified: 'caller-id' } });
  const { slots } = (await run('list_free_slots', {}, phone)).value as { slots: readonly { start: string }[] };
  const book = (number: string) => run('book_appointment', { start: slots.at(-1)?.start }, number);
  platform.fault('crm.events.create', [{ executeThenDrop: true }]);

  const first = await book(phone);
  const again = await book(phone);
  const other = await book('+14155550199');

  expect([first.status, again.status]).toEqual(['unknown', 'unknown']);
  expect(other).toMatchObject({ status: 'refused', value: { error: 'slot_taken' } });
  expect(platform.hubspot.records('meetings')).toHaveLength(1);
});

test("a CRM that says done and does nothing isn't believed", async () => {
  await using started = await start({}, (events) => ({
    update: async (id) => ({ id }),
    cancel: async () => {},
    get: events.get,
  }));
  await started.run('book_appointment', { start: '2026-11-24T09:00-05:00' });
  const [appointment] = (await started.calendar.list?.(mine, {})) ?? [];

  await expect(
    started.calendar.move?.({ appointment: appointment!, to: fridayAtTen, reference: 'r' }, {}),
  ).rejects.toMatchObject({ outcome: 'unknown' });
  await expect(started.calendar.cancel?.(appointment!, {})).rejects.toMatchObject({ outcome: 'unknown' });
});
