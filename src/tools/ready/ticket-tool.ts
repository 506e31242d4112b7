import { text } from '../../core/arguments.ts';
import { IntegrationError } from '../../core/errors.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { MessagingClient, Ticket } from '../../messaging/index.ts';
import { maskCardNumbers } from '../../observability/card-numbers.ts';
import * as z from '../../core/schema.ts';
import type { CallToolsOptions } from './call-tools-options.ts';
import { defineTool } from '../define-tool.ts';
import { ownContact } from './own-records.ts';
import type { Tool } from '../tool.ts';

const ticketParameters = z.object({
  title: text().check(z.maxLength(200)),
  description: text().check(z.maxLength(1000)),
});

/** Opens a ticket for the caller, which is linked to the phone call's conversation where there is one. */
export const ticketTool = (
  { tickets }: Pick<MessagingClient, 'tickets'>,
  { ticketTypeId, lookup = 'caller' }: Pick<CallToolsOptions, 'lookup'> & { readonly ticketTypeId: string },
): Tool =>
  defineTool({
    name: 'create_ticket',
    description: "Open a ticket for what can't be solved now. The customer can read it.",
    parameters: ticketParameters,
    effect: 'write',
    idempotent: true,
    slowMessage: 'I am opening a ticket.',
    rules: [ownContact(lookup, 'write')],
    run: async ({ title, description }, { caller, conversationIds, request }) => {
      const ticket = {
        ticketTypeId,
        // The rule has seen to it.
        contactId: caller.contactId ?? '',
        conversationId: conversationIds[0],
        title: maskCardNumbers(title),
        description: maskCardNumbers(description),
      };
      const startedAt = Date.now();
      try {
        return await tickets.create(ticket, request);
      } catch (error) {
        if (!(error instanceof IntegrationError) || error.outcome !== 'unknown') throw error;
        const made = await findTicket(tickets, { ...ticket, startedAt }, request).catch(() => undefined);
        if (made) return made;
        throw error;
      }
    },
    compact: ({ ticket_id: number, id }) => ({ created: true, ticket_number: number ?? id }),
  });

interface LostTicket {
  readonly contactId: string;
  readonly title: string;
  readonly description: string;
  readonly startedAt: number;
}

/** The ticket that may have been created although its answer was lost. */
const findTicket = async (
  tickets: MessagingClient['tickets'],
  { contactId, title, description, startedAt }: LostTicket,
  { deadline, signal, callId }: RequestOptions,
): Promise<Ticket | undefined> => {
  const { data } = await tickets.listForContact(contactId, { deadline, signal, callId });
  // The platform's clock may differ.
  const since = startedAt - 60_000;
  return data.find(
    (ticket) =>
      inOneLine(ticket.title) === inOneLine(title) &&
      inOneLine(ticket.description) === inOneLine(description) &&
      Number(ticket.created_at) * 1000 >= since,
  );
};

/** A platform may keep line breaks and spaces in its own way. */
const inOneLine = (text: string | null | undefined): string | undefined => text?.replace(/\s+/g, ' ').trim();
