import { assertKnown, checkOptions, type OptionCheck, type OptionNames } from '../core/option-checks.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import {
  type BillingToolsOptions,
  billingTools,
  type CallSteps,
  type CallToolsOptions,
  callTools,
  type Tool,
  type Toolbox,
  type ToolboxOptions,
  type ToolCallContext,
  type WordsOfTools,
} from '../tools/index.ts';
import { lookUpChecks, sendPaymentPageMoved } from '../tools/ready/billing-tools.ts';
import { callToolChecks, platformChecks } from '../tools/ready/call-tools.ts';
import { createToolboxAfter, toolboxChecks } from '../tools/create-toolbox.ts';
import { isBuiltIn } from '../tools/tools-by-job.ts';
import type { Report } from '../tools/on-error.ts';
import type { PaymentsOfCall } from '../tools/payment-rules.ts';
import { storeOf, type StoreOption } from '../tools/store-option.ts';
import { createSharedCallMemory } from '../tools/call-memory.ts';
import { messageChecks, type SendMessageOptions } from '../tools/messages/message-options.ts';
import { messageTool, startMessages } from '../tools/messages/message-tool.ts';
import { type VerificationOptions, verifyChecks } from '../tools/verification/verify-options.ts';
import { verifyTools } from '../tools/verification/verify-tools.ts';
import type { CallerProof } from './caller-proof.ts';
import { optOutsOf } from './may-call.ts';
import type { PhoneCallClients } from './steps/ongoing-call.ts';

/** The tools that a model has during a phone call, and their limits. */
export interface PhoneCallToolOptions
  extends Pick<ToolboxOptions, 'limits' | 'approve' | 'onEvent' | 'redact' | 'maxChars' | 'countTokens' | 'words'> {
  /** The look-up, and the state of payments. `false`: none of them, and no payment. @defaultValue the look-up */
  readonly billing?: Pick<BillingToolsOptions, 'lookup' | 'paymentStatus'> | false | undefined;
  /** Caller, notes, replies, teams, leads, appointments and the log. @defaultValue all that the clients can do */
  readonly call?: CallToolsOfPhoneCall | false | undefined;
  /** Tools of your own. */
  readonly own?: readonly Tool[] | undefined;
  /** The workspace, org or account that the phone call belongs to. */
  readonly tenant?: string | undefined;
}

/** The tools of `call`, and those that only a phone call can have. */
export interface CallToolsOfPhoneCall extends Omit<CallToolsOptions, 'phoneCall' | 'messaging' | 'crm'> {
  /** The way in which a caller proves who they are; without it there are no tools for that. */
  readonly verify?: VerificationOptions | undefined;
  /** The messages that a model may have sent to the caller; without it there is no `send_message`. */
  readonly sendMessage?: SendMessageOptions | undefined;
}

/** The checks of what an application sets for the tools of its phone calls. */
export const phoneCallToolChecks = (
  tools: PhoneCallToolOptions,
  clients: { readonly messaging?: object | undefined; readonly billing?: object | undefined },
): readonly OptionCheck[] => [
  () => assertKnown(tools, optionNames, undefined, movedOptions),
  () =>
    tools.billing &&
    checkOptions('billing', [
      () => assertKnown(tools.billing, { lookup: true, paymentStatus: true }, undefined, movedBillingOptions),
      ...lookUpChecks(tools.billing),
    ]),
  () => tools.call && checkOptions('call', callChecks(tools.call, clients)),
  ...toolboxChecks(tools),
];

const callChecks = (
  { verify, sendMessage, ...call }: CallToolsOfPhoneCall,
  { messaging, billing }: { readonly messaging?: object | undefined; readonly billing?: object | undefined },
): readonly OptionCheck[] => [
  ...verifyChecks(verify),
  ...messageChecks(sendMessage, billing !== undefined),
  ...callToolChecks(call),
  ...platformChecks(call, messaging),
];

/** The options that are elsewhere now. */
const movedOptions = {
  onError: 'onError of createIntegration',
  store: 'store of createIntegration',
  phoneCallStore: 'store of createIntegration',
  confirmation: 'store of createIntegration, which keeps the secret',
};
const movedBillingOptions = {
  sendPaymentPage: sendPaymentPageMoved,
  payments: 'payments of createIntegration: { card, below }',
  verify: 'nothing: a payment is always looked up first',
  phoneCallStore: 'store of createIntegration',
};

const optionNames: OptionNames<PhoneCallToolOptions> = {
  billing: true,
  call: true,
  own: true,
  tenant: true,
  limits: true,
  approve: true,
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
  /** The proof of who is calling, where `verify` is given. */
  readonly proof: CallerProof | undefined;
  /** The number of the line; `null` if there's none. */
  readonly line: () => string | null;
  readonly report: Report;
  /** `false`: no payment by a model. `undefined`: no money moves. */
  readonly payments: PaymentsOfCall | undefined;
  readonly store: StoreOption | undefined;
  /** The time zone of the business. */
  readonly timeZone: string | undefined;
}

/** The tools of one phone call, as far as its clients allow them. */
export const bindTools = (
  { clients, steps, context, budgetMs, proof, line, report, payments, store, timeZone }: ToolBinding,
  toolOptions: PhoneCallToolOptions,
): Toolbox => {
  const { billing = {}, call = {}, own = [], tenant, words, ...options } = toolOptions;
  const { messaging, crm } = clients;
  const { verify, sendMessage, ...callOptions } = call || {};
  const isWanted = ({ name }: Tool) => callOptions.only?.some((wanted) => wanted === name) ?? true;
  const tools = [
    ...(clients.billing && billing
      ? billingTools({
          store,
          timeZone,
          ...withoutUndefined(billing),
          payments,
          billing: clients.billing,
        })
      : []),
    ...(call
      ? callTools({
          only: possible(clients),
          timeZone,
          ...withoutUndefined(callOptions),
          phoneCall: () => steps,
          messaging,
          crm,
        }).map((tool) => (proof ? masking(tool, proof) : tool))
      : []),
    ...(verify && proof
      ? verifyTools(verify, {
          ...verify,
          messaging,
          billing: clients.billing,
          verification: proof.verification,
        }).filter(isWanted)
      : []),
    ...(sendMessage
      ? [
          messageTool(sendMessage, {
            billing: clients.billing,
            lookup: (billing && billing.lookup) || 'caller',
            memory: messagesIn(store),
            line,
            hasOptedOut: async (email, request) =>
              (await optOutsOf(clients, email, request)).some(({ channel }) => channel === 'email'),
          }),
        ].filter(isWanted)
      : []),
    ...own.filter(({ effect }) => payments !== false || effect !== 'payment'),
  ];
  return createToolboxAfter(proof?.sync, {
    ...options,
    tools,
    words: words && withoutAbsent(words, tools),
    context: () => ({ tenant, ...context() }),
    deadline: budgetMs,
    store,
    payments: payments ? rulesOf(payments) : undefined,
    onError: report,
  });
};

const messagesIn = (store: StoreOption | undefined) =>
  createSharedCallMemory({ name: 'messages', start: startMessages, toJson: (state) => state, store: storeOf(store) });

/** The tool, which writes nothing down that proved who is calling. */
const masking = (tool: Tool, { maskedHere }: CallerProof): Tool => {
  const { options } = tool;
  return {
    ...tool,
    options: { ...options, run: (args, context) => options.run(maskedHere(args), context) },
    shows: (sent) => maskedHere(typeof sent === 'string' ? { text: sent } : sent),
  };
};

const rulesOf = ({ below, perCall = below, requires = 'caller-id' }: PaymentsOfCall & object) => ({
  below,
  perCall,
  requires,
});

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
  'add_to_case',
  'transfer_to_human',
  'list_free_slots',
  'book_appointment',
  'list_my_appointments',
  'reschedule_appointment',
  'cancel_appointment',
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
  'get_ticket_status',
];

const forCrm: NonNullable<CallToolsOptions['only']> = ['qualify_lead', 'log_call', 'get_case_status', 'open_case'];
