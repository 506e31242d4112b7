import { checkOptions, must, type OptionNames, assertKnown } from '../core/option-checks.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { CrmClient, CrmContact, Lead } from '../crm/index.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { Contact, MessagingClient } from '../messaging/index.ts';
import { isOtherPerson } from '../phone/same-person.ts';
import { callerNumber } from './steps/caller-number.ts';
import { clientsOf } from './steps/clients-of.ts';

/** The person whom you want to call. */
export interface PersonToCall {
  /** The number, as people write it with its country code. */
  readonly phone: string;
  /** Finds records without the number too, and decides between contacts that share it. */
  readonly email?: string | undefined;
  /**
   * Names of custom attributes or tags in messaging that say "don't call", such as `do_not_call`. Without them,
   * messaging shows only who wants no e-mails.
   */
  readonly marks?: readonly string[] | undefined;
}

/** A record that shows how a person doesn't want to be reached. */
export interface OptOut {
  readonly channel: 'call' | 'email';
  readonly system: 'crm' | 'messaging';
  readonly recordId: string;
  /** The field, attribute or tag that says so. */
  readonly field: string;
}

/** The facts before a call that you start. */
export type MayCall =
  | { readonly mayCall: true; readonly optOuts: readonly OptOut[] }
  | {
      readonly mayCall: false;
      /**
       * `opted_out`: a record says so. `ambiguous`: several contacts in messaging have the number. `not_shown`: a record
       * of the CRM doesn't show the field, so nothing is known.
       */
      readonly reason: 'opted_out' | 'ambiguous' | 'not_shown';
      readonly optOuts: readonly OptOut[];
    };

/**
 * Reads whether a record of the person says that they don't want to be called. It reads `DoNotCall` of contacts and leads
 * in the CRM, and your `marks` in messaging. Only a clear "no opt-out" is a yes. A person without a record may be called. Laws, hours and
 * registries are yours.
 * Throws what a client throws: an outage is no yes.
 *
 * @example
 * const { mayCall: isAllowed, optOuts } = await mayCall(integration, { phone: '+14155550100' });
 */
export const mayCall = async (
  clients: { readonly messaging?: MessagingClient | undefined; readonly crm?: CrmClient | undefined },
  person: PersonToCall,
  call: RequestOptions = {},
): Promise<MayCall> => {
  const { messaging, crm } = clientsOf(clients);
  const { email, marks = [] } = checked(person);
  const phone = callerNumber(person.phone);
  if (phone === undefined) throw new InvalidArgumentError('phone', 'must be a number with its country code');
  if (!crm && !(messaging && marks.length > 0))
    throw new InvalidArgumentError('marks', "must name what says don't call in messaging: there is no CRM to ask");
  const by = { phone, email };
  const [inCrm, inMessaging] = await Promise.all([
    crm ? readCrm(crm, by, call) : nothing,
    messaging ? readMessaging(messaging, { ...by, marks }, call) : nothing,
  ]);
  const optOuts = [...inCrm.optOuts, ...inMessaging.optOuts];
  const no = (reason: 'opted_out' | 'ambiguous' | 'not_shown') => ({ mayCall: false, reason, optOuts }) as const;
  if (optOuts.some(({ channel }) => channel === 'call')) return no('opted_out');
  if (inMessaging.isAmbiguous) return no('ambiguous');
  return inCrm.isHidden ? no('not_shown') : { mayCall: true, optOuts };
};

/** Returns how the owner of an address doesn't want to be reached, as far as records show it. */
export const optOutsOf = async (
  { messaging, crm }: { readonly messaging?: MessagingClient | undefined; readonly crm?: CrmClient | undefined },
  email: string,
  call: RequestOptions,
): Promise<readonly OptOut[]> => {
  const by = { phone: undefined, email };
  const found = await Promise.all([
    crm ? readCrm(crm, by, call) : nothing,
    messaging ? readMessaging(messaging, { ...by, marks: [] }, call) : nothing,
  ]);
  return found.flatMap(({ optOuts }) => optOuts);
};

const checked = (person: PersonToCall): PersonToCall => {
  checkOptions(undefined, [
    () => assertKnown(Object(person), names),
    must(
      person.marks === undefined ||
        (Array.isArray(person.marks) && person.marks.every((mark) => typeof mark === 'string' && mark !== '')),
      'marks',
      'must be names of custom attributes or tags',
    ),
  ]);
  return person;
};

const names: OptionNames<PersonToCall> = { phone: true, email: true, marks: true };

interface Found {
  readonly optOuts: readonly OptOut[];
  readonly isHidden?: boolean;
  readonly isAmbiguous?: boolean;
}

const nothing: Found = { optOuts: [] };

interface By {
  readonly phone: string | undefined;
  readonly email: string | undefined;
}

const readCrm = async (crm: CrmClient, by: By, call: RequestOptions): Promise<Found> => {
  const fields = ['DoNotCall', 'HasOptedOutOfEmail', 'MobilePhone'] as const;
  const [contacts, leads] = await Promise.all([
    crm.contacts.search({ ...by, fields, limit: mostRows }, call),
    crm.leads.search({ ...by, fields, limit: mostRows }, call),
  ]);
  const rows: readonly (CrmContact | Lead)[] = [...contacts.data, ...leads.data].filter(
    (row) => !isOtherPerson(row, by),
  );
  return {
    optOuts: rows.flatMap(({ Id, DoNotCall, HasOptedOutOfEmail }) => [
      ...(saysNo(DoNotCall) ? [optOut('call', 'crm', Id, 'DoNotCall')] : []),
      ...(saysNo(HasOptedOutOfEmail) ? [optOut('email', 'crm', Id, 'HasOptedOutOfEmail')] : []),
    ]),
    isHidden: rows.some(({ DoNotCall }) => DoNotCall === undefined),
  };
};

const mostRows = 200;

const readMessaging = async (
  { contacts }: MessagingClient,
  { phone, email, marks }: By & { readonly marks: readonly string[] },
  call: RequestOptions,
): Promise<Found> => {
  const found = await contacts.find({ phone, email }, call);
  if (!found) return nothing;
  const { id, unsubscribed_from_emails: isUnsubscribed }: Contact = found.contact;
  return {
    optOuts: [
      ...marksOf(found.contact, marks).map((mark) => optOut('call', 'messaging', id, mark)),
      ...(saysNo(isUnsubscribed) ? [optOut('email', 'messaging', id, 'unsubscribed_from_emails')] : []),
    ],
    isAmbiguous: found.ambiguous && marks.length > 0,
  };
};

const marksOf = ({ custom_attributes: attributes = {}, tags }: Contact, marks: readonly string[]): readonly string[] =>
  marks.filter((mark) => saysNo(Object(attributes)[mark]) || tags?.some(({ name }) => name === mark));

const optOut = (channel: OptOut['channel'], system: OptOut['system'], recordId: string, field: string): OptOut => ({
  channel,
  system,
  recordId,
  field,
});

/** A value that isn't a clear "no opt-out" is one. */
const saysNo = (value: unknown): boolean => {
  if (value === undefined || value === null || value === false || value === 0) return false;
  return typeof value !== 'string' || !/^(?:|false|no|0)$/i.test(value.trim());
};
