import { createIntegration, type Integration } from 'voice-agent-integrations';
import options from '../voice-agent.config.ts';

let made: Integration | undefined;

/** Made with the first request, so that a build needs no credentials. */
export const integration = (): Integration => (made ??= createIntegration(options()));
