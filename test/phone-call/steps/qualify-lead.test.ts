import { describe, expect, it } from 'vitest';
import type { CallFacts } from '../../../src/phone-call/steps/task-fields.ts';
import { createTaskClaim } from '../../../src/phone-call/steps/task-claim.ts';
import { qualifyLead, type QualifyLeadInput } from '../../../src/phone-call/steps/qualify-lead.ts';
import { InvalidArgumentError, RetriesExhaustedError } from '../../../src/core/errors.ts';
import { connectPlatform, keysOf, lastBodyOf, operationsOf } from '../../support/connected-platform.ts';

const phone = '+14155550100';
const email = 'ann@example.com';
const input: QualifyLeadInput & CallFacts = {
  callId: 'CA1',
  direction: 'Inbound',
  startedAt: '2026-03-01T10:00:00Z',
  summary: 'Wants 50 seats, card 4242424242424242.',
  transcript: 'Hello.',
  transcriptUrl: 'https://calls.example/CA1',
  lead: {
    FirstName: 'Ann',
    LastName: 'Lee',
    Company: 'Lee Ltd',
    Email: email,
    Phone: phone,
    Title: 'CTO',
    NumberOfEmployees: 50,
    Use_Case__c: 'Support',
    Expected_Close__c: '2026-06-30',
    Lead_Score__c: 80,
  },
};
const opportunity = { Name: 'Lee Ltd: 50 seats', StageName: 'Prospecting', CloseDate: '2026-06-30' };
const description = 'Transcript: https://calls.example/CA1\n\nWants 50 seats, card ************4242.';
const taskDone = (id: unknown) => [{ step: 'task', status: 'done', id }];

describe('qualifyLead', () => {
  it('creates a lead for an unknown caller, with summary, link, source and the qualified status', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;

    const qualified = await qualifyLead(clients, input, { qualifiedStatus: 'Qualified by agent' });

    const [lead] = platform.crm.leads;
    expect(qualified).toEqual({
      outcome: 'lead_created',
      leadId: lead?.Id,
      complete: true,
      steps: [],
      related: { whoId: lead?.Id },
    });
    expect(lastBodyOf(platform, 'crm.leads.create')).toEqual({
      ...input.lead,
      LeadSource: 'Phone Inquiry',
      Status: 'Qualified by agent',
      Description: description,
    });
    expect(keysOf(platform, 'crm.leads.create')).toEqual(['CA1:lead']);
    expect(platform.crm.tasks).toEqual([]);
  });

  it('looks a new caller up with one search of contacts and one of leads', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;

    await qualifyLead(clients, input);

    expect(operationsOf(platform)).toEqual(['crm.contacts.search', 'crm.leads.search', 'crm.leads.create']);
  });

  it('writes nothing when several contacts share the number', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addContact({ LastName: 'Lee', Phone: phone });
    platform.crm.addContact({ LastName: 'Roe', Phone: phone });
    const { Email: _email, ...lead } = input.lead;

    expect(await qualifyLead(clients, { ...input, lead, opportunity })).toEqual({
      outcome: 'ambiguous',
      count: 2,
      matchedBy: 'phone',
      complete: false,
      steps: [],
      related: {},
    });
    expect([platform.crm.tasks, platform.crm.opportunities, platform.crm.leads]).toEqual([[], [], []]);
  });

  it('writes nothing when several leads share the number', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addLead({ LastName: 'Lee', Company: 'Lee Ltd', Phone: phone });
    platform.crm.addLead({ LastName: 'Roe', Company: 'Roe Ltd', Phone: phone });
    const { Email: _email, ...lead } = input.lead;

    expect(await qualifyLead(clients, { ...input, lead })).toMatchObject({ outcome: 'ambiguous', count: 2 });
    expect(platform.crm.tasks).toEqual([]);
    expect(platform.crm.leads).toHaveLength(2);
  });

  it('lets the e-mail decide between contacts who share the number', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: contactId } = platform.crm.addContact({ LastName: 'Lee', Phone: phone, Email: email });
    platform.crm.addContact({ LastName: 'Roe', Phone: phone, Email: 'roe@example.com' });

    expect(await qualifyLead(clients, input)).toMatchObject({ outcome: 'contact_task', contactId, matchedBy: 'email' });
  });

  it('lets the e-mail of a lead decide between contacts who share the number', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: leadId } = platform.crm.addLead({ LastName: 'Lee', Company: 'Lee Ltd', Email: email });
    platform.crm.addContact({ LastName: 'Roe', Phone: phone });
    platform.crm.addContact({ LastName: 'Poe', Phone: phone });

    expect(await qualifyLead(clients, input)).toMatchObject({ outcome: 'open_lead', leadId, matchedBy: 'email' });
  });

  it('takes the lead with the e-mail, and not the contact who has the number and another e-mail', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addContact({ LastName: 'Colleague', Email: 'colleague@example.com', Phone: phone });
    const lead = platform.crm.addLead({ LastName: 'Lee', Company: 'Lee Ltd', Email: email, Phone: phone });

    expect(await qualifyLead(clients, input)).toMatchObject({ outcome: 'open_lead', leadId: lead.Id });
    expect(platform.crm.tasks.map(({ WhoId }) => WhoId)).toEqual([lead.Id]);
  });

  it('creates a new lead for an e-mail that no lead on the shared number has', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addContact({ LastName: 'Roe', Phone: phone, Email: 'roe@example.com' });
    platform.crm.addContact({ LastName: 'Poe', Phone: phone, Email: 'poe@example.com' });

    expect(await qualifyLead(clients, input)).toMatchObject({ outcome: 'lead_created' });
    expect(platform.crm.tasks).toEqual([]);
  });

  it('does not choose between accounts of one name', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addAccount({ Name: 'Lee Ltd' });
    platform.crm.addAccount({ Name: 'Lee Ltd' });

    expect(await qualifyLead(clients, { ...input, opportunity })).toMatchObject({ outcome: 'lead_created' });
    expect(platform.crm.opportunities).toEqual([]);
  });

  it('gives an existing customer a Task and no lead', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: contactId } = platform.crm.addContact({ LastName: 'Lee', Email: email });
    platform.crm.addLead({ LastName: 'Lee', Company: 'Lee Ltd', Email: email });

    const qualified = await qualifyLead(clients, input);

    const [task] = platform.crm.tasks;
    expect(qualified).toEqual({
      outcome: 'contact_task',
      contactId,
      matchedBy: 'email',
      complete: true,
      steps: taskDone(task?.Id),
      related: { whoId: contactId },
    });
    expect(task).toMatchObject({ WhoId: contactId, CallType: 'Inbound', ActivityDate: '2026-03-01' });
    expect(platform.effects('crm.leads.create')).toBe(0);
  });

  it('gives an existing customer an opportunity when there is one', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: AccountId } = platform.crm.addAccount({ Name: 'Lee Ltd' });
    const { Id: contactId } = platform.crm.addContact({ LastName: 'Lee', Phone: phone, AccountId });

    const qualified = await qualifyLead(clients, { ...input, opportunity });

    const [made] = platform.crm.opportunities;
    expect(qualified).toEqual({
      outcome: 'contact_opportunity',
      contactId,
      opportunityId: made?.Id,
      matchedBy: 'phone',
      complete: true,
      steps: [],
      related: { whoId: contactId, whatId: made?.Id },
    });
    expect(lastBodyOf(platform, 'crm.opportunities.create')).toEqual({
      ...opportunity,
      AccountId,
      Description: description,
    });
    expect(keysOf(platform, 'crm.opportunities.create')).toEqual(['CA1:opportunity']);
    expect(platform.crm.tasks).toEqual([]);
  });

  it('adds a Task to an open lead and leaves the lead as it is', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const lead = platform.crm.addLead({ LastName: 'Lee', Company: 'Lee Ltd', Email: email, Status: 'Working' });

    const qualified = await qualifyLead(clients, input);

    expect(qualified).toEqual({
      outcome: 'open_lead',
      leadId: lead.Id,
      matchedBy: 'email',
      complete: true,
      steps: taskDone(platform.crm.tasks[0]?.Id),
      related: { whoId: lead.Id },
    });
    expect(platform.crm.leads).toEqual([lead]);
    expect(platform.crm.tasks[0]).toMatchObject({ WhoId: lead.Id });
  });

  it('updates an open lead with what was said, and with no default of its own', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: leadId } = platform.crm.addLead({ LastName: 'L', Company: 'Lee', Email: email, Status: 'Working' });

    const qualified = await qualifyLead(clients, input, { onOpenLead: 'update', qualifiedStatus: 'Qualified' });

    expect(qualified).toMatchObject({
      outcome: 'open_lead',
      complete: true,
      steps: [{ step: 'lead_update', status: 'done', id: leadId }],
    });
    expect(lastBodyOf(platform, 'crm.leads.update')).toEqual(input.lead);
    expect(platform.crm.tasks).toEqual([]);
  });

  it('does both to an open lead, one after the other', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addLead({ LastName: 'Lee', Company: 'Lee Ltd', Email: email });

    const { steps } = await qualifyLead(clients, input, { onOpenLead: 'both' });

    expect(steps.map(({ step, status }) => [step, status])).toEqual([
      ['lead_update', 'done'],
      ['task', 'done'],
    ]);
    expect(operationsOf(platform).slice(-2)).toEqual(['crm.leads.update', 'crm.tasks.create']);
  });

  it('still adds the Task when the update is refused, and says so', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addLead({ LastName: 'Lee', Company: 'Lee Ltd', Email: email });
    platform.fault('crm.leads.update', [{ status: 400 }]);

    const { complete, steps } = await qualifyLead(clients, input, { onOpenLead: 'both' });

    expect(complete).toBe(false);
    expect(steps).toEqual([
      { step: 'lead_update', status: 'failed', error: expect.objectContaining({ code: 'client_error', status: 400 }) },
      ...taskDone(platform.crm.tasks[0]?.Id),
    ]);
  });

  it('never changes who a lead is when only the phone matches', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addLead({ FirstName: 'Bo', LastName: 'Lund', Company: 'Lund AB', Phone: phone });

    const qualified = await qualifyLead(clients, input, { onOpenLead: 'update' });

    expect(qualified).toMatchObject({ outcome: 'open_lead', matchedBy: 'phone' });
    expect(platform.crm.leads[0]).toMatchObject({
      FirstName: 'Bo',
      LastName: 'Lund',
      Company: 'Lund AB',
      Title: 'CTO',
    });
    expect(lastBodyOf(platform, 'crm.leads.update')).toEqual({
      Title: 'CTO',
      NumberOfEmployees: 50,
      Use_Case__c: 'Support',
      Expected_Close__c: '2026-06-30',
      Lead_Score__c: 80,
    });
  });

  it('follows a converted lead to its opportunity, for the owner of that, and does not touch the lead', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: leadId } = platform.crm.addLead({ LastName: 'Lee', Company: 'Lee Ltd', Email: email });
    platform.crm.convertLead(leadId);
    const [contact] = platform.crm.contacts;
    const [deal] = platform.crm.opportunities;
    // The contact is reached under another address by now, so the lead is what is found.
    await clients.crm.request({
      operation: 'test.contacts.update',
      method: 'PATCH',
      path: `sobjects/Contact/${contact?.Id}`,
      body: { Email: 'ann@new.example', Phone: '' },
      returns: () => undefined,
    });
    await clients.crm.request({
      operation: 'test.opportunities.update',
      method: 'PATCH',
      path: `sobjects/Opportunity/${deal?.Id}`,
      body: { OwnerId: 'user_kim' },
      returns: () => undefined,
    });
    const lead = platform.crm.leads;

    const qualified = await qualifyLead(clients, input, { onOpenLead: 'both' });

    expect(qualified).toEqual({
      outcome: 'converted_lead',
      leadId,
      contactId: contact?.Id,
      opportunityId: deal?.Id,
      ownerId: 'user_kim',
      matchedBy: 'email',
      complete: true,
      steps: [{ step: 'owner', status: 'done', id: 'user_kim' }, ...taskDone(platform.crm.tasks[0]?.Id)],
      related: { whoId: contact?.Id, whatId: deal?.Id, ownerId: 'user_kim' },
    });
    expect(platform.crm.tasks[0]).toMatchObject({ WhoId: contact?.Id, WhatId: deal?.Id, OwnerId: 'user_kim' });
    expect(platform.crm.leads).toEqual(lead);
    expect(platform.effects('crm.leads.update')).toBe(0);
  });

  it('follows a converted lead to its contact, also when the owner cannot be read', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: contactId } = platform.crm.addContact({ LastName: 'Lee' });
    platform.crm.addLead({ LastName: 'Lee', Email: email, IsConverted: true, ConvertedContactId: contactId });
    platform.fault('crm.contacts.get', [{ status: 403 }]);

    const { outcome, complete, steps } = await qualifyLead(clients, input);

    expect([outcome, complete]).toEqual(['converted_lead', false]);
    expect(steps.map(({ step, status }) => [step, status])).toEqual([
      ['owner', 'failed'],
      ['task', 'done'],
    ]);
    expect(platform.crm.tasks[0]).toMatchObject({ WhoId: contactId });
  });

  it('creates a new lead for a caller whose lead was given up', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const closed = platform.crm.addLead({ LastName: 'Lee', Company: 'Lee', Email: email, Status: 'Disqualified' });

    const qualified = await qualifyLead(clients, input);

    expect(qualified).toMatchObject({ outcome: 'lead_created', closedLeadId: closed.Id });
    expect(platform.crm.leads).toHaveLength(2);
  });

  it('finds the open lead behind one that was given up', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const open = platform.crm.addLead({
      LastName: 'Lee',
      Email: email,
      Status: 'Working',
      LastModifiedDate: '2026-01-01T00:00:00.000+0000',
    });
    platform.crm.addLead({
      LastName: 'Lee',
      Email: email,
      Status: 'Nurture',
      LastModifiedDate: '2026-02-01T00:00:00.000+0000',
    });

    const qualified = await qualifyLead(clients, input, { closedStatuses: ['nurture'] });

    expect(qualified).toMatchObject({ outcome: 'open_lead', leadId: open.Id });
    expect(platform.effects('crm.leads.create')).toBe(0);
  });

  it('makes an opportunity with a company that is a customer already', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: accountId } = platform.crm.addAccount({ Name: 'Lee Ltd' });

    const qualified = await qualifyLead(clients, { ...input, opportunity });

    const [made] = platform.crm.opportunities;
    expect(qualified).toEqual({
      outcome: 'account_opportunity',
      accountId,
      opportunityId: made?.Id,
      complete: true,
      steps: [],
      related: { whatId: made?.Id },
    });
    expect(made).toMatchObject({ AccountId: accountId });
    expect(platform.crm.leads).toEqual([]);
  });

  it('makes a lead at a known company when there is no deal yet', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.crm.addAccount({ Name: 'Lee Ltd' });

    expect(await qualifyLead(clients, input)).toMatchObject({ outcome: 'lead_created' });
    expect(operationsOf(platform)).not.toContain('crm.accounts.search');
  });

  it('uses the contact that the CRM names before a lead', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: AccountId } = platform.crm.addAccount({ Name: 'Other' });
    const { Id: contactId } = platform.crm.addContact({ LastName: 'Lee', AccountId });
    const { Id: leadId } = platform.crm.addLead({ LastName: 'Lee' });
    const matchResults = [
      { entityType: 'Lead', matchRecords: [{ record: { Id: leadId } }] },
      { entityType: 'Contact', matchRecords: [{ record: { Id: contactId } }] },
    ];
    platform.fault('crm.leads.create', [
      { status: 400, body: [{ errorCode: 'DUPLICATES_DETECTED', message: '', duplicateResult: { matchResults } }] },
    ]);

    const qualified = await qualifyLead(clients, { ...input, opportunity });

    expect(qualified).toMatchObject({ outcome: 'contact_opportunity', contactId, matchedBy: 'duplicate' });
    expect(platform.crm.opportunities).toMatchObject([{ AccountId }]);
  });

  it('passes on a refusal that names no record', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.fault('crm.leads.create', [{ status: 400, body: [{ errorCode: 'INVALID_FIELD', message: 'no' }] }]);

    await expect(qualifyLead(clients, input)).rejects.toMatchObject({ code: 'client_error', status: 400 });
    expect(platform.crm.tasks).toEqual([]);
  });

  it('makes no lead when it cannot be known whether there is one', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.fault('crm.leads.search', [{ status: 500, times: 3 }]);

    await expect(qualifyLead(clients, input)).rejects.toBeInstanceOf(RetriesExhaustedError);
    expect(platform.crm.leads).toEqual([]);
  });

  it('brings the lead of this phone call up to date, with everything', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: madeBefore } = platform.crm.addLead({ LastName: 'Unknown', Phone: phone });

    const qualified = await qualifyLead(clients, { ...input, madeBefore });

    expect(qualified).toMatchObject({ outcome: 'open_lead', leadId: madeBefore, matchedBy: 'this_call' });
    expect(platform.crm.leads).toMatchObject([{ LastName: 'Lee', Lead_Score__c: 80, Description: description }]);
    expect(operationsOf(platform)).toEqual(['crm.leads.update']);
  });

  it('writes to the one Task of the phone call', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: contactId } = platform.crm.addContact({ LastName: 'Lee', Email: email });
    const task = createTaskClaim();

    await qualifyLead(clients, input, { task });
    await qualifyLead(clients, input, { task });

    expect(platform.crm.tasks).toMatchObject([{ Id: task.taskId, WhoId: contactId }]);
    expect(platform.effects('crm.tasks.update')).toBe(0);
  });

  it('refuses a lead without e-mail and phone, and sends nothing', async () => {
    await using connected = await connectPlatform();

    await expect(qualifyLead(connected.clients, { ...input, lead: { LastName: 'Lee' } })).rejects.toEqual(
      new InvalidArgumentError('lead', 'must have an Email or a Phone, by which duplicates are looked for'),
    );
    expect(connected.platform.requests).toEqual([]);
  });
});
