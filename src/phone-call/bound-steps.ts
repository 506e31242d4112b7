import type { BillingClient } from '../billing/index.ts';
import {
  type CallerContext,
  type CallerContextInput,
  type CallerContextOptions,
  callerContext,
  type ContextOptions,
} from './steps/caller-context.ts';
import { type IdentifiedCaller, type IdentifyCallerInput, identifyCaller } from './steps/identify-caller.ts';
import { type LogCallOptions, logCall } from './steps/log-call.ts';
import { type OpenCaseInput, type OpenCaseOptions, openCase } from './steps/open-case.ts';
import type { QualifiedLead } from './steps/qualified-lead.ts';
import { type LeadOptions, type QualifyLeadInput, type QualifyLeadOptions, qualifyLead } from './steps/qualify-lead.ts';
import { type RecordCallInput, type RecordCallOptions, type RecordedCall, recordCall } from './steps/record-call.ts';
import {
  type RouteConversationInput,
  type RouteConversationOptions,
  routeConversation,
} from './steps/route-conversation.ts';
import type { StepOptions } from './steps/step.ts';
import {
  type PaymentResult,
  paymentKey,
  type TakePaymentInput,
  type TakePaymentOptions,
  takePayment,
} from './steps/take-payment.ts';
import { type SharedPayment, sharePayment } from './steps/shared-payment.ts';
import type { LoggedCall } from './steps/task-claim.ts';
import type { CallFacts, LogCallInput, TaskOptions } from './steps/task-fields.ts';
import type { CreatedRecord, CrmClient, CrmSchemas } from '../crm/index.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { Conversation, MessagingClient } from '../messaging/index.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { assertSpelled } from '../core/option-checks.ts';
import { knowCaller } from './caller.ts';
import { type EnsuredConversation, ensureConversation, rememberRecorded } from './conversation.ts';
import { inputNames } from './names.ts';
import { maximumAgeMs, type Prefetched } from './prefetch.ts';
import { createScope, type Scope } from './scope.ts';
import { addRecorded, nextTeam, type PhoneCallState, stillDone, wordsGoToNote } from './state.ts';

/** The clients that a phone call works with; a step throws `InvalidArgumentError` when its client is missing. */
export interface PhoneCallClients {
  readonly messaging?: MessagingClient | undefined;
  readonly crm?: CrmClient | undefined;
  readonly billing?: BillingClient | undefined;
}

/** How the steps of phone calls are done, unless one says otherwise. */
export interface StepSettings<Schemas extends CrmSchemas = CrmSchemas>
  extends TaskOptions<Schemas>,
    LeadOptions,
    ContextOptions {}

/** The steps of a phone call. What each learns is passed on to the others. */
export interface PhoneCallSteps<Schemas extends CrmSchemas = CrmSchemas> {
  /** Finds or creates the caller's contact, by the phone and e-mail that are known so far. */
  identifyCaller(input?: IdentifyCallerInput, options?: StepOptions): Promise<IdentifiedCaller>;
  /** What the messaging platform knows of the caller, who must be identified, or given. */
  callerContext(input?: CallerContextInput, options?: CallerContextOptions): Promise<CallerContext>;
  /** Charges a payment method. The same payment again in this phone call is the same payment. */
  takePayment(input: TakePaymentInput, options?: TakePaymentOptions): Promise<PaymentResult>;
  /** Turns what was learned into the right record; the caller's phone and e-mail are filled in. */
  qualifyLead(input: QualifyLeadInput<Schemas>, options?: QualifyLeadOptions<Schemas>): Promise<QualifiedLead>;
  /** Opens a case for the caller. */
  openCase(input: OpenCaseInput<Schemas>, options?: OpenCaseOptions): Promise<CreatedRecord>;
  /** Writes what is known so far to the phone call's one Task. */
  logCall(input?: LogCallInput, options?: LogCallOptions<Schemas>): Promise<LoggedCall>;
  /** Records the phone call in the messaging platform. What it has recorded, `finish` does not record again. */
  recordCall(input: RecordCallInput, options?: RecordCallOptions): Promise<RecordedCall>;
  /**
   * Gives the phone call's conversation, and starts it on first use, so that notes, replies and teams work before
   * `recordCall`. There is one per phone call, also when several steps need it at once. Identifies the caller where that
   * hasn't happened yet. What `recordCall` and `finish` write later goes into a note in it.
   * Throws `InvalidArgumentError` naming `contactId` when several contacts match.
   */
  ensureConversation(options?: StepOptions): Promise<EnsuredConversation>;
  /** Hands the phone call's conversation, or a given one, to a team. Starts the conversation if there is none yet. */
  routeConversation(input: RouteConversationInput, options?: RouteConversationOptions): Promise<Conversation>;
}

interface Binding {
  readonly clients: PhoneCallClients;
  readonly facts: CallFacts;
  readonly settings: StepSettings;
  readonly state: PhoneCallState;
  readonly ahead: Prefetched | undefined;
  /** Whose payments they are, and the store that remembers them for all processes that share it. */
  readonly payments: Pick<SharedPayment, 'report'> & {
    readonly tenant: string | undefined;
    readonly store: SharedPayment['store'] | undefined;
  };
}

/** Binds the steps to one phone call, or to one turn of it. */
export const bindSteps = (
  { clients, facts, settings, state, ahead, payments }: Binding,
  turn: Scope = {},
): PhoneCallSteps => {
  const { callId } = facts;
  const within = createScope(turn);
  const messaging = () => needed(clients.messaging, 'messaging');
  const crm = () => needed(clients.crm, 'crm');
  const billing = () => needed(clients.billing, 'billing');

  const identify: PhoneCallSteps['identifyCaller'] = async (input = {}, options) => {
    assertSpelled(input, inputNames.identifyCaller);
    const { phone = state.caller.phone, email = state.caller.email } = input;
    const scope = within(options);
    const found = await ahead?.takeContact({ phone, email }, scope);
    const identified: IdentifiedCaller = found
      ? { ...found, created: false }
      : await identifyCaller(
          { messaging: messaging() },
          { ...input, callId, phone, email, madeBefore: state.madeContact },
          { ...settings, ...scope },
        );
    if (identified.created) state.madeContact = identified.contact;
    state.found = identified.ambiguous ? undefined : { contact: identified.contact, at: performance.now() };
    state.caller = knowCaller(state.caller, input, identified);
    return identified;
  };

  const ensure: PhoneCallSteps['ensureConversation'] = async (options) => {
    const scope = within(options);
    return ensureConversation({ messaging: messaging(), facts, state, identify: () => identify({}, scope), scope });
  };

  return {
    identifyCaller: identify,

    callerContext: async (input = {}, options) => {
      assertSpelled(input, inputNames.callerContext);
      const contactId = input.contactId ?? input.contact?.id ?? known(state.caller.contactId);
      const scope = within(options);
      // What was read ahead was read as the phone call's settings say.
      const readsOtherwise = options?.accountManagerAttribute !== undefined || options?.healthAttributes !== undefined;
      const read = readsOtherwise ? undefined : await ahead?.takeContext(contactId, scope);
      if (read) return read;
      const { found } = state;
      const isFresh = found?.contact.id === contactId && performance.now() - found.at <= maximumAgeMs;
      const contact = input.contact ?? (isFresh ? found.contact : undefined);
      return callerContext({ messaging: messaging() }, { callId, contactId, contact }, { ...settings, ...scope });
    },

    takePayment: async (input, options) => {
      assertSpelled(input, inputNames.takePayment);
      const { store, tenant, report } = payments;
      const { idempotencyKey = paymentKey({ ...input, callId, tenant }) } = input;
      const payment = { ...input, callId, idempotencyKey };
      const { onSettled, ...scope }: TakePaymentOptions = { ...settings, ...within(options) };
      const pay = (settled: TakePaymentOptions['onSettled']) =>
        takePayment({ billing: billing() }, payment, { ...scope, onSettled: settled });
      if (!store) return pay(onSettled);
      const name = [tenant ?? null, billing().paymentTerms().baseUrl];
      return sharePayment({ store, report, name, idempotencyKey, onSettled }, pay);
    },

    qualifyLead: async (input, options) => {
      assertSpelled(input, inputNames.qualifyLead);
      const { phone, email } = state.caller;
      const lead = { Phone: phone || undefined, Email: email || undefined, ...withoutUndefined(input.lead) };
      const qualified = await qualifyLead(
        { crm: crm() },
        { ...input, ...facts, lead, madeBefore: state.madeLeadId },
        { ...settings, task: state.task, ...within(options) },
      );
      state.related = qualified.related;
      if (qualified.outcome === 'lead_created') state.madeLeadId = qualified.leadId;
      if ('contactId' in qualified) state.crmContactId = qualified.contactId;
      return qualified;
    },

    openCase: async (input, options) => {
      assertSpelled(input, inputNames.openCase);
      const { phone, email } = state.caller;
      return openCase(
        { crm: crm() },
        { phone, email, contactId: state.crmContactId, ...withoutUndefined(input), callId },
        { ...settings, ...within(options) },
      );
    },

    logCall: async (input = {}, options) => {
      assertSpelled(input, inputNames.logCall);
      const { whoId, whatId, ownerId } = { ...state.related, ...withoutUndefined(input) };
      return logCall(
        { crm: crm() },
        { ...input, ...facts, whoId, whatId, ownerId },
        { ...settings, task: state.task, ...within(options) },
      );
    },

    recordCall: async (input, options) => {
      assertSpelled(input, inputNames.recordCall);
      return state.conversationTurns.take('messaging.conversations.create', async () => {
        const known = {
          contactId: state.caller.contactId,
          conversationId: wordsGoToNote(state),
          ...withoutUndefined(input),
          wordsBefore: state.recorded.unclear?.words,
        };
        const { mayBeDone } = state.recorded;
        const recorded = await recordCall(
          { messaging: messaging() },
          {
            ...known,
            callId,
            done: stillDone(state.recorded, known),
            mayBeDone,
            teamOrdinal: nextTeam(state, input.teamId),
          },
          { ...settings, ...within(options) },
        );
        const holdsWords = known.conversationId === undefined && known.wordsBefore === undefined;
        rememberRecorded(state, known, recorded, { holdsWords });
        return recorded;
      });
    },

    ensureConversation: ensure,

    routeConversation: async (input, options) => {
      assertSpelled(input, inputNames.routeConversation);
      const conversationId = input.conversationId ?? (await ensure(options)).conversationId;
      const routed = await routeConversation(
        { messaging: messaging() },
        { callId, conversationId, teamId: input.teamId, ordinal: nextTeam(state, input.teamId) },
        { ...settings, ...within(options) },
      );
      if (conversationId === state.conversation?.id) {
        state.recorded = addRecorded(state.recorded, input, [{ step: 'route', status: 'done' }]);
      }
      return routed;
    },
  };
};

const needed = <Client>(client: Client | undefined, name: keyof PhoneCallClients): Client => {
  if (client !== undefined) return client;
  throw new InvalidArgumentError(name, 'is not configured: this phone call was started without that client');
};

const known = (contactId: string | undefined): string => {
  if (contactId !== undefined) return contactId;
  throw new InvalidArgumentError('contactId', 'is not known yet: identify the caller first, or give one');
};
