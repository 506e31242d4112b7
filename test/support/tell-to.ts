import type { Tell } from '../../src/observability/teller.ts';

/** Writes down everything that is told. */
export const tellTo = (events: unknown[]): Tell => {
  const tell: Tell = Object.assign((event: unknown) => void events.push(event), {
    isHeard: () => true,
    hide: () => {},
    ofTenant: () => tell,
  });
  return tell;
};
