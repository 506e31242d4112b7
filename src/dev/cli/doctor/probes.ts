import { where } from '../../../crm/index.ts';
import type { Integration } from '../../../integration.ts';
import type { ApiName } from '../../testing/index.ts';
import { type PlatformName, platforms } from '../platforms/platforms.ts';

/** A read that shows whether one area of an API is open to the credential. It writes nothing and finds no person. */
export interface Probe {
  readonly api: ApiName;
  /** The name in events. */
  readonly operation: string;
  /** The records that it reads, in words. */
  readonly reads: string;
  /** The permission's names on the presets' platforms. */
  readonly permission: Readonly<Partial<Record<PlatformName, string>>>;
  /** Not every platform has it: a 404 says no more than that. */
  readonly isOptional?: true;
  /** It asks for what does not exist: a 404 may well be the answer of an endpoint that is there. */
  readonly isOfNobody?: true;
  /** Only these platforms have it, and not every agent needs it: what's missing is a warning. */
  readonly only?: readonly PlatformName[];
  readonly run: (integration: Integration) => Promise<unknown>;
}

const presets = Object.keys(platforms) as readonly PlatformName[];

/** The preset of a platform, as people call that. */
export const presetNamed = (platform: string | undefined): PlatformName | undefined =>
  presets.find((preset) => preset === platform?.toLowerCase());

/** A number and an id that no one has. A look-up by them finds no person, and that answer is enough. */
const phone = '+15555550199';
const noOne = '0';

export const probes: readonly Probe[] = [
  {
    api: 'messaging',
    operation: 'messaging.contacts.search',
    reads: 'contacts',
    permission: { intercom: 'Read and list users and companies', zendesk: 'read' },
    run: ({ messaging }) => messaging.contacts.search({ field: 'phone', operator: '=', value: phone }),
  },
  {
    api: 'messaging',
    operation: 'messaging.conversations.get',
    reads: 'conversations',
    permission: { intercom: 'Read conversations', zendesk: 'read' },
    isOptional: true,
    isOfNobody: true,
    run: ({ messaging }) => messaging.conversations.get(noOne),
  },
  {
    api: 'messaging',
    operation: 'messaging.teams.list',
    reads: 'teams',
    permission: { intercom: 'Read admins', zendesk: 'read' },
    isOptional: true,
    run: ({ messaging }) => messaging.teams.list(),
  },
  {
    api: 'messaging',
    operation: 'messaging.articles.search',
    reads: 'articles of the help center',
    permission: { zendesk: 'read' },
    isOptional: true,
    only: ['zendesk'],
    run: ({ messaging }) => messaging.articles.search({ phrase: 'opening hours' }),
  },
  {
    api: 'crm',
    operation: 'crm.leads.search',
    reads: 'leads',
    permission: {
      salesforce: 'Lead: Read, and read access to Email, Phone, Status and IsConverted',
      hubspot: 'crm.objects.contacts.read',
    },
    run: ({ crm }) => crm.leads.search({ phone }),
  },
  {
    api: 'crm',
    operation: 'crm.contacts.search',
    reads: 'contacts',
    permission: {
      salesforce: 'Contact: Read, and read access to its phone fields',
      hubspot: 'crm.objects.contacts.read',
    },
    isOptional: true,
    run: ({ crm }) => crm.contacts.search({ phone }),
  },
  {
    api: 'crm',
    operation: 'crm.accounts.search',
    reads: 'accounts',
    permission: { salesforce: 'Account: Read', hubspot: 'crm.objects.companies.read' },
    isOptional: true,
    run: ({ crm }) => crm.accounts.search({ phone }),
  },
  {
    api: 'crm',
    operation: 'crm.opportunities.search',
    reads: 'deals',
    permission: { hubspot: 'crm.objects.deals.read' },
    only: ['hubspot'],
    run: ({ crm }) => crm.opportunities.search({ where: where('Id', '=', noOne) }),
  },
  {
    api: 'crm',
    operation: 'crm.cases.search',
    reads: 'tickets',
    permission: { hubspot: 'tickets' },
    only: ['hubspot'],
    run: ({ crm }) => crm.cases.search({ where: where('Id', '=', noOne) }),
  },
  {
    api: 'crm',
    operation: 'crm.User.search',
    reads: 'owners',
    permission: { hubspot: 'crm.objects.owners.read' },
    only: ['hubspot'],
    run: ({ crm }) => crm.records('User').search({ where: where('Email', '=', 'no-one@example.com') }),
  },
  {
    api: 'billing',
    operation: 'billing.customers.find',
    reads: 'customers',
    permission: { stripe: 'Customers: Read' },
    run: ({ billing }) => billing.customers.find({ phone }),
  },
  {
    api: 'billing',
    operation: 'billing.invoices.listOpen',
    reads: 'invoices',
    permission: { stripe: 'Invoices: Write, which includes Read' },
    isOptional: true,
    isOfNobody: true,
    run: ({ billing }) => billing.invoices.listOpen(noOne),
  },
];
