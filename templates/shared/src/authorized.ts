import { createHash, timingSafeEqual } from 'node:crypto';
import { fromEnv } from 'voice-agent-integrations/auth';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Whether a request comes from your voice platform, which knows the secret. */
export const isAuthorized = (authorization: string | null | undefined): boolean =>
  timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${fromEnv('AGENT_SECRET')()}`));
