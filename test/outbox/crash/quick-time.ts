/** Makes time pass `factor` times faster in this process: a schedule of minutes takes seconds. */
export const quickenTime = (factor: number): void => {
  const { Date: RealDate, setTimeout: realSetTimeout } = globalThis;
  const realNow = performance.now.bind(performance);
  const now = () => Math.floor(base + (RealDate.now() - base) * factor);
  class QuickDate extends RealDate {
    constructor(...moment: [] | [number | string | Date]) {
      super(moment.length === 0 ? now() : moment[0]);
    }
    static override now = now;
  }
  const quickSetTimeout = (callback: () => void, ms = 0) => realSetTimeout(callback, ms / factor);
  Object.assign(globalThis, { Date: QuickDate, setTimeout: quickSetTimeout });
  performance.now = () => realNow() * factor;
};

const base = Date.UTC(2026, 0, 1);
