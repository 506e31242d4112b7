import { env } from 'node:process';
import { createFakePlatform, type FakePlatform, testCredentials } from 'voice-agent-integrations/testing';
import type { ChosenSystems, NewIds } from './platforms.ts';
import { BrokenRecording, type RecordedCall } from './recorded-call.ts';

/** Where the three systems are, and what opens them. */
export interface Systems {
  readonly urls: Readonly<Record<'messaging' | 'crm' | 'billing', string>>;
  readonly credentials: Readonly<Record<'messaging' | 'crm' | 'billing', string>>;
  readonly adminId: string;
  /** The call with the ids that the platforms gave. */
  readonly call: RecordedCall;
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
  let ids: NewIds;
  try {
    ids = Object.assign({}, ...[messaging, crm, billing].map(({ fill }) => fill(platform, call.before)));
    for (const [operation, list] of Object.entries(call.faults))
      platform.fault(operation as keyof typeof call.faults, list);
  } catch (error) {
    throw new BrokenRecording(`${call.title} cannot be played: ${(error as Error).message}`);
  }
  const fake = await platform.listen();
  const { MESSAGING_BASE_URL, CRM_BASE_URL, BILLING_BASE_URL } = env;
  return {
    platform,
    chosen,
    call: withNewIds(call, ids),
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
    adminId: env['MESSAGING_ADMIN_ID'] ?? messaging.adminId?.(platform) ?? 'admin_1',
  };
};

/** Every id of the file is a whole value there. */
const withNewIds = (call: RecordedCall, ids: NewIds): RecordedCall => {
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return ids[value] ?? value;
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one)]));
  };
  return replaced(call) as RecordedCall;
};
