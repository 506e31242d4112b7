import { InvalidArgumentError } from '../errors.ts';
import type { Company, Contact, CustomAttributes, MessagingClient } from '../messaging/index.ts';
import { requestOptions, type StepOptions } from './step-options.ts';
import { reportStep, type StepReport } from './step-report.ts';

/** Whose context is read. One of `contact` and `contactId` must be given. */
export interface CallerContextInput {
  readonly callId: string;
  /** The caller's contact, where it has been read. */
  readonly contact?: Contact | undefined;
  /** Its id: the contact is read then. @defaultValue that of `contact` */
  readonly contactId?: string | undefined;
}

/** In which custom attributes the workspace keeps what it knows, and how long reading them may take. */
export interface CallerContextOptions extends StepOptions {
  /** The company's custom attribute that names its account manager. @defaultValue 'account_manager' */
  readonly accountManagerAttribute?: string | undefined;
  /** The company's custom attributes that are health signals. @defaultValue those whose name begins with `health` */
  readonly healthAttributes?: readonly string[] | undefined;
}

/** What an agent should know of the caller. What the platform does not know is absent. */
export interface CallerContext {
  readonly contact: Contact;
  /** The first company of the contact. */
  readonly company?: Company;
  /** The account tier. */
  readonly tier?: string;
  /** In the unit of the workspace. */
  readonly recurringRevenue?: number;
  /** By name where the company tells it, else the admin who owns the contact. */
  readonly accountManager?: { readonly name: string } | { readonly adminId: string };
  /** Custom attributes of the company, under their own names. */
  readonly healthSignals?: CustomAttributes;
  readonly customAttributes: { readonly contact: CustomAttributes; readonly company: CustomAttributes };
  /** Whether the company could be read. Failed: the rest is there all the same. */
  readonly steps: readonly StepReport<'company'>[];
}

/**
 * Gathers what the messaging platform knows of the caller: tier, recurring revenue, account manager, health signals
 * and custom attributes. A company that cannot be read does not hide the contact; `steps` says so.
 * Throws what the client throws when the contact itself cannot be read.
 *
 * @example
 * const { tier, accountManager } = await callerContext({ messaging }, { callId, contactId: contact.id });
 */
export const callerContext = async (
  { messaging }: { readonly messaging: MessagingClient },
  { callId, contact: given, contactId = given?.id }: CallerContextInput,
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
  const [contact, step] = await Promise.all([given ?? messaging.contacts.get(contactId, call), readCompany]);

  return { contact, ...companyFacts(contact, company, options), steps: [step] };
};

/** The facts that the two records tell. */
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
  return {
    ...(company && { company }),
    ...(company?.plan?.name && { tier: company.plan.name }),
    ...(typeof company?.monthly_spend === 'number' && { recurringRevenue: company.monthly_spend }),
    ...(typeof manager === 'string' && manager !== ''
      ? { accountManager: { name: manager } }
      : contact.owner_id && { accountManager: { adminId: contact.owner_id } }),
    ...(health.length > 0 && { healthSignals: Object.fromEntries(health) }),
    customAttributes: { contact: contact.custom_attributes ?? {}, company: attributes },
  };
};
