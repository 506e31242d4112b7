/**
 * Zendesk's schedules as office hours. Both are for administrators alone.
 * Source: developer.zendesk.com, Schedules, read 2026-11-27.
 */
import { dayMs } from '../../core/timers.ts';
import type { EntryOverrides } from '../../api/entry.ts';
import type { MessagingEndpoints } from '../dialect.ts';
import { type Fields, one, several } from './answers.ts';

const toOfficeHours = ({ time_zone, intervals, ...schedule }: Fields): object => ({
  ...schedule,
  time_zone_name: typeof time_zone === 'string' ? ianaTimeZone(time_zone) : time_zone,
  time_intervals: Array.isArray(intervals) ? intervals.flatMap(sinceMonday) : intervals,
});

/** Office hours are schedules, and their exceptions are holidays. */
export const zendeskOfficeHours: EntryOverrides<MessagingEndpoints['officeHours']> = {
  list: { path: 'business_hours/schedules.json', answer: several('schedules', toOfficeHours) },
  get: { path: 'business_hours/schedules/{id}.json', answer: one('schedule', toOfficeHours) },
  listExceptions: {
    path: 'business_hours/schedules/{id}/holidays.json',
    answer: (answer) => {
      const { holidays } = Object(answer) as Fields;
      if (!Array.isArray(holidays)) return answer;
      return { data: holidays.flatMap((holiday: unknown) => daysOf(Object(holiday) as Fields)) };
    },
  },
};

const day = 24 * 60;
const week = 7 * day;

/** Zendesk counts minutes from Sunday, which is our last day: what goes on after it becomes two intervals. */
const sinceMonday = (interval: unknown): readonly object[] => {
  const { start_time, end_time } = Object(interval) as Fields;
  if (typeof start_time !== 'number' || typeof end_time !== 'number') return [{ start_time, end_time }];
  const [start, end] = [start_time - day, end_time - day];
  if (start >= 0) return [{ start_minute: start, end_minute: end }];
  const untilMonday = { start_minute: start + week, end_minute: Math.min(end, 0) + week };
  return end > 0 ? [untilMonday, { start_minute: 0, end_minute: end }] : [untilMonday];
};

/** A holiday lasts one or more whole days of one year: each is an exception. */
const daysOf = (holiday: Fields): readonly object[] => {
  const { start_date, end_date = start_date } = holiday;
  const [first, last] = [start_date, end_date].map((date) => Date.parse(String(date).slice(0, 10)));
  const days = Math.round((Number(last) - Number(first)) / dayMs) + 1;
  const count = days >= 1 ? Math.min(days, mostDays) : 0;
  return Array.from({ length: count }, (_, index) => ({
    ...holiday,
    exception_date: new Date(Number(first) + index * dayMs).toISOString().slice(0, 10),
    exception_type: 'closed',
  }));
};

const mostDays = 1_000;

/**
 * The IANA time zone of a name that Zendesk has from Rails, such as `Pacific Time (US & Canada)`. Any other name is
 * returned as it is.
 * Source: ActiveSupport::TimeZone of rails/rails, read 2026-11-27.
 */
export const ianaTimeZone = (name: string): string => {
  if (Object.hasOwn(zones, name)) return zones[name] ?? name;
  const city = name.replaceAll(' ', '_');
  return regions.map((region) => `${region}/${city}`).find(isZone) ?? name;
};

/** The names that aren't the city of their zone. */
const zones: Readonly<Record<string, string>> = {
  'Abu Dhabi': 'Asia/Muscat',
  Alaska: 'America/Juneau',
  'American Samoa': 'Pacific/Pago_Pago',
  Arizona: 'America/Phoenix',
  Astana: 'Asia/Almaty',
  'Atlantic Time (Canada)': 'America/Halifax',
  Beijing: 'Asia/Shanghai',
  Bern: 'Europe/Zurich',
  Brasilia: 'America/Sao_Paulo',
  'Buenos Aires': 'America/Argentina/Buenos_Aires',
  Canberra: 'Australia/Melbourne',
  'Cape Verde Is.': 'Atlantic/Cape_Verde',
  'Central America': 'America/Guatemala',
  'Central Time (US & Canada)': 'America/Chicago',
  'Chatham Is.': 'Pacific/Chatham',
  Chennai: 'Asia/Kolkata',
  'Eastern Time (US & Canada)': 'America/New_York',
  Edinburgh: 'Europe/London',
  Ekaterinburg: 'Asia/Yekaterinburg',
  Georgetown: 'America/Guyana',
  Greenland: 'America/Godthab',
  Guadalajara: 'America/Mexico_City',
  Hanoi: 'Asia/Bangkok',
  Hawaii: 'Pacific/Honolulu',
  'Indiana (East)': 'America/Indiana/Indianapolis',
  'International Date Line West': 'Pacific/Midway',
  Islamabad: 'Asia/Karachi',
  Kyev: 'Europe/Kiev',
  Kyiv: 'Europe/Kiev',
  'Marshall Is.': 'Pacific/Majuro',
  'Mid-Atlantic': 'Atlantic/South_Georgia',
  'Midway Island': 'Pacific/Midway',
  'Mountain Time (US & Canada)': 'America/Denver',
  Mumbai: 'Asia/Kolkata',
  'New Caledonia': 'Pacific/Noumea',
  'New Delhi': 'Asia/Kolkata',
  Newfoundland: 'America/St_Johns',
  "Nuku'alofa": 'Pacific/Tongatapu',
  Osaka: 'Asia/Tokyo',
  'Pacific Time (US & Canada)': 'America/Los_Angeles',
  Pretoria: 'Africa/Johannesburg',
  Quito: 'America/Lima',
  Samoa: 'Pacific/Apia',
  Sapporo: 'Asia/Tokyo',
  Saskatchewan: 'America/Regina',
  'Solomon Is.': 'Pacific/Guadalcanal',
  'Sri Jayawardenepura': 'Asia/Colombo',
  'St. Petersburg': 'Europe/Moscow',
  'Tokelau Is.': 'Pacific/Fakaofo',
  UTC: 'Etc/UTC',
  Wellington: 'Pacific/Auckland',
  'West Central Africa': 'Africa/Algiers',
};

/** The regions of all other names, which are the city of their zone. */
const regions = ['America', 'Europe', 'Asia', 'Africa', 'Australia', 'Pacific', 'Atlantic'];

const isZone = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};
