import type { RequestOptions } from '../http/operation.ts';
import type { RecordList } from '../core/schema.ts';
import { type ByAdmin, createByAdmin } from './by-admin.ts';
import { listForContact } from './list-for-contact.ts';
import type { ConversationPart, SearchQuery } from './records.ts';
import { type SearchAllOptions, searchPages } from './search-pages.ts';
import { checkQuery } from './search-query.ts';
import type { NewTicket, TicketChanges } from './ticket-endpoints.ts';
import type { Ticket, TicketState, TicketType } from './ticket-records.ts';
import type { Workspace } from './workspace.ts';

/** Reads and writes tickets. Paths of the real platform; the default API doesn't have them. */
export interface Tickets {
  /** With its parts and notes. `undefined` when there's none with this id. */
  get(id: string, call?: RequestOptions): Promise<Ticket | undefined>;
  /**
   * Opens a ticket for a contact. `tickets.types.list` says which kinds there are and which fields they need. It isn't
   * sent again after an unknown end: the error then says `outcome: 'unknown'`.
   *
   * @example
   * const { ticket_id } = await messaging.tickets.create({ ticketTypeId: '7', contactId, title: 'The door is stuck' });
   */
  create(ticket: NewTicket, call?: RequestOptions): Promise<Ticket>;
  /** Needs at least one change; what is left out stays as it is. */
  update(id: string, changes: TicketChanges, call?: RequestOptions): Promise<Ticket>;
  /** The first page of the tickets that match, such as `{ field: 'contact_ids', operator: '=', value: contactId }`. */
  search(query: SearchQuery, call?: RequestOptions): Promise<RecordList<Ticket>>;
  /** All of them, page after page as the loop goes on. A `deadline` in milliseconds is that of each page. */
  searchAll(query: SearchQuery, options?: SearchAllOptions): AsyncIterable<Ticket>;
  /** A contact's tickets, at most five pages of 100. */
  listForContact(contactId: string, call?: RequestOptions): Promise<RecordList<Ticket>>;
  /** **Sends a message to the customer.** */
  reply(id: string, reply: { readonly body: string } & ByAdmin, call?: RequestOptions): Promise<ConversationPart>;
  /** Adds an internal note. It never reaches the customer. */
  addNote(id: string, note: { readonly body: string } & ByAdmin, call?: RequestOptions): Promise<ConversationPart>;
  readonly types: {
    get(id: string, call?: RequestOptions): Promise<TicketType | undefined>;
    list(call?: RequestOptions): Promise<RecordList<TicketType>>;
  };
  readonly states: {
    list(call?: RequestOptions): Promise<RecordList<TicketState>>;
  };
}

/** The operations on tickets. */
export const createTickets = (workspace: Workspace, defaultAdminId: string | undefined): Tickets => {
  const { endpoints } = workspace;
  const { tickets } = workspace.methods;
  const byAdmin = createByAdmin('tickets', defaultAdminId);
  return {
    ...tickets,
    search: async (query, call) => tickets.search({ query: checkQuery('messaging.tickets.search', query) }, call),
    searchAll: searchPages(workspace, 'messaging.tickets.searchAll', endpoints.tickets.search),
    listForContact: listForContact(workspace, 'messaging.tickets.listForContact', endpoints.tickets.search),
    reply: byAdmin('reply', tickets.reply),
    addNote: byAdmin('addNote', tickets.addNote),
  };
};
