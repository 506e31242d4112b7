import { describe, expect, test } from 'vitest';
import { createLocalClock } from '../../src/tools/local-clock.ts';

describe('the clock of a time zone', () => {
  test.each([
    ['America/New_York', '2026-11-24T14:00Z', '2026-11-24T09:00-05:00', 'Tuesday'],
    ['Asia/Kathmandu', '2026-06-30T20:00Z', '2026-07-01T01:45+05:45', 'Wednesday'],
  ])('shows the time in %s', (zone, moment, iso, weekday) => {
    expect(createLocalClock(zone).at(new Date(moment))).toMatchObject({ iso, weekday, date: iso.slice(0, 10) });
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
