import { count, date, email, text } from '../../core/arguments.ts';
import type { QualifiedLead } from '../../phone-call/steps/qualified-lead.ts';
import type { LoggedCall } from '../../phone-call/steps/task-claim.ts';
import { ClientError } from '../../core/errors.ts';
import * as z from '../../core/schema.ts';
import { type CallToolsOptions, stepOptions } from './call-tools-options.ts';
import { defineTool } from '../define-tool.ts';
import { detailsOf } from '../failures.ts';
import type { Tool } from '../tool.ts';

const someText = (description: string) => z.nullish(text()).check(z.describe(description));

const leadParameters = z.lazily(() =>
  z.object({
    first_name: someText('As they say it.'),
    last_name: someText('As they say it.'),
    company: someText('Where they work.'),
    email: z.nullish(email()).check(z.describe('Their address.')),
    title: someText('Their job.'),
    employees: z.nullish(count()).check(z.describe('Of the company.')),
    use_case: someText('What they need it for.'),
    expected_close: z.nullish(date()).check(z.describe('When they decide: YYYY-MM-DD.')),
    score: z.nullish(z.number().check(z.minimum(0), z.maximum(100))).check(z.describe('Your estimate.')),
    summary: someText('What matters to them.'),
  }),
);

/** Saves what a prospect said. */
export const qualifyLeadTool = ({ phoneCall }: CallToolsOptions): Tool =>
  defineTool({
    name: 'qualify_lead',
    description: 'Save what a prospect said, and only that.',
    parameters: leadParameters(),
    effect: 'write',
    idempotent: true,
    slowMessage: 'I am saving that.',
    rules: [
      (args, { caller }) =>
        args.email || caller.email || caller.phone
          ? undefined
          : { field: 'email', problem: 'must be given: the caller is not known' },
    ],
    run: ({ summary, ...lead }, context) =>
      phoneCall(context).qualifyLead(
        {
          summary: summary ?? undefined,
          lead: withoutNull({
            FirstName: lead.first_name,
            LastName: lead.last_name,
            Company: lead.company,
            Email: lead.email,
            Title: lead.title,
            NumberOfEmployees: lead.employees,
            Use_Case__c: lead.use_case,
            Expected_Close__c: lead.expected_close,
            Lead_Score__c: lead.score,
          }),
        },
        stepOptions(context),
      ),
    compact: ({ outcome, complete, steps }) => ({
      result: qualifiedWords[outcome],
      complete: complete ? undefined : false,
      details: steps.map(refusalOf).find((details) => details !== undefined),
      note: steps.some((report) => report.status === 'skipped' && report.reason === 'kept_for_finish')
        ? 'kept, and saved when the call ends'
        : undefined,
    }),
  });

/** The CRM's own words for why its rules don't take a lead. */
const refusalOf = (report: QualifiedLead['steps'][number]) =>
  report.step === 'lead' && report.status === 'failed' && report.error instanceof ClientError
    ? detailsOf(report.error)
    : undefined;

/** The fields that were said: in the CRM, `null` empties a field. */
const withoutNull = <Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } =>
  // Only what is neither `null` nor `undefined` is left.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };

const logParameters = z.lazily(() =>
  z.object({
    outcome: text().check(z.describe('In a few words.')),
    summary: someText('What was agreed.'),
  }),
);

/** Writes the phone call's one Task. */
export const logCallTool = ({ phoneCall }: CallToolsOptions): Tool =>
  defineTool({
    name: 'log_call',
    description: 'Log how the call went. Calling it again updates the log.',
    parameters: logParameters(),
    // The same words again are worth writing once others were written in between.
    effect: 'write',
    slowMessage: 'I am making a note of that.',
    run: ({ outcome, summary }, context) =>
      phoneCall(context).logCall({ outcome, summary: summary ?? undefined }, stepOptions(context)),
    compact: ({ task }) => ({ result: loggedWords[task] }),
  });

/** Words for each kind of caller; the compiler checks that none is missing. */
export const qualifiedWords: Readonly<Record<QualifiedLead['outcome'], string>> = {
  lead_created: 'saved as a new lead',
  open_lead: 'already a lead, noted there',
  converted_lead: 'already became a customer, noted for their contact',
  contact_task: 'already a customer, noted for follow-up',
  contact_opportunity: 'already a customer, saved as a new opportunity',
  lead_refused: 'noted for follow-up, but the CRM takes no lead like this: ask for what is missing and try again',
  ambiguous: 'several people match, nothing saved: ask for the e-mail address and try again',
  account_opportunity: 'company is a customer, saved as a new opportunity',
};

/** Words for each state of the phone call's log. */
export const loggedWords: Readonly<Record<LoggedCall['task'], string>> = {
  created: 'logged',
  updated: 'log updated',
  unchanged: 'already logged',
  kept: 'kept, and logged when the call ends',
};
