import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown, must, oneOf, type OptionCheck, type OptionNames } from '../../core/option-checks.ts';
import type { StandardSchema } from '../../core/schema.ts';
import type { ToolContext } from '../context.ts';
import { readParameters } from '../parameters.ts';
import type { Refusal } from '../tool.ts';

/** The messages that a model may have sent to the caller, and the way in which they're sent. */
export interface SendMessageOptions {
  /** The templates, by the name that the model chooses. Each is sent once in a phone call, the page of an invoice once per invoice. */
  readonly templates: Readonly<Record<string, MessageTemplate>>;
  /**
   * Sends one, such as by text message. Only `accepted` counts: the platform has taken it. `opted_out`: the person wants
   * none, and nothing was sent. `refused(…)`: nothing was sent, and the model reads why.
   */
  readonly send: (message: CallerMessage, context: ToolContext) => MessageEnd | Promise<MessageEnd>;
  /**
   * The kind of destination. A phone call knows the number of its line, and an address once it's proved.
   * @defaultValue the number, else the address
   */
  readonly channel?: 'phone' | 'email' | undefined;
  /** The proof of who is calling that it needs. @defaultValue 'caller-id' */
  readonly requires?: 'caller-id' | 'strong' | undefined;
}

/** The end of a message. */
export type MessageEnd = 'accepted' | 'opted_out' | Refusal;

export const messageEnds = ['accepted', 'opted_out'] as const;

/** A message to the caller, in your words. */
export interface CallerMessage {
  /** The name of its template. */
  readonly template: string;
  /** The caller's number in E.164, or their address. It's certain: no one has only said it. */
  readonly to: string;
  /** The kind of `to`. */
  readonly channel: 'phone' | 'email';
  readonly text: string;
  /** The fields that the model gave, checked. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The same for this message only: for an API that knows what it has sent. */
  readonly reference: string;
}

/** A message that a model may have sent: made by `messageTemplate` or `paymentPage`. */
export interface MessageTemplate {
  /** Shows the model what it's for. */
  readonly description?: string | undefined;
  /** An object's schema. A model fills in these fields alone, and no link. */
  readonly fields?: StandardSchema<object> | undefined;
  /** Your words, with what the model gave. */
  readonly text: (fields: never) => string;
  /** The page of an open invoice of the caller's. */
  readonly isPaymentPage?: true | undefined;
}

/** The parts of a {@link MessageTemplate}. */
export interface MessageTemplateOptions<Fields extends object> {
  /** Shows the model what it's for. */
  readonly description?: string | undefined;
  /** A zod schema of an object. Texts are one line of at most 200 characters, without a link. @defaultValue no fields */
  readonly fields?: StandardSchema<Fields> | undefined;
  /** Your words, at most 1,600 characters. Links are yours alone. */
  readonly text: (fields: Fields) => string;
}

/**
 * Makes a template of a message.
 *
 * @example
 * messageTemplate({ fields: z.object({ day: z.iso.date() }), text: ({ day }) => `See you on ${day}.` })
 */
export const messageTemplate = <Fields extends object = {}>(options: MessageTemplateOptions<Fields>): MessageTemplate =>
  // It gets what its own schema makes.
  ({ ...options }) as MessageTemplate;

/** The page on which the caller can pay an invoice of theirs. */
export interface PaymentPage {
  /** The platform's own page; https. */
  readonly url: string;
  readonly invoiceId: string;
}

/**
 * Makes the template that sends the page of an open invoice of the caller's own. The model chooses the invoice, and neither
 * sees nor makes the link.
 *
 * @example
 * templates: { payment_page: paymentPage(({ url }) => `You can pay here: ${url}`) }
 */
export const paymentPage = (text: (page: PaymentPage) => string): MessageTemplate =>
  ({
    description: 'the page to pay an open invoice. Offer it instead of taking a card number',
    text,
    isPaymentPage: true,
  }) as MessageTemplate;

/** The checks of `sendMessage`. */
export const messageChecks = (options: SendMessageOptions | undefined, hasBilling: boolean): readonly OptionCheck[] => {
  if (options === undefined) return [];
  const { templates, send, channel, requires }: Partial<SendMessageOptions> = Object(options);
  const all = Object.entries(Object(templates)) as readonly (readonly [string, MessageTemplate])[];
  return [
    () => assertKnown(options, names, 'sendMessage'),
    must(typeof send === 'function', 'sendMessage.send', 'must be a function that sends a message'),
    must(
      typeof templates === 'object' && all.length > 0 && all.length <= mostTemplates,
      'sendMessage.templates',
      `must have 1 to ${mostTemplates} templates, by their names`,
    ),
    oneOf(channel, 'sendMessage.channel', ['phone', 'email']),
    oneOf(requires, 'sendMessage.requires', ['caller-id', 'strong']),
    ...all.map(
      ([name, template]) =>
        () =>
          assertTemplate(name, template, hasBilling),
    ),
    () => templateFields(all),
  ];
};

const names: OptionNames<SendMessageOptions> = { templates: true, send: true, channel: true, requires: true };
const templateNames: OptionNames<MessageTemplate> = {
  description: true,
  fields: true,
  text: true,
  isPaymentPage: true,
};

const mostTemplates = 20;

const assertTemplate = (name: string, template: MessageTemplate, hasBilling: boolean): void => {
  const at = `sendMessage.templates.${name}`;
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name))
    throw new InvalidArgumentError(at, 'must have a name of a-z, 0-9 and _, with a letter first');
  assertKnown(template, templateNames, at);
  if (typeof template.text !== 'function')
    throw new InvalidArgumentError(`${at}.text`, 'must be a function: your words');
  if (template.isPaymentPage && !hasBilling)
    throw new InvalidArgumentError(at, 'needs createIntegration billing, whose page it is');
};

/** The fields of all templates by their names. Throws `InvalidArgumentError` for two that differ: a model sees one of each. */
export const templateFields = (
  templates: readonly (readonly [string, MessageTemplate])[],
): Readonly<Record<string, object>> => {
  const fields: Record<string, object> = {};
  for (const [name, { fields: schema }] of templates) {
    if (!schema) continue;
    const { properties } = readParameters(schema, undefined).parameters;
    for (const [field, own] of Object.entries(properties)) {
      const at = `sendMessage.templates.${name}.fields.${field}`;
      if (field === 'template' || field === 'invoice_id')
        throw new InvalidArgumentError(at, 'must have another name, which is taken');
      const other = fields[field];
      if (other && JSON.stringify(other) !== JSON.stringify(own))
        throw new InvalidArgumentError(at, 'must be the same in all templates, or have another name');
      fields[field] = own;
    }
  }
  return fields;
};
