import type { CaseFields, CreatedRecord, CrmSchemas } from '../../crm/index.ts';
import type { FieldsFor } from '../../crm/declared.ts';
import { assertSpelled, type OptionNames } from '../../core/option-checks.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { maskCardNumbers } from '../../observability/redaction/card-numbers.ts';
import { type CallWords, describeCall, describeSubject } from './describe-call.ts';
import { maskFields } from './mask-fields.ts';
import { clientOf, type OngoingCall, wordNames } from './ongoing-call.ts';
import { requestOptions, stepKey, type StepOptions } from './step.ts';

/** The subject of a support case, and its person. */
export interface OpenCaseInput<Schemas extends CrmSchemas = CrmSchemas> extends CallWords {
  readonly subject: string;
  /** The CRM's contact, where it is known. */
  readonly contactId?: string | undefined;
  readonly accountId?: string | undefined;
  /** The caller's number, for a case without a contact. E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** In a word of the org, such as `High`. */
  readonly priority?: string | undefined;
  /** Further fields of the case; they win over the ones above. */
  readonly fields?: FieldsFor<Schemas, 'Case'> | undefined;
  /** Distinguishes a second case of the same phone call from the first. Without it, a phone call opens one case. */
  readonly reference?: string | undefined;
}

/** The origin of the case, the length of its description, and the time for writing it. */
export interface OpenCaseOptions extends StepOptions {
  /** The case's `Origin`. @defaultValue 'Phone' */
  readonly origin?: string | undefined;
  /** The longest description, in UTF-16 units. @defaultValue 32000 */
  readonly maximumTextLength?: number | undefined;
}

/**
 * Opens a support case for the caller, with the link, summary and transcript of the phone call as its description.
 * Repeating it repeats the key `callId:case`. Card numbers are masked. Throws what the client throws.
 */
export const openCaseStep =
  ({ facts: { callId }, settings, state, within, ...call }: OngoingCall) =>
  async (input: OpenCaseInput, options?: OpenCaseOptions): Promise<CreatedRecord> => {
    assertSpelled(input, inputNames);
    const { phone, email, contactId, name } = {
      ...state.caller,
      contactId: state.crmContactId,
      ...withoutUndefined(input),
    };
    const { origin = 'Phone', maximumTextLength, ...request }: OpenCaseOptions = { ...settings, ...within(options) };
    const fields: CaseFields = withoutUndefined({
      Subject: describeSubject(input.subject),
      Origin: origin,
      Description: describeCall(input, maximumTextLength) || undefined,
      Priority: input.priority || undefined,
      ContactId: contactId || undefined,
      AccountId: input.accountId || undefined,
      SuppliedPhone: phone || undefined,
      SuppliedEmail: email || undefined,
      SuppliedName: name ? maskCardNumbers(name) : undefined,
      ...maskFields(input.fields ?? {}),
    });
    const { reference } = input;
    const idempotencyKey = stepKey(callId, reference === undefined ? 'case' : `case:${reference}`);
    return clientOf(call, 'crm').cases.create(fields, { ...requestOptions(callId, request), idempotencyKey });
  };

const inputNames: OptionNames<OpenCaseInput> = {
  ...wordNames,
  subject: true,
  contactId: true,
  accountId: true,
  phone: true,
  email: true,
  name: true,
  priority: true,
  fields: true,
  reference: true,
};
