import type { Command, Given } from '../command.ts';
import { wrongUsage } from '../command-error.ts';
import { configOption, findConfiguration } from '../configuration.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';

export const consoleCommand: Command = {
  name: 'console',
  summary: 'Open the console on this machine: phone calls, endpoints, breakers, outbox and tools, until Ctrl-C.',
  options: {
    ...configOption,
    port: { value: 'PORT', help: 'Where it listens on 127.0.0.1 (default: a free port)' },
    demo: { help: 'Play the recorded phone calls of the demo, on systems of this machine' },
    'allow-actions': { help: 'Allow redrive and discard' },
  },
  details: [
    'Shows the queue and tools of the configuration, or with --demo those of recorded phone calls. For your application’s phone calls, use createConsole in it: see docs/console.md.',
    'The address that is printed holds a token: don’t share it.',
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
    if (given.flag('demo')) return showDemo(port, given, terminal);
    const configuration = await findConfiguration(given, terminal);
    const { openConsole } = await import('./open-console.ts');
    const opened = await openConsole({
      configuration,
      port,
      allowActions: given.flag('allow-actions'),
    });
    terminal.print(given.flag('json') ? JSON.stringify({ url: opened.url }) : `The console is at ${opened.url}`);
    terminal.note('Ctrl-C ends it.');
    await terminal.interrupted();
    await opened.close();
    return exitCodes.ok;
  },
};

/** Plays an outage and every recorded call: all tabs have something to show. */
const showDemo = async (port: number, given: Given, terminal: Terminal): Promise<ExitCode> => {
  const { bundledCall, callNames } = await import('../demo/calls.ts');
  const { startConsole } = await import('../demo/console.ts');
  const { choosePlatforms } = await import('../demo/platforms.ts');
  const { playOutage } = await import('../demo/outage.ts');
  const { runDemo } = await import('../demo/run-demo.ts');
  await using shown = await startConsole({ port });
  terminal.print(given.flag('json') ? JSON.stringify({ url: shown.url }) : `The console is at ${shown.url}`);
  terminal.note('Ctrl-C ends it.');
  const playAll = async () => {
    await playOutage(shown);
    for (const name of callNames.toReversed()) {
      const call = bundledCall(name);
      if (call && !terminal.signal.aborted)
        await runDemo(call, choosePlatforms(), { ...terminal, print: () => {} }, shown);
    }
  };
  await Promise.race([playAll(), terminal.interrupted()]);
  await terminal.interrupted();
  return exitCodes.ok;
};
