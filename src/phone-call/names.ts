/** The names that the steps of a phone call take. JavaScript would ignore a misspelt one, and lose what it says. */
import type { CallerContextInput, ContextOptions } from './steps/caller-context.ts';
import type { CallWords } from './steps/describe-call.ts';
import type { FinishInput } from './steps/finish-call.ts';
import type { IdentifyCallerInput } from './steps/identify-caller.ts';
import type { OpenCaseInput, OpenCaseOptions } from './steps/open-case.ts';
import type { LeadOptions, QualifyLeadInput } from './steps/qualify-lead.ts';
import type { RecordCallInput, RecordCallOptions } from './steps/record-call.ts';
import type { RouteConversationInput } from './steps/route-conversation.ts';
import type { TakePaymentInput, TakePaymentOptions } from './steps/take-payment.ts';
import type { LogCallInput, TaskOptions } from './steps/task-fields.ts';
import type { OptionNames } from '../core/option-checks.ts';

const words: OptionNames<CallWords> = { summary: true, transcript: true, transcriptUrl: true };

const logCall: OptionNames<LogCallInput> = {
  ...words,
  learned: true,
  whoId: true,
  whatId: true,
  ownerId: true,
  subject: true,
  outcome: true,
  durationSeconds: true,
};

const recordCall: OptionNames<RecordCallInput> = {
  ...words,
  contactId: true,
  conversationId: true,
  note: true,
  tagIds: true,
  attributes: true,
  teamId: true,
};

const finish: OptionNames<FinishInput> = {
  ...logCall,
  ...recordCall,
  phone: true,
  email: true,
  taskId: true,
};

const identifyCaller: OptionNames<IdentifyCallerInput> = { phone: true, email: true, newContact: true };

const callerContext: OptionNames<CallerContextInput> = { contactId: true, contact: true };

const takePayment: OptionNames<TakePaymentInput> = {
  customerId: true,
  invoiceId: true,
  amount: true,
  paymentMethodId: true,
  idempotencyKey: true,
  ordinal: true,
};

const qualifyLead: OptionNames<QualifyLeadInput> = {
  ...words,
  lead: true,
  opportunity: true,
  outcome: true,
  durationSeconds: true,
};

const openCase: OptionNames<OpenCaseInput> = {
  ...words,
  subject: true,
  contactId: true,
  accountId: true,
  phone: true,
  email: true,
  name: true,
  priority: true,
  fields: true,
  reference: true,
};

const routeConversation: OptionNames<RouteConversationInput> = { conversationId: true, teamId: true };

export const inputNames = {
  callerContext,
  finish,
  identifyCaller,
  logCall,
  openCase,
  qualifyLead,
  recordCall,
  routeConversation,
  takePayment,
} as const;

/** Those of all steps together: one that another step takes changes nothing. */
export const stepOptionNames: OptionNames<
  ContextOptions & LeadOptions & OpenCaseOptions & RecordCallOptions & TakePaymentOptions & TaskOptions
> = {
  deadline: true,
  signal: true,
  attemptTimeoutMs: true,
  lane: true,
  adminId: true,
  maximumTextLength: true,
  origin: true,
  onSettled: true,
  timeZone: true,
  taskStatus: true,
  taskFields: true,
  onOpenLead: true,
  closedStatuses: true,
  qualifiedStatus: true,
  leadSource: true,
  accountManagerAttribute: true,
  healthAttributes: true,
};
