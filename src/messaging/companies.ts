import { id } from '../arguments.ts';
import { sendAgain } from '../http/repeat.ts';
import { checkArgument, readList } from '../schema.ts';
import type { AttributeRules } from './attributes.ts';
import type { MessagingClient } from './client.ts';
import * as check from './fields.ts';
import * as read from './readers.ts';
import type { CustomAttributes } from './records.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** The operations on companies. */
export const createCompanies = <Attributes extends object>(
  workspace: Workspace,
  rules: AttributeRules,
): MessagingClient<CustomAttributes, Attributes>['companies'] => {
  const { http, dialect } = workspace;
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
        { operation, withoutKeys: sendAgain, ...dialect.updateCompany(checkedId, body), returns: company },
        call,
      );
    },
    listForContact: async (contactId, call) => {
      const operation = 'messaging.companies.listForContact';
      const checkedId = checkArgument(operation, id, contactId, 'contactId');
      return followMerge(workspace, checkedId, call, (id, call) =>
        http.request({ operation, ...dialect.listContactCompanies(id), returns: companies }, call),
      );
    },
  };
};
