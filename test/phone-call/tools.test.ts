import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createIntegration, type IntegrationOptions } from '../../src/integration.ts';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { standardTools } from '../support/tool-names.ts';
import { defineTool, type ToolContext } from '../../src/tools/index.ts';
import { derivedToolCallId } from '../../src/tools/providers/platform-handler.ts';
import { connectPlatform, keysOf } from '../support/connected-platform.ts';

const phone = '+14155550100';
const inbound = (callId: string) => ({ callId, direction: 'Inbound', phone }) as const;

/** The model sends all four arguments of the interface document. */
const payments = { card: 'from-model', below: 5000, confirm: false } as const;

const start = async (options: Partial<IntegrationOptions> = {}) => {
  const { platform, clientOptions, ...rest } = await connectPlatform();
  const customer = platform.billing.addCustomer({ name: 'Jane', phone });
  const invoice = platform.billing.addInvoice({ customer_id: customer.id, amount: 49.5 });
  const integration = createIntegration({
    ...clientOptions,
    payments,
    ...options,
  });
  const payment = { customer_id: customer.id, invoice_id: invoice.id, amount: 49.5, payment_method_id: 'pm_card' };
  return { platform, clientOptions, integration, payment, ...rest };
};

describe('the tools of a phone call', () => {
  test('are all that its clients can do', async () => {
    await using started = await start();
    const { integration, clientOptions } = started;
    const names = (of: typeof integration) =>
      of
        .startPhoneCall(inbound('CA1'))
        .tools.tools()
        .map(({ name }) => name);

    expect(names(integration)).toEqual(standardTools);
    expect(names(createIntegration({ crm: clientOptions.crm }))).toEqual(['qualify_lead', 'log_call']);
  });

  test('have no payment until the application says what it is made with', async () => {
    await using started = await start({ payments: { below: 5000 } });
    const names = started.integration
      .startPhoneCall(inbound('CA1'))
      .tools.tools()
      .map(({ name }) => name);

    expect(names).toContain('lookup_customer_invoices');
    expect(names).not.toContain('create_payment');
  });

  test('lead from the look-up to the payment with the arguments of the document', async () => {
    await using started = await start();
    const { integration, payment } = started;
    const { tools } = integration.startPhoneCall(inbound('CA1'));

    expect(await tools.run('lookup_customer_invoices', '{}')).toMatchObject({ value: { customer_name: 'Jane' } });
    expect(await tools.run('create_payment', JSON.stringify(payment))).toMatchObject({ value: { success: true } });
  });

  test('lead from the look-up to the payment with bound arguments', async () => {
    await using started = await start({ payments: { ...payments, card: () => 'pm_card' } });
    const { platform, integration, payment } = started;
    const { tools } = integration.startPhoneCall(inbound('CA1'));
    await tools.run('lookup_customer_invoices', '{}');
    const { invoice_id, amount } = payment;

    expect(await tools.run('create_payment', { invoice_id, amount })).toMatchObject({ value: { success: true } });
    expect(platform.requests.at(-1)?.body).toMatchObject(payment);
  });

  test('of two phone calls remember one payment: a caller who rings back is charged once', async () => {
    await using started = await start();
    const { platform, integration, payment } = started;
    platform.fault('billing.payments.create', [{ executeThenDrop: true, times: 3 }]);

    const payIn = async (callId: string) => {
      const { tools } = integration.startPhoneCall(inbound(callId));
      await tools.run('lookup_customer_invoices', {});
      return tools.run('create_payment', payment);
    };

    expect(await payIn('CA1')).toMatchObject({ status: 'unknown' });
    // It's paid, so it isn't open any more.
    expect(await payIn('CA2')).toMatchObject({ value: { fields: [{ field: 'invoice_id' }] } });
    expect(platform.effects('billing.payments.create')).toBe(1);
    expect(new Set(keysOf(platform, 'billing.payments.create')).size).toBe(1);
  });

  test('know what its steps have found out', async () => {
    await using started = await start();
    const { platform, integration } = started;
    platform.messaging.addContact({ name: 'Jane', phone });
    const phoneCall = integration.startPhoneCall(inbound('CA1'));
    await phoneCall.identifyCaller();
    const { conversationId } = await phoneCall.recordCall({ summary: 'Wants an invoice.' });

    expect(await phoneCall.tools.run('get_caller_context', {})).toMatchObject({ value: { name: 'Jane' } });
    expect(await phoneCall.tools.run('add_note', { text: 'x' })).toMatchObject({ value: { noted: true } });
    expect(platform.messaging.conversations.map(({ id }) => id)).toEqual([conversationId]);
  });

  test('leave a note on the first turn, in the conversation that the end of the call writes to', async () => {
    await using started = await start();
    const { platform, integration } = started;
    platform.messaging.addContact({ name: 'Jane', phone });
    const phoneCall = integration.startPhoneCall(inbound('CA1'));

    expect((await phoneCall.tools.run('add_note', { text: 'x' })).text).toBe('{"noted":true}');
    const { conversationId } = await phoneCall.finish({ summary: 'Done.' });

    expect(platform.messaging.conversations.map(({ id }) => id)).toEqual([conversationId]);
  });

  test('hand over to Billing, to Support and to Billing again, also where ids are made of the arguments', async () => {
    await using started = await start();
    const { platform, integration } = started;
    platform.messaging.addContact({ name: 'Jane', phone });
    const [billing, support] = ['Billing', 'Support'].map((name) => platform.messaging.addTeam({ name }).id);
    const teams = { Billing: billing ?? '', Support: support ?? '' };
    const { tools } = integration.startPhoneCall({ ...inbound('CA1'), tools: { call: { teams } } });
    for (const team of ['Billing', 'Support', 'Billing'])
      await tools.run('route_to_team', { team }, { toolCallId: derivedToolCallId(tools, 'route_to_team', { team }) });

    expect(platform.messaging.conversations).toMatchObject([{ team_assignee_id: billing }]);
    expect(platform.effects('messaging.conversations.assignToTeam')).toBe(3);
  });

  test.each([{ phone: '+14155550199' }, { email: 'victoria@example.com' }])(
    'tell nothing of a stranger whose %o is said on a withheld line, and write nothing to them',
    async (said) => {
      await using started = await start();
      const { platform, integration } = started;
      platform.messaging.addContact({ name: 'Victoria', phone: '+14155550199', email: 'victoria@example.com' });
      const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound' });
      await phoneCall.identifyCaller(said);

      const results = [
        await phoneCall.tools.run('get_caller_context', {}),
        await phoneCall.tools.run('identify_caller', {}),
        await phoneCall.tools.run('reply_to_customer', { text: 'Call me.' }),
      ];
      expect(results.map(({ value }) => value)).toMatchObject([
        { error: 'not_allowed', reason: 'verification_required' },
        { status: 'found by what the caller said', profile: 'private until the caller is verified' },
        { error: 'not_allowed', reason: 'verification_required' },
      ]);
      expect(await phoneCall.tools.run('add_note', { text: 'x' })).toMatchObject({ status: 'done' });
    },
  );

  test('count a caller who proved who they are from then on', async () => {
    await using started = await start({
      payments: { ...payments, requires: 'strong' },
    });
    const { integration, payment } = started;
    const phoneCall = integration.startPhoneCall(inbound('CA1'));
    await phoneCall.tools.run('lookup_customer_invoices', {});

    expect(await phoneCall.tools.run('create_payment', payment)).toMatchObject({
      value: { reason: 'verification_required' },
    });
    phoneCall.verifyCaller('strong');
    expect(await phoneCall.tools.run('create_payment', payment)).toMatchObject({ status: 'done' });
  });

  test('do not read the invoices of a person whose e-mail the caller said', async () => {
    await using started = await start();
    const { platform, integration } = started;
    const other = platform.billing.addCustomer({ name: 'Bo', phone: '+14155550199', email: 'bo@example.com' });
    platform.billing.addInvoice({ customer_id: other.id, amount: 900 });
    const line = '+14155550177';
    platform.messaging.addContact({ name: 'Cy', phone: line });
    const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: line });
    await phoneCall.identifyCaller({ email: 'bo@example.com' });
    expect(phoneCall.caller).toMatchObject({ email: 'bo@example.com', verified: 'caller-id' });

    expect((await phoneCall.tools.run('lookup_customer_invoices', {})).text).toBe('{"error":"customer_not_found"}');
    expect(await phoneCall.tools.run('lookup_customer_invoices', { email: 'bo@example.com' })).toMatchObject({
      status: 'refused',
      value: { fields: [{ field: 'email' }] },
    });
    phoneCall.verifyCaller('strong');
    expect(await phoneCall.tools.run('lookup_customer_invoices', {})).toMatchObject({ value: { customer_name: 'Bo' } });
  });

  test('do not read the invoices of a person whose number or e-mail is said on a withheld line', async () => {
    await using started = await start();
    const { platform, integration } = started;
    platform.billing.addCustomer({ name: 'Bo', email: 'bo@example.com' });
    for (const said of [{ phone }, { email: 'bo@example.com' }]) {
      const phoneCall = integration.startPhoneCall({ callId: `CA ${Object.keys(said)[0]}`, direction: 'Inbound' });
      await phoneCall.identifyCaller(said);

      const required = { status: 'refused', value: { error: 'not_allowed', reason: 'verification_required' } };
      expect(await phoneCall.tools.run('lookup_customer_invoices', {})).toMatchObject(required);
      expect(await phoneCall.tools.run('lookup_customer_invoices', said)).toMatchObject(required);
      expect(await phoneCall.tools.run('identify_caller', {})).toMatchObject({ status: 'done' });
    }
  });

  test('keep to the number of the line when the caller says another', async () => {
    await using started = await start();
    const { platform, integration } = started;
    platform.billing.addCustomer({ name: 'Bo', phone: '+14155550199' });
    const phoneCall = integration.startPhoneCall(inbound('CA1'));
    await phoneCall.identifyCaller({ phone: '+14155550199' });

    expect(await phoneCall.tools.run('lookup_customer_invoices', {})).toMatchObject({
      value: { customer_name: 'Jane' },
    });
  });

  test('are bounded by the turn, and by its signal whatever signal the run has', async () => {
    const clock = createVirtualClock();
    const seen: ToolContext[] = [];
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      parameters: z.object({}),
      effect: 'read',
      run: (_args, context) => {
        seen.push(context);
        return new Promise<never>(() => {});
      },
    });
    const phoneCall = startPhoneCall({}, { ...inbound('CA1'), tools: { own: [look], tenant: 't' } });
    const speaksAgain = new AbortController();
    const turn = phoneCall.turn({ budgetMs: 2_000, signal: speaksAgain.signal });
    const result = turn.tools.run('look', {}, { signal: new AbortController().signal });
    await clock.advance(0);
    speaksAgain.abort();
    await clock.advance(50);

    expect(await result).toMatchObject({ status: 'cancelled' });
    expect(seen).toEqual([
      expect.objectContaining({
        callId: 'CA1',
        tenant: 't',
        deadline: turn.deadline,
        caller: expect.objectContaining(phoneCall.caller),
      }),
    ]);
  });
});
