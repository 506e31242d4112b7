import { type Entry, entry, toOperation } from '../../api/entry.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { MessagingContext, MessagingMethods } from '../dialect.ts';
import type { Fields } from './records.ts';

/** An address of a user. */
interface Identity {
  readonly id: string;
  readonly value: string;
  readonly primary: boolean;
  /** Other users have it too. */
  readonly shared: boolean;
}

const operation = 'messaging.contacts.update';

/**
 * A user has several addresses, of which one is the primary one. A change of the user's `email` would only add another:
 * so the new one becomes an identity, and then the primary one. Needs the scope `read write`.
 * Sources: developer.zendesk.com, User Identities; support.zendesk.com, article 4408885830682; read 2026-11-27.
 */
export const identityMethods = ({
  http,
  endpoints,
  shareDeadline,
}: MessagingContext): Pick<NonNullable<MessagingMethods['contacts']>, 'update' | 'addressesOf'> => {
  const send = <T>(path: Entry<string, undefined, T>, ids: readonly string[], call: RequestOptions, name = operation) =>
    http.request(toOperation(name, path, ids), call);

  const makePrimary = async (contactId: string, email: string, call: RequestOptions): Promise<void> => {
    const known = (await send(identities, [contactId], call)).find(({ value }) => isSame(value, email));
    const identity = known ?? (await send(added(email), [contactId], call));
    if (!identity.primary) await send(primary, [contactId, identity.id], call);
  };

  return {
    update: async (contactId, fields, call) => {
      const shared = shareDeadline(call);
      const { email, ...others }: Readonly<Record<string, unknown>> = Object(fields);
      const { update, get } = endpoints.contacts;
      const change = toOperation(operation, update, [contactId, fields]);
      if (email === undefined) return http.request(change, shared);
      if (typeof email !== 'string' || email.trim() === '')
        throw new InvalidArgumentError('email', "can't be emptied: use request to delete users/{id}/identities/{id}", {
          operation,
        });
      // Whatever is wrong with the fields is wrong before anything is sent.
      if (typeof change.body === 'function') change.body(undefined);
      await makePrimary(contactId, email.trim(), shared);
      const hasMore = Object.values(others).some((value) => value !== undefined);
      const rest = hasMore
        ? toOperation(operation, update, [contactId, others])
        : toOperation(operation, { ...get, absentOn404: false, returns: update.returns }, [contactId]);
      return http.request(rest, shared);
    },
    addressesOf: async (contactId, call = {}) => {
      const known = await send(identities, [contactId], call, 'messaging.contacts.findByEmail');
      return known.filter(({ shared }) => !shared).map(({ value }) => value);
    },
  };
};

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const toIdentity = (json: unknown): Identity => {
  const { id, value, primary, ownership } = Object(json) as Fields;
  return { id: String(id), value: String(value), primary: primary === true, shared: ownership === 'shared' };
};

const identities = entry({
  method: 'GET',
  path: 'users/{contactId}/identities.json?type[]=email&page[size]=100',
  returns: (json) => {
    const { identities: known } = Object(json) as Fields;
    return Array.isArray(known) ? known.filter((one: unknown) => Object(one).type === 'email').map(toIdentity) : [];
  },
});

const added = (value: string) =>
  entry({
    method: 'POST',
    path: 'users/{contactId}/identities.json',
    // Without it, Zendesk would write an e-mail to the person.
    body: () => ({ identity: { type: 'email', value, skip_verify_email: true } }),
    returns: (json) => toIdentity(Object(json).identity),
  });

const primary = entry({
  method: 'PUT',
  path: 'users/{contactId}/identities/{identityId}/make_primary.json',
  withoutKeys: 'again',
  returns: () => undefined,
});
