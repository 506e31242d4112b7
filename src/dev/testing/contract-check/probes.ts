import type { NewPayment } from '../../../billing/index.ts';
import { UnexpectedResponseError } from '../../../core/errors.ts';
import type { Integration } from '../../../integration.ts';

/** Records of the test workspace, to be read. Others are read only if an operation before finds them. */
export interface ContractSamples {
  /** E.164: of a contact, a lead and a customer. */
  readonly phone?: string | undefined;
  /** In the messaging platform. */
  readonly contactId?: string | undefined;
  /** In the messaging platform. */
  readonly conversationId?: string | undefined;
  /** In the CRM. */
  readonly accountId?: string | undefined;
  /** In the billing API. */
  readonly customerId?: string | undefined;
  /** Charged in the sandbox, with a key of its own; without it no payment is made. */
  readonly payment?: NewPayment | undefined;
}

/** The workspace as known by now: the samples, and the ids that operations returned. */
export type KnownWorkspace = { -readonly [Name in keyof ContractSamples]: ContractSamples[Name] } & {
  /** Part of everything that is written. */
  readonly mark: string;
  madeContactId?: string;
  madeConversationId?: string;
  madeLeadId?: string;
  madeTaskId?: string;
};

/** One operation that is done with each version. */
export interface ContractProbe {
  /** The name in events, such as `messaging.contacts.get`. */
  readonly operation: string;
  /** Writes are done with `sandboxWrites` only. */
  readonly effect: 'read' | 'write';
  /** Does it once, and may add to what is known. `undefined`: something that it needs is not known. */
  readonly run: (integration: Integration, known: KnownWorkspace) => Promise<unknown> | undefined;
}

/** The operations of a phone call, reads first. None sends a message to a customer. */
export const usualProbes: readonly ContractProbe[] = [
  { operation: 'messaging.admins.me', effect: 'read', run: ({ messaging }) => messaging.admins.me() },
  { operation: 'messaging.admins.list', effect: 'read', run: ({ messaging }) => messaging.admins.list() },
  { operation: 'messaging.teams.list', effect: 'read', run: ({ messaging }) => messaging.teams.list() },
  {
    operation: 'messaging.contacts.search',
    effect: 'read',
    run: ({ messaging }, known) =>
      having(known.phone, async (value) => {
        const { data } = await messaging.contacts.search({ field: 'phone', operator: '=', value });
        known.contactId ??= data[0]?.id;
      }),
  },
  {
    operation: 'messaging.contacts.get',
    effect: 'read',
    run: ({ messaging }, { contactId }) => found(contactId, (id) => messaging.contacts.get(id)),
  },
  {
    operation: 'messaging.contacts.tags.list',
    effect: 'read',
    run: ({ messaging }, { contactId }) => having(contactId, (id) => messaging.contacts.tags.list(id)),
  },
  {
    operation: 'messaging.companies.listForContact',
    effect: 'read',
    run: ({ messaging }, { contactId }) => having(contactId, (id) => messaging.companies.listForContact(id)),
  },
  {
    operation: 'messaging.conversations.get',
    effect: 'read',
    run: ({ messaging }, { conversationId }) => found(conversationId, (id) => messaging.conversations.get(id)),
  },
  {
    operation: 'crm.leads.search',
    effect: 'read',
    run: ({ crm }, { phone }) => having(phone, () => crm.leads.search({ phone })),
  },
  {
    operation: 'crm.contacts.search',
    effect: 'read',
    run: ({ crm }, { phone }) => having(phone, () => crm.contacts.search({ phone })),
  },
  {
    operation: 'crm.accounts.search',
    effect: 'read',
    run: ({ crm }, { phone }) => having(phone, () => crm.accounts.search({ phone })),
  },
  {
    operation: 'crm.opportunities.search',
    effect: 'read',
    run: ({ crm }, known) => having(known.accountId, (accountId) => crm.opportunities.search({ accountId })),
  },
  {
    operation: 'crm.cases.search',
    effect: 'read',
    run: ({ crm }, known) => having(known.accountId, (accountId) => crm.cases.search({ accountId })),
  },
  {
    operation: 'billing.customers.find',
    effect: 'read',
    run: ({ billing }, known) =>
      having(known.phone, async (phone) => {
        const customer = await billing.customers.find({ phone });
        known.customerId ??= customer?.id;
      }),
  },
  {
    operation: 'billing.customers.get',
    effect: 'read',
    run: ({ billing }, { customerId }) => found(customerId, (id) => billing.customers.get(id)),
  },
  {
    operation: 'billing.invoices.listOpen',
    effect: 'read',
    run: ({ billing }, { customerId }) => having(customerId, (id) => billing.invoices.listOpen(id)),
  },
  {
    operation: 'messaging.contacts.create',
    effect: 'write',
    run: async ({ messaging }, known) => {
      const email = `${hyphenated(known)}@example.com`;
      known.madeContactId = (await messaging.contacts.create({ email, name: known.mark, role: 'lead' })).id;
    },
  },
  {
    operation: 'messaging.contacts.update',
    effect: 'write',
    run: ({ messaging }, { madeContactId, mark }) =>
      having(madeContactId, (id) => messaging.contacts.update(id, { name: `${mark}, updated` })),
  },
  {
    operation: 'messaging.conversations.create',
    effect: 'write',
    run: ({ messaging }, known) =>
      having(known.madeContactId, async (contactId) => {
        known.madeConversationId = (await messaging.conversations.create({ contactId, body: bodyOf(known) })).id;
      }),
  },
  {
    operation: 'messaging.conversations.addNote',
    effect: 'write',
    run: ({ messaging }, known) =>
      having(known.madeConversationId, (id) => messaging.conversations.addNote(id, { body: bodyOf(known) })),
  },
  {
    operation: 'messaging.conversations.close',
    effect: 'write',
    run: ({ messaging }, { madeConversationId }) =>
      having(madeConversationId, (id) => messaging.conversations.close(id)),
  },
  {
    operation: 'crm.leads.create',
    effect: 'write',
    run: async ({ crm }, known) => {
      const lead = { LastName: known.mark, Company: known.mark, Description: bodyOf(known) };
      known.madeLeadId = (await crm.leads.create(lead)).id;
    },
  },
  {
    operation: 'crm.leads.update',
    effect: 'write',
    run: ({ crm }, known) =>
      having(known.madeLeadId, (id) => crm.leads.update(id, { Description: `${bodyOf(known)} Updated.` })),
  },
  {
    operation: 'crm.tasks.create',
    effect: 'write',
    run: async ({ crm }, known) => {
      const about = known.madeLeadId === undefined ? {} : { WhoId: known.madeLeadId };
      const task = { Subject: known.mark, Status: 'Completed', Description: bodyOf(known), ...about };
      known.madeTaskId = (await crm.tasks.create(task)).id;
    },
  },
  {
    operation: 'crm.tasks.update',
    effect: 'write',
    run: ({ crm }, known) =>
      having(known.madeTaskId, (id) => crm.tasks.update(id, { Description: `${bodyOf(known)} Updated.` })),
  },
  {
    operation: 'billing.payments.create',
    effect: 'write',
    run: ({ billing }, known) =>
      having(known.payment, (payment) => billing.payments.create(payment, { idempotencyKey: hyphenated(known) })),
  },
];

const having = <T>(value: T | undefined, run: (value: T) => Promise<unknown>): Promise<unknown> | undefined =>
  value === undefined ? undefined : run(value);

/** Gets a record that must be there. */
const found = (id: string | undefined, get: (id: string) => Promise<unknown>): Promise<unknown> | undefined =>
  having(id, async (known) => {
    const record = await get(known);
    if (record === undefined)
      throw new UnexpectedResponseError('no record has this id', { operation: '', status: 404 });
    return record;
  });

const hyphenated = ({ mark }: KnownWorkspace): string => mark.replaceAll(' ', '-');

const bodyOf = ({ mark }: KnownWorkspace): string => `Made by a ${mark}. It may be deleted.`;
