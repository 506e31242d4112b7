import { commands } from './commands.ts';
import { divertOutput } from './divert-output.ts';
import { run } from './run.ts';
import { createTerminal } from './terminal.ts';

/** Runs the command that was typed, and ends the process. */
export const start = async (): Promise<never> => {
  const terminal = createTerminal(process);
  divertOutput(process);
  const exitCode = await run(process.argv.slice(2), commands, terminal);
  await terminal.flush();
  // A configuration may hold connections that are never closed.
  process.exit(exitCode);
};
