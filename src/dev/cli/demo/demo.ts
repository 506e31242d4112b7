import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import { wrongUsage } from '../command-error.ts';
import { exitCodes } from '../exit-codes.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Play a phone call against three systems that misbehave, and check the result.',
  positionals: [
    {
      name: 'CALL',
      count: 'any',
      help: 'billing-question (default), two-invoices, new-prospect, escalation, a JSON file of the same form, or jobs: short calls for every job of a phone agent',
    },
  ],
  options: {
    platforms: {
      value: 'NAMES',
      help: 'Play it on these: intercom or zendesk, salesforce or hubspot, stripe, such as zendesk,hubspot,stripe (default: none of these)',
    },
  },
  details: [
    'Needs no account and no network: the three systems are servers on 127.0.0.1. Ends with 1 when a check fails.',
  ],
  examples: [
    { command: 'npx voice-agent-integrations demo', says: 'A billing question that is paid on the phone' },
    {
      command: 'npx voice-agent-integrations demo new-prospect --platforms zendesk,hubspot,stripe',
      says: 'A new caller becomes a lead, on other platforms',
    },
    {
      command: 'npx voice-agent-integrations demo jobs',
      says: 'Payments, appointments, cases and what goes wrong with them',
    },
  ],
  run: async (given, terminal) => {
    if (given.positionals.includes(jobs)) return playJobs(given, terminal);
    const { bundledCall, callNames } = await import('./calls.ts');
    const { choosePlatforms } = await import('./platforms.ts');
    const { readRecordedCall } = await import('./recorded-call.ts');
    const { runDemo } = await import('./run-demo.ts');
    const chosen = choosePlatforms(given.text('platforms'));
    const names = given.positionals.length > 0 ? given.positionals : callNames.slice(0, 1);
    const calls = names.map((name) => bundledCall(name) ?? readRecordedCall(resolve(terminal.cwd, name), name));

    const isJson = given.flag('json');
    const quiet = { print: () => {}, paint: terminal.paint };
    let failed = false;
    for (const call of calls) {
      const played = await runDemo(call, chosen, isJson ? quiet : terminal);
      failed ||= played.checks.some(({ holds }) => !holds);
      if (isJson) terminal.print(JSON.stringify(played));
    }
    if (!failed && !isJson)
      terminal.print('\nNext: `npx voice-agent-integrations create my-agent` writes an agent of your own.');
    return failed ? exitCodes.problems : exitCodes.ok;
  },
};

const jobs = 'jobs';

/** Plays the calls of the evals by their scripts, on systems of their own. */
const playJobs: Command['run'] = async (given, terminal) => {
  if (given.positionals.length > 1 || given.text('platforms') !== undefined)
    throw wrongUsage(`${jobs} is played by itself, on platforms of its own`);
  const { playCalls } = await import('../../testing/evals/play.ts');
  const { scriptedAgent } = await import('../../testing/evals/scripted-agent.ts');
  const { passed, calls, text } = await playCalls(scriptedAgent);
  const summary = calls.map(({ name, failed }) => ({ name, failed }));
  terminal.print(given.flag('json') ? JSON.stringify({ passed, calls: summary }) : text);
  return passed === calls.length ? exitCodes.ok : exitCodes.problems;
};
