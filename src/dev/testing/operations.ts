/** One of the three APIs. */
export type ApiName = 'messaging' | 'crm' | 'billing';

/** Actions by resource: the default API's. */
const defaultActions = {
  'messaging.contacts': ['get', 'create', 'update', 'search'],
  'messaging.contacts.tags': ['attach', 'detach', 'list'],
  'messaging.conversations': ['get', 'create', 'reply', 'addNote', 'assignToTeam', 'close'],
  'messaging.conversations.tags': ['attach', 'detach'],
  'messaging.companies': ['get', 'update', 'listForContact'],
  'messaging.tags': ['list'],
  'messaging.admins': ['list', 'me'],
  'messaging.teams': ['list'],
  'billing.customers': ['get', 'find'],
  'billing.invoices': ['listOpen'],
  'billing.payments': ['create', 'list', 'refund'],
} as const;

/** Actions by resource: in the dialects of Intercom, Zendesk, Salesforce, HubSpot or Stripe only. */
const dialectActions = {
  'messaging.conversations': ['update', 'search', 'assignToAdmin', 'unassign', 'reopen', 'snooze', 'convertToTicket'],
  'messaging.admins': ['get', 'setAway'],
  'messaging.teams': ['get', 'listMembers'],
  'messaging.articles': ['get', 'search'],
  'messaging.tickets': ['get', 'create', 'update', 'search', 'reply', 'addNote'],
  'messaging.tickets.types': ['get', 'list'],
  'messaging.tickets.states': ['list'],
  'messaging.officeHours': ['get', 'list', 'listExceptions'],
  'messaging.contacts': ['getByExternalId', 'merge', 'archive', 'unarchive', 'block', 'delete'],
  'messaging.contacts.notes': ['list', 'create'],
  'messaging.contacts.subscriptions': ['list', 'attach', 'detach'],
  'messaging.subscriptionTypes': ['list'],
  'messaging.companies': ['attach', 'detach', 'create', 'find', 'list'],
  'messaging.tags': ['create'],
  'messaging.dataEvents': ['create'],
  'messaging.oauth': ['token'],
  'billing.invoices': ['get'],
  'billing.paymentMethods': ['attach'],
  'billing.checkout': ['create'],
  'crm.leads': ['createWithTask'],
  'crm.cases': ['addNote'],
  crm: ['query', 'search', 'composite', 'batch'],
  'crm.query': ['next'],
  'crm.platformEvents': ['publish'],
  'crm.versions': ['list'],
  'crm.oauth': ['token'],
  'crm.associations': ['create'],
  'crm.owners': ['list', 'get'],
  'crm.pipelines': ['list'],
} as const;

/** The objects of the CRM, as the clients name them. */
const crmResources = ['leads', 'tasks', 'contacts', 'accounts', 'opportunities', 'cases', 'events'] as const;
/** The operations that each object of the CRM has. */
const crmActions = ['get', 'create', 'update', 'delete', 'search'] as const;

/** The seven objects of the CRM, as the clients name them. */
export type CrmResource = (typeof crmResources)[number];

/** One of the operations that each object of the CRM has. */
type CrmAction = (typeof crmActions)[number];

/** The names of operations in a table of actions: `messaging.contacts.get`. */
type NamesIn<Actions extends Readonly<Record<string, readonly string[]>>> = {
  [Resource in keyof Actions & string]: `${Resource}.${Actions[Resource][number]}`;
}[keyof Actions & string];

/**
 * Every operation that the fake platform answers, one per endpoint. A client's method that uses the endpoint of another has
 * the other's name: `findByPhone` is `search`.
 */
export type OperationName =
  | NamesIn<typeof defaultActions>
  | NamesIn<typeof dialectActions>
  | `crm.${CrmResource}.${CrmAction}`
  | `crm.${string}__c.${CrmAction}`;

const namesIn = <Actions extends Readonly<Record<string, readonly string[]>>>(actions: Actions) =>
  Object.entries(actions).flatMap(([resource, names]) =>
    // A resource of the table, and one of its actions.
    names.map((name) => `${resource}.${name}` as NamesIn<Actions>),
  );

/** The default API's operations. */
export const operationNames: readonly OperationName[] = [
  ...namesIn(defaultActions),
  ...crmResources.flatMap((resource) => crmActions.map((action) => `crm.${resource}.${action}` as const)),
];

/** Every named operation, in every dialect. */
export const namedOperations: readonly OperationName[] = [...operationNames, ...namesIn(dialectActions)];

/** The endpoints that the default API lists. */
export const documentedOperations: ReadonlySet<OperationName> = new Set<OperationName>([
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
  'billing.customers.get',
  'billing.customers.find',
  'billing.invoices.listOpen',
  'billing.payments.create',
]);

export const apiNames: readonly ApiName[] = ['messaging', 'crm', 'billing'];

const targets: ReadonlySet<string> = new Set([...apiNames, ...namedOperations]);

/** An object of the org's own. */
const ofCustomObject = /^crm\.\w+__c\.(?:get|create|update|delete|search)$/;

/** Returns true if faults can be set for it. Callers in JavaScript may name anything. */
export const isTarget = (name: string): name is ApiName | OperationName =>
  targets.has(name) || ofCustomObject.test(name);

/** Returns true if effects of it can be counted: an assertion on a misspelt one would always hold. */
export const isOperation = (name: string): name is OperationName => isTarget(name) && name.includes('.');
