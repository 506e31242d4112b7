import type { Command } from '../command.ts';
import { wrongUsage } from '../command-error.ts';
import { configOption, findConfiguration } from '../configuration.ts';
import { exitCodes } from '../exit-codes.ts';

export const consoleCommand: Command = {
  name: 'console',
  summary: 'Open the console on this machine: phone calls, endpoints, breakers, outbox and tools, until Ctrl-C.',
  options: {
    ...configOption,
    port: { value: 'PORT', help: 'Where it listens on 127.0.0.1 (default: a free port)' },
    demo: { help: 'Play the demo’s phone call' },
    'allow-actions': { help: 'Allow redrive and discard' },
  },
  details: [
    'Shows the queue and tools of the configuration, and with --demo a phone call. For your application’s phone calls, use createConsole in it: see docs/console.md.',
    'The address that is printed holds a token: it is for you alone.',
  ],
  examples: [
    { command: 'npx voice-agent-integrations console --demo', says: 'To look around' },
    {
      command: 'npx voice-agent-integrations console --config voice-agent.config.js --allow-actions',
      says: 'The dead letters of your queue',
    },
  ],
  runsUntilInterrupted: true,
  run: async (given, terminal) => {
    const port = given.wholeNumber('port') ?? 0;
    if (port > 65_535) throw wrongUsage('--port must be at most 65535');
    const configuration = await findConfiguration(given, terminal);
    const { openConsole } = await import('./open-console.ts');
    const opened = await openConsole({
      configuration,
      port,
      allowActions: given.flag('allow-actions'),
    });
    terminal.print(given.flag('json') ? JSON.stringify({ url: opened.url }) : `The console is at ${opened.url}`);
    terminal.note('Ctrl-C ends it.');
    if (given.flag('demo')) {
      const { playCall } = await import('../demo/play-call.ts');
      await Promise.race([playCall(() => {}, terminal.paint), terminal.interrupted()]);
    }
    await terminal.interrupted();
    await opened.close();
    return exitCodes.ok;
  },
};
