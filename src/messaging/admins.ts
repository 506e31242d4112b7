import { entry } from '../api/entry.ts';
import { id, text } from '../core/arguments.ts';
import { readList, readWithin } from '../core/envelope.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import * as z from '../core/schema.ts';
import { type Reader, readOptional, readRecord, type RecordList } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import { optionalText } from './fields.ts';

/** A colleague who acts in a workspace. A voice agent has an admin of its own. */
export interface Admin {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly email?: string | null | undefined;
  /** Doesn't take conversations now. */
  readonly away_mode_enabled?: boolean | null | undefined;
  /** While away, what is assigned to them goes to others. */
  readonly away_mode_reassign?: boolean | null | undefined;
  /** Can answer customers at all. */
  readonly has_inbox_seat?: boolean | null | undefined;
  readonly team_ids?: readonly string[] | null | undefined;
  readonly [field: string]: unknown;
}

/** Reads admins. Paths of the real platform; the default API names the capability only. */
export interface Admins {
  /** With `away_mode_enabled`. `undefined` when there's none with this id. */
  get(id: string, call?: RequestOptions): Promise<Admin | undefined>;
  list(call?: RequestOptions): Promise<RecordList<Admin>>;
  /** The admin that the credential belongs to. */
  me(call?: RequestOptions): Promise<Admin>;
  /** Sends an admin away, or back. With `reassign`, what they get while away goes to others. */
  setAway(
    id: string,
    mode: { readonly away: boolean; readonly reassign?: boolean | undefined },
    call?: RequestOptions,
  ): Promise<Admin>;
}

const adminSchema = z.lazily<Admin>(() =>
  z.object({
    id: z.readId(),
    name: optionalText(),
    email: optionalText(),
    away_mode_enabled: z.nullish(z.boolean()),
    away_mode_reassign: z.nullish(z.boolean()),
    has_inbox_seat: z.nullish(z.boolean()),
    team_ids: z.nullish(z.array(z.readId())),
  }),
);

export const admin: Reader<Admin> = readWithin('admin', readRecord(adminSchema, ['id']));
export const admins = readList(admin, { under: ['admins'] });

const awayMode = z.lazily(() => z.object({ away: z.boolean(), reassign: z.optional(z.boolean()) }));

/** The operations on admins, as Intercom has them. */
export const adminEndpoints = {
  get: entry({ method: 'GET', path: 'admins/{id}', absentOn404: true, returns: readOptional(admin) }),
  list: entry({ method: 'GET', path: 'admins', returns: admins }),
  me: entry({ method: 'GET', path: 'me', returns: admin }),
  setAway: entry({
    method: 'PUT',
    path: 'admins/{id}/away',
    takes: awayMode,
    body: ({ away, reassign }) => ({ away_mode_enabled: away, away_mode_reassign: reassign ?? false }),
    withoutKeys: 'again',
    returns: admin,
  }),
};

/** The admin who does an action. */
export interface ByAdmin {
  /** @defaultValue the client's `adminId` */
  readonly adminId?: string | undefined;
}

export const byAdmin = z.lazily(() => z.object({ adminId: id() }));
/** A reply or a note, and its author. */
export const message = z.lazily(() => z.object({ body: text(), adminId: id() }));

/** Adds the admin to an action: the one it names, otherwise the client's. Throws `InvalidArgumentError` without either. */
export const createByAdmin =
  (resource: string, defaultAdminId: string | undefined) =>
  <Details extends { readonly adminId: string }, Result>(
    name: string,
    act: (id: string, details: Details, call?: RequestOptions) => Promise<Result>,
  ) =>
  async (id: string, details: Omit<Details, 'adminId'> & ByAdmin, call?: RequestOptions): Promise<Result> => {
    const adminId = details?.adminId === undefined ? defaultAdminId : details.adminId;
    if (adminId === undefined)
      throw new InvalidArgumentError('adminId', 'must be given, here or in the options of the client', {
        operation: `messaging.${resource}.${name}`,
      });
    // All other details are there already.
    return act(id, { ...details, adminId } as unknown as Details, call);
  };
