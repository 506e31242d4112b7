import { describe, expect, test } from 'vitest';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { createToolbox, callTools, type ToolCaller } from '../../../src/tools/index.ts';
import { connectSalesforce, type SalesforceTest } from '../../support/connected-salesforce.ts';

const phone = '+14155550100';
const caller: ToolCaller = { phone, verified: 'caller-id' };

/** A customer with an open case, and a stranger with one. */
const start = async (preset: SalesforceTest['preset'] = {}) => {
  const org = await connectSalesforce({ preset });
  const { crm } = org.platform;
  const own = crm.addContact({ LastName: 'Okafor', Phone: phone, Email: 'ngozi@example.com' });
  const stranger = crm.addContact({ LastName: 'Park', Phone: '+14155550199', Email: 'park@example.com' });
  const open = crm.addCase({ Subject: 'No sound', Status: 'Working', ContactId: own.Id });
  const others = crm.addCase({ Subject: 'Private', Status: 'New', ContactId: stranger.Id });
  const toolbox = createToolbox({
    tools: callTools({
      phoneCall: () => startPhoneCall({}, { callId: 'CA1', direction: 'Inbound', phone }),
      crm: org.crm,
      caseStatus: true,
      only: ['get_case_status'],
    }),
  });
  const run = (args: object = {}, from: ToolCaller = caller) =>
    toolbox.run('get_case_status', args, { callId: 'CA1', caller: from });
  return { ...org, records: crm, own, open, others, run };
};

describe('get_case_status', () => {
  test("gives the caller's cases, and no one else's", async () => {
    await using started = await start();

    expect((await started.run()).value).toEqual({
      cases: [{ number: started.open['CaseNumber'], subject: 'No sound', status: 'Working' }],
    });
  });

  test('finds a case by its number, also without the zeros that it begins with', async () => {
    await using started = await start();
    started.records.addCase({ Subject: 'Another', ContactId: started.own.Id });
    const number = String(started.open['CaseNumber']);

    for (const case_number of [number, number.replace(/^0+/, ''), `#${number}`])
      expect((await started.run({ case_number })).value).toMatchObject({ cases: [{ subject: 'No sound' }] });
  });

  test("says nothing about a stranger's case, whose number the caller knows", async () => {
    await using started = await start();

    expect((await started.run({ case_number: String(started.others['CaseNumber']) })).value).toEqual({
      cases: [],
      message: 'The caller has no case with this number: check it with them.',
    });
  });

  test('says so when the caller is no customer, or has no case', async () => {
    await using started = await start();
    started.records.addContact({ LastName: 'Diaz', Phone: '+14155550177' });

    for (const number of ['+14155550177', '+14155550166'])
      expect((await started.run({}, { phone: number, verified: 'caller-id' })).value).toEqual({
        cases: [],
        message: 'The caller has no cases.',
      });
  });

  test('lets the e-mail that the caller says decide between several with the number, and find no one else', async () => {
    await using started = await start();
    started.records.addContact({ LastName: 'Okafor', Phone: phone, Email: 'obi@example.com' });
    const saying = (email: string): ToolCaller => ({ ...caller, email, claimed: ['email'] });

    expect((await started.run()).value).toMatchObject({ reason: 'several_contacts_match' });
    expect((await started.run({}, saying('park@example.com'))).value).toMatchObject({
      reason: 'several_contacts_match',
    });
    expect((await started.run({}, saying('Ngozi@example.com'))).value).toMatchObject({
      cases: [{ subject: 'No sound' }],
    });
  });

  test.each<[who: string, caller: ToolCaller]>([
    ['of whom nothing is known', { verified: 'no' }],
    ['who only says an address', { email: 'ngozi@example.com', verified: 'no', claimed: ['email'] }],
    ['whose number is not certain', { phone, verified: 'no' }],
  ])('asks the CRM nothing for a caller %s', async (_who, unknown) => {
    await using started = await start();

    expect((await started.run({}, unknown)).value).toMatchObject({
      error: 'not_allowed',
      reason: 'verification_required',
    });
    expect(started.platform.requests).toEqual([]);
  });

  test('does not say that there are none of a caller whose number and address are not known', async () => {
    await using started = await start();

    expect((await started.run({}, { verified: 'strong' })).value).toMatchObject({ reason: 'identify_caller_first' });
  });

  test.each<[number: string, written: string, subjects: readonly string[]]>([
    ['+493012345678', '+43 1 12345678', []],
    ['+493012345678', '+43 1 123 0 45678', []],
    ['+493012345678', '(030) 1234-5678', ['Mine']],
  ])(
    'where numbers are searched by digits, gives %s the cases of %s only if it is the same',
    async (phone, own, subjects) => {
      await using started = await start({ phoneSearch: 'digits' });
      const { Id } = started.records.addContact({ LastName: 'Weber', MobilePhone: own });
      started.records.addCase({ Subject: 'Mine', ContactId: Id });

      const { value } = await started.run({}, { phone, verified: 'caller-id' });

      expect(value).toMatchObject({ cases: subjects.map((subject) => ({ subject })) });
    },
  );
});
