import { expect, test } from 'vitest';
import { matchContact } from '../../src/messaging/find-contacts.ts';

test('no contact is found among strangers', () => {
  expect(matchContact([], { field: 'phone', value: '+14155550100' })).toBeUndefined();
  expect(
    matchContact(
      [{ id: 'a', phone: '+141555501000' }, { id: 'b', phone: null }, { id: 'c' }, { id: 'd', email: '+14155550100' }],
      { field: 'phone', value: '+14155550100' },
    ),
  ).toBeUndefined();
});

test.each(['+14155550100', '001 415 555 0100'])('the number %s is the same number', (phone) => {
  expect(matchContact([{ id: 'a', phone }], { field: 'phone', value: '+14155550100' })).toEqual({
    contact: { id: 'a', phone },
    ambiguous: false,
    count: 1,
  });
});

test('an address is the same whatever its case', () => {
  expect(
    matchContact([{ id: 'a', email: ' Ada@Example.COM' }], { field: 'email', value: 'ada@example.com' })?.contact.id,
  ).toBe('a');
  expect(
    matchContact([{ id: 'a', email: 'ada@example.com.au' }], { field: 'email', value: 'ada@example.com' }),
  ).toBeUndefined();
});

test('of several the most recently updated is taken, and the match says that it is ambiguous', () => {
  const contacts = [
    { id: 'never', phone: '+14155550100' },
    { id: 'seconds', phone: '+14155550100', updated_at: 1_700_000_000 },
    { id: 'date', phone: '+14155550100', updated_at: '2026-11-21T10:00:00Z' },
    { id: 'milliseconds', phone: '+14155550100', updated_at: 1_700_000_000_001 },
    { id: 'stranger', phone: '+14155550101', updated_at: '2026-11-22T10:00:00Z' },
  ];
  expect(matchContact(contacts, { field: 'phone', value: '+14155550100' })).toEqual({
    contact: contacts[2],
    ambiguous: true,
    count: 4,
  });
});

test('seconds may be written as text', () => {
  const contacts = [
    { id: 'older', phone: '+14155550100', updated_at: '1700000000' },
    { id: 'newer', phone: '+14155550100', updated_at: '1700000001' },
  ];
  expect(matchContact(contacts, { field: 'phone', value: '+14155550100' })?.contact).toEqual(contacts[1]);
});

test('a contact that is listed twice is one contact', () => {
  const contact = { id: 'a', phone: '+14155550100' };
  expect(matchContact([contact, contact], { field: 'phone', value: '+14155550100' })).toEqual({
    contact,
    ambiguous: false,
    count: 1,
  });
});

test('a number in the field that the platform shows counts too', () => {
  const contact = { id: 'a', phone: '(415) 555-0100 work', formatted_phone: '+1 415-555-0100' };
  expect(matchContact([contact], { field: 'phone', value: '+14155550100' })?.contact).toBe(contact);
});

test('a record that does not show what it was found by counts only where the search was for that alone', () => {
  const by = { field: 'phone', value: '+14155550100' } as const;
  expect(matchContact([{ id: 'a' }], { ...by, trusted: true })?.contact.id).toBe('a');
  expect(matchContact([{ id: 'a' }], by)).toBeUndefined();
  expect(matchContact([{ id: 'a', phone: null }], { ...by, trusted: true })).toBeUndefined();
  for (const mobile of ['+19995550000', '(999) 555-0000'])
    expect(matchContact([{ id: 'a', custom_attributes: { mobile } }], { ...by, trusted: true })).toBeUndefined();
});
