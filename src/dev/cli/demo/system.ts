import type { IntegrationOptions } from '../../../index.ts';
import type { FakePlatform, FakePlatformOptions } from '../../testing/index.ts';
import type { RecordedCall } from './recorded-call.ts';

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
  readonly fake: Exclude<NonNullable<FakePlatformOptions[Api]>, string>;
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
