import { bearer } from '../../../auth/index.ts';
import { callAttributes } from '../../../messaging/index.ts';
import { zendesk } from '../../../messaging/zendesk/index.ts';
import type { MessagingSystem } from './system.ts';

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Zendesk: contacts are end users, companies organizations, teams groups, conversations tickets. */
export const zendeskSystem: MessagingSystem = {
  fake: { dialect: 'zendesk' },
  connect: ({ baseUrl, credential, adminId }) => ({
    ...zendesk({ subdomain: 'acme' }),
    baseUrl: `${baseUrl}/api/v2`,
    authenticate: bearer(() => credential),
    adminId,
  }),
  adminId: ({ zendesk: account }) => String(account.ownAgentId),
  fill: ({ zendesk: account }, { companies, contacts, teams, tags }) => {
    const ids: Record<string, string> = {};
    for (const key of Object.keys(callAttributes)) account.addField('users', key);
    for (const { id, name, plan, monthly_spend, custom_attributes } of companies) {
      const fields = { plan, monthly_spend, ...Object(custom_attributes) };
      ids[String(id)] = String(account.addOrganization({ name: String(name), organization_fields: fields }).id);
    }
    for (const { id, name, phone, email, company_ids } of contacts) {
      const [company] = Array.isArray(company_ids) ? company_ids : [];
      const organization_id = company === undefined ? null : Number(ids[String(company)]);
      const user = account.addUser({ name: String(name), phone: text(phone), email: text(email), organization_id });
      ids[String(id)] = String(user.id);
    }
    for (const { id, name } of teams) ids[String(id)] = String(account.addGroup({ name: String(name) }).id);
    // A tag is a word without an id.
    for (const { id, name } of tags) ids[String(id)] = String(name);
    return ids;
  },
  held: ({ zendesk: account }) => ({
    contacts: account.users.filter(({ role }) => role === 'end-user'),
    conversations: account.tickets.map(({ comments, tags, group_id }) => ({
      body: comments[0]?.body ?? '',
      parts: comments.map(({ body, public: isPublic }) => ({ type: isPublic ? 'comment' : 'note', body })),
      tag_ids: tags,
      team_assignee_id: group_id === null ? null : String(group_id),
    })),
  }),
};
