import { afterAll, vi } from 'vitest';

// Files share a process: a clock that a file made outside its tests must not stop the time of the next file.
afterAll(() => void vi.useRealTimers());
