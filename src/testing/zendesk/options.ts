import type { FakeApiOptions } from '../api-options.ts';

/** How a fake account of Zendesk behaves. */
export interface FakeZendeskOptions extends Pick<FakeApiOptions, 'credentials' | 'rateLimit' | 'latencyMs' | 'bodies'> {
  readonly dialect: 'zendesk';
  /** How long searches don't know a new user or ticket. @defaultValue 60000 */
  readonly searchDelayMs?: number | undefined;
  /** Records of a list in one answer, at most. @defaultValue 100 */
  readonly pageSize?: number | undefined;
}
