import { describe, expect, it } from 'vitest';
import { addSharedPhone, assertOn } from '../../src/dev/testing/index.ts';
import { type InMode, modes, startInMode } from './modes.ts';

const phone = '+442071838750';
const inbound = { callId: 'CA1', direction: 'Inbound', phone } as const;
const said = { outcome: 'resolved', summary: 'Asked.', transcript: 'Hello.', durationSeconds: 60 };

/** One person whom all systems know, with two open invoices; a paid one, and one of another person. */
const fill = ({ messaging, crm, billing }: InMode['platform']) => {
  messaging.addContact({ id: 'contact_ada', name: 'Ada', phone, email: 'ada@example.com' });
  crm.addLead({ Id: '00Q000000000007', LastName: 'Park', Company: 'Park Ltd', Phone: phone });
  billing.addCustomer({ id: 'cus_ada', name: 'Ada', phone });
  billing.addCustomer({ id: 'cus_bo', name: 'Bo' });
  billing.addInvoice({ id: 'inv_1', customer_id: 'cus_ada', amount: 120.5 });
  billing.addInvoice({ id: 'inv_2', customer_id: 'cus_ada', amount: 80 });
  billing.addInvoice({ id: 'inv_paid', customer_id: 'cus_ada', amount: 10, status: 'paid' });
  billing.addInvoice({ id: 'inv_bo', customer_id: 'cus_bo', amount: 900 });
};

/** The modes in which it can end in another way. */
const among = (...names: readonly string[]) => modes.filter(({ name }) => names.includes(name));

const inWrites = among(
  'the usual behaviour',
  'the documented endpoints alone',
  'no idempotency keys',
  'slow answers',
  'all of it at once',
);

describe.each(modes)('a phone call with $name', (mode) => {
  it('finds a caller whom all systems know, and writes everything once', async () => {
    await using started = await startInMode(mode);
    const { platform, integration, carryOut } = started;
    fill(platform);
    const phoneCall = integration.startPhoneCall(inbound);

    const { contact, created } = await carryOut(phoneCall.identifyCaller());
    const note = await carryOut(phoneCall.tools.run('add_note', { text: 'Call back on Monday.' }));
    const lead = await carryOut(phoneCall.qualifyLead({ lead: { LastName: 'Park', Company: 'Park Ltd' } }));
    const finished = await carryOut(phoneCall.finish(said));
    await carryOut(phoneCall.finish());

    expect([contact.id, created]).toEqual(['contact_ada', false]);
    expect(note).toMatchObject({ status: 'done' });
    expect(lead).toMatchObject({ outcome: 'open_lead', leadId: '00Q000000000007' });
    expect(finished.steps.filter(({ status }) => status !== 'done')).toEqual([]);
    expect(finished.complete).toBe(true);
    const { notedOnce, loggedOnce, neverToldCustomer } = assertOn(platform);
    notedOnce('Call back on Monday.');
    neverToldCustomer();
    expect(loggedOnce('Asked.')).toMatchObject({ WhoId: '00Q000000000007' });
    expect([platform.messaging.contacts.length, platform.messaging.conversations.length]).toEqual([1, 1]);
    expect(platform.crm.leads).toHaveLength(1);
  });

  it("lists the caller's open invoices, and pays one once", async () => {
    await using started = await startInMode(mode);
    const { platform, integration, carryOut } = started;
    fill(platform);
    const { tools } = integration.startPhoneCall(inbound);
    const payment = { invoice_id: 'inv_1', amount: 120.5, payment_method_id: 'pm_1' };

    const found = await carryOut(tools.run('lookup_customer_invoices', '{}'));
    const foreign = await carryOut(tools.run('create_payment', { ...payment, invoice_id: 'inv_bo', amount: 900 }));
    const paid = await carryOut(tools.run('create_payment', payment));
    const again = await carryOut(tools.run('create_payment', payment));

    expect(found.value).toMatchObject({
      customer_name: 'Ada',
      invoice_count: 2,
      total_outstanding: 200.5,
      invoices: [
        { id: 'inv_1', amount: 120.5, due_date: '2026-01-31' },
        { id: 'inv_2', amount: 80, due_date: '2026-01-31' },
      ],
    });
    expect(foreign.status).toBe('refused');
    expect(paid.value).toEqual({ success: true, confirmation_number: 'CONF-1' });
    expect(again.value).toMatchObject({ success: true, confirmation_number: 'CONF-1' });
    assertOn(platform).paidOnce({ invoiceId: 'inv_1' });
    expect(platform.effects('billing.payments.create')).toBe(1);
  });

  it('does no write twice whose answer is lost', async () => {
    await using started = await startInMode(mode);
    const { platform, integration, carryOut } = started;
    fill(platform);
    platform.messaging.addConversation({ id: 'talk', contact_id: 'contact_ada', body: 'Hello' });
    const phoneCall = integration.startPhoneCall({ ...inbound, conversationId: 'talk' });
    for (const operation of [...once, 'messaging.conversations.addNote'] as const)
      platform.fault(operation, [{ executeThenDrop: true }]);
    const payment = { invoice_id: 'inv_1', amount: 120.5, payment_method_id: 'pm_1' };

    await carryOut(phoneCall.identifyCaller());
    await carryOut(phoneCall.tools.run('lookup_customer_invoices', '{}'));
    await carryOut(phoneCall.tools.run('create_payment', payment));
    await carryOut(phoneCall.tools.run('add_note', { text: 'Call back on Monday.' }));
    await carryOut(phoneCall.tools.run('add_note', { text: 'Call back on Tuesday.' }));
    await carryOut(phoneCall.tools.run('reply_to_customer', { text: 'Thank you.' }));
    await carryOut(phoneCall.finish(said));
    await carryOut(phoneCall.finish());

    expect(once.map((operation) => [operation, platform.effects(operation)])).toEqual(
      once.map((operation) => [operation, 1]),
    );
    for (const day of ['Monday', 'Tuesday']) assertOn(platform).notedOnce(`Call back on ${day}.`);
    expect(platform.messaging.conversations).toHaveLength(1);
  });
});

describe.each(inWrites)('a phone call with $name', (mode) => {
  it('makes a contact and a lead for a caller whom no system knows', async () => {
    await using started = await startInMode(mode);
    const { platform, integration, carryOut } = started;
    const phoneCall = integration.startPhoneCall(inbound);

    const { created } = await carryOut(phoneCall.identifyCaller());
    const lead = await carryOut(phoneCall.qualifyLead({ lead: { LastName: 'Park', Company: 'Park Ltd' } }));
    const finished = await carryOut(phoneCall.finish(said));

    expect([created, lead.outcome, finished.complete]).toEqual([true, 'lead_created', true]);
    expect(platform.messaging.contacts).toMatchObject([{ phone }]);
    expect(platform.crm.leads).toMatchObject([{ LastName: 'Park', Phone: phone }]);
    expect(platform.crm.tasks).toMatchObject([{ WhoId: platform.crm.leads[0]?.Id }]);
  });

  const words = ['denied', 'insufficient_funds', 'not_completed', 'error'];

  // Which words mean a refusal is decided in one place, whatever else an API does in its own way.
  it.each(mode === modes[0] ? words : words.slice(0, 1))(
    'says why a payment was refused that ended as "%s", and pays with another card',
    async (status) => {
      await using started = await startInMode(mode);
      const { platform, integration, carryOut } = started;
      fill(platform);
      const { tools } = integration.startPhoneCall(inbound);
      platform.billing.nextPayment({ declined: 'Not enough money', status });
      const payment = { invoice_id: 'inv_1', amount: 120.5, payment_method_id: 'pm_1' };
      await carryOut(tools.run('lookup_customer_invoices', '{}'));

      const refused = await carryOut(tools.run('create_payment', payment));
      const paid = await carryOut(tools.run('create_payment', { ...payment, payment_method_id: 'pm_2' }));

      expect(refused.value).toMatchObject({ success: false, error: expect.stringContaining('Not enough money') });
      expect(paid.value).toEqual({ success: true, confirmation_number: 'CONF-2' });
      assertOn(platform).paidOnce({ invoiceId: 'inv_1' });
    },
  );

  it('never says that a payment failed that is still pending, nor pays it again', async () => {
    await using started = await startInMode(mode);
    const { platform, integration, carryOut } = started;
    fill(platform);
    const { tools } = integration.startPhoneCall(inbound);
    platform.billing.nextPayment({ pending: 'Confirm it in your app', status: 'pending' });
    const payment = { invoice_id: 'inv_1', amount: 120.5, payment_method_id: 'pm_1' };
    await carryOut(tools.run('lookup_customer_invoices', '{}'));

    const pending = await carryOut(tools.run('create_payment', payment));
    await carryOut(tools.run('create_payment', payment));
    await carryOut(tools.run('create_payment', { ...payment, payment_method_id: 'pm_2' }));

    expect(pending.status).toBe('unknown');
    expect(pending.text).toContain('Confirm it in your app');
    expect(platform.billing.payments.map(({ status }) => status)).toEqual(['pending']);
  });

  it('starts one conversation, also when the answer to that is lost', async () => {
    await using started = await startInMode(mode);
    const { platform, integration, carryOut } = started;
    fill(platform);
    platform.fault('messaging.conversations.create', [{ executeThenDrop: true }]);
    const phoneCall = integration.startPhoneCall(inbound);

    await carryOut(phoneCall.finish(said));
    await carryOut(phoneCall.finish());

    expect(platform.messaging.conversations).toHaveLength(1);
  });
});

const inSearches = among(
  'the usual behaviour',
  'the documented endpoints alone',
  'formatted phone numbers',
  'bare lists',
  'all of it at once',
);

describe.each(inSearches)('a phone call with $name', (mode) => {
  it('writes nothing on one of two people with one number', async () => {
    await using started = await startInMode(mode);
    const { platform, integration, carryOut } = started;
    const { customers } = addSharedPhone(platform, phone);
    platform.billing.addInvoice({ id: 'inv_1', customer_id: customers[0], amount: 120.5 });
    const phoneCall = integration.startPhoneCall(inbound);

    const identified = await carryOut(phoneCall.tools.run('identify_caller', {}));
    const lead = await carryOut(phoneCall.tools.run('qualify_lead', { last_name: 'Park', company: 'Park Ltd' }));
    const finished = await carryOut(phoneCall.finish(said));

    expect(identified.value).toEqual({
      status: 'several match',
      matches: 2,
      message: expect.stringMatching(/e-mail address/),
    });
    expect(lead.text).toContain('several people match');
    expect(finished.steps.map(({ status }) => status)).not.toContain('failed');
    expect(platform.messaging.conversations).toEqual([]);
    expect(platform.crm.leads).toHaveLength(2);
    expect(platform.crm.opportunities).toEqual([]);
    expect(platform.crm.tasks.map(({ WhoId }) => WhoId ?? null)).toEqual(platform.crm.tasks.map(() => null));
  });
});

/** The writes of a phone call that must not be done twice. */
const once = ['billing.payments.create', 'messaging.conversations.reply', 'crm.tasks.create'] as const;
