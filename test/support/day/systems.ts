import { apiKey, bearer } from '../../../src/auth/index.ts';
import { stripe } from '../../../src/billing/stripe/index.ts';
import { hubspot } from '../../../src/crm/hubspot/index.ts';
import { salesforce } from '../../../src/crm/salesforce/index.ts';
import {
  createFakePlatform,
  type FakePlatform,
  type FakePlatformOptions,
  testCredentials,
} from '../../../src/dev/testing/index.ts';
import type { IntegrationOptions } from '../../../src/integration.ts';
import { intercom } from '../../../src/messaging/intercom/index.ts';
import { zendesk } from '../../../src/messaging/zendesk/index.ts';

/** A person as the systems get them. */
export interface PersonOnFile {
  readonly name: string;
  readonly phone: string;
  readonly email: string;
}

/** A record of the CRM or the messaging platform: its words, and the one whose it is. */
export interface HeldRecord {
  readonly text: string;
  readonly owner: string | undefined;
}

/** A messaging platform of the day, whichever it is. */
interface MessagingSystem {
  readonly fake: NonNullable<FakePlatformOptions['messaging']>;
  readonly connect: (platform: FakePlatform, url: string) => IntegrationOptions['messaging'];
  readonly ticketTypeId: (platform: FakePlatform) => string;
  readonly add: (platform: FakePlatform, person: PersonOnFile) => string;
  readonly held: (platform: FakePlatform) => {
    readonly contacts: readonly { readonly id: string; readonly phone?: unknown; readonly email?: unknown }[];
    readonly notes: readonly HeldRecord[];
    readonly tickets: readonly HeldRecord[];
  };
}

/** A CRM of the day, whichever it is. */
interface CrmSystem {
  readonly fake: NonNullable<FakePlatformOptions['crm']>;
  readonly connect: (url: string) => IntegrationOptions['crm'];
  readonly add: (
    platform: FakePlatform,
    person: PersonOnFile,
    subject: string,
  ) => { readonly id: string; readonly caseNumber: string };
  readonly held: (platform: FakePlatform) => {
    readonly cases: readonly HeldRecord[];
    readonly additions: readonly HeldRecord[];
    readonly tasks: readonly HeldRecord[];
    readonly leads: readonly (HeldRecord & { readonly phone: string })[];
    readonly appointments: readonly (HeldRecord & { readonly start: number })[];
  };
}

interface BillingSystem {
  readonly fake: NonNullable<FakePlatformOptions['billing']>;
  readonly card: string;
  readonly connect: (url: string) => IntegrationOptions['billing'];
}

const token = (api: keyof typeof testCredentials) => bearer(() => testCredentials[api]);

/** The person of a record, for a test to compare. */
const text = (id: unknown): string | undefined => (typeof id === 'string' ? id : undefined);

const onIntercom: MessagingSystem = {
  fake: { dialect: 'intercom', rateLimit: false },
  connect: (_, baseUrl) => ({ ...intercom(), baseUrl, authenticate: token('messaging'), adminId: 'admin_1' }),
  ticketTypeId: ({ messaging }) => messaging.addTicketType({ name: 'Repair' }).id,
  add: ({ messaging }, person) => messaging.addContact({ ...person }).id,
  held: ({ messaging: { contacts, conversations, tickets } }) => ({
    contacts,
    notes: conversations.flatMap(({ parts, contact_id: owner }) =>
      parts.filter(({ type }) => type === 'note').map(({ body }) => ({ text: String(body), owner })),
    ),
    tickets: tickets.map(({ attributes, contact_id: owner }) => ({ text: JSON.stringify(attributes), owner })),
  }),
};

const onZendesk: MessagingSystem = {
  fake: { dialect: 'zendesk', rateLimit: false },
  connect: ({ zendesk: { ownAgentId } }, url) => ({
    ...zendesk({ subdomain: 'acme' }),
    baseUrl: `${url}/api/v2`,
    authenticate: token('messaging'),
    adminId: String(ownAgentId),
    rateLimit: false,
  }),
  ticketTypeId: () => 'problem',
  add: ({ zendesk: account }, person) => String(account.addUser({ ...person }).id),
  held: ({ zendesk: { users, tickets } }) => ({
    contacts: users
      .filter(({ role }) => role === 'end-user')
      .map(({ id, phone, email }) => ({ id: String(id), phone, email })),
    notes: tickets.flatMap(({ comments, requester_id }) =>
      comments
        .filter(({ public: isPublic }) => !isPublic)
        .map(({ body }) => ({ text: body, owner: String(requester_id) })),
    ),
    tickets: tickets
      .filter(({ type }) => type === 'problem')
      .map(({ subject, requester_id }) => ({ text: String(subject), owner: String(requester_id) })),
  }),
};

const onSalesforce: CrmSystem = {
  fake: { dialect: 'salesforce', dailyRequests: 1_000_000 },
  connect: (baseUrl) => ({ ...salesforce(), baseUrl, authenticate: token('crm') }),
  add: ({ crm }, { name, phone, email }, subject) => {
    const { Id: id } = crm.addContact({ LastName: name, Phone: phone, Email: email });
    return { id, caseNumber: String(crm.addCase({ Subject: subject, ContactId: id })['CaseNumber']) };
  },
  held: ({ crm }) => ({
    cases: crm.cases.map((one) => ({ text: String(one['Subject']), owner: text(one['ContactId']) })),
    additions: crm.records('CaseComment').map(({ CommentBody, ParentId }) => ({
      text: String(CommentBody),
      owner: text(crm.cases.find(({ Id }) => Id === ParentId)?.['ContactId']),
    })),
    tasks: crm.tasks.map((one) => ({ text: String(one['Description']), owner: text(one['WhoId']) })),
    leads: crm.leads.map((one) => ({ text: String(one['LastName']), owner: one.Id, phone: String(one['Phone']) })),
    appointments: crm.events
      .filter(({ ShowAs }) => ShowAs !== 'Free')
      .map((one) => ({
        text: String(one['Description']),
        owner: text(one['WhoId']),
        start: Date.parse(String(one['StartDateTime'])),
      })),
  }),
};

const leadStages = ['subscriber', 'lead', 'marketingqualifiedlead', 'salesqualifiedlead'];

const onHubSpot: CrmSystem = {
  fake: { dialect: 'hubspot', rateLimit: false, dailyRequests: 1_000_000 },
  connect: (baseUrl) => ({ ...hubspot(), baseUrl, authenticate: token('crm'), rateLimit: false }),
  add: ({ hubspot: account }, { name: lastname, phone, email }, subject) => {
    const { id } = account.add('contacts', { lastname, phone, email, lifecyclestage: 'customer' });
    const { id: caseNumber } = account.add('tickets', { subject, hs_pipeline: '0', hs_pipeline_stage: '1' });
    account.associate({ type: 'tickets', id: caseNumber }, { type: 'contacts', id });
    return { id, caseNumber };
  },
  held: ({ hubspot: account }) => {
    const held = (type: string, field: string) =>
      account.records(type).map(({ id, properties, associations }) => ({
        id,
        text: String(properties[field]),
        owner: associations['contacts']?.[0],
        properties,
        ticket: associations['tickets']?.[0],
      }));
    const cases = held('tickets', 'subject');
    return {
      cases,
      additions: held('notes', 'hs_note_body')
        .filter(({ ticket }) => ticket !== undefined)
        .map((note) => ({ ...note, owner: cases.find(({ id }) => id === note.ticket)?.owner })),
      tasks: held('tasks', 'hs_task_body'),
      leads: held('contacts', 'lastname')
        .filter(({ properties }) => leadStages.includes(properties['lifecyclestage'] ?? ''))
        .map(({ id, text: name, properties }) => ({ text: name, owner: id, phone: String(properties['phone']) })),
      appointments: held('meetings', 'hs_meeting_body')
        .filter(({ properties }) => properties['hs_meeting_outcome'] !== 'CANCELED')
        .map((one) => ({ ...one, start: timeIn(one.properties['hs_meeting_start_time']) })),
    };
  },
};

/** HubSpot's moments are texts in one form or the other. */
const timeIn = (moment: string | null | undefined): number => {
  const written = String(moment);
  return /^\d+$/.test(written) ? Number(written) : Date.parse(written);
};

const onDefault: BillingSystem = {
  fake: {},
  card: 'pm_on_file',
  connect: (baseUrl) => ({
    baseUrl,
    authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
    version: { path: 'v1' },
  }),
};

const onStripe: BillingSystem = {
  fake: { dialect: 'stripe', rateLimit: false },
  card: 'pm_card_visa',
  connect: (url) => ({
    ...stripe({ currency: 'EUR' }),
    baseUrl: `${url}/v1`,
    authenticate: token('billing'),
    rateLimit: false,
  }),
};

/** The platforms of each seed: 1 has those of the default, 2 the others, and then each mixture. */
const mixtures = [
  [onIntercom, onSalesforce, onDefault],
  [onZendesk, onHubSpot, onStripe],
  [onIntercom, onHubSpot, onDefault],
  [onZendesk, onSalesforce, onStripe],
  [onIntercom, onSalesforce, onStripe],
  [onZendesk, onHubSpot, onDefault],
  [onIntercom, onHubSpot, onStripe],
  [onZendesk, onSalesforce, onDefault],
] as const;

/** The three systems of a day, over real HTTP. */
export const startSystems = async (seed: number) => {
  const [messaging, crm, billing] = mixtures[(seed - 1) % mixtures.length] ?? mixtures[0];
  const platform = createFakePlatform({ messaging: messaging.fake, crm: crm.fake, billing: billing.fake });
  const urls = await platform.listen();
  // A day of faults: the breaker has tests of its own.
  const often = { backoff: { minimumMs: 0, maximumMs: 2 }, circuit: { minimumVolume: 100_000 } };
  return {
    platform,
    card: billing.card,
    ticketTypeId: messaging.ticketTypeId(platform),
    connections: {
      messaging: { ...messaging.connect(platform, urls.messaging), ...often },
      crm: { ...crm.connect(urls.crm), ...often },
      billing: { ...billing.connect(urls.billing), ...often },
    } as Pick<IntegrationOptions, 'messaging' | 'crm' | 'billing'>,
    addPerson: (person: PersonOnFile, subject: string) => {
      const { id: crmId, caseNumber } = crm.add(platform, person, subject);
      return { contactId: messaging.add(platform, person), crmId, caseNumber };
    },
    held: () => ({ ...messaging.held(platform), ...crm.held(platform) }),
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

export type Systems = Awaited<ReturnType<typeof startSystems>>;
