import { describe, expect, it } from 'vitest';
import { InvalidArgumentError } from '../src/core/errors.ts';
import { createIntegration } from '../src/integration.ts';
import { callAttributes } from '../src/messaging/index.ts';
import type { IntegrationEvent } from '../src/observability/events.ts';
import { connectPlatform } from './support/connected-platform.ts';

describe('an integration', () => {
  it('connects the three systems and carries a phone call through them', async () => {
    await using connected = await connectPlatform();
    const { platform, clientOptions } = connected;
    const events: IntegrationEvent[] = [];
    const { id: customer_id } = platform.billing.addCustomer({ phone: '+14155550100' });
    const { id: invoiceId } = platform.billing.addInvoice({ customer_id, amount: 20 });
    await using integration = createIntegration({
      ...clientOptions,
      messaging: { ...clientOptions.messaging, customAttributes: { ...callAttributes, tier: ['gold', 'silver'] } },
      appName: 'acme-voice',
      tenant: 'acme',
      timeZone: 'Asia/Tokyo',
      phoneCalls: { qualifiedStatus: 'Qualified by agent' },
      onEvent: (event) => void events.push(event),
    });

    const phoneCall = integration.startPhoneCall({
      callId: 'CA1',
      direction: 'Inbound',
      phone: '+14155550100',
      startedAt: '2026-03-01T20:00:00Z',
    });
    const turn = phoneCall.turn();
    const customer = await integration.billing.customers.find({ phone: '+14155550100' });
    const paid = await turn.takePayment({
      customerId: customer?.id ?? '',
      invoiceId,
      amount: 20,
      paymentMethodId: 'pm_card',
    });
    await turn.qualifyLead({ lead: { LastName: 'Lee', Company: 'Lee Ltd' } });
    const finished = await phoneCall.finish({ outcome: 'paid', summary: 'Paid.', durationSeconds: 60 });

    expect(paid.success).toBe(true);
    expect(finished.complete).toBe(true);
    expect(platform.crm.leads).toMatchObject([{ Status: 'Qualified by agent' }]);
    expect(platform.crm.tasks).toMatchObject([{ ActivityDate: '2026-03-02' }]);
    expect(platform.requests.every(({ headers }) => headers['user-agent']?.endsWith('(acme-voice)'))).toBe(true);
    expect(new Set(events.map(({ tenant }) => tenant))).toEqual(new Set(['acme']));
    expect(new Set(events.map(({ api }) => api))).toEqual(new Set(['messaging', 'crm', 'billing']));
    const contact = await integration.messaging.contacts.get(finished.contactId ?? '');
    expect(contact?.custom_attributes?.call_outcome_category).toBe('paid');
  });

  it('warms up each API that is configured, and says which of them is ready', async () => {
    await using connected = await connectPlatform();
    const { crm, billing } = connected.clientOptions;
    await using integration = createIntegration({ crm, billing: { ...billing, baseUrl: 'http://127.0.0.1:9' } });

    const { crm: crmReady, billing: billingReady } = await integration.warmUp({ deadline: 2_000 });

    expect(crmReady).toEqual({ ready: true });
    expect(billingReady).toMatchObject({ ready: false, error: { operation: 'billing.warmUp' } });
  });

  it('shows the state of each API that is configured', async () => {
    await using connected = await connectPlatform();
    const { clientOptions, platform } = connected;
    const crm = { ...clientOptions.crm, circuit: { minimumVolume: 1 } };
    await using integration = createIntegration({ crm, billing: clientOptions.billing });
    platform.fault('crm.leads.search', [{ status: 500, times: 3 }]);

    await integration.crm.leads.search({ phone: '+14155550100' }).catch(() => undefined);

    const { crm: crmStatus, billing, ...others } = integration.status();
    expect([crmStatus?.circuit, billing?.circuit]).toEqual(['open', 'closed']);
    expect(others).toEqual({});
  });

  it('shows its status and no secret as JSON, whatever is configured', async () => {
    await using connected = await connectPlatform();
    await using integration = createIntegration({ crm: connected.clientOptions.crm });

    expect(JSON.parse(JSON.stringify(integration))).toEqual(JSON.parse(JSON.stringify(integration.status())));
  });

  it('says which system is not configured', async () => {
    await using connected = await connectPlatform();
    await using integration = createIntegration({ crm: connected.clientOptions.crm });

    expect(() => integration.messaging).toThrow(
      new InvalidArgumentError('messaging', 'is not configured: give createIntegration a messaging'),
    );
    expect(() => integration.billing).toThrow(InvalidArgumentError);
    const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'Outbound' });
    await expect(phoneCall.identifyCaller()).rejects.toThrow(InvalidArgumentError);
  });

  it('is not made of nothing, nor in a time zone that is none', async () => {
    await using connected = await connectPlatform();

    expect(() => createIntegration({})).toThrow(
      new InvalidArgumentError('options', 'must have at least one of messaging, crm and billing'),
    );
    expect(() => createIntegration({ crm: connected.clientOptions.crm, timeZone: 'Mars/Olympus' })).toThrow(
      InvalidArgumentError,
    );
  });

  it('shares its options with a client whose own are undefined', async () => {
    await using connected = await connectPlatform();
    const events: IntegrationEvent[] = [];
    const own = { tenant: undefined, onEvent: undefined };
    await using integration = createIntegration({
      // As a caller in JavaScript writes it.
      billing: { ...connected.clientOptions.billing, ...(own as object) },
      tenant: 'acme',
      onEvent: (event) => void events.push(event),
    });

    await integration.billing.customers.find({ phone: '+14155550100' });

    expect(new Set(events.map(({ tenant }) => tenant))).toEqual(new Set(['acme']));
  });

  it('lets a client have its own options', async () => {
    await using connected = await connectPlatform();
    const { clientOptions, platform } = connected;
    await using integration = createIntegration({
      crm: { ...clientOptions.crm, appName: 'own' },
      billing: clientOptions.billing,
      appName: 'shared',
    });

    await integration.crm.leads.search({ phone: '+14155550100' });
    await integration.billing.customers.find({ phone: '+14155550100' });

    expect(platform.requests.map(({ headers }) => headers['user-agent']?.split(' ').at(-1))).toEqual([
      '(own)',
      '(shared)',
    ]);
  });
});
