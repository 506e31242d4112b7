import { InvalidArgumentError } from '../../core/errors.ts';
import type { Company, Contact, CustomAttributes, MessagingClient } from '../../messaging/index.ts';
import { assertSpelled, type OptionNames } from '../../core/option-checks.ts';
import { clientOf, type ContextOptions, type OngoingCall, type Scope } from './ongoing-call.ts';
import { requestOptions, type StepOptions } from './step.ts';
import { reportStep, type StepReport } from './step-report.ts';

/** The contact whose context is read. */
export interface CallerContextInput {
  /** The caller's contact, if you have it already. */
  readonly contact?: Contact | undefined;
  /** Its id: the contact is read then. @defaultValue the contact that was identified */
  readonly contactId?: string | undefined;
}

/** The attributes to read, and the time for reading. */
export interface CallerContextOptions extends StepOptions, ContextOptions {}

/** The facts that an agent should know of the caller. Unknown ones are absent. */
export interface CallerContext {
  readonly contact: Contact;
  /** The first company of the contact. */
  readonly company?: Company | undefined;
  /** The account tier. */
  readonly tier?: string | undefined;
  /** In the unit of the workspace. */
  readonly recurringRevenue?: number | undefined;
  /** The name that the company has, else the admin who owns the contact. */
  readonly accountManager?: { readonly name: string } | { readonly adminId: string } | undefined;
  /** Custom attributes of the company, under their own names. */
  readonly healthSignals?: CustomAttributes | undefined;
  readonly customAttributes: { readonly contact: CustomAttributes; readonly company: CustomAttributes };
  /** The report on reading the company. If that failed, the rest is there all the same. */
  readonly steps: readonly StepReport<'company'>[];
}

/**
 * Gathers what the messaging platform knows of the caller: tier, recurring revenue, account manager, health signals
 * and custom attributes. A company that can't be read doesn't hide the contact; `steps` says so.
 * Throws what the client throws when the contact itself can't be read.
 */
export const callerContext = async (
  { messaging }: { readonly messaging: MessagingClient },
  { callId, contact: known, contactId = known?.id }: CallerContextInput & { readonly callId: string },
  options: CallerContextOptions = {},
): Promise<CallerContext> => {
  if (contactId === undefined) throw new InvalidArgumentError('contactId', 'or contact must be given');
  const call = requestOptions(callId, options);

  let company: Company | undefined;
  const readCompany = reportStep('company', async () => {
    const { data } = await messaging.companies.listForContact(contactId, call);
    company = data[0];
    return company?.id;
  });
  const [contact, step] = await Promise.all([known ?? messaging.contacts.get(contactId, call), readCompany]);
  if (contact === undefined) throw new InvalidArgumentError('contactId', 'must be that of a contact that exists');

  return { contact, ...companyFacts(contact, company, options), steps: [step] };
};

/** Reads the facts from the two records. */
const companyFacts = (
  contact: Contact,
  company: Company | undefined,
  { accountManagerAttribute = 'account_manager', healthAttributes }: CallerContextOptions,
): Omit<CallerContext, 'contact' | 'steps'> => {
  const attributes = company?.custom_attributes ?? {};
  const manager = attributes[accountManagerAttribute];
  const health = Object.entries(attributes).filter(
    ([name, value]) => value != null && (healthAttributes?.includes(name) ?? /^health/i.test(name)),
  );
  const owner = contact.owner_id ? { adminId: contact.owner_id } : undefined;
  return {
    company,
    tier: company?.plan?.name || undefined,
    recurringRevenue: company?.monthly_spend ?? undefined,
    accountManager: typeof manager === 'string' && manager !== '' ? { name: manager } : owner,
    healthSignals: health.length > 0 ? Object.fromEntries(health) : undefined,
    customAttributes: { contact: contact.custom_attributes ?? {}, company: attributes },
  };
};

/** The context of a contact that was read before a step needed it. */
export type TakeContext = (contactId: string, within: Scope) => Promise<CallerContext | undefined>;

/** {@link callerContext} in a phone call: of the contact that was identified. */
export const callerContextStep =
  ({ facts, settings, state, within, ...call }: OngoingCall, takeContext?: TakeContext) =>
  async (input: CallerContextInput = {}, options?: CallerContextOptions): Promise<CallerContext> => {
    assertSpelled(input, inputNames);
    const contactId = input.contactId ?? input.contact?.id ?? known(state.caller.contactId);
    const scope = within(options);
    // What was read ahead was read as the phone call's settings say.
    const readsOtherwise = options?.accountManagerAttribute !== undefined || options?.healthAttributes !== undefined;
    const read = readsOtherwise ? undefined : await takeContext?.(contactId, scope);
    if (read) return read;
    const { found } = state;
    const isFresh = found?.contact.id === contactId && performance.now() - found.at <= maximumAgeMs;
    const contact = input.contact ?? (isFresh ? found.contact : undefined);
    const messaging = clientOf(call, 'messaging');
    return callerContext({ messaging }, { callId: facts.callId, contactId, contact }, { ...settings, ...scope });
  };

/** The time for which a record counts as the present: longer than a greeting. */
export const maximumAgeMs = 30_000;

const inputNames: OptionNames<CallerContextInput> = { contactId: true, contact: true };

const known = (contactId: string | undefined): string => {
  if (contactId !== undefined) return contactId;
  throw new InvalidArgumentError('contactId', 'is not known yet: identify the caller first, or give one');
};
