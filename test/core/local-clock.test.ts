import { describe, expect, test } from 'vitest';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { createLocalClock } from '../../src/core/local-clock.ts';

describe('the clock of a time zone', () => {
  test.each([
    ['America/New_York', '2026-11-24T14:00Z', '2026-11-24T09:00-05:00', 'Tuesday'],
    ['Asia/Kathmandu', '2026-06-30T20:00Z', '2026-07-01T01:45+05:45', 'Wednesday'],
  ])('shows the time in %s', (zone, moment, iso, weekday) => {
    expect(createLocalClock(zone).at(new Date(moment))).toMatchObject({ iso, weekday, date: iso.slice(0, 10) });
  });

  test.each<[zone: string, moment: Date | number | string, day: string | undefined]>([
    // Evening and morning, on both sides of the date line.
    ['America/Los_Angeles', '2026-11-27T03:00:00Z', '2026-11-26'],
    ['Pacific/Pago_Pago', new Date('2026-11-27T10:59:00Z'), '2026-11-26'],
    ['Pacific/Kiritimati', new Date('2026-11-26T10:00:00Z'), '2026-11-27'],
    ['Pacific/Auckland', Date.parse('2026-11-26T11:30:00Z'), '2026-11-27'],
    // Zones of half and quarter hours.
    ['Asia/Kolkata', '2026-11-26T18:29:59Z', '2026-11-26'],
    ['Asia/Kolkata', '2026-11-26T18:30:00Z', '2026-11-27'],
    ['Asia/Kathmandu', '2026-11-26T18:14:00+00:00', '2026-11-26'],
    ['America/St_Johns', '2026-11-27T03:29:00Z', '2026-11-26'],
    // Days of 23 and of 25 hours.
    ['America/New_York', '2026-03-09T03:59:59Z', '2026-03-08'],
    ['America/New_York', '2026-11-02T04:59:59Z', '2026-11-01'],
    ['Europe/Berlin', 1_801_433_599_000, '2027-01-31'],
    // Seconds before midnight, and midnight itself, as people and programs write a last day.
    ['America/Los_Angeles', 1_801_468_799_000, '2027-01-31'],
    ['America/Los_Angeles', Date.UTC(2027, 0, 31), '2027-01-31'],
    ['America/Los_Angeles', '2027-01-31T00:00:00.000Z', '2027-01-31'],
    ['America/Los_Angeles', '2027-01-31T00:00:00+01:00', '2027-01-31'],
    ['America/Los_Angeles', '2027-01-31 00:30:00+01', '2027-01-30'],
    // A day, and a time of a clock that isn't known.
    ['Asia/Tokyo', '2026-11-26', '2026-11-26'],
    ['Asia/Tokyo', '2026-11-26T23:30:00', '2026-11-26'],
    ['UTC', '2026-11-26T23:30:00-05:00', '2026-11-27'],
    ['UTC', '2026-02-30', undefined],
    ['Asia/Tokyo', '26.11.2026', undefined],
    ['Asia/Tokyo', '2026-11-26T25:00:00Z', undefined],
    ['Asia/Tokyo', Number.NaN, undefined],
    ['Asia/Tokyo', 1e20, undefined],
  ])('in %s, the day of %s is %s', (zone, moment, day) => {
    expect(createLocalClock(zone).dayOf(moment)).toBe(day);
  });

  test('is that of UTC where no zone is given, and of no zone that isn’t one', () => {
    expect(createLocalClock().dayOf('2026-11-26T23:30:00-05:00')).toBe('2026-11-27');
    for (const zone of ['Mars/Olympus', '', 'PST8'])
      expect(() => createLocalClock(zone)).toThrow(
        new InvalidArgumentError('timeZone', 'must be an IANA time zone, such as Europe/Berlin'),
      );
  });

  test('finds the moment at which it shows a time, also next to a change of the clocks', () => {
    const { at, instantOf } = createLocalClock('America/New_York');
    const days = ['2026-03-07', '2026-03-08', '2026-03-09', '2026-10-31', '2026-11-01', '2026-11-02'];

    for (const date of days)
      for (let minute = 4 * 60; minute < 24 * 60; minute += 15)
        expect(at(instantOf(date, minute) ?? new Date(0))).toMatchObject({ date, minuteOfDay: minute });
  });

  test('skips the hour that the clocks skip', () => {
    expect(createLocalClock('America/New_York').instantOf('2026-03-08', 2 * 60 + 30)).toBeUndefined();
  });
});
