import type { IntegrationOptions } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { stripe } from 'voice-agent-integrations/billing/stripe';
import { salesforce } from 'voice-agent-integrations/crm/salesforce';
import { intercom } from 'voice-agent-integrations/messaging/intercom';
import type { FakePlatform, FakePlatformOptions } from 'voice-agent-integrations/testing';
import { hubspotSystem } from './hubspot.ts';
import type { RecordedCall } from './recorded-call.ts';
import { zendeskSystem } from './zendesk.ts';

/** Where one system is and what opens it. */
export interface Place {
  readonly baseUrl: string;
  readonly credential: string;
  readonly adminId: string;
}

/** The ids that a platform gave to the records of a call, by those in its file. */
export type NewIds = Readonly<Record<string, string>>;

/** One of the three systems: what the fake platform plays, and the options of its client. */
interface System<Api extends 'messaging' | 'crm' | 'billing'> {
  readonly fake: NonNullable<FakePlatformOptions[Api]>;
  readonly connect: (place: Place) => NonNullable<IntegrationOptions[Api]>;
  /** Puts the records of a call there, where the platform gives its own ids. */
  readonly fill: (platform: FakePlatform, before: RecordedCall['before']) => NewIds;
}

/** What a check needs to know of the messaging platform. */
export interface HeldMessages {
  readonly contacts: readonly object[];
  readonly conversations: readonly {
    readonly body: string;
    readonly parts?: readonly { readonly type: string; readonly body?: string | null | undefined }[];
    readonly tag_ids?: readonly string[];
    readonly team_assignee_id?: string | null | undefined;
  }[];
}

type CrmFields = Readonly<Record<string, unknown>>;

/** What a check needs to know of the CRM, with the client's names. */
export type HeldRecords = Readonly<Record<'leads' | 'tasks' | 'cases', readonly CrmFields[]>>;

export interface MessagingSystem extends System<'messaging'> {
  readonly held: (platform: FakePlatform) => HeldMessages;
  /** The agent that acts, where the platform says who that is. */
  readonly adminId?: (platform: FakePlatform) => string;
}

export interface CrmSystem extends System<'crm'> {
  readonly held: (platform: FakePlatform) => HeldRecords;
  /** The status of a lead that the agent qualified. */
  readonly qualifiedStatus: string;
  /** What there is of the lead that a call expects. @defaultValue all of it */
  readonly expectLead?: (lead: CrmFields) => CrmFields;
}

/** The three systems of a demo. */
export interface ChosenSystems {
  readonly messaging: MessagingSystem;
  readonly crm: CrmSystem;
  readonly billing: System<'billing'>;
}

/** The bundled platform honours idempotency keys in all three APIs. The default believes that of billing alone. */
const idempotency = 'key';
const maximumPayment = 5000;
const authenticated = ({ baseUrl, credential }: Place) => ({ baseUrl, authenticate: bearer(() => credential) });

/** The default API that the clients speak. */
const ownApis: ChosenSystems = {
  messaging: {
    fake: {},
    connect: (place) => ({
      ...authenticated(place),
      platform: 'Acme',
      version: '2.11',
      adminId: place.adminId,
      idempotency,
    }),
    fill: ({ messaging }, { companies, contacts, teams, tags }) => {
      for (const company of companies) messaging.addCompany(company);
      for (const contact of contacts) messaging.addContact(contact);
      for (const team of teams) messaging.addTeam(team);
      for (const tag of tags) messaging.addTag(tag);
      return {};
    },
    held: ({ messaging }) => messaging,
  },
  crm: {
    fake: {},
    connect: (place) => ({ ...authenticated(place), version: '60.0', idempotency }),
    fill: ({ crm }, { leads, crmContacts }) => {
      for (const lead of leads) crm.addLead(lead);
      for (const contact of crmContacts) crm.addContact(contact);
      return {};
    },
    held: ({ crm }) => crm,
    qualifiedStatus: 'Qualified by voice agent',
  },
  billing: {
    fake: {},
    connect: ({ baseUrl, credential }) => ({
      baseUrl,
      authenticate: apiKey('X-Api-Key', () => credential),
      version: { path: 'v1' },
      maximumPayment,
    }),
    fill: ({ billing }, { customers, invoices }) => {
      for (const customer of customers) billing.addCustomer(customer);
      for (const invoice of invoices) billing.addInvoice(invoice);
      return {};
    },
  },
};

const presets: Readonly<Record<string, Partial<ChosenSystems>>> = {
  intercom: {
    messaging: {
      ...ownApis.messaging,
      fake: { dialect: 'intercom', searchDelayMs: 0 },
      connect: (place) => ({ ...intercom(), ...authenticated(place), adminId: place.adminId }),
    },
  },
  zendesk: { messaging: zendeskSystem },
  salesforce: {
    crm: {
      ...ownApis.crm,
      fake: { dialect: 'salesforce', searchDelayMs: 0 },
      connect: (place) => ({ ...salesforce({ externalIdField: 'Call_Id__c' }), ...authenticated(place) }),
    },
  },
  hubspot: { crm: hubspotSystem },
  stripe: {
    billing: {
      ...ownApis.billing,
      fake: { dialect: 'stripe', searchDelayMs: 0 },
      connect: (place) => ({
        ...stripe({ currency: 'EUR' }),
        ...authenticated({ ...place, baseUrl: `${place.baseUrl}/v1` }),
        maximumPayment,
      }),
    },
  },
};

/** What `--platforms` takes. */
const platformNames = Object.keys(presets);

/** `intercom,salesforce,stripe` in any order; the default API takes the place of what isn't named. */
export const choosePlatforms = (names = ''): ChosenSystems => {
  const chosen = names.split(',').filter(Boolean);
  const unknown = chosen.find((name) => !Object.hasOwn(presets, name));
  if (unknown !== undefined) throw new RangeError(`--platforms takes ${platformNames.join(', ')}, and not ${unknown}`);
  return Object.assign({ ...ownApis }, ...chosen.map((name) => presets[name]));
};
