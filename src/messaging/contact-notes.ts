import { entry } from '../api/entry.ts';
import { id, text } from '../core/arguments.ts';
import { readList } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { readRecord, type RecordList } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { ByAdmin } from './admins.ts';
import { optionalId, optionalText } from './fields.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** A note on a contact: internal. */
export interface Note {
  readonly id?: string | null | undefined;
  readonly body?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** Notes about a person, for colleagues alone. Paths of the real platform. */
export interface ContactNotes {
  /** The first page. */
  list(contactId: string, call?: RequestOptions): Promise<RecordList<Note>>;
  /** Never reaches the contact. */
  create(contactId: string, note: { readonly body: string } & ByAdmin, call?: RequestOptions): Promise<Note>;
}

export const noteSchema = z.lazily<Note>(() => z.looseObject({ id: optionalId(), body: optionalText() }));
const note = readRecord(noteSchema, []);

const newNote = z.lazily(() => z.object({ body: text(), adminId: z.optional(id()) }));

/** The operations on a contact's notes, as Intercom has them. */
export const contactNoteEndpoints = {
  list: entry({ method: 'GET', path: 'contacts/{contactId}/notes', returns: readList(note, { under: ['notes'] }) }),
  create: entry({
    method: 'POST',
    path: 'contacts/{contactId}/notes',
    takes: newNote,
    body: ({ body, adminId }) => ({ body, admin_id: adminId }),
    returns: note,
  }),
};

/** Makes the methods of a contact's notes. */
export const createContactNotes = (
  workspace: Workspace<{ readonly contacts: { readonly notes: typeof contactNoteEndpoints } }>,
): ContactNotes => {
  const { notes } = workspace.methods.contacts;
  return {
    list: (contactId, call) => followMerge(workspace, contactId, call, notes.list),
    create: (contactId, note, call) => {
      const by = { ...note, adminId: note?.adminId ?? workspace.adminId };
      return followMerge(workspace, contactId, call, (id, call) => notes.create(id, by, call));
    },
  };
};
