import { isUnkeyed } from '../billing/own/unkeyed.ts';
import { randomUUID } from 'node:crypto';
import { isEmail } from '../core/arguments.ts';
import type { CrmSchemas } from '../crm/index.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { type Moment, toDate } from './steps/call-day.ts';
import { assertNotices, type CallNotices } from './steps/describe-call.ts';
import { assertTimeZone } from '../core/local-clock.ts';
import type { FinishedCall, FinishInput } from './steps/finish-call.ts';
import { clientsOf } from './steps/clients-of.ts';
import { stepKey } from './steps/step.ts';
import { type CallDirection, readDirection } from './steps/task-fields.ts';
import { type Deadline, deadlineIn } from '../http/deadline.ts';
import { type CallerProof, createCallerProof } from './caller-proof.ts';
import { createLineCaller, type ReadPhone, readLinePhone } from './line-phone.ts';
import { type Caller, startState } from './steps/state.ts';
import {
  assertKnown,
  checkOptions,
  eachOneOf,
  must,
  oneOf,
  type OptionCheck,
  type OptionNames,
} from '../core/option-checks.ts';
import { createLateFacts } from './late-facts.ts';
import { assertBudget, createScope, longestDeadlineMs } from './scope.ts';
import { type AroundFinish, createFinish, type FinishOptions } from './finish.ts';
import { type FinishLater, finishLaterChecks } from './finish-later.ts';
import { type PrefetchPart, prefetch, prefetchParts } from './prefetch.ts';
import { openLeadWays, type PhoneCallClients, type Scope, type StepSettings } from './steps/ongoing-call.ts';
import { createSpokenWords } from './spoken-words.ts';
import { type PhoneCallSteps, stepsOf } from './steps/phone-call-steps.ts';
import { bindTools, phoneCallToolChecks, type PhoneCallToolOptions } from './tools.ts';
import { type OnError, type Report, reportOf } from '../tools/on-error.ts';
import { strengths } from '../tools/context.ts';
import type { Toolbox } from '../tools/index.ts';
import { followToolbox } from '../tools/toolbox.ts';
import {
  areSameRules,
  assertJudgeable,
  narrowedPayments,
  type OwnPayments,
  ownPaymentsOf,
  paymentsCheck,
  type PaymentsOfCall,
  paymentsWithin,
  withCardOf,
} from '../tools/payment-rules.ts';
import { storeCheck, type StoreOption } from '../tools/store-option.ts';
import { InvalidArgumentError } from '../core/errors.ts';

/** Settings that all phone calls of an application have in common. */
export interface PhoneCallSettings<Schemas extends CrmSchemas = CrmSchemas> extends StepSettings<Schemas> {
  /**
   * The time of one turn, and of one tool call outside of a turn. At most the lowest `maximumDeadlineMs` of the clients.
   * @defaultValue 8000, or that limit if it's lower
   */
  readonly toolBudgetMs?: number | undefined;
  /** The tools in `phoneCall.tools`. */
  readonly tools?: PhoneCallToolOptions | undefined;
  /**
   * Records that are read while the agent says hello: the contact with its context, and the open invoices. The first
   * step or tool that asks for them within half a minute needs no request. Nothing is written.
   * @defaultValue nothing
   */
  readonly prefetch?: readonly PrefetchPart[] | undefined;
}

/** The facts of one phone call when it begins, and its settings. */
export interface PhoneCallOptions<Schemas extends CrmSchemas = CrmSchemas>
  extends PhoneCallSettings<Schemas>,
    CallNotices {
  /** The id that the telephone platform gave the phone call. Every idempotency key begins with it. */
  readonly callId: string;
  /** The direction of the call; `inbound` is the same as `Inbound`. @defaultValue 'inbound' */
  readonly direction?: CallDirection | Lowercase<CallDirection> | undefined;
  /**
   * The other party's number, as your telephone platform says it: `+1 (415) 555-0100`, `tel:+14155550100`,
   * `sip:+14155550100@carrier`, `anonymous`. A word for a withheld number, and what can't be read, count as no number.
   */
  readonly phone?: string | null | undefined;
  /** The caller's address, if you know it beforehand. */
  readonly email?: string | undefined;
  /** The caller's contact in the messaging platform, where it is known beforehand. */
  readonly contactId?: string | undefined;
  /** The caller's customer in the billing system, where it is known beforehand. `verified` says how sure that is. */
  readonly customerId?: string | undefined;
  /** The stricter rules of this phone call. @defaultValue the integration's `payments` */
  readonly payments?: PaymentsOfCall | undefined;
  /**
   * A conversation that the phone call belongs to, such as the chat it began in. Summary and transcript then go into an
   * internal note in it.
   * @defaultValue one is started when a step needs it
   */
  readonly conversationId?: string | undefined;
  /** The certainty that the caller is the owner of the number. @defaultValue 'caller-id' with a phone, else 'no' */
  readonly verified?: Caller['verified'] | undefined;
  /** @defaultValue now */
  readonly startedAt?: Moment | undefined;
}

/** The time of an exchange, and the signal that ends it early. */
export interface TurnOptions {
  /**
   * The caller's latest words. They go into the transcript, and a confirmation that was asked for before may now be
   * given. Leave it out where the caller hasn't spoken.
   */
  readonly heard?: string | undefined;
  /** The time of everything in it together. @defaultValue the phone call's `toolBudgetMs` */
  readonly budgetMs?: number | undefined;
  /** Aborts everything that the turn has started, such as when the person speaks again. */
  readonly signal?: AbortSignal | undefined;
}

/** One exchange in a phone call: the same steps and tools, under one deadline and signal that they share. */
export interface Turn extends TurnOf<CrmSchemas> {}

/** The turn of an integration with these schemas: a {@link Turn} where none are declared. */
export type TurnFor<Schemas extends CrmSchemas> = string extends keyof Schemas ? Turn : TurnOf<Schemas>;

/** A {@link Turn} whose fields of the CRM are declared. */
export interface TurnOf<Schemas extends CrmSchemas> extends PhoneCallSteps<Schemas> {
  readonly deadline: Deadline;
  /** The phone call's tools; what one turn did, the next one knows. */
  readonly tools: Toolbox;
}

/** A phone call that is going on: its steps, with its identity filled in. */
export interface PhoneCall extends PhoneCallOf<CrmSchemas> {}

/** The phone call of an integration with these schemas: a {@link PhoneCall} where none are declared. */
export type PhoneCallFor<Schemas extends CrmSchemas> = string extends keyof Schemas ? PhoneCall : PhoneCallOf<Schemas>;

/** A {@link PhoneCall} whose fields of the CRM are declared. */
export interface PhoneCallOf<Schemas extends CrmSchemas> extends PhoneCallSteps<Schemas> {
  readonly callId: string;
  readonly direction: CallDirection;
  readonly startedAt: Date;
  /** The person on the phone, as far as known by now. */
  readonly caller: Caller;
  /**
   * Says how sure it is who is on the phone. `strong`: the person has proved it to the application. `no`: someone else has
   * taken the phone.
   */
  verifyCaller(verified: Caller['verified']): void;
  /**
   * Keeps that the agent said that it's an AI, and the caller's answer to being recorded, for the phone call's Task, its
   * conversation and `call.completed`. A later answer replaces an earlier one.
   *
   * @example
   * phoneCall.setNotices({ aiNoticeAt: new Date(), recordingConsent: true });
   */
  setNotices(notices: CallNotices): void;
  /** The tools that a model may call. Register them with an adapter of `voice-agent-integrations/tools`. */
  readonly tools: Toolbox;
  /** Starts one exchange with the caller: all its steps and tools share one deadline. Say in `heard` what the caller said. */
  turn(options?: TurnOptions): TurnFor<Schemas>;
  /** Says that the caller has spoken: for the transcript, and for what waits for the caller's yes. Blank words are silence. */
  heard(words: string): void;
  /** Says what the agent has spoken: for the transcript. */
  said(words: string): void;
  /**
   * Writes the phone call down in the messaging platform and in the CRM, and reports every part. It doesn't throw for a
   * part that fails: call it again, or give `unfinished` to `finishCall` later. What is done isn't done again, and what
   * is new is added. With `finishLater` it resolves once the call is stored (`queued`), and throws `StoreError` if it isn't.
   */
  finish(input?: FinishWords, options?: FinishOptions): Promise<FinishedCall>;
}

/** The parts of a phone call for live calls alone. */
interface Inside {
  /** Gives a phone call without a number the one that its platform says late. Returns the number of its line. */
  readonly takeLateNumber: (phone: string) => string;
  /** Takes a customer whom the phone call didn't know, and stricter payments. Throws for a fact that isn't the one that it has. */
  readonly takeLateFacts: (said: PhoneCallOptions) => void;
  /** Takes words that the caller spoke while an answer went on: for the transcript, and no yes to its questions. */
  readonly overheard: (words: string) => void;
}

const insides = new WeakMap<object, Inside>();

/** Returns what only live calls do with a phone call. */
export const insideOf = (phoneCall: object): Inside | undefined => insides.get(phoneCall);

/** The end of a phone call. */
export interface FinishWords extends Omit<FinishInput, 'transcript'> {
  /** The words of the phone call; `false` writes none. @defaultValue everything heard and said */
  readonly transcript?: string | false | undefined;
}

/**
 * Starts a phone call: its steps, one Task for all of them, and what one step learns known to the next. Each client may be missing; its steps then throw.
 * Throws `InvalidArgumentError` for an id that is none, a wrong direction, and an e-mail, moment or time zone that is none.
 *
 * @example
 * const phoneCall = startPhoneCall({ messaging, crm }, { callId: 'CA123', direction: 'inbound', phone });
 * const { contact } = await phoneCall.identifyCaller();
 * await phoneCall.finish({ outcome: 'resolved', summary });
 */
export const startPhoneCall = (clients: PhoneCallClients, options: StandalonePhoneCallOptions): PhoneCall => {
  const { onError, readPhone, finishLater, store, ...rest }: typeof options = Object(options);
  checkOptions(undefined, [readPhoneCheck(readPhone), ...finishLaterChecks(finishLater), storeCheck(store)]);
  const report = reportOf(clients, onError);
  const own = clientsOf(clients);
  const { rulesFor = (payments) => paymentsWithin(own.billing?.paymentTerms().below, payments), store: keptIn } =
    ownPaymentsOf(clients);
  return createPhoneCall(own, rest, {
    report,
    readPhone,
    finishLater,
    store: store ?? keptIn,
    tenant: rest.tools?.tenant,
    rulesFor,
  });
};

/** The options of a phone call without an integration. */
export interface StandalonePhoneCallOptions extends PhoneCallOptions {
  /** Gets every failure of a tool, and of writing the call down. @defaultValue one process warning for each cause */
  readonly onError?: OnError | undefined;
  /** Reads numbers without a country code. @defaultValue such a number counts as none */
  readonly readPhone?: ReadPhone | undefined;
  /** The memory that outlives this process. @defaultValue the memory of this phone call */
  readonly store?: StoreOption | undefined;
  /** Has `finish` store the call, for an integration with the same queue to write it. @defaultValue `finish` writes it itself */
  readonly finishLater?: FinishLater | undefined;
}

/** The check of {@link ReadPhone}. */
export const readPhoneCheck = (readPhone: ReadPhone | undefined): OptionCheck =>
  must(
    readPhone === undefined || typeof readPhone === 'function',
    'readPhone',
    "must be a function, such as phoneReader({ defaultCountry: 'US' })",
  );

/** The parts of an integration that all of its phone calls share. */
interface PhoneCallHooks {
  readonly report: Report;
  readonly readPhone: ReadPhone | undefined;
  readonly finishLater: FinishLater | undefined;
  readonly store: StoreOption | undefined;
  readonly rulesFor: OwnPayments['rulesFor'];
  /** The one whose worker writes the phone call. */
  readonly tenant: string | undefined;
  readonly aroundFinish?: AroundFinish | undefined;
}

/** {@link startPhoneCall} over what an integration has for all of its phone calls. */
export const createPhoneCall = (
  own: PhoneCallClients,
  options: PhoneCallOptions,
  { report, readPhone, finishLater, store, rulesFor, tenant: ownTenant, aroundFinish }: PhoneCallHooks,
): PhoneCall => {
  checkCall(own, options);
  let rules = rulesFor(options.payments);
  checkOptions('tools', [ownToolsCheck(options.tools, rules)]);
  const {
    callId,
    phone: saidPhone,
    email,
    contactId,
    conversationId,
    customerId,
    payments: _narrowed,
    startedAt,
    aiNoticeAt,
    recordingConsent,
    direction: saidDirection = 'inbound',
    ...rest
  } = options;
  const phone = readLinePhone(saidPhone, { callId, readPhone, report });
  const {
    verified: saidVerified,
    toolBudgetMs = Math.min(8000, longestDeadlineMs(own)),
    tools: toolOptions = {},
    prefetch: parts = [],
    ...settings
  } = rest;
  // A withheld number was not transmitted, whatever the application says of all its phone calls.
  const isWithheld = saidVerified === 'caller-id' && saidPhone && !phone;
  const verified = isWithheld ? 'no' : (saidVerified ?? (phone ? 'caller-id' : 'no'));
  const direction = readDirection(saidDirection);
  const start = toDate(startedAt ?? Date.now());
  const facts = { callId, direction, startedAt: start };
  const state = startState({ phone, email, contactId, customerId, verified }, conversationId);
  state.notices = withoutUndefined({ aiNoticeAt, recordingConsent });
  const caller = createLineCaller(state, saidVerified);
  const { messaging, billing } = own;
  const ahead =
    parts.length === 0
      ? undefined
      : prefetch({ callId, caller: state.caller, parts, messaging, billing, settings, budgetMs: toolBudgetMs });
  const clients = ahead ? { ...own, billing: ahead.billing } : own;
  const { tenant } = toolOptions;
  const reportPayment = (error: unknown) =>
    report(error, { part: isUnkeyed(error) ? 'phone-call' : 'store', callId, tenant });
  const payments = {
    store: typeof store === 'object' ? store : undefined,
    get below() {
      return rules ? rules.below : undefined;
    },
    tenant,
    report: reportPayment,
  };
  const { call: callTools } = toolOptions;
  const proof =
    callTools && callTools.verify ? createCallerProof({ callId, tenant, store, caller, report }) : undefined;
  const bind = (turn: Scope = {}) => {
    const bound = stepsOf({ clients, facts, settings, state, payments, within: createScope(turn) }, ahead);
    return proof ? maskingSteps(bound, proof) : bound;
  };

  const steps = bind();
  const spoken = createSpokenWords();
  let transcript: string | undefined;
  let hasEnded = false;
  const context = () => ({
    callId,
    caller: caller.forTools(),
    conversationIds: state.conversation === undefined ? [] : [state.conversation.id],
    turn: spoken.lastHeard(),
    answers: spoken.answers(),
    hasEnded: () => hasEnded,
  });
  const toolsWith = (payments: PaymentsOfCall | undefined) =>
    bindTools(
      {
        clients,
        steps,
        context,
        budgetMs: toolBudgetMs,
        proof,
        line: () => caller.line() ?? null,
        report,
        payments: withCardOf(payments, () => rules),
        store,
        timeZone: settings.timeZone,
      },
      toolOptions,
    );
  let toolsNow = toolsWith(rules);
  // What the application holds already gets stricter too.
  const tools = followToolbox(() => toolsNow);
  const narrow = (more: PaymentsOfCall): void => {
    const narrowed = narrowedPayments(rules, more, callId);
    if (!areSameRules(narrowed, rules)) toolsNow = toolsWith(narrowed);
    rules = narrowed;
  };

  const finish = createFinish({
    clients,
    facts,
    settings,
    state,
    finishLater,
    tenant: ownTenant,
    aroundFinish,
    report,
  });

  const phoneCall: PhoneCall = {
    callId,
    direction,
    startedAt: start,
    get caller() {
      return caller.current();
    },
    verifyCaller: (verified) => {
      oneOf(verified ?? null, 'verified', strengths)();
      caller.verify(verified);
      proof?.forget();
    },
    setNotices: (notices) => {
      assertKnown(Object(notices), noticeNames);
      assertNotices(notices);
      state.notices = { ...state.notices, ...withoutUndefined(notices) };
    },
    ...steps,
    tools,
    turn: (turnOptions = {}) => {
      assertKnown(turnOptions, turnNames);
      assertBudget('budgetMs', turnOptions.budgetMs, own);
      const { budgetMs = toolBudgetMs, signal, heard } = turnOptions;
      if (heard !== undefined) spoken.heard(heard);
      const deadline = deadlineIn(budgetMs);
      return {
        deadline,
        ...bind({ deadline, signal }),
        tools: tools.bind({ deadline, signal, exchange: randomUUID() }),
      };
    },
    heard: spoken.heard,
    said: spoken.said,
    finish: (input = {}, finishOptions = {}) => {
      hasEnded = true;
      // The worker writes what the first one stored: words after it don't make another one.
      if (!finishLater || transcript === undefined) transcript = spoken.transcript();
      const { transcript: text = transcript } = input;
      const words = { ...input, transcript: text === false ? undefined : text };
      return proof ? proof.masked(words).then((masked) => finish(masked, finishOptions)) : finish(words, finishOptions);
    },
  };
  const takeLateFacts = createLateFacts({ callId, state, start: options, narrow, verify: caller.verify });
  insides.set(phoneCall, {
    takeLateNumber: caller.takeLateNumber,
    takeLateFacts: (said) => {
      checkCall(own, said);
      takeLateFacts(said);
    },
    overheard: spoken.overheard,
  });
  return phoneCall;
};

/** The steps that write down what was said, without what proved who is calling. */
const maskingSteps = (steps: PhoneCallSteps, { masked }: CallerProof): PhoneCallSteps => ({
  ...steps,
  logCall: async (input = {}, options) => steps.logCall(await masked(input), options),
  recordCall: async (input, options) => steps.recordCall(await masked(input), options),
});

const checkCall = (clients: PhoneCallClients, options: PhoneCallOptions): void => {
  const { callId, direction, email, timeZone, toolBudgetMs, verified, customerId, payments }: PhoneCallOptions =
    Object(options);
  checkOptions(undefined, [
    () => stepKey(callId, ''),
    () => readDirection(direction ?? 'inbound'),
    must(!email || isEmail(email), 'email', 'must be an e-mail address'),
    () => timeZone !== undefined && assertTimeZone(timeZone),
    () => assertNotices(Object(options)),
    oneOf(verified, 'verified', strengths),
    () => assertBudget('toolBudgetMs', toolBudgetMs, clients),
    () =>
      assertKnown(options, optionNames, undefined, {
        onError: 'onError of createIntegration',
        readPhone: 'readPhone of createIntegration',
        finishLater: 'finishLater of createIntegration',
        store: 'store of createIntegration',
      }),
    must(
      customerId === undefined || (typeof customerId === 'string' && customerId.trim() !== ''),
      'customerId',
      'must be the id of the customer, or left out',
    ),
    paymentsCheck(payments, { needsBelow: false }),
    ...phoneCallSettingChecks(options, clients),
  ]);
};

/** The checks of the settings that all phone calls of an integration have in common. */
export const phoneCallSettingChecks = (
  { tools, onOpenLead, prefetch: parts }: Pick<PhoneCallSettings, 'tools' | 'onOpenLead' | 'prefetch'>,
  clients: { readonly messaging?: object | undefined; readonly billing?: object | undefined },
): readonly OptionCheck[] => [
  () => tools && checkOptions('tools', phoneCallToolChecks(tools, clients)),
  oneOf(onOpenLead, 'onOpenLead', openLeadWays),
  eachOneOf(parts, 'prefetch', prefetchParts),
];

/** The check of tools of your own that move money: without `payments` there are none. */
export const ownToolsCheck =
  (tools: PhoneCallToolOptions | undefined, payments: PaymentsOfCall | undefined): OptionCheck =>
  () => {
    const paying = payments === undefined && tools?.own?.find(({ effect }) => effect === 'payment');
    if (paying)
      throw new InvalidArgumentError(
        'own',
        `has ${paying.name}, which moves money: give createIntegration payments: { below }`,
      );
    if (payments) tools?.own?.forEach(assertJudgeable);
  };

/** The options that all phone calls of an integration may have in common. */
export const phoneCallSettingNames: OptionNames<PhoneCallSettings> = {
  accountManagerAttribute: true,
  closedStatuses: true,
  healthAttributes: true,
  leadSource: true,
  maximumTextLength: true,
  onOpenLead: true,
  prefetch: true,
  qualifiedStatus: true,
  taskFields: true,
  taskStatus: true,
  timeZone: true,
  toolBudgetMs: true,
  tools: true,
};

export const turnNames: OptionNames<TurnOptions> = { heard: true, budgetMs: true, signal: true };

const noticeNames: OptionNames<CallNotices> = { aiNoticeAt: true, recordingConsent: true };

const optionNames: OptionNames<PhoneCallOptions> = {
  ...phoneCallSettingNames,
  callId: true,
  direction: true,
  phone: true,
  email: true,
  contactId: true,
  customerId: true,
  payments: true,
  conversationId: true,
  verified: true,
  startedAt: true,
  ...noticeNames,
};
