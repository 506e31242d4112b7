import { type AttributeRules, writableFields } from './attributes.ts';
import type { MessagingClient } from './client.ts';
import type { CustomAttributes } from './records.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** The operations on companies. */
export const createCompanies = <Attributes extends object>(
  workspace: Workspace<object, Attributes>,
  rules: AttributeRules,
): MessagingClient<CustomAttributes, Attributes>['companies'] => {
  const { companies } = workspace.methods;
  return {
    get: companies.get,
    update: async (id, fields, call) =>
      companies.update(id, writableFields(rules, 'messaging.companies.update', fields), call),
    listForContact: (contactId, call) => followMerge(workspace, contactId, call, companies.listForContact),
  };
};
