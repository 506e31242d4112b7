import { bearer } from '../../../auth/index.ts';
import { hubspot } from '../../../crm/hubspot/index.ts';
import type { FakeHubSpotRecord, FakePlatform } from '../../testing/index.ts';
import type { CrmSystem } from './system.ts';

/** HubSpot: leads and contacts are both contacts, the Task of a phone call is a call, cases are tickets. */
export const hubspotSystem: CrmSystem = {
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
