import { describe, expect, it } from 'vitest';
import { callDay, toDate } from '../../../src/phone-call/steps/call-day.ts';
import { InvalidArgumentError } from '../../../src/core/errors.ts';

describe('callDay', () => {
  it('is the day on the wall of the business, on both sides of midnight', () => {
    const late = '2026-03-01T04:30:00Z';
    expect(callDay(late, 'UTC')).toBe('2026-03-01');
    expect(callDay(late, 'America/New_York')).toBe('2026-02-28');
    expect(callDay('2026-12-31T23:30:00Z', 'Pacific/Auckland')).toBe('2027-01-01');
  });

  it('follows the change to summer time', () => {
    expect(callDay('2026-06-30T22:30:00Z', 'Europe/Berlin')).toBe('2026-07-01');
    expect(callDay('2026-12-30T22:30:00Z', 'Europe/Berlin')).toBe('2026-12-30');
    const nightOfTheChange = [
      '2026-11-01T03:59:00Z',
      '2026-11-01T04:00:00Z',
      '2026-11-02T04:59:00Z',
      '2026-11-02T05:00:00Z',
    ];
    expect(nightOfTheChange.map((moment) => callDay(moment, 'America/New_York'))).toEqual([
      '2026-10-31',
      '2026-11-01',
      '2026-11-01',
      '2026-11-02',
    ]);
  });

  it('is two days at one moment on both sides of the date line', () => {
    const noon = '2026-03-01T10:30:00Z';
    expect(callDay(noon, 'Pacific/Kiritimati')).toBe('2026-03-02');
    expect(callDay(noon, 'Pacific/Pago_Pago')).toBe('2026-02-28');
  });

  it('takes a Date, milliseconds and an ISO text alike', () => {
    const at = Date.UTC(2026, 1, 3, 12);
    expect([callDay(new Date(at), 'UTC'), callDay(at, 'UTC'), callDay('2026-02-03T13:00:00+01:00', 'UTC')]).toEqual(
      Array(3).fill('2026-02-03'),
    );
  });

  it('refuses a text without an offset, which would be another moment on each machine', () => {
    for (const moment of ['2026-03-01T23:30:00', '2026-03-01', 'yesterday', Number.NaN, new Date('x')]) {
      expect(() => toDate(moment)).toThrow(
        new InvalidArgumentError('startedAt', 'must be a date, or an ISO 8601 text with its offset'),
      );
    }
  });
});
