import type { BillingClient } from '../../billing/billing-client.ts';
import type { CrmClient } from '../../crm/client.ts';
import { where } from '../../crm/where.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { MessagingClient } from '../../messaging/client.ts';
import type { PresetName } from './presets.ts';

/** A read that shows whether one area of an API is open to the credential. It writes nothing and finds no person. */
export interface Read<Client> {
  /** The name in events. */
  readonly operation: string;
  /** The records that it reads, in words. */
  readonly reads: string;
  /** The permission's names on the presets' platforms. */
  readonly permission: Readonly<Partial<Record<PresetName, string>>>;
  /** Not every platform has it: a 404 says no more than that. */
  readonly isOptional?: true;
  /** It asks for what does not exist: a 404 may well be the answer of an endpoint that is there. */
  readonly isOfNobody?: true;
  /** Only these platforms have it, and not every agent needs it: what's missing is a warning. */
  readonly only?: readonly PresetName[];
  readonly run: (client: Client, call: RequestOptions) => Promise<unknown>;
}

/** A number and an id that no one has. A look-up by them finds no person, and that answer is enough. */
const phone = '+15555550199';
const noOne = '0';

export const messagingReads: readonly Read<MessagingClient>[] = [
  {
    operation: 'messaging.contacts.search',
    reads: 'contacts',
    permission: { intercom: 'Read and list users and companies', zendesk: 'read' },
    run: (messaging, call) => messaging.contacts.search({ field: 'phone', operator: '=', value: phone }, call),
  },
  {
    operation: 'messaging.conversations.get',
    reads: 'conversations',
    permission: { intercom: 'Read conversations', zendesk: 'read' },
    isOptional: true,
    isOfNobody: true,
    run: (messaging, call) => messaging.conversations.get(noOne, call),
  },
  {
    operation: 'messaging.teams.list',
    reads: 'teams',
    permission: { intercom: 'Read admins', zendesk: 'read' },
    isOptional: true,
    run: (messaging, call) => messaging.teams.list(call),
  },
  {
    operation: 'messaging.articles.search',
    reads: 'articles of the help center',
    permission: { zendesk: 'read' },
    isOptional: true,
    only: ['zendesk'],
    run: (messaging, call) => messaging.articles.search({ phrase: 'opening hours' }, call),
  },
];

export const crmReads: readonly Read<CrmClient>[] = [
  {
    operation: 'crm.leads.search',
    reads: 'leads',
    permission: {
      salesforce: 'Lead: Read, and read access to Email, Phone, Status and IsConverted',
      hubspot: 'crm.objects.contacts.read',
    },
    run: (crm, call) => crm.leads.search({ phone }, call),
  },
  {
    operation: 'crm.contacts.search',
    reads: 'contacts',
    permission: {
      salesforce: 'Contact: Read, and read access to its phone fields',
      hubspot: 'crm.objects.contacts.read',
    },
    isOptional: true,
    run: (crm, call) => crm.contacts.search({ phone }, call),
  },
  {
    operation: 'crm.accounts.search',
    reads: 'accounts',
    permission: { salesforce: 'Account: Read', hubspot: 'crm.objects.companies.read' },
    isOptional: true,
    run: (crm, call) => crm.accounts.search({ phone }, call),
  },
  {
    operation: 'crm.opportunities.search',
    reads: 'deals',
    permission: { hubspot: 'crm.objects.deals.read' },
    only: ['hubspot'],
    run: (crm, call) => crm.opportunities.search({ where: where('Id', '=', noOne) }, call),
  },
  {
    operation: 'crm.cases.search',
    reads: 'tickets',
    permission: { hubspot: 'tickets' },
    only: ['hubspot'],
    run: (crm, call) => crm.cases.search({ where: where('Id', '=', noOne) }, call),
  },
  {
    operation: 'crm.User.search',
    reads: 'owners',
    permission: { hubspot: 'crm.objects.owners.read' },
    only: ['hubspot'],
    run: (crm, call) => crm.records('User').search({ where: where('Email', '=', 'no-one@example.com') }, call),
  },
];

export const billingReads: readonly Read<BillingClient>[] = [
  {
    operation: 'billing.customers.find',
    reads: 'customers',
    permission: { stripe: 'Customers: Read' },
    run: (billing, call) => billing.customers.find({ phone }, call),
  },
  {
    operation: 'billing.invoices.listOpen',
    reads: 'invoices',
    permission: { stripe: 'Invoices: Write, which includes Read' },
    isOptional: true,
    isOfNobody: true,
    run: (billing, call) => billing.invoices.listOpen(noOne, call),
  },
];
