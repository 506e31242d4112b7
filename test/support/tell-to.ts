import type { Tell } from '../../src/observability/teller.ts';

/** Writes down everything that is told. */
export const tellTo = (events: unknown[]): Tell => {
  const write = (event: unknown) => void events.push(event);
  const nobodyTraces = { begin: () => undefined };
  const tell: Tell = Object.assign(write, {
    ...nobodyTraces,
    isHeard: () => true,
    toTracers: Object.assign(() => {}, { ...nobodyTraces, isHeard: () => false }),
    hide: () => {},
    ofTenant: () => tell,
  });
  return tell;
};
