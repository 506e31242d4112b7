import { assertKnown, checkOptions, type OptionCheck, type OptionNames } from '../core/option-checks.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import {
  type BillingToolsOptions,
  billingTools,
  type CallSteps,
  type CallToolsOptions,
  callTools,
  createToolbox,
  type Tool,
  type Toolbox,
  type ToolboxOptions,
  type ToolCallContext,
  type WordsOfTools,
} from '../tools/index.ts';
import { billingToolChecks } from '../tools/ready/billing-tools.ts';
import { callToolChecks, platformChecks } from '../tools/ready/call-tools.ts';
import { toolboxChecks } from '../tools/create-toolbox.ts';
import { isBuiltIn } from '../tools/missing-tool.ts';
import type { Report } from '../tools/on-error.ts';
import type { PhoneCallClients } from './steps/ongoing-call.ts';

/** The tools that a model has during a phone call, and their limits. */
export interface PhoneCallToolOptions
  extends Pick<
    ToolboxOptions,
    | 'limits'
    | 'phoneCallStore'
    | 'approve'
    | 'confirmation'
    | 'onEvent'
    | 'redact'
    | 'maxChars'
    | 'countTokens'
    | 'words'
  > {
  /** Look-up and payment. There is a `create_payment` once `payments` says what it's paid with. @defaultValue the look-up */
  readonly billing?: Partial<Omit<BillingToolsOptions, 'billing'>> | false | undefined;
  /** Caller, notes, replies, teams, leads, appointments and the log. @defaultValue all that the clients can do */
  readonly call?: Omit<CallToolsOptions, 'phoneCall' | 'messaging' | 'crm'> | false | undefined;
  /** Tools of your own. */
  readonly own?: readonly Tool[] | undefined;
  /**
   * The store that remembers payments. All phone calls of an application share one, or a person who rings back could
   * pay twice.
   * @defaultValue in memory: one per integration, or one per phone call that was started without
   */
  readonly store?: IdempotencyStore | undefined;
  /** The workspace, org or account that the phone call belongs to. */
  readonly tenant?: string | undefined;
}

/** The checks of what an application sets for the tools of its phone calls. */
export const phoneCallToolChecks = (
  tools: PhoneCallToolOptions,
  clients: { readonly messaging?: object | undefined },
): readonly OptionCheck[] => [
  () => assertKnown(tools, optionNames, undefined, { onError: 'onError of createIntegration' }),
  () => tools.billing && checkOptions('billing', billingToolChecks(tools.billing)),
  () =>
    tools.call &&
    checkOptions('call', [...callToolChecks(tools.call), ...platformChecks(tools.call, clients.messaging)]),
  ...toolboxChecks(tools),
];

const optionNames: OptionNames<PhoneCallToolOptions> = {
  billing: true,
  call: true,
  own: true,
  store: true,
  tenant: true,
  limits: true,
  phoneCallStore: true,
  approve: true,
  confirmation: true,
  onEvent: true,
  redact: true,
  maxChars: true,
  countTokens: true,
  words: true,
};

export interface ToolBinding {
  readonly clients: PhoneCallClients;
  readonly steps: CallSteps;
  /** Returns the phone call and its caller as they're known now. */
  readonly context: () => ToolCallContext;
  readonly budgetMs: number;
  readonly report: Report;
  /** The time zone of the business. */
  readonly timeZone: string | undefined;
}

/** The tools of one phone call, as far as its clients allow them. */
export const bindTools = (
  { clients, steps, context, budgetMs, report, timeZone }: ToolBinding,
  toolOptions: PhoneCallToolOptions,
): Toolbox => {
  const { billing = {}, call = {}, own = [], store, tenant, words, ...options } = toolOptions;
  const { messaging, crm } = clients;
  const tools = [
    ...(clients.billing && billing
      ? billingTools({
          phoneCallStore: options.phoneCallStore,
          timeZone,
          ...withoutUndefined(billing),
          payments: billing.payments ?? false,
          billing: clients.billing,
        })
      : []),
    ...(call
      ? callTools({
          only: possible(clients),
          timeZone,
          ...withoutUndefined(call),
          phoneCall: () => steps,
          messaging,
          crm,
        })
      : []),
    ...own,
  ];
  return createToolbox({
    ...options,
    tools,
    words: words && withoutAbsent(words, tools),
    context: () => ({ tenant, ...context() }),
    deadline: budgetMs,
    store,
    onError: report,
  });
};

/** One set of words serves phone calls with fewer tools too; a name that no phone call has stays, to be refused. */
const withoutAbsent = (words: WordsOfTools, tools: readonly Tool[]): WordsOfTools =>
  Object.fromEntries(
    Object.entries(words).filter(([name]) => tools.some((tool) => tool.name === name) || !isBuiltIn(name)),
  );

/** The second wins; the options for billing are merged one by one. */
export const mergeToolOptions = (
  first: PhoneCallToolOptions,
  second: PhoneCallToolOptions = {},
): PhoneCallToolOptions => {
  const { billing = first.billing } = second;
  return {
    ...first,
    ...withoutUndefined(second),
    billing: billing && first.billing ? { ...first.billing, ...withoutUndefined(billing) } : billing,
  };
};

const possible = ({ messaging, crm }: PhoneCallClients): NonNullable<CallToolsOptions['only']> => [
  ...(messaging ? forMessaging : []),
  ...(crm ? forCrm : []),
  // What the application itself gives: a calendar, a way to a person.
  'transfer_to_human',
  'list_free_slots',
  'book_appointment',
];

const forMessaging: NonNullable<CallToolsOptions['only']> = [
  'identify_caller',
  'get_caller_context',
  'add_note',
  'reply_to_customer',
  'route_to_team',
  'search_help_center',
  'list_recent_conversations',
  'create_ticket',
];

const forCrm: NonNullable<CallToolsOptions['only']> = ['qualify_lead', 'log_call', 'get_case_status'];
