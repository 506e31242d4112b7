import {
  createFakePlatform,
  type FakePlatform,
  type FakePlatformOptions,
  type OperationName,
  testCredentials,
} from '../../testing/index.ts';
import { wrongUsage } from '../command-error.ts';
import type { RecordedCall } from './recorded-call.ts';
import type { IntegrationOptions } from '../../../index.ts';

/** The bundled fake platform, filled for a call. */
export interface Systems {
  readonly connections: Readonly<Record<'messaging' | 'crm' | 'billing', Place>>;
  /** The chosen platforms. */
  readonly chosen: ChosenSystems;
  /** The call with the ids that the platforms gave. */
  readonly call: RecordedCall;
  readonly platform: FakePlatform;
}

/** Starts the three systems of a call. Throws `CommandError` for records and faults that can't be. */
export const startSystems = async (recorded: RecordedCall, chosen: ChosenSystems): Promise<Systems> => {
  const { messaging, crm, billing } = chosen;
  const platform = createFakePlatform({ messaging: messaging.fake, crm: crm.fake, billing: billing.fake });
  let call: RecordedCall;
  try {
    call = withNewIds(recorded, fillPlatform(platform, chosen, recorded.before));
    for (const [operation, list] of Object.entries(call.faults)) platform.fault(operation as OperationName, list);
  } catch (error) {
    throw wrongUsage(`${recorded.title} cannot be played: ${(error as Error).message}`);
  }
  const urls = await platform.listen();
  const adminId = messaging.adminId?.(platform) ?? 'admin_1';
  const placeOf = (api: 'messaging' | 'crm' | 'billing') => ({
    baseUrl: urls[api],
    credential: testCredentials[api],
    adminId,
  });
  return {
    platform,
    chosen,
    call,
    connections: { messaging: placeOf('messaging'), crm: placeOf('crm'), billing: placeOf('billing') },
  };
};

/** Puts records into the three systems. */
export const fillPlatform = (
  platform: FakePlatform,
  { messaging, crm, billing }: ChosenSystems,
  before: RecordedCall['before'],
): NewIds => Object.assign({}, ...[messaging, crm, billing].map(({ fill }) => fill(platform, before)));

/** Every id of the recording is a whole value there. */
const withNewIds = (call: RecordedCall, ids: NewIds): RecordedCall => {
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return ids[value] ?? value;
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one)]));
  };
  return replaced(call) as RecordedCall;
};

/** The address of one system and its credential. */
export interface Place {
  readonly baseUrl: string;
  readonly credential: string;
  readonly adminId: string;
}

/** The ids that a platform gave to the records of a call, by those in its file. */
type NewIds = Readonly<Record<string, string>>;

/** One of the three systems: what the fake platform plays, and the options of its client. */
interface System<Api extends 'messaging' | 'crm' | 'billing'> {
  readonly fake: Exclude<NonNullable<FakePlatformOptions[Api]>, string>;
  readonly connect: (place: Place) => NonNullable<IntegrationOptions[Api]>;
  /** Puts the records of a call there, where the platform gives its own ids. */
  readonly fill: (platform: FakePlatform, before: RecordedCall['before']) => NewIds;
}

/** The records of the messaging platform that a check needs. */
interface HeldMessages {
  readonly contacts: readonly object[];
  readonly conversations: readonly {
    readonly body: string;
    readonly parts?: readonly { readonly type: string; readonly body?: string | null | undefined }[];
    readonly tag_ids?: readonly string[];
    readonly team_assignee_id?: string | null | undefined;
  }[];
}

type CrmFields = Readonly<Record<string, unknown>>;

/** The records of the CRM that a check needs, with the client's names. */
type HeldRecords = Readonly<Record<'leads' | 'tasks' | 'cases', readonly CrmFields[]>>;

export interface MessagingSystem extends System<'messaging'> {
  readonly held: (platform: FakePlatform) => HeldMessages;
  /** The agent that acts, where the platform says who that is. */
  readonly adminId?: (platform: FakePlatform) => string;
}

export interface CrmSystem extends System<'crm'> {
  readonly held: (platform: FakePlatform) => HeldRecords;
  /** The status of a lead that the agent qualified. */
  readonly qualifiedStatus: string;
  /** Returns the lead that a call expects, as the platform has it. @defaultValue all of it */
  readonly expectLead?: (lead: CrmFields) => CrmFields;
}

/** The three systems of a demo. */
export interface ChosenSystems {
  readonly messaging: MessagingSystem;
  readonly crm: CrmSystem;
  readonly billing: System<'billing'>;
}
