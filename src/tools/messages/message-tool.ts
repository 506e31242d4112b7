import { randomUUID } from 'node:crypto';
import type { BillingClient } from '../../billing/index.ts';
import { isEmail } from '../../core/arguments.ts';
import { IntegrationError, InvalidArgumentError } from '../../core/errors.ts';
import { wrongWord } from '../../core/option-checks.ts';
import { readingOf, type RequestOptions } from '../../http/operation.ts';
import { maskCardNumbers } from '../../observability/redaction/card-numbers.ts';
import { isRefusal } from '../arguments.ts';
import type { SharedCallMemory } from '../call-memory.ts';
import { isVerified, type ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { messageUnknown, notAllowed, notWritten } from '../failures.ts';
import type { LookUp } from '../ready/right-person.ts';
import { type Refusal, refused, type Tool, type WorkOutcome } from '../tool.ts';
import { messageJsonSchema, messageSchema } from './message-fields.ts';
import {
  type CallerMessage,
  type MessageEnd,
  messageEnds,
  type MessageTemplate,
  type SendMessageOptions,
} from './message-options.ts';
import { findPaymentPage } from './payment-page.ts';

/** The messages of one phone call, in all processes that share the store. */
export interface SentMessages {
  /** The messages, by template and line. One whose end isn't known stays so: platforms of messages know no keys. */
  readonly ends: Record<string, 'unknown' | 'accepted'>;
  /** The destinations that want no messages. */
  readonly optedOut: string[];
}

export const startMessages = (kept?: unknown): SentMessages =>
  // Only this module's state is kept under its name.
  (kept as SentMessages | undefined) ?? { ends: {}, optedOut: [] };

/** The parts of a phone call that its messages need. */
export interface MessageParts {
  readonly billing: BillingClient | undefined;
  readonly lookup: LookUp;
  readonly memory: SharedCallMemory<SentMessages>;
  /** The number of the line; `null` if there's none. */
  readonly line: () => string | null;
  /** Returns whether a record of the CRM or of messaging says that this address wants no e-mails. */
  readonly hasOptedOut: (email: string, request: RequestOptions) => Promise<boolean>;
}

/** Sends the caller one of the application's messages, once. */
export const messageTool = (options: SendMessageOptions, parts: MessageParts): Tool => {
  const { templates, requires = 'caller-id' } = options;
  const all = Object.entries(templates);
  return defineTool({
    name: 'send_message',
    description: `Send the caller one message: ${all.map(sentenceOf).join('; ')}. It is accepted, not delivered: never say that it arrived.`,
    parameters: messageSchema(all),
    jsonSchema: messageJsonSchema(all),
    effect: 'write',
    slowMessage: 'I am sending that now.',
    rules: [
      (_args, { caller }) =>
        isVerified(caller, requires) ? undefined : refused(notAllowed('verification_required', 'write').value),
    ],
    run: async ({ template: name, ...fields }, context) => {
      const template = templates[name];
      return template ? sendOnce({ name, template, fields }, { options, parts, context }) : refused({});
    },
    outcome: ({ error }): WorkOutcome => {
      if (error !== undefined) throw error;
      return 'done';
    },
    compact: ({ value }) => value,
  });
};

interface Sent {
  readonly value: object;
  readonly error?: unknown;
}

interface Wanted {
  readonly name: string;
  readonly template: MessageTemplate;
  readonly fields: Readonly<Record<string, unknown>>;
}

const sendOnce = async (
  { name, template, fields }: Wanted,
  {
    options,
    parts,
    context,
  }: { readonly options: SendMessageOptions; readonly parts: MessageParts; readonly context: ToolContext },
): Promise<Sent | Refusal> => {
  const { memory, line } = parts;
  const destination = destinationOf(options, context);
  if (!destination) return refused(notWritten('no_certain_destination'));
  const { to, channel } = destination;
  const { invoice_id: invoiceId, ...own } = fields;
  const key = JSON.stringify([name, template.isPaymentPage ? invoiceId : null, line()]);
  const call = { tenant: context.tenant, callId: context.callId };
  const known = await memory.read(call, (state) => before(state, key, to));
  if (known) return known;
  const request = readingOf(context.request);
  if (channel === 'email' && (await parts.hasOptedOut(to, request))) return refused(notWritten('opted_out'));
  const page =
    template.isPaymentPage && parts.billing
      ? await findPaymentPage(parts.billing, { invoiceId: String(invoiceId), lookup: parts.lookup }, context)
      : own;
  if (isRefusal(page)) return page;
  const text = wordsOf(name, template, page);

  const reference = `${context.callId}:message:${randomUUID()}`;
  const taken = await memory.change(call, (state) => {
    const earlier = before(state, key, to);
    if (!earlier) state.ends[key] = 'unknown';
    return earlier;
  });
  if (taken) return taken;
  const notSent = (isOptOut = false) =>
    memory.change(call, (state) => {
      delete state.ends[key];
      if (isOptOut) state.optedOut.push(to);
    });
  const message: CallerMessage = { template: name, to, channel, text, fields: own, reference };
  let end: MessageEnd;
  try {
    end = await options.send(message, {
      ...context,
      idempotencyKey: reference,
      request: { ...context.request, idempotencyKey: reference },
    });
  } catch (error) {
    if (!(error instanceof IntegrationError) || error.outcome === 'unknown') return { value: messageUnknown(), error };
    await notSent();
    throw error;
  }
  if (isRefusal(end)) {
    await notSent();
    return end;
  }
  if (!messageEnds.includes(end))
    return { value: messageUnknown(), error: wrongWord(end, 'sendMessage.send()', messageEnds, 'refused(…)') };
  if (end === 'opted_out') {
    await notSent(true);
    return refused(notWritten('opted_out'));
  }
  await memory.change(call, (state) => void (state.ends[key] = 'accepted'));
  const sentTo =
    channel === 'email' ? 'the proved e-mail address' : to === line() ? 'this number' : 'the proved number';
  return { value: { accepted: true, sent_to: sentTo, message: 'It is on its way. Never say that it has arrived.' } };
};

/** The answer to a message that was sent before, or may have been. */
const before = ({ ends, optedOut }: SentMessages, key: string, to: string): Sent | Refusal | undefined => {
  if (optedOut.includes(to)) return refused(notWritten('opted_out'));
  const end = ends[key];
  if (end === undefined) return undefined;
  return refused(notWritten(end === 'accepted' ? 'already_sent' : 'sent_perhaps'));
};

/** The caller's number or address, if it's certain. What they only said isn't. */
const destinationOf = (
  { channel, requires = 'caller-id' }: SendMessageOptions,
  { caller }: ToolContext,
): { readonly to: string; readonly channel: 'phone' | 'email' } | undefined => {
  const { claimed = [], phone, email } = caller;
  if (!isVerified(caller, requires)) return undefined;
  if (channel !== 'email' && phone && !claimed.includes('phone')) return { to: phone, channel: 'phone' };
  if (channel !== 'phone' && email && !claimed.includes('email') && isEmail(email))
    return { to: email, channel: 'email' };
  return undefined;
};

/** The application's words. Without them nothing is sent. */
const wordsOf = (name: string, { text }: MessageTemplate, fields: object): string => {
  // Its own schema has checked them.
  const words: unknown = text(fields as never);
  if (typeof words === 'string' && words.trim() !== '' && words.length <= longestText) return maskCardNumbers(words);
  throw new InvalidArgumentError(
    `sendMessage.templates.${name}.text()`,
    `must return words, at most ${longestText} characters`,
  );
};

/** The most that carriers take as one message. */
const longestText = 1_600;

const sentenceOf = ([name, { description }]: readonly [string, MessageTemplate]): string =>
  description === undefined ? name : `${name}, ${description}`;
