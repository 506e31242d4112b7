import { IntegrationError } from '../../core/errors.ts';
import { parseTimestamp } from '../../core/timestamp.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { MessagingClient, Ticket } from '../../messaging/index.ts';
import type { CallToolsOptions } from './call-tools-options.ts';
import { type CaseSource, isNumber, mostCases, type OwnCase } from './case-tools.ts';
import { ownContact } from './right-person.ts';

type HelpDesk = Pick<MessagingClient, 'tickets'>;

/** The tickets of the caller's contact at the help desk, without those that only colleagues see. */
export const ticketsAtHelpDesk = (
  { tickets }: HelpDesk,
  { lookup = 'caller' }: Pick<CallToolsOptions, 'lookup'>,
): CaseSource => ({
  rule: (effect) => ownContact(lookup, effect),
  addNote: async (id, body, request) => {
    const startedAt = Date.now();
    try {
      return await tickets.addNote(id, { body }, request);
    } catch (error) {
      if (!(error instanceof IntegrationError) || error.outcome !== 'unknown') throw error;
      const { notes = [] } = (await tickets.get(id, readingWith(request)).catch(() => undefined)) ?? {};
      const isThere = notes.some(
        (note) =>
          inOneLine(note.body) === inOneLine(body) &&
          // The platform's clock may differ.
          (timeOf(note['created_at']) ?? 0) >= startedAt - 60_000,
      );
      if (!isThere) throw error;
      return undefined;
    }
  },
  find: async (number, { caller, conversationIds, request }) => {
    const call = readingWith(request);
    // The rule has seen to it.
    const contactId = caller.contactId ?? '';
    const { data } = await tickets.listForContact(contactId, call);
    const found = data
      .filter((ticket) => isNumber(numberOf(ticket), number) && isForCustomers(ticket))
      // At Zendesk, this phone call's own conversation is a ticket too.
      .filter(({ id }) => !conversationIds.includes(id))
      .toSorted((one, other) => (timeOf(other.updated_at) ?? 0) - (timeOf(one.updated_at) ?? 0));
    const read = await Promise.all(
      found.slice(0, mostCases).map(async (ticket) => {
        // The list leaves out those that show other contacts alone.
        if (ticket.contacts?.length) return [ticket];
        const whole = await tickets.get(ticket.id, call);
        return whole?.contacts?.some(({ id }) => id === contactId) ? [whole] : [];
      }),
    );
    return { cases: read.flat().map(toOwnCase), more: found.length - Math.min(found.length, mostCases) };
  },
});

const readingWith = ({ deadline, signal, callId }: RequestOptions): RequestOptions => ({ deadline, signal, callId });

const isForCustomers = ({ category, ticket_type: type }: Ticket): boolean =>
  (category ?? type?.category ?? 'Customer') === 'Customer';

const numberOf = ({ ticket_id: number, id }: Ticket): string => number ?? id;

const toOwnCase = (ticket: Ticket): OwnCase => {
  const { id, title, open, ticket_state: state } = ticket;
  const isClosed = open === false || state?.category === 'resolved';
  return { id, number: numberOf(ticket), subject: title || undefined, status: labelOf(state), isClosed };
};

/** The label that customers read. Colleagues' own label isn't meant for them. */
const labelOf = (state: Ticket['ticket_state']): string | undefined =>
  state?.external_label || state?.category?.replaceAll('_', ' ') || undefined;

const timeOf = (at: unknown): number | undefined =>
  typeof at === 'string' || typeof at === 'number' ? parseTimestamp(at) : undefined;

const inOneLine = (words: string | null | undefined): string | undefined => words?.replace(/\s+/g, ' ').trim();
