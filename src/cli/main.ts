#!/usr/bin/env node
import { commands } from './commands.ts';
import { divertOutput } from './divert-output.ts';
import { run } from './run.ts';
import { createTerminal } from './terminal.ts';

const terminal = createTerminal(process);
divertOutput(process);
const exitCode = await run(process.argv.slice(2), commands, terminal);
await terminal.flush();
// A configuration may hold connections that are never closed.
process.exit(exitCode);
