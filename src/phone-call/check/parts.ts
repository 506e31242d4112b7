import type { BillingOptions } from '../../billing/client.ts';
import type { CrmOptions } from '../../crm/client.ts';
import type { MessagingOptions } from '../../messaging/client.ts';
import type { StoreOptions } from '../stores.ts';

/** Under this, an integration has what a check of it needs. */
export const partsToCheck: unique symbol = Symbol.for('voice-agent-integrations.parts-to-check');

/** The options of the clients to check, with those that all clients share. */
export interface ApisToCheck {
  readonly messaging?: MessagingOptions | undefined;
  readonly crm?: CrmOptions | undefined;
  readonly billing?: BillingOptions | undefined;
}

/** The parts of an integration to check. */
export interface PartsToCheck extends ApisToCheck {
  /** The rules of payments: without them nothing is paid. */
  readonly payments: object | undefined;
  readonly stores: StoreOptions;
}
