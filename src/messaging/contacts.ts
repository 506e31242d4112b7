import { e164, email, id } from '../arguments.ts';
import type { HttpClient, RequestOptions } from '../http/operation.ts';
import { sendAgain } from '../http/repeat.ts';
import { checkArgument, readList, readNothing } from '../schema.ts';
import type { AttributeRules } from './attributes.ts';
import type { MessagingClient } from './client.ts';
import { documentedMessaging as dialect } from './dialect.ts';
import * as check from './fields.ts';
import { matchContact, normaliseEmail } from './match-contact.ts';
import * as read from './readers.ts';
import type { Contact, ContactFields, ContactMatch } from './records.ts';

/** The operations on contacts. */
export const createContacts = <Attributes extends object>(
  http: HttpClient,
  rules: AttributeRules,
): MessagingClient<Attributes>['contacts'] => {
  const contact = read.contactReader<Attributes>(rules);
  const contacts = readList(contact, { under: ['data', 'contacts'] });

  const checkFields = (operation: string, fields: ContactFields<Attributes>): ContactFields => {
    const { custom_attributes, ...checked } = checkArgument(operation, check.contactFields, fields);
    if (custom_attributes === undefined) return checked;
    return { ...checked, custom_attributes: rules.assertWritable(operation, custom_attributes) };
  };

  const search = (
    operation: string,
    field: string,
    operator: string,
    value: string,
    call: RequestOptions | undefined,
  ) =>
    http.request(
      { operation, ...dialect.searchContacts({ field, operator, value }), effect: 'read', returns: contacts },
      call,
    );

  const find = async (
    operation: string,
    field: 'phone' | 'email',
    value: string,
    call: RequestOptions | undefined,
  ): Promise<ContactMatch<Attributes> | undefined> => {
    const { data } = await search(operation, field, '=', value, call);
    return matchContact(data, field, value);
  };

  const findByPhone = async (phone: string, call?: RequestOptions) => {
    const operation = 'messaging.contacts.findByPhone';
    return find(operation, 'phone', checkArgument(operation, e164, phone, 'phone'), call);
  };

  const findByEmail = async (address: string, call?: RequestOptions) => {
    const operation = 'messaging.contacts.findByEmail';
    return find(operation, 'email', normaliseEmail(checkArgument(operation, email, address, 'email')), call);
  };

  /** Whether the contact is there already, by the surest of what is known of it. */
  const findExisting = async (
    { external_id, email, phone }: ContactFields,
    call: RequestOptions,
  ): Promise<Contact<Attributes> | undefined> => {
    if (external_id !== undefined) {
      const { data } = await search('messaging.contacts.search', 'external_id', '=', external_id, call);
      return data.find((contact) => contact.external_id === external_id);
    }
    const match = email !== undefined ? await findByEmail(email, call) : await findByPhone(phone ?? '', call);
    return match?.contact;
  };

  return {
    get: async (contactId, call) => {
      const operation = 'messaging.contacts.get';
      const checkedId = checkArgument(operation, id, contactId, 'id');
      return http.request({ operation, ...dialect.getContact(checkedId), returns: contact }, call);
    },
    create: async (fields, call = {}) => {
      const operation = 'messaging.contacts.create';
      const checked = checkFields(operation, fields);
      const { callId, lane } = call;
      return http.request(
        {
          operation,
          ...dialect.createContact(checked),
          withoutKeys: { lookUp: (time) => findExisting(checked, { callId, lane, ...time }) },
          returns: contact,
        },
        call,
      );
    },
    update: async (contactId, fields, call) => {
      const operation = 'messaging.contacts.update';
      const checkedId = checkArgument(operation, id, contactId, 'id');
      const checked = checkFields(operation, fields);
      return http.request(
        { operation, ...dialect.updateContact(checkedId, checked), withoutKeys: sendAgain, returns: contact },
        call,
      );
    },
    search: async (query, call) => {
      const operation = 'messaging.contacts.search';
      const { field, operator, value } = checkArgument(operation, check.contactQuery, query);
      return search(operation, field, operator, value, call);
    },
    findByPhone,
    findByEmail,
    tags: {
      attach: async (contactId, tag, call) => {
        const operation = 'messaging.contacts.tags.attach';
        const checkedId = checkArgument(operation, id, contactId, 'contactId');
        const { tagId } = checkArgument(operation, check.tagged, tag);
        return http.request(
          { operation, ...dialect.attachContactTag(checkedId, tagId), withoutKeys: sendAgain, returns: read.tag },
          call,
        );
      },
      detach: async (contactId, tag, call) => {
        const operation = 'messaging.contacts.tags.detach';
        const checkedId = checkArgument(operation, id, contactId, 'contactId');
        const { tagId } = checkArgument(operation, check.tagged, tag);
        return http.request({ operation, ...dialect.detachContactTag(checkedId, tagId), returns: readNothing }, call);
      },
      list: async (contactId, call) => {
        const operation = 'messaging.contacts.tags.list';
        const checkedId = checkArgument(operation, id, contactId, 'contactId');
        return http.request({ operation, ...dialect.listContactTags(checkedId), returns: read.tags }, call);
      },
    },
  };
};
