import { InvalidArgumentError } from '../../core/errors.ts';
import type { Company, Contact, CustomAttributes, MessagingClient } from '../../messaging/index.ts';
import { requestOptions, type StepOptions } from './step.ts';
import { reportStep, type StepReport } from './step-report.ts';

/** Whose context is read. */
export interface CallerContextInput {
  /** The caller's contact, if you have it already. */
  readonly contact?: Contact | undefined;
  /** Its id: the contact is read then. @defaultValue the contact that was identified */
  readonly contactId?: string | undefined;
}

/** In which custom attributes the workspace keeps what it knows. */
export interface ContextOptions {
  /** The company's custom attribute that names its account manager. @defaultValue 'account_manager' */
  readonly accountManagerAttribute?: string | undefined;
  /** The company's custom attributes that are health signals. @defaultValue those whose name begins with `health` */
  readonly healthAttributes?: readonly string[] | undefined;
}

/** Where to look, and how long reading may take. */
export interface CallerContextOptions extends StepOptions, ContextOptions {}

/** What an agent should know of the caller. What the platform doesn't know is absent. */
export interface CallerContext {
  readonly contact: Contact;
  /** The first company of the contact. */
  readonly company?: Company | undefined;
  /** The account tier. */
  readonly tier?: string | undefined;
  /** In the unit of the workspace. */
  readonly recurringRevenue?: number | undefined;
  /** By name where the company has it, else the admin who owns the contact. */
  readonly accountManager?: { readonly name: string } | { readonly adminId: string } | undefined;
  /** Custom attributes of the company, under their own names. */
  readonly healthSignals?: CustomAttributes | undefined;
  readonly customAttributes: { readonly contact: CustomAttributes; readonly company: CustomAttributes };
  /** Whether the company could be read. If that failed, the rest is there all the same. */
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

/** What the two records say. */
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
