import { invalid, notFound, objectIn, paging, userIn, type ZendeskEndpoint } from './call.ts';
import type { FakeZendeskUser, ZendeskStore } from './store.ts';

/** An address of a user, in Zendesk's shape. */
interface Identity {
  readonly id: number;
  readonly user_id: number;
  readonly type: 'email';
  readonly value: string;
  readonly verified: boolean;
  readonly primary: boolean;
  readonly ownership: 'owned';
}

/** The primary address of a user, and then the others. */
export const addressesOf = (store: ZendeskStore, { id, email }: FakeZendeskUser): readonly string[] => [
  ...(email === null ? [] : [email]),
  ...[...store.addresses].flatMap(([value, userId]) => (userId === id && !isSame(value, email) ? [value] : [])),
];

/** Throws `Refused` for an address of another user. */
export const assertAddress = (store: ZendeskStore, email: string, own?: FakeZendeskUser): void => {
  const taken = [...store.users.values()].some(
    (user) => user !== own && user.active && addressesOf(store, user).some((one) => isSame(one, email)),
  );
  if (taken) throw invalid('email', `Email: ${email} is already being used by another user`, 'DuplicateValue');
};

/** The first address becomes the primary one, and every other one is secondary. */
export const addAddress = (store: ZendeskStore, user: FakeZendeskUser, email: string): void => {
  assertAddress(store, email, user);
  if (addressesOf(store, user).some((one) => isSame(one, email))) return;
  store.addresses.set(email, user.id);
  user.email ??= email;
};

/** Source: developer.zendesk.com, User Identities, read 2026-11-27. */
export const identityEndpoints: readonly ZendeskEndpoint[] = [
  {
    operation: 'messaging.contacts.get',
    method: 'GET',
    path: /^users\/(\d+)\/identities$/,
    query: [...paging, 'type[]'],
    answer: ({ store, id, page }) => page('identities', identitiesOf(store, userIn(store, id))),
  },
  {
    operation: 'messaging.contacts.update',
    method: 'POST',
    path: /^users\/(\d+)\/identities$/,
    body: ['identity'],
    answer: ({ store, id, body }) => {
      const user = userIn(store, id);
      const { type, value, ...options } = objectIn(body, 'identity');
      const unknown = Object.keys(options).find((name) => !['verified', 'primary', 'skip_verify_email'].includes(name));
      if (unknown !== undefined) throw invalid(unknown, `${unknown}: is not a field of an identity`, 'Invalid');
      if (type !== 'email' || typeof value !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(value))
        throw invalid('value', 'Value: is not properly formatted', 'InvalidFormat');
      addAddress(store, user, value);
      return { identity: identitiesOf(store, user).find((one) => isSame(one.value, value)) };
    },
  },
  {
    operation: 'messaging.contacts.update',
    method: 'PUT',
    path: /^users\/(\d+)\/identities\/(\d+)\/make_primary$/,
    answer: ({ store, id, secondId }) => {
      const user = userIn(store, id);
      const wanted = identitiesOf(store, user).find((one) => one.id === secondId);
      if (!wanted) throw notFound();
      const old = user.email;
      if (old !== null) store.addresses.set(old, id);
      user.email = wanted.value;
      return { identities: identitiesOf(store, user) };
    },
  },
];

const identitiesOf = (store: ZendeskStore, user: FakeZendeskUser): readonly Identity[] =>
  addressesOf(store, user).map((value) => ({
    id: store.identityId(user.id, value),
    user_id: user.id,
    type: 'email',
    value,
    verified: true,
    primary: value === user.email,
    ownership: 'owned',
  }));

const isSame = (one: string, other: string | null): boolean => one.toLowerCase() === other?.toLowerCase();
