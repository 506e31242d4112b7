import { expect, test } from 'vitest';
import { isOtherPerson } from '../../src/phone/same-person.ts';

const phone = '+14155550100';
const email = 'ada@example.com';

test.each<[record: object, asked: { phone?: string; email?: string }]>([
  [{ id: 'cus_9', phone: '+19995550000', email: 'bob@example.com' }, { phone }],
  [{ phone: '+444155550100' }, { phone }],
  [{ phone: '+19995550000' }, { phone, email }],
  [{ email: 'bob@example.com' }, { email }],
  [
    { email: 'bob@example.com', phone: null },
    { phone, email },
  ],
  [{ email: 'ada@example.com.evil.example' }, { email }],
  [{ phone: '(999) 555-0000' }, { phone }],
  [{ phone: '999-555-0000 x12' }, { phone }],
  [{ phone: '９９９５５５００００' }, { phone }],
  [{ phone: 9995550000 }, { phone }],
  [{ phones: ['+19995550000', '+19995550001'] }, { phone }],
  [{ phones: [{ type: 'mobile', number: '+19995550000' }] }, { phone }],
  [{ phone_number: '+19995550000' }, { phone }],
  [{ phoneNumber: '+19995550000' }, { phone }],
  [{ contact: { phone: '+19995550000' } }, { phone }],
  [{ contact: { email: 'bob@example.com' } }, { email }],
  [{ billing_address: { phone: '+19995550000' } }, { phone }],
  [{ emails: ['bob@example.com', 'bob@example.org'] }, { email }],
  [{ Id: '00Q9', Phone: '+19995550000', Email: 'bob@example.com' }, { phone }],
  [{ Id: '00Q9', MobilePhone: '+19995550000', Phone: null }, { phone }],
  [{ Cell__c: '+444155550100' }, { phone }],
  [{ contact: { number: '+19995550000' } }, { phone }],
  [{ contact_points: [{ system: 'phone', value: '(999) 555-0000' }] }, { phone }],
  [{ contact_info: [{ kind: 'email', value: 'bob@example.com' }] }, { email }],
  [{ phone: '+19995550000, +19995550001' }, { phone }],
  [{ phone: 'Home: +1 999 555 0000' }, { phone }],
  [{ phone: 'whatsapp:+19995550000' }, { phone }],
  [{ phone: '+19995550000;ext=5' }, { phone }],
  [{ email: 'Bob <bob@example.com>' }, { email }],
  [{ email: 'bob@example.com; eve@example.com' }, { email }],
  [{ mail: 'bob@example.com' }, { email }],
  [{ login: 'bob@example.com' }, { email }],
  [{ phone: '+19995550000', query: { phone } }, { phone }],
  [{ phone: '+19995550000', matched_query: phone }, { phone }],
  [{ phone: '+19995550000', emergency_contact: { phone } }, { phone }],
  [{ phone: '+19995550000', previous_phone: phone }, { phone }],
  [{ phone: '+19995550000', spouse_phone: phone }, { phone }],
  [{ phone: '+19995550000', notes: phone }, { phone }],
  [{ Phone: '+19995550000', Owner: { Phone: phone } }, { phone }],
])('%j is another person than %j', (record, asked) => {
  expect(isOtherPerson(record, asked)).toBe(true);
});

test.each<[record: object, asked: { phone?: string; email?: string }]>([
  [{ id: 'cus_1' }, { phone }],
  [
    { id: 'cus_1', name: 'Ada' },
    { phone, email },
  ],
  [{ phone: null, email: null }, { phone }],
  [
    { phone: '', email: ' ' },
    { phone, email },
  ],
  [{ phones: [] }, { phone }],
  [{ phone: '+1 (415) 555-0100' }, { phone }],
  [{ phone: '(415) 555-0100' }, { phone }],
  [{ phone: '415.555.0100 ext. 12' }, { phone }],
  [{ phone: 'tel:+1-415-555-0100' }, { phone }],
  [{ phone: '４１５５５５０１００' }, { phone }],
  [{ phone: 14155550100 }, { phone }],
  [{ phones: ['+19995550000', '415-555-0100'] }, { phone }],
  [
    {
      phones: [
        { type: 'home', number: '+19995550000' },
        { type: 'mobile', number: phone },
      ],
    },
    { phone },
  ],
  [{ phone: '+19995550000', mobile: phone }, { phone }],
  [{ phone: '+19995550000', Cell__c: '415-555-0100' }, { phone }],
  // Found by the other detail, of which it is certain.
  [{ email: 'ADA@Example.com', phone: '+19995550000' }, { email }],
  [
    { email: 'Ada@example.com', phone: '+19995550000' },
    { phone, email },
  ],
  [
    { phone, email: 'bob@example.com' },
    { phone, email },
  ],
  // The one that was asked for isn't shown, or not wholly.
  [{ email: 'bob@example.com' }, { phone }],
  [{ phone: '+19995550000' }, { email }],
  [{ phone: '***-***-0000' }, { phone }],
  [{ phone: '+1 •••• 00' }, { phone }],
  [{ email: 'b***@example.com' }, { email }],
  // Neither their number nor their address.
  [{ phone_verified_at: '2026-01-01', phone_country: '1' }, { phone }],
  [{ account_manager: { phone: '+19995550000' }, support_phone: '+19995550000' }, { phone }],
  [{ email_verified: true, email_domain_id: '12345678' }, { email }],
  [{ created: 1_700_000_000, number: '12345678', balance: 99_955_500 }, { phone }],
  [{ Owner: { Email: 'rep@example.com' } }, { email }],
  [{ phone: '0000000000' }, { phone }],
  [{ phone: '+19995550000, +14155550100' }, { phone }],
  [{ phone: '+1 999 555 0000 / +1 415 555 0100' }, { phone }],
  [{ phone: 'Mobile: (415) 555-0100' }, { phone }],
  [{ phone: { country_code: '1', area: '415', number: '5550100' } }, { phone }],
  [{ email: 'mailto:ada@example.com' }, { email }],
  [{ email: 'Ada Park <ADA@example.com>' }, { email }],
  [{ account_holder: { phone } }, { phone }],
])('%j may be %j', (record, asked) => {
  expect(isOtherPerson(record, asked)).toBe(false);
});

test.each([
  ['+442071838750', '020 7183 8750'],
  ['+442071838750', '+44 (0)20 7183 8750'],
  ['+493012345678', '030/12345678'],
  ['+33123456789', '01.23.45.67.89'],
])('%s is the national %s', (asked, written) => {
  expect(isOtherPerson({ phone: written }, { phone: asked })).toBe(false);
  expect(isOtherPerson({ phone: `${written}1` }, { phone: asked })).toBe(true);
});
