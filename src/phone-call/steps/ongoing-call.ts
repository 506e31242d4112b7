import type { BillingClient } from '../../billing/index.ts';
import type { CrmClient, CrmSchemas } from '../../crm/index.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import type { OptionNames } from '../../core/option-checks.ts';
import type { Deadline } from '../../http/deadline.ts';
import type { MessagingClient } from '../../messaging/index.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import type { CallWords } from './describe-call.ts';
import type { PhoneCallState } from './state.ts';
import type { StepOptions } from './step.ts';
import type { CallFacts, TaskOptions } from './task-fields.ts';

/** The clients that a phone call works with; a step throws `InvalidArgumentError` when its client is missing. */
export interface PhoneCallClients {
  readonly messaging?: MessagingClient | undefined;
  readonly crm?: CrmClient | undefined;
  readonly billing?: BillingClient | undefined;
}

/** Settings of the steps of phone calls; each step's own options win. */
export interface StepSettings<Schemas extends CrmSchemas = CrmSchemas>
  extends TaskOptions<Schemas>,
    LeadOptions,
    ContextOptions {}

/** Rules for leads that the CRM knows already, and for new ones. */
export interface LeadOptions {
  /** The work for a caller who is an open lead already. @defaultValue 'task' */
  readonly onOpenLead?: 'task' | 'update' | 'both' | undefined;
  /** Statuses of leads that sales has given up: the caller then becomes a new lead. @defaultValue ['disqualified'] */
  readonly closedStatuses?: readonly string[] | undefined;
  /** The `Status` of a lead that the voice agent has qualified. @defaultValue what the org gives new leads */
  readonly qualifiedStatus?: string | undefined;
  /** The `LeadSource` of a new lead. @defaultValue 'Phone Inquiry' */
  readonly leadSource?: string | undefined;
}

export const openLeadWays: readonly NonNullable<LeadOptions['onOpenLead']>[] = ['task', 'update', 'both'];

/** In which custom attributes the workspace keeps what it knows. */
export interface ContextOptions {
  /** The company's custom attribute that names its account manager. @defaultValue 'account_manager' */
  readonly accountManagerAttribute?: string | undefined;
  /** The company's custom attributes that are health signals. @defaultValue those whose name begins with `health` */
  readonly healthAttributes?: readonly string[] | undefined;
}

/** The limits of a turn. */
export interface Scope {
  readonly deadline?: Deadline | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A phone call that is going on, or one turn of it: all that its steps work with. */
export interface OngoingCall {
  readonly clients: PhoneCallClients;
  readonly facts: CallFacts;
  readonly settings: StepSettings;
  readonly state: PhoneCallState;
  /** The owner of the payments, and the store that remembers them for all processes that share it. */
  readonly payments: {
    readonly tenant: string | undefined;
    readonly store: IdempotencyStore | undefined;
    /** Every payment of this phone call is below this. @defaultValue the client's limit */
    readonly below: number | undefined;
    /** Gets the error of a store that fails, and that of a payment without a key. */
    readonly report: (error: unknown) => void;
  };
  /** Checks the options of a step, and puts them under the turn. */
  readonly within: <Options extends StepOptions>(options?: Partial<Options>) => Partial<Options> & Scope;
}

/** Returns a client of the phone call. Throws `InvalidArgumentError` if it was started without. */
export const clientOf = <Name extends keyof PhoneCallClients>(
  { clients }: Pick<OngoingCall, 'clients'>,
  name: Name,
): NonNullable<PhoneCallClients[Name]> => {
  const client = clients[name];
  if (client) return client;
  throw new InvalidArgumentError(name, 'is not configured: this phone call was started without that client');
};

/** The names of {@link CallWords}. JavaScript would ignore a misspelt one, and lose what it says. */
export const wordNames: OptionNames<CallWords> = {
  summary: true,
  transcript: true,
  transcriptUrl: true,
  aiNoticeAt: true,
  recordingConsent: true,
};
