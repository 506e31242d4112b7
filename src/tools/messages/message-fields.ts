import type { StandardIssue, StandardSchema } from '../../core/schema.ts';
import { isJsonObject } from '../../stores/ports/json.ts';
import { readParameters } from '../parameters.ts';
import { templateFields, type MessageTemplate } from './message-options.ts';

type Templates = readonly (readonly [string, MessageTemplate])[];

/** The arguments of the tool: a template, and its fields. */
export interface MessageArguments {
  readonly template: string;
  readonly [field: string]: unknown;
}

/** The arguments as a model sees them: the fields of all templates next to each other. */
export const messageJsonSchema = (templates: Templates): object => {
  const hasPage = templates.some(([, { isPaymentPage }]) => isPaymentPage);
  return {
    type: 'object',
    properties: {
      template: { type: 'string', enum: templates.map(([name]) => name) },
      ...templateFields(templates),
      ...Object.fromEntries(hasPage ? [['invoice_id', { type: 'string', description: 'From the look-up.' }]] : []),
    },
    required: ['template'],
  };
};

/** Checks the fields by the schema of the chosen template. Those of others are dropped. */
export const messageSchema = (templates: Templates): StandardSchema<MessageArguments> => {
  const validate = async (sent: unknown): Promise<Validated> => {
    const args = isJsonObject(sent) ? sent : {};
    const [name = '', template] = templates.find(([one]) => one === args['template']) ?? [];
    if (!template) return problem('template', `must be one of ${templates.map(([one]) => one).join(', ')}`);
    if (template.isPaymentPage) {
      const { invoice_id: id } = args;
      const isId = typeof id === 'string' && id.trim() !== '' && id.length <= 200;
      return isId
        ? { value: { template: name, invoice_id: id } }
        : problem('invoice_id', 'must be the id of an invoice, from the look-up');
    }
    const { fields: schema } = template;
    if (!schema) return { value: { template: name } };
    const own = Object.keys(readParameters(schema, undefined).parameters.properties);
    const given = Object.fromEntries(Object.entries(args).filter(([field]) => own.includes(field)));
    const issues = Object.entries(given).flatMap(([field, value]) => problemsOf(field, value));
    if (issues.length > 0) return { issues };
    const checked = await schema['~standard'].validate(given);
    return checked.issues ? { issues: checked.issues } : { value: { template: name, ...checked.value } };
  };
  return {
    '~standard': { version: 1, vendor: 'voice-agent-integrations', validate },
  } as StandardSchema<MessageArguments>;
};

type Validated = { readonly value: MessageArguments } | { readonly issues: readonly StandardIssue[] };

const problem = (field: string, message: string): { readonly issues: readonly StandardIssue[] } => ({
  issues: [{ path: [field], message }],
});

/** A model's words go into your sentence: they bring no link, no other line and no hidden sign. */
const problemsOf = (field: string, value: unknown): readonly StandardIssue[] => {
  if (typeof value === 'string') {
    if (value.length > longestField) return problem(field, `must have at most ${longestField} characters`).issues;
    if (hidden.test(value)) return problem(field, 'must be one line of plain text').issues;
    return link.test(value) ? problem(field, 'must not contain a link').issues : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => problemsOf(field, inner));
};

const longestField = 200;
const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
const link = /:\/\/|\bwww\.|[\p{L}\p{N}-]{2,}\.\p{L}{2,}(?=[/?#:,;!\s]|\.?$)/iu;
