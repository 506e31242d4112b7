import { InvalidArgumentError } from '../errors.ts';
import type { Acceptance } from './accept-event.ts';
import type { EventSchemas, ReceivedEvent } from './event-schemas.ts';
import type { EventHandler, EventRule, WebhookReceiverOptions } from './receiver-options.ts';

/**
 * The options as they are looked up by the name of an event that arrived. Throws `InvalidArgumentError` for an event
 * without a handler, for anything said of an event that is not listed, and for records that no client can look up.
 */
export const toAcceptance = <Events extends EventSchemas>(
  {
    events,
    on,
    checks = {},
    rules = {},
    recordExists,
    eventId,
    futureToleranceMs = 300_000,
  }: WebhookReceiverOptions<Events>,
  retainMs: number,
): Acceptance & { readonly handlers: Readonly<Record<string, EventHandler<ReceivedEvent>>> } => {
  for (const [field, named] of Object.entries({ on, checks, rules })) {
    for (const name of Object.keys(named))
      if (!Object.hasOwn(events, name)) throw new InvalidArgumentError(`${field}.${name}`, 'is not listed in events');
  }
  // What is looked up under the name of an event is given nothing but that event: its schema made it.
  const handlers = on as object as Readonly<Record<string, EventHandler<ReceivedEvent>>>;
  for (const name of Object.keys(events)) {
    if (typeof handlers[name] !== 'function')
      throw new InvalidArgumentError(`on.${name}`, 'must be a function: what is acknowledged must be handled');
  }
  const ownChecks: Acceptance['checks'] = checks;
  if (!recordExists && Object.values(ownChecks).some((check) => check?.records))
    throw new InvalidArgumentError('recordExists', 'must be given, since checks name records');
  return {
    events,
    handlers,
    checks: ownChecks,
    rules: rules as object as Readonly<Record<string, readonly EventRule<ReceivedEvent>[] | undefined>>,
    recordExists,
    eventId,
    futureToleranceMs,
    retainMs,
  };
};
