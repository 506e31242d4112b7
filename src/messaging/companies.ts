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
    ...companies,
    create: async (fields, call) => companies.create(writableFields(rules, 'messaging.companies.create', fields), call),
    update: async (id, fields, call) =>
      companies.update(id, writableFields(rules, 'messaging.companies.update', fields), call),
    list: (page = {}, call) => companies.list(page, call),
    listForContact: (contactId, call) => followMerge(workspace, contactId, call, companies.listForContact),
    attach: (contactId, company, call) =>
      followMerge(workspace, contactId, call, (id, call) => companies.attach(id, company, call)),
    detach: (contactId, company, call) =>
      followMerge(workspace, contactId, call, (id, call) => companies.detach(id, company?.companyId, call)),
  };
};
