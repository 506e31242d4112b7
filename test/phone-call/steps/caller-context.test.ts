import { describe, expect, it } from 'vitest';
import { callerContext } from '../../../src/phone-call/steps/caller-context.ts';
import { InvalidArgumentError } from '../../../src/core/errors.ts';
import { connectPlatform } from '../../support/connected-platform.ts';

describe('callerContext', () => {
  it('gathers tier, revenue, manager, health signals and custom attributes', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const company = platform.messaging.addCompany({
      name: 'Lee Ltd',
      plan: 'Gold',
      monthly_spend: 1200,
      custom_attributes: { account_manager: 'Kim', health_score: 71, region: 'EU' },
    });
    const contact = platform.messaging.addContact({ company_ids: [company.id], custom_attributes: { plan: 'pro' } });

    const context = await callerContext(clients, { callId: 'CA1', contactId: contact.id });

    expect(context).toEqual({
      contact: expect.objectContaining({ id: contact.id }),
      company: expect.objectContaining({ id: company.id, name: 'Lee Ltd' }),
      tier: 'Gold',
      recurringRevenue: 1200,
      accountManager: { name: 'Kim' },
      healthSignals: { health_score: 71 },
      customAttributes: {
        contact: { plan: 'pro' },
        company: { account_manager: 'Kim', health_score: 71, region: 'EU' },
      },
      steps: [{ step: 'company', status: 'done', id: company.id }],
    });
  });

  it('leaves out what the platform does not know', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const contact = platform.messaging.addContact({ owner_id: 'admin_4' });

    const context = await callerContext(clients, { callId: 'CA1', contactId: contact.id });

    expect(context).toEqual({
      contact: expect.objectContaining({ id: contact.id }),
      accountManager: { adminId: 'admin_4' },
      customAttributes: { contact: {}, company: {} },
      steps: [{ step: 'company', status: 'done' }],
    });
  });

  it('shows the contact although the company cannot be read', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const contact = platform.messaging.addContact({ name: 'Ann' });
    platform.fault('messaging.companies.listForContact', [{ status: 500, times: 3 }]);

    const context = await callerContext(clients, { callId: 'CA1', contactId: contact.id });

    expect(context).toEqual({
      contact: expect.objectContaining({ name: 'Ann' }),
      customAttributes: { contact: {}, company: {} },
      steps: [
        {
          step: 'company',
          status: 'failed',
          error: expect.objectContaining({ code: 'max_retries_exceeded', attempts: 3 }),
        },
      ],
    });
  });

  it('does not read a contact that is given', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { id } = platform.messaging.addContact({});

    await callerContext(clients, { callId: 'CA1', contact: { id } });

    expect(platform.requests.map(({ operation }) => operation)).toEqual(['messaging.companies.listForContact']);
  });

  it('reads the attributes that the application names', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const company = platform.messaging.addCompany({ custom_attributes: { csm: 'Kim', churn: 'low', health: 'ok' } });
    const { id } = platform.messaging.addContact({ company_ids: [company.id] });

    const options = { accountManagerAttribute: 'csm', healthAttributes: ['churn'] };
    const context = await callerContext(clients, { callId: 'CA1', contactId: id }, options);

    expect([context.accountManager, context.healthSignals]).toEqual([{ name: 'Kim' }, { churn: 'low' }]);
  });

  it('refuses to look without anything to look for', async () => {
    await using connected = await connectPlatform();

    await expect(callerContext(connected.clients, { callId: 'CA1' })).rejects.toEqual(
      new InvalidArgumentError('contactId', 'or contact must be given'),
    );
  });
});
