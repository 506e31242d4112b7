import { IntegrationError } from 'voice-agent-integrations';

/** What a person has to fix before this starts is said in a sentence. Whatever else goes wrong keeps its stack. */
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  console.error(sentenceAbout(error) ?? error);
  process.exit(1);
});

const sentenceAbout = (error: NodeJS.ErrnoException): string | undefined => {
  const { PORT = '3000' } = process.env;
  if (error.code === 'EADDRINUSE')
    return `Port ${PORT} is in use: end what listens there, or start with another one, such as PORT=3001.`;
  if (error.code === 'ERR_SOCKET_BAD_PORT' || (error.code === 'EACCES' && error.syscall === 'listen'))
    return `Port ${PORT} can't be used: set PORT to a number from 1024 to 65535.`;
  if (!(error instanceof IntegrationError)) return undefined;
  const isMissing = error.message.includes('set in the environment');
  return isMissing ? `${error.message}. Put it into .env, or run "npm run systems" first.` : error.message;
};
