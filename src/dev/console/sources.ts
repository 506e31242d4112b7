import type { IntegrationStatus } from '../../integration.ts';
import type { DeadLetters } from '../../outbox/dead-letters.ts';
import type { DestinationStatus } from '../../outbox/outbox.ts';
import type { Toolbox } from '../../tools/index.ts';

/** The part of an integration that the console reads; one from `createIntegration`, or one that a tenant holds. */
export interface StatusSource {
  status(): IntegrationStatus;
}

/** The part of an outbox that the console reads and, if actions are allowed, changes. */
export interface OutboxSource {
  status(): Promise<Readonly<Record<string, DestinationStatus>>>;
  readonly deadLetters: DeadLetters;
}

/** Toolboxes under the names by which the console shows them. */
export type NamedToolboxes = Readonly<Record<string, Toolbox>>;

/** The parts that the console reads, in addition to the events. */
export interface ConsoleSources {
  /** Its circuit breakers, rate limits and quotas are shown. */
  readonly integration?: StatusSource;
  /** Its messages and dead letters are shown. */
  readonly outbox?: OutboxSource;
  /** Their tools are shown as models see them. A function is asked each time, such as for those of the phone call now. */
  readonly toolboxes?: NamedToolboxes | (() => NamedToolboxes);
}
