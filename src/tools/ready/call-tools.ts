import type { CallerContext } from '../../phone-call/steps/caller-context.ts';
import type { IdentifiedCaller } from '../../phone-call/steps/identify-caller.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { assertTimeZone } from '../../core/local-clock.ts';
import { callAttributes } from '../../messaging/attributes.ts';
import { type PlatformSetting, problemOfSetting } from '../../messaging/setting-problem.ts';
import {
  assertKnown,
  checkOptions,
  eachOneOf,
  flag,
  must,
  oneOf,
  type OptionCheck,
  type OptionNames,
} from '../../core/option-checks.ts';
import * as z from '../../core/schema.ts';
import { callToolNames, type CallToolsOptions, stepOptions } from './call-tools-options.ts';
import type { Calendar } from './calendar.ts';
import { calendarTools } from './calendar-tools.ts';
import { crmCalendar } from './crm-calendar.ts';
import { logCallTool, qualifyLeadTool } from './crm-tools.ts';
import { addToCaseTool, casesInCrm, openCaseTool, statusTool } from './case-tools.ts';
import { ticketsAtHelpDesk } from './ticket-tools.ts';
import { pick } from '../compact.ts';
import { isVerified } from '../context.ts';
import { conversationTools, helpCenterTool, recentConversationsTool, ticketTool } from './conversation-tools.ts';
import { defineTool } from '../define-tool.ts';
import { askForAddress, notAllowed } from '../failures.ts';
import { lookUps, isDisclosable, otherPersonProblem, personParameters } from './right-person.ts';
import { transferTool } from './transfer-tool.ts';
import { confirms, type Refusal, refused, type Tool } from '../tool.ts';

/**
 * The tools of a phone call: who is calling, what is known of them, notes, replies, teams, leads, appointments and the log.
 * A conversation must belong to the phone call; the model never sees an id that no later tool needs.
 *
 * @example
 * const tools = callTools({ phoneCall: () => phoneCall, messaging: integration.messaging, teams: { Billing: 'team_3' } });
 */
export const callTools = (options: CallToolsOptions): readonly Tool[] => {
  checkOptions(undefined, [...callToolChecks(options), ...platformChecks(options, options.messaging)]);
  const calendar = calendarOf(options);
  const isWanted = (name: string) => options.only?.some((wanted) => wanted === name) ?? true;
  const tools = [
    ...(isWanted('identify_caller') ? [identifyCallerTool(options)] : []),
    ...(isWanted('get_caller_context') ? [callerContextTool(options)] : []),
    ...conversationTools(options),
    ...(isWanted('qualify_lead') ? [qualifyLeadTool(options)] : []),
    ...(isWanted('log_call') ? [logCallTool(options)] : []),
    ...helpDeskTools(options),
    ...(calendar ? calendarTools(calendar, options) : []),
    ...caseTools(options),
  ];
  return tools.filter(({ name }) => isWanted(name));
};

/** The checks of what an application sets for the tools of a phone call. */
export const callToolChecks = (options: Partial<CallToolsOptions>): readonly OptionCheck[] => [
  () => assertKnown(options, optionNames),
  () => assertTimeZone(options.timeZone),
  oneOf(options.lookup, 'lookup', lookUps),
  flag(options.caseStatus, 'caseStatus'),
  oneOf(options.confirmChanges, 'confirmChanges', confirms),
  flag(options.ticketStatus, 'ticketStatus'),
  flag(options.openCase, 'openCase'),
  oneOf(options.addToCase, 'addToCase', ['crm', 'messaging']),
  eachOneOf<string>(options.only, 'only', callToolNames),
];

/** The checks of what the messaging platform must be able to fulfil. */
export const platformChecks = (
  { teams = {}, ticketTypeId, transfer }: Partial<CallToolsOptions>,
  messaging: object | undefined,
): readonly OptionCheck[] => {
  const fulfils =
    (setting: PlatformSetting, value: string | undefined, field: string = setting) =>
    () => {
      const problem = messaging && value !== undefined ? problemOfSetting(messaging, setting, value) : undefined;
      if (problem !== undefined) throw new InvalidArgumentError(field, problem);
    };
  const { officeHoursId } = transfer ?? {};
  return [
    must(
      officeHoursId === undefined || messaging !== undefined,
      'transfer.officeHoursId',
      'needs a messaging platform, whose schedule it is',
    ),
    fulfils('officeHoursId', officeHoursId, 'transfer.officeHoursId'),
    fulfils('ticketTypeId', ticketTypeId),
    ...Object.entries(teams).map(([name, id]) => fulfils('teams', id, `teams.${name}`)),
  ];
};

const optionNames: OptionNames<CallToolsOptions> = {
  phoneCall: true,
  messaging: true,
  teams: true,
  ticketTypeId: true,
  transfer: true,
  calendar: true,
  confirmChanges: true,
  crm: true,
  caseStatus: true,
  ticketStatus: true,
  openCase: true,
  addToCase: true,
  only: true,
  lookup: true,
  attributes: true,
  timeZone: true,
};

/** The tools over the messaging platform, and over the phone call itself. */
const helpDeskTools = (options: CallToolsOptions): readonly Tool[] => {
  const { messaging, ticketTypeId, transfer } = options;
  return [
    ...(messaging ? [helpCenterTool(messaging), recentConversationsTool(messaging, options)] : []),
    ...(messaging && ticketTypeId !== undefined ? [ticketTool(messaging, { ...options, ticketTypeId })] : []),
    ...(transfer ? [transferTool(transfer, options)] : []),
  ];
};

/** Reading, opening and adding to the caller's cases in the CRM and tickets at the help desk. */
const caseTools = (options: CallToolsOptions): readonly Tool[] => {
  const { crm, messaging, caseStatus, ticketStatus, openCase, addToCase } = options;
  const inCrm = crm && casesInCrm(crm, options);
  const atHelpDesk = messaging && ticketsAtHelpDesk(messaging, options);
  const added = addToCase === 'crm' ? inCrm : addToCase === 'messaging' ? atHelpDesk : undefined;
  return [
    ...(inCrm && caseStatus ? [statusTool(inCrm, ofCases)] : []),
    ...(atHelpDesk && ticketStatus ? [statusTool(atHelpDesk, ofTickets)] : []),
    ...(crm && openCase ? [openCaseTool(crm, options)] : []),
    ...(added ? [addToCaseTool(added)] : []),
  ];
};

const ofCases = {
  name: 'get_case_status',
  description: "The caller's support cases.",
  slowMessage: 'I am looking up your case.',
};
const ofTickets = {
  name: 'get_ticket_status',
  description: "The caller's tickets at the help desk.",
  slowMessage: 'I am looking up your ticket.',
};

const calendarOf = ({ calendar, crm }: CallToolsOptions): Calendar | undefined => {
  if (calendar === undefined || 'freeSlots' in calendar) return calendar;
  if (crm) return crmCalendar(crm, calendar);
  throw new InvalidArgumentError('calendar', 'must be a calendar with `freeSlots`, `find` and `book`: there is no CRM');
};

const identifyCallerTool = ({ phoneCall, lookup = 'caller' }: CallToolsOptions): Tool =>
  defineTool({
    name: 'identify_caller',
    description: "Find the caller's contact, or create it. If several match, ask for another detail.",
    parameters: personParameters(),
    effect: 'write',
    idempotent: true,
    slowMessage: 'One moment, please.',
    rules: [
      // An e-mail that the caller says may decide between several, and replace a withheld number.
      ({ phone }, { caller }) => otherPersonProblem({ phone }, caller, lookup),
      (args, { caller }) =>
        args.phone || args.email || caller.phone || caller.email
          ? undefined
          : { field: 'email', problem: 'must be given: the caller is not known, ask for it' },
    ],
    run: async (args, context) => {
      const identified = await phoneCall(context).identifyCaller(
        { phone: args.phone || undefined, email: args.email || undefined },
        stepOptions(context),
      );
      return { identified, mayDisclose: isDisclosable(identified, context.caller, lookup) };
    },
    compact: compactIdentity,
  });

/** The model gets the name only if exactly one contact matches, and not because of what the caller said. */
const compactIdentity = ({ identified, mayDisclose }: { identified: IdentifiedCaller; mayDisclose: boolean }) => {
  const { contact, created, ambiguous, count: matches } = identified;
  if (ambiguous) return { status: 'several match', matches, message: askForAddress };
  if (!mayDisclose) return { status: 'found by what the caller said', profile: 'private until the caller is verified' };
  return { status: created ? 'new contact' : 'known contact', ...pick(contact, ['name']) };
};

const noParameters = z.lazily(() => z.object({}));

const callerContextTool = ({
  phoneCall,
  lookup = 'caller',
  attributes = Object.keys(callAttributes),
}: CallToolsOptions): Tool =>
  defineTool({
    name: 'get_caller_context',
    description: "The identified caller's company, tier, revenue, account manager, health and last call.",
    parameters: noParameters(),
    effect: 'read',
    slowMessage: 'One moment, please.',
    rules: [
      (_args, { caller }) =>
        lookup === 'anyone' || isVerified(caller, 'caller-id')
          ? undefined
          : refused(notAllowed('verification_required', 'read').value),
    ],
    run: async (_args, context): Promise<CallerContext | Refusal> => {
      try {
        return await phoneCall(context).callerContext(undefined, stepOptions(context));
      } catch (error) {
        if (!(error instanceof InvalidArgumentError) || error.field !== 'contactId') throw error;
        return refused(notAllowed('identify_caller_first', 'read').value);
      }
    },
    // What is `undefined` or empty is left out.
    compact: ({ contact, company, tier, recurringRevenue, accountManager, healthSignals }) => ({
      ...pick(contact, ['name']),
      company: company?.name || undefined,
      tier: tier || undefined,
      recurring_revenue: recurringRevenue,
      account_manager: accountManager && 'name' in accountManager ? accountManager.name : undefined,
      health: healthSignals && scalars(healthSignals),
      ...scalars(pick(contact.custom_attributes, attributes)),
    }),
  });

/** Leaves nested attributes out: they aren't meant to be read out. */
const scalars = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .slice(0, 5),
  );
