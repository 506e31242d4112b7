import type { Methods } from '../api/entry.ts';
import { ClientError } from '../core/errors.ts';
import type { HttpClient, RequestOptions } from '../http/operation.ts';

/** The parts of a dialect that concern every resource. */
export interface PlatformRules {
  /** Returns the place where the next page begins; `undefined` for the last one. */
  readonly nextPage: (answer: unknown) => string | undefined;
  /** Returns the contact that the refused one was merged into, where the refusal says so. @defaultValue merges aren't followed */
  readonly mergedInto: ((refusal: ClientError) => string | undefined) | undefined;
}

/** The parts of a client that the methods of its resources share. */
export interface Workspace<Endpoints = object> {
  readonly http: HttpClient;
  readonly dialect: PlatformRules;
  readonly endpoints: Endpoints;
  /** One method for each of the endpoints. */
  readonly methods: Methods<Endpoints>;
  /** One budget for a method that sends several requests. */
  readonly shareDeadline: (call: RequestOptions | undefined) => RequestOptions;
  /** The admin that acts where a call names none. */
  readonly adminId: string | undefined;
}

/**
 * Does something to a contact or, when the platform says that it was merged into another one, to that one.
 * Repeating it there is safe: the first request was refused.
 */
export const followMerge = async <T>(
  { dialect, shareDeadline }: Pick<Workspace, 'dialect' | 'shareDeadline'>,
  contactId: string,
  call: RequestOptions | undefined,
  work: (contactId: string, call: RequestOptions) => Promise<T>,
): Promise<T> => {
  const shared = shareDeadline(call);
  try {
    return await work(contactId, shared);
  } catch (error) {
    const into = error instanceof ClientError ? dialect.mergedInto?.(error) : undefined;
    if (into === undefined || into === contactId) throw error;
    return work(into, shared);
  }
};

/** Resolves with `undefined` where the platform refuses, or refuses with one of these statuses. */
export const unlessRefused = <T>(result: Promise<T>, statuses?: readonly number[]): Promise<T | undefined> =>
  result.catch((error: unknown) => {
    if (error instanceof ClientError && statuses?.includes(error.status) !== false) return undefined;
    throw error;
  });
