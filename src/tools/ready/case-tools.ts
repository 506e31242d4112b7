import { text } from '../../core/arguments.ts';
import { IntegrationError } from '../../core/errors.ts';
import * as z from '../../core/schema.ts';
import type { Case, CrmClient, CrmContact } from '../../crm/index.ts';
import { readingOf, type RequestOptions } from '../../http/operation.ts';
import { maskCardNumbers } from '../../observability/redaction/card-numbers.ts';
import { isOtherPerson, isSameEmail } from '../../phone/same-person.ts';
import type { ToolCaller, ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { severalMatch } from '../failures.ts';
import { type Refusal, refused, type Tool, type ToolRule } from '../tool.ts';
import { type CallToolsOptions, stepOptions } from './call-tools-options.ts';
import { type LookUp, ownDetails, verifiedCaller } from './right-person.ts';

/** A case or a ticket of the caller, in words that may be said. */
export interface OwnCase {
  /** Never said: the number is. */
  readonly id: string;
  readonly number: string | undefined;
  readonly subject: string | undefined;
  /** The stage's label. */
  readonly status: string | undefined;
  readonly isClosed: boolean;
}

/** The place where the caller's cases are: the CRM, or the help desk. */
export interface CaseSource {
  /** Decides who may read or write them. */
  readonly rule: (effect: 'read' | 'write') => ToolRule<object>;
  /** Finds the newest of the caller's own, of this number if one is given, and the count of those that were left out. */
  readonly find: (
    number: string | null | undefined,
    context: ToolContext,
  ) => Promise<{ readonly cases: readonly OwnCase[]; readonly more?: number | undefined } | Refusal>;
  /** Adds what the customer never sees. */
  readonly addNote: (id: string, body: string, request: RequestOptions) => Promise<unknown>;
}

/** The most cases that a caller can keep in mind. */
export const mostCases = 5;

const numberParameters = z.lazily(() =>
  z.object({ case_number: z.nullish(text().check(z.maxLength(40))).check(z.describe('Leave out for all.')) }),
);

interface StatusWords {
  readonly name: string;
  readonly description: string;
  readonly slowMessage: string;
}

/** Reads the caller's own cases or tickets, and no one else's. */
export const statusTool = ({ find, rule }: CaseSource, words: StatusWords): Tool =>
  defineTool({
    ...words,
    parameters: numberParameters(),
    effect: 'read',
    rules: [rule('read')],
    run: ({ case_number }, context) => find(case_number, context),
    compact: ({ cases, more }, { case_number }) => ({
      cases: cases.map(({ number, subject, status, isClosed }) => ({
        number,
        subject,
        status,
        closed: isClosed || undefined,
      })),
      more: more || undefined,
      message: cases.length > 0 ? undefined : noCase(case_number),
    }),
  });

const noCase = (number: string | null | undefined): string =>
  number ? 'The caller has no case with this number: check it with them.' : 'The caller has no cases.';

const additionParameters = z.lazily(() =>
  z.object({
    text: text().check(z.maxLength(1000)),
    case_number: z.nullish(text().check(z.maxLength(40))).check(z.describe('Leave out if they have one.')),
  }),
);

/** Adds an internal note to one of the caller's own cases or tickets that is open. */
export const addToCaseTool = ({ find, addNote, rule }: CaseSource): Tool =>
  defineTool({
    name: 'add_to_case',
    description: "Add news to the caller's open case, for colleagues. The customer doesn't see it.",
    parameters: additionParameters(),
    effect: 'write',
    idempotent: true,
    slowMessage: 'I am adding that to your case.',
    rules: [rule('write')],
    run: async ({ text, case_number }, context) => {
      const found = await find(case_number, context);
      if ('refusal' in found) return found;
      const open = found.cases.filter(({ isClosed }) => !isClosed);
      const [only, ...others] = open;
      if (!only) return refused(found.cases.length > 0 ? caseClosed : caseNotFound(case_number));
      if (others.length > 0)
        return refused({
          ...whichCase,
          cases: open.map(({ number, subject }) => ({ number: number ?? null, subject: subject ?? null })),
        });
      await addNote(only.id, maskCardNumbers(text), context.request);
      return only;
    },
    compact: ({ number }) => ({ added: true, case_number: number }),
  });

const caseClosed = {
  error: 'case_closed',
  message: 'Nothing was added: the case is closed. Offer to open a new one.',
};
const whichCase = { error: 'several_cases', message: 'Nothing was added: ask which case is meant.' };
const caseNotFound = (number: string | null | undefined) => ({
  error: 'case_not_found',
  message: `Nothing was added. ${noCase(number)}`,
});

/** People leave out the zeros that a number begins with, and say `#`. */
export const isNumber = (one: string | undefined, said: string | null | undefined): boolean =>
  !said || plain(one) === plain(said);

const plain = (number: string | undefined): string | undefined =>
  number?.replace(/[^\p{L}\p{N}]/gu, '').replace(/^0+/, '');

type CrmOfCases = Pick<CrmClient, 'cases' | 'contacts'>;

/** The cases of the caller's contact in the CRM. */
export const casesInCrm = (crm: CrmOfCases, { lookup = 'caller' }: Pick<CallToolsOptions, 'lookup'>): CaseSource => ({
  rule: (effect) => ownDetails(lookup, effect),
  addNote: (id, body, request) => crm.cases.addNote(id, { body }, request),
  find: async (number, { caller, request }) => {
    const call = readingOf(request);
    const own = await ownContact(crm, caller, { lookup, call, effect: 'read' });
    if ('refusal' in own) return own;
    const { contact } = own;
    if (!contact) return { cases: [] };
    const { data } = await crm.cases.search({ contactId: contact.Id, limit: 200 }, call);
    // A search may ignore its condition.
    const found = data.filter((one) => isNumber(textIn(one.CaseNumber), number) && belongsTo(one, contact) !== false);
    const read = await Promise.all(
      found.slice(0, mostCases).map(async (one) => {
        if (belongsTo(one, contact)) return [one];
        // A search of HubSpot doesn't show whose a ticket is.
        const whole = await crm.cases.get(one.Id, call);
        return whole && belongsTo(whole, contact) ? [{ ...whole, ...one }] : [];
      }),
    );
    return { cases: read.flat().map(toOwnCase), more: found.length - Math.min(found.length, mostCases) };
  },
});

const toOwnCase = ({ Id, CaseNumber, Subject, Status, IsClosed }: Case): OwnCase => ({
  id: Id,
  number: textIn(CaseNumber),
  subject: textIn(Subject),
  status: textIn(Status),
  isClosed: IsClosed === true,
});

const textIn = (value: string | null | undefined): string | undefined => value || undefined;

/** `undefined`: the record doesn't show whose it is. */
const belongsTo = ({ ContactId, ContactIds }: Case, { Id }: CrmContact): boolean | undefined => {
  if (Array.isArray(ContactIds) && ContactIds.includes(Id)) return true;
  return ContactId ? ContactId === Id : undefined;
};

const newCaseParameters = z.lazily(() =>
  z.object({ subject: text().check(z.maxLength(200)), description: text().check(z.maxLength(1000)) }),
);

/** Opens a case for the caller in the CRM: the same words open one in a phone call. */
export const openCaseTool = (
  crm: CrmOfCases,
  { phoneCall, lookup = 'caller' }: Pick<CallToolsOptions, 'phoneCall' | 'lookup'>,
): Tool =>
  defineTool({
    name: 'open_case',
    description: "Open a case for what can't be solved now. Colleagues work on it.",
    parameters: newCaseParameters(),
    effect: 'write',
    idempotent: true,
    slowMessage: 'I am opening a case.',
    rules: [ownDetails(lookup, 'write')],
    run: async ({ subject, description }, context) => {
      const call = readingOf(context.request);
      const own = await ownContact(crm, context.caller, { lookup, call, effect: 'write' });
      if ('refusal' in own) return own;
      const contactId = own.contact?.Id;
      const input = { subject, summary: description, contactId, reference: context.idempotencyKey?.slice(0, 16) };
      const startedAt = Date.now();
      try {
        const { id } = await phoneCall(context).openCase(input, stepOptions(context));
        const made = await crm.cases.get(id, { ...call, fields: ['CaseNumber'] }).catch(() => undefined);
        return { number: textIn(made?.CaseNumber) };
      } catch (error) {
        if (!(error instanceof IntegrationError) || error.outcome !== 'unknown' || !contactId) throw error;
        const made = await findOpened(crm, { contactId, subject, startedAt }, call).catch(() => undefined);
        if (!made) throw error;
        return { number: textIn(made.CaseNumber) };
      }
    },
    compact: ({ number }) => ({ opened: true, case_number: number }),
  });

/** The case that may have been opened although its answer was lost. */
const findOpened = async (
  { cases }: CrmOfCases,
  {
    contactId,
    subject,
    startedAt,
  }: { readonly contactId: string; readonly subject: string; readonly startedAt: number },
  call: RequestOptions,
): Promise<Case | undefined> => {
  const { data } = await cases.search({ contactId, limit: 20, fields: ['CreatedDate'] }, call);
  const written = maskCardNumbers(subject);
  return data.find(
    ({ Subject, ContactId, CreatedDate }) =>
      Subject === written &&
      ContactId === contactId &&
      // The CRM's clock may differ.
      Date.parse(CreatedDate ?? '') >= startedAt - 60_000,
  );
};

/** The caller's contact in the CRM. Refuses if several have what is certain of the caller. */
const ownContact = async (
  crm: Pick<CrmClient, 'contacts'>,
  caller: ToolCaller,
  { effect, ...options }: OwnContactOptions,
): Promise<{ readonly contact: CrmContact | undefined } | Refusal> => {
  const contacts = await ownContacts(crm, caller, options);
  return contacts.length > 1
    ? refused(severalMatch('several_contacts_match', contacts.length, effect).value)
    : { contact: contacts[0] };
};

interface OwnContactOptions {
  readonly lookup: LookUp;
  readonly call: RequestOptions;
  readonly effect: 'read' | 'write';
}

/**
 * The contacts with the caller's number, or else with their address. An address that the caller only says decides between
 * several with the number, and finds no one by itself.
 */
const ownContacts = async (
  { contacts }: Pick<CrmClient, 'contacts'>,
  caller: ToolCaller,
  { lookup, call }: Omit<OwnContactOptions, 'effect'>,
): Promise<readonly CrmContact[]> => {
  const { phone, email } = verifiedCaller(caller, lookup);
  const found = phone ? (await contacts.search({ phone, limit: 20, fields: ['MobilePhone'] }, call)).data : [];
  const withPhone = found.filter((contact) => !isOtherPerson(contact, { phone }));
  if (withPhone.length > 1) {
    const same = withPhone.filter(({ Email }) => Email && isSameEmail(Email, caller.email ?? ''));
    return same.length === 1 ? same : withPhone;
  }
  if (withPhone.length > 0 || !email) return withPhone;
  return (await contacts.search({ email, limit: 20 }, call)).data.filter(
    (contact) => !isOtherPerson(contact, { email }),
  );
};
