import { apiKey, bearer } from '../../../auth/index.ts';
import { stripe } from '../../../billing/stripe/index.ts';
import { salesforce } from '../../../crm/salesforce/index.ts';
import { intercom } from '../../../messaging/intercom/index.ts';
import { wrongUsage } from '../command-error.ts';
import type { ChosenSystems, CrmSystem, MessagingSystem, Place } from './systems.ts';
import { hubspot } from '../../../crm/hubspot/index.ts';
import type { FakeHubSpotRecord, FakePlatform } from '../../testing/index.ts';
import { callAttributes } from '../../../messaging/index.ts';
import { zendesk } from '../../../messaging/zendesk/index.ts';

/** The bundled platform honours idempotency keys in all three APIs. The default believes that of billing alone. */
const idempotency = 'key';
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
      const { id: colleague } = messaging.addAdmin({ name: 'Jo Lindt' });
      for (const team of teams) messaging.addTeam({ admin_ids: [colleague], ...team });
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
    }),
    fill: ({ billing }, { customers, invoices }) => {
      // A card on file, where the default API has one.
      for (const customer of customers) billing.addCustomer({ default_payment_method: 'pm_on_file', ...customer });
      for (const invoice of invoices) billing.addInvoice(invoice);
      return {};
    },
  },
};

/** HubSpot: leads and contacts are both contacts, the Task of a phone call is a call, cases are tickets. */
const hubspotSystem: CrmSystem = {
  fake: { dialect: 'hubspot' },
  connect: ({ baseUrl, credential }) => ({
    ...hubspot({ tasksAs: 'calls' }),
    baseUrl,
    authenticate: bearer(() => credential),
  }),
  qualifiedStatus: 'salesqualifiedlead',
  expectLead: ({ LastName }) => ({ LastName, Status: 'salesqualifiedlead' }),
  fill: ({ hubspot: account }, { leads, crmContacts }) => {
    const ids: Record<string, string> = {};
    const add = (lifecyclestage: string, person: Readonly<Record<string, unknown>>) => {
      const text = (field: string) => (typeof person[field] === 'string' ? person[field] : null);
      const { id } = account.add('contacts', {
        lifecyclestage,
        firstname: text('FirstName'),
        lastname: text('LastName'),
        company: text('Company'),
        phone: text('Phone'),
        email: text('Email'),
      });
      ids[String(person['Id'])] = id;
    };
    for (const lead of leads) add('lead', lead);
    for (const contact of crmContacts) add('customer', contact);
    return ids;
  },
  held: (platform) => ({
    leads: leadsOf(platform),
    tasks: platform.hubspot.records('calls').map(toTask),
    cases: platform.hubspot.records('tickets').map(({ properties }) => properties),
  }),
};

const leadsOf = ({ hubspot: account }: FakePlatform) =>
  account
    .records('contacts')
    .filter(({ properties }) => properties['lifecyclestage'] !== 'customer')
    .map(({ properties }) => ({ LastName: properties['lastname'], Status: properties['lifecyclestage'], properties }));

const toTask = ({ properties, associations }: FakeHubSpotRecord) => ({
  ...properties,
  Subject: properties['hs_call_title'],
  WhoId: associations['contacts']?.[0],
  ActivityDate: properties['hs_timestamp']?.slice(0, 10),
  CallType: properties['hs_call_direction'] === 'INBOUND' ? 'Inbound' : 'Outbound',
  CallDurationInSeconds: Number(properties['hs_call_duration']) / 1000,
});

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Zendesk: contacts are end users, companies organizations, teams groups, conversations tickets. */
const zendeskSystem: MessagingSystem = {
  fake: { dialect: 'zendesk' },
  connect: ({ baseUrl, credential, adminId }) => ({
    ...zendesk({ subdomain: 'acme' }),
    baseUrl: `${baseUrl}/api/v2`,
    authenticate: bearer(() => credential),
    adminId,
  }),
  adminId: ({ zendesk: account }) => String(account.ownAgentId),
  fill: ({ zendesk: account }, { companies, contacts, teams, tags }) => {
    const ids: Record<string, string> = {};
    for (const key of Object.keys(callAttributes)) account.addField('users', key);
    for (const { id, name, plan, monthly_spend, custom_attributes } of companies) {
      const fields = { plan, monthly_spend, ...Object(custom_attributes) };
      ids[String(id)] = String(account.addOrganization({ name: String(name), organization_fields: fields }).id);
    }
    for (const { id, name, phone, email, company_ids } of contacts) {
      const [company] = Array.isArray(company_ids) ? company_ids : [];
      const organization_id = company === undefined ? null : Number(ids[String(company)]);
      const user = account.addUser({ name: String(name), phone: text(phone), email: text(email), organization_id });
      ids[String(id)] = String(user.id);
    }
    for (const { id, name } of teams) ids[String(id)] = String(account.addGroup({ name: String(name) }).id);
    // A tag is a word without an id.
    for (const { id, name } of tags) ids[String(id)] = String(name);
    return ids;
  },
  held: ({ zendesk: account }) => ({
    contacts: account.users.filter(({ role }) => role === 'end-user'),
    conversations: account.tickets.map(({ comments, tags, group_id }) => ({
      body: comments[0]?.body ?? '',
      parts: comments.map(({ body, public: isPublic }) => ({ type: isPublic ? 'comment' : 'note', body })),
      tag_ids: tags,
      team_assignee_id: group_id === null ? null : String(group_id),
    })),
  }),
};

const presets: Readonly<Record<string, Partial<ChosenSystems>>> = {
  intercom: {
    messaging: {
      ...ownApis.messaging,
      fake: { dialect: 'intercom' },
      connect: (place) => ({ ...intercom(), ...authenticated(place), adminId: place.adminId }),
    },
  },
  zendesk: { messaging: zendeskSystem },
  salesforce: {
    crm: {
      ...ownApis.crm,
      fake: { dialect: 'salesforce' },
      connect: (place) => ({ ...salesforce({ externalIdField: 'Call_Id__c' }), ...authenticated(place) }),
    },
  },
  hubspot: { crm: hubspotSystem },
  stripe: {
    billing: {
      ...ownApis.billing,
      fake: { dialect: 'stripe' },
      connect: (place) => ({
        ...stripe({ currency: 'EUR' }),
        ...authenticated({ ...place, baseUrl: `${place.baseUrl}/v1` }),
      }),
    },
  },
};

/** The names that `--platforms` takes. */
const platformNames = Object.keys(presets);

/** `intercom,salesforce,stripe` in any order; the default API takes the place of what isn't named. */
export const choosePlatforms = (names = ''): ChosenSystems => {
  const chosen = names.split(',').filter(Boolean);
  const unknown = chosen.find((name) => !Object.hasOwn(presets, name));
  if (unknown !== undefined) throw wrongUsage(`--platforms takes ${platformNames.join(', ')}, and not ${unknown}`);
  return Object.assign({ ...ownApis }, ...chosen.map((name) => presets[name]));
};
