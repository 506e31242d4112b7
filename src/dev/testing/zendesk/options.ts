import type { FakeApiOptions } from '../api-options.ts';

/** The behaviour of a fake account of Zendesk. */
export interface FakeZendeskOptions extends Pick<FakeApiOptions, 'credentials' | 'rateLimit' | 'latencyMs' | 'bodies'> {
  readonly dialect: 'zendesk';
  /** The role of the agent that the credential belongs to. @defaultValue 'admin' */
  readonly role?: 'agent' | 'admin' | undefined;
  /** Milliseconds in which searches don't know a new user or ticket. @defaultValue 60000 */
  readonly searchDelayMs?: number | undefined;
  /** Records of a list in one answer, at most. @defaultValue 100 */
  readonly pageSize?: number | undefined;
}
