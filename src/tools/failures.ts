/** Everything that a model reads when a tool call did not do its work. Made here and nowhere else. */
import {
  AbortedError,
  AmbiguousError,
  ClientError,
  IntegrationError,
  InvalidArgumentError,
  RetriesExhaustedError,
  UnexpectedResponseError,
} from '../core/errors.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { isPersonalName, maskPersonalData } from '../observability/redaction/personal-data.ts';
import { isSecretName, maskSecretLooks, maskStackTraces } from '../observability/redaction/secrets.ts';
import { isJsonObject, type Json, type JsonObject } from '../stores/ports/json.ts';
import { textForModels, topEntries } from './compact.ts';
import type { ToolResult, ToolStatus } from './context.ts';
import type { FieldProblem, Tool, ToolEffect } from './tool.ts';

/** A tool call that did not do its work: how it counts, and what the model reads. */
export interface Failure {
  readonly status: Exclude<ToolStatus, 'done'>;
  readonly value: JsonObject;
  /** The application can act on it. What a model or a caller did wrong, and a declined card, isn't reported. */
  readonly isReported: boolean;
}

/** The facts that decide a failure's words. */
export interface FailureContext {
  readonly effect: ToolEffect;
  readonly idempotent: boolean;
  /** The names of the arguments that the model supplies. */
  readonly argumentNames: readonly string[];
  /** The application's signal has ended the tool call. */
  readonly isCancelled: boolean;
  /** It gives money back. */
  readonly isRefund?: boolean;
  /** It happened in a rule, or while an argument was bound: the tool itself has done nothing. */
  readonly isBeforeRun?: boolean;
}

/** The result of a call that did not come as far as its tool. */
export const toFailedResult = ({ status, value }: Failure): ToolResult => ({
  status,
  value,
  text: JSON.stringify(value),
  replayed: false,
});

/** The failure that an error of a tool's code means. */
export const toFailure = (error: unknown, context: FailureContext): Failure => {
  const { effect, isCancelled, isBeforeRun = false } = context;
  const isOurs = error instanceof IntegrationError;
  const mayHaveHappened = isBeforeRun ? false : isOurs ? error.outcome === 'unknown' : effect !== 'read';
  const isReported = !isCancelled && !isExpected(error, context);
  if (effect === 'payment' && mayHaveHappened) return { ...paymentUnknown(context, { isCancelled }), isReported };
  if (isCancelled && (!isOurs || error instanceof AbortedError))
    return mayHaveHappened ? cancelledOnTheWay(effect) : cancelled(effect);
  return { ...valueOf(error, context), isReported };
};

/** The model, the caller or the card is wrong, several people match, or the application itself has taken the call back. */
const isExpected = (error: unknown, context: FailureContext): boolean => {
  if (error instanceof InvalidArgumentError) return suppliedByModel(error.field, context);
  if (error instanceof ClientError) return context.effect === 'payment' && error.status === 402;
  return error instanceof AbortedError || (error instanceof AmbiguousError && error.original === undefined);
};

const valueOf = (error: unknown, context: FailureContext): Failure => {
  const { effect, isBeforeRun = false } = context;
  // A write that breaks off may have been done.
  if (!(error instanceof IntegrationError))
    return effect === 'read' || isBeforeRun ? internalError(effect) : writeUnknown(effect);
  if (error instanceof InvalidArgumentError) {
    const { field, problem } = error;
    return suppliedByModel(field, context) ? invalidArguments([{ field, problem }], effect) : internalError(effect);
  }
  if (error instanceof AbortedError) return cancelled(effect);
  const isOpen = effect !== 'read' && error.outcome === 'unknown' && !isBeforeRun;
  const failed = isOpen ? 'unknown' : 'failed';
  if (error instanceof ClientError) {
    const details = detailsOf(error);
    return failure(isOpen ? 'unknown' : 'refused', { error: 'client_error', details }, effect);
  }
  if (error instanceof RetriesExhaustedError) {
    return failure(failed, { error: 'max_retries_exceeded', reason: error.reason, ...retryAfter(error) }, effect);
  }
  if (error instanceof AmbiguousError) return severalMatch('several_customers_match', error.count, effect);
  if (error instanceof UnexpectedResponseError) return failure(failed, { error: 'unexpected_response' }, effect);
  return failure(failed, { error: 'temporarily_unavailable', reason: reasonOf(error), ...retryAfter(error) }, effect);
};

/** Wrong arguments, in at most 60 tokens: as many problems as fit, never a value. */
export const invalidArguments = (problems: readonly FieldProblem[], effect: ToolEffect = 'read'): Failure => {
  const fields: { field: string; problem: string }[] = [];
  let length = 0;
  for (const { field, problem } of problems) {
    const named = { field: textForModels(field, 40), problem: textForModels(problem, 90) };
    length += named.field.length + named.problem.length + 26;
    if (fields.length > 0 && length > 140) break;
    fields.push(named);
  }
  return failure('refused', { error: 'invalid_arguments', fields }, effect);
};

/** A reason that forbids a call whose arguments are right. */
export type NotAllowedReason =
  | 'verification_required'
  | 'too_many_tool_calls'
  | 'too_many_writes'
  | 'payment_limit_reached'
  | 'not_approved'
  | 'approval_expired'
  | 'call_ended'
  | 'declined'
  | 'answer_not_valid'
  | 'another_call_in_progress'
  | 'identify_caller_first'
  | 'no_card_on_file'
  | 'several_contacts_match'
  | 'several_customers_match';

export const notAllowed = (reason: NotAllowedReason, effect: ToolEffect): Failure => {
  const message = instructions[reason];
  return failure('refused', { error: 'not_allowed', reason, message }, effect);
};

/** Several records have what is known of the caller. `canAsk`: what the caller says may decide. */
export const severalMatch = (
  reason: 'several_contacts_match' | 'several_customers_match',
  count: number,
  effect: ToolEffect,
  { canAsk = false }: { readonly canAsk?: boolean } = {},
): Failure => {
  const message = canAsk ? askForAddress : instructions[reason];
  return failure('refused', { error: 'not_allowed', reason, matches: count, message }, effect);
};

/** Advice for the model if the caller's own words may decide. */
export const askForAddress = 'Ask for their e-mail address and call this again with it, or offer a colleague.';

/** A limit of the phone call is reached, or can't be read now: then the same call may be made again. */
export const overLimit = (reason: NotAllowedReason | 'unavailable', effect: ToolEffect): Failure =>
  reason === 'unavailable' ? unavailable('store', effect) : notAllowed(reason, effect);

/** Advice for the model, if the reason alone has none. */
const instructions: { readonly [reason in NotAllowedReason]?: string } = {
  verification_required: 'It is not certain who is calling, so this stays private. Say so, and offer a colleague.',
  identify_caller_first: 'Call identify_caller, with the e-mail address that the caller says if needed.',
  no_card_on_file:
    'Nothing was charged: this customer has no saved card or account. Offer another way to pay, or a colleague.',
  declined: 'They were asked and said no. Nothing was done: tell them so.',
  answer_not_valid: 'This answer is too old, or for another question. Nothing was done: make the call again.',
  several_customers_match:
    'Several accounts match. It is not certain which customer is calling, so this stays private. Say so, and offer a ' +
    'colleague.',
  several_contacts_match: 'Ask the caller for their e-mail address and call identify_caller with it.',
};

/** The refusal that a tool itself returned. */
export const refusedByTool = (value: JsonObject, effect: ToolEffect): Failure => failure('refused', value, effect);

/** The reasons why a caller has not proved who they are, with what the model should do. */
const verificationWords = {
  wrong_code: 'The code is wrong. Ask the caller to read it out again, digit by digit.',
  wrong_answer: 'This is not the answer on file. Never say what it would be.',
  code_expired: 'This code no longer counts. Offer to send a new one.',
  send_a_code_first: 'No code is open for this caller. Call send_verification_code first.',
  answered_by_two: 'Two answers came at once. Ask the question again.',
  too_many_tries: 'No try is left in this phone call, and the caller stays unverified. Say so, and offer a colleague.',
  too_many_codes: 'No further code can be sent in this phone call. Say so, and offer a colleague.',
  nothing_on_file:
    'There is no number or address on file to prove it with. What a caller says is not enough: offer a colleague.',
  not_on_file: 'That is not on file for this caller. Leave channel out, or offer a colleague.',
} as const;

/** The caller has not proved who they are. */
export const notVerified = (reason: keyof typeof verificationWords, left?: number): JsonObject => {
  const message = left === 0 ? verificationWords.too_many_tries : verificationWords[reason];
  return withoutUndefined({ verified: false, error: 'not_verified', reason, tries_left: left, message }) as JsonObject;
};

/** The end of a check isn't known. */
export const unverifiedYet = (what: 'code' | 'answer'): JsonObject => ({
  verified: false,
  error: 'status_unknown',
  next:
    what === 'code'
      ? 'This code counts no longer: offer to send a new one.'
      : 'The answer counts neither as right nor as wrong: ask the question again.',
});

/** The reasons why nothing was written to the caller. */
const unwritten = {
  already_sent: 'Nothing was sent now: this message went out before in this phone call. Tell the caller so.',
  sent_perhaps:
    'Nothing was sent now. It is not known whether it went out before: never say that it did, or that it failed.',
  opted_out: 'Nothing was sent: the caller wants no messages there. Say it instead.',
  no_certain_destination:
    'Nothing was sent: no number or address of the caller is certain, and what they say is not enough. Say it instead.',
} as const;

/** Nothing was sent to the caller. */
export const notWritten = (reason: keyof typeof unwritten): JsonObject => ({
  accepted: false,
  error: 'not_sent',
  reason,
  message: unwritten[reason],
});

/** The end of a message isn't known. */
export const messageUnknown = (): JsonObject => ({
  error: 'status_unknown',
  next: 'It is not sent again in this phone call: say the facts to the caller.',
});

/** The look-up found no customer. */
export const customerNotFound = (): JsonObject => ({ error: 'customer_not_found' });

/** A payment without a look-up: the model gets the invoices now. */
export const lookedUpNow = (found: object): JsonObject => ({
  error: 'look_up_first',
  message:
    'Nothing was charged. These are the open invoices: check with the caller which one is meant, then call this again.',
  // JSON, once what is `undefined` has gone.
  ...JSON.parse(JSON.stringify(found)),
});

/** A refund without a look-up: the model gets the payments now. */
export const paymentsLookedUpNow = (found: object): JsonObject => ({
  error: 'look_up_first',
  message:
    'Nothing was given back. These are the latest payments: check with the caller which one is meant, then call this again.',
  // JSON, once what is `undefined` has gone.
  ...JSON.parse(JSON.stringify(found)),
});

/** The reason why a time can't be booked. */
export type NotFree = 'slot_taken' | 'no_such_time' | 'in_the_past';

interface SlotInWords {
  readonly start: string;
  readonly day: string;
}

/** The time can't be booked; `free` are the slots that are nearest to it. */
export const notFree = (
  error: NotFree,
  { nothing, free }: { readonly nothing: 'booked' | 'moved'; readonly free: readonly SlotInWords[] },
): JsonObject => {
  const next = free.length > 0 ? 'Offer these.' : 'Call list_free_slots and offer another time.';
  const said = `${nothing === 'booked' ? 'Nothing was booked' : 'Nothing was moved'}: ${whyNotFree[error]} ${next}`;
  return { error, message: said, free: free.map((slot) => ({ ...slot })) };
};

const whyNotFree: Readonly<Record<NotFree, string>> = {
  slot_taken: "this time isn't free, or no longer.",
  no_such_time: 'the calendar has no such time. Take a start exactly as list_free_slots gives it.',
  in_the_past: 'this time is over. Check the day and the year.',
};

/** The caller has no appointment that starts then. */
export const noSuchAppointment = (own: readonly SlotInWords[]): JsonObject => ({
  error: 'no_such_appointment',
  message:
    'Nothing was done now: the caller has no appointment that starts then. It may have been moved or cancelled before.',
  appointments: own.slice(0, topEntries).map((one) => ({ ...one })),
});

/** Two appointments of the caller start then. */
export const severalAppointments = (): JsonObject => ({
  error: 'several_appointments',
  message: 'Nothing was done: two appointments of the caller start then. Offer a colleague.',
});

/** The business has to confirm what the caller asked for. */
export const notConfirmed =
  'Requested, not booked: the business has to confirm it. Say so, and never say that it is booked.';

/** The caller stays on the line. `next` is what happens now; without it, nothing was passed on. */
export const notTransferred = (
  reason: 'outside_office_hours' | 'no_one_available' | 'no_one_answered',
  next: string | undefined,
): JsonObject => ({
  transferred: false,
  reason,
  next: next ?? 'Nothing was passed on: say so, and ask the caller to ring again.',
});

/** There is no such tool. */
export const unknownTool = (): Failure => invalidArguments([{ field: 'name', problem: 'is not the name of a tool' }]);

/** The model's message was cut, so its calls may lack their end. */
export const cutOff = (effect: ToolEffect): Failure =>
  failure(
    'refused',
    { error: 'cut_off', message: 'Your message was cut off, so nothing was done. Make this call again, shorter.' },
    effect,
  );

/** The application took the call back, and nothing happened that counts. */
export const cancelled = (effect: ToolEffect): Failure => failure('cancelled', { error: 'cancelled' }, effect);

/** The application took the call back while the tool's own code ran. */
export const cancelledOnTheWay = (effect: ToolEffect): Failure =>
  effect === 'read'
    ? cancelled(effect)
    : { ...failure('unknown', { error: 'cancelled' }, effect), status: 'cancelled' };

/** It may have been done. `again`: the argument with which it's done all the same, and nothing was sent now. */
export const writeUnknown = (effect: ToolEffect, again?: string): Failure => {
  const unknown = failure('unknown', { error: 'status_unknown' }, effect);
  return again === undefined
    ? unknown
    : { ...unknown, value: { ...unknown.value, message: `${writeIsUnknown} Nothing was done now. ${onlyIf(again)}` } };
};

const onlyIf = (again: string) =>
  `Only if the caller has heard this and still wants it a second time, call this again with ${again}: true.`;

/** The tool was still running when the time was up. */
export const outOfTime = (facts: Pick<FailureContext, 'effect' | 'idempotent' | 'isRefund'>): Failure =>
  facts.effect === 'payment'
    ? paymentUnknown(facts)
    : failure(
        facts.effect === 'read' ? 'failed' : 'unknown',
        { error: 'max_retries_exceeded', reason: 'deadline' },
        facts.effect,
      );

/** Something that is needed before anything can be sent does not work. */
export const unavailable = (reason: string, effect: ToolEffect): Failure =>
  failure('failed', { error: 'temporarily_unavailable', reason }, effect);

export const internalError = (effect: ToolEffect): Failure => ({
  ...failure('failed', { error: 'internal_error' }, effect),
  isReported: true,
});

/** The money has not moved. The API's own words where it gave some, never empty. */
export const paymentRefused = (words: string | undefined): JsonObject => ({
  success: false,
  error: safeText(words ?? '') || 'The payment was not accepted.',
});

/** The same payment was made before, and nothing was charged now. Of a refund, nothing was given back now. */
export const alreadyPaid = (value: Json, { isRefund = false }: { readonly isRefund?: boolean } = {}): JsonObject => ({
  ...(isJsonObject(value) ? value : { result: value }),
  [isRefund ? 'already_refunded' : 'already_paid']: true,
  message: isRefund
    ? 'Nothing was given back now: this refund was made before. Tell the caller so.'
    : 'Nothing was charged now: this payment was made before. Tell the caller so.',
});

/** The same call did its work before, and nothing was done now. */
export const alreadyDone = (
  value: Json,
  { effect, options }: Pick<Tool, 'effect' | 'options'>,
  again?: string,
): JsonObject => {
  if (effect === 'payment') return alreadyPaid(value, { isRefund: options.refundOf !== undefined });
  const message = 'Nothing was done now: this was done before. Tell the caller so.';
  return {
    ...(isJsonObject(value) ? value : { result: value }),
    already_done: true,
    message: again === undefined ? message : `${message} ${onlyIf(again)}`,
  };
};

/** A write whose answer says that its end isn't known. */
export const unknownAnswerOf = (value: unknown): object => ({
  ...(isJsonObject(value) ? value : { result: value }),
  outcome: 'unknown',
  message: writeIsUnknown,
});

/** The money may have moved. Wins over every other failure. `words` are what the API says so far. */
export const paymentUnknown = (
  { idempotent, isRefund = false }: Pick<FailureContext, 'idempotent' | 'isRefund'>,
  { isCancelled = false, words }: { readonly isCancelled?: boolean; readonly words?: string | undefined } = {},
): Failure => {
  const apiWords = safeText(words ?? '', 120);
  return {
    status: isCancelled ? 'cancelled' : 'unknown',
    value: withoutUndefined({
      success: false,
      error: isCancelled ? 'cancelled' : 'payment_status_unknown',
      outcome: 'unknown',
      message: (isRefund ? refundWords : paymentWords)[idempotent ? 'isChecked' : 'needsColleague'],
      api_says_not_final: apiWords || undefined,
    }),
    isReported: false,
  };
};

/** Sends nothing where calling again could move money twice. */
const paymentWords = {
  isChecked:
    'It is not known yet whether the payment went through. Never say it failed or succeeded: say it is being ' +
    'checked. Calling again with the same arguments checks it and charges once.',
  needsColleague:
    'It is not known whether the payment went through, and it cannot be checked from here. Never say it failed or ' +
    'succeeded: say that a colleague has to look. Calling again does nothing.',
};

const refundWords = {
  isChecked:
    'It is not known yet whether the refund was made. Never say it failed or succeeded: say it is being checked. ' +
    'Calling again with the same arguments checks it and gives the money back once.',
  needsColleague:
    'It is not known whether the refund was made, and it cannot be checked from here. Never say it failed or ' +
    'succeeded: say that a colleague has to look. Calling again does nothing.',
};

/** The word by which a question to read out is known from a failure. */
export const confirmationError = 'confirmation_required';

/** Nothing happened yet: the person has to agree first. `why`: what is wrong with the token that was sent. */
export const confirmationRequired = (
  {
    summary,
    token,
    expiresInSeconds,
    why,
  }: {
    readonly summary: string;
    readonly token: string;
    readonly expiresInSeconds: number;
    readonly why: keyof typeof whyAgain | undefined;
  },
  effect: ToolEffect,
): Failure =>
  failure(
    'refused',
    {
      error: confirmationError,
      reason: why,
      message: why && whyAgain[why],
      summary,
      confirmation_token: token,
      expires_in_seconds: expiresInSeconds,
    },
    effect,
  );

const whyAgain = {
  caller_has_not_answered: 'Say the summary to the caller now and wait for their answer. Then use this new token.',
  caller_may_have_said_no: 'Ask the caller if they still want it. Use this new token only after a clear yes.',
  caller_was_asked_something_else:
    'The caller answered a later question. Ask which they want, then use this new token.',
  confirmation_token_used: 'A token counts once. If it is to be done again, ask the caller and use this new token.',
} as const;

/** Nothing happened: a framework has to have a person asked first. */
export const notApproved = (summary: string, effect: ToolEffect): Failure =>
  failure('refused', { error: 'not_allowed', reason: 'not_approved', summary }, effect);

/** Nothing happened yet: a colleague has to agree first. */
export const waitingForApproval = (): Failure => ({
  status: 'waiting',
  value: {
    waiting_for_approval: true,
    message:
      'Nothing was done yet: a colleague has to approve it. Tell the caller that you are waiting for a colleague. ' +
      'Call again with the same arguments to learn what came of it.',
  },
  isReported: false,
});

/** A payment answers every failure with `success: false` and `error`. Of a write, the model reads if its end is unknown. */
const failure = (
  status: Failure['status'],
  value: Readonly<Record<string, Json | undefined>>,
  effect: ToolEffect,
): Failure => ({
  status,
  // Nothing is left that isn't JSON.
  value: withoutUndefined({
    success: effect === 'payment' ? false : undefined,
    ...value,
    outcome: status === 'unknown' ? 'unknown' : undefined,
    message: status === 'unknown' ? writeIsUnknown : value['message'],
  }) as JsonObject,
  isReported: false,
});

const writeIsUnknown =
  'It is not known whether this was done. Never say that it was done, or that it failed: say that it has to be checked.';

const suppliedByModel = (field: string, { argumentNames }: FailureContext) =>
  argumentNames.includes(field.split('.')[0] ?? field);

const retryAfter = ({ retryAfterMs }: IntegrationError) =>
  retryAfterMs === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterMs / 1000) };

const reasonOf = ({ code }: IntegrationError): string => code;

/** The body of the answer without secrets and personal data, in at most 300 characters. */
export const detailsOf = ({ details }: ClientError): Json | undefined => {
  const all = safeDetails(details, { depth: 0, only: undefined });
  if (all === undefined || isShort(all)) return all;
  // Too long: what usually says what is wrong comes first.
  const words = safeDetails(details, { depth: 0, only: namesOfWords }) ?? all;
  return isShort(words) ? words : textForModels(textIn(words), longestDetails);
};

const longestDetails = 300;
const isShort = (details: Json) => JSON.stringify(details).length <= longestDetails;

/** The fields in which APIs usually say what is wrong. */
const namesOfWords: ReadonlySet<string> = new Set([
  'error',
  'errors',
  'message',
  'error_message',
  'error_description',
  'code',
  'errorCode',
  'error_code',
  'type',
  'title',
  'detail',
  'details',
  'reason',
  'field',
  'fields',
  'param',
  'status',
  'statusCode',
]);

interface DetailsOptions {
  readonly depth: number;
  /** Only fields of these names; `undefined`: all. */
  readonly only: ReadonlySet<string> | undefined;
}

const safeDetails = (value: unknown, { depth, only }: DetailsOptions): Json | undefined => {
  if (typeof value === 'string') {
    const text = safeText(value);
    // A page made for people in a browser says nothing to a model.
    return text === '' || text.startsWith('<') ? undefined : text;
  }
  // A longer number may be a phone number, or a card.
  if (typeof value === 'number') return Math.abs(value) < 1e9 ? value : undefined;
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null || depth > 4) return undefined;
  const inner = { depth: depth + 1, only };
  if (Array.isArray(value)) {
    const items = value.slice(0, 3).flatMap((item) => safeDetails(item, inner) ?? []);
    return items.length > 0 ? items : undefined;
  }
  const entries = Object.entries(value)
    .filter(([name]) => (only?.has(name) ?? true) && !unsaid.test(name))
    .slice(0, 20)
    .flatMap(([name, one]): [string, Json][] => {
      const safe = isHidden(name, one) ? undefined : safeDetails(one, inner);
      return safe === undefined ? [] : [[safeText(name), safe]];
    });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
};

/** Places in the API's own code, and ids that only its support team can look up. */
const unsaid = /^(?:stack|stack_?trace|trace|back_?trace|exception|request_?id|trace_?id|correlation_?id|__proto__)$/i;

const isHidden = (name: string, value: unknown): boolean => {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  if (isSecretName(name)) return true;
  if (name === 'name') return !isIdentifier(String(value));
  return isPersonalName(name) && !problemWords.test(String(value));
};

/** The problem of a field, such as `email: 'is already taken'`. */
const problemWords =
  /^(?:is|are|has|must|should|can|cannot|can't|already|not|no|invalid|missing|required|too|unknown)\b/i;

/** A `name` may be the name of a person, of a field (`email`), or of an error (`ValidationError`). */
const isIdentifier = (text: string) => /^[a-z][\w.[\]-]*$|(?:Error|Exception)$/.test(text);

/** An API's own words for a model: cleaned before they are masked, so that nothing hides, and masked before they are cut. */
const safeText = (text: string, maximumLength = 200): string => {
  const clean = textForModels(maskStackTraces(maskSecretLooks(text.slice(0, 10_000))), 10_000);
  return textForModels(maskPersonalData(maskSecretLooks(clean)), maximumLength);
};

const textIn = (value: Json): string =>
  typeof value === 'object' && value !== null ? Object.values(value).map(textIn).join(' ') : String(value);
