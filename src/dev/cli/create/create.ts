import { existsSync, readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from '../command.ts';
import { wrongUsage } from '../command-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { type ChoiceName, type Chosen, choices } from './choices.ts';
import { choose, listed, titles } from './choose.ts';
import { steps } from './steps.ts';

const help = (name: ChoiceName): string => {
  const [first = '', ...others] = Object.keys(choices[name]);
  return `${titles[name]}: ${listed([first === 'default' ? first : `${first} (default)`, ...others])}`;
};

export const create: Command = {
  name: 'create',
  summary: 'Write a starter into a new folder: an agent behind HTTP or on LiveKit, with its tools and its systems.',
  positionals: [{ name: 'FOLDER', help: 'where to write it; it must be empty, or not be there yet' }],
  options: {
    framework: { value: 'NAME', help: help('framework') },
    model: { value: 'NAME', help: help('model') },
    messaging: { value: 'NAME', help: help('messaging') },
    crm: { value: 'NAME', help: help('crm') },
    billing: { value: 'NAME', help: help('billing') },
  },
  details: [
    'What no option says is asked, if a person is at the keyboard; else it is the default. The choice default is for systems of your own that speak the default API. The code is yours: plain TypeScript that Node 22.18 or newer runs, and a README that says how to start it. Secrets for your voice platform and the webhook are made up and written to .env.',
  ],
  examples: [
    {
      command: 'npx voice-agent-integrations create my-agent',
      says: 'Asks; without a keyboard, Express and OpenAI, for systems of your own',
    },
    {
      command:
        'npx voice-agent-integrations create my-agent --framework hono --model anthropic --messaging intercom --crm hubspot --billing stripe',
      says: 'Hono and Anthropic, for three platforms',
    },
    {
      command: 'npx voice-agent-integrations create my-agent --framework livekit --billing stripe',
      says: 'LiveKit Agents with Stripe',
    },
  ],
  run: async (given, terminal) => {
    const [typed = ''] = given.positionals;
    const folder = resolve(terminal.cwd, typed);
    if (existsSync(folder) && readdirSync(folder).length > 0)
      throw wrongUsage(`${typed} is not empty`, 'name a folder that is not there yet');
    const chosen = await choose(given, terminal);
    const { writeStarter } = await import('./write-starter.ts');
    const files = await writeStarter(folder, nameOf(folder), chosen);
    if (given.flag('json')) terminal.print(JSON.stringify({ folder, files, ...chosen }));
    else printNext(typed, chosen, files.length, terminal);
    return exitCodes.ok;
  },
};

/** The form of a name that npm takes. */
const nameOf = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'voice-agent';

const printNext = (folder: string, chosen: Chosen, files: number, { print }: Terminal): void => {
  print(`Wrote ${files} files to ${folder}. Next:`);
  print('');
  print(`  cd ${folder}`);
  for (const { command, says } of steps(chosen)) print(`  ${command.padEnd(19)} ${says}`.trimEnd());
};
