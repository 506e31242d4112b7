import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bearer, jwtBearer } from '../../../src/auth/index.ts';
import { salesforce, type SalesforceOptions } from '../../../src/crm/salesforce/index.ts';
import { createIntegration } from '../../../src/integration.ts';
import {
  createFakePlatform,
  type FakeSalesforceOptions,
  salesforceFaults,
  testConnectedApp,
  testCredentials,
} from '../../../src/dev/testing/index.ts';

const phone = '+14155550100';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Both systems on loopback: the interface document's messaging platform, and an org that is opened by an assertion. */
const connect = async (org: Partial<FakeSalesforceOptions> = {}, preset: SalesforceOptions = {}) => {
  const platform = createFakePlatform({
    crm: {
      dialect: 'salesforce',
      app: { ...testConnectedApp, publicKey: keys.publicKey.export({ format: 'jwk' }) as Record<string, unknown> },
      ...org,
    },
  });
  const baseUrls = await platform.listen();
  const integration = createIntegration({
    messaging: {
      baseUrl: baseUrls.messaging,
      authenticate: bearer(() => testCredentials.messaging),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
    },
    crm: {
      ...salesforce({ externalIdField: 'Call_Id__c', retryLockedRows: true, ...preset }),
      baseUrl: baseUrls.crm,
      authenticate: jwtBearer({
        tokenEndpoint: `${baseUrls.crm}/services/oauth2/token`,
        audience: 'https://login.salesforce.com',
        clientId: () => testConnectedApp.clientId,
        subject: testConnectedApp.username,
        privateKey: () => keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }),
    },
    timeZone: 'America/New_York',
  });
  const start = (callId: string) =>
    integration.startPhoneCall({ callId, direction: 'Inbound', phone, startedAt: '2026-03-01T04:30:00Z' });
  return {
    platform,
    start,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};

const said = { outcome: 'resolved', summary: 'Wants a demo.', transcript: 'Hello.', durationSeconds: 311.6 };

describe('a phone call on Salesforce', () => {
  test('of a prospect leaves one lead, one Task and one case, whatever is lost, locked or expired on the way', async () => {
    await using connected = await connect();
    const { platform, start } = connected;
    platform.fault('crm.leads.create', [{ executeThenDrop: true }]);
    platform.fault('crm.tasks.create', [salesforceFaults.lockedRow, { executeThenDrop: true }]);
    const phoneCall = start('CA1');

    await phoneCall.identifyCaller({ email: "ngozi.o'kafor@example.com" });
    const told = await phoneCall.tools.run(
      'qualify_lead',
      JSON.stringify({ first_name: 'Ngozi', last_name: "O'Kafor \\ Sons", company: "O'Kafor 100%_\n", score: 72 }),
      { toolCallId: 't1' },
    );
    platform.salesforce.endSessions();
    await phoneCall.openCase({ subject: 'No sound on the demo' });
    const logged = await phoneCall.logCall({ outcome: 'demo wanted' });
    const finished = await phoneCall.finish(said);

    const [lead] = platform.crm.leads;
    expect(told.text).toBe('{"result":"saved as a new lead"}');
    expect([logged.task, finished.complete]).toEqual(['created', true]);
    expect(platform.crm.leads).toMatchObject([
      {
        LastName: "O'Kafor \\ Sons",
        Company: "O'Kafor 100%_\n",
        Email: "ngozi.o'kafor@example.com",
        Phone: phone,
        Lead_Score__c: 72,
        Call_Id__c: 'CA1:lead',
      },
    ]);
    expect(platform.crm.tasks).toMatchObject([
      {
        WhoId: lead?.Id,
        CallType: 'Inbound',
        ActivityDate: '2026-02-28',
        CallDurationInSeconds: 312,
        Subject: 'Inbound call: resolved',
        Call_Id__c: 'CA1:task',
      },
    ]);
    expect(platform.crm.cases).toMatchObject([{ Subject: 'No sound on the demo', Call_Id__c: 'CA1:case' }]);
    expect(platform.pendingFaults).toEqual([]);
  });

  test('of a customer, found by a number in another format and field, is logged on the contact', async () => {
    await using connected = await connect();
    const { platform, start } = connected;
    const account = platform.crm.addAccount({ Name: 'Northwind' });
    const contact = platform.crm.addContact({
      LastName: 'Okafor',
      AccountId: account.Id,
      OtherPhone: '(415) 555-0100',
    });
    const phoneCall = start('CA2');

    const { outcome } = await phoneCall.qualifyLead({
      lead: {},
      opportunity: { Name: 'More seats', StageName: 'Prospecting', CloseDate: '2026-06-30' },
    });
    await phoneCall.finish(said);

    expect(outcome).toBe('contact_opportunity');
    const [opportunity] = platform.crm.opportunities;
    expect(opportunity).toMatchObject({ AccountId: account.Id, Call_Id__c: 'CA2:opportunity' });
    expect(platform.crm.tasks).toMatchObject([{ WhoId: contact.Id, WhatId: opportunity?.Id }]);
  });

  test('of a person whose lead was converted goes to the owner of what it has become', async () => {
    await using connected = await connect();
    const { platform, start } = connected;
    const lead = platform.crm.addLead({ LastName: 'Okafor', Company: 'Northwind', Phone: '415-555-0100' });
    const opportunity = platform.crm.addOpportunity({
      Name: 'Northwind',
      StageName: 'Prospecting',
      CloseDate: '2026-06-30',
      OwnerId: '005000000000042',
    });
    const { Id: contactId } = platform.crm.addContact({ LastName: 'Okafor' });
    platform.crm.convertLead(lead.Id, { contactId, opportunityId: opportunity.Id });
    const phoneCall = start('CA3');

    expect(await phoneCall.qualifyLead({ lead: {} })).toMatchObject({
      outcome: 'converted_lead',
      leadId: lead.Id,
      complete: true,
    });
    await phoneCall.finish(said);

    expect(platform.crm.tasks).toMatchObject([
      { WhoId: contactId, WhatId: opportunity.Id, OwnerId: '005000000000042' },
    ]);
  });

  test('whose lead a validation rule refuses shows the model what is missing, and nothing personal', async () => {
    await using connected = await connect();
    const { platform, start } = connected;
    platform.fault('crm.leads.create', [
      salesforceFaults.validationRule('Ask for the company size of ngozi@example.com (+14155550100).', [
        'NumberOfEmployees',
      ]),
    ]);

    const { text } = await start('CA4').tools.run('qualify_lead', '{"last_name":"Okafor","company":"Northwind"}', {
      toolCallId: 't1',
    });

    expect(JSON.parse(text)).toEqual({
      result: expect.stringContaining('noted for follow-up'),
      complete: false,
      details: [
        {
          message: 'Ask for the company size of [email] ([phone]).',
          errorCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION',
          fields: ['NumberOfEmployees'],
        },
      ],
    });
  });
});
