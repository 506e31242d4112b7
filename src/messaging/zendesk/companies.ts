import { type EntryOverrides, toOperation } from '../../api/entry.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { CompanyFields } from '../companies.ts';
import type { MessagingContext, MessagingEndpoints, MessagingMethods } from '../dialect.ts';
import { type Fields, one, readWholeList, refuseFields, several, toTags } from './answers.ts';
import { assertTags } from './tags.ts';

const toCompany = ({ organization_fields, tags, ...organization }: Fields): object => ({
  ...organization,
  custom_attributes: Object(organization_fields),
  tags: toTags(tags),
});

const organizationAnswer = one('organization', toCompany);
const organizationsAnswer = several('organizations', toCompany);

/** Companies are organizations. */
export const zendeskCompanies: EntryOverrides<MessagingEndpoints['companies']> = {
  get: { path: 'organizations/{id}.json', answer: organizationAnswer },
  create: {
    path: 'organizations.json',
    body: (fields) => ({ organization: organizationFields('messaging.companies.create', fields) }),
    // Names are unique: a second request is refused.
    repeat: () => 'again',
    answer: organizationAnswer,
  },
  update: {
    path: 'organizations/{id}.json',
    body: (fields) => ({ organization: organizationFields('messaging.companies.update', fields) }),
    answer: organizationAnswer,
  },
  find: {
    path: 'organizations/search.json',
    query: ({ name, companyId }) => ({ name, external_id: companyId }),
    answer: (answer) => Object(organizationsAnswer(answer)).data?.[0] ?? null,
  },
  list: {
    path: 'organizations.json',
    query: ({ page, pageSize }) => ({ page, per_page: pageSize }),
    answer: organizationsAnswer,
  },
  listForContact: { path: 'users/{contactId}/organizations.json', answer: organizationsAnswer },
};

const unknown = 'is not known to Zendesk: use a custom attribute';
const refusedFields = { plan: unknown, monthly_spend: unknown, size: unknown, website: unknown, industry: unknown };

const organizationFields = (operation: string, fields: CompanyFields): object => {
  const { company_id, custom_attributes, ...others } = fields;
  refuseFields(operation, others, refusedFields);
  assertTags(operation, others['tags']);
  return withoutUndefined({ ...others, external_id: company_id, organization_fields: custom_attributes });
};

/** The operations that take another number of requests than one, or another path. */
export const companyMethods = (context: MessagingContext): MessagingMethods => {
  const { create, listForContact } = context.endpoints.companies;
  return {
    companies: {
      listForContact: async (contactId, call) =>
        readWholeList(context, 'messaging.companies.listForContact', listForContact, { ids: [contactId], call }),
      // Zendesk refuses a second organization of a name, but updates the one with this external id.
      create: async (fields, call) => {
        const path = Object(fields).company_id ? 'organizations/create_or_update.json' : create.path;
        return context.http.request(toOperation('messaging.companies.create', { ...create, path }, [fields]), call);
      },
    },
  };
};
