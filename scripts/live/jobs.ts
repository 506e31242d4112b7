import { where } from '../../src/crm/index.ts';
import type { Integration } from '../../src/integration.ts';
import { billingReads, crmReads, messagingReads, type Read } from '../../src/phone-call/check/reads.ts';
import type { Account } from './accounts.ts';

/** One thing that is tried, as a column of the table. */
export interface Job {
  readonly name: string;
  readonly work: (context: Context) => Promise<unknown>;
}

export interface Context {
  readonly integration: Integration;
  /** Part of each name, so that two runs don't meet. */
  readonly stamp: string;
  /** Keeps how something that was made goes away again. */
  readonly undo: (what: string, remove: () => Promise<unknown>) => void;
}

export const jobsOf = (account: Account): readonly Job[] => [
  reads(account),
  ...(account.options.messaging ? messagingJobs(account) : []),
  ...(account.options.crm ? crmJobs : []),
  ...(account.options.billing ? [payment(account)] : []),
];

/** What `check` and `doctor` read. */
const reads = ({ name, options }: Account): Job => {
  const readAll = async <Client>(client: Client, all: readonly Read<Client>[]) => {
    for (const { only, run, isOfNobody } of all)
      if (!isOfNobody && (!only || only.includes(name))) await run(client, {});
  };
  return {
    name: 'reads',
    work: async ({ integration }) => {
      if (options.messaging) await readAll(integration.messaging, messagingReads);
      if (options.crm) await readAll(integration.crm, crmReads);
      if (options.billing) await readAll(integration.billing, billingReads);
    },
  };
};

const messagingJobs = ({ name }: Account): readonly Job[] => {
  let contactId = '';
  return [
    {
      name: 'contact',
      work: async ({ integration: { messaging }, stamp, undo }) => {
        const { id } = await messaging.contacts.create({ name: `Live test ${stamp}`, email: emailOf(stamp) });
        contactId = id;
        undo(`contact ${id}`, () => messaging.contacts.delete(id));
        if ((await messaging.contacts.get(id))?.id !== id) throw new Error('the new contact cannot be read');
      },
    },
    {
      name: 'note',
      work: async ({ integration: { messaging }, undo }) => {
        const { id } = await messaging.conversations.create({
          contactId,
          body: 'A live test of voice-agent-integrations.',
        });
        undo(`conversation ${id}`, () => messaging.conversations.close(id));
        await messaging.conversations.addNote(id, { body: 'An internal note: <b>plain</b> & whole.' });
      },
    },
    {
      name: 'ticket',
      work: async ({ integration: { messaging }, stamp, undo }) => {
        const ticketTypeId = name === 'zendesk' ? 'question' : (await messaging.tickets.types.list()).data[0]?.id;
        if (ticketTypeId === undefined) throw new Error('the workspace has no ticket type: make one');
        const ticket = await messaging.tickets.create({ ticketTypeId, contactId, title: `Live test ${stamp}` });
        undo(`ticket ${ticket.id}`, () => closeTicket(messaging, name, ticket.id));
      },
    },
  ];
};

/** Zendesk's tickets are conversations; a ticket of Intercom has states of its own. */
const closeTicket = (messaging: Integration['messaging'], name: string, id: string): Promise<unknown> =>
  name === 'zendesk' ? messaging.conversations.close(id) : messaging.tickets.update(id, { open: false });

const crmJobs: readonly Job[] = [
  {
    name: 'contact',
    work: async ({ integration: { crm }, stamp, undo }) => {
      const { id } = await crm.contacts.create({ LastName: `Live test ${stamp}`, Email: emailOf(`contact-${stamp}`) });
      undo(`contact ${id}`, () => crm.contacts.delete(id));
      await crm.contacts.get(id);
    },
  },
  {
    name: 'lead with Task',
    work: async ({ integration, stamp, undo }) => {
      const { crm } = integration;
      const email = emailOf(`lead-${stamp}`);
      const call = integration.startPhoneCall({
        callId: `live-${stamp}`,
        direction: 'inbound',
        phone: undefined,
        email,
      });
      const lead = { LastName: `Live test ${stamp}`, Company: 'Live test', Email: email };
      const qualified = await call.qualifyLead({ lead, outcome: 'resolved', durationSeconds: 60 });
      if (qualified.outcome !== 'lead_created') throw new Error(`the lead is ${qualified.outcome}`);
      undo(`lead ${qualified.leadId}`, () => crm.leads.delete(qualified.leadId));
      const { taskId } = await call.logCall({ outcome: 'resolved', durationSeconds: 60 });
      if (taskId === undefined) throw new Error('the Task was not written');
      undo(`task ${taskId}`, () => crm.tasks.delete(taskId));
      if (!qualified.complete) throw new Error('a part of the lead was not written');
    },
  },
  {
    name: 'ticket',
    work: async ({ integration: { crm }, stamp, undo }) => {
      const { id } = await crm.cases.create({ Subject: `Live test ${stamp}` });
      undo(`case ${id}`, () => crm.cases.delete(id));
      await crm.cases.search({ where: where('Id', '=', id) });
    },
  },
];

/** Pays the smallest open invoice of the customer with the card on file. */
const payment = ({ customerEmail = '' }: Account): Job => ({
  name: 'payment',
  work: async ({ integration: { billing } }) => {
    const customer = await billing.customers.find({ email: customerEmail });
    if (!customer) throw new Error(`there is no customer ${customerEmail}`);
    const { data } = await billing.invoices.listOpen(customer.id);
    const [invoice] = data.toSorted((a, b) => a.amount - b.amount);
    if (!invoice) throw new Error('the customer has no open invoice');
    const { default_payment_method: card }: Readonly<Record<string, unknown>> = Object(customer.invoice_settings);
    if (typeof card !== 'string') throw new Error('the customer has no default payment method');
    const { status } = await billing.payments.create({
      customer_id: customer.id,
      invoice_id: invoice.id,
      amount: invoice.amount,
      payment_method_id: card,
    });
    if (status !== 'completed') throw new Error(`the payment is ${status}`);
  },
});

const emailOf = (name: string) => `live-${name}@example.com`;
