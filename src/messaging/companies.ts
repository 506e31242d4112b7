import { id } from '../arguments.ts';
import type { HttpClient } from '../http/operation.ts';
import { sendAgain } from '../http/repeat.ts';
import { checkArgument, readList } from '../schema.ts';
import type { AttributeRules } from './attributes.ts';
import type { MessagingClient } from './client.ts';
import { documentedMessaging as dialect } from './dialect.ts';
import * as check from './fields.ts';
import * as read from './readers.ts';
import type { CustomAttributes } from './records.ts';

/** The operations on companies. */
export const createCompanies = <Attributes extends object>(
  http: HttpClient,
  rules: AttributeRules,
): MessagingClient<CustomAttributes, Attributes>['companies'] => {
  const company = read.companyReader<Attributes>(rules);
  const companies = readList(company, { under: ['data', 'companies'] });

  return {
    get: async (companyId, call) => {
      const operation = 'messaging.companies.get';
      const checkedId = checkArgument(operation, id, companyId, 'id');
      return http.request({ operation, ...dialect.getCompany(checkedId), returns: company }, call);
    },
    update: async (companyId, fields, call) => {
      const operation = 'messaging.companies.update';
      const checkedId = checkArgument(operation, id, companyId, 'id');
      const { custom_attributes, ...checked } = checkArgument(operation, check.companyFields, fields);
      const body =
        custom_attributes === undefined
          ? checked
          : { ...checked, custom_attributes: rules.assertWritable(operation, custom_attributes) };
      return http.request(
        { operation, ...dialect.updateCompany(checkedId, body), withoutKeys: sendAgain, returns: company },
        call,
      );
    },
    listForContact: async (contactId, call) => {
      const operation = 'messaging.companies.listForContact';
      const checkedId = checkArgument(operation, id, contactId, 'contactId');
      return http.request({ operation, ...dialect.listContactCompanies(checkedId), returns: companies }, call);
    },
  };
};
