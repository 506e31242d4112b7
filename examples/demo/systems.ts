import { env } from 'node:process';
import { createFakePlatform, type FakePlatform, testCredentials } from 'voice-agent-integrations/testing';
import type { ChosenSystems } from './platforms.ts';
import { BrokenRecording, type RecordedCall } from './recorded-call.ts';

/** Where the three systems are, and what opens them. */
export interface Systems {
  readonly urls: Readonly<Record<'messaging' | 'crm' | 'billing', string>>;
  readonly credentials: Readonly<Record<'messaging' | 'crm' | 'billing', string>>;
  readonly adminId: string;
  /** Which platforms they are. */
  readonly chosen: ChosenSystems;
  /** The fake platform in place of those that the environment does not name; all of them by default. */
  readonly platform: FakePlatform;
  /** Whether everything is fake, so that what it holds can be checked. */
  readonly isFake: boolean;
}

/** The bundled fake platform, filled for this call; `MESSAGING_BASE_URL` and the like put other servers in its place. */
export const startSystems = async (call: RecordedCall, chosen: ChosenSystems): Promise<Systems> => {
  const { messaging, crm, billing } = chosen;
  const platform = createFakePlatform({ messaging: messaging.fake, crm: crm.fake, billing: billing.fake });
  try {
    fill(platform, call);
  } catch (error) {
    throw new BrokenRecording(`${call.title} cannot be played: ${(error as Error).message}`);
  }
  const fake = await platform.listen();
  const { MESSAGING_BASE_URL, CRM_BASE_URL, BILLING_BASE_URL } = env;
  return {
    platform,
    chosen,
    isFake: !MESSAGING_BASE_URL && !CRM_BASE_URL && !BILLING_BASE_URL,
    urls: {
      messaging: MESSAGING_BASE_URL || fake.messaging,
      crm: CRM_BASE_URL || fake.crm,
      billing: BILLING_BASE_URL || fake.billing,
    },
    credentials: {
      messaging: env['MESSAGING_TOKEN'] ?? testCredentials.messaging,
      crm: env['CRM_TOKEN'] ?? testCredentials.crm,
      billing: env['BILLING_API_KEY'] ?? testCredentials.billing,
    },
    adminId: env['MESSAGING_ADMIN_ID'] ?? 'admin_1',
  };
};

const fill = (platform: FakePlatform, { before, faults }: RecordedCall): void => {
  const { messaging, crm, billing } = platform;
  for (const company of before.companies) messaging.addCompany(company);
  for (const contact of before.contacts) messaging.addContact(contact);
  for (const team of before.teams) messaging.addTeam(team);
  for (const tag of before.tags) messaging.addTag(tag);
  for (const lead of before.leads) crm.addLead(lead);
  for (const contact of before.crmContacts) crm.addContact(contact);
  for (const customer of before.customers) billing.addCustomer(customer);
  for (const invoice of before.invoices) billing.addInvoice(invoice);
  for (const [operation, list] of Object.entries(faults)) platform.fault(operation as keyof typeof faults, list);
};
