import { createIntegration, type Integration, InvalidArgumentError } from 'voice-agent-integrations';
import options from '../voice-agent.config.ts';

let made: Integration | undefined;

/** Made with the first request, so that a build needs no credentials. */
export const integration = (): Integration => {
  try {
    return (made ??= createIntegration(options()));
  } catch (error) {
    if (!(error instanceof InvalidArgumentError) || !error.message.includes('set in the environment')) throw error;
    throw new Error(`${error.message}. Run "npm run systems" first, or put the variables of your systems into .env`);
  }
};
