import type { RateLimiter } from 'voice-agent-integrations';
import { bearer } from 'voice-agent-integrations/auth';
import { createMessagingClient, type MessagingOptions } from 'voice-agent-integrations/messaging';

/** How one call that cannot succeed ended, against the time that it was given. */
export interface Settled {
  readonly name: string;
  readonly deadlineMs: number;
  readonly settledMs: number;
  readonly code: string;
}

const deadlineMs = 1_000;

/** Makes every call that has to end by its deadline, all at once, on real sockets and the real clock. */
export const measureDeadlines = (baseUrl: string): Promise<readonly Settled[]> => {
  const at = (path: string): MessagingOptions => ({ ...options, baseUrl: `${baseUrl}${path}` });
  return Promise.all([
    settle('silent server', at('/silent')),
    settle('102 every 20 ms, no answer', at('/informational-drip')),
    settle('body stalls', at('/stalled-body')),
    settle('body of 1 byte every 20 ms', at('/byte-drip')),
    settle('Retry-After: 120', at('/retry-after')),
    settle('rate limit full', { ...at(''), rateLimit: { limit: 1, perMs: 60_000 } }, { callsBefore: 1 }),
    settle('rate limiter never answers', { ...at(''), rateLimit: silentLimiter }),
    settle('credential never comes', { ...at(''), authenticate: bearer(() => new Promise(() => {})) }),
    plainTimer(),
  ]);
};

const settle = async (
  name: string,
  options: MessagingOptions,
  { callsBefore = 0 }: { callsBefore?: number } = {},
): Promise<Settled> => {
  await using messaging = createMessagingClient(options);
  const get = () => messaging.contacts.get('contact_1', { deadline: deadlineMs });
  for (let call = 0; call < callsBefore; call += 1) await get();
  const startedAt = performance.now();
  const code = await get().then(() => 'answered', codeOf);
  return { name, deadlineMs, settledMs: performance.now() - startedAt, code };
};

/** How late the machine itself is. */
const plainTimer = async (): Promise<Settled> => {
  const startedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, deadlineMs));
  return { name: 'a plain timer, to compare', deadlineMs, settledMs: performance.now() - startedAt, code: '' };
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown error';

const options: MessagingOptions = {
  baseUrl: 'https://api.example.com',
  authenticate: bearer(() => 'test-token'),
  platform: 'Acme',
  version: '2.11',
  // The shortest waits, so that all the attempts are made.
};

const silentLimiter: RateLimiter = {
  acquire: () => new Promise(() => {}),
  pause: () => {},
  state: () => ({ waiting: 0, nextFreeInMs: 0, pausedForMs: 0 }),
  close: async () => {},
};
