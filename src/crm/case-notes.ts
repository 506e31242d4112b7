import { toOperation } from '../api/entry.ts';
import { id, text } from '../core/arguments.ts';
import { checkArgument } from '../core/schema.ts';
import * as z from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import { createSearches } from './create-search.ts';
import type { CreatedRecord } from './object-table.ts';
import { endpointsOf, type Org } from './records.ts';

/** Writes notes on cases. */
export interface CaseNotes {
  /**
   * Adds an internal note, which the customer doesn't see: in Salesforce a comment that isn't published, in HubSpot a note
   * on the ticket.
   *
   * @example
   * await crm.cases.addNote(id, { body: 'Called again: still no sound.' });
   */
  addNote(id: string, note: { readonly body: string }, call?: RequestOptions): Promise<CreatedRecord>;
}

const noteSchema = z.lazily<{ readonly body: string }>(() => z.object({ body: text() }));

/** Makes the notes of one org's cases. */
export const createCaseNotes = (org: Org): CaseNotes => ({
  addNote: async (caseId, note, call = {}) => {
    checkArgument(operation, id, caseId, 'id');
    const { body } = checkArgument(operation, noteSchema, note);
    const { object, fields, findBy } = org.dialect.caseNote(caseId, body);
    const request = toOperation(operation, endpointsOf(object, org).create, [fields]);
    if (!findBy) return org.http.request(request, call);
    const { callId, lane } = call;
    const since = new Date(Date.now() - clocksDiffer).toISOString();
    const lookUp = async (time: RequestOptions) => {
      const where = [
        { field: findBy.caseId, operator: '=', value: caseId },
        { field: 'CreatedDate', operator: '>=', value: new Date(since) },
      ] as const;
      const options = { where: { all: where }, fields: [findBy.body] };
      const { data } = await createSearches(object, org).search(options, { callId, lane, ...time });
      const found = data.find((row) => inOneLine(row[findBy.body]) === inOneLine(body));
      return found && { id: found.Id };
    };
    return org.http.request({ ...request, withoutKeys: { lookUp } }, call);
  },
});

const operation = 'crm.cases.addNote';

/** The CRM's clock may be behind. */
const clocksDiffer = 60_000;

const inOneLine = (words: unknown): string => String(words).replace(/\s+/g, ' ').trim();
