import { onTestFinished, vi } from 'vitest';

/** `Math.random` returns `value` until the test ends. */
export const fixRandom = (value: number): void => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(value);
  onTestFinished(() => random.mockRestore());
};
