import type { Contact } from './records.ts';

/** The contacts that a client made and that a search may not know yet. */
export interface RecentContacts<Attributes extends object> {
  remember(contact: Contact<Attributes>): void;
  /** Takes over what became of a contact that is remembered. */
  refresh(contact: Contact<Attributes>): void;
  /** It can't be found any more. */
  forget(id: string): void;
  all(): readonly Contact<Attributes>[];
}

/** More contacts than one process makes within the delay of a search; the oldest are forgotten first. */
const defaultLimit = 1_000;

/** Remembers each contact for `forMs`, and none at all with 0. Needs no timer: what is old is dropped when it is seen. */
export const createRecentContacts = <Attributes extends object>({
  forMs,
  limit = defaultLimit,
}: {
  readonly forMs: number;
  readonly limit?: number;
}): RecentContacts<Attributes> => {
  if (!(forMs > 0)) return withoutMemory;
  const kept = new Map<string, { readonly contact: Contact<Attributes>; readonly until: number }>();

  const dropOld = () => {
    // In the order in which they were made: after the first one that is not old there is none.
    for (const [id, { until }] of kept) {
      if (until > performance.now() && kept.size <= limit) return;
      kept.delete(id);
    }
  };

  return {
    remember: (contact) => {
      kept.delete(contact.id);
      kept.set(contact.id, { contact, until: performance.now() + forMs });
      dropOld();
    },
    refresh: (contact) => {
      const before = kept.get(contact.id);
      if (before) kept.set(contact.id, { ...before, contact });
    },
    forget: (id) => void kept.delete(id),
    all: () => {
      dropOld();
      return [...kept.values()].map(({ contact }) => contact);
    },
  };
};

const withoutMemory: RecentContacts<never> = {
  remember: () => {},
  refresh: () => {},
  forget: () => {},
  all: () => [],
};
