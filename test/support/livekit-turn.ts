/** A turn of LiveKit, and what a tool asked of it. */
export const startLiveKitTurn = ({ isInterrupted = false, updates = [] as readonly unknown[] } = {}) => {
  const asked: unknown[] = [];
  const ctx = {
    updates,
    disallowInterruptions: () => {
      if (isInterrupted) throw new Error('the speech was interrupted');
      asked.push('disallowInterruptions');
    },
    filler: <Result>(words: string, options: { delay: number }, work: () => Promise<Result>) => {
      asked.push([words, options]);
      return work();
    },
  };
  return { asked, ctx };
};
