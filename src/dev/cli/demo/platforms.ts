import { apiKey, bearer } from '../../../auth/index.ts';
import { stripe } from '../../../billing/stripe/index.ts';
import { salesforce } from '../../../crm/salesforce/index.ts';
import { intercom } from '../../../messaging/intercom/index.ts';
import { wrongUsage } from '../command-error.ts';
import { hubspotSystem } from './hubspot.ts';
import type { ChosenSystems, Place } from './system.ts';
import { zendeskSystem } from './zendesk.ts';

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
      maximumPayment,
    }),
    fill: ({ billing }, { customers, invoices }) => {
      // A card on file, where the default API has one.
      for (const customer of customers) billing.addCustomer({ default_payment_method: 'pm_on_file', ...customer });
      for (const invoice of invoices) billing.addInvoice(invoice);
      return {};
    },
  },
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
  if (unknown !== undefined) throw wrongUsage(`--platforms takes ${platformNames.join(', ')}, and not ${unknown}`);
  return Object.assign({ ...ownApis }, ...chosen.map((name) => presets[name]));
};
