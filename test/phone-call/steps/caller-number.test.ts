import { expect, test } from 'vitest';
import { callerNumber, createIntegration } from '../../../src/index.ts';
import { apiKey } from '../../../src/auth/index.ts';
import { readTransmittedNumber } from '../../../src/phone-call/steps/caller-number.ts';

test.each([
  'anonymous',
  'Anonymous',
  'ANONYMOUS',
  'Restricted',
  'private',
  'Private Number',
  'PRIVATE_NUMBER',
  'unavailable',
  'Unknown',
  'unknown-unknown',
  'blocked',
  'withheld',
  'No Caller ID',
  'no_caller_id',
  'Payphone',
  'out of area',
  'null',
  'undefined',
  'None',
  '[unknown]',
  '(withheld)',
  'not available',
  'asterisk',
  'n/a',
  '+266696687',
  '266696687',
  '+1266696687',
  '+7378742833',
  '7378742833',
  '+86282452253',
  '+2562533',
  '+8656696',
  '+7748283',
  '+94844353',
  '+72974663',
  '00266696687',
  '+266 696 687',
  'tel:+266696687',
  'sip:+266696687@pstn.example',
  'Anonymous@anonymous.invalid',
  'sip:anonymous@anonymous.invalid',
  '"Anonymous" <sip:anonymous@anonymous.invalid>;tag=1',
  '<sip:unavailable@unknown.invalid>',
  'sip:ada@example.com',
  'sips:ada@example.com',
  'client:alice',
  'sip:+14155550100@anonymous.invalid',
  '"+14155550100" <sip:alice@example.com>',
  '"<sip:+14155550100@x.example>" <sip:alice@example.com>',
  '"<sip:+14155550100@x.example> <sip:alice@example.com>',
  '<sip:+14155550100@a.example>, <tel:+14155550199>',
  '<sip:+14155550100@carrier.example',
  'sip:%@carrier.example',
  'whatsapp-user',
  'whatsapp:ada',
  '+14155550100;+14155550101',
  'tel:+14155550100;+14155550101',
  'sip:+14155550100;4155550101@carrier.example',
  'messenger:1234567890',
  '',
  ' ',
  '+',
  '++14155550100',
  '0',
  '00000000',
  '0000000000',
  '+10000000000',
  '9999999999',
  '+1',
  '+1415',
  '911',
  '+911',
  '112',
  '12345',
  '1001',
  'sip:1001@pbx.example',
  '+0123456789',
  '+1234567890123456',
  '+',
  '-',
  '+1-800-FLOWERS',
  '123e4567-e89b-12d3-a456-426614174000',
  'a4155550100',
  '*674155550100',
])('%j is no number', (said) => {
  expect(readTransmittedNumber(said)).toEqual({ is: 'withheld' });
  expect(callerNumber(said)).toBeUndefined();
});

test.each([
  '+14155550100',
  ' +14155550100\n',
  '+1 415 555 0100',
  '+1 (415) 555-0100',
  '+1-415-555-0100',
  '+1.415.555.0100',
  '+1 415/555/0100',
  '+1‑415–555–0100',
  '‪+14155550100‬',
  '+1\xA0415\xA0555\xA00100',
  '＋１４１５５５５０１００',
  '+١٤١٥٥٥٥٠١٠٠',
  '+۱۴۱۵۵۵۵۰۱۰۰',
  '%2B14155550100',
  '"+14155550100"',
  'tel:+14155550100',
  'TEL:+1-415-555-0100',
  'tel:+1(415)555.0100;ext=12',
  'tel:%2B14155550100',
  'tel://+14155550100',
  'sip:+14155550100@carrier.example',
  'sips:+14155550100@10.0.0.1:5061',
  'sip:+14155550100',
  'SIP:+14155550100@x',
  'sip:+14155550100@host.example;user=phone',
  'sip:%2B14155550100@host.example',
  '+14155550100@sip.example',
  'sip:+14155550100;npdi;rn=+14155550000@carrier.example',
  '<sip:+14155550100@x.example;user=phone>;tag=1',
  '"Ada \\" Lee" <sip:+14155550100@x.example>',
  'Ada <tel:+14155550100>',
  '<sip:+14155550100@x>, <tel:+14155550100>',
  'P-Asserted-Identity: "Ada" <sip:+14155550100@x.example>',
  '"sip:+19995550000@x" <sip:+14155550100@x.example>',
  'whatsapp:+14155550100',
  'WhatsApp:+1 415 555 0100',
  '+14155550100 ext 5',
  '+1 415 555 0100 extension 12',
  '+1 415 555 0100 Ext.: 12',
  '+14155550100x5',
  '+1 (415) 555-0100 #5',
  'tel:+14155550100 x5;isub=1',
])('%j is a number', (said) => {
  expect(callerNumber(said)).toBe('+14155550100');
});

test.each([
  ['4155550100', '4155550100'],
  ['(415) 555-0100', '(415) 555-0100'],
  ['14155550100', '14155550100'],
  ['0049 30 1234567', '0049 30 1234567'],
  ['sip:4155550100@carrier.example', '4155550100'],
  ['"Ada" <sip:0301234567@10.0.0.1>', '0301234567'],
  ['tel:555-0100;phone-context=+1415', '555-0100'],
  ['415-555-0100 x12', '415-555-0100 x12'],
  ['+44 (0)20 7183 8750', '+44 (0)20 7183 8750'],
])('the country of %j is not certain', (said, text) => {
  expect(readTransmittedNumber(said)).toEqual({ is: 'national', text });
  expect(callerNumber(said)).toBeUndefined();
});

test.each([
  '{{customer.number}}',
  '${from}',
  '<caller_id>',
  '{phone}',
  '%FROM%',
  '$from',
  ':phone',
  '[object Object]',
  'sip:{{user}}@carrier.example',
  '[[phone]]',
  '%7B%7Bfrom%7D%7D',
  '{{ anonymous }}',
])('%j was never filled in', (said) => {
  expect(readTransmittedNumber(said)).toEqual({ is: 'placeholder' });
});

test.each([
  undefined,
  null,
  true,
  Number.NaN,
  {},
  [],
  ['+14155550100'],
  Symbol('phone'),
  () => '+14155550100',
  { toString: () => '+14155550100' },
  '\ud800',
  `+${'1'.repeat(1_000_000)}`,
  '"'.repeat(1_000_000),
  '<sip:'.repeat(100),
  `"${'\\'.repeat(500)}`,
])('nothing throws, and %o is no number', (said) => {
  expect(readTransmittedNumber(said)).toEqual({ is: 'withheld' });
});

test('a number that JSON holds as a number has no certain country', () => {
  expect(readTransmittedNumber(4155550100)).toEqual({ is: 'national', text: '4155550100' });
});

test.each([
  ['+1 (415) 555-0100', '+14155550100', 'caller-id'],
  ['sip:+14155550100@carrier.example', '+14155550100', 'caller-id'],
  ['+266696687', undefined, 'no'],
  ['anonymous', undefined, 'no'],
  [null, undefined, 'no'],
])('a phone call starts with %j as its platform says it', async (said, phone, verified) => {
  await using integration = createIntegration({
    billing: {
      baseUrl: 'https://billing.example.com',
      authenticate: apiKey('X-Api-Key', () => 'key'),
      version: 'in-base-url',
    },
    payments: { below: 5, confirm: false },
  });
  const { caller, direction } = integration.startPhoneCall({ callId: 'CA1', direction: 'outbound', phone: said });

  expect({ caller, direction }).toMatchObject({ caller: { phone, verified }, direction: 'Outbound' });
});
