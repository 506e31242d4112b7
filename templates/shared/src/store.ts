import { sqlite } from 'voice-agent-integrations/stores/sqlite';

/** What outlives the process. Several machines share Redis or PostgreSQL instead. */
export const store = sqlite({ file: process.env['STORE_FILE'] ?? 'voice-agent.db' });
