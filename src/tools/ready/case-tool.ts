import { text } from '../../core/arguments.ts';
import type { CrmClient, CrmContact } from '../../crm/index.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { isOtherPerson, isSameEmail } from '../../phone/same-person.ts';
import * as z from '../../core/schema.ts';
import type { CallToolsOptions } from './call-tools-options.ts';
import type { ToolCaller } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { severalMatch } from '../failures.ts';
import { ownDetails } from './own-records.ts';
import { type LookUp, verifiedCaller } from './right-person.ts';
import { refused, type Tool } from '../tool.ts';

const caseParameters = z.object({
  case_number: z.nullish(text().check(z.maxLength(40))).check(z.describe('Leave out for all.')),
});

/** Reads the cases of the caller's contact in the CRM, and of no other. */
export const caseTool = (
  crm: Pick<CrmClient, 'cases' | 'contacts'>,
  { lookup = 'caller' }: Pick<CallToolsOptions, 'lookup'>,
): Tool =>
  defineTool({
    name: 'get_case_status',
    description: "The caller's support cases.",
    parameters: caseParameters,
    effect: 'read',
    slowMessage: 'I am looking up your case.',
    rules: [ownDetails(lookup, 'read')],
    run: async ({ case_number }, { caller, request }) => {
      const contacts = await ownContacts(crm, caller, { lookup, call: request });
      const [contact, ...others] = contacts;
      if (others.length > 0) return refused(severalMatch('several_contacts_match', contacts.length, 'read').value);
      if (!contact) return [];
      const { data } = await crm.cases.search({ contactId: contact.Id, limit: 200 }, request);
      return data.filter(
        ({ CaseNumber, ContactId }) =>
          // A search may ignore its condition.
          (!ContactId || ContactId === contact.Id) &&
          // People leave out the zeros that a number begins with.
          (!case_number || digitsOf(CaseNumber) === digitsOf(case_number)),
      );
    },
    compact: (cases, { case_number }) => ({
      cases: cases.map(({ CaseNumber, Subject, Status, IsClosed }) => ({
        number: CaseNumber ?? undefined,
        subject: Subject ?? undefined,
        status: Status ?? undefined,
        closed: IsClosed || undefined,
      })),
      message: cases.length > 0 ? undefined : noCase(case_number),
    }),
  });

const digitsOf = (number: string | null | undefined): string | undefined =>
  number?.replace(/[^\p{L}\p{N}]/gu, '').replace(/^0+/, '');

const noCase = (number: string | null | undefined): string =>
  number ? 'The caller has no case with this number: check it with them.' : 'The caller has no cases.';

/**
 * The contacts with the caller's number, or else with their address. An address that the caller only says decides between
 * several with the number, and finds no one by itself.
 */
const ownContacts = async (
  { contacts }: Pick<CrmClient, 'contacts'>,
  caller: ToolCaller,
  { lookup, call }: { readonly lookup: LookUp; readonly call: RequestOptions },
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
