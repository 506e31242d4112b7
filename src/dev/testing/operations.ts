/** One of the three APIs. */
export type ApiName = 'messaging' | 'crm' | 'billing';

/** What is asked of the messaging platform. */
const messagingOperations = [
  'messaging.contacts.get',
  'messaging.contacts.create',
  'messaging.contacts.update',
  'messaging.contacts.search',
  'messaging.contacts.tags.attach',
  'messaging.contacts.tags.detach',
  'messaging.contacts.tags.list',
  'messaging.conversations.get',
  'messaging.conversations.create',
  'messaging.conversations.reply',
  'messaging.conversations.addNote',
  'messaging.conversations.assignToTeam',
  'messaging.conversations.close',
  'messaging.conversations.tags.attach',
  'messaging.conversations.tags.detach',
  'messaging.companies.get',
  'messaging.companies.update',
  'messaging.companies.listForContact',
  'messaging.tags.list',
  'messaging.admins.list',
  'messaging.admins.me',
  'messaging.teams.list',
] as const;

/** What is asked of the billing API. */
const billingOperations = [
  'billing.customers.get',
  'billing.customers.find',
  'billing.invoices.listOpen',
  'billing.payments.create',
] as const;

/** The objects of the CRM. */
const crmResources = ['leads', 'tasks', 'contacts', 'accounts', 'opportunities', 'cases', 'events'] as const;
/** What is done with each of them. */
const crmActions = ['get', 'create', 'update', 'delete', 'search'] as const;

/** What is done with the records of one object. */
type CrmAction = (typeof crmActions)[number];

/** The seven objects of the CRM, as the clients name them. */
export type CrmResource = (typeof crmResources)[number];

/** What is asked of the messaging platform that the default API has no word of. */
const helpDeskOperations = [
  'messaging.conversations.update',
  'messaging.conversations.search',
  'messaging.conversations.assignToAdmin',
  'messaging.conversations.unassign',
  'messaging.conversations.reopen',
  'messaging.conversations.snooze',
  'messaging.conversations.convertToTicket',
  'messaging.admins.get',
  'messaging.teams.get',
  'messaging.articles.get',
  'messaging.articles.search',
  'messaging.tickets.get',
  'messaging.tickets.create',
  'messaging.tickets.update',
  'messaging.tickets.search',
  'messaging.tickets.reply',
  'messaging.tickets.addNote',
  'messaging.tickets.types.get',
  'messaging.tickets.types.list',
  'messaging.tickets.states.list',
  'messaging.officeHours.get',
  'messaging.officeHours.list',
  'messaging.officeHours.listExceptions',
] as const;

/** What a messaging platform that speaks Intercom's dialect answers in addition to that. */
const intercomOperations = [
  'messaging.contacts.getByExternalId',
  'messaging.contacts.merge',
  'messaging.contacts.archive',
  'messaging.contacts.unarchive',
  'messaging.contacts.block',
  'messaging.contacts.notes.list',
  'messaging.contacts.notes.create',
  'messaging.contacts.subscriptions.list',
  'messaging.contacts.subscriptions.attach',
  'messaging.contacts.subscriptions.detach',
  'messaging.subscriptionTypes.list',
  'messaging.companies.attach',
  'messaging.companies.detach',
  'messaging.tags.create',
  'messaging.admins.setAway',
  'messaging.dataEvents.create',
] as const;

/** What a messaging platform that speaks Intercom's or Zendesk's dialect answers in addition to that. */
const companyOperations = [
  'messaging.contacts.delete',
  'messaging.companies.create',
  'messaging.companies.find',
  'messaging.companies.list',
] as const;

/** What an account of Zendesk answers in addition to that. */
const zendeskOperations = ['messaging.oauth.token', 'messaging.teams.listMembers'] as const;

/** What a billing API that speaks Stripe's dialect answers in addition to that. */
const stripeOperations = ['billing.invoices.get'] as const;

/** What a CRM that speaks the dialect of Salesforce answers in addition to its objects. */
const salesforceOperations = [
  'crm.leads.createWithTask',
  'crm.query',
  'crm.query.next',
  'crm.search',
  'crm.composite',
  'crm.platformEvents.publish',
  'crm.versions.list',
  'crm.oauth.token',
] as const;

/** What a CRM that speaks HubSpot's dialect answers in addition to its objects. */
const hubspotOperations = [
  'crm.batch',
  'crm.associations.create',
  'crm.owners.list',
  'crm.owners.get',
  'crm.pipelines.list',
] as const;

/**
 * Every operation that the fake platform answers. There is one per endpoint: a client's method that uses the endpoint
 * of another, such as `findByPhone` that of `search`, is found under the name of the other.
 */
export type OperationName =
  | (typeof messagingOperations)[number]
  | `crm.${CrmResource}.${CrmAction}`
  | `crm.${string}__c.${CrmAction}`
  | (typeof billingOperations)[number]
  | (typeof helpDeskOperations)[number]
  | (typeof intercomOperations)[number]
  | (typeof zendeskOperations)[number]
  | (typeof companyOperations)[number]
  | (typeof stripeOperations)[number]
  | (typeof salesforceOperations)[number]
  | (typeof hubspotOperations)[number];

/** Those of the default API, to be looked through. */
export const operationNames: readonly OperationName[] = [
  ...messagingOperations,
  ...crmResources.flatMap((resource) => crmActions.map((action) => `crm.${resource}.${action}` as const)),
  ...billingOperations,
];

/** The endpoints that the default API lists. */
export const documentedOperations: ReadonlySet<OperationName> = new Set([
  'messaging.contacts.get',
  'messaging.contacts.create',
  'messaging.contacts.update',
  'messaging.contacts.search',
  'messaging.conversations.get',
  'messaging.conversations.create',
  'messaging.conversations.reply',
  'messaging.conversations.addNote',
  'messaging.conversations.tags.attach',
  'crm.leads.create',
  'crm.leads.search',
  'crm.tasks.create',
  ...billingOperations,
] as const);

const targets: ReadonlySet<string> = new Set([
  'messaging',
  'crm',
  'billing',
  ...operationNames,
  ...helpDeskOperations,
  ...intercomOperations,
  ...zendeskOperations,
  ...companyOperations,
  ...stripeOperations,
  ...salesforceOperations,
  ...hubspotOperations,
]);

export const apiNames: readonly ApiName[] = ['messaging', 'crm', 'billing'];

/** Whether faults can be given for it. Callers in JavaScript may name anything. */
export const isTarget = (name: string): name is ApiName | OperationName =>
  targets.has(name) || ofCustomObject.test(name);

/** An object of the org's own. */
const ofCustomObject = /^crm\.\w+__c\.(?:get|create|update|delete|search)$/;

/** Whether effects of it can be asked for: a misspelled one has none, and an assertion on it would always hold. */
export const isOperation = (name: string): name is OperationName => isTarget(name) && name.includes('.');

/** All that have a name, whatever the dialect. */
export const namedOperations: readonly OperationName[] = [...targets].filter((name) => isOperation(name));
