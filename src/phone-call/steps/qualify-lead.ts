import type { CrmClient, CrmSchemas, LeadFields, OpportunityFields } from '../../crm/index.ts';
import type { FieldsFor } from '../../crm/declared.ts';
import { leadDispositions } from '../../crm/leads.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { assertSpelled, type OptionNames } from '../../core/option-checks.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { isMissingEndpoint } from '../../http/missing-endpoints.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { crmDuplicates, isRuleRefusal, learnedOf, refusedFields } from './refused-lead.ts';
import { type CrmLead, type CrmPerson, findPerson, type MatchedBy, readCrmRecord, toCrmLead } from './find-person.ts';
import { type CallWords, defaultMaximumLength, describeCall, type LearnedWords } from './describe-call.ts';
import { logCall, type TaskOwner } from './log-call.ts';
import { maskFields } from './mask-fields.ts';
import { clientOf, type LeadOptions, type OngoingCall, wordNames } from './ongoing-call.ts';
import { type QualifiedLead, qualifiedLead } from './qualified-lead.ts';
import { requestOptions, stepKey, type StepOptions } from './step.ts';
import { isSettled, reportStep, type StepReport, skipped } from './step-report.ts';
import { createTaskClaim, type LoggedCall, type TaskClaim } from './task-claim.ts';
import { type CallFacts, type RelatedRecords, type TaskOptions, toTaskFields } from './task-fields.ts';

/** The facts that a phone call brought to light about a person who may buy. */
export interface QualifyLeadInput<Schemas extends CrmSchemas = CrmSchemas> extends CallWords {
  /** The fields that were learned. The caller's phone and e-mail are filled in: the CRM is searched by them. */
  readonly lead: FieldsFor<Schemas, 'Lead'>;
  /** The deal that an existing customer or company is interested in; `AccountId` is filled in. */
  readonly opportunity?: FieldsFor<Schemas, 'Opportunity'> | undefined;
  /** The call's end, for the subject of the Task. */
  readonly outcome?: string | undefined;
  /**
   * Say it when the call is over: an API that makes a lead and its Task in one request then does so. Leave it out while
   * the call goes on.
   */
  readonly durationSeconds?: number | undefined;
}

/** The form of the caller's records, and the time for writing them. */
export interface QualifyLeadOptions<Schemas extends CrmSchemas = CrmSchemas>
  extends StepOptions,
    TaskOptions<Schemas>,
    LeadOptions {}

/** Facts that the phone call adds. */
interface QualifyFacts extends CallFacts, Pick<LearnedWords, 'learned'> {
  /** The lead that this phone call made before: it is brought up to date, without a search. */
  readonly madeBefore?: string | undefined;
}

/**
 * Turns the facts of a phone call into the right record. Looks for contacts and leads with the e-mail or the phone at
 * once, and with an `opportunity` for the company too. Creates a lead only when the caller isn't known. When several
 * records could be the caller's, it writes nothing and says `ambiguous`. It never changes a converted lead, and a match
 * by phone alone never changes who a lead is. Throws the client's error if a search fails or the lead or opportunity
 * can't be made. `steps` reports a Task or an update that fails.
 */
export const qualifyLead = async (
  { crm }: { readonly crm: CrmClient },
  input: QualifyLeadInput & QualifyFacts,
  { task: shared, ...options }: QualifyLeadOptions & TaskOwner = {},
): Promise<QualifiedLead> => {
  const { callId, lead } = input;
  const { closedStatuses = [leadDispositions.disqualified] } = options;
  if (!lead.Email && !lead.Phone)
    throw new InvalidArgumentError('lead', 'must have an Email or a Phone, by which duplicates are looked for');
  const call = requestOptions(callId, options);
  const task = shared ?? createTaskClaim();
  const step: Step = { crm, input, call, options: { ...options, ...call, task, isLast: shared === undefined } };

  if (input.madeBefore !== undefined) return bringUpToDate(step, input.madeBefore);
  const [person, account] = await Promise.all([
    findPerson(crm, { email: lead.Email ?? undefined, phone: lead.Phone ?? undefined, closedStatuses }, call),
    input.opportunity && findAccount(step),
  ]);
  if (person && person.kind !== 'closed_lead') return qualifyKnown(step, person);

  if (account && input.opportunity) {
    const opportunityId = await createOpportunity(step, account);
    return qualifiedLead(
      { outcome: 'account_opportunity', accountId: account, opportunityId },
      { whatId: opportunityId },
    );
  }
  try {
    const id = await createLead(step);
    const closed = person && { closedLeadId: person.leadId };
    return qualifiedLead({ outcome: 'lead_created', leadId: id, ...closed }, { whoId: id });
  } catch (error) {
    const [duplicate, ...others] = crmDuplicates(error);
    if (!duplicate) return keepOnTask(step, error);
    if (others.length > 0) return qualifyKnown(step, { kind: 'ambiguous', count: others.length + 1, matchedBy });
    const { object, id } = duplicate;
    const record = await readCrmRecord(crm, object, id, call);
    return qualifyKnown(
      step,
      object === 'Contact'
        ? { kind: 'contact', contactId: id, accountId: record.AccountId ?? undefined, matchedBy }
        : toCrmLead(id, record, matchedBy, []),
    );
  }
};

/** {@link qualifyLead} in a phone call: the caller's phone and e-mail are filled in, and it logs to the call's one Task. */
export const qualifyLeadStep =
  ({ facts, settings, state, within, ...call }: OngoingCall) =>
  async (input: QualifyLeadInput, options?: QualifyLeadOptions): Promise<QualifiedLead> => {
    assertSpelled(input, inputNames);
    const { phone, email } = state.caller;
    const lead = { Phone: phone || undefined, Email: email || undefined, ...withoutUndefined(input.lead) };
    const qualified = await qualifyLead(
      { crm: clientOf(call, 'crm') },
      { ...input, ...facts, lead, madeBefore: state.madeLeadId },
      { ...settings, task: state.task, ...within(options) },
    );
    state.related = qualified.related;
    if (qualified.outcome === 'lead_created') state.madeLeadId = qualified.leadId;
    if ('contactId' in qualified) state.crmContactId = qualified.contactId;
    return qualified;
  };

const inputNames: OptionNames<QualifyLeadInput> = {
  ...wordNames,
  lead: true,
  opportunity: true,
  outcome: true,
  durationSeconds: true,
};

const matchedBy = 'duplicate' satisfies MatchedBy;

interface Step {
  readonly crm: CrmClient;
  readonly input: QualifyLeadInput & QualifyFacts;
  readonly call: RequestOptions;
  readonly options: QualifyLeadOptions & { readonly task: TaskClaim; readonly isLast: boolean };
}

const qualifyKnown = (step: Step, person: CrmPerson): Promise<QualifiedLead> => {
  if (person.kind === 'contact') return qualifyContact(step, person);
  if (person.kind === 'ambiguous') {
    const { count, matchedBy } = person;
    return Promise.resolve(qualifiedLead({ outcome: 'ambiguous', count, matchedBy }, {}));
  }
  return person.kind === 'converted_lead' ? followConverted(step, person) : qualifyOpenLead(step, person);
};

const qualifyContact = async (
  step: Step,
  { contactId, accountId, matchedBy }: Extract<CrmPerson, { kind: 'contact' }>,
): Promise<QualifiedLead> => {
  if (step.input.opportunity) {
    const opportunityId = await createOpportunity(step, accountId);
    const related = { whoId: contactId, whatId: opportunityId };
    return qualifiedLead({ outcome: 'contact_opportunity', contactId, opportunityId, matchedBy }, related);
  }
  const related = { whoId: contactId };
  return qualifiedLead({ outcome: 'contact_task', contactId, matchedBy }, related, [await writeTask(step, related)]);
};

/** One after the other: the CRM locks a lead while a Task is added to it. */
const qualifyOpenLead = async (step: Step, { leadId, matchedBy }: CrmLead): Promise<QualifiedLead> => {
  const { onOpenLead = 'task' } = step.options;
  const related = { whoId: leadId };
  const steps: QualifiedLead['steps'][number][] = [];
  if (onOpenLead !== 'task') steps.push(await updateLead(step, leadId, knownLeadFields(step.input.lead, matchedBy)));
  if (onOpenLead !== 'update') steps.push(await writeTask(step, related));
  return qualifiedLead({ outcome: 'open_lead', leadId, matchedBy }, related, steps);
};

/** A phone is shared and can be borrowed: who the lead is stays as it was. */
const knownLeadFields = (lead: LeadFields, matchedBy: MatchedBy): LeadFields => {
  if (matchedBy === 'email') return maskFields(lead);
  const { FirstName: _first, LastName: _last, Company: _company, Email: _email, Phone: _phone, ...rest } = lead;
  return maskFields(rest);
};

/** The lead is this call's own work: all of it may be written again. */
const bringUpToDate = async (step: Step, leadId: string): Promise<QualifiedLead> => {
  const related = { whoId: leadId };
  const update = await updateLead(step, leadId, newLeadFields(step.input, step.options));
  // Where a lead can't be updated, what is new goes on the Task.
  const cannot = update.status === 'failed' && isMissingEndpoint(update.error);
  const steps = [cannot ? await writeTask(step, related) : update];
  return qualifiedLead({ outcome: 'open_lead', leadId, matchedBy: 'this_call' }, related, steps);
};

/** To the opportunity if there is one, since that is what its owner works on, else to the contact. */
const followConverted = async (step: Step, lead: CrmLead): Promise<QualifiedLead> => {
  const { leadId, contactId, opportunityId, matchedBy } = lead;
  const { crm, call } = step;
  let ownerId: string | undefined;
  const readOwner = async (object: 'Opportunity' | 'Contact', id: string) =>
    reportStep('owner', async () => {
      ownerId = await ownerOf(crm, object, id, call);
      return ownerId;
    });
  const steps: QualifiedLead['steps'][number][] = [];
  if (opportunityId) steps.push(await readOwner('Opportunity', opportunityId));
  else if (contactId) steps.push(await readOwner('Contact', contactId));

  const related: RelatedRecords = {
    // Where the CRM does not say what it has become, the lead itself is all there is.
    whoId: contactId ?? (opportunityId ? undefined : leadId),
    whatId: opportunityId,
    ownerId,
  };
  steps.push(await writeTask(step, related));
  return qualifiedLead(
    { outcome: 'converted_lead', leadId, contactId, opportunityId, ownerId, matchedBy },
    related,
    steps,
  );
};

/** `undefined` also where the CRM has no endpoint that reads a record. */
const ownerOf = async (crm: CrmClient, object: 'Opportunity' | 'Contact', id: string, call: RequestOptions) => {
  try {
    return (await readCrmRecord(crm, object, id, call)).OwnerId ?? undefined;
  } catch (error) {
    if (isMissingEndpoint(error)) return undefined;
    throw error;
  }
};

/**
 * Creates the lead. If the call is over and the API makes both in one request, makes the Task too. Its words are
 * complete then, and a later log finds it unchanged.
 */
const createLead = async ({ crm, input, call, options }: Step): Promise<string> => {
  const lead = newLeadFields(input, options);
  const leadKey = stepKey(input.callId, 'lead');
  const { createWithTask } = crm.leads;
  let leadId: string | undefined;
  if (createWithTask && input.durationSeconds !== undefined && options.task.taskId === undefined) {
    await options.task.write(crm, callFacts(input), {
      ...call,
      isLast: true,
      toFields: (known) => toTaskFields(known, options),
      createTask: async (task, taskCall) => {
        const keys = { lead: leadKey, task: taskCall.idempotencyKey };
        const made = await createWithTask({ lead, task, keys }, taskCall);
        leadId = made.lead.id;
        return { id: made.task.id, fields: { ...task, WhoId: leadId } };
      },
    });
  }
  // Without a Task, or where another step has made it meanwhile.
  return leadId ?? (await crm.leads.create(lead, { ...call, idempotencyKey: leadKey })).id;
};

/** Summary and link, source and status; what was learned wins. */
const newLeadFields = (
  input: QualifyLeadInput,
  { leadSource = 'Phone Inquiry', qualifiedStatus, maximumTextLength = defaultMaximumLength }: QualifyLeadOptions,
): LeadFields =>
  withoutUndefined({
    LeadSource: leadSource,
    Status: qualifiedStatus || undefined,
    Description: describeCall({ ...input, transcript: undefined }, maximumTextLength) || undefined,
    ...maskFields(input.lead),
  });

/** Two accounts may have one name, and then it doesn't say which. A search may ignore its condition. */
const findAccount = async ({ crm, input, call }: Step): Promise<string | undefined> => {
  const name = input.lead.Company?.trim();
  if (!name) return undefined;
  const found = (await crm.accounts.search({ name, limit: 2 }, call)).data;
  const [account, another] = found.filter(({ Name }) => !Name || Name.trim().toLowerCase() === name.toLowerCase());
  return another ? undefined : account?.Id;
};

const createOpportunity = async (
  { crm, input, call, options }: Step,
  accountId: string | undefined,
): Promise<string> => {
  const fields: OpportunityFields = withoutUndefined({
    AccountId: accountId,
    Description: describeCall({ ...input, transcript: undefined }, options.maximumTextLength) || undefined,
    ...maskFields(input.opportunity ?? {}),
  });
  const idempotencyKey = stepKey(input.callId, 'opportunity');
  return (await crm.opportunities.create(fields, { ...call, idempotencyKey })).id;
};

const writeTask = async ({ crm, input, options }: Step, related: RelatedRecords): Promise<StepReport<'task'>> => {
  let logged: LoggedCall | undefined;
  const report = await reportStep('task', async () => {
    logged = await logCall({ crm }, { ...callFacts(input), ...related }, options);
    return logged.taskId;
  });
  return logged?.task === 'kept' ? skipped('task', 'kept_for_finish') : report;
};

const callFacts = ({
  lead: _lead,
  opportunity: _opportunity,
  madeBefore: _madeBefore,
  ...facts
}: QualifyLeadInput & QualifyFacts) => facts;

/**
 * The CRM's own rules don't take the lead: the Task has everything that was learned. Throws any other error, and the
 * refusal where the Task can't be written either.
 */
const keepOnTask = async (step: Step, error: unknown): Promise<QualifiedLead> => {
  if (!isRuleRefusal(error)) throw error;
  const task = await writeTask({ ...step, input: { ...step.input, learned: learnedOf(step.input.lead) } }, {});
  if (!isSettled(task)) throw error;
  const refused = { outcome: 'lead_refused', fields: refusedFields(error) } as const;
  return qualifiedLead(refused, {}, [{ step: 'lead', status: 'failed', error }, task]);
};

const updateLead = ({ crm, call }: Step, leadId: string, fields: LeadFields) =>
  reportStep('lead_update', async () => {
    if (Object.keys(fields).length > 0) await crm.leads.update(leadId, fields, call);
    return leadId;
  });
