#!/usr/bin/env node
import { nodeProblem } from '../../core/node-version.ts';
import { exitCodes } from './exit-codes.ts';

const problem = nodeProblem();
if (problem === undefined) {
  // An old Node may lack what other files import.
  const { start } = await import('./start.ts');
  await start();
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = exitCodes.configuration;
}
