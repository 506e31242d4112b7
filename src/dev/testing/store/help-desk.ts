import type { AttributeValue, FakePart, Seed } from './messaging-records.ts';

/** An article of the help center as the fake platform keeps it. */
export interface FakeArticle {
  id: string;
  title: string;
  description: string | null;
  /** HTML. */
  body: string;
  state: 'published' | 'draft';
  url: string | null;
  help_center_id: string | null;
  created_at: number;
  updated_at: number;
}

/** A kind of ticket as the fake platform keeps it. */
export interface FakeTicketType {
  id: string;
  name: string;
  description: string | null;
  category: 'Customer' | 'Back-office' | 'Tracker';
  /** The names of the fields that it has in addition to title and description. */
  attributes: string[];
}

/** The state of a ticket. Its id is the state's id too. */
export type FakeTicketState = 'submitted' | 'in_progress' | 'waiting_on_customer' | 'resolved';

/** A ticket as the fake platform keeps it. */
export interface FakeTicket {
  id: string;
  /** The number that people see. */
  ticket_id: string;
  ticket_type_id: string;
  contact_id: string;
  /** The conversation that it's linked to. */
  conversation_id: string | null;
  company_id: string | null;
  state: FakeTicketState;
  open: boolean;
  /** With `_default_title_` and `_default_description_`. */
  attributes: Record<string, AttributeValue>;
  admin_assignee_id: string | null;
  team_assignee_id: string | null;
  snoozed_until: number | null;
  parts: FakePart[];
  created_at: number;
  updated_at: number;
}

/** Office hours as the fake platform keeps them. */
export interface FakeOfficeHours {
  id: string;
  name: string;
  /** An IANA time zone. */
  time_zone_name: string;
  twenty_four_seven: boolean;
  /** In minutes since Monday 00:00. */
  time_intervals: { start_minute: number; end_minute: number }[];
  exceptions: FakeOfficeHoursException[];
}

/** A day with hours of its own. */
export interface FakeOfficeHoursException {
  id: string;
  name: string | null;
  /** YYYY-MM-DD */
  exception_date: string;
  exception_type: 'closed' | 'custom_hours';
  /** In minutes since midnight. */
  time_intervals: { start_minute: number; end_minute: number }[] | null;
  recurring_annually: boolean;
}

/** The functions of the store that this part uses. */
export interface HelpDeskOptions {
  readonly add: <T extends { id: string }>(
    map: Map<string, T>,
    word: string,
    seed: Seed<T>,
    defaults: Omit<T, 'id'>,
  ) => T;
  readonly stamps: () => { created_at: number; updated_at: number };
}

/** Articles, tickets and office hours of the fake workspace. */
export const createHelpDesk = ({ add, stamps }: HelpDeskOptions) => {
  const articles = new Map<string, FakeArticle>();
  const ticketTypes = new Map<string, FakeTicketType>();
  const tickets = new Map<string, FakeTicket>();
  const officeHours = new Map<string, FakeOfficeHours>();
  let parts = 0;

  const addTicket = (seed: Seed<FakeTicket> & { readonly contact_id: string; readonly ticket_type_id: string }) =>
    add(tickets, 'ticket', seed, {
      ticket_id: String(tickets.size + 1),
      ticket_type_id: seed.ticket_type_id,
      contact_id: seed.contact_id,
      conversation_id: null,
      company_id: null,
      state: 'submitted',
      open: true,
      attributes: {},
      admin_assignee_id: null,
      team_assignee_id: null,
      snoozed_until: null,
      parts: [],
      ...stamps(),
    });

  return {
    articles,
    ticketTypes,
    tickets,
    officeHours,
    addTicket,
    addArticle: (seed: Seed<FakeArticle>): FakeArticle =>
      add(articles, 'article', seed, {
        title: 'Article',
        description: null,
        body: '',
        state: 'published',
        url: null,
        help_center_id: null,
        ...stamps(),
      }),
    addTicketType: (seed: Seed<FakeTicketType>): FakeTicketType =>
      add(ticketTypes, 'ticket_type', seed, {
        name: 'Request',
        description: null,
        category: 'Customer',
        attributes: [],
      }),
    addOfficeHours: (seed: Seed<FakeOfficeHours>): FakeOfficeHours =>
      add(officeHours, 'office_hours', seed, {
        name: 'Office hours',
        time_zone_name: 'Etc/UTC',
        twenty_four_seven: false,
        time_intervals: [],
        exceptions: [],
      }),
    updateTicket: (ticket: FakeTicket, { attributes, ...changes }: Seed<FakeTicket>): FakeTicket => {
      Object.assign(ticket, changes, { updated_at: stamps().updated_at });
      Object.assign(ticket.attributes, attributes);
      return ticket;
    },
    addToTicket: (ticket: FakeTicket, part: Pick<FakePart, 'type' | 'author' | 'body'>): FakePart => {
      parts += 1;
      const { created_at, updated_at } = stamps();
      const added: FakePart = { id: `ticket_part_${parts}`, assigned_to: null, created_at, ...part };
      ticket.parts.push(added);
      ticket.updated_at = updated_at;
      return added;
    },
  };
};
