import { IntegrationError, InvalidArgumentError, StoreError } from '../core/errors.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import { maskPersonalData } from '../observability/redaction/personal-data.ts';
import { maskSecretLooks } from '../observability/redaction/secrets.ts';
import { thrownAt } from '../observability/thrown-at.ts';
import { warn } from '../observability/warn.ts';

/** The place in a phone call where something failed. */
export interface ErrorSite {
  /** The tool's name; `undefined` where no tool failed. */
  readonly tool: string | undefined;
  /** The phone call. */
  readonly callId: string | undefined;
  /** The id that the provider gave the tool call. */
  readonly toolCallId: string | undefined;
  /** The workspace, org or account. */
  readonly tenant: string | undefined;
}

/** The part that failed, and where. */
export interface ErrorPlace extends ErrorSite {
  /**
   * `tool`: a tool call. `phone-call`: the phone call itself, such as its number. `finish`: writing the call down.
   * `store`: a store or queue.
   */
  readonly part: 'tool' | 'phone-call' | 'finish' | 'store';
}

/** Gets the real error, and where it happened. What it throws is ignored. */
export type OnError = (error: unknown, place: ErrorPlace) => unknown;

/** Reports one error. An error of a store has the part `store`, whatever `part` says. */
export type Report = (error: unknown, place: Partial<ErrorPlace>) => void;

/** Under this, an integration has what its phone calls report to. */
export const ownReport: unique symbol = Symbol.for('voice-agent-integrations.report');

/** Reports to the listener, or else as the integration does, or else as warnings of the process. */
export const reportOf = (clients: object, onError: OnError | undefined): Report => {
  const { [ownReport]: own }: { readonly [ownReport]?: Report } = clients;
  return onError === undefined && own ? own : createReport(onError);
};

/**
 * Gives errors to the listener. Without one, each cause is one warning of the process.
 * Throws `InvalidArgumentError` for a listener that is no function.
 */
export const createReport = (onError: OnError | undefined): Report => {
  if (onError !== undefined && typeof onError !== 'function')
    throw new InvalidArgumentError('onError', 'must be a function of an error and its place');
  const listener = onError ?? createWarner();
  return (error, { part = 'tool', tool, callId, toolCallId, tenant }) => {
    const place = { part: error instanceof StoreError ? ('store' as const) : part, tool, callId, toolCallId, tenant };
    ignoreErrors(() => listener(error, place));
  };
};

const createWarner = (): OnError => {
  const warned = new Set<string>();
  return (error, place) => {
    const cause = causeOf(error, place);
    if (warned.has(cause) || warned.size >= mostWarnings) return;
    warned.add(cause);
    warn(sentenceOf(error, place), { type: 'VoiceAgentWarning', code: `${place.part.replace('-', '_')}_failed` });
  };
};

/** Beyond this, the first ones have long said what is the matter. */
const mostWarnings = 100;

/** The same for the same problem in every phone call. */
const causeOf = (error: unknown, { part, tool }: ErrorPlace): string =>
  JSON.stringify([part, tool, ...traitsOf(error)]);

const traitsOf = (error: unknown): readonly unknown[] => {
  if (!(error instanceof IntegrationError)) return [thrownAt(error)];
  const { code, operation, reason, status, field }: IntegrationError & Traits = error;
  return [code, operation, reason, status, field, ...(error.cause === undefined ? [] : traitsOf(error.cause))];
};

interface Traits {
  readonly reason?: string;
  readonly status?: number;
  readonly field?: string;
}

/**
 * Such as `create_payment failed in call CA1: STRIPE_KEY must be set in the environment`. Without a tool, what this
 * package says is a sentence of its own.
 */
const sentenceOf = (error: unknown, { part, tool, callId }: ErrorPlace): string => {
  const what = tool ?? (part === 'finish' || !(error instanceof IntegrationError) ? part : undefined);
  const start = what === undefined ? '' : `${what} failed${callId === undefined ? '' : ` in call ${callId}`}: `;
  const text = `${start}${reasonOf(error)}`.replace(/\p{Cc}+/gu, ' ');
  return maskPersonalData(maskSecretLooks(text)).slice(0, longestSentence);
};

const longestSentence = 600;

/** Returns a message without data: that of this package's own errors, and the name and place of others. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof IntegrationError)) return `it threw ${thrownAt(error)}`;
  const { message, cause } = error;
  if (!(cause instanceof Error)) return message;
  const inner = cause instanceof IntegrationError ? reasonOf(cause) : cause.message;
  return message.endsWith(inner) ? inner : `${message} (${inner})`;
};
