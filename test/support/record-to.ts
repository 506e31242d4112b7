import type { Emitter } from '../../src/observability/emitter.ts';

/** Puts every event into a list. */
export const recordTo = (events: unknown[]): Emitter => {
  const emitter: Emitter = {
    emit: (event) => void events.push(event),
    hasListeners: () => true,
    startSpan: () => undefined,
    endSpan: () => {},
    hide: () => {},
    forTenant: () => emitter,
  };
  return emitter;
};
