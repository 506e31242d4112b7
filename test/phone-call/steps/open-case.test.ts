import { describe, expect, it } from 'vitest';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { connectPlatform, keysOf, lastBodyOf } from '../../support/connected-platform.ts';

const facts = { callId: 'CA1', direction: 'Inbound' } as const;

describe('openCase', () => {
  it('opens a case with link, summary and transcript, without card numbers', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: contactId } = platform.crm.addContact({ LastName: 'Lee' });

    const { id } = await startPhoneCall(clients, facts).openCase({
      subject: 'Charged 4242424242424242 twice',
      summary: 'Two payments.',
      transcript: 'Hello.',
      transcriptUrl: 'https://calls.example/CA1',
      contactId,
      phone: '+14155550100',
      name: 'Ann 4242424242424242',
      priority: 'High',
      fields: { Type: 'Billing', Card__c: '4242 4242 4242 4242', Order_Id__c: '4242424242424242' },
    });

    expect(platform.crm.cases).toMatchObject([{ Id: id }]);
    expect(lastBodyOf(platform, 'crm.cases.create')).toEqual({
      Subject: 'Charged ************4242 twice',
      Origin: 'Phone',
      Description: 'Transcript: https://calls.example/CA1\n\nTwo payments.\n\nHello.',
      Priority: 'High',
      ContactId: contactId,
      SuppliedPhone: '+14155550100',
      SuppliedName: 'Ann ************4242',
      Type: 'Billing',
      Card__c: '**** **** **** 4242',
      Order_Id__c: '4242424242424242',
    });
  });

  it('opens one case per phone call, and a second one on purpose', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const input = { subject: 'Broken' };

    await startPhoneCall(clients, facts).openCase(input);
    await startPhoneCall(clients, facts).openCase(input);
    await startPhoneCall(clients, facts).openCase({ ...input, subject: 'Late', reference: 'late' });

    expect(keysOf(platform, 'crm.cases.create')).toEqual(['CA1:case', 'CA1:case', 'CA1:case:late']);
    expect(platform.crm.cases).toHaveLength(2);
  });
});
